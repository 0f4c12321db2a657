"""Stops inside sub-workflows: in one of their runs, or in each."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.runtime.debug.stops.support import go, stand_at_entry, standing
from tests.runtime.debug.talking import Talk, direct, document, node, talking


@pytest.fixture
async def talk(tmp_path: Path):
    async with talking(tmp_path) as talk:
        yield talk


def two_runs() -> dict[str, Any]:
    """a fans out to b and c, which both send to sub: x, y and an output run twice."""
    inner = document(
        [
            node("x", "inc"),
            {
                "id": "y",
                "type": "set_state",
                "params": {"key": "n", "value": "message"},
            },
            {"id": "z", "type": "output", "params": {}},
        ],
        [direct("x", "y"), direct("y", "z")],
    )
    sub = {"id": "sub", "type": "sub_workflow", "params": {"inline": inner}}
    end = {"id": "end", "type": "output", "params": {}}
    return document(
        [node("a", "inc"), node("b", "double"), node("c", "inc"), sub, end],
        [
            {"id": "out", "kind": "fan_out", "source": "a", "targets": ["b", "c"]},
            direct("b", "sub"),
            direct("c", "sub"),
            direct("sub", "end"),
        ],
    )


INSIDE = {"inside": ["sub"]}


async def place(talk: Talk, command: str, **arguments: Any) -> Any:
    """Where the run stands next: (path, executor), or the reason at a barrier."""
    stopped = await go(talk, command, **arguments)
    if stopped.delivery is None:
        return stopped.reason
    return ("/".join(stopped.delivery.path), stopped.delivery.executor)


@pytest.mark.parametrize(
    ("point", "executor"),
    [
        ({"where": "y"}, "y"),
        ({"kind": "after", "where": "y"}, "y"),
        ({"kind": "message", "where": "xy"}, "y"),
        ({"kind": "write", "where": "n"}, "y"),
        ({"kind": "output", "where": "z"}, "z"),
        ({"where": "y", "condition": "message > 0 && path == ['sub#1']"}, "y"),
    ],
)
async def test_each_kind_stops_in_one_run_and_in_every_run(
    talk, point, executor
) -> None:
    await stand_at_entry(talk, two_runs(), {**point, **INSIDE})
    assert await place(talk, "continue") == ("sub#1", executor)
    if "condition" not in point and point.get("kind") != "message":
        assert await place(talk, "continue") == ("sub#2", executor)
    assert await place(talk, "continue") == "finished"


async def test_a_breakpoint_of_one_run_leaves_the_others_alone(talk) -> None:
    await stand_at_entry(talk, two_runs(), {"where": "y", "run": "sub#2", **INSIDE})
    assert await place(talk, "continue") == ("sub#2", "y")
    assert await place(talk, "continue") == "finished"


async def test_a_node_outside_is_not_the_node_of_the_same_name_inside(talk) -> None:
    workflow = two_runs()
    inner = workflow["workflow"]["nodes"][3]["params"]["inline"]
    inner["workflow"]["nodes"][0]["id"] = "a"
    inner["workflow"]["start"] = "a"
    inner["workflow"]["edges"][0] |= {"id": "ay", "source": "a"}
    await stand_at_entry(talk, workflow, {"where": "a"})
    assert await place(talk, "continue") == ("", "a")
    assert await place(talk, "continue") == "finished"


async def test_deliveries_of_both_runs_are_done_one_by_one(talk) -> None:
    await stand_at_entry(talk, two_runs(), {"where": "x", **INSIDE})
    await go(talk, "continue")
    await talk.body("breakpoints", breakpoints=[])
    assert await place(talk, "step", unit="delivery") == ("sub#2", "x")
    inside = await standing(talk)
    assert [
        (delivery.path, delivery.state, len(delivery.sent))
        for delivery in inside.deliveries
    ] == [(("sub#1",), "done", 1), (("sub#2",), "next", 0)]
    assert await place(talk, "step", unit="delivery") == "step"
    assert await place(talk, "step", unit="delivery") == ("sub#2", "y")


async def test_out_goes_on_until_the_run_of_this_sub_workflow_has_ended(talk) -> None:
    await stand_at_entry(talk, two_runs(), {"where": "x", "run": "sub#1", **INSIDE})
    await go(talk, "continue")
    stopped = await go(talk, "step", unit="out")
    assert (stopped.reason, stopped.delivery) == ("step", None)
    state = talk.host._session.runner.state
    assert "sub#1" not in state.children
    assert [message.source_id for message in state.queue] == ["sub", "sub"]


async def test_out_from_a_barrier_inside_goes_out_as_well(talk) -> None:
    await stand_at_entry(talk, two_runs())
    await go(talk, "step", count=3)
    stopped = await go(talk, "step", unit="out")
    assert stopped.superstep == 6
    assert talk.host._session.runner.state.children == {}


async def test_a_breakpoint_on_the_way_out_stops(talk) -> None:
    points = [{"where": "x", **INSIDE}, {"where": "y", **INSIDE}]
    await stand_at_entry(talk, two_runs(), *points)
    await go(talk, "continue")
    await go(talk, "continue")
    assert await place(talk, "step", unit="out") == ("sub#1", "y")


@pytest.mark.parametrize(("run", "first"), [({}, "sub#1"), ({"run": "sub#2"}, "sub#2")])
async def test_a_run_goes_to_a_node_inside(talk, run, first) -> None:
    await stand_at_entry(talk, two_runs())
    assert await place(talk, "run_to", node="y", **INSIDE, **run) == (first, "y")
    assert await place(talk, "continue") == "finished"


async def test_an_executor_is_held_in_one_run_while_the_other_goes_on(talk) -> None:
    await stand_at_entry(talk, two_runs())
    await talk.body("hold", executor="x", run="sub#2", **INSIDE)
    assert await place(talk, "continue") == ("sub#2", "x")
    inside = await standing(talk)
    assert [delivery.state for delivery in inside.deliveries] == ["done", "held"]
    await talk.body("hold", executor="x", run="sub#2", held=False, **INSIDE)
    assert await place(talk, "continue") == "finished"


async def test_a_held_run_keeps_the_later_ones_of_the_same_instance_waiting(
    talk,
) -> None:
    await stand_at_entry(talk, two_runs())
    await talk.body("hold", executor="x", run="sub#1", **INSIDE)
    assert await place(talk, "continue") == ("sub#1", "x")
    inside = await standing(talk)
    assert [delivery.state for delivery in inside.deliveries] == ["held", "waiting"]


async def test_a_held_sub_workflow_holds_what_runs_inside_of_it(talk) -> None:
    await stand_at_entry(talk, two_runs())
    await go(talk, "step", count=3)
    await talk.body("hold", executor="sub")
    assert await place(talk, "continue") == ("sub#1", "x")
    inside = await standing(talk)
    assert {delivery.state for delivery in inside.deliveries} == {"held"}
    await talk.body("hold", executor="sub", held=False)
    assert await place(talk, "continue") == "finished"


async def test_only_runs_and_nodes_that_can_be_there_are_verified(talk) -> None:
    points = [
        {"where": "y", **INSIDE},
        {"where": "y"},
        {"where": "y", "run": "other#1", **INSIDE},
        {"where": "y", "inside": ["b"]},
    ]
    await talk.open(two_runs())
    numbered = [{"id": str(number), **point} for number, point in enumerate(points)]
    body = await talk.body("breakpoints", breakpoints=numbered)
    assert [status.verified for status in body.statuses] == [True, False, False, False]
