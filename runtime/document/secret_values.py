"""Secrets in the parameters of a document: which literals are such, and what stands for them where they must not go.

`{env.NAME}` stands for one: templates fill it in when the node runs, and any other parameter gets it when the node is
made. Of types that are not known here, names and addresses tell.
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
    """A value that was left out: `place` says where it stood, `variable` of the environment what takes its place."""

    place: str
    variable: str

    @property
    def is_of_input(self) -> bool:
        """Whether it is of the workflow's input. That is given to a run as it is, so nothing fills it in there."""
        return self.place.split(_STEP)[0] == "input"

    def __str__(self) -> str:
        return f"{self.variable} ({self.place})"


def written_out(
    node: NodeDefinition, info: NodeInfo | None
) -> Iterator[tuple[Path, str]]:
    """The secrets that are written out in the parameters of a node: the place of each, and the variable for it."""
    hiding = Hiding(_schema_of(info))
    hiding.params(
        {key: one for key, one in node.params.items() if key != INLINE},
        node.type,
        (node.id,),
    )
    yield from zip(hiding.paths, (one.variable for one in hiding.omitted), strict=True)


def hidden_params(node: NodeDefinition, info: NodeInfo | None) -> dict[str, Any]:
    """The parameters of a node with references to the environment for its secrets."""
    return Hiding(_schema_of(info)).params(node.params, node.type, (node.id,))


def _schema_of(info: NodeInfo | None) -> SchemaOf:
    return lambda _type: NO_SCHEMA if info is None else info.params_schema


class Hiding:
    """Puts references for secrets, and remembers what they stand for. `taken` are variables that have another value."""

    def __init__(self, schema_of: SchemaOf, taken: Collection[str] = ()) -> None:
        self._schema_of = schema_of
        self._taken = set(taken)
        self._numbers = Counter[str]()
        self.omitted: list[Omitted] = []
        self.paths: list[Path] = []

    def workflow(self, raw: dict[str, Any], way: tuple[str, ...]) -> dict[str, Any]:
        """`way` are the ids of the nodes that it is inside of."""
        nodes = [self._node(node, way) for node in raw.get("nodes", ())]
        rest = {key: one for key, one in raw.items() if key != "nodes"}
        return {**self.value(rest, way), **({"nodes": nodes} if "nodes" in raw else {})}

    def value(self, value: Any, names: tuple[str, ...]) -> Any:
        """A value of which nothing but its names tells what is a secret."""
        return walk(value, (), names, ResolvedSchema(NO_SCHEMA), self._hide)

    def _node(self, raw: Any, way: tuple[str, ...]) -> Any:
        if not isinstance(raw, dict):
            return raw  # of a workflow inside that nobody could read
        names = (*way, str(raw.get("id", "")))
        params = raw.get("params")
        rest = self.value(
            {key: one for key, one in raw.items() if key != "params"}, names
        )
        made: Any = params
        if isinstance(params, dict):
            made = self.params(params, str(raw.get("type")), names)
        return {key: made if key == "params" else rest[key] for key in raw}

    def params(
        self, params: Mapping[str, Any], type: str, names: tuple[str, ...]
    ) -> dict[str, Any]:
        """The parameters of a node of this type; `names` lead to it."""
        schema = ResolvedSchema(self._schema_of(type))
        inline = params.get(INLINE) if type == SUB_WORKFLOW else None
        if not isinstance(inline, dict):
            return dict(walk(dict(params), (), names, schema, self._hide))
        own = {key: one for key, one in params.items() if key != INLINE}
        made = dict(walk(own, (), names, schema, self._hide))
        return {
            key: self._file(inline, names) if key == INLINE else made[key]
            for key in params
        }

    def _file(self, raw: dict[str, Any], way: tuple[str, ...]) -> dict[str, Any]:
        rest = self.value(
            {key: one for key, one in raw.items() if key != "workflow"}, way
        )
        inner = raw.get("workflow")
        made = self.workflow(inner, way) if isinstance(inner, dict) else inner
        return {key: made if key == "workflow" else rest[key] for key in raw}

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
        if schema.get("format") == NAMED_VALUES_FORMAT:
            scheme = _SCHEME.match(value)
        else:
            scheme = None
        return (scheme[0] if scheme else "") + self._reference(place, names)

    def _in_address(self, text: str, place: Path, names: tuple[str, ...]) -> str:
        def credentials(found: re.Match[str]) -> str:
            shown = [
                self._reference(place, (*names, what))
                if text and not _PLACEHOLDER.fullmatch(text)
                else text
                for what, text in (("user", found[1]), ("password", found[2]))
                if text is not None
            ]
            return ":".join(shown)

        def in_query(found: re.Match[str]) -> str:
            secret = is_secret(found[1]) or names_secret(found[1])
            if secret:
                return f"{found[1]}={self._reference(place, (*names, found[1]))}"
            return found[0]

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


def _is_literal(value: Any, schema: Schema) -> bool:
    """Whether it stands there itself, and is not made of the environment or of the message."""
    if not isinstance(value, str):
        return True
    if schema.get("format") not in TEMPLATES:
        return REFERENCE.fullmatch(value) is None
    try:
        return EnvTemplate(value).is_fixed
    except ValueError:
        return True


def _variable(names: tuple[str, ...]) -> str:
    """A name made of node and field."""
    words = "_".join(
        word
        for name in names
        if (word := re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_"))
    )
    return re.sub(r"^(?=[0-9]|$)", "SECRET_", words).rstrip("_").upper()
