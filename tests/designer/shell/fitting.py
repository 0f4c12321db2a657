"""What does not fit in a window: cut widgets and words, rooms that are too small, tabs
and buttons out of sight.
"""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractScrollArea,
    QCheckBox,
    QDialog,
    QLabel,
    QPushButton,
    QRadioButton,
    QTabBar,
    QToolButton,
    QWidget,
)

from designer.canvas.view import CanvasView
from designer.panels.widgets.basic import ElidedLabel

CANVAS_LEAST = (240, 110)


def misfits(window: QWidget) -> set[str]:
    """Everything in a window that somebody cannot see wholly, though it is there to be
    seen.
    """
    found = {fault for widget in _seen(window) for fault in _faults(widget)}
    for canvas in window.findChildren(CanvasView):
        if canvas.isVisible():
            found |= set(_canvas_faults(canvas))
    return found


def _faults(widget: QWidget) -> Iterator[str]:
    name = path(widget)
    parent = widget.parentWidget()
    if parent is not None and not widget.isWindow():
        yield from _cut(widget, parent, name)
    if (
        isinstance(widget, QTabBar)
        and parent is not None
        and widget.count()
        and not widget.usesScrollButtons()
    ):
        last = widget.tabRect(widget.count() - 1)
        if widget.mapTo(parent, last.bottomRight()).x() > parent.width():
            yield f"{name}: tabs out of sight"
    if isinstance(widget, QPushButton | QCheckBox | QRadioButton) or _has_words(widget):
        yield from _words_cut(widget, name)
    if (
        type(widget) is QLabel
        and widget.text()
        and not widget.wordWrap()
        and not widget.pixmap()
    ):
        need = QFontMetrics(widget.font()).horizontalAdvance(widget.text())
        if widget.textFormat() == Qt.TextFormat.PlainText and widget.width() < need - 1:
            yield f"{name}: “{widget.text()}” is cut, {widget.width()} of {need} px"
    if isinstance(widget, ElidedLabel) and widget.text():
        shown = QFontMetrics(widget.font()).elidedText(
            widget.text(), widget._mode, widget.contentsRect().width()
        )
        if len(shown.strip("… ")) == 0:
            yield f"{name}: “{widget.text()}” is elided to nothing"


def _cut(widget: QWidget, parent: QWidget, name: str) -> Iterator[str]:
    rect = widget.geometry()
    area = parent.parentWidget()
    if isinstance(area, QAbstractScrollArea) and area.viewport() is parent:
        scrolls = (
            area.horizontalScrollBarPolicy() != Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        )
        if isinstance(area, CanvasView):
            if not parent.rect().contains(rect):
                yield f"{name}: out of the view"
        elif not scrolls and (rect.left() < 0 or rect.width() > parent.width()):
            yield f"{name}: {rect.width()} px in a view of {parent.width()}"
    elif not rect.isEmpty() and not parent.rect().adjusted(-1, -1, 1, 1).contains(rect):
        yield f"{name}: {_words(rect)} is not in {_words(parent.rect())}"


def _words_cut(button: QWidget, name: str) -> Iterator[str]:
    assert isinstance(button, QAbstractButton)
    if button.text() and button.width() < button.sizeHint().width() - 1:
        yield f"{name}: “{button.text()}” is cut, {button.width()} of {button.sizeHint().width()} px"


def _has_words(widget: QWidget) -> bool:
    if not isinstance(widget, QToolButton):
        return False
    return widget.toolButtonStyle() != Qt.ToolButtonStyle.ToolButtonIconOnly and bool(
        widget.text()
    )


def _canvas_faults(canvas: CanvasView) -> Iterator[str]:
    room = canvas.viewport().size()
    if room.width() < CANVAS_LEAST[0] or room.height() < CANVAS_LEAST[1]:
        yield f"the canvas has {room.width()} × {room.height()} px"
    floating = canvas.floating
    if floating.legend.isVisible() and floating.legend.geometry().intersects(
        floating.zoom_bar.geometry()
    ):
        yield "the legend lies under the zoom"
    seen = canvas.mapToScene(canvas.viewport().rect()).boundingRect()
    if not seen.contains(canvas.scene().drawing_rect()):
        yield "the graph is not wholly in view"


def dialog_misfits(dialog: QDialog, room: QRect) -> set[str]:
    """The same of a dialog on a screen that has this room: all of it is there, the
    buttons above all.
    """
    found = misfits(dialog)
    if not room.contains(dialog.geometry()):
        found.add(f"{path(dialog)}: {_words(dialog.geometry())} is not on the screen")
    for button in dialog.findChildren(QPushButton):
        if button.isVisible() and not _in_scroll_area(button, dialog):
            rect = QRect(button.mapTo(dialog, QPoint()), button.size())
            if not dialog.rect().contains(rect):
                found.add(
                    f"{path(button)}: the button “{button.text()}” is out of sight"
                )
    return found


def _in_scroll_area(widget: QWidget, top: QWidget) -> bool:
    while widget is not top:
        widget = widget.parentWidget()
        if isinstance(widget, QAbstractScrollArea):
            return True
    return False


def _seen(window: QWidget) -> Iterator[QWidget]:
    for widget in (window, *window.findChildren(QWidget)):
        if widget.isVisible() and widget.window() is window:
            yield widget


def path(widget: QWidget) -> str:
    names: list[str] = []
    while widget is not None and not widget.isWindow() and len(names) < 4:
        said = widget.objectName() or widget.accessibleName()
        names.append(type(widget).__name__ + (f" '{said}'" if said else ""))
        widget = widget.parentWidget()
    return " in ".join(names) or type(widget).__name__


def _words(rect: QRect) -> str:
    return f"{rect.width()} × {rect.height()} at {rect.x()}, {rect.y()}"
