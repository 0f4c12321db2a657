"""Every key of the window, in groups, read from the tables that act on them; none is written down a second time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

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


def key_rows(changed: Mapping[str, str]) -> list[KeyRow]:
    """All of them; `changed` are the shortcuts of the settings. What the canvas does with a key that a command of the
    window has too stands once, at the command.
    """
    rows = [
        KeyRow(spec.menu, spec.text.rstrip("…"), keys)
        for spec in ACTIONS
        for keys in (keys_of(spec, changed), spec.also)
        if keys
    ]
    taken = {as_shown(row.keys) for row in rows}
    rows += [KeyRow("Canvas", text, keys) for keys, text in canvas_keys.shortcuts() if as_shown(keys) not in taken]
    return [*rows, *(KeyRow("Timeline", text, keys) for keys, text in timeline_strip.shortcuts())]


def as_shown(keys: str) -> str:
    """The same keys in one spelling, so that they can be compared; gestures stay as they are."""
    parsed = QKeySequence(keys)
    return (parsed.toString() if parsed.count() == 1 else "") or keys
