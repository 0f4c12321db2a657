"""The colours of the window as data: two themes and two of high contrast, read from
`resources/themes/tokens.json`, and those of installed packages.
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
    """One colour for each token of `tokens.json`."""

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
    """Return a theme. Raise `PluginError` if it is not ours and no package has a
    complete one.
    """
    names = [field.name for field in fields(Theme) if field.name != "name"]
    if name not in OURS:
        return Theme(name=name, **packaged_colours(name, names))
    file = files("resources").joinpath("themes/tokens.json")
    tokens = json.loads(file.read_text("utf-8"))[name]
    return Theme(name=name, **{token: QColor(tokens[token]) for token in names})


def mix(colour: QColor, into: QColor, share: float) -> QColor:
    """Return the mix of a share of `colour` with `into`. The canvas paints mixed
    colours because translucent ones are slow.
    """

    def channel(a: int, b: int) -> int:
        return round(a * share + b * (1 - share))

    return QColor(
        channel(colour.red(), into.red()),
        channel(colour.green(), into.green()),
        channel(colour.blue(), into.blue()),
    )


def system_theme(scheme: Qt.ColorScheme, contrast: Qt.ContrastPreference) -> ThemeName:
    """Return our theme for the settings of the system."""
    dark = scheme == Qt.ColorScheme.Dark
    if contrast == Qt.ContrastPreference.HighContrast:
        return "contrast-dark" if dark else "contrast-light"
    return "dark" if dark else "light"


class Look(QObject):
    """The present theme. All that paints asks for `look.theme` and paints again on
    `changed`.

    `problem` says why a theme that was chosen at an earlier start is not used.
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
        """Use a theme. Raise `PluginError`, and keep the present one, if it cannot be
        used.
        """
        if choice != SYSTEM:
            load_theme(choice)  # raises for a broken theme of a package
        if choice != self._choice:
            self._choice = choice
            self.changed.emit()

    def _on_system_changed(self) -> None:
        if self._choice == SYSTEM:
            self.changed.emit()
