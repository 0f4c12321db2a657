"""The present keys, in menus and shortcuts and in tool tips that were written with
ours.
"""

from __future__ import annotations

from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QToolButton, QWidget

from designer.shell.action_host import ActionHost
from designer.shell.actions import ActionSpec
from designer.shell.keys.rows import Keys, is_free_of_text, tell_keys


def bind_action(action: QAction, spec: ActionSpec, keys: Keys) -> None:
    """Make the keys of a command shortcuts of its action.

    Those that canvas and fields take themselves are none, because a shortcut of the
    window comes before them.
    """
    if not spec.on_canvas or spec.id == "shortcuts":
        shortcuts = [QKeySequence(k) for k in keys.of(spec.id) if is_free_of_text(k)]
        action.setShortcuts(shortcuts)


def name_action(
    action: QAction, spec: ActionSpec, keys: Keys, host: ActionHost
) -> None:
    """Name an action by what it does at present, with the key that is no shortcut."""
    text = spec.text_in(host)
    first = keys.first(spec.id)
    if first and (spec.on_canvas or not is_free_of_text(first)):
        text += f"\t{first}"
    action.setText(text)
    action.setIconText(spec.short_in(host))


def tell_widgets(window: QWidget, keys: Keys, besides: QWidget) -> None:
    """Put the present keys into tool tips and names, except those of a widget that does
    so itself.
    """
    for widget in window.findChildren(QWidget):
        # Such a button shows the tool tip of its action.
        has_action = (
            isinstance(widget, QToolButton) and widget.defaultAction() is not None
        )
        has_keys = besides in (widget, widget.parent())
        if not has_action and not has_keys and widget.window() is window:
            tell_keys(widget, keys)
