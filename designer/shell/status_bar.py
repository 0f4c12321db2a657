"""The strip at the bottom: the mode in words and colour, where one is, and what there is."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QLabel, QPushButton, QStatusBar

from designer.look.fonts import ui_font
from designer.look.theme import Look
from designer.panels.widgets.basic import ElidedLabel, Glyph
from designer.qt.layouts import put, row

MESSAGE_MS = 8000
WAITING = "Waiting for the process of the run…"
_FILLS = {"past": "pastFill", "live": "liveFill", "comparing": "accentFill"}
_ICONS = {
    "past": "restore",
    "live": "live",
    "ended": "flag",
    "failed": "error",
    "comparing": "snap",
    "edit": "pencil",
    "": "info",
}


@dataclass(frozen=True)
class Words:
    """What the status bar says; `mode` is that of the session, "ended" for a run that has come to its end, "failed" for
    one that stands before what failed, "comparing" while two checkpoints are compared, "" without a document. While one
    `waits` for the process of the run, that is said, with a button to wait no longer.
    """

    mode: str
    name: str
    where: str = ""
    there: str = ""
    waits: bool = False


class StatusBar(QStatusBar):
    """`show_words` says how things are; `say` puts a sentence in its place for a while, `hint` what is pointed at.
    `cancelled` tells that a person wants to wait no longer.
    """

    cancelled = Signal()

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self._words = Words("", "No document")
        self._dress: tuple[object, ...] = ()
        self.setSizeGripEnabled(False)
        self._icon = Glyph(look, "info", "text2", 14)
        self._name = QLabel()
        self._where = ElidedLabel()
        self._there = QLabel()
        self._name.setFont(ui_font(12, QFont.Weight.DemiBold))
        strip = QLabel()
        self.cancel = QPushButton("Cancel")
        self.cancel.setObjectName("statusCancel")
        self.cancel.setToolTip("Wait no longer for the process of the run")
        self.cancel.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.cancel.clicked.connect(self.cancelled)
        parts = (self._icon, self._name, 8, (self._where, 1), self._there, self.cancel)
        put(strip, row(*parts, gap=8, margins=(12, 0, 12, 0)))
        self.addWidget(strip, 1)
        self._message = self._hint = ""
        self._quiet = QTimer(self, singleShot=True, interval=MESSAGE_MS)
        self._quiet.timeout.connect(lambda: self.say(""))
        look.changed.connect(self._show)
        self._show()

    @property
    def text(self) -> str:
        """Everything that stands there."""
        return " · ".join(
            part.text()
            for part in (self._name, self._where, self._there)
            if part.text()
        )

    def show_words(self, words: Words) -> None:
        if words != self._words:
            self._words = words
            self._show()

    def say(self, text: str) -> None:
        """A sentence for a while; "" takes it back."""
        self._message = text
        if text:
            self._quiet.start()
        self._show()

    def take_back(self, text: str) -> None:
        """Say a sentence no more, because it is not so any more; another one stays."""
        if text and self._message == text:
            self.say("")

    def hint(self, text: str) -> None:
        """What is under the pointer, as long as it is."""
        self._hint = text
        self._show()

    def _show(self) -> None:
        words = self._words
        self._name.setText(words.name)
        waiting = WAITING if words.waits else ""
        self._where.setText(self._message or self._hint or waiting or words.where)
        self.cancel.setVisible(words.waits)
        self._there.setText(words.there)
        theme = self._look.theme
        fill = _FILLS.get(words.mode, "window")
        dress = (theme, fill)
        # A style sheet that is set lays out and paints anew, also an equal one.
        if dress != self._dress:
            self._dress = dress
            colour = "on" if fill != "window" else "text2"
            self.setStyleSheet(
                f"QStatusBar {{ background: {getattr(theme, fill).name()}; }}"
                f"QStatusBar QLabel {{ background: transparent; color: {getattr(theme, colour).name()};"
                " font-size: 12px; }"
                f"QStatusBar QPushButton {{ background: transparent; color: {getattr(theme, colour).name()};"
                f" border: 1px solid {getattr(theme, colour).name()}; border-radius: 3px; padding: 0 8px;"
                " font-size: 12px; min-height: 16px; max-height: 16px; }"
            )
        self._icon.show_glyph(_ICONS[words.mode], "on" if fill != "window" else "text2")
