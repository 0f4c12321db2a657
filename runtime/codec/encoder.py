"""Values to bytes.

Plain JSON trees take the fast way: a scan that makes sure that JSON gives back what
goes in, and one `orjson.dumps`. The scan is necessary, because orjson alone writes
tuples and enums as if they were lists and texts, and NaN as null. Everything else is
lowered to a plain tree first, in which a mapping with the key "$" names the type of its
payload.

The fast way is paid for by `python -m tests.benchmarks --only payload-saved`: without
it a superstep whose message has 100 KB takes half as much CPU again, because lowering
walks over every item in Python.
"""

from __future__ import annotations

import sys
from base64 import b64encode
from collections.abc import Iterable, Mapping
from contextlib import suppress
from math import copysign, isfinite, isnan
from typing import Any

import orjson

from runtime.checkpoint import is_text
from runtime.codec.arrays import lower_array
from runtime.codec.builtin import BY_CLASS
from runtime.codec.class_kinds import EXCEPTIONS, Kind
from runtime.codec.classes import is_annotation, lower_class
from runtime.codec.refusal import Refusal, attribute_step, key_step
from runtime.codec.registry import DEFAULT_TYPES, TypeRegistry, can_register
from runtime.codec.sections import EXTRA, FIELDS, HIDDEN, UNDECLARED, Sections
from runtime.errors import EncodeError
from runtime.values.plain_json import LEAVES, all_finite, plain_kinds
from runtime.values.sealed import Sealed

TAG = "$"
TAG_BYTES = b'"$":'
# How deep the slow way searches for plain trees, which then take the fast way. Deeper,
# the search costs more than it saves.
_TRY_PLAIN = 5
_EASY = LEAVES - {float}
_MIN_INT = -(2**63)
_MAX_INT = 2**64 - 1


def encode(value: Any, types: TypeRegistry = DEFAULT_TYPES, path: str = "") -> bytes:
    """Return strict JSON from which `decode` makes an equal value. Equal values in the
    same order give the same bytes.

    Raise `EncodeError` with the path of a value that cannot come back equal: a type
    that is not registered, a value that contains itself, a tree of more than 250
    levels.
    """
    if type(value) in _EASY:
        try:
            return orjson.dumps(value)
        except TypeError:
            return _encode_slowly(value, types, path)
    if type(value) is Sealed:
        if not _has_tag(value.data):
            return value.data
        value = value.open()
    data = _encode_plain(value)
    return _encode_slowly(value, types, path) if data is None else data


def _encode_plain(value: Any) -> bytes | None:
    """Return the bytes of a plain JSON tree, or None for any other value."""
    # The scan comes first, because orjson 3.13 ends the process on thousands of nested
    # tuples, whose levels it does not count, and on a datetime whose zone raises.
    kinds = plain_kinds(value)
    if kinds is None:
        return None
    try:
        data = orjson.dumps(value)
    except TypeError:
        return None  # a key that is no text, a large integer, a lone surrogate
    # orjson writes a number that JSON does not know as null.
    if (float in kinds and b"null" in data and not all_finite(value)) or _has_tag(data):
        return None
    return data


def _has_tag(data: bytes) -> bool:
    # The search for one byte is a hundred times faster, and nearly always enough.
    return b"$" in data and TAG_BYTES in data


def _encode_slowly(value: Any, types: TypeRegistry, path: str) -> bytes:
    try:
        return orjson.dumps(_Lowering(types).value(value))
    except Refusal as refusal:
        raise EncodeError(refusal.message, refusal.path(path)) from None
    except (RecursionError, TypeError) as error:
        raise EncodeError(
            "nested too deep: at most 250 levels can be saved", path
        ) from error


class _Lowering:
    """Lowers one value. `active` has the containers on the present path, to find one
    that contains itself.
    """

    def __init__(self, types: TypeRegistry) -> None:
        self.types = types
        self.active: set[int] = set()

    def value(self, value: Any) -> Any:
        cls = type(value)
        if cls in LEAVES:
            return self._leaf(cls, value)
        mark = id(value)
        if mark in self.active:
            raise Refusal("the value contains itself")
        self.active.add(mark)
        try:
            return self._inner(cls, value)
        finally:
            self.active.discard(mark)

    def _leaf(self, cls: type, value: Any) -> Any:
        if cls is str:
            fits = is_text(value)
        elif cls is int:
            fits = _MIN_INT <= value <= _MAX_INT
        elif cls is float:
            fits = isfinite(value)
            if isnan(value):
                return {TAG: "float", "v": "-nan" if copysign(1, value) < 0 else "nan"}
        else:
            fits = True
        if fits:
            return value
        return {TAG: cls.__name__, "v": BY_CLASS[cls].lower(value, self)}

    def _inner(self, cls: type, value: Any) -> Any:
        if (
            (cls is list or cls is dict)
            and 1 < len(self.active) < _TRY_PLAIN
            and (data := _encode_plain(value))
        ):
            return orjson.Fragment(data)
        if cls is list:
            return self.items(value)
        if cls is dict and all(
            type(key) is str and key != TAG and is_text(key) for key in value
        ):
            return self._named(value, key_step)
        entry = BY_CLASS.get(cls)
        if entry is not None:
            return {TAG: entry.tag, "v": self._guarded(entry.lower, value)}
        name = self.types.name_of(cls)
        if name is not None:
            return self._registered(cls, name, value)
        if is_annotation(value):
            return {TAG: "type", "v": lower_class(value, self.types, self.value)}
        if "numpy" in sys.modules and (tree := lower_array(value)) is not None:
            return tree
        raise Refusal(_unregistered(cls))

    def _registered(self, cls: type, name: str, value: Any) -> Any:
        kind = self.types.kind_of(cls)
        assert kind is not None  # noqa: S101 - a name and a kind are registered together
        sections = _sections_of(kind, value)
        if kind is EXCEPTIONS:
            return self._exception(cls, name, value, sections)
        return self._tree(cls, name, sections)

    def _tree(self, cls: type, name: str, sections: Sections) -> Any:
        tree: dict[str, Any] = {TAG: name}
        for section, values in sections.items():
            if not all(map(_is_name, values)):
                raise Refusal(
                    f"an attribute of this {cls.__qualname__} has a name that is no proper text"
                )
            lowered = self._named(values, attribute_step)
            # This is no encryption, because who reads the store can read it. It only
            # hides the text from a glance and from a search.
            tree[section] = (
                b64encode(orjson.dumps(lowered)).decode("ascii")
                if section == HIDDEN
                else lowered
            )
        tree.setdefault(FIELDS, {})
        return tree

    def _exception(self, cls: type, name: str, value: Any, sections: Sections) -> Any:
        """Lower an exception, without what cannot be saved of it, see
        `runtime.codec.exceptions`.
        """
        try:
            tree = self._tree(cls, name, {FIELDS: sections[FIELDS]})
        except Refusal:
            text_only = EXCEPTIONS.with_text_only(value)
            if text_only is None:
                raise
            tree = self._tree(cls, name, text_only)
        optional = {
            section: self._savable(sections.get(section, {}))
            for section in (UNDECLARED, EXTRA)
        }
        return tree | {
            section: lowered for section, lowered in optional.items() if lowered
        }

    def _savable(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return the attributes that can be saved, lowered. Trying first and lowering
        afterwards would double the cost with each exception that an exception carries.
        """
        out = {}
        for attribute, item in values.items():
            if _is_name(attribute):
                with suppress(Refusal):
                    out[attribute] = self.value(item)
        return out

    def _guarded(self, lower: Any, value: Any) -> Any:
        try:
            return lower(value, self)
        except (ValueError, AttributeError, LookupError) as error:
            raise Refusal(
                f"this {type(value).__name__} would not come back equal: {error}"
            ) from None

    def _named(self, values: Mapping[str, Any], step: Any) -> dict[str, Any]:
        out = {}
        key = ""
        try:
            for key, value in values.items():
                out[key] = self.value(value)
        except Refusal as refusal:
            refusal.steps.append(step(key))
            raise
        return out

    def items(self, values: Iterable[Any]) -> list[Any]:
        out: list[Any] = []
        try:
            for value in values:
                out.append(self.value(value))  # noqa: PERF401 - how far it came is part of the refusal
        except Refusal as refusal:
            refusal.steps.append(f"[{len(out)}]")
            raise
        return out

    def unordered(self, values: Iterable[Any]) -> list[Any]:
        """Return items sorted by their bytes, so that equal sets give equal bytes with
        any hash seed.
        """
        try:
            return sorted(map(self.value, values), key=orjson.dumps)
        except Refusal as refusal:
            refusal.steps.append("{…}")
            raise

    def pairs(self, mapping: Mapping[Any, Any]) -> list[Any]:
        out = []
        key: Any = None
        try:
            for key, value in mapping.items():
                out.append([self.value(key), self.value(value)])
        except Refusal as refusal:
            refusal.steps.append(key_step(key))
            raise
        return out


def _is_name(name: Any) -> bool:
    return type(name) is str and is_text(name)


def _sections_of(kind: Kind, value: Any) -> Sections:
    try:
        return kind.take(value)
    except Exception as error:  # noqa: BLE001 - reading an attribute may run any code
        raise Refusal(
            f"this {type(value).__qualname__} would not come back equal: {error}"
        ) from None


def _unregistered(cls: type) -> str:
    name = cls.__qualname__
    if issubclass(cls, (str, int, float, bytes, list, dict, set, frozenset, tuple)):
        return f"type {name} is not registered, and would come back as its base type. Save a value of the base type"
    if can_register(cls):
        return (
            f"type {name} is not registered. Register it with runtime.codec.DEFAULT_TYPES.register({name}), "
            "or keep it out of what is saved"
        )
    return (
        f"type {name} cannot be saved: plain values can, dataclasses, named tuples, enums, exceptions, pydantic models "
        "and classes that pydantic can write and read. Make it one of these, or keep it out of what is saved"
    )
