"""A run goes on delivery by delivery, and stands inside a superstep."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.runtime.debug.stops.support import (
    checkpoints,
    fan,
    go,
    stand_at_entry,
    standing,
    states,
)
from tests.runtime.debug.talking import Talk, alone, asking, talking


@pytest.fixture
async def talk(tmp_path: Path):
    async with talking(tmp_path) as talk:
        yield talk


async def stand_inside(talk: Talk) -> None:
    """Stand in superstep 2 of `fan`, with one of three deliveries done."""
    await stand_at_entry(talk, fan())
    await go(talk, "step")
    await go(talk, "step", unit="delivery")


async def test_a_step_of_a_delivery_does_one_and_stands_before_the_next(talk) -> None:
    await stand_inside(talk)
    stopped = talk.host.stopped
    assert (stopped.reason, stopped.superstep) == ("delivery", 1)
    place = stopped.delivery
    assert (place.executor, place.place, place.of) == ("c", 2, 3)
    assert await states(talk) == {"b": "done", "c": "next", "d": "waiting"}


async def test_what_a_done_delivery_has_sent_is_seen_before_the_barrier(talk) -> None:
    await stand_inside(talk)
    await go(talk, "step", unit="delivery")
    inside = await standing(talk)
    done = inside.deliveries[1]
    assert (inside.superstep, done.state, done.sources) == (2, "done", ("a",))
    assert [value.text for value in done.messages] == ["2"]
    assert [item.value.text for item in done.sent] == ["4"]
    assert inside.deliveries[2].sent == ()


async def test_nothing_of_a_superstep_is_saved_before_its_last_delivery(talk) -> None:
    await stand_inside(talk)
    before = await checkpoints(talk)
    await go(talk, "step", unit="delivery")
    assert await checkpoints(talk) == before
    stopped = await go(talk, "step", unit="delivery")
    assert (stopped.reason, stopped.superstep, stopped.delivery) == ("step", 2, None)
    assert await checkpoints(talk) == before + 1
    assert (await talk.body("inspect")).standing is None


async def test_several_deliveries_are_counted_over_supersteps(talk) -> None:
    await stand_at_entry(talk, fan())
    stopped = await go(talk, "step", unit="delivery", count=3)
    assert (stopped.superstep, stopped.delivery.executor) == (1, "d")
    stopped = await go(talk, "step", unit="delivery", count=10)
    assert stopped.reason == "finished"


async def test_a_superstep_is_finished_from_inside(talk) -> None:
    await stand_inside(talk)
    stopped = await go(talk, "step")
    assert (stopped.reason, stopped.superstep) == ("step", 2)
    assert (await go(talk, "continue")).reason == "finished"


async def test_continue_goes_on_from_inside(talk) -> None:
    await stand_inside(talk)
    stopped = await go(talk, "continue")
    assert (stopped.reason, stopped.superstep) == ("finished", 4)


async def test_out_of_no_sub_workflow_goes_to_the_barrier(talk) -> None:
    await stand_inside(talk)
    stopped = await go(talk, "step", unit="out")
    assert (stopped.reason, stopped.superstep) == ("step", 2)


async def test_stop_inside_leaves_the_last_barrier(talk) -> None:
    await stand_inside(talk)
    before = await checkpoints(talk)
    stopped = await go(talk, "stop")
    assert (stopped.reason, stopped.superstep) == ("cancelled", 1)
    assert await checkpoints(talk) == before
    assert (await talk.body("inspect")).standing is None
    assert (await go(talk, "continue")).superstep == 4


async def test_start_inside_begins_another_run(talk) -> None:
    await stand_inside(talk)
    stopped = await go(talk, "start")
    assert (stopped.reason, stopped.superstep) == ("finished", 4)


async def test_restore_inside_goes_to_the_checkpoint(talk) -> None:
    await stand_inside(talk)
    header = (await talk.body("inspect")).header
    stopped = await go(talk, "restore", checkpoint_id=header.id)
    assert (stopped.reason, stopped.superstep) == ("restored", 1)
    assert (await talk.body("inspect")).standing is None
    assert (await go(talk, "continue")).reason == "finished"


async def test_a_refused_restore_leaves_the_run_where_it_stands(talk) -> None:
    await stand_inside(talk)
    assert not (await talk.ask("restore", checkpoint_id="gone")).success
    assert (await states(talk))["c"] == "next"
    assert (await go(talk, "continue")).reason == "finished"


async def test_open_inside_gives_the_superstep_up(talk) -> None:
    await stand_inside(talk)
    await talk.open(alone("inc"))
    assert (await talk.body("inspect")).standing is None
    assert (talk.host.stopped.reason, talk.host.stopped.delivery) == ("cancelled", None)
    assert (await go(talk, "start")).superstep == 3


async def test_pause_inside_changes_nothing(talk) -> None:
    await stand_inside(talk)
    await talk.body("pause")
    assert (await states(talk))["c"] == "next"
    assert (await go(talk, "continue")).reason == "finished"


async def test_an_answer_inside_is_refused_with_what_to_do(talk) -> None:
    await stand_at_entry(talk, asking(), {"kind": "after", "where": "ask"})
    await go(talk, "continue")
    reply = await talk.ask("answer", answers={"x": 1})
    assert "Step to the barrier" in reply.message
    assert (await go(talk, "continue")).reason == "waiting"


async def test_the_host_ends_while_the_run_stands_inside(tmp_path: Path) -> None:
    async with talking(tmp_path) as talk:
        await stand_inside(talk)
    async with talking(tmp_path) as talk:
        await stand_inside(talk)
        await talk.body("shutdown")


async def test_a_value_inside_is_expanded(talk) -> None:
    await stand_inside(talk)
    (item,) = (await standing(talk)).deliveries[0].sent
    body = await talk.body("expand", section=item.section)
    assert (body.count, body.children) == (0, ())
    reply = await talk.ask("expand", section="delivery:1:sent:9")
    assert not reply.success
