"""The scene: a projection of one design and one moment. It owns every item, and stores nothing that is true.

`show` compares the design that is drawn with the one that should be, item by item, and touches only what differs. So
edits, undo, another document and another moment of a run all come the same way.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from itertools import chain

from PySide6.QtCore import QObject, QPointF, QRectF, Signal
from PySide6.QtGui import QPainterPath
from PySide6.QtWidgets import QGraphicsScene

from designer.canvas import routes
from designer.canvas.edge_item import EdgeItem, polyline_meets
from designer.canvas.figures import Figure, figure_of, label_area
from designer.canvas.geometry import Box, Grid, Topology, drawn_at, node_box, topology
from designer.canvas.marks import Mark, marks_of
from designer.canvas.node_item import NodeItem
from designer.canvas.overlay import NOTHING, Overlay
from designer.canvas.style import Style
from designer.look.theme import Theme
from designer.model.design import Design, Position
from designer.model.icons import icon_of
from designer.model.names import one_line
from runtime.definition import NodeDefinition, NodeInfo, edge_pairs

ROOM = 4000.0  # around the drawing; the scene's rectangle grows in steps of it, never with every move
PORT_REACH = 12.0
CROWD = 40  # nodes near a wire from which it is not led round any
MANY = 400  # changes from which one repaint of everything is cheaper than each one's own


class CanvasScene(QGraphicsScene):
    """`nodes` by id; `edges` is one item; `boxes` are the places now, also in the middle of a drag."""

    content_changed = Signal()  # anything that a miniature shows

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.style_ = Style(theme)
        self.nodes: dict[str, NodeItem] = {}
        self.boxes: dict[str, Box] = {}
        self.design = Design()
        self.infos: Mapping[str, NodeInfo] = {}
        self.topology = Topology()
        self.overlay: Overlay = NOTHING
        self.marks: list[Mark] = []
        self.selection: frozenset[str] = frozenset()
        self._focused = ""
        self._grid = Grid()
        self._drawn: dict[str, NodeDefinition] = {}
        self._problems: dict[str, tuple[int, int]] = {}
        self._preview: dict[str, Position] = {}
        self.edges = EdgeItem(self.style_, self.nodes)
        self.addItem(self.edges)
        self._fit_area()

    def dispose(self) -> None:
        """Let go of every item before Qt deletes them, so that no reference outlives its item."""
        self.marks.clear()
        self._preview.clear()
        for item in list(self.nodes.values()):
            self.removeItem(item)
        self.nodes.clear()
        self.boxes.clear()
        self._drawn.clear()

    # --- following a design -------------------------------------------------------------------------------------

    def show(self, design: Design, infos: Mapping[str, NodeInfo]) -> None:
        """Draw this design. Costs what differs from the one drawn before."""
        previewed = self._preview.keys() & self.nodes.keys()
        self._preview.clear()
        fresh = infos is not self.infos
        self.infos = infos
        old_topology, old_workflow = self.topology, self.design.workflow
        self.design = design
        # What was dragged stands where it should already; wires that keep clear of it do not know yet.
        moved = self._follow_nodes(design, fresh=fresh) | previewed
        if design.workflow.edges != old_workflow.edges or design.workflow.start != old_workflow.start or moved:
            if design.workflow is not old_workflow:
                self.topology = topology(design.workflow)
            self._follow_edges(old_topology, moved)
            self._fit_area()
        if self.marks:
            self.make_marks()
        self._set_starts(old_workflow.start, design.workflow.start)
        self.content_changed.emit()

    def _follow_nodes(self, design: Design, *, fresh: bool) -> set[str]:
        """The ids of nodes that came, went, or have another box."""
        wanted = {node.id: node for node in design.workflow.nodes}
        moved = self._drawn.keys() - wanted.keys()
        for node_id in moved:
            self._drop_node(node_id)
        positions = design.positions
        for node_id, node in wanted.items():
            box, drawn = self.boxes.get(node_id), self._drawn.get(node_id)
            at = positions.get(node_id, (0.0, 0.0))
            same = drawn is node and not fresh
            if same and box is not None and (box.rect.x(), box.rect.y()) == drawn_at(at):
                continue
            new = node_box(node, self.infos.get(node.type), at)
            if new != box:
                self._put_box(new)
                moved.add(node_id)
            if not same:
                self._dress(node)
                self._drawn[node_id] = node
        return moved

    def _drop_node(self, node_id: str) -> None:
        item = self.nodes.pop(node_id)
        self.edges.update(item.sceneBoundingRect())
        self.removeItem(item)
        self._grid.drop(node_id)
        del self.boxes[node_id], self._drawn[node_id]

    def _put_box(self, box: Box) -> None:
        item = self.nodes.get(box.id)
        if item is None:
            item = self.nodes[box.id] = NodeItem(box, self.style_)
            self.addItem(item)
        else:
            # The view paints past the scene, which so does not know where it has to clean up. Through the item that is
            # everywhere: with a rectangle of its own the scene would paint twice.
            self.edges.update(item.sceneBoundingRect())
            item.place(box)
        self.boxes[box.id] = box
        self._grid.put(box.id, box.rect)

    def _dress(self, node: NodeDefinition) -> None:
        """What a node shows of its definition."""
        item, info = self.nodes[node.id], self.infos.get(node.type)
        item.title = one_line(node.title)
        item.icon = icon_of(node, info)
        value = node.params.get(info.summary) if info is not None and info.summary else None
        item.summary = (one_line(str(value)) if value is not None else "") or one_line(node.type)
        item.selected = node.id in self.selection
        item.problems = self._problems.get(node.id, (0, 0))
        item.update()

    def _follow_edges(self, old: Topology, moved: Collection[str]) -> None:
        new = self.topology
        dirty = {edge for edge in old.edges.keys() | new.edges.keys() if old.edges.get(edge) is not new.edges.get(edge)}
        if old is not new:
            dirty |= {edge for edge in new.edges if _rank(old, edge) != _rank(new, edge)}
            turned = old.back ^ new.back
            dirty |= {edge.id for edge in new.edges.values() if turned and not turned.isdisjoint(edge_pairs(edge))}
        if moved:
            dirty |= self._wary()
        for node in moved:
            dirty |= old.touching.get(node, frozenset()) | new.touching.get(node, frozenset())
        for node in {*old.switches, *new.switches, *moved} & self.nodes.keys():
            self.nodes[node].titled = node not in new.switches
        self._draw_edges(dirty)

    def _wary(self) -> set[str]:
        return {edge for edge, figure in self.edges.figures.items() if figure.wary}

    def _draw_edges(self, edges: Iterable[str]) -> None:
        for edge_id in edges:
            edge = self.topology.edges.get(edge_id)
            self.edges.put(edge_id, None if edge is None else figure_of(edge, self.boxes, self.topology, self))

    def clear_level(self, x0: float, x1: float, y: float) -> float:
        """A level at or below `y` where a line from x0 to x1 meets no node; `y` in a crowd, where there is none."""
        level = y
        for _ in range(24):
            hit = self.nodes_near(QRectF(x0, level - 12, x1 - x0, 24))
            if not hit:
                break
            if len(hit) > CROWD:
                return y
            level = max(item.box.rect.bottom() for item in hit) + routes.LOW * 0.7
        return level

    def in_the_way(self, path: QPainterPath, but: tuple[str, ...]) -> QRectF:
        """What a path crosses of nodes other than `but`, as one rectangle; empty for nothing, and in a crowd, where
        there is no way round.
        """
        area = path.controlPointRect().adjusted(0, -1, 0, 1)
        rects = [
            self.boxes[node].rect
            for node in self._grid.near(area)
            if node not in but and self.boxes[node].rect.intersects(area)
        ]
        found = QRectF()
        if 0 < len(rects) <= CROWD:
            line = [(point.x(), point.y()) for polygon in path.toSubpathPolygons() for point in polygon.toList()]
            for rect in rects:
                if polyline_meets(line, rect.adjusted(-4, -6, 4, 6)):
                    found = found.united(rect)
        return found

    def nodes_near(self, rect: QRectF) -> list[NodeItem]:
        """The items whose boxes meet a rectangle, in the order in which they came."""
        boxes, items = self.boxes, self.nodes
        return [items[node] for node in self._grid.near(rect) if boxes[node].rect.intersects(rect)]

    def free(self, rect: QRectF) -> bool:
        """No node is in this place."""
        return not any(self.boxes[node].rect.intersects(rect) for node in self._grid.near(rect))

    def _set_starts(self, old: str, new: str) -> None:
        for node in {old, new} & self.nodes.keys():
            self.nodes[node].start = node == new
            self.nodes[node].update()

    def _fit_area(self) -> None:
        """A fixed rectangle with room around the drawing; growing it with each move would repaint everything."""
        need = self.drawing_rect()
        if self.sceneRect().contains(need.adjusted(-ROOM / 2, -ROOM / 2, ROOM / 2, ROOM / 2)):
            return
        area = need.adjusted(-ROOM, -ROOM, ROOM, ROOM).toAlignedRect()
        self.setSceneRect(QRectF(area))
        self.edges.set_area(QRectF(area))

    def drawing_rect(self, ids: Collection[str] = ()) -> QRectF:
        """The rectangle of these nodes and edges, or of everything."""
        rect = QRectF()
        for node, box in self.boxes.items():
            if not ids or node in ids:
                rect = rect.united(box.rect)
        for edge, figure in self.edges.figures.items():
            if not ids or edge in ids:
                rect = rect.united(figure.bounds.adjusted(10, 10, -10, -10))
        return rect

    # --- while something is dragged -----------------------------------------------------------------------------

    def preview(self, positions: Mapping[str, Position]) -> None:
        """Draw nodes elsewhere for the moment; the design stays. `show` or `end_preview` ends it."""
        dirty: set[str] = set()
        for node_id, at in positions.items():
            box = self.boxes[node_id]
            rect = QRectF(*drawn_at(at), box.rect.width(), box.rect.height())
            if rect != box.rect:
                self._put_box(replace(box, rect=rect))
                dirty |= self.topology.touching.get(node_id, frozenset())
        self._preview.update(positions)
        self._draw_edges(dirty)
        if dirty and self.marks:
            self.make_marks()

    def end_preview(self) -> None:
        """Everything back to where the design says."""
        at = {node: self.design.positions.get(node, (0.0, 0.0)) for node in self._preview if node in self.boxes}
        self.preview(at)
        if self._preview:
            self._draw_edges(self._wary())
        self._preview.clear()

    # --- following a run ----------------------------------------------------------------------------------------

    def set_overlay(self, overlay: Overlay) -> None:
        self.overlay = overlay
        for node_id, item in self.nodes.items():
            face = overlay.nodes.get(node_id)
            if item.face is not face and item.face != face:
                item.face = face
                item.update()
        changed = _differing(self.edges.faces, overlay.edges) | _differing(self.edges.joins, overlay.joins)
        self.edges.faces, self.edges.joins = overlay.edges, overlay.joins
        labels = {edge for node, edge in self.topology.switches.items() if self.boxes.get(node, _NO_BOX).diamond}
        self.edges.repaint(changed | labels)
        self.make_marks()
        self.content_changed.emit()

    def make_marks(self) -> None:
        old = self.marks
        self.marks = marks_of(self.overlay, self.edges.figures.get, self.is_free)
        for mark in chain(old, self.marks):
            self.update(mark_area(mark))

    def is_free(self, rect: QRectF, edge: str) -> bool:
        """No node, no badge and no wire but those of `edge`'s own bar is in this place."""
        for node in self._grid.near(rect.adjusted(-1, -12, 1, 1)):
            if self.boxes[node].rect.adjusted(0, -10, 0, 0).intersects(rect):
                return False
        for figure in self.edges.near(rect):
            if figure.label is not None and label_area(figure.label, 150).intersects(rect):
                return False
            if any(tag.rect.intersects(rect) for tag in figure.tags) or self.edges.wires_cross(figure, rect):
                return False
        return True

    def turn(self, milliseconds: int) -> None:
        """The running arcs stand at this time of the clock."""
        for node in self.overlay.running:
            item = self.nodes.get(node)
            if item is not None:
                item.clock_ms = milliseconds
                item.update(QRectF(12, 36, 14, 16))

    # --- selection and problems ---------------------------------------------------------------------------------

    def select(self, selection: frozenset[str]) -> None:
        changed = selection ^ self.selection
        self.selection = selection
        nodes = changed & self.nodes.keys()
        for node in nodes:
            self.nodes[node].selected = node in selection
        self.edges.selected = selection
        if len(changed) > MANY:
            self.update()
        else:
            for node in nodes:
                self.nodes[node].update()
            self.edges.repaint(changed | {self.topology.switches.get(node, "") for node in nodes})
        self.content_changed.emit()

    def focus(self, node: str) -> None:
        """The keys mean this node now; "" for none."""
        for key in {self._focused, node} & self.nodes.keys():
            item = self.nodes[key]
            if item.focused != (key == node):
                item.focused = key == node
                item.update()
        self._focused = node

    def set_problems(self, counts: Mapping[str, tuple[int, int]]) -> None:
        """Errors and warnings by node id."""
        if counts == self._problems:
            return
        self._problems = dict(counts)
        self.content_changed.emit()
        for node_id, item in self.nodes.items():
            count = counts.get(node_id, (0, 0))
            if item.problems != count:
                item.problems = count
                item.update()

    def set_theme(self, theme: Theme) -> None:
        self.style_ = Style(theme)
        self.edges.style = self.style_
        for item in self.nodes.values():
            item.style = self.style_
        self.update()
        self.content_changed.emit()

    # --- hit tests ----------------------------------------------------------------------------------------------

    def node_at(self, point: QPointF, reach: float = 0.0) -> str:
        """The node under a point, or within `reach` of it. Empty for none."""
        area = QRectF(point.x() - reach, point.y() - reach, 2 * reach or 1, 2 * reach or 1)
        found = [node for node in self._grid.near(area) if self.boxes[node].rect.intersects(area)]
        return found[-1] if found else ""

    def port_at(self, point: QPointF) -> tuple[str, str]:
        """(node, "in" or "out") when a port is within reach; two empty strings for none."""
        area = QRectF(point.x() - PORT_REACH, point.y() - PORT_REACH, 2 * PORT_REACH, 2 * PORT_REACH)
        best, found = PORT_REACH, ("", "")
        for node in self._grid.near(area):
            box = self.boxes[node]
            for side, there, at in (("in", box.takes, box.inlet), ("out", box.gives, box.outlet)):
                away = ((at.x() - point.x()) ** 2 + (at.y() - point.y()) ** 2) ** 0.5
                # Most of a diamond is near one of its ports: there only what is outside or at the corner counts.
                if there and away <= (best if not box.diamond else min(best, 7.0)):
                    best, found = away, (node, side)
        return found

    def inside(self, rect: QRectF) -> frozenset[str]:
        """Nodes and edge groups that a rubber band touches."""
        nodes = {node for node in self._grid.near(rect) if self.boxes[node].rect.intersects(rect)}
        return frozenset(nodes) | frozenset(self.edges.crossing(rect))

    def figure(self, edge: str) -> Figure | None:
        return self.edges.figures.get(edge)


_NO_BOX = Box("", QRectF())


def mark_area(mark: Mark) -> QRectF:
    area = mark.rect.adjusted(-4, -4, 4, 4)
    if mark.leader is not None:
        area = area.united(QRectF(*mark.leader).normalized().adjusted(-3, -3, 3, 3))
    return area


def _differing(old: Mapping[str, object], new: Mapping[str, object]) -> set[str]:
    return {key for key in old.keys() | new.keys() if old.get(key) != new.get(key)}


def _rank(topology: Topology, edge: str) -> tuple[float, int]:
    return topology.bows.get(edge, 0.0), topology.ranks.get(edge, 0)
