"""What floats over the canvas, put together: where each part is, and when it is shown."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRectF
from PySide6.QtWidgets import QGraphicsView

from designer.canvas.chrome import MARGIN, CopyFrame, EmptyHint, Legend, Toast, ZoomBar
from designer.canvas.drawing.scene import CanvasScene
from designer.canvas.minimap import MiniMap
from designer.look.theme import Look

GAP = 8  # px between the zoom bar and what is beside it


class Floating:
    """The legend, the zoom bar, the overview, messages, and the hint of an empty
    canvas.
    """

    def __init__(self, view: QGraphicsView, scene: CanvasScene, look: Look) -> None:
        self._view = view
        self._scene = scene
        # What is always there is a child of the viewport: as a sibling over it, it
        # would make every scroll a repaint of everything.
        viewport = view.viewport()
        self.frame = CopyFrame(look, viewport)
        self.legend = Legend(scene.style_, viewport)
        self.zoom_bar = ZoomBar(look, viewport)
        self.minimap = MiniMap(scene, viewport)
        self.minimap.hide()
        self.toast = Toast(look, view)
        self.hint = EmptyHint(look, view)

    def show(self, *, editable: bool) -> None:
        """Show what the mode and the document need."""
        self.hint.setVisible(editable and not self._scene.nodes)
        self.zoom_bar.snap_button.setVisible(editable)
        self.place()

    def show_minimap(self, on: bool) -> None:
        """Show or hide the overview."""
        self.minimap.setVisible(on)
        self.zoom_bar.map_button.setChecked(on)
        self.place()

    def place(self) -> None:
        """Put each part to its corner of the view."""
        width = self._view.width()
        height = self._view.height()
        right = width - MARGIN
        bottom = height - MARGIN
        self.frame.setGeometry(self._view.viewport().rect())
        bar = self.zoom_bar
        bar.adjustSize()
        bar.move(right - bar.width(), bottom - bar.height())
        above_bar = bar.y() - GAP - self.minimap.height()
        self.minimap.move(right - self.minimap.width(), above_bar)
        self.legend.stand(QPoint(MARGIN, bottom), bar.x() - GAP - MARGIN)
        hint = self.hint
        hint.move((width - hint.width()) // 2, (height - hint.height()) // 2)
        self.toast.move((width - self.toast.width()) // 2, MARGIN)

    def follow_camera(self, zoom: float, seen: QRectF) -> None:
        """Show another zoom, and what of the scene is in view."""
        self.zoom_bar.show_zoom(zoom)
        self.minimap.set_frame(seen)

    def restyle(self) -> None:
        """Take over the colours of another theme."""
        self.legend.style_ = self._scene.style_
        self.frame.update()
        for part in (self.zoom_bar, self.toast, self.hint):
            part.restyle()
