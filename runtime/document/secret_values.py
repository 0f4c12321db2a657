"""Replace secrets that are written in a document by references to the environment.

A reference is `{env.NAME}`. Templates fill it in when the node runs; any other
parameter gets the value when the node is made. For node types that are not known here,
only names and addresses tell what is a secret.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, NamedTuple

from runtime.document.definition import NodeDefinition, NodeInfo
from runtime.document.secret_names import is_secret
from runtime.document.secret_places import (
    NO_SCHEMA,
    REFERENCE,
    TEMPLATES,
    Path,
    ResolvedSchema,
    Schema,
    is_address,
    walk,
)
from runtime.document.sub_workflows import INLINE, SUB_WORKFLOW
from runtime.expressions.environment import EnvTemplate
from runtime.expressions.text_formats import NAMED_VALUES_FORMAT, names_secret

SchemaOf = Callable[[str], Schema]  # the schema of the parameters of a node type

_STEP = " › "
_SCHEME = re.compile(r"(?:Basic|Bearer|Token|ApiKey)\s+", re.IGNORECASE)
# User and password of an address, with placeholders in them.
_CREDENTIALS = re.compile(
    r"(?<=://)((?:[^/?#:@{}]|\{[^{}]*\})*)(?::((?:[^/?#@{}]|\{[^{}]*\})*))?(?=@)"
)
_PLACEHOLDER = re.compile(r"\$?\{[^{}]*\}|\$\w+")  # ours, or a variable of the shell
_IN_QUERY = re.compile(r"(?<=[?&])([\w.-]+)=([^&#{}]+)")


class Omitted(NamedTuple):
    """A secret that was left out: where it was, and the variable of the environment
    that replaces it.
    """

    place: str
    variable: str

    @property
    def is_of_input(self) -> bool:
        """True for a secret of the workflow's input, which a run gets as it is, so that
        nothing fills it in.
        """
        return self.place.split(_STEP)[0] == "input"

    def __str__(self) -> str:
        return f"{self.variable} ({self.place})"


def written_out(
    node: NodeDefinition, info: NodeInfo | None
) -> Iterator[tuple[Path, str]]:
    """Yield the secrets that are written in the parameters of a node: the place of
    each, and the variable for it.
    """
    hiding = Hiding(_schema_of(info))
    own_params = {name: value for name, value in node.params.items() if name != INLINE}
    hiding.params(own_params, node.type, (node.id,))
    for path, omitted in zip(hiding.paths, hiding.omitted, strict=True):
        yield path, omitted.variable


def hidden_params(node: NodeDefinition, info: NodeInfo | None) -> dict[str, Any]:
    """Return the parameters of a node with references in the place of its secrets."""
    return Hiding(_schema_of(info)).params(node.params, node.type, (node.id,))


def _schema_of(info: NodeInfo | None) -> SchemaOf:
    schema = NO_SCHEMA if info is None else info.params_schema
    return lambda _type: schema


class Hiding:
    """Replaces secrets by references, and remembers which. `taken` are variables of the
    environment that have another value already.
    """

    def __init__(self, schema_of: SchemaOf, taken: Collection[str] = ()) -> None:
        self._schema_of = schema_of
        self._taken = set(taken)
        self._numbers = Counter[str]()
        self.omitted: list[Omitted] = []
        self.paths: list[Path] = []

    def workflow(self, raw: dict[str, Any], way: tuple[str, ...]) -> dict[str, Any]:
        """Return a workflow without secrets. `way` are the ids of the nodes around it."""
        # The nodes come first, because the numbers of variables follow this order.
        nodes = [self._node(node, way) for node in raw.get("nodes", ())]
        others = {key: value for key, value in raw.items() if key != "nodes"}
        workflow: dict[str, Any] = self.value(others, way)
        if "nodes" in raw:
            workflow["nodes"] = nodes
        return workflow

    def value(self, value: Any, names: tuple[str, ...]) -> Any:
        """Return a value without the secrets that its names tell."""
        return walk(value, (), names, ResolvedSchema(NO_SCHEMA), self._hide)

    def _node(self, raw: Any, way: tuple[str, ...]) -> Any:
        if not isinstance(raw, dict):
            return raw  # in a workflow that cannot be read
        names = (*way, str(raw.get("id", "")))
        params = raw.get("params")
        others = {key: value for key, value in raw.items() if key != "params"}
        node = self.value(others, names)
        if isinstance(params, dict):
            params = self.params(params, str(raw.get("type")), names)
        return {key: params if key == "params" else node[key] for key in raw}

    def params(
        self, params: Mapping[str, Any], type: str, names: tuple[str, ...]
    ) -> dict[str, Any]:
        """Return the parameters of a node of this type. `names` lead to the node."""
        schema = ResolvedSchema(self._schema_of(type))
        inline = params.get(INLINE) if type == SUB_WORKFLOW else None
        if not isinstance(inline, dict):
            return dict(walk(dict(params), (), names, schema, self._hide))
        own_params = {name: value for name, value in params.items() if name != INLINE}
        hidden = walk(own_params, (), names, schema, self._hide)
        return {
            name: self._file(inline, names) if name == INLINE else hidden[name]
            for name in params
        }

    def _file(self, raw: dict[str, Any], way: tuple[str, ...]) -> dict[str, Any]:
        others = {key: value for key, value in raw.items() if key != "workflow"}
        file = self.value(others, way)
        inner = raw.get("workflow")
        if isinstance(inner, dict):
            inner = self.workflow(inner, way)
        return {key: inner if key == "workflow" else file[key] for key in raw}

    def _hide(
        self, value: Any, place: Path, names: tuple[str, ...], schema: Schema
    ) -> Any:
        if (
            isinstance(value, str)
            and is_address(value, schema)
            and not is_secret(names[-1])
        ):
            return self._in_address(value, place, names)
        if value == "" or not _is_literal(value, schema):
            return value
        reference = self._reference(place, names)
        if schema.get("format") == NAMED_VALUES_FORMAT:
            # The word before a secret in a header, such as Bearer, is no secret.
            scheme = _SCHEME.match(value)
            if scheme is not None:
                return scheme[0] + reference
        return reference

    def _in_address(self, text: str, place: Path, names: tuple[str, ...]) -> str:
        def hide(text: str, name: str) -> str:
            if not text or _PLACEHOLDER.fullmatch(text):
                return text
            return self._reference(place, (*names, name))

        def credentials(match: re.Match[str]) -> str:
            user, password = match.groups()
            if password is None:
                return hide(user, "user")
            return f"{hide(user, 'user')}:{hide(password, 'password')}"

        def parameter(match: re.Match[str]) -> str:
            name = match[1]
            if is_secret(name) or names_secret(name):
                return f"{name}={self._reference(place, (*names, name))}"
            return match[0]

        return _IN_QUERY.sub(parameter, _CREDENTIALS.sub(credentials, text))

    def _reference(self, place: Path, names: tuple[str, ...]) -> str:
        name = _variable(names)
        variable = name
        while variable in self._taken:
            self._numbers[name] += 1
            variable = f"{name}_{self._numbers[name] + 1}"
        self._taken.add(variable)
        self.omitted.append(Omitted(_STEP.join(names), variable))
        self.paths.append(place)
        return f"{{env.{variable}}}"


def _is_literal(value: Any, schema: Schema) -> bool:
    """Return whether a value is written in the document, and is not made of the
    environment or of the message when it is used.
    """
    if not isinstance(value, str):
        return True
    if schema.get("format") not in TEMPLATES:
        return REFERENCE.fullmatch(value) is None
    try:
        return EnvTemplate(value).is_fixed
    except ValueError:
        return True


def _variable(names: tuple[str, ...]) -> str:
    """Return a name of a variable, made of node and field."""
    words = [re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_") for name in names]
    variable = "_".join(filter(None, words))
    if not variable or variable[0].isdigit():
        variable = f"SECRET_{variable}".rstrip("_")
    return variable.upper()
