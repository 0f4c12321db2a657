"""A patch makes a fork with a name, which keeps the patch; the past stays byte for byte."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from runtime.checkpoint import COMMON_FORMAT, FORMAT_VERSION, Cause
from runtime.checkpoints.archive import Archive
from runtime.engine.forecast import next_superstep
from runtime.engine.runner import Runner
from runtime.errors import (
    PatchRefusedError,
    SignatureMismatchError,
    WorkflowCheckpointException,
)
from runtime.patches import Patch
from runtime.stores import open_store
from tests.runtime.migration.changed_graphs import UNEVEN, run_of
from tests.runtime.patches.runs import (
    Note,
    Recorded,
    asking,
    joining,
    patch_of,
    texts,
)

EDIT = {"do": "set", "section": "state", "key": "x", "value": 1}
STARS = {
    "do": "set",
    "section": "queue",
    "spot": {"place": 0},
    "path": ("stars",),
    "value": 5,
}


@pytest.fixture(params=["memory:", "sqlite:{}/runs.db"])
async def recorded(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    store = open_store(request.param.format(tmp_path))
    yield await Recorded.of(joining(), store)
    await store.close()


async def test_a_patch_makes_a_named_fork_that_keeps_it(recorded: Recorded) -> None:
    before = await recorded.bytes()
    runner = recorded.runner()
    patch = patch_of(EDIT, STARS, name="more stars", note="why not")
    await runner.restore(recorded.at(2), patch=patch)
    header = runner.header
    assert header is not None
    assert (header.cause, header.parent) == (Cause.EDIT, recorded.at(2))
    assert (header.branch, header.edited) == ("more stars", "2 changes")
    assert header.format == FORMAT_VERSION
    assert [item.format for item in recorded.headers] == [COMMON_FORMAT] * 5
    kept = await Archive(recorded.store).view(header.id)
    assert kept.patch is not None
    assert Patch.model_validate(kept.patch).changes[0].value == 1
    assert kept.patch["made_for"] == recorded.at(2)
    assert kept.state.queue[0].data.fields["stars"] == 5
    await runner.finish()
    assert await recorded.bytes() == before


async def test_the_name_of_a_patch_is_numbered_where_it_is_taken(
    recorded: Recorded,
) -> None:
    branches = []
    for branch in ("", "", "own", ""):
        runner = recorded.runner()
        patch = patch_of(EDIT, name="try")
        await runner.restore(recorded.at(1), patch=patch, branch=branch)
        branches.append(runner.branch)
    assert branches == ["try", "try 2", "own", "try 3"]
    with pytest.raises(WorkflowCheckpointException, match="'own' already"):
        await recorded.runner().restore(
            recorded.at(1), patch=patch_of(EDIT), branch="own"
        )


async def test_the_patch_that_a_fork_keeps_makes_the_same_again(
    recorded: Recorded,
) -> None:
    runner = recorded.runner()
    await runner.restore(recorded.at(2), patch=patch_of(EDIT, STARS))
    assert runner.header is not None
    kept = await Archive(recorded.store).view(runner.header.id)
    again = recorded.runner()
    await again.restore(recorded.at(2), patch=Patch.model_validate(kept.patch))
    assert again.state == runner.state


async def test_what_was_loaded_is_not_what_runs() -> None:
    recorded = await Recorded.of(joining())
    plan = await recorded.plan(2, EDIT)
    runner = recorded.runner()
    await runner.restore(recorded.at(2), patch=plan.patch)
    plan.before.state.queue[0].data.stars = 99
    assert runner.state.queue[0].data.stars == 1


async def test_a_changed_workflow_goes_on_patched() -> None:
    store, headers = await run_of(UNEVEN)
    nodes = {**UNEVEN.nodes, "late": "adder"}
    changed = replace(UNEVEN, nodes=nodes, direct=(*UNEVEN.direct, ("e", "late", 0)))
    runner = Runner(changed.build(), store)
    patch = patch_of({**STARS, "path": (), "value": 50})
    with pytest.raises(SignatureMismatchError):
        await runner.restore(headers[1].id, patch=patch)
    await runner.restore(headers[1].id, on_change="migrate", patch=patch)
    assert runner.header is not None
    kept = await Archive(store).view(runner.header.id)
    assert (kept.change is None, kept.patch is None) == (False, False)
    assert [message.data for message in runner.state.queue] == [50]


async def test_a_fork_in_a_fork_inside_a_sub_workflow_leaves_all_before_as_it_was(
    tmp_path: Path,
) -> None:
    store = open_store(f"sqlite:{tmp_path}/runs.db")
    recorded = await Recorded.of(asking(), store)
    inside = {"section": "queue", "spot": {"place": 0}, "run": ("review#1",)}
    first = recorded.runner()
    title = {**inside, "do": "set", "path": ("title",), "value": "one"}
    await first.restore(recorded.at(2), patch=patch_of(title, name="outer"))
    assert first.header is not None
    recorded.headers.append(first.header)
    kept = await recorded.bytes()
    second = recorded.runner()
    twice = {**inside, "do": "duplicate"}
    other = {**title, "spot": {"added": "c1"}, "value": "two"}
    await second.restore(first.header.id, patch=patch_of(twice, other, name="inner"))
    assert second.header is not None
    assert second.header.parent == first.header.id
    await second.finish()
    await first.finish()
    assert list(first.state.requests) == ["one"]
    assert list(second.state.requests) == ["one", "two"]
    assert await recorded.bytes() == kept
    await store.close()


@pytest.mark.parametrize("url", ["sqlite:{}/runs.db", "dir:{}/runs"])
async def test_planning_changes_no_byte_of_a_store(tmp_path: Path, url: str) -> None:
    store = open_store(url.format(tmp_path))
    recorded = await Recorded.of(joining(), store)
    await store.close()
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    reading = open_store(url.format(tmp_path), read_only=True)
    plan = await Runner(recorded.workflow, reading).plan_patch(
        recorded.at(2), patch_of(EDIT, STARS)
    )
    await next_superstep(recorded.workflow, plan.after.state, plan.history)
    await reading.close()
    after = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert after == before


# --- on other checkpoints -----------------------------------------------------------------------------------------


async def guarded(recorded: Recorded, *changes: dict[str, Any]) -> Patch:
    """Return the patch as it is kept: with what stood in the original."""
    return (await recorded.plan(2, *changes)).patch


async def with_message_in_front(recorded: Recorded) -> str:
    runner = recorded.runner()
    front = {"do": "add", "section": "queue", "source": "right", "to": 0}
    patch = patch_of({**front, "value": {"text": "front"}})
    await runner.restore(recorded.at(2), patch=patch)
    assert runner.header is not None
    return runner.header.id


async def test_on_another_checkpoint_a_message_is_found_by_what_it_is() -> None:
    recorded = await Recorded.of(joining())
    patch = await guarded(recorded, STARS)
    other = await with_message_in_front(recorded)
    plan = await recorded.runner().plan_patch(other, patch)
    assert (plan.problems, plan.warnings) == ((), ())
    assert [message.data.stars for message in plan.after.state.queue] == [0, 5, 1]


async def test_two_equal_messages_are_two() -> None:
    recorded = await Recorded.of(joining())
    twice = {"do": "duplicate", "section": "queue", "spot": {"place": 0}}
    runner = recorded.runner()
    await runner.restore(recorded.at(2), patch=patch_of(twice))
    assert runner.header is not None
    drop = {"do": "drop", "section": "queue"}
    first = {**drop, "spot": {"place": 0}}
    second = {**drop, "spot": {"place": 1}}
    plan = await runner.plan_patch(runner.header.id, patch_of(first, second))
    other = await with_message_in_front(recorded)
    again = await recorded.runner().plan_patch(other, plan.patch)
    # There is one of the two there.
    [text] = texts(again)
    assert "No message of 'left'" in text
    assert len(again.after.state.queue) == 2


async def test_a_message_of_another_value_at_the_same_place_is_a_warning() -> None:
    recorded = await Recorded.of(joining())
    patch = await guarded(recorded, STARS)
    runner = recorded.runner()
    text = {**STARS, "path": ("text",), "value": "else"}
    await runner.restore(recorded.at(2), patch=patch_of(text))
    assert runner.header is not None
    plan = await runner.plan_patch(runner.header.id, patch)
    assert plan.problems == ()
    assert "another value" in plan.warnings[0].text
    assert plan.after.state.queue[0].data == Note(text="else", stars=5)


async def test_a_message_that_is_not_there_is_a_problem() -> None:
    recorded = await Recorded.of(joining())
    patch = await guarded(recorded, STARS)
    plan = await recorded.runner().plan_patch(recorded.at(3), patch)
    assert texts(plan) == [
        "No message of 'left' waits in the queue that is like the one at place 0 that the patch was made for."
    ]
    with pytest.raises(PatchRefusedError):
        await recorded.runner().restore(recorded.at(3), patch=patch)


async def test_another_value_in_the_state_is_a_warning() -> None:
    recorded = await Recorded.of(joining())
    change = {**EDIT, "key": "counts", "path": ("tasks", 0)}
    patch = await guarded(recorded, change)
    runner = recorded.runner()
    await runner.restore(recorded.at(2), patch=patch_of({**change, "value": 50}))
    assert runner.header is not None
    plan = await runner.plan_patch(runner.header.id, patch)
    assert plan.problems == ()
    assert "another one" in plan.warnings[0].text


# --- what comes next ----------------------------------------------------------------------------------------------


async def test_the_forecast_says_who_runs_what_fires_what_waits_and_what_is_lost() -> (
    None
):
    recorded = await Recorded.of(joining())
    lost = {"do": "add", "section": "queue", "source": "merge", "value": 1}
    plan = await recorded.plan(3, lost)
    forecast = await next_superstep(recorded.workflow, plan.after.state, plan.history)
    assert [(call.name, call.calls) for call in forecast.delivered] == [("merge", 1)]
    [fires] = forecast.fires
    assert (fires.target_id, fires.counts) == ("merge", (("left", 1), ("late", 1)))
    [item] = forecast.lost
    assert (item.source, item.reason, item.count) == ("merge", "no edge", 1)
    drop = {"do": "drop", "section": "queue", "spot": {"place": 0}}
    plan = await recorded.plan(3, drop)
    forecast = await next_superstep(recorded.workflow, plan.after.state, plan.history)
    assert forecast.delivered == ()
    [waits] = forecast.starves
    assert dict(waits.held) == {"left": 1, "late": 0}
    assert waits.missing == (("late", "ran, and sent nothing here since"),)


async def test_the_forecast_counts_the_questions_that_stay_open() -> None:
    recorded = await Recorded.of(asking())
    answer = {"do": "answer", "section": "requests", "key": "ship"}
    for changes, left in (
        ([EDIT], 1),
        ([{**answer, "value": {"accepted": True}}], 0),
        ([{"do": "withdraw", "section": "requests", "key": "ship"}], 0),
    ):
        plan = await recorded.plan(3, *changes)
        forecast = await next_superstep(recorded.workflow, plan.after.state)
        assert forecast.requests_left == left
