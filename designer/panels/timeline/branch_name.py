"""The field for the name of a new branch."""

from __future__ import annotations

from collections.abc import Collection

from PySide6.QtWidgets import QWidget

from designer.panels.widgets.basic import allow, button, label
from designer.panels.widgets.name_popup import NamePopup
from designer.qt.layouts import row, stack

WIDTH = 320


class BranchName(NamePopup):
    """A popup that asks how a new branch will be called. An empty name leaves the
    choice to the host.
    """

    def __init__(self, title: str, taken: Collection[str], parent: QWidget) -> None:
        super().__init__("Name of the branch", taken, WIDTH, parent)
        self.restore = button("Restore", primary=True)
        parts = stack(
            label(title, "strong"),
            self.name,
            row(self.why_not, None, self.restore),
            gap=8,
            margins=(12, 10, 12, 10),
        )
        self.lay_out(parts, self.restore)

    def check(self, text: str) -> None:
        is_taken = text.strip() in self._taken
        why_not = "The run has this branch already." if is_taken else ""
        self.why_not.setText(why_not)
        allow(self.restore, why_not)

    def choose(self) -> None:
        name = self.name.text().strip()
        if name not in self._taken:
            self.close()
            self.chosen.emit(name)
