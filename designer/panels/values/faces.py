"""Other faces of a value than its tree: rows as a table, a text to read, a picture. "View as" offers them."""

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

# asks for children from an offset on
More = Callable[[int, Callable[[ExpandBody | None], None]], None]
COLUMNS = 60
WIDEST = 260
LONGEST_CELL = 300
LARGEST = 2400  # px, of a picture that is shown
_SEQUENCES = {"list", "tuple", "deque"}
_BYTES = {"bytes", "bytearray"}
_NUMBERS = {"int", "float", "Decimal"}
_NO_ROWS = {*_SEQUENCES, *_BYTES, "str", "set", "frozenset"}


class Asked(NamedTuple):
    """What the host said of a value, and how it is asked for more."""

    body: ExpandBody
    more: More


def may_be(value: Value) -> list[str]:
    """The faces that a value may have, the best first, as far as its first line tells."""
    if value.type == "str":
        if value.text.startswith("'data:image/"):
            return ["text", "picture"]
        return ["text"]
    if value.type in _BYTES:
        return ["picture"]
    if value.type in _SEQUENCES and value.count:
        first = value.children[0][1] if value.children else None
        return ["table"] if first is None or _is_row(first) else []
    if any(child.type in _BYTES for _, child in value.children or ()):
        return ["picture"]
    return []


def is_table(value: Value) -> bool:
    """Whether it may be rows, as far as its first line tells."""
    return may_be(value)[:1] == ["table"]


def is_worth_it(value: Value) -> bool:
    """Whether a value is better seen otherwise than as a row of a tree, without being asked for: a long text is."""
    faces = may_be(value)
    return bool(faces) and (
        faces[0] != "text" or value.count > 0 or faces[-1] == "picture"
    )


def face_of(name: str, asked: Asked, look: Look) -> QWidget | None:
    """A widget that shows the value so; None where it has no such face."""
    if name == "picture" or (name == "text" and asked.body.picture):
        picture = picture_in(asked.body.picture)
        return PictureFace(picture) if picture is not None else None
    if name == "text" and asked.body.text is not None:
        return TextFace(asked.body, look)
    if name == "table":
        rows = _rows(asked.body)
        return RowsFace(asked, rows) if rows else None
    return None


def _is_row(value: Value) -> bool:
    return value.count > 0 and value.type not in _NO_ROWS


# --- text ---------------------------------------------------------------------------------------------------------


class TextFace(QWidget):
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
    """The picture in base64, not larger than one looks at; None for what is none."""
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


class PictureFace(QWidget):
    """As large as there is room, and never larger than it is."""

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
            how = (
                Qt.AspectRatioMode.KeepAspectRatio,
                Qt.TransformationMode.SmoothTransformation,
            )
            shown = shown.scaled(room.expandedTo(QSize(1, 1)), *how)
        pixmap = QPixmap.fromImage(shown)
        pixmap.setDevicePixelRatio(ratio)
        self.picture.setPixmap(pixmap)


# --- rows ---------------------------------------------------------------------------------------------------------


def _rows(body: ExpandBody) -> list[Value]:
    """The rows of a page, if that is what its values are; one that was sent without its cells comes again."""
    rows = []
    for _, value in body.children:
        if not _is_row(value):
            return []
        if value.children is None:
            break
        rows.append(value)
    return rows


class RowsFace(QWidget):
    """Rows of dicts or records: a column for each name, in the order in which they come first."""

    def __init__(self, asked: Asked, rows: list[Value]) -> None:
        super().__init__()
        self.rows = _Rows(asked, rows, self)
        self.table = Table(self.rows, "The value as a table", ())
        self.table.setHorizontalScrollMode(Table.ScrollMode.ScrollPerPixel)
        self.table.resizeColumnsToContents()
        head = self.table.horizontalHeader()
        head.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        for column_index in range(self.rows.columnCount()):
            self.table.setColumnWidth(
                column_index, min(self.table.columnWidth(column_index) + 8, WIDEST)
            )
        count = counted(asked.body.count, "row")
        hidden = self.rows.hidden
        note = label(
            f"{count} · {hidden} more columns in the tree" if hidden else count,
            "caption",
        )
        note.setContentsMargins(12, 4, 12, 4)
        layout = column(self)
        layout.addWidget(self.table, 1)
        layout.addWidget(note)


class _Rows(Columns):
    def __init__(self, asked: Asked, rows: list[Value], parent: QWidget) -> None:
        super().__init__(parent)
        self._asked = asked
        self._count = asked.body.count
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
        self._asked.more(len(self._rows), self._on_page)

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
        if body is not None:
            rows = [dict(row.children or ()) for row in _rows(body)]
        else:
            rows = []
        if not rows:
            # another kind of value, or none: the tree has it
            self._count = len(self._rows)
            return
        self.beginInsertRows(ROOT, len(self._rows), len(self._rows) + len(rows) - 1)
        self._rows += rows
        self.endInsertRows()
        self._waiting = False


def _cell(value: Value | None) -> str:
    """A text without its quotes, and nothing for None and for what a row does not have."""
    if value is None or value.type == "None":
        return ""
    text = value.text
    if (
        value.type == "str"
        and len(text) >= 2
        and text[0] in "'\""
        and text[-1] == text[0]
    ):
        text = text[1:-1]
    return text[:LONGEST_CELL]
