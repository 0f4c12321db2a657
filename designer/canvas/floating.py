"""What floats over the canvas, put together: where each part stands, and when it is to be seen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint

from designer.canvas.chrome import MARGIN, EmptyHint, Legend, Toast, ZoomBar
from designer.canvas.minimap import MiniMap

if TYPE_CHECKING:
    from designer.canvas.view import CanvasView


class Floating:
    def __init__(self, view: CanvasView) -> None:
        self._view = view
        # Always there, so children of the viewport: a sibling over it would make every scroll a whole repaint.
        self.legend = Legend(view.scene().style_, view.viewport())
        self.zoom_bar = ZoomBar(view.look, view.viewport())
        self.minimap = MiniMap(view.scene(), view.viewport())
        self.minimap.hide()
        self.toast = Toast(view.look, view)
        self.hint = EmptyHint(view.look, view)
        bar = self.zoom_bar
        bar.zoom_by.connect(view.camera.zoom_by)
        bar.zoom_to.connect(view.set_zoom)
        bar.fit.connect(view.zoom_to_fit)
        bar.map_toggled.connect(view.show_minimap)
        bar.snap_toggled.connect(view.set_snap)
        self.minimap.moved.connect(view.camera.look_at)
        self.hint.add.connect(lambda: view.quick_add(view.viewport().rect().center()))
        self.hint.example.connect(view.example_requested)

    def show(self) -> None:
        """As the mode and the document want it."""
        self.hint.setVisible(self._view.editable and not self._view.scene().nodes)
        self.zoom_bar.snap_button.setVisible(self._view.editable)
        self.place()

    def place(self) -> None:
        view = self._view
        bar = self.zoom_bar
        hint = self.hint
        right = view.width() - MARGIN
        bottom = view.height() - MARGIN
        bar.adjustSize()
        bar.move(right - bar.width(), bottom - bar.height())
        self.minimap.move(
            right - self.minimap.width(), bar.y() - 8 - self.minimap.height()
        )
        self.legend.stand(QPoint(MARGIN, bottom), bar.x() - 8 - MARGIN)
        hint.move(
            (view.width() - hint.width()) // 2, (view.height() - hint.height()) // 2
        )
        self.toast.move((view.width() - self.toast.width()) // 2, MARGIN)

    def follow_camera(self) -> None:
        """Another zoom or place."""
        view = self._view
        self.zoom_bar.show_zoom(view.zoom)
        self.minimap.set_frame(view.mapToScene(view.viewport().rect()).boundingRect())

    def restyle(self) -> None:
        self.legend.style_ = self._view.scene().style_
        for part in (self.zoom_bar, self.toast, self.hint):
            part.restyle()
