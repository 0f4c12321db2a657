"""Asking for a node type: opens the quick add, adds the node that is chosen there, and
connects it when a wire ended there.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPoint, QPointF, QRect
from PySide6.QtGui import QPainter

from designer.canvas.base import Canvas
from designer.canvas.drawing.loose_wires import paint_loose_wires
from designer.canvas.drawing.spots import Spot, spot_of
from designer.canvas.speech.describe import describe
from designer.canvas.verbs.quick_add import INTO, QuickAdd
from designer.model.completion import type_usage
from runtime.document.definition import NodeInfo


class NodeSearch:
    """`popup` is the quick add while it is open."""

    def __init__(self, canvas: Canvas) -> None:
        self.canvas = canvas
        self.popup: QuickAdd | None = None
        self._point = QPointF()
        self._wired: tuple[str, ...] = ()
        self._side = "out"
        self._free = False
        self._spot: Spot | None = None

    def open(
        self, place: QPoint, wired: Sequence[str], side: str, *, free: bool = False
    ) -> None:
        """Ask for a type at a place, in pixels of the viewport.

        With `wired` only types that fit those nodes' ports are offered. With `free` the
        node goes to the next place from there that covers no node, or into the edge
        that is selected alone.
        """
        canvas = self.canvas
        if not canvas.editable:
            canvas.tell("Go back to editing to add nodes.")
            return
        self.close()
        spot = self._selected_spot() if free else None
        if spot is not None:
            middle = spot.wire.path.pointAtPercent(0.5)
            place = canvas.mapFromScene(middle)
            free = False
        self._point = canvas.mapToScene(place)
        self._wired = tuple(wired)
        self._side = side
        self._free = free
        self._spot = spot
        popup = QuickAdd(canvas.look, canvas.widget, type_usage.often())
        popup.chosen.connect(self._add)
        popup.dropped.connect(self.close)
        self.popup = popup
        self.follow_types()
        popup.start()
        canvas.widget.viewport().update()

    def follow_types(self) -> None:
        """Offer the node types that there are now: they may come later, or change."""
        canvas = self.canvas
        popup = self.popup
        if popup is None:
            return
        popup.offer(*self._fitting(), are_known=bool(canvas.session.infos))
        place = canvas.mapFromScene(self._point)
        popup.place(QRect(place, place), canvas.widget.rect())

    def _fitting(self) -> tuple[list[NodeInfo], tuple[str, str, str] | None]:
        """Return the types that fit, and the line that says what they have to fit."""
        canvas = self.canvas
        spot = self._spot
        wiring = canvas.wiring()
        infos = list(canvas.session.infos.values())
        if spot is not None:
            edge = canvas.scene().topology.edges[spot.edge]
            words = describe(canvas.scene(), spot.edge).split(" · ")[0]
            fitting = [
                info for info in infos if wiring.splices_type(info, edge, spot.way)
            ]
            return fitting, (INTO, "", words)
        if not self._wired:
            return infos, None
        fitting = [
            info
            for info in infos
            if all(wiring.fits_type(node, self._side, info) for node in self._wired)
        ]
        return fitting, wiring.accepts_line(self._wired[0], self._side)

    def _selected_spot(self) -> Spot | None:
        order = self.canvas.order
        return spot_of(self.canvas.scene(), order[0]) if len(order) == 1 else None

    def _add(self, type: str) -> None:
        self.close()
        self.canvas.commands.add_node(
            type,
            self._point,
            wired=self._wired,
            side=self._side,
            free=self._free,
            spot=self._spot,
        )

    def place(self) -> None:
        """Stay where it is: what is added goes to the place that it was opened at."""

    def follow_design(self) -> None:
        """Close it, because what it would add to is another design now."""
        self.close()

    def close(self) -> None:
        popup = self.popup
        self.popup = None
        if popup is not None:
            popup.drop()
            popup.deleteLater()
            self.canvas.widget.setFocus()
            self.canvas.widget.viewport().update()

    def paint(self, painter: QPainter) -> None:
        """Paint the wire that ended here, as long as its other end is asked for."""
        if self.popup is not None and self._wired:
            paint_loose_wires(
                painter, self.canvas.scene(), self._wired, self._side, self._point
            )
