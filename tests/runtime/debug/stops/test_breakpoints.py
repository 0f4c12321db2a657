"""Where breakpoints of each kind stop a run, and which hits count."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from runtime.debug.protocol import LoggedBody
from tests.runtime.debug.stops.support import (
    checkpoints,
    fan,
    go,
    stand_at_entry,
    standing,
    states,
    with_ids,
)
from tests.runtime.debug.talking import (
    Talk,
    alone,
    asking,
    direct,
    document,
    loop,
    lost_join,
    node,
    talking,
)


@pytest.fixture
async def talk(tmp_path: Path):
    async with talking(tmp_path) as talk:
        yield talk


def writing() -> dict[str, Any]:
    """a writes the key n, then b does."""
    nodes = [
        {
            "id": name,
            "type": "set_state",
            "params": {"key": "n", "value": f"message + {number}"},
        }
        for number, name in enumerate("ab", start=1)
    ]
    end = {"id": "end", "type": "output", "params": {}}
    return document([*nodes, end], [direct("a", "b"), direct("b", "end")])


async def status(talk: Talk, point: dict[str, Any]) -> Any:
    """The status of the only breakpoint, which keeps its hits when it is set again."""
    body = await talk.body("breakpoints", breakpoints=with_ids([point]))
    return body.statuses[0]


@pytest.mark.parametrize(
    ("workflow", "point", "executor", "state", "because"),
    [
        (fan(), {"where": "c"}, "c", "next", "'c' is about to get 2."),
        (fan(), {"kind": "after", "where": "c"}, "c", "done", "'c' has handled 2."),
        (fan(), {"kind": "message", "where": "ce"}, "e", "next", "4 goes from"),
        (fan(), {"kind": "message", "where": "e"}, "e", "next", "'c' to 'e'."),
        (writing(), {"kind": "write", "where": "n"}, "a", "done", "written 'n'"),
        (writing(), {"kind": "output"}, "end", "done", "'end' puts out"),
        (alone("fail"), {"kind": "failure"}, "b", "failed", "cannot take 2"),
        (asking(), {"kind": "question"}, "ask", "done", "'ask' asks"),
        (lost_join(), {"kind": "fires", "where": "in"}, "sum", "next", "'sum' fires"),
    ],
)
async def test_each_kind_stops_where_it_happens(
    talk, workflow, point, executor, state, because
) -> None:
    await stand_at_entry(talk, workflow, point)
    stopped = await go(talk, "continue")
    assert (stopped.reason, stopped.breakpoint.id) == ("breakpoint", "1")
    assert because in stopped.breakpoint.because
    assert stopped.delivery.executor == executor
    assert (await states(talk))[executor] == state


async def test_a_stop_inside_is_at_no_checkpoint(talk) -> None:
    await stand_at_entry(talk, fan(), {"where": "c"})
    stopped = await go(talk, "continue")
    assert stopped.superstep == 1
    assert await checkpoints(talk) == 2


async def test_a_failure_is_seen_before_it_fails_the_superstep(talk) -> None:
    await stand_at_entry(talk, alone("fail"), {"kind": "failure"})
    await go(talk, "continue")
    (failed,) = (await standing(talk)).deliveries
    assert "cannot take 2" in failed.error
    assert (await go(talk, "continue")).reason == "failed"


async def test_a_starving_join_is_named_where_the_run_rests(talk) -> None:
    workflow = lost_join()
    workflow["workflow"]["edges"][1]["condition"] = "false"
    await stand_at_entry(talk, workflow, {"kind": "starves", "where": "in"})
    stopped = await go(talk, "continue")
    assert (stopped.reason, stopped.delivery) == ("stalled", None)
    assert "d: " in stopped.breakpoint.because


async def test_a_condition_decides_which_message_stops(talk) -> None:
    condition = "message > 5 && superstep > 2"
    await stand_at_entry(talk, loop(20), {"where": "b", "condition": condition})
    stopped = await go(talk, "continue")
    assert "get 6" in stopped.breakpoint.because


async def test_a_condition_that_cannot_be_evaluated_is_counted_and_said(talk) -> None:
    point = {"where": "b", "condition": "message.x > 1"}
    await stand_at_entry(talk, loop(4), point)
    assert (await go(talk, "continue")).reason == "finished"
    body = await status(talk, point)
    assert (body.hits, body.verified) == (0, True)
    assert "message.x > 1" in body.error


@pytest.mark.parametrize(
    ("hits", "count", "first", "second"),
    [("always", 1, 1, 2), ("from", 3, 3, 4), ("every", 2, 2, 4)],
)
async def test_hit_counts(talk, hits, count, first, second) -> None:
    point = {"where": "b", "hits": hits, "count": count}
    await stand_at_entry(talk, loop(20), point)
    assert (await go(talk, "continue")).breakpoint.hit == first
    assert (await go(talk, "continue")).breakpoint.hit == second


async def test_once_stops_once(talk) -> None:
    point = {"where": "b", "once": True}
    await stand_at_entry(talk, loop(9), point)
    assert (await go(talk, "continue")).reason == "breakpoint"
    assert (await go(talk, "continue")).reason == "finished"
    assert (await status(talk, point)).reason == "It has stopped the run once."


async def test_a_log_text_is_logged_instead_of_a_stop(talk) -> None:
    point = {"where": "b", "log": "b gets {message} in {superstep}"}
    await stand_at_entry(talk, loop(3), point)
    await talk.body("continue")
    notices = await talk.collect("stopped")
    logged = [notice.body for notice in notices if notice.event == "logged"]
    assert logged == [
        LoggedBody(breakpoint="1", superstep=2, text="b gets 2 in 2", executor="b")
    ]
    assert notices[-1].body.reason == "finished"


async def test_hits_are_told_before_the_run_stops(talk) -> None:
    await stand_at_entry(talk, loop(9), {"where": "b"})
    await talk.body("continue")
    notices = await talk.collect("stopped")
    (told,) = [notice.body for notice in notices if notice.event == "breakpoints"]
    assert told.statuses[0].hits == 1


async def test_what_is_off_or_muted_or_unverified_does_not_stop(talk) -> None:
    points = with_ids(
        [{"where": "b", "enabled": False}, {"where": "gone"}, {"condition": "1 +"}]
    )
    await talk.open(loop(9))
    await talk.body("breakpoints", breakpoints=points)
    assert (await go(talk, "start")).reason == "finished"
    await talk.body("breakpoints", breakpoints=with_ids([{}]), muted=True)
    assert (await go(talk, "start")).reason == "finished"


async def test_a_breakpoint_that_is_set_in_flight_holds_at_the_next_delivery(
    talk,
) -> None:
    await talk.open(loop(100_000))
    await talk.body("start")
    await talk.until("checkpoints")
    await talk.body("breakpoints", breakpoints=with_ids([{"where": "b"}]))
    stopped = await talk.until("stopped")
    assert (stopped.reason, stopped.delivery.executor) == ("breakpoint", "b")
    await go(talk, "stop")


async def test_breakpoints_stay_over_start_and_restore(talk) -> None:
    await stand_at_entry(talk, fan(), {"where": "c"})
    header = (await talk.body("inspect")).header
    await go(talk, "continue")
    assert (await go(talk, "start")).reason == "breakpoint"
    await go(talk, "restore", checkpoint_id=header.id)
    assert (await go(talk, "continue")).reason == "breakpoint"


async def test_a_step_that_comes_to_a_breakpoint_says_so_once(talk) -> None:
    await stand_at_entry(talk, fan(), {"where": "c"})
    await go(talk, "step")
    stopped = await go(talk, "step", unit="delivery")
    assert (stopped.reason, stopped.delivery.executor) == ("breakpoint", "c")
    stopped = await go(talk, "step", unit="delivery")
    assert (stopped.reason, stopped.delivery.executor) == ("delivery", "d")


async def test_one_that_runs_ends_while_the_run_stands(talk) -> None:
    workflow = document(
        [node("a", "inc"), node("b", "wait_for_it"), node("c", "inc")],
        [{"id": "out", "kind": "fan_out", "source": "a", "targets": ["b", "c"]}],
    )
    await stand_at_entry(talk, workflow, {"where": "c"})
    await go(talk, "continue")
    assert await states(talk) == {"b": "running", "c": "next"}
    (talk.folder / "go").touch()
    again = await talk.until("stopped")
    assert again.reason == "breakpoint"
    assert (await states(talk))["b"] == "done"
    assert (await go(talk, "continue")).reason == "finished"


# --- run to -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("workflow", "place", "superstep"),
    [
        (fan(), {"node": "e"}, 2),
        (fan(), {"edge": "ce"}, 2),
        (loop(20), {"superstep": 7}, 7),
        (asking(), {"question": True}, 2),
    ],
)
async def test_a_run_goes_to_a_place(talk, workflow, place, superstep) -> None:
    await stand_at_entry(talk, workflow)
    stopped = await go(talk, "run_to", **place)
    if "question" in place:
        assert stopped.reason == "waiting"
    else:
        assert stopped.reason == "here"
    assert stopped.superstep == superstep


async def test_a_place_to_run_to_is_forgotten_at_any_stop(talk) -> None:
    await stand_at_entry(talk, loop(9), {"where": "b"})
    await go(talk, "step")
    assert (await go(talk, "run_to", node="a")).reason == "breakpoint"
    await talk.body("breakpoints", breakpoints=[])
    assert (await go(talk, "continue")).reason == "finished"


@pytest.mark.parametrize(
    "place", [{"node": "gone"}, {"edge": "gone"}, {"superstep": 1}]
)
async def test_a_place_that_is_not_ahead_is_refused(talk, place) -> None:
    await stand_at_entry(talk, loop(9))
    await go(talk, "step")
    reply = await talk.ask("run_to", **place)
    assert not reply.success
    assert await checkpoints(talk) == 2


async def test_a_place_is_reached_while_breakpoints_are_muted(talk) -> None:
    await stand_at_entry(talk, loop(9))
    await talk.body("breakpoints", breakpoints=with_ids([{}]), muted=True)
    stopped = await go(talk, "run_to", node="b")
    assert (stopped.reason, stopped.delivery.executor) == ("here", "b")


# --- holds ------------------------------------------------------------------------------------------------------


async def test_a_held_executor_waits_and_the_others_go_on(talk) -> None:
    await stand_at_entry(talk, fan())
    await talk.body("hold", executor="c")
    stopped = await go(talk, "continue")
    assert (stopped.reason, stopped.delivery.executor) == ("held", "c")
    assert await states(talk) == {"b": "done", "c": "held", "d": "done"}
    assert (await go(talk, "continue")).reason == "held"
    body = await talk.body("hold", executor="c", held=False)
    assert body.held == ()
    assert (await go(talk, "continue")).reason == "finished"


async def test_single_deliveries_pass_by_a_held_executor(talk) -> None:
    await stand_at_entry(talk, fan())
    await talk.body("hold", executor="b")
    stopped = await go(talk, "step", unit="delivery", count=2)
    assert stopped.delivery.executor == "d"
    assert (await go(talk, "step", unit="delivery")).reason == "held"


async def test_only_what_is_there_can_be_held(talk) -> None:
    await stand_at_entry(talk, fan())
    reply = await talk.ask("hold", executor="gone")
    assert "no node 'gone'" in reply.message


# --- `breakpoint_here` ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("function", ["stop_here", "stop_in_thread", "stop_in_a_child"])
async def test_code_stops_the_run_at_its_delivery(talk, function) -> None:
    await stand_at_entry(talk, alone(function))
    stopped = await go(talk, "continue")
    assert (stopped.reason, stopped.delivery.executor) == ("code", "b")
    assert await states(talk) == {"b": "running"}
    assert (await go(talk, "continue")).reason == "finished"


@pytest.mark.parametrize("function", ["stop_here", "stop_in_thread"])
async def test_a_run_that_stands_in_code_is_cancelled(talk, function) -> None:
    await stand_at_entry(talk, alone(function))
    await go(talk, "continue")
    stopped = await go(talk, "stop")
    assert (stopped.reason, stopped.superstep) == ("cancelled", 1)
    while not (talk.folder / "cancelled").exists():  # noqa: ASYNC110 - a thread does it
        await asyncio.sleep(0)


async def test_code_does_not_stop_while_breakpoints_are_muted(talk) -> None:
    await stand_at_entry(talk, alone("stop_here"))
    await talk.body("breakpoints", breakpoints=[], muted=True)
    assert (await go(talk, "continue")).reason == "finished"


async def test_a_delivery_that_stands_in_code_is_done_by_a_step(talk) -> None:
    workflow = document(
        [node("a", "inc"), node("b", "stop_here"), node("c", "inc")],
        [{"id": "out", "kind": "fan_out", "source": "a", "targets": ["b", "c"]}],
    )
    await stand_at_entry(talk, workflow)
    await go(talk, "step")
    assert (await go(talk, "step", unit="delivery")).reason == "code"
    stopped = await go(talk, "step", unit="delivery")
    assert (stopped.reason, stopped.delivery.executor) == ("delivery", "c")
