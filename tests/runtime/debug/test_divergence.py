"""Where two lines of checkpoints part: the first difference is the first, and nothing
of a store changes.
"""

from collections.abc import Sequence
from itertools import count
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.checkpoint import Cause, CheckpointHeader
from runtime.checkpoints.archive import Archive
from runtime.debug.compare.checkpoints import compare
from runtime.debug.compare.divergence import diverge
from runtime.debug.compare.divergence_cause import Both, Reason, reason_of
from runtime.debug.compare.two_lines import Search, Side, two_lines
from runtime.debug.moments.moment import Snapshot
from runtime.debug.protocol import Command, Reply
from runtime.debug.sections import Place
from runtime.message import Message
from runtime.state import Fate, Invocation, Output, RunState, Trace, Write
from runtime.stores import open_store
from runtime.testing.conformance import opened
from tests.runtime.debug.talking import (
    Talk,
    asking,
    direct,
    document,
    node,
    talking,
)

# What a barrier holds and what its superstep put out: so few values that lines part and
# meet again.
BARRIERS = st.lists(
    st.tuples(st.integers(0, 1), st.sampled_from(["", "", "out"])), max_size=8
)


class Written:
    """Lines in one store: the common past, and what came after on two branches or
    runs.
    """

    def __init__(self, archive: Archive) -> None:
        self.archive = archive
        self._names = count()

    async def line(
        self,
        barriers: Sequence[tuple[int, str]],
        after: CheckpointHeader | None = None,
    ) -> CheckpointHeader:
        """Save barriers after a checkpoint, on a branch of their own."""
        branch = f"branch {next(self._names)}"
        head = after
        run = f"run {branch}" if after is None else after.run_id
        if after is not None:
            head = await self._save(after.superstep, after, run, branch, Cause.FORK)
        for value, out in barriers:
            superstep = 0 if head is None else head.superstep + 1
            cause = Cause.INPUT if head is None else Cause.SUPERSTEP
            head = await self._save(superstep, head, run, branch, cause, value, out)
        assert head is not None
        return head

    async def _save(
        self,
        superstep: int,
        parent: CheckpointHeader | None,
        run: str,
        branch: str,
        cause: Cause,
        value: int = 0,
        out: str = "",
    ) -> CheckpointHeader:
        state = RunState(superstep, (Message(value, "a"),), shared={"value": value})
        # The seconds of no two supersteps are equal.
        trace = Trace(
            outputs=(Output("a", out),) if out else (), seconds=next(self._names)
        )
        return await self.archive.save(
            state,
            trace,
            run_id=run,
            workflow="w",
            cause=cause,
            parent=parent,
            branch=branch,
        )


async def plain_scan(
    archive: Archive, base: CheckpointHeader, other: CheckpointHeader
) -> int | None:
    """The place of the first difference, by comparing whole checkpoints one by one."""
    lines = await two_lines(Side(archive, base), Side(archive, other))
    for place in range(max(len(lines.base), len(lines.other))):
        if place >= lines.shortest:
            return place
        first = await archive.view(lines.base[place].id)
        second = await archive.view(lines.other[place].id)
        changes = compare(first, second)
        if any(change.section != "header" for change in changes):
            return place
        if first.trace.outputs != second.trace.outputs:
            return place
    return None


@given(BARRIERS, BARRIERS, BARRIERS, st.booleans())
async def test_the_first_difference_is_the_first(past, first, second, is_fork) -> None:
    async with opened(lambda: open_store("memory:")) as store:
        archive = Archive(store)
        written = Written(archive)
        if is_fork:
            root = await written.line([(0, ""), *past])
            ends = [await written.line(line, root) for line in (first, second)]
        else:
            ends = [
                await written.line([(0, ""), *past, *line]) for line in (first, second)
            ]
        sides = [Side(archive, end) for end in ends]
        divergence = await diverge(*sides)
        assert divergence.first.place == await plain_scan(archive, *ends)
        assert divergence.first.is_proved
        assert (divergence.reason is None) == (divergence.first.place is None)
        mirrored = await diverge(*reversed(sides))
        assert mirrored.first == divergence.first
        same = await diverge(sides[0], sides[0])
        assert (same.first.place, same.reason) == (None, None)


async def test_without_time_the_rest_is_bisected_and_the_answer_says_so() -> None:
    async with opened(lambda: open_store("memory:")) as store:
        archive = Archive(store)
        written = Written(archive)
        same = [(0, "")] * 300
        ends = [await written.line([*same, *[(value, "")] * 200]) for value in (0, 1)]
        sides = [Side(archive, end) for end in ends]
        lines = await two_lines(*sides)
        times = count()
        search = Search((archive, archive), lines)
        first = await search.first(1, lambda: next(times))
        assert (first.place, first.is_proved) == (300, False)
        assert (await search.first()).place == 300


async def test_a_difference_that_went_away_again_is_found_with_time_only() -> None:
    async with opened(lambda: open_store("memory:")) as store:
        archive = Archive(store)
        written = Written(archive)
        one = [(0, "")] * 500
        other = [*one]
        other[20] = (1, "")
        sides = [Side(archive, await written.line(line)) for line in (one, other)]
        divergence = await diverge(*sides)
        assert divergence.first.place == 20
        assert [row.differences for row in divergence.following][:2] == [0, 0]


async def test_a_damaged_checkpoint_before_it_is_counted(tmp_path) -> None:
    async with opened(lambda: open_store(f"dir:{tmp_path / 'runs'}")) as store:
        archive = Archive(store)
        written = Written(archive)
        ends = [await written.line([(0, ""), (0, ""), (value, "")]) for value in (0, 1)]
        sides = [Side(archive, end) for end in ends]
        lines = await two_lines(*sides)
        (record,) = [
            file
            for file in (tmp_path / "runs").rglob("*")
            if file.is_file() and lines.base[1].id in file.name
        ]
        record.write_bytes(b"no record")
        first = await Search((archive, archive), lines).first()
        assert (first.place, first.unread) == (2, 1)


# --- reasons, told by the host --------------------------------------------------------------------------------------


@pytest.fixture
async def talk(tmp_path):
    async with talking(tmp_path) as talk:
        yield talk


async def finish(talk: Talk, workflow: dict[str, Any], store: str, value: Any = 1):
    """Run a workflow until it rests, and return its last header."""
    await talk.open(workflow, store)
    await talk.body("start", input=value)
    await talk.until("stopped")
    return (await talk.body("timeline")).headers[-1]


async def test_two_runs_with_other_inputs_part_at_the_input(talk, tmp_path) -> None:
    store = f"sqlite:{tmp_path / 'runs.db'}"
    workflow = document([node("a", "inc"), node("b", "inc")], [direct("a", "b")])
    first = await finish(talk, workflow, store, 1)
    second = await finish(talk, workflow, store, 2)
    body = await talk.body("divergence", base=first.id, checkpoint_id=second.id)
    assert (body.equal, body.first_superstep) == (0, 0)
    assert (body.reason.kind, body.reason.executor) == ("input", "a")
    assert (body.reason.base.value.text, body.reason.other.value.text) == ("1", "2")
    assert [row.superstep for row in body.following] == [1, 2, 3]


async def test_an_edited_graph_is_named_with_the_part_that_changed(
    talk, tmp_path
) -> None:
    store = f"sqlite:{tmp_path / 'runs.db'}"
    ends = []
    for function in ("inc", "double"):
        nodes = [node("a", "inc"), node("b", function), node("c", "tick")]
        workflow = document(nodes, [direct("a", "b"), direct("b", "c")])
        ends.append(await finish(talk, workflow, store, 7))
    body = await talk.body("divergence", base=ends[0].id, checkpoint_id=ends[1].id)
    assert (body.equal, body.first_superstep) == (2, 2)
    assert (body.reason.kind, body.reason.executor) == ("graph", "b")
    assert body.reason.text == "B sent"
    assert "node b['params']['function']" in body.reason.note
    assert [change.path for change in body.graph] == ["node b['params']['function']"]


async def test_a_checkpoint_of_the_past_of_the_other_is_no_end(talk, tmp_path) -> None:
    store = f"sqlite:{tmp_path / 'runs.db'}"
    nodes = [node("a", "inc"), node("b", "inc")]
    end = await finish(talk, document(nodes, [direct("a", "b")]), store, 7)
    body = await talk.body("divergence", base=end.parent, checkpoint_id=end.id)
    assert body.reason.text == "A is on the way to B"
    assert body.reason.base.words == f"superstep {end.superstep - 1}"
    assert body.reason.other.words == f"goes on to superstep {end.superstep}"
    body = await talk.body("divergence", base=end.id, checkpoint_id=end.parent)
    assert body.reason.text == "B is on the way to A"


async def test_a_changed_condition_is_named_with_what_the_edge_did(
    talk, tmp_path
) -> None:
    store = f"sqlite:{tmp_path / 'runs.db'}"
    ends = []
    for condition in ("message > 0", "message > 100"):
        workflow = document(
            [node("a", "inc"), node("b", "inc")], [direct("a", "b", condition)]
        )
        ends.append(await finish(talk, workflow, store))
    body = await talk.body("divergence", base=ends[0].id, checkpoint_id=ends[1].id)
    assert (body.reason.kind, body.reason.edge) == ("graph", "ab")
    assert body.reason.text == "The edge A → B"
    assert body.reason.base.words == "delivered"
    assert body.reason.other.words == "dropped: condition false"


async def test_two_answers_part_at_the_answer(talk) -> None:
    asked = await finish(talk, asking(), "memory:")
    ends = []
    for answer in ("yes", "no"):
        await talk.body("restore", checkpoint_id=asked.id)
        await talk.until("stopped")
        await talk.body("answer", answers={"ask:2:0": answer})
        await talk.until("stopped")
        await talk.body("continue")
        await talk.until("stopped")
        ends.append((await talk.body("timeline")).headers[-1])
    body = await talk.body("divergence", base=ends[0].id, checkpoint_id=ends[1].id)
    assert (body.reason.kind, body.reason.executor) == ("answer", "ask")
    assert body.reason.text == "An answer to Ship 2?"
    values = body.reason.base.value.text, body.reason.other.value.text
    assert values == ("'yes'", "'no'")
    unanswered = await talk.body("divergence", base=asked.id, checkpoint_id=ends[0].id)
    assert (unanswered.reason.kind, unanswered.first_base) == ("end", None)
    assert unanswered.reason.base.words == "waits for answers here"


async def test_a_dropped_question_gets_its_reply(talk, tmp_path) -> None:
    end = await finish(talk, asking(), f"sqlite:{tmp_path / 'runs.db'}")
    arguments = {"base": end.id, "checkpoint_id": end.id}
    talk.said.clear()
    for number, command, fields in (
        (901, "divergence", arguments),
        (902, "drop", {"number": 901}),
        (903, "drop", {"number": 901}),
    ):
        talk.host.receive(Command(seq=number, command=command, arguments=fields))
    while sum(isinstance(packet, Reply) for packet in talk.said) < 3:
        talk._news.clear()
        await talk._news.wait()
    replies = {
        packet.request_seq: packet for packet in talk.said if isinstance(packet, Reply)
    }
    assert (replies[901].success, replies[901].error_type) == (False, "Dropped")
    assert replies[902].success
    assert replies[903].success


# --- reasons, made by hand ------------------------------------------------------------------------------------------


def barrier(state: RunState, trace: Trace) -> Snapshot:
    header = CheckpointHeader("id", "run", "w", state.superstep, Cause.SUPERSTEP)
    return Snapshot(header, state, trace, None)


def reason(base: Snapshot, other: Snapshot) -> Reason:
    return reason_of(Both(base, other, base, other), ())


def call(name: str, **effects: Any) -> Invocation:
    return Invocation(name, "go", ("before",), 1, 0.0, 0.1, **effects)


def test_an_edge_that_one_side_took_comes_before_what_its_target_did() -> None:
    taken = Fate("delivered", "a", "b", "ab", case="0")
    other = Fate("delivered", "a", "c", "ac", case="default")
    found = reason(
        barrier(RunState(1), Trace((call("b"),), (taken,))),
        barrier(RunState(1), Trace((call("c"),), (other,))),
    )
    assert (found.kind, found.edge, found.at.executor) == ("edge", "ab", "b")
    words = [outcome.words for outcome in found.outcomes]
    assert words == ["delivered by case 1", "no message came along it"]


def test_the_innermost_executor_is_the_reason() -> None:
    def side(value: int) -> Snapshot:
        inner = RunState(1, shared={"k": value})
        trace = Trace((call("sub"), call("sub#1/deep", wrote=("k",))))
        messages = (Message(value, "sub"),)
        return barrier(RunState(1, messages, children={"sub#1": inner}), trace)

    found = reason(side(1), side(2))
    assert (found.kind, found.at) == ("call", Place(("sub#1",), "deep"))
    assert found.text == "deep wrote k"
    assert [outcome.value for outcome in found.outcomes] == [1, 2]


def test_a_key_of_several_writers_blames_none_of_them() -> None:
    def side(value: int, *names: str) -> Snapshot:
        calls = tuple(call(name, wrote=("k",)) for name in ("a", "b"))
        writes = tuple(Write("k", name) for name in names)
        return barrier(RunState(1, shared={"k": value}), Trace(calls, writes=writes))

    found = reason(side(1, "a", "b"), side(2, "b", "a"))
    assert (found.kind, found.text) == ("order", "Several executors wrote k")
    words = [outcome.words for outcome in found.outcomes]
    assert words == ["a, then b", "b, then a"]


@pytest.mark.parametrize(
    ("base", "other", "text"),
    [
        ((call("a"),), (), "a ran on one side only"),
        ((call("a", error="x"),), (call("a"),), "a failed otherwise"),
    ],
)
def test_what_an_executor_did_is_told(base, other, text) -> None:
    found = reason(
        barrier(RunState(1), Trace(base)), barrier(RunState(1), Trace(other))
    )
    assert (found.kind, found.text) == ("call", text)


def test_a_value_that_no_executor_explains_is_told_by_its_place() -> None:
    found = reason(
        barrier(RunState(1, shared={"k": 1}), Trace()),
        barrier(RunState(1), Trace()),
    )
    assert (found.kind, found.text) == ("value", "state: ['k']")
    assert found.outcomes[1].words == "not there"


def test_equal_barriers_that_came_to_be_in_different_ways_show_both() -> None:
    state = RunState(1)
    edited = CheckpointHeader("id", "run", "w", 1, Cause.EDIT)
    found = reason(barrier(state, Trace()), Snapshot(edited, state, Trace(), None))
    assert found.text == "The checkpoints are of different kinds"
    words = [outcome.words for outcome in found.outcomes]
    assert words == ["superstep, superstep 1", "edit, superstep 1"]
