"""The dialog that changes shortcuts: choose a command, press the keys. What else has these keys is named first."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QAbstractItemView, QDialog, QKeySequenceEdit, QTableWidget, QTableWidgetItem, QWidget

from designer.look.theme import Look
from designer.panels.widgets import SearchField, button, column, hairline, label, row
from designer.shell.actions import ACTIONS, ActionSpec
from designer.shell.key_rows import as_shown, keys_of, may_be_key, set_key, user_of

SIZE = (600, 620)
CHANGEABLE = tuple(spec for spec in ACTIONS if not spec.on_canvas)
COLUMNS = ("Command", "Keys", "Default")


class KeyDialog(QDialog):
    """`change` is called with all changed shortcuts, by id of the command, after each change."""

    def __init__(
        self, look: Look, parent: QWidget, changed: Mapping[str, str], change: Callable[[dict[str, str]], object]
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("Change shortcuts")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.changed, self._change = dict(changed), change
        self._wanted = ""
        self.search = SearchField(look, "Find a command or a key")
        self.table = self._make_table()
        self.keys = QKeySequenceEdit()
        self.keys.setMaximumSequenceLength(1)
        self.keys.setAccessibleName("Press the new keys")
        self.says = label("", "secondary", wrap=True)
        self.says.setMinimumHeight(36)
        self.take = button("Take them", self._take)
        self.none = button("No keys", lambda: self._set(""))
        self.reset = button("Reset", lambda: self._ask(self._spec.shortcut))
        self.reset_all = button("Reset all", self._reset_all)
        for part in (self.take, self.none, self.reset, self.reset_all):
            part.setAutoDefault(False)
        self._build()
        self.search.textChanged.connect(self._filter)
        self.keys.keySequenceChanged.connect(self._on_keys)
        self.table.currentCellChanged.connect(self._choose)
        self.table.setCurrentCell(0, 0)
        self._fill()
        self.resize(*SIZE)

    def _build(self) -> None:
        layout = column(self)
        layout.addLayout(row(self.search, margins=(12, 12, 12, 12)))
        layout.addWidget(hairline())
        layout.addWidget(self.table, 1)
        layout.addWidget(hairline())
        below = column(gap=8, margins=(12, 12, 12, 12))
        self.keys_label = label("", "strong")
        below.addLayout(row(self.keys_label, None, self.keys, self.take, gap=8))
        below.addWidget(self.says)
        below.addLayout(row(self.none, self.reset, None, self.reset_all, gap=8))
        layout.addLayout(below)

    def _make_table(self) -> QTableWidget:
        table = QTableWidget(len(CHANGEABLE), len(COLUMNS))
        table.setAccessibleName("Commands and their keys")
        table.setHorizontalHeaderLabels(COLUMNS)
        table.verticalHeader().hide()
        table.setShowGrid(False)
        table.setTabKeyNavigation(False)
        table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        table.horizontalHeader().setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        table.horizontalHeader().setStretchLastSection(True)
        table.setColumnWidth(0, 310)
        table.setColumnWidth(1, 130)
        return table

    # --- what is shown

    @property
    def _spec(self) -> ActionSpec:
        return CHANGEABLE[max(0, self.table.currentRow())]

    def choose(self, id: str) -> None:
        """Make a command the current one."""
        self.table.setCurrentCell(next(at for at, spec in enumerate(CHANGEABLE) if spec.id == id), 0)

    def _fill(self) -> None:
        for at, spec in enumerate(CHANGEABLE):
            for place, text in enumerate((spec.text.rstrip("…"), keys_of(spec, self.changed), spec.shortcut)):
                self.table.setItem(at, place, QTableWidgetItem(text))
        self._choose()

    def _choose(self) -> None:
        self._wanted = ""
        with QSignalBlocker(self.keys):
            self.keys.setKeySequence(QKeySequence(keys_of(self._spec, self.changed)))
        self.keys_label.setText(self._spec.text.rstrip("…"))
        self.take.setEnabled(False)
        self.reset.setEnabled(self._spec.id in self.changed)
        self.reset_all.setEnabled(bool(self.changed))
        self.says.setText("Press the new keys in the field.")

    def _filter(self, wanted: str) -> None:
        for at in range(self.table.rowCount()):
            cells = (self.table.item(at, place) for place in range(len(COLUMNS)))
            text = " ".join(cell.text() for cell in cells if cell is not None).casefold()
            self.table.setRowHidden(at, wanted.casefold() not in text)

    # --- what is done

    def _on_keys(self, keys: QKeySequence) -> None:
        if not keys.isEmpty():  # the field empties itself before each press
            self._ask(keys.toString())

    def _ask(self, keys: str) -> None:
        """Set the keys when they are free; else say whose they are, and offer to take them."""
        user = user_of(keys, self.changed, self._spec) if keys else None
        self._wanted = keys
        self.take.setEnabled(user is not None and may_be_key(keys))
        if keys and not may_be_key(keys):
            self.says.setText(f"{keys} is typed as text or moves about: use Ctrl, Alt or a key such as F7.")
        elif user is not None:
            self.says.setText(f"{as_shown(keys)} does “{user.text}” ({user.group}) now. Take them, or press others.")
        else:
            self._set(keys)

    def _take(self) -> None:
        self._set(self._wanted)

    def _set(self, keys: str) -> None:
        self._tell(set_key(self._spec, keys, self.changed))
        self.says.setText(f"Done: {as_shown(keys)}" if keys else "It has no keys now.")

    def _reset_all(self) -> None:
        self._tell({})
        self.says.setText("All keys are the default ones again.")

    def _tell(self, changed: dict[str, str]) -> None:
        self.changed = changed
        self._fill()
        self._change(dict(changed))
