"""Opens the quick add, and does what it says: adds a node, and connects it when a wire was let go."""

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
        self._at = QPointF()
        self._wired: tuple[str, ...] = ()
        self._side = "out"
        self._free = False
        self._spot: Spot | None = None

    def open(
        self, at: QPoint, wired: Sequence[str], side: str, *, free: bool = False
    ) -> None:
        """`at` is in pixels of the viewport. With `wired`, only types that fit those nodes' ports; with `free` what is
        added stands at the next place from there that covers no node, or goes into the edge that alone is selected.
        """
        canvas = self.canvas
        if not canvas.editable:
            canvas.tell("Go back to editing to add nodes.")
            return
        self.close()
        spot = self._selected_spot() if free else None
        if spot is not None:
            middle = spot.wire.path.pointAtPercent(0.5)
            at = canvas.mapFromScene(middle)
            free = False
        self._at = canvas.mapToScene(at)
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
        """Offer the node types that there are, while it is open: they may come later, or be others now."""
        canvas = self.canvas
        popup = self.popup
        if popup is None:
            return
        popup.offer(*self._fitting(), are_known=bool(canvas.session.infos))
        at = canvas.mapFromScene(self._at)
        popup.place(QRect(at, at), canvas.widget.rect())

    def _fitting(self) -> tuple[list[NodeInfo], tuple[str, str, str] | None]:
        """The types that can be added here, and the line that says what they must fit."""
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
            self._at,
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
        """The wire that was let go, as long as it is asked where it leads."""
        if self.popup is not None and self._wired:
            paint_loose_wires(
                painter, self.canvas.scene(), self._wired, self._side, self._at
            )
