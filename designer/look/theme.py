"""The colours of the window as data: two themes, and two of high contrast, read from `resources/themes/tokens.json`;
and those that installed packages bring.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from functools import cache, cached_property
from importlib.resources import files

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QGuiApplication

from designer.look.contrast import contrast
from designer.look.packaged_themes import OURS, SYSTEM, packaged_colours
from designer.packages import PluginError

ThemeName = str  # one of OURS, or that of an entry point of a package
ThemeChoice = str  # the same, or SYSTEM


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

    @cached_property
    def is_light(self) -> bool:
        return contrast(self.canvas, QColor("white")) < contrast(
            self.canvas, QColor("black")
        )


@cache
def load_theme(name: ThemeName) -> Theme:
    """The colours of a theme. Raise `PluginError` when it is none of ours and no package has it whole."""
    names = [field.name for field in fields(Theme) if field.name != "name"]
    if name not in OURS:
        return Theme(name=name, **packaged_colours(name, names))
    tokens = json.loads(
        files("resources").joinpath("themes/tokens.json").read_text("utf-8")
    )[name]
    return Theme(name=name, **{token: QColor(tokens[token]) for token in names})


def mix(colour: QColor, into: QColor, share: float) -> QColor:
    """`share` of `colour` over `into`, precomputed so that nothing on the canvas is painted translucent."""

    def channel(a: int, b: int) -> int:
        return round(a * share + b * (1 - share))

    return QColor(
        channel(colour.red(), into.red()),
        channel(colour.green(), into.green()),
        channel(colour.blue(), into.blue()),
    )


def system_theme(scheme: Qt.ColorScheme, contrast: Qt.ContrastPreference) -> ThemeName:
    """The theme that goes with what the system says."""
    dark = scheme == Qt.ColorScheme.Dark
    if contrast == Qt.ContrastPreference.HighContrast:
        return "contrast-dark" if dark else "contrast-light"
    return "dark" if dark else "light"


class Look(QObject):
    """Which theme is on. Everything that paints asks `look.theme` and repaints on `changed`.

    `problem` says why the system is followed although another theme was chosen at an earlier start.
    """

    changed = Signal()

    def __init__(
        self, choice: ThemeChoice = SYSTEM, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._choice = choice
        self.problem = ""
        try:
            self.theme  # noqa: B018 - it may be of a package that is gone
        except PluginError as error:
            self._choice = SYSTEM
            self.problem = f"{error} The theme of the system is used."
        hints = QGuiApplication.styleHints()
        hints.colorSchemeChanged.connect(self._on_system_changed)
        hints.accessibility().contrastPreferenceChanged.connect(self._on_system_changed)

    @property
    def choice(self) -> ThemeChoice:
        return self._choice

    @property
    def theme(self) -> Theme:
        if self._choice != SYSTEM:
            return load_theme(self._choice)
        hints = QGuiApplication.styleHints()
        return load_theme(
            system_theme(
                hints.colorScheme(), hints.accessibility().contrastPreference()
            )
        )

    def choose(self, choice: ThemeChoice) -> None:
        """Raise `PluginError`, and stays what it is, for a theme that cannot be used."""
        if choice != SYSTEM:
            load_theme(choice)  # of a package it may be broken
        if choice != self._choice:
            self._choice = choice
            self.changed.emit()

    def _on_system_changed(self) -> None:
        if self._choice == SYSTEM:
            self.changed.emit()
