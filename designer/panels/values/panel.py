"""The base of State and Messages: a search field over a tree of values at the viewed
moment.
"""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import ClassVar

from PySide6.QtWidgets import QWidget

from designer.panels.base import NO_RUN, NOT_INSIDE, Panel
from designer.panels.values.changes import Changes
from designer.panels.values.model import Done, Node, mark_changes, removed
from designer.panels.values.origins import ask_origin
from designer.panels.values.tree import ValueTree
from designer.panels.values.view_as import TreeAndViewer
from designer.panels.widgets.basic import ContentOrNotice, SearchField, hairline, label
from designer.qt.layouts import column, put, row
from runtime.debug.protocol import Moment


class ValuePanel(Panel):
    """A subclass returns the rows of a moment from `build`, and a notice from `nothing`
    when there are none.

    The tree keeps its open rows and its scroll position from moment to moment, and
    marks the differences from the moment that was viewed before.
    """

    area = "right-debug"
    marks = True
    sections: ClassVar[tuple[str, ...]] = ()  # those of a comparison that it shows

    is_about_level = True

    def set_up(self) -> None:
        self.search = SearchField(self.look, f"Search {self.title.lower()}")
        self.tree = ValueTree(self.look, self._expand, self.title)
        self.tree.ask_origin = partial(ask_origin, self.session)
        self._hint = label("", "caption", wrap=True)
        content = QWidget()
        layout = column(content)
        put(layout, row(self.search, margins=(12, 8, 12, 8)))
        layout.addWidget(hairline())
        self._hint.setContentsMargins(12, 6, 12, 4)
        self._hint.hide()
        layout.addWidget(self._hint)
        self.tree_and_viewer = TreeAndViewer(self.tree, self.look)
        layout.addWidget(self.tree_and_viewer, 1)
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
        """Return head and text of the notice for a moment without rows."""
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
        """Return what the marks compare with, and the removed values, because these
        have no row to mark.
        """
        base_id = base.header.id if base.header is not None else None
        name = self.session.timeline.name(base_id) or f"superstep {base.superstep}"
        removed_names = removed(old, new)
        counts = Counter({"changed": 0, "new": 0, "removed": len(removed_names)})
        for node in new.walk():
            # Only the innermost marks count, because a parent is marked with its child.
            if node.mark and not any(child.mark for child in node.children):
                counts[node.mark] += 1
        text = ", ".join(f"{count} {word}" for word, count in counts.items() if count)
        if not text:
            return ""
        if removed_names:
            names = ", ".join(removed_names[:3])
            text += f" ({names}, …)" if len(removed_names) > 3 else f" ({names})"
        return f"Since {name}: {text}."

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
        if count is None:
            count = self.tree.search(text)
        hint = f"{count or 'No'} {'row' if count == 1 else 'rows'} found."
        if self.tree.unloaded():
            hint += " Values that are not open yet are not searched."
        self._hint.setText(hint)
        self._hint.show()

    def _expand(
        self, section: str, path: tuple[int, ...], offset: int, done: Done
    ) -> None:
        section, _, checkpoint_id = section.partition("@")
        self.session.questions.expand(
            section, path, offset, done, checkpoint_id=checkpoint_id or None
        )


def _same_place(a: Moment, b: Moment) -> bool:
    if a.header is None or b.header is None:
        return a.header is b.header and a.superstep == b.superstep
    return a.header.id == b.header.id


def _same_run(a: Moment, b: Moment) -> bool:
    return a.header is None or b.header is None or a.header.run_id == b.header.run_id
