"""The graph of a workflow as plain data, for comparisons: executors, edges and settings.

Both sides of a comparison have this form, so that what a checkpoint kept can be compared
with a drawing that no one has built yet.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

# Keys of an edge under which a text is an expression, and not the id of an executor.
_EXPRESSIONS = frozenset({"when", "condition", "selection", "name", "policy", "id"})

Pairs = tuple[tuple[str, str], ...]
# The executors before one, and those after it.
Neighbours = tuple[frozenset[str], frozenset[str]]


@dataclass(frozen=True)
class ExecutorOutline:
    """One executor: `fields` has what decides what it does, `inner` the workflow that
    it wraps. `file` is the file of that workflow, if it has one.
    """

    id: str
    type: str
    title: str = ""
    fields: Mapping[str, Any] = field(default_factory=dict)
    inner: Outline | None = None
    file: str = ""
    wraps: bool = False


@dataclass(frozen=True)
class EdgeOutline:
    """One edge group: `fields` has what decides besides its pairs. `key` is the key of
    its buffer if it is a join, else "".
    """

    id: str
    kind: str
    pairs: Pairs
    fields: Mapping[str, Any] = field(default_factory=dict)
    key: str = ""

    @property
    def is_join(self) -> bool:
        return bool(self.key)

    @property
    def is_named(self) -> bool:
        """Return whether it has an id of its own: that of an edge that was made in code
        is made of its pairs.
        """
        return self.id not in (self.key, structural_id(self.kind, self.pairs))

    @property
    def ways(self) -> str:
        """Return where it leads, in words."""
        return f"{', '.join(self.sources)} → {', '.join(self.targets)}"

    @property
    def sources(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(source for source, _ in self.pairs))

    @property
    def targets(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(target for _, target in self.pairs))


@dataclass(frozen=True)
class Outline:
    """The graph of one workflow. `settings` has what is of the whole workflow, such as
    its reducers; `code` what the Python code of its elements is known by.
    """

    start: str = ""
    executors: Mapping[str, ExecutorOutline] = field(default_factory=dict)
    edges: Mapping[str, EdgeOutline] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    code: Mapping[str, str] = field(default_factory=dict)
    is_known: bool = True

    @property
    def joins(self) -> dict[str, EdgeOutline]:
        """The joins by the keys of their buffers."""
        return {edge.key: edge for edge in self.edges.values() if edge.is_join}

    def neighbours(self, executor_id: str) -> Neighbours:
        """Return the executors whose messages reach this one, and those that it sends
        to.
        """
        return self._neighbours.get(executor_id, (frozenset(), frozenset()))

    # Cached, because a search for renamed executors asks for every one many times.
    @cached_property
    def _neighbours(self) -> dict[str, Neighbours]:
        before: dict[str, set[str]] = {}
        after: dict[str, set[str]] = {}
        for edge in self.edges.values():
            for source, target in edge.pairs:
                before.setdefault(target, set()).add(source)
                after.setdefault(source, set()).add(target)
        return {
            id_: (frozenset(before.get(id_, ())), frozenset(after.get(id_, ())))
            for id_ in before.keys() | after.keys()
        }

    def connects(self, source: str, target: str) -> bool:
        """Return whether messages of one executor may go straight to another."""
        return any(
            (source, target) in edge.pairs and not edge.is_join
            for edge in self.edges.values()
        )


UNKNOWN = Outline(is_known=False)


def structural_id(kind: str, pairs: Pairs) -> str:
    """Return the id of an edge without one, as `EdgeGroup.structural_id` has it."""
    return f"{kind}:{json.dumps(pairs, separators=(',', ':'))}"


def join_key(kind: str, pairs: Iterable[tuple[str, str]]) -> str:
    """Return the key of a join's buffer, as `JoinEdgeGroup.key` has it."""
    sorted_pairs = sorted(list(pair) for pair in pairs)
    return f"{kind}:{json.dumps(sorted_pairs, separators=(',', ':'))}"


# --- other names --------------------------------------------------------------------------------------------------


def renamed(outline: Outline, names: Mapping[str, str]) -> Outline:
    """Return the outline with executors under other names, wherever their ids stand."""
    if not names:
        return outline
    executors = {
        names.get(executor_id, executor_id): replace(
            executor,
            id=names.get(executor_id, executor_id),
            fields=_with_names(executor.fields, names)
            if executor.wraps
            else executor.fields,
        )
        for executor_id, executor in outline.executors.items()
    }
    edges = {}
    for edge in outline.edges.values():
        pairs = tuple(
            (names.get(source, source), names.get(target, target))
            for source, target in edge.pairs
        )
        edge_id = edge.id
        key = join_key(edge.kind, pairs) if edge.is_join else ""
        if not edge.is_named:
            edge_id = key or structural_id(edge.kind, pairs)
        edges[edge_id] = replace(
            edge,
            id=edge_id,
            pairs=pairs,
            fields=_with_names(edge.fields, names),
            key=key,
        )
    code = {}
    for key, text in outline.code.items():
        what, _, element = key.partition(" ")
        code[f"{what} {names.get(element, element)}" if what == "executor" else key] = (
            text
        )
    return replace(
        outline,
        start=names.get(outline.start, outline.start),
        executors=executors,
        edges=edges,
        code=code,
    )


def _with_names(value: Any, names: Mapping[str, str], key: str = "") -> Any:
    if isinstance(value, str):
        return value if key in _EXPRESSIONS else names.get(value, value)
    if isinstance(value, Mapping):
        return {
            names.get(name, name): _with_names(item, names, name)
            for name, item in value.items()
        }
    if isinstance(value, list | tuple):
        return [_with_names(item, names, key) for item in value]
    return value
