"""The log: events of a live run as they come, and recorded lines of checkpoints that
lead to them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from designer.document.document import Document
from designer.panels.log import panel as log_panel
from designer.panels.log.panel import LogPanel
from designer.panels.log.recorded import PAGE
from runtime.debug.protocol import EventItem, EventsBody, InsideMoment
from tests.designer.fake_session import FakeSession
from tests.designer.fakes import header, straight
from tests.designer.panels.fakes import moment

Show = Callable[..., Any]


def item(number: int, kind: str = "message", superstep: int = 1) -> EventItem:
    return EventItem(
        number=number, time=0.0, kind=kind, superstep=superstep, text=f"event {number}"
    )


def recorded(checkpoint: int, kind: str = "message", **fields: Any) -> EventItem:
    """A line of checkpoint `c<checkpoint>`."""
    given = {
        "number": 1,
        "time": 0.0,
        "kind": kind,
        "superstep": checkpoint - 1,
        "text": f"{kind} of c{checkpoint}",
        "checkpoint_id": f"c{checkpoint}",
        **fields,
    }
    return EventItem(**given)


def texts(panel: LogPanel) -> list[str]:
    return [panel.rows.at(row).text for row in range(panel.rows.rowCount())]


def past(session: FakeSession, checkpoint: int, count: int = 6) -> None:
    if not session.timeline.rowCount():
        session.timeline.append(straight(count))
        session.timeline.flush()
    session.look_at(moment(checkpoint), "past")


def choose(button: Any, text: str) -> None:
    menu = button.menu()
    next(action for action in menu.actions() if action.text() == text).trigger()


def reply(session: FakeSession, *items: EventItem) -> None:
    session.logs[-1][1](EventsBody(events=items))


# --- a live run


def test_events_are_listed_with_what_was_left_out(
    show: Show, session: FakeSession, qtbot: QtBot
) -> None:
    panel = show(LogPanel, 1000, 180)
    assert "Nothing happened" in panel.stack.notice.text()
    session.events.emit(EventsBody(events=(item(1), item(2)), left_out=3))
    qtbot.waitUntil(lambda: panel.rows.rowCount() == 2)
    cells = [panel.rows.index(1, at).data() for at in range(4)]
    assert cells == ["", "s1", "message", "event 2"]
    assert panel._left_out.text() == "3 left out"


def test_the_checkpoints_of_a_run_that_is_followed_do_not_fill_the_table_anew(
    show: Show, session: FakeSession, qtbot: QtBot
) -> None:
    panel = show(LogPanel, 1000, 180)
    session.running = True
    session.events.emit(EventsBody(events=(item(1), item(2))))
    qtbot.waitUntil(lambda: panel.rows.rowCount() == 2)
    fillings = []
    panel.rows.modelReset.connect(lambda: fillings.append(panel.rows.rowCount()))
    for superstep in range(4, 9):
        session.look_at(moment(superstep), "live")
    assert fillings == []
    session.look_at(moment(4), "past")
    session.look_at(moment(8), "live")
    assert fillings[0] == 0
    assert fillings[-1] == 2


def test_the_oldest_events_go_and_are_counted(show: Show, session: FakeSession) -> None:
    panel = show(LogPanel, 1000, 180)
    events = tuple(item(at) for at in range(log_panel.LIMIT))
    session.events.emit(EventsBody(events=events))
    session.events.emit(EventsBody(events=(item(-1), item(-2))))
    assert len(panel.items) == log_panel.LIMIT
    assert panel.items[0].number == 2
    assert panel.left_out == 2


def test_the_badge_counts_the_warnings_of_the_newest_run(
    show: Show, session: FakeSession, qtbot: QtBot
) -> None:
    panel = show(LogPanel, 1000, 180)
    with qtbot.waitSignal(panel.badge_changed) as badge:
        session.events.emit(
            EventsBody(events=(item(1, "warning"), item(2), item(3, "warning")))
        )
    assert (badge.args, panel.badge_tone) == (["2"], "warn")
    with qtbot.waitSignal(panel.badge_changed) as badge:
        session.events.emit(
            EventsBody(events=(item(4, superstep=0), item(5, "warning")))
        )
    assert badge.args == ["1"]
    with qtbot.waitSignal(panel.badge_changed) as badge:
        QTest.mouseClick(panel._clear, Qt.MouseButton.LeftButton)
    assert badge.args == [""]


def test_lines_are_searched_and_chosen_by_kind(
    show: Show, session: FakeSession
) -> None:
    panel = show(LogPanel, 1000, 180)
    session.events.emit(EventsBody(events=(item(1), item(2, "handler_failed"))))
    panel.search.setText("failed")
    assert texts(panel) == ["event 2"]
    panel.search.clear()
    choose(panel.kinds, "messages")
    assert texts(panel) == ["event 1"]
    choose(panel.kinds, "failures")
    assert texts(panel) == ["event 2"]


# --- the record


def test_lines_in_the_past_are_those_on_the_way_to_the_viewed_checkpoint(
    show: Show, session: FakeSession, qtbot: QtBot
) -> None:
    panel = show(LogPanel, 1000, 180)
    session.mode = "live"
    session.events.emit(EventsBody(events=(item(1), item(2), item(3))))
    qtbot.waitUntil(lambda: panel.rows.rowCount() == 3)
    past(session, 4)
    assert session.logs[-1][0] == ("c1", "c2", "c3", "c4")
    assert panel.items == []
    reply(session, recorded(3), recorded(4))
    assert texts(panel) == ["message of c3", "message of c4"]
    assert panel.rows.index(1, 0).data() == "#4"
    assert panel._left_out.text() == "As recorded, until #4"
    past(session, 5)
    assert session.logs[-1][0] == ("c5",)  # what is known is not asked again
    session.running = True
    session.look_at(moment(6), "live")
    assert len(panel.items) == 3


def test_a_run_that_was_opened_again_has_its_lines_from_the_store(
    show: Show, session: FakeSession
) -> None:
    panel = show(LogPanel, 1000, 180)
    session.timeline.append(straight(6))
    session.timeline.flush()
    session.look_at(moment(6), "live")
    reply(session, recorded(6))
    assert texts(panel) == ["message of c6"]


def test_one_checkpoint_or_the_whole_run_with_all_branches_can_be_listed(
    show: Show, session: FakeSession
) -> None:
    fork = header(4, parent="c2", superstep=2, cause="fork", branch="other")
    session.timeline.append([*straight(3), fork])
    session.timeline.flush()
    panel = show(LogPanel, 1000, 180)
    past(session, 3)
    reply(session, recorded(1), recorded(2), recorded(3))
    choose(panel.scopes, "this checkpoint")
    assert texts(panel) == ["message of c3"]
    choose(panel.scopes, "whole run")
    assert session.logs[-1][0] == ("c4",)
    reply(session, recorded(4))
    assert len(texts(panel)) == 4


def test_a_long_run_is_read_page_by_page_on_request(
    show: Show, session: FakeSession
) -> None:
    panel = show(LogPanel, 1000, 180)
    past(session, PAGE + 5, PAGE + 5)
    assert len(session.logs[-1][0]) == PAGE
    assert session.logs[-1][0][-1] == f"c{PAGE + 5}"
    reply(session, recorded(PAGE))
    QTest.mouseClick(panel.earlier, Qt.MouseButton.LeftButton)
    assert session.logs[-1][0] == ("c1", "c2", "c3", "c4", "c5")
    reply(session, recorded(2))
    assert texts(panel) == ["message of c2", f"message of c{PAGE}"]
    assert not panel.earlier.isVisible()


def test_a_line_leads_to_its_checkpoint_and_its_node(
    show: Show, session: FakeSession, document: Document
) -> None:
    panel = show(LogPanel, 1000, 180)
    past(session, 4)
    reply(session, recorded(2, "write", executor="rank"), recorded(4))
    table = panel.table
    where = table.visualRect(panel.rows.index(0, 3)).center()
    QTest.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=where)
    QTest.mouseDClick(table.viewport(), Qt.MouseButton.LeftButton, pos=where)
    assert session.commands[-1] == ("view", "c2")
    assert document.selection == {"rank"}


def test_inside_a_sub_workflow_only_the_lines_of_its_run_are_listed(
    show: Show, session: FakeSession
) -> None:
    panel = show(LogPanel, 1000, 180)
    past(session, 4)
    reply(
        session,
        recorded(3, path=("review#1",), text="first"),
        recorded(4, path=("review#2",), text="second"),
    )
    session.way = ("review",)
    session.inside = InsideMoment(way=("review",), keys=("review#2",))
    session.viewed.emit()
    assert texts(panel) == ["second"]
    assert panel._left_out.text().startswith("In review#2")


def test_the_rows_of_the_viewed_checkpoint_have_the_colour_of_the_past(
    show: Show, session: FakeSession
) -> None:
    panel = show(LogPanel, 1000, 180)
    past(session, 4)
    reply(session, recorded(3), recorded(4))
    role = Qt.ItemDataRole.ForegroundRole
    assert panel.rows.index(0, 0).data(role) == panel.look.theme.text2
    assert panel.rows.index(1, 0).data(role) == panel.look.theme.past


def test_a_reply_for_a_run_that_is_gone_is_dropped(
    show: Show, session: FakeSession
) -> None:
    panel = show(LogPanel, 1000, 180)
    past(session, 4)
    asked = session.logs[-1]
    session.timeline.clear("r2")
    asked[1](EventsBody(events=(recorded(4),)))
    assert panel.items == []
    assert panel.table.indexAt(QPoint(5, 5)).isValid() is False


def test_the_viewed_checkpoint_is_scrolled_to(
    show: Show, session: FakeSession, qtbot: QtBot
) -> None:
    panel = show(LogPanel, 1000, 180)
    past(session, 6)
    reply(session, *(recorded(at) for at in range(1, 7) for _ in range(9)))
    bar = panel.table.verticalScrollBar()
    qtbot.waitUntil(lambda: bar.value() == bar.maximum() > 0)
    past(session, 2)
    qtbot.waitUntil(lambda: bar.value() == bar.maximum() > 0)
    session.viewed.emit()
    assert bar.value() == bar.maximum() > 0
