"""What will happen outside of a run that goes on from a checkpoint: which calls have their
recorded results, which those of the user, and which are made.

Of the next superstep that is known: its messages are there. Of those behind it it is what
is recorded, as long as nothing before comes out otherwise.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, cast

from runtime.concurrency.cancellation import run_in_own_task
from runtime.engine.forecast import routed
from runtime.engine.invoke import Job, jobs_of
from runtime.engine.notifier import Notifier
from runtime.engine.replay.inputs import code_digest
from runtime.engine.replay.player import CHANGED_CODE, CHOSEN, Decision, Player
from runtime.engine.replay.record import CallRecord
from runtime.engine.replay.recording import NotedCall, begin_noting
from runtime.engine.replay.settings import RECORDED_REPLAY, Replay
from runtime.engine.replay.superstep import name_of
from runtime.policy import NO_POLICY
from runtime.state import LIVE, PINNED, RECORDED, owner_of

if TYPE_CHECKING:
    from runtime.calls import Call
    from runtime.checkpoint import CheckpointHeader
    from runtime.checkpoints.archive import Archive
    from runtime.executors.delivery import Delivery
    from runtime.executors.executor import Executor
    from runtime.graph.workflow_graph import WorkflowGraph
    from runtime.state import RunState

# How many supersteps of the record are read.
_MOST_SUPERSTEPS = 500
UNCERTAIN = "as long as what comes before it stays the same"


@dataclass(frozen=True, slots=True)
class PlannedCall:
    """Calls of one executor in one superstep. `mode` is live, recorded or pinned;
    `reason` says why they are live, or on what it depends that they are not;
    `is_unasked` whether they would be made again without a word of the user's.
    """

    executor_id: str
    path: tuple[str, ...]
    superstep: int
    what: str
    mode: str
    reason: str = ""
    calls: int = 1
    is_unasked: bool = False

    @property
    def name(self) -> str:
        """How `Replay.live` names its executor."""
        return "/".join((*map(owner_of, self.path), self.executor_id))


async def plan_outside(
    workflow: WorkflowGraph,
    archive: Archive,
    header: CheckpointHeader,
    state: RunState,
    replay: Replay | None = None,
    *,
    is_changed: bool = False,
) -> list[PlannedCall]:
    """Return which calls will reach outside when the run goes on from a checkpoint, in
    the order of the supersteps. `state` is its state, or with `is_changed` that of a
    patch over it. Conditions of the next superstep are evaluated, and what one raises is
    raised. No handler runs.

    Raise `ValueError` for settings that name an executor that does not reach outside.
    """
    settings = RECORDED_REPLAY if replay is None else replay
    settings.check(workflow)
    if not workflow.reaches_outside:
        return []
    record = await CallRecord.behind(archive, header, settings.prefer)
    player = Player(settings, record, archive.types)
    superstep = state.superstep + 1
    await player.begin(superstep)
    root = await run_in_own_task(partial(routed, workflow, state, {}))
    planned: list[PlannedCall] = []
    for job in jobs_of(root, Notifier()):
        planned += _calls_of_job(job, player, superstep)
    is_certain = not is_changed and _are_recorded(planned)
    for later in range(superstep + 1, record.last_superstep + 1)[:_MOST_SUPERSTEPS]:
        calls = [
            _later(settings, workflow, call, later, is_certain=is_certain)
            for call in await record.line_at(later)
        ]
        now = [call for call in calls if call is not None]
        planned += now
        is_certain = is_certain and _are_recorded(now)
    return _grouped(planned)


def _are_recorded(planned: Sequence[PlannedCall]) -> bool:
    return all(call.mode == RECORDED for call in planned)


# --- the next superstep -------------------------------------------------------------------------------------------


def _calls_of_job(job: Job, player: Player, superstep: int) -> Iterator[PlannedCall]:
    if not job.executor.engine_reaches_outside:
        return
    earlier: list[NotedCall] = []
    attempts = job.round.workflow.policies.get(job.executor_id, NO_POLICY).attempts
    for position, delivery in enumerate(job.inbox):
        job.deliveries = position
        for attempt in range(1, attempts + 1):
            if delivery.handler.outside is None:
                break
            call, _ = begin_noting(job, delivery, attempt)
            decision = player.decide(name_of(job), call, earlier)
            yield _planned(job, delivery, decision, superstep)
            earlier.append(call)
            if not _has_failed(job, call, decision):
                break


def _planned(
    job: Job, delivery: Delivery, decision: Decision, superstep: int
) -> PlannedCall:
    outside = delivery.handler.outside
    return PlannedCall(
        job.executor_id,
        job.round.path,
        superstep,
        "" if outside is None else outside.what,
        decision.mode,
        decision.reason,
        is_unasked=decision.is_missing,
    )


def _has_failed(job: Job, call: NotedCall, decision: Decision) -> bool:
    """Let a job be as a recorded call leaves it. Return True if that failed, so that
    there is another attempt.
    """
    if decision.mode != RECORDED or decision.results is None:
        return False
    results = decision.results()
    if results.error is not None:
        return results.error.is_tried_again
    for key, value in results.writes.items():
        if key not in job.round.reducers:
            job.touch(key, value)
    call.record = results.record
    if results.record is not None and not job.executor.has_hooks:
        job.own = dict(results.record)
    return False


# --- what is recorded behind it -----------------------------------------------------------------------------------


def _later(
    replay: Replay,
    workflow: WorkflowGraph,
    call: Call,
    superstep: int,
    *,
    is_certain: bool,
) -> PlannedCall | None:
    """Return what happens of a recorded call; None where its executor is gone."""
    executor = _executor(workflow, call.path, call.executor_id)
    if executor is None:
        return None
    name = "/".join((*map(owner_of, call.path), call.executor_id))
    planned = PlannedCall(
        call.executor_id, call.path, superstep, call.what, RECORDED, ""
    )
    if name in replay.pinned:
        return replace(planned, mode=PINNED)
    if name in replay.live or replay.default == LIVE:
        return replace(planned, mode=LIVE, reason=CHOSEN)
    handlers = {handler.name: handler for handler in executor.all_handlers}
    handler = handlers.get(call.handler)
    if handler is None or code_digest(executor, handler) != call.inputs.code:
        return _unasked(planned, call, CHANGED_CODE)
    if call.omitted:
        return _unasked(planned, call, f"its result was not kept: {call.omitted}")
    return planned if is_certain else replace(planned, reason=UNCERTAIN)


def _unasked(planned: PlannedCall, call: Call, reason: str) -> PlannedCall:
    is_unasked = not call.is_harmless
    return replace(planned, mode=LIVE, reason=reason, is_unasked=is_unasked)


def _executor(
    workflow: WorkflowGraph, path: Sequence[str], executor_id: str
) -> Executor | None:
    for key in path:
        wrapper = workflow.executors.get(owner_of(key))
        if wrapper is None or not wrapper.wraps_workflow:
            return None
        workflow = cast("WorkflowGraph", wrapper.workflow)  # type: ignore[attr-defined]
    executor = workflow.executors.get(executor_id)
    if executor is None or not executor.engine_reaches_outside:
        return None
    return executor


def _grouped(planned: Sequence[PlannedCall]) -> list[PlannedCall]:
    counts = Counter(planned)
    return [replace(call, calls=count) for call, count in counts.items()]


# --- in words -----------------------------------------------------------------------------------------------------


def in_words(counts: Sequence[tuple[str, str, int]]) -> str:
    """Return (mode, what, number of calls) in one line, such as "2 recorded, 1 live: HTTP
    request to example.org"; "" for nothing.
    """
    totals: Counter[str] = Counter()
    live: Counter[str] = Counter()
    for mode, what, number in counts:
        totals[mode] += number
        if mode == LIVE:
            live[what] += number
    texts = [
        f"{totals[mode]} {mode}" for mode in (RECORDED, PINNED, LIVE) if totals[mode]
    ]
    named = [
        what if number == 1 else f"{number} × {what}" for what, number in live.items()
    ]
    return ", ".join(texts) + (f": {', '.join(named)}" if named else "")


def plan_words(planned: Sequence[PlannedCall]) -> str:
    """Return a plan in one line."""
    if not planned:
        return "Nothing happens outside of the run."
    text = in_words([(call.mode, call.what, call.calls) for call in planned])
    return f"{text}."
