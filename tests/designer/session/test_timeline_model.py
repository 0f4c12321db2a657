"""The checkpoints of a run as rows and lanes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from designer.session.timeline_model import FAILED, Role, TimelineModel
from tests.designer.fakes import header, straight


@pytest.fixture
def model(qtbot):
    model = TimelineModel()
    model.clear("r1")
    return model


def forked():
    """Four checkpoints on main, two on a fork of the second."""
    return [
        *straight(4),
        header(5, parent="c2", superstep=1, cause="fork", branch="b"),
        header(6, parent="c5", superstep=2, branch="b"),
    ]


def test_qt_finds_no_fault(model, qtmodeltester, qtbot):
    qtmodeltester.check(model)
    model.append(forked())
    model.flush()
    model.replace(header(2, note="n"))
    model.clear("r2")


def test_rows_come_in_one_batch_a_frame(model, qtbot):
    batches = []
    model.rowsInserted.connect(lambda _, first, last: batches.append((first, last)))
    for one in straight(50):
        model.append([one])
    assert (batches, model.rowCount()) == ([], 0)
    qtbot.waitUntil(lambda: model.rowCount() == 50)
    assert batches == [(0, 49)]


def test_a_checkpoint_that_is_told_twice_is_one_row(model):
    model.append(straight(3))
    model.append(straight(4))
    model.flush()
    model.append(straight(4))
    model.flush()
    assert model.rowCount() == 4


def test_rows_know_lane_parent_and_neighbours(model):
    model.append(forked())
    model.flush()
    fork = model.row_of("c5")
    assert model.data(model.index(fork, 0), Role.LANE) == 1
    assert model.data(model.index(fork, 0), Role.HEADER).id == "c5"
    assert model.header_at(model.parent_row(fork)).id == "c2"
    assert model.header_at(model.next_row(fork)).id == "c6"
    assert model.next_row(model.row_of("c4")) is None
    assert (model.name("c5"), model.name("elsewhere")) == ("#5", "")
    assert [model.is_last(row) for row in range(6)] == [
        False,
        False,
        False,
        True,
        False,
        True,
    ]


def test_a_note_changes_one_row_in_place(model, qtbot):
    model.append(straight(3))
    model.flush()
    with qtbot.waitSignal(model.dataChanged):
        model.replace(header(2, note="look here"))
    assert (model.header("c2").note, model.rowCount()) == ("look here", 3)


def test_an_incident_stands_after_the_head_of_its_branch(model):
    model.append(forked())
    model.add_incident(FAILED, "b", 3, "KeyError")
    model.add_incident(FAILED, "unknown", 3, "KeyError")
    (incident,) = model.lane_rows[1].incidents
    assert (incident.after, incident.column, model.columns) == (
        model.row_of("c6"),
        3,
        4,
    )


@given(
    st.lists(st.integers(0, 40), max_size=60), st.integers(0, 40), st.integers(0, 40)
)
def test_a_lane_finds_the_checkpoints_of_any_range_of_supersteps(steps, first, last):
    model = TimelineModel()
    model.clear("r1")
    model.append(
        header(number, superstep=step) for number, step in enumerate(sorted(steps), 1)
    )
    model.flush()
    found = [
        model.column_of(row)
        for lane in model.lane_rows
        for place in lane.between(first, last)
        for row in [lane.rows[place]]
    ]
    assert found == [step for step in sorted(steps) if first <= step <= last]
