"""A patch over a checkpoint in the host: its plan is what is to be seen, and the fork goes
on as it says.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.runtime.debug.talking import Talk, asking, lost_join, talking


@pytest.fixture
async def talk(tmp_path: Path) -> AsyncIterator[Talk]:
    async with talking(tmp_path) as talk:
        yield talk


async def ids_of(talk: Talk, document: dict[str, Any]) -> list[str]:
    """Run a document to its rest, and return the ids of its checkpoints."""
    await talk.open(document)
    await talk.body("start")
    await talk.until("stopped")
    body = await talk.body("timeline")
    return [header.id for header in body.headers]


def patch(*changes: dict[str, Any], **fields: Any) -> dict[str, Any]:
    numbered = [
        {"id": f"c{number}", **change} for number, change in enumerate(changes, 1)
    ]
    return {"changes": numbered, **fields}


def of_queue(do: str, place: int, **more: Any) -> dict[str, Any]:
    return {"do": do, "section": "queue", "spot": {"place": place}, **more}


async def test_the_plan_shows_the_patched_state_as_at_a_live_barrier(talk) -> None:
    ids = await ids_of(talk, lost_join())
    draft = patch(
        {"do": "set", "section": "state", "key": "x", "value": [1]},
        of_queue("set", 0, value=7),
        of_queue("drop", 1),
        of_queue("drop", 9),
    )
    body = await talk.body("patch_plan", checkpoint_id=ids[2], patch=draft)
    [problem] = body.problems
    assert (problem.change, problem.text[:19]) == ("c4", "There is no place 9")
    moment = body.moment
    assert moment.decided
    assert moment.header.id == ids[2]
    assert [message.data.text for message in moment.messages] == ["7"]
    assert [name for name, _ in moment.state.children] == ["x"]
    assert moment.nodes["d"].state != "next"
    # The message of c is gone, so nothing completes the join.
    assert body.upcoming == ()
    [starves] = body.starves
    assert (starves.target, dict(starves.counts)) == ("sum", {"b": 1, "d": 0})
    assert starves.missing == ("d",)


async def test_a_value_of_the_draft_is_expanded_as_the_patch_leaves_it(talk) -> None:
    ids = await ids_of(talk, lost_join())
    draft = patch({"do": "set", "section": "state", "key": "x", "value": {"a": [1, 2]}})
    body = await talk.body(
        "expand",
        checkpoint_id=ids[2],
        section="state",
        path=[0, 0],
        patch=draft,
    )
    assert [value.text for _, value in body.children] == ["1", "2"]


async def test_a_plan_changes_no_checkpoint(talk) -> None:
    ids = await ids_of(talk, lost_join())
    before = [await talk.host._session.store.load(id_) for id_ in ids]
    await talk.body(
        "patch_plan", checkpoint_id=ids[2], patch=patch(of_queue("drop", 0))
    )
    assert [await talk.host._session.store.load(id_) for id_ in ids] == before
    assert len((await talk.body("timeline")).headers) == len(ids)


async def test_an_applied_patch_is_a_named_fork_that_does_what_was_planned(
    talk,
) -> None:
    ids = await ids_of(talk, lost_join())
    draft = patch(of_queue("set", 1, value=100), name="hundred")
    body = await talk.body("patch_plan", checkpoint_id=ids[2], patch=draft)
    planned = [(call.executor, call.calls) for call in body.upcoming]
    restored = await talk.body("restore", checkpoint_id=ids[2], patch=draft)
    header = restored.header
    assert (header.branch, header.edited, header.parent) == (
        "hundred",
        "1 change",
        ids[2],
    )
    await talk.until("stopped")
    await talk.body("step")
    stopped = await talk.until("stopped")
    superstep = await talk.body("superstep", checkpoint_id=stopped.checkpoint_id)
    assert [(calls.node, len(calls.calls)) for calls in superstep.ran] == planned


async def test_a_patched_run_parts_at_the_edit_and_its_past_counts_once(talk) -> None:
    ids = await ids_of(talk, lost_join())
    draft = patch(of_queue("set", 1, value=100))
    restored = await talk.body("restore", checkpoint_id=ids[2], patch=draft)
    edited = restored.header.id
    divergence = await talk.body("divergence", base=ids[-1], checkpoint_id=edited)
    assert divergence.reason.text == "The run was edited"
    assert (divergence.equal_base, divergence.first_other) == (ids[2], edited)
    node = await talk.body("node", checkpoint_id=edited, node="b")
    assert [turn.superstep for turn in node.turns] == [2]


async def test_a_patch_with_a_problem_is_refused_and_the_run_stays(talk) -> None:
    ids = await ids_of(talk, lost_join())
    reply = await talk.ask(
        "restore", checkpoint_id=ids[2], patch=patch(of_queue("drop", 9))
    )
    assert not reply.success
    assert "c1: There is no place 9" in reply.message
    assert len((await talk.body("timeline")).headers) == len(ids)


async def test_a_change_is_checked_and_completed_as_it_is_typed(talk) -> None:
    ids = await ids_of(talk, lost_join())
    change = {"id": "c1", **of_queue("set", 0, value="seven")}
    body = await talk.body("patch_parse", checkpoint_id=ids[1], change=change)
    [problem] = body.problems
    assert "takes no str" in problem.text
    assert body.types == ("int",)
    assert (body.change.spot.source, body.change.spot.was) == ("a", 2)
    change = {"id": "c1", **of_queue("set", 0, value=8)}
    body = await talk.body("patch_parse", checkpoint_id=ids[1], change=change)
    assert (body.problems, body.value.text) == ((), "8")


async def test_a_secret_is_no_guard(talk) -> None:
    ids = await ids_of(talk, lost_join())
    change = {"do": "set", "section": "state", "key": "api_key", "value": "old"}
    restored = await talk.body("restore", checkpoint_id=ids[2], patch=patch(change))
    body = await talk.body(
        "patch_parse", checkpoint_id=restored.header.id, change={"id": "c1", **change}
    )
    assert body.change.was is None


async def test_an_answer_is_checked_by_the_schema_of_its_question(talk) -> None:
    ids = await ids_of(talk, asking())
    inspected = await talk.body("inspect", checkpoint_id=ids[-1])
    key = inspected.requests[0].id
    change = {"id": "c1", "do": "answer", "section": "requests", "key": key}
    wrong = await talk.body(
        "patch_parse", checkpoint_id=ids[-1], change={**change, "value": 5}
    )
    assert wrong.problems
    assert wrong.types == ("str",)
    draft = {"changes": [{**change, "value": "yes"}]}
    body = await talk.body("patch_plan", checkpoint_id=ids[-1], patch=draft)
    assert (body.problems, body.requests_left) == ((), 0)
    assert [call.executor for call in body.upcoming] == ["ask"]
