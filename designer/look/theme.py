"""The colours of the window as data: two themes, and two of high contrast, read from `resources/themes/tokens.json`."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from functools import cache
from importlib.resources import files
from typing import Literal

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QGuiApplication

ThemeName = Literal["light", "dark", "contrast-light", "contrast-dark"]
ThemeChoice = Literal["light", "dark", "contrast-light", "contrast-dark", "system"]


@dataclass(frozen=True)
class Theme:
    """One colour per role. The roles are explained in the table "Colours" of the look; the names are the same."""

    name: ThemeName
    window: QColor
    panel: QColor
    canvas: QColor
    dot: QColor
    node: QColor
    raised: QColor
    field: QColor
    hover: QColor
    line: QColor
    line2: QColor
    text: QColor
    text2: QColor
    text3: QColor
    accent: QColor
    accentFill: QColor  # noqa: N815 - the tokens' own names, so that one can search for them
    accentSoft: QColor  # noqa: N815
    on: QColor
    ok: QColor
    okSoft: QColor  # noqa: N815
    warn: QColor
    warnSoft: QColor  # noqa: N815
    warnFill: QColor  # noqa: N815
    bad: QColor
    badSoft: QColor  # noqa: N815
    ask: QColor
    askSoft: QColor  # noqa: N815
    past: QColor
    pastFill: QColor  # noqa: N815
    pastSoft: QColor  # noqa: N815
    liveFill: QColor  # noqa: N815
    edge: QColor
    bp: QColor


@cache
def load_theme(name: ThemeName) -> Theme:
    tokens = json.loads(files("resources").joinpath("themes/tokens.json").read_text("utf-8"))[name]
    colours = {field.name: QColor(tokens[field.name]) for field in fields(Theme) if field.name != "name"}
    return Theme(name=name, **colours)


def mix(colour: QColor, into: QColor, share: float) -> QColor:
    """`share` of `colour` over `into`, precomputed so that nothing on the canvas is painted translucent."""

    def channel(a: int, b: int) -> int:
        return round(a * share + b * (1 - share))

    return QColor(
        channel(colour.red(), into.red()), channel(colour.green(), into.green()), channel(colour.blue(), into.blue())
    )


def system_theme(scheme: Qt.ColorScheme, contrast: Qt.ContrastPreference) -> ThemeName:
    """The theme that goes with what the system says."""
    dark = scheme == Qt.ColorScheme.Dark
    if contrast == Qt.ContrastPreference.HighContrast:
        return "contrast-dark" if dark else "contrast-light"
    return "dark" if dark else "light"


class Look(QObject):
    """Which theme is on. Everything that paints asks `look.theme` and repaints on `changed`."""

    changed = Signal()

    def __init__(self, choice: ThemeChoice = "system", parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._choice: ThemeChoice = choice
        hints = QGuiApplication.styleHints()
        hints.colorSchemeChanged.connect(self._on_system_changed)
        hints.accessibility().contrastPreferenceChanged.connect(self._on_system_changed)

    @property
    def choice(self) -> ThemeChoice:
        return self._choice

    @property
    def theme(self) -> Theme:
        if self._choice != "system":
            return load_theme(self._choice)
        hints = QGuiApplication.styleHints()
        return load_theme(system_theme(hints.colorScheme(), hints.accessibility().contrastPreference()))

    def choose(self, choice: ThemeChoice) -> None:
        if choice != self._choice:
            self._choice = choice
            self.changed.emit()

    def _on_system_changed(self) -> None:
        if self._choice == "system":
            self.changed.emit()
