"""Moves the focus: into a panel, to a name, and between the areas of the window."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLineEdit,
    QPlainTextEdit,
    QTabWidget,
    QTextEdit,
    QWidget,
)


def focus_in(widget: QWidget) -> bool:
    """Give the focus to the first widget inside that Tab reaches. Return False if there
    is none.
    """
    for part in widget.findChildren(QWidget):
        if part.isVisible() and part.focusPolicy() & Qt.FocusPolicy.TabFocus:
            part.setFocus(Qt.FocusReason.TabFocusReason)
            return True
    return False


def focus_first_field(widget: QWidget) -> None:
    """Go to the first text field inside, and select its text."""
    for field in widget.findChildren(QLineEdit):
        if field.isVisible():
            field.setFocus(Qt.FocusReason.ShortcutFocusReason)
            field.selectAll()
            return


def focus_next_area(
    areas: Sequence[QWidget], focused: QWidget | None, step: int
) -> None:
    """Go from the area with the focus, or the first, to the next one that can have the
    focus.
    """
    start = 0
    for place, area in enumerate(areas):
        if focused is not None and _holds(area, focused):
            start = place
            break
    for distance in range(1, len(areas) + 1):
        if _enter(areas[(start + distance * step) % len(areas)]):
            return


def _enter(area: QWidget) -> bool:
    """Go to the panel in front of an area, or to its tabs. Return False if it is
    hidden.
    """
    target = area
    if isinstance(area, QTabWidget):
        if focus_in(area.currentWidget()):
            return True
        target = area.tabBar()
    if target.isVisible():
        target.setFocus(Qt.FocusReason.ShortcutFocusReason)
    return target.isVisible()


def _holds(area: QWidget, widget: QWidget) -> bool:
    return area is widget or area.isAncestorOf(widget)


def is_writing(focused: QWidget | None) -> bool:
    """Return whether the user types, or has a menu or a dialog open, so that nothing
    else should come to the front.
    """
    if QApplication.activePopupWidget() is not None:
        return True
    if QApplication.activeModalWidget() is not None:
        return True
    texts = (QLineEdit, QPlainTextEdit, QTextEdit, QComboBox, QAbstractSpinBox)
    return isinstance(focused, texts) and focused.hasFocus()
