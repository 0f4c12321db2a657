"""The strip above the canvas: that one is viewing the past, or what a run needs of a person. Hidden otherwise."""

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
from designer.panels.widgets.basic import Glyph, icon_button
from designer.qt.layouts import put, row
from designer.shell.runs.words import Trouble

HEIGHT = 36
LINES = 3  # of a long reason, before one asks for more of it
MORE_LINES = 14
# around the lines below: under the title
LEFT = 38
RIGHT = 12
GAP = 8


@dataclass(frozen=True)
class Verb:
    """A button of the banner."""

    text: str
    icon: str
    act: Callable[[], object]
    primary: bool = False


class _Reason(QLabel):
    """A text of many lines, of which as many are painted as there is room for; the last ends with dots if it is cut."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.lines = 1
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    def minimumSizeHint(self) -> QSize:
        return QSize(24, self.fontMetrics().height())

    def lines_of(self, width: int) -> int:
        """How many lines the whole text takes."""
        return max(1, len(_broken(self.text(), self.font(), width)))

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.lines == 0:
            return  # another one shows it
        painter = QPainter(self)
        painter.setPen(self.palette().color(self.foregroundRole()))
        metrics = self.fontMetrics()
        room = self.contentsRect()
        width = room.width()
        found = _broken(self.text(), self.font(), width)
        shown = found[: self.lines]
        if len(found) > len(shown):
            rest = self.text()[sum(map(len, shown[:-1])) :]
            shown[-1] = metrics.elidedText(rest, Qt.TextElideMode.ElideRight, width)
        if self.lines == 1:
            top = (self.height() - len(shown) * metrics.lineSpacing()) // 2
        else:
            top = room.top()
        for at, line in enumerate(shown):
            painter.drawText(
                room.left(),
                top + at * metrics.lineSpacing() + metrics.ascent(),
                line.rstrip(),
            )
        painter.end()


def _broken(text: str, font: QFont, width: int) -> list[str]:
    """A text in lines of a width, broken between words, or in them where one is too long."""
    layout = QTextLayout(text, font)
    option = QTextOption()
    option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    layout.setTextOption(option)
    found: list[str] = []
    layout.beginLayout()
    line = layout.createLine()
    while line.isValid():
        line.setLineWidth(max(width, 24))
        found.append(text[line.textStart() : line.textStart() + line.textLength()])
        line = layout.createLine()
    layout.endLayout()
    return found


class Banner(QWidget):
    """One sentence in the colours of its tone (`past`, `ask`, `warn`, `bad`), and its verbs."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("banner")
        self.setFixedHeight(HEIGHT)
        self._whole = False  # a long reason is shown to its end
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._look = look
        self._tone = "past"
        self._glyph = Glyph(look, "restore", "past")
        self._title = QLabel()
        self._text = _Reason()
        self._more = icon_button(look, "chev", "", self._toggle)
        self._title.setProperty("role", "strong")
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
        # The same, over the whole width, where it is more than fits beside the title.
        self._below = _Reason(self)
        self._verbs: tuple[Verb, ...] = ()
        self.buttons: list[QPushButton] = []
        look.changed.connect(self._restyle)
        self.hide()

    @property
    def text(self) -> str:
        """The whole sentence."""
        return f"{self._title.text()} {self._text.text()}".strip()

    def say(self, what: Trouble, verbs: Sequence[Verb]) -> None:
        """Show a sentence and its buttons; it is shown until `hide`."""
        self._tone = what.tone
        self._glyph.show_glyph(what.icon, what.tone)
        self._title.setText(what.title)
        # An error may have many lines; the first says what, and the tool tip has all of them.
        text = " ".join(what.text.split())
        if text != self._text.text():
            self._whole = False
        self._text.setText(text)
        self._below.setText(text)
        for reason in (self._text, self._below):
            reason.setToolTip(what.text)
        self._offer(tuple(verbs))
        self._restyle()
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._fit()

    def _toggle(self) -> None:
        self._whole = not self._whole
        self._fit()

    def _fit(self) -> None:
        """A reason that is more than fits beside the title has lines of its own, up to a few; of a longer one the rest
        is a click away.
        """
        self._row.activate()
        beside = self._text.lines_of(self._text.width()) == 1
        needed = 0 if beside else self._below.lines_of(self.width() - LEFT - RIGHT)
        lines = min(needed, MORE_LINES if self._whole else LINES)
        self._text.lines = int(beside)
        self._below.lines = lines
        self._more.setVisible(needed > LINES)
        tip = "Show less of the reason" if self._whole else "Show the whole reason"
        self._more.setToolTip(tip)
        self._more.setAccessibleName(tip)
        below = lines * self._below.fontMetrics().lineSpacing() + GAP if lines else 0
        self._below.setVisible(lines > 0)
        self._below.setGeometry(
            LEFT, HEIGHT - GAP // 2, self.width() - LEFT - RIGHT, below
        )
        self._row.setContentsMargins(12, 0, 8, below)
        self.setFixedHeight(HEIGHT + below)

    def _offer(self, verbs: tuple[Verb, ...]) -> None:
        if [verb.text for verb in verbs] != [verb.text for verb in self._verbs]:
            for button in self.buttons:
                self._row.removeWidget(button)
                button.hide()
                button.deleteLater()
            self.buttons = [self._button(verb) for verb in verbs]
        self._verbs = verbs

    def _button(self, verb: Verb) -> QPushButton:
        button = QPushButton(
            themed_icon(verb.icon, self._look, "on" if verb.primary else "text2"),
            verb.text,
        )
        button.setIconSize(QSize(18, 14))
        button.setProperty("primary", verb.primary)
        button.setProperty("small", True)
        button.clicked.connect(lambda: self._act(verb.text))
        self._row.addWidget(button)
        button.show()  # what is put into a layout is otherwise shown by a later event
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
