"""Restore proofs at the host: little by little, cancellable, and kept for a look at
them.
"""

from __future__ import annotations

from pathlib import Path

from runtime.debug.protocol import PROOF_STORE, ProofItem, ProvedBody
from tests.runtime.debug.talking import (
    Talk,
    direct,
    document,
    loop,
    lost_join,
    node,
    talking,
)


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


async def test_a_run_is_proved_and_its_store_keeps_every_byte(tmp_path: Path) -> None:
    file = tmp_path / "runs.db"
    async with talking(tmp_path) as talk:
        await talk.open(lost_join(), f"sqlite:{file}")
        started = await talk.body("start")
        await talk.until("stopped")
        before = file.read_bytes()
        asked = await talk.body("verify", id="1", run_id=started.run_id)
        bodies = await proved(talk, "1")
        assert {item.outcome for item in items(bodies)} == {"proved"}
        assert bodies[-1].read == bodies[-1].of == asked.of == len(items(bodies))
        assert file.read_bytes() == before


async def test_a_failed_advance_names_part_and_writer_and_can_be_compared(
    tmp_path: Path,
) -> None:
    (tmp_path / "counts.py").write_text(
        "SEEN = []\n"
        "def count(message: int) -> int:\n"
        "    SEEN.append(message)\n"
        "    return len(SEEN)\n"
    )
    counting = {
        "id": "a",
        "type": "python_function",
        "params": {"function": "counts:count"},
    }
    made = document([counting, node("b", "inc")], [direct("a", "b")])
    async with talking(tmp_path) as talk:
        await talk.open(made)
        started = await talk.body("start")
        await talk.until("stopped")
        first = (await talk.body("timeline", run_id=started.run_id)).headers[0]
        await talk.body("verify", id="1", run_id=started.run_id, checkpoints=[first.id])
        [item] = items(await proved(talk, "1"))
        check = item.checks[2]
        assert (check.name, check.outcome) == ("advance", "failed")
        assert {finding.section for finding in check.findings} == {"messages"}
        assert {finding.writer for finding in check.findings} == {"a"}
        body = await talk.body(
            "diff",
            base=check.again,
            base_store=PROOF_STORE,
            checkpoint_id=check.recorded,
        )
        assert [change.section for change in body.differences][:1] == ["messages"]


async def test_a_question_takes_the_place_of_the_one_before_and_can_be_stopped(
    tmp_path: Path,
) -> None:
    async with talking(tmp_path) as talk:
        await talk.open(loop(8))
        started = await talk.body("start")
        await talk.until("stopped")
        await talk.body("verify", id="1", run_id=started.run_id)
        await talk.body("verify", id="2", run_id=started.run_id)
        bodies = await proved(talk, "2")
        assert bodies[-1].done
        await talk.body("verify", id="3", run_id=started.run_id)
        await talk.body("verify_stop", id="3")
        await talk.body("verify", id="4", run_id=started.run_id)
        assert (await proved(talk, "4"))[-1].done


async def test_a_checkpoint_of_another_run_is_refused(tmp_path: Path) -> None:
    async with talking(tmp_path) as talk:
        await talk.open(loop(2))
        started = await talk.body("start")
        await talk.until("stopped")
        reply = await talk.ask(
            "verify", id="1", run_id=started.run_id, checkpoints=["no"]
        )
        assert not reply.success
