"""A superstep as a whole, and the one after it: who ran with what, which joins fired or
hold, and which messages were dropped.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from runtime.debug.moments.edge_body import dropped_item
from runtime.debug.moments.items import MOST, message_item
from runtime.debug.moments.node_body import Superstep, handler_calls, next_calls_of
from runtime.debug.protocol import (
    Call,
    Item,
    JoinRelease,
    NodeCalls,
    Reason,
    SuperstepBody,
)
from runtime.debug.supersteps.drop_reasons import DropReasons
from runtime.debug.supersteps.next_superstep import Outlook
from runtime.debug.supersteps.traffic import Place, Stop, Traffic
from runtime.edges.base import NO_EDGE, TARGET_MISMATCH
from runtime.state import Release

NODES = 60  # executors of one list


def superstep_body(
    step: Superstep,
    barrier: Traffic,
    barrier_id: str | None,
    ahead: Outlook,
    reasons: DropReasons,
) -> SuperstepBody:
    """Return a superstep and the one that follows the inspected barrier. `ahead` says
    what is certain where the routing of the barrier is not known.
    """
    notes: list[str] = []
    executors = dict.fromkeys(call.executor_id for call in step.trace.invocations)
    ran = []
    for executor in list(executors)[:NODES]:
        calls, handed_up = handler_calls(step, executor, notes)
        ran.append(NodeCalls(node=executor, calls=calls, handed_up=handed_up))
    before = step.before
    stopped: tuple[Item, ...] = ()
    more_stopped = 0
    if before is not None:
        stopped, more_stopped = _stopped(before, step.ids[0], reasons)
    coming = _coming(barrier, barrier_id, ahead)
    refused, more_refused = _stopped(barrier, barrier_id, reasons)
    return SuperstepBody(
        superstep=step.superstep,
        checkpoint_id=step.ids[1],
        seconds=step.trace.seconds,
        ran=tuple(ran),
        fired=tuple(_release(step.after, release) for release in step.trace.releases),
        stopped=stopped,
        next=tuple(coming[:NODES]),
        fires=_fires(barrier, ahead),
        holds=tuple(sorted(_holding(ahead))),
        refused=refused,
        undecided=_undecided(barrier, barrier_id),
        decided=barrier.routed is not None,
        notes=tuple(dict.fromkeys(notes)),
        more=more_stopped
        + more_refused
        + max(0, len(executors) - NODES)
        + max(0, len(coming) - NODES),
    )


def _stopped(
    barrier: Traffic, checkpoint_id: str | None, reasons: DropReasons
) -> tuple[tuple[Item, ...], int]:
    """Return the messages that edges did not take, those first that nothing took, and
    how many more there are. An edge to another executor than the addressed one is not
    listed.
    """
    # Sorting is stable, so the order of the queue stays.
    stops = sorted(_stops(barrier), key=lambda stop: stop.lost is False)
    # Only those that are sent are explained, because that evaluates conditions.
    items = tuple(_stopped_item(stop, checkpoint_id, reasons) for stop in stops[:MOST])
    return items, max(0, len(stops) - MOST)


def _stops(barrier: Traffic) -> Iterator[Stop]:
    for position, message in enumerate(barrier.state.queue):
        place = Place(f"queue:{position}", message)
        for fate in barrier.fates_of(position):
            if fate.kind == "dropped" and fate.reason != TARGET_MISMATCH:
                yield Stop(place, fate, barrier.is_lost(position))


def _stopped_item(stop: Stop, checkpoint_id: str | None, reasons: DropReasons) -> Item:
    if stop.fate.reason != NO_EDGE:
        return dropped_item(stop, checkpoint_id, (), reasons)
    source = stop.place.message.source_id
    return message_item(
        stop.place,
        checkpoint_id,
        note=NO_EDGE,
        lost=True,
        why=(Reason(text=f"no edge leads from {source}"),),
    )


def _coming(
    barrier: Traffic, barrier_id: str | None, ahead: Outlook
) -> list[NodeCalls]:
    coming = []
    for node in barrier.graph.titles:
        if node not in ahead.next:
            continue
        deliveries = barrier.deliveries(node)
        if deliveries is not None:
            calls = next_calls_of(deliveries, barrier_id)
        else:
            calls = _certain_calls(barrier, node, barrier_id)
        coming.append(NodeCalls(node=node, calls=calls))
    return coming


def _certain_calls(
    barrier: Traffic, node: str, barrier_id: str | None
) -> tuple[Call, ...]:
    """Return the calls for messages on ways that no condition guards."""
    calls = []
    for position, message in enumerate(barrier.state.queue[:MOST]):
        for target, edge in barrier.next_ways(position)[0]:
            if target == node:
                place = Place(f"queue:{position}", message)
                received = (message_item(place, barrier_id),)
                calls.append(Call(received=received, edge=edge))
    return tuple(calls)


def _fires(barrier: Traffic, ahead: Outlook) -> tuple[JoinRelease, ...]:
    if barrier.routed is not None:
        return tuple(_release(barrier, release) for release in barrier.routed.releases)
    return tuple(
        JoinRelease(edge=join.edge, target=join.target)
        for join in barrier.graph.joins
        if join.edge in ahead.firing
    )


def _holding(ahead: Outlook) -> Iterable[str]:
    """Return the edges of the joins that get messages and do not fire."""
    return {edge for (edge, _), count in ahead.arriving.items() if count} - ahead.firing


def _release(barrier: Traffic, release: Release) -> JoinRelease:
    sources: Sequence[str] = ()
    for join in barrier.graph.joins:
        if join.edge == release.edge_id:
            sources = join.sources
    return JoinRelease(
        edge=release.edge_id,
        target=release.target_id,
        counts=tuple(zip(sources, release.counts, strict=False)),
    )


def _undecided(barrier: Traffic, barrier_id: str | None) -> tuple[Item, ...]:
    """Return the queued messages of which a condition decides, and nobody knows yet."""
    if barrier.routed is not None:
        return ()
    return tuple(
        message_item(Place(f"queue:{position}", message), barrier_id)
        for position, message in enumerate(barrier.state.queue[:MOST])
        if not barrier.next_ways(position)[0]
    )
