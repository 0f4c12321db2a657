"""The restore proof in the window, with a real host: a handler that keeps what no
checkpoint has is found, led to and compared. Only mouse and keys.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt

from designer.panels.timeline.panel import TimelinePanel
from designer.panels.verify.panel import ProofPanel
from designer.panels.verify.table import ADVANCE
from tests.designer.shell.support import Hand
from tests.end_to_end.hunts.planted import ALIASING_HANDLER

pytestmark = pytest.mark.slow


def test_a_hidden_default_is_found_and_what_it_does_is_compared(
    hand: Hand, tmp_path: Path
) -> None:
    hand.window.files.open(ALIASING_HANDLER.write(tmp_path))
    hand.key(Qt.Key.Key_F5)
    hand.wait_stopped("finished")
    session = hand.workspace.session
    timeline = hand.show("Timeline")
    assert isinstance(timeline, TimelinePanel)
    hand.window.actions_by_id["restore-proof"].trigger()
    panel = hand.workspace.panels["Restore proof"]
    assert isinstance(panel, ProofPanel)
    hand.click(panel.check_all_button)
    hand.wait(lambda: session.proof.read > 0 and not session.proof.is_checking)
    assert panel.summary["failed"].text() == "3 failed"
    [row, *_] = [
        place
        for place, row in enumerate(panel.table.rows.rows)
        if row.words(ADVANCE) == "failed"
    ]
    place = panel.table.visualRect(panel.table.rows.index(row, 1)).center()
    hand.click(panel.table.viewport(), place)
    hand.wait(lambda: session.mode == "past")
    [advance] = [
        view for view in panel.checks_view.checks if view.check.name == "advance"
    ]
    assert advance.findings[0].writer.text() == "again"
    hand.click(advance.findings[0].writer)
    assert hand.workspace.document.selection == {"again"}
    hand.click(panel.compare_button)
    hand.wait(lambda: session.is_compared)
    assert session.base_name == "a step from #3, done again"
    assert hand.workspace.panels["Compare"].isVisible()
