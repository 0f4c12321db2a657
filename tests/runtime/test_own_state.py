"""Rules 13, 19, 20, 21 and 32: whose values are whose, what conflicts, and what becomes
of attributes behind hooks.
"""

from __future__ import annotations

import asyncio
import copy
import operator
import random
import socket
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import pytest

from runtime.checkpoints.archive import Archive
from runtime.engine.runner import Runner
from runtime.errors import (
    StateConflictError,
    WorkflowCheckpointException,
    WorkflowException,
)
from runtime.events import WorkflowEvent, engine_event, lent_event
from runtime.executors.executor import (
    Executor,
    WorkflowContext,
    handler,
    response_handler,
)
from runtime.stores.memory import MemoryStore
from runtime.workflow.builder import WorkflowBuilder
from runtime.workflow.sub_workflow import WorkflowExecutor
from runtime.workflow.workflow import Workflow
from tests.runtime.graphs import Collect, Sink, react
from tests.runtime.test_runner import passing

Ctx = WorkflowContext[Any, Any]


async def finished(workflow: Workflow, message: Any = 1, **options: Any) -> Runner:
    runner = Runner(workflow, **options)
    await runner.start(message)
    await runner.finish()
    return runner


def writing(*bodies: Callable[..., Any], **options: Any) -> Workflow:
    """`a` passes on to `b`, `c`, … which do each what is given."""
    a = react("a", passing)
    builder = WorkflowBuilder(start_executor=a, **options)
    for id, body in zip("bcdefgh", bodies, strict=False):
        builder.add_edge(a, react(id, body))
    return builder.build()


# --- rule 13 ----------------------------------------------------------------------------------------------------------


@dataclass
class Note:
    tags: list[str] = field(default_factory=list)


class Keeping(Executor):
    """Keeps what it gets, as it gets it, and passes it on."""

    def __init__(self, id: str) -> None:
        super().__init__(id)
        self.seen: list[Any] = []

    @handler
    async def take(self, message: Any, ctx: Ctx) -> None:
        self.seen.append(message)
        await ctx.send_message(message)
        await ctx.yield_output(message)


async def test_rule_13_nobody_holds_what_another_one_holds_whatever_way_it_came():
    """By a plain edge, a fan-out, a join, a sub-workflow, as an output, and from
    whoever started the run.
    """
    inside = Keeping("i")
    a = Keeping("a")
    b = Keeping("b")
    c = Keeping("c")
    j = Collect("j")
    child = WorkflowExecutor(WorkflowBuilder(start_executor=inside).build(), "child")
    builder = (
        WorkflowBuilder(start_executor=a)
        .add_fan_out_edges(a, [b, c, child])
        .add_fan_in_edges([b, c], j)
    )
    given = Note(["x"])
    result = await builder.build().run(given)
    outputs = result.get_outputs()
    joined = next(value for value in outputs if isinstance(value, list))
    invoked = [
        event.data
        for event in result
        if event.type == "executor_invoked" and event.executor_id != "j"
    ]
    held = [
        given,
        *(one.seen[0] for one in (a, b, c, inside)),
        *j.seen[0],
        *joined,
        *invoked,
    ]
    held += [value for value in outputs if isinstance(value, Note)]
    assert all(note == Note(["x"]) for note in held)
    assert len({id(note) for note in held}) == len(held) >= 13
    assert len({id(note.tags) for note in held}) == len(held)


async def test_rule_13_immutable_values_are_shared():
    value = (1, ("two", frozenset({3})))
    b = Keeping("b")
    c = Keeping("c")
    a = react("a", passing)
    await (
        WorkflowBuilder(start_executor=a)
        .add_fan_out_edges(a, [b, c])
        .build()
        .run(value)
    )
    assert b.seen[0] is c.seen[0] is value


async def test_rule_13_what_an_event_tells_is_the_readers_own_whenever_it_is_read():
    """An event is copied from what the engine goes on with when it is read first: by
    then all others have worked.
    """

    async def change(message: list[int], ctx: Ctx) -> None:
        message.append(2)
        await ctx.send_message(message)
        message.append(3)
        ctx.get_sent_messages()[0].append(4)
        await ctx.yield_output(message)
        ctx.get_yielded_outputs()[0].append(5)

    async def look(message: list[int], ctx: Ctx) -> None:
        message.append(9)

    a = react("a", change, input=list[int])
    b = react("b", look, input=list[int])
    workflow = WorkflowBuilder(start_executor=a).add_edge(a, b).build()
    events = [
        event
        async for event in workflow.run([1], stream=True)
        if event.executor_id is not None
    ]
    told = [(one.type, one.data) for one in events]
    assert told == [
        ("executor_invoked", [1]),
        ("output", [1, 2, 3]),
        ("executor_completed", [[1, 2], [1, 2, 3]]),
        ("executor_invoked", [1, 2]),
        ("executor_completed", None),
    ]
    told[0][1].append("changed by the caller")
    told[1][1].append("changed by the caller")
    assert all(
        event.data is data for event, (_, data) in zip(events, told, strict=True)
    )
    assert told[2][1] == [[1, 2], [1, 2, 3]]


async def test_rule_13_a_second_try_gets_what_came_whatever_was_done_to_the_event_that_told_of_it():
    seen: list[list[int]] = []

    async def fail_once(message: list[int], ctx: Ctx) -> None:
        seen.append(message)
        message.append(len(seen))
        if len(seen) == 1:
            raise OSError("once")

    workflow = WorkflowBuilder(
        start_executor=react("a", fail_once, input=list[int])
    ).build()
    stream = workflow.run([0], stream=True)
    with pytest.raises(OSError, match="once"):
        await stream.get_final_response()
    [invoked] = [one for one in stream.updates if one.type == "executor_invoked"]
    invoked.data.append("changed by the caller")
    await workflow.resume()
    assert seen == [[0, 1], [0, 2]]


class Counted:
    """Counts the copies made of it."""

    copies = 0

    def __deepcopy__(self, memo: Any) -> Counted:
        Counted.copies += 1
        return self  # so that it is one object all the way


async def test_an_event_that_nobody_reads_costs_no_copy():
    Counted.copies = 0
    a = Keeping("a")
    b = Keeping("b")
    result = (
        await WorkflowBuilder(start_executor=a, output_from=[b])
        .add_edge(a, b)
        .build()
        .run(Counted())
    )
    unread = Counted.copies
    read = [event.data for event in result]
    assert len(read) == len(result)
    assert unread == 1 + 2 * 3  # the input; what each is given, sends and yields
    # inputs, what each made (one object), the output
    assert Counted.copies - unread == 2 + 2 + 1


class Meeting:
    """Its copies are not done before two have been begun."""

    def __init__(self) -> None:
        self.both = threading.Barrier(2)

    def __deepcopy__(self, memo: Any) -> list[str]:
        self.both.wait(30)
        return ["copy"]


def test_rule_13_two_threads_that_read_an_event_first_at_the_same_time_get_one_copy():
    event = lent_event("output", Meeting(), "a")
    with ThreadPoolExecutor(2) as pool:
        one, other = pool.map(lambda _: event.data, range(2))
    assert one is other is event.data
    assert one == ["copy"]


def test_an_event_is_no_other_one_for_being_lent_its_data():
    value = [1]
    lent = lent_event("output", value, "a")
    given = engine_event("output", [1], "a")
    assert copy.copy(lent).data == copy.deepcopy(lent).data == [1]
    assert repr(lent) == repr(given)
    assert lent.data is lent.data is not value
    lent.data = "other"
    assert lent.data == "other"
    unread = lent_event("output", value, "a")
    unread.data = "other"
    assert unread.data == "other"
    with pytest.raises(
        AttributeError, match="'WorkflowEvent' object has no attribute 'date'"
    ):
        unread.date  # noqa: B018
    with pytest.raises(AttributeError, match="data"):
        object.__new__(WorkflowEvent).data  # noqa: B018


class Asking(Executor):
    def __init__(self) -> None:
        super().__init__("ask")
        self.question = Note(["q"])

    @handler
    async def take(self, message: Any, ctx: Ctx) -> None:
        await ctx.request_info(self.question, list[str])
        self.question.tags.append("changed by the asker")

    @response_handler
    async def hear(self, original_request: Note, response: list[str], ctx: Ctx) -> None:
        original_request.tags.append("changed by the hearer")
        response.append("changed")
        await ctx.yield_output(original_request)


async def test_rule_13_questions_and_answers_are_nobody_elses_either():
    workflow = WorkflowBuilder(start_executor=Asking()).build()
    [event] = (await workflow.run(1)).get_request_info_events()
    assert event.data == Note(["q"])
    event.data.tags.append("changed by the caller")
    answer = ["yes"]
    result = await workflow.run(responses={event.request_id: answer})
    assert result.get_outputs() == [Note(["q", "changed by the hearer"])]
    assert answer == ["yes"]


async def test_case_52_the_event_of_an_invocation_shows_the_input_as_it_came():
    async def change(message: list[int], ctx: Ctx) -> None:
        message.append(2)
        await ctx.send_message(message)
        message.append(3)

    given = [1]
    a = react("a", change, input=list[int])
    b = react("b", change, input=list[int])
    result = await WorkflowBuilder(start_executor=a).add_edge(a, b).build().run(given)
    told = [(event.type, event.data) for event in result if event.executor_id]
    assert told == [
        ("executor_invoked", [1]),
        ("executor_completed", [[1, 2]]),
        ("executor_invoked", [1, 2]),
        ("executor_completed", [[1, 2, 2]]),
    ]
    assert given == [1]


# --- rule 32 ----------------------------------------------------------------------------------------------------------


def numbers() -> Iterator[int]:
    yield 1


PAYLOADS: dict[str, Callable[[], Any]] = {
    "closure": lambda: lambda count=[1]: count,
    "lock": threading.Lock,
    "event of asyncio": asyncio.Event,
    "generator": numbers,
    "thread": threading.Thread,
    "socket": socket.socket,
    "unknown class": type("Unknown", (), {"__slots__": ()}),
}


@pytest.mark.parametrize("what", list(PAYLOADS))
async def test_rule_32_without_a_store_anything_may_be_sent_kept_asked_and_yielded(
    what: str,
):
    value = PAYLOADS[what]()

    async def keep(message: Any, ctx: Ctx) -> None:
        ctx.set_state("k", message)
        ctx.executor_state["k"] = message
        await ctx.send_message({"inside": [message]})
        await ctx.yield_output(message)

    a = react("a", keep)
    b = Keeping("b")
    c = Keeping("c")
    j = Collect("j")
    builder = (
        WorkflowBuilder(start_executor=a)
        .add_fan_out_edges(a, [b, c])
        .add_fan_in_edges([b, c], j)
    )
    runner = await finished(builder.build(), value)
    assert len(j.seen[0]) == 2
    if what == "unknown class":
        assert type(runner.state.shared["k"]) is type(value)
    else:
        # It cannot be copied, or would be nothing as a copy; the list around it is
        # copied all the same.
        assert (
            runner.state.shared["k"]
            is b.seen[0]["inside"][0]
            is c.seen[0]["inside"][0]
            is value
        )
    assert b.seen[0]["inside"] is not c.seen[0]["inside"]
    if isinstance(value, socket.socket):
        value.close()


# --- rule 19 ----------------------------------------------------------------------------------------------------------


def write(key: str, value: Any) -> Callable[..., Any]:
    async def body(_message: Any, ctx: Ctx) -> None:
        for _ in range(random.randrange(4)):  # noqa: S311 - delays of a test
            await asyncio.sleep(0)
        ctx.set_state(key, value)

    return body


async def test_case_43_a_conflict_is_the_same_on_every_run():
    """Whoever of the three writes first in time: the error names the first two in the
    order of the definition.
    """
    for _ in range(100):
        with pytest.raises(StateConflictError) as caught:
            await finished(writing(write("k", 1), write("k", 2), write("k", 3)))
        assert (caught.value.key, caught.value.first, caught.value.second) == (
            "k",
            "b",
            "c",
        )


async def test_case_43_so_is_the_outcome_where_the_last_wins_or_a_reducer_decides():
    for _ in range(100):
        last = await finished(
            writing(write("k", 1), write("k", 2), write("k", 3), state_conflicts="last")
        )
        assert last.state.shared == {"k": 3}
        log = await finished(
            writing(
                write("k", [1]),
                write("k", [2]),
                write("k", [3]),
                reducers={"k": operator.add},
            )
        )
        assert log.state.shared == {"k": [1, 2, 3]}


async def test_case_43_equal_writes_of_two_executors_are_no_conflict():
    runner = await finished(writing(write("k", {"n": [1]}), write("k", {"n": [1]})))
    assert runner.state.shared == {"k": {"n": [1]}}


async def test_rule_19_what_is_read_and_what_was_written_is_the_handlers_own():
    written = {"n": [1]}

    async def work(_message: Any, ctx: Ctx) -> None:
        ctx.set_state("k", written)
        ctx.get_state("k")["n"].append("read back")
        written["n"].append("after the write")
        ctx.get_state("old")["n"].append("read from the barrier")
        ctx.executor_state["kept"] = written
        written["n"].append("after that")

    async def first(message: Any, ctx: Ctx) -> None:
        ctx.set_state("old", {"n": [0]})
        await ctx.send_message(message)

    a = react("a", first)
    b = react("b", work)
    runner = await finished(WorkflowBuilder(start_executor=a).add_edge(a, b).build())
    assert runner.state.shared == {"k": {"n": [1]}, "old": {"n": [0]}}
    runner.state.executors["b"].state["kept"]["n"].clear()
    assert written["n"] == [1, "after the write", "after that"]


async def test_rule_19_a_deleted_key_is_gone_for_its_deleter_at_once_and_for_others_from_the_next_superstep():
    seen: dict[str, Any] = {}

    async def first(message: Any, ctx: Ctx) -> None:
        ctx.set_state("k", 1)
        await ctx.send_message(message)

    async def delete(message: Any, ctx: Ctx) -> None:
        ctx.delete_state("k")
        seen["deleter"] = (
            ctx.get_state("k", "gone"),
            ctx.state.has("k"),
            list(ctx.state),
        )
        with pytest.raises(KeyError):
            ctx.delete_state("k")
        await ctx.send_message(message)

    async def read(_message: Any, ctx: Ctx) -> None:
        seen.setdefault(ctx.executor_id, ctx.get_state("k", "gone"))

    a = react("a", first)
    b = react("b", delete)
    c = react("c", read)
    d = react("d", read)
    runner = await finished(
        WorkflowBuilder(start_executor=a)
        .add_fan_out_edges(a, [b, c])
        .add_edge(b, d)
        .build()
    )
    assert seen == {"deleter": ("gone", False, []), "c": 1, "d": "gone"}
    assert runner.state.shared == {}


async def test_rule_19_deleting_together_is_no_conflict_and_a_key_can_be_written_again():
    async def first(message: Any, ctx: Ctx) -> None:
        ctx.set_state("k", 1)
        ctx.set_state("l", 1)
        await ctx.send_message(message)

    async def delete(_message: Any, ctx: Ctx) -> None:
        ctx.delete_state("k")
        ctx.delete_state("l")
        ctx.set_state("l", 2)

    a = react("a", first)
    b = react("b", delete)
    c = react("c", delete)
    runner = await finished(
        WorkflowBuilder(start_executor=a).add_fan_out_edges(a, [b, c]).build()
    )
    assert runner.state.shared == {"l": 2}


async def test_rule_19_contributions_are_seen_by_their_executor_and_combined_at_the_barrier():
    seen: list[Any] = []

    async def add(message: int, ctx: Ctx) -> None:
        ctx.set_state("log", [message])
        ctx.set_state("log", [message + 1])
        seen.append(ctx.get_state("log"))
        with pytest.raises(WorkflowException, match="reducer"):
            ctx.delete_state("log")
        if message < 20:
            await ctx.send_message(message + 10)

    a = react("a", add, input=int)
    workflow = (
        WorkflowBuilder(start_executor=a, reducers={"log": operator.add})
        .add_edge(a, a)
        .build()
    )
    runner = await finished(workflow, 10)
    assert seen == [[10, 11], [10, 11, 20, 21]]
    assert runner.state.shared == {"log": [10, 11, 20, 21]}


async def test_rule_19_a_reducer_that_raises_at_the_barrier_names_the_key_and_leaves_the_last_one():
    def reduce(_old: Any, _new: Any) -> Any:
        raise ZeroDivisionError("no way")

    runner = Runner(writing(write("k", 1), write("k", 2), reducers={"k": reduce}))
    await runner.start(1)
    await runner.step()
    before = runner.state
    with pytest.raises(ZeroDivisionError) as caught:
        await runner.step()
    assert caught.value.__notes__ == [
        "in the reducer of state key 'k', for what executor 'c' contributed"
    ]
    assert runner.state is before


async def test_rule_19_what_a_reducer_keeps_for_itself_is_not_the_state():
    kept: list[Any] = []

    def reduce(_old: Any, new: Any) -> Any:
        kept.append(new)
        return kept

    runner = await finished(
        writing(write("k", 1), write("k", 2), reducers={"k": reduce})
    )
    kept.append("later")
    assert runner.state.shared == {"k": [2]}


async def test_rule_19_a_conflict_leaves_the_barrier_and_the_superstep_can_be_tried_again():
    values = {"b": 1, "c": 2}

    async def body(_message: Any, ctx: Ctx) -> None:
        ctx.set_state("k", values[ctx.executor_id])

    runner = Runner(writing(body, body))
    await runner.start(1)
    with pytest.raises(StateConflictError):
        await runner.finish()
    values["c"] = 1
    await runner.finish()
    assert runner.state.shared == {"k": 1}


@pytest.mark.parametrize("key", [1, None, ("k",), b"k"])
async def test_rule_20_a_key_that_is_no_text_is_refused(key: Any):
    with pytest.raises(TypeError, match="is text"):
        await finished(writing(write(key, 1)))


async def test_case_9_state_of_a_cancelled_superstep_is_not_there_in_the_next_run():
    inside = asyncio.Event()
    broken = [True]

    async def work(_message: Any, ctx: Ctx) -> None:
        if broken:
            ctx.set_state("k", 1)
            ctx.executor_state["k"] = 1
            inside.set()
            await asyncio.Event().wait()
        await ctx.yield_output((ctx.get_state("k", "absent"), ctx.executor_state))

    workflow = WorkflowBuilder(start_executor=react("a", work)).build()
    async with asyncio.TaskGroup() as group:
        task = group.create_task(workflow.run("x"))  # type: ignore[arg-type]
        await inside.wait()
        task.cancel()
    broken.clear()
    workflow.reset()
    assert (await workflow.run("x")).get_outputs() == [("absent", {})]


# --- rule 21 ----------------------------------------------------------------------------------------------------------


class Hooked(Executor):
    """Counts in an attribute; notes each call of a hook."""

    def __init__(self, id: str) -> None:
        super().__init__(id)
        self.n = 0
        self.calls = []
        self.refuse = False

    @handler
    async def take(self, message: Any, ctx: Ctx) -> None:
        self.n += 1
        await ctx.send_message(message)

    async def on_checkpoint_save(self) -> dict[str, Any]:
        self.calls.append("save")
        return {"n": self.n}

    async def on_checkpoint_restore(self, state: dict[str, Any]) -> None:
        self.calls.append("restore")
        if self.refuse:
            raise ValueError("cannot")
        self.n = state.pop("n")


def hooked_chain() -> tuple[Workflow, Hooked, Hooked]:
    one = Hooked("one")
    two = Hooked("two")
    return WorkflowBuilder(start_executor=one).add_edge(one, two).build(), one, two


async def test_rule_21_only_who_ran_in_the_superstep_is_asked_for_its_state():
    workflow, one, two = hooked_chain()
    runner = Runner(workflow)
    await runner.start("x")
    await runner.step()
    # what it is at first, and what it came to
    assert (one.calls, two.calls) == (["save", "save"], [])
    await runner.step()
    assert (one.calls, two.calls) == (["save", "save"], ["save", "save"])
    assert {id: record.state for id, record in runner.state.executors.items()} == {
        "one": {"n": 1},
        "two": {"n": 1},
    }


async def test_rule_21_looking_at_a_checkpoint_calls_no_hook_and_a_restore_calls_it_once_before_the_invocation():
    store = MemoryStore()
    workflow, one, two = hooked_chain()
    runner = await finished(workflow, "x", store=store)
    one.calls.clear()
    two.calls.clear()
    headers = await store.headers()
    for header in headers:
        await Archive(store).load(header.id)
        await Archive(store).view(header.id)
    await runner.restore(headers[0].id)
    await runner.restore(headers[1].id)
    runner.preview()
    assert (one.calls, two.calls) == ([], [])
    await runner.finish()
    # `one` does not run any more
    assert (one.calls, two.calls) == ([], ["restore", "save"])
    assert two.n == 1


async def test_rule_21_a_sibling_that_ended_well_rolls_back_too():
    broken = [True]

    async def fail(_message: Any, _ctx: Ctx) -> None:
        for _ in range(5):
            await asyncio.sleep(0)
        if broken:
            raise KeyError("the reason")

    a = react("a", passing)
    hooked = Hooked("h")
    bad = react("z", fail)
    runner = Runner(
        WorkflowBuilder(start_executor=a).add_fan_out_edges(a, [hooked, bad]).build()
    )
    await runner.start("x")
    with pytest.raises(KeyError):
        await runner.finish()
    assert hooked.n == 1
    broken.clear()
    await runner.finish()
    assert (hooked.n, runner.state.executors["h"].state) == (1, {"n": 1})
    assert hooked.calls.count("restore") == 1


async def test_rule_21_a_restore_hook_that_raises_fails_the_superstep_and_is_asked_again():
    store = MemoryStore()
    workflow, one, _ = hooked_chain()
    runner = await finished(workflow, "x", store=store)
    await runner.restore((await store.headers())[0].id)
    before = runner.state
    one.refuse = True
    with pytest.raises(
        WorkflowCheckpointException,
        match="Executor one on_checkpoint_restore failed: ValueError",
    ):
        await runner.step()
    assert runner.state is before
    one.refuse = False
    await runner.finish()
    assert one.n == 1


@pytest.mark.parametrize("saved", [[1], None, {1: 2}, "text"])
async def test_rule_21_what_is_saved_must_be_a_dict_with_text_keys(saved: Any):
    class Wrong(Hooked):
        async def on_checkpoint_save(self) -> Any:
            return saved

    runner = Runner(WorkflowBuilder(start_executor=Wrong("w")).build())
    await runner.start("x")
    with pytest.raises(
        WorkflowCheckpointException,
        match="executor 'w' must return a dict with text keys",
    ):
        await runner.step()
    assert runner.state.superstep == 0


async def test_rule_21_so_must_the_record_of_a_context():
    async def work(_message: Any, ctx: Ctx) -> None:
        ctx.executor_state[1] = 2  # type: ignore[index]

    runner = Runner(WorkflowBuilder(start_executor=react("a", work)).build())
    await runner.start("x")
    with pytest.raises(
        WorkflowCheckpointException,
        match=r"ctx.executor_state of executor 'a' must be a dict",
    ):
        await runner.step()


async def test_rule_21_a_record_is_either_that_of_the_hooks_or_that_of_the_context():
    class Both(Hooked):
        @handler
        async def text(self, message: str, ctx: Ctx) -> None:
            ctx.executor_state["n"] = 1

    with pytest.raises(WorkflowException, match="use either these or"):
        await WorkflowBuilder(start_executor=Both("b")).build().run("x")


async def test_rule_21_what_a_hook_returned_is_not_the_record_itself():
    class Sharing(Sink):
        data: dict[str, Any] = {"items": [1]}

        async def on_checkpoint_save(self) -> dict[str, Any]:
            return self.data

        async def on_checkpoint_restore(self, state: dict[str, Any]) -> None:
            self.data = state

    one = Sharing("s")
    runner = await finished(WorkflowBuilder(start_executor=one).build())
    one.data["items"].append("later")
    assert runner.state.executors["s"].state == {"items": [1]}


async def test_rule_21_many_runs_of_one_child_have_each_its_own_attributes():
    inner = Hooked("i")
    child = WorkflowExecutor(
        WorkflowBuilder(start_executor=inner).add_edge(inner, inner).build(), "child"
    )

    async def twice(_message: Any, ctx: Ctx) -> None:
        await ctx.send_message("x")
        await ctx.send_message("y")

    a = react("a", twice)
    runner = Runner(WorkflowBuilder(start_executor=a).add_edge(a, child).build())
    await runner.start(1)
    for _ in range(5):
        await runner.step()
    counts = [run.executors["i"].state for run in runner.state.children.values()]
    assert counts == [{"n": 3}, {"n": 3}]
