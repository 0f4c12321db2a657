"""Whatever ends a window, what was drawn and typed is on disk; only kill -9 costs the
last third of a second.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from PySide6.QtCore import Qt

from designer.document.document import Document
from designer.model.files import load, save
from designer.panels.properties.node_editor import NodeEditor
from designer.panels.properties.panel import PropertiesPanel
from designer.shell.endings import Endings
from designer.shell.files.dialogs import Choice
from tests.designer.panels.fakes import design
from tests.designer.shell.support import Hand

pytestmark = pytest.mark.slow

CTRL = Qt.KeyboardModifier.ControlModifier
ROOT = Path(__file__).parents[3]
# A window with an edit that is younger than the journal waits, and a half-typed id; it
# says when it is ready.
WINDOW = """
    import sys
    from pathlib import Path
    from PySide6.QtCore import QTimer
    from PySide6.QtTest import QTest
    from designer import app, document
    from designer.shell.files.dialogs import Questions

    document.JOURNAL_DELAY = 1_000_000
    Questions.recover = None

    def act(window):
        workspace = window.workspace
        node = workspace.document.design.workflow.nodes[0].id
        workspace.document.select({node})
        workspace.canvas.commands.move({node: (1.0, 2.0)})
        QTest.qWait(50)
        field = workspace.panels["Properties"].editor.id.editor()
        window.activateWindow()
        field.setFocus()
        field.selectAll()
        QTest.keyClicks(field, "typed_id")
        print("ready", flush=True)
        {more}

    make = app.make_window
    def made(*words):
        window = make(*words)
        QTimer.singleShot(0, window, lambda: act(window))
        return window
    app.make_window = made
    sys.exit(app.main(Path(sys.argv[1])))
"""


def run_window(file: Path, data: Path, more: str = "pass") -> subprocess.Popen[str]:
    code = textwrap.dedent(WINDOW).replace("{more}", more)
    environment = os.environ | {
        "STEPWELL_DATA_DIR": str(data),
        "QT_QPA_PLATFORM": "offscreen",
        "PYTHONPATH": str(ROOT),
    }
    command = [sys.executable, "-c", code, str(file)]
    return subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    )


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "mine.stepwell.json"
    save(path, design())
    return path


def recovered(data: Path, monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """Ids and the place of what the next window would offer."""
    monkeypatch.setenv("STEPWELL_DATA_DIR", str(data))
    [entry] = Document.recoverable()
    assert (1.0, 2.0) in entry.design.positions.values()
    return {node.id for node in entry.design.workflow.nodes}


@pytest.mark.skipif(
    sys.platform == "win32", reason="Windows has no signals that a program hears"
)
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_window_that_is_told_to_end_keeps_the_last_edit_and_what_is_being_typed(
    number: signal.Signals, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = run_window(file, tmp_path / "data")
    assert window.stdout is not None
    assert window.stdout.readline() == "ready\n"
    window.send_signal(number)
    _, said = window.communicate(timeout=30)
    assert window.returncode == 128 + number, said
    assert "Traceback" not in said
    assert "typed_id" in recovered(tmp_path / "data", monkeypatch)


def test_an_error_that_nobody_caught_costs_nothing_even_if_it_ends_the_window(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    more = 'QTimer.singleShot(0, lambda: 1 / 0); QTimer.singleShot(50, lambda: __import__("os").abort())'
    window = run_window(file, tmp_path / "data", more)
    _, said = window.communicate(timeout=30)
    assert window.returncode not in (0, 1)
    assert "ZeroDivisionError" in said
    assert "typed_id" in recovered(tmp_path / "data", monkeypatch)


def test_it_leaves_signals_as_they_were(hand: Hand) -> None:
    before = (
        signal.getsignal(signal.SIGTERM),
        signal.getsignal(signal.SIGINT),
        sys.excepthook,
    )
    endings = Endings(hand.window, hand.window.workspaces)
    assert signal.getsignal(signal.SIGTERM) != before[0]
    endings.dispose()
    assert (
        signal.getsignal(signal.SIGTERM),
        signal.getsignal(signal.SIGINT),
        sys.excepthook,
    ) == before


@pytest.mark.skipif(
    not hasattr(signal, "SIGHUP"), reason="Windows has no terminals that hang up"
)
def test_after_nohup_a_terminal_that_goes_does_not_end_the_window(hand: Hand) -> None:
    inherited = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    endings = Endings(hand.window, hand.window.workspaces)
    try:
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        endings.dispose()
        signal.signal(signal.SIGHUP, inherited)


# --- closing ------------------------------------------------------------------------------------------------------


def editor(hand: Hand, file: Path) -> NodeEditor:
    hand.window.files.open(file)
    hand.workspace.document.select(
        {hand.workspace.document.design.workflow.nodes[0].id}
    )
    panel = hand.workspace.panels["Properties"]
    assert isinstance(panel, PropertiesPanel)
    hand.wait(lambda: isinstance(panel.editor, NodeEditor))
    assert isinstance(panel.editor, NodeEditor)
    return panel.editor


def type_id(hand: Hand, made: NodeEditor, text: str) -> None:
    field = made.id.editor()
    field.setFocus()
    hand.qtbot.keyClick(field, Qt.Key.Key_A, CTRL)
    hand.qtbot.keyClicks(field, text)


def test_ctrl_s_saves_the_field_that_one_is_in(hand: Hand, file: Path) -> None:
    made = editor(hand, file)
    type_id(hand, made, "typed_id")
    hand.key(Qt.Key.Key_S, CTRL)
    assert load(file).workflow.nodes[0].id == "typed_id"
    assert made.id.editor().hasFocus()


def test_closing_asks_for_a_field_that_one_is_in_as_for_any_change(
    hand: Hand, file: Path
) -> None:
    hand.somebody.changes = Choice.SAVE
    type_id(hand, editor(hand, file), "typed_id")
    hand.window.close()
    assert hand.somebody.asked[-1] == "save mine"
    assert load(file).workflow.nodes[0].id == "typed_id"


def test_closing_asks_before_it_loses_what_is_no_value_of_its_field(
    hand: Hand, file: Path
) -> None:
    other = load(file).workflow.nodes[1].id
    made = editor(hand, file)
    type_id(hand, made, other)
    hand.somebody.leaves = False
    hand.window.close()
    assert hand.window.isVisible()
    assert made.id.editor().property("text") == other
    assert f": {other}" in hand.somebody.asked[-1]
    hand.somebody.leaves = True
    hand.window.close()
    assert not hand.window.isVisible()
