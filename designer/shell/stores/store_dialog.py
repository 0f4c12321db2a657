"""Which store to look into: a file, a folder, or the address of a database."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QLineEdit, QWidget

from designer.look.fonts import data_font
from designer.look.theme import Look
from designer.panels.fields.error_line import ErrorLine
from designer.panels.widgets.basic import CheckBox, allow, button, label
from designer.panels.widgets.dialog import Dialog
from designer.qt.layouts import column, put, row
from designer.shell.files.store_urls import store_of, why_no_store

WIDTH = 460
_COMPARED = (
    "The run that is shown is compared with one of its runs. The store is only read."
)
_TEXT = (
    "Its runs open in a tab of their own, with the graph that each ran with. Nothing is run, and no code of a workflow "
    "is imported."
)


class StoreDialog(Dialog):
    """Calls `use` with the URL, and whether it is only read; Esc changes nothing. A
    store that one `compares` with is always only read.
    """

    def __init__(
        self,
        look: Look,
        parent: QWidget,
        use: Callable[[str, bool], object],
        *,
        compares: bool = False,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("Compare with a store" if compares else "Open a store")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._use = use
        self.field = QLineEdit()
        self.field.setFont(data_font())
        self.field.setMinimumWidth(WIDTH)
        self.field.setAccessibleName("Store")
        self.field.setPlaceholderText(
            "runs.db, a folder, or postgresql://user@host/database"
        )
        self.only_read = CheckBox(look, "Only read: no run, tag or note can be changed")
        self.only_read.setChecked(True)
        self.only_read.setVisible(not compares)
        self._text = _COMPARED if compares else _TEXT
        self.error = ErrorLine(look)
        verb = "Compare" if compares else "Open"
        self.open_button = button(verb, self.accept, primary=True)
        self.open_button.setDefault(True)
        self._build()
        self.field.textChanged.connect(self._check)
        self._check()

    def _build(self) -> None:
        cancel = button("Cancel", self.reject)
        file = button("File…", self._choose_file)
        folder = button("Folder…", self._choose_folder)
        for other in (cancel, file, folder):
            other.setAutoDefault(False)
        layout = column(self, margins=(24, 20, 20, 16), gap=12)
        layout.addWidget(label(self.windowTitle(), "section"))
        layout.addWidget(label(self._text, "secondary", wrap=True))
        put(layout, row((self.field, 1), file, folder))
        layout.addWidget(self.error)
        layout.addWidget(self.only_read)
        put(layout, row(None, cancel, self.open_button))
        layout.setSizeConstraint(layout.SizeConstraint.SetFixedSize)

    def accept(self) -> None:
        if not why_no_store(self.field.text()):
            self._use(store_of(self.field.text()), self.only_read.isChecked())
            super().accept()

    def _check(self) -> None:
        why = why_no_store(self.field.text())
        self.error.say(why if self.field.text().strip() else "")
        allow(self.open_button, why)

    def _choose_file(self) -> None:
        name, _ = QFileDialog.getOpenFileName(
            self, "Open a store", "", "Stores (*.db *.sqlite);;All files (*)"
        )
        self._take(name)

    def _choose_folder(self) -> None:
        self._take(QFileDialog.getExistingDirectory(self, "Open a store"))

    def _take(self, name: str) -> None:
        if name:
            self.field.setText(name)
            self.open_button.setFocus(Qt.FocusReason.OtherFocusReason)
