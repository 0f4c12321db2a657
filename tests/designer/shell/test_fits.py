"""The window fits in 1024 × 700, and in what 1600 × 1000 leaves at 200 %, in every
mode; and so do its dialogs.
"""

from __future__ import annotations

import importlib
import pkgutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QSize
from PySide6.QtWidgets import QApplication, QDialog

from designer import panels, shell
from designer.panels.widgets.dialog import Dialog
from tests.designer.panels.fakes import moment
from tests.designer.shell.fitting import misfits
from tests.designer.shell.support import Hand, draw, link_of, live, stand

pytestmark = [
    pytest.mark.slow,
    pytest.mark.qt_log_ignore("This plugin does not support", extend=True),
    pytest.mark.painted,
]
# The second is the room of a screen at 200 %, without what the system puts around a
# window.
SIZES = (QSize(1600, 1000), QSize(1024, 700), QSize(798, 469))


def start(hand: Hand) -> None:
    hand.window.show_start_page()


def editing(hand: Hand) -> None:
    workspace = draw(hand)
    workspace.document.select({"classify"})


def editing_a_switch(hand: Hand) -> None:
    workspace = draw(hand)
    workspace.document.select({"route"})


def moving(hand: Hand) -> None:
    live(hand, moving=True)


def at_rest(hand: Hand) -> None:
    live(hand)
    link_of(hand.workspace).reply("inspect", moment(2, requests=()))


def question(hand: Hand) -> None:
    workspace = live(hand, "waiting")
    link_of(workspace).reply("inspect", moment(2))
    workspace.show_panel("Requests")


def past(hand: Hand) -> None:
    workspace = live(hand)
    workspace.session.view("c1")
    link_of(workspace).reply("inspect", moment(0, requests=()))
    workspace.show_panel("Joins")


def failed(hand: Hand) -> None:
    live(hand, moving=True)
    error = (
        "KeyError: 'a name that nobody has in his dictionary, and that is rather long'"
    )
    stand(
        hand.workspace, "failed", text=error, error_type="KeyError", executor="classify"
    )


def finished(hand: Hand) -> None:
    live(hand, moving=True)
    stand(hand.workspace, "finished")
    link_of(hand.workspace).reply("inspect", moment(2, requests=()))


MODES: list[Callable[[Hand], None]] = [
    start, editing, editing_a_switch, moving, at_rest, question, past, failed, finished,
]  # fmt: skip


def show_at(hand: Hand, size: QSize) -> None:
    hand.window.resize(size)
    for _ in range(5):
        QApplication.processEvents()


def test_nothing_is_cut_in_any_mode(hand: Hand) -> None:
    """In one window, as a window costs more than all that is asked of it; each mode has
    a tab of its own.
    """
    found: list[tuple[str, QSize, set[str]]] = []
    for mode in MODES:
        mode(hand)
        if hand.window.current is not None:
            hand.workspace.canvas.camera.fit_all(glide=False)
        for size in SIZES:
            show_at(hand, size)
            assert hand.window.size() == size, mode.__name__
            found.append((mode.__name__, size, misfits(hand.window)))
    assert [entry for entry in found if entry[2]] == []


def test_window_and_dialogs_fit_on_a_small_screen(tmp_path: Path) -> None:
    """In a process of its own: Qt reads the size of its screen when it starts."""
    command = [sys.executable, "-m", "tests.designer.shell.small_screen", str(tmp_path)]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.splitlines() == ["800 500"], done.stderr


def test_every_dialog_is_one_that_fits_its_screen() -> None:
    for package in (panels, shell):
        for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)
    ours = [
        kind
        for kind in QDialog.__subclasses__()
        if kind.__module__.startswith("designer.")
    ]
    assert ours == [Dialog]
