"""Route: where the queued messages go. Pure, so that a preview may ask for it before
anything happens.

Messages are routed in the fixed order of the queue. Joins are judged after all messages
have been routed, so that what a join delivers does not depend on how the messages of a
superstep are interleaved.

A `_Router` asks the rules of the edges about each message. Where no rule looks at the
message itself, its class decides, so every message of that class from that source goes
the same way. The router's answer is kept then as a `KnownWay`, and later messages only
follow it. Paid for by `python -m tests.benchmarks --only w1,w2,w3`: without it, a
superstep takes 1.4 (w1), 1.5 (w2) and 1.2 (w3) times the CPU. As a known way is the
router's own answer, the two cannot disagree.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from runtime.edges.base import (
    NO_EDGE,
    TARGET_MISMATCH,
    TYPE_MISMATCH,
    EdgeCondition,
    EdgeGroup,
    own_copy,
)
from runtime.edges.join import JoinEdgeGroup
from runtime.errors import UnknownTargetError
from runtime.executors.delivery import Delivery
from runtime.message import (
    ExecutorFailure,
    Message,
    internal_source_id,
    is_failure_of_source,
)
from runtime.state import Fate, Release, RunState
from runtime.values.records import record
from runtime.values.user_failures import as_failure, blame

if TYPE_CHECKING:
    from runtime.executors.handlers import Handler
    from runtime.graph.workflow_graph import WorkflowGraph

# (position in the queue, edge id) -> what a condition, switch or selection said about
# that message. Kept, so that each is asked once per message even if a preview and the
# step both route it.
Decisions = dict[tuple[int, str], Any]
Undecided = Mapping[tuple[int, str], Awaitable[Any]]
_T = TypeVar("_T")
_source_of = attrgetter("source_id")


class Lost(NamedTuple):
    """A message that nothing took, although no condition and no selection stopped it.

    refusals     each edge with its target that has no handler for the type; empty if no edge led on
    error_edges  for the failure of an executor: the edges whose condition stops it now, although one of them held when
                 it was asked whether the failure is taken
    """

    source_id: str
    data_type: type
    refusals: tuple[tuple[str, str], ...]
    error_edges: tuple[str, ...] = ()


@record
class Routing:
    """What the next superstep does before any handler runs.

    deliveries  executor id -> its deliveries in order; executors in the order of the definition
    buffers     what joins hold afterwards
    undecided   conditions that must be awaited before the routing is complete
    lost        messages that nothing takes and that no rule meant to stop
    """

    deliveries: Mapping[str, list[Delivery]]
    buffers: Mapping[str, tuple[Message, ...]]
    fates: tuple[Fate, ...] = ()
    releases: tuple[Release, ...] = ()
    undecided: Undecided | None = None
    lost: tuple[Lost, ...] = ()


def route(
    workflow: WorkflowGraph, state: RunState, decisions: Decisions | None = None
) -> Routing:
    """Return where the messages of the queue go. `decisions` has what conditions have
    said, and gets what they say now.

    Raise whatever a condition or selection raises, with a note that names edge and
    case.
    """
    router: _Router | None = None
    try:
        if len(state.queue) == 1:
            # As in every loop and chain: with one message there is nothing to sort and
            # nothing to count.
            [message] = state.queue
            way = known_way(workflow, message)
            if way is not None and not way.joins:
                data = message.data
                sources = way.sources
                deliveries = {
                    target: [Delivery(target, data, sources, handler, edge_id)]
                    for target, handler, edge_id in way.calls
                }
                return Routing(deliveries, state.buffers, way.fates, (), None, way.lost)
        router = _Router(workflow, state, {} if decisions is None else decisions)
        for position, message in enumerate(state.queue):
            way = known_way(workflow, message)
            if way is None:
                router.route(position, message)
            else:
                router.follow(way, position, message)
        router.release_joins()
        return router.result()
    except BaseException as error:
        close_conditions(None if router is None else router.undecided)
        if isinstance(error, SystemExit):
            # Code of a class has raised it while a value was checked against a
            # handler's type.
            raise as_failure(error, "A handler's type") from error
        raise


def close_conditions(undecided: Undecided | None) -> None:
    """Close conditions that were not awaited, because Python warns of a coroutine that
    is merely forgotten.
    """
    for condition in (undecided or {}).values():
        if isinstance(condition, Coroutine):
            condition.close()


def place_of(group: EdgeGroup) -> str:
    """Return the words that say which condition of a direct edge raised."""
    return f"in the condition of edge '{group.id}', from '{group.source_ids[0]}' to '{group.target_ids[0]}'"


# --- known ways ---------------------------------------------------------------------------------------------------

# A fate without count and positions: (kind, source, target, edge id, reason, case).
_FateKey = tuple[str, str, str | None, str | None, str, str]


class KnownWay(NamedTuple):
    """Where every message of one class from one source goes.

    calls      (target, its handler, edge id), in the order of the definition
    fate_keys  the fates as a router counts them, without those of joins, which depend on what the joins hold back
    joins      the ids of the joins that take it
    """

    sources: tuple[str, ...]
    calls: tuple[tuple[str, Handler, str | None], ...]
    fate_keys: tuple[_FateKey, ...]
    fates: tuple[Fate, ...]
    lost: tuple[Lost, ...]
    joins: tuple[str, ...]


def known_way(workflow: WorkflowGraph, message: Message) -> KnownWay | None:
    """Return where a message goes if its class decides that, or None if the edges must
    be asked about it.
    """
    if message.request is not None:
        # The handler of an answer depends on its question too.
        return None
    key = (message.source_id, message.target_id, message.data.__class__)
    try:
        way: KnownWay | None = workflow.known_ways[key]
    except KeyError:
        way = workflow.known_ways[key] = _find_known_way(workflow, message)
    return way


def _find_known_way(workflow: WorkflowGraph, message: Message) -> KnownWay | None:
    source = message.source_id
    target = message.target_id
    if message.data.__class__ is ExecutorFailure:
        # Whether it is the failure of its source, and goes along error edges, is not
        # decided by its class.
        return None
    groups = [
        group
        for group in workflow.outgoing.get(source, ())
        if target is None or target in group.targets
    ]
    if not groups or not all(_class_decides(workflow, group) for group in groups):
        return None
    router = _Router(workflow, RunState(), {})
    router.route(0, message)
    routing = router.result()
    calls = tuple(
        [
            (delivery.target_id, delivery.handler, delivery.edge_id)
            for [delivery] in routing.deliveries.values()
        ]
    )
    return KnownWay(
        (source,),
        calls,
        tuple(router.positions),
        routing.fates,
        routing.lost,
        tuple(router.arrived),
    )


def _class_decides(workflow: WorkflowGraph, group: EdgeGroup) -> bool:
    """Return True if the class of a message alone decides which targets of the group
    take it.
    """
    targets = [workflow.executors[target_id] for target_id in group.target_ids]
    if group.delivers_lists:
        return all(executor.class_in_list_decides for executor in targets)
    return group.only_targets_decide and all(
        executor.class_decides for executor in targets
    )


# --- the router ---------------------------------------------------------------------------------------------------


class _Router:
    """Routes the messages of one superstep, one after the other, and then the joins. It
    is the `Ask` of edge rules.

    positions  what became of messages -> the positions in the queue of the messages that it became of
    arrived    join id -> the messages that have come for it in this superstep, with their positions
    """

    def __init__(
        self, workflow: WorkflowGraph, state: RunState, decisions: Decisions
    ) -> None:
        self._workflow = workflow
        self._state = state
        self._decisions = decisions
        self._deliveries: dict[str, list[Delivery]] = {}
        self.positions: dict[_FateKey, list[int]] = {}
        self.arrived: dict[str, list[tuple[int, Message]]] = {}
        self._releases: list[Release] = []
        self._buffers = state.buffers
        self.undecided: dict[tuple[int, str], Awaitable[Any]] = {}
        self._lost: list[Lost] = []
        # Of the message that is being routed: its position, whether anything takes it,
        # and which targets cannot.
        self._position = 0
        self._is_taken = False
        self._refusals: list[tuple[str, str]] = []

    # --- questions of edge rules --------------------------------------------------------------------------------

    def takes(self, target_id: str, data: Any) -> bool:
        return self._workflow.executors[target_id].handler_for(data) is not None

    def once(self, group: EdgeGroup, decide: Callable[[], _T]) -> _T:
        key = (self._position, group.id)
        if key not in self._decisions:
            self._decisions[key] = decide()
        return self._decisions[key]  # type: ignore[no-any-return]

    def holds(
        self, group: EdgeGroup, condition: EdgeCondition, data: Any
    ) -> bool | None:
        key = (self._position, group.id)
        if key in self._decisions:
            return self._decisions[key]  # type: ignore[no-any-return]
        try:
            answer = condition(own_copy(condition, data))
            if isinstance(answer, Awaitable):
                self.undecided[key] = answer
                return None
            self._decisions[key] = bool(answer)
        except BaseException as error:
            blame(error, "A condition", place_of(group))
            raise
        return self._decisions[key]  # type: ignore[no-any-return]

    # --- messages -----------------------------------------------------------------------------------------------

    def route(self, position: int, message: Message) -> None:
        """Route a message by asking the edges."""
        self._position = position
        self._is_taken = False
        source = message.source_id
        target = message.target_id
        is_failure = is_failure_of_source(message)
        if is_failure:
            groups: Sequence[EdgeGroup] = self._workflow.error_edges.get(source, ())
        else:
            groups = self._workflow.outgoing.get(source, ())
        if groups:
            if target is None:
                addressed_groups = groups
            else:
                addressed_groups = self._groups_to(target, source, groups)
            for group in addressed_groups:
                self._ask(group, message)
            if not self._is_taken and (is_failure or self._refusals):
                self._record_loss(message, groups if is_failure else ())
            self._refusals.clear()
        elif target is None:
            self._count("dropped", source, None, None, NO_EDGE)
            self._lost.append(Lost(source, type(message.data), ()))
        elif source == internal_source_id(target):
            # From outside: the input of the run, or an answer.
            self._deliver(message, target, None)
        else:
            raise UnknownTargetError(source, target)

    def follow(self, way: KnownWay, position: int, message: Message) -> None:
        """Route a message whose way is known."""
        for target, handler, edge_id in way.calls:
            delivery = Delivery(target, message.data, way.sources, handler, edge_id)
            self._deliveries.setdefault(target, []).append(delivery)
        for key in way.fate_keys:
            self.positions.setdefault(key, []).append(position)
        for join_id in way.joins:
            self.arrived.setdefault(join_id, []).append((position, message))
        self._lost += way.lost

    def _groups_to(
        self, target: str, source: str, groups: Sequence[EdgeGroup]
    ) -> Sequence[EdgeGroup]:
        """Return the groups that lead to the target of an addressed message.

        A context refuses a target without any, so only a queue that was edited by hand
        can have one.
        """
        matching = [group for group in groups if target in group.targets]
        if not matching:
            raise UnknownTargetError(source, target)
        for group in groups:
            if group not in matching:
                self._count("dropped", source, None, group.id, TARGET_MISMATCH)
        return matching

    def _ask(self, group: EdgeGroup, message: Message) -> None:
        source = message.source_id
        for way in group.ways(message, self):
            if way.reason:
                self._count("dropped", source, way.target_id, group.id, way.reason)
                if way.reason == TYPE_MISMATCH:
                    self._refusals.append((group.id, way.target_id))
            elif group.is_join:
                self._is_taken = True
                self.arrived.setdefault(group.id, []).append((self._position, message))
            else:
                self._deliver(message, way.target_id, group.id, way.case)

    def _record_loss(self, message: Message, error_edges: Sequence[EdgeGroup]) -> None:
        refusing = {edge_id for edge_id, _ in self._refusals}
        unwilling = tuple(
            [group.id for group in error_edges if group.id not in refusing]
        )
        data_type = type(message.data)
        self._lost.append(
            Lost(message.source_id, data_type, tuple(self._refusals), unwilling)
        )

    def _deliver(
        self, message: Message, target_id: str, edge_id: str | None, case: str = ""
    ) -> None:
        executor = self._workflow.executors[target_id]
        request = message.request
        if request is None:
            handler = executor.handler_for(message.data)
        else:
            handler = executor.response_handler_for(request.data, message.data)
        if handler is None:
            # Cannot happen: answers and inputs are checked when they come in, and edges
            # ask `takes`.
            raise LookupError(
                f"Executor '{target_id}' has no handler for a {type(message.data).__name__}."
            )
        delivery = Delivery(
            target_id, message.data, (message.source_id,), handler, edge_id, request
        )
        self._deliveries.setdefault(target_id, []).append(delivery)
        self._is_taken = True
        self._count("delivered", message.source_id, target_id, edge_id, case=case)

    def _count(
        self,
        kind: str,
        source: str,
        target: str | None,
        edge: str | None,
        reason: str = "",
        *,
        case: str = "",
    ) -> None:
        key = (kind, source, target, edge, reason, case)
        self.positions.setdefault(key, []).append(self._position)

    # --- joins --------------------------------------------------------------------------------------------------

    def release_joins(self) -> None:
        """Let the joins that got messages release what their policies say."""
        if not self.arrived:
            return
        buffers = dict(self._buffers)
        for join in self._workflow.joins:
            arrived = self.arrived.get(join.id)
            if not arrived:
                continue
            messages = [message for _, message in arrived]
            released_lists, held = join.release((*buffers.pop(join.key, ()), *messages))
            if held:
                buffers[join.key] = held
            self._count_arrivals(join, arrived, held)
            for released in released_lists:
                self._fire(join, released)
        self._buffers = buffers

    def _count_arrivals(
        self,
        join: JoinEdgeGroup,
        arrived: list[tuple[int, Message]],
        held: tuple[Message, ...],
    ) -> None:
        positions_by_source: dict[str, list[int]] = {}
        for position, message in arrived:
            positions_by_source.setdefault(message.source_id, []).append(position)
        held_counts = Counter(map(_source_of, held))
        for source, positions in positions_by_source.items():
            # A join holds the newest messages of a source back, so of those that have
            # just arrived the first go out.
            delivered = max(len(positions) - held_counts[source], 0)
            way = (source, join.target_id, join.id, "", "")
            if delivered < len(positions):
                self.positions["buffered", *way] = positions[delivered:]
            if delivered:
                self.positions["delivered", *way] = positions[:delivered]

    def _fire(self, join: JoinEdgeGroup, messages: tuple[Message, ...]) -> None:
        target_id = join.target_id
        data = join.delivered(messages)
        handler = self._workflow.executors[target_id].handler_for(data)
        if handler is None:
            raise LookupError(
                f"The join '{join.id}' collected a list that no handler of '{target_id}' takes as a whole. "
                "Let a handler take list[Any], or lists of all types that arrive."
            )
        delivery = Delivery(
            target_id, data, join.source_ids, handler, join.id, None, len(messages)
        )
        self._deliveries.setdefault(target_id, []).append(delivery)
        counts = Counter(map(_source_of, messages))
        in_order = tuple([counts[source] for source in join.source_ids])
        self._releases.append(Release(join.id, target_id, in_order))

    # --- the result ---------------------------------------------------------------------------------------------

    def result(self) -> Routing:
        deliveries = self._deliveries
        if len(deliveries) > 1:
            order = self._workflow.order
            deliveries = {
                target: deliveries[target]
                for target in sorted(deliveries, key=order.__getitem__)
            }
        return Routing(
            deliveries,
            self._buffers,
            self._fates(),
            tuple(self._releases),
            self.undecided,
            tuple(self._lost),
        )

    def _fates(self) -> tuple[Fate, ...]:
        sent_counts = Counter(map(_source_of, self._state.queue))
        fates = []
        for key, positions in self.positions.items():
            kind, source, target, edge, reason, case = key
            count = len(positions)
            # Positions are left out where all messages of the source went this way,
            # because then the count tells.
            kept_positions = tuple(positions) if count < sent_counts[source] else ()
            fates.append(
                Fate(kind, source, target, edge, count, reason, case, kept_positions)
            )
        return tuple(fates)
