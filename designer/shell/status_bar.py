"""The strip at the bottom: the mode in words and colour, the place, and the state of
the file.
"""

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
_FILLS = {
    "past": "pastFill",
    "copy": "pastFill",
    "live": "liveFill",
    "comparing": "accentFill",
}
_ICONS = {
    "past": "restore",
    "live": "live",
    "ended": "flag",
    "failed": "error",
    "comparing": "compare",
    "copy": "pencil",
    "edit": "pencil",
    "": "info",
}


@dataclass(frozen=True)
class Words:
    """The texts of the status bar: the name of the mode, then the middle, then the
    right end.

    `mode` gives icon and colour: that of the session, "ended" or "failed" for a run
    that is, "comparing" for a comparison, "copy" while a copy is edited, "" without a document. If the window `waits`
    for the process of the run, the status bar says so, with a button to cancel.
    """

    mode: str
    name: str
    where: str = ""
    there: str = ""
    waits: bool = False


class StatusBar(QStatusBar):
    """`show_words` shows the state. `say` replaces it by a message for a while, and
    `hint` by what is under the pointer. `cancelled` is emitted when the user does not
    want to wait.
    """

    cancelled = Signal()

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self._words = Words("", "No document")
        self._styled_for: tuple[object, ...] = ()
        self.setSizeGripEnabled(False)
        self._icon = Glyph(look, "info", "text2", 14)
        self._name = QLabel()
        self._where = ElidedLabel()
        self._there = QLabel()
        self._name.setFont(ui_font(12, QFont.Weight.DemiBold))
        strip = QLabel()
        self.cancel = QPushButton("Cancel")
        self.cancel.setObjectName("statusCancel")
        self.cancel.setToolTip("Stop waiting for the process of the run")
        self.cancel.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.cancel.clicked.connect(self.cancelled)
        parts = (self._icon, self._name, 8, (self._where, 1), self._there, self.cancel)
        put(strip, row(*parts, gap=8, margins=(12, 0, 12, 0)))
        self.addWidget(strip, 1)
        self._message = self._hint = ""
        self._message_timer = QTimer(self, singleShot=True, interval=MESSAGE_MS)
        self._message_timer.timeout.connect(lambda: self.say(""))
        look.changed.connect(self._show)
        self._show()

    @property
    def text(self) -> str:
        """All texts that are shown."""
        parts = (self._name, self._where, self._there)
        return " · ".join(part.text() for part in parts if part.text())

    def show_words(self, words: Words) -> None:
        if words != self._words:
            self._words = words
            self._show()

    def say(self, text: str) -> None:
        """Show a message for a while; "" takes it back."""
        self._message = text
        if text:
            self._message_timer.start()
        self._show()

    def take_back(self, text: str) -> None:
        """Remove a message that is no longer true. Another message stays."""
        if text and self._message == text:
            self.say("")

    def hint(self, text: str) -> None:
        """Show what is under the pointer; "" for nothing."""
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
        colour = "on" if fill != "window" else "text2"
        # Only if it differs, because Qt lays out and paints again for an equal style
        # sheet too.
        if (theme, fill) != self._styled_for:
            self._styled_for = (theme, fill)
            background = getattr(theme, fill).name()
            text = getattr(theme, colour).name()
            self.setStyleSheet(
                f"QStatusBar {{ background: {background}; }}"
                f"QStatusBar QLabel {{ background: transparent; color: {text}; font-size: 12px; }}"
                f"QStatusBar QPushButton {{ background: transparent; color: {text};"
                f" border: 1px solid {text}; border-radius: 3px; padding: 0 8px;"
                " font-size: 12px; min-height: 16px; max-height: 16px; }"
            )
        self._icon.show_glyph(_ICONS[words.mode], colour)
