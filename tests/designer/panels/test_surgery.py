"""Edit and fork: each section is changed in place by mouse and keys, with its tags, its
undo, and its errors.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QLineEdit,
    QPlainTextEdit,
    QRadioButton,
    QWidget,
)

from designer.model.patch_address import Address
from designer.panels.surgery.key_name import KeyName
from designer.panels.surgery.panel import SurgeryPanel
from designer.panels.surgery.row_view import RowView
from designer.panels.surgery.rows import Subject
from runtime.debug.protocol import (
    InsideMoment,
    MessageMoment,
    PatchChange,
    PatchParseBody,
    PatchPlanArguments,
    PatchPlanBody,
    PatchProblem,
    Spot,
)
from tests.designer.fake_session import FakeSession
from tests.designer.fakes import straight
from tests.designer.panels.fakes import join, moment, value

Show = Callable[..., Any]
LEFT = Qt.MouseButton.LeftButton
NONE = Qt.KeyboardModifier.NoModifier
ALT = Qt.KeyboardModifier.AltModifier
CTRL = Qt.KeyboardModifier.ControlModifier
MESSAGES = (
    MessageMoment(
        where="queued",
        source="scan",
        target="rank",
        section="queue:0",
        data=value({"of": 77, "undated": 0}),
    ),
    MessageMoment(
        where="queued",
        source="age",
        target="rank",
        section="queue:1",
        data=value("sixteen"),
    ),
    MessageMoment(
        where="queued",
        source="classify",
        target="route",
        edge="join",
        section="queue:2",
        data=value(3),
    ),
    MessageMoment(
        where="buffered",
        source="classify",
        target="route",
        edge="join",
        section="held:0",
        data=value(["a", "b"]),
    ),
)
STATE = {"policy": {"max_age_days": 730}, "attempts": 2, "title": "Audit"}


@pytest.fixture
def panel(show: Show, session: FakeSession) -> SurgeryPanel:
    session.timeline.append(straight(6))
    session.timeline.flush()
    shown = moment(
        6,
        messages=MESSAGES,
        joins=(join().model_copy(update={"held": 1, "key": "key of the join"}),),
        state=value(STATE),
        executors=value({"rank": {"runs": 1, "state": {"seen": 3}}}),
    )
    session.look_at(shown, "past")
    panel: SurgeryPanel = show(SurgeryPanel)
    session.staged.begin("c6")
    QApplication.processEvents()
    return panel


def row_of(panel: SurgeryPanel, section: Any, **where: Any) -> RowView:
    subject = Subject(section, **where)
    for view in panel.views():
        if view.row is not None and view.row.subject == subject:
            return view
    raise AssertionError(subject)


def click(widget: QWidget) -> None:
    point = QPoint(min(40, widget.width() // 2), widget.height() // 2)
    QTest.mouseClick(widget, LEFT, NONE, point)
    QApplication.processEvents()


def click_row(view: RowView) -> None:
    QTest.mouseClick(view, LEFT, NONE, QPoint(view.width() // 2, 4))
    QApplication.processEvents()


def key(widget: QWidget, name: Qt.Key, modifiers: Any = NONE) -> None:
    QTest.keyClick(widget, name, modifiers)
    QApplication.processEvents()


def type_over(view: RowView, text: str) -> None:
    assert view.field is not None
    editor = view.field.editor()
    assert isinstance(editor, QLineEdit)
    click(editor)
    editor.selectAll()
    QTest.keyClicks(editor, text)
    QApplication.processEvents()


def changes(panel: SurgeryPanel) -> list[PatchChange]:
    return list(panel.session.staged.draft.changes)


def plan(session: Any, panel: SurgeryPanel, **fields: Any) -> None:
    """Let the host answer what would come of the changes."""
    session.staged._ask_plan()
    done = next(
        done
        for arguments, done in reversed(session.patches)
        if isinstance(arguments, PatchPlanArguments)
    )
    body = {"checkpoint_id": "c6", "moment": moment(6), **fields}
    done(PatchPlanBody(**body))
    QApplication.processEvents()


def order(panel: SurgeryPanel) -> list[object]:
    return [
        view.row.subject.entry
        for view in panel.views()
        if view.row is not None
        and view.row.kind == "message"
        and view.row.subject.section == "queue"
    ]


# --- values ---


def test_a_key_of_the_state_is_typed_over_in_place(panel: SurgeryPanel) -> None:
    type_over(row_of(panel, "state", key="attempts"), "5")
    (change,) = changes(panel)
    assert (change.do, change.key, change.value, change.was) == (
        "set",
        "attempts",
        5,
        2,
    )
    view = row_of(panel, "state", key="attempts")
    assert view.old.text() == "2"
    assert view.undo.isVisible()


def test_a_value_typed_back_is_no_change(panel: SurgeryPanel) -> None:
    type_over(row_of(panel, "state", key="attempts"), "5")
    type_over(row_of(panel, "state", key="attempts"), "2")
    assert changes(panel) == []


def test_a_value_inside_of_another_is_changed_by_its_path(panel: SurgeryPanel) -> None:
    click_row(row_of(panel, "state", key="policy"))
    inner = row_of(panel, "state", key="policy", path=("max_age_days",))
    type_over(inner, "365")
    (change,) = changes(panel)
    assert (change.key, change.path, change.value) == ("policy", ("max_age_days",), 365)


def test_what_is_no_number_is_sent_as_a_text_and_refused_under_its_field(
    panel: SurgeryPanel, session: FakeSession
) -> None:
    type_over(row_of(panel, "state", key="attempts"), "none")
    (change,) = changes(panel)
    assert change.value == "none"
    problem = PatchProblem(change=change.id, text="A whole number is needed.")
    plan(session, panel, problems=(problem,))
    view = row_of(panel, "state", key="attempts")
    assert "A whole number is needed." in view.words()
    assert not panel.foot.apply.isEnabled()
    assert "1 error to fix" in panel.foot.errors.text()


def test_a_row_is_undone_on_its_own_with_its_button(panel: SurgeryPanel) -> None:
    type_over(row_of(panel, "state", key="attempts"), "5")
    type_over(row_of(panel, "state", key="title"), "Other")
    click(row_of(panel, "state", key="attempts").undo)
    assert [change.key for change in changes(panel)] == ["title"]


def test_undo_goes_back_also_while_one_types(panel: SurgeryPanel) -> None:
    type_over(row_of(panel, "state", key="attempts"), "5")
    field = row_of(panel, "state", key="attempts").field
    assert field is not None
    key(field.editor(), Qt.Key.Key_Z, CTRL)
    assert changes(panel) == []
    assert field.text() == "2"
    key(field.editor(), Qt.Key.Key_Y, CTRL)
    assert [change.value for change in changes(panel)] == [5]


def test_a_key_of_the_state_is_removed(panel: SurgeryPanel) -> None:
    view = row_of(panel, "state", key="policy")
    view.setFocus()
    key(view, Qt.Key.Key_Delete)
    assert [change.do for change in changes(panel)] == ["remove"]


# --- messages ---


def test_a_message_is_dropped_and_stays_struck_through(panel: SurgeryPanel) -> None:
    view = row_of(panel, "queue", entry=1)
    view.setFocus()
    key(view, Qt.Key.Key_Delete)
    (change,) = changes(panel)
    assert change.do == "drop"
    view = row_of(panel, "queue", entry=1)
    assert view.title.is_struck
    assert view.position.text() == "–"
    assert [tag.words for tag in view.tags if tag.isVisible()] == ["dropped"]


def test_a_message_is_duplicated(panel: SurgeryPanel) -> None:
    view = row_of(panel, "queue", entry=0)
    view.setFocus()
    key(view, Qt.Key.Key_D, CTRL)
    assert order(panel) == [0, "c1", 1, 2]


def test_a_message_is_moved_with_the_keys(panel: SurgeryPanel) -> None:
    view = row_of(panel, "queue", entry=2)
    view.setFocus()
    key(view, Qt.Key.Key_Up, ALT)
    key(view, Qt.Key.Key_Up, ALT)
    assert order(panel) == [2, 0, 1]
    key(view, Qt.Key.Key_Down, ALT)
    key(view, Qt.Key.Key_Down, ALT)
    assert order(panel) == [0, 1, 2]
    assert changes(panel) == []


def test_a_message_is_dragged_to_another_place(panel: SurgeryPanel) -> None:
    grip = row_of(panel, "queue", entry=2).grip
    first = row_of(panel, "queue", entry=0)
    QTest.mousePress(grip, LEFT, NONE, grip.rect().center())
    above = grip.mapFromGlobal(first.mapToGlobal(QPoint(10, 2)))
    QTest.mouseMove(grip, above)
    QTest.mouseRelease(grip, LEFT, NONE, above)
    QApplication.processEvents()
    assert order(panel) == [2, 0, 1]


def test_messages_inside_of_sub_workflows_are_said_to_be_there(
    panel: SurgeryPanel, session: FakeSession
) -> None:
    shown = moment(6, messages=MESSAGES)
    assert shown.header is not None
    header = replace(shown.header, queued=5)
    session.look_at(shown.model_copy(update={"header": header}), "past")
    panel.refresh()
    queue = [
        view.row.title
        for view in panel.views()
        if view.row is not None and view.row.subject.section == "queue"
    ]
    assert queue[-1].startswith("2 messages inside of sub-workflows")
    assert not any("not listed" in title for title in queue)


def test_a_field_of_a_message_is_edited(panel: SurgeryPanel) -> None:
    click_row(row_of(panel, "queue", entry=0))
    type_over(row_of(panel, "queue", entry=0, path=("undated",)), "4")
    (change,) = changes(panel)
    assert (change.do, change.path, change.value) == ("set", ("undated",), 4)
    view = row_of(panel, "queue", entry=0)
    assert [tag.words for tag in view.tags if tag.isVisible()] == ["edited"]


def test_f2_edits_a_whole_message_as_json(
    panel: SurgeryPanel, session: FakeSession
) -> None:
    view = row_of(panel, "queue", entry=0)
    view.setFocus()
    key(view, Qt.Key.Key_F2)
    arguments, done = session.patches[-1]
    spot = Spot(place=0, was={"of": 77, "undated": 0})
    done(PatchParseBody(change=arguments.change.model_copy(update={"spot": spot})))
    field = QApplication.focusWidget()
    assert isinstance(field, QPlainTextEdit)
    assert field.textCursor().selectedText().startswith("{")
    QTest.keyClicks(field, "[1, 2]")
    (change,) = changes(panel)
    assert (change.do, change.path, change.value) == ("set", (), [1, 2])


def test_the_keys_of_a_row_come_before_those_of_the_window(panel: SurgeryPanel) -> None:
    view = row_of(panel, "queue", entry=0)
    rename = QAction(panel, shortcut=Qt.Key.Key_F2)
    renamed: list[bool] = []
    rename.triggered.connect(renamed.append)
    panel.addAction(rename)
    view.setFocus()
    key(view, Qt.Key.Key_F2)
    assert renamed == []


def test_a_held_message_is_known_by_its_place_in_the_join(panel: SurgeryPanel) -> None:
    view = row_of(panel, "buffers", key="key of the join", entry=0)
    view.setFocus()
    key(view, Qt.Key.Key_Delete)
    (change,) = changes(panel)
    assert change.key == "key of the join"
    assert change.spot is not None
    assert change.spot.place == 0


def test_a_message_is_added_and_typed(panel: SurgeryPanel) -> None:
    click(panel.sections["queue"].add)
    (change,) = changes(panel)
    assert (change.do, change.source) == ("add", "classify")
    focused = QApplication.focusWidget()
    assert focused is not None
    QTest.keyClicks(focused, '{"of": 5}')
    assert changes(panel)[0].value == {"of": 5}


def test_a_new_key_is_not_added_a_second_time(panel: SurgeryPanel) -> None:
    panel.session.staged.stage(PatchChange(id="", do="set", section="state", key="n"))
    panel.sections["state"].add.click()
    name = panel.findChild(KeyName)
    QTest.keyClicks(name.name, "n")
    assert not name.add.isEnabled()
    name.close()


def test_nothing_can_be_added_where_no_run_is_inside(
    panel: SurgeryPanel, session: FakeSession
) -> None:
    """The host could only refuse it, because the change would name no run."""
    session.inside = InsideMoment(way=("review",), keys=("",))
    session.viewed.emit()
    assert not panel.stack.content.isVisible()
    session.inside = None
    session.viewed.emit()
    assert panel.stack.content.isVisible()


def test_messages_begin_in_one_line_whatever_their_tags(panel: SurgeryPanel) -> None:
    panel.session.staged.stage(Subject("queue", entry=1).change("duplicate"))
    QApplication.processEvents()
    original = row_of(panel, "queue", entry=1)
    duplicate = row_of(panel, "queue", entry=changes(panel)[0].id)
    assert original.text.x() == duplicate.text.x()


def test_a_message_gets_another_target_from_its_menu(panel: SurgeryPanel) -> None:
    row = row_of(panel, "queue", entry=0).row
    assert row is not None
    menu = panel.verbs.menu_for(row)
    target = next(action.menu() for action in menu.actions() if action.text() == "To")
    next(each for each in target.actions() if each.text() == "Age check").trigger()
    (change,) = changes(panel)
    assert (change.do, change.source, change.target) == ("address", "scan", "age")


# --- questions ---


def test_a_question_is_answered_in_its_form(panel: SurgeryPanel) -> None:
    click_row(row_of(panel, "requests", key="r1"))
    view = row_of(panel, "requests", key="r1")
    assert view.answer is not None
    choices = view.answer.findChildren(QRadioButton)
    click(next(choice for choice in choices if choice.text() == "replace"))
    (change,) = changes(panel)
    assert (change.do, change.key) == ("answer", "r1")
    assert change.value["verdict"] == "replace"
    assert view.tags[0].words == "answered: replace"


def test_a_question_is_withdrawn(panel: SurgeryPanel) -> None:
    click_row(row_of(panel, "requests", key="r1"))
    view = row_of(panel, "requests", key="r1")
    assert view.answer is not None
    click(view.answer.withdraw)
    assert [change.do for change in changes(panel)] == ["withdraw"]


# --- the whole ---


def test_unchanged_values_fold_once_something_is_changed(panel: SurgeryPanel) -> None:
    type_over(row_of(panel, "state", key="attempts"), "5")
    panel.session.staged.leave()
    panel.session.staged.begin("c6")
    section = panel.sections["state"]
    assert section.fold.text() == "2 more, unchanged"
    click(section.fold)
    row_of(panel, "state", key="title")


def test_a_section_says_how_much_of_it_is_changed(panel: SurgeryPanel) -> None:
    view = row_of(panel, "queue", entry=1)
    view.setFocus()
    key(view, Qt.Key.Key_Delete)
    assert panel.sections["queue"].head.tag.words == "1 change"


def test_ctrl_return_applies_what_is_valid(
    panel: SurgeryPanel, session: FakeSession
) -> None:
    wanted: list[bool] = []
    panel.apply_requested.connect(wanted.append)
    type_over(row_of(panel, "state", key="attempts"), "5")
    key(panel, Qt.Key.Key_Return, CTRL)
    assert wanted == []
    plan(session, panel)
    key(panel, Qt.Key.Key_Return, CTRL)
    click(panel.foot.run)
    assert wanted == [False, True]


def test_the_task_opens_at_a_value_with_its_text_selected(panel: SurgeryPanel) -> None:
    panel.begin_at(Address("state", "policy", ("max_age_days",)))
    focused = QApplication.focusWidget()
    assert isinstance(focused, QLineEdit)
    assert focused.selectedText() == "730"


def test_the_rows_are_named_for_people(panel: SurgeryPanel) -> None:
    names = [view.accessibleName() for view in panel.views()]
    assert any("attempts" in name for name in names)


def test_what_is_not_applied_is_named_when_the_tab_is_closed(
    panel: SurgeryPanel,
) -> None:
    type_over(row_of(panel, "state", key="attempts"), "5")
    panel.session.staged.leave()
    assert panel.unfinished() == ["1 change over a copy of #6, not applied"]
