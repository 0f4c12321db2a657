"""The parts of the editor of a breakpoint: the choice of what must happen, what the
condition says of the message at hand, and the area of the rows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtWidgets import (
    QAbstractButton,
    QButtonGroup,
    QGridLayout,
    QRadioButton,
    QScrollArea,
    QWidget,
)

from designer.look.theme import Look
from designer.model import breakpoint_words as words
from designer.model.breakpoint_trial import Trial
from designer.model.completion.cel_words import Word, complete
from designer.panels.widgets.basic import Glyph, label, set_style
from designer.qt.layouts import put, row
from runtime.debug.protocol import BreakpointKind

CAPTION = 64  # px of the names of rows
LEAST_BODY = 56  # px; below it the rows could not be read
_FACES = {
    "true": ("done", "ok"),
    "false": ("not_taken", "text3"),
    "error": ("failed", "bad"),
    "unknown": ("info", "text3"),
}


class KindChoice(QWidget):
    """Radio buttons in two columns. `chosen` carries the kind that the user chose; `below`
    stands under them.
    """

    chosen = Signal(str)

    def __init__(self, below: QWidget) -> None:
        super().__init__()
        self._below = below
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(8)
        self._grid.setVerticalSpacing(0)
        self._group = QButtonGroup(self)
        self._group.idClicked.connect(lambda place: self.chosen.emit(self.kinds[place]))
        self.kinds: list[BreakpointKind] = []

    def offer(self, choices: Mapping[BreakpointKind, str]) -> None:
        """Offer these kinds, with their words."""
        for radio in self._group.buttons():
            self._group.removeButton(radio)
            radio.hide()
            radio.deleteLater()
        self.kinds = list(choices)
        for place, kind in enumerate(self.kinds):
            radio = QRadioButton(choices[kind])
            self._group.addButton(radio, place)
            self._grid.addWidget(radio, place // 2, place % 2)
        under = (len(self.kinds) + 1) // 2
        self._grid.addWidget(self._below, under, 0, 1, 2)

    def show_kind(self, kind: BreakpointKind) -> None:
        """Show which one is chosen."""
        if kind in self.kinds:
            self.radio(kind).setChecked(True)

    def radio(self, kind: BreakpointKind) -> QAbstractButton:
        """Return the button of a kind."""
        return self._group.button(self.kinds.index(kind))


class TrialLine(QWidget):
    """What the condition says of the message at hand; hidden without an answer."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._glyph = Glyph(look, "done", "ok", 14)
        self.words = label("", "secondary", wrap=True)
        line = put(self, row(self._glyph, (self.words, 1), gap=6))
        line.setAlignment(self._glyph, Qt.AlignmentFlag.AlignTop)
        self.hide()

    def say(self, trial: Trial | None) -> None:
        self.setVisible(trial is not None and bool(trial.words))
        if trial is not None:
            glyph, role = _FACES.get(trial.answer, ("info", "text3"))
            self._glyph.show_glyph(glyph, role)
            tone = role if role in ("ok", "bad") else ""
            set_style(self.words, tone=tone)
            self.words.setText(trial.words)


class EditorBody(QScrollArea):
    """The rows of the editor. Where there is no room for all of them, they scroll, so
    that its buttons stay in sight.
    """

    def __init__(self, content: QWidget) -> None:
        super().__init__()
        self._content = content
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setProperty("role", "popover")
        self.setWidget(content)
        policy = self.sizePolicy()
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        for part in (self.viewport(), content):
            part.setAutoFillBackground(False)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """A row that appears makes the whole editor higher: the layout around a scroll
        area does not hear of what is inside.
        """
        if watched is self._content and event.type() == QEvent.Type.LayoutRequest:
            self.updateGeometry()
        return super().eventFilter(watched, event)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        height = self._content.heightForWidth(width)
        if height < 0:
            height = self._content.sizeHint().height()
        return height + 2 * self.frameWidth()

    def sizeHint(self) -> QSize:
        return QSize(200, self.heightForWidth(self.width()))

    def minimumSizeHint(self) -> QSize:
        return QSize(120, LEAST_BODY)


def caption(text: str) -> QWidget:
    result = label(text, "secondary")
    result.setFixedWidth(CAPTION)
    return result


def words_in_braces(
    example: Callable[[], object], text: str, cursor: int
) -> list[Word]:
    """Return the words that fit in an expression of a log text; none outside braces."""
    before = text[:cursor]
    brace = before.rfind("{")
    if brace < 0 or "}" in before[brace:]:
        return []
    offset = brace + 1
    offers = complete(text[offset:], cursor - offset, example(), words.VARIABLES)
    return [word._replace(start=word.start + offset) for word in offers]
