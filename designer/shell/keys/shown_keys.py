"""The present keys, given to all of the window that acts on some or names some."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QToolButton, QWidget

from designer.look.theme import Look
from designer.shell.keys.cheat_sheet import ShortcutList
from designer.shell.keys.presets import OURS, PRESETS
from designer.shell.keys.rows import is_free_of_text, tell_keys

if TYPE_CHECKING:
    from designer.shell.actions import ActionSpec
    from designer.shell.window import Window


def give_to_actions(window: Window) -> None:
    """Canvas and fields have the first say on keys that are theirs too: of those the menus only tell."""
    for spec in window.specs:
        keys = window.keys.of(spec.id)
        action = window.actions_by_id[spec.id]
        name_action(window, spec)
        if not spec.on_canvas or spec.id == "shortcuts":
            action.setShortcuts(
                [QKeySequence(one) for one in keys if is_free_of_text(one)]
            )


def name_action(window: Window, spec: ActionSpec) -> None:
    """What it will do now, and the keys that no shortcut of Qt's has."""
    keys = window.keys.of(spec.id)
    action = window.actions_by_id[spec.id]
    if spec.on_canvas or not all(map(is_free_of_text, keys[:1])):
        beside = keys[:1]
    else:
        beside = ()
    action.setText("\t".join((spec.text_in(window), *beside)))
    action.setIconText(spec.short_in(window))


def give_to_parts(window: Window) -> None:
    """Emit the keys, and put them into tool tips and names that were written with ours."""
    keys = window.keys
    field = window.toolbar.field
    window.keys_changed.emit(keys)
    field.show_keys(keys.first("commands"))
    for widget in window.findChildren(QWidget):
        # whose tip it shows
        has_action = (
            isinstance(widget, QToolButton) and widget.defaultAction() is not None
        )
        has_keys = field in (widget, widget.parent()) or widget.window() is not window
        if not has_action and not has_keys:
            tell_keys(widget, keys)


def show_list(window: Window, look: Look) -> None:
    """The list of keys, from which they can be saved and changed."""
    preset = PRESETS[window.keys.preset].title if window.keys.preset != OURS else ""
    sheet = ShortcutList(look, window.keys.rows(), window, preset)
    sheet.save_requested.connect(lambda: _save(window, sheet))
    sheet.change_requested.connect(sheet.close)
    sheet.change_requested.connect(window.change_shortcuts)
    sheet.show()


def _save(window: Window, sheet: ShortcutList) -> None:
    path = window.questions.export_path("shortcuts.html")
    if path is None:
        return
    try:
        sheet.save(path)
    except OSError as error:
        window.questions.tell(
            "The shortcuts cannot be saved", f"{error}. Choose another place."
        )
