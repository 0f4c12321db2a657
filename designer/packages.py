"""Layouts, themes and viewers of installed packages, by entry points.

Only the names of entry points are read at first. An object is loaded when it is used,
so that a broken or slow package costs nothing until then. Node types are elsewhere,
because runs need them without a window.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection
from contextlib import redirect_stdout
from functools import lru_cache
from importlib.metadata import EntryPoint, EntryPoints, entry_points
from typing import Any, NamedTuple, TypeVar

from runtime.errors import WorkflowException
from runtime.values.user_failures import in_words

T = TypeVar("T")


class PluginError(WorkflowException):
    """Something of a package cannot be used. `what` is a layout, theme or viewer,
    `name` that of its entry point.
    """

    def __init__(self, what: str, name: str, why: str) -> None:
        super().__init__(f"The {what} '{name}' {why}")
        self.what = what
        self.name = name


class Plugins(NamedTuple):
    """What packages have of one kind. `what` is the word for it; `taken` are names that
    we have ourselves.
    """

    group: str
    what: str
    taken: Collection[str] = ()

    def names(self) -> tuple[str, ...]:
        """Return the names, sorted, without an import."""
        return tuple(self._entries())

    def load(self, name: str, check: Callable[[Any], T]) -> T:
        """Import the object of an entry point, and return what `check` makes of it.

        Raise `PluginError` if there is none of this name, or if importing or checking
        it fails.
        """
        entries = self._entries()
        entry = entries.get(name)
        if entry is None:
            known = ", ".join([*self.taken, *entries]) or "none"
            why = f"does not exist: install its package. Known are: {known}."
            raise PluginError(self.what, name, why)
        try:
            # Because standard output is for the results of commands only.
            with redirect_stdout(sys.stderr):
                return check(entry.load())
        except (Exception, SystemExit) as error:
            raise self.failure(name, error) from error

    def failure(self, name: str, error: BaseException) -> PluginError:
        """Return the error for an exception that the code of a package raised."""
        entry = self._entries().get(name)
        package = _package_of(entry) if entry is not None else "a package"
        reason = " ".join(in_words(error).split())
        why = (
            f"of {package} cannot be used: {reason}. Repair the package, or remove it."
        )
        return PluginError(self.what, name, why)

    def left_out(self) -> list[str]:
        """Return a sentence for each entry point whose name is taken."""
        names = set(self.taken)
        sentences = []
        for entry in _entries_of(self.group):
            if entry.name in names:
                sentences.append(
                    f"The {self.what} '{entry.name}' of {_package_of(entry)} is left out: there is one of that name."
                )
            names.add(entry.name)
        return sentences

    def _entries(self) -> dict[str, EntryPoint]:
        """Return the entry points by their names; the first of several with one name."""
        entries: dict[str, EntryPoint] = {}
        for entry in _entries_of(self.group):
            if entry.name not in self.taken:
                entries.setdefault(entry.name, entry)
        return entries


def title_of(name: str) -> str:
    """The name of an entry point for people: `by-name` -> "by name"."""
    return name.replace("-", " ").replace("_", " ").strip()


def _entries_of(group: str) -> list[EntryPoint]:
    entries = _installed(group, tuple(sys.path))
    return sorted(entries, key=lambda entry: (entry.name, entry.value))


@lru_cache(maxsize=8)
def _installed(group: str, _path: tuple[str, ...]) -> EntryPoints:
    """Read once for a path: a window asks a dozen times, and each reading takes
    milliseconds.
    """
    return entry_points(group=group)


def _package_of(entry: EntryPoint) -> str:
    if entry.dist is not None:
        package = f"the package {entry.dist.name}"
    else:
        package = "a package"
    return f"{package} ({entry.value})"
