"""Questions about checkpoints, answered while a run moves: moments, values, the timeline, the runs of a store."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING

from runtime.archive import Archive
from runtime.debug.joins import NO_HISTORY
from runtime.debug.moment import NO_EXTRAS, Extras, Sight
from runtime.debug.protocol import (
    ExpandArguments,
    ExpandBody,
    InspectArguments,
    Moment,
    RunInfo,
    RunsBody,
    TimelineArguments,
    TimelineBody,
)
from runtime.debug.session import Session
from runtime.debug.values import expand, header_on_wire
from runtime.state import RunState, Trace
from runtime.superstep import is_active
from runtime.tree import owner_of

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
        if sight.header is not None:
            await self._session.trail.read(Archive(self._session.store), sight.header)
        extras = self._live_extras(sight) if arguments.checkpoint_id is None else self._extras(sight)
        return sight.moment(extras, arguments.depth)

    async def expand(self, arguments: ExpandArguments) -> ExpandBody:
        root = (await self._sight(arguments.checkpoint_id)).section(arguments.section)
        children, count = expand(root, arguments.path, arguments.offset, arguments.limit)
        return ExpandBody(children=children, count=count)

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

    def _extras(self, sight: Sight) -> Extras:
        return NO_EXTRAS if sight.header is None else Extras(history=self._session.trail.before(sight.header))

    def _live_extras(self, sight: Sight) -> Extras:
        session = self._session
        if not session.has_run:
            return NO_EXTRAS
        history = NO_HISTORY if sight.header is None else session.trail.before(sight.header)
        return Extras(session.activity.live(), history, _next(session.runner), session.runner.status.value)


def _next(runner: Runner) -> dict[str, int] | None:
    """Whom the next superstep invokes, with how many messages; None where only the superstep itself can tell."""
    try:
        routing = runner.preview()
    except Exception:  # noqa: BLE001 - a condition that raises fails the superstep, which tells of it; looking does not
        return None
    if routing.undecided:
        return None
    children = {owner_of(key): 1 for key, child in runner.state.children.items() if is_active(child)}
    return children | {id_: sum(one.messages for one in found) for id_, found in routing.deliveries.items()}
