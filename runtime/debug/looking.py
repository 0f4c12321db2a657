"""Questions about checkpoints, answered while a run moves: moments, values, the timeline, the runs of a store."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING

from runtime.archive import Archive
from runtime.checkpoint import CheckpointHeader
from runtime.debug.joins import NO_PAST
from runtime.debug.moment import NO_EXTRAS, Extras, Sight
from runtime.debug.nodes import NOT_LIVE
from runtime.debug.outlook import Routed
from runtime.debug.protocol import (
    ExpandArguments,
    ExpandBody,
    InsideMoment,
    InspectArguments,
    Moment,
    OutputsArguments,
    OutputsBody,
    RunInfo,
    RunsBody,
    TimelineArguments,
    TimelineBody,
)
from runtime.debug.session import Session
from runtime.debug.values import expand, header_on_wire
from runtime.state import RunState, Trace
from runtime.tracing import routed_by
from runtime.tree import is_undecided

if TYPE_CHECKING:
    from runtime.runner import Runner

SIGHTS_KEPT = 8
PAGE_LIMIT = 5000


class Looking:
    """Looks at what a session has open. Changes nothing, and calls no code of the workflow but, for the run as it
    stands, its conditions.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._sights: OrderedDict[str, Sight] = OrderedDict()

    def forget(self) -> None:
        """Another store was opened, or the header of a checkpoint was changed."""
        self._sights.clear()

    async def inspect(self, arguments: InspectArguments) -> Moment:
        sight = await self._sight(arguments.checkpoint_id)
        header = sight.header
        if header is not None:
            await self._session.trail.read(Archive(self._session.store), header)
        if header is None or arguments.checkpoint_id is None:
            extras = self._live_extras(header)
        else:
            extras = await self._extras(header)
        seen = sight.moment(extras, arguments.depth)
        if not arguments.inside:
            return seen
        return seen.model_copy(update={"inside": self._inside(sight, arguments, extras)})

    async def expand(self, arguments: ExpandArguments) -> ExpandBody:
        sight, _, _ = (await self._sight(arguments.checkpoint_id)).at(arguments.inside, arguments.runs)
        root = sight.section(arguments.section)
        children, count = expand(root, arguments.path, arguments.offset, arguments.limit)
        return ExpandBody(children=children, count=count)

    async def outputs(self, arguments: OutputsArguments) -> OutputsBody:
        """What was put out until a checkpoint, or until the run as it stands."""
        session, wanted = self._session, arguments.checkpoint_id
        if wanted is not None:
            header = (await session.store.load(wanted)).header
        elif session.has_run and session.runner.header is not None:
            header = session.runner.header
        else:
            return OutputsBody()
        return await session.outputs.until(session.store, header)

    async def timeline(self, arguments: TimelineArguments) -> TimelineBody:
        """Headers of one run, or of all. `after` is the sequence of the last header that is known already."""
        limit = min(arguments.limit, PAGE_LIMIT)
        found = await self._session.store.headers(run_id=arguments.run_id, after=arguments.after, limit=limit + 1)
        return TimelineBody(headers=tuple(map(header_on_wire, found[:limit])), more=len(found) > limit)

    async def runs(self) -> RunsBody:
        found = await self._session.store.runs()
        return RunsBody(
            runs=tuple(
                RunInfo(
                    run_id=run.run_id,
                    workflow=run.workflow,
                    checkpoints=run.checkpoints,
                    branches=run.branches,
                    latest=header_on_wire(run.latest),
                )
                for run in found
            )
        )

    def _inside(self, sight: Sight, arguments: InspectArguments, extras: Extras) -> InsideMoment:
        live = NOT_LIVE
        if self._session.has_run and arguments.checkpoint_id is None:
            _, keys, _ = sight.at(arguments.inside, arguments.runs)
            live = self._session.activity.live(keys)
        there = Extras(live, routed=extras.routed)
        return sight.inside(arguments.inside, arguments.runs, there, arguments.depth)

    async def _sight(self, checkpoint_id: str | None) -> Sight:
        if checkpoint_id is None:
            return self._present()
        sight = self._sights.get(checkpoint_id)
        if sight is None:
            checkpoint = await Archive(self._session.store).view(checkpoint_id)
            self._session.trail.add(checkpoint.header, checkpoint.trace)
            sight = self._sights[checkpoint_id] = Sight.of(checkpoint)
            if len(self._sights) > SIGHTS_KEPT:
                self._sights.popitem(last=False)
        self._sights.move_to_end(checkpoint_id)
        return sight

    def _present(self) -> Sight:
        session = self._session
        if not session.has_run:
            return Sight(None, RunState(), Trace(), session.saved_definition)
        runner = session.runner
        return Sight(runner.header, runner.state, runner.trace, session.saved_definition)

    async def _extras(self, header: CheckpointHeader) -> Extras:
        trail = self._session.trail
        after = await trail.after(Archive(self._session.store), header)
        return Extras(
            history=trail.before(header), routed=None if after is None else Routed(after.fates, after.releases)
        )

    def _live_extras(self, header: CheckpointHeader | None) -> Extras:
        session = self._session
        if not session.has_run:
            return NO_EXTRAS
        history = NO_PAST if header is None else session.trail.before(header)
        return Extras(session.activity.live(), history, preview(session.runner), session.runner.status.value)


def preview(runner: Runner) -> Routed | None:
    """How the next superstep will route; None where only the superstep itself can tell."""
    try:
        root = runner.preview_tree()
    except Exception:  # noqa: BLE001 - a condition that raises fails the superstep, which tells of it; looking does not
        return None
    return None if is_undecided(root) else Routed(*routed_by(root))
