"""The menu of a row of Edit and fork."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Protocol

from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QMenu, QWidget

from designer.look.icons import themed_icon
from designer.look.theme import Look
from designer.panels.surgery.rows import Row

MANY = 40  # executors of a submenu
BY_EDGES = "Wherever the edges lead"


class Task(Protocol):
    """What the entries of the menu ask for."""

    def act(self, row: Row, verb: str) -> None: ...
    def address(self, row: Row, source: str | None, target: str | None) -> None: ...
    def node_choices(self) -> Sequence[tuple[str, str]]: ...


def menu_of(row: Row, task: Task, look: Look, parent: QWidget) -> QMenu:
    """Return what can be done with a row."""
    menu = QMenu(parent)
    if row.ids:
        _add(menu, task, row, look, "undo", "Undo this change", "take back")
    if not row.is_gone and row.kind != "request":
        _add(
            menu, task, row, look, "code", "Edit the whole value as JSON", "json", "F2"
        )
    match row.kind:
        case "message":
            _add_message_verbs(menu, row, task, look)
        case "request" if not row.is_gone:
            _add(menu, task, row, look, "x", "Withdraw the question", "drop", "Del")
        case "value" if not row.is_gone and row.subject.section != "requests":
            _add(menu, task, row, look, "trash", "Remove", "drop", "Del")
    return menu


def _add_message_verbs(menu: QMenu, row: Row, task: Task, look: Look) -> None:
    if row.is_gone:
        return
    _add(menu, task, row, look, "trash", "Drop", "drop", "Del")
    _add(menu, task, row, look, "copy", "Duplicate", "duplicate", "Ctrl+D")
    menu.addSeparator()
    _add(menu, task, row, look, "chevu", "Move up", "up", "Alt+Up")
    _add(menu, task, row, look, "chev", "Move down", "down", "Alt+Down")
    menu.addSeparator()
    choices = task.node_choices()[:MANY]
    sender = menu.addMenu(themed_icon("out", look), "From")
    for title, node in choices:
        act = partial(task.address, row, node, row.target or None)
        _choose(sender, title, act, is_on=node == row.source)
    if row.subject.section == "queue":
        target = menu.addMenu(themed_icon("inp", look), "To")
        act = partial(task.address, row, row.source, None)
        _choose(target, BY_EDGES, act, is_on=not row.target)
        for title, node in choices:
            act = partial(task.address, row, row.source, node)
            _choose(target, title, act, is_on=node == row.target)


def _choose(menu: QMenu, title: str, act: object, *, is_on: bool) -> None:
    action = menu.addAction(title)
    action.setCheckable(True)
    action.setChecked(is_on)
    action.triggered.connect(act)


def _add(
    menu: QMenu,
    task: Task,
    row: Row,
    look: Look,
    icon: str,
    text: str,
    verb: str,
    key: str = "",
) -> None:
    action = menu.addAction(themed_icon(icon, look), text, partial(task.act, row, verb))
    if key:
        action.setShortcut(QKeySequence(key))
