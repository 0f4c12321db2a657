"""Every key of the window, in groups, read from the tables that act on them; none is written down a second time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence

from designer.canvas import keys as canvas_keys
from designer.panels import timeline_strip
from designer.shell.actions import ACTIONS, ActionSpec


class KeyRow(NamedTuple):
    """One key, or a gesture, and what it does. Group is a menu, or the part of the window where it holds."""

    group: str
    text: str
    keys: str


def keys_of(spec: ActionSpec, changed: Mapping[str, str]) -> str:
    """The key of a command: the changed one ("" for none), else ours. Those of the canvas stay as they are."""
    return spec.shortcut if spec.on_canvas else changed.get(spec.id, spec.shortcut)


def all_keys_of(spec: ActionSpec, changed: Mapping[str, str]) -> list[str]:
    """The key of a command, and its second one unless another command has got it."""
    mine = keys_of(spec, changed)
    taken = {as_shown(keys) for keys in changed.values()}
    also = spec.also if as_shown(spec.also) not in taken else ""
    return [keys for keys in (mine, also) if keys]


def user_of(keys: str, changed: Mapping[str, str], besides: ActionSpec) -> KeyRow | None:
    """What these keys do now, in the window or on the canvas; None when they are free, or do `besides`."""
    mine = {as_shown(own) for own in (besides.shortcut, *all_keys_of(besides, changed))}
    for entry in key_rows(changed):
        same = as_shown(entry.keys) == as_shown(keys)
        # The canvas has some keys of commands as well: they are the command's own.
        if same and entry.group != "Timeline" and entry.text != besides.text.rstrip("…"):
            return None if entry.group == "Canvas" and as_shown(keys) in mine else entry
    return None


def set_key(spec: ActionSpec, keys: str, changed: Mapping[str, str]) -> dict[str, str]:
    """The changed shortcuts when a command gets these keys ("" for none); who had them has none."""
    wanted = as_shown(keys)
    result = dict(changed)
    for other in ACTIONS:
        if wanted and other.id != spec.id and not other.on_canvas and as_shown(keys_of(other, changed)) == wanted:
            result[other.id] = ""
    result[spec.id] = wanted
    return {id: value for id, value in result.items() if not _is_ours(id, value)}


def _is_ours(id: str, keys: str) -> bool:
    return any(spec.id == id and as_shown(spec.shortcut) == as_shown(keys) for spec in ACTIONS)


def may_be_key(keys: str) -> bool:
    """Whether keys can be a shortcut: not what is typed as text, nor what moves in a field or a list."""
    parsed = QKeySequence(keys)
    if parsed.count() != 1:
        return False
    pressed = parsed[0]  # type: ignore[index] # the stubs do not have it
    key, modifiers = pressed.key(), pressed.keyboardModifiers()
    held = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier | Qt.KeyboardModifier.MetaModifier
    return bool(modifiers & held) or Qt.Key.Key_F1 <= key <= Qt.Key.Key_F35


def key_rows(changed: Mapping[str, str]) -> list[KeyRow]:
    """All of them; `changed` are the shortcuts of the settings. What the canvas does with a key that a command of the
    window has too stands once, at the command.
    """
    rows = [KeyRow(spec.menu, spec.text.rstrip("…"), keys) for spec in ACTIONS for keys in all_keys_of(spec, changed)]
    taken = {as_shown(row.keys) for row in rows}
    rows += [KeyRow("Canvas", text, keys) for keys, text in canvas_keys.shortcuts() if as_shown(keys) not in taken]
    return [*rows, *(KeyRow("Timeline", text, keys) for keys, text in timeline_strip.shortcuts())]


def as_shown(keys: str) -> str:
    """The same keys in one spelling, so that they can be compared; gestures stay as they are."""
    parsed = QKeySequence(keys)
    return (parsed.toString() if parsed.count() == 1 else "") or keys
