"""A node type of the user's own, from its file to a result in the window: palette,
trust, run; with a real host.
"""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt

from runtime.document.definition import WorkflowDefinition, WorkflowFile
from runtime.document.files import write_file

SHOUT = """
from pathlib import Path
from typing import Annotated

from pydantic import Field

(Path(__file__).parent.parent / "ran").touch()


def shout(text: str, mark: Annotated[str, Field(title="Mark", description="What comes last.")] = "!") -> str:
    "Makes a text loud."
    return text.upper() + mark
"""
CTRL = Qt.KeyboardModifier.ControlModifier
TYPE = "nodes.shout:shout"


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "work"
    (folder / "nodes").mkdir(parents=True)
    (folder / "nodes" / "shout.py").write_text(SHOUT)
    nodes = [{"id": "loud", "type": TYPE}, {"id": "out", "type": "output"}]
    edges = [{"id": "e", "kind": "direct", "source": "loud", "target": "out"}]
    workflow = WorkflowDefinition.model_validate(
        {"start": "loud", "input": "hi", "nodes": nodes, "edges": edges}
    )
    write_file(folder / "it.stepwell.json", WorkflowFile(workflow=workflow))
    return folder


def open_in(hand, path: Path):
    hand.window.files.open(path)
    hand.wait(lambda: TYPE in hand.workspace.session.infos)
    return hand.workspace


def test_a_file_beside_the_document_is_in_the_palette_and_runs_after_trust(
    hand, folder
):
    workspace = open_in(hand, folder / "it.stepwell.json")
    palette = workspace.panels["Palette"]
    hand.click(palette.search)
    hand.type("shout")
    hand.key(Qt.Key.Key_Return)
    added = workspace.document.design.workflow.nodes[-1]
    assert (added.type, added.name) == (TYPE, "Shout")
    workspace.canvas.setFocus()
    hand.key(Qt.Key.Key_Z, CTRL)
    assert len(workspace.document.design.workflow.nodes) == 2
    # listed, drawn, checked: nothing of it was run
    assert not (folder / "ran").exists()

    hand.key(Qt.Key.Key_F5)
    hand.wait_stopped("finished")
    assert (folder / "ran").exists()
    assert hand.somebody.asked == [f"trust {folder}"]
    hand.wait(lambda: workspace.panels["Output"].reader.text == "HI!")


def test_without_trust_nothing_of_it_runs(hand, folder):
    hand.somebody.trusts = False
    open_in(hand, folder / "it.stepwell.json")
    hand.key(Qt.Key.Key_F5)
    hand.wait(lambda: hand.somebody.asked == [f"trust {folder}"])
    assert not (folder / "ran").exists()
