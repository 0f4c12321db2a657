"""The differences between two checkpoints, in the place of a panel's usual content: old
→ new, and removed values.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable

from PySide6.QtWidgets import QWidget

from designer.look.theme import Look
from designer.model.differences import in_words
from designer.panels.values.model import Done, Mark, Node
from designer.panels.values.tree import ValueTree
from designer.panels.widgets.basic import ElidedLabel, button, hairline
from designer.qt.layouts import put, row, stack
from designer.session.session import DebugSession
from runtime.debug.protocol import (
    SECTION_TITLES,
    ChangeItem,
    DiffBody,
    ExpandBody,
    Value,
)

MARKS: dict[str, Mark] = {
    "added": "new",
    "changed": "changed",
    "removed": "removed",
    "moved": "moved",
}
# the ids of executors in the path of a message, such as "from a", "a → b" or "a ← b"
_ID = re.compile(r"(^from |^| → | ← )(\S+)(?= → | ← |$)")


class Changes(QWidget):
    """The changes of some sections. A panel shows it while `is_on`, that is while the
    session compares.
    """

    def __init__(
        self,
        session: DebugSession,
        look: Look,
        sections: tuple[str, ...],
        title: Callable[[str], str],
    ) -> None:
        super().__init__()
        self._session = session
        self._sections = sections
        self._title = title
        self.words = ElidedLabel("", "secondary")
        self.end = button("End", lambda: session.compare_with(""), small=True)
        self.end.setToolTip("Stop comparing (Esc)")
        self.tree = ValueTree(look, _nothing_more, "Differences")
        put(
            self,
            stack(
                row((self.words, 1), self.end, margins=(12, 6, 8, 6)),
                hairline(),
                (self.tree, 1),
            ),
        )

    @property
    def is_on(self) -> bool:
        return bool(self._session.base)

    def show_changes(
        self, about: Callable[[ChangeItem], bool] = lambda _change: True
    ) -> None:
        """Show the changes of the comparison that `about` accepts, or that it is still
        loading.
        """
        body = self._session.comparison
        name = self._session.timeline.name
        base = self._session.base_name or name(self._session.base) or "another run"
        if body is None:
            self.words.setText(f"Comparing with {base}…")
            self.tree.show_root(Node(""))
            return
        if body.checkpoint_id == body.base:
            self.words.setText(f"{base}: now choose another checkpoint")
            self.tree.show_root(Node(""))
            return
        mine = [
            change
            for change in body.changes
            if change.section in self._sections and about(change)
        ]
        # The checkpoint of the answer, because the viewed one may be newer for a
        # moment.
        shown_name = name(body.checkpoint_id) or "now"
        if self._session.base_name and self._session.timeline_run:
            shown_name = f"{self._session.timeline_run}, {shown_name}"
        self.words.setText(f"{base} → {shown_name}: {_counted(mine, body)}")
        self.setAccessibleName(self.words.text())
        self.tree.show_root(self._root(mine))

    def _root(self, changes: Iterable[ChangeItem]) -> Node:
        """Return the changes, below a heading per section when the panel has several
        sections.
        """
        root = Node("")
        for section in self._sections:
            mine = [change for change in changes if change.section == section]
            if not mine:
                continue
            parent = root
            if len(self._sections) > 1:
                parent = Node(
                    section,
                    title=SECTION_TITLES[section],
                    tail=f"{len(mine):,}",
                    open=True,
                )
                root.add([parent])
            parent.add(self._row(number, change) for number, change in enumerate(mine))
        return root

    def _row(self, number: int, change: ChangeItem) -> Node:
        node = Node(f"{change.path} {number}", title=self._place(change))
        old = change.old
        new = change.new
        if change.kind != "changed":
            value = new if change.kind == "added" else old
            node = Node(node.key, value, title=node.title)
        elif _is_short(old) and _is_short(new):
            # Both in one row, because most changes are of one number or word.
            node.value = Value(type="", text=f"{_text(old)} → {_text(new)}")
        else:
            node.open = True
            if old is not None:
                node.add([Node("was", old, title="was")])
            if new is not None:
                node.add([Node("is", new, title="is")])
        node.mark = MARKS[change.kind]
        return node

    def _place(self, change: ChangeItem) -> str:
        """Return the path for people: `['draft'].title` -> `draft.title`; executors by
        their titles.
        """
        if change.section in ("messages", "joins"):
            return with_titles(change.path, self._title)
        path = in_words(change.path)
        if change.section == "executors":
            executor_id, dot, field = path.partition(".")
            if "." not in field:
                field = field.replace("_", " ")
            return f"{self._title(executor_id)}{dot}{field}"
        return path


def with_titles(path: str, title: Callable[[str], str]) -> str:
    """Return the path of a message with the titles of executors for their ids."""
    return _ID.sub(lambda match: match.group(1) + title(match.group(2)), path)


def _is_short(value: Value | None) -> bool:
    return value is not None and not value.count and len(value.text) <= 40


def _text(value: Value | None) -> str:
    return value.text if value is not None else ""


def _counted(changes: list[ChangeItem], body: DiffBody) -> str:
    if not changes:
        return "no difference here" if body.changes else "no difference"
    counts: Counter[str] = Counter(change.kind for change in changes)
    parts = [f"{counts[kind]:,} {MARKS[kind]}" for kind in MARKS if counts[kind]]
    if body.more:
        parts.append(f"{body.more:,} more not shown")
    return ", ".join(parts)


def _nothing_more(
    _section: str, _path: tuple[int, ...], _offset: int, done: Done
) -> None:
    done(ExpandBody(children=(), count=0))
