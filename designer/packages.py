"""What installed packages bring to the window, by entry points: layouts, themes and viewers.

The names of entry points are read, and an object is loaded when somebody wants it: a package that is broken or slow
costs nothing until then, and is told by its name. Node types are not here: runs need them without a window.
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
    """Something of a package cannot be used. `what` is a layout, theme or viewer, `name` that of its entry point."""

    def __init__(self, what: str, name: str, why: str) -> None:
        super().__init__(f"The {what} '{name}' {why}")
        self.what = what
        self.name = name


class Plugins(NamedTuple):
    """What packages have of one kind. `what` is the word for it; `taken` are names that we have ourselves."""

    group: str
    what: str
    taken: Collection[str] = ()

    def names(self) -> tuple[str, ...]:
        """What can be chosen, in the order of the alphabet. Imports none of it."""
        return tuple(self._found())

    def load(self, name: str, check: Callable[[Any], T]) -> T:
        """What `check` makes of the object of an entry point. Raise `PluginError` when there is none of this name, or
        when importing or checking it raises.
        """
        entry = self._found().get(name)
        if entry is None:
            known = ", ".join([*self.taken, *self._found()]) or "none"
            raise PluginError(
                self.what,
                name,
                f"is not there: install the package that has it. Known are: {known}.",
            )
        try:
            # standard output has the results of commands and nothing else
            with redirect_stdout(sys.stderr):
                return check(entry.load())
        except (Exception, SystemExit) as error:
            raise self.failure(name, error) from error

    def failure(self, name: str, error: BaseException) -> PluginError:
        """The words for what the code of a package raised."""
        entry = self._found().get(name)
        where = _where(entry) if entry is not None else "a package"
        why = " ".join(in_words(error).split())
        return PluginError(
            self.what,
            name,
            f"of {where} cannot be used: {why}. Repair the package, or remove it.",
        )

    def left_out(self) -> list[str]:
        """A sentence for each entry point whose name another has already."""
        names = set(self.taken)
        told = []
        for entry in _entries(self.group):
            if entry.name in names:
                told.append(
                    f"The {self.what} '{entry.name}' of {_where(entry)} is left out: there is one of that name."
                )
            names.add(entry.name)
        return told

    def _found(self) -> dict[str, EntryPoint]:
        found: dict[str, EntryPoint] = {}
        for entry in _entries(self.group):
            if entry.name not in self.taken:
                found.setdefault(entry.name, entry)
        return found


def title_of(name: str) -> str:
    """The name of an entry point for people: `by-name` -> "by name"."""
    return name.replace("-", " ").replace("_", " ").strip()


def _entries(group: str) -> list[EntryPoint]:
    return sorted(
        _installed(group, tuple(sys.path)), key=lambda one: (one.name, one.value)
    )


@lru_cache(maxsize=8)
def _installed(group: str, _path: tuple[str, ...]) -> EntryPoints:
    """Read once for a path: a window asks a dozen times, and each reading takes milliseconds."""
    return entry_points(group=group)


def _where(entry: EntryPoint) -> str:
    if entry.dist is not None:
        package = f"the package {entry.dist.name}"
    else:
        package = "a package"
    return f"{package} ({entry.value})"
