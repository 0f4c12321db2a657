"""An edge kind that nobody knew before: a line in each table, and the window draws it,
leads it elsewhere, edits it in Properties, undoes that, saves it and opens it again.
"""

from typing import ClassVar, Literal

import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QApplication, QComboBox

from designer.canvas.drawing import routes
from designer.canvas.drawing.figures import FIGURES, EdgeFigure, Wire
from designer.canvas.speech.describe import describe
from designer.model import edge_kinds, edits
from designer.model.design import Design
from designer.model.edge_kinds import EdgeKind, PlainWay
from designer.model.edge_kinds.base import plain_edge
from designer.panels.properties.edge_editors import EDGE_EDITORS, EdgeEditor
from runtime.document.definition import NodeDefinition, WorkflowDefinition
from runtime.edges import registry
from runtime.edges.definition import EdgeDefinition, End

CTRL = Qt.KeyboardModifier.ControlModifier
LEFT = Qt.MouseButton.LeftButton
NO_BUTTON = Qt.MouseButton.NoButton


# --- the kind ---------------------------------------------------------------------------------


class TapEdge(EdgeDefinition):
    """Every message goes to the target, and a copy of it to the node that listens."""

    kind: Literal["tap"] = "tap"
    source: str
    target: str
    listener: str

    def ends(self):
        yield End("source", self.source)
        yield End("target", self.target)
        yield End("listener", self.listener)

    @property
    def pairs(self):
        return ((self.source, self.target), (self.source, self.listener))


class TapKind(EdgeKind):
    kind = "tap"
    title = "Tap"
    label = "Tap"
    word = "tap"
    plural = "a tap"
    make_text = "Make a tap"
    icon = "eye"
    turns_into: ClassVar = ("direct",)

    def with_ends(self, edge, sources, targets):
        ends = {
            "source": sources.get(edge.source, edge.source),
            "target": targets.get(edge.target, edge.target),
            "listener": targets.get(edge.listener, edge.listener),
        }
        return edge.model_copy(update=ends)

    def fewer(self, edge, gone):
        remaining = [target for target in edge.target_ids if target not in gone]
        if len(remaining) == 2:
            return edge
        return plain_edge(edge.source, remaining[0]) if remaining else None

    def plain_ways(self, edge):
        return tuple(PlainWay(*pair) for pair in edge.pairs)

    def sentence(self, edge, name):
        return f"{name(edge.listener)} listens to {name(edge.source)}"


class TapFigure(EdgeFigure):
    hub_half = 8.0

    def figure(self, draft, edge):
        source = draft.boxes.get(edge.source)
        targets = draft.known(edge.target_ids)
        if source is None or not targets:
            return None
        hub = draft.hub_at(source, targets)
        wires = [Wire(source.id, "", routes.forward(source.outlet, hub))]
        wires += [draft.wire(source.id, box.id, hub, box.tip) for box in targets]
        return draft.figure(wires, hub=hub)

    def paint_hub(self, painter, style, hub, state):
        painter.setPen(style.pen(state.role, 1.5))
        painter.drawEllipse(hub, 8, 8)


class TapEditor(EdgeEditor):
    explanation = "Tap: another node gets a copy"

    def build(self):
        self.listener = QComboBox()
        self.listener.activated.connect(self._on_chosen)
        self.body.addWidget(self.listener)

    def show_edge(self, edge):
        self.listener.clear()
        for node_id, title in self.nodes():
            self.listener.addItem(title, node_id)
        self.listener.setCurrentIndex(self.listener.findData(edge.listener))

    def _on_chosen(self, index):
        node_id = self.listener.itemData(index)
        self.change("Change listener", listener=node_id)


# --- its lines in the tables ------------------------------------------------------------------


@pytest.fixture(autouse=True)
def tables(monkeypatch):
    kind = registry.EdgeKind("tap", "", f"{__name__}:TapEdge")
    registry.EDGE_KINDS.register(kind)
    monkeypatch.setitem(edge_kinds.KINDS, "tap", TapKind())
    monkeypatch.setitem(FIGURES, "tap", TapFigure())
    monkeypatch.setitem(EDGE_EDITORS, "tap", TapEditor)
    yield
    registry.EDGE_KINDS.remove("tap")


# --- the window -------------------------------------------------------------------------------

TAP = TapEdge(id="tap:a", source="a", target="b", listener="c")


def drawing():
    names = {"a": "Read", "b": "Work", "c": "Log", "d": "Rest"}
    nodes = tuple(
        NodeDefinition(id=node_id, type="log", name=name)
        for node_id, name in names.items()
    )
    places = {"a": (0, 0), "b": (320, -80), "c": (320, 80), "d": (320, 240)}
    return Design(WorkflowDefinition(nodes=nodes, edges=(TAP,), start="a"), places)


@pytest.fixture
def workspace(hand):
    workspace = hand.window.new_document()
    workspace.document.apply("Draw", drawing())
    workspace.document.undo_stack.clear()
    workspace.canvas.camera.fit_all(glide=False)
    workspace.canvas.setFocus()
    return workspace


def tap(workspace):
    (edge,) = workspace.document.design.workflow.edges
    return edge


def mouse(workspace, kind, place, modifiers=Qt.KeyboardModifier.NoModifier):
    canvas = workspace.canvas
    viewport = canvas.viewport()
    at = QPointF(canvas.mapFromScene(place))
    is_move = kind is QEvent.Type.MouseMove
    is_release = kind is QEvent.Type.MouseButtonRelease
    event = QMouseEvent(
        kind,
        at,
        QPointF(viewport.mapToGlobal(at.toPoint())),
        NO_BUTTON if is_move else LEFT,
        NO_BUTTON if is_release else LEFT,
        modifiers,
    )
    QApplication.sendEvent(viewport, event)


def drag(workspace, start, end, modifiers):
    mouse(workspace, QEvent.Type.MouseButtonPress, start, modifiers)
    for step in range(1, 6):
        place = start + (end - start) * step / 5
        mouse(workspace, QEvent.Type.MouseMove, place, modifiers)
    mouse(workspace, QEvent.Type.MouseButtonRelease, end, modifiers)


def click(workspace, place):
    mouse(workspace, QEvent.Type.MouseButtonPress, place)
    mouse(workspace, QEvent.Type.MouseButtonRelease, place)


def figure(workspace):
    return workspace.canvas.scene().edges.figures["tap:a"]


@pytest.mark.painted
def test_it_is_drawn_and_hit_by_the_mouse_and_described(hand, workspace):
    wires = figure(workspace).wires
    assert [(wire.source, wire.target) for wire in wires] == [
        ("a", ""),
        ("a", "b"),
        ("a", "c"),
    ]
    hub = figure(workspace).hub
    canvas = workspace.canvas
    around = canvas.mapFromScene(hub)
    plain = canvas.viewport().grab().toImage()
    workspace.document.select({"tap:a"})
    chosen = canvas.viewport().grab().toImage()
    pixels = [(x, y) for x in range(-9, 10) for y in range(-9, 10)]
    assert any(
        plain.pixel(around.x() + x, around.y() + y)
        != chosen.pixel(around.x() + x, around.y() + y)
        for x, y in pixels
    )
    workspace.document.select(())
    click(workspace, hub + QPointF(7, 0))
    assert workspace.document.selection == {"tap:a"}
    workspace.document.select(())
    click(workspace, wires[2].path.pointAtPercent(0.5))
    assert workspace.document.selection == {"tap:a"}
    assert describe(canvas.scene(), "tap:a") == "Log listens to Read"


def test_its_end_is_led_to_another_node_by_the_mouse_and_back_by_undo(hand, workspace):
    boxes = workspace.canvas.scene().boxes
    end = boxes["d"].rect.center()
    drag(workspace, boxes["c"].inlet, end, CTRL)
    assert tap(workspace) == TAP.model_copy(update={"id": "tap:a", "listener": "d"})
    assert figure(workspace).wires[2].target == "d"
    hand.key(Qt.Key.Key_Z, CTRL)
    assert tap(workspace) == TAP


def test_it_shrinks_to_a_plain_edge_with_its_listener_and_turns_into_edges(
    hand, workspace
):
    design = workspace.document.design
    (left,) = edits.remove(design, {"c"}).workflow.edges
    assert (left.kind, left.pairs) == ("direct", (("a", "b"),))
    workspace.document.select({"tap:a"})
    panel = hand.show("Properties")
    hand.wait(lambda: isinstance(panel.editor, TapEditor))
    hand.press("Plain edges", panel)
    edges = workspace.document.design.workflow.edges
    assert [edge.id for edge in edges] == ["a->b", "a->c"]


def test_it_is_edited_in_properties_saved_and_opened_again(hand, workspace):
    click(workspace, figure(workspace).hub)
    panel = hand.show("Properties")
    hand.wait(lambda: isinstance(panel.editor, TapEditor))
    editor = panel.editor
    assert editor.heading(TAP) == "Tap of Read"
    editor.listener.setFocus()
    hand.key(Qt.Key.Key_Down)
    assert tap(workspace).listener == "d"
    hand.key(Qt.Key.Key_Up)
    assert tap(workspace) == TAP
    hand.key(Qt.Key.Key_Down)
    hand.key(Qt.Key.Key_S, CTRL)
    assert '"kind": "tap"' in hand.somebody.save_to.read_text("utf-8")
    hand.somebody.open_from = hand.somebody.save_to
    hand.key(Qt.Key.Key_W, CTRL)
    hand.key(Qt.Key.Key_O, CTRL)
    opened = hand.workspace
    assert tap(opened) == TAP.model_copy(update={"listener": "d"})
    assert figure(opened).wires[2].target == "d"


def test_a_kind_that_only_the_runtime_knows_is_drawn_kept_and_deleted(
    hand, workspace, monkeypatch
):
    for table in (edge_kinds.KINDS, FIGURES, EDGE_EDITORS):
        monkeypatch.delitem(table, "tap")
    workspace = hand.window.new_document()
    workspace.document.apply("Draw", drawing())
    workspace.canvas.camera.fit_all(glide=False)
    workspace.canvas.setFocus()
    wires = figure(workspace).wires
    click(workspace, wires[0].path.pointAtPercent(0.5))
    assert workspace.document.selection == {"tap:a"}
    panel = hand.show("Properties")
    hand.wait(lambda: type(panel.editor) is EdgeEditor)
    boxes = workspace.canvas.scene().boxes
    drag(workspace, boxes["c"].inlet, boxes["d"].rect.center(), CTRL)
    assert tap(workspace) == TAP
    workspace.canvas.setFocus()
    hand.key(Qt.Key.Key_Delete)
    assert workspace.document.design.workflow.edges == ()
