"""The codec's law: a value of any types comes back exactly, or is refused with its
path. And its reader's: any bytes give a value or a typed error.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runtime.codec import decode, encode, view
from runtime.codec.builtin import BY_TAG
from runtime.errors import DecodeError, EncodeError
from tests.runtime.codec_values import (
    CLASSES,
    LEAVES,
    VALUES,
    Box,
    Draft,
    Model,
    Point,
    containers,
    registry,
    same,
)

REGISTRY = registry()


@settings(max_examples=100)
@given(VALUES)
def test_any_value_of_any_types_comes_back_exactly(value: Any) -> None:
    data = encode(value, REGISTRY)
    json.loads(
        data, parse_constant=lambda name: pytest.fail(f"{name} is not strict JSON")
    )
    back = decode(data, REGISTRY)
    assert same(back, value)
    assert encode(back, REGISTRY) == data
    view(data, REGISTRY)


class Foreign:
    pass


class Text(str):
    __slots__ = ()


class Whole(int):
    pass


class Rows(list[Any]):
    pass


FOREIGN = st.sampled_from(
    [Foreign(), Foreign, Text("a"), Whole(1), Rows(), len, iter(()), print, ...]
)


def around(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Something with `inner` in it, and other values beside."""
    some = st.lists(LEAVES, max_size=2)
    return (
        st.builds(lambda a, x, b: [*a, x, *b], some, inner, some)
        | st.builds(lambda a, x, b: (*a, x, *b), some, inner, some)
        | st.builds(lambda a, x: {"a": a, "k": x}, containers(LEAVES), inner)
        | st.builds(lambda a, x: {1: a, (1, 2): x}, LEAVES, inner)
        | st.builds(Point, LEAVES, inner)
        | st.builds(Draft, st.just("t"), inner)
        | st.builds(Box, inner)
        | st.builds(lambda x: Model(theA=1, extra=x), inner)  # type: ignore[call-arg]
    )


@settings(max_examples=100)
@given(st.recursive(FOREIGN, around, max_leaves=4))
def test_one_foreign_value_anywhere_is_refused_with_its_path(value: Any) -> None:
    with pytest.raises(EncodeError) as caught:
        encode(value, REGISTRY, "state['k']")
    assert caught.value.path.startswith("state['k']")
    assert str(caught.value).startswith(f"{caught.value.path}: ")


# --- the reader ---------------------------------------------------------------------------------------------------

NAMES = [
    *BY_TAG,
    "type",
    "ndarray",
    "numpy",
    "Message",
    "Cause",
    "RunState",
    "os:system",
]
NAMES += [str(REGISTRY.name_of(cls)) for cls in CLASSES]
WORDS = [
    "",
    "v",
    "name",
    "value",
    "title",
    "n",
    "a",
    "b",
    "inner",
    "RED",
    "1e99999999",
    "-nan",
    "Europe",
    "../../x",
]
WORDS += [
    "<f8",
    "O",
    "|V0",
    "C",
    "9" * 5000,
    "zz",
    "\\",
    "\\q",
    "\\N{BULLET}",
    "Literal",
    "|",
    "typing:List",
    "\x00",
]
JSON_LEAVES = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from([*WORDS, *NAMES])
    | st.text(max_size=3)
)


def trees(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    fields = st.dictionaries(st.sampled_from(WORDS), inner, max_size=3)
    return (
        st.lists(inner, max_size=3)
        | fields
        | st.builds(
            lambda name, payload: {"$": name, "v": payload},
            st.sampled_from(NAMES),
            inner | fields,
        )
        | st.builds(
            lambda name, rest: {"$": name, **rest},
            inner,
            st.dictionaries(st.sampled_from("vapxs"), fields),
        )
    )


TREES = st.recursive(JSON_LEAVES, trees, max_leaves=15)


def read(data: bytes) -> None:
    """Both readers give a value or a typed error."""
    for reader in (decode, view):
        with suppress(DecodeError):
            reader(data, REGISTRY, "part")


def written(tree: Any) -> bytes:
    return json.dumps(tree, separators=(",", ":"), ensure_ascii=False).encode(
        "utf-8", "replace"
    )


@settings(max_examples=100)
@given(TREES)
def test_any_json_gives_a_value_or_a_typed_error(tree: Any) -> None:
    read(written(tree))


def places(tree: Any, way: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    if isinstance(tree, dict):
        inner = tree.items()
    elif isinstance(tree, list):
        inner = enumerate(tree)
    else:
        inner = ()
    return [way, *(place for key, one in inner for place in places(one, (*way, key)))]


def changed(tree: Any, way: tuple[Any, ...], change: Any) -> Any:
    if not way:
        return change(tree)
    copy = tree.copy()
    copy[way[0]] = changed(tree[way[0]], way[1:], change)
    return copy


@settings(max_examples=100)
@given(VALUES, TREES, st.data())
def test_a_changed_record_gives_a_value_or_a_typed_error(
    value: Any, other: Any, data: st.DataObject
) -> None:
    tree = json.loads(encode([value], REGISTRY))
    way = data.draw(st.sampled_from(places(tree)))
    changes: dict[str, Callable[[Any], Any]] = {
        "replaced": lambda _: other,
        "gone": lambda old: (
            dict(list(old.items())[1:])
            if isinstance(old, dict)
            else old[1:]
            if old
            else old
        ),
        "renamed": lambda old: (
            {**old, "$": data.draw(st.sampled_from(NAMES))}
            if isinstance(old, dict)
            else [old]
        ),
        "doubled": lambda old: (
            old * 2 if isinstance(old, (list, str)) else {"$": "tuple", "v": [old, old]}
        ),
        "other payload": lambda old: (
            {**old, "v": other} if isinstance(old, dict) else {"v": old}
        ),
    }
    change = changes[data.draw(st.sampled_from(sorted(changes)))]
    read(
        written(
            changed(
                tree,
                way,
                lambda old: (
                    change(old) if isinstance(old, (dict, list, str)) else other
                ),
            )
        )
    )


@settings(max_examples=75)
@given(
    VALUES,
    st.lists(
        st.tuples(st.floats(0, 1), st.binary(max_size=3), st.integers(0, 3)),
        min_size=1,
        max_size=3,
    ),
)
def test_changed_bytes_give_a_value_or_a_typed_error(
    value: Any, edits: list[tuple[float, bytes, int]]
) -> None:
    data = encode(value, REGISTRY)
    for place, new, length in edits:
        at = math.floor(place * len(data))
        data = data[:at] + new + data[at + length :]
    read(data)
