"""A larger window for a code text of a form, and a window that shows a source file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QSizePolicy, QWidget

from designer.look.theme import Look
from designer.panels.code.colours import Language
from designer.panels.code.external_editor import WHERE
from designer.panels.code.text import CodeText
from designer.panels.fields.error_line import ErrorLine
from designer.panels.widgets.basic import button, label
from designer.panels.widgets.dialog import Dialog
from designer.qt.layouts import column, put, row

SIZE = QSize(920, 640)
_MANY = 1_000_000  # lines, so that the text is as high as the window


class CodeWindow(Dialog):
    """`edited` carries the text at each change, `finished_writing` is emitted by
    Ctrl+Enter and Done.

    Escape and Close keep the text too, because the form has each change already.
    """

    edited = Signal(str)
    finished_writing = Signal()

    def __init__(
        self, look: Look, parent: QWidget, title: str, language: Language, text: str
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.text = _large_text(look, language)
        self.text.setAccessibleName(title)
        self.text.set_text(text)
        self.error = ErrorLine(look)
        self._where = label("", "secondary")
        self._where.setAccessibleName("Place of the cursor")
        self.text.edited.connect(lambda: self.edited.emit(self.text.text()))
        self.text.finished.connect(self._finish)
        self.text.left.connect(self.reject)
        self.text.cursorPositionChanged.connect(self._say_where)
        done = button("Done", self._finish, primary=True)
        done.setToolTip("Ctrl+Enter")
        close = button("Close", self.reject)
        close.setToolTip("Esc. Your text stays in the form.")
        for push_button in (done, close):
            push_button.setAutoDefault(False)
        layout = column(self, margins=(16, 16, 16, 12), gap=10)
        layout.addWidget(self.text, 1)
        layout.addWidget(self.error)
        put(
            layout,
            row(
                self._where,
                None,
                label("Ctrl+/ comments lines", "caption"),
                close,
                done,
            ),
        )
        self._say_where()
        self.resize(_fitting(self))

    def say(self, error: str, line: int, column: int) -> None:
        """Show the mistake in the text and its place; "" for none."""
        self.error.say(error)
        self.text.mark_place(line if error else 0, column)

    def set_read_only(self, on: bool) -> None:
        self.text.setReadOnly(on)

    def _finish(self) -> None:
        self.finished_writing.emit()
        self.accept()

    def _say_where(self) -> None:
        cursor = self.text.textCursor()
        self._where.setText(
            f"Line {cursor.blockNumber() + 1}, column {cursor.positionInBlock() + 1}"
        )


class SourceWindow(Dialog):
    """Shows a Python file, read-only, at the line of a name.

    `edit` opens the file in an editor at the line of the cursor, and returns why that
    failed.
    """

    def __init__(
        self,
        look: Look,
        parent: QWidget,
        path: Path,
        text: str,
        line: int,
        edit: Callable[[Path, int], str],
    ) -> None:
        super().__init__(parent)
        self._path = path
        self._edit = edit
        self.setWindowTitle(f"{path.name}, line {line}")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.text = _large_text(look, "python", shows_line=True)
        self.text.setAccessibleName(path.name)
        self.text.set_text(text)
        self.text.setReadOnly(True)
        self.text.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.text.left.connect(self.reject)
        where = label(str(path), "secondary")
        where.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        where.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.error = ErrorLine(look)
        close = button("Close", self.reject)
        to_editor = button("Open in editor", self._open, primary=True)
        to_editor.setToolTip(
            f"Opens at this line, in the program of {WHERE} or the system's program."
        )
        for push_button in (close, to_editor):
            push_button.setAutoDefault(False)
        layout = column(self, margins=(16, 16, 16, 12), gap=10)
        layout.addWidget(self.text, 1)
        layout.addWidget(self.error)
        put(layout, row((where, 1), close, to_editor, gap=8))
        self.resize(_fitting(self))
        self.text.go_to(line)

    def _open(self) -> None:
        self.error.say(self._edit(self._path, self.text.textCursor().blockNumber() + 1))


def _large_text(
    look: Look, language: Language, *, shows_line: bool = False
) -> CodeText:
    text = CodeText(look, language, least=8, most=_MANY, shows_line=shows_line)
    text.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
    text.setMinimumHeight(160)
    text.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
    return text


def _fitting(window: QWidget) -> QSize:
    screen = window.screen() or QGuiApplication.primaryScreen()
    return SIZE.boundedTo(screen.availableSize() * 0.9)
