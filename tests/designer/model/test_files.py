"""A file gives back the drawing that went in, with everything that this version does
not know.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given

from designer.model import edits, files
from designer.model.design import Design
from designer.model.diff import diff
from runtime.errors import DefinitionError
from tests.designer.model.designs import design, designs, direct


@given(designs())
def test_the_text_gives_back_the_drawing(drawing: Design) -> None:
    again = files.loads(files.dumps(drawing))
    assert again == drawing
    assert not diff(drawing, again)


def test_case_144_an_edit_leaves_every_unknown_field_in_its_place(
    tmp_path: Path,
) -> None:
    path = tmp_path / "a.stepwell.json"
    node = {
        "id": "a",
        "type": "from.the.future",
        "params": {"deep": {"x": [1, 2.0]}},
        "rank": 3,
    }
    edge = {"id": "e", "kind": "direct", "source": "a", "target": "b", "colour": "red"}
    content = {
        "workflow": {
            "nodes": [node, {"id": "b", "type": "python"}],
            "edges": [edge],
            "owner": "me",
        },
        "layout": {"positions": {"a": [0, 0], "b": [240, 0]}, "zoom": 1.5},
        "tool": {"version": 9},
    }
    path.write_text(json.dumps(content), "utf-8")
    drawing = files.load(path)
    before = json.loads(files.dumps(drawing))
    files.save(path, edits.move(drawing, {"b": (244.0, 8.0)}))
    after = json.loads(path.read_text("utf-8"))
    assert before["workflow"]["nodes"][0].items() >= node.items()
    assert before["workflow"]["edges"][0].items() >= edge.items()
    assert (before["workflow"]["owner"], before["layout"]["zoom"], before["tool"]) == (
        "me",
        1.5,
        {"version": 9},
    )
    before["layout"]["positions"]["b"] = [244, 8]
    assert after == before
    assert "244.0" not in path.read_text("utf-8")


def test_case_146_a_half_finished_drawing_opens(tmp_path: Path) -> None:
    path = tmp_path / "half.stepwell.json"
    twins = [{"id": "a", "type": "x"}, {"id": "a", "type": "y"}]
    edges = [
        {"kind": "direct", "source": "a", "target": "nowhere"},
        {"kind": "switch", "source": "a", "cases": [], "default": "a"},
    ]
    path.write_text(json.dumps({"workflow": {"nodes": twins, "edges": edges}}), "utf-8")
    drawing = files.load(path)
    assert len(drawing.workflow.nodes) == len(drawing.workflow.edges) == 2
    assert files.loads(files.dumps(drawing)) == drawing


@pytest.mark.parametrize(
    "at", [[1], [1, "2"], {"x": 1}, None, [1, 2, 3], [10**400, 0], [0, -1e300]]
)
def test_a_position_that_is_none_is_named(at: object) -> None:
    with pytest.raises(DefinitionError, match=r"layout\.positions\.a: \[x, y\]"):
        files.loads(json.dumps({"layout": {"positions": {"a": at}}}))


def test_layout_is_apart_from_the_logic() -> None:
    before = design("ab", direct("a", "b"))
    after = edits.move(design("ab", direct("a", "b")), {"a": (80, 80)})
    one = json.loads(files.dumps(before))
    other = json.loads(files.dumps(after))
    assert one["workflow"] == other["workflow"]
    assert one["layout"] != other["layout"]
