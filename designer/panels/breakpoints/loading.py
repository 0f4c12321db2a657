"""Loads values of the shared state that are larger than what a moment brings along, for
watches.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from designer.session.session import DebugSession
from runtime.debug.protocol import ExpandBody, Moment, Value

MOST = 2_000  # values of one key; a larger one is looked at in State
SECTION = "state"
Path = tuple[int, ...]


class StateLoader:
    """Asks for one part after the other. `loaded` is called when a key is complete."""

    def __init__(self, session: DebugSession, loaded: Callable[[], object]) -> None:
        self._session = session
        self._loaded = loaded
        self._moment: Moment | None = None
        self._complete: dict[str, Value] = {}
        self._wanted: set[str] = set()

    def state_of(self, moment: Moment) -> Moment:
        """Return a moment with the values of its state that were loaded for it."""
        if moment is not self._moment:
            self._moment = moment
            self._complete = {}
            self._wanted = set()
        if not self._complete:
            return moment
        children = tuple(
            (key, self._complete.get(key, value))
            for key, value in moment.state.children or ()
        )
        state = moment.state.model_copy(update={"children": children})
        sections = {**moment.sections, SECTION: state}
        return moment.model_copy(update={"sections": sections})

    def load(self, keys: frozenset[str]) -> None:
        """Load the values of keys, once for a moment."""
        moment = self._moment
        if moment is None:
            return
        for place, (key, value) in enumerate(moment.state.children or ()):
            if key in keys and key not in self._wanted:
                self._wanted.add(key)
                self._ask_on(moment, key, _Parts((place,), value))

    def _ask_on(self, moment: Moment, key: str, parts: _Parts) -> None:
        """Ask for the next part that is missing, if the moment is still shown."""
        if moment is not self._moment or parts.size > MOST:
            return
        if not parts.open:
            self._complete[key] = parts.whole()
            self._loaded()
            return
        path = parts.open[-1]
        offset = len(parts.children[path])
        on_page = partial(self._on_page, moment, key, parts, path)
        self._session.questions.expand(SECTION, path, offset, on_page)

    def _on_page(
        self,
        moment: Moment,
        key: str,
        parts: _Parts,
        path: Path,
        page: ExpandBody | None,
    ) -> None:
        if page is not None and page.children:
            parts.add(path, page.children)
            self._ask_on(moment, key, parts)


class _Parts:
    """A value of which parts are missing: the children that are here by the way to their
    parent, and the parents that are `open`. `size` counts all values in it.
    """

    def __init__(self, path: Path, value: Value) -> None:
        self._path = path
        self._value = value
        self.children: dict[Path, list[tuple[str, Value]]] = {}
        self._counts: dict[Path, int] = {}
        self.open: list[Path] = []
        self.size = 0
        self._look_into(path, value)

    def add(self, path: Path, page: tuple[tuple[str, Value], ...]) -> None:
        """Take further children of a value."""
        first = len(self.children[path])
        self.children[path] += page
        if len(self.children[path]) >= self._counts[path]:
            self.open.remove(path)
        for place, (_, child) in enumerate(page, start=first):
            self._look_into((*path, place), child)

    def _look_into(self, path: Path, value: Value) -> None:
        pending = [(path, value)]
        while pending:
            path, value = pending.pop()
            # The parts of a text are its lines, which no expression names.
            if not value.count or value.type == "str":
                continue
            children = list(value.children or ())
            self.children[path] = children
            self._counts[path] = value.count
            self.size += value.count
            if len(children) < value.count:
                self.open.append(path)
            pending += [
                ((*path, place), child) for place, (_, child) in enumerate(children)
            ]

    def whole(self) -> Value:
        """Return the value with all its parts."""
        return self._with_children(self._path, self._value)

    def _with_children(self, path: Path, value: Value) -> Value:
        if path not in self.children:
            return value
        children = tuple(
            (name, self._with_children((*path, place), child))
            for place, (name, child) in enumerate(self.children[path])
        )
        return value.model_copy(update={"children": children})
