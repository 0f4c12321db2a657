"""The gestures of reroute dots: one more with Alt or a double click on a wire, dragged where it should run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, Qt

from designer.canvas.drawing.edge_item import Dot
from designer.canvas.drawing.figures import figure_of
from designer.canvas.drawing.geometry import SNAP, on_grid
from designer.canvas.drawing.strokes import path_distance, solid
from designer.canvas.gestures.tools import ALT, CTRL, SHIFT, Pointer, Tool
from designer.canvas.verbs.dots import ON_LINE

if TYPE_CHECKING:
    from designer.canvas.view import CanvasView
    from designer.model.design import Points, Position


class PlaceDot(Tool):
    """Puts a new dot on a wire, or moves one that is there; one undo step at release. Let go where the wire would run
    without it, a dot that was there is removed.
    """

    cursor = Qt.CursorShape.SizeAllCursor

    def __init__(
        self, view: CanvasView, at: Pointer, dot: Dot, new: Position | None = None
    ) -> None:
        """With `new`, the place on the wire where the dot is added."""
        super().__init__(view, at)
        self.dot = dot
        self.new = new is not None
        self.dots = view.dots
        self.before = (self.scene.selection, view.dots.chosen)
        points = self.dots.points(dot)
        self.start: Position = new or points[dot.place]
        self.place = self.start
        self.gone = False
        ends = [
            self.scene.boxes[end]
            for end in (dot.source, dot.target)
            if end in self.scene.boxes
        ]
        beside = points[max(0, dot.place - 1) : dot.place + (1 if new else 2)]
        self.level = [box.inlet.y() for box in ends] + [
            y for at, (_, y) in enumerate(beside) if beside[at] != self.start
        ]
        self.dots.choose(dot)
        if new:
            self._show()

    def drag(self) -> None:
        shift = self.at.scene - self.began.scene
        x = self.start[0] + shift.x()
        y = self.start[1] + shift.y()
        self.place = self._snapped(x, y) if self.view.snap else (round(x), round(y))
        gone = self.gone
        self.gone = not self.new and self._is_on_line()
        self._show()
        if gone != self.gone:
            if self.gone:
                words = "Let go to remove the dot"
            else:
                words = "Let go to lead the wire this way; Esc leaves it"
            self.view.status.emit(words)

    def _snapped(self, x: float, y: float) -> Position:
        """In steps of 8 from where it was; and level with its neighbours on the wire when that is near."""
        near = min(self.level, key=lambda level: abs(level - y))
        across, down = on_grid(x - self.start[0], y - self.start[1])
        return self.start[0] + across, near if abs(
            near - y
        ) <= SNAP / 2 else self.start[1] + down

    def _is_on_line(self) -> bool:
        scene = self.scene
        edge = self.scene.topology.edges[self.dot.edge]
        figure = figure_of(
            edge,
            scene.boxes,
            scene.topology,
            scene.ground,
            self._lines(self.dots.without(self.dot)),
        )
        wires = figure.wires if figure is not None else ()
        same = [
            wire
            for wire in wires
            if (wire.source, wire.target, wire.way) == self.dot[1:4]
        ]
        near = ON_LINE / min(1.0, self.view.zoom)
        return bool(same) and path_distance(same[-1].path, QPointF(*self.place)) <= near

    def points(self) -> Points:
        if self.gone:
            return self.dots.without(self.dot)
        put = self.dots.with_dot if self.new else self.dots.moved
        return put(self.dot, self.place)

    def _lines(self, points: Points) -> Mapping[str, Points]:
        return {**self.dots.lines(self.dot.edge), self.dots.key(self.dot): points}

    def _show(self) -> None:
        self.scene.preview_dots(self.dot.edge, self._lines(self.points()))

    def release(self) -> None:
        if not self.new and not self.started:
            return
        if self.new:
            words = "Add a reroute dot"
        elif self.gone:
            words = "Remove a reroute dot"
        else:
            words = "Move a reroute dot"
        self.dots.put(self.dot, self.points(), words)
        self.scene.end_preview()
        self.dots.choose(None if self.gone else self.dot)

    def cancel(self) -> None:
        self.scene.end_preview()
        selection, dot = self.before
        self.view.select(selection)
        self.dots.choose(dot)


def dot_tool(view: CanvasView, at: Pointer) -> Tool | None:
    """What a press on a wire begins here: moving a dot, with Alt a new one. None where it is about no dot."""
    dot = view.scene().edges.dot_at(at.scene) if view.editable else None
    if dot is not None and not at.modifiers & (SHIFT | CTRL):
        return PlaceDot(view, at, dot)
    return new_dot(view, at) if at.modifiers & ALT else None


def new_dot(view: CanvasView, at: Pointer) -> Tool | None:
    """One more dot on the wire that is here; None where none is, or there is a dot, a tag or a hub instead."""
    scene = view.scene()
    edge = scene.edges.edge_at(at.scene, view.reach)
    if not edge or scene.node_at(at.scene) or scene.edges.dot_at(at.scene) is not None:
        return None
    if not view.editable:
        if at.modifiers & ALT:
            view.tell(
                "This is a run, and read-only. Go back to editing to lead wires another way."
            )
        return None
    figure = scene.edges.figures[edge]
    if any(part.contains(at.scene) for part in solid(figure)):
        return None
    found = view.dots.new_at(edge, at.scene, view.reach)
    return PlaceDot(view, at, *found) if found is not None else None
