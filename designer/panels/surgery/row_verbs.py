"""What the rows of Edit and fork ask for: values, answers, messages in another order, and
the menu of a row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Protocol

from PySide6.QtCore import QObject, QPoint, Qt
from PySide6.QtWidgets import QMenu, QWidget

from designer.look.theme import Look
from designer.model.staged_changes import Entry, order_of, value_before
from designer.panels.fields.plain import same_json
from designer.panels.surgery.row_menu import menu_of
from designer.panels.surgery.row_view import RowView
from designer.panels.surgery.rows import (
    NOTHING,
    Opened,
    Row,
    SectionRows,
    Subject,
    known_value,
)
from designer.panels.surgery.section_view import SectionView
from designer.panels.surgery.sections import moment_or_nothing
from designer.session.session import DebugSession
from runtime.debug.protocol import PatchParseBody


class Shown(Protocol):
    """The panel, as far as the verbs need it."""

    opened: Opened
    sections: dict[str, SectionView]

    def refresh(self) -> None: ...
    def views(self) -> Iterator[RowView]: ...
    def enter_row(self, subject: Subject) -> None: ...
    def scroll_to(self, view: QWidget) -> None: ...
    def node_title(self, node_id: str) -> str: ...


class RowVerbs(QObject):
    """Each verb stages a change. `shown` is the panel."""

    def __init__(
        self, session: DebugSession, look: Look, shown: Shown, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._staged = session.staged
        self._look = look
        self._shown = shown
        self._parent = parent

    def toggle(self, row: Row) -> None:
        """Open a row, or close it."""
        self._shown.opened.rows ^= {row.name}
        self._shown.refresh()

    def type_value(self, row: Row, value: Any) -> None:
        """Stage what was typed; a value as it was before is no change."""
        self._shown.opened.as_json.pop(row.name, None)
        do = "answer" if row.kind == "request" else "set"
        old = known_value(row.old) if do == "set" else NOTHING
        if old is not NOTHING and same_json(old, value):
            self._staged.take_back(*row.ids)
            return
        was = None if old is NOTHING else old
        change = row.subject.change(do, value=value, was=was)
        self._staged.stage(change, typing=row.name)

    def settle(self) -> None:
        self._staged.settle()

    def undo(self, row: Row) -> None:
        self._staged.take_back(*row.ids)

    def act(self, row: Row, verb: str) -> None:
        """Do what a key or an entry of the menu of a row says."""
        verbs: dict[str, Callable[[], object]] = {
            "undo": self._staged.undo,
            "redo": self._staged.redo,
            "json": partial(self._edit_as_json, row),
            "drop": partial(self._drop, row),
            "duplicate": partial(self._duplicate, row),
            "up": partial(self._move_by, row, -1),
            "down": partial(self._move_by, row, 1),
            "take back": partial(self.undo, row),
        }
        verbs[verb]()

    def address(self, row: Row, source: str | None, target: str | None) -> None:
        """Send a message from another executor, or to another one."""
        change = row.subject.whole.change("address", source=source, target=target)
        self._staged.stage(change)

    def open_menu(self, row: Row, where: QPoint) -> None:
        menu = self.menu_for(row)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(where)

    def menu_for(self, row: Row) -> QMenu:
        return menu_of(row, self, self._look, self._parent)

    def node_choices(self) -> list[tuple[str, str]]:
        """Return the executors of the shown level, as (title, id)."""
        moment = moment_or_nothing(self._staged.original)
        return [(self._shown.node_title(node), node) for node in moment.nodes]

    def walk(self, view: QWidget, by: int) -> None:
        """Go to the next row, or to the one before."""
        views = list(self._shown.views())
        if view in views:
            place = views.index(view) + by
            if 0 <= place < len(views):
                views[place].setFocus(Qt.FocusReason.TabFocusReason)
                self._shown.scroll_to(views[place])

    def _drop(self, row: Row) -> None:
        subject = row.subject
        if row.kind == "message":
            self._staged.stage(subject.whole.change("drop"))
        elif row.kind == "request":
            self._staged.stage(subject.whole.change("withdraw"))
        elif row.old is None:
            self._staged.take_back(*row.ids)
        else:
            self._staged.stage(subject.change("remove"))

    def _duplicate(self, row: Row) -> None:
        if row.subject.section in ("queue", "buffers"):
            self._staged.stage(row.subject.whole.change("duplicate"))

    def _edit_as_json(self, row: Row) -> None:
        """Ask for the whole value, and let the user type over it."""

        def on_value(body: PatchParseBody | None) -> None:
            if body is not None:
                subject = row.subject
                opened = self._shown.opened
                opened.rows.add(f"message {subject.whole.name}")
                opened.as_json[f"value {subject.name}"] = value_before(body.change)
                self._shown.refresh()
                self._shown.enter_row(subject)

        reading = row.subject.change("set").model_copy(update={"id": "read"})
        self._staged.read(reading, on_value)

    # --- the order of messages ---

    def _section_of(self, row: Row) -> tuple[SectionView, SectionRows] | None:
        """Return the section that has a row."""
        for view in self._shown.sections.values():
            section = view.section
            if section is not None and row in section.rows:
                return view, section
        return None

    def _order(self, row: Row) -> tuple[list[Entry], int]:
        """Return the messages beside a row in their order, and how many there are in
        the original.
        """
        found = self._section_of(row)
        count = found[1].count if found is not None else 0
        about = row.subject.change("drop")
        return order_of(self._staged.draft.changes, about, count), count

    def _move_by(self, row: Row, by: int) -> None:
        entry = row.subject.entry
        order, _count = self._order(row)
        if entry is not None and entry in order:
            self._move_to(row, order.index(entry) + by)

    def _move_to(self, row: Row, place: int) -> None:
        entry = row.subject.entry
        order, count = self._order(row)
        if entry is None or entry not in order or not 0 <= place < len(order):
            return
        order.remove(entry)
        order.insert(place, entry)
        about = row.subject.change("drop")
        draft = self._staged.draft.with_order(about, order, entry, count)
        self._staged.put(draft)

    def drag(self, row: Row, where: QPoint, *, is_over: bool) -> None:
        """Show where a dragged message would be put, or put it there."""
        found = self._section_of(row)
        if found is None:
            return
        view, _section = found
        place = view.place_at(where)
        view.show_drop(None if is_over else place)
        entry = row.subject.entry
        order, _count = self._order(row)
        if is_over and entry is not None and entry in order:
            # Its own place is free once it is taken out.
            before = order.index(entry)
            self._move_to(row, place - 1 if place > before else place)
