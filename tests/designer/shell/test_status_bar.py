"""The strip at the bottom: who waits for the process of a run sees it there, and can
wait no longer.
"""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt

from designer.look.theme import Look
from designer.shell.status_bar import WAITING, StatusBar, Words


def test_a_wait_is_said_and_ends_with_a_press_of_its_button(qtbot: Any) -> None:
    status = StatusBar(Look())
    qtbot.addWidget(status)
    status.resize(900, 24)
    status.show()
    status.show_words(Words("edit", "Editing", "3 nodes", "saved"))
    assert not status.cancel.isVisible()
    status.show_words(Words("edit", "Editing", "3 nodes", "saved", waits=True))
    assert WAITING in status.text
    with qtbot.waitSignal(status.cancelled):
        qtbot.mouseClick(status.cancel, Qt.MouseButton.LeftButton)
    status.show_words(Words("edit", "Editing", "3 nodes", "saved"))
    assert not status.cancel.isVisible()
    assert WAITING not in status.text
