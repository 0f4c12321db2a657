"""The received messages and the effects of one executor in a superstep, call by call,
taken from two barriers and the trace between them.

The queue of the barrier before has what it received, that of the barrier after what it
sent; the trace says how much of both belongs to which call. If the record leaves
something open, `notes` says so instead of guessing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any

from runtime.debug.graphs.graph import Graph
from runtime.debug.moments.items import MOST, Maker, cut_to, item, message_item
from runtime.debug.protocol import Call, Item, NodeBody
from runtime.debug.supersteps.drop_reasons import UNEXPLAINED, DropReasons
from runtime.debug.supersteps.received import Gap, received_by
from runtime.debug.supersteps.traffic import Delivery, Place, Traffic, held_places
from runtime.debug.values.display import to_value
from runtime.debug.values.shapes import MASKED
from runtime.document.definition import NodeDefinition
from runtime.document.secret_names import is_secret
from runtime.message import Request
from runtime.state import Invocation, Trace

NO_BEFORE = "The checkpoint before this superstep is not in the store, so the received messages are not known."
OLD_RECORD = (
    "This checkpoint was saved by an older version, without the way of each message."
)
NO_CALLS = (
    "The messages cannot be assigned to calls: the record does not fit the "
    "checkpoint before."
)
GAP_WORDS = {
    Gap.NO_BEFORE: NO_BEFORE,
    Gap.OLD_RECORD: OLD_RECORD,
    Gap.NO_CALLS: NO_CALLS,
}
PROGRESS_NOT_KEPT = "{count} output as progress: progress is not kept in checkpoints."
NOT_QUEUED = "{count} sent, but the checkpoint does not have all of them, so they cannot be shown."
HANDED_ON = "{count} output, handed to the outer workflow."
CALLS = 50


@dataclass(frozen=True, slots=True)
class Superstep:
    """A superstep of one run: `before` is the barrier where it began (None if
    unknown), `trace` what it did, `after` the barrier that it led to, with its
    routing, and `ids` the checkpoints of both barriers.
    """

    before: Traffic | None
    trace: Trace
    after: Traffic
    ids: tuple[str | None, str | None]
    superstep: int
    is_inside: bool = False

    @property
    def graph(self) -> Graph:
        return self.after.graph


def node_body(
    step: Superstep,
    node: str,
    barrier: Traffic,
    barrier_id: str | None,
    drawn: NodeDefinition | None,
    reasons: DropReasons = UNEXPLAINED,
) -> NodeBody:
    """Return everything about a node except its turns and its failure.

    `barrier` is the inspected one: the barrier after the superstep, or one that an
    answer or a fork has made of it since. `drawn` is the node in the document that ran,
    if any.
    """
    notes: list[str] = []
    calls, handed_up = handler_calls(step, node, notes)
    record = barrier.state.executors.get(node)
    next_calls = barrier.deliveries(node)
    return NodeBody(
        node=node,
        type="" if drawn is None else drawn.type,
        superstep=step.superstep,
        checkpoint_id=step.ids[1],
        calls=calls,
        handed_up=handed_up,
        stopped=_dropped_messages(step, node, reasons),
        coming=next_calls_of(next_calls or [], barrier_id),
        waiting=_waiting_messages(barrier, node, barrier_id, next_calls),
        questions=tuple(
            question_item(request, barrier_id)
            for request in barrier.state.requests.values()
            if request.executor_id == node
        ),
        params=None if drawn is None else to_value(dict(drawn.params)),
        own=None
        if record is None or not record.state
        else to_value(dict(record.state)),
        notes=tuple(dict.fromkeys(notes)),
    )


def handler_calls(
    step: Superstep, node: str, notes: list[str]
) -> tuple[tuple[Call, ...], tuple[Item, ...]]:
    """Return the calls of an executor, and what its sub-workflows handed up. Gaps of
    the record are added to `notes`.
    """
    return _Calls(step, node, notes).all()


def question_item(request: Request, checkpoint_id: str | None) -> Item:
    return item(
        request.data,
        kind="question",
        name=request.id,
        checkpoint_id=checkpoint_id,
        section=f"request:{request.id}",
    )


class _Calls:
    """The handler calls of one executor, each with its share of the record."""

    def __init__(self, step: Superstep, node: str, notes: list[str]) -> None:
        self._step = step
        self._node = node
        self._notes = notes
        self._invocations = [
            invocation
            for invocation in step.trace.invocations
            if invocation.executor_id == node
        ]
        self._id_before, self._id_after = step.ids
        self._state = step.after.state

    def all(self) -> tuple[tuple[Call, ...], tuple[Item, ...]]:
        received = self._received()
        sent, sent_up = self._split_by_call(
            self._sent_items(), [done.sent for done in self._invocations], NOT_QUEUED
        )
        words = HANDED_ON if self._step.is_inside else PROGRESS_NOT_KEPT
        outputs, outputs_up = self._split_by_call(
            self._output_items(), [done.outputs for done in self._invocations], words
        )
        every = zip(self._invocations, received, sent, outputs, strict=True)
        calls = tuple(self._call(*parts) for parts in islice(every, CALLS))
        handed_up, _ = cut_to([*sent_up, *outputs_up])
        return calls, handed_up

    def _call(
        self,
        invocation: Invocation,
        received: Delivery | None,
        sent: Sequence[Maker] | None,
        outputs: Sequence[Maker] | None,
    ) -> Call:
        if received is None:
            items = None
        else:
            items = [
                partial(message_item, place, self._id_before)
                for place in received.places
            ]
        lists, more = _cut_all(
            items, sent, outputs, self._writes(invocation), self._questions(invocation)
        )
        return Call(
            handler=invocation.handler,
            seconds=invocation.seconds,
            received=lists[0],
            sent=lists[1],
            outputs=lists[2],
            wrote=lists[3],
            asked=lists[4],
            edge="" if received is None else received.edge,
            more=more,
            attempt=invocation.attempt,
            error=invocation.error,
            origin=invocation.origin,
        )

    def _received(self) -> Sequence[Delivery | None]:
        """Return what each call received. Every attempt for a message received
        that message.
        """
        received, gap = received_by(self._invocations, self._step.before, self._node)
        if gap:
            self._notes.append(GAP_WORDS[gap])
        return received

    def _sent_items(self) -> list[Maker]:
        """Return its messages in the order of sending, which is that of the
        queue.
        """
        return [
            partial(self._sent_item, position)
            for position, message in enumerate(self._state.queue)
            if message.source_id == self._node
        ]

    def _sent_item(self, position: int) -> Item:
        ways, note = self._step.after.next_ways(position)
        names = ", ".join(dict.fromkeys(target for target, _ in ways))
        edges = tuple(dict.fromkeys(edge for _, edge in ways if edge))
        place = Place(f"queue:{position}", self._state.queue[position])
        return message_item(place, self._id_after, name=names, edges=edges, note=note)

    def _output_items(self) -> list[Maker]:
        return [
            partial(
                item,
                output.data,
                kind="output",
                checkpoint_id=self._id_after,
                section=f"output:{number}",
            )
            for number, output in enumerate(self._step.trace.outputs)
            if output.executor_id == self._node
        ]

    def _split_by_call(
        self, items: list[Maker], counts: Sequence[int], words: str
    ) -> tuple[list[Sequence[Maker] | None], Sequence[Maker]]:
        """Return what belongs to each call, and the rest, which its
        sub-workflows handed up.
        """
        if sum(counts) > len(items):
            missing = sum(counts) - len(items)
            unit = "value" if missing == 1 else "values"
            self._notes.append(words.format(count=f"{missing} {unit}"))
            return [None if count else () for count in counts], ()
        parts: list[Sequence[Maker] | None] = []
        start = 0
        for count in counts:
            parts.append(items[start : start + count])
            start += count
        return parts, items[start:]

    def _writes(self, invocation: Invocation) -> list[Maker]:
        keys: Sequence[str] = invocation.wrote
        if not keys:
            # Old records have the writes of an executor, but not of each of its calls.
            # A call that failed wrote nothing.
            writes = () if invocation.error else self._step.trace.writes
            keys = [write.key for write in writes if write.executor_id == self._node]
            if keys and len(self._invocations) > 1:
                is_recorded = any(call.wrote for call in self._invocations)
                if not is_recorded:
                    self._notes.append(
                        f"One or more of these calls wrote {', '.join(dict.fromkeys(keys))}."
                    )
                keys = ()
        return [partial(self._write_item, key) for key in dict.fromkeys(keys)]

    def _write_item(self, key: str) -> Item:
        before = self._step.before.state.shared if self._step.before is not None else {}
        value_before = _preview(key, before[key]) if key in before else None
        shared = self._state.shared
        others = [
            write.executor_id
            for write in self._step.trace.writes
            if write.key == key and write.executor_id != self._node
        ]
        note = f"with {', '.join(others)}" if others else ""
        if key not in shared:
            deleted = item(
                None,
                kind="state",
                name=key,
                checkpoint_id=self._id_after,
                note="deleted",
            )
            return deleted.model_copy(update={"old": value_before})
        place = {
            "section": "state",
            "path": (list(shared).index(key),),
            "checkpoint_id": self._id_after,
        }
        if is_secret(key):
            return Item(
                kind="state",
                name=key,
                note=note,
                value=_preview(key, shared[key]),
                old=value_before,
                **place,
            )
        return item(shared[key], kind="state", name=key, note=note, **place).model_copy(
            update={"old": value_before}
        )

    def _questions(self, invocation: Invocation) -> list[Maker]:
        ids: Sequence[str] = invocation.asked
        requests = self._state.requests
        if not ids and len(self._invocations) == 1:
            ids = [
                id_
                for id_ in self._step.trace.asked
                if id_ in requests and requests[id_].executor_id == self._node
            ]
        return [
            partial(question_item, requests[id_], self._id_after)
            for id_ in ids
            if id_ in requests
        ]


def _preview(key: str, value: Any) -> Any:
    shown = to_value(value, 1)
    if not is_secret(key):
        return shown
    return shown.model_copy(update={"text": MASKED, "count": 0, "children": None})


def _cut_all(
    *lists: Sequence[Maker] | None,
) -> tuple[list[tuple[Item, ...] | None], int]:
    cut: list[tuple[Item, ...] | None] = []
    more = 0
    for items in lists:
        if items is None:
            cut.append(None)
            continue
        shown, left_out = cut_to(items)
        cut.append(shown)
        more += left_out
    return cut, more


def _dropped_messages(
    step: Superstep, node: str, reasons: DropReasons
) -> tuple[Item, ...]:
    if step.before is None:
        return ()
    stops = [
        stop for stop in step.before.stopped(target=node) if stop.lost is not False
    ]
    return tuple(
        message_item(
            stop.place,
            step.ids[0],
            note=stop.fate.reason,
            edges=(stop.fate.edge_id or "",),
            why=reasons.of(stop),
        )
        for stop in stops[:MOST]
    )


def next_calls_of(
    deliveries: Sequence[Delivery], barrier_id: str | None
) -> tuple[Call, ...]:
    """Return the calls of the next superstep, with what they will receive."""
    calls = []
    for delivery in deliveries[:CALLS]:
        received, more = cut_to(
            partial(message_item, place, barrier_id) for place in delivery.places
        )
        calls.append(Call(received=received, edge=delivery.edge, more=more))
    return tuple(calls)


def _waiting_messages(
    barrier: Traffic,
    node: str,
    barrier_id: str | None,
    coming: Sequence[Delivery] | None,
) -> tuple[Item, ...]:
    """Return the queued messages of a node whose routing is open, and the messages that
    its joins hold and will not release.
    """
    taken = {place.section for delivery in coming or () for place in delivery.places}
    items: list[Maker] = []
    for position, message in enumerate(barrier.state.queue if coming is None else ()):
        edges = tuple(
            edge for target, edge in barrier.next_ways(position)[0] if target == node
        )
        if edges:
            items.append(
                partial(
                    message_item,
                    Place(f"queue:{position}", message),
                    barrier_id,
                    edges=edges,
                    note="queued",
                )
            )
    for join, place in held_places(barrier.graph, barrier.state):
        if join.target == node and place.section not in taken:
            items.append(
                partial(
                    message_item,
                    place,
                    barrier_id,
                    edges=(join.edge,),
                    note="held by the join",
                )
            )
    return cut_to(items)[0]
