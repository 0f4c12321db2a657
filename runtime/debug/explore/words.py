"""Orders and findings in words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

from runtime.debug.compare.values import ordinal
from runtime.debug.explore.gate import Disturbance
from runtime.debug.explore.orders import Call, Order, Turn
from runtime.debug.explore.trial import CallName
from runtime.values.words import counted

Name = Callable[[Call], str]
_MOST_PAIRS = 2


def call_words(call: CallName) -> str:
    """Return who is called: `review#1/judge`, with the number of its delivery if there
    are several.
    """
    name = "/".join((*call.path, call.executor))
    return name if call.of == 1 else f"{name} (delivery {call.number} of {call.of})"


def order_words(order: Order, name: Name) -> str:
    """Return how an order differs from the fixed one."""
    aside = [turn for turn in order if turn.awaits is not None]
    if aside:
        return "; ".join(_aside_words(order, turn, name) for turn in aside)
    calls = [turn.call for turn in order]
    swapped = [(first, second) for first, second in pairwise(calls) if first > second]
    if not swapped:
        return "in the fixed order"
    if len(swapped) > _MOST_PAIRS or not _is_explained(calls, swapped):
        return f"in the order {', '.join(map(name, calls))}"
    return " and ".join(
        f"{name(first)} before {name(second)}" for first, second in swapped
    )


def _is_explained(calls: Sequence[Call], swapped: Sequence[tuple[Call, Call]]) -> bool:
    """Return whether swapping these neighbours leads back to the fixed order."""
    row = [*calls]
    for first, _ in swapped:
        place = row.index(first)
        row[place : place + 2] = reversed(row[place : place + 2])
    return row == sorted(row)


def _aside_words(order: Order, turn: Turn, name: Name) -> str:
    start = order.index(turn)
    others: dict[Call, None] = {}
    for later in order[start + 1 :]:
        if later.call == turn.call:
            break
        others[later.call] = None
    names = " and ".join(map(name, others)) or "nobody"
    place = ordinal(turn.awaits or 1)
    return f"{name(turn.call)} waits at its {place} await while {names} runs"


def disturbance_words(disturbance: Disturbance, name: Name) -> str:
    """Return what was put in: `after a failure of rank after its work`."""
    who = name(disturbance.call)
    if disturbance.kind == "fail before":
        return f"a failure of {who} before its work"
    if disturbance.kind == "fail after":
        return f"a failure of {who} after its work"
    if disturbance.awaits is None:
        return f"a cancellation after {who} had ended"
    if disturbance.awaits == 0:
        return f"a cancellation before {who} began"
    return f"a cancellation at the {ordinal(disturbance.awaits)} await of {who}"


def outcomes_words(count: int) -> str:
    return counted(count, "outcome")
