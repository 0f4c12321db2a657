"""The dots of wires for keyboard and mouse: which one is chosen, and the verbs for them, one undo step each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF

from designer.canvas.drawing import routes
from designer.canvas.drawing.edge_item import Dot
from designer.canvas.drawing.figures import Wire
from designer.canvas.drawing.strokes import dots_of, on_path, path_distance
from designer.canvas.speech.describe import describe
from designer.model import edits
from designer.model.edits.dots import key_of

if TYPE_CHECKING:
    from designer.canvas.view import CanvasView
    from designer.model.design import Design, Points, Position

# from where its wire would run without it: there a dot is let go to be none
ON_LINE = 6.0
_NO_WIRE = "Select the wire that the dot is for: a click on it, or E from its node."


class Dots:
    """`chosen` is the dot that keys mean; its edge is all that is selected then."""

    def __init__(self, view: CanvasView) -> None:
        self.view = view
        view.document.selection_changed.connect(self.follow)
        view.document.changed.connect(self.follow)
        view.document.replaced.connect(self.follow)
        view.document.entered.connect(self.follow)

    def stop(self) -> None:
        """Hear nothing any more."""
        document = self.view.document
        for signal in (
            document.selection_changed,
            document.changed,
            document.replaced,
            document.entered,
        ):
            signal.disconnect(self.follow)

    @property
    def chosen(self) -> Dot | None:
        return self.view.scene().edges.dot

    def choose(self, dot: Dot | None) -> None:
        """Choose a dot, with its edge selected; none with None, and the selection stays."""
        edges = self.view.scene().edges
        if dot is not None:
            self.view.select({dot.edge})
        old = edges.dot
        edges.dot = dot
        edges.repaint([one.edge for one in (old, dot) if one is not None])
        count = len(self.points(dot)) if dot is not None else 0
        if dot is not None and dot.place < count:
            words = describe(self.view.scene(), dot.edge)
            self.view.status.emit(
                f"Dot {dot.place + 1} of {count} of {words}. Ctrl+arrows move it, Del removes it."
            )

    def follow(self, *_what: object) -> None:
        """Forget a dot that is gone, or whose edge is not what is selected."""
        dot = self.chosen
        if dot is not None and (
            self.view.document.selection != {dot.edge}
            or dot.place >= len(self.points(dot))
        ):
            self.choose(None)

    # --- what there is ------------------------------------------------------------------------------------------

    def points(self, dot: Dot) -> Points:
        """All dots of the wire of this one, in order."""
        return self.lines(dot.edge).get(self.key(dot), ())

    def lines(self, edge: str) -> Mapping[str, Points]:
        return self.view.document.design.dots.get(edge, {})

    def key(self, dot: Dot) -> str:
        edge = self.view.scene().topology.edges.get(dot.edge)
        return key_of(edge, dot.source, dot.target, dot.way) if edge is not None else ""

    def new_at(
        self, edge: str, point: QPointF, reach: float
    ) -> tuple[Dot, Position] | None:
        """The dot that a wire of an edge would get here, and its place on the wire; None where there is no wire, or
        the part that all of them share.
        """
        figure = self.view.scene().figure(edge)
        if figure is not None:
            wires = [wire for wire in figure.wires if wire.source and wire.target]
        else:
            wires = []
        near = min(
            wires, key=lambda wire: path_distance(wire.path, point), default=None
        )
        if near is None or path_distance(near.path, point) > reach:
            return None
        at = on_path(near.path, point)
        return Dot(edge, near.source, near.target, near.way, _place(near, point)), (
            round(at.x()),
            round(at.y()),
        )

    def with_dot(self, dot: Dot, at: Position) -> Points:
        """The points of its wire with one more."""
        points = self.points(dot)
        return (*points[: dot.place], at, *points[dot.place :])

    def moved(self, dot: Dot, at: Position) -> Points:
        points = self.points(dot)
        return (*points[: dot.place], at, *points[dot.place + 1 :])

    def without(self, dot: Dot) -> Points:
        points = self.points(dot)
        return (*points[: dot.place], *points[dot.place + 1 :])

    def has_wire(self) -> bool:
        """Is an edge group selected?"""
        return (
            not self.view.scene().topology.edges.keys().isdisjoint(self.view.selection)
        )

    # --- verbs --------------------------------------------------------------------------------------------------

    def put(
        self, dot: Dot, points: Sequence[Position], words: str, *, merge: str = ""
    ) -> bool:
        """Lead the wire of a dot through these points."""
        key = self.key(dot)
        return self.view.commands.edit(
            words,
            lambda design: edits.set_dots(design, dot.edge, key, points),
            merge=merge,
        )

    def add(self, dot: Dot, at: Position) -> None:
        if self.put(dot, self.with_dot(dot, at), "Add a reroute dot"):
            self.choose(dot)

    def add_at(self, edge: str, point: QPointF) -> None:
        """On the wire that is here, else as the key does."""
        found = self.new_at(edge, point, self.view.reach)
        if found is not None:
            self.add(*found)
        else:
            self.add_to_selected()

    def add_to_selected(self) -> None:
        """In the middle of the leg after the chosen dot, else of the selected edge's longest wire without dots."""
        dot = self.chosen
        edge = next(reversed(self.view.order), "")
        figure = self.view.scene().figure(edge)
        if figure is not None:
            wires = [wire for wire in figure.wires if wire.source and wire.target]
        else:
            wires = []
        if not wires:
            self.view.tell(_NO_WIRE)
            return
        if dot is not None:
            wire = next(
                wire
                for wire in wires
                if (wire.source, wire.target, wire.way) == dot[1:4]
            )
            place = dot.place + 1
        else:
            wire = max(wires, key=lambda wire: (not wire.dots, wire.path.length()))
            place = len(wire.dots)
        legs = routes.legs(wire.path) if wire.dots else [wire.path]
        # two dots in one place have no leg between them
        leg = legs[min(place, len(legs) - 1)]
        middle = leg.pointAtPercent(0.5)
        self.add(
            Dot(edge, wire.source, wire.target, wire.way, place),
            (round(middle.x()), round(middle.y())),
        )

    def remove(self) -> bool:
        """Remove the chosen dot. False when none is."""
        dot = self.chosen
        if dot is not None and self.put(dot, self.without(dot), "Remove a reroute dot"):
            self.choose(
                dot._replace(place=max(0, dot.place - 1)) if self.points(dot) else None
            )
        return dot is not None

    def straighten(self) -> None:
        """Remove all dots of the selected edges."""
        dotted = [key for key in self.view.order if self.lines(key)]
        if not dotted:
            self.view.tell("There are no reroute dots on what is selected.")
            return

        def change(design: Design) -> Design:
            for edge in dotted:
                for wire in design.dots.get(edge, {}):
                    design = edits.set_dots(design, edge, wire, ())
            return design

        self.view.commands.edit("Straighten the wires", change)

    def nudge(self, dx: float, dy: float) -> bool:
        """Move the chosen dot. False when none is."""
        dot = self.chosen
        if dot is None:
            return False
        x, y = self.points(dot)[dot.place]
        self.put(
            dot,
            self.moved(dot, (x + dx, y + dy)),
            "Move a reroute dot",
            merge=f"nudge {dot}",
        )
        return True

    def next(self) -> None:
        """Choose the next dot of the selected edge, one after the other."""
        edge = next(reversed(self.view.order), "")
        figure = self.view.scene().figure(edge)
        if figure:
            there = [
                Dot(edge, wire.source, wire.target, wire.way, k)
                for wire, k, _ in dots_of(figure)
            ]
        else:
            there = []
        if not there:
            self.view.tell(
                "Select a wire that has reroute dots; R adds one to the selected wire."
            )
            return
        at = there.index(self.chosen) + 1 if self.chosen in there else 0
        self.choose(there[at % len(there)])


def _place(wire: Wire, point: QPointF) -> int:
    """Which leg of a wire is nearest."""
    if not wire.dots:
        return 0
    away = [path_distance(leg, point) for leg in routes.legs(wire.path)]
    return away.index(min(away))
