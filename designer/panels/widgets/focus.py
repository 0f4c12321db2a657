"""The Tab order of a panel: that of its layouts, also for widgets that were created
later.

Qt appends a new widget to the end of the window's Tab order, and a form is created when
its node is selected.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLayout, QScrollArea, QStackedWidget, QWidget

from designer.qt.layouts import parts


def stops(widget: QWidget) -> Iterator[QWidget]:
    """Yield the widgets that take the focus with Tab, from a widget inwards, in the
    order of the layouts.
    """
    if widget.focusPolicy() & Qt.FocusPolicy.TabFocus:
        yield widget
    layout = widget.layout()
    inner = None
    if isinstance(widget, QScrollArea):
        inner = widget.widget()
    elif isinstance(widget, QStackedWidget):
        inner = widget.currentWidget()
    elif layout is not None:
        yield from _stops_in(layout)
    if inner is not None:
        yield from stops(inner)


def _stops_in(layout: QLayout) -> Iterator[QWidget]:
    for part in parts(layout):
        yield from stops(part) if isinstance(part, QWidget) else _stops_in(part)


def order_focus(anchor: QWidget) -> None:
    """Move everything inside `anchor` behind it in the window's Tab order. The anchor
    itself needs a focus policy.
    """
    inside = [stop for stop in stops(anchor) if stop is not anchor]
    for before, after in pairwise([anchor, *inside]):
        QWidget.setTabOrder(before, after)
