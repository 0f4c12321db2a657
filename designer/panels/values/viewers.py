"""Viewers of installed packages: other ways to show a value than as a tree, in "View
as" of its row.

An entry point of the group `stepwell.viewers` names a class with the methods of
`Viewer`; it is called without arguments.
"""

from __future__ import annotations

from typing import Any, Protocol

from PySide6.QtWidgets import QWidget

from designer.packages import PluginError, Plugins
from runtime.debug.protocol import Value

__all__ = ["PACKAGED", "Value", "Viewer", "accepting", "widget_of"]

PACKAGED = Plugins("stepwell.viewers", "viewer")


class Viewer(Protocol):
    """Shows values of some kind.

    A value has `type`, `text` in one line, and `children` as far as they were sent. It
    contains no code of the run.
    """

    def accepts(self, value: Value) -> bool:
        """Return whether this viewer can show a value.

        It is called before the menu opens, when `children` may be None because they
        were not sent yet, and again before `widget`.
        """

    def widget(self, value: Value, parent: QWidget) -> QWidget:
        """Return a new widget that shows the value. `children` has the first level, at
        most `view_as.MOST`.
        """


def accepting(value: Value) -> tuple[list[str], list[str]]:
    """Return the names of the viewers that accept a value, and a sentence for each
    viewer that failed.
    """
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
    """Return the widget of a viewer; None when it does not accept the value. Raise
    `PluginError`.
    """
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
