"""The part of the editor about hits: which of them count, and what is done then."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtGui import QIntValidator
from PySide6.QtWidgets import QButtonGroup, QLineEdit, QPushButton, QWidget

from designer.look.fonts import data_font
from designer.look.theme import Look
from designer.model import breakpoint_words as words
from designer.model.breakpoint_trial import mistake_in_log
from designer.panels.breakpoints.editor_parts import caption, words_in_braces
from designer.panels.code.cel_edit import condition_words
from designer.panels.code.completer import Completer, LongText
from designer.panels.fields.error_line import ErrorLine
from designer.panels.fields.plain import GrowingText
from designer.panels.widgets.basic import CheckBox, Choice, label, set_style
from designer.qt.layouts import column, put, row, stack
from runtime.debug.protocol import Breakpoint

MOST_HITS = 1_000_000_000


class HitFields(QWidget):
    """`changed` carries the changed fields of the breakpoint, `resized` follows another
    height. `example` returns an example message for completion.
    """

    changed = Signal(object)
    resized = Signal()

    def __init__(self, look: Look, example: Callable[[], object]) -> None:
        super().__init__()
        self.hits = Choice(look)
        self.hits.setAccessibleName("Hits")
        self.hits.fill([(text, id) for id, text in words.HITS.items()], "always")
        self.count = QLineEdit()
        self.count.setValidator(QIntValidator(1, MOST_HITS, self.count))
        self.count.setAccessibleName("Number of the hit")
        self.count.setFixedWidth(56)
        self.so_far = label("", "secondary")
        self.stop = QPushButton("Stop")
        self.log = QPushButton("Log and go on")
        self.stop.setAccessibleName("Stop the run when it is hit")
        self.log.setAccessibleName("Log a text when it is hit, and go on")
        self.once = CheckBox(look, "once")
        self.once.setToolTip("The breakpoint is off after it has stopped the run once")
        self.text = GrowingText(least=1, most=5)
        self.text.setFont(data_font())
        self.text.setPlaceholderText("{message} of {source}")
        self.text.setAccessibleName("Text of the log")
        self.text.setToolTip("Text, with expressions in braces: risk is {state.risk}")
        self.text_fault = ErrorLine(look)
        self.text_words = Completer(
            LongText(self.text), look, partial(words_in_braces, example)
        )
        self._lay_out()
        self._connect()

    def _lay_out(self) -> None:
        self._text_row = QWidget()
        text = stack(self.text, self.text_fault, gap=4)
        put(self._text_row, row(caption(""), (text, 1)))
        self._then = QButtonGroup(self)
        for choice, place in ((self.stop, "first"), (self.log, "last")):
            choice.setCheckable(True)
            choice.setProperty("segment", place)
            self._then.addButton(choice)
        layout = column(self, gap=8)
        put(layout, row(caption("Hits"), (self.hits, 1), self.count, self.so_far))
        both = row(self.stop, self.log, gap=0)
        put(layout, row(caption("Then"), both, None, self.once))
        layout.addWidget(self._text_row)

    def _connect(self) -> None:
        self.hits.currentIndexChanged.connect(self._on_hits)
        self.count.textEdited.connect(self._on_count)
        self._then.buttonClicked.connect(self._on_then)
        self.once.clicked.connect(self._on_once)
        self.text.committed.connect(self.keep)
        self.text.edited.connect(self._check_text)

    def show_point(self, point: Breakpoint, *, is_typing: bool) -> None:
        """Show the fields of a breakpoint. With `is_typing` a text with the focus stays
        as typed.
        """
        self.hits.fill([(text, id) for id, text in words.HITS.items()], point.hits)
        if self._number() != point.count:
            self.count.setText(str(point.count))
        self.count.setVisible(point.hits != "always")
        (self.log if point.log else self.stop).setChecked(True)
        self.once.setChecked(point.once)
        if not (is_typing and point.log and self.text.hasFocus()):
            self.text.set_text(point.log)
        self._text_row.setVisible(bool(point.log))
        self._check_text()

    def show_hits(self, hits: int) -> None:
        """Show how often it was hit."""
        self.so_far.setText(f"{hits:,} so far")

    def keep(self) -> None:
        """Keep the log text as it is typed."""
        if self.log.isChecked():
            self.changed.emit({"log": self.text.text().strip()})

    def _number(self) -> int:
        return max(1, int(self.count.text() or 1))

    def _on_hits(self, _index: int) -> None:
        hits = self.hits.currentData()
        count = max(2, self._number()) if hits != "always" else self._number()
        self.changed.emit({"hits": hits, "count": count})

    def _on_count(self, text: str) -> None:
        if text:
            self.changed.emit({"count": self._number()})

    def _on_then(self) -> None:
        is_log = self.log.isChecked()
        text = (self.text.text().strip() or "{message}") if is_log else ""
        self.changed.emit({"log": text})
        if is_log:
            self.text.setFocus()

    def _on_once(self, on: bool) -> None:
        self.changed.emit({"once": on})

    def _check_text(self) -> None:
        mistake = mistake_in_log(self.text.text()) if self.log.isChecked() else None
        self.text_fault.say(condition_words(mistake) if mistake is not None else "")
        set_style(self.text, invalid=mistake is not None)
        self.resized.emit()
