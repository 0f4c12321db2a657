"""The kinds of edges by name. A new kind is a folder of `kinds` and an entry here.

A kind has two parts: the engine's rule (`EdgeGroup`), and its model in a document
(`EdgeDefinition`). The registry names both and imports each on first use, because a
workflow that is built in Python needs no pydantic, which the models are made with.

Other packages add kinds through the entry point group `stepwell.edges`; each entry is
an `EdgeKind`. They are loaded when a kind is not known here.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any

from runtime.values.user_failures import in_words

if TYPE_CHECKING:
    from runtime.edges.base import EdgeGroup
    from runtime.edges.definition import EdgeDefinition

ENTRY_POINTS = "stepwell.edges"
_LOGGER = logging.getLogger(__name__)


@dataclass(frozen=True)
class EdgeKind:
    """One kind: its name in documents, and where its two classes are, as
    `module:Class`.
    """

    name: str
    group_path: str
    definition_path: str

    @cached_property
    def group(self) -> type[EdgeGroup]:
        """The engine's rule."""
        group: type[EdgeGroup] = _imported(self.group_path)
        return group

    @cached_property
    def definition(self) -> type[EdgeDefinition]:
        """The model in a document."""
        definition: type[EdgeDefinition] = _imported(self.definition_path)
        return definition


def _imported(path: str) -> Any:
    module, _, name = path.partition(":")
    return getattr(import_module(module), name)


class EdgeKinds(Mapping[str, EdgeKind]):
    """The kinds that are known, in the order in which they were registered."""

    def __init__(self, kinds: tuple[EdgeKind, ...]) -> None:
        self._kinds = {kind.name: kind for kind in kinds}
        self._has_packages = False

    def register(self, kind: EdgeKind) -> None:
        """Add a kind. Raise `ValueError` if there is one of that name."""
        if kind.name in self._kinds:
            raise ValueError(
                f"Two kinds of edges have the name '{kind.name}'. Rename one of them."
            )
        self._kinds[kind.name] = kind

    def remove(self, name: str) -> None:
        """Remove a kind that `register` added."""
        del self._kinds[name]

    def find(self, name: str) -> EdgeKind | None:
        """Return the kind of a name, which an installed package may have; else None."""
        kind = self._kinds.get(name)
        if kind is None and not self._has_packages:
            self._add_packages()
            kind = self._kinds.get(name)
        return kind

    def __getitem__(self, name: str) -> EdgeKind:
        kind = self.find(name)
        if kind is None:
            raise KeyError(name)
        return kind

    def __iter__(self) -> Iterator[str]:
        return iter(self._kinds)

    def __len__(self) -> int:
        return len(self._kinds)

    def _add_packages(self) -> None:
        self._has_packages = True
        for entry in entry_points(group=ENTRY_POINTS):
            try:
                self.register(entry.load())
            except (Exception, SystemExit) as error:  # noqa: BLE001 - code of any package
                # A broken package must not keep documents without its kind from
                # opening.
                _LOGGER.warning(
                    "The edge kind '%s' (%s) of an installed package is left out: %s",
                    entry.name,
                    entry.value,
                    in_words(error),
                )


def _built_in(name: str, group: str, definition: str) -> EdgeKind:
    room = f"runtime.edges.kinds.{name}"
    return EdgeKind(name, f"{room}.group:{group}", f"{room}.definition:{definition}")


EDGE_KINDS = EdgeKinds(
    (
        _built_in("direct", "SingleEdgeGroup", "DirectEdge"),
        _built_in("fan_out", "FanOutEdgeGroup", "FanOutEdge"),
        _built_in("fan_in", "FanInEdgeGroup", "FanInEdge"),
        _built_in("switch", "SwitchCaseEdgeGroup", "SwitchEdge"),
        _built_in("multi_selection", "MultiSelectionEdgeGroup", "MultiSelectionEdge"),
        _built_in("on_error", "OnErrorEdgeGroup", "OnErrorEdge"),
    )
)
