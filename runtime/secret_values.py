"""Secrets in the parameters of a document: which literals are such, and what stands for them where they must not go.

A secret is known by its name (`*_key`, `*_token`, `password`, …), by its schema (`writeOnly`, `format: password`), or
as the credentials in an address. `{env.NAME}` stands for one: templates fill it in when the node runs, and any other
parameter gets it when the node is made (`given`). Of types that are not known here, names and addresses tell.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cache, lru_cache
from typing import Any, NamedTuple

from runtime.children import SUB_WORKFLOW
from runtime.debug.shapes import is_secret
from runtime.definition import NodeDefinition, NodeInfo, WorkflowDefinition
from runtime.environment import ENVIRONMENT_FORMAT, ENVIRONMENT_LINE_FORMAT, EnvTemplate, Secrets
from runtime.formats import (
    BASE_URL_FORMAT,
    DATABASE_FORMAT,
    JSON_SCHEMA_FORMAT,
    NAMED_VALUES_FORMAT,
    PATHS_FORMAT,
    URL_FORMAT,
    names_secret,
)

Infos = Mapping[str, NodeInfo]
Schema = Mapping[str, Any]
Path = tuple[str | int, ...]

_ADDRESSES = frozenset({URL_FORMAT, BASE_URL_FORMAT, DATABASE_FORMAT})
_TEMPLATES = _ADDRESSES | {ENVIRONMENT_FORMAT, ENVIRONMENT_LINE_FORMAT, NAMED_VALUES_FORMAT}
# Their keys name something else than the value beside them: a type, a place in the message.
_NO_VALUES = frozenset({JSON_SCHEMA_FORMAT, PATHS_FORMAT})
_STEP = " › "
_INLINE = "inline"  # the workflow in a sub-workflow: what is in it is in nodes of its own
_REFERENCE = re.compile(r"\{env\.([A-Za-z_][A-Za-z0-9_]*)\}")
_SCHEME = re.compile(r"(?:Basic|Bearer|Token|ApiKey)\s+", re.IGNORECASE)
# User and password of an address, with placeholders in them.
_CREDENTIALS = re.compile(r"(?<=://)((?:[^/?#:@{}]|\{[^{}]*\})*)(?::((?:[^/?#@{}]|\{[^{}]*\})*))?(?=@)")
_PLACEHOLDER = re.compile(r"\$?\{[^{}]*\}|\$\w+")  # ours, or a variable of the shell
_IN_QUERY = re.compile(r"(?<=[?&])([\w.-]+)=([^&#{}]+)")
_NO_SCHEMA: Schema = {}


class Omitted(NamedTuple):
    """A value that was left out: `place` says where it stood, `variable` of the environment what takes its place."""

    place: str
    variable: str

    @property
    def is_of_input(self) -> bool:
        """Whether it is of the workflow's input. That is given to a run as it is, so nothing fills it in there."""
        return self.place.split(_STEP)[0] == "input"

    def __str__(self) -> str:
        return f"{self.variable} ({self.place})"


def without_secrets(
    workflow: WorkflowDefinition, infos: Infos | None = None
) -> tuple[WorkflowDefinition, tuple[Omitted, ...]]:
    """The workflow with a reference to the environment for every secret that is written out in it, in workflows inside
    of its nodes too, and what was left out. The very same workflow where there is none.

    `infos` are the known node types by name; without them secrets are known by their names alone.
    """
    raw = workflow.model_dump()
    # A variable that the workflow names already has a value of its own.
    hiding = _Hiding(infos or {}, {found for text in _texts(raw) for found in _REFERENCE.findall(text)})
    made = hiding.workflow(raw, ())
    return (WorkflowDefinition.model_validate(made), tuple(hiding.omitted)) if hiding.omitted else (workflow, ())


def extra_without_secrets(extra: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[Omitted, ...]]:
    """The same of what else a file has, whose meaning only its writer knows."""
    hiding = _Hiding({})
    return hiding.value(dict(extra), ()), tuple(hiding.omitted)


def written_out(node: NodeDefinition, info: NodeInfo | None) -> Iterator[tuple[Path, str]]:
    """The secrets that are written out in the parameters of a node: the place of each, and the variable for it."""
    hiding = _Hiding({} if info is None else {node.type: info})
    hiding.params({key: one for key, one in node.params.items() if key != _INLINE}, node.type, (node.id,))
    yield from zip(hiding.paths, (one.variable for one in hiding.omitted), strict=True)


def hidden_params(node: NodeDefinition, info: NodeInfo | None) -> dict[str, Any]:
    """The parameters of a node with references to the environment for its secrets."""
    return _Hiding({} if info is None else {node.type: info}).params(node.params, node.type, (node.id,))


def given(params: Mapping[str, Any], schema: Callable[[], Schema]) -> dict[str, Any]:
    """Parameters with what the environment has for their secrets, where they are no templates, which fill it in
    themselves. `schema` is asked for only if there may be one. Raises `LookupError` for a variable that is not set.
    """
    own = {key: one for key, one in params.items() if key != _INLINE}
    if not any(_REFERENCE.search(text) for text in _texts(own)):
        return dict(params)
    secrets = Secrets(os.environ)

    def fill(value: Any, _place: Path, _names: tuple[str, ...], schema: Schema) -> Any:
        if not isinstance(value, str) or schema.get("format") in _TEMPLATES:
            return value
        found = _REFERENCE.fullmatch(value)
        if found is None:
            return _REFERENCE.sub(lambda one: secrets.value(one[1]), value) if _is_address(value, schema) else value
        text = secrets.value(found[1])
        return _number(text, found[1]) if schema.get("type") in ("integer", "number") else text

    return {**params, **_walk(own, (), (), _Resolved(schema()), fill)}


def filled(value: Any) -> Any:
    """A value with what the environment has for its secrets, as they are in a workflow's input. Raises as `given`."""
    return given({"": value}, dict)[""]


def _number(text: str, name: str) -> int | float:
    try:
        return float(text) if {".", "e", "E"} & set(text) else int(text)
    except ValueError:
        raise LookupError(f"the environment variable {name} must be a number; correct it") from None


def _texts(value: Any) -> Iterator[str]:
    match value:
        case str():
            yield value
        case dict():
            for one in value.values():
                yield from _texts(one)
        case list() | tuple():
            for one in value:
                yield from _texts(one)


# --- walking ------------------------------------------------------------------------------------------------------

# What is done with a secret: the value, its place, the names that lead to it, and its schema.
Change = Callable[[Any, Path, tuple[str, ...], Schema], Any]


class _Resolved(dict[str, Any]):
    """A part of a JSON Schema that remembers the whole, for what it refers to; `Optional` is looked through."""

    def __init__(self, part: Schema, whole: Schema | None = None) -> None:
        self.whole: Schema = part if whole is None else whole
        for _ in range(8):  # a schema may refer to itself
            if "$ref" in part:
                part = self.whole.get("$defs", {}).get(str(part["$ref"]).rpartition("/")[2], _NO_SCHEMA)
            elif "anyOf" in part:
                part = next((one for one in part["anyOf"] if one.get("type") != "null"), _NO_SCHEMA)
            else:
                break
        super().__init__(part)

    def of(self, key: str | int) -> _Resolved:
        inner = self.get("items") if isinstance(key, int) else self.get("properties", {}).get(key)
        inner = self.get("additionalProperties") if inner is None else inner
        made = _Resolved(inner if isinstance(inner, dict) else _NO_SCHEMA, self.whole)
        if self.get("format") == NAMED_VALUES_FORMAT:
            made["format"] = NAMED_VALUES_FORMAT
        return made


def _walk(
    value: Any, place: Path, names: tuple[str, ...], schema: _Resolved, change: Change, *, secret: bool = False
) -> Any:
    """The value with every secret of it changed. `secret` is true below a name of one."""
    if schema.get("format") in _NO_VALUES:
        return value
    secret = secret or schema.get("writeOnly") is True or schema.get("format") == "password"
    match value:
        case dict():
            return {
                key: _walk(
                    one,
                    (*place, key),
                    (*names, str(key)),
                    schema.of(key),
                    change,
                    secret=secret or _is_named(key, schema),
                )
                for key, one in value.items()
            }
        case list() | tuple():
            return [
                _walk(one, (*place, at), (*names, str(at + 1)), schema.of(at), change, secret=secret)
                for at, one in enumerate(value)
            ]
        case str() if secret or _is_address(value, schema):
            return change(value, place, names, schema)
        case int() | float() if secret and not isinstance(value, bool):
            return change(value, place, names, schema)
        case _:
            return value


def _is_address(text: str, schema: Schema) -> bool:
    """Whether what a text has in the places of an address counts: also where nothing says what it is."""
    return schema.get("format") in _ADDRESSES or ("format" not in schema and "://" in text)


def _is_named(key: Any, schema: Schema) -> bool:
    return _names_secret(str(key), schema.get("format") == NAMED_VALUES_FORMAT)


@lru_cache(4096)  # the check asks for the same few names thousands of times
def _names_secret(name: str, is_header: bool) -> bool:
    return is_secret(name) or (is_header and names_secret(name))


# --- hiding -------------------------------------------------------------------------------------------------------


class _Hiding:
    """Puts references for secrets, and remembers what they stand for."""

    def __init__(self, infos: Infos, taken: Collection[str] = ()) -> None:
        self._infos, self._taken = infos, set(taken)
        self._numbers = Counter[str]()
        self.omitted: list[Omitted] = []
        self.paths: list[Path] = []

    def workflow(self, raw: dict[str, Any], way: tuple[str, ...]) -> dict[str, Any]:
        """`way` are the ids of the nodes that it is inside of."""
        nodes = [self._node(node, way) for node in raw.get("nodes", ())]
        rest = {key: one for key, one in raw.items() if key != "nodes"}
        return {**self.value(rest, way), **({"nodes": nodes} if "nodes" in raw else {})}

    def value(self, value: Any, names: tuple[str, ...]) -> Any:
        return _walk(value, (), names, _Resolved(_NO_SCHEMA), self._hide)

    def _node(self, raw: Any, way: tuple[str, ...]) -> Any:
        if not isinstance(raw, dict):
            return raw  # of a workflow inside that nobody could read
        names = (*way, str(raw.get("id", "")))
        params = raw.get("params")
        rest = self.value({key: one for key, one in raw.items() if key != "params"}, names)
        made = self.params(params, str(raw.get("type")), names) if isinstance(params, dict) else params
        return {key: made if key == "params" else rest[key] for key in raw}

    def params(self, params: Mapping[str, Any], type: str, names: tuple[str, ...]) -> dict[str, Any]:
        info = self._infos.get(type)
        schema = _Resolved(_schema_of(type) if info is None else info.params_schema)
        inline = params.get(_INLINE) if type == SUB_WORKFLOW else None
        if not isinstance(inline, dict):
            return dict(_walk(dict(params), (), names, schema, self._hide))
        own = {key: one for key, one in params.items() if key != _INLINE}
        made = dict(_walk(own, (), names, schema, self._hide))
        return {key: self._file(inline, names) if key == _INLINE else made[key] for key in params}

    def _file(self, raw: dict[str, Any], way: tuple[str, ...]) -> dict[str, Any]:
        rest = self.value({key: one for key, one in raw.items() if key != "workflow"}, way)
        inner = raw.get("workflow")
        made = self.workflow(inner, way) if isinstance(inner, dict) else inner
        return {key: made if key == "workflow" else rest[key] for key in raw}

    def _hide(self, value: Any, place: Path, names: tuple[str, ...], schema: Schema) -> Any:
        if isinstance(value, str) and _is_address(value, schema) and not is_secret(names[-1]):
            return self._in_address(value, place, names)
        if value == "" or not _is_literal(value, schema):
            return value
        scheme = _SCHEME.match(value) if schema.get("format") == NAMED_VALUES_FORMAT else None
        return (scheme[0] if scheme else "") + self._reference(place, names)

    def _in_address(self, text: str, place: Path, names: tuple[str, ...]) -> str:
        def credentials(found: re.Match[str]) -> str:
            shown = [
                self._reference(place, (*names, what)) if text and not _PLACEHOLDER.fullmatch(text) else text
                for what, text in (("user", found[1]), ("password", found[2]))
                if text is not None
            ]
            return ":".join(shown)

        def in_query(found: re.Match[str]) -> str:
            secret = is_secret(found[1]) or names_secret(found[1])
            return f"{found[1]}={self._reference(place, (*names, found[1]))}" if secret else found[0]

        return _IN_QUERY.sub(in_query, _CREDENTIALS.sub(credentials, text))

    def _reference(self, place: Path, names: tuple[str, ...]) -> str:
        name = variable = _variable(names)
        while variable in self._taken:
            self._numbers[name] += 1
            variable = f"{name}_{self._numbers[name] + 1}"
        self._taken.add(variable)
        self.omitted.append(Omitted(_STEP.join(names), variable))
        self.paths.append(place)
        return f"{{env.{variable}}}"


@cache
def _schema_of(type: str) -> Schema:
    """Of our own node types, which whoever asks may not have loaded yet."""
    from runtime.nodes import BUILT_IN

    return next((one.params.model_json_schema() for one in BUILT_IN if one.type == type), _NO_SCHEMA)


def _is_literal(value: Any, schema: Schema) -> bool:
    """Whether it stands there itself, and is not made of the environment or of the message."""
    if not isinstance(value, str):
        return True
    if schema.get("format") not in _TEMPLATES:
        return _REFERENCE.fullmatch(value) is None
    try:
        return EnvTemplate(value).is_fixed
    except ValueError:
        return True


def _variable(names: tuple[str, ...]) -> str:
    """A name made of node and field."""
    words = "_".join(word for name in names if (word := re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_")))
    return re.sub(r"^(?=[0-9]|$)", "SECRET_", words).rstrip("_").upper()
