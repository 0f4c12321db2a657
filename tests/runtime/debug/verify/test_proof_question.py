"""Restore proofs at the host: little by little, cancellable, and kept for a look at
them.
"""

from __future__ import annotations

from pathlib import Path

from runtime.debug.protocol import (
    ProofItem,
    ProofRequest,
    ProvedBody,
    VerifyArguments,
)
from runtime.debug.verify.process import answer
from runtime.engine.runner import Runner
from runtime.stores import open_store
from tests.runtime.debug.talking import (
    Talk,
    direct,
    document,
    loop,
    node,
    talking,
)
from tests.runtime.debug.verify.faulty import ending, line, passing


async def proved(talk: Talk, id_: str) -> list[ProvedBody]:
    """The notices of a question, up to its end."""
    bodies: list[ProvedBody] = []
    while not bodies or not (bodies[-1].done or bodies[-1].failed):
        body = await talk.until("proved")
        if body.id == id_:
            bodies.append(body)
    return bodies


def items(bodies: list[ProvedBody]) -> list[ProofItem]:
    return [item for body in bodies for item in body.proofs]


async def answered(request: ProofRequest) -> list[ProvedBody]:
    """What the process of a proof writes."""
    bodies: list[ProvedBody] = []
    await answer(request, bodies.append)
    return bodies


async def test_a_proof_has_a_process_of_its_own_and_its_failures_can_be_compared(
    tmp_path: Path,
) -> None:
    # What the handler keeps in its module stays in the process of the proof.
    (tmp_path / "counts.py").write_text(
        "SEEN = []\n"
        "def count(message: int) -> int:\n"
        "    SEEN.append(message)\n"
        "    print('not among the results')\n"
        "    return len(SEEN)\n"
    )
    counting = {
        "id": "a",
        "type": "python_function",
        "params": {"function": "counts:count"},
    }
    made = document([counting, node("b", "inc")], [direct("a", "b"), direct("b", "a")])
    made["workflow"]["max_supersteps"] = 4
    file = tmp_path / "runs.db"
    async with talking(tmp_path) as talk:
        await talk.open(made, f"sqlite:{file}")
        started = await talk.body("start")
        await talk.until("stopped")
        before = file.read_bytes()
        asked = await talk.body("verify", id="1", run_id=started.run_id)
        bodies = await proved(talk, "1")
        assert bodies[-1].done
        assert bodies[-1].read == bodies[-1].of == asked.of == len(items(bodies)) == 5
        assert file.read_bytes() == before
        # The second call counts to 2 in the record, and to 1 in a fresh process.
        advances = {item.checkpoint_id: item.checks[2] for item in items(bodies)}
        [check] = [each for each in advances.values() if each.outcome == "failed"][:1]
        assert {finding.section for finding in check.findings} == {"messages"}
        assert {finding.writer for finding in check.findings} == {"a"}
        body = await talk.body(
            "diff",
            base=check.again,
            base_store=asked.kept,
            checkpoint_id=check.recorded,
        )
        assert [change.section for change in body.differences][:1] == ["messages"]
        # Another question takes the place of the one before, and one can be stopped.
        await talk.body("verify", id="2", run_id=started.run_id)
        await talk.body("verify_stop", id="2")
        reply = await talk.ask(
            "verify", id="3", run_id=started.run_id, checkpoints=["no"]
        )
        assert not reply.success


async def test_a_store_in_memory_is_refused_with_what_to_do(tmp_path: Path) -> None:
    async with talking(tmp_path) as talk:
        await talk.open(loop(2), "memory:")
        started = await talk.body("start")
        await talk.until("stopped")
        reply = await talk.ask("verify", id="1", run_id=started.run_id)
        assert "Save the checkpoints in a file." in reply.message


async def test_one_checkpoint_is_proved_and_an_error_ends_it_with_words(
    tmp_path: Path,
) -> None:
    url = f"sqlite:{tmp_path / 'runs.db'}"
    store = open_store(url)
    runner = Runner(line(passing("start"), ending("end")), store)
    await runner.start("x")
    await runner.finish()
    first = (await store.headers())[0]
    await store.close()
    request = ProofRequest(
        store=url,
        kept=f"sqlite:{tmp_path / 'kept.db'}",
        arguments=VerifyArguments(id="1", run_id=first.run_id, checkpoints=(first.id,)),
    )
    bodies = await answered(request)
    [item] = items(bodies)
    assert (item.checkpoint_id, item.outcome) == (first.id, "unchecked")
    assert (bodies[-1].done, bodies[-1].of) == (True, 1)
    gone = request.model_copy(update={"store": f"sqlite:{tmp_path / 'gone.db'}"})
    [body] = await answered(gone)
    assert "There is no file" in body.failed
