"""What eyes that cannot see, and hands without a mouse, need of every widget: rules,
and who breaks them.
"""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractScrollArea,
    QComboBox,
    QMenuBar,
    QScrollBar,
    QTabBar,
    QToolButton,
    QWidget,
)


def faults(root: QWidget) -> set[str]:
    """Everything below a window that is seen: without a name, without a tip, or in the
    way of the focus.
    """
    found = {fault for widget in _seen(root) for fault in _faults(widget)}
    return found | {
        f"{_path(widget)} takes the focus and has no size"
        for widget in _chain(root)
        if widget.size().isEmpty()
    }


def _faults(widget: QWidget) -> Iterator[str]:
    if _is_used(widget) and not name_of(widget):
        yield f"{_path(widget)} has no name"
    if (
        isinstance(widget, QAbstractButton)
        and _is_icon_only(widget)
        and not widget.toolTip()
    ):
        yield f"{_path(widget)} has no words and no tip"
    action = widget.defaultAction() if isinstance(widget, QToolButton) else None
    keys = action.shortcut().toString() if action is not None else ""
    if keys and keys not in widget.toolTip():
        yield f"{_path(widget)} does not say its key {keys}"


def name_of(widget: QWidget) -> str:
    """What a screen reader says of it."""
    interface = QAccessible.queryAccessibleInterface(widget)
    # on Linux Qt says what is chosen, and what the label is that belongs to it
    if isinstance(widget, QComboBox):
        labels = interface.relations(QAccessible.RelationFlag.Label)
        return widget.accessibleName() or "".join(
            part.text(QAccessible.Text.Name) for part, _flag in labels
        )
    return interface.text(QAccessible.Text.Name).strip()


def _seen(root: QWidget) -> Iterator[QWidget]:
    yield from (
        widget for widget in (root, *root.findChildren(QWidget)) if widget.isVisible()
    )


def _is_used(widget: QWidget) -> bool:
    """Whether a person gets there with Tab or a click. Parts of one widget are named by
    it.
    """
    parent = widget.parentWidget()
    if isinstance(widget, QScrollBar | QMenuBar) or (
        isinstance(parent, QTabBar) and not isinstance(widget, QAbstractButton)
    ):
        return False
    if isinstance(parent, QAbstractScrollArea) and parent.viewport() is widget:
        return False
    if widget.focusProxy() is not None or not widget.isEnabled():
        return False
    return bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus) or isinstance(
        widget, QAbstractButton
    )


def _is_icon_only(button: QAbstractButton) -> bool:
    alone = (
        isinstance(button, QToolButton)
        and button.toolButtonStyle() == Qt.ToolButtonStyle.ToolButtonIconOnly
    )
    return (alone and not button.icon().isNull()) or not button.text()


def _chain(root: QWidget) -> Iterator[QWidget]:
    """What Tab comes to, all the way round."""
    widget = root.nextInFocusChain()
    while widget is not root:
        if (
            widget.isVisibleTo(root)
            and widget.isEnabled()
            and widget.focusPolicy() & Qt.FocusPolicy.TabFocus
        ):
            yield widget
        widget = widget.nextInFocusChain()


def _path(widget: QWidget) -> str:
    names = []
    part = widget
    while part is not None and len(names) < 5:
        names.append(
            type(part).__name__ + (f"“{part.windowTitle()}”" if part.isWindow() else "")
        )
        part = part.parentWidget()
    return (
        " in ".join(names) + f" ({widget.toolTip() or widget.property('text') or ''})"
    )
