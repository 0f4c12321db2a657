"""Executors: what each has kept for itself by one moment, and what it is doing then."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from designer.checks import Checks
from designer.document import Document
from designer.look.theme import Look
from designer.panels.glyphs import STATE_WORDS
from designer.panels.value_model import Node
from designer.panels.value_panel import ValuePanel
from designer.session.session import DebugSession
from runtime.debug.protocol import Moment, NodeMoment


class ExecutorsPanel(ValuePanel):
    """A row per executor with its state; below it the record that a checkpoint keeps of it."""

    title = "Executors"
    icon = "box"

    def __init__(
        self,
        document: Document,
        session: DebugSession,
        look: Look,
        parent: QWidget | None = None,
        *,
        checks: Checks | None = None,
    ) -> None:
        super().__init__(document, session, look, parent, checks=checks)
        self.tree.chosen.connect(self._on_chosen)
        document.selection_changed.connect(self._follow_selection)

    def build(self, moment: Moment) -> Node:
        root = Node("", moment.executors, section="executors")
        for child in root.children:
            child.title, child.brief = self.node_title(child.key), True
            child.tail = state_words(moment.nodes.get(child.key))
        if root.loaded == root.count:
            recorded = {child.key for child in root.children}
            root.add(
                Node(node_id, title=self.node_title(node_id), tail=state_words(node))
                for node_id, node in moment.nodes.items()
                if node_id not in recorded
            )
        return root

    def nothing(self, moment: Moment) -> tuple[str, str]:
        return "No executors", "The workflow of this run has none."

    def refresh(self) -> None:
        super().refresh()
        self._follow_selection()

    def _follow_selection(self) -> None:
        chosen = tuple(self.document.selection)
        if self.isVisible() and len(chosen) == 1:
            self.tree.open_to(chosen)

    def _on_chosen(self, node: Node) -> None:
        if node.parent is self.tree.values.root:
            self.document.select({node.key})


def state_words(node: NodeMoment | None) -> str:
    """The state line of a node: "Ran now · 640 ms"."""
    if node is None:
        return ""
    words = STATE_WORDS[node.state]
    return f"{words} · {node.detail}" if node.detail else words
