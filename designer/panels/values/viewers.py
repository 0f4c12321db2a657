"""Viewers that installed packages bring: other ways to show a value than as a tree, chosen by "View as" on its row.

An entry point of the group `stepwell.viewers` names a class that is a `Viewer`, and is made without arguments.
"""

from __future__ import annotations

from typing import Any, Protocol

from PySide6.QtWidgets import QWidget

from designer.packages import PluginError, Plugins
from runtime.debug.protocol import Value

__all__ = ["PACKAGED", "Value", "Viewer", "accepting", "widget_of"]

PACKAGED = Plugins("stepwell.viewers", "viewer")


class Viewer(Protocol):
    """How values of some kind are shown. A value is `type`, `text` in one line, and `children` as far as they were
    sent; it has no code of the run's own in it.
    """

    def accepts(self, value: Value) -> bool:
        """Whether it can show this. Asked before the menu opens, when `children` may be None as they were not sent yet,
        and again before `widget`.
        """

    def widget(self, value: Value, parent: QWidget) -> QWidget:
        """A new widget that shows it. `children` has all of the first level, or `viewing.MOST` of them."""


def accepting(value: Value) -> tuple[list[str], list[str]]:
    """The names of the viewers that would show a value, and a sentence for each that cannot be used."""
    names = []
    problems = []
    for name in PACKAGED.names():
        try:
            if PACKAGED.load(name, lambda make: _asked(make, value)):
                names.append(name)
        except PluginError as error:
            problems.append(str(error))
    return names, problems


def widget_of(name: str, value: Value, parent: QWidget) -> QWidget | None:
    """What a viewer makes of a value; None where it does not accept it. Raise `PluginError`."""
    return PACKAGED.load(name, lambda make: _widget(make, value, parent))


def _asked(make: Any, value: Value) -> bool:
    return bool(make().accepts(value))


def _widget(make: Any, value: Value, parent: QWidget) -> QWidget | None:
    viewer: Viewer = make()
    if not viewer.accepts(value):
        return None
    widget = viewer.widget(value, parent)
    if not isinstance(widget, QWidget):
        raise TypeError(
            f"its widget is no QWidget, but of type {type(widget).__name__}"
        )
    return widget
