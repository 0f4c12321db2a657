"""Reroute dots by mouse: Alt or a double click adds one to a wire, a drag moves it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, Qt

from designer.canvas.base import ALT, CTRL, SHIFT, Canvas, Gesture, Pointer, Press
from designer.canvas.drawing.edge_item import Dot
from designer.canvas.drawing.figures import figure_of
from designer.canvas.drawing.geometry import SNAP, on_grid
from designer.canvas.drawing.strokes import path_distance, solid
from designer.canvas.drawing.wire_dots import (
    new_dot_near,
    points_of,
    wire_key,
    with_moved_point,
    with_point,
    without_point,
)

if TYPE_CHECKING:
    from designer.model.design import Points, Position

# px on the screen between a dot and the way of its wire without it, where it is removed
ON_LINE = 6.0


class MoveDot(Gesture):
    """Moves a dot that a wire has; one undo step at the release.

    Released where the wire would run without it, the dot is removed.
    """

    cursor = Qt.CursorShape.SizeAllCursor
    words = "Move a reroute dot"

    def __init__(
        self, canvas: Canvas, pointer: Pointer, dot: Dot, place: Position
    ) -> None:
        super().__init__(canvas, pointer)
        self.dot = dot
        self.design = canvas.document.design
        self.wire_points = points_of(self.design, self.scene.topology, dot)
        self.selected_before = self.scene.selection
        self.chosen_before = canvas.dots.chosen
        self.origin = place
        self.place = place
        self.removing = False
        self.levels = self._levels()
        canvas.dots.choose(dot)

    @classmethod
    def start(cls, canvas: Canvas, press: Press) -> Gesture | None:
        if not press.edits or press.modifiers & (SHIFT | CTRL) or press.dot is None:
            return None
        dot = press.dot
        points = points_of(canvas.document.design, canvas.scene().topology, dot)
        return cls(canvas, press.pointer, dot, points[dot.place])

    def _levels(self) -> list[float]:
        """Return the heights at which the wire is level: with its ends and next dots."""
        boxes = self.scene.boxes
        ends = (self.dot.source, self.dot.target)
        levels = [boxes[end].inlet.y() for end in ends if end in boxes]
        return levels + [y for x, y in self._beside() if (x, y) != self.origin]

    def _beside(self) -> Points:
        """Return the points of the wire before and after the dot."""
        place = self.dot.place
        return self.wire_points[max(0, place - 1) : place + 2]

    def drag(self) -> None:
        shift = self.pointer.scene - self.began.scene
        x = self.origin[0] + shift.x()
        y = self.origin[1] + shift.y()
        self.place = self._snapped(x, y) if self.canvas.snap else (round(x), round(y))
        was_removing = self.removing
        self.removing = self._is_removed_here()
        self.preview()
        if was_removing != self.removing:
            words = "Release to lead the wire this way; Esc cancels"
            if self.removing:
                words = "Release to remove the dot"
            self.canvas.status.emit(words)

    def _snapped(self, x: float, y: float) -> Position:
        """Return a place in steps of the grid from where the dot was, or level with its
        neighbours on the wire when that is near.
        """
        across, down = on_grid(x - self.origin[0], y - self.origin[1])
        level = min(self.levels, key=lambda level: abs(level - y))
        if abs(level - y) > SNAP / 2:
            level = self.origin[1] + down
        return self.origin[0] + across, level

    def _is_removed_here(self) -> bool:
        """Return whether the wire would run here without the dot too."""
        scene = self.scene
        edge = scene.topology.edges[self.dot.edge]
        lines = self._lines(without_point(self.wire_points, self.dot.place))
        figure = figure_of(edge, scene.boxes, scene.topology, scene.obstacles, lines)
        wires = figure.wires if figure is not None else ()
        straight = [
            wire.path
            for wire in wires
            if (wire.source, wire.target, wire.way) == self.dot[1:4]
        ]
        if not straight:
            return False
        reach = ON_LINE / min(1.0, self.canvas.zoom)
        return path_distance(straight[-1], QPointF(*self.place)) <= reach

    def points(self) -> Points:
        """Return what the wire runs through now."""
        if self.removing:
            return without_point(self.wire_points, self.dot.place)
        return with_moved_point(self.wire_points, self.dot.place, self.place)

    def _lines(self, points: Points) -> Mapping[str, Points]:
        """Return the points of all wires of the edge group, with these for this one."""
        lines = self.design.dots.get(self.dot.edge, {})
        return {**lines, wire_key(self.scene.topology, self.dot): points}

    def preview(self) -> None:
        """Draw the wire as it would be."""
        self.scene.preview_dots(self.dot.edge, self._lines(self.points()))

    def release(self) -> None:
        if self.started:
            self._finish()

    def _finish(self) -> None:
        words = "Remove a reroute dot" if self.removing else self.words
        self.canvas.dots.put(self.dot, self.points(), words)
        self.scene.end_preview()
        self.canvas.dots.choose(None if self.removing else self.dot)

    def cancel(self) -> None:
        self.scene.end_preview()
        self.canvas.select(self.selected_before)
        self.canvas.dots.choose(self.chosen_before)


class AddDot(MoveDot):
    """Adds a dot to a wire, which the drag then moves."""

    words = "Add a reroute dot"

    def __init__(
        self, canvas: Canvas, pointer: Pointer, dot: Dot, place: Position
    ) -> None:
        super().__init__(canvas, pointer, dot, place)
        self.preview()

    @classmethod
    def start(cls, canvas: Canvas, press: Press) -> Gesture | None:
        if press.is_left and press.modifiers & ALT:
            return cls.on_wire(canvas, press.pointer)
        return None

    @classmethod
    def on_wire(cls, canvas: Canvas, pointer: Pointer) -> AddDot | None:
        """Return the gesture for a wire that is here.

        None where there is no wire, or a node, a dot, a tag or a hub instead.
        """
        scene = canvas.scene()
        edge = scene.edges.edge_at(pointer.scene, canvas.reach)
        if (
            not edge
            or scene.node_at(pointer.scene)
            or scene.edges.dot_at(pointer.scene)
        ):
            return None
        if not canvas.editable:
            if pointer.modifiers & ALT:
                canvas.tell(
                    "This is a run, and read-only. Go back to editing to lead wires another way."
                )
            return None
        figure = scene.edges.figures[edge]
        if any(part.contains(pointer.scene) for part in solid(figure)):
            return None
        found = new_dot_near(figure, pointer.scene, canvas.reach)
        if found is None:
            return None
        dot, place = found
        return cls(canvas, pointer, dot, place)

    def _beside(self) -> Points:
        # The dot is not among the points yet.
        place = self.dot.place
        return self.wire_points[max(0, place - 1) : place + 1]

    def _is_removed_here(self) -> bool:
        return False

    def points(self) -> Points:
        return with_point(self.wire_points, self.dot.place, self.place)

    def release(self) -> None:
        self._finish()
