"""A template names a field that the message does not have: from the failure to the
result by two buttons.
"""

from __future__ import annotations

import json
from pathlib import Path

from tests.designer.shell.support import Hand


def test_from_a_misspelled_field_to_the_result_in_two_steps(
    hand: Hand, tmp_path: Path
) -> None:
    nodes = [
        {"id": "start", "type": "input"},
        {"id": "hello", "type": "template", "params": {"text": "Hello {message.naem}"}},
        {"id": "end", "type": "output"},
    ]
    edges = [
        {"id": "first", "kind": "direct", "source": "start", "target": "hello"},
        {"id": "last", "kind": "direct", "source": "hello", "target": "end"},
    ]
    workflow = {
        "name": "w",
        "start": "start",
        "input": {"name": "Ada"},
        "nodes": nodes,
        "edges": edges,
    }
    path = tmp_path / "w.stepwell.json"
    path.write_text(json.dumps({"workflow": workflow}), "utf-8")
    hand.window.files.open(path)
    workspace = hand.workspace
    hand.wait(lambda: bool(workspace.session.infos))
    hand.click(hand.window.toolbar.buttons["run"])
    hand.wait_stopped("failed")
    assert workspace.document.selection == {"hello"}
    assert workspace.banner.text.endswith("has no 'naem'; did you mean 'name'?")
    hand.press("Use 'name'", workspace.banner)
    go_on = next(
        button.text()
        for button in workspace.banner.buttons
        if button.text().startswith("Continue from #")
    )
    hand.press(go_on, workspace.banner)
    hand.wait_stopped("finished")
    hand.wait(workspace.panels["Output"].isVisible)
