"""Answers to questions about checkpoints while a run moves: moments, values, the
timeline, the runs of a store.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from runtime.checkpoint import CheckpointHeader
from runtime.checkpoints.archive import Archive
from runtime.debug.moments import barriers
from runtime.debug.moments.edge_body import edge_body
from runtime.debug.moments.items import picture_of, text_of
from runtime.debug.moments.moment import NO_EXTRAS, Extras, Snapshot
from runtime.debug.moments.node_body import Superstep, node_body
from runtime.debug.moments.superstep_body import superstep_body
from runtime.debug.protocol import (
    BoardArguments,
    BoardBody,
    BoardTimesArguments,
    BoardTimesBody,
    EdgeArguments,
    EdgeBody,
    ExpandArguments,
    ExpandBody,
    ExportArguments,
    ExportBody,
    InsideMoment,
    InspectArguments,
    Moment,
    NodeArguments,
    NodeBody,
    OutputsArguments,
    OutputsBody,
    ProvenanceArguments,
    ProvenanceBody,
    RunsBody,
    SizesArguments,
    SizesBody,
    SuperstepArguments,
    SuperstepBody,
    TimelineArguments,
    TimelineBody,
    Turn,
)
from runtime.debug.session.session import Session
from runtime.debug.stops.gate import DebugGate
from runtime.debug.stops.standing import SECTION, inside_superstep, value_in
from runtime.debug.supersteps.drop_reasons import DropReasons
from runtime.debug.supersteps.next_superstep import Routed, outlook
from runtime.debug.supersteps.nodes import NOT_LIVE
from runtime.debug.supersteps.past_supersteps import NO_PAST
from runtime.debug.supersteps.traffic import Traffic
from runtime.debug.supersteps.turns import last_traffic, turn_of
from runtime.debug.timeline.exported import exported
from runtime.debug.timeline.runs import runs_body
from runtime.debug.values.display import expand, value_at
from runtime.debug.why.origin import Address
from runtime.debug.why.provenance import provenance
from runtime.engine.sub_runs import has_undecided
from runtime.engine.trace import routed_by
from runtime.errors import WorkflowCheckpointException
from runtime.state import RunState, Trace

if TYPE_CHECKING:
    from runtime.engine.runner import Runner

SNAPSHOTS_KEPT = 8
# Seconds that one question may spend on reading earlier checkpoints, because a long run
# has thousands and other questions wait on the same loop.
HISTORY_READING = 0.06
PAGE_LIMIT = 5000


class _Context(NamedTuple):
    """The surroundings of a moment: the inspected run with its keys, its barrier,
    and the superstep before.
    """

    snapshot: Snapshot
    keys: tuple[str, ...]
    barrier: Traffic
    barrier_id: str | None
    step: Superstep
    header: CheckpointHeader | None


class Inspector:
    """Inspect what a session has open. Nothing changes. The only code of the
    workflow that runs is its conditions, for the run as it is now.
    """

    def __init__(self, session: Session, gate: DebugGate) -> None:
        self._session = session
        self._gate = gate
        self._snapshots: OrderedDict[str, Snapshot] = OrderedDict()

    def forget(self) -> None:
        """Forget what was read, because another store was opened or the header
        of a checkpoint was changed.
        """
        self._snapshots.clear()

    async def inspect(self, arguments: InspectArguments) -> Moment:
        snapshot = await self.snapshot(arguments.checkpoint_id)
        header = snapshot.header
        if header is not None:
            await self._session.trail.read(Archive(self._session.store), header)
        if header is None or arguments.checkpoint_id is None:
            extras = self._live_extras(header)
        else:
            extras = await self._extras(header)
        seen = snapshot.moment(extras, arguments.depth)
        if arguments.checkpoint_id is None:
            superstep = snapshot.state.superstep + 1
            standing = inside_superstep(self._gate, superstep)
            seen = seen.model_copy(update={"standing": standing})
        if not arguments.inside:
            return seen
        return seen.model_copy(
            update={"inside": self._inside(snapshot, arguments, extras)}
        )

    async def expand(self, arguments: ExpandArguments) -> ExpandBody:
        snapshot, _, _ = (await self.snapshot(arguments.checkpoint_id)).follow(
            arguments.inside, arguments.runs
        )
        if arguments.checkpoint_id is None and arguments.section.startswith(SECTION):
            root = value_in(self._gate, arguments.section)
        else:
            root = snapshot.section(arguments.section)
        return expanded(root, arguments)

    async def node(self, arguments: NodeArguments) -> NodeBody:
        """Return what one executor received and did. Raise `LookupError`
        inside a sub-workflow that does not run.
        """
        context = await self._context(arguments)
        drawn = context.snapshot.drawn_node(arguments.node)
        body = node_body(
            context.step,
            arguments.node,
            context.barrier,
            context.barrier_id,
            drawn,
            self._drop_reasons(context),
        )
        turns, complete = await self._turns(context, arguments.node)
        failure = None
        if arguments.checkpoint_id is None and self._session.has_run:
            failure = self._session.activity.failure(context.keys, arguments.node)
        return body.model_copy(
            update={"turns": turns, "complete": complete, "failure": failure}
        )

    async def edge(self, arguments: EdgeArguments) -> EdgeBody:
        """Return the messages of an edge group. Raise `LookupError` as `node`
        does.
        """
        context = await self._context(arguments)
        body = self._edge_in(context, arguments.edge)
        if body.has_messages or body.kind == "fan_in" or context.keys:
            return body
        last = await self._last_traffic(context.header, arguments.edge)
        if last is None:
            return body
        there = EdgeArguments(checkpoint_id=last, edge=arguments.edge)
        before = self._edge_in(await self._context(there), arguments.edge)
        return body.model_copy(update={"before": before})

    def _edge_in(self, context: _Context, edge: str) -> EdgeBody:
        """Return the messages of an edge group in the superstep of a context."""
        return edge_body(
            context.step,
            edge,
            context.barrier,
            context.barrier_id,
            context.snapshot.drawn_edge(edge),
            self._drop_reasons(context),
        )

    async def _last_traffic(
        self, header: CheckpointHeader | None, edge: str
    ) -> str | None:
        """Return the checkpoint after the last superstep in which messages came to an
        edge group, as far back as is read in the time.
        """
        if header is None:
            return None
        archive = Archive(self._session.store)
        try:
            steps, _ = await self._session.trail.line(archive, header, HISTORY_READING)
        except WorkflowCheckpointException:
            return None
        return last_traffic(steps[1:], edge)

    async def superstep(self, arguments: SuperstepArguments) -> SuperstepBody:
        """Return a superstep as a whole, and the next one. Raise `LookupError` as
        `node` does.
        """
        context = await self._context(arguments)
        ahead = outlook(
            context.barrier.graph, context.barrier.state, context.barrier.routed
        )
        return superstep_body(
            context.step,
            context.barrier,
            context.barrier_id,
            ahead,
            self._drop_reasons(context),
        )

    def _drop_reasons(self, context: _Context) -> DropReasons:
        session = self._session

        def types(executor: str) -> Sequence[str]:
            built = session.input_types(context.keys, executor)
            node = context.snapshot.drawn_node(executor)
            if built or node is None:
                return built
            return session.listed_types(node.type)

        return DropReasons(context.snapshot.drawn_edge, types)

    async def provenance(self, arguments: ProvenanceArguments) -> ProvenanceBody:
        """Return where a value comes from. Raise `LookupError` if there is no such
        value.
        """
        checkpoint_id = arguments.checkpoint_id or self._head_id()
        if checkpoint_id is None:
            raise LookupError("There is no checkpoint yet.")
        root = await self.snapshot(checkpoint_id)
        _, keys, _ = root.follow(arguments.inside, arguments.runs)
        run = root.run_at(keys)
        section = arguments.address
        if section == "state" and arguments.path and run is not None:
            keys_of_state = list(run.state.shared)[arguments.path[0] :]
            section = f"state:{keys_of_state[0]}" if keys_of_state else section
        return await provenance(
            barriers.Barriers(self._session.store),
            Address(checkpoint_id, keys, section),
            arguments.limit,
        )

    def _head_id(self) -> str | None:
        """Return the checkpoint of the run as it is now, if there is one."""
        session = self._session
        header = session.runner.header if session.has_run else None
        return None if header is None else header.id

    async def board(self, arguments: BoardArguments) -> BoardBody:
        """Return what was done in the supersteps that led to some checkpoints."""
        archive = Archive(self._session.store)
        return await self._session.board.columns(archive, arguments.checkpoints)

    async def export(self, arguments: ExportArguments) -> ExportBody:
        """Return some checkpoints as lines of JSON."""
        return await exported(Archive(self._session.store), arguments.checkpoints)

    async def sizes(self, arguments: SizesArguments) -> SizesBody:
        """Return how many bytes each part of some checkpoints has."""
        store = self._session.store
        return await self._session.part_sizes.columns(store, arguments.checkpoints)

    async def board_times(self, arguments: BoardTimesArguments) -> BoardTimesBody:
        """Return where the time on the way to a checkpoint went, as far as it
        can be read in a moment.
        """
        archive = Archive(self._session.store)
        return await self._session.board_times.until(archive, arguments.checkpoint_id)

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
        return runs_body(await self._session.store.runs())

    def _inside(
        self, snapshot: Snapshot, arguments: InspectArguments, extras: Extras
    ) -> InsideMoment:
        live = NOT_LIVE
        if self._session.has_run and arguments.checkpoint_id is None:
            _, keys, _ = snapshot.follow(arguments.inside, arguments.runs)
            live = self._session.activity.live(keys)
        inner_extras = Extras(live, extras.history, extras.routed)
        return snapshot.inside(
            arguments.inside, arguments.runs, inner_extras, arguments.depth
        )

    async def _context(
        self, arguments: NodeArguments | EdgeArguments | SuperstepArguments
    ) -> _Context:
        """Return the inspected barrier, the superstep that led to it, and what
        came after.
        """
        root_snapshot = await self.snapshot(arguments.checkpoint_id)
        header = root_snapshot.header
        if header is None or arguments.checkpoint_id is None:
            routed = preview(self._session.runner) if self._session.has_run else None
        else:
            after = await self._session.trail.after(
                Archive(self._session.store), header
            )
            routed = None if after is None else Routed(after.fates, after.releases)
        _, keys, _ = root_snapshot.follow(arguments.inside, arguments.runs)
        snapshot = root_snapshot.run_at(keys)
        if snapshot is None:
            raise LookupError("Nothing runs inside at this moment.")
        step_end = await barriers.led_to(self.snapshot, root_snapshot)
        before = await barriers.before(self.snapshot, step_end)
        barrier = snapshot.traffic(snapshot.routed(routed, keys))
        step_snapshot = step_end.run_at(keys) or snapshot
        before_snapshot = None if before is None else before.run_at(keys)
        trace = step_snapshot.own_trace
        traffic_before = None
        if before_snapshot is not None:
            traffic_before = before_snapshot.traffic(
                Routed(trace.fates, trace.releases)
            )
        # After an answer, a fork or an edit the queue may differ from that at the end
        # of the superstep, so the routing of the inspected barrier does not apply to
        # it.
        if step_snapshot is snapshot:
            traffic_after = barrier
        elif step_end is root_snapshot:
            traffic_after = step_snapshot.traffic(barrier.routed)
        else:
            traffic_after = step_snapshot.traffic(None)
        step = Superstep(
            before=traffic_before,
            trace=trace,
            after=traffic_after,
            ids=(_checkpoint_id(before), _checkpoint_id(step_end)),
            superstep=step_end.state.superstep,
            is_inside=bool(keys),
        )
        return _Context(
            snapshot, keys, barrier, _checkpoint_id(root_snapshot), step, header
        )

    async def _turns(
        self, context: _Context, node: str
    ) -> tuple[tuple[Turn, ...], bool]:
        """Return the supersteps in which an executor ran, on the inspected
        branch, later ones too.
        """
        header = context.header
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
        turns = [turn_of(step, context.keys, node) for step in reversed(steps)]
        return tuple(turn for turn in turns if turn is not None), complete

    async def snapshot(self, checkpoint_id: str | None) -> Snapshot:
        """Return a checkpoint, viewed; for None the run as it is now."""
        if checkpoint_id is None:
            return self._present()
        snapshot = self._snapshots.get(checkpoint_id)
        if snapshot is None:
            checkpoint = await Archive(self._session.store).view(checkpoint_id)
            self._session.trail.add(checkpoint.header, checkpoint.trace)
            snapshot = self._snapshots[checkpoint_id] = Snapshot.of(checkpoint)
            if len(self._snapshots) > SNAPSHOTS_KEPT:
                self._snapshots.popitem(last=False)
        self._snapshots.move_to_end(checkpoint_id)
        return snapshot

    def _present(self) -> Snapshot:
        session = self._session
        if not session.has_run:
            return Snapshot(None, RunState(), Trace(), session.saved_definition)
        runner = session.runner
        return Snapshot(
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


def expanded(root: Any, arguments: ExpandArguments) -> ExpandBody:
    """Return more of a value, from the root of its section."""
    value = value_at(root, arguments.path)
    children, count = expand(value, (), arguments.offset, arguments.limit)
    text, cut = text_of(value) if arguments.offset == 0 else (None, 0)
    picture = picture_of(value) if arguments.offset == 0 else ""
    return ExpandBody(
        children=children, count=count, text=text, cut=cut, picture=picture
    )


def _checkpoint_id(snapshot: Snapshot | None) -> str | None:
    return (
        snapshot.header.id
        if snapshot is not None and snapshot.header is not None
        else None
    )


def preview(runner: Runner) -> Routed | None:
    """Return how the next superstep will route its messages; None if only the
    superstep itself can decide.
    """
    try:
        root = runner.preview_tree()
    except Exception:  # noqa: BLE001 - a condition that raises fails the superstep, which reports it; inspecting does not
        return None
    return None if has_undecided(root) else Routed(*routed_by(root))
