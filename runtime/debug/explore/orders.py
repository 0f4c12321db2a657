"""Orders: when the handler calls of a superstep begin, and when they go on.

An order is a row of turns. While a call has its turn, no other call goes on. A turn
lasts until the call has ended, or until it waits for the `awaits`th time; then the call
stands aside, and goes on in a later turn.

The deliveries of one executor always come one after the other, in the fixed order.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import factorial, prod
from random import Random
from typing import NamedTuple


class Call(NamedTuple):
    """A handler call: the place of its executor among those that run, and the place of
    its delivery among those of the executor. Sorted, they are in the fixed order.
    """

    job: int
    delivery: int


class Turn(NamedTuple):
    """A turn of a call: to its end, or until it waits for the `awaits`th time."""

    call: Call
    awaits: int | None = None


Order = tuple[Turn, ...]


class Plan(NamedTuple):
    """The orders to try beside the fixed one, and whether there are no others."""

    orders: tuple[Order, ...]
    is_complete: bool


def calls_of(counts: Sequence[int]) -> list[Call]:
    """Return the calls in the fixed order; `counts` has the deliveries of each
    executor.
    """
    return [
        Call(job, delivery)
        for job, count in enumerate(counts)
        for delivery in range(count)
    ]


def in_turn(calls: Sequence[Call]) -> Order:
    """Return the order in which one call after the other runs to its end."""
    return tuple(map(Turn, calls))


def fixed_order(counts: Sequence[int]) -> Order:
    return in_turn(calls_of(counts))


def all_under_way(counts: Sequence[int], awaits: Mapping[Call, int]) -> Order:
    """Return the order in which every executor has begun before one call ends, where
    calls wait at all; then they go on in the fixed order.
    """
    calls = calls_of(counts)
    begun = [Turn(call, 1) for call in calls if call.delivery == 0 and awaits.get(call)]
    return (*begun, *in_turn(calls))


def plan(
    counts: Sequence[int], awaits: Mapping[Call, int], most: int, seed: int
) -> Plan:
    """Return at most `most` orders: all rows of whole calls if they are few, each
    single call that stands aside for another one, and for the rest a seeded sample.

    `awaits` has how often each call waits. A plan is complete if no call waits and all
    rows of whole calls are in it.
    """
    fixed = fixed_order(counts)
    rows = _count_rows(counts) - 1
    waits = any(awaits.values())
    chosen: dict[Order, None] = {}
    if rows <= most:
        _add(chosen, map(in_turn, _rows(counts)), most)
    else:
        share = most // 2 if waits else most
        _add(chosen, _near_and_random_rows(counts, seed), share + 1)
    chosen.pop(fixed, None)
    is_complete = rows <= most and not waits
    if waits and len(counts) > 1:
        _add(chosen, _pairs(counts, awaits), most)
        _add(chosen, _random_orders(counts, awaits, seed), most)
        chosen.pop(fixed, None)
    return Plan(tuple(chosen)[:most], is_complete)


def _add(chosen: dict[Order, None], orders: Iterator[Order], most: int) -> None:
    """Add orders until there are `most`, or, at random, nothing new comes any more."""
    repeated = 0
    for order in orders:
        if len(chosen) >= most or repeated > most + 20:
            return
        repeated = repeated + 1 if order in chosen else 0
        chosen[order] = None


# --- rows of whole calls ------------------------------------------------------------------------------------------


def _count_rows(counts: Sequence[int]) -> int:
    return factorial(sum(counts)) // prod(map(factorial, counts))


def _rows(counts: Sequence[int]) -> Iterator[list[Call]]:
    """Yield all rows of whole calls, the fixed one first."""
    total = sum(counts)
    done = [0] * len(counts)
    row: list[Call] = []

    def longer() -> Iterator[list[Call]]:
        if len(row) == total:
            yield [*row]
            return
        for job, count in enumerate(counts):
            if done[job] == count:
                continue
            row.append(Call(job, done[job]))
            done[job] += 1
            yield from longer()
            done[job] -= 1
            row.pop()

    return longer()


def _near_and_random_rows(counts: Sequence[int], seed: int) -> Iterator[Order]:
    """Yield the row of the executors backwards, all rows that are one swap away from
    the fixed one, then random ones.
    """
    backwards = sorted(calls_of(counts), key=_backwards)
    yield in_turn(backwards)
    fixed = fixed_order(counts)
    for place in range(len(fixed) - 1):
        if fixed[place].call.job != fixed[place + 1].call.job:
            yield _swapped(fixed, place)
    random = Random(seed)  # noqa: S311 - no secret
    while True:
        yield in_turn(_random_row(counts, random))


def _backwards(call: Call) -> tuple[int, int]:
    return -call.job, call.delivery


def _random_row(counts: Sequence[int], random: Random) -> list[Call]:
    jobs = [job for job, count in enumerate(counts) for _ in range(count)]
    random.shuffle(jobs)
    done = [0] * len(counts)
    row = []
    for job in jobs:
        row.append(Call(job, done[job]))
        done[job] += 1
    return row


# --- calls that stand aside ---------------------------------------------------------------------------------------


def _pairs(counts: Sequence[int], awaits: Mapping[Call, int]) -> Iterator[Order]:
    """Yield the orders in which one call stands aside for one other call, and nothing
    else is changed. The first awaits come first.
    """
    calls = calls_of(counts)
    for await_number in range(1, max(awaits.values(), default=0) + 1):
        for aside in calls:
            if awaits.get(aside, 0) < await_number:
                continue
            for other in calls:
                if other.job != aside.job:
                    yield _pair(calls, Turn(aside, await_number), other)


def _pair(calls: Sequence[Call], aside: Turn, other: Call) -> Order:
    call = aside.call
    first = min(call, other)
    before = [each for each in calls if each < first]
    # What the two executors have to do before these two calls.
    needed = [
        each
        for each in calls
        if each not in before
        and any(
            each.job == of.job and each.delivery < of.delivery for of in (call, other)
        )
    ]
    done = {*before, *needed, call, other}
    rest = [each for each in calls if each not in done]
    middle = (aside, Turn(other), Turn(call))
    return (*in_turn(before), *in_turn(needed), *middle, *in_turn(rest))


def _random_orders(
    counts: Sequence[int], awaits: Mapping[Call, int], seed: int
) -> Iterator[Order]:
    random = Random(seed)  # noqa: S311 - no secret
    while True:
        yield _random_order(counts, awaits, random)


def _random_order(
    counts: Sequence[int], awaits: Mapping[Call, int], random: Random
) -> Order:
    done = [0] * len(counts)
    waited = [0] * len(counts)
    turns: list[Turn] = []
    while left := [job for job, count in enumerate(counts) if done[job] < count]:
        job = random.choice(left)
        call = Call(job, done[job])
        further = awaits.get(call, 0) - waited[job]
        if further > 0 and random.random() < 0.6:
            waited[job] += random.randint(1, further)
            turns.append(Turn(call, waited[job]))
        else:
            turns.append(Turn(call))
            done[job] += 1
            waited[job] = 0
    return without_useless_turns(turns)


def without_useless_turns(turns: Sequence[Turn]) -> Order:
    """Return an order without turns after which the same call goes on."""
    kept: list[Turn] = []
    for turn in turns:
        if kept and kept[-1].call == turn.call:
            kept.pop()
        kept.append(turn)
    return tuple(kept)


# --- towards the fixed order --------------------------------------------------------------------------------------


def nearer(order: Order) -> Iterator[Order]:
    """Yield orders that differ less from the fixed one: a call less stands aside, or
    two turns that follow each other are the other way round.
    """
    for place, turn in enumerate(order):
        if turn.awaits is not None:
            yield without_useless_turns([*order[:place], *order[place + 1 :]])
            rest = [later for later in order[place + 1 :] if later.call != turn.call]
            whole = [*order[:place], Turn(turn.call), *rest]
            yield without_useless_turns(whole)
    for place in range(len(order) - 1):
        first, second = order[place].call, order[place + 1].call
        if first.job != second.job and first > second:
            yield without_useless_turns(_swapped(order, place))


def distance(order: Order) -> tuple[int, int]:
    """Return how much an order differs from the fixed one: calls that stand aside, and
    pairs of turns that are the other way round.
    """
    aside = sum(turn.awaits is not None for turn in order)
    calls = [turn.call for turn in order]
    swapped = sum(
        first > second
        for place, first in enumerate(calls)
        for second in calls[place + 1 :]
    )
    return aside, swapped


def _swapped(order: Order, place: int) -> Order:
    turns = [*order]
    turns[place : place + 2] = reversed(turns[place : place + 2])
    return tuple(turns)
