"""What the debugger shows of attempts, error edges, and of a node that is cancelled
while others go on.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.runtime.debug.talking import Talk, direct, document, node, talking

ERROR = {"kind": "on_error", "id": "err", "source": "b", "target": "told"}


def flow(function: str, *edges: dict[str, Any], **policy: Any) -> dict[str, Any]:
    """a sends to b, whose function may fail; told gets failures, if an edge leads
    there, and c what b sends.
    """
    b = {**node("b", function), **policy}
    told = [{"id": "told", "type": "output", "name": "TOLD"}] if edges else []
    return document(
        [node("a", "inc"), b, *told, node("c", "inc")],
        [direct("a", "b"), direct("b", "c"), *edges],
    )


async def finished(talk: Talk, doc: dict[str, Any]) -> Any:
    await talk.open(doc)
    await talk.body("start")
    return await talk.until("stopped")


async def test_a_taken_failure_is_shown_where_and_when_it_was(tmp_path: Path) -> None:
    async with talking(tmp_path) as talk:
        stopped = await finished(
            talk, flow("fail", ERROR, retry={"attempts": 3, "backoff": 0})
        )
        assert (stopped.reason, stopped.superstep) == ("finished", 3)
        headers = (await talk.body("timeline")).headers
        failed = await talk.body("inspect", checkpoint_id=headers[2].id)
        assert (failed.nodes["b"].state, failed.nodes["b"].detail) == (
            "failed",
            "ValueError",
        )
        assert failed.nodes["b"].error == "ValueError: cannot take 2"
        # On its way: along the error edge, and along no other.
        assert failed.edges["err"].queued == (("b", "told", 1),)
        assert "bc" not in failed.edges
        assert failed.nodes["told"].state == "next"
        last = await talk.body("inspect", checkpoint_id=headers[3].id)
        assert last.edges["err"].delivered == (("b", "told", 1),)
        # It stays a failure for as long as the run lives, and one that the run has
        # dealt with.
        assert (
            last.nodes["b"].state,
            last.nodes["b"].detail,
            last.nodes["b"].handed_on,
        ) == ("failed", "s2", True)
        body = await talk.body("node", checkpoint_id=headers[2].id, node="b")
        assert [(call.attempt, call.error) for call in body.calls] == [
            (number, "ValueError: cannot take 2") for number in (1, 2, 3)
        ]
        assert [[item.value.text for item in call.received] for call in body.calls] == [
            ["2"]
        ] * 3
        assert [len(call.sent) for call in body.calls] == [0, 0, 1]
        assert body.turns[0].calls == 3


async def test_a_condition_that_fails_when_it_is_asked_of_a_failure_is_told_with_that_failure(
    tmp_path: Path,
) -> None:
    async with talking(tmp_path) as talk:
        stopped = await finished(
            talk, flow("fail", {**ERROR, "condition": "message.nothere == 1"})
        )
        assert (stopped.reason, stopped.error_type, stopped.executor) == (
            "failed",
            "ConditionError",
            "",
        )
        assert stopped.text.startswith("Condition 'message.nothere == 1' failed")
        assert stopped.before == "b: ValueError: cannot take 2"
        assert "ValueError: cannot take 2" in stopped.traceback
        assert "in the condition of error edge 'err'" in stopped.traceback
        assert (await talk.body("inspect")).nodes["b"].error == "cannot take 2"


async def test_events_tell_of_each_attempt(tmp_path: Path) -> None:
    async with talking(tmp_path) as talk:
        await talk.open(flow("fail", ERROR, retry={"attempts": 2, "backoff": 0.001}))
        await talk.body("start")
        heard = await talk.collect("stopped")
        texts = [
            item.text
            for notice in heard
            if notice.event == "event"
            for item in notice.body.events
        ]
        assert "b got 1 message, attempt 1 of 2" in texts
        assert (
            "attempt 1 of 2 of b failed: ValueError: cannot take 2; waits 0.001 s"
            in texts
        )
        assert "b failed: ValueError: cannot take 2; an error edge takes it" in texts


async def test_a_node_that_hangs_is_cancelled_and_the_run_goes_on(
    tmp_path: Path,
) -> None:
    async with talking(tmp_path) as talk:
        await talk.open(flow("nap", ERROR))
        await talk.body("start")
        while "b" not in (await talk.until("progress")).running:
            pass
        refused = await talk.ask("cancel", executor="a")
        assert (refused.success, refused.message) == (
            False,
            "Executor 'a' does not run just now, so there is nothing to cancel.",
        )
        await talk.body("cancel", executor="b")
        stopped = await talk.until("stopped")
        assert (stopped.reason, stopped.superstep) == ("finished", 3)
        (output,) = (await talk.body("outputs")).items
        assert "ExecutorCancelledError" in str(output.value)


async def test_while_it_is_tried_again_progress_says_which_attempt_it_is(
    tmp_path: Path,
) -> None:
    async with talking(tmp_path) as talk:
        await talk.open(flow("fail", retry={"attempts": 5, "backoff": 60}))
        await talk.body("start")
        progress = await talk.until("progress")
        while not (progress.attempts.get("b") and progress.attempts["b"].wait):
            progress = await talk.until("progress")
        attempt = progress.attempts["b"]
        assert (attempt.number, attempt.most, attempt.error, attempt.wait) == (
            1,
            5,
            "ValueError: cannot take 2",
            60,
        )
        await talk.body("cancel", executor="b")
        stopped = await talk.until("stopped")
        assert (stopped.reason, stopped.executor, stopped.error_type) == (
            "failed",
            "b",
            "ExecutorCancelledError",
        )


async def test_in_a_sub_workflow_every_run_of_a_node_is_cancelled(
    tmp_path: Path,
) -> None:
    inner = document(
        [node("x", "nap"), {"id": "out", "type": "output"}], [direct("x", "out")]
    )
    sub = {"id": "sub", "type": "sub_workflow", "params": {"inline": inner}}
    told = {"id": "told", "type": "output"}
    error = {"kind": "on_error", "id": "err", "source": "sub", "target": "told"}
    async with talking(tmp_path) as talk:
        await talk.open(
            document([node("a", "inc"), sub, told], [direct("a", "sub"), error])
        )
        await talk.body("start")
        while not (await talk.until("progress")).inside:
            pass
        await talk.body("cancel", executor="x", inside=["sub"])
        assert (await talk.until("stopped")).reason == "finished"
        (output,) = (await talk.body("outputs")).items
        assert "sub#1/x" in str(output.value)


async def test_a_join_waits_for_a_node_that_failed(tmp_path: Path) -> None:
    join = {"kind": "fan_in", "id": "in", "sources": ["b", "c"], "target": "sum"}
    fan = {"kind": "fan_out", "id": "out", "source": "a", "targets": ["b", "c"]}
    nodes = [
        node("a", "inc"),
        node("b", "fail"),
        node("c", "inc"),
        node("sum", "total"),
        {"id": "told", "type": "output"},
    ]
    async with talking(tmp_path) as talk:
        stopped = await finished(talk, document(nodes, [fan, join, ERROR]))
        assert stopped.reason == "stalled"
        headers = (await talk.body("timeline")).headers
        (seen,) = (await talk.body("inspect", checkpoint_id=headers[2].id)).joins
        assert seen.sources[0].reason == "B failed: ValueError: cannot take 2"
        (stalled,) = (await talk.body("inspect")).joins
        assert stalled.stalled
        assert stalled.sources[0].reason == "B failed: ValueError: cannot take 2"
