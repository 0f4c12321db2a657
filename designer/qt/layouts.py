"""Rows and columns of widgets. Here every layout of the window is put in its place
while it is empty, and filled afterwards, because of a crash.

PySide wraps each item of a filled layout that is put into another, and each item that
`itemAt` returns. Qt deletes an item together with its widget, and PySide does not
notice: the wrapper stays, its address is used by another object, and when that is
deleted, PySide uses freed memory. So `row` and `stack` only describe a layout, and
`put` creates it in its place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, Generic, TypeVar

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QBoxLayout,
    QGridLayout,
    QHBoxLayout,
    QLayout,
    QVBoxLayout,
    QWidget,
)

Margins = tuple[int, int, int, int]
AnyLayout = TypeVar("AnyLayout", bound=QLayout)
AnyBox = TypeVar("AnyBox", bound=QBoxLayout)


@dataclass(frozen=True)
class Plan(Generic[AnyBox]):
    """A description of a row or a column. An int is a fixed gap, None takes the free
    room, and a pair is a part with its stretch.
    """

    make: Callable[[], AnyBox]
    items: tuple[Item, ...]
    gap: int
    margins: Margins


Part = QWidget | Plan[Any]
Item = Part | tuple[Part, int] | int | None


def row(
    *items: Item, gap: int = 8, margins: Margins = (0, 0, 0, 0)
) -> Plan[QHBoxLayout]:
    return Plan(QHBoxLayout, items, gap, margins)


def stack(
    *items: Item, gap: int = 0, margins: Margins = (0, 0, 0, 0)
) -> Plan[QVBoxLayout]:
    return Plan(QVBoxLayout, items, gap, margins)


def column(
    parent: QWidget, *, margins: Margins = (0, 0, 0, 0), gap: int = 0
) -> QVBoxLayout:
    """Return a new layout of a widget, from top to bottom."""
    return put(parent, stack(gap=gap, margins=margins))


def put(
    place: QWidget | QBoxLayout | QGridLayout, plan: Plan[AnyBox], *where: int
) -> AnyBox:
    """Lay out a widget, or add to a layout. `where` is a stretch, or the cells of a
    grid.
    """
    layout = put_empty(place, plan.make(), *where)
    layout.setContentsMargins(*plan.margins)
    layout.setSpacing(plan.gap)
    for item in plan.items:
        match item:
            case None:
                layout.addStretch(1)
            case int():
                layout.addSpacing(item)
            case (part, stretch):
                _put_part(layout, part, stretch)
            case _:
                _put_part(layout, item)
    return layout


def _put_part(layout: QBoxLayout, part: Part, stretch: int = 0) -> None:
    if isinstance(part, QWidget):
        layout.addWidget(part, stretch)
    else:
        put(layout, part, stretch)


def put_empty(
    place: QWidget | QBoxLayout | QGridLayout, layout: AnyLayout, *where: int
) -> AnyLayout:
    """Add an empty layout of another kind, such as a grid; the caller fills it
    afterwards.
    """
    if layout.count():
        raise ValueError("a layout must be put in its place before it is filled")
    if isinstance(place, QWidget):
        place.setLayout(layout)
    elif isinstance(place, QGridLayout):
        top, left, height, width = where
        place.addLayout(layout, top, left, height, width)
    else:
        place.addLayout(layout, *where)
    return layout


def parts(layout: QLayout) -> Iterator[QWidget | QLayout]:
    """Yield the widgets and layouts in a layout, in its order, without `itemAt`."""
    candidates: list[QWidget | QLayout] = []
    owner = layout.parentWidget()
    if owner is not None:
        direct = Qt.FindChildOption.FindDirectChildrenOnly
        candidates += owner.findChildren(QWidget, options=direct)
    candidates += [child for child in layout.children() if isinstance(child, QLayout)]
    places = [(layout.indexOf(part), part) for part in candidates]
    for place, part in sorted(places, key=itemgetter(0)):
        if place >= 0:
            yield part


def clear(layout: QLayout) -> None:
    """Take all widgets out of a layout, and delete them."""
    while layout.count():
        item = layout.takeAt(0)  # owned by Python, which deletes it with the next item
        widget = item.widget() if item is not None else None
        if widget is not None:
            widget.hide()
            widget.deleteLater()
