"""What is under the pointer: its border, its port, its words for status bar and
tooltip.
"""

from __future__ import annotations

from html import escape

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QToolTip

from designer.canvas.base import Canvas
from designer.canvas.drawing.frames import cursor_of
from designer.canvas.speech.describe import describe
from designer.canvas.speech.port_words import describe_port


class Hover:
    """Keeps an id, never an item: what is hovered may be deleted under the pointer."""

    def __init__(self, canvas: Canvas) -> None:
        self.canvas = canvas
        self.key = ""

    def over(self, point: QPointF) -> Qt.CursorShape | None:
        """Show what is at a point. Return the cursor that it has, or None for the
        usual.
        """
        canvas = self.canvas
        scene = canvas.scene()
        breakpoint = canvas.breakpoints.hover(point)
        node, side = "", ""
        if canvas.editable and not breakpoint:
            node, side = scene.port_at(point)
        self._light_port(self.key, "")
        self._light_port(node, "out" if side == "out" else "accept")
        self.set(node or canvas.thing_at(point) or breakpoint)
        if breakpoint:
            return Qt.CursorShape.PointingHandCursor
        if not canvas.editable:
            return None
        if node:
            return Qt.CursorShape.CrossCursor
        if self.key in scene.backdrop.frames:
            sides = scene.backdrop.sides_at(self.key, point, canvas.zoom)
            return cursor_of(sides) if sides else None
        if self.key in scene.edges.figures and scene.edges.dot_at(point) is not None:
            return Qt.CursorShape.SizeAllCursor
        return None

    def set(self, key: str) -> None:
        """Mark what is hovered; "" for nothing."""
        if key == self.key:
            return
        scene = self.canvas.scene()
        self._mark(self.key, hovered=False)
        self._mark(key, hovered=True)
        scene.edges.repaint([self.key, key])
        self.key = key
        scene.edges.hovered = key
        self.canvas.status.emit(describe(scene, key))

    def _mark(self, key: str, *, hovered: bool) -> None:
        item = self.canvas.scene().nodes.get(key)
        if item is None:
            return
        item.hovered = hovered
        if not hovered:
            item.port = ""
        item.update()

    def forget_gone(self) -> None:
        """Forget what is gone. Should it come back, it is hovered again."""
        scene = self.canvas.scene()
        drawn = (scene.nodes, scene.edges.figures, scene.backdrop.frames)
        if not any(self.key in things for things in drawn):
            self.set("")

    def _light_port(self, node: str, port: str) -> None:
        item = self.canvas.scene().nodes.get(node)
        if item is not None and item.port != port:
            item.port = port
            item.update()

    def tip(self, event: QHelpEvent) -> None:
        """Show a tooltip for what is under the pointer."""
        scene = self.canvas.scene()
        viewport = self.canvas.widget.viewport()
        point = self.canvas.mapToScene(event.pos())
        node, side = scene.port_at(point)
        on_mark = self.canvas.breakpoints.tip(point) or self.canvas.results.tip(point)
        if on_mark:
            text = on_mark
        elif node:
            text = describe_port(scene, node, side)
        else:
            text = describe(scene, self.key)
        if not text:
            QToolTip.hideText()
            return
        # What a file says is never markup, which a tooltip would guess.
        QToolTip.showText(event.globalPos(), f"<p>{escape(text)}</p>", viewport)
