"""What a run has put out: everything on the way to a checkpoint, in order, and nothing
of other branches.
"""

from pathlib import Path

import pytest

from runtime.checkpoint import Cause, Record
from runtime.checkpoints.archive import Archive
from runtime.debug.timeline import outputs
from runtime.debug.timeline.outputs import Outputs, read_trace
from runtime.errors import CheckpointDamagedError
from runtime.state import Output, RunState, Trace
from runtime.stores.memory import MemoryStore
from tests.runtime.debug.talking import Talk, asking, direct, document, node, talking

END = {"type": "output", "params": {}}


@pytest.fixture
async def talk(tmp_path: Path):
    async with talking(tmp_path) as talk:
        yield talk


def twice() -> dict:
    """a puts out in superstep 2, and b, which comes after it, in superstep 3."""
    return document(
        [
            node("a", "inc"),
            node("b", "double"),
            {"id": "first", **END},
            {"id": "second", **END},
        ],
        [
            {"id": "out", "kind": "fan_out", "source": "a", "targets": ["b", "first"]},
            direct("b", "second"),
        ],
    )


async def finish(talk: Talk, doc: dict) -> None:
    await talk.open(doc)
    await talk.body("start")
    await talk.until("stopped")


def seen(body) -> list[tuple[int, str, str]]:
    return [(item.superstep, item.executor, item.value.text) for item in body.items]


async def test_everything_until_the_checkpoint_that_is_asked_for_in_order(talk) -> None:
    await finish(talk, twice())
    assert seen(await talk.body("outputs")) == [(2, "first", "2"), (3, "second", "4")]
    headers = (await talk.body("timeline")).headers
    found = [
        seen(await talk.body("outputs", checkpoint_id=header.id)) for header in headers
    ]
    assert [len(items) for items in found] == [0, 0, 1, 2]


async def test_before_a_run_there_is_nothing(talk) -> None:
    await talk.open(twice())
    assert await talk.body("outputs") == outputs.OutputsBody()


async def test_another_host_reads_the_same_from_the_store(talk, tmp_path) -> None:
    store = f"sqlite:{tmp_path / 'runs.db'}"
    await talk.open(twice(), store)
    await talk.body("start")
    stopped = await talk.until("stopped")
    told = await talk.body("outputs")
    await talk.open(None, store)
    assert await talk.body("outputs", checkpoint_id=stopped.checkpoint_id) == told


async def test_a_fork_and_an_answer_repeat_nothing_and_other_branches_are_not_told(
    talk,
) -> None:
    doc = asking()
    doc["workflow"]["nodes"].append({"id": "early", **END})
    doc["workflow"]["edges"] = [
        {"id": "out", "kind": "fan_out", "source": "a", "targets": ["ask", "early"]},
        direct("ask", "end"),
    ]
    await finish(talk, doc)
    at = await talk.body("inspect")
    question = at.requests[0].id
    for verdict in ("yes", "no"):
        await talk.body("restore", checkpoint_id=at.header.id)
        await talk.until("stopped")
        await talk.body("answer", answers={question: verdict})
        await talk.until("stopped")
        await talk.body("continue")
        await talk.until("stopped")
        found = (await talk.body("outputs")).items
        assert [(item.superstep, item.executor) for item in found] == [
            (2, "early"),
            (4, "end"),
        ]
        assert verdict in str(found[-1].value)


async def test_an_unknown_checkpoint_is_refused_by_name(talk) -> None:
    await finish(talk, twice())
    reply = await talk.ask("outputs", checkpoint_id="nowhere")
    assert (reply.success, reply.error_type) == (False, "CheckpointNotFoundError")


# --- without a host: what is bounded, and what is damaged ----------------------------------------------------------


class Damaged(MemoryStore):
    """A store in which one record cannot be read."""

    damaged = ""

    async def load(self, checkpoint_id: str) -> Record:
        if checkpoint_id == self.damaged:
            raise CheckpointDamagedError(checkpoint_id, "its record is not what it was")
        return await super().load(checkpoint_id)


async def saved(*yielded: tuple) -> tuple[Damaged, list]:
    """A run with these outputs, a tuple for each superstep. The store and the headers."""
    store = Damaged()
    archive = Archive(store)
    headers = []
    parent = None
    for superstep, values in enumerate(yielded, 1):
        trace = Trace(outputs=tuple(Output("n", value) for value in values))
        parent = await archive.save(
            RunState(superstep=superstep),
            trace,
            run_id="r",
            workflow="w",
            cause=Cause.SUPERSTEP,
            parent=parent,
            branch="main",
        )
        headers.append(parent)
    return store, headers


async def test_case_94_what_was_put_out_before_a_gap_is_told_and_so_is_the_gap() -> (
    None
):
    store, headers = await saved(("one",), ("two",), ("three",), ("four",), ("five",))
    await store.delete([headers[1].id, headers[2].id])
    found = await Outputs().until(store, headers[-1])
    assert [item.text for item in found.items] == ["one", "four", "five"]
    assert found.unreadable == 1


async def test_a_text_comes_whole_with_its_line_breaks() -> None:
    store, headers = await saved(("# Report\n\n" + "line\n" * 5000,))
    (item,) = (await Outputs().until(store, headers[-1])).items
    assert (item.text, item.cut) == ("# Report\n\n" + "line\n" * 5000, 0)


async def test_a_text_that_is_too_long_says_how_much_is_missing(monkeypatch) -> None:
    monkeypatch.setattr(outputs, "TEXT_LIMIT", 10)
    store, headers = await saved(("x" * 25, 7))
    text, number = (await Outputs().until(store, headers[-1])).items
    assert (text.text, text.cut) == ("x" * 10, 15)
    assert (number.text, number.cut, number.value.text) == (None, 0, "7")


async def test_when_all_texts_are_too_much_the_newest_are_whole(monkeypatch) -> None:
    monkeypatch.setattr(outputs, "TEXTS_LIMIT", 150)
    monkeypatch.setattr(outputs, "TEXT_LEAST", 5)
    store, headers = await saved(("a" * 100,), ("b" * 100,), ("c" * 100,))
    items = (await Outputs().until(store, headers[-1])).items
    assert [(len(item.text), item.cut) for item in items] == [
        (5, 95),
        (50, 50),
        (100, 0),
    ]


async def test_of_too_many_the_newest_are_told_and_the_others_counted(
    monkeypatch,
) -> None:
    monkeypatch.setattr(outputs, "SHOWN", 3)
    store, headers = await saved((1, 2), (3, 4), (5,))
    for asked in (Outputs(), (known := Outputs())):
        body = await asked.until(store, headers[-1])
        assert ([item.value.text for item in body.items], body.left_out) == (
            ["3", "4", "5"],
            2,
        )
    assert (await known.until(store, headers[-1])).left_out == 2


async def test_a_damaged_checkpoint_is_counted_and_the_others_are_told() -> None:
    store, headers = await saved((1,), (2,), (3,))
    store.damaged = headers[1].id
    body = await Outputs().until(store, headers[-1])
    assert ([item.value.text for item in body.items], body.unreadable) == (
        ["1", "3"],
        1,
    )


async def test_a_checkpoint_that_was_saved_just_now_is_not_read_to_know_that_it_is_silent() -> (
    None
):
    store, headers = await saved((), (), ())
    known = Outputs()
    for header in headers:
        known.note(header, Trace())
    store.damaged = headers[1].id
    assert (await known.until(store, headers[-1])).unreadable == 0


async def test_the_trace_alone_is_what_the_whole_checkpoint_has() -> None:
    store, headers = await saved(("x" * 300_000, {"a": (1, 2)}))
    header, trace = await read_trace(store, headers[-1].id)
    whole = await Archive(store).view(headers[-1].id)
    assert (header, trace) == (whole.header, whole.trace)
