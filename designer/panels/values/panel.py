"""What State and Messages have in common: a search field over a tree that follows the moment."""

from __future__ import annotations

from typing import ClassVar

from PySide6.QtWidgets import QWidget

from designer.panels.base import NO_RUN, NOT_INSIDE, Panel
from designer.panels.values.changes import Changes
from designer.panels.values.model import Done, Node, mark_changes, removed
from designer.panels.values.tree import ValueTree
from designer.panels.values.view_as import Viewing
from designer.panels.widgets.basic import ContentOrNotice, SearchField, hairline, label
from designer.qt.layouts import column, put, row
from runtime.debug.protocol import Moment


class ValuePanel(Panel):
    """A subclass says in `build` which rows there are at a moment, and in `nothing` what to say when there are none.

    The tree keeps what is open and where it is scrolled to; what differs from the moment looked at before is marked.
    """

    area = "right-debug"
    marks = True
    sections: ClassVar[tuple[str, ...]] = ()  # of a comparison

    is_about_level = True

    def set_up(self) -> None:
        self.search = SearchField(self.look, f"Search {self.title.lower()}")
        self.tree = ValueTree(self.look, self._expand, self.title)
        self._hint = label("", "caption", wrap=True)
        content = QWidget()
        layout = column(content)
        put(layout, row(self.search, margins=(12, 8, 12, 8)))
        layout.addWidget(hairline())
        self._hint.setContentsMargins(12, 6, 12, 4)
        self._hint.hide()
        layout.addWidget(self._hint)
        self.viewing = Viewing(self.tree, self.look)
        layout.addWidget(self.viewing, 1)
        self.stack = ContentOrNotice(content, self.look)
        self.changes = Changes(self.session, self.look, self.sections, self.node_title)
        self.stack.addWidget(self.changes)
        column(self).addWidget(self.stack)
        self._shown: Moment | None = None
        self._baseline: tuple[Moment, Node] | None = None
        self._since = ""
        self.search.textChanged.connect(self._on_search)
        self.session.viewed.connect(self.invalidate)
        self.session.changed.connect(self._on_session)
        self.session.compared.connect(self.invalidate)

    def build(self, moment: Moment) -> Node:
        raise NotImplementedError

    def nothing(self, moment: Moment) -> tuple[str, str]:
        """Head and text for a moment without rows."""
        raise NotImplementedError

    def refresh(self) -> None:
        moment = self.session.seen
        inside = self.session.inside
        if moment is None:
            self._say_no_moment()
            return
        if inside is not None and inside.moment is None:
            self._shown = self._baseline = None
            self.tree.show_root(Node(""))
            self.stack.say(self.icon, *NOT_INSIDE)
            return
        if self.changes.is_on:
            self.changes.show_changes()
            self.stack.setCurrentWidget(self.changes)
            return
        root = self.build(moment)
        self._compare(moment, root)
        self._shown = moment
        self.tree.show_root(root)
        self._say_found()
        if root.children:
            self.stack.show_content()
        else:
            self.stack.say(self.icon, *self.nothing(moment))

    # --- inside

    def _compare(self, moment: Moment, root: Node) -> None:
        if self._shown is not None and not _same_place(self._shown, moment):
            if _same_run(self._shown, moment):
                self._baseline = (self._shown, self.tree.values.root)
            else:
                self._baseline = None
        self._since = ""
        if self.marks and self._baseline is not None:
            mark_changes(self._baseline[1], root)
            self._since = self._summary(self._baseline[0], self._baseline[1], root)

    def _summary(self, base: Moment, old: Node, new: Node) -> str:
        """What the marks are against, and what is gone, which has no row to be marked."""
        name = self.session.timeline.name(
            base.header.id if base.header is not None else None
        )
        marks = [
            node.mark
            for node in new.walk()
            if node.mark and not any(child.mark for child in node.children)
        ]
        removed_names = removed(old, new)
        if not marks and not removed_names:
            return ""
        counts = [
            (marks.count("changed"), "changed"),
            (marks.count("new"), "new"),
            (len(removed_names), "removed"),
        ]
        text = ", ".join(f"{count} {word}" for count, word in counts if count)
        if removed_names:
            names = f" ({', '.join(removed_names[:3])}{', …' if len(removed_names) > 3 else ''})"
        else:
            names = ""
        return f"Since {name or f'superstep {base.superstep}'}: {text}{names}."

    def _say_no_moment(self) -> None:
        self._shown = self._baseline = None
        self.tree.show_root(Node(""))
        if self.session.running:
            self.stack.say(
                "clock",
                "Running",
                "The first checkpoint of this run has not been reached yet.",
            )
        else:
            self.stack.say(self.icon, *NO_RUN)

    def _on_session(self) -> None:
        if self.session.seen is None:
            self.invalidate()

    def _on_search(self, text: str) -> None:
        self._say_found(self.tree.search(text))

    def _say_found(self, count: int | None = None) -> None:
        text = self.search.text().strip()
        if not text:
            self._hint.setText(self._since)
            self._hint.setVisible(bool(self._since))
            return
        count = self.tree.search(text) if count is None else count
        if self.tree.unloaded():
            limit_note = " Values that are not open yet are not searched."
        else:
            limit_note = ""
        self._hint.setText(
            f"{count or 'No'} {'row' if count == 1 else 'rows'} found.{limit_note}"
        )
        self._hint.show()

    def _expand(
        self, section: str, path: tuple[int, ...], offset: int, done: Done
    ) -> None:
        self.session.expand(section, path, offset, done)


def _same_place(a: Moment, b: Moment) -> bool:
    if a.header is None or b.header is None:
        return a.header is b.header and a.superstep == b.superstep
    return a.header.id == b.header.id


def _same_run(a: Moment, b: Moment) -> bool:
    return a.header is None or b.header is None or a.header.run_id == b.header.run_id
