"""The sizes of the parts of a checkpoint, beside the timeline."""

import pytest
from PySide6.QtCore import QPoint, Qt

from designer.document.document import Document
from designer.look.theme import Look
from designer.panels.timeline.panel import TimelinePanel
from designer.panels.timeline.size_series import MOST, PartName, sampled_way
from designer.session.opener import Source
from designer.session.session import DebugSession
from runtime.debug.protocol import OpenBody, PartSize, SizesBody, SizesColumn
from tests.designer.fakes import RecordingLink, straight
from tests.designer.panels.timelines import click, forked, tell

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def link():
    return RecordingLink()


@pytest.fixture
def session(qtbot, link, tmp_path):
    session = DebugSession(link)
    store = tmp_path / "runs.db"
    store.touch()
    session.source = lambda: Source({}, "", f"sqlite:{store}")
    yield session
    session.close()


@pytest.fixture
def panel(qtbot, session):
    panel = TimelinePanel(Document(), session, Look("light"))
    qtbot.addWidget(panel)
    panel.resize(1200, 400)
    panel.show()
    qtbot.waitExposed(panel)
    return panel


def answer(link):
    """The host answers: the key `votes` grows with the number of the checkpoint."""
    columns = []
    for checkpoint in link.last("sizes")["arguments"]["checkpoints"]:
        number = int(checkpoint.removeprefix("c"))
        parts = (
            PartSize(kind="shared", name="votes", size=1000 * number),
            PartSize(kind="executor", name="ann", size=50),
            PartSize(kind="buffer", name="join", size=7, way=("review#1",)),
        )
        columns.append(SizesColumn(checkpoint_id=checkpoint, parts=parts))
    link.reply("sizes", SizesBody(columns=tuple(columns)))


def texts(panel):
    model = panel.details.sizes.parts
    return [
        [model.index(row, place).data() for place in range(3)]
        for row in range(model.rowCount())
    ]


def open_sizes(qtbot, panel, session, link):
    tell(session, link, forked())
    click(qtbot, panel, "c3")
    link.reply("open", OpenBody(workflow="w"))
    qtbot.mouseClick(panel.details.sizes_button, LEFT)


def test_the_button_shows_the_parts_the_largest_first_and_what_they_were_before(
    panel, session, link, qtbot
):
    open_sizes(qtbot, panel, session, link)
    answer(link)
    assert texts(panel) == [
        ["votes", "2.9 KiB", "2.0 KiB"],
        ["executor ann", "50 B", "50 B"],
        ["review#1: held for join", "7 B", "7 B"],
    ]
    qtbot.mouseClick(panel.details.sizes_button, LEFT)
    assert not panel.details.sizes.isVisible()
    assert panel.details.note.isVisible()


def test_a_part_is_chosen_for_the_chart_and_stays_at_the_next_checkpoint(
    panel, session, link, qtbot
):
    open_sizes(qtbot, panel, session, link)
    answer(link)
    table = panel.details.sizes.table
    spot = table.visualRect(table.model().index(1, 0)).center()
    qtbot.mouseClick(table.viewport(), LEFT, pos=spot)
    chart = panel.details.sizes.chart
    assert chart.part == PartName((), "executor", "ann")
    chart.grab()
    qtbot.keyClick(panel.strip, Qt.Key.Key_Right)
    assert (session.viewing, chart.part) == ("c4", PartName((), "executor", "ann"))
    assert table.currentIndex().row() == 1


def test_a_click_in_the_chart_views_the_checkpoint_there(panel, session, link, qtbot):
    open_sizes(qtbot, panel, session, link)
    answer(link)
    chart = panel.details.sizes.chart
    qtbot.mouseClick(chart, LEFT, pos=QPoint(round(chart.x_of(1)), 30))
    assert session.viewing == "c2"


def test_a_long_branch_is_sampled_and_the_same_rows_stay_while_it_grows(session, link):
    tell(session, link, straight(MOST * 3, queued=1))
    before = sampled_way(session.timeline, 0)
    assert len(before) <= MOST + 1
    assert before[-1] == MOST * 3 - 1
    session.timeline.append(straight(MOST * 3 + 10, queued=1))
    session.timeline.flush()
    assert set(before[:-1]) <= set(sampled_way(session.timeline, 0))


def test_the_way_to_a_fork_is_measured_too(session, link):
    tell(session, link, forked())
    assert sampled_way(session.timeline, 1) == [0, 1, 2, 5, 6]


def test_an_unreadable_checkpoint_has_no_sizes(panel, session, link, qtbot):
    open_sizes(qtbot, panel, session, link)
    ids = link.last("sizes")["arguments"]["checkpoints"]
    columns = tuple(SizesColumn(checkpoint_id=each, unreadable="torn") for each in ids)
    link.reply("sizes", SizesBody(columns=columns))
    assert texts(panel) == []
    panel.details.sizes.chart.grab()


def test_sizes_give_way_to_the_fields_that_are_edited(panel, session, link, qtbot):
    open_sizes(qtbot, panel, session, link)
    qtbot.keyClick(panel.strip, Qt.Key.Key_T)
    assert panel.details.tags.isVisible()
