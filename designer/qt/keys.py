"""Keys as texts ("Ctrl+Shift+P"), and as what an event carries, for the tables of who acts on them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeVar

from PySide6.QtCore import QKeyCombination, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence

Press = tuple[Qt.Key, Qt.KeyboardModifier]
T = TypeVar("T")
SEPARATOR = "; "  # between several keys of one command, as Qt has it


def as_shown(keys: str) -> str:
    """The same keys in one spelling, so that they can be compared; gestures stay as they are."""
    parsed = QKeySequence(keys)
    return (parsed.toString() if parsed.count() == 1 else "") or keys


def text_of(press: Press) -> str:
    key, modifiers = press
    return QKeySequence(QKeyCombination(modifiers, key)).toString()


def press_of(keys: str) -> Press | None:
    """What an event carries when these keys are pressed; None when they are not one press."""
    parsed = QKeySequence(keys)
    if parsed.count() != 1:
        return None
    pressed = parsed[0]  # type: ignore[index] # the stubs do not have it
    return pressed.key(), pressed.keyboardModifiers()


def pressed(event: QKeyEvent) -> Press:
    """The press of an event; keys of the number pad are those of the same name."""
    return Qt.Key(event.key()), event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier


def rebound(
    ours: Mapping[Press, T],
    words: Mapping[Press, str],
    present: Mapping[str, Iterable[str]],
) -> dict[Press, T]:
    """A table of keys with those that a person wants: `present` has them by the words of what they do, and what it does
    not name keeps ours. Of several that do the same the first one acts.
    """
    table = {press: act for press, act in ours.items() if words[press] not in present}
    done: set[str] = set()
    for press, act in ours.items():
        if words[press] in present and words[press] not in done:
            done.add(words[press])
            table |= {
                found: act
                for keys in present[words[press]]
                if (found := press_of(keys)) is not None
            }
    return table


def split(value: str) -> tuple[str, ...]:
    """The keys of a command from the settings: "" for none."""
    return tuple(as_shown(keys) for keys in value.split(SEPARATOR) if keys)
