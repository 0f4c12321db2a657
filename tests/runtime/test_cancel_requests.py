"""Questions that are given up, and where to come back to for those that are not (AF-37,
rules 23 and 24).
"""

from __future__ import annotations

from typing import Any

import pytest

from runtime import (
    Executor,
    InMemoryCheckpointStorage,
    Workflow,
    WorkflowBuilder,
    WorkflowContext,
    WorkflowExecutor,
    handler,
    response_handler,
)
from runtime.checkpoint import Cause
from runtime.engine.runner import Runner
from runtime.errors import RequestError
from runtime.events import RunEvent, RunEventKind, WorkflowRunState
from tests.runtime.graphs import Sink, react
from tests.runtime.test_requests import Asker, Verdict, asking

FIRST = "ask:1:0"
SECOND = "ask:1:1"


def kept() -> tuple[Workflow, InMemoryCheckpointStorage]:
    storage = InMemoryCheckpointStorage()
    return WorkflowBuilder(
        start_executor=Asker(), name="asking", checkpoint_storage=storage
    ).build(), storage


async def test_what_is_cancelled_is_asked_no_more_and_the_rest_stays_open():
    workflow = asking()
    await workflow.run("circle square")
    result = await workflow.cancel_pending_requests([FIRST])
    assert result.get_final_state() is WorkflowRunState.IDLE_WITH_PENDING_REQUESTS
    with pytest.raises(RequestError, match="cancelled") as refused:
        await workflow.run(responses={FIRST: Verdict(True)})
    assert refused.value.request_id == FIRST
    assert (
        await workflow.run(responses={SECOND: Verdict(True)})
    ).get_final_state() is WorkflowRunState.IDLE


async def test_when_all_are_cancelled_the_run_is_at_rest():
    workflow = asking()
    await workflow.run("circle square")
    with pytest.raises(
        RequestError, match="Cannot cancel unknown request ID: 'nobody'"
    ):
        await workflow.cancel_pending_requests(["nobody"])
    assert (
        await workflow.cancel_pending_requests({FIRST, SECOND})
    ).get_final_state() is WorkflowRunState.IDLE


@pytest.mark.parametrize(
    ("ids", "error"),
    [([FIRST, "nobody"], RequestError), ([""], ValueError), ([FIRST, 1], ValueError)],
)
async def test_one_wrong_id_changes_nothing(ids: list[Any], error: type[Exception]):
    workflow = asking()
    await workflow.run("circle")
    with pytest.raises(error):
        await workflow.cancel_pending_requests(ids)
    assert (
        await workflow.run(responses={FIRST: Verdict(True)})
    ).get_final_state() is WorkflowRunState.IDLE


async def test_rule_28_giving_up_is_saved_as_a_response():
    workflow, storage = kept()
    await workflow.run("circle")
    await workflow.cancel_pending_requests([FIRST])
    header = await storage.store.latest()
    assert header is not None
    assert (header.cause, header.requests, header.status) == (Cause.RESPONSE, 0, "IDLE")


async def test_rule_24_before_it_was_cancelled_the_question_is_open():
    workflow, storage = kept()
    await workflow.run("circle")
    paused = workflow.get_last_checkpoint_id()
    await workflow.cancel_pending_requests([FIRST])
    again = WorkflowBuilder(
        start_executor=Asker(), name="asking", checkpoint_storage=storage
    ).build()
    result = await again.run(
        checkpoint_id=paused, responses={FIRST: Verdict(True, 0.5)}
    )
    assert result.get_final_state() is WorkflowRunState.IDLE
    assert len(result.get_outputs()) == 1


async def test_with_a_checkpoint_the_run_stands_there_first_and_does_not_announce_what_it_gives_up():
    workflow, storage = kept()
    await workflow.run("circle square")
    fresh = asking()
    result = await fresh.cancel_pending_requests(
        [FIRST],
        checkpoint_id=workflow.get_last_checkpoint_id(),
        checkpoint_storage=storage,
    )
    assert [event.request_id for event in result.get_request_info_events()] == [SECOND]
    assert result.get_final_state() is WorkflowRunState.IDLE_WITH_PENDING_REQUESTS


def nested(depth: int) -> Workflow:
    workflow = asking()
    for level in range(depth):
        start = react(f"start{level}", _pass)
        sub = WorkflowExecutor(workflow, f"sub{level}", propagate_request=True)
        sink = Sink(f"sink{level}")
        builder = WorkflowBuilder(start_executor=start, name=f"outer{level}")
        workflow = builder.add_edge(start, sub).add_edge(sub, sink).build()
    return workflow


async def _pass(message: Any, ctx: WorkflowContext[Any]) -> None:
    await ctx.send_message(message)


@pytest.mark.parametrize("depth", [1, 2])
async def test_rule_26_a_question_of_a_sub_workflow_is_given_up_at_every_depth(
    depth: int,
):
    runner = Runner(nested(depth))
    await runner.start("circle square")
    await runner.finish()
    first, second = runner.state.requests
    await runner.cancel([first])
    child = next(iter(runner.state.children.values()))
    assert list(runner.state.requests) == [second]
    assert first not in child.requests
    await runner.cancel([second])
    assert not runner.state.children  # nobody waits for anything in there
    assert await runner.finish() is WorkflowRunState.IDLE


@pytest.mark.parametrize("depth", [0, 1, 2])
async def test_rule_7_a_question_whose_answer_made_its_handler_fail_can_be_given_up_with_that_answer(
    depth: int,
):
    workflow = WorkflowBuilder(start_executor=Picky("ask")).build()
    for level in range(depth):
        inner = WorkflowExecutor(
            workflow, f"level {level}", allow_direct_output=True, propagate_request=True
        )
        workflow = WorkflowBuilder(start_executor=inner).build()
    asked = await workflow.run(6)
    first, second = (request.request_id for request in asked.get_request_info_events())
    with pytest.raises(ZeroDivisionError):
        await workflow.run(responses={first: 0, second: 3})
    result = await workflow.cancel_pending_requests([first])
    assert (result.get_outputs(), workflow.status) == ([2], WorkflowRunState.IDLE)


async def test_an_observer_hears_who_gave_up_what():
    heard: list[RunEvent] = []
    runner = Runner(asking(), observer=heard.append)
    await runner.start("circle")
    await runner.finish()
    await runner.cancel([FIRST])
    found = [
        event.data for event in heard if event.kind is RunEventKind.REQUEST_CANCELLED
    ]
    assert [(one["request_id"], one["executor"]) for one in found] == [(FIRST, "ask")]


class Picky(Executor):
    """Asks twice what to divide by; zero makes it fail."""

    @handler
    async def ask(self, number: int, ctx: WorkflowContext[Any, int]) -> None:
        await ctx.request_info(number, int)
        await ctx.request_info(number, int)

    @response_handler
    async def divide(
        self, number: int, by: int, ctx: WorkflowContext[Any, int]
    ) -> None:
        await ctx.yield_output(number // by)


# --- where to come back to ----------------------------------------------------------------------------------------


async def test_the_pause_of_a_run_is_the_checkpoint_in_which_its_questions_are_open():
    workflow, storage = kept()
    await workflow.run("circle")
    pause = workflow.get_last_checkpoint_id()
    assert await workflow.resolve_pause_checkpoint_id([FIRST]) == pause
    assert (
        await workflow.resolve_pause_checkpoint_id([FIRST], checkpoint_storage=storage)
        == pause
    )
    assert await workflow.resolve_pause_checkpoint_id([]) is None
    assert await workflow.resolve_pause_checkpoint_id([FIRST, "other"]) is None


async def test_a_checkpoint_that_the_run_began_with_is_no_pause_of_it():
    workflow, _ = kept()
    await workflow.run("circle")
    pause = workflow.get_last_checkpoint_id()
    await workflow.run(checkpoint_id=pause)
    assert await workflow.resolve_pause_checkpoint_id([FIRST]) is None
    assert (
        await workflow.resolve_pause_checkpoint_id([FIRST], known_checkpoint_id=pause)
        is None
    )


async def test_a_known_checkpoint_will_do_if_the_questions_are_open_in_it():
    workflow, storage = kept()
    await workflow.run("circle")
    pause = workflow.get_last_checkpoint_id()
    other = WorkflowBuilder(
        start_executor=Asker(), name="asking", checkpoint_storage=storage
    ).build()
    assert (
        await other.resolve_pause_checkpoint_id([FIRST], known_checkpoint_id=pause)
        == pause
    )
    assert (
        await other.resolve_pause_checkpoint_id([FIRST], known_checkpoint_id="gone")
        is None
    )
    assert (
        await workflow.resolve_pause_checkpoint_id(
            [FIRST], baseline_checkpoint_id=pause
        )
        is None
    )
