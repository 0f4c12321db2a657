"""Code of users that misbehaves: whatever it does, the run fails in order, is told why,
and can go on.
"""

import asyncio
from dataclasses import dataclass
from typing import Any

import pytest

from runtime.agent_framework.storages import InMemoryCheckpointStorage
from runtime.edges import Case, Default
from runtime.engine.runner import Runner
from runtime.errors import (
    ConditionError,
    EncodeError,
    WorkflowCheckpointException,
    WorkflowConvergenceException,
    WorkflowException,
)
from runtime.events import RunEvent, WorkflowRunState
from runtime.executors.context import WorkflowContext
from runtime.executors.executor import (
    Executor,
    FunctionExecutor,
    handler,
    response_handler,
)
from runtime.stores.memory import MemoryStore
from runtime.workflow.builder import WorkflowBuilder
from runtime.workflow.sub_workflow import WorkflowExecutor
from tests.runtime.graphs import Sink, Step, react


def leave(_message: Any) -> bool:
    raise SystemExit(3)


async def leave_later(_message: Any) -> bool:
    raise SystemExit(3)


class UnspeakableError(Exception):
    def __str__(self) -> str:
        raise ValueError("no text")


def failing(error: BaseException) -> FunctionExecutor:
    async def fail(_message: Any, _ctx: WorkflowContext[Any, Any]) -> None:
        raise error

    return react("fails", fail)


# --- exits --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("function", [leave, leave_later])
async def test_rule_6_sys_exit_in_a_handler_fails_the_superstep_and_not_the_program(
    function: Any,
) -> None:
    runner = Runner(
        WorkflowBuilder(
            start_executor=FunctionExecutor(function, "leaves", input=Any)
        ).build()
    )
    await runner.start(1)
    with pytest.raises(
        WorkflowException,
        match=r"Handler '.*' of executor 'leaves' called sys.exit\(3\)",
    ):
        await runner.finish()
    assert (runner.status, runner.state.superstep) == (WorkflowRunState.FAILED, 0)


@pytest.mark.parametrize("condition", [leave, leave_later])
async def test_rule_6_sys_exit_in_a_condition_fails_the_superstep(
    condition: Any,
) -> None:
    a = Step("a")
    b = Step("b")
    runner = Runner(WorkflowBuilder(start_executor=a).add_edge(a, b, condition).build())
    await runner.start("x")
    await runner.step()
    with pytest.raises(WorkflowException, match=r"called sys.exit\(3\)"):
        await runner.step()
    assert runner.state.superstep == 1


async def test_rule_6_sys_exit_in_a_hook_fails_the_superstep() -> None:
    class Hooked(Step):
        async def on_checkpoint_save(self) -> dict[str, Any]:
            raise SystemExit(3)

    with pytest.raises(WorkflowCheckpointException, match="SystemExit: 3"):
        await WorkflowBuilder(start_executor=Hooked("a")).build().run("x")


# --- errors that are broken themselves ----------------------------------------------------------------------------


@dataclass(frozen=True)
class UnchangeableError(Exception):
    code: int = 7


class OwnError(BaseException):
    """No `Exception`."""


async def test_rule_6_an_error_that_takes_no_note_reaches_the_caller_and_is_told_with_its_executor() -> (
    None
):
    told: list[RunEvent] = []
    runner = Runner(
        WorkflowBuilder(start_executor=failing(UnchangeableError())).build(),
        observer=told.append,
    )
    await runner.start(1)
    with pytest.raises(UnchangeableError):
        await runner.finish()
    [failed] = [event for event in told if event.kind == "handler_failed"]
    assert (failed.data["executor"], failed.data["error_type"]) == (
        "fails",
        "UnchangeableError",
    )


async def test_rule_6_nor_does_a_condition_need_an_error_that_takes_a_note() -> None:
    def refuse(_message: Any) -> bool:
        raise UnchangeableError

    a = Step("a")
    b = Step("b")
    with pytest.raises(UnchangeableError):
        await WorkflowBuilder(start_executor=a).add_edge(a, b, refuse).build().run("x")


async def test_rule_6_a_stream_raises_the_error_itself_also_one_that_is_no_exception() -> (
    None
):
    workflow = WorkflowBuilder(start_executor=failing(OwnError())).build()
    with pytest.raises(OwnError):
        await workflow.run(1, stream=True).get_final_response()


# --- observers ----------------------------------------------------------------------------------------------------


async def test_rule_33_an_observer_that_raises_a_cancellation_is_detached_and_cancels_nothing() -> (
    None
):
    told: list[str] = []

    def observe(event: RunEvent) -> None:
        told.append(event.kind)
        raise asyncio.CancelledError

    runner = Runner(WorkflowBuilder(start_executor=Sink("a")).build(), observer=observe)
    await runner.start("x")
    assert (await runner.finish(), len(told)) == (WorkflowRunState.IDLE, 1)


def test_rule_33_an_async_observer_is_refused_as_nobody_would_await_it() -> None:
    async def observe(_event: RunEvent) -> None:
        raise AssertionError

    with pytest.raises(TypeError, match="plain function"):
        Runner(WorkflowBuilder(start_executor=Sink("a")).build(), observer=observe)  # type: ignore[arg-type]


# --- errors without a text ----------------------------------------------------------------------------------------


async def test_rule_6_an_error_that_cannot_say_what_it_is_reaches_the_caller_all_the_same() -> (
    None
):
    told: list[RunEvent] = []
    runner = Runner(
        WorkflowBuilder(start_executor=failing(UnspeakableError())).build(),
        observer=told.append,
    )
    await runner.start(1)
    with pytest.raises(UnspeakableError):
        await runner.finish()
    [failed] = [event for event in told if event.kind == "handler_failed"]
    assert failed.data["error_type"] == "UnspeakableError"
    assert "ValueError" in failed.data["error"]


async def test_rule_6_an_error_that_is_no_exception_is_told_with_its_executor() -> None:
    class Abort(BaseException):
        pass

    told: list[RunEvent] = []
    runner = Runner(
        WorkflowBuilder(start_executor=failing(Abort("now"))).build(),
        observer=told.append,
    )
    await runner.start(1)
    with pytest.raises(Abort):
        await runner.finish()
    assert [
        event.data["executor"] for event in told if event.kind == "handler_failed"
    ] == ["fails"]


# --- cancellation -------------------------------------------------------------------------------------------------


async def test_rule_9_a_handler_that_keeps_a_cancellation_to_itself_does_not_keep_the_run_alive() -> (
    None
):
    async def deaf(message: Any, ctx: WorkflowContext[Any, Any]) -> None:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            await ctx.send_message(message)

    after = Sink("after")
    before = react("deaf", deaf)
    workflow = WorkflowBuilder(start_executor=before).add_edge(before, after).build()
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.01):
            await workflow.run(1)
    assert after.seen == []


async def test_rule_9_a_cancellation_of_long_ago_does_not_cancel_a_run() -> None:
    """The caller was cancelled once and went on: that says nothing about the run that
    it begins now.
    """
    task = asyncio.current_task()
    assert task is not None
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.sleep(0)
    try:
        assert (
            await WorkflowBuilder(start_executor=Sink("a")).build().run(1)
        ).get_outputs() == [1]
        with pytest.raises(WorkflowException, match="nobody cancelled"):
            await (
                WorkflowBuilder(start_executor=failing(asyncio.CancelledError()))
                .build()
                .run(1)
            )
    finally:
        task.uncancel()


# --- conditions ---------------------------------------------------------------------------------------------------


async def yes(_message: Any) -> bool:
    return True


@pytest.mark.parametrize("kind", ["switch", "selection"])
async def test_rule_14_an_async_predicate_is_refused_where_it_would_always_be_true(
    kind: str,
) -> None:
    a = Step("a")
    b = Sink("b")
    c = Sink("c")
    builder = WorkflowBuilder(start_executor=a)
    if kind == "switch":
        builder.add_switch_case_edge_group(a, [Case(yes, b), Default(c)])  # type: ignore[arg-type]
    else:
        builder.add_multi_selection_edge_group(a, [b, c], lambda data, _ids: yes(data))  # type: ignore[arg-type,return-value]
    with pytest.raises(ConditionError, match="plain function"):
        await builder.build().run("x")
    assert (b.seen, c.seen) == ([], [])


async def test_no_async_condition_is_left_behind() -> None:
    """A coroutine that nobody awaits is a warning, which fails the test."""

    async def broken(_message: Any) -> bool:
        raise KeyError("x")

    a = Step("a")
    b = Sink("b")
    c = Sink("c")
    with pytest.raises(KeyError):
        await (
            WorkflowBuilder(start_executor=a)
            .add_edge(a, b, broken)
            .add_edge(a, c, yes)
            .build()
            .run("x")
        )
    with pytest.raises(WorkflowConvergenceException):
        await (
            WorkflowBuilder(max_iterations=1, start_executor=a)
            .add_edge(a, b, yes)
            .build()
            .run("x")
        )


async def test_rule_14_a_preview_and_other_conditions_ask_no_switch_and_no_selection_twice() -> (
    None
):
    asked: list[str] = []

    def pick(_message: Any) -> bool:
        asked.append("case")
        return True

    def select(_message: Any, ids: list[str]) -> list[str]:
        asked.append("selection")
        return ids

    a, b, c, d, e, f = (Step("a"), *map(Sink, "bcdef"))
    workflow = (
        WorkflowBuilder(start_executor=a)
        .add_switch_case_edge_group(a, [Case(pick, b), Default(c)])
        .add_multi_selection_edge_group(a, [d, e], select)
        .add_edge(a, f, yes)
        .build()
    )
    runner = Runner(workflow)
    await runner.start("x")
    await runner.step()
    runner.preview()
    runner.preview()
    await runner.finish()
    assert asked == ["case", "selection"]
    assert [one.seen for one in (b, c, d, e, f)] == [["xa"], [], ["xa"], ["xa"], ["xa"]]


class Taking(Executor):
    """A plain function that takes from an iterator."""

    def __init__(self, id: str, items: list[int]) -> None:
        super().__init__(id)
        self.items = iter(items)

    @handler
    def take(self, message: int, ctx: WorkflowContext[int, int]) -> None:
        ctx.yield_output(message + next(self.items))


async def test_running_out_of_items_in_a_plain_function_fails_and_does_not_hang() -> (
    None
):
    with pytest.raises(RuntimeError, match="StopIteration"):
        async with asyncio.timeout(30):
            await WorkflowBuilder(start_executor=Taking("a", [])).build().run(1)


# --- names that a subclass uses for itself ------------------------------------------------------------------------


class Namesake(Executor):
    """Has attributes of its own under every name that lies near."""

    def __init__(self, id: str) -> None:
        super().__init__(id)
        self.lock = asyncio.Lock()
        self.loaded = False
        self.pristine = "yes"
        self.handlers = {"a": 1}
        self.turns = 0
        self.workflow = WorkflowBuilder(start_executor=Sink("inner")).build()

    @handler
    async def ask(self, message: str, ctx: WorkflowContext[Any, Any]) -> None:
        async with self.lock:
            await ctx.request_info(message, str)

    @response_handler
    async def take(
        self, question: str, answer: str, ctx: WorkflowContext[Any, Any]
    ) -> None:
        self.turns += 1
        await ctx.yield_output(
            (question, answer, self.turns, self.loaded, self.pristine, self.handlers)
        )
        self.loaded = True

    async def on_checkpoint_save(self) -> dict[str, Any]:
        return {"turns": self.turns, "loaded": self.loaded}

    async def on_checkpoint_restore(self, state: dict[str, Any]) -> None:
        self.turns = state["turns"]
        self.loaded = state["loaded"]


async def test_attributes_of_a_subclass_and_of_the_engine_do_not_meet() -> None:
    store = MemoryStore()
    workflow = WorkflowBuilder(
        start_executor=Namesake("a"), checkpoint_storage=store
    ).build()
    async with asyncio.timeout(30):
        asked = await workflow.run("why")
        [request] = asked.get_request_info_events()
        result = await workflow.run(responses={request.request_id: "so"})
    assert result.get_outputs() == [("why", "so", 1, False, "yes", {"a": 1})]
    again = WorkflowBuilder(
        start_executor=Namesake("a"), checkpoint_storage=store
    ).build()
    latest = await store.latest()
    assert latest is not None
    await again.run(checkpoint_id=latest.id)
    assert again.status is WorkflowRunState.IDLE


# --- names that cannot be saved -----------------------------------------------------------------------------------


async def test_rule_10_an_id_that_is_no_proper_text_is_named_when_it_cannot_be_saved() -> (
    None
):
    workflow = WorkflowBuilder(
        start_executor=Sink("a\ud800"), checkpoint_storage=MemoryStore()
    ).build()
    with pytest.raises(EncodeError, match=r"a\\ud800': a name holds a lone surrogate"):
        await workflow.run("x")


# --- what is no function ------------------------------------------------------------------------------------------


async def add_later(one: int, other: int) -> int:
    return one + other


@pytest.mark.parametrize("reducer", [add_later, 5])
def test_rule_19_a_reducer_that_is_no_plain_function_is_refused_when_the_workflow_is_built(
    reducer: Any,
) -> None:
    with pytest.raises(
        TypeError, match="reducer of state key 'sum' must be a plain function"
    ):
        WorkflowBuilder(start_executor=Sink("a"), reducers={"sum": reducer}).build()


def test_rule_20_a_reducer_for_a_key_that_nobody_can_write_is_refused() -> None:
    with pytest.raises(ValueError, match="begins with '_'"):
        WorkflowBuilder(start_executor=Sink("a"), reducers={"_sum": max}).build()


def test_a_condition_that_is_no_function_is_refused_when_the_edge_is_made() -> None:
    a = Step("a")
    b = Step("b")
    c = Step("c")
    with pytest.raises(TypeError, match="condition of an edge is a function"):
        WorkflowBuilder(start_executor=a).add_edge(a, b, condition=5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="condition of a case is a function"):
        WorkflowBuilder(start_executor=a).add_switch_case_edge_group(
            a, [Case("x", b), Default(c)]
        )  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="selection of a multi-selection is a function"):
        WorkflowBuilder(start_executor=a).add_multi_selection_edge_group(a, [b, c], "x")  # type: ignore[arg-type]


def test_a_sub_workflow_that_is_not_built_is_refused_by_name() -> None:
    with pytest.raises(TypeError, match="runs a Workflow, not a WorkflowBuilder"):
        WorkflowExecutor(WorkflowBuilder(start_executor=Sink("a")), "sub")  # type: ignore[arg-type]


async def test_rule_23_responses_without_ids_are_refused() -> None:
    with pytest.raises(
        TypeError, match="responses maps request ids to answers; got list"
    ):
        await WorkflowBuilder(start_executor=Sink("a")).build().run(responses=["yes"])  # type: ignore[call-overload]


async def test_a_request_id_that_is_no_text_is_refused_when_asked() -> None:
    class Numbering(Namesake):
        @handler
        async def ask(self, message: str, ctx: WorkflowContext[Any, Any]) -> None:
            await ctx.request_info(message, str, request_id=5)  # type: ignore[arg-type]

    with pytest.raises(TypeError, match="id of a request is text, not int"):
        await WorkflowBuilder(start_executor=Numbering("a")).build().run("x")


async def test_a_runner_takes_what_a_workflow_takes_as_its_storage() -> None:
    storage = InMemoryCheckpointStorage()
    runner = Runner(WorkflowBuilder(start_executor=Sink("a")).build(), storage)
    await runner.start("x")
    await runner.finish()
    assert len(await storage.list_checkpoint_ids(workflow_name="workflow")) == 2
    with pytest.raises(TypeError, match="checkpoint_storage is a store of open_store"):
        Runner(runner.workflow, "memory:")  # type: ignore[arg-type]
