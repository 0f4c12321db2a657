"""Pinned results: what an executor that reaches outside gives in place of a call, by a
decision of the user.

A pin belongs to the executor at a place of the document, which a path of node ids
names: "review/judge" for the node `judge` inside the sub-workflow `review`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from pydantic import ValidationError

from runtime.debug.protocol import PinnedResult

# The new ids of what was renamed, by the way to its level and the id before.
Renames = Mapping[tuple[tuple[str, ...], str], str]
_NOTHING: Mapping[str, Any] = MappingProxyType({})


def _nothing() -> Mapping[str, Any]:
    return _NOTHING


def executor_path(inside: Iterable[str], node: str) -> str:
    """Return the name of the executor of a node on a level."""
    return "/".join((*inside, node))


@dataclass(frozen=True)
class Pins:
    """The pinned results of one document.

    results  by the path of the executor
    extras   fields of the file that this version does not know, by the path
    unread   entries of the file that are no results of this version, by the path
    """

    results: Mapping[str, PinnedResult] = field(default_factory=_nothing)
    extras: Mapping[str, Mapping[str, Any]] = field(default_factory=_nothing)
    unread: Mapping[str, Any] = field(default_factory=_nothing)

    def __bool__(self) -> bool:
        return bool(self.results or self.unread)

    def put(self, path: str, result: PinnedResult) -> Pins:
        """Return them with a result for an executor, in place of the one before."""
        unread = {key: entry for key, entry in self.unread.items() if key != path}
        results = {**self.results, path: result}
        return replace(self, results=results, unread=unread)

    def without(self, path: str) -> Pins:
        """Return them without the result of an executor."""
        results = {key: pin for key, pin in self.results.items() if key != path}
        return replace(self, results=results)


NO_PINS = Pins()


def read_pins(value: Mapping[str, Any]) -> Pins:
    """Return the pins of the object in a file. What is no result of this version is
    kept for `pins_as_json`.
    """
    results: dict[str, PinnedResult] = {}
    extras: dict[str, Mapping[str, Any]] = {}
    unread: dict[str, Any] = {}
    for path, entry in value.items():
        try:
            results[path] = PinnedResult.model_validate(entry)
        except ValidationError:
            unread[path] = entry
            continue
        extra = {
            key: entry[key] for key in entry if key not in PinnedResult.model_fields
        }
        if extra:
            extras[path] = extra
    return Pins(results, extras, unread)


def pins_as_json(pins: Pins) -> dict[str, Any]:
    """Return the object for a file; the same pins give the same object."""
    entries: dict[str, Any] = dict(pins.unread)
    for path, result in pins.results.items():
        fields = result.model_dump(mode="json", exclude_defaults=True)
        entries[path] = {**fields, **pins.extras.get(path, {})}
    return dict(sorted(entries.items()))


def merged_pins(base: Pins, mine: Pins, theirs: Pins) -> Pins:
    """Return what two windows have made of `base`: the changes of both. Of a result that
    both changed, mine counts.
    """
    results = dict(theirs.results)
    for path in base.results.keys() | mine.results.keys():
        own = mine.results.get(path)
        if own == base.results.get(path):
            continue
        if own is None:
            results.pop(path, None)
        else:
            results[path] = own
    unread = {**theirs.unread, **mine.unread}
    return Pins(
        results,
        {**theirs.extras, **mine.extras},
        {path: entry for path, entry in unread.items() if path not in results},
    )


def renamed_pins(pins: Pins, renames: Renames) -> Pins:
    """Return the results at the new ids of their executors and of the sub-workflows
    around them.
    """
    results = {_renamed(path, renames): pin for path, pin in pins.results.items()}
    if results.keys() == pins.results.keys():
        return pins
    extras = {_renamed(path, renames): extra for path, extra in pins.extras.items()}
    return replace(pins, results=results, extras=extras)


def _renamed(path: str, renames: Renames) -> str:
    nodes = path.split("/")
    return "/".join(
        renames.get((tuple(nodes[:depth]), node), node)
        for depth, node in enumerate(nodes)
    )
