"""Reroute dots by keys and menus: which one is chosen, and what is done to it.

Each verb is one undo step.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, SignalInstance

from designer.canvas.base import Canvas
from designer.canvas.drawing import routes
from designer.canvas.drawing.edge_item import Dot
from designer.canvas.drawing.strokes import dots_of
from designer.canvas.drawing.wire_dots import (
    new_dot_near,
    points_of,
    whole_wires,
    wire_key,
    with_moved_point,
    with_point,
    without_point,
)
from designer.canvas.speech.describe import describe
from designer.model import edits

if TYPE_CHECKING:
    from designer.model.design import Design, Points, Position

_NO_WIRE = "Select the wire that the dot is for: a click on it, or E from its node."


class Dots:
    """`chosen` is the dot that keys are for; its edge is all that is selected then."""

    def __init__(self, canvas: Canvas) -> None:
        self.canvas = canvas
        for signal in self._signals():
            signal.connect(self.follow)

    def _signals(self) -> Sequence[SignalInstance]:
        document = self.canvas.document
        return (
            document.selection_changed,
            document.changed,
            document.replaced,
            document.entered,
        )

    def stop(self) -> None:
        """Follow the document no more."""
        for signal in self._signals():
            signal.disconnect(self.follow)

    @property
    def chosen(self) -> Dot | None:
        return self.canvas.scene().edges.dot

    def choose(self, dot: Dot | None) -> None:
        """Choose a dot and select its edge; None chooses no dot and keeps the
        selection.
        """
        edges = self.canvas.scene().edges
        if dot is not None:
            self.canvas.select({dot.edge})
        before = edges.dot
        edges.dot = dot
        edges.repaint([each.edge for each in (before, dot) if each is not None])
        count = len(self.points(dot)) if dot is not None else 0
        if dot is not None and dot.place < count:
            words = describe(self.canvas.scene(), dot.edge)
            self.canvas.status.emit(
                f"Dot {dot.place + 1} of {count} of {words}. Ctrl+arrows move it, Del removes it."
            )

    def follow(self, *_what: object) -> None:
        """Forget a dot that is gone, or whose edge is no more what is selected."""
        dot = self.chosen
        if dot is None:
            return
        is_selected = self.canvas.document.selection == {dot.edge}
        if not is_selected or dot.place >= len(self.points(dot)):
            self.choose(None)

    # --- what there is

    def points(self, dot: Dot) -> Points:
        """Return all points of the wire of a dot, in order."""
        return points_of(self.canvas.document.design, self.canvas.scene().topology, dot)

    def lines(self, edge: str) -> Mapping[str, Points]:
        """Return the points of each wire of an edge group that has some."""
        return self.canvas.document.design.dots.get(edge, {})

    def has_wire(self) -> bool:
        """Return whether an edge group is selected."""
        edges = self.canvas.scene().topology.edges
        return not edges.keys().isdisjoint(self.canvas.selection)

    # --- verbs

    def put(
        self, dot: Dot, points: Sequence[Position], words: str, *, merge: str = ""
    ) -> bool:
        """Lead the wire of a dot through these points."""
        key = wire_key(self.canvas.scene().topology, dot)

        def change(design: Design) -> Design:
            return edits.set_dots(design, dot.edge, key, points)

        return self.canvas.commands.edit(words, change, merge=merge)

    def add(self, dot: Dot, point: Position) -> None:
        """Add a dot to its wire, and choose it."""
        points = with_point(self.points(dot), dot.place, point)
        if self.put(dot, points, "Add a reroute dot"):
            self.choose(dot)

    def add_at(self, edge: str, point: QPointF) -> None:
        """Add a dot to the wire at a point, else as the key does."""
        figure = self.canvas.scene().figure(edge)
        found = new_dot_near(figure, point, self.canvas.reach)
        if found is not None:
            self.add(*found)
        else:
            self.add_to_selected()

    def add_to_selected(self) -> None:
        """Add a dot in the middle of the leg after the chosen one.

        Without a chosen dot it is the longest wire of the selected edge, one without
        dots first.
        """
        dot = self.chosen
        edge = next(reversed(self.canvas.order), "")
        wires = whole_wires(self.canvas.scene().figure(edge))
        if not wires:
            self.canvas.tell(_NO_WIRE)
            return
        if dot is not None:
            ends = dot[1:4]
            wire = next(w for w in wires if (w.source, w.target, w.way) == ends)
            place = dot.place + 1
        else:
            wire = max(wires, key=lambda wire: (not wire.dots, wire.path.length()))
            place = len(wire.dots)
        legs = routes.legs(wire.path) if wire.dots else [wire.path]
        # Two dots at one place have no leg between them.
        leg = legs[min(place, len(legs) - 1)]
        middle = leg.pointAtPercent(0.5)
        new_dot = Dot(edge, wire.source, wire.target, wire.way, place)
        self.add(new_dot, (round(middle.x()), round(middle.y())))

    def remove(self) -> bool:
        """Remove the chosen dot. Return False when none is chosen."""
        dot = self.chosen
        if dot is None:
            return False
        points = without_point(self.points(dot), dot.place)
        if self.put(dot, points, "Remove a reroute dot"):
            next_dot = dot._replace(place=max(0, dot.place - 1))
            self.choose(next_dot if points else None)
        return True

    def straighten(self) -> None:
        """Remove all dots of the selected edges."""
        dotted = [edge for edge in self.canvas.order if self.lines(edge)]
        if not dotted:
            self.canvas.tell("The selected edges have no reroute dots.")
            return

        def change(design: Design) -> Design:
            for edge in dotted:
                for wire in design.dots.get(edge, {}):
                    design = edits.set_dots(design, edge, wire, ())
            return design

        self.canvas.commands.edit("Straighten the wires", change)

    def nudge(self, dx: float, dy: float) -> bool:
        """Move the chosen dot. Return False when none is chosen."""
        dot = self.chosen
        if dot is None:
            return False
        points = self.points(dot)
        x, y = points[dot.place]
        moved = with_moved_point(points, dot.place, (x + dx, y + dy))
        self.put(dot, moved, "Move a reroute dot", merge=f"nudge {dot}")
        return True

    def next(self) -> None:
        """Choose the next dot of the selected edge, one after the other."""
        edge = next(reversed(self.canvas.order), "")
        figure = self.canvas.scene().figure(edge)
        dots: list[Dot] = []
        if figure is not None:
            for wire, place, _ in dots_of(figure):
                dots.append(Dot(edge, wire.source, wire.target, wire.way, place))
        if not dots:
            self.canvas.tell(
                "Select a wire that has reroute dots; R adds one to the selected wire."
            )
            return
        place = dots.index(self.chosen) + 1 if self.chosen in dots else 0
        self.choose(dots[place % len(dots)])
