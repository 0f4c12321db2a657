"""The messages of one edge group in a superstep: which it carried, which it stopped
and why, and which come next.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

from runtime.debug.moments.items import Maker, cut_to, message_item
from runtime.debug.moments.node_body import NO_BEFORE, OLD_RECORD, Superstep
from runtime.debug.protocol import EdgeBody, Item
from runtime.debug.supersteps.drop_reasons import UNEXPLAINED, DropReasons
from runtime.debug.supersteps.traffic import Place, Stop, Traffic, held_places
from runtime.debug.values.display import field
from runtime.debug.values.shapes import MASKED, line
from runtime.document.definition import EdgeDefinition
from runtime.document.secret_names import is_secret
from runtime.edges.base import CONDITION_FALSE, NOT_SELECTED
from runtime.state import Fate

DEFAULT = "default"
LISTS = 20  # released ones that are sent
FACTS = 3  # values of one message that a condition names
_NAMED = re.compile(
    r"\bmessage((?:\.[A-Za-z_]\w*(?!\w*\s*\()|\[\d+\]|\[\"[^\"]*\"\]|\['[^']*'\])*)"
)
_STEP = re.compile(r"\.(\w+)|\[(\d+)\]|\[\"([^\"]*)\"\]|\['([^']*)'\]")

Rules = tuple[tuple[str, str], ...]


def edge_body(
    step: Superstep,
    edge: str,
    barrier: Traffic,
    barrier_id: str | None,
    drawn: EdgeDefinition | None,
    reasons: DropReasons = UNEXPLAINED,
) -> EdgeBody:
    """Return the messages of an edge group. `drawn` is the edge group in the document,
    as in `node_body`.
    """
    rules = () if drawn is None else drawn.rules()
    notes: list[str] = []
    carried: list[Maker] = []
    stopped: list[Maker] = []
    released: list[tuple[Item, ...]] = []
    before = step.before
    if before is None:
        if step.trace.fates:
            notes.append(NO_BEFORE)
    else:
        if before.is_incomplete:
            notes.append(OLD_RECORD)
        carried = [
            partial(_carried_item, fate, place, step.ids[0])
            for fate, place in before.carried(edge)
        ]
        stopped = [
            partial(dropped_item, stop, step.ids[0], rules, reasons)
            for stop in before.stopped(edge)
        ]
        released = [
            cut_to(
                partial(message_item, place, step.ids[0]) for place in delivery.places
            )[0]
            for delivery in before.released(edge)[:LISTS]
        ]
    queued: list[Maker] = [
        partial(_carried_item, fate, place, barrier_id)
        for fate, place in barrier.carried(edge)
    ]
    if not queued:
        queued = list(_certain_items(barrier, edge, barrier_id))
    held = [
        partial(message_item, place, barrier_id)
        for join, place in held_places(barrier.graph, barrier.state)
        if join.edge == edge
    ]
    refused = [
        partial(dropped_item, stop, barrier_id, rules, reasons)
        for stop in barrier.stopped(edge)
    ]
    lists = [cut_to(items) for items in (carried, stopped, queued, held, refused)]
    return EdgeBody(
        edge=edge,
        kind=drawn.kind if drawn is not None else "",
        superstep=step.superstep,
        carried=lists[0][0],
        stopped=lists[1][0],
        released=tuple(released),
        queued=lists[2][0],
        held=lists[3][0],
        refused=lists[4][0],
        rules=rules,
        notes=tuple(notes),
        more=sum(more for _, more in lists),
    )


def _carried_item(fate: Fate, place: Place, checkpoint_id: str | None) -> Item:
    name = f"{place.message.source_id} → {fate.target_id}"
    case = _case_words(fate.case)
    note = "held by the join" if fate.kind == "buffered" else case
    return message_item(
        place, checkpoint_id, name=name, edges=(fate.edge_id or "",), note=note
    )


def _case_words(case: str) -> str:
    if not case:
        return ""
    return DEFAULT if case == DEFAULT else f"case {int(case) + 1}"


def dropped_item(
    stop: Stop,
    checkpoint_id: str | None,
    rules: Rules,
    reasons: DropReasons = UNEXPLAINED,
) -> Item:
    """Return a message that an edge did not take, with the reasons."""
    fate = stop.fate
    message = stop.place.message
    words = [fate.reason]
    if fate.reason in (CONDITION_FALSE, NOT_SELECTED):
        texts = [
            text
            for target, text in rules
            if fate.reason == NOT_SELECTED or target == fate.target_id
        ]
        words += facts(texts, message.data)
    if stop.lost:
        words.append("no other node took it")
    elif stop.lost is False:
        words.append("another edge took it")
    name = f"{message.source_id} → {fate.target_id}"
    return message_item(
        stop.place,
        checkpoint_id,
        name=name,
        edges=(fate.edge_id or "",),
        note=" · ".join(words),
        why=reasons.of(stop),
        lost=stop.lost,
    )


def _certain_items(
    barrier: Traffic, edge: str, checkpoint_id: str | None
) -> Iterable[Maker]:
    """Yield queued messages that take this way for certain, if their routing is
    not recorded.
    """
    if barrier.routed is not None and not barrier.is_incomplete:
        return
    for position, message in enumerate(barrier.state.queue):
        to = ", ".join(
            target for target, way in barrier.next_ways(position)[0] if way == edge
        )
        if to:
            place = Place(f"queue:{position}", message)
            yield partial(
                message_item,
                place,
                checkpoint_id,
                name=f"{message.source_id} → {to}",
                edges=(edge,),
                note="queued",
            )


def facts(conditions: Sequence[str], data: Any) -> list[str]:
    """Return the values of a message that conditions name: "message.score = 0.2".
    It evaluates nothing.
    """
    named: dict[str, str] = {}
    for condition in conditions:
        for match in _NAMED.finditer(condition):
            text = _value_at(match.group(1), data)
            if text and len(named) < FACTS:
                named.setdefault(match.group(0), text)
    return [f"{name} = {text}" for name, text in named.items()]


def _value_at(path: str, data: Any) -> str:
    for step in _STEP.finditer(path):
        name = next(part for part in step.groups() if part is not None)
        if is_secret(name):
            return MASKED
        data = field(data, name)
        if data is None:
            return "not there"
    return line(data)
