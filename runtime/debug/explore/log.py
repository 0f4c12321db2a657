"""What happened in one try: which call began, stood aside, went on and ended when."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from runtime.debug.explore.orders import Call

What = Literal["began", "aside", "went on", "ended", "failed", "cancelled"]
STARTS = ("began", "went on")


class Happening(NamedTuple):
    call: Call
    what: What


class Lane(NamedTuple):
    """When a call was at work: from and until the how many-th happening; and what its
    last one was.
    """

    call: Call
    work: tuple[tuple[int, int], ...]
    end: What


def lanes_of(log: Sequence[Happening]) -> tuple[Lane, ...]:
    """Return the lanes of the calls, in the fixed order. The ticks count happenings
    that begin work, so that nothing stands in two lanes at once.
    """
    open_since: dict[Call, int] = {}
    work: dict[Call, list[tuple[int, int]]] = {}
    last: dict[Call, What] = {}
    tick = 0
    for call, what in log:
        last[call] = what
        if what in STARTS:
            open_since[call] = tick
            tick += 1
            continue
        start = open_since.pop(call, None)
        if start is not None:
            work.setdefault(call, []).append((start, tick))
        else:
            work.setdefault(call, [])
    for call, start in open_since.items():
        work.setdefault(call, []).append((start, tick))
    return tuple(Lane(call, tuple(work[call]), last[call]) for call in sorted(last))


def order_of(log: Sequence[Happening]) -> tuple[Call, ...]:
    """Return the calls in the order in which they began or went on."""
    return tuple(happening.call for happening in log if happening.what in STARTS)
