"""Where the keys go: into a panel, to a name, round the parts of the window."""

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
    """Give the focus to the first thing inside that takes it with Tab. False when nothing does."""
    takes = Qt.FocusPolicy.TabFocus
    inside = (
        part
        for part in widget.findChildren(QWidget)
        if part.isVisible() and part.focusPolicy() & takes
    )
    first = next(inside, None)
    if first is not None:
        first.setFocus(Qt.FocusReason.TabFocusReason)
    return first is not None


def focus_first_field(widget: QWidget) -> None:
    """To the first text field inside, all of its text selected."""
    field = next(
        (field for field in widget.findChildren(QLineEdit) if field.isVisible()), None
    )
    if field is not None:
        field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        field.selectAll()


def focus_next_area(
    areas: Sequence[QWidget], focused: QWidget | None, step: int
) -> None:
    """From the area that has the focus to the one `step` further; from the first if none has it."""
    at = next(
        (
            place
            for place, area in enumerate(areas)
            if focused is not None and _holds(area, focused)
        ),
        0,
    )
    for away in range(1, len(areas) + 1):
        if _enter(areas[(at + away * step) % len(areas)]):
            return


def _enter(area: QWidget) -> bool:
    """To what is in front there; to its tabs when that has nothing to do. False when there is neither."""
    inside = area if not isinstance(area, QTabWidget) else area.tabBar()
    if isinstance(area, QTabWidget) and focus_in(area.currentWidget()):
        return True
    if inside.isVisible():
        inside.setFocus(Qt.FocusReason.ShortcutFocusReason)
    return inside.isVisible()


def _holds(area: QWidget, widget: QWidget) -> bool:
    return area is widget or area.isAncestorOf(widget)


def is_writing(focused: QWidget | None) -> bool:
    """Whether a person is filling in or selecting text, or has a menu or a question open: nothing is put before it."""
    texts = (QLineEdit, QPlainTextEdit, QTextEdit, QComboBox, QAbstractSpinBox)
    busy = (
        QApplication.activePopupWidget() is not None
        or QApplication.activeModalWidget() is not None
    )
    return busy or (isinstance(focused, texts) and focused.hasFocus())
