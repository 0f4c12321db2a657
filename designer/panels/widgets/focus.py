"""Tab goes through a panel in the order in which things stand, also through those that were made later.

Qt appends what is made late to the end of the window's order, and a form is made when its node is selected.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLayout, QScrollArea, QStackedWidget, QWidget

from designer.qt.layouts import parts


def stops(widget: QWidget) -> Iterator[QWidget]:
    """What takes the focus with Tab, from a widget inwards, in the order of the layouts."""
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
    """Let everything inside of `anchor` follow it in the window's order. The anchor itself needs a focus policy."""
    for before, after in pairwise(
        [anchor, *(stop for stop in stops(anchor) if stop is not anchor)]
    ):
        QWidget.setTabOrder(before, after)
