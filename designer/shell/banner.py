"""The strip above the canvas: that one is viewing the past, or what a run needs of a person. Hidden otherwise."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QLabel, QPushButton, QWidget

from designer.layouts import put, row
from designer.look.icons import themed_icon
from designer.look.theme import Look
from designer.panels.widgets import ElidedLabel, Glyph
from designer.shell.words import Trouble

HEIGHT = 36


@dataclass(frozen=True)
class Verb:
    """A button of the banner."""

    text: str
    icon: str
    act: Callable[[], object]
    primary: bool = False


class Banner(QWidget):
    """One sentence in the colours of its tone (`past`, `ask`, `warn`, `bad`), and its verbs."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("banner")
        self.setFixedHeight(HEIGHT)
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._look, self._tone = look, "past"
        self._glyph, self._title, self._text = Glyph(look, "restore", "past"), QLabel(), ElidedLabel()
        self._title.setProperty("role", "strong")
        self._row = put(self, row(self._glyph, self._title, (self._text, 1), gap=8, margins=(12, 0, 8, 0)))
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
        self._text.setText(" ".join(what.text.split()))
        self._text.setToolTip(what.text)
        self._offer(tuple(verbs))
        self._restyle()

    def _offer(self, verbs: tuple[Verb, ...]) -> None:
        if [verb.text for verb in verbs] != [verb.text for verb in self._verbs]:
            for button in self.buttons:
                self._row.removeWidget(button)
                button.hide()
                button.deleteLater()
            self.buttons = [self._button(verb) for verb in verbs]
        self._verbs = verbs

    def _button(self, verb: Verb) -> QPushButton:
        button = QPushButton(themed_icon(verb.icon, self._look, "on" if verb.primary else "text2"), verb.text)
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
        line, fill = getattr(theme, self._tone), getattr(theme, f"{self._tone}Soft")
        sheet = (
            f"#banner {{ background: {fill.name()}; border-bottom: 1px solid {line.name()}; }}"
            f"#banner QLabel {{ color: {theme.text2.name()}; background: transparent; }}"
            f'#banner QLabel[role="strong"] {{ color: {theme.text.name()}; font-weight: 600; }}'
            '#banner QPushButton[small="true"] { padding: 1px 10px; min-height: 20px; }'
        )
        if sheet != self.styleSheet():
            self.setStyleSheet(sheet)
