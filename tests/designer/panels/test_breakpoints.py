"""The list of breakpoints, their editor and the watches, by mouse and keys."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QApplication, QMenu, QPushButton, QRadioButton, QWidget
from pytestqt.qtbot import QtBot

from designer.document.document import Document
from designer.panels.breakpoints.editor import BreakpointEditor
from designer.panels.breakpoints.panel import BreakpointsPanel
from designer.panels.breakpoints.rows import HITS, ON, ONLY_IF, PAST, THEN, WHERE
from runtime.debug.protocol import (
    Breakpoint,
    BreakpointHit,
    BreakpointStatus,
    ExpandBody,
    FoundBody,
    Moment,
    StoppedBody,
    Value,
)
from tests.designer.fake_session import FakeSession
from tests.designer.fakes import straight

LEFT = Qt.MouseButton.LeftButton
CTRL = Qt.KeyboardModifier.ControlModifier
BEFORE = Breakpoint(id="a", where="rank", condition="message > 3")
KEY = Breakpoint(id="b", kind="write", where="oldest", log="{value} now")


@pytest.fixture
def panel(show: Callable[..., Any]) -> BreakpointsPanel:
    return show(BreakpointsPanel, width=1300, height=260)


def click(qtbot: QtBot, widget: QWidget, at: QPoint | None = None) -> None:
    place = at if at is not None else widget.rect().center()
    qtbot.mouseClick(widget, LEFT, pos=place)


def cell(panel: BreakpointsPanel, row: int, column: int) -> QPoint:
    index = panel.rows.index(row, column)
    return panel.table.visualRect(index).center()


def texts(panel: BreakpointsPanel, row: int) -> list[str]:
    columns = range(1, HITS + 1)
    return [panel.rows.index(row, place).data() for place in columns]


def press(menu: QMenu, text: str) -> None:
    menu.aboutToShow.emit()
    next(action for action in menu.actions() if action.text() == text).trigger()


def points(document: Document) -> dict[str, Breakpoint]:
    return {point.id: point for point in document.breakpoints.notes.breakpoints}


# --- the list -----------------------------------------------------------------------


def test_without_breakpoints_the_list_says_how_to_set_one(panel) -> None:
    assert "press F9" in panel.list.notice.text()
    assert not panel.controls.mute_button.isEnabled()


def test_a_row_says_where_when_under_which_condition_and_what_then(
    panel, document, session
) -> None:
    document.breakpoints.put(BEFORE, KEY)
    session.know_breakpoints(BreakpointStatus(id="a", verified=True, hits=1200))
    assert texts(panel, 0) == [
        "",
        "Rank by reach",
        "before it runs",
        "message > 3",
        "stop",
        "1,200",
    ]
    assert texts(panel, 1)[1:5] == [
        "Key oldest",
        "is written",
        "always",
        'log "{value} now"',
    ]


def test_a_click_on_the_box_and_space_turn_it_and_delete_removes_it(
    panel, document, qtbot
) -> None:
    document.breakpoints.put(BEFORE, KEY)
    click(qtbot, panel.table.viewport(), cell(panel, 0, ON))
    assert not points(document)["a"].enabled
    qtbot.keyClick(panel.table, Qt.Key.Key_Space)
    assert points(document)["a"].enabled
    qtbot.keyClick(panel.table, Qt.Key.Key_Delete)
    assert set(points(document)) == {"b"}


def test_selected_rows_are_turned_and_deleted_together(panel, document, qtbot) -> None:
    third = Breakpoint(id="c", where="age")
    document.breakpoints.put(BEFORE, KEY, third)
    viewport = panel.table.viewport()
    click(qtbot, viewport, cell(panel, 0, WHERE))
    qtbot.mouseClick(viewport, LEFT, CTRL, cell(panel, 1, WHERE))
    click(qtbot, viewport, cell(panel, 0, ON))
    assert [point.enabled for point in points(document).values()] == [
        False,
        False,
        True,
    ]
    qtbot.keyClick(panel.table, Qt.Key.Key_Delete)
    assert set(points(document)) == {"c"}


def test_a_double_click_enter_pencil_and_menu_ask_to_edit(
    panel, document, qtbot
) -> None:
    document.breakpoints.put(BEFORE)
    wanted: list[str] = []
    panel.edit_requested.connect(wanted.append)
    place = cell(panel, 0, WHERE)
    click(qtbot, panel.table.viewport(), place)
    qtbot.mouseDClick(panel.table.viewport(), LEFT, pos=place)
    qtbot.keyClick(panel.table, Qt.Key.Key_Return)
    click(qtbot, panel.details.edit_button)
    press(panel.menu_for("a"), "Edit…")
    assert wanted == ["a"] * 4


def test_a_double_click_on_the_box_only_turns_it_twice(panel, document, qtbot) -> None:
    document.breakpoints.put(BEFORE)
    wanted: list[str] = []
    panel.edit_requested.connect(wanted.append)
    place = cell(panel, 0, ON)
    click(qtbot, panel.table.viewport(), place)
    qtbot.mouseDClick(panel.table.viewport(), LEFT, pos=place)
    assert wanted == []


def test_mute_all_and_the_further_commands_work_on_all(panel, document, qtbot) -> None:
    document.breakpoints.put(BEFORE, KEY)
    click(qtbot, panel.controls.mute_button)
    assert document.breakpoints.notes.muted
    more = panel.controls.more_button.menu()
    press(more, "Turn all off")
    assert not any(point.enabled for point in points(document).values())
    press(more, "Turn all on")
    assert all(point.enabled for point in points(document).values())
    press(more, "Delete all")
    assert points(document) == {}
    more.aboutToShow.emit()
    off = [action for action in more.actions() if not action.isEnabled()]
    tips = {action.text(): action.toolTip().partition(": ")[2] for action in off}
    texts = ("Turn all on", "Turn all off", "Delete all")
    assert tips == dict.fromkeys(texts, "There is no breakpoint.")


def test_deleted_ones_can_be_brought_back_as_they_were(panel, document, qtbot) -> None:
    document.breakpoints.put(BEFORE, KEY)
    press(panel.controls.more_button.menu(), "Delete all")
    back = panel.list.notice.findChild(QPushButton)
    assert back.text() == "Bring back 2 breakpoints"
    click(qtbot, back)
    assert points(document) == {"a": BEFORE, "b": KEY}


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Any failure", "failure"),
        ("Any question", "question"),
        ("Any output", "output"),
        ("Any join that starves", "starves"),
        ("A key that is written", "write"),
    ],
)
def test_add_sets_one_without_a_place_and_edits_it(
    panel, document, text: str, kind: str
) -> None:
    wanted: list[str] = []
    panel.edit_requested.connect(wanted.append)
    press(panel.controls.add_button.menu(), text)
    (added,) = points(document).values()
    assert (added.kind, added.where) == (kind, "")
    assert wanted == [added.id]


def test_what_is_not_in_the_drawing_or_the_run_is_grey_and_says_why(
    panel, document, session
) -> None:
    document.breakpoints.put(Breakpoint(id="x", where="gone"), BEFORE)
    assert "The drawing has no node 'gone'" in panel.rows.rows[0].fault
    assert not panel.rows.rows[0].mark.verified
    session.know_breakpoints(
        BreakpointStatus(
            id="a", verified=True, error="Expression 'x' failed: there is no x."
        )
    )
    assert panel.rows.rows[1].fault == "There is no x."
    panel.table.selectRow(1)
    assert panel.details.values["Fault"].text() == "There is no x."


def test_the_one_at_which_the_run_stands_is_selected_with_its_facts(
    panel, document, session
) -> None:
    document.breakpoints.put(KEY, BEFORE)
    session.stopped = StoppedBody(
        reason="breakpoint",
        status="",
        superstep=3,
        breakpoint=BreakpointHit(id="a", kind="before", hit=2),
    )
    session.stopped_at.emit()
    session.look_at(Moment(superstep=3))
    assert panel.table.current_id == "a"
    assert panel.rows.rows[1].mark.sign == "triangle"
    assert panel.details.values["Stopped"].text() == "after superstep 3"
    assert panel.details.values["Only if"].text() == "message > 3"


def test_a_screen_reader_hears_each_row(panel, document) -> None:
    document.breakpoints.put(BEFORE)
    interface = QAccessible.queryAccessibleInterface(panel.table)
    assert interface.text(QAccessible.Text.Name) == "Breakpoints"
    role = Qt.ItemDataRole.AccessibleTextRole
    spoken = [panel.rows.index(0, place).data(role) for place in range(HITS + 1)]
    assert spoken[ON] == "on"
    assert spoken[1] == "breakpoint, before it runs, only if message > 3"


def test_in_a_narrow_window_what_is_done_has_no_column(show, qtbot) -> None:
    panel = show(BreakpointsPanel, width=800, height=200)
    assert panel.table.isColumnHidden(THEN)
    assert not panel.table.isColumnHidden(ONLY_IF)


@pytest.mark.parametrize(("width", "pane"), [(800, 288), (1024, 336), (1600, 376)])
def test_the_conditions_have_room_in_every_window(
    show, qtbot, width: int, pane: int
) -> None:
    panel = show(BreakpointsPanel, width=width, height=200)
    panel.document.breakpoints.put(BEFORE)
    panel.follow_room(is_narrow=True, inspector_width=pane)
    qtbot.waitUntil(lambda: panel.table.columnWidth(ONLY_IF) >= 60)
    assert not panel.table.horizontalScrollBar().isVisible()


def test_its_hits_in_the_past_are_asked_by_a_click(
    panel, document, session, qtbot
) -> None:
    document.breakpoints.put(BEFORE)
    assert panel.rows.rows[0].past == ""
    session.timeline.append(straight(3))
    session.timeline.flush()
    session.viewed.emit()
    assert panel.rows.rows[0].past == "find"
    click(qtbot, panel.table.viewport(), cell(panel, 0, PAST))
    (question,) = session.past.questions
    assert (question.breakpoint, question.text) == (
        BEFORE,
        "Rank by reach, before it runs",
    )
    question.take(FoundBody(id="1", count=4, done=True))
    panel.invalidate()
    assert panel.rows.rows[0].past == "4 hits"


# --- the editor -------------------------------------------------------------------------


@pytest.fixture
def edit(
    qtbot: QtBot, document: Document, session: FakeSession, look: Any, checks: Any
) -> Callable[..., BreakpointEditor]:
    def make(point: Breakpoint, target: Any = "node") -> BreakpointEditor:
        document.breakpoints.put(point)
        editor = BreakpointEditor.make(
            document, session, look, checks, point.id, target
        )
        editor.resize(336, 380)
        qtbot.addWidget(editor)
        editor.show()
        qtbot.waitExposed(editor)
        editor.activateWindow()
        qtbot.waitUntil(editor.isActiveWindow)
        return editor

    return make


def radio(editor: BreakpointEditor, text: str) -> QWidget:
    buttons = editor.kinds.findChildren(QRadioButton)
    return next(button for button in buttons if button.text() == text)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("after it ran", "after"),
        ("when it fails", "failure"),
        ("when it asks", "question"),
        ("when it yields", "output"),
    ],
)
def test_the_editor_changes_what_must_happen(
    edit, document, qtbot, text: str, kind: str
) -> None:
    editor = edit(BEFORE)
    click(qtbot, radio(editor, text), QPoint(8, 12))
    assert points(document)["a"].kind == kind
    assert points(document)["a"].condition == "message > 3"


def test_a_write_of_a_node_has_its_key_and_stays_at_the_node(
    edit, document, qtbot
) -> None:
    editor = edit(BEFORE)
    assert not editor.key.isVisible()
    click(qtbot, radio(editor, "when it writes"), QPoint(8, 12))
    qtbot.keyClicks(editor.key, "oldest")
    qtbot.keyClick(editor.key, Qt.Key.Key_Return)
    point = points(document)["a"]
    assert (point.kind, point.where) == ("write", "oldest")
    assert point.condition == 'executor == "rank" && (message > 3)'
    assert editor.condition.text() == "message > 3"
    assert document.breakpoints.notes.at("rank", ()) == (point,)
    click(qtbot, radio(editor, "before it runs"), QPoint(8, 12))
    assert points(document)["a"] == BEFORE


def test_a_condition_is_checked_and_tried_as_it_is_typed(
    edit, document, session, qtbot
) -> None:
    message = {
        "where": "queued",
        "source": "graph",
        "target": "rank",
        "data": Value(type="int", text="184"),
    }
    editor = edit(Breakpoint(id="a", where="rank"))
    session.look_at(Moment(superstep=1, messages=(message,)))
    editor.condition.editor.setFocus()
    qtbot.keyClicks(editor.condition.editor, "message > ")
    assert "column" in editor.condition.error.text()
    qtbot.keyClicks(editor.condition.editor, "100")
    assert editor.condition.error.text() == ""
    assert editor.trial.words.text() == "true for the message queued now, 184"
    assert points(document)["a"].condition == ""
    qtbot.keyClick(editor.condition.editor, Qt.Key.Key_Tab)
    assert points(document)["a"].condition == "message > 100"


def test_enter_in_a_text_is_done_and_with_shift_a_new_line(edit, qtbot) -> None:
    editor = edit(BEFORE)
    text = editor.condition.editor
    text.setFocus()
    qtbot.keyClick(text, Qt.Key.Key_End)
    qtbot.keyClick(text, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert editor.condition.text() == "message > 3\n"
    with qtbot.waitSignal(editor.closed):
        qtbot.keyClick(text, Qt.Key.Key_Return)
    click(qtbot, editor.fields.log)
    with qtbot.waitSignal(editor.closed):
        qtbot.keyClick(editor.fields.text, Qt.Key.Key_Return)
    assert editor.fields.text.text() == "{message}"


def test_a_change_of_another_window_leaves_what_is_being_typed(
    edit, document, qtbot
) -> None:
    editor = edit(Breakpoint(id="a", where="rank"))
    editor.condition.editor.setFocus()
    qtbot.keyClicks(editor.condition.editor, "message >")
    document.breakpoints.put(Breakpoint(id="a", where="rank", once=True))
    assert editor.condition.text() == "message >"
    assert editor.fields.once.isChecked()


def test_hits_once_and_log_are_set_by_mouse(edit, document, session, qtbot) -> None:
    editor = edit(BEFORE)
    session.know_breakpoints(BreakpointStatus(id="a", verified=True, hits=3))
    assert editor.fields.so_far.text() == "3 so far"
    qtbot.keyClick(editor.fields.hits, Qt.Key.Key_Down)
    assert (points(document)["a"].hits, points(document)["a"].count) == ("from", 2)
    editor.fields.count.selectAll()
    qtbot.keyClicks(editor.fields.count, "12")
    assert points(document)["a"].count == 12
    click(qtbot, editor.fields.once, QPoint(8, 12))
    assert points(document)["a"].once
    click(qtbot, editor.fields.log)
    assert points(document)["a"].log == "{message}"
    editor.fields.text.selectAll()
    qtbot.keyClicks(editor.fields.text, "got {message +} of")
    assert "column" in editor.fields.text_fault.text()
    click(qtbot, editor.fields.stop)
    assert points(document)["a"].log == ""


def test_done_disable_another_and_delete(edit, document, qtbot) -> None:
    editor = edit(BEFORE)
    closed: list[bool] = []
    editor.closed.connect(lambda: closed.append(True))
    click(qtbot, editor.turn_button)
    assert not points(document)["a"].enabled
    assert editor.turn_button.text() == "Enable"
    click(qtbot, editor.another_button)
    assert [point.kind for point in points(document).values()] == ["before", "after"]
    assert editor.next_button.text() == "2 of 2"
    click(qtbot, editor.next_button)
    assert (editor.id, editor.next_button.text()) == ("a", "1 of 2")
    click(qtbot, editor.delete_button)
    assert len(points(document)) == 1
    assert closed == [True]


def test_a_join_offers_what_happens_at_joins(edit, document, qtbot) -> None:
    editor = edit(Breakpoint(id="j", kind="fires", where="join"), "join")
    click(qtbot, radio(editor, "when it starves"), QPoint(8, 12))
    assert points(document)["j"].kind == "starves"


def test_inside_a_sub_workflow_it_can_be_for_one_run_alone(
    edit, document, session, qtbot
) -> None:
    session.chosen_run = "judge#2"
    editor = edit(Breakpoint(id="s", where="x", inside=("judge",)))
    assert editor.runs.isVisible()
    qtbot.keyClick(editor.runs, Qt.Key.Key_Down)
    assert points(document)["s"].run == "judge#2"
    qtbot.keyClick(editor.runs, Qt.Key.Key_Up)
    assert points(document)["s"].run == ""


def test_revert_takes_back_and_keep_keeps_what_is_typed(edit, document, qtbot) -> None:
    editor = edit(BEFORE)
    click(qtbot, radio(editor, "after it ran"), QPoint(8, 12))
    editor.condition.editor.setFocus()
    editor.revert()
    assert points(document)["a"] == BEFORE
    second = edit(Breakpoint(id="c", where="rank"))
    second.condition.editor.setFocus()
    qtbot.keyClicks(second.condition.editor, "true")
    second.keep()
    assert points(document)["c"].condition == "true"


def test_words_are_offered_in_braces_of_the_log_text_alone(edit, qtbot) -> None:
    editor = edit(Breakpoint(id="a", where="rank", log="x"))
    editor.fields.text.setFocus()
    qtbot.keyClicks(editor.fields.text, " mess")
    assert not editor.fields.text_words.is_open
    qtbot.keyClicks(editor.fields.text, " {mess")
    assert editor.fields.text_words.is_open
    qtbot.keyClick(editor.fields.text, Qt.Key.Key_Tab)
    assert "{message" in editor.fields.text.text()


# --- watches ------------------------------------------------------------------------------


def state(**values: Value) -> Value:
    children = tuple(values.items())
    return Value(type="dict", text="", count=len(children), children=children)


def answers(panel: BreakpointsPanel) -> list[str]:
    rows = panel.watches.rows
    return [rows.index(row, 1).data() for row in range(rows.rowCount())]


def test_a_watch_is_added_edited_by_double_click_and_removed(
    panel, document, session, qtbot
) -> None:
    five = Value(type="int", text="5")
    session.look_at(Moment(superstep=2, sections={"state": state(n=five)}))
    click(qtbot, panel.of_watches)
    qtbot.keyClicks(panel.watches.field, "state.n * 2")
    click(qtbot, panel.watches.add_button)
    assert document.breakpoints.notes.watches == ("state.n * 2",)
    assert answers(panel) == ["10"]
    table = panel.watches.table
    place = table.visualRect(panel.watches.rows.index(0, 0)).center()
    click(qtbot, table.viewport(), place)
    qtbot.mouseDClick(table.viewport(), LEFT, pos=place)
    field = QApplication.focusWidget()
    field.selectAll()
    qtbot.keyClicks(field, "superstep")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: document.breakpoints.notes.watches == ("superstep",))
    assert answers(panel) == ["2"]
    click(qtbot, table.viewport(), place)
    click(qtbot, panel.watches.remove_button)
    assert document.breakpoints.notes.watches == ()


def test_the_delete_key_removes_a_watch_and_add_of_the_menu_goes_to_the_field(
    panel, document, qtbot
) -> None:
    press(panel.controls.add_button.menu(), "A watch")
    assert QApplication.focusWidget() is panel.watches.field
    qtbot.keyClicks(panel.watches.field, "1 + 1")
    qtbot.keyClick(panel.watches.field, Qt.Key.Key_Return)
    panel.watches.table.selectRow(0)
    qtbot.keyClick(panel.watches.table, Qt.Key.Key_Delete)
    assert document.breakpoints.notes.watches == ()


def test_a_watch_says_why_it_has_no_value(panel, document, session, qtbot) -> None:
    click(qtbot, panel.of_watches)
    qtbot.keyClicks(panel.watches.field, "state.absent")
    qtbot.keyClick(panel.watches.field, Qt.Key.Key_Return)
    assert answers(panel) == ["no run is shown"]
    qtbot.keyClicks(panel.watches.field, "1 +")
    qtbot.keyClick(panel.watches.field, Qt.Key.Key_Return)
    session.look_at(Moment(superstep=2))
    assert "no field absent" in answers(panel)[0]
    assert answers(panel)[1] == "the text ends too early"


def test_a_large_value_of_the_state_is_loaded_for_a_watch(
    panel, document, session, qtbot
) -> None:
    large = Value(type="list", text="", count=3)
    session.look_at(Moment(superstep=2, sections={"state": state(big=large)}))
    click(qtbot, panel.of_watches)
    qtbot.keyClicks(panel.watches.field, "size(state.big)")
    qtbot.keyClick(panel.watches.field, Qt.Key.Key_Return)
    assert answers(panel) == ["Not loaded: big of state."]
    section, path, offset, done = session.asked[-1]
    assert (section, tuple(path), offset) == ("state", (0,), 0)
    one = Value(type="int", text="1")
    done(ExpandBody(children=(("0", one), ("1", one)), count=3))
    _section, _path, offset, done = session.asked[-1]
    assert offset == 2
    done(ExpandBody(children=(("2", one),), count=3))
    assert answers(panel) == ["3"]
