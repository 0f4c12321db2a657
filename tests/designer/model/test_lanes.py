"""Every checkpoint has one lane, and a lane is one line of parents."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from designer.model.lanes import Lane, Lanes, Stretch
from runtime.checkpoint import Cause
from runtime.debug.protocol import Header


def header(
    key: str,
    parent: str | None,
    branch: str = "main",
    superstep: int = 0,
    run: str = "r",
) -> Header:
    return Header(
        id=key,
        run_id=run,
        workflow="w",
        superstep=superstep,
        cause=Cause.SUPERSTEP,
        parent=parent,
        branch=branch,
    )


def lanes_of(*headers: Header) -> Lanes:
    lanes = Lanes()
    add(lanes, *headers)
    return lanes


def add(lanes: Lanes, *headers: Header) -> list[Stretch]:
    return list(lanes.extend(headers))


def test_case_176_a_fork_is_a_lane_of_its_own_and_the_old_one_stays() -> None:
    lanes = lanes_of(
        header("c0", None),
        header("c1", "c0", superstep=1),
        header("c2", "c1", superstep=2),
        header("f", "c1", "fork", 1),
        header("f2", "f", "fork", 2),
        header("c3", "c2", superstep=3),
    )
    assert [(row.lane, row.parent, row.column) for row in lanes] == [
        (0, None, 0),
        (0, 0, 1),
        (0, 1, 2),
        (1, 1, 1),
        (1, 3, 2),
        (0, 2, 3),
    ]
    assert lanes.lanes == [
        Lane(0, "main", 0, None, 4, 5),
        Lane(1, "fork", 3, "c1", 2, 4),
    ]
    assert lanes.row_of("f2") == 4


def test_a_parent_that_is_not_the_head_opens_another_lane_whatever_the_branch_says() -> (
    None
):
    lanes = lanes_of(
        header("a", None),
        header("b", "a"),
        header("b2", "a"),
        header("c", "b"),
        header("c2", "b2"),
    )
    assert [row.lane for row in lanes] == [0, 0, 1, 0, 1]


def test_a_parent_that_is_not_here_is_none_and_its_id_is_kept() -> None:
    lanes = lanes_of(header("b", "pruned", superstep=7))
    assert lanes[0].parent is None
    assert lanes.lanes[0].forked_from == "pruned"


def test_case_94_a_lane_goes_on_over_a_gap_and_no_checkpoint_is_lost() -> None:
    """Pruned: the first of main and one in its middle, and one in the middle of the
    fork.
    """
    lanes = lanes_of(
        header("c1", "c0", superstep=1),
        header("c3", "c2", superstep=3),
        header("f", "c1", "fork", 1),
        header("f3", "f2", "fork", 3),
        header("c4", "c3", superstep=4),
    )
    assert [(row.lane, row.parent, row.gap) for row in lanes] == [
        (0, None, True),
        (0, 0, True),
        (1, 0, False),
        (1, 2, True),
        (0, 1, False),
    ]
    assert lanes.lanes == [
        Lane(0, "main", 0, "c0", 3, 4),
        Lane(1, "fork", 2, "c1", 2, 3),
    ]


def test_a_checkpoint_keeps_its_row_when_it_takes_a_new_header_or_comes_again() -> None:
    lanes = lanes_of(header("a", None), header("b", "a"))
    noted = replace(header("a", None), note="before the fix")
    assert lanes.replace(noted) == 0
    assert add(lanes, header("a", None)) == []
    assert [row.header.note for row in lanes] == ["before the fix", ""]
    assert lanes.lanes[0].count == 2


def test_case_185_lanes_are_of_one_run() -> None:
    lanes = lanes_of(header("a", None))
    with pytest.raises(ValueError, match="run other"):
        add(lanes, header("b", None, run="other"))
    assert (lanes.run_id, len(lanes)) == ("r", 1)


@pytest.mark.timeout(20)
def test_a_hundred_thousand_checkpoints_do_not_cost_their_square() -> None:
    headers = [
        header(str(n), str(n - 1) if n else None, superstep=n) for n in range(100_000)
    ]
    lanes = lanes_of(*headers)
    assert len(lanes.lanes) == 1


@given(
    st.lists(
        st.tuples(st.integers(0, 12), st.sampled_from(("main", "fork"))), max_size=14
    ),
    st.integers(1, 5),
)
def test_checkpoints_that_come_together_stand_where_they_would_one_by_one(
    steps: list[tuple[int, str]], size: int
) -> None:
    """A straight piece is added in one go; each checkpoint goes on from the one before
    or from any earlier one.
    """
    headers = [
        header(
            str(n),
            str(n - 1 if back < 9 else max(0, n - back + 7)) if n else None,
            branch,
            n,
        )
        for n, (back, branch) in enumerate(steps)
    ]
    together = Lanes()
    single = Lanes()
    for at in range(0, len(headers), size):
        rows = [
            row
            for _, first, stop in together.extend(headers[at : at + size])
            for row in range(first, stop)
        ]
        assert rows == list(range(at, min(at + size, len(headers))))
    for one in headers:
        add(single, one)
    assert (list(together), together.lanes) == (list(single), single.lanes)


@given(st.lists(st.integers(0, 9), max_size=25), st.integers(1, 9))
@example([5, 3, 4, 5], 4)
def test_checkpoints_that_come_again_or_late_have_one_row(
    numbers: list[int], size: int
) -> None:
    """Of one straight line, in any order and repeated, in batches: as if they had come
    one by one.
    """
    headers = [header(str(n), str(n - 1) if n else None, superstep=n) for n in numbers]
    together = Lanes()
    single = Lanes()
    for at in range(0, len(headers), size):
        add(together, *headers[at : at + size])
    for one in headers:
        add(single, one)
    assert (list(together), together.lanes) == (list(single), single.lanes)
    assert [row.header.id for row in together] == [
        str(n) for n in dict.fromkeys(numbers)
    ]
