"""What changed between two graphs, one `Change` for each element and field, in words."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal

from runtime.migration.outline import (
    EdgeOutline,
    ExecutorOutline,
    Outline,
    renamed,
)
from runtime.values.records import record

Kind = Literal["added", "removed", "renamed", "changed"]
Element = Literal["executor", "edge", "join", "start", "reducer", "workflow"]
_LONGEST = 60  # characters of a value in a sentence
_MISSING = object()


@record
class Change:
    """One difference between two graphs.

    element   what it is about: an executor, an edge, a join, the start, a reducer, or the whole workflow
    id        the id of the executor or edge, the key of the reducer; of what was removed the old one
    inside    ids of the executors that lead to the sub-workflow in which it is
    field     which of its fields changed; "" for an element that is new or gone
    text      a sentence without its end, such as "Edge 'ab' is gone"
    """

    kind: Kind
    element: Element
    id: str
    text: str
    field: str = ""
    inside: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Return it as it is saved with a checkpoint and sent to a window."""
        return {
            "kind": self.kind,
            "element": self.element,
            "id": self.id,
            "field": self.field,
            "inside": list(self.inside),
            "text": self.text,
        }


# For each sub-workflow, by the executors that lead to it: old id -> new id of renamed
# executors.
Renames = Mapping[tuple[str, ...], Mapping[str, str]]


def changes_between(
    before: Outline, after: Outline, renames: Renames | None = None
) -> list[Change]:
    """Return how two graphs differ. An executor that was renamed is one change, and
    not two with all of its edges.
    """
    if not before.is_known or not after.is_known:
        return []
    return list(_changes(before, after, renames or {}, (), ""))


def summary(changes: Iterable[Change], most: int = 3) -> str:
    """Return the first changes as one line, and how many more there are."""
    texts = [change.text for change in changes]
    line = "; ".join(texts[:most])
    if len(texts) > most:
        line += f"; and {len(texts) - most} more"
    return line


def _changes(
    before: Outline,
    after: Outline,
    renames: Renames,
    inside: tuple[str, ...],
    where: str,
) -> Iterator[Change]:
    names = renames.get(inside, {})
    for old_id, new_id in names.items():
        text = f"Executor '{old_id}' is now '{new_id}'{where}"
        yield Change("renamed", "executor", old_id, text, "id", inside)
    old = renamed(before, names)
    yield from _executors(old, after, inside, where)
    yield from _edges(old, after, inside, where)
    yield from _code(old, after, inside, where)
    if old.start != after.start:
        text = f"The start is now '{after.start}' and was '{old.start}'{where}"
        yield Change("changed", "start", after.start, text, "start", inside)
    yield from _settings(old, after, inside, where)
    old_ids = {new_id: old_id for old_id, new_id in names.items()}
    for executor_id, executor in after.executors.items():
        old_executor = old.executors.get(executor_id)
        if old_executor is None or old_executor.inner is None or executor.inner is None:
            continue
        file = f" ({executor.file})" if executor.file else ""
        yield from _changes(
            old_executor.inner,
            executor.inner,
            renames,
            (*inside, old_ids.get(executor_id, executor_id)),
            f" in '{executor_id}'{file}{where}",
        )


def _executors(
    before: Outline, after: Outline, inside: tuple[str, ...], where: str
) -> Iterator[Change]:
    for executor_id in dict.fromkeys([*before.executors, *after.executors]):
        name = f"Executor '{executor_id}'"
        old = before.executors.get(executor_id)
        new = after.executors.get(executor_id)
        if new is None:
            text = f"{name} is gone{where}"
            yield Change("removed", "executor", executor_id, text, "", inside)
        elif old is None:
            text = f"{name} is new{where}"
            yield Change("added", "executor", executor_id, text, "", inside)
        else:
            for field, words in _fields_of_executor(old, new):
                text = f"{name}{where}: {words}"
                yield Change("changed", "executor", executor_id, text, field, inside)
    is_same_set = set(before.executors) == set(after.executors)
    if is_same_set and list(before.executors) != list(after.executors):
        text = f"The executors are in another order{where}"
        yield Change("changed", "workflow", "", text, "order", inside)


def _fields_of_executor(
    old: ExecutorOutline, new: ExecutorOutline
) -> Iterator[tuple[str, str]]:
    if old.type != new.type:
        yield "type", f"its type is now {new.type} and was {old.type}"
    old_fields = {key: value for key, value in old.fields.items() if key != "type"}
    new_fields = {key: value for key, value in new.fields.items() if key != "type"}
    yield from _different_fields(old_fields, new_fields)
    if old.file != new.file:
        yield (
            "file",
            f"its file is now {new.file or 'none'} and was {old.file or 'none'}",
        )
    elif old.wraps and new.wraps and (old.inner is None) != (new.inner is None):
        yield "inside", "the workflow inside is not known on both sides"


def _edges(
    before: Outline, after: Outline, inside: tuple[str, ...], where: str
) -> Iterator[Change]:
    pairs = _matched_edges(before, after)
    for old, new in pairs:
        shown = old if new is None else new
        if shown is None:
            continue
        element: Element = "join" if shown.is_join else "edge"
        name = f"{element.title()} '{shown.id}'"
        led = f"{name} ({shown.ways})"
        if not shown.is_named:
            name = f"{element.title()} {shown.ways}"
            led = name
        if new is None:
            text = f"{led} is gone{where}"
            yield Change("removed", element, shown.id, text, "", inside)
        elif old is None:
            text = f"{led} is new{where}"
            yield Change("added", element, shown.id, text, "", inside)
        else:
            for field, words in _fields_of_edge(old, new):
                text = f"{name}{where}: {words}"
                yield Change("changed", element, shown.id, text, field, inside)
    is_same_set = set(before.edges) == set(after.edges)
    if is_same_set and list(before.edges) != list(after.edges):
        text = f"The edges are in another order{where}"
        yield Change("changed", "workflow", "", text, "order", inside)


def _matched_edges(
    before: Outline, after: Outline
) -> list[tuple[EdgeOutline | None, EdgeOutline | None]]:
    """Return each edge before with the same one after, or None. Without an id of its
    own, an edge with other targets is the same if it has the kind and the sources.
    """
    pairs: list[tuple[EdgeOutline | None, EdgeOutline | None]] = []
    new = [edge for edge in after.edges.values() if edge.id not in before.edges]
    for old in before.edges.values():
        match = after.edges.get(old.id)
        if match is None and not old.is_named:
            alike = [
                edge
                for edge in new
                if not edge.is_named
                and (edge.kind, edge.sources) == (old.kind, old.sources)
            ]
            match = alike[0] if alike else None
        if match in new:
            new.remove(match)
        pairs.append((old, match))
    return [*pairs, *((None, edge) for edge in new)]


def _fields_of_edge(old: EdgeOutline, new: EdgeOutline) -> Iterator[tuple[str, str]]:
    if old.kind != new.kind:
        yield "kind", f"its kind is now {new.kind} and was {old.kind}"
        return
    is_rewired = old.pairs != new.pairs
    if is_rewired and set(old.pairs) == set(new.pairs):
        yield "pairs", "its ways are in another order"
    elif is_rewired:
        yield "pairs", f"it leads {new.ways} and led {old.ways}"
    yield from _different_fields(old.fields, new.fields)


def _code(
    before: Outline, after: Outline, inside: tuple[str, ...], where: str
) -> Iterator[Change]:
    for key in before.code.keys() & after.code.keys():
        if before.code[key] != after.code[key]:
            what, _, element_id = key.partition(" ")
            element: Element = "executor" if what == "executor" else "edge"
            text = f"{element.title()} '{element_id}'{where}: its Python code is not what it was"
            yield Change("changed", element, element_id, text, "code", inside)


def _settings(
    before: Outline, after: Outline, inside: tuple[str, ...], where: str
) -> Iterator[Change]:
    old = before.settings.get("reducers", {})
    new = after.settings.get("reducers", {})
    for key in dict.fromkeys([*old, *new]):
        if key not in new:
            text = f"The reducer of '{key}' is gone{where}"
            yield Change("removed", "reducer", key, text, "", inside)
        elif key not in old:
            text = f"The reducer of '{key}' is new{where}"
            yield Change("added", "reducer", key, text, "", inside)
        elif old[key] != new[key]:
            text = f"The reducer of '{key}' is now {new[key]} and was {old[key]}{where}"
            yield Change("changed", "reducer", key, text, "", inside)
    if before.settings.get("state_conflicts") != after.settings.get("state_conflicts"):
        text = f"State conflicts are settled by '{after.settings.get('state_conflicts')}' now{where}"
        yield Change("changed", "workflow", "", text, "state_conflicts", inside)


# --- words --------------------------------------------------------------------------------------------------------


def _different_fields(
    old: Mapping[str, Any], new: Mapping[str, Any]
) -> Iterator[tuple[str, str]]:
    for key in dict.fromkeys([*old, *new]):
        yield from _different(old.get(key, _MISSING), new.get(key, _MISSING), key)


def _different(old: Any, new: Any, path: str) -> Iterator[tuple[str, str]]:
    if old == new:
        return
    name = path.removeprefix("params.")
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        for key in dict.fromkeys([*old, *new]):
            inner = f"{path}.{key}"
            yield from _different(old.get(key, _MISSING), new.get(key, _MISSING), inner)
    elif _are_lists(old, new):
        pairs = zip(old, new, strict=True)
        for number, (old_item, new_item) in enumerate(pairs, start=1):
            yield from _different(old_item, new_item, f"{path} {number}")
    elif old is _MISSING:
        yield path, f"{name} is now {_shown(new)}"
    elif new is _MISSING:
        yield path, f"{name} was {_shown(old)} and is gone"
    else:
        yield path, f"{name} is now {_shown(new)} and was {_shown(old)}"


def _are_lists(old: Any, new: Any) -> bool:
    both = isinstance(old, list | tuple) and isinstance(new, list | tuple)
    return both and len(old) == len(new)


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
