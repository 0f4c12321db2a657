"""The scene: a picture of one design and one moment of a run. It owns every item, and
knows nothing that is not in those two.

`show` compares the design that is drawn with the one that should be, item by item, and
touches only what differs. So edits, undo, another document and another moment of a run
all come the same way.

Three ways to do less, and the rows of `python -m tests.benchmarks.window --only
canvas5000` that pay for them:

- A large group is *carried*: while it is dragged its boxes and figures stay as they are,
  and are painted with a shift. ("drag 500 nodes, all visible": 13 ms instead of 69)
- Of edges whose nodes all moved alike, the figures are moved instead of made again.
  ("undo a move of 500 nodes")
- After many changes everything is repainted at once (`quiet`), because Qt joins the areas
  of single updates one by one. ("undo a move of 500 nodes", "select all at 1:1")
"""

from __future__ import annotations

import math
from collections import ChainMap
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from types import MappingProxyType

from PySide6.QtCore import QObject, QPointF, QRectF, Signal
from PySide6.QtWidgets import QGraphicsScene

from designer.canvas.drawing.edge_item import EdgeItem
from designer.canvas.drawing.figures import MARGIN, Figure, figure_of, label_area
from designer.canvas.drawing.frames import Backdrop
from designer.canvas.drawing.geometry import (
    Box,
    Topology,
    around,
    drawn_at,
    node_box,
    topology,
)
from designer.canvas.drawing.marks import Mark, chip_marks, marks_of, staged_marks
from designer.canvas.drawing.node_item import NodeItem
from designer.canvas.drawing.obstacles import Obstacles, Watches
from designer.canvas.drawing.overlay import NOTHING, Overlay
from designer.canvas.drawing.prepared import PreparedDrawing
from designer.canvas.drawing.style import Style
from designer.look.theme import Theme
from designer.model.breakpoint_words import BreakpointMark
from designer.model.design import Design, Position
from designer.model.diff import differing
from designer.model.edits.dots import Lines, moved_along
from designer.model.icons import icon_of
from designer.model.inside import size_inside
from designer.model.names import one_line
from designer.model.origin_path import NO_PATH, OriginPath
from runtime.debug.protocol import CallMode
from runtime.document.definition import (
    EdgeDefinition,
    NodeDefinition,
    NodeInfo,
    Off,
)
from runtime.document.sub_workflows import SUB_WORKFLOW, info_of

# px around the drawing: the rectangle of the scene grows in steps of it, because
# growing it with every move would repaint everything each time
ROOM = 4000.0
PORT_REACH = 12.0
# Most of a diamond is near one of its ports: there only what is outside or at the
# corner counts as the port.
DIAMOND_PORT_REACH = 7.0
MANY = 100  # changes from which one repaint of everything is cheaper
CROSSING = 40  # wires to a carried group that are led round nodes while it is dragged
Shift = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Carried:
    """A group that is dragged as it is.

    Its boxes and figures stay where they were, and are painted `shift` away. `across`
    are the edges with one end in the group, which are drawn again with every step.
    """

    nodes: frozenset[str]
    edges: frozenset[str]
    across: frozenset[str]
    shift: QPointF


class CanvasScene(QGraphicsScene):
    """`nodes` are the items by id, and `edges` is one item for all edges.

    `boxes` are the places now, also in the middle of a drag, except of what is
    `carried`. `version` counts the changes of the drawing.
    """

    content_changed = Signal()  # anything that a miniature shows

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.style_ = Style(theme)
        self.nodes: dict[str, NodeItem] = {}
        self.obstacles = Obstacles()
        self.backdrop = Backdrop()
        # the drawing of a layout that is about to be applied
        self.prepared: PreparedDrawing | None = None
        self.design = Design()
        self.infos: Mapping[str, NodeInfo] = {}
        # relative to which files of sub-workflows are found
        self.folder: Path | None = None
        self.topology = Topology()
        self.overlay: Overlay = NOTHING
        self.marks: list[Mark] = []
        self.breakpoints: Mapping[str, BreakpointMark] = {}
        # nodes whose results are pinned or live by choice
        self.results: Mapping[str, CallMode] = {}
        self.origin = NO_PATH
        self.selection: frozenset[str] = frozenset()
        self.carried: Carried | None = None
        # an edge, and its dots for the moment
        self.dragged_dots: tuple[str, Lines] | None = None
        self.version = 0
        self._extent = (-1, QRectF())
        self._focused = ""
        self._watches = Watches()
        # Where nodes appeared, disappeared or moved since the last edges were drawn:
        # wires that keep clear of nodes there have to be drawn again.
        self._disturbed: list[QRectF] = []
        self._drawn: dict[str, NodeDefinition] = {}
        self._problems: dict[str, tuple[int, int]] = {}
        self._preview: dict[str, Position] = {}
        self.edges = EdgeItem(self.style_, self.nodes)
        self.addItem(self.edges)
        self._fit_area()

    def dispose(self) -> None:
        """Forget every item before Qt deletes them, so that no reference outlives one."""
        self.marks.clear()
        self._preview.clear()
        self.nodes.clear()
        self._drawn.clear()
        # One last paint event may still be on its way.
        self.obstacles = Obstacles()

    @property
    def boxes(self) -> dict[str, Box]:
        return self.obstacles.boxes

    # --- following a design -----------------------------------------------------------

    def show(self, design: Design, infos: Mapping[str, NodeInfo]) -> None:
        """Draw this design. Costs what differs from the one drawn before."""
        before = self.design
        topology_before = self.topology
        # What was dragged is where it should be already; wires that keep clear of it do
        # not know yet.
        dragged = self._end_drag()
        redrawn = differing(before.dots, design.dots)
        if self.dragged_dots is not None:
            redrawn.add(self.dragged_dots[0])
            self.dragged_dots = None
        other_infos = infos is not self.infos
        self.infos = infos
        self.design = design
        is_same_graph = design.workflow is before.workflow and not other_infos
        prepared = self.prepared
        self.prepared = None
        if prepared is not None and not dragged and prepared.fits(design, infos):
            self._take_over(prepared)
            shifts: dict[str, Shift | None] = {}
        elif is_same_graph:
            moved = dragged | differing(before.positions, design.positions)
            shifts = self._move_nodes(moved)
        else:
            shifts = self._follow_nodes(other_infos=other_infos)
        changed = shifts.keys() | dragged
        workflow = design.workflow
        is_wired = (
            workflow.edges != before.workflow.edges
            or workflow.start != before.workflow.start
        )
        if is_wired or changed or redrawn:
            if workflow is not before.workflow:
                self.topology = topology(workflow)
            for node in changed & self.boxes.keys():
                self._disturbed.append(self.boxes[node].rect)
            self._follow_edges(topology_before, changed, shifts, redrawn)
            self._fit_area(changed)
        if self.backdrop.follow(design):
            self.version += 1
            self._fit_area()
            self.update()
        if self.marks:
            self.make_marks()
        self._set_start(before.workflow.start, workflow.start)
        self.content_changed.emit()

    def _end_drag(self) -> set[str]:
        """Forget what is dragged; return the nodes of it."""
        dragged = set(self._preview)
        if self.carried is not None:
            dragged |= self.carried.nodes
        self._preview.clear()
        self.carried = None
        return dragged & self.nodes.keys()

    def _take_over(self, prepared: PreparedDrawing) -> None:
        """Show a drawing that was made before."""
        self.obstacles = prepared.obstacles
        self._watches = prepared.watches
        for node, box in self.boxes.items():
            self.nodes[node].box = box
        self.edges.take(prepared.figures, prepared.grid, prepared.hairlines)
        self.version += 1
        self._fit_area()
        self.update()

    def _move_nodes(self, ids: Collection[str]) -> dict[str, Shift | None]:
        """Put nodes of the same graph to where the design has them.

        Return how far each went that is elsewhere now.
        """
        shifts: dict[str, Shift | None] = {}
        quiet = len(ids) > MANY
        for node_id in ids:
            if node_id in self._drawn:
                self._move_node(node_id, shifts, quiet=quiet)
        if quiet and shifts:
            self.update()
        return shifts

    def _move_node(
        self, node_id: str, shifts: dict[str, Shift | None], *, quiet: bool
    ) -> None:
        before = self.boxes[node_id]
        box, shift = _shifted(before, self._position_of(node_id))
        if shift != (0, 0):
            shifts[node_id] = shift
            self._disturbed.append(before.rect)
            self._put_box(box, quiet=quiet)

    def _follow_nodes(self, *, other_infos: bool) -> dict[str, Shift | None]:
        """Draw the nodes of another graph, or with other node types.

        Return the nodes that appeared, disappeared or have another box, and how far
        those went that only moved.
        """
        nodes = {node.id: node for node in self.design.workflow.nodes}
        removed = self._drawn.keys() - nodes.keys()
        for node_id in removed:
            self._drop_node(node_id)
        shifts: dict[str, Shift | None] = dict.fromkeys(removed)
        quiet = len(nodes) > MANY
        for node_id, node in nodes.items():
            if self._drawn.get(node_id) is node and not other_infos:
                self._move_node(node_id, shifts, quiet=quiet)
                continue
            before = self.boxes.get(node_id)
            info = info_of(node, self.infos, self.folder)
            box = node_box(node, info, self._position_of(node_id))
            if box != before:
                shifts[node_id] = None
                if before is not None:
                    self._disturbed.append(before.rect)
                self._put_box(box, quiet=quiet)
            self._dress(node)
            self._drawn[node_id] = node
        if quiet and shifts:
            self.update()
        return shifts

    def _position_of(self, node_id: str) -> Position:
        return self.design.positions.get(node_id, (0.0, 0.0))

    def _drop_node(self, node_id: str) -> None:
        self.nodes.pop(node_id).update()
        self.edges.silent.discard(node_id)
        self._disturbed.append(self.boxes[node_id].rect)
        self.obstacles.drop(node_id)
        del self._drawn[node_id]

    def _put_box(self, box: Box, *, quiet: bool = False) -> None:
        """Give a node its box; `quiet` leaves painting to the caller."""
        item = self.nodes.get(box.id)
        if item is None:
            # It updates through the item of the edges, which is everywhere: with a
            # rectangle of its own the scene would paint twice.
            self.nodes[box.id] = NodeItem(box, self.style_, self.edges.update)
        elif quiet:
            item.box = box
        else:
            item.place(box)
        self.obstacles.put(box)

    def _dress(self, node: NodeDefinition) -> None:
        """Give a node what it shows of its definition."""
        item = self.nodes[node.id]
        info = self.infos.get(node.type)
        item.title = one_line(node.title)
        item.icon = icon_of(node, info)
        item.summary = _summary_of(node, info)
        self._switch_off(item, node.off)
        item.selected = node.id in self.selection
        item.problems = self._problems.get(node.id, (0, 0))
        item.update()

    def _switch_off(self, item: NodeItem, off: Off) -> None:
        """Disable or bypass a node, or enable it; wires of disabled nodes are muted."""
        if item.off == off:
            return
        item.off = off
        if off == "disabled":
            self.edges.silent.add(item.id)
        else:
            self.edges.silent.discard(item.id)
        self.edges.repaint(self.topology.touching.get(item.id, _NO_IDS))

    def _follow_edges(
        self,
        before: Topology,
        moved: Collection[str],
        shifts: Mapping[str, Shift | None],
        redrawn: set[str],
    ) -> None:
        """Draw the edges again that differ, those at nodes that moved or that these
        were in the way of, and `redrawn`.
        """
        after = self.topology
        dirty = _differing_edges(before, after) if before is not after else set()
        dirty |= self._watches.at(self._disturbed)
        dirty |= redrawn & after.edges.keys()
        self._disturbed = []
        touched: set[str] = set()
        for node in moved:
            touched |= before.touching.get(node, _NO_IDS)
            touched |= after.touching.get(node, _NO_IDS)
        shifted: dict[str, Figure] = {}
        if before is after:
            shifted = self._shifted_figures(touched - dirty, shifts)
        for node in {*before.switches, *after.switches, *moved} & self.nodes.keys():
            self.nodes[node].titled = node not in after.switches
        self._draw_edges((dirty | touched) - shifted.keys(), shifted)

    def _shifted_figures(
        self, edges: Iterable[str], shifts: Mapping[str, Shift | None]
    ) -> dict[str, Figure]:
        """Return the figures of those edges whose nodes all went the same way."""
        figures: dict[str, Figure] = {}
        for edge in edges:
            figure = self.edges.figures.get(edge)
            if figure is None or not figure.is_bare or edge in self._watches:
                continue
            ways = {shifts.get(node) for node in self.topology.ends[edge]}
            way = ways.pop()
            if way is not None and not ways:
                figures[edge] = figure.shifted(*way)
        return figures

    def _draw_edges(
        self, edges: Collection[str], ready: Mapping[str, Figure] | None = None
    ) -> None:
        """Draw these edges again, and take over the figures that are `ready`."""
        self.version += 1
        quiet = len(edges) + len(ready or ()) > MANY
        for edge, figure in (ready or {}).items():
            self.edges.put(edge, figure, quiet=quiet)
        for edge_id in edges:
            self._draw_edge(edge_id, quiet=quiet)
        if quiet:
            self.update()

    def _draw_edge(self, edge_id: str, *, quiet: bool) -> None:
        edge = self.topology.edges.get(edge_id)
        looked, figure = QRectF(), None
        if edge is not None:
            dots = self._dots_of(edge)
            looked, figure = self.obstacles.looking(edge, self.topology, dots)
        self.edges.put(edge_id, figure, quiet=quiet)
        self._watches.put(edge_id, looked)

    def _dots_of(self, edge: EdgeDefinition) -> Lines:
        """Return the dots of an edge as they are drawn now: those of the design, except
        for what is dragged.
        """
        if self.dragged_dots is not None and self.dragged_dots[0] == edge.id:
            return self.dragged_dots[1]
        lines = self.design.dots.get(edge.id, _NO_DOTS)
        if lines and self._preview:
            lines = moved_along(
                lines,
                edge,
                {node: self._shift_of(node) for node in self.topology.ends[edge.id]},
            )
        elif lines and self.carried is not None:
            shift = (self.carried.shift.x(), self.carried.shift.y())
            lines = moved_along(
                lines,
                edge,
                dict.fromkeys(self.carried.nodes & self.topology.ends[edge.id], shift),
            )
        return lines

    def _shift_of(self, node: str) -> Shift:
        """Return how far a node is drawn from where the design has it."""
        preview = self._preview.get(node)
        if preview is None:
            return 0.0, 0.0
        x, y = self._position_of(node)
        return preview[0] - x, preview[1] - y

    def nodes_near(self, rect: QRectF) -> list[NodeItem]:
        """Return the items whose boxes meet a rectangle, in the order they were added."""
        items = self.nodes
        return [items[node] for node in self.obstacles.near(rect)]

    def _set_start(self, before: str, after: str) -> None:
        for node in {before, after} & self.nodes.keys():
            self.nodes[node].start = node == after
            self.nodes[node].update()

    def _fit_area(self, moved: Collection[str] = ()) -> None:
        """Grow the rectangle of the scene when the drawing comes near its border.

        With `moved` only these nodes can be outside of it.
        """
        boxes = around([self.boxes[node].rect for node in moved if node in self.boxes])
        if not boxes.isNull() and self._has_room_around(boxes):
            return
        drawing = self.drawing_rect()
        if self._has_room_around(drawing):
            return
        area = drawing.adjusted(-ROOM, -ROOM, ROOM, ROOM).toAlignedRect()
        self.setSceneRect(QRectF(area))
        self.edges.set_area(QRectF(area))

    def _has_room_around(self, rect: QRectF) -> bool:
        room = rect.adjusted(-ROOM / 2, -ROOM / 2, ROOM / 2, ROOM / 2)
        return self.sceneRect().contains(room)

    def drawing_rect(self, ids: Collection[str] = ()) -> QRectF:
        """Return the rectangle of these nodes, edges and frames, or of everything."""
        if ids:
            boxes = [self.boxes[node].rect for node in ids if node in self.boxes]
            boxes += self.backdrop.rects(ids)
            figures = [
                self.edges.figures[edge].bounds
                for edge in ids
                if edge in self.edges.figures
            ]
            return around(boxes).united(around(figures, MARGIN))
        if self._extent[0] != self.version:
            boxes = [*(box.rect for box in self.boxes.values()), *self.backdrop.rects()]
            figures = [figure.bounds for figure in self.edges.figures.values()]
            self._extent = (self.version, around(boxes).united(around(figures, MARGIN)))
        return QRectF(self._extent[1])

    # --- while something is dragged ---------------------------------------------------

    def preview(self, positions: Mapping[str, Position]) -> None:
        """Draw nodes elsewhere for the moment, until `show` or `end_preview`.

        The design stays as it is.
        """
        dirty: set[str] = set()
        for node_id, position in positions.items():
            before = self.boxes[node_id]
            if node_id not in self._preview:
                self._disturbed.append(before.rect)
            box, shift = _shifted(before, position)
            if shift != (0, 0):
                self._put_box(box)
                dirty |= self.topology.touching.get(node_id, frozenset())
        self._preview.update(positions)
        self._draw_edges(dirty)
        if dirty and self.marks:
            self.make_marks()

    def end_preview(self) -> None:
        """Draw everything where the design has it."""
        if self.dragged_dots is not None:
            edge = self.dragged_dots[0]
            self.dragged_dots = None
            self._draw_edges([edge])
        if self.carried is not None:
            across = self.carried.across
            self.carried = None
            self._draw_edges(across)
            self.update()
        nodes = [node for node in self._preview if node in self.boxes]
        self.preview({node: self._position_of(node) for node in nodes})
        # While nodes went back one after the other, each wire was led round those that
        # were still elsewhere.
        led: set[str] = set()
        for node in self._preview:
            led |= self.topology.touching.get(node, _NO_IDS)
        self._draw_edges({edge for edge in led if edge in self._watches})
        self._preview.clear()
        self._disturbed.clear()

    def preview_dots(self, edge: str, lines: Lines) -> None:
        """Draw an edge through other dots for the moment, until `show` or
        `end_preview`.
        """
        self.dragged_dots = (edge, lines)
        self._draw_edges([edge])

    def carry(self, nodes: frozenset[str], shift: QPointF) -> None:
        """Draw a large group elsewhere for the moment, as it is, until `show` or
        `end_preview`. `preview` does the same for few nodes, and leads their wires.
        """
        if self.carried is None:
            touched = frozenset().union(
                *(self.topology.touching.get(node, _NO_IDS) for node in nodes)
            )
            inside = frozenset(
                edge for edge in touched if self.topology.ends[edge] <= nodes
            )
            self.carried = Carried(nodes, inside, touched - inside, shift)
        else:
            self.carried = replace(self.carried, shift=shift)
        ends = {
            node for edge in self.carried.across for node in self.topology.ends[edge]
        } & nodes
        moved = {node: self.boxes[node].shifted(shift.x(), shift.y()) for node in ends}
        places = ChainMap(moved, self.boxes)
        obstacles = self.obstacles if len(self.carried.across) <= CROSSING else None
        for edge in self.carried.across:
            definition = self.topology.edges[edge]
            figure = figure_of(
                definition, places, self.topology, obstacles, self._dots_of(definition)
            )
            self.edges.put(edge, figure, quiet=True)
        self.version += 1
        self.update()

    # --- following a run --------------------------------------------------------------

    def set_overlay(self, overlay: Overlay) -> None:
        """Show another moment of a run."""
        self.overlay = overlay
        for node_id, item in self.nodes.items():
            face = overlay.nodes.get(node_id)
            if item.face is not face and item.face != face:
                item.face = face
                item.update()
        changed = differing(self.edges.faces, overlay.edges) | differing(
            self.edges.joins, overlay.joins
        )
        self.edges.faces = overlay.edges
        self.edges.joins = overlay.joins
        labels = {
            edge
            for node, edge in self.topology.switches.items()
            if self.boxes.get(node, _NO_BOX).diamond
        }
        self.edges.repaint(changed | labels)
        self.make_marks()
        self.content_changed.emit()

    def show_origin(self, path: OriginPath) -> None:
        """Show the way of a value; `NO_PATH` for none."""
        if path != self.origin:
            self.origin = path
            self.update()
            self.content_changed.emit()

    def make_marks(self) -> None:
        """Place the marks of the run again: pulses, queues, and words at joins."""
        before = self.marks
        figures = self.edges.figures.get
        self.marks = marks_of(self.overlay, figures, self.is_free)
        self.marks += chip_marks(self.overlay.chips, self.boxes, figures, self.is_free)
        self.marks += staged_marks(self.overlay.staged, self.boxes)
        for mark in chain(before, self.marks):
            self.update(mark.area)

    def is_free(self, rect: QRectF, edge: str) -> bool:
        """Return whether no node, no badge and no wire is in this place, except for
        wires of the edge's own bar.
        """
        for node in self.obstacles.about(rect.adjusted(-1, -12, 1, 1)):
            if self.boxes[node].rect.adjusted(0, -10, 0, 0).intersects(rect):
                return False
        for figure in self.edges.near(rect):
            label = figure.label
            if label is not None and label_area(label, 150).intersects(rect):
                return False
            if any(tag.rect.intersects(rect) for tag in figure.tags):
                return False
            if self.edges.wires_cross(figure, rect):
                return False
        return True

    def turn(self, milliseconds: int) -> None:
        """Turn the arcs of running nodes to this time of the clock."""
        for node in self.overlay.running:
            item = self.nodes.get(node)
            if item is not None:
                item.clock_ms = milliseconds
                item.update(QRectF(12, 36, 14, 16))

    # --- selection and problems -------------------------------------------------------

    def select(self, selection: frozenset[str]) -> None:
        """Show what is selected."""
        changed = selection ^ self.selection
        self.selection = selection
        nodes = changed & self.nodes.keys()
        for node in nodes:
            self.nodes[node].selected = node in selection
        self.edges.selected = selection
        if len(changed) > MANY or not changed.isdisjoint(self.backdrop.frames):
            self.update()
        else:
            for node in nodes:
                self.nodes[node].update()
            self.edges.repaint(
                changed | {self.topology.switches.get(node, "") for node in nodes}
            )
        self.content_changed.emit()

    def focus(self, node: str) -> None:
        """Ring the node that keys are for; "" for none."""
        for key in {self._focused, node} & self.nodes.keys():
            item = self.nodes[key]
            if item.focused != (key == node):
                item.focused = key == node
                item.update()
        self._focused = node

    def set_problems(self, counts: Mapping[str, tuple[int, int]]) -> None:
        """Show how many errors and warnings each node has, by its id."""
        if counts == self._problems:
            return
        self._problems = dict(counts)
        self.content_changed.emit()
        changed = [
            item
            for key, item in self.nodes.items()
            if item.problems != counts.get(key, (0, 0))
        ]
        for item in changed:
            item.problems = counts.get(item.id, (0, 0))
        if len(changed) > MANY:
            self.update()
        else:
            for item in changed:
                item.update()

    def set_theme(self, theme: Theme) -> None:
        """Paint in the colours of another theme."""
        self.style_ = Style(theme)
        self.edges.style = self.style_
        for item in self.nodes.values():
            item.style = self.style_
        self.update()
        self.content_changed.emit()

    # --- hit tests --------------------------------------------------------------------

    def node_at(self, point: QPointF, reach: float = 0.0) -> str:
        """Return the topmost node at a point, or within `reach` of it; "" for none."""
        area = QRectF(
            point.x() - reach, point.y() - reach, 2 * reach or 1, 2 * reach or 1
        )
        nodes = self.obstacles.near(area)
        return nodes[-1] if nodes else ""

    def port_at(self, point: QPointF) -> tuple[str, str]:
        """Return the node and "in" or "out" of the nearest port; two empty strings for
        none within reach.
        """
        area = QRectF(
            point.x() - PORT_REACH,
            point.y() - PORT_REACH,
            2 * PORT_REACH,
            2 * PORT_REACH,
        )
        nearest = PORT_REACH
        port = ("", "")
        for node in self.obstacles.about(area):
            box = self.boxes[node]
            reach = DIAMOND_PORT_REACH if box.diamond else PORT_REACH
            for side, has_port, place in (
                ("in", box.takes, box.inlet),
                ("out", box.gives, box.outlet),
            ):
                away = place - point
                distance = math.hypot(away.x(), away.y())
                if has_port and distance <= min(nearest, reach):
                    nearest = distance
                    port = (node, side)
        return port

    def inside(self, rect: QRectF) -> frozenset[str]:
        """Return what a rubber band selects: nodes and edge groups that it touches, and
        frames that are wholly in it.
        """
        return self.touched(rect) | self.backdrop.inside(rect)

    def touched(self, rect: QRectF) -> frozenset[str]:
        """Return the nodes and edge groups of which any part is in a rectangle."""
        return frozenset(self.obstacles.near(rect)) | frozenset(
            self.edges.crossing(rect)
        )

    def figure(self, edge: str) -> Figure | None:
        """Return how an edge group is drawn; None when it has a loose end."""
        return self.edges.figures.get(edge)


_NO_BOX = Box("", QRectF())
_NO_DOTS: Lines = MappingProxyType({})
_NO_IDS: frozenset[str] = frozenset()


def _summary_of(node: NodeDefinition, info: NodeInfo | None) -> str:
    """Return the second line of a node: what is inside, its main setting, or its type."""
    if node.type == SUB_WORKFLOW:
        size = size_inside(node)
        if size:
            return size
    value = node.params.get(info.summary) if info is not None and info.summary else None
    text = one_line(str(value)) if value is not None else ""
    return text or one_line(node.type)


def _shifted(box: Box, position: Position) -> tuple[Box, Shift]:
    """Return the box of a node at another position, and how far that is."""
    x, y = drawn_at(position)
    shift = (x - box.rect.x(), y - box.rect.y())
    if shift == (0, 0):
        return box, shift
    return box.shifted(*shift), shift


def _differing_edges(before: Topology, after: Topology) -> set[str]:
    """Return the edges that are drawn in another way: they are others, they have
    another place among several, or they lead back now and did not before.
    """
    dirty = {
        edge
        for edge in before.edges.keys() | after.edges.keys()
        if before.edges.get(edge) is not after.edges.get(edge)
    }
    dirty |= {edge for edge in after.edges if _rank(before, edge) != _rank(after, edge)}
    turned = before.back ^ after.back
    if turned:
        for edge in after.edges.values():
            if not turned.isdisjoint(edge.pairs):
                dirty.add(edge.id)
    return dirty


def _rank(topology: Topology, edge: str) -> tuple[float, int]:
    return topology.bows.get(edge, 0.0), topology.ranks.get(edge, 0)
