"""A file that is half finished opens in the window, shows its faults, and is refused to
run for the same ones.
"""

from __future__ import annotations

import json
from pathlib import Path

from PySide6.QtCore import Qt

from tests.designer.shell.support import Hand


def test_case_146_a_half_finished_file_opens_shows_its_faults_and_is_not_run(
    hand: Hand, tmp_path: Path
) -> None:
    twins = [{"id": "a", "type": "template"}, {"id": "a", "type": "output"}]
    edges = [
        {"id": "loose", "kind": "direct", "source": "a", "target": "nowhere"},
        {"id": "empty", "kind": "switch", "source": "a", "cases": [], "default": "a"},
    ]
    path = tmp_path / "half.stepwell.json"
    path.write_text(json.dumps({"workflow": {"nodes": twins, "edges": edges}}), "utf-8")
    before = path.read_bytes()
    hand.somebody.open_from = path
    hand.key(Qt.Key.Key_O, Qt.KeyboardModifier.ControlModifier)
    workspace = hand.workspace
    hand.wait(lambda: bool(workspace.session.infos))
    workspace.checks.run()
    shown = {
        (problem.rule, problem.location)
        for problem in workspace.checks.problems
        if problem.severity == "error"
    }
    assert {location for _, location in shown} >= {"", "a", "loose"}
    hand.key(Qt.Key.Key_F5)
    problems = workspace.panels["Problems"]
    assert workspace.session.mode == "edit"
    assert workspace.areas[problems.area].currentWidget() is problems
    assert not workspace.session.starting
    assert workspace.session.head is None
    assert workspace.session.timeline.rowCount() == 0
    assert path.read_bytes() == before
