"""What is pasted from elsewhere: of unknown types, large, or both; and that a drag
repaints little.
"""

from __future__ import annotations

import json

from PySide6.QtCore import QEvent, QObject, QPointF, Qt
from PySide6.QtGui import QGuiApplication, QPaintEvent
from PySide6.QtWidgets import QApplication

from designer.canvas.verbs.menus import menu_for
from designer.canvas.verbs.places import paste_place
from designer.model.design import Design
from designer.model.edits.clipboard import MOST_NODES
from runtime.document.definition import DirectEdge, NodeDefinition, WorkflowDefinition
from tests.designer.canvas.conftest import Bench

CTRL = Qt.KeyboardModifier.ControlModifier


def clip(count: int, filler: int = 0) -> str:
    """Nodes of a type that nobody has, as another installation would copy them."""
    nodes = [
        {
            "id": f"n{k}",
            "type": "of a plugin",
            "params": {"text": "x" * filler},
            "colour": "red",
        }
        for k in range(count)
    ]
    places = {f"n{k}": (240 * (k % 50), 80 * (k // 50)) for k in range(count)}
    return json.dumps(
        {"stepwell": "clip", "nodes": nodes, "edges": [], "positions": places}
    )


def paste(bench: Bench, text: str) -> None:
    QGuiApplication.clipboard().setText(text)
    bench.key(Qt.Key.Key_V, CTRL)


def test_case_145_unknown_types_are_pasted_in_sight_and_can_be_dragged(
    bench: Bench,
) -> None:
    there = {node.id for node in bench.design.workflow.nodes}
    place = paste_place(bench.view)
    paste(bench, clip(3))
    new = [node for node in bench.design.workflow.nodes if node.id not in there]
    assert [(node.type, node.model_extra) for node in new] == [
        ("of a plugin", {"colour": "red"})
    ] * 3
    corner = bench.scene.boxes[new[0].id].rect.topLeft()
    assert (corner - place).manhattanLength() <= 8, "at the pointer, on the grid"
    bench.document.select({new[0].id})
    before = bench.design.positions[new[0].id]
    bench.drag(bench.body(new[0].id), bench.body(new[0].id) + QPointF(80, 160))
    after = bench.design.positions[new[0].id]
    assert (after[0] - before[0], after[1] - before[1]) == (80, 160)
    assert bench.steps == 2


def test_case_145_five_megabytes_in_few_nodes_are_pasted_whole(bench: Bench) -> None:
    paste(bench, clip(50, filler=100_000))
    assert (
        sum(len(node.params.get("text", "")) for node in bench.design.workflow.nodes)
        == 5_000_000
    )
    assert bench.document.undo_stack.count() == 1


def test_case_145_more_nodes_than_can_be_drawn_are_refused_with_words(
    bench: Bench,
) -> None:
    before = bench.design
    with bench.qtbot.waitSignal(bench.view.message) as told:
        paste(bench, clip(MOST_NODES + 1, filler=100))
    assert f"{MOST_NODES + 1:,} nodes" in told.args[0]
    assert bench.design is before


def test_case_145_five_megabytes_of_rubbish_are_refused_with_words(
    bench: Bench,
) -> None:
    before = bench.design
    for rubbish in (
        "x" * 5_000_000,
        "[" * 5_000_000,
        '{"stepwell":"clip","nodes":[' + "1," * 2_000_000 + "1]}",
    ):
        with bench.qtbot.waitSignal(bench.view.message):
            paste(bench, rubbish)
        assert bench.design is before


def test_case_158_deleting_by_its_own_menu_leaves_nothing_to_hover(
    bench: Bench,
) -> None:
    place = bench.body("age_check")
    bench.mouse("hover", place)
    menu = menu_for(bench.view, place)
    next(
        action for action in menu.actions() if action.text().startswith("Delete")
    ).trigger()
    for at in (place, place + QPointF(4, 4), QPointF(10, 10)):
        bench.mouse("hover", at)
        QApplication.processEvents()
    assert "age_check" not in bench.scene.nodes
    assert bench.view.hover.key != "age_check"
    menu.deleteLater()


class Painted(QObject):
    """How much of the viewport each paint event covers, in pixels."""

    def __init__(self) -> None:
        super().__init__()
        self.areas: list[int] = []

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        if isinstance(event, QPaintEvent):
            self.areas.append(
                sum(rect.width() * rect.height() for rect in event.region())
            )
        return False


def test_case_160_dragging_one_of_500_nodes_repaints_round_it_only(
    bench: Bench,
) -> None:
    nodes = tuple(NodeDefinition(id=f"n{k}", type="template") for k in range(500))
    pairs = [
        (k, (k + step) % 500)
        for k in range(500)
        for step in ((1, 25) if k < 300 else (1,))
    ]
    edges = tuple(
        DirectEdge(id=f"e{a}-{b}", source=f"n{a}", target=f"n{b}") for a, b in pairs
    )
    places = {f"n{k}": (240.0 * (k % 25), 96.0 * (k // 25)) for k in range(500)}
    bench.document.apply(
        "Draw", Design(WorkflowDefinition(start="n0", nodes=nodes, edges=edges), places)
    )
    bench.view.camera.zoom_to(1.0)
    bench.view.centerOn(bench.centre("n312"))
    bench.document.select({"n312"})
    # the drawing settles: rough while the zoom changes, then fine
    bench.qtbot.wait(300)
    start = bench.body("n312")
    viewport = bench.view.viewport()
    bench.mouse("press", start)
    bench.mouse("move", start + QPointF(8, 8))
    QApplication.processEvents()
    painted = Painted()
    viewport.installEventFilter(painted)
    for k in range(2, 40):
        bench.mouse("move", start + QPointF(3 * k, 2 * k))
        QApplication.processEvents()
    viewport.removeEventFilter(painted)
    bench.mouse("release", start + QPointF(90, 60))
    whole = viewport.width() * viewport.height()
    assert len(painted.areas) >= 10
    assert sum(painted.areas) / len(painted.areas) < whole / 2
