"""Code in a form: typed in the panel or in the larger window, one step of undo, nothing
lost, the mistake marked.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from designer.document.checks import Checks
from designer.document.document import Document
from designer.model import edits
from designer.panels.code.field import CodeField, JsonEdit
from designer.panels.code.window import CodeWindow
from designer.panels.properties.panel import PropertiesPanel
from runtime.nodes import BUILT_IN, Catalogue
from tests.designer.fake_session import FakeSession
from tests.designer.panels.typing import click, put, write

Show = Callable[..., Any]
CTRL = Qt.KeyboardModifier.ControlModifier
ALT = Qt.KeyboardModifier.AltModifier
pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
EXAMPLE = "def run(message):\n    return message\n"


@pytest.fixture
def panel(show: Show, document: Document, session: FakeSession) -> PropertiesPanel:
    session.know(Catalogue(BUILT_IN).infos())
    made: PropertiesPanel = show(PropertiesPanel, height=1200)
    made.activateWindow()
    return made


def choose(document: Document, type_name: str, **params: Any) -> str:
    design, node = edits.add_node(document.design, type_name, (0, 0), params=params)
    document.apply("Add", design)
    document.undo_stack.clear()
    document.select({node})
    return node


def field(panel: PropertiesPanel, name: str) -> Any:
    return panel.editor.form.field(name)  # type: ignore[union-attr]


def params(document: Document, node: str) -> dict[str, Any]:
    found = document.design.workflow.node(node)
    assert found is not None
    return found.params


def window_of(field: CodeField) -> CodeWindow:
    assert field.large.window is not None
    return field.large.window


def test_the_default_stands_there_to_be_changed_and_is_no_value(
    panel: PropertiesPanel, document: Document
) -> None:
    node = choose(document, "inline_code")
    code = field(panel, "code")
    assert code.text() == EXAMPLE
    assert params(document, node) == {}
    code.code.moveCursor(code.code.textCursor().MoveOperation.End)
    QTest.keyClicks(code.code, "#")
    assert params(document, node) == {"code": EXAMPLE + "#"}
    QTest.keyClick(code.code, Qt.Key.Key_Backspace)
    assert params(document, node) == {}


def test_undo_is_the_texts_own_while_typing_and_one_step_afterwards(
    panel: PropertiesPanel, document: Document
) -> None:
    node = choose(document, "inline_code")
    code = field(panel, "code").code
    click(code.viewport())
    QTest.keyClick(code, Qt.Key.Key_End, CTRL)
    QTest.keyClicks(code, "x = 1")
    QTest.keyClick(code, Qt.Key.Key_Return)
    QTest.keyClicks(code, "y")
    QTest.keyClick(code, Qt.Key.Key_Z, CTRL)
    assert code.text() != EXAMPLE + "x = 1\ny"
    assert document.undo_stack.count() == 1
    QTest.keyClicks(code, "z")
    QTest.keyClick(code, Qt.Key.Key_Return, CTRL)
    assert document.undo_stack.count() == 1
    document.undo_stack.undo()
    assert params(document, node) == {}
    assert code.text() == EXAMPLE


def test_ctrl_enter_ends_the_step_and_goes_on(
    panel: PropertiesPanel, document: Document
) -> None:
    choose(document, "inline_code")
    code = field(panel, "code").code
    click(code.viewport())
    QTest.keyClicks(code, "a")
    QTest.keyClick(code, Qt.Key.Key_Return, CTRL)
    assert not code.hasFocus()
    click(code.viewport())
    QTest.keyClicks(code, "b")
    assert document.undo_stack.count() == 2


def test_escape_leaves_the_larger_window_and_nothing_is_lost(
    panel: PropertiesPanel, document: Document, qtbot: QtBot
) -> None:
    node = choose(document, "inline_code")
    code = field(panel, "code")
    click(code.code.viewport())
    QTest.keyClick(code.code, Qt.Key.Key_Return, ALT)
    window = window_of(code)
    qtbot.waitExposed(window)
    write(window.text, "def run(m):\nreturn 2")
    QTest.keyClick(window.text, Qt.Key.Key_Escape)
    assert code.large.window is None
    wanted = "def run(m):\n    return 2"
    assert code.text() == wanted
    assert params(document, node) == {"code": wanted}
    document.undo_stack.undo()
    assert params(document, node) == {}


def test_ctrl_enter_in_the_larger_window_is_a_step_of_its_own(
    panel: PropertiesPanel, document: Document, qtbot: QtBot
) -> None:
    node = choose(document, "inline_code")
    code = field(panel, "code")
    for text in ("one", "two"):
        click(code.large.button)
        window = window_of(code)
        qtbot.waitExposed(window)
        write(window.text, text)
        QTest.keyClick(window.text, Qt.Key.Key_Return, CTRL)
    assert params(document, node) == {"code": "two"}
    document.undo_stack.undo()
    assert params(document, node) == {"code": "one"}


def test_the_mistake_is_marked_in_the_panel_and_in_the_window(
    panel: PropertiesPanel, document: Document, checks: Checks
) -> None:
    choose(document, "inline_code", code="def run(message):\n    return (1\n")
    checks.run()
    code = field(panel, "code")
    assert code.code.place == (2, 12)
    code.large.open()
    assert window_of(code).text.place == (2, 12)
    assert "never closed" in window_of(code).error.text()
    write(window_of(code).text, "def run(message):\nreturn 1")
    checks.run()
    assert code.code.place is None
    assert window_of(code).error.text() == ""


def test_a_window_whose_field_goes_leaves_too(
    panel: PropertiesPanel, document: Document, qtbot: QtBot
) -> None:
    node = choose(document, "inline_code")
    field(panel, "code").large.open()
    window = window_of(field(panel, "code"))
    write(window.text, "kept")
    document.select(set())
    qtbot.waitUntil(lambda: not panel.findChildren(CodeWindow))
    assert params(document, node) == {"code": "kept"}


def test_json_is_marked_where_it_breaks_its_rules_or_those_of_the_schema(
    qtbot: QtBot, look: Any
) -> None:
    schema = {"type": "object", "additionalProperties": {"type": "integer"}}
    json_field = JsonEdit(look, schema)
    qtbot.addWidget(json_field)
    for text, place in (('{"a":\n  oops}', (2, 3)), ('{"a": 1,\n "b": "x"}', (2, 7))):
        json_field.type_in(text)
        json_field.say("wrong")
        assert json_field.code.place == place
    json_field.say("")
    assert json_field.code.place is None


def test_a_secret_that_stands_in_a_table_is_refused_beside_it_with_the_way_out(
    panel: PropertiesPanel, document: Document, checks: Checks
) -> None:
    choose(document, "http_request", url="https://example.org")
    put(field(panel, "headers"), {"Authorization": "Bearer abc"})
    checks.run()
    under = panel.editor.form.row("headers")  # type: ignore[union-attr]
    assert "'Authorization' is a secret" in under.message
    assert "{env.NAME}" in under.message
    name, text = field(panel, "headers").lines[0]
    assert (name.text(), text.text()) == ("Authorization", "Bearer abc")
    write(text, "Bearer {env.NOT_SET_HERE}")
    checks.run()
    assert under.message == ""
    assert under.note is not None
    assert under.note.text().startswith("NOT_SET_HERE is not set")
