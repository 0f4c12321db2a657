"""A node that cannot run is bypassed by a key, and the workflow runs round it; the run
shows what was off.
"""

from __future__ import annotations

import json
from pathlib import Path

from PySide6.QtCore import QPointF, Qt

from designer.canvas.speech.describe import describe
from tests.designer.shell.support import Hand

CTRL = Qt.KeyboardModifier.ControlModifier


def open_file(hand: Hand, path: Path) -> None:
    nodes = [
        {"id": "a", "type": "template", "params": {"text": "hello"}},
        {"id": "gone", "type": "of_a_package", "params": {"kept": 1}},
        {"id": "slow", "type": "template", "params": {"text": "never"}},
        {
            "id": "both",
            "type": "json_transform",
            "params": {"expression": "message.size()"},
        },
        {"id": "end", "type": "output"},
    ]
    edges = [
        {"id": "fan", "kind": "fan_out", "source": "a", "targets": ["gone", "slow"]},
        {"id": "join", "kind": "fan_in", "sources": ["gone", "slow"], "target": "both"},
        {"id": "out", "kind": "direct", "source": "both", "target": "end"},
    ]
    places = {
        "a": [0, 100],
        "gone": [300, 0],
        "slow": [300, 200],
        "both": [600, 100],
        "end": [900, 100],
    }
    whole = {
        "workflow": {"start": "a", "nodes": nodes, "edges": edges},
        "layout": {"positions": places},
    }
    path.write_text(json.dumps(whole), "utf-8")
    hand.somebody.open_from = path
    hand.key(Qt.Key.Key_O, CTRL)
    hand.wait(lambda: bool(hand.workspace.session.infos))


def press_on(hand: Hand, node: str, key: Qt.Key) -> None:
    canvas = hand.workspace.canvas
    canvas.camera.zoom_to(0.8)
    canvas.camera.look_at(canvas.scene().boxes[node].rect.center())
    at = canvas.mapFromScene(
        canvas.scene().boxes[node].rect.topLeft() + QPointF(60, 12)
    )
    hand.click(canvas.viewport(), at)
    hand.key(key)


def test_a_missing_type_is_bypassed_and_a_slow_node_disabled_and_the_rest_runs(
    hand: Hand, tmp_path: Path
) -> None:
    path = tmp_path / "some.stepwell.json"
    open_file(hand, path)
    press_on(hand, "gone", Qt.Key.Key_B)
    press_on(hand, "slow", Qt.Key.Key_D)
    workspace = hand.workspace
    session = hand.workspace.session
    assert workspace.document.undo_stack.index() == 2
    workspace.checks.run()
    assert [one.off for one in workspace.document.design.workflow.nodes] == [
        "",
        "bypassed",
        "disabled",
        "",
        "",
    ]
    assert not workspace.checks.problems

    hand.key(Qt.Key.Key_F5)
    hand.wait_stopped("finished")
    scene = workspace.canvas.scene()
    hand.wait(lambda: session.moment is not None and bool(session.moment.outputs))
    hand.wait(lambda: "done s2" in describe(scene, "gone"))
    assert describe(scene, "gone").startswith("gone · Bypassed, done s2")
    assert describe(scene, "slow").startswith("slow · Disabled, done s2")
    assert session.moment is not None
    assert [source.disabled for source in session.moment.joins[0].sources] == [
        False,
        True,
    ]
    # a list of one message
    assert [value.text for _, value in session.moment.outputs] == ["1"]

    hand.key(Qt.Key.Key_E, CTRL)
    hand.key(Qt.Key.Key_S, CTRL)
    saved = {
        node["id"]: node.get("off")
        for node in json.loads(path.read_text("utf-8"))["workflow"]["nodes"]
    }
    assert saved == {
        "a": None,
        "gone": "bypassed",
        "slow": "disabled",
        "both": None,
        "end": None,
    }
