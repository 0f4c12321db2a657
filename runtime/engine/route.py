"""Route: where the queued messages go. Pure, so it can be asked for before anything happens.

Messages are taken in the fixed order of the queue. Joins are judged after all messages have been routed, so that what a
join delivers does not depend on how messages of one superstep are interleaved.
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

# (position in the queue, edge id) -> what condition, switch or selection said: once per message, also if asked twice.
Decisions = dict[tuple[int, str], Any]
_T = TypeVar("_T")
_source_of = attrgetter("source_id")


class Lost(NamedTuple):
    """A message that nobody took, although no condition and no selection spoke against it.

    `refusals` names each edge with its target that has no handler for the type; without any, no edge led on. Of the
    failure of an executor, `error_edges` are those whose condition speaks against it: one held when it was asked
    whether the failure is taken.
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
    lost        messages that nobody takes and that nobody meant to stop
    """

    deliveries: Mapping[str, list[Delivery]]
    buffers: Mapping[str, tuple[Message, ...]]
    fates: tuple[Fate, ...] = ()
    releases: tuple[Release, ...] = ()
    undecided: Mapping[tuple[int, str], Awaitable[Any]] | None = None
    lost: tuple[Lost, ...] = ()


# (source, target that it is addressed to, class of its data)
KnownKey = tuple[str, str | None, type]
_FateKey = tuple[str, str, str | None, str | None, str, str]


class Known(NamedTuple):
    """Where every message of one class from one source goes, if no condition and no selection has a say.

    calls  (target, its handler, edge id), in the order of the definition
    keys   the fates as a router counts them; those of joins are counted when it is known what they hold back
    joins  the ids of the joins that take it
    """

    sources: tuple[str, ...]
    calls: tuple[tuple[str, Handler, str | None], ...]
    keys: tuple[_FateKey, ...]
    fates: tuple[Fate, ...]
    lost: tuple[Lost, ...]
    joins: tuple[str, ...]


def known_way(workflow: WorkflowGraph, message: Message) -> Known | None:
    """Where a message goes, if its class says so: looked for once per class. None where it must be asked for."""
    if message.request is not None:
        return None  # for an answer, its question counts too
    key = (message.source_id, message.target_id, message.data.__class__)
    try:
        way: Known | None = workflow.known_ways[key]
    except KeyError:
        way = workflow.known_ways[key] = _learned(workflow, message)
    return way


def _learned(workflow: WorkflowGraph, message: Message) -> Known | None:
    source = message.source_id
    target = message.target_id
    if message.data.__class__ is ExecutorFailure:
        return None  # whether it is the failure of its source, its class does not say
    groups = [
        one
        for one in workflow.outgoing.get(source, ())
        if target is None or target in one.targets
    ]
    if not groups or not all(_class_decides(workflow, one) for one in groups):
        return None
    router = _Router(workflow, RunState(), {})
    router.take(0, message)
    found = router.result()
    calls = tuple(
        [
            (one.target_id, one.handler, one.edge_id)
            for [one] in found.deliveries.values()
        ]
    )
    return Known(
        (source,),
        calls,
        tuple(router.places),
        found.fates,
        found.lost,
        tuple(router.arrived),
    )


def _class_decides(workflow: WorkflowGraph, group: EdgeGroup) -> bool:
    """True when the class of a message says which targets of the group take it."""
    targets = [workflow.executors[one] for one in group.target_ids]
    if group.delivers_lists:
        return all(one.class_in_list_decides for one in targets)
    return group.only_targets_decide and all(one.class_decides for one in targets)


def route(
    workflow: WorkflowGraph, state: RunState, decisions: Decisions | None = None
) -> Routing:
    """Where the messages of the queue go. `decisions` remembers conditions, and holds those that had to be awaited.

    Raises whatever a condition or selection raises, with a note that names edge and case.
    """
    router: _Router | None = None
    try:
        # as in each loop and each chain: nothing to sort, nothing to count
        if len(state.queue) == 1:
            [message] = state.queue
            known = known_way(workflow, message)
            if known is not None and not known.joins:
                data = message.data
                sources = known.sources
                deliveries = {
                    one: [Delivery(one, data, sources, call, edge)]
                    for one, call, edge in known.calls
                }
                return Routing(
                    deliveries, state.buffers, known.fates, (), None, known.lost
                )
        router = _Router(workflow, state, {} if decisions is None else decisions)
        for position, message in enumerate(state.queue):
            known = known_way(workflow, message)
            if known is None:
                router.take(position, message)
            else:
                router.send(known, position, message)
        router.release_joins()
        return router.result()
    except BaseException as error:
        close_conditions(None if router is None else router.undecided)
        if isinstance(error, SystemExit):  # raised by the check of a type
            raise as_failure(error, "A handler's type") from error
        raise


def close_conditions(
    undecided: Mapping[tuple[int, str], Awaitable[Any]] | None,
) -> None:
    """Give up conditions that were not awaited: a coroutine that is merely forgotten makes a warning."""
    for waiting in (undecided or {}).values():
        if isinstance(waiting, Coroutine):
            waiting.close()


def place_of(group: EdgeGroup) -> str:
    """Which condition of a direct edge it is that raised."""
    return f"in the condition of edge '{group.id}', from '{group.source_ids[0]}' to '{group.target_ids[0]}'"


class _Router:
    def __init__(
        self, workflow: WorkflowGraph, state: RunState, decisions: Decisions
    ) -> None:
        self._workflow = workflow
        self._state = state
        self._decisions = decisions
        self._position = 0
        self._deliveries: dict[str, list[Delivery]] = {}
        # What becomes of messages -> the places in the queue of those of which it becomes.
        self.places: dict[_FateKey, list[int]] = {}
        self._releases: list[Release] = []
        self.arrived: dict[str, list[tuple[int, Message]]] = {}
        self._buffers = state.buffers
        self.undecided: dict[tuple[int, str], Awaitable[Any]] = {}
        self._lost: list[Lost] = []
        # Of the message that is being routed: whether somebody takes it, and which targets cannot.
        self._taken = False
        self._refusals: list[tuple[str, str]] = []

    # --- what edge rules ask --------------------------------------------------------------------------------------

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

    # --- messages -------------------------------------------------------------------------------------------------

    def take(self, position: int, message: Message) -> None:
        self._position = position
        self._taken = False
        groups: Sequence[EdgeGroup] | None = self._workflow.outgoing.get(
            message.source_id
        )
        target = message.target_id
        is_failure = is_failure_of_source(message)
        if is_failure:
            groups = self._workflow.error_edges.get(message.source_id)
        if groups:
            for group in (
                groups
                if target is None
                else self._towards(target, message.source_id, groups)
            ):
                self._follow(group, message)
            if not self._taken and (is_failure or self._refusals):
                refused = {edge for edge, _ in self._refusals}
                if is_failure:
                    error_edges = tuple(
                        [one.id for one in groups if one.id not in refused]
                    )
                else:
                    error_edges = ()
                self._lost.append(
                    Lost(
                        message.source_id,
                        type(message.data),
                        tuple(self._refusals),
                        error_edges,
                    )
                )
            self._refusals.clear()
        elif target is None:
            self._count("dropped", message.source_id, None, None, NO_EDGE)
            self._lost.append(Lost(message.source_id, type(message.data), ()))
        elif message.source_id == internal_source_id(target):
            # from outside: the first input, or an answer
            self._deliver(message, target, None)
        else:
            raise UnknownTargetError(message.source_id, target)

    def send(self, known: Known, position: int, message: Message) -> None:
        """Take a message of which it is known where it goes."""
        for target, handler, edge_id in known.calls:
            delivery = Delivery(target, message.data, known.sources, handler, edge_id)
            self._deliveries.setdefault(target, []).append(delivery)
        for key in known.keys:
            self.places.setdefault(key, []).append(position)
        for join_id in known.joins:
            self.arrived.setdefault(join_id, []).append((position, message))
        self._lost += known.lost

    def _towards(
        self, target: str, source: str, groups: Sequence[EdgeGroup]
    ) -> Sequence[EdgeGroup]:
        """The groups that lead to the target of an addressed message. A context refuses a target without any, so only
        a queue that was edited can have one.
        """
        found = [group for group in groups if target in group.targets]
        if not found:
            raise UnknownTargetError(source, target)
        for group in groups:
            if group not in found:
                self._count("dropped", source, None, group.id, TARGET_MISMATCH)
        return found

    def _follow(self, group: EdgeGroup, message: Message) -> None:
        for way in group.ways(message, self):
            if way.reason:
                self._count(
                    "dropped", message.source_id, way.target_id, group.id, way.reason
                )
                if way.reason == TYPE_MISMATCH:
                    self._refusals.append((group.id, way.target_id))
            elif group.is_join:
                self._taken = True
                self.arrived.setdefault(group.id, []).append((self._position, message))
            else:
                self._deliver(message, way.target_id, group.id, way.case)

    def _deliver(
        self, message: Message, target_id: str, edge_id: str | None, case: str = ""
    ) -> None:
        executor = self._workflow.executors[target_id]
        request = message.request
        if request is None:
            handler = executor.handler_for(message.data)
        else:
            handler = executor.response_handler_for(request.data, message.data)
        # answers and inputs are checked when they come in, edges ask `takes`
        if handler is None:
            raise LookupError(
                f"Executor '{target_id}' has no handler for a {type(message.data).__name__}."
            )
        delivery = Delivery(
            target_id, message.data, (message.source_id,), handler, edge_id, request
        )
        self._deliveries.setdefault(target_id, []).append(delivery)
        self._taken = True
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
        self.places.setdefault((kind, source, target, edge, reason, case), []).append(
            self._position
        )

    # --- joins ----------------------------------------------------------------------------------------------------

    def release_joins(self) -> None:
        if not self.arrived:
            return
        buffers = dict(self._buffers)
        for join in self._workflow.joins:
            arrived = self.arrived.get(join.id)
            if arrived:
                messages = [message for _, message in arrived]
                lists, rest = join.release((*buffers.pop(join.key, ()), *messages))
                if rest:
                    buffers[join.key] = rest
                self._count_arrivals(join, arrived, rest)
                for released in lists:
                    self._fire(join, released)
        self._buffers = buffers

    def _count_arrivals(
        self,
        join: JoinEdgeGroup,
        arrived: list[tuple[int, Message]],
        rest: tuple[Message, ...],
    ) -> None:
        target = join.target_id
        edge = join.id
        came: dict[str, list[int]] = {}
        for position, message in arrived:
            came.setdefault(message.source_id, []).append(position)
        # What stays is what came last, so of a source's arrivals at most as many wait as the rest has of it.
        waiting = Counter(map(_source_of, rest))
        for source, places in came.items():
            delivered = max(len(places) - waiting[source], 0)
            if delivered < len(places):
                self.places["buffered", source, target, edge, "", ""] = places[
                    delivered:
                ]
            if delivered:
                self.places["delivered", source, target, edge, "", ""] = places[
                    :delivered
                ]

    def _fire(self, join: JoinEdgeGroup, messages: tuple[Message, ...]) -> None:
        data = join.delivered(messages)
        handler = self._workflow.executors[join.target_id].handler_for(data)
        if handler is None:
            raise LookupError(
                f"The join '{join.id}' collected a list that no handler of '{join.target_id}' takes as a whole. "
                "Let a handler take list[Any], or lists of all types that arrive."
            )
        present = Counter(map(_source_of, messages))
        delivery = Delivery(
            join.target_id, data, join.source_ids, handler, join.id, None, len(messages)
        )
        self._deliveries.setdefault(join.target_id, []).append(delivery)
        self._releases.append(
            Release(
                join.id,
                join.target_id,
                tuple([present[source] for source in join.source_ids]),
            )
        )

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
        sent = Counter(map(_source_of, self._state.queue))
        fates = []
        for (kind, source, target, edge, reason, case), places in self.places.items():
            count = len(places)
            positions = tuple(places) if count < sent[source] else ()
            fates.append(
                Fate(kind, source, target, edge, count, reason, case, positions)
            )
        return tuple(fates)
