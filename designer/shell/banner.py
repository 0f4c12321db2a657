"""The strip above the canvas with a message and buttons, for example that the user
views the past, or what a run needs. Hidden otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import (
    QFont,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QTextLayout,
    QTextOption,
)
from PySide6.QtWidgets import QLabel, QPushButton, QSizePolicy, QWidget

from designer.look.icons import themed_icon
from designer.look.theme import Look
from designer.panels.widgets.basic import ElidedLabel, Glyph, icon_button
from designer.qt.layouts import put, row
from designer.shell.runs.words import Trouble

HEIGHT = 36
LINES = 3  # of a long reason, until the user asks for more
MORE_LINES = 14
# px around a reason below the title
LEFT = 38
RIGHT = 12
GAP = 8


@dataclass(frozen=True)
class Verb:
    """A button of the banner. One that `is_aside` only leads to more, and is the first
    to lose its words where there is no room.
    """

    text: str
    icon: str
    act: Callable[[], object]
    primary: bool = False
    is_aside: bool = False


class _Reason(QLabel):
    """A text of many lines. It paints the first `lines`; the last one ends with dots if
    there are more.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.lines = 1
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    def minimumSizeHint(self) -> QSize:
        return QSize(24, self.fontMetrics().height())

    def lines_of(self, width: int) -> int:
        """Return the number of lines of the text in a width."""
        return max(1, len(_broken(self.text(), self.font(), width)))

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.lines == 0:
            return  # because the other label shows it
        painter = QPainter(self)
        painter.setPen(self.palette().color(self.foregroundRole()))
        metrics = self.fontMetrics()
        room = self.contentsRect()
        width = room.width()
        all_lines = _broken(self.text(), self.font(), width)
        lines = all_lines[: self.lines]
        if len(all_lines) > len(lines):
            remainder = self.text()[sum(map(len, lines[:-1])) :]
            right = Qt.TextElideMode.ElideRight
            lines[-1] = metrics.elidedText(remainder, right, width)
        top = room.top()
        if self.lines == 1:
            top = (self.height() - len(lines) * metrics.lineSpacing()) // 2
        for place, line in enumerate(lines):
            baseline = top + place * metrics.lineSpacing() + metrics.ascent()
            painter.drawText(room.left(), baseline, line.rstrip())
        painter.end()


def _broken(text: str, font: QFont, width: int) -> list[str]:
    """Break a text into lines of a width, between words, or inside of a word that is
    too long.
    """
    layout = QTextLayout(text, font)
    option = QTextOption()
    option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    layout.setTextOption(option)
    lines: list[str] = []
    layout.beginLayout()
    line = layout.createLine()
    while line.isValid():
        line.setLineWidth(max(width, 24))
        lines.append(text[line.textStart() : line.textStart() + line.textLength()])
        line = layout.createLine()
    layout.endLayout()
    return lines


class _Title(ElidedLabel):
    """As wide as its text; elided only where the window is too narrow for it."""

    def __init__(self) -> None:
        super().__init__("", "strong", Qt.TextElideMode.ElideRight)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()


class Banner(QWidget):
    """A message in the colours of its tone (`past`, `ask`, `warn`, `bad`), with
    buttons.
    """

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("banner")
        self.setFixedHeight(HEIGHT)
        self._is_open = False  # shows all lines of a long reason
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._look = look
        self._tone = "past"
        self._glyph = Glyph(look, "restore", "past")
        self._title = _Title()
        self._text = _Reason()
        self._more = icon_button(look, "chev", "", self._toggle)
        self._row = put(
            self,
            row(
                self._glyph,
                self._title,
                (self._text, 1),
                self._more,
                gap=8,
                margins=(12, 0, 8, 0),
            ),
        )
        # The same text over the whole width, if it does not fit beside the title.
        self._below = _Reason(self)
        self._verbs: tuple[Verb, ...] = ()
        self.buttons: list[QPushButton] = []
        look.changed.connect(self._restyle)
        self.hide()

    @property
    def text(self) -> str:
        """Title and text."""
        return f"{self._title.text()} {self._text.text()}".strip()

    def say(self, message: Trouble, verbs: Sequence[Verb]) -> None:
        """Set the message and its buttons."""
        self._tone = message.tone
        self._glyph.show_glyph(message.icon, message.icon_role or message.tone)
        self._title.setText(message.title)
        # Without the line breaks of an error, which the tool tip has.
        text = " ".join(message.text.split())
        if text != self._text.text():
            self._is_open = False
        self._text.setText(text)
        self._below.setText(text)
        for reason in (self._text, self._below):
            reason.setToolTip(message.text)
        self._offer(tuple(verbs))
        self._restyle()
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._fit()

    def _toggle(self) -> None:
        self._is_open = not self._is_open
        self._fit()

    def _fit(self) -> None:
        """Show the reason beside the title if it fits, otherwise in a few lines below.
        A button shows all lines of a longer one.
        """
        self._fit_buttons()
        self._row.activate()
        width = self.width() - LEFT - RIGHT
        fits_beside = self._text.lines_of(self._text.width()) == 1
        needed = 0 if fits_beside else self._below.lines_of(width)
        lines = min(needed, MORE_LINES if self._is_open else LINES)
        self._text.lines = int(fits_beside)
        self._below.lines = lines
        self._more.setVisible(needed > LINES)
        tip = "Show less of the reason" if self._is_open else "Show the whole reason"
        self._more.setToolTip(tip)
        self._more.setAccessibleName(tip)
        height = 0
        if lines:
            height = lines * self._below.fontMetrics().lineSpacing() + GAP
        self._below.setVisible(lines > 0)
        self._below.setGeometry(LEFT, HEIGHT - GAP // 2, width, height)
        self._row.setContentsMargins(12, 0, 8, height)
        self.setFixedHeight(HEIGHT + height)

    def _fit_buttons(self) -> None:
        """Show as many buttons without their words as there is no room for: never the
        main one, and those first that are there only to know more.
        """
        buttons = list(zip(self.buttons, self._verbs, strict=True))
        for button, verb in buttons:
            button.setText(verb.text)
            button.setToolTip("")
        gaps = GAP * (len(self.buttons) + 1)
        room = self.width() - LEFT - RIGHT - self._title.sizeHint().width() - gaps
        optional = [pair for pair in buttons if not pair[1].primary]
        for button, verb in sorted(optional, key=lambda pair: not pair[1].is_aside):
            if sum(each.sizeHint().width() for each in self.buttons) <= room:
                return
            button.setText("")
            button.setToolTip(verb.text)

    def _offer(self, verbs: tuple[Verb, ...]) -> None:
        if [verb.text for verb in verbs] != [verb.text for verb in self._verbs]:
            for button in self.buttons:
                self._row.removeWidget(button)
                button.hide()
                button.deleteLater()
            self.buttons = [self._button(verb) for verb in verbs]
        self._verbs = verbs

    def _button(self, verb: Verb) -> QPushButton:
        icon = themed_icon(verb.icon, self._look, "on" if verb.primary else "text2")
        button = QPushButton(icon, verb.text)
        button.setIconSize(QSize(18, 14))
        button.setProperty("primary", verb.primary)
        button.setProperty("small", True)
        button.setAccessibleName(verb.text)
        button.clicked.connect(lambda: self._act(verb.text))
        self._row.addWidget(button)
        button.show()  # now, because the layout would show it with a later event
        return button

    def _act(self, text: str) -> None:
        next(verb for verb in self._verbs if verb.text == text).act()

    def _restyle(self) -> None:
        theme = self._look.theme
        line = getattr(theme, self._tone)
        fill = getattr(theme, f"{self._tone}Soft")
        sheet = (
            f"#banner {{ background: {fill.name()}; border-bottom: 1px solid {line.name()}; }}"
            f"#banner QLabel {{ color: {theme.text2.name()}; background: transparent; }}"
            f'#banner QLabel[role="strong"] {{ color: {theme.text.name()}; font-weight: 600; }}'
            '#banner QPushButton[small="true"] { padding: 1px 10px; min-height: 20px; }'
        )
        if sheet != self.styleSheet():
            self.setStyleSheet(sheet)
