"""Editing the words of a frame or note where they are.

What is typed is in the document at once, and Escape takes it back. From opening the
field to closing it is one undo step, as with conditions (`condition_editor`).
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPointF, QRect, Qt
from PySide6.QtGui import QFocusEvent, QKeyEvent, QTextCursor
from PySide6.QtWidgets import QFrame, QPlainTextEdit

from designer.canvas.base import Canvas
from designer.canvas.drawing.frames import PAD, height_of
from designer.model import frames
from designer.model.design import Design

_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_LINE = 30
_LEAST_WIDTH = 160


class FrameText(QObject):
    """`field` is there while words are edited; `key` is the frame or note."""

    def __init__(self, canvas: Canvas) -> None:
        super().__init__(canvas.widget)
        self.canvas = canvas
        self.field: QPlainTextEdit | None = None
        self.key = ""
        self._before = ""
        self._visits = 0
        self._editing = False

    def open(self, key: str) -> None:
        """Edit the words of a frame or note; a title is selected at once."""
        self.close()
        canvas = self.canvas
        frame = self.canvas.scene().backdrop.frames[key]
        if not canvas.editable:
            canvas.tell("Go back to editing to change a frame or note.")
            return
        self.key = key
        self._before = frame.text
        self._visits += 1
        field = QPlainTextEdit(frame.text, canvas.widget)
        is_title = frame.kind == "frame"
        name = "Title of the frame" if is_title else "Text of the note"
        field.setAccessibleName(name)
        field.setPlaceholderText("Title" if is_title else "Note")
        field.setFrameShape(QFrame.Shape.NoFrame)
        field.document().setDocumentMargin(4)
        field.setTabChangesFocus(True)
        field.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        field.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        theme = canvas.look.theme
        font = "600 13px" if is_title else "400 12px"
        # The font is in the sheet, because the sheet of the window would set it
        # otherwise.
        field.setStyleSheet(
            f"QPlainTextEdit {{ background: {theme.field.name()}; color: {theme.text.name()};"
            f" font: {font} Inter;"
            f" border: 1px solid {theme.accent.name()}; border-radius: 4px; padding: 0; }}"
        )
        if is_title:
            field.selectAll()
        else:
            field.moveCursor(QTextCursor.MoveOperation.End)
        field.textChanged.connect(self._on_typed)
        field.installEventFilter(self)
        self.field = field
        self.place()
        field.show()
        # How many lines it has is known only when it is shown.
        self.place()
        field.setFocus(Qt.FocusReason.PopupFocusReason)

    def place(self) -> None:
        """Put the field over the words, at a size that can be read at every zoom."""
        field = self.field
        frame = self.canvas.scene().backdrop.frames.get(self.key)
        if field is None or frame is None:
            return
        rect = self.canvas.scene().backdrop.rect(self.key)
        zoom = self.canvas.zoom
        corner = self.canvas.mapFromScene(rect.topLeft() + QPointF(PAD / 2, 2))
        width = max(_LEAST_WIDTH, round((rect.width() - PAD) * zoom))
        # The width decides how the text is broken into lines.
        field.resize(width, _LINE)
        if frame.kind == "frame":
            lines = 1
        else:
            lines = max(2, round(field.document().size().height()))
        height = max(_LINE, lines * field.fontMetrics().lineSpacing() + 14)
        if frame.kind == "note":
            height = max(height, round((rect.height() - 4) * zoom))
        field.setGeometry(QRect(corner.x(), corner.y(), width, height))

    def close(self) -> None:
        """Take the field away; what was typed stays."""
        field = self.field
        self.field = None
        if field is None:
            return
        field.removeEventFilter(self)
        had_focus = field.hasFocus()
        field.hide()
        field.deleteLater()
        if had_focus:
            self.canvas.widget.setFocus()

    def follow_design(self) -> None:
        """Close it when the design was changed from elsewhere: the frame may be gone."""
        if not self._editing:
            self.close()

    def _on_typed(self) -> None:
        if self.field is not None:
            self._apply(self.field.toPlainText())

    def _apply(self, text: str) -> None:
        self._editing = True
        merge = f"frame text:{self.key}:{self._visits}"
        self._write(text, merge)
        self._editing = False
        self.place()

    def _write(self, text: str, merge: str) -> None:
        """Change the words; a note grows with them, and does not shrink."""
        key = self.key
        frame = self.canvas.scene().backdrop.frames[key]
        x, y, width, height = frame.rect
        words = "Name a frame"
        if frame.kind == "note":
            words = "Write in a note"
            height = max(height, height_of(text, width))

        def change(design: Design) -> Design:
            renamed = frames.set_text(design, key, text)
            return frames.place(renamed, {key: (x, y, width, height)})

        self.canvas.commands.edit(words, change, merge=merge)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QFocusEvent) and event.type() == QEvent.Type.FocusOut:
            if event.reason() not in (
                Qt.FocusReason.ActiveWindowFocusReason,
                Qt.FocusReason.PopupFocusReason,
            ):
                self.close()
            return False
        if not isinstance(event, QKeyEvent) or not self._is_ours(event):
            return False
        if event.type() == QEvent.Type.ShortcutOverride:
            event.accept()
            return True
        if event.type() == QEvent.Type.KeyPress:
            if event.key() == Qt.Key.Key_Escape:
                self._apply(self._before)
            self.close()
            return True
        return False

    def _is_ours(self, event: QKeyEvent) -> bool:
        """Return whether a key ends the editing: Enter in a title, Ctrl+Enter in a
        note, where Enter is a new line, and Escape.
        """
        frame = self.canvas.scene().backdrop.frames.get(self.key)
        if event.key() == Qt.Key.Key_Escape or frame is None:
            return event.key() == Qt.Key.Key_Escape
        control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        return event.key() in _ENTER and (frame.kind == "frame" or control)
