"""The dialog that changes shortcuts: the set, or the keys of one command. It names the
command that has the keys already.
"""

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
from runtime.values.words import counted

SIZE = (720, 640)
COLUMNS = ("Command", "Where", "Keys", "In the set")
WIDTHS = (320, 90, 150)
BETWEEN = ", "

NOTHING_TO_TAKE = "No other command has these keys."


class KeyDialog(Dialog):
    """Calls `use` with all keys after each change."""

    def __init__(
        self, look: Look, parent: QWidget, bound: Keys, use: Callable[[Keys], object]
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("Change shortcuts")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.bound = bound
        self._use = use
        # The keys that the command gets if the user takes them from another.
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
        for cell, width in enumerate(WIDTHS):
            table.setColumnWidth(cell, width)
        return table

    # --- what is shown

    @property
    def _command(self) -> Command:
        return commands()[max(0, self.table.currentRow())]

    def choose(self, id: str) -> None:
        """Make a command the current one."""
        ids = [command.id for command in commands()]
        self.table.setCurrentCell(ids.index(id), 0)

    def _fill(self) -> None:
        for place, command in enumerate(commands()):
            lost = self._lost(command)
            present = BETWEEN.join(self.bound.of(command.id))
            if lost:
                present = f"{present} (taken)".strip()
            base = BETWEEN.join(self.bound.base(command))
            texts = (command.text, command.group, present, base)
            for cell, text in enumerate(texts):
                item = QTableWidgetItem(text)
                item.setToolTip(lost or text)
                self.table.setItem(place, cell, item)
        self._choose()

    def _lost(self, command: Command) -> str:
        """Return which keys of the set another command has; "" for none."""
        present = self.bound.of(command.id)
        sentences = []
        for keys in self.bound.base(command):
            user = self.bound.user_of(keys, command)
            if keys not in present and user is not None:
                sentences.append(f"{keys} is now “{user.text}” ({user.group}).")
        return " ".join(sentences)

    def _choose(self) -> None:
        present = self.bound.of(self._command.id)
        slots = [(keys, place) for place, keys in enumerate(present)]
        self.command_label.setText(self._command.text)
        self.slot.fill([*slots, ("Another", len(present))], 0)
        is_changed = self._command.id in self.bound.changed
        allow(self.reset, "" if is_changed else "The command has the keys of the set.")
        all_same = "Every command has the keys of the set."
        allow(self.reset_all, "" if self.bound.changed else all_same)
        self._show_slot()

    def _show_slot(self) -> None:
        present = self.bound.of(self._command.id)
        keys = present[self._slot] if self._slot < len(present) else ""
        self._wanted = ()
        with QSignalBlocker(self.keys):
            self.keys.setKeySequence(QKeySequence(keys))
        allow(self.take, NOTHING_TO_TAKE)
        allow(self.none, "" if keys else "The command has no keys here.")
        lost = self._lost(self._command)
        self.says.setText(f"Press the new keys in the field. {lost}".strip())

    @property
    def _slot(self) -> int:
        return max(0, self.slot.currentIndex())

    def _filter(self, pattern: str) -> None:
        words = pattern.casefold().split()
        for place in range(self.table.rowCount()):
            text = self._text_of(place).casefold()
            self.table.setRowHidden(place, not all(word in text for word in words))
        self._choose_visible()

    def _text_of(self, place: int) -> str:
        """Return the texts of a row, without the keys of the set."""
        cells = [self.table.item(place, cell) for cell in range(len(COLUMNS) - 1)]
        return " ".join(cell.text() for cell in cells if cell is not None)

    def _choose_visible(self) -> None:
        """Make the first visible command current if the present one is hidden, because
        the keys that are pressed should not change a hidden one.
        """
        rows = range(self.table.rowCount())
        visible = [row for row in rows if not self.table.isRowHidden(row)]
        if visible and self.table.currentRow() not in visible:
            self.table.setCurrentCell(visible[0], 0)
        self.table.scrollTo(self.table.currentIndex())
        self.editor.setEnabled(bool(visible))

    # --- what is done

    def _choose_preset(self) -> None:
        self._apply(Keys(self.bound.changed, str(self.preset.currentData())))
        text = f"The keys are those of {self.preset.currentText()}, where it has any for a command."
        if self.bound.changed:
            number = counted(len(self.bound.changed), "command")
            text += f" Your own keys of {number} stay on top."
        self.says.setText(text)

    def _on_keys(self, keys: QKeySequence) -> None:
        if not keys.isEmpty():  # as before each press
            wanted = list(self.bound.of(self._command.id))
            wanted[self._slot : self._slot + 1] = [keys.toString()]
            self._ask(wanted)

    def _ask(self, wanted: Iterable[str]) -> None:
        """Set the keys if they are free; otherwise say whose they are, and offer to
        take them.
        """
        self._wanted = tuple(map(as_shown, wanted))
        refused = ""
        users = []
        for keys in self._wanted:
            if keys not in self.bound.of(self._command.id):
                refused = refused or refusal(self._command, keys)
                user = self.bound.user_of(keys, self._command)
                if user is not None:
                    users.append(f"{keys} does “{user.text}” ({user.group}) now.")
        allow(self.take, refused or ("" if users else NOTHING_TO_TAKE))
        if refused and self._wanted != self.bound.base(self._command):
            self.says.setText(refused)
        elif users:
            self.says.setText(f"{' '.join(users)} Take them, or press others.")
        else:
            self._set(self._wanted)

    def _take(self) -> None:
        self._set(self._wanted)

    def _remove(self) -> None:
        remaining = list(self.bound.of(self._command.id))
        del remaining[self._slot : self._slot + 1]
        self._set(remaining)

    def _set(self, keys: Iterable[str]) -> None:
        self._apply(Keys(self.bound.with_keys(self._command, keys), self.bound.preset))
        present = BETWEEN.join(self.bound.of(self._command.id))
        self.says.setText(f"Done: {present}" if present else "It has no keys now.")

    def _reset_all(self) -> None:
        self._apply(Keys({}, self.bound.preset))
        title = PRESETS[self.bound.preset].title
        self.says.setText(f"All keys are those of {title} again.")

    def _apply(self, keys: Keys) -> None:
        self.bound = keys
        self._fill()
        self._use(keys)
