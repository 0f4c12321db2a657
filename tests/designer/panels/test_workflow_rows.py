"""Properties of the workflow: whose outputs count, reducers and what two values are, by
keys and mouse, a step each.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QToolButton

from designer.document.checks import Checks
from designer.document.document import Document
from designer.model import edits, files
from designer.panels.properties.output_kinds import OutputKinds
from designer.panels.properties.panel import PropertiesPanel
from designer.panels.properties.workflow_editor import WorkflowEditor
from tests.designer.panels.typing import click

KEY = Qt.Key


@pytest.fixture
def editor(show: Callable[..., Any], document: Document) -> WorkflowEditor:
    panel = show(PropertiesPanel, height=1400)
    panel.activateWindow()
    assert isinstance(panel.editor, WorkflowEditor)
    return panel.editor


def kinds(document: Document) -> dict[str, str]:
    return {
        node.id: node.outputs for node in document.design.workflow.nodes if node.outputs
    }


def saved(document: Document, tmp_path: Path) -> Any:
    document.save(tmp_path / "it.stepwell.json")
    return files.load(tmp_path / "it.stepwell.json").workflow


def test_the_outputs_of_a_node_are_taken_out_said_to_be_nothing_and_put_back(
    editor: WorkflowEditor, document: Document, tmp_path: Path
) -> None:
    rows: OutputKinds = editor.outputs
    rows.add.setFocus()
    QTest.keyClick(rows.add, KEY.Key_Down)
    (node,) = kinds(document)
    assert kinds(document) == {node: "intermediate"}
    assert document.undo_stack.count() == 1
    rows.choices[0].setFocus()
    QTest.keyClick(rows.choices[0], KEY.Key_Down)
    assert kinds(document) == {node: "none"}
    assert rows.choices[0].hasFocus()
    assert saved(document, tmp_path).node(node).outputs == "none"
    document.undo_stack.undo()
    assert kinds(document) == {node: "intermediate"}
    QApplication.processEvents()  # what was put into a layout is shown by an event
    back = next(one for one in rows.findChildren(QToolButton) if one.isVisible())
    click(back)
    assert kinds(document) == {}
    assert rows.choices == []


def test_two_values_may_be_no_error(
    editor: WorkflowEditor, document: Document, tmp_path: Path
) -> None:
    box = editor.conflicts.editor()
    box.setFocus()
    QTest.keyClick(box, KEY.Key_Down)
    assert saved(document, tmp_path).state_conflicts == "last"
    document.undo_stack.undo()
    assert document.design.workflow.state_conflicts == ""
    assert box.currentText() == "Are an error"


def test_a_reducer_is_typed_into_the_table_as_one_step(
    editor: WorkflowEditor, document: Document, checks: Checks, tmp_path: Path
) -> None:
    click(editor.reducers.add)
    name, text = editor.reducers.lines[0]
    QTest.keyClicks(name, "total")
    QTest.keyClick(name, KEY.Key_Return)
    QTest.keyClicks(text, "operator")
    checks.run()
    assert editor._reducers_error.text().startswith(
        "The reducer of 'total' is 'operator', not module:function"
    )
    QTest.keyClicks(text, ":add")
    checks.run()
    assert editor._reducers_error.text() == ""
    assert document.design.workflow.reducers == {"total": "operator:add"}
    assert saved(document, tmp_path).reducers == {"total": "operator:add"}


def test_a_reducer_whose_function_is_not_there_is_told_under_the_table(
    editor: WorkflowEditor, document: Document, checks: Checks, tmp_path: Path
) -> None:
    document.save(tmp_path / "it.stepwell.json")
    document.apply(
        "Reduce",
        edits.set_workflow(document.design, reducers={"total": "no_such_module:add"}),
    )
    checks.run()
    assert (
        "names the module 'no_such_module', but it is not found"
        in editor._reducers_error.text()
    )
    assert editor.reducers.lines[0][1].property("invalid")
