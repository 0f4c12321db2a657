"""Going back and going on: what is answered later is not answered there, and each
branch has its own head (rule 24).
"""

from __future__ import annotations

from typing import Any

import pytest

from runtime.checkpoint import Cause, CheckpointHeader
from runtime.checkpoints.archive import Archive
from runtime.engine.runner import Runner
from runtime.errors import RequestError
from runtime.events import RunEvent, RunEventKind, WorkflowRunState
from runtime.stores.memory import MemoryStore
from runtime.workflow.workflow import Workflow
from tests.runtime.graphs import uneven_join
from tests.runtime.test_requests import Asker, Question, Verdict, asking, outputs_of
from tests.runtime.test_sub_workflow import around, asking_child


async def played(
    workflow: Workflow, store: MemoryStore, *scores: float
) -> list[CheckpointHeader]:
    """A run whose questions were answered with these, one after the other."""
    runner = Runner(workflow, store)
    await runner.start("q")
    await runner.finish()
    for score in scores:
        (id_,) = runner.state.requests
        await runner.answer({id_: Verdict(True, score)})
        await runner.finish()
    return await store.headers()


def nested() -> Workflow:
    return around(asking_child(), propagate_request=True)


async def test_case_178_before_an_answer_the_question_is_asked_again_and_the_child_is_the_one_of_that_time():
    store = MemoryStore()
    headers = await played(nested(), store, 1.0, 2.0)
    archive = Archive(store)
    answered = False
    for header in headers:
        answered = answered or header.cause is Cause.RESPONSE
        state = (await archive.load(header.id)).state
        runner = Runner(nested(), store)
        await runner.restore(header.id)
        assert runner.state.children == state.children
        if answered:
            continue
        await runner.finish()
        assert runner.status is WorkflowRunState.IDLE_WITH_PENDING_REQUESTS
        (request,) = runner.state.requests.values()
        assert (request.id, request.data) == ("sub#1/ask:1:0", Question("q1"))
        assert "ask" not in runner.state.children["sub#1"].executors or (
            runner.state.children["sub#1"].executors["ask"].state == {}
        )


async def test_rule_24_later_answers_are_invisible_after_going_back_and_each_fork_takes_its_own():
    store = MemoryStore()
    headers = await played(nested(), store, 1.0, 2.0)
    paused = [
        header for header in headers if header.status == "IDLE_WITH_PENDING_REQUESTS"
    ]
    first, second = paused
    used = Runner(nested(), store)
    for score in (5.0, 6.0):
        for runner in (used, Runner(nested(), store)):
            await runner.restore(first.id, fork=True)
            (id_,) = runner.state.requests
            await runner.answer({id_: Verdict(True, score)})
            await runner.finish()
            (id_,) = runner.state.requests
            await runner.answer({id_: Verdict(True, 9.0)})
            assert await outputs_of(runner) == [("q", (score, 9.0))]
    await used.restore(second.id)
    (id_,) = used.state.requests
    await used.answer({id_: Verdict(True, 3.0)})
    assert await outputs_of(used) == [("q", (1.0, 3.0))]


async def test_rule_24_an_answer_given_on_one_fork_is_unknown_to_a_runner_that_stands_on_another():
    store = MemoryStore()
    headers = await played(asking(), store)
    one = Runner(asking(), store)
    two = Runner(asking(), store)
    for runner in (one, two):
        await runner.restore(headers[-1].id, fork=True)
    await one.answer({"ask:1:0": Verdict(True)})
    await one.finish()
    assert list(two.state.requests) == ["ask:1:0"]
    await two.answer({"ask:1:0": Verdict(False)})
    assert await outputs_of(two) == [("q", False, "ask:1:0")]
    with pytest.raises(RequestError, match="answered already"):
        await one.answer({"ask:1:0": Verdict(False)})


async def test_case_176_after_going_back_the_head_of_the_new_branch_moves_on_and_the_old_one_stays():
    store = MemoryStore()
    headers = await played(uneven_join(), store)
    back = headers[2]
    runner = Runner(uneven_join(), store)
    await runner.restore(back.id)
    parent = back.id
    while await runner.step() is not None:
        assert runner.header is not None
        assert runner.header.parent == parent
        head = await store.latest(run_id=back.run_id, branch=runner.branch)
        assert head == runner.header == await store.latest()
        parent = head.id
        # a later call starts from the new place, and stays on its branch
        again = Runner(uneven_join(), store)
        await again.restore(parent)
        assert again.branch == runner.branch != "main"
    main = await store.latest(branch="main")
    assert main == headers[-1]
    for header in headers:
        assert (await Archive(store).load(header.id)).header == header


async def test_case_176_runs_by_workflow_keep_to_the_new_branch_too():
    store = MemoryStore()
    workflow = asking()
    paused = (await played(asking(), store))[-1]
    await workflow.run(
        checkpoint_id=paused.id,
        checkpoint_storage=store,
        responses={"ask:1:0": Verdict(True)},
    )
    first = workflow.get_last_checkpoint_id()
    other = asking()
    await other.run(checkpoint_id=paused.id, checkpoint_storage=store)
    await other.run(responses={"ask:1:0": Verdict(False)}, checkpoint_storage=store)
    second = other.get_last_checkpoint_id()
    branches = {header.id: header.branch for header in await store.headers()}
    assert first is not None
    assert second is not None
    assert (branches[first], branches[second]) == ("main", "fork 1")


# --- questions and answers (rules 22, 23) -------------------------------------------------------------------------


async def test_rule_22_an_id_of_ones_own_is_free_again_once_its_answer_has_been_taken():
    """What was chosen: in use is what is open. So a loop may ask under one name, and a
    replay asks the same.
    """
    store = MemoryStore()
    workflow = asking(Asker(request_id="mine"))
    runner = Runner(workflow, store)
    for accepted in (True, False):
        await runner.start("one", keep_state=True)
        await runner.finish()
        await runner.answer({"mine": Verdict(accepted)})
        assert await outputs_of(runner) == [("one", accepted, "mine")]
    await runner.start("one", keep_state=True)
    await runner.finish()
    await runner.start("two", keep_state=True)
    with pytest.raises(RequestError, match="in use"):
        await runner.finish()
    assert list(runner.state.requests) == ["mine"]


async def test_rule_23_answers_that_do_not_fit_a_checkpoint_leave_the_run_where_it_stood():
    store = MemoryStore()
    paused = (await played(asking(), store))[-1]
    workflow = uneven = asking()
    first = await workflow.run("other")
    before = (workflow.get_last_checkpoint_id(), workflow.status)
    for answers in (
        {"nobody": 1},
        {"ask:1:0": "no verdict"},
        {"ask:1:0": Verdict(True), "nobody": 1},
    ):
        with pytest.raises(RequestError):
            await workflow.run(
                checkpoint_id=paused.id, checkpoint_storage=store, responses=answers
            )
        assert (workflow.get_last_checkpoint_id(), workflow.status) == before
    (event,) = first.get_request_info_events()
    assert (
        await uneven.run(responses={event.request_id: Verdict(True)})
    ).get_outputs() == [("other", True, "ask:1:0")]
    assert len(await store.headers()) == 2


async def test_rule_23_some_may_be_answered_and_the_others_stay_open_neither_announced_nor_asked_again():
    events: list[RunEvent] = []
    runner = Runner(asking(), MemoryStore(), observer=events.append)
    await runner.start("a b c")
    await runner.finish()
    ids = list(runner.state.requests)
    events.clear()
    told: list[Any] = []
    runner.listen(told.append)
    await runner.answer({ids[1]: Verdict(True)})
    await runner.finish()
    assert [
        event.kind for event in events if event.kind is RunEventKind.REQUEST_ASKED
    ] == []
    assert [event for event in told if event.type == "request_info"] == []
    assert list(runner.state.requests) == [ids[0], ids[2]]
    assert runner.status is WorkflowRunState.IDLE_WITH_PENDING_REQUESTS


async def test_case_26_loading_a_paused_run_announces_each_open_question_once_with_id_and_payload():
    store = MemoryStore()
    paused = (await played(nested(), store))[-1]
    workflow = nested()
    events = [
        event
        async for event in workflow.run(
            checkpoint_id=paused.id, checkpoint_storage=store, stream=True
        )
    ]
    asked = [event for event in events if event.type == "request_info"]
    assert [
        (event.request_id, event.source_executor_id, event.data) for event in asked
    ] == [("sub#1/ask:1:0", "sub", Question("q1"))]
    assert events[-1].state is WorkflowRunState.IDLE_WITH_PENDING_REQUESTS
    assert workflow.get_last_checkpoint_id() == paused.id
    assert len(await store.headers()) == paused.sequence
