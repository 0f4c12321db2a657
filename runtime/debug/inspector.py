"""Answers to questions about checkpoints while a run moves: moments, values, the
timeline, the runs of a store.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from runtime.checkpoint import Cause, CheckpointHeader
from runtime.checkpoints.archive import Archive
from runtime.debug import trail
from runtime.debug.compare import Change, compare
from runtime.debug.edge_body import edge_body
from runtime.debug.items import picture_of, text_of
from runtime.debug.joins import NO_PAST
from runtime.debug.log import recorded_events
from runtime.debug.moment import NO_EXTRAS, Extras, Sight
from runtime.debug.next_superstep import Routed
from runtime.debug.node_body import Step, node_body
from runtime.debug.nodes import NOT_LIVE
from runtime.debug.protocol import (
    ChangeItem,
    DiffArguments,
    DiffBody,
    EdgeArguments,
    EdgeBody,
    EventsBody,
    ExpandArguments,
    ExpandBody,
    InsideMoment,
    InspectArguments,
    LogArguments,
    Moment,
    NodeArguments,
    NodeBody,
    OutputsArguments,
    OutputsBody,
    RunInfo,
    RunsBody,
    TimelineArguments,
    TimelineBody,
    Turn,
)
from runtime.debug.session import Session
from runtime.debug.shapes import clean
from runtime.debug.traffic import Traffic
from runtime.debug.values import expand, to_value, value_at
from runtime.engine.sub_runs import has_undecided
from runtime.engine.trace import routed_by
from runtime.errors import WorkflowCheckpointException
from runtime.state import RunState, Trace

if TYPE_CHECKING:
    from runtime.engine.runner import Runner

SIGHTS_KEPT = 8
LED_BACK = 20  # answers and forks after each other at one barrier
CHANGES = 1000
CHANGE_DEPTH = 1
LOG_READING = 0.2
LOG_EVENTS = 5000
HISTORY_READING = 0.06  # seconds that one question may read the checkpoints of its line
PAGE_LIMIT = 5000


class _Around(NamedTuple):
    """The surroundings of a moment: the inspected run with its keys, its barrier,
    and the superstep before.
    """

    sight: Sight
    keys: tuple[str, ...]
    now: Traffic
    now_id: str | None
    step: Step
    header: CheckpointHeader | None


class Looking:
    """Inspect what a session has open. Nothing changes. The only code of the
    workflow that runs is its conditions, for the run as it is now.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._sights: OrderedDict[str, Sight] = OrderedDict()

    def forget(self) -> None:
        """Forget what was read, because another store was opened or the header
        of a checkpoint was changed.
        """
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
        return seen.model_copy(
            update={"inside": self._inside(sight, arguments, extras)}
        )

    async def expand(self, arguments: ExpandArguments) -> ExpandBody:
        sight, _, _ = (await self._sight(arguments.checkpoint_id)).at(
            arguments.inside, arguments.runs
        )
        value = value_at(sight.section(arguments.section), arguments.path)
        children, count = expand(value, (), arguments.offset, arguments.limit)
        text, cut = text_of(value) if arguments.offset == 0 else (None, 0)
        picture = picture_of(value) if arguments.offset == 0 else ""
        return ExpandBody(
            children=children, count=count, text=text, cut=cut, picture=picture
        )

    async def node(self, arguments: NodeArguments) -> NodeBody:
        """Return what one executor received and did. Raise `LookupError`
        inside a sub-workflow that does not run.
        """
        around = await self._around(arguments)
        drawn = around.sight.drawn_node(arguments.node)
        body = node_body(around.step, arguments.node, around.now, around.now_id, drawn)
        turns, complete = await self._turns(around, arguments.node)
        failure = None
        if arguments.checkpoint_id is None and self._session.has_run:
            failure = self._session.activity.failure(around.keys, arguments.node)
        return body.model_copy(
            update={"turns": turns, "complete": complete, "failure": failure}
        )

    async def edge(self, arguments: EdgeArguments) -> EdgeBody:
        """Return the messages of an edge group. Raise `LookupError` as `node`
        does.
        """
        around = await self._around(arguments)
        drawn = around.sight.drawn_edge(arguments.edge)
        return edge_body(around.step, arguments.edge, around.now, around.now_id, drawn)

    async def diff(self, arguments: DiffArguments) -> DiffBody:
        """Return the differences between a checkpoint and the inspected one.

        Both are read from the store, because values of a live run have other
        types. Raise `LookupError` if no run is inside.
        """
        session = self._session
        newer = arguments.checkpoint_id
        if newer is None and session.has_run and session.runner.header is not None:
            newer = session.runner.header.id
        sight_before = await self._sight(arguments.base)
        sight_after = await self._sight(newer)
        if arguments.inside:
            _, keys, _ = sight_after.at(arguments.inside, arguments.runs)
            inner_sight = sight_after.run_at(keys)
            if inner_sight is None:
                raise LookupError("Nothing runs in there at this moment.")
            sight_before = sight_before.run_at(keys) or replace(
                inner_sight, state=RunState()
            )
            sight_after = inner_sight
        changes = compare(sight_before, sight_after)
        shown = tuple(map(_change_item, changes[:CHANGES]))
        return DiffBody(
            base=arguments.base,
            checkpoint_id=newer,
            changes=shown,
            more=max(0, len(changes) - len(shown)),
        )

    async def log(self, arguments: LogArguments) -> EventsBody:
        """Return the recorded events on the way to a checkpoint; of a long way
        as many as can be read in a moment.
        """
        session = self._session
        header = (await self._sight(arguments.checkpoint_id)).header
        if header is None:
            return EventsBody(events=())
        steps, complete = await session.trail.line(
            Archive(session.store), header, LOG_READING
        )
        events, left_out = recorded_events(steps, LOG_EVENTS)
        return EventsBody(events=events, left_out=left_out, complete=complete)

    async def outputs(self, arguments: OutputsArguments) -> OutputsBody:
        """Return the outputs until a checkpoint, or until the run as it is
        now.
        """
        session = self._session
        checkpoint_id = arguments.checkpoint_id
        if checkpoint_id is not None:
            header = (await session.store.load(checkpoint_id)).header
        elif session.has_run and session.runner.header is not None:
            header = session.runner.header
        else:
            return OutputsBody()
        return await session.outputs.until(session.store, header)

    async def timeline(self, arguments: TimelineArguments) -> TimelineBody:
        """Return headers of one run, or of all. `after` is the sequence of the
        last header that is known already.
        """
        limit = min(arguments.limit, PAGE_LIMIT)
        headers = await self._session.store.headers(
            run_id=arguments.run_id, after=arguments.after, limit=limit + 1
        )
        return TimelineBody(headers=tuple(headers[:limit]), more=len(headers) > limit)

    async def runs(self) -> RunsBody:
        summaries = await self._session.store.runs()
        return RunsBody(
            runs=tuple(
                RunInfo(
                    run_id=run.run_id,
                    workflow=run.workflow,
                    checkpoints=run.checkpoints,
                    branches=run.branches,
                    latest=run.latest,
                )
                for run in summaries
            )
        )

    def _inside(
        self, sight: Sight, arguments: InspectArguments, extras: Extras
    ) -> InsideMoment:
        live = NOT_LIVE
        if self._session.has_run and arguments.checkpoint_id is None:
            _, keys, _ = sight.at(arguments.inside, arguments.runs)
            live = self._session.activity.live(keys)
        inner_extras = Extras(live, routed=extras.routed)
        return sight.inside(
            arguments.inside, arguments.runs, inner_extras, arguments.depth
        )

    async def _around(self, arguments: NodeArguments | EdgeArguments) -> _Around:
        """Return the inspected barrier, the superstep that led to it, and what
        came after.
        """
        root_sight = await self._sight(arguments.checkpoint_id)
        header = root_sight.header
        if header is None or arguments.checkpoint_id is None:
            routed = preview(self._session.runner) if self._session.has_run else None
        else:
            after = await self._session.trail.after(
                Archive(self._session.store), header
            )
            routed = None if after is None else Routed(after.fates, after.releases)
        _, keys, _ = root_sight.at(arguments.inside, arguments.runs)
        sight = root_sight.run_at(keys)
        if sight is None:
            raise LookupError("Nothing runs in there at this moment.")
        led = await self._led_to(root_sight)
        before = await self._before(led)
        barrier = sight.traffic(sight.routed(routed, keys))
        step_sight = led.run_at(keys) or sight
        before_sight = None if before is None else before.run_at(keys)
        trace = step_sight.own
        step = Step(
            before=None
            if before_sight is None
            else before_sight.traffic(Routed(trace.fates, trace.releases)),
            trace=trace,
            after=barrier
            if step_sight is sight
            else step_sight.traffic(barrier.routed if led is root_sight else None),
            ids=(_id(before), _id(led)),
            superstep=led.state.superstep,
            is_inside=bool(keys),
        )
        return _Around(sight, keys, barrier, _id(root_sight), step, header)

    async def _led_to(self, sight: Sight) -> Sight:
        """Return the barrier at the end of the superstep. Answers, forks and
        edits that came after it lead back to it.
        """
        led_from = sight
        for _ in range(LED_BACK):
            header = led_from.header
            if (
                header is None
                or header.parent is None
                or header.cause in (Cause.SUPERSTEP, Cause.INPUT)
            ):
                break
            try:
                led_from = await self._sight(header.parent)
            except WorkflowCheckpointException:
                break  # a fork carries the trace of what it was made from
        return led_from

    async def _before(self, sight: Sight) -> Sight | None:
        """Return the barrier where the superstep began, if the store still has
        it.
        """
        header = sight.header
        if header is None or header.parent is None:
            return None
        try:
            return await self._sight(header.parent)
        except WorkflowCheckpointException:
            return None

    async def _turns(self, around: _Around, node: str) -> tuple[tuple[Turn, ...], bool]:
        """Return the supersteps in which an executor ran, on the inspected
        branch, later ones too.
        """
        header = around.header
        store = self._session.store
        if header is None:
            return (), True
        head = await store.latest(run_id=header.run_id, branch=header.branch) or header
        try:
            steps, complete = await self._session.trail.line(
                Archive(store), head, HISTORY_READING
            )
        except WorkflowCheckpointException:
            return (), False
        turns = [_turn(step, around.keys, node) for step in reversed(steps)]
        return tuple(turn for turn in turns if turn is not None), complete

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
        return Sight(
            runner.header, runner.state, runner.trace, session.saved_definition
        )

    async def _extras(self, header: CheckpointHeader) -> Extras:
        trail = self._session.trail
        after = await trail.after(Archive(self._session.store), header)
        return Extras(
            history=trail.before(header),
            routed=None if after is None else Routed(after.fates, after.releases),
        )

    def _live_extras(self, header: CheckpointHeader | None) -> Extras:
        session = self._session
        if not session.has_run:
            return NO_EXTRAS
        history = NO_PAST if header is None else session.trail.before(header)
        return Extras(
            session.activity.live(),
            history,
            preview(session.runner),
            session.runner.status.value,
        )


def _id(sight: Sight | None) -> str | None:
    return sight.header.id if sight is not None and sight.header is not None else None


def _turn(step: trail.Step, keys: Sequence[str], node: str) -> Turn | None:
    """Return what an executor did in one superstep, as a line of its history; None
    if it did not run.
    """
    name = "/".join((*keys, node))
    calls = [
        invocation
        for invocation in step.trace.invocations
        if invocation.executor_id == name
    ]
    if not calls:
        return None
    return Turn(
        superstep=step.header.superstep,
        checkpoint_id=step.header.id,
        calls=len(calls),
        seconds=sum(call.seconds for call in calls),
        sent=sum(call.sent for call in calls),
        outputs=sum(call.outputs for call in calls),
        wrote=tuple(dict.fromkeys(key for call in calls for key in call.wrote)),
        asked=sum(len(call.asked) for call in calls),
    )


def _change_item(change: Change) -> ChangeItem:
    return ChangeItem.model_validate(
        {
            "section": change.section,
            "path": clean(change.path),
            "kind": change.kind,
            "old": None
            if change.kind == "added"
            else to_value(change.old, CHANGE_DEPTH),
            "new": None
            if change.kind == "removed"
            else to_value(change.new, CHANGE_DEPTH),
        }
    )


def preview(runner: Runner) -> Routed | None:
    """Return how the next superstep will route its messages; None if only the
    superstep itself can decide.
    """
    try:
        root = runner.preview_tree()
    except Exception:  # noqa: BLE001 - a condition that raises fails the superstep, which tells of it; looking does not
        return None
    return None if has_undecided(root) else Routed(*routed_by(root))
