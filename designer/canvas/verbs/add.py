"""Opens the quick add, and does what it says: adds a node, and connects it when a wire was let go."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QPointF, QRect
from PySide6.QtGui import QPainter

from designer.canvas.gestures.splice import Spot
from designer.canvas.gestures.tools import paint_loose
from designer.canvas.speech.describe import describe
from designer.canvas.verbs.quick_add import INTO, QuickAdd
from designer.model.completion import type_usage
from runtime.document.definition import NodeInfo

if TYPE_CHECKING:
    from designer.canvas.view import CanvasView


class Adding:
    """`popup` is the quick add while it is open."""

    def __init__(self, view: CanvasView) -> None:
        self.view = view
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
        view = self.view
        if not view.editable:
            view.tell("Go back to editing to add nodes.")
            return
        self.close()
        spot = self._selected_spot() if free else None
        if spot is not None:
            middle = spot.wire.path.pointAtPercent(0.5)
            at = view.mapFromScene(middle)
            free = False
        self._at = view.mapToScene(at)
        self._wired = tuple(wired)
        self._side = side
        self._free = free
        self._spot = spot
        popup = QuickAdd(view.look, view, type_usage.often())
        popup.chosen.connect(self._add)
        popup.dropped.connect(self.close)
        self.popup = popup
        self.follow_types()
        popup.start()
        view.viewport().update()

    def follow_types(self) -> None:
        """Offer the node types that there are, while it is open: they may come later, or be others now."""
        view = self.view
        popup = self.popup
        if popup is None:
            return
        popup.offer(*self._fitting(), are_known=bool(view.session.infos))
        at = view.mapFromScene(self._at)
        popup.place(QRect(at, at), view.rect())

    def _fitting(self) -> tuple[list[NodeInfo], tuple[str, str, str] | None]:
        """The types that can be added here, and the line that says what they must fit."""
        view = self.view
        spot = self._spot
        wiring = view.wiring()
        infos = list(view.session.infos.values())
        if spot is not None:
            edge = view.scene().topology.edges[spot.edge]
            words = describe(view.scene(), spot.edge).split(" · ")[0]
            return [
                info for info in infos if view.splicing.fits_type(info)(edge, spot.way)
            ], (INTO, "", words)
        if not self._wired:
            return infos, None
        fitting = [
            info
            for info in infos
            if all(wiring.fits_type(node, self._side, info) for node in self._wired)
        ]
        return fitting, wiring.accepts_line(self._wired[0], self._side)

    def _selected_spot(self) -> Spot | None:
        order = self.view.order
        return self.view.splicing.of_edge(order[0]) if len(order) == 1 else None

    def _add(self, type: str) -> None:
        self.close()
        self.view.commands.add_node(
            type,
            self._at,
            wired=self._wired,
            side=self._side,
            free=self._free,
            spot=self._spot,
        )

    def close(self) -> None:
        popup = self.popup
        self.popup = None
        if popup is not None:
            popup.drop()
            popup.deleteLater()
            self.view.setFocus()
            self.view.viewport().update()

    def paint(self, painter: QPainter) -> None:
        """The wire that was let go, as long as it is asked where it leads."""
        if self.popup is not None and self._wired:
            paint_loose(painter, self.view.scene(), self._wired, self._side, self._at)
