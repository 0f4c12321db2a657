"""What the host says about the differences between two checkpoints."""

from pathlib import Path

import pytest

from tests.runtime.debug.talking import (
    Talk,
    asking,
    direct,
    document,
    lost_join,
    node,
    talking,
)


@pytest.fixture
async def talk(tmp_path: Path):
    async with talking(tmp_path) as talk:
        yield talk


async def run(talk: Talk, workflow):
    """Run a workflow until it stands, and return its headers."""
    await talk.open(workflow)
    await talk.body("start")
    await talk.until("stopped")
    return (await talk.body("timeline")).headers


async def test_a_message_that_a_join_took_is_moved_and_leads_to_the_join(talk) -> None:
    headers = await run(talk, lost_join())
    body = await talk.body("diff", base=headers[2].id, checkpoint_id=headers[3].id)
    (moved,) = [change for change in body.changes if change.kind == "moved"]
    assert (moved.section, moved.path, moved.edge) == ("joins", "sum ← b", "in")
    assert (moved.before, moved.after) == ("from b", "sum ← b")
    assert (moved.executor, moved.source) == ("sum", "b")


async def test_a_value_of_the_state_names_its_writer(talk) -> None:
    keep = {
        "id": "keep",
        "type": "set_state",
        "params": {"key": "seen", "value": "message"},
    }
    headers = await run(talk, document([node("a", "inc"), keep], [direct("a", "keep")]))
    body = await talk.body("diff", base=headers[0].id, checkpoint_id=headers[-1].id)
    (change,) = [change for change in body.changes if change.section == "state"]
    assert (change.kind, change.executor) == ("added", "keep")
    back = await talk.body("diff", base=headers[-1].id, checkpoint_id=headers[0].id)
    (change,) = [change for change in back.changes if change.section == "state"]
    assert (change.kind, change.executor) == ("removed", "keep")


async def test_a_question_that_one_branch_answered_is_changed(talk) -> None:
    asked = (await run(talk, asking()))[-1]
    await talk.body("answer", answers={"ask:2:0": "yes"})
    await talk.until("stopped")
    await talk.body("step")
    await talk.until("stopped")
    body = await talk.body("diff", base=asked.id)
    (change,) = [change for change in body.changes if change.section == "requests"]
    assert (change.kind, change.before, change.after) == (
        "changed",
        "open",
        "answered in s2",
    )
    assert change.executor == "ask"


async def test_the_facts_of_the_headers_are_told_and_count_as_no_difference(
    talk,
) -> None:
    headers = await run(talk, lost_join())
    body = await talk.body("diff", base=headers[0].id, checkpoint_id=headers[1].id)
    facts = [change.path for change in body.changes if change.section == "header"]
    assert facts == ["superstep", "cause"]
    assert body.count == len(body.changes) - len(facts)
