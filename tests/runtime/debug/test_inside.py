"""Inside of sub-workflows while a run stands and moves: who runs there, what failed
there, and values of its state.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from runtime.debug.session.activity import Activity
from runtime.debug.session.notices import Notices
from runtime.events import RunEvent, RunEventKind
from tests.runtime.debug.talking import direct, document, talking

PATH = ("sub#1", "deep#2")


def heard(*events: tuple[RunEventKind, tuple[str, ...], dict[str, Any]]) -> Activity:
    activity = Activity(Notices(lambda _notice: None), lambda: 5.0)
    for number, (kind, path, data) in enumerate(events):
        activity(RunEvent(number, 0.0, kind, 1, path, data))
    return activity


STARTED = RunEventKind.HANDLER_STARTED
ENDED = RunEventKind.HANDLER_ENDED
FAILED = RunEventKind.HANDLER_FAILED


def test_a_handler_inside_runs_on_each_level_under_the_name_that_it_has_there() -> None:
    activity = heard(
        (STARTED, PATH, {"executor": "ask"}),
        (ENDED, ("sub#1",), {"executor": "a", "seconds": 2.0}),
    )
    progress = activity.progress()
    assert progress is not None
    assert progress.running.keys() == {"sub"}
    assert progress.inside["sub#1"].running.keys() == {"deep"}
    assert progress.inside["sub#1"].done == {"a": 2.0}
    assert progress.inside["sub#1/deep#2"].running.keys() == {"ask"}
    assert activity.live(PATH).running.keys() == {"ask"}
    assert activity.live(("sub#1", "deep#3")).running == {}


def test_what_failed_inside_is_failed_there_and_above_and_in_no_other_run() -> None:
    activity = heard(
        (FAILED, PATH, {"executor": "ask", "error": "no", "error_type": "ValueError"})
    )
    lives = [activity.live(path) for path in ((), ("sub#1",), PATH, ("sub#2",))]
    assert [live.failed for live in lives] == ["sub", "deep", "ask", ""]
    assert [live.error for live in lives] == ["no", "no", "no", ""]


async def test_the_host_shows_the_state_inside_live_and_in_the_past_and_values_of_it(
    tmp_path: Path,
) -> None:
    inner = document(
        [
            {
                "id": "keep",
                "type": "set_state",
                "params": {"key": "seen", "value": "message"},
            },
            {"id": "ask", "type": "ask", "params": {"question": "Go on?"}},
            {"id": "out", "type": "output"},
        ],
        [direct("keep", "ask"), direct("ask", "out")],
    )
    outer = document(
        [
            {"id": "in", "type": "input"},
            {"id": "sub", "type": "sub_workflow", "params": {"inline": inner}},
        ],
        [direct("in", "sub")],
        input={"deep": {"deeper": [1, 2, 3]}},
    )
    async with talking(tmp_path) as talk:
        await talk.open(outer)
        await talk.body("start")
        await talk.body("continue")
        stopped = await talk.until("stopped")
        assert stopped.reason == "waiting"
        for checkpoint in (None, stopped.checkpoint_id):
            seen = await talk.body("inspect", checkpoint_id=checkpoint, inside=["sub"])
            assert seen.inside.moment.nodes["ask"].state == "asking"
            assert [child[0] for child in seen.inside.moment.state.children] == ["seen"]
            assert seen.inside.moment.header == seen.header
            value = await talk.body(
                "expand",
                checkpoint_id=checkpoint,
                section="state",
                path=[0, 0, 0],
                inside=["sub"],
                runs=["sub#1"],
            )
            assert value.count == 3
