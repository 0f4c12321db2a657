"""A node whose type is not there: nothing of it is lost, and Properties say what is
missing and how to get it.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QPushButton

from designer.document.document import Document
from designer.model import edits
from designer.panels.properties.node_editor import NodeEditor
from designer.panels.properties.panel import PropertiesPanel
from runtime.document.definition import NodeInfo
from tests.designer.fake_session import FakeSession
from tests.designer.panels.conftest import texts
from tests.designer.panels.typing import click, write

Show = Callable[..., Any]
pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
PARAMS = {"function": "a:b", "deep": {"list": [1, None, "é"]}}


def chosen(document: Document, type_name: str = "functoin") -> str:
    design, node = edits.add_node(document.design, type_name, (0, 0), params=PARAMS)
    document.apply("Add", design)
    document.undo_stack.clear()
    document.select({node})
    return node


def editor(panel: PropertiesPanel) -> NodeEditor:
    assert isinstance(panel.editor, NodeEditor)
    return panel.editor


def params(document: Document, node: str) -> dict[str, Any]:
    found = document.design.workflow.node(node)
    assert found is not None
    return found.params


def press(panel: PropertiesPanel, text: str) -> None:
    click(
        next(found for found in panel.findChildren(QPushButton) if found.text() == text)
    )


def test_what_is_missing_kept_and_how_to_get_it_is_said(
    show: Show, document: Document
) -> None:
    chosen(document, "weather")
    panel = show(PropertiesPanel, height=1000)
    said = " ".join(texts(editor(panel).missing, QLabel))  # type: ignore[arg-type]
    for part in (
        "'weather' is missing",
        "2 parameters are kept",
        "stepwell.nodes",
        "'nodes' beside the workflow",
    ):
        assert part in said


def test_a_type_of_the_folder_names_its_file(show: Show, document: Document) -> None:
    chosen(document, "nodes.loud:shout")
    panel = show(PropertiesPanel, height=1000)
    said = " ".join(texts(editor(panel).missing, QLabel))  # type: ignore[arg-type]
    assert "nodes/loud.py must exist and have 'shout'" in said


def test_its_parameters_can_be_seen_changed_and_saved(
    show: Show, document: Document, tmp_path: Path
) -> None:
    node = chosen(document, "weather")
    panel = show(PropertiesPanel, height=1000)
    panel.activateWindow()
    raw = editor(panel).raw
    assert raw is not None
    assert raw.value() == PARAMS
    write(raw.editor(), '{"function": "c:d"}')
    assert params(document, node) == {"function": "c:d"}
    document.undo_stack.undo()
    document.save(tmp_path / "x.stepwell.json")
    again = Document()
    again.open(tmp_path / "x.stepwell.json")
    assert params(again, node) == PARAMS
    again.close()


def test_a_type_that_comes_gets_its_form_with_what_was_kept(
    show: Show, document: Document, session: FakeSession
) -> None:
    node = chosen(document, "weather")
    panel = show(PropertiesPanel, height=1000)
    press(panel, "Look again")
    assert session.commands == [("catalogue", None)]
    schema = {"type": "object", "properties": {"function": {"type": "string"}}}
    found = NodeInfo(
        type="weather",
        title="Weather",
        category="Your nodes",
        icon="globe",
        params_schema=schema,
    )
    session.know([*session.infos.values(), found])
    assert editor(panel).missing is None
    assert editor(panel).form.field("function").value() == "a:b"  # type: ignore[union-attr]
    QTest.keyClick(editor(panel).form.field("function").editor(), Qt.Key.Key_X)  # type: ignore[union-attr]
    assert params(document, node)["deep"] == PARAMS["deep"]


def test_a_type_that_was_misspelt_is_put_right_in_one_step(
    show: Show, document: Document
) -> None:
    node = chosen(document, "functoin")
    panel = show(PropertiesPanel, height=1000)
    press(panel, "Make it 'function'")
    found = document.design.workflow.node(node)
    assert found is not None
    assert (found.type, found.params) == ("function", PARAMS)
    assert editor(panel).form is not None
    document.undo_stack.undo()
    assert document.design.workflow.node(node).type == "functoin"  # type: ignore[union-attr]
    assert editor(panel).missing is not None


def test_explaining_is_remembered_for_the_next_form(
    show: Show, document: Document
) -> None:
    document.select({"classify"})
    panel = show(PropertiesPanel, height=1400)
    click(editor(panel).explain)
    document.select({"rank"})
    shown = editor(panel).form.row("function").help  # type: ignore[union-attr]
    assert shown is not None
    assert shown.text() == "module:name of a Python function."
    assert not shown.isHidden()
