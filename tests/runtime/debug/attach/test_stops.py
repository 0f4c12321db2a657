"""A program's run stands inside a superstep, and its client leaves: each handler is
called once, and the call returns what it always does.
"""

from collections.abc import Callable
from typing import Any

import pytest

from runtime import Workflow, WorkflowBuilder, WorkflowContext, executor
from runtime.debug import breakpoint_here, listen
from tests.runtime.debug.attach.speaking import Speaker, attached, counting, running


class Calls(list[str]):
    """The handlers that were called, in order."""


def fanning(calls: Calls) -> Workflow:
    """One executor sends to two; the second of these stops in its code."""

    @executor(id="split")
    async def split(number: int, context: WorkflowContext[int]) -> None:
        calls.append("split")
        await context.send_message(number)

    @executor(id="left")
    async def left(number: int, context: WorkflowContext[int, int]) -> None:
        calls.append("left")
        await context.yield_output(number)

    @executor(id="right")
    async def right(number: int, context: WorkflowContext[int, int]) -> None:
        calls.append("right")
        await breakpoint_here()
        calls.append("right went on")
        await context.yield_output(number + 1)

    builder = WorkflowBuilder(start_executor=split, name="fanning")
    return builder.add_fan_out_edges(split, [left, right]).build()


async def test_a_breakpoint_holds_the_run_of_the_program_before_a_delivery() -> None:
    workflow = counting()
    breakpoint = {
        "id": "b",
        "kind": "before",
        "where": "pong",
        "condition": "message > 5",
    }
    with listen(workflow, wait_for_client=True) as listener:
        async with attached(listener) as client, running(workflow, 1) as call:
            await client.until("stopped")
            await client.body("breakpoints", breakpoints=[breakpoint])
            await client.body("continue")
            stopped = await client.until("stopped")
            assert (stopped["reason"], stopped["superstep"]) == ("breakpoint", 5)
            assert stopped["delivery"]["executor"] == "pong"
            await client.body("breakpoints", breakpoints=[])
            await client.body("continue")
            assert await call == [10]


async def test_an_edge_of_a_workflow_in_code_has_a_breakpoint_by_its_drawn_id() -> None:
    workflow = counting()
    with listen(workflow, wait_for_client=True) as listener:
        async with attached(listener) as client, running(workflow, 1) as call:
            await client.until("stopped")
            moment = await client.body("inspect")
            edge = moment["definition"]["edges"][1]["id"]
            breakpoint = {"id": "b", "kind": "message", "where": edge}
            body = await client.body("breakpoints", breakpoints=[breakpoint])
            assert body["statuses"][0]["verified"], body
            await client.body("continue")
            stopped = await client.until("stopped")
            assert stopped["breakpoint"]["where"] == edge
            await client.body("shutdown")
            assert await call == [10]


async def test_a_program_stops_where_its_code_says_so() -> None:
    calls = Calls()
    workflow = fanning(calls)
    with listen(workflow, wait_for_client=True) as listener:
        async with attached(listener) as client, running(workflow, 1) as call:
            await client.until("stopped")
            await client.body("continue")
            stopped = await client.until("stopped")
            assert stopped["reason"] == "code"
            assert stopped["delivery"]["executor"] == "right"
            assert calls[-1] == "right"
            await client.body("continue")
            assert sorted(await call) == [1, 2]


async def test_without_a_client_the_code_stops_nowhere() -> None:
    calls = Calls()
    workflow = fanning(calls)
    with listen(workflow):
        assert sorted((await workflow.run(1)).get_outputs()) == [1, 2]


async def _shuts_down(client: Speaker) -> None:
    await client.body("shutdown")


async def _is_lost(client: Speaker) -> None:
    await client.close()


@pytest.mark.parametrize("leave", [_shuts_down, _is_lost])
async def test_a_client_that_leaves_inside_a_superstep_lets_each_handler_run_once(
    leave: Callable[[Speaker], Any],
) -> None:
    calls = Calls()
    workflow = fanning(calls)
    with listen(workflow, wait_for_client=True) as listener:
        async with attached(listener) as client, running(workflow, 1) as call:
            await client.until("stopped")
            await client.body("continue")
            await client.until("stopped")
            await leave(client)
            assert sorted(await call) == [1, 2]
    assert sorted(calls) == ["left", "right", "right went on", "split"]


async def test_with_on_loss_stand_the_next_client_finds_the_delivery_where_it_stood() -> (
    None
):
    calls = Calls()
    workflow = fanning(calls)
    with listen(workflow, wait_for_client=True, on_loss="stand") as listener:
        async with running(workflow, 1) as call:
            async with attached(listener) as client:
                await client.until("stopped")
                await client.body("continue")
                await client.until("stopped")
            async with attached(listener) as client:
                await client.body("attach")
                assert (await client.until("stopped"))["reason"] == "code"
                await client.body("continue")
                assert sorted(await call) == [1, 2]
    assert sorted(calls) == ["left", "right", "right went on", "split"]


async def test_a_client_that_leaves_holds_no_executor_any_more() -> None:
    workflow = counting()
    with listen(workflow, wait_for_client=True) as listener:
        async with attached(listener) as client, running(workflow, 1) as call:
            await client.until("stopped")
            await client.body("hold", executor="pong")
            await client.body("continue")
            assert (await client.until("stopped"))["reason"] == "held"
            await client.close()
            assert await call == [10]
