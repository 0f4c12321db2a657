"""What a press changed: everything that a person, the host, the disk or the clipboard
would notice.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractScrollArea,
    QApplication,
    QComboBox,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QTabBar,
    QTextEdit,
    QToolButton,
    QWidget,
)

from designer.canvas.view import CanvasView
from designer.panels.board.view import BoardView
from designer.panels.timeline.strip import TimelineStrip
from designer.shell.window import Window
from designer.shell.workspace import Workspace
from tests.designer.shell.support import Somebody

Snapshot = dict[str, Any]


def snapshot(
    window: Window, somebody: Somebody, without: QWidget | None = None
) -> Snapshot:
    """The present state by name. `without` is the widget that is pressed: a button that
    only looks pressed does nothing, and a click gives it the focus.
    """
    found: Snapshot = {
        "questions": (len(somebody.asked), len(somebody.told)),
        "settings": repr(window.settings.values),
        "tabs": (
            window.stack.currentIndex(),
            [(page.workspace.document.title, page.way) for page in window.pages.items],
        ),
        "clipboard": _clipboard(),
    }
    for number, workspace in enumerate(window.workspaces):
        found |= {
            f"{number} {name}": value for name, value in _workspace(workspace).items()
        }
    for top in QApplication.topLevelWidgets():
        if top.isVisible():
            found |= _widgets(top, without)
    focused = QApplication.focusWidget()
    if (
        focused is not None
        and focused is not without
        and not isinstance(focused, QAbstractButton)
    ):
        found["focus"] = id(focused)
    return found


def changed(before: Snapshot, after: Snapshot) -> list[str]:
    """The names of what differs."""
    return sorted(
        name
        for name in before.keys() | after.keys()
        if before.get(name) != after.get(name)
    )


def _workspace(workspace: Workspace) -> Snapshot:
    document = workspace.document
    session = workspace.session
    canvas = workspace.canvas
    path = document.path
    return {
        "document": (
            id(document.root),
            document.undo_stack.index(),
            document.inside,
            str(path),
        ),
        "selection": sorted(document.selection),
        "file": (path.stat().st_mtime_ns, sorted(path.parent.iterdir()))
        if path is not None
        else None,
        "session": (
            session.mode,
            session.running,
            session.viewing,
            session.way,
            id(session.moment),
        ),
        "host": len(session._link.sent),  # type: ignore[attr-defined]
        "canvas": (
            canvas.snap,
            canvas.scene().marks,
            type(canvas.gesture).__name__,
            canvas.order,
        ),
    }


def _clipboard() -> tuple[list[str], str]:
    data = QApplication.clipboard().mimeData()
    return (data.formats(), data.text()) if data is not None else ([], "")


def _widgets(top: QWidget, without: QWidget | None) -> Snapshot:
    found: Snapshot = {}
    for number, widget in enumerate(_seen(top)):
        if widget is not without:
            found[f"{type(top).__name__} {number} {type(widget).__name__}"] = _shown(
                widget
            )
    return found


def _seen(top: QWidget) -> Iterator[QWidget]:
    yield top
    yield from (
        widget
        for widget in top.findChildren(QWidget)
        if widget.isVisible() and not _is_undo(widget)
    )


def _is_undo(widget: QWidget) -> bool:
    """Whether it only tells that there are steps: which ones, is told by the document
    itself.
    """
    return isinstance(widget, QToolButton) and widget.text() in ("Undo", "Redo")


def _shown(widget: QWidget) -> tuple[Any, ...]:
    # Where a widget stands on the screen is nothing that a press changes, so it is told
    # from its parent.
    if not widget.isWindow():
        place = widget.geometry().getRect()
    else:
        place = widget.size().toTuple()
    return (place, widget.isEnabled(), *_content(widget))


def _content(widget: QWidget) -> Iterator[Any]:
    if isinstance(widget, QLabel | QAbstractButton | QLineEdit):
        yield widget.text()
    if isinstance(widget, QAbstractButton):
        yield widget.isChecked()
        yield widget.icon().cacheKey()
    if isinstance(widget, QComboBox):
        yield widget.currentText()
    if isinstance(widget, QPlainTextEdit | QTextEdit):
        yield widget.toPlainText()
    if isinstance(widget, QTabBar):
        yield widget.currentIndex()
    if isinstance(widget, QAbstractItemView) and widget.model() is not None:
        at = widget.currentIndex()
        yield (
            at.row(),
            at.column(),
            widget.model().rowCount(),
            widget.indexAt(QPoint(4, 60)).data(),
        )
    if isinstance(widget, QAbstractScrollArea):
        yield (widget.horizontalScrollBar().value(), widget.verticalScrollBar().value())
        yield widget.verticalScrollBar().maximum()
    if isinstance(widget, CanvasView):
        yield (widget.zoom, widget.mapToScene(QPoint()).toTuple())
    if isinstance(widget, BoardView):
        yield (widget.arrows, widget.places.to_scale, widget.selected)
    if isinstance(widget, TimelineStrip):
        yield (widget.base, widget.walker.is_playing, widget.walker.current_id)
        yield (widget.selection.rows, tuple(widget.branches.shown))
