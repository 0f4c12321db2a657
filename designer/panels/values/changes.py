"""What differs between two checkpoints, in the place of what a panel shows: old → new, removed ones too."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from PySide6.QtWidgets import QWidget

from designer.look.theme import Look
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

MARKS: dict[str, Mark] = {"added": "new", "changed": "changed", "removed": "removed"}
# executors in the way of a message
_ID = re.compile(r"(^from |^| → | ← )(\S+)(?= → | ← |$)")
_KEY = re.compile(r"\['((?:[^'\\]|\\.)*)'\]|\[\"((?:[^\"\\]|\\.)*)\"\]")


class Changes(QWidget):
    """The changes of some sections, as long as the session compares. A panel shows it while `is_on`."""

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
        """Show those that are told by now, and of these the ones that `about` names."""
        body = self._session.comparison
        name = self._session.timeline.name
        base = name(self._session.base) or self._session.base_name or "another run"
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
        # Named by what the answer is of, which may be behind what is looked at for a moment.
        shown_name = name(body.checkpoint_id) or "now"
        if self._session.base_name and self._session.timeline_run:
            shown_name = f"{self._session.timeline_run}, {shown_name}"
        self.words.setText(f"{base} → {shown_name}: {_counted(mine, body)}")
        self.setAccessibleName(self.words.text())
        self.tree.show_root(self._root(mine))

    def _root(self, changes: Iterable[ChangeItem]) -> Node:
        """The changes, below a heading for each section where a panel has several."""
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
        if change.kind == "changed" and _is_short(change.old) and _is_short(change.new):
            # Both in one row, as most changes are of one number or word.
            node.value = Value(
                type="", text=f"{_text(change.old)} → {_text(change.new)}"
            )
        elif change.kind == "changed":
            node.open = True
            sides = (("was", change.old), ("is", change.new))
            node.add(
                Node(word, value, title=word)
                for word, value in sides
                if value is not None
            )
        else:
            node = Node(
                node.key,
                change.new if change.kind == "added" else change.old,
                title=node.title,
            )
        node.mark = MARKS[change.kind]
        return node

    def _place(self, change: ChangeItem) -> str:
        """The path for people: `['draft'].title` -> `draft.title`; executors by their titles."""
        if change.section in ("messages", "joins"):
            return _ID.sub(
                lambda match: match.group(1) + self._title(match.group(2)), change.path
            )
        path = _KEY.sub(
            lambda match: f".{match.group(1) or match.group(2) or ''}", change.path
        ).removeprefix(".")
        if change.section == "executors":
            name, dot, path_inside = path.partition(".")
            return f"{self._title(name)}{dot}{path_inside.replace('_', ' ') if '.' not in path_inside else path_inside}"
        return path


def _is_short(value: Value | None) -> bool:
    return value is not None and not value.count and len(value.text) <= 40


def _text(value: Value | None) -> str:
    return value.text if value is not None else ""


def _counted(changes: list[ChangeItem], body: DiffBody) -> str:
    if not changes:
        return "no difference here" if body.changes else "no difference"
    counts = [
        (sum(change.kind == kind for change in changes), mark)
        for kind, mark in MARKS.items()
    ]
    text = ", ".join(f"{count:,} {mark}" for count, mark in counts if count)
    return f"{text}, {body.more:,} more not shown" if body.more else text


def _nothing_more(
    _section: str, _path: tuple[int, ...], _offset: int, done: Done
) -> None:
    done(ExpandBody(children=(), count=0))
