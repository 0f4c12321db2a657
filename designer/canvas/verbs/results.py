"""Recorded, live or pinned on the canvas: chosen in the menu of a node, and painted."""

from __future__ import annotations

from functools import partial
from typing import get_args

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QAction, QActionGroup, QPainter
from PySide6.QtWidgets import QMenu

from designer.canvas.base import Canvas
from designer.canvas.drawing.result_marks import (
    paint_results,
    result_mark_area,
    result_mark_at,
    words_of,
)
from designer.model.pins import executor_path
from runtime.debug.protocol import CallMode

TITLE = "Results on going on from the past"
_TEXTS: dict[CallMode, str] = {
    "recorded": "Recorded, where it fits",
    "live": "Live: call again",
    "pinned": "Pinned: my result",
}


class ResultVerbs:
    """A part of the canvas."""

    def __init__(self, canvas: Canvas) -> None:
        self.canvas = canvas

    def path_of(self, node: str) -> str:
        """Return the name of the executor of a node on the shown level."""
        return executor_path(self.canvas.document.inside, node)

    def reaches_outside(self, node: str) -> bool:
        """Whether a node of the shown level is known to reach outside."""
        definition = self.canvas.scene().design.workflow.node(node)
        if definition is None:
            return False
        session = self.canvas.session
        info = session.infos.get(definition.type)
        is_declared = info is not None and info.reaches_outside
        return is_declared or session.results.reaches_outside(self.path_of(node))

    # --- the menu ---------------------------------------------------------------------

    def add_to(self, menu: QMenu, node: str) -> None:
        """Add the choice to the menu of a node that reaches outside."""
        if not self.reaches_outside(node):
            return
        results = self.canvas.session.results
        path = self.path_of(node)
        menu.addSeparator()
        inner = menu.addMenu(TITLE)
        inner.setToolTipsVisible(True)
        group = QActionGroup(inner)
        modes: tuple[CallMode, ...] = get_args(CallMode)
        for mode in modes:
            action = inner.addAction(_TEXTS[mode])
            action.setCheckable(True)
            action.setChecked(mode == results.mode_of(path))
            group.addAction(action)
            _on_trigger(action, partial(results.choose, path, mode))
        inner.addSeparator()
        is_pinned = path in results.pins
        edit = inner.addAction(
            "Edit the pinned result…" if is_pinned else "Pin a result…"
        )
        _on_trigger(edit, partial(results.edit, path))
        unpin = inner.addAction("Unpin")
        unpin.setEnabled(is_pinned)
        unpin.setToolTip("Unpin" if is_pinned else "Nothing is pinned here.")
        _on_trigger(unpin, partial(self.canvas.document.breakpoints.unpin, path))

    # --- marks ------------------------------------------------------------------------

    def refresh(self) -> None:
        """Show the present marks of the level that is shown."""
        scene = self.canvas.scene()
        results = self.canvas.session.results
        marks: dict[str, CallMode] = {}
        for path in results.pins.keys() | results.choices.keys():
            *inside, node = path.split("/")
            mode = results.mode_of(path)
            is_here = tuple(inside) == self.canvas.document.inside
            if is_here and node in scene.nodes and mode != "recorded":
                marks[node] = mode
        if marks == scene.results:
            return
        changed = scene.results.keys() | marks.keys()
        scene.results = marks
        for key in changed:
            scene.update(result_mark_area(scene, key, self.canvas.zoom))
        self.canvas.announce()

    def tip(self, point: QPointF) -> str:
        """Return what the tool tip says at a point; "" for nothing."""
        scene = self.canvas.scene()
        node = result_mark_at(scene, point, self.canvas.zoom)
        if not node:
            return ""
        title = scene.nodes[node].title
        return f"{title} {words_of(scene.results[node])}."

    def paint(self, painter: QPainter, exposed: QRectF, zoom: float) -> None:
        """Paint the marks."""
        paint_results(painter, self.canvas.scene(), exposed, zoom)


def _on_trigger(action: QAction, act: partial[None]) -> None:
    action.triggered.connect(lambda _checked=False: act())
