"""Every key of the window, read from the tables that act on it: ours, those of a preset, and a person's own on top."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache, cached_property
from typing import Literal, NamedTuple

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QWidget

from designer.canvas.verbs import keys as canvas_keys
from designer.panels.timeline import strip as timeline_strip
from designer.qt.keys import SEPARATOR, as_shown, press_of, split, text_of
from designer.shell.actions import ActionSpec
from designer.shell.keys.presets import OURS, PRESETS
from designer.shell.packaged_actions import all_actions, packaged_ids

Place = Literal["window", "canvas", "timeline"]
_ARROWS = ("Left", "Right", "Up", "Down")
# What the canvas does with keys by itself, as the gestures in its list say.
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
    """One key, or a gesture, and what it does. Group is a menu, or the part of the window where it holds."""

    group: str
    text: str
    keys: str


class Command(NamedTuple):
    """What keys can be given to. `place` is where they hold, `keys` are ours, `words` those of the canvas or timeline
    for the same thing.
    """

    id: str
    group: str
    text: str
    keys: tuple[str, ...]
    place: Place
    words: str = ""

    def meets(self, other: Command) -> bool:
        """Whether the same keys would mean both somewhere."""
        return "window" in (self.place, other.place) or self.place == other.place


def commands() -> tuple[Command, ...]:
    """The commands of the window, those of packages too, then what only the canvas and the timeline have. What the
    canvas does too is one with the command of the window that has the same key.
    """
    return _commands(packaged_ids())


@cache
def _commands(_packaged: tuple[str, ...]) -> tuple[Command, ...]:
    pairs = ((text_of(press), entry.words) for press, entry in canvas_keys.KEYS.items())
    canvas = _by_words((keys, words) for keys, words in pairs if keys not in FIXED)
    timeline = _by_words(
        (text_of(press), entry.words) for press, entry in timeline_strip.KEYS.items()
    )
    found = [_of_window(spec, canvas) for spec in all_actions()]
    shared = {command.words for command in found}
    found += [
        _elsewhere("canvas", words, keys)
        for words, keys in canvas.items()
        if words not in shared
    ]
    return (
        *found,
        *(_elsewhere("timeline", words, keys) for words, keys in timeline.items()),
    )


def _by_words(pairs: Iterable[tuple[str, str]]) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for keys, words in pairs:
        found[words] = (*found.get(words, ()), keys)
    return found


def _of_window(spec: ActionSpec, canvas: Mapping[str, tuple[str, ...]]) -> Command:
    own = tuple(as_shown(keys) for keys in (spec.shortcut, spec.also) if keys)
    words = next(
        (words for words, keys in canvas.items() if not set(own).isdisjoint(keys)), ""
    )
    more = tuple(keys for keys in canvas.get(words, ()) if keys not in own)
    place: Place = "canvas" if spec.on_canvas else "window"
    return Command(spec.id, spec.menu, spec.text.rstrip("…"), own + more, place, words)


def _elsewhere(place: Place, words: str, keys: tuple[str, ...]) -> Command:
    slug = re.sub(r"[^a-z0-9]+", "-", words.casefold()).strip("-")
    return Command(f"{place}.{slug}", place.capitalize(), words, keys, place, words)


class Keys:
    """Which keys each command has now. A person's own come first; who had them in the preset goes without them."""

    def __init__(self, changed: Mapping[str, str], preset: str = OURS) -> None:
        known = {command.id for command in commands()}
        self.changed = {id: value for id, value in changed.items() if id in known}
        self.preset = preset if preset in PRESETS else OURS
        own = [
            (command, split(self.changed[command.id]))
            for command in commands()
            if command.id in self.changed
        ]
        self._of = {command.id: self._left(command, own) for command in commands()}
        self._of |= {command.id: keys for command, keys in own}

    def _left(
        self, command: Command, own: Iterable[tuple[Command, tuple[str, ...]]]
    ) -> tuple[str, ...]:
        taken = {key for other, keys in own if other.meets(command) for key in keys}
        return tuple(keys for keys in self.base(command) if keys not in taken)

    def base(self, command: Command) -> tuple[str, ...]:
        """Its keys in the preset."""
        return tuple(
            map(as_shown, PRESETS[self.preset].keys.get(command.id, command.keys))
        )

    @property
    def are_ours(self) -> bool:
        return not self.changed and self.preset == OURS

    def of(self, id: str) -> tuple[str, ...]:
        """The keys of a command, the one that is shown first; none for what is not known."""
        return self._of.get(id, ())

    def first(self, id: str) -> str:
        return next(iter(self.of(id)), "")

    def user_of(self, keys: str, besides: Command) -> Command | None:
        """What these keys do now where `besides` would use them."""
        wanted = as_shown(keys)
        return next(
            (
                other
                for other in commands()
                if other.id != besides.id
                and other.meets(besides)
                and wanted in self.of(other.id)
            ),
            None,
        )

    def with_keys(self, command: Command, keys: Iterable[str]) -> dict[str, str]:
        """The changes when a command gets exactly these keys; others that a person gave them to lose them."""
        wanted = tuple(dict.fromkeys(map(as_shown, keys)))
        result = dict(self.changed)
        for other in commands():
            if other.id in result and other.id != command.id and other.meets(command):
                result[other.id] = SEPARATOR.join(
                    key for key in self.of(other.id) if key not in wanted
                )
        result[command.id] = SEPARATOR.join(wanted)
        if wanted == self.base(command):
            del result[command.id]
        return result

    def of_words(self, place: Place) -> dict[str, tuple[str, ...]]:
        """The keys by the words of the canvas or the timeline, for their tables."""
        own = [
            command
            for command in commands()
            if command.words and (command.place == "timeline") == (place == "timeline")
        ]
        return {command.words: self.of(command.id) for command in own}

    @cached_property
    def names(self) -> dict[str, str]:
        """The present key for each of ours that menus and tool tips name; "" where there is none any more."""
        return self._present(
            command for command in commands() if command.place != "timeline"
        )

    @cached_property
    def names_in_timeline(self) -> dict[str, str]:
        """The same, where a key means what it does in the timeline."""
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

    def told(self, text: str, names: Mapping[str, str] | None = None) -> str:
        """A text with the present keys in place of ours: those of a command in brackets, or after "press"."""
        if "(" not in text and "ress " not in text:
            return text  # most have none, and a new document asks for a thousand
        names = self.names if names is None else names

        def in_brackets(found: re.Match[str]) -> str:
            keys = names.get(as_shown(found[1]), found[1])
            return f" ({keys})" if keys else ""

        def after_press(found: re.Match[str]) -> str:
            return found[1] + (names.get(found[2]) or found[2])

        return re.sub(
            r"\b([Pp]ress )([\w+]+)",
            after_press,
            re.sub(r" \(([^()\s]+)\)", in_brackets, text),
        )

    def rows(self) -> list[KeyRow]:
        """All of them, with the gestures of the canvas, for the lists."""
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
    """Why keys cannot be those of a command; "" if they can."""
    press = press_of(keys)
    if press is None:
        return "Press one key, alone or with Ctrl, Alt or Shift."
    # What the canvas does too can have a letter there.
    if command.place == "window" and not command.words and not is_free_of_text(keys):
        return f"{keys} is typed as text or moves about: use Ctrl, Alt or a key such as F7."
    if as_shown(keys) in FIXED and command.place != "timeline":
        return f"{as_shown(keys)} moves about, opens or ends things on the canvas, and stays what it is there."
    return ""


def tell_keys(widget: QWidget, keys: Keys) -> None:
    """Put the present keys into what was written with ours: tool tip, accessible name, key cap, words of a label."""
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
        # What was told last comes back to how it was written; what was set since is what is written now.
        written = before[0] if before is not None and before[1] == shown else shown
        is_keys = name == "keyCap" or (is_cap and name == "text")
        told = names.get(written, written) if is_keys else keys.told(written, names)
        if told != shown:
            widget.setProperty(name, told)
            widget.setProperty(f"keys-{name}", (written, told))


def _is_in_timeline(widget: QWidget | None) -> bool:
    """Whether keys mean in a widget what they do in the timeline."""
    while widget is not None:
        if widget.property("keysOf") == "timeline":
            return True
        widget = widget.parentWidget()
    return False


def is_free_of_text(keys: str) -> bool:
    """Whether keys can hold in the whole window: not what is typed as text, nor what moves in a field or a list."""
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
