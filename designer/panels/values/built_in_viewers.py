"""The built-in viewers of "View as": rows as a table, a text to read, a picture."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable
from typing import Any, NamedTuple

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QSize, Qt
from PySide6.QtGui import QImage, QImageReader, QPixmap, QResizeEvent
from PySide6.QtWidgets import QHeaderView, QLabel, QWidget

from designer.look.fonts import data_font
from designer.look.theme import Look
from designer.panels.widgets.basic import label
from designer.panels.widgets.reader import Reader
from designer.panels.widgets.tables import Columns, Table
from designer.qt.indexes import ROOT, AnyIndex
from designer.qt.layouts import column
from runtime.debug.protocol import ExpandBody, Value
from runtime.values.words import counted

# Requests the children of a value from an offset on.
More = Callable[[int, Callable[[ExpandBody | None], None]], None]
COLUMNS = 60
WIDEST = 260
LONGEST_CELL = 300
LARGEST = 2400  # px of a picture; a larger one is scaled down when it is read
_SEQUENCES = {"list", "tuple", "deque"}
_BYTES = {"bytes", "bytearray"}
_NUMBERS = {"int", "float", "Decimal"}
_NO_ROWS = {*_SEQUENCES, *_BYTES, "str", "set", "frozenset"}


class HostAnswer(NamedTuple):
    """The answer of the host about a value, and the function to ask for more of its
    children.
    """

    body: ExpandBody
    more: More


def viewers_for(value: Value) -> list[str]:
    """Return the names of the viewers that a value may have, the best first.

    It is a guess by the value's first line, because asking the host for every row of a
    tree would take too long.
    """
    if value.type == "str":
        if value.text.startswith("'data:image/"):
            return ["text", "picture"]
        return ["text"]
    if value.type in _BYTES:
        return ["picture"]
    if value.type in _SEQUENCES and value.count:
        if not value.children or _is_row(value.children[0][1]):
            return ["table"]
        return []
    if any(child.type in _BYTES for _, child in value.children or ()):
        return ["picture"]
    return []


def is_table(value: Value) -> bool:
    """Return whether a value may be rows, judged by its first line."""
    return viewers_for(value)[:1] == ["table"]


def shows_more(value: Value) -> bool:
    """Return whether a viewer should open by itself, because it shows more than the
    row: for a long text it does.
    """
    names = viewers_for(value)
    if not names:
        return False
    # A text with children was cut in its row.
    return names != ["text"] or value.count > 0


def make_viewer(name: str, answer: HostAnswer, look: Look) -> QWidget | None:
    """Return a widget that shows the value, or None when this viewer does not fit."""
    if name == "picture" or (name == "text" and answer.body.picture):
        picture = picture_in(answer.body.picture)
        return PictureViewer(picture) if picture is not None else None
    if name == "text" and answer.body.text is not None:
        return TextViewer(answer.body, look)
    if name == "table":
        rows = _rows(answer.body)
        return TableViewer(answer, rows) if rows else None
    return None


def _is_row(value: Value) -> bool:
    return value.count > 0 and value.type not in _NO_ROWS


# --- text ---------------------------------------------------------------------------------------------------------


class TextViewer(QWidget):
    def __init__(self, body: ExpandBody, look: Look) -> None:
        super().__init__()
        self.reader = Reader(look, "The value")
        self.reader.show_text(body.text or "")
        layout = column(self)
        if body.cut:
            note = label(
                f"The beginning: {body.cut:,} more characters are not shown.",
                "caption",
                wrap=True,
            )
            note.setContentsMargins(12, 4, 12, 4)
            layout.addWidget(note)
        layout.addWidget(self.reader, 1)


# --- pictures -----------------------------------------------------------------------------------------------------


def picture_in(encoded: str) -> QImage | None:
    """Return the picture in a base64 text, scaled down when it is huge; None when it is
    no picture.
    """
    try:
        raw = base64.b64decode(encoded, validate=True)
    except (ValueError, binascii.Error):
        return None
    if not raw:
        return None
    buffer = QBuffer()
    buffer.setData(QByteArray(raw))
    buffer.open(QIODevice.OpenModeFlag.ReadOnly)
    reader = QImageReader(buffer)
    reader.setAutoTransform(True)
    size = reader.size()
    if size.isValid() and max(size.width(), size.height()) > LARGEST:
        reader.setScaledSize(
            size.scaled(LARGEST, LARGEST, Qt.AspectRatioMode.KeepAspectRatio)
        )
    image = reader.read()
    return None if image.isNull() else image


class PictureViewer(QWidget):
    """A picture as large as the room, but never larger than its own size."""

    def __init__(self, image: QImage) -> None:
        super().__init__()
        self._image = image
        self.picture = QLabel()
        self.picture.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.picture.setMinimumSize(1, 1)
        self.picture.setAccessibleName(
            f"A picture of {image.width()} × {image.height()} pixels"
        )
        size = label(f"{image.width()} × {image.height()} pixels", "caption")
        size.setContentsMargins(12, 4, 12, 4)
        layout = column(self)
        layout.addWidget(self.picture, 1)
        layout.addWidget(size)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        ratio = self.devicePixelRatioF()
        room = QSize(self.picture.width() - 16, self.picture.height() - 8) * ratio
        shown = self._image
        if shown.width() > room.width() or shown.height() > room.height():
            shown = shown.scaled(
                room.expandedTo(QSize(1, 1)),
                Qt.AspectRatioMode.KeepAspectRatio,
                Qt.TransformationMode.SmoothTransformation,
            )
        pixmap = QPixmap.fromImage(shown)
        pixmap.setDevicePixelRatio(ratio)
        self.picture.setPixmap(pixmap)


# --- rows ---------------------------------------------------------------------------------------------------------


def _rows(body: ExpandBody) -> list[Value]:
    """Return the rows of a page, or [] when its values are no rows.

    The page ends before a row that was sent without its cells, so that the next page
    begins with that row.
    """
    rows = []
    for _, value in body.children:
        if not _is_row(value):
            return []
        if value.children is None:
            break
        rows.append(value)
    return rows


class TableViewer(QWidget):
    """A table of dicts or records: a column for each name, in the order of first
    appearance.
    """

    def __init__(self, answer: HostAnswer, rows: list[Value]) -> None:
        super().__init__()
        self.rows = _Rows(answer, rows, self)
        self.table = Table(self.rows, "The value as a table", ())
        self.table.setHorizontalScrollMode(Table.ScrollMode.ScrollPerPixel)
        self.table.resizeColumnsToContents()
        head = self.table.horizontalHeader()
        head.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        for place in range(self.rows.columnCount()):
            width = self.table.columnWidth(place) + 8
            self.table.setColumnWidth(place, min(width, WIDEST))
        text = counted(answer.body.count, "row")
        if self.rows.hidden:
            text += f" · {self.rows.hidden} more columns in the tree"
        note = label(text, "caption")
        note.setContentsMargins(12, 4, 12, 4)
        layout = column(self)
        layout.addWidget(self.table, 1)
        layout.addWidget(note)


class _Rows(Columns):
    def __init__(self, answer: HostAnswer, rows: list[Value], parent: QWidget) -> None:
        super().__init__(parent)
        self._answer = answer
        self._count = answer.body.count
        names = dict.fromkeys(name for row in rows for name, _ in row.children or ())
        self.hidden = max(0, len(names) - COLUMNS)
        self.heads = tuple(names)[:COLUMNS]
        self._rows = [dict(row.children or ()) for row in rows]
        first = self._rows[0] if self._rows else {}
        self.numbers = frozenset(
            column_index
            for column_index, name in enumerate(self.heads)
            if name in first and first[name].type in _NUMBERS
        )
        self._waiting = False

    def rowCount(self, parent: AnyIndex = ROOT) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def canFetchMore(self, parent: AnyIndex) -> bool:
        return (
            not parent.isValid() and not self._waiting and len(self._rows) < self._count
        )

    def fetchMore(self, parent: AnyIndex) -> None:
        self._waiting = True
        self._answer.more(len(self._rows), self._on_page)

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        value = self._rows[index.row()].get(self.heads[index.column()])
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return _cell(value)
            case Qt.ItemDataRole.ToolTipRole if value is not None:
                return f"{value.type}\n{value.text}"
            case Qt.ItemDataRole.FontRole:
                return data_font()
            case Qt.ItemDataRole.TextAlignmentRole if index.column() in self.numbers:
                return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        return None

    def _on_page(self, body: ExpandBody | None) -> None:
        page = _rows(body) if body is not None else []
        if not page:
            # The next values are no rows, so the table ends here; the tree has them.
            self._count = len(self._rows)
            return
        rows = [dict(row.children or ()) for row in page]
        self.beginInsertRows(ROOT, len(self._rows), len(self._rows) + len(rows) - 1)
        self._rows += rows
        self.endInsertRows()
        self._waiting = False


def _cell(value: Value | None) -> str:
    """Return the text of a cell, without quotes; "" for None and for a missing value."""
    if value is None or value.type == "None":
        return ""
    text = value.text
    is_quoted = len(text) >= 2 and text[0] in "'\"" and text[-1] == text[0]
    if value.type == "str" and is_quoted:
        text = text[1:-1]
    return text[:LONGEST_CELL]
