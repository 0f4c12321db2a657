"""The differences between two checkpoints, section by section, down to the value that
changed.

It compares decoded and viewed checkpoints alike and runs no user code: values are
compared by their content.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from runtime.checkpoint import CheckpointHeader
from runtime.debug.compare.values import (
    Difference,
    Kind,
    differences,
    is_equal,
    match,
    ordinal,
    rough_key,
)
from runtime.debug.sections import (
    GRAPH,
    HEADER,
    SECTIONS,
    Compared,
    Place,
    Values,
    Waiting,
    frames,
    way_of,
)
from runtime.state import RunState

__all__ = ["Change", "Past", "changes", "compare", "differences", "moves"]

# The facts of a header that are worth comparing. Ids, times and sizes always differ.
_FACTS = (
    "workflow",
    "run_id",
    "branch",
    "superstep",
    "cause",
    "status",
    "tags",
    "note",
)


class Change(NamedTuple):
    """`kind` is added, removed, changed or moved; `path` is the place in the section,
    such as `['draft'].title`.

    A waiting message has no lasting name, so it is added or removed as a whole, under
    the way it takes; it is moved if it waits elsewhere, or in another order.

    before, after  where a moved value was and is, or what became of a question, in words
    at             what the change leads to
    """

    section: str
    path: str
    kind: Kind
    old: Any
    new: Any
    before: str = ""
    after: str = ""
    at: Place = Place()


class Past(NamedTuple):
    """What is known of the past of a checkpoint: the superstep in which each question
    was answered, by the id of the question.
    """

    answered: Mapping[str, int] = {}


NO_PAST = Past()


def compare(
    old: Compared, new: Compared, before: Past = NO_PAST, after: Past = NO_PAST
) -> list[Change]:
    """Return all changes from one checkpoint to another, in the order of
    `COMPARED_TITLES`. Those in sub-workflows stand under the path to them.
    """
    return list(changes(old, new, before, after))


def changes(
    old: Compared, new: Compared, before: Past = NO_PAST, after: Past = NO_PAST
) -> Iterator[Change]:
    """Yield what `compare` returns, as soon as it is known."""
    waiting = _waiting_changes(old, new)
    for section in SECTIONS:
        if section.waiting is not None:
            yield from waiting[section.name]
        elif section.values is None:
            continue
        elif section.is_unique:
            unique = [_unique(section.values, side.state) for side in (old, new)]
            yield from _unique_changes(section.name, unique, (before, after))
        else:
            by_way = [_by_way(section.values, side.state) for side in (old, new)]
            yield from _value_changes(section.name, *by_way)
    yield from _graph_changes(old.definition, new.definition)
    yield from _header_changes(_header_of(old), _header_of(new))


def _named(section: str, change: Difference, at: Place) -> Change:
    return Change(section, *change, at=at)


# --- values by name -----------------------------------------------------------------------------------------------

# The values of all runs, by the way to their run and by their name.
_ByWay = dict[tuple[tuple[str, ...], str], Any]
# Values whose names are the same in all runs, and where they are.
_Unique = dict[str, tuple[Any, Place]]


def _value_changes(section: str, old: _ByWay, new: _ByWay) -> Iterator[Change]:
    for name in [*old, *(name for name in new if name not in old)]:
        way, key = name
        label = "/".join((*way, key))
        at = Place(way, key=key)
        if section == "executors":
            at = Place(way, executor=key)
        old_part = {label: old[name]} if name in old else {}
        new_part = {label: new[name]} if name in new else {}
        for change in differences(old_part, new_part):
            yield _named(section, change, at)


def _by_way(values: Values, state: RunState) -> _ByWay:
    by_way = {}
    for way, run_state in frames(state):
        for key, value in values(run_state).items():
            by_way[way_of(way), key] = value
    return by_way


# --- questions ----------------------------------------------------------------------------------------------------


def _unique_changes(
    section: str, both: Sequence[_Unique], pasts: tuple[Past, Past]
) -> Iterator[Change]:
    """Yield the changes of values whose names are the same in all runs. A question that
    was answered on one of the two ways only is changed, and not added or removed.
    """
    old, new = both
    for name in [*old, *(name for name in new if name not in old)]:
        old_part = {}
        new_part = {}
        at = Place()
        if name in old:
            old_part[name], at = old[name]
        if name in new:
            new_part[name], at = new[name]
        for change in differences(old_part, new_part):
            yield _named(section, _with_answer(change, name, pasts), at)


def _unique(values: Values, state: RunState) -> _Unique:
    unique: _Unique = {}
    for way, run_state in frames(state):
        for name, value in values(run_state).items():
            request = run_state.requests.get(name)
            executor = "" if request is None else request.executor_id
            unique.setdefault(name, (value, Place(way_of(way), executor)))
    return unique


def _with_answer(change: Difference, name: str, pasts: tuple[Past, Past]) -> Difference:
    before, after = pasts
    if change.kind == "added" and name in before.answered:
        return change._replace(
            kind="changed",
            old=change.new,
            before=_answered(before, name),
            after="open",
        )
    if change.kind == "removed" and name in after.answered:
        return change._replace(
            kind="changed",
            new=change.old,
            before="open",
            after=_answered(after, name),
        )
    return change


def _answered(past: Past, name: str) -> str:
    return f"answered in s{past.answered[name]}"


# --- messages -----------------------------------------------------------------------------------------------------


def _waiting_changes(old: Compared, new: Compared) -> dict[str, list[Change]]:
    """Return the changes of all messages that wait, by section. A message that went
    from one section to another is told in the one where it is now.
    """
    result: dict[str, list[Change]] = {}
    gone: list[tuple[str, Waiting]] = []
    come: list[tuple[str, Waiting]] = []
    for section in SECTIONS:
        if section.waiting is None:
            continue
        reordered, leaving, arriving = _matched_messages(
            section.waiting(old), section.waiting(new)
        )
        result[section.name] = [Change(section.name, *change) for change in reordered]
        gone += [(section.name, waiting) for waiting in leaving]
        come += [(section.name, waiting) for waiting in arriving]
    elsewhere = match(gone, come, _is_same_message, _key_of_message)
    for old_place, new_place in sorted(elsewhere.kept + elsewhere.moved):
        was = gone[old_place][1]
        name, now = come[new_place]
        result[name].append(_moved(name, was, now, was.words, now.words))
    for place in elsewhere.gone:
        name, was = gone[place]
        change = Change(name, was.words, "removed", was.data, None, at=was.at)
        result[name].append(change)
    for place in elsewhere.come:
        name, now = come[place]
        result[name].append(Change(name, now.words, "added", None, now.data, at=now.at))
    return result


def _moved(section: str, was: Waiting, now: Waiting, before: str, after: str) -> Change:
    return Change(
        section, now.words, "moved", was.data, now.data, before, after, now.at
    )


def _matched_messages(
    before: Sequence[Waiting], after: Sequence[Waiting]
) -> tuple[list[tuple[Any, ...]], list[Waiting], list[Waiting]]:
    """Return the messages of one section in another order, as the fields of a `Change`
    after the section; then those that are gone, and those that are new.
    """
    matches = match(before, after, _is_same_place, _key_of_place)
    reordered = []
    for old_place, new_place in matches.moved:
        change = _moved(
            "",
            before[old_place],
            after[new_place],
            f"{ordinal(old_place + 1)} of {len(before)}",
            f"{ordinal(new_place + 1)} of {len(after)}",
        )
        reordered.append(change[1:])
    leaving = [before[place] for place in matches.gone]
    arriving = [after[place] for place in matches.come]
    return reordered, leaving, arriving


def _is_same_place(old: Waiting, new: Waiting) -> bool:
    return old.words == new.words and is_equal(old.data, new.data)


def _key_of_place(waiting: Waiting) -> Any:
    return waiting.words, rough_key(waiting.data)


def _is_same_message(old: tuple[str, Waiting], new: tuple[str, Waiting]) -> bool:
    return _sender(old[1]) == _sender(new[1]) and is_equal(old[1].data, new[1].data)


def _key_of_message(item: tuple[str, Waiting]) -> Any:
    return _sender(item[1]), rough_key(item[1].data)


def _sender(waiting: Waiting) -> tuple[tuple[str, ...], str]:
    # Without a sender it is no message of the engine, and stands for itself.
    return waiting.at.way, waiting.at.source or waiting.words


def moves(before: Sequence[Waiting], after: Sequence[Waiting]) -> Iterator[Difference]:
    """Yield what was moved, removed and added of things without names: outputs."""
    reordered, leaving, arriving = _matched_messages(before, after)
    for fields in reordered:
        yield Difference(*fields[:6])
    for waiting in leaving:
        yield Difference(waiting.words, "removed", waiting.data, None)
    for waiting in arriving:
        yield Difference(waiting.words, "added", None, waiting.data)


# --- graph and header ---------------------------------------------------------------------------------------------


def _graph_changes(
    old: Mapping[str, Any] | None, new: Mapping[str, Any] | None
) -> Iterator[Change]:
    if old is new:
        return
    before = _graph_by_ids(old or {})
    after = _graph_by_ids(new or {})
    for name in [*before, *(name for name in after if name not in before)]:
        kind, _, element = name.partition(" ")
        old_part = {name: before[name]} if name in before else {}
        new_part = {name: after[name]} if name in after else {}
        at = Place(executor=element if kind in ("node", "executor") else "")
        for change in differences(old_part, new_part):
            path = change.path.removeprefix(f"[{name!r}]")
            yield _named(GRAPH, change._replace(path=f"{name}{path}"), at)


def _graph_by_ids(definition: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parts of a definition by name: its nodes and edges by their ids,
    because their order says little; the rest by its field.
    """
    parts: dict[str, Any] = {}
    for field, content in definition.items():
        if field not in ("workflow", "graph") or not isinstance(content, Mapping):
            continue
        for name, value in content.items():
            if isinstance(value, Sequence) and not isinstance(value, str):
                parts |= _items_by_id(name, value)
            else:
                parts[name] = value
    return parts


def _items_by_id(name: str, items: Sequence[Any]) -> dict[str, Any]:
    kind = name.removesuffix("s")
    parts = {}
    for place, item in enumerate(items):
        id_ = item.get("id") if isinstance(item, Mapping) else None
        parts[f"{kind} {place if id_ is None else id_}"] = item
    return parts


def _header_of(side: Compared) -> CheckpointHeader | None:
    return getattr(side, "header", None)


def _header_changes(
    old: CheckpointHeader | None, new: CheckpointHeader | None
) -> Iterator[Change]:
    if old is None or new is None:
        return
    for name in _FACTS:
        before = getattr(old, name)
        after = getattr(new, name)
        if before != after:
            yield Change(HEADER, name, "changed", _fact(before), _fact(after))


def _fact(value: Any) -> str:
    return ", ".join(value) if isinstance(value, tuple) else str(value)
