"""The user's own node types in a window with its real host: found beside the document,
filled in, found again.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from designer.panels.palette import PalettePanel
from designer.panels.properties.node_editor import NodeEditor
from designer.panels.properties.panel import PropertiesPanel
from tests.designer.panels.typing import click, fill
from tests.designer.shell.support import opened

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
SHOUT = '''"""Never run while the palette is made."""
raise SystemExit


def shout(message: str, mark: str = "!", times: int = 1) -> str:
    """Says it loudly."""
    return message.upper() + mark * times
'''


def test_a_module_of_the_folder_is_a_palette_entry_and_so_is_one_that_comes_later(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STEPWELL_DATA_DIR", str(tmp_path / "data"))
    folder = tmp_path / "mine"
    (folder / "nodes").mkdir(parents=True)
    (folder / "nodes" / "shout.py").write_text(SHOUT)
    with opened(qtbot, tmp_path, painted=False) as hand:
        workspace = hand.window.new_document()
        workspace.document.save(folder / "w.stepwell.json")
        palette = workspace.panels["Palette"]
        properties = workspace.panels["Properties"]
        assert isinstance(palette, PalettePanel)
        assert isinstance(properties, PropertiesPanel)
        hand.wait(
            lambda: any(
                info.title == "Shout" for info in workspace.session.infos.values()
            )
        )
        hand.click(palette.search)
        QTest.keyClicks(palette.search, "loudly")
        QTest.keyClick(palette.search, Qt.Key.Key_Return)
        node = workspace.document.design.workflow.nodes[0]
        assert workspace.session.infos[node.type].category == "Your nodes"
        assert isinstance(properties.editor, NodeEditor)
        assert properties.editor.form is not None
        fill(properties.editor.form, {"mark": "?", "times": 3})
        assert workspace.document.design.workflow.nodes[0].params == {
            "mark": "?",
            "times": 3,
        }
        (folder / "nodes" / "whisper.py").write_text(SHOUT.replace("shout", "whisper"))
        click(palette.reload)
        hand.wait(
            lambda: any(
                info.title == "Whisper" for info in workspace.session.infos.values()
            )
        )
        assert properties.editor.form.value() == {"mark": "?", "times": 3}
