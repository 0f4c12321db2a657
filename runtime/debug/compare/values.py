"""The differences between two values, down to the innermost one that changed.

It compares decoded and viewed values alike and runs no user code: values are compared
by their content. Items of lists are matched by what they hold, so that an item which
only stands elsewhere is moved, and not removed and added.
"""

from __future__ import annotations

import dataclasses
from bisect import bisect_left
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import orjson

from runtime.codec import Record
from runtime.debug.values.shapes import MASKED
from runtime.document.secret_names import is_secret

Kind = Literal["added", "removed", "changed", "moved"]
# Items of a list that are matched by what they hold; longer ones are compared place by
# place, because a person reads neither and matching takes memory.
MATCHED = 5_000
_STRICT = (
    orjson.OPT_PASSTHROUGH_SUBCLASS
    | orjson.OPT_PASSTHROUGH_DATACLASS
    | orjson.OPT_PASSTHROUGH_DATETIME
)


class Difference(NamedTuple):
    """A value that differs. `path` is where in the whole, such as `.lines[1]`: in the
    new value, or in the old one for what was removed.

    `before` and `after` are the places of a moved value, in words.
    """

    path: str
    kind: Kind
    old: Any
    new: Any
    before: str = ""
    after: str = ""


def differences(old: Any, new: Any, path: str = "") -> Iterator[Difference]:
    """Yield the innermost values that differ. Values with secret names are masked."""
    if is_plainly_equal(old, new):
        return
    if _are_lists(old, new):
        yield from _list_differences(old, new, path)
        return
    before = _fields(old)
    after = _fields(new)
    if before is None or after is None or _type(old) != _type(new):
        if not _same(old, new):
            yield Difference(path, "changed", old, new)
        return
    for key in [*before, *(key for key in after if key not in before)]:
        inner = _differences_at(f"{path}{key}", key, before, after)
        yield from _masked(inner) if is_secret(key.strip(".[]'\"")) else inner


def is_equal(old: Any, new: Any) -> bool:
    """Whether two values have no difference."""
    return is_plainly_equal(old, new) or next(differences(old, new), None) is None


def is_plainly_equal(old: Any, new: Any) -> bool:
    """Return True for equal values of JSON's types; False says nothing. It is ten
    times faster than a walk.

    Equal JSON text tells 1 from 1.0 and True, and refuses values whose `==` is user
    code; `==` tells a list from a tuple.
    """
    try:
        return orjson.dumps(old, option=_STRICT) == orjson.dumps(
            new, option=_STRICT
        ) and bool(old == new)
    except (TypeError, ValueError, RecursionError):
        return False


def _differences_at(
    path: str, key: str, before: Mapping[str, Any], after: Mapping[str, Any]
) -> Iterator[Difference]:
    if key not in after:
        yield Difference(path, "removed", before[key], None)
    elif key not in before:
        yield Difference(path, "added", None, after[key])
    else:
        yield from differences(before[key], after[key], path)


def _masked(changes: Iterable[Difference]) -> Iterator[Difference]:
    for change in changes:
        old = None if change.old is None else MASKED
        new = None if change.new is None else MASKED
        yield change._replace(old=old, new=new)


# --- lists --------------------------------------------------------------------------------------------------------


class Matches(NamedTuple):
    """Equal items of two lists, by their places.

    kept   pairs that stand in one order in both lists
    moved  pairs that stand in another order
    gone   places of old items that are in no pair
    come   places of new items that are in no pair
    """

    kept: list[tuple[int, int]]
    moved: list[tuple[int, int]]
    gone: list[int]
    come: list[int]


def match(
    old: Sequence[Any],
    new: Sequence[Any],
    is_same: Callable[[Any, Any], bool] = is_equal,
    key: Callable[[Any], Any] | None = None,
) -> Matches:
    """Match the items of two lists that are the same, the first with the first. The
    longest row of pairs in one order is kept, and the others are moved.
    """
    rough = key or rough_key
    places: defaultdict[Any, deque[int]] = defaultdict(deque)
    for place, item in enumerate(new):
        places[rough(item)].append(place)
    pairs = []
    gone = []
    come = set(range(len(new)))
    for place, item in enumerate(old):
        candidates = places[rough(item)]
        # Values of one key are nearly always the same, so the first one nearly always
        # fits.
        fitting = next((at for at in candidates if is_same(item, new[at])), None)
        if fitting is None:
            gone.append(place)
        else:
            candidates.remove(fitting)
            come.discard(fitting)
            pairs.append((place, fitting))
    rising = _longest_rising([place for _, place in pairs])
    kept = [pair for index, pair in enumerate(pairs) if index in rising]
    moved = [pair for index, pair in enumerate(pairs) if index not in rising]
    return Matches(kept, moved, gone, sorted(come))


def _longest_rising(numbers: Sequence[int]) -> set[int]:
    """Return the indexes of a longest row of rising numbers."""
    ends: list[int] = []  # the smallest last number of a row of each length
    indexes: list[int] = []
    before: list[int] = []
    for index, number in enumerate(numbers):
        length = bisect_left(ends, number)
        before.append(indexes[length - 1] if length else -1)
        if length == len(ends):
            ends.append(number)
            indexes.append(index)
        else:
            ends[length] = number
            indexes[length] = index
    row = set()
    index = indexes[-1] if indexes else -1
    while index >= 0:
        row.add(index)
        index = before[index]
    return row


def rough_key(value: Any) -> Any:
    """Return a key that is the same for equal values, and mostly another one for
    others.
    """
    try:
        option = _STRICT | orjson.OPT_SORT_KEYS | orjson.OPT_NON_STR_KEYS
        return orjson.dumps(value, default=_rough, option=option)
    except (TypeError, ValueError, RecursionError):
        return type(value)


def _rough(value: Any) -> Any:
    fields = _fields(value)
    if fields is None:
        return type(value).__name__
    return [str(_type(value)), *fields.values()]


def _are_lists(old: Any, new: Any) -> bool:
    return type(old) is type(new) and isinstance(old, list | tuple)


def _list_differences(
    old: Sequence[Any], new: Sequence[Any], path: str
) -> Iterator[Difference]:
    shortest = min(len(old), len(new))
    start = 0
    while start < shortest and is_equal(old[start], new[start]):
        start += 1
    end = 0
    while end < shortest - start and is_equal(old[-1 - end], new[-1 - end]):
        end += 1
    old_middle = old[start : len(old) - end]
    new_middle = new[start : len(new) - end]
    if max(len(old_middle), len(new_middle)) > MATCHED:
        changes = _in_places(old_middle, new_middle)
    else:
        changes = _in_order(old_middle, new_middle)
    for pair in changes:
        yield from _pair_differences(old, new, pair.shifted(start), path)


class _Pair(NamedTuple):
    """An old and a new item of a list, by their places; None where one is missing."""

    old: int | None
    new: int | None
    is_moved: bool = False

    def shifted(self, by: int) -> _Pair:
        return self._replace(
            old=None if self.old is None else self.old + by,
            new=None if self.new is None else self.new + by,
        )


def _in_places(old: Sequence[Any], new: Sequence[Any]) -> list[_Pair]:
    return _paired(range(len(old)), range(len(new)))


def _in_order(old: Sequence[Any], new: Sequence[Any]) -> list[_Pair]:
    """Pair the items that differ or moved."""
    matches = match(old, new)
    pairs = [_Pair(*pair, is_moved=True) for pair in matches.moved]
    if matches.moved:
        # Without a common order the leftover items are paired in theirs, so that both
        # directions of a comparison say the same.
        pairs += _paired(matches.gone, matches.come)
    else:
        gone = deque(matches.gone)
        come = deque(matches.come)
        for old_end, new_end in [*matches.kept, (len(old), len(new))]:
            pairs += _paired(_taken(gone, old_end), _taken(come, new_end))
    return sorted(pairs, key=_place_of_pair)


def _taken(places: deque[int], end: int) -> list[int]:
    """Take the places before `end` out of the row."""
    taken = []
    while places and places[0] < end:
        taken.append(places.popleft())
    return taken


def _paired(gone: Sequence[int], come: Sequence[int]) -> list[_Pair]:
    shortest = min(len(gone), len(come))
    both = zip(gone[:shortest], come[:shortest], strict=True)
    return [
        *(_Pair(old, new) for old, new in both),
        *(_Pair(place, None) for place in gone[shortest:]),
        *(_Pair(None, place) for place in come[shortest:]),
    ]


def _place_of_pair(pair: _Pair) -> int:
    if pair.new is not None:
        return pair.new
    return pair.old or 0


def _pair_differences(
    old: Sequence[Any], new: Sequence[Any], pair: _Pair, path: str
) -> Iterator[Difference]:
    old_place = pair.old
    new_place = pair.new
    if new_place is None:
        if old_place is not None:
            yield Difference(f"{path}[{old_place}]", "removed", old[old_place], None)
    elif old_place is None:
        yield Difference(f"{path}[{new_place}]", "added", None, new[new_place])
    elif pair.is_moved:
        yield Difference(
            f"{path}[{new_place}]",
            "moved",
            old[old_place],
            new[new_place],
            f"{ordinal(old_place + 1)} of {len(old)}",
            f"{ordinal(new_place + 1)} of {len(new)}",
        )
    else:
        yield from differences(old[old_place], new[new_place], f"{path}[{new_place}]")


_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh")


def ordinal(number: int) -> str:
    """Return `first`, `second`, `8th`, `21st`."""
    if number <= len(_ORDINALS):
        return _ORDINALS[number - 1]
    if number % 100 in (11, 12, 13):
        return f"{number}th"
    return f"{number}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th') }"


# --- values without children, and children ------------------------------------------------------------------------


def _type(value: Any) -> Any:
    return value.type if isinstance(value, Record) else type(value)


def _same(old: Any, new: Any) -> bool:
    if type(old) is not type(new):
        return False
    if type(old).__module__ == "numpy":  # an array has no one answer to ==
        return (old.dtype, old.shape, old.tobytes()) == (
            new.dtype,
            new.shape,
            new.tobytes(),
        )
    # NaN is itself here: a value that did not change must not be shown as changed.
    return bool(old == new or (old != old and new != new))  # noqa: PLR0124


def _fields(value: Any) -> dict[str, Any] | None:
    """Return the children of a container by the text that leads to them, or None
    for a leaf.
    """
    if isinstance(value, Record):
        return {f".{name}": item for name, item in value.fields.items()}
    if isinstance(value, Mapping):
        return {f"[{key!r}]": item for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(
        value, str | bytes | bytearray | memoryview | range
    ):
        return {f"[{index}]": item for index, item in enumerate(value)}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {
            f".{field.name}": getattr(value, field.name)
            for field in dataclasses.fields(value)
        }
    if hasattr(type(value), "model_fields"):
        return {f".{name}": getattr(value, name) for name in type(value).model_fields}
    return None
