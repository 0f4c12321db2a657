"""The field for the name of a new key of the shared state."""

from __future__ import annotations

from collections.abc import Collection

from PySide6.QtWidgets import QWidget

from designer.panels.widgets.basic import allow, button
from designer.panels.widgets.name_popup import NamePopup
from designer.qt.layouts import row, stack

WIDTH = 280


class KeyName(NamePopup):
    """A popup that asks how a new key is called."""

    def __init__(self, taken: Collection[str], parent: QWidget) -> None:
        super().__init__("Name of the key", taken, WIDTH, parent)
        self.add = button("Add", primary=True)
        parts = stack(
            self.name,
            row((self.why_not, 1), self.add),
            gap=8,
            margins=(12, 10, 12, 10),
        )
        self.lay_out(parts, self.add)

    def check(self, text: str) -> None:
        why_not = ""
        if text.strip() in self._taken:
            why_not = "The state has this key already."
        self.why_not.setText(why_not)
        allow(self.add, why_not or ("" if text.strip() else "Type a name first."))

    def choose(self) -> None:
        if self.add.isEnabled():
            self.close()
            self.chosen.emit(self.name.text().strip())
