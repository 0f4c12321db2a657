"""Keys as texts ("Ctrl+Shift+P"), and as events carry them, for the tables of commands."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeVar

from PySide6.QtCore import QKeyCombination, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence

Press = tuple[Qt.Key, Qt.KeyboardModifier]
T = TypeVar("T")
SEPARATOR = "; "  # between several keys of one command, as in Qt


def as_shown(keys: str) -> str:
    """Return keys in one spelling, so that they can be compared. Gestures stay the
    same.
    """
    parsed = QKeySequence(keys)
    return (parsed.toString() if parsed.count() == 1 else "") or keys


def text_of(press: Press) -> str:
    key, modifiers = press
    return QKeySequence(QKeyCombination(modifiers, key)).toString()


def press_of(keys: str) -> Press | None:
    """Return the key and modifiers of an event for these keys; None if they are not one
    press.
    """
    parsed = QKeySequence(keys)
    if parsed.count() != 1:
        return None
    pressed = parsed[0]  # type: ignore[index] # the stubs do not have it
    return pressed.key(), pressed.keyboardModifiers()


def pressed(event: QKeyEvent) -> Press:
    """Return the press of an event. Keys of the number pad count as those of the same
    name.
    """
    return Qt.Key(event.key()), event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier


def rebound(
    ours: Mapping[Press, T],
    words: Mapping[Press, str],
    present: Mapping[str, Iterable[str]],
) -> dict[Press, T]:
    """Return a table of keys with those of the user. `present` has them by the words of
    the commands; other commands keep ours. Of several entries with the same words the
    first acts.
    """
    table = {press: act for press, act in ours.items() if words[press] not in present}
    done: set[str] = set()
    for press, act in ours.items():
        text = words[press]
        if text in present and text not in done:
            done.add(text)
            for keys in present[text]:
                user_press = press_of(keys)
                if user_press is not None:
                    table[user_press] = act
    return table


def split(value: str) -> tuple[str, ...]:
    """Return the keys of a command from their text in the settings; "" is for none."""
    return tuple(as_shown(keys) for keys in value.split(SEPARATOR) if keys)
