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


async def test_outputs_that_only_one_way_has_are_told(talk) -> None:
    """The outputs of the common past are the same, and in no section besides."""
    out = {"id": "out", "type": "output"}
    workflow = document([node("a", "inc"), out], [direct("a", "out")])
    headers = await run(talk, workflow)
    body = await talk.body("diff", base=headers[0].id, checkpoint_id=headers[-1].id)
    (output,) = [change for change in body.changes if change.section == "outputs"]
    assert (output.kind, output.executor, output.new.text) == ("added", "out", "2")
    assert body.outputs_compared
    sections = [change.section for change in body.changes]
    assert sections.index("outputs") < sections.index("header")
    back = await talk.body("diff", base=headers[-1].id, checkpoint_id=headers[0].id)
    assert [change.kind for change in back.changes if change.section == "outputs"] == [
        "removed"
    ]


async def test_outputs_that_take_too_long_to_read_are_left_out(tmp_path) -> None:
    store = f"sqlite:{tmp_path / 'runs.db'}"
    out = {"id": "out", "type": "output"}
    async with talking(tmp_path) as talk:
        workflow = document([node("a", "inc"), out], [direct("a", "out")])
        await talk.open(workflow, store)
        await talk.body("start")
        await talk.until("stopped")
        headers = (await talk.body("timeline")).headers
    async with talking(tmp_path) as talk:
        await talk.open(None, store)
        talk.host._questions.comparer.outputs_reading = 0
        body = await talk.body("diff", base=headers[0].id, checkpoint_id=headers[-1].id)
        sections = {change.section for change in body.changes}
        assert not body.outputs_compared
        assert "outputs" not in sections
        assert "executors" in sections


async def test_two_invocations_of_a_sub_workflow_are_compared(talk) -> None:
    keep = {
        "id": "keep",
        "type": "set_state",
        "params": {"key": "seen", "value": "message"},
    }
    ask = {"id": "ask", "type": "ask", "params": {"question": "Go on?"}}
    inner = document([keep, ask], [direct("keep", "ask")])
    sub = {"id": "sub", "type": "sub_workflow", "params": {"inline": inner}}
    workflow = document(
        [node("a", "inc"), node("b", "inc"), node("c", "double"), sub],
        [
            direct("a", "b"),
            direct("a", "c"),
            direct("b", "sub"),
            direct("c", "sub"),
        ],
    )
    last = (await run(talk, workflow))[-1]
    same = await talk.body(
        "diff", base=last.id, checkpoint_id=last.id, inside=["sub"], runs=["sub#2"]
    )
    assert (same.count, same.base_run) == (0, "sub#2")
    assert [run.key for run in same.base_runs] == ["sub#1", "sub#2"]
    other = await talk.body(
        "diff",
        base=last.id,
        base_run="sub#1",
        checkpoint_id=last.id,
        inside=["sub"],
        runs=["sub#2"],
    )
    assert other.base_run == "sub#1"
    (seen,) = [change for change in other.changes if change.section == "state"]
    assert (seen.old.text, seen.new.text) == ("3", "4")
    gone = await talk.body(
        "diff",
        base=last.id,
        base_run="sub#9",
        checkpoint_id=last.id,
        inside=["sub"],
    )
    assert gone.base_run == ""
    assert {change.kind for change in gone.changes if change.section == "state"} == {
        "added"
    }


async def test_a_checkpoint_of_another_store_is_compared_and_nothing_of_it_changes(
    tmp_path: Path,
) -> None:
    other = tmp_path / "other.db"
    wires = [direct("a", "b"), direct("b", "c")]
    theirs, ours = [
        document([node("a", "inc"), node("b", second), node("c", "inc")], wires)
        for second in ("inc", "double")
    ]
    async with talking(tmp_path) as talk:
        await talk.open(theirs, f"sqlite:{other}")
        await talk.body("start")
        await talk.until("stopped")
    before = other.read_bytes()
    url = f"sqlite:{other}"
    async with talking(tmp_path) as talk:
        headers = await run(talk, ours)
        (newest,) = (await talk.body("runs", store=url)).runs
        base = newest.latest.id
        body = await talk.body(
            "diff", base=base, base_store=url, checkpoint_id=headers[-1].id
        )
        assert {change.section for change in body.changes} >= {"graph"}
        parted = await talk.body(
            "divergence", base=base, base_store=url, checkpoint_id=headers[-1].id
        )
        assert (parted.equal, parted.reason.executor) == (2, "b")
        # A checkpoint of it is not in the store that is open.
        missing = await talk.ask("diff", base=base, checkpoint_id=headers[-1].id)
        assert not missing.success
        gone = await talk.ask("runs", store=f"sqlite:{tmp_path / 'gone.db'}")
        assert not gone.success
    assert other.read_bytes() == before
