"""A changed document beside a recorded run: what differs, until where it makes no
difference, and the run that goes on with it.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.runtime.debug.talking import (
    Talk,
    alone,
    direct,
    document,
    lost_join,
    node,
    talking,
)


@pytest.fixture
async def talk(tmp_path: Path) -> AsyncIterator[Talk]:
    async with talking(tmp_path) as talk:
        yield talk


async def run(talk: Talk, doc: dict[str, Any]) -> Any:
    """Run a document in a store that outlives `open`, and return where it stands."""
    await talk.open(doc, f"sqlite:{talk.folder / 'runs.db'}")
    await talk.body("start")
    return await talk.until("stopped")


async def open_again(talk: Talk, doc: dict[str, Any]) -> None:
    await talk.open(doc, f"sqlite:{talk.folder / 'runs.db'}")


async def changes(talk: Talk, doc: dict[str, Any], checkpoint_id: str) -> Any:
    return await talk.body(
        "graph_changes",
        document=doc,
        folder=str(talk.folder),
        checkpoint_id=checkpoint_id,
    )


def chain(third: str = "double", condition: str = "") -> dict[str, Any]:
    return document(
        [node("a", "inc"), node("b", "double"), node("c", third)],
        [direct("a", "b", condition), direct("b", "c")],
    )


async def test_an_unchanged_document_differs_in_nothing(talk) -> None:
    stopped = await run(talk, chain())
    body = await changes(talk, chain(), stopped.checkpoint_id)
    assert body.changes == ()
    assert body.before.id == stopped.checkpoint_id


async def test_a_changed_executor_makes_no_difference_before_its_first_call(
    talk,
) -> None:
    stopped = await run(talk, chain())
    body = await changes(talk, chain(third="inc"), stopped.checkpoint_id)
    assert [(item.element, item.id) for item in body.changes] == [("executor", "c")]
    assert body.before.superstep == 2


async def test_a_changed_edge_makes_no_difference_before_its_source_is_routed(
    talk,
) -> None:
    stopped = await run(talk, chain())
    body = await changes(talk, chain(condition="message > 5"), stopped.checkpoint_id)
    assert [(item.element, item.id) for item in body.changes] == [("edge", "ab")]
    assert body.before.superstep == 1


async def test_what_the_change_did_not_touch_is_kept_to_the_end(talk) -> None:
    doc = chain(condition="message > 5")
    stopped = await run(talk, doc)
    # b never ran, so another c changes nothing that is recorded.
    other = chain(third="inc", condition="message > 5")
    body = await changes(talk, other, stopped.checkpoint_id)
    assert body.before.id == stopped.checkpoint_id


async def test_a_failed_executor_is_repaired_from_where_the_run_stands(talk) -> None:
    stopped = await run(talk, alone("fail"))
    body = await changes(talk, alone("inc"), stopped.checkpoint_id)
    assert body.before.id == stopped.checkpoint_id


async def test_another_start_leads_back_to_the_input(talk) -> None:
    stopped = await run(talk, chain())
    doc = chain()
    doc["workflow"]["start"] = "b"
    body = await changes(talk, doc, stopped.checkpoint_id)
    assert body.before.superstep == 0


async def test_a_changed_reducer_makes_no_difference_before_the_first_write(
    talk,
) -> None:
    write = {"id": "c", "type": "set_state", "params": {"key": "seen"}}

    def writing(reducer: str) -> dict[str, Any]:
        return document(
            [node("a", "inc"), node("b", "double"), write],
            [direct("a", "b"), direct("b", "c")],
            reducers={"seen": f"steps:{reducer}"},
        )

    code = (talk.folder / "steps.py").read_text()
    more = "\ndef add(a, b):\n    return a + b\n\ndef last(a, b):\n    return b\n"
    (talk.folder / "steps.py").write_text(code + more)
    stopped = await run(talk, writing("add"))
    assert stopped.reason == "finished", stopped.text
    body = await changes(talk, writing("last"), stopped.checkpoint_id)
    assert [(item.element, item.id) for item in body.changes] == [("reducer", "seen")]
    assert body.before.superstep == 2


async def test_a_plan_says_what_is_kept_and_who_runs_and_changes_nothing(talk) -> None:
    stopped = await run(talk, chain())
    doc = chain(condition="message > 1")
    origin = await changes(talk, doc, stopped.checkpoint_id)
    await open_again(talk, doc)
    before = (talk.folder / "runs.db").read_bytes()
    plan = await talk.body("change_plan", checkpoint_id=origin.before.id)
    assert plan.problems == plan.dropped == ()
    assert "1 queued message" in plan.kept
    assert [(call.executor, call.sources) for call in plan.upcoming] == [("b", ("a",))]
    assert (talk.folder / "runs.db").read_bytes() == before


async def test_a_run_goes_on_with_the_changed_document_as_a_fork_that_says_so(
    talk,
) -> None:
    stopped = await run(talk, chain())
    doc = chain(third="fail")
    origin = await changes(talk, doc, stopped.checkpoint_id)
    await open_again(talk, doc)
    restored = await talk.body(
        "restore", checkpoint_id=origin.before.id, on_change="migrate"
    )
    assert (restored.header.cause, restored.header.parent) == ("edit", origin.before.id)
    assert "steps:fail" in restored.header.changed
    await talk.until("stopped")
    await talk.body("continue")
    assert (await talk.until("stopped")).executor == "c"


async def test_what_has_no_place_is_refused_and_a_mapping_decides_it(talk) -> None:
    stopped = await run(talk, lost_join())
    headers = (await talk.body("timeline", run_id=stopped.run_id)).headers
    holding = next(header for header in headers if header.buffered)
    doc = document(
        [node("a", "inc"), node("b", "double"), node("e", "inc")],
        [direct("a", "b"), direct("b", "e")],
    )
    await open_again(talk, doc)
    plan = await talk.body("change_plan", checkpoint_id=holding.id)
    assert any(thing.executor == "in" for thing in plan.problems)
    assert plan.levels[0].executors == ("a", "b", "e")
    refused = await talk.ask("restore", checkpoint_id=holding.id, on_change="migrate")
    assert refused.error_type == "MigrationRefusedError"
    mapping = {
        "executors": {"c": None, "d": None, "sum": None},
        "joins": {"in": {"send_to": "e"}},
    }
    plan = await talk.body("change_plan", checkpoint_id=holding.id, mapping=mapping)
    assert plan.problems == ()
    assert "e" in [call.executor for call in plan.upcoming]
    restored = await talk.body(
        "restore", checkpoint_id=holding.id, on_change="migrate", mapping=mapping
    )
    assert restored.header.cause == "edit"


async def test_a_change_inside_a_file_counts_from_the_first_call_inside(talk) -> None:
    def child(function: str) -> None:
        doc = document(
            [node("x", "inc"), node("y", function), {"id": "end", "type": "output"}],
            [direct("x", "y"), direct("y", "end")],
        )
        (talk.folder / "child.json").write_text(json.dumps(doc))

    sub = {"id": "sub", "type": "sub_workflow", "params": {"file": "child.json"}}
    doc = document([node("a", "inc"), sub], [direct("a", "sub")])
    child("inc")
    stopped = await run(talk, doc)
    child("double")
    body = await changes(talk, doc, stopped.checkpoint_id)
    assert [(item.inside, item.id) for item in body.changes] == [(("sub",), "y")]
    # a in superstep 1, x in 2, the child's y in the one after this checkpoint.
    assert body.before.superstep == 3


async def test_a_python_file_that_was_saved_since_counts_from_its_first_call(
    talk,
) -> None:
    (talk.folder / "late.py").write_text("def late(message: int) -> int: return 1")
    late = {"id": "c", "type": "python_function", "params": {"function": "late:late"}}
    doc = document(
        [node("a", "inc"), node("b", "double"), late],
        [direct("a", "b"), direct("b", "c")],
    )
    stopped = await run(talk, doc)
    saved_at = time.time() + 60
    os.utime(talk.folder / "late.py", (saved_at, saved_at))
    body = await changes(talk, doc, stopped.checkpoint_id)
    assert [(item.id, item.field) for item in body.changes] == [("c", "code")]
    assert "late.py was saved after the run" in body.changes[0].text
    assert body.before.superstep == 2
    await open_again(talk, doc)
    plan = await talk.body("change_plan", checkpoint_id=body.before.id)
    assert [item.id for item in plan.changes] == ["c"]
