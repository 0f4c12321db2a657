"""A run that stands inside a superstep, with a real host: breakpoints also inside a
sub-workflow, single deliveries, out, run to here, and a held node.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot

from designer.model.design import Design
from designer.model.inside import value_of
from designer.shell.workspace import Workspace
from runtime.debug.protocol import StoppedBody
from runtime.document.definition import (
    DirectEdge,
    EdgeDefinition,
    FanOutEdge,
    NodeDefinition,
    WorkflowDefinition,
)
from tests.designer.shell.support import Hand, opened

K = Qt.Key
CTRL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def hand(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Hand]:
    monkeypatch.setenv("STEPWELL_DATA_DIR", str(tmp_path / "data"))
    with opened(qtbot, tmp_path, painted=False) as hand:
        yield hand
        assert hand.somebody.told == []


def template(node_id: str, name: str) -> NodeDefinition:
    params = {"text": f"{node_id}({{message}})"}
    return NodeDefinition(id=node_id, type="template", name=name, params=params)


def wire(source: str, target: str) -> DirectEdge:
    return DirectEdge(id=f"{source}->{target}", source=source, target=target)


def drawing(
    nodes: list[NodeDefinition], *edges: EdgeDefinition, **more: object
) -> Design:
    places = {node.id: (240.0 * at, 90.0 * (at % 3)) for at, node in enumerate(nodes)}
    workflow = WorkflowDefinition.model_validate(
        {"start": nodes[0].id, "nodes": tuple(nodes), "edges": edges, **more}
    )
    return Design(workflow, places)


def article() -> Design:
    """A text goes to three readers; two of them go on to one sub-workflow."""
    review = drawing(
        [
            template("note", "Note"),
            template("merge", "Merge"),
            NodeDefinition(id="out", type="output", name="Reviewed"),
        ],
        wire("note", "merge"),
        wire("merge", "out"),
    )
    nodes = [
        NodeDefinition(id="in", type="input", name="Text"),
        template("ada", "Ada"),
        template("bob", "Bob"),
        template("cem", "Cem"),
        NodeDefinition(
            id="review",
            type="sub_workflow",
            name="Review",
            params={"inline": value_of(review)},
        ),
        NodeDefinition(id="result", type="output", name="Result"),
    ]
    return drawing(
        nodes,
        FanOutEdge(id="to", source="in", targets=("ada", "bob", "cem")),
        wire("ada", "review"),
        wire("bob", "review"),
        wire("review", "result"),
        name="article",
        input="hello",
    )


@pytest.fixture
def workspace(hand: Hand) -> Workspace:
    workspace = hand.window.new_document()
    workspace.document.apply("Draw", article())
    hand.wait(lambda: bool(workspace.session.infos))
    workspace.canvas.setFocus()
    return workspace


def click_node(hand: Hand, node: str) -> None:
    canvas = hand.workspace.canvas
    hand.wait(lambda: not canvas.clock.is_moving)
    hand.click(
        canvas.viewport(),
        canvas.mapFromScene(canvas.scene().boxes[node].rect.center() + QPoint(0, 8)),
    )


def stands(hand: Hand, reason: str, at: str = "") -> StoppedBody:
    """Wait until the run stands for this reason, and is shown: at a delivery, such as
    "review#1/merge", or at a barrier.
    """
    session = hand.workspace.session
    hand.wait(lambda: not session.running and place_of(session.stopped) == (reason, at))
    hand.wait(lambda: (session.standing is not None) == bool(at))
    assert session.stopped is not None
    return session.stopped


def place_of(stopped: StoppedBody | None) -> tuple[str, str] | None:
    if stopped is None:
        return None
    delivery = stopped.delivery
    if delivery is None:
        return stopped.reason, ""
    return stopped.reason, "/".join((*delivery.path, delivery.executor))


def words(workspace: Workspace, node: str) -> str:
    face = workspace.canvas.scene().overlay.nodes.get(node)
    return "" if face is None else face.words


def checkpoints(workspace: Workspace) -> int:
    workspace.session.timeline.flush()
    return workspace.session.timeline.rowCount()


def test_deliveries_one_by_one_and_a_node_that_is_held(
    hand: Hand, workspace: Workspace
) -> None:
    click_node(hand, "bob")
    hand.key(K.Key_F9)
    hand.key(K.Key_F5)
    stands(hand, "breakpoint", "bob")
    hand.wait(lambda: workspace.banner.text.startswith("Stopped before Bob"))
    assert words(workspace, "bob") == "Next delivery"
    before = checkpoints(workspace)

    hand.key(K.Key_F11)
    stands(hand, "delivery", "cem")
    hand.wait(lambda: words(workspace, "cem") == "Next delivery")
    assert words(workspace, "bob") == "Done, held"
    assert checkpoints(workspace) == before

    click_node(hand, "cem")
    hand.window.actions_by_id["hold"].trigger()
    hand.wait(lambda: workspace.steps.is_held)
    hand.key(K.Key_F10)
    stands(hand, "held", "cem")
    hand.window.actions_by_id["hold"].trigger()
    hand.wait(lambda: not workspace.steps.is_held)
    hand.key(K.Key_F10)
    assert stands(hand, "step").superstep == 2
    hand.key(K.Key_F5)
    stands(hand, "finished")


def test_stop_goes_back_from_inside_a_superstep_to_its_barrier(
    hand: Hand, workspace: Workspace
) -> None:
    click_node(hand, "bob")
    hand.key(K.Key_F9)
    hand.key(K.Key_F5)
    stands(hand, "breakpoint", "bob")
    hand.key(K.Key_F5, SHIFT)
    assert stands(hand, "cancelled").superstep == 1
    hand.key(K.Key_F5)
    stands(hand, "breakpoint", "bob")
    hand.key(K.Key_F5)
    stands(hand, "finished")


def test_an_edit_while_the_run_stands_inside_gives_that_superstep_up(
    hand: Hand, workspace: Workspace
) -> None:
    click_node(hand, "bob")
    hand.key(K.Key_F9)
    hand.key(K.Key_F5)
    first = stands(hand, "breakpoint", "bob")
    hand.key(K.Key_E, CTRL)
    click_node(hand, "cem")
    hand.key(K.Key_Delete)
    hand.key(K.Key_F5)
    hand.wait(lambda: workspace.session.run_id != first.run_id)
    second = stands(hand, "breakpoint", "bob")
    assert second.delivery is not None
    assert second.delivery.of == 2
    hand.key(K.Key_F5)
    stands(hand, "finished")
    (left,) = [run for run in workspace.session.runs if run.run_id == first.run_id]
    assert left.latest.superstep == 1


def test_a_breakpoint_inside_stops_in_each_run_and_out_leaves_it(
    hand: Hand, workspace: Workspace
) -> None:
    click_node(hand, "review")
    hand.key(K.Key_Return)
    click_node(hand, "merge")
    hand.key(K.Key_F9)
    hand.key(K.Key_F5)
    stands(hand, "breakpoint", "review#1/merge")
    hand.wait(lambda: workspace.banner.text.startswith("Stopped before Merge"))
    hand.wait(lambda: words(workspace, "merge") == "Next delivery")

    hand.key(K.Key_F11)
    stands(hand, "breakpoint", "review#2/merge")
    hand.key(K.Key_F11, SHIFT)
    stands(hand, "step")
    hand.key(K.Key_F5)
    stands(hand, "finished")


def test_run_to_here_goes_to_a_node_also_inside(
    hand: Hand, workspace: Workspace
) -> None:
    click_node(hand, "cem")
    hand.key(K.Key_F10, CTRL)
    stands(hand, "here", "cem")
    click_node(hand, "review")
    hand.key(K.Key_Return)
    click_node(hand, "merge")
    hand.key(K.Key_F10, CTRL)
    stands(hand, "here", "review#1/merge")
    hand.key(K.Key_F5)
    stands(hand, "finished")
