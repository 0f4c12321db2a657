"""The dialog that changes shortcuts: a set, or a command and its keys. What else has them is named first."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import (
    QAbstractItemView,
    QKeySequenceEdit,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from designer.look.theme import Look
from designer.panels.widgets.basic import (
    Choice,
    SearchField,
    allow,
    button,
    hairline,
    label,
)
from designer.panels.widgets.dialog import Dialog
from designer.qt.keys import as_shown
from designer.qt.layouts import column, put, row
from designer.shell.keys.presets import PRESETS
from designer.shell.keys.rows import Command, Keys, commands, refusal

SIZE = (720, 640)
COLUMNS = ("Command", "Where", "Keys", "In the set")
WIDTHS = (320, 90, 150)
BETWEEN = ", "

NOTHING_TO_TAKE = "These keys are used by no other command."


class KeyDialog(Dialog):
    """`use` is called with all keys after each change."""

    def __init__(
        self, look: Look, parent: QWidget, bound: Keys, use: Callable[[Keys], object]
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("Change shortcuts")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.bound = bound
        self._use = use
        self._wanted: tuple[str, ...] = ()
        self.search = SearchField(look, "Find a command or a key")
        self.preset = Choice(look)
        self.preset.setAccessibleName("Set of shortcuts")
        self.preset.setToolTip(
            "Keys that you know from another program; your own changes stay on top"
        )
        self.preset.fill(
            [(preset.title, name) for name, preset in PRESETS.items()], bound.preset
        )
        self.table = self._make_table()
        self.slot = Choice(look)
        self.slot.setAccessibleName("Which of its keys")
        self.keys = QKeySequenceEdit()
        self.keys.setMaximumSequenceLength(1)
        self.keys.setAccessibleName("Press the new keys")
        self.says = label("", "secondary", wrap=True)
        self.says.setMinimumHeight(36)
        self.take = button("Take them", self._take)
        self.none = button("Remove these keys", self._remove)
        self.reset = button(
            "Back to the set", lambda: self._ask(self.bound.base(self._command))
        )
        self.reset_all = button("All back to the set", self._reset_all)
        for part in (self.take, self.none, self.reset, self.reset_all):
            part.setAutoDefault(False)
        self._build()
        self.search.textChanged.connect(self._filter)
        self.preset.currentIndexChanged.connect(self._choose_preset)
        self.slot.currentIndexChanged.connect(self._show_slot)
        self.keys.keySequenceChanged.connect(self._on_keys)
        self.table.currentCellChanged.connect(self._choose)
        self.table.setCurrentCell(0, 0)
        self._fill()
        self.resize(*SIZE)

    def _build(self) -> None:
        layout = column(self)
        put(
            layout,
            row(
                self.search,
                label("Set", "secondary"),
                self.preset,
                margins=(12, 12, 12, 12),
            ),
        )
        layout.addWidget(hairline())
        layout.addWidget(self.table, 1)
        layout.addWidget(hairline())
        self.editor = QWidget()
        below = column(self.editor, gap=8, margins=(12, 12, 12, 12))
        self.command_label = label("", "strong")
        put(
            below, row(self.command_label, None, self.slot, self.keys, self.take, gap=8)
        )
        below.addWidget(self.says)
        put(below, row(self.none, self.reset, None, self.reset_all, gap=8))
        layout.addWidget(self.editor)

    def _make_table(self) -> QTableWidget:
        table = QTableWidget(len(commands()), len(COLUMNS))
        table.setAccessibleName("Commands and their keys")
        table.setHorizontalHeaderLabels(COLUMNS)
        table.verticalHeader().hide()
        table.setShowGrid(False)
        table.setTabKeyNavigation(False)
        table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        table.horizontalHeader().setDefaultAlignment(
            Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        )
        table.horizontalHeader().setStretchLastSection(True)
        for place, width in enumerate(WIDTHS):
            table.setColumnWidth(place, width)
        return table

    # --- what is shown

    @property
    def _command(self) -> Command:
        return commands()[max(0, self.table.currentRow())]

    def choose(self, id: str) -> None:
        """Make a command the current one."""
        self.table.setCurrentCell(
            next(at for at, command in enumerate(commands()) if command.id == id), 0
        )

    def _fill(self) -> None:
        for at, command in enumerate(commands()):
            has = self.bound.of(command.id)
            base = self.bound.base(command)
            lost = self._lost(command)
            now = BETWEEN.join(has) + (" (taken)" if lost else "")
            for place, text in enumerate(
                (command.text, command.group, now.strip(), BETWEEN.join(base))
            ):
                item = QTableWidgetItem(text)
                item.setToolTip(lost or text)
                self.table.setItem(at, place, item)
        self._choose()

    def _lost(self, command: Command) -> str:
        """Which keys of the set went to another command; "" for none."""
        has = self.bound.of(command.id)
        users = [
            (keys, self.bound.user_of(keys, command))
            for keys in self.bound.base(command)
            if keys not in has
        ]
        return " ".join(
            f"{keys} is now “{user.text}” ({user.group})."
            for keys, user in users
            if user is not None
        )

    def _choose(self) -> None:
        own = self.bound.of(self._command.id)
        self.command_label.setText(self._command.text)
        self.slot.fill(
            [*((keys, at) for at, keys in enumerate(own)), ("Another", len(own))], 0
        )
        allow(
            self.reset,
            ""
            if self._command.id in self.bound.changed
            else "The command has its first keys.",
        )
        allow(
            self.reset_all,
            "" if self.bound.changed else "Every command has its first keys.",
        )
        self._show_slot()

    def _show_slot(self) -> None:
        own = self.bound.of(self._command.id)
        at = self._slot
        self._wanted = ()
        with QSignalBlocker(self.keys):
            self.keys.setKeySequence(QKeySequence(own[at] if at < len(own) else ""))
        allow(self.take, NOTHING_TO_TAKE)
        allow(self.none, "" if at < len(own) else "The command has no keys here.")
        self.says.setText(
            " ".join(
                filter(
                    None,
                    ("Press the new keys in the field.", self._lost(self._command)),
                )
            )
        )

    @property
    def _slot(self) -> int:
        return max(0, self.slot.currentIndex())

    def _filter(self, wanted: str) -> None:
        words = wanted.casefold().split()
        for at in range(self.table.rowCount()):
            cells = (self.table.item(at, place) for place in range(len(COLUMNS) - 1))
            text = " ".join(
                cell.text() for cell in cells if cell is not None
            ).casefold()
            self.table.setRowHidden(at, not all(word in text for word in words))
        self._choose_shown()

    def _choose_shown(self) -> None:
        """Keys go to a command that can be seen: the first that is found, where the present one is not among them."""
        shown = [
            at for at in range(self.table.rowCount()) if not self.table.isRowHidden(at)
        ]
        if shown and self.table.currentRow() not in shown:
            self.table.setCurrentCell(shown[0], 0)
        self.table.scrollTo(self.table.currentIndex())
        self.editor.setEnabled(bool(shown))

    # --- what is done

    def _choose_preset(self) -> None:
        self._tell(Keys(self.bound.changed, str(self.preset.currentData())))
        kept = len(self.bound.changed)
        if kept:
            mine = f" Your own keys of {kept} command{'s' * (kept != 1)} stay on top."
        else:
            mine = ""
        self.says.setText(
            f"The keys are those of {self.preset.currentText()}, where it has any for a command.{mine}"
        )

    def _on_keys(self, keys: QKeySequence) -> None:
        if not keys.isEmpty():  # the field empties itself before each press
            own = list(self.bound.of(self._command.id))
            own[self._slot : self._slot + 1] = [keys.toString()]
            self._ask(own)

    def _ask(self, wanted: Iterable[str]) -> None:
        """Set the keys when they are free; else say whose they are, and offer to take them."""
        self._wanted = tuple(map(as_shown, wanted))
        new = [
            keys for keys in self._wanted if keys not in self.bound.of(self._command.id)
        ]
        refused = next(filter(None, (refusal(self._command, keys) for keys in new)), "")
        users = [(keys, self.bound.user_of(keys, self._command)) for keys in new]
        told = [
            f"{keys} does “{user.text}” ({user.group}) now."
            for keys, user in users
            if user is not None
        ]
        allow(self.take, refused or ("" if told else NOTHING_TO_TAKE))
        if refused and self._wanted != self.bound.base(self._command):
            self.says.setText(refused)
        elif told:
            self.says.setText(f"{' '.join(told)} Take them, or press others.")
        else:
            self._set(self._wanted)

    def _take(self) -> None:
        self._set(self._wanted)

    def _remove(self) -> None:
        own = list(self.bound.of(self._command.id))
        del own[self._slot : self._slot + 1]
        self._set(own)

    def _set(self, keys: Iterable[str]) -> None:
        self._tell(Keys(self.bound.with_keys(self._command, keys), self.bound.preset))
        now = BETWEEN.join(self.bound.of(self._command.id))
        self.says.setText(f"Done: {now}" if now else "It has no keys now.")

    def _reset_all(self) -> None:
        self._tell(Keys({}, self.bound.preset))
        self.says.setText(
            f"All keys are those of {PRESETS[self.bound.preset].title} again."
        )

    def _tell(self, keys: Keys) -> None:
        self.bound = keys
        self._fill()
        self._use(keys)
