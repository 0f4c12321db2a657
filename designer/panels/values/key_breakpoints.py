"""Breakpoints on the writes of a key, set before its row in the tree of the shared state,
and watches of the values in it.
"""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QMenu

from designer.document.document import Document
from designer.look.icons import themed_icon
from designer.look.theme import Look
from designer.model.breakpoint_words import BreakpointMark, mark_of
from designer.model.breakpoints import new_id, writer_of
from designer.panels.values.model import Node
from designer.panels.values.tree import ValueTree
from designer.session.session import DebugSession
from runtime.debug.protocol import Breakpoint


class KeyBreakpoints(QObject):
    """`edit_requested` carries a breakpoint's id; `watched` follows an added watch."""

    edit_requested = Signal(str)
    watched = Signal()

    def __init__(
        self, document: Document, session: DebugSession, look: Look, tree: ValueTree
    ) -> None:
        super().__init__(tree)
        self._document = document
        self._session = session
        self._look = look
        tree.has_gutter = is_key
        tree.gutter_mark = self.mark
        tree.gutter_clicked.connect(self.turn)

    def points(self, node: Node) -> list[Breakpoint]:
        """Return the breakpoints on writes of a key, on the shown level."""
        inside = self._document.inside
        return [
            point
            for point in self._document.breakpoints.notes.breakpoints
            if point.kind == "write"
            and point.where == node.key
            and point.inside == inside
            and not writer_of(point)
        ]

    def mark(self, node: Node) -> BreakpointMark | None:
        """Return the mark before the row of a key."""
        points = self.points(node)
        session = self._session
        if not points:
            return None
        return mark_of(
            points,
            session.breakpoint_statuses,
            hit=session.hit_breakpoint,
            muted=self._document.breakpoints.notes.muted,
        )

    def describe(self, state: Node) -> None:
        """Give the rows of the keys the words of their marks."""
        for child in state.children:
            mark = self.mark(child) if not child.more else None
            child.gutter = mark.words if mark is not None else ""

    def turn(self, node: Node) -> None:
        """Set a breakpoint on the writes of a key, or turn it off and on."""
        points = self.points(node)
        if not points:
            self._set(node)
            return
        enabled = not any(point.enabled for point in points)
        turned = [point.model_copy(update={"enabled": enabled}) for point in points]
        self._document.breakpoints.put(*turned)

    def _set(self, node: Node) -> None:
        inside = self._document.inside
        point = Breakpoint(id=new_id(), kind="write", where=node.key, inside=inside)
        self._document.breakpoints.put(point)

    def offer(self, menu: QMenu, node: Node) -> None:
        """Add entries to the menu of a row."""
        if is_key(node):
            self._offer_breakpoint(menu, node)
            question = f"write {json.dumps(node.key, ensure_ascii=False)}"
            find = partial(self._session.search_past, question)
            menu.addAction(themed_icon("search", self._look), "Find its writes", find)
        if node.value is not None and node.section == "state":
            icon = themed_icon("eye", self._look)
            menu.addAction(icon, "Watch", partial(self._watch, node.python_path()))

    def _offer_breakpoint(self, menu: QMenu, node: Node) -> None:
        icon = themed_icon("break", self._look)
        points = self.points(node)
        if not points:
            menu.addAction(icon, "Stop when it is written", partial(self._set, node))
            return
        edit = partial(self.edit_requested.emit, points[0].id)
        ids = {point.id for point in points}
        delete = partial(self._document.breakpoints.remove, ids)
        menu.addAction(icon, "Edit its breakpoint…", edit)
        menu.addAction(icon, "Delete its breakpoint", delete)

    def _watch(self, text: str) -> None:
        breakpoints = self._document.breakpoints
        notes = breakpoints.notes
        watches = tuple(dict.fromkeys((*notes.watches, text)))
        breakpoints.take(replace(notes, watches=watches))
        self.watched.emit()


def is_key(node: Node) -> bool:
    """Return whether a row is a key of the shared state."""
    parent = node.parent
    return (
        node.section == "state"
        and len(node.path) == 1
        and not node.more
        and parent is not None
        and parent.key == "state"
    )
