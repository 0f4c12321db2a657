"""Layouts are put in empty and filled afterwards, by one helper, and nothing else reads
or moves their items.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
import shiboken6
from PySide6.QtWidgets import (
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QVBoxLayout,
    QWidget,
)
from pytestqt.qtbot import QtBot

import designer
from designer.qt.layouts import clear, column, parts, put, put_empty, row, stack
from tests.wrappers import kept

HELPER = "qt/layouts.py"
FORBIDDEN = {
    "addLayout",
    "insertLayout",
    "setLayout",
    "itemAt",
    "itemAtPosition",
    "takeAt",
    "takeRow",
    "addChildLayout",
}
GRAPHICS = {"itemAt": ("canvas",)}  # a scene has a method of that name


@pytest.fixture
def holder(qtbot: QtBot) -> QWidget:
    widget = QWidget()
    qtbot.addWidget(widget)
    return widget


def test_what_stands_in_rows_in_rows_is_laid_out_and_no_item_is_wrapped(
    holder: QWidget,
) -> None:
    first = QLabel("1")
    second = QLabel("2")
    third = QPushButton("3")
    layout = put(
        holder,
        stack(
            first,
            5,
            (row(None, second, gap=3, margins=(1, 2, 3, 4)), 2),
            None,
            third,
            gap=6,
        ),
    )
    inner = next(part for part in parts(layout) if isinstance(part, QHBoxLayout))

    assert isinstance(layout, QVBoxLayout)
    assert layout.count() == 5
    assert [layout.stretch(at) for at in range(5)] == [0, 0, 2, 1, 0]
    assert (layout.spacing(), inner.spacing()) == (6, 3)
    margins = inner.contentsMargins()
    assert (margins.left(), margins.top(), margins.right(), margins.bottom()) == (
        1,
        2,
        3,
        4,
    )
    assert list(parts(layout)) == [first, inner, third]
    assert list(parts(inner)) == [second]
    assert not kept()


def test_a_cell_of_a_grid_takes_a_row(holder: QWidget) -> None:
    grid = put_empty(holder, QGridLayout())
    label = QLabel("x")
    inner = put(grid, row(label), 1, 0, 1, 2)
    assert grid.getItemPosition(grid.indexOf(inner)) == (1, 0, 1, 2)


def test_a_filled_layout_is_refused(holder: QWidget) -> None:
    filled = QHBoxLayout()
    filled.addWidget(QLabel("x"))
    with pytest.raises(ValueError, match="before it is filled"):
        put_empty(column(holder), filled)


@pytest.mark.usefixtures("qapp")
def test_the_check_of_every_test_sees_the_wrappers_of_items() -> None:
    widget = QWidget()
    filled = QHBoxLayout()
    filled.addWidget(QLabel("x"))
    column(widget).addLayout(filled)
    assert kept() == {"QWidgetItem": 1}
    shiboken6.delete(widget)
    del widget, filled
    assert not kept()


def test_a_layout_that_is_cleared_lets_its_widgets_go(
    holder: QWidget, qtbot: QtBot
) -> None:
    layout = column(holder)
    inner = put(layout, stack(QLabel("1"), 4, QLabel("2")))
    clear(inner)
    assert inner.count() == 0
    qtbot.waitUntil(lambda: not holder.findChildren(QLabel))
    assert not kept()


def _calls(path: Path) -> list[str]:
    return [
        node.attr
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and node.attr in FORBIDDEN
    ]


def test_nothing_but_the_helper_puts_layouts_together_or_takes_their_items() -> None:
    root = Path(designer.__file__).parent
    found = {
        f"{path.relative_to(root)}: {name}"
        for path in root.rglob("*.py")
        if path.relative_to(root).as_posix() != HELPER
        for name in _calls(path)
        if path.parent.name not in GRAPHICS.get(name, ())
    }
    assert not found, f"use designer.qt.layouts: {sorted(found)}"
    assert set(_calls(root / HELPER)) == {"addLayout", "setLayout", "takeAt"}
