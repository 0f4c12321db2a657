"""What is under the pointer: its border, its port, its words for the status bar and the tooltip."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QToolTip

from designer.canvas.gestures.frames import cursor_of
from designer.canvas.speech.describe import describe
from designer.canvas.speech.port_words import describe_port

if TYPE_CHECKING:
    from designer.canvas.view import CanvasView


class Hover:
    """Keeps an id, never an item: what is hovered may be deleted under the pointer."""

    def __init__(self, view: CanvasView) -> None:
        self.view = view
        self.key = ""

    def over(self, at: QPointF) -> None:
        view = self.view
        scene = self.view.scene()
        node, side = scene.port_at(at) if view.editable else ("", "")
        self._light(self.key, "")
        self._light(node, "out" if side == "out" else "accept")
        thing = node or view.thing_at(at)
        frame = thing if thing in scene.backdrop.frames else ""
        self.set(thing)
        if frame and view.editable:
            resized = scene.backdrop.sides_at(frame, at, view.zoom)
        else:
            resized = None
        if node:
            shape = Qt.CursorShape.CrossCursor
        elif resized:
            shape = cursor_of(resized)
        else:
            shape = None
        dot = (
            view.editable
            and thing in scene.edges.figures
            and scene.edges.dot_at(at) is not None
        )
        view.show_cursor(Qt.CursorShape.SizeAllCursor if dot else shape)

    def set(self, key: str) -> None:
        scene = self.view.scene()
        if key == self.key:
            return
        for other, on in ((self.key, False), (key, True)):
            item = scene.nodes.get(other)
            if item is not None:
                item.hovered = on
                item.port = item.port if on else ""
                item.update()
        scene.edges.repaint([self.key, key])
        self.key = scene.edges.hovered = key
        self.view.status.emit(describe(scene, key))

    def forget_gone(self) -> None:
        """What was hovered may be there no more; should it come back, it is hovered anew."""
        scene = self.view.scene()
        if not any(
            self.key in known
            for known in (scene.nodes, scene.edges.figures, scene.backdrop.frames)
        ):
            self.set("")

    def _light(self, node: str, port: str) -> None:
        item = self.view.scene().nodes.get(node)
        if item is not None and item.port != port:
            item.port = port
            item.update()

    def tip(self, event: QHelpEvent) -> None:
        node, side = self.view.scene().port_at(self.view.mapToScene(event.pos()))
        if node:
            text = describe_port(self.view.scene(), node, side)
        else:
            text = describe(self.view.scene(), self.key)
        if text:
            # What a file says is never markup, which a tooltip would guess.
            QToolTip.showText(
                event.globalPos(), f"<p>{escape(text)}</p>", self.view.viewport()
            )
        else:
            QToolTip.hideText()
