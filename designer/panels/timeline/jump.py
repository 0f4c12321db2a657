"""The field that goes to a checkpoint by its number, superstep, branch, tag or id, and
the places that it offers.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QListWidget, QListWidgetItem, QWidget

from designer.look.icons import themed_icon
from designer.look.theme import Look
from designer.panels.timeline.words import BOOKMARK, is_bookmarked
from designer.panels.widgets.basic import SearchField, label
from designer.qt.layouts import column
from designer.session.timeline_model import TimelineModel

WIDTH = 320
ROW = 26
ROWS = 9
LIMIT = 100  # places that are listed
_ROW = Qt.ItemDataRole.UserRole
HINT = "#14, s7, a branch, a tag or an id"


class Place(NamedTuple):
    """A checkpoint to go to, in words."""

    text: str
    icon: str
    row: int


def places(model: TimelineModel, text: str, lane: int) -> list[Place]:
    """Return the checkpoints that a text names, the most exact first. Without a text
    these are the bookmarks, the heads of the branches, and the tagged checkpoints.

    lane  the branch in which a superstep is looked for
    """
    query = text.strip().casefold()
    listed: dict[int, Place] = {}
    for place in (*_exact(model, query, lane), *_named(model, query)):
        listed.setdefault(place.row, place)
        if len(listed) == LIMIT:
            break
    return list(listed.values())


def _exact(model: TimelineModel, query: str, lane: int) -> Iterator[Place]:
    """Yield the checkpoint of a number, the one of a superstep, and that of an id."""
    number = query.removeprefix("#")
    if number.isdecimal() and 1 <= int(number) <= model.rowCount():
        row = int(number) - 1
        yield Place(_name(model, row), "timeline", row)
    superstep = query.removeprefix("superstep").removeprefix("s").strip()
    if superstep.isdecimal() and not query.startswith("#"):
        row_of_step = _row_of_superstep(model, int(superstep), lane)
        if row_of_step is not None:
            words = f"superstep {int(superstep)}: {_name(model, row_of_step)}"
            yield Place(words, "superstep", row_of_step)
    exact = model.row_of(query)
    if exact is not None:
        yield Place(_name(model, exact), "timeline", exact)


def _row_of_superstep(model: TimelineModel, superstep: int, lane: int) -> int | None:
    """Return the last checkpoint of a superstep, on a lane or on the lanes that led to
    it.
    """
    if not model.branch_count:
        return None
    row: int | None = model.lanes[lane].last_row
    while row is not None and model.column_of(row) > superstep:
        row = model.parent_row(row)
    if row is None or model.column_of(row) != superstep:
        return None
    return row


def _named(model: TimelineModel, query: str) -> Iterator[Place]:
    """Yield what people or branches gave a name: bookmarks, heads, tags, notes; and ids
    that begin so.
    """
    for row in range(model.rowCount()):
        header = model.header_at(row)
        if is_bookmarked(header) and query in f"{BOOKMARK} {header.note}".casefold():
            yield Place(f"bookmark: {_name(model, row)}", "flag", row)
    for lane in model.lanes:
        if query in lane.branch.casefold():
            words = f"head of {lane.branch}: {_number(lane.last_row)}"
            yield Place(words, "branch", lane.last_row)
    for row in range(model.rowCount()):
        header = model.header_at(row)
        for tag in header.tags:
            if tag != BOOKMARK and query in tag.casefold():
                yield Place(f"{tag}: {_name(model, row)}", "tag", row)
        if header.note and query in header.note.casefold():
            yield Place(f"{header.note}: {_name(model, row)}", "pencil", row)
        if len(query) >= 4 and header.id.casefold().startswith(query):
            yield Place(f"{header.id}: {_name(model, row)}", "timeline", row)


def _name(model: TimelineModel, row: int) -> str:
    header = model.header_at(row)
    return f"{_number(row)}, superstep {header.superstep}, {header.branch}"


def _number(row: int) -> str:
    return f"#{row + 1}"


class JumpField(QFrame):
    """A popup with a field and the places that fit what is typed. Up and Down choose,
    Enter or a click goes there, Esc closes.
    """

    chosen = Signal(int)  # row

    def __init__(
        self, look: Look, model: TimelineModel, lane: int, parent: QWidget
    ) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setProperty("role", "popup")
        self._look = look
        self._model = model
        self._lane = lane
        self.field = SearchField(look, HINT)
        self.field.setAccessibleName("Go to a checkpoint")
        self.list = QListWidget()
        self.list.setAccessibleName("Places")
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.nothing = label("No checkpoint of this run has this name.", "secondary")
        layout = column(self, margins=(8, 8, 8, 8), gap=8)
        for part in (self.field, self.list, self.nothing):
            layout.addWidget(part)
        self.setFixedWidth(WIDTH)
        self.field.textChanged.connect(self._fill)
        self.field.returnPressed.connect(self._choose)
        self.list.itemClicked.connect(self._choose)
        self.field.installEventFilter(self)
        self._fill("")

    def popup(self, above: QPoint) -> None:
        """Show it with its lower left corner at a point of the screen, as far as it
        fits.
        """
        area = self.screen().availableGeometry()
        self.adjustSize()
        x = max(area.left(), min(above.x(), area.right() - WIDTH))
        y = max(area.top(), above.y() - self.height())
        self.move(x, y)
        self.show()
        self.field.setFocus()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            step = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}.get(Qt.Key(event.key()))
            if step is not None and self.list.count():
                row = (self.list.currentRow() + step) % self.list.count()
                self.list.setCurrentRow(row)
                return True
            if event.key() == Qt.Key.Key_Escape:
                self.close()
                return True
        return super().eventFilter(watched, event)

    def _fill(self, text: str) -> None:
        bottom = self.geometry().bottom()
        self.list.clear()
        for place in places(self._model, text, self._lane):
            item = QListWidgetItem(themed_icon(place.icon, self._look), place.text)
            item.setData(_ROW, place.row)
            item.setToolTip(place.text)
            self.list.addItem(item)
        self.list.setCurrentRow(0)
        self.list.setVisible(self.list.count() > 0)
        self.nothing.setVisible(self.list.count() == 0)
        self.list.setFixedHeight(ROW * min(ROWS, max(1, self.list.count())) + 2)
        self.adjustSize()
        if self.isVisible():
            # It stands on what is under it, so it grows and shrinks at its top.
            self.move(self.x(), bottom - self.height() + 1)

    def _choose(self) -> None:
        item = self.list.currentItem()
        if item is not None:
            row: int = item.data(_ROW)
            self.close()
            self.chosen.emit(row)
