"""A form asks calmly for what is empty, until its field was left once or a run was
tried; Problems counts it always.
"""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from designer.model.edits import add_node, connect
from designer.panels.properties.edge_editors import SwitchEditor
from designer.panels.properties.node_editor import NodeEditor
from runtime.document.definition import NodeInfo
from tests.designer.panels.fakes import infos
from tests.designer.shell.support import draw

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
NEEDS = {
    "type": "object",
    "properties": {
        "function": {"type": "string", "title": "Function"},
        "note": {"type": "string", "title": "Note"},
    },
    "required": ["function"],
}


@pytest.fixture
def workspace(desk):
    workspace = draw(desk)
    needing = NodeInfo(
        type="needing",
        title="Needing",
        category="Python",
        icon="box",
        params_schema=NEEDS,
    )
    workspace.session.catalogue.infos = {
        info.type: info for info in [*infos(), needing]
    }
    workspace.session.catalogue_ready.emit()
    return workspace


@pytest.fixture
def fresh(workspace):
    """The form of a node that has just come."""
    design, made = add_node(
        workspace.document.design, "needing", (0, 600), node_id="new"
    )
    workspace.document.apply("Add", design)
    workspace.document.select({made})
    workspace.checks.run()
    editor = workspace.panels["Properties"].editor
    assert isinstance(editor, NodeEditor)
    assert editor.form is not None
    return editor


def is_calm(row):
    assert row.message == "Function is needed."
    message = row._message
    return (
        not message._glyph.isVisible() and message._text.property("role") == "secondary"
    )


def is_marked(row):
    return bool(row.field.editor().property("invalid"))


def test_a_fresh_node_is_asked_for_calmly_and_counted(workspace, fresh):
    row = fresh.form.row("function")
    assert (is_calm(row), is_marked(row)) == (True, False)
    assert workspace.checks.count("error") > 0


def test_a_field_that_was_left_empty_is_marked(desk, fresh):
    row = fresh.form.row("function")
    desk.click(row.field.editor())
    assert is_calm(row)
    QTest.keyClick(row.field.editor(), Qt.Key.Key_Tab)
    QApplication.processEvents()
    assert (is_calm(row), is_marked(row)) == (False, True)


def test_to_leave_another_field_ends_no_patience_with_this(desk, fresh):
    row = fresh.form.row("function")
    desk.click(fresh.form.field("note").editor())
    desk.workspace.canvas.setFocus()
    assert is_calm(row)


def test_a_run_that_was_tried_ends_the_patience_with_all_there_is_but_not_with_what_comes(
    workspace, fresh
):
    row = fresh.form.row("function")
    workspace.run()
    assert (is_calm(row), is_marked(row)) == (False, True)
    assert not workspace.checks.patience.is_with("new", "function")
    assert workspace.checks.patience.is_with("newer", "function")


def test_a_new_case_is_calm_until_its_condition_was_left(desk, workspace):
    workspace.document.select({"switch"})
    editor = workspace.panels["Properties"].editor
    assert isinstance(editor, SwitchEditor)
    desk.click(editor.cases.add)
    workspace.checks.run()
    card = editor.cases.cards[-1]
    assert workspace.checks.at("switch", f"cases[{len(editor.cases.cards) - 1}]")
    assert card.when.error.text()
    assert not card.property("invalid")
    assert not card.when.editor.property("invalid")
    assert card.when.editor.hasFocus()
    workspace.canvas.setFocus()
    assert card.property("invalid")
    assert card.when.editor.property("invalid")


def severities(workspace, rule):
    return [
        problem.severity
        for problem in workspace.checks.problems
        if problem.rule == rule
    ]


def test_an_empty_drawing_and_a_node_without_an_edge_are_hints_until_a_run_is_tried(
    desk,
):
    workspace = desk.new_document()
    workspace.session.catalogue.infos = {info.type: info for info in infos()}
    workspace.session.catalogue_ready.emit()
    workspace.checks.run()
    assert severities(workspace, "start-exists") == ["info"]
    assert workspace.checks.count("error") == 0

    for node in ("first", "second"):
        design, _ = add_node(
            workspace.document.design, "template", (0, 0), node_id=node
        )
        workspace.document.apply("Add", design)
    workspace.checks.run()
    assert severities(workspace, "reachable") == ["info"]
    workspace.checks.insist()
    assert severities(workspace, "reachable") == ["error"]


def test_what_has_an_edge_and_cannot_be_reached_is_an_error_at_once(workspace):
    design, _ = add_node(workspace.document.design, "template", (0, 600), node_id="far")
    design, _ = add_node(design, "template", (300, 600), node_id="farther")
    workspace.document.apply("Add", connect(design, "far", "farther")[0])
    workspace.checks.run()
    assert severities(workspace, "reachable") == ["error", "error"]
