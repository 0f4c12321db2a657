"""The dialog for the command of the user's editor. It looks for the program while the
user types.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit, QWidget

from designer.look.fonts import data_font
from designer.look.theme import Look
from designer.panels.code.external_editor import command_of, why_not
from designer.panels.fields.error_line import ErrorLine
from designer.panels.widgets.basic import button, label
from designer.panels.widgets.dialog import Dialog
from designer.qt.layouts import column, put, row

WIDTH = 460
_TEXT = (
    "'Open in editor' (F12), below the source of a node, opens its Python file there, at its line. Stepwell passes the "
    "line to common editors; for others, write {file} and {line} where they belong."
)


class EditorDialog(Dialog):
    """Calls `use` with the command; Esc changes nothing."""

    def __init__(
        self, look: Look, parent: QWidget, command: str, use: Callable[[str], object]
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("Editor for source files")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._use = use
        self.field = QLineEdit(command)
        self.field.setFont(data_font())
        self.field.setMinimumWidth(WIDTH)
        self.field.setAccessibleName("Command of the editor")
        default = command_of("")
        if default:
            self.field.setPlaceholderText(f"{default} (from VISUAL)")
        else:
            self.field.setPlaceholderText("the program of the system, or: code")
        self.error = ErrorLine(look)
        self.done_button = button("Use it", self.accept, primary=True)
        self.done_button.setDefault(True)
        cancel = button("Cancel", self.reject)
        cancel.setAutoDefault(False)
        layout = column(self, margins=(24, 20, 20, 16), gap=12)
        layout.addWidget(label(self.windowTitle(), "section"))
        layout.addWidget(label(_TEXT, "secondary", wrap=True))
        layout.addWidget(self.field)
        layout.addWidget(self.error)
        put(layout, row(None, cancel, self.done_button))
        layout.setSizeConstraint(layout.SizeConstraint.SetFixedSize)
        self.field.textChanged.connect(self._check)
        self._check()

    def accept(self) -> None:
        if not self._check():
            self._use(self.field.text().strip())
            super().accept()

    def _check(self) -> str:
        why = why_not(self.field.text())
        self.error.say(why)
        self.done_button.setEnabled(not why)
        return why
