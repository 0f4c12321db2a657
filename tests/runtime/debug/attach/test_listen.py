"""A program that listens: its own call is the run that is watched."""

import asyncio

import pytest

from runtime import WorkflowBuilder, WorkflowContext, executor
from runtime.debug import listen
from runtime.debug.remote.listener import KEPT_RUNS
from runtime.errors import AddressError
from runtime.stores import open_store
from tests.runtime.debug.attach.speaking import attached, counting, running


async def test_a_call_returns_the_same_when_nobody_is_attached() -> None:
    workflow = counting()
    with listen(workflow):
        assert (await workflow.run(1)).get_outputs() == [10]


async def test_the_first_run_waits_at_its_input_until_a_client_lets_it_go_on() -> None:
    workflow = counting()
    with listen(workflow, wait_for_client=True) as listener:
        async with attached(listener) as client, running(workflow, 1) as call:
            stopped = await client.until("stopped")
            assert (stopped["reason"], stopped["superstep"]) == ("entry", 0)
            assert not call.done()
            await client.body("step", count=2)
            assert (await client.until("stopped"))["superstep"] == 2
            await client.body("continue")
            assert (await client.until("stopped"))["reason"] == "finished"
            assert await call == [10]


async def test_a_client_attaches_to_a_run_that_stands_already() -> None:
    workflow = counting()
    with listen(workflow, wait_for_client=True) as listener:
        async with running(workflow, 1) as call, attached(listener) as client:
            assert (await client.until("stopped"))["reason"] == "entry"
            await client.body("continue")
            assert await call == [10]


async def test_attaching_tells_the_program_its_executors_and_where_the_run_is() -> None:
    workflow = counting()
    with listen(workflow, wait_for_client=True) as listener:
        async with running(workflow, 1) as call:
            async with attached(listener) as client:
                await client.until("stopped")
                body = await client.body("attach")
                assert body["workflow"] == "counting"
                assert body["nodes"] == ["ping", "pong"]
                assert body["is_called"]
                assert (await client.until("stopped"))["reason"] == "entry"
            assert await call == [10]


async def test_the_graph_is_shown_before_anything_runs() -> None:
    with listen(counting()) as listener:
        async with attached(listener) as client:
            moment = await client.body("inspect")
            names = [node["id"] for node in moment["definition"]["nodes"]]
            assert names == ["ping", "pong"]


async def test_a_restored_checkpoint_runs_beside_the_run_of_the_program() -> None:
    workflow = counting()
    with listen(workflow, wait_for_client=True) as listener:
        async with attached(listener) as client, running(workflow, 1) as call:
            own = await client.until("stopped")
            await client.body("step", count=3)
            await client.until("stopped")
            headers = (await client.body("timeline"))["headers"]
            restored = await client.body("restore", checkpoint_id=headers[1]["id"])
            assert restored["header"]["branch"] == "fork 1"
            await client.until("stopped")
            await client.body("continue")
            ended = await client.until("stopped")
            assert (ended["reason"], ended["branch"]) == ("finished", "fork 1")
            assert not call.done()
            await client.body("follow")
            back = await client.until("stopped")
            assert (back["run_id"], back["branch"]) == (own["run_id"], "main")
            assert back["superstep"] == 3
            await client.body("continue")
            await client.until("stopped")
            assert await call == [10]


async def test_after_the_call_has_returned_the_window_goes_on_on_its_own_branch() -> (
    None
):
    workflow = counting()
    with listen(workflow) as listener:
        async with attached(listener) as client:
            assert (await workflow.run(1)).get_outputs() == [10]
            await client.until("stopped")
            headers = (await client.body("timeline"))["headers"]
            await client.body("restore", checkpoint_id=headers[2]["id"])
            await client.until("stopped")
            await client.body("continue")
            assert (await client.until("stopped"))["branch"] == "fork 1"
        assert workflow.get_last_checkpoint_id() == headers[-1]["id"]


async def test_a_failure_reaches_the_client_and_the_program() -> None:
    @executor(id="fails")
    async def fails(number: int, context: WorkflowContext[int]) -> None:
        raise ValueError(f"cannot take {number}")

    workflow = WorkflowBuilder(start_executor=fails).build()
    with listen(workflow) as listener:
        async with attached(listener) as client:
            with pytest.raises(ValueError, match="cannot take 7"):
                await workflow.run(7)
            stopped = await client.until("stopped")
            assert (stopped["reason"], stopped["executor"]) == ("failed", "fails")


async def test_stop_cancels_the_superstep_and_never_the_call() -> None:
    began = asyncio.Event()
    goes_on = asyncio.Event()

    @executor(id="waits")
    async def waits(number: int, context: WorkflowContext[int, int]) -> None:
        began.set()
        await goes_on.wait()
        await context.yield_output(number)

    workflow = WorkflowBuilder(start_executor=waits).build()
    with listen(workflow) as listener:
        async with attached(listener) as client, running(workflow, 5) as call:
            await began.wait()
            await client.body("stop")
            assert (await client.until("stopped"))["reason"] == "cancelled"
            assert not call.done()
            goes_on.set()
            await client.body("continue")
            assert await call == [5]


async def test_a_call_that_the_program_cancels_ends_and_says_so() -> None:
    workflow = counting()
    with listen(workflow, wait_for_client=True) as listener:
        async with attached(listener) as client, running(workflow, 1) as call:
            await client.until("stopped")
            call.cancel()
            stopped = await client.until("stopped")
            assert stopped["reason"] == "cancelled"
            assert "program" in stopped["text"]
        assert call.cancelled()


async def test_a_client_that_detaches_lets_the_run_go_on() -> None:
    workflow = counting()
    with listen(workflow, wait_for_client=True, on_loss="stand") as listener:
        async with running(workflow, 1) as call, attached(listener) as client:
            await client.until("stopped")
            await client.body("shutdown")
            assert await call == [10]


async def test_a_lost_client_lets_the_run_go_on() -> None:
    workflow = counting()
    with listen(workflow, wait_for_client=True) as listener:
        async with running(workflow, 1) as call:
            async with attached(listener) as client:
                await client.until("stopped")
            assert await call == [10]


async def test_with_on_loss_stand_the_next_client_finds_the_run_where_it_stood() -> (
    None
):
    workflow = counting()
    with listen(workflow, wait_for_client=True, on_loss="stand") as listener:
        async with running(workflow, 1) as call:
            async with attached(listener) as client:
                await client.until("stopped")
                await client.body("step")
                await client.until("stopped")
            async with attached(listener) as client:
                await client.body("attach")
                assert (await client.until("stopped"))["superstep"] == 1
                await client.body("continue")
                await client.until("stopped")
            assert await call == [10]


async def test_checkpoints_are_those_of_the_programs_own_store() -> None:
    workflow = counting()
    store = open_store("memory:", False)
    with listen(workflow) as listener:
        async with attached(listener) as client:
            await workflow.run(1, checkpoint_storage=store)
            ids = [h["id"] for h in (await client.body("timeline"))["headers"]]
    assert ids == [header.id for header in await store.headers()]


async def test_a_value_that_cannot_be_saved_does_not_fail_a_run_without_a_store() -> (
    None
):
    @executor(id="first")
    async def first(number: int, context: WorkflowContext[object]) -> None:
        await context.send_message(iter(()))

    @executor(id="last")
    async def last(value: object, context: WorkflowContext[int, str]) -> None:
        await context.yield_output(type(value).__name__)

    builder = WorkflowBuilder(start_executor=first).add_edge(first, last)
    workflow = builder.build()
    straight = (await workflow.run(1)).get_outputs()
    with listen(workflow) as listener:
        async with attached(listener):
            assert (await workflow.run(1)).get_outputs() == straight


async def test_an_iterated_run_is_watched_too() -> None:
    workflow = counting()
    with listen(workflow) as listener:
        async with attached(listener) as client:
            stream = workflow.run(1, stream=True)
            outputs = [event.data async for event in stream if event.type == "output"]
            assert outputs == [10]
            assert (await client.until("stopped"))["reason"] == "finished"


async def test_a_second_run_at_the_same_time_goes_by_unwatched() -> None:
    first, second = counting(), counting(20)
    with listen(wait_for_client=True) as listener:
        async with attached(listener) as client, running(first, 1) as call:
            await client.until("stopped")
            assert (await second.run(1)).get_outputs() == [20]
            assert not call.done()
            await client.body("shutdown")
            assert await call == [10]


async def test_only_the_named_workflow_is_watched() -> None:
    watched, other = counting(), counting(20)
    with listen(watched, wait_for_client=True):
        assert (await other.run(1)).get_outputs() == [20]


async def test_the_window_starts_a_run_of_its_own_with_typed_input() -> None:
    with listen(counting()) as listener:
        async with attached(listener) as client:
            await client.body("start", input=3)
            assert (await client.until("stopped"))["reason"] == "finished"
            refused = await client.ask("start", input="three")
            assert not refused["success"]
            assert "'ping' takes int" in refused["message"]


async def test_a_new_call_of_the_program_ends_a_run_of_the_window() -> None:
    workflow = counting()
    with listen(workflow) as listener:
        async with attached(listener) as client:
            await client.body("start", input=3, stop_on_entry=True)
            await client.until("stopped")
            assert (await workflow.run(1)).get_outputs() == [10]
            assert (await client.until("stopped"))["reason"] == "finished"


async def test_a_program_opens_no_document_of_a_client() -> None:
    with listen(counting()) as listener:
        async with attached(listener) as client:
            refused = await client.ask("open", store="sqlite:/tmp/other.db")
            assert "its own workflow only" in refused["message"]


async def test_a_program_listens_once_and_again_after_it_has_closed() -> None:
    with listen() as listener:
        with pytest.raises(AddressError, match="listens already"):
            listen()
        assert not listener.is_closed
    with listen():
        pass


async def test_nothing_is_watched_after_close() -> None:
    workflow = counting()
    listen(workflow, wait_for_client=True).close()
    assert (await workflow.run(1)).get_outputs() == [10]


async def test_breakpoints_are_handed_on_from_the_thread_to_the_run() -> None:
    workflow = counting()
    breakpoint = {"id": "1", "kind": "before", "where": "pong"}
    with listen(workflow) as listener:
        async with attached(listener) as client:
            body = await client.body("breakpoints", breakpoints=[breakpoint])
            assert [status["verified"] for status in body["statuses"]] == [True]
            await client.body("attach")


async def test_a_program_that_runs_for_long_keeps_its_newest_runs_in_memory() -> None:
    workflow = counting(2)
    with listen(workflow) as listener:
        for _ in range(KEPT_RUNS + 3):
            await workflow.run(1)
        assert len(await listener.store.runs()) == KEPT_RUNS
        async with attached(listener):
            for _ in range(3):
                await workflow.run(1)
            assert len(await listener.store.runs()) == KEPT_RUNS + 3


async def test_a_store_that_was_given_keeps_all_runs() -> None:
    workflow = counting(2)
    store = open_store("memory:", False)
    with listen(workflow, store=store):
        for _ in range(KEPT_RUNS + 3):
            await workflow.run(1)
    assert len(await store.runs()) == KEPT_RUNS + 3


@pytest.mark.parametrize("turns", range(12))
async def test_a_program_that_cancels_its_call_at_once_is_cancelled_and_listens(
    turns: int,
) -> None:
    with listen() as listener:
        async with attached(listener) as client:
            await client.body("breakpoints", breakpoints=[{"id": "1"}])
            call = asyncio.create_task(counting().run(0))
            for _ in range(turns):
                await asyncio.sleep(0)
            call.cancel()
            async with asyncio.timeout(20):
                with pytest.raises(asyncio.CancelledError):
                    await call
                await client.body("attach")
