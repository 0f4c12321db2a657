"""The scene: a projection of one design and one moment. It owns every item, and stores nothing that is true.

`show` compares the design that is drawn with the one that should be, item by item, and touches only what differs. So
edits, undo, another document and another moment of a run all come the same way.
"""

from __future__ import annotations

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
from designer.canvas.drawing.marks import Mark, marks_of
from designer.canvas.drawing.node_item import NodeItem
from designer.canvas.drawing.obstacles import Obstacles, Watches
from designer.canvas.drawing.overlay import NOTHING, Overlay
from designer.canvas.drawing.prepared import PreparedDrawing
from designer.canvas.drawing.style import Style
from designer.look.theme import Theme
from designer.model.design import Design, Position
from designer.model.diff import differing
from designer.model.edits.dots import Lines, moved_along
from designer.model.icons import icon_of
from designer.model.inside import size_inside
from designer.model.names import one_line
from runtime.document.definition import (
    EdgeDefinition,
    NodeDefinition,
    NodeInfo,
    Off,
)
from runtime.document.sub_workflows import SUB_WORKFLOW, info_of

# around the drawing; the scene's rectangle grows in steps of it, never with every move
ROOM = 4000.0
PORT_REACH = 12.0
# changes from which one repaint of everything is cheaper: Qt joins the areas of each one by one
MANY = 100
CROSSING = 40  # wires of a dragged group that are led round nodes while it is dragged
Shift = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Carried:
    """A group that is dragged as it is. Its boxes and figures stay where they were, and are painted `shift` away."""

    nodes: frozenset[str]
    edges: frozenset[str]
    # edges with one end in the group: drawn anew with every step
    across: frozenset[str]
    shift: QPointF


class CanvasScene(QGraphicsScene):
    """`nodes` by id; `edges` is one item; `boxes` are the places now, also in the middle of a drag, but for what is
    `carried`. `version` counts what changes the drawing.
    """

    content_changed = Signal()  # anything that a miniature shows

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.style_ = Style(theme)
        self.nodes: dict[str, NodeItem] = {}
        self.obstacles = Obstacles()
        self.backdrop = Backdrop()
        # the drawing of the next design, when it was made already
        self.prepared: PreparedDrawing | None = None
        self.design = Design()
        self.infos: Mapping[str, NodeInfo] = {}
        # against which files of sub-workflows are looked up
        self.folder: Path | None = None
        self.topology = Topology()
        self.overlay: Overlay = NOTHING
        self.marks: list[Mark] = []
        self.selection: frozenset[str] = frozenset()
        self.carried: Carried | None = None
        # an edge, and its dots for the moment
        self.dragged_dots: tuple[str, Lines] | None = None
        self.version = 0
        self._extent = (-1, QRectF())
        self._focused = ""
        self._watches = Watches()
        # where nodes were or are that came, went or moved since wires were led
        self._disturbed: list[QRectF] = []
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
        self.nodes.clear()
        self._drawn.clear()
        self.obstacles = Obstacles()  # one last paint event may still be on its way

    @property
    def boxes(self) -> dict[str, Box]:
        return self.obstacles.boxes

    # --- following a design -------------------------------------------------------------------------------------

    def show(self, design: Design, infos: Mapping[str, NodeInfo]) -> None:
        """Draw this design. Costs what differs from the one drawn before."""
        # What was dragged stands where it should already; wires that keep clear of it do not know yet.
        dragged = {
            *self._preview,
            *(self.carried.nodes if self.carried is not None else ()),
        } & self.nodes.keys()
        redrawn = set() if self.dragged_dots is None else {self.dragged_dots[0]}
        self._preview.clear()
        self.carried = self.dragged_dots = None
        fresh = infos is not self.infos
        self.infos = infos
        old_topology = self.topology
        old_design = self.design
        old_workflow = self.design.workflow
        self.design = design
        near = None
        if not fresh and design.workflow is old_workflow:
            near = dragged | differing(old_design.positions, design.positions)
        prepared = self.prepared
        self.prepared = None
        if prepared is not None and not dragged and prepared.fits(design, infos):
            self._take_over(prepared)
            near = set()
        shifts = self._follow_nodes(design, near, fresh=fresh)
        moved = shifts.keys() | dragged
        redrawn |= differing(old_design.dots, design.dots)
        wired = (
            design.workflow.edges != old_workflow.edges
            or design.workflow.start != old_workflow.start
        )
        if wired or moved or redrawn:
            if design.workflow is not old_workflow:
                self.topology = topology(design.workflow)
            self._disturbed += [
                self.boxes[node].rect for node in moved & self.boxes.keys()
            ]
            self._follow_edges(old_topology, moved, shifts, redrawn)
            self._fit_area(moved)
        if self.backdrop.follow(design):
            self.version += 1
            self._fit_area()
            self.update()
        if self.marks:
            self.make_marks()
        self._set_starts(old_workflow.start, design.workflow.start)
        self.content_changed.emit()

    def _take_over(self, prepared: PreparedDrawing) -> None:
        self.obstacles = prepared.obstacles
        self._watches = prepared.watches
        for node, box in self.boxes.items():
            self.nodes[node].box = box
        self.edges.take(prepared.figures, prepared.grid, prepared.hairlines)
        self.version += 1
        self._fit_area()
        self.update()

    def _follow_nodes(
        self, design: Design, near: Collection[str] | None, *, fresh: bool
    ) -> dict[str, Shift | None]:
        """The nodes that came, went, or have another box; how far a box is that only moved. `near` are those that can
        differ, None for all.
        """
        if near is None:
            wanted = {node.id: node for node in design.workflow.nodes}
        else:
            wanted = self._known(near)
        gone = self._drawn.keys() - wanted.keys() if near is None else ()
        for node_id in gone:
            self._drop_node(node_id)
        moved: dict[str, Shift | None] = dict.fromkeys(gone)
        positions = design.positions
        quiet = len(wanted) > MANY
        for node_id, node in wanted.items():
            box = self.boxes.get(node_id)
            drawn = self._drawn.get(node_id)
            at = positions.get(node_id, (0.0, 0.0))
            if drawn is node and box is not None and not fresh:
                new, shift = _shifted(box, at)
                if shift == (0, 0):
                    continue
                moved[node_id] = shift
                self._disturbed.append(box.rect)
                self._put_box(new, quiet=quiet)
                continue
            new = node_box(node, info_of(node, self.infos, self.folder), at)
            if new != box:
                moved[node_id] = None
                if box is not None:
                    self._disturbed.append(box.rect)
                self._put_box(new, quiet=quiet)
            self._dress(node)
            self._drawn[node_id] = node
        if quiet and moved:
            self.update()
        return moved

    def _known(self, ids: Iterable[str]) -> dict[str, NodeDefinition]:
        return {
            node_id: self._drawn[node_id] for node_id in ids if node_id in self._drawn
        }

    def _drop_node(self, node_id: str) -> None:
        self.nodes.pop(node_id).update()
        self.edges.silent.discard(node_id)
        self._disturbed.append(self.boxes[node_id].rect)
        self.obstacles.drop(node_id)
        del self._drawn[node_id]

    def _put_box(self, box: Box, *, quiet: bool = False) -> None:
        """`quiet` leaves painting to the caller."""
        item = self.nodes.get(box.id)
        if item is None:
            # Painted through the item that is everywhere: with a rectangle of its own the scene would paint twice.
            self.nodes[box.id] = NodeItem(box, self.style_, self.edges.update)
        elif quiet:
            item.box = box
        else:
            item.place(box)
        self.obstacles.put(box)

    def _dress(self, node: NodeDefinition) -> None:
        """What a node shows of its definition."""
        item = self.nodes[node.id]
        info = self.infos.get(node.type)
        item.title = one_line(node.title)
        item.icon = icon_of(node, info)
        if info is not None and info.summary:
            value = node.params.get(info.summary)
        else:
            value = None
        words = size_inside(node) if node.type == SUB_WORKFLOW else ""
        item.summary = (
            words
            or (one_line(str(value)) if value is not None else "")
            or one_line(node.type)
        )
        self._switch_off(item, node.off)
        item.selected = node.id in self.selection
        item.problems = self._problems.get(node.id, (0, 0))
        item.update()

    def _switch_off(self, item: NodeItem, off: Off) -> None:
        """A node that is off or on again; wires are drawn after its like."""
        if item.off != off:
            item.off = off
            (self.edges.silent.add if off == "disabled" else self.edges.silent.discard)(
                item.id
            )
            self.edges.repaint(self.topology.touching.get(item.id, _NO_IDS))

    def _follow_edges(
        self,
        old: Topology,
        moved: Collection[str],
        shifts: Mapping[str, Shift | None],
        redrawn: set[str],
    ) -> None:
        """Draw anew the edges that differ, those that `moved` nodes are at or were in the way of, and `redrawn`."""
        new = self.topology
        dirty: set[str] = set()
        if old is not new:
            dirty = {
                edge
                for edge in old.edges.keys() | new.edges.keys()
                if old.edges.get(edge) is not new.edges.get(edge)
            }
            dirty |= {
                edge for edge in new.edges if _rank(old, edge) != _rank(new, edge)
            }
            turned = old.back ^ new.back
            dirty |= {
                edge.id
                for edge in new.edges.values()
                if turned and not turned.isdisjoint(edge.pairs)
            }
        dirty |= self._watches.at(self._disturbed) | (redrawn & new.edges.keys())
        self._disturbed = []
        touched: set[str] = set()
        for node in moved:
            touched |= old.touching.get(node, _NO_IDS)
            touched |= new.touching.get(node, _NO_IDS)
        along = {} if old is not new else self._along(touched - dirty, shifts)
        for node in {*old.switches, *new.switches, *moved} & self.nodes.keys():
            self.nodes[node].titled = node not in new.switches
        self._draw_edges((dirty | touched) - along.keys(), along)

    def _along(
        self, edges: Iterable[str], shifts: Mapping[str, Shift | None]
    ) -> dict[str, Figure]:
        """The figures of those edges whose nodes all went the same way, which go along as they are."""
        found: dict[str, Figure] = {}
        for edge in edges:
            figure = self.edges.figures.get(edge)
            if figure is not None and figure.is_bare and edge not in self._watches:
                ways = {shifts.get(node) for node in self.topology.ends[edge]}
                way = ways.pop()
                if way is not None and not ways:
                    found[edge] = figure.shifted(*way)
        return found

    def _draw_edges(
        self, edges: Collection[str], ready: Mapping[str, Figure] | None = None
    ) -> None:
        """Draw these anew, and take over the figures that are `ready`."""
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
        looked, figure = (
            (QRectF(), None)
            if edge is None
            else self.obstacles.looking(edge, self.topology, self._dots_of(edge))
        )
        self.edges.put(edge_id, figure, quiet=quiet)
        self._watches.put(edge_id, looked)

    def _dots_of(self, edge: EdgeDefinition) -> Lines:
        """The dots of an edge as they are drawn now: as the design says, but for what is dragged."""
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
        """How far a node is drawn from where the design has it."""
        now = self._preview.get(node)
        there = self.design.positions.get(node, (0.0, 0.0))
        return (now[0] - there[0], now[1] - there[1]) if now is not None else (0.0, 0.0)

    def nodes_near(self, rect: QRectF) -> list[NodeItem]:
        """The items whose boxes meet a rectangle, in the order in which they came."""
        items = self.nodes
        return [items[node] for node in self.obstacles.near(rect)]

    def _set_starts(self, old: str, new: str) -> None:
        for node in {old, new} & self.nodes.keys():
            self.nodes[node].start = node == new
            self.nodes[node].update()

    def _fit_area(self, moved: Collection[str] = ()) -> None:
        """A fixed rectangle with room around the drawing; growing it with each move would repaint everything. Only the
        nodes that `moved` can be outside of it.
        """
        boxes = around([self.boxes[node].rect for node in moved if node in self.boxes])
        if not boxes.isNull() and self.sceneRect().contains(
            boxes.adjusted(-ROOM / 2, -ROOM / 2, ROOM / 2, ROOM / 2)
        ):
            return
        need = self.drawing_rect()
        if self.sceneRect().contains(
            need.adjusted(-ROOM / 2, -ROOM / 2, ROOM / 2, ROOM / 2)
        ):
            return
        area = need.adjusted(-ROOM, -ROOM, ROOM, ROOM).toAlignedRect()
        self.setSceneRect(QRectF(area))
        self.edges.set_area(QRectF(area))

    def drawing_rect(self, ids: Collection[str] = ()) -> QRectF:
        """The rectangle of these nodes and edges, or of everything."""
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

    # --- while something is dragged -----------------------------------------------------------------------------

    def preview(self, positions: Mapping[str, Position]) -> None:
        """Draw nodes elsewhere for the moment; the design stays. `show` or `end_preview` ends it."""
        dirty: set[str] = set()
        for node_id, at in positions.items():
            box = self.boxes[node_id]
            if node_id not in self._preview:
                self._disturbed.append(box.rect)
            new, shift = _shifted(box, at)
            if shift != (0, 0):
                self._put_box(new)
                dirty |= self.topology.touching.get(node_id, frozenset())
        self._preview.update(positions)
        self._draw_edges(dirty)
        if dirty and self.marks:
            self.make_marks()

    def end_preview(self) -> None:
        """Everything back to where the design says."""
        if self.dragged_dots is not None:
            edge = self.dragged_dots[0]
            self.dragged_dots = None
            self._draw_edges([edge])
        if self.carried is not None:
            across = self.carried.across
            self.carried = None
            self._draw_edges(across)
            self.update()
        at = {
            node: self.design.positions.get(node, (0.0, 0.0))
            for node in self._preview
            if node in self.boxes
        }
        self.preview(at)
        # Each of them was led round nodes that were on their way, as it was itself.
        led = {
            edge
            for node in self._preview
            for edge in self.topology.touching.get(node, _NO_IDS)
        }
        self._draw_edges({edge for edge in led if edge in self._watches})
        self._preview.clear()
        self._disturbed.clear()

    def preview_dots(self, edge: str, lines: Lines) -> None:
        """Draw the wires of an edge through other dots for the moment. `show` or `end_preview` ends it."""
        self.dragged_dots = (edge, lines)
        self._draw_edges([edge])

    def carry(self, nodes: frozenset[str], shift: QPointF) -> None:
        """Draw a group elsewhere for the moment, as it is: what `preview` would do for many. `show` or `end_preview`
        ends it.
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

    # --- following a run ----------------------------------------------------------------------------------------

    def set_overlay(self, overlay: Overlay) -> None:
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

    def make_marks(self) -> None:
        old = self.marks
        self.marks = marks_of(self.overlay, self.edges.figures.get, self.is_free)
        for mark in chain(old, self.marks):
            self.update(mark.area)

    def is_free(self, rect: QRectF, edge: str) -> bool:
        """No node, no badge and no wire but those of `edge`'s own bar is in this place."""
        for node in self.obstacles.about(rect.adjusted(-1, -12, 1, 1)):
            if self.boxes[node].rect.adjusted(0, -10, 0, 0).intersects(rect):
                return False
        for figure in self.edges.near(rect):
            if figure.label is not None and label_area(figure.label, 150).intersects(
                rect
            ):
                return False
            if any(
                tag.rect.intersects(rect) for tag in figure.tags
            ) or self.edges.wires_cross(figure, rect):
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
        self.style_ = Style(theme)
        self.edges.style = self.style_
        for item in self.nodes.values():
            item.style = self.style_
        self.update()
        self.content_changed.emit()

    # --- hit tests ----------------------------------------------------------------------------------------------

    def node_at(self, point: QPointF, reach: float = 0.0) -> str:
        """The node under a point, or within `reach` of it. Empty for none."""
        area = QRectF(
            point.x() - reach, point.y() - reach, 2 * reach or 1, 2 * reach or 1
        )
        found = self.obstacles.near(area)
        return found[-1] if found else ""

    def port_at(self, point: QPointF) -> tuple[str, str]:
        """(node, "in" or "out") when a port is within reach; two empty strings for none."""
        area = QRectF(
            point.x() - PORT_REACH,
            point.y() - PORT_REACH,
            2 * PORT_REACH,
            2 * PORT_REACH,
        )
        best = PORT_REACH
        found = ("", "")
        for node in self.obstacles.about(area):
            box = self.boxes[node]
            for side, there, at in (
                ("in", box.takes, box.inlet),
                ("out", box.gives, box.outlet),
            ):
                away = ((at.x() - point.x()) ** 2 + (at.y() - point.y()) ** 2) ** 0.5
                # Most of a diamond is near one of its ports: there only what is outside or at the corner counts.
                if there and away <= (best if not box.diamond else min(best, 7.0)):
                    best = away
                    found = (node, side)
        return found

    def inside(self, rect: QRectF) -> frozenset[str]:
        """Nodes and edge groups that a rubber band touches, and frames that are wholly in it."""
        return self.touched(rect) | self.backdrop.inside(rect)

    def touched(self, rect: QRectF) -> frozenset[str]:
        """Nodes and edge groups that are in a rectangle, with any part of them."""
        return frozenset(self.obstacles.near(rect)) | frozenset(
            self.edges.crossing(rect)
        )

    def figure(self, edge: str) -> Figure | None:
        return self.edges.figures.get(edge)


_NO_BOX = Box("", QRectF())
_NO_DOTS: Lines = MappingProxyType({})
_NO_IDS: frozenset[str] = frozenset()


def _shifted(box: Box, at: Position) -> tuple[Box, Shift]:
    """The box where a node at this position has it, and how far that is."""
    x, y = drawn_at(at)
    by = (x - box.rect.x(), y - box.rect.y())
    return (box.shifted(*by) if by != (0, 0) else box), by


def _rank(topology: Topology, edge: str) -> tuple[float, int]:
    return topology.bows.get(edge, 0.0), topology.ranks.get(edge, 0)
