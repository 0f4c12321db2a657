"""Answers to the questions what a patch makes of a checkpoint, and what comes of it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from runtime.checkpoints.archive import Archive
from runtime.debug.moments.moment import Extras, Snapshot
from runtime.debug.protocol import (
    ExpandArguments,
    ExpandBody,
    Moment,
    Patch,
    PatchChange,
    PatchParseArguments,
    PatchParseBody,
    PatchPlanArguments,
    PatchPlanBody,
    PatchProblem,
)
from runtime.debug.questions.forecasts import (
    firing_joins,
    lost_messages,
    starving_joins,
    upcoming_calls,
)
from runtime.debug.questions.inspector import expanded
from runtime.debug.questions.restore_plan import planned_calls
from runtime.debug.session.replays import replay_of
from runtime.debug.session.session import Session
from runtime.debug.supersteps.next_superstep import Routed
from runtime.debug.supersteps.nodes import NOT_LIVE
from runtime.debug.values.display import to_value
from runtime.debug.values.shapes import clean
from runtime.document.secret_names import is_secret
from runtime.patches.refused import Issue

if TYPE_CHECKING:
    from runtime.checkpoint import Checkpoint
    from runtime.engine.forecast import Forecast
    from runtime.engine.patch_plan import PatchPlan
    from runtime.engine.replay.plan import PlannedCall
    from runtime.engine.runner import Runner


class Patching:
    """Answer questions about patches. Who edits asks many times about one checkpoint, so
    that one stays loaded.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._checkpoint: Checkpoint | None = None

    def forget(self) -> None:
        """Forget what was loaded, because something else is open, or the store changed."""
        self._checkpoint = None

    async def _loaded(self, checkpoint_id: str) -> tuple[Runner, Checkpoint]:
        # One for each question, because a runner does one thing at a time.
        runner = self._session.planning_runner()
        checkpoint = self._checkpoint
        if checkpoint is None or checkpoint.header.id != checkpoint_id:
            checkpoint = await runner.load(checkpoint_id)
            self._checkpoint = checkpoint
        return runner, checkpoint

    async def plan(self, arguments: PatchPlanArguments) -> PatchPlanBody:
        """Return what a patch makes of a checkpoint, and what the next superstep then
        does. Raise `SignatureMismatchError` for a checkpoint of another graph.
        """
        # Imported here, because most sessions never patch.
        from runtime.engine.forecast import next_superstep

        session = self._session
        runner, checkpoint = await self._loaded(arguments.checkpoint_id)
        plan = await runner.plan_patch(checkpoint, arguments.patch)
        state = plan.after.state
        forecast = await next_superstep(runner.workflow, state, plan.history)
        planned: list[PlannedCall] = []
        if forecast.is_known:
            comes_from = session.runner.header if session.has_run else None
            planned = await runner.plan_outside_of(plan, replay_of(None, comes_from))
        return PatchPlanBody(
            checkpoint_id=plan.before.header.id,
            problems=_issues(plan.problems),
            warnings=_issues(plan.warnings),
            moment=await _moment(session, plan, forecast, arguments),
            upcoming=upcoming_calls(forecast),
            fires=firing_joins(forecast),
            starves=starving_joins(forecast),
            dropped=lost_messages(forecast),
            requests_left=forecast.requests_left,
            outside=planned_calls(planned),
            error=clean(forecast.error),
        )

    async def expand(self, arguments: ExpandArguments, patch: Patch) -> ExpandBody:
        """Return more of a value of a patched checkpoint."""
        checkpoint_id = arguments.checkpoint_id
        if checkpoint_id is None:
            raise LookupError("Name the checkpoint that the patch is over.")
        runner, checkpoint = await self._loaded(checkpoint_id)
        plan = await runner.plan_patch(checkpoint, patch)
        snapshot, _, _ = Snapshot.of(plan.after).follow(
            arguments.inside, arguments.runs
        )
        return expanded(snapshot.section(arguments.section), arguments)

    async def parse(self, arguments: PatchParseArguments) -> PatchParseBody:
        """Return what is wrong with one change, and the change with its guards."""
        from runtime.engine.patch_plan import possible_types

        change = arguments.change
        others = [other for other in arguments.others if other.id != change.id]
        patch = Patch(changes=(*others, change))
        runner, checkpoint = await self._loaded(arguments.checkpoint_id)
        plan = await runner.plan_patch(checkpoint, patch)
        value = None
        if change.id in plan.made:
            value = to_value(plan.made[change.id])
        return PatchParseBody(
            problems=_issues(plan.problems, change),
            warnings=_issues(plan.warnings, change),
            change=_without_secrets(plan.patch.changes[-1]),
            types=possible_types(runner.workflow, checkpoint.state, change),
            value=value,
        )


async def _moment(
    session: Session,
    plan: PatchPlan,
    forecast: Forecast,
    arguments: PatchPlanArguments,
) -> Moment:
    """Return everything to see at the patched barrier, as at a live one."""
    from runtime.engine.status import status_of

    header = plan.before.header
    await session.trail.read(Archive(session.store), header)
    routed = None
    if forecast.is_known:
        routed = Routed(forecast.fates, forecast.releases)
    extras = Extras(
        history=session.trail.before(header),
        routed=routed,
        status=status_of(plan.after.state).value,
    )
    snapshot = Snapshot.of(plan.after)
    seen = snapshot.moment(extras, arguments.depth)
    if not arguments.inside:
        return seen
    inner_extras = Extras(NOT_LIVE, extras.history, extras.routed)
    inside = snapshot.inside(
        arguments.inside, arguments.runs, inner_extras, arguments.depth
    )
    return seen.model_copy(update={"inside": inside})


def _issues(
    issues: Iterable[Issue], of_change: PatchChange | None = None
) -> tuple[PatchProblem, ...]:
    return tuple(
        PatchProblem(change=issue.change, text=clean(issue.text), path=issue.path)
        for issue in issues
        if of_change is None or issue.change in ("", of_change.id)
    )


def _without_secrets(change: PatchChange) -> PatchChange:
    """Return a change without a guard that no view would show."""
    names = [change.key, *(step for step in change.path if isinstance(step, str))]
    if not any(map(is_secret, names)):
        return change
    return change.model_copy(update={"was": None})
