"""The line of Selected that says which results an executor gets when the run goes on
from the past, and pins the one that is shown.
"""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from designer.look.theme import Look
from designer.model.pins import executor_path
from designer.panels.values.result_choice import ResultChoice
from designer.panels.widgets.basic import icon_button, label
from designer.qt.layouts import put, row
from designer.session.session import DebugSession

TIP = (
    "What this node gets when the run goes on from the past. A new run uses a pinned "
    "result only if you tick that where you pin it."
)
PIN = "Pin this result"
EDIT = "Edit the pinned result"


class ResultsRow(QWidget):
    """Hidden for a node that does not reach outside."""

    def __init__(self, session: DebugSession, look: Look) -> None:
        super().__init__()
        self._session = session
        self._path = ""
        self.choice = ResultChoice("this node")
        self.choice.chosen.connect(self._choose)
        self.pin = icon_button(look, "pin", PIN, self._pin)
        name = label("Results", "secondary")
        name.setToolTip(TIP)
        put(self, row(name, self.choice, None, self.pin, margins=(36, 0, 12, 8)))
        self.hide()
        session.results.changed.connect(self._show_mode)

    def show_node(self, node: str, type_name: str) -> None:
        """Show the choice for a node of the level that is shown, or nothing if it does
        not reach outside.
        """
        path = executor_path(self._session.way, node)
        info = self._session.infos.get(type_name)
        is_declared = info is not None and info.reaches_outside
        if not (is_declared or self._session.results.reaches_outside(path)):
            self.show_nothing()
            return
        self._path = path
        self._show_mode()
        self.show()

    def show_nothing(self) -> None:
        """Nothing is selected that reaches outside."""
        self._path = ""
        self.hide()

    def _show_mode(self) -> None:
        if not self._path:
            return
        results = self._session.results
        self.choice.show_mode(results.mode_of(self._path))
        tip = EDIT if self._path in results.pins else PIN
        self.pin.setToolTip(tip)
        self.pin.setAccessibleName(tip)

    def _choose(self, mode: str) -> None:
        self._session.results.choose(self._path, mode)  # type: ignore[arg-type]

    def _pin(self) -> None:
        self._session.results.edit(self._path)
