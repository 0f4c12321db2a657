"""Bytes to values: exactly (`decode`), or for display (`view`), which runs no user code
and refuses no type.
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import orjson

from runtime.codec.arrays import build_array, can_build
from runtime.codec.builtin import BY_TAG, Builtin
from runtime.codec.class_kinds import is_own
from runtime.codec.classes import build_class, class_text
from runtime.codec.encoder import TAG, TAG_BYTES
from runtime.codec.pydantic_types import MASKED, without_password
from runtime.codec.refusal import Refusal, attribute_step, key_step
from runtime.codec.registry import DEFAULT_TYPES, TypeRegistry
from runtime.codec.sections import FIELDS_SET, HIDDEN, SECTIONS
from runtime.errors import DecodeError


@dataclass(frozen=True, slots=True, eq=False)
class Record:
    """A value that is only displayed: the name of its type, and its fields. `type`
    names a class itself.
    """

    type: str
    fields: Mapping[str, Any]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Record) and (self.type, self.fields) == (
            other.type,
            other.fields,
        )

    def __hash__(self) -> int:
        return hash(
            (
                self.type,
                frozenset((name, _hash(value)) for name, value in self.fields.items()),
            )
        )


def _hash(value: Any) -> int:
    try:
        return hash(value)
    except TypeError:
        # Unhashable, such as a list: the names and the other fields are enough.
        return 0


def decode(data: bytes, types: TypeRegistry = DEFAULT_TYPES, path: str = "") -> Any:
    """Return the value that was encoded; it is the caller's own. Raise `DecodeError`
    with the path if a type is not registered or the bytes are not from `encode`.
    """
    return _build(data, _Building(types), path)


def view(data: bytes, types: TypeRegistry = DEFAULT_TYPES, path: str = "") -> Any:
    """Return the value for display. Values of user types, registered or not, are a
    `Record`, so none of their code runs.
    """
    return _build(data, _Viewing(types), path)


def rebuild(tree: Any, types: TypeRegistry = DEFAULT_TYPES, path: str = "") -> Any:
    """Return what `decode` returns, from a parsed tree."""
    return _walk(tree, _Building(types), path)


def view_tree(tree: Any, types: TypeRegistry = DEFAULT_TYPES, path: str = "") -> Any:
    """Return what `view` returns, from a parsed tree."""
    return _walk(tree, _Viewing(types), path)


def _build(data: bytes, building: _Building, path: str) -> Any:
    try:
        tree = orjson.loads(data)
    except orjson.JSONDecodeError as error:
        raise DecodeError(f"not JSON: {error}", path) from None
    # Without a tag there is nothing to rebuild: the tree is the value.
    return _walk(tree, building, path) if TAG_BYTES in data else tree


def _walk(tree: Any, building: _Building, path: str) -> Any:
    try:
        return building.value(tree)
    except Refusal as refusal:
        raise DecodeError(refusal.message, refusal.path(path)) from None
    except RecursionError as error:
        raise DecodeError("nested too deep", path) from error


class _Building:
    """Makes the values of a tree. A path is collected only when a value is refused."""

    def __init__(self, types: TypeRegistry) -> None:
        self.types = types

    def value(self, tree: Any) -> Any:
        cls = type(tree)
        if cls is list:
            return self.items(tree)
        if cls is not dict:
            return tree
        return self._tagged(tree) if TAG in tree else self._named(tree, key_step)

    def _tagged(self, tree: dict[str, Any]) -> Any:
        tag = tree[TAG]
        try:
            if not isinstance(tag, str):
                raise TypeError("the name of a type is a text")
            if (entry := BY_TAG.get(tag)) is not None:
                return self._builtin(entry, tree["v"])
            if tag == "type":
                return self._class(tree["v"])
            if tag in ("ndarray", "numpy"):
                return self._array(tag, tree["v"])
            return self._registered(tag, tree)
        except (Refusal, RecursionError):
            raise
        # Builders raise anything for malformed payloads, and so do the `__hash__` and
        # `__eq__` of keys.
        except Exception as error:  # noqa: BLE001
            raise Refusal(f"not a proper value of type {tag}: {error}") from None

    def _builtin(self, entry: Builtin, payload: Any) -> Any:
        return entry.build(payload, self)

    def _class(self, tree: Any) -> Any:
        return build_class(tree, self._find, self.value)

    def _array(self, tag: str, payload: Any) -> Any:
        try:
            return build_array(tag, payload)
        except ImportError:
            raise Refusal("this value needs numpy, which is not installed") from None

    def _registered(self, tag: str, tree: dict[str, Any]) -> Any:
        return self._make(self._find(tag), self._sections(tree))

    def _make(self, cls: type, sections: dict[str, dict[str, Any]]) -> Any:
        kind = self.types.kind_of(cls)
        assert kind is not None  # noqa: S101 - a class has a name and a kind, or neither
        return kind.make(cls, sections)

    def _find(self, name: str) -> type:
        cls = self.types.class_of(name)
        if cls is None:
            raise Refusal(
                f"type {name} is not registered. Import the module that registers it, or give its new place the old "
                f"name with DEFAULT_TYPES.alias({name!r}, …)"
            )
        return cls

    def _sections(self, tree: dict[str, Any]) -> dict[str, dict[str, Any]]:
        sections = {}
        # Not a comprehension, because that would take a further frame of the stack on
        # each level.
        for section, values in tree.items():
            if section == HIDDEN:
                sections[section] = self._hidden(values)
            elif section in SECTIONS:
                sections[section] = self._named(values, attribute_step)
            elif section != TAG:
                raise ValueError(f"no section {section}")
        return sections

    def _hidden(self, text: str) -> dict[str, Any]:
        return self._named(orjson.loads(b64decode(text, validate=True)), attribute_step)

    def _named(self, trees: dict[str, Any], step: Any) -> dict[str, Any]:
        out = {}
        key = ""
        try:
            for key, tree in trees.items():
                out[key] = self.value(tree)
        except Refusal as refusal:
            refusal.steps.append(step(key))
            raise
        return out

    def items(self, trees: Any) -> list[Any]:
        if type(trees) is not list:
            raise TypeError("a list is needed")
        out: list[Any] = []
        try:
            for tree in trees:
                out.append(self.value(tree))  # noqa: PERF401 - how far it came is part of the refusal
        except Refusal as refusal:
            refusal.steps.append(f"[{len(out)}]")
            raise
        return out

    def pairs(self, trees: Any) -> list[tuple[Any, Any]]:
        out = []
        key: Any = None
        try:
            for key_tree, value_tree in map(
                _pair, trees if type(trees) is list else [trees]
            ):
                key = self.value(key_tree)
                out.append((key, self.value(value_tree)))
        except Refusal as refusal:
            refusal.steps.append(key_step(key))
            raise
        return out


def _pair(tree: Any) -> list[Any]:
    if type(tree) is not list or len(tree) != 2:
        raise TypeError("a list of pairs is needed")
    return tree


class _Viewing(_Building):
    """Makes only values whose types belong to Python or to the runtime, and a `Record`
    of all others.
    """

    def __init__(self, types: TypeRegistry) -> None:
        super().__init__(types)
        self._seen: dict[int, Any] = {}

    def _tagged(self, tree: dict[str, Any]) -> Any:
        # The inside of a malformed value is displayed after an attempt to make it. If
        # the attempt were made again on each level, the time would double with each.
        if id(tree) not in self._seen:
            self._seen[id(tree)] = self._looked_at(tree)
        return self._seen[id(tree)]

    def _looked_at(self, tree: dict[str, Any]) -> Any:
        try:
            return super()._tagged(tree)
        except Refusal:
            # Malformed, or a default factory, which is not called for display.
            payload = {
                str(key): self.value(item) for key, item in tree.items() if key != TAG
            }
            return Record(str(tree[TAG]), MappingProxyType(payload))

    def _builtin(self, entry: Builtin, payload: Any) -> Any:
        if entry.shown is None:
            return super()._builtin(entry, payload)
        return Record(entry.tag, MappingProxyType(entry.shown(payload, self)))

    def _hidden(self, text: str) -> dict[str, Any]:
        return {"value": MASKED}

    def _class(self, tree: Any) -> Any:
        try:
            return build_class(tree, self._find, self.value)
        except Refusal:
            return Record("type", MappingProxyType({"name": class_text(tree)}))

    def _find(self, name: str) -> type:
        cls = self.types.class_of(name, load=False)
        if cls is None or not is_own(cls):
            raise Refusal("not the runtime's own")
        return cls

    def _array(self, tag: str, payload: Any) -> Any:
        if can_build():
            return build_array(tag, payload)
        kind, shape, *_ = payload
        return Record(tag, MappingProxyType({"dtype": kind, "shape": shape}))

    def _registered(self, tag: str, tree: dict[str, Any]) -> Any:
        sections = self._sections(tree)
        cls = self.types.class_of(tag, load=False)
        if cls is not None and is_own(cls):
            return self._make(cls, sections)
        shown = {
            name: value
            for section, values in sections.items()
            if section != FIELDS_SET
            for name, value in values.items()
        }
        if tag.startswith("pydantic:") and type(shown.get("value")) is str:
            shown["value"] = without_password(shown["value"])
        return Record(tag, MappingProxyType(shown))
