"""Every key of the window, read from the tables that act on it: ours, those of a
preset, and the user's own on top.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache, cached_property
from typing import Literal, NamedTuple

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QWidget

from designer.canvas.verbs import keys as canvas_keys
from designer.panels.timeline import keys as timeline_keys
from designer.qt.keys import SEPARATOR, as_shown, press_of, split, text_of
from designer.shell.actions import ActionSpec
from designer.shell.keys.presets import OURS, PRESETS
from designer.shell.packaged_actions import all_actions, packaged_ids

Place = Literal["window", "canvas", "timeline"]
_ARROWS = ("Left", "Right", "Up", "Down")
# Keys that the canvas handles itself; the gestures in its list name them.
_WITH_ARROWS = tuple(
    f"{held}{arrow}"
    for held in ("", "Shift+", "Ctrl+", "Ctrl+Alt+")
    for arrow in _ARROWS
)
FIXED = frozenset(
    (
        "Esc",
        "Return",
        "Enter",
        "Ctrl+Return",
        "Ctrl+Enter",
        "Space",
        "Ctrl+Shift+Up",
        "Ctrl+Shift+Down",
        *_WITH_ARROWS,
    )
)


class KeyRow(NamedTuple):
    """One key, or a gesture, and its meaning. `group` is a menu, or the part of the
    window where it works.
    """

    group: str
    text: str
    keys: str


class Command(NamedTuple):
    """Something that can have keys. `place` is where they work, `keys` are ours,
    `words` are those of the canvas or timeline for the same command.
    """

    id: str
    group: str
    text: str
    keys: tuple[str, ...]
    place: Place
    words: str = ""

    def meets(self, other: Command) -> bool:
        """Return whether the same keys would mean both somewhere."""
        return "window" in (self.place, other.place) or self.place == other.place


def commands() -> tuple[Command, ...]:
    """Return the commands of the window and of packages, then those that only the
    canvas and the timeline have. A command of the canvas is one with that of the window
    with its key.
    """
    return _commands(packaged_ids())


@cache
def _commands(_packaged: tuple[str, ...]) -> tuple[Command, ...]:
    pairs = ((text_of(press), entry.words) for press, entry in canvas_keys.KEYS.items())
    canvas = _by_words((keys, words) for keys, words in pairs if keys not in FIXED)
    timeline = _by_words(
        (text_of(press), entry.words) for press, entry in timeline_keys.KEYS.items()
    )
    result = [_of_window(spec, canvas) for spec in all_actions()]
    shared = {command.words for command in result}
    for words, keys in canvas.items():
        if words not in shared:
            result.append(_of_part("canvas", words, keys))
    for words, keys in timeline.items():
        result.append(_of_part("timeline", words, keys))
    return tuple(result)


def _by_words(pairs: Iterable[tuple[str, str]]) -> dict[str, tuple[str, ...]]:
    """Group pairs of keys and words by the words."""
    keys_of: dict[str, tuple[str, ...]] = {}
    for keys, words in pairs:
        keys_of[words] = (*keys_of.get(words, ()), keys)
    return keys_of


def _of_window(spec: ActionSpec, canvas: Mapping[str, tuple[str, ...]]) -> Command:
    keys = tuple(as_shown(keys) for keys in (spec.shortcut, spec.also) if keys)
    words = ""
    for canvas_words, canvas_keys_of in canvas.items():
        if not set(keys).isdisjoint(canvas_keys_of):
            words = canvas_words
            break
    more = tuple(key for key in canvas.get(words, ()) if key not in keys)
    place: Place = "canvas" if spec.on_canvas else "window"
    return Command(spec.id, spec.menu, spec.text.rstrip("…"), keys + more, place, words)


def _of_part(place: Place, words: str, keys: tuple[str, ...]) -> Command:
    slug = re.sub(r"[^a-z0-9]+", "-", words.casefold()).strip("-")
    return Command(f"{place}.{slug}", place.capitalize(), words, keys, place, words)


class Keys:
    """The present keys of each command. The user's own come first: a command that has
    them in the preset loses them.
    """

    def __init__(self, changed: Mapping[str, str], preset: str = OURS) -> None:
        known = {command.id for command in commands()}
        self.changed = {id: value for id, value in changed.items() if id in known}
        self.preset = preset if preset in PRESETS else OURS
        users = [
            (command, split(self.changed[command.id]))
            for command in commands()
            if command.id in self.changed
        ]
        self._of = {command.id: self._free(command, users) for command in commands()}
        self._of |= {command.id: keys for command, keys in users}

    def _free(
        self, command: Command, users: Iterable[tuple[Command, tuple[str, ...]]]
    ) -> tuple[str, ...]:
        """Return the keys of the preset that the user gave to no other command."""
        taken = {key for other, keys in users if other.meets(command) for key in keys}
        return tuple(keys for keys in self.base(command) if keys not in taken)

    def base(self, command: Command) -> tuple[str, ...]:
        """Return its keys in the preset."""
        keys = PRESETS[self.preset].keys.get(command.id, command.keys)
        return tuple(map(as_shown, keys))

    @property
    def are_ours(self) -> bool:
        return not self.changed and self.preset == OURS

    def of(self, id: str) -> tuple[str, ...]:
        """Return the keys of a command, the main one first; none for an unknown
        command.
        """
        return self._of.get(id, ())

    def first(self, id: str) -> str:
        return next(iter(self.of(id)), "")

    def user_of(self, keys: str, besides: Command) -> Command | None:
        """Return the command that has these keys where `besides` would use them."""
        shown = as_shown(keys)
        for other in commands():
            has_keys = other.id != besides.id and shown in self.of(other.id)
            if has_keys and other.meets(besides):
                return other
        return None

    def with_keys(self, command: Command, keys: Iterable[str]) -> dict[str, str]:
        """Return the user's changes after a command got exactly these keys. Other
        commands to which the user gave them lose them.
        """
        new_keys = tuple(dict.fromkeys(map(as_shown, keys)))
        result = dict(self.changed)
        for other in commands():
            if other.id in result and other.id != command.id and other.meets(command):
                remaining = [key for key in self.of(other.id) if key not in new_keys]
                result[other.id] = SEPARATOR.join(remaining)
        result[command.id] = SEPARATOR.join(new_keys)
        if new_keys == self.base(command):
            del result[command.id]
        return result

    def of_words(self, place: Place) -> dict[str, tuple[str, ...]]:
        """Return the keys of the canvas or the timeline, by the words of their tables."""
        keys_of = {}
        for command in commands():
            is_there = (command.place == "timeline") == (place == "timeline")
            if command.words and is_there:
                keys_of[command.words] = self.of(command.id)
        return keys_of

    @cached_property
    def names(self) -> dict[str, str]:
        """The present key for each of ours that menus and tool tips name; "" if there
        is none.
        """
        return self._present(
            command for command in commands() if command.place != "timeline"
        )

    @cached_property
    def names_in_timeline(self) -> dict[str, str]:
        """The same for texts in the timeline, where some keys have another meaning."""
        return {
            **self.names,
            **self._present(
                command for command in commands() if command.place == "timeline"
            ),
        }

    def _present(self, of: Iterable[Command]) -> dict[str, str]:
        pairs = [(keys, command.id) for command in of for keys in command.keys]
        return {
            keys: keys if keys in self.of(id) else self.first(id) for keys, id in pairs
        }

    def translated(self, text: str, names: Mapping[str, str] | None = None) -> str:
        """Return a text with the present keys in place of ours, in brackets or after
        "press".
        """
        if "(" not in text and "ress " not in text:
            return (
                text  # fast, because a new document has a thousand texts without keys
            )
        names = self.names if names is None else names

        def in_brackets(match: re.Match[str]) -> str:
            keys = names.get(as_shown(match[1]), match[1])
            return f" ({keys})" if keys else ""

        def after_press(match: re.Match[str]) -> str:
            return match[1] + (names.get(match[2]) or match[2])

        text = re.sub(r" \(([^()\s]+)\)", in_brackets, text)
        return re.sub(r"\b([Pp]ress )([\w+]+)", after_press, text)

    def rows(self) -> list[KeyRow]:
        """Return all keys, with the gestures of the canvas."""
        rows = [
            KeyRow(command.group, command.text, keys)
            for command in commands()
            for keys in self.of(command.id)
        ]
        fixed = [
            (text_of(press), entry.words)
            for press, entry in canvas_keys.KEYS.items()
            if text_of(press) in FIXED
        ]
        gestures = [
            KeyRow("Canvas", text, keys)
            for keys, text in (*fixed, *canvas_keys.GESTURES)
        ]
        return [*rows, *gestures]


def refusal(command: Command, keys: str) -> str:
    """Return why a command cannot have these keys; "" if it can."""
    press = press_of(keys)
    if press is None:
        return "Press one key, alone or with Ctrl, Alt or Shift."
    # A command that the canvas has too can have a letter there.
    if command.place == "window" and not command.words and not is_free_of_text(keys):
        return f"{keys} is typed as text or moves the cursor: use Ctrl, Alt or a key such as F7."
    if as_shown(keys) in FIXED and command.place != "timeline":
        return f"{as_shown(keys)} has a fixed meaning on the canvas."
    return ""


def tell_keys(widget: QWidget, keys: Keys) -> None:
    """Put the present keys in place of ours: into the tool tip, the accessible name,
    the key cap and the text of a label.
    """
    is_cap = widget.property("role") == "cap"
    names = keys.names_in_timeline if _is_in_timeline(widget) else keys.names
    for name in (
        "toolTip",
        "accessibleName",
        "keyCap",
        *(("text",) if isinstance(widget, QLabel) else ()),
    ):
        shown = widget.property(name) or ""
        before = widget.property(f"keys-{name}")
        # The text with our keys is remembered beside the one that was shown. If another
        # text was set since, that is the one with our keys.
        written = before[0] if before is not None and before[1] == shown else shown
        is_keys = name == "keyCap" or (is_cap and name == "text")
        present = (
            names.get(written, written) if is_keys else keys.translated(written, names)
        )
        if present != shown:
            widget.setProperty(name, present)
            widget.setProperty(f"keys-{name}", (written, present))


def _is_in_timeline(widget: QWidget | None) -> bool:
    """Whether keys mean in a widget what they do in the timeline."""
    while widget is not None:
        if widget.property("keysOf") == "timeline":
            return True
        widget = widget.parentWidget()
    return False


def is_free_of_text(keys: str) -> bool:
    """Return whether keys can be a shortcut of the whole window: not those that type
    text or move in a field or a list.
    """
    press = press_of(keys)
    if press is None:
        return False
    key, modifiers = press
    held = (
        Qt.KeyboardModifier.ControlModifier
        | Qt.KeyboardModifier.AltModifier
        | Qt.KeyboardModifier.MetaModifier
    )
    return (
        bool(modifiers & held)
        or Qt.Key.Key_F1 <= key <= Qt.Key.Key_F35
        or key == Qt.Key.Key_Pause
    )
