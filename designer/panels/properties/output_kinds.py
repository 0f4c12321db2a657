"""The nodes whose outputs are not outputs of the workflow: a row each, and a choice to
add one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from designer.look.theme import Look
from designer.panels.properties.editor import READ_ONLY
from designer.panels.widgets.basic import Choice, ElidedLabel, allow, icon_button
from designer.qt.layouts import clear, column, put, row, stack
from runtime.document.definition import Outputs

WORDS: dict[Outputs, str] = {"intermediate": "Progress on the way", "none": "Nothing"}

NO_OTHER = "No other node has outputs that count."


class Marked(NamedTuple):
    node_id: str
    title: str
    outputs: Outputs


class OutputKinds(QWidget):
    """`chosen` carries a node and the new kind of its outputs: "" for outputs of the
    workflow.
    """

    chosen = Signal(str, str)

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self._shown: tuple[tuple[str, str], ...] = ()
        self._read_only = False
        self.choices: list[Choice] = []
        self.add = Choice(look)
        self.add.setPlaceholderText("All outputs count. Exclude a node…")
        self.add.setAccessibleName("Exclude the outputs of a node")
        self.add.activated.connect(
            lambda index: self.chosen.emit(self.add.itemData(index), "intermediate")
        )
        layout = column(self, gap=4)
        self._rows = put(layout, stack(gap=4))
        layout.addWidget(self.add)

    def show_nodes(
        self,
        marked: Sequence[Marked],
        others: Sequence[tuple[str, str]],
        *,
        read_only: bool,
    ) -> None:
        """Show the marked nodes. `others`, as (id, title), are nodes whose outputs
        count.
        """
        self.add.fill([(title, node_id) for node_id, title in others], None)
        self.add.setPlaceholderText(
            "Exclude another…" if marked else "All outputs count. Exclude a node…"
        )
        why_not = "" if others else NO_OTHER
        allow(self.add, READ_ONLY if read_only else why_not)
        names = tuple((node.node_id, node.title) for node in marked)
        if (names, read_only) != (self._shown, self._read_only):
            self._shown = names
            self._read_only = read_only
            self._rebuild(marked)
        # Filled in place, so that the focus stays.
        for node, choice in zip(marked, self.choices, strict=True):
            choice.fill([(words, kind) for kind, words in WORDS.items()], node.outputs)

    def _rebuild(self, marked: Sequence[Marked]) -> None:
        clear(self._rows)
        self.choices = []
        for node in marked:
            self._rows.addWidget(self._row(node))

    def _row(self, node: Marked) -> QWidget:
        choice = Choice(self._look)
        choice.setAccessibleName(f"Kind of the outputs of {node.title}")
        choice.setEnabled(not self._read_only)
        choice.activated.connect(
            lambda index: self.chosen.emit(node.node_id, choice.itemData(index))
        )
        back = icon_button(
            self._look,
            "x",
            f"Let the outputs of {node.title} count",
            lambda: self.chosen.emit(node.node_id, ""),
        )
        back.setEnabled(not self._read_only)
        self.choices.append(choice)
        holder = QWidget()
        put(holder, row((ElidedLabel(node.title), 2), (choice, 3), back, gap=4))
        return holder
