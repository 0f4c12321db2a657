"""Properties turn what is typed into undo steps, say at once what is wrong, and never
disturb who is typing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QPushButton,
    QToolButton,
    QWidget,
)
from pytestqt.qtbot import QtBot

from designer.document.checks import Checks
from designer.document.document import Document
from designer.look.theme import Look
from designer.model import edits
from designer.panels.fields.plain import MISSING, Draft
from designer.panels.properties.edge_editors import (
    DirectEditor,
    FanOutEditor,
    JoinEditor,
    SelectionEditor,
    SwitchEditor,
)
from designer.panels.properties.node_editor import NodeEditor
from designer.panels.properties.panel import PropertiesPanel
from designer.panels.properties.workflow_editor import SeveralEditor, WorkflowEditor
from runtime.document.definition import (
    FanInEdge,
    MultiSelectionEdge,
    Selection,
    SwitchEdge,
)
from tests.designer.fake_session import FakeSession
from tests.designer.fakes import header
from tests.designer.panels.fakes import moment

Show = Callable[..., Any]


def params(document: Document, node: str = "classify") -> dict[str, Any]:
    found = document.design.workflow.node(node)
    assert found is not None
    return found.params


def edge(document: Document, edge_id: str) -> Any:
    return next(edge for edge in document.design.workflow.edges if edge.id == edge_id)


def tool(parent: Any, name: str) -> QToolButton:
    QApplication.processEvents()  # what was put into a layout is shown by an event
    shown = (
        found for found in parent.findChildren(QToolButton) if found.isVisibleTo(parent)
    )
    return next(found for found in shown if found.accessibleName() == name)


def press(parent: Any, text: str) -> None:
    button = next(
        found for found in parent.findChildren(QPushButton) if found.text() == text
    )
    assert button.isEnabled()
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


def test_each_selection_gets_its_editor(show: Show, document: Document) -> None:
    many = MultiSelectionEdge(
        id="many",
        source="report",
        selections=(Selection(target="scan"), Selection(target="classify")),
    )
    workflow = document.design.workflow
    changed = workflow.model_copy(update={"edges": (*workflow.edges, many)})
    document.apply(
        "x",
        type(document.design)(workflow=changed, positions=document.design.positions),
    )
    panel = show(PropertiesPanel)
    found = {}
    for chosen in ("scan", "fan", "join", "switch", "ask->report", "many"):
        document.select({chosen})
        found[chosen] = type(panel.editor)
    document.select({"scan", "fan"})
    found["two"] = type(panel.editor)
    document.select(set())
    found["none"] = type(panel.editor)
    assert list(found.values()) == [
        NodeEditor, FanOutEditor, JoinEditor, SwitchEditor, DirectEditor, SelectionEditor, SeveralEditor, WorkflowEditor
    ]  # fmt: skip


# --- nodes


def test_typing_a_parameter_is_one_step_that_undo_takes_back(
    show: Show, document: Document
) -> None:
    document.select({"classify"})
    panel = show(PropertiesPanel)
    before = params(document)
    field = panel.editor.form.field("function").editor()
    field.selectAll()
    QTest.keyClicks(field, "audit:run")
    assert params(document)["function"] == "audit:run"
    assert document.undo_stack.count() == 1
    document.undo_stack.undo()
    assert params(document) == before
    assert field.text() == "licences:classify"


def test_coming_back_to_a_field_begins_another_step(
    show: Show, document: Document
) -> None:
    document.select({"classify"})
    panel = show(PropertiesPanel)
    field = panel.editor.form.field("function").editor()
    QTest.keyClicks(field, "a")
    QTest.keyClick(field, Qt.Key.Key_Return)
    QTest.keyClicks(field, "b")
    assert document.undo_stack.count() == 2


def test_the_cursor_stays_where_the_user_types(show: Show, document: Document) -> None:
    document.select({"classify"})
    panel = show(PropertiesPanel)
    field = panel.editor.form.field("function").editor()
    field.setCursorPosition(3)
    QTest.keyClicks(field, "xy")
    assert (field.text(), field.cursorPosition()) == ("licxyences:classify", 5)


def test_who_types_is_left_alone_when_the_catalogue_comes_again_with_the_same_type(
    show: Show, document: Document, session: FakeSession
) -> None:
    document.select({"classify"})
    panel = show(PropertiesPanel)
    field = panel.editor.form.field("function").editor()
    field.setFocus()
    session.know(list(session.infos.values()))
    QApplication.processEvents()
    assert field.hasFocus()
    session.know(
        [
            info.model_copy(update={"title": "Another"})
            for info in session.infos.values()
        ]
    )
    QApplication.processEvents()
    assert panel.editor.header.caption.text() == "Another"


def test_an_emptied_field_leaves_the_default_in_force(
    show: Show, document: Document
) -> None:
    document.select({"classify"})
    panel = show(PropertiesPanel)
    field = panel.editor.form.field("retries").editor()
    field.selectAll()
    QTest.keyClick(field, Qt.Key.Key_Delete)
    assert "retries" not in params(document)


def test_a_text_that_is_no_value_changes_nothing_and_is_said_under_the_field(
    show: Show, document: Document
) -> None:
    document.select({"classify"})
    panel = show(PropertiesPanel)
    QTest.keyClicks(panel.editor.form.field("retries").editor(), "x")
    assert params(document)["retries"] == 3
    assert panel.editor.form.row("retries").message == "A whole number is needed."


def over(field: Any, text: str) -> None:
    """Type over what is in a field."""
    editor = field.editor()
    editor.setFocus()
    editor.selectAll()
    QTest.keyClicks(editor, text)


def test_what_is_typed_over_a_value_and_is_none_leaves_it(
    show: Show, document: Document
) -> None:
    """The beginning of a text is a value by chance: it was not meant."""
    document.select({"classify"})
    panel = show(PropertiesPanel)
    field = panel.editor.form.field("retries")
    over(field, "5 times")
    assert params(document)["retries"] == 3
    assert field.text() == "5 times"
    assert panel.editor.form.row("retries").message == "A whole number is needed."
    over(field, "5")
    assert params(document)["retries"] == 5
    document.undo_stack.undo()
    assert params(document)["retries"] == 3
    assert not document.undo_stack.canUndo()  # and what was no value is no step


def test_what_is_typed_over_limit_and_input_of_the_workflow_and_is_none_leaves_them(
    show: Show, document: Document
) -> None:
    panel = show(PropertiesPanel)
    document.apply(
        "Set", edits.set_workflow(document.design, max_supersteps=70, input=[1])
    )
    before = document.design.workflow
    over(panel.editor.limit, "5 steps")
    over(panel.editor.input, "12 apples")
    over(panel.editor.name, "  ")
    assert document.design.workflow == before
    over(panel.editor.limit, "0")
    assert document.design.workflow == before
    over(panel.editor.limit, "08")
    over(panel.editor.input, "12")
    workflow = document.design.workflow
    assert (workflow.max_supersteps, workflow.input, workflow.name) == (
        8,
        12,
        before.name,
    )


def test_a_name_of_blanks_is_refused_and_the_one_before_stays(
    show: Show, document: Document
) -> None:
    document.select({"classify"})
    panel = show(PropertiesPanel)
    node = document.design.workflow.node("classify")
    panel.editor.name.type_in(" \u00a0\u200b")
    assert document.design.workflow.node("classify") == node
    assert "blanks" in panel.editor._name_error.text()
    over(panel.editor.name, "Rank")
    assert document.design.workflow.node("classify").name == "Rank"
    assert not panel.editor._name_error.text()


def test_an_id_of_blanks_is_refused(show: Show, document: Document) -> None:
    document.select({"classify"})
    panel = show(PropertiesPanel)
    panel.editor.id.type_in("\u200b ")
    QTest.keyClick(panel.editor.id.editor(), Qt.Key.Key_Return)
    assert document.design.workflow.node("classify") is not None
    assert "needs an id" in panel.editor._id_error.text()


def test_a_case_keeps_its_name_when_blanks_are_typed_over_it(
    show: Show, document: Document
) -> None:
    switch = next(
        edge for edge in document.design.workflow.edges if isinstance(edge, SwitchEdge)
    )
    document.select({switch.id})
    panel = show(PropertiesPanel)
    card = panel.editor.cases.cards[0]
    card.name.setFocus()
    card.name.selectAll()
    QTest.keyClicks(card.name, "ab")
    assert edge(document, switch.id).cases[0].name == "ab"
    card.name.editingFinished.emit()
    card.name.selectAll()
    QTest.keyClicks(card.name, "  ")
    assert edge(document, switch.id).cases[0].name == "ab"
    card.name.editingFinished.emit()
    assert card.name.text() == "ab"


def test_a_count_of_a_join_that_is_none_leaves_the_one_before(
    show: Show, document: Document
) -> None:
    join = next(
        edge for edge in document.design.workflow.edges if isinstance(edge, FanInEdge)
    )
    document.apply(
        "Count", edits.set_edge(document.design, join.id, policy="count", count=4)
    )
    document.select({join.id})
    panel = show(PropertiesPanel)
    over(panel.editor.count, "2 of 3")
    assert edge(document, join.id).count == 4


def test_a_text_that_is_no_value_is_told_with_what_counts_instead(
    show: Show, document: Document
) -> None:
    document.select({"classify"})
    panel = show(PropertiesPanel)
    over(panel.editor.form.field("retries"), "5 times")
    document.select(())
    QApplication.processEvents()
    (place, (draft,)), *others = panel.mistyped().items()
    assert (place[:2], draft.text, draft.before, others) == (
        ("node", "classify"),
        "5 times",
        3,
        [],
    )
    assert draft.reason == "A whole number is needed."
    panel.go_to(place, draft.field)
    assert document.selection == {"classify"}
    assert panel.editor.form.field("retries").editor().hasFocus()
    assert panel.editor.form.field("retries").text() == "5 times"


def name(panel: Any, text: str) -> None:
    field = panel.editor.name.editor()
    field.selectAll()
    QTest.keyClicks(field, text)
    QTest.keyClick(field, Qt.Key.Key_Return)


def new_node(document: Document) -> str:
    design, made = edits.add_node(document.design, "function", (0, 0), name="Function")
    document.apply("Add", design)
    document.select({made})
    return made


def test_the_first_name_of_a_new_node_makes_its_id_in_the_same_step(
    show: Show, document: Document
) -> None:
    new_node(document)
    made = new_node(document)
    panel = show(PropertiesPanel)
    before = document.undo_stack.count()
    name(panel, "Check the age")
    assert document.selection == {"check_the_age"}
    assert panel.editor.id.editor().text() == "check_the_age"
    assert document.undo_stack.count() == before + 1
    name(panel, "Check it")  # it has one now, and keeps it
    assert document.selection == {"check_the_age"}
    document.undo_stack.undo()
    document.undo_stack.undo()
    found = document.design.workflow.node(made)
    assert found is not None
    assert found.name == "Function"


@pytest.mark.parametrize("why", ["typed", "ran"])
def test_an_id_that_was_typed_or_that_checkpoints_know_stays_with_any_name(
    show: Show, document: Document, session: FakeSession, why: str
) -> None:
    made = new_node(document)
    if why == "ran":
        session.timeline.append([header(1)])
        session.timeline.flush()
    else:
        document.apply("Id", edits.set_id(document.design, made, "mine"))
        document.select({"mine"})
    name(show(PropertiesPanel), "Check the age")
    assert document.selection == {"mine" if why == "typed" else made}


def test_another_id_takes_edges_start_and_selection_along(
    show: Show, document: Document
) -> None:
    document.select({"scan"})
    panel = show(PropertiesPanel)
    field = panel.editor.id.editor()
    editor = panel.editor
    field.selectAll()
    QTest.keyClicks(field, "packages")
    assert document.design.workflow.node("packages") is None  # not while typing
    QTest.keyClick(field, Qt.Key.Key_Return)
    workflow = document.design.workflow
    assert (workflow.start, edge(document, "fan").source) == ("packages", "packages")
    assert document.selection == {"packages"}
    assert panel.editor is editor  # who tabs on stays in the form
    document.undo_stack.undo()
    assert document.design.workflow.start == "scan"


def test_a_taken_id_is_refused_while_it_is_typed(
    show: Show, document: Document
) -> None:
    document.select({"scan"})
    panel = show(PropertiesPanel)
    field = panel.editor.id.editor()
    field.selectAll()
    QTest.keyClicks(field, "rank")
    assert "taken" in panel.editor._id_error.text()
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert document.design.workflow.node("scan") is not None
    assert document.undo_stack.count() == 0


def test_parameters_of_an_unknown_type_are_edited_as_json(
    show: Show, document: Document, session: FakeSession
) -> None:
    session.infos = {}
    document.select({"classify"})
    panel = show(PropertiesPanel)
    before = params(document)
    panel.editor.raw.editor().setPlainText('{"a": [1]}')
    assert params(document) == {"a": [1]}
    panel.editor.raw.editor().setPlainText("[1]")
    assert params(document) == before
    assert "object" in panel.editor._raw_error.text()


def test_while_a_run_is_looked_at_nothing_can_be_changed(
    show: Show, document: Document, session: FakeSession
) -> None:
    document.select({"classify"})
    panel = show(PropertiesPanel)
    session.look_at(moment(), "past")
    field = panel.editor.form.field("function").editor()
    QTest.keyClicks(field, "x")
    assert document.undo_stack.count() == 0
    assert panel._note.isVisible()
    assert not panel.editor.edit(
        "Rename", lambda design: edits.rename(design, "classify", "x")
    )
    session.look_at(None, "edit")
    QTest.keyClicks(field, "x")
    assert document.undo_stack.count() == 1


# --- switches


def test_a_case_is_moved_up_with_its_button(show: Show, document: Document) -> None:
    document.select({"switch"})
    panel = show(PropertiesPanel)
    before = edge(document, "switch").cases
    QTest.mouseClick(tool(panel, "Move case 2 up"), Qt.MouseButton.LeftButton)
    assert edge(document, "switch").cases == before[::-1]
    assert [card.name.text() for card in panel.editor.cases.cards] == [
        "unknown",
        "copyleft",
    ]
    document.undo_stack.undo()
    assert edge(document, "switch").cases == before


def test_the_cases_are_also_edited_at_the_diamond(
    show: Show, document: Document
) -> None:
    document.select({"route"})
    panel = show(PropertiesPanel)
    name = panel.editor.cases.cards[0].name
    assert name.cursorPosition() == 0  # of a long text one sees the beginning
    name.end(False)
    QTest.keyClicks(name, "!")
    assert edge(document, "switch").cases[0].name == "copyleft!"


def test_a_mistake_in_a_condition_is_said_with_line_and_column(
    show: Show, document: Document, checks: Checks, qtbot: QtBot
) -> None:
    document.select({"switch"})
    panel = show(PropertiesPanel)
    when = panel.editor.cases.cards[1].when
    when.editor.setPlainText('message.licence == ""\n  || || 1')
    with qtbot.waitSignal(checks.changed):
        checks.run()
    assert when.error.text().startswith("Line 2, column 6: ")
    start = when.text().index("\n") + 1 + 5
    (mark,) = when.editor.extraSelections()
    assert (mark.cursor.selectionStart(), mark.cursor.selectionEnd()) == (
        start,
        start + 1,
    )
    when.editor.setPlainText("message.licence == ''")
    checks.run()
    assert when.error.text() == ""


def test_the_check_follows_typing_by_itself(
    show: Show, document: Document, checks: Checks, qtbot: QtBot
) -> None:
    document.select({"switch"})
    panel = show(PropertiesPanel)
    checks.run()
    with qtbot.waitSignal(checks.changed):
        QTest.keyClicks(panel.editor.cases.cards[0].when.editor, "(")
    assert panel.editor.cases.cards[0].when.error.text()


def test_cases_are_added_and_removed(show: Show, document: Document) -> None:
    document.select({"switch"})
    panel = show(PropertiesPanel)
    press(panel, "+ Case")
    assert [case.target for case in edge(document, "switch").cases] == [
        "ask",
        "ask",
        "report",
    ]
    QTest.mouseClick(tool(panel, "Remove case 1"), Qt.MouseButton.LeftButton)
    assert [case.name for case in edge(document, "switch").cases] == [
        "unknown",
        "case 3",
    ]


def test_the_default_can_lead_elsewhere(show: Show, document: Document) -> None:
    document.select({"switch"})
    panel = show(PropertiesPanel)
    box = panel.editor.cases.default
    box.setFocus()
    box.activated.emit(box.findData("scan"))
    found = edge(document, "switch")
    assert isinstance(found, SwitchEdge)
    assert found.default == "scan"


# --- other edges


def test_a_condition_is_typed_as_one_step(show: Show, document: Document) -> None:
    document.select({"ask->report"})
    panel = show(PropertiesPanel)
    panel.editor.condition.editor.selectAll()
    QTest.keyClicks(panel.editor.condition.editor, "true")
    assert edge(document, "ask->report").condition == "true"
    assert document.undo_stack.count() == 1


def test_sources_of_a_join_are_put_in_order(show: Show, document: Document) -> None:
    document.select({"join"})
    panel = show(PropertiesPanel)
    QTest.mouseClick(tool(panel, "Move Age check up"), Qt.MouseButton.LeftButton)
    assert edge(document, "join").sources == ("classify", "age", "rank")
    QTest.mouseClick(tool(panel, "Remove Age check"), Qt.MouseButton.LeftButton)
    assert edge(document, "join").sources == ("classify", "rank")


def test_what_an_edit_refuses_is_said_and_changes_nothing(
    show: Show, document: Document
) -> None:
    document.select({"join"})
    panel = show(PropertiesPanel)
    for name in ("Age check", "Rank by reach"):
        QTest.mouseClick(tool(panel, f"Remove {name}"), Qt.MouseButton.LeftButton)
    assert len(edge(document, "join").sources) == 2
    assert "two sources" in panel.editor.refused.text()


def test_the_policy_count_asks_how_many(show: Show, document: Document) -> None:
    document.select({"join"})
    panel = show(PropertiesPanel)
    box = panel.editor.policy.editor()
    box.setCurrentIndex(box.findData("count"))
    box.activated.emit(box.currentIndex())
    assert (edge(document, "join").policy, edge(document, "join").count) == ("count", 3)
    field = panel.editor.count.editor()
    assert field.isVisible()
    field.selectAll()
    QTest.keyClicks(field, "2")
    assert edge(document, "join").count == 2


def test_an_edge_is_turned_into_another_kind_and_stays_selected(
    show: Show, document: Document
) -> None:
    document.select({"fan"})
    panel = show(PropertiesPanel)
    press(panel, "Plain edges")
    assert len(document.selection) == 3
    assert isinstance(panel.editor, SeveralEditor)


def test_a_kind_that_cannot_be_had_says_why(show: Show, document: Document) -> None:
    document.select({"ask->report"})
    panel = show(PropertiesPanel)
    turn = panel.editor._turns["fan_out"]
    assert not turn.isEnabled()
    assert turn.toolTip()


# --- the workflow, and several


def test_the_workflow_is_edited_when_nothing_is_selected(
    show: Show, document: Document
) -> None:
    panel = show(PropertiesPanel)
    editor = panel.editor
    editor.input.editor().setPlainText('{"roots": ["."]}')
    editor.limit.editor().selectAll()
    QTest.keyClicks(editor.limit.editor(), "7")
    editor.start.editor().setCurrentIndex(1)
    editor.start.editor().activated.emit(1)
    workflow = document.design.workflow
    assert (workflow.input, workflow.max_supersteps, workflow.start) == (
        {"roots": ["."]},
        7,
        "classify",
    )


def test_a_default_input_that_is_no_json_is_said_and_not_taken(
    show: Show, document: Document
) -> None:
    panel = show(PropertiesPanel)
    panel.editor.input.editor().setPlainText("{oops")
    assert document.design.workflow.input is None
    assert panel.editor._input_error.text().startswith("Line 1, column 2")


def test_several_nodes_are_put_in_line_by_the_canvas_which_knows_their_sizes(
    show: Show, document: Document
) -> None:
    document.select({"scan", "classify", "rank"})
    panel = show(PropertiesPanel)
    asked: list[str] = []
    panel.align_requested.connect(asked.append)
    for text in (
        "Left",
        "Centre",
        "Right",
        "Top",
        "Middle",
        "Bottom",
        "Distribute across",
        "Distribute down",
    ):
        press(panel, text)
    assert asked == [
        "left",
        "centre",
        "right",
        "top",
        "middle",
        "bottom",
        "across",
        "down",
    ]


def test_several_nodes_are_joined_into_another(show: Show, document: Document) -> None:
    document.select({"classify", "rank"})
    panel = show(PropertiesPanel)
    box = panel.editor.target
    box.setCurrentIndex(box.findData("report"))
    box.activated.emit(box.currentIndex())
    press(panel, "Join")
    new = document.design.workflow.edges[-1]
    assert isinstance(new, FanInEdge)
    assert (new.sources, new.target) == (("classify", "rank"), "report")


def tab_stops(panel: PropertiesPanel, count: int) -> list[str]:
    found = []
    for _ in range(count):
        focused = QApplication.focusWidget()
        assert focused is not None
        found.append(focused.accessibleName() or focused.text())  # type: ignore[attr-defined]
        QTest.keyClick(focused, Qt.Key.Key_Tab)
    return found


def test_tab_goes_through_a_form_as_it_stands_also_where_it_has_grown(
    show: Show, document: Document
) -> None:
    panel = show(PropertiesPanel)
    document.select({"switch"})
    press(panel, "+ Case")
    QApplication.processEvents()
    panel.editor.cases.add.setFocus()
    stops = tab_stops(panel, 22)
    assert stops[0] == "+ Case"
    assert [
        stop
        for stop in stops
        if stop.startswith(("Name of", "Target of", "Condition of"))
    ] == [
        *(
            f"{what} of case {number}"
            for number in (1, 2, 3)
            for what in ("Name", "Target", "Condition")
        ),
        "Target of the default",
    ]


def test_who_comes_with_the_keyboard_comes_to_the_name(
    show: Show, document: Document
) -> None:
    """The window gives the focus to the first thing inside of a panel that takes it."""
    panel = show(PropertiesPanel)
    document.select({"classify"})
    takes = Qt.FocusPolicy.TabFocus
    first = next(
        part
        for part in panel.findChildren(QWidget)
        if part.isVisible() and part.focusPolicy() & takes
    )
    assert first is panel.editor.name.editor()


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
def test_an_icon_is_chosen_from_a_popup_and_given_back_to_the_type(
    show: Show, document: Document
) -> None:
    panel = show(PropertiesPanel)
    document.select({"classify"})
    for wanted, icon in (("timer", "timer"), ("Icon of its type", "")):
        popup = panel.editor.icon.open()
        tools = popup.findChildren(QAbstractButton)
        QTest.mouseClick(
            next(
                tool for tool in tools if wanted in (tool.text(), tool.accessibleName())
            ),
            Qt.MouseButton.LeftButton,
        )
        node = document.design.workflow.node("classify")
        assert node is not None
        assert (node.icon, popup.isVisible()) == (icon, False)
    assert document.undo_stack.undoText() == "Change icon"


def test_another_theme_edits_nothing(
    show: Show, document: Document, look: Look
) -> None:
    """Colouring a condition anew is a change of its text document, and none of the
    text.
    """
    panel = show(PropertiesPanel)
    document.select({"switch"})
    told: list[str] = []
    for card in panel.editor.cases.cards:
        card.when.edited.connect(lambda: told.append("edited"))
    look.choose("dark")
    QApplication.processEvents()
    assert told == []


def type_into(field: Any, text: str) -> None:
    field.editor().setFocus()
    field.editor().selectAll()
    QTest.keyClicks(field.editor(), text)


def test_what_is_no_value_yet_survives_edits_elsewhere_and_another_selection(
    show: Show, document: Document
) -> None:
    panel = show(PropertiesPanel)
    type_into(panel.editor.input, "{half")
    type_into(panel.editor.limit, "0")
    document.apply("Elsewhere", edits.move(document.design, {"scan": (8, 8)}))
    assert (panel.editor.input.text(), panel.editor.limit.text()) == ("{half", "0")
    document.select({"scan"})
    document.select(())
    assert (panel.editor.input.text(), panel.editor.limit.text()) == ("{half", "0")
    assert panel.editor._limit_error.text() == "At least 1 superstep is needed."
    assert panel.editor._input_error.text().startswith("Line 1")
    assert document.design.workflow.max_supersteps == 100
    assert document.undo_stack.index() == 1  # the move alone


def test_escape_gives_up_what_was_not_taken_over(
    show: Show, document: Document
) -> None:
    panel = show(PropertiesPanel)
    document.select({"classify"})
    type_into(panel.editor.id, "scan")
    assert panel.editor._id_error.text()
    QTest.keyClick(panel.editor.id.editor(), Qt.Key.Key_Escape)
    assert (panel.editor.id.text(), panel.editor._id_error.text()) == ("classify", "")


def test_an_id_that_is_taken_over_as_another_node_is_chosen_does_not_change_the_choice(
    show: Show, document: Document, qtbot: QtBot
) -> None:
    panel = show(PropertiesPanel)
    with qtbot.waitActive(panel):  # only then the focus is there to be lost
        panel.activateWindow()
    document.select({"classify"})
    type_into(panel.editor.id, "sorted")
    document.select({"scan"})
    assert document.design.workflow.node("sorted") is not None
    assert document.selection == {"scan"}
    assert panel.editor.node_id == "scan"


def test_a_draft_that_comes_back_is_no_edit(show: Show, document: Document) -> None:
    """It may come back because of an undo, which an edit in its middle would end."""
    panel = show(PropertiesPanel)
    document.select({"classify"})
    panel.editor.type_in([Draft("Name", "Sort", "", MISSING)])
    assert panel.editor.name.text() == "Sort"
    assert document.undo_stack.count() == 0


def test_properties_say_whether_a_node_is_off_and_switch_it(
    show: Show, document: Document
) -> None:
    panel = show(PropertiesPanel)
    document.select({"classify"})
    box = panel.editor.off.editor()
    assert box.currentText() == "On"
    box.setFocus()
    QTest.keyClick(box, Qt.Key.Key_Down)
    found = document.design.workflow.node("classify")
    assert found is not None
    assert found.off == "disabled"
    assert document.undo_stack.undoText() == "Disable"
    document.undo_stack.undo()
    assert box.currentText() == "On"
    document.apply("Bypass", edits.set_off(document.design, ["classify"], "bypassed"))
    assert box.currentText().startswith("Bypassed")
