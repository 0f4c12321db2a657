"""The editor for source files is chosen in the menu, kept, and used from the form."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from designer.panels.properties.panel import PropertiesPanel
from designer.shell.settings.editor_dialog import EditorDialog
from designer.shell.settings.settings import Settings
from tests.designer.shell.support import Hand, draw
from tests.designer.shell.test_looks_by_hand import choose

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)


def dialog(hand: Hand) -> EditorDialog:
    choose(hand, "File", "Editor for source files…")
    found = hand.window.findChild(EditorDialog)
    assert found is not None
    return found


def test_an_editor_is_chosen_by_keys_kept_and_used(hand: Hand, tmp_path: Path) -> None:
    workspace = draw(hand)
    asked = dialog(hand)
    QTest.keyClicks(asked.field, "no_such_editor")
    assert "no program 'no_such_editor'" in asked.error.text()
    QTest.keyClick(asked.field, Qt.Key.Key_Return)
    assert asked.isVisible(), "what cannot be started is not taken over"
    asked.field.selectAll()
    QTest.keyClicks(asked.field, f"{shlex.quote(sys.executable)} -c pass")
    QTest.keyClick(asked.field, Qt.Key.Key_Return)
    kept = Settings(tmp_path / "settings.json").values.editor
    assert kept == f"{shlex.quote(sys.executable)} -c pass"
    panel = workspace.panels["Properties"]
    assert isinstance(panel, PropertiesPanel)
    assert panel.form_context.edit(tmp_path / "report.py", 1) == ""
    hand.window.settings.values.editor = "no_such_editor"
    assert "no_such_editor" in panel.form_context.edit(tmp_path / "report.py", 1)


def test_escape_keeps_the_editor_as_it_was(hand: Hand) -> None:
    asked = dialog(hand)
    QTest.keyClicks(asked.field, "python3")
    QTest.keyClick(asked.field, Qt.Key.Key_Escape)
    assert hand.window.settings.values.editor == ""
