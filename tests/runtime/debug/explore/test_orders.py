"""Orders: each is one that the engine can run, the fixed one first, and none twice."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.debug.explore.orders import (
    Call,
    Order,
    Turn,
    all_under_way,
    calls_of,
    distance,
    fixed_order,
    nearer,
    plan,
)
from runtime.debug.explore.words import order_words

COUNTS = st.lists(st.integers(1, 3), min_size=1, max_size=4)


def awaits_for(counts: Sequence[int], seed: int) -> dict[Call, int]:
    return {call: (seed + place) % 3 for place, call in enumerate(calls_of(counts))}


def assert_runs(order: Order, counts: Sequence[int]) -> None:
    """Every call has one turn to its end, after all its other turns, and the calls of
    one executor do not overlap.
    """
    ended: list[Call] = []
    for turn in order:
        assert turn.call not in ended
        earlier = [Call(turn.call.job, place) for place in range(turn.call.delivery)]
        assert set(earlier) <= set(ended)
        if turn.awaits is None:
            ended.append(turn.call)
    assert sorted(ended) == calls_of(counts)


@given(COUNTS, st.integers(0, 5), st.integers(1, 30))
def test_every_planned_order_can_run_and_none_is_there_twice(
    counts: list[int], seed: int, most: int
) -> None:
    awaits = awaits_for(counts, seed)
    orders, is_complete = plan(counts, awaits, most, seed)
    assert len(orders) <= most
    assert len({*orders, fixed_order(counts)}) == len(orders) + 1
    for order in [*orders, all_under_way(counts, awaits)]:
        assert_runs(order, counts)
    if is_complete:
        assert not any(awaits.values())


@given(COUNTS, st.integers(0, 5))
def test_an_order_that_is_nearer_to_the_fixed_one_can_run_and_is_nearer(
    counts: list[int], seed: int
) -> None:
    orders, _ = plan(counts, awaits_for(counts, seed), 20, seed)
    for order in orders:
        for other in nearer(order):
            assert_runs(other, counts)
            assert distance(other) < distance(order)


def test_few_rows_are_all_planned() -> None:
    orders, is_complete = plan([1, 1, 1], {}, 10, 0)
    assert is_complete
    assert len(orders) == 5
    assert plan([1], {}, 10, 0) == ((), True)


def test_of_many_rows_a_seeded_sample_is_planned_with_all_single_swaps() -> None:
    counts = [1] * 8
    orders, is_complete = plan(counts, {}, 30, 1)
    assert not is_complete
    assert len(orders) == 30
    assert orders == plan(counts, {}, 30, 1).orders
    assert orders != plan(counts, {}, 30, 2).orders
    assert sum(distance(order) == (0, 1) for order in orders) >= 7


A, B, C = (Call(job, 0) for job in range(3))


@pytest.mark.parametrize(
    ("order", "words"),
    [
        ((Turn(A), Turn(B), Turn(C)), "in the fixed order"),
        ((Turn(B), Turn(A), Turn(C)), "1 before 0"),
        ((Turn(C), Turn(A), Turn(B)), "in the order 2, 0, 1"),
        (
            (Turn(A, 1), Turn(C), Turn(A), Turn(B)),
            "0 waits at its first await while 2 runs",
        ),
    ],
)
def test_an_order_says_in_words_what_is_not_the_fixed_one(
    order: Order, words: str
) -> None:
    assert order_words(order, lambda call: str(call.job)) == words
