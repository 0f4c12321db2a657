"""Rows for the superstep in which a run stands: its deliveries in the fixed order, and
what those that are done have sent, which is held until the barrier.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from designer.panels.base import left_out
from designer.panels.values.model import Node
from runtime.debug.protocol import DeliveryMoment, InsideSuperstep, Item, Value
from runtime.values.words import duration

NOTE = (
    "Nothing of this counts before the barrier. The order of deliveries is fixed, so "
    "standing here changes nothing."
)
WORDS = {
    "done": "done, held",
    "running": "running",
    "next": "next delivery",
    "waiting": "waits",
    "held": "held by you",
    "failed": "failed",
}
Name = Callable[[str], str]  # an executor for people


def delivery_rows(standing: InsideSuperstep, name: Name) -> Iterator[Node]:
    """Yield the rows of a superstep: the deliveries, and what they hold back."""
    done = sum(delivery.state == "done" for delivery in standing.deliveries)
    count = len(standing.deliveries) + standing.left_out
    head = Node(
        "deliveries",
        title=f"Superstep {standing.superstep}",
        tail=f"{done:,} of {count:,} delivered",
        open=True,
    )
    head.add(_delivery(delivery, name) for delivery in standing.deliveries)
    if standing.left_out:
        head.add([Node("left out", title=left_out(standing.left_out, "delivery"))])
    yield head
    effects = [*_effects(standing.deliveries, name)]
    if effects:
        held = Node(
            "effects",
            title="Held until the barrier",
            tail=f"in superstep {standing.superstep}",
            open=True,
        )
        held.add(effects)
        yield held


def _delivery(delivery: DeliveryMoment, name: Name) -> Node:
    took = duration(delivery.seconds) if delivery.seconds is not None else ""
    words = delivery.error or WORDS[delivery.state]
    row = Node(
        f"delivery {delivery.place}",
        title=f"{delivery.place}  {_place(delivery, name)}",
        tail=" · ".join(filter(None, (words, took))),
        open=delivery.state == "next",
    )
    row.add(
        Node(
            f"message {number}", _as_sent(value), title=_source(delivery, number, name)
        )
        for number, value in enumerate(delivery.messages)
    )
    return row


def _place(delivery: DeliveryMoment, name: Name) -> str:
    """Return the executor, with the runs of sub-workflows that lead to it."""
    return " › ".join((*delivery.path, name(delivery.executor)))


def _source(delivery: DeliveryMoment, number: int, name: Name) -> str:
    if number >= len(delivery.sources) or not delivery.sources[number]:
        return "Input"
    return f"from {name(delivery.sources[number])}"


def _as_sent(value: Value) -> Value:
    """Return a value without the count of parts that were not sent. The host has no
    more of a message than this.
    """
    if value.children is None:
        return value.model_copy(update={"count": 0})
    children = tuple((key, _as_sent(child)) for key, child in value.children)
    return value.model_copy(update={"children": children, "count": len(children)})


def _effects(deliveries: Sequence[DeliveryMoment], name: Name) -> Iterator[Node]:
    for delivery in deliveries:
        lists = {
            "sent": delivery.sent,
            "yielded": delivery.outputs,
            "wrote": delivery.wrote,
            "asked": delivery.asked,
        }
        for verb, items in lists.items():
            for number, item in enumerate(items):
                key = f"{delivery.place} {verb} {number}"
                title = _title(delivery, verb, item, name)
                yield Node(
                    key, item.value, section=item.section, path=item.path, title=title
                )


def _title(delivery: DeliveryMoment, verb: str, item: Item, name: Name) -> str:
    title = f"{name(delivery.executor)} {verb}"
    if item.kind == "state":
        return f"{title} {item.name}"
    return f"{title} to {name(item.name)}" if item.name else title
