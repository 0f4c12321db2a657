"""Checks of nodes against their types: known types, valid parameters, fitting messages
along the edges.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from runtime.checks.rules import Severity, problem
from runtime.document.definition import (
    Infos,
    NodeDefinition,
    NodeInfo,
    WorkflowDefinition,
)
from runtime.document.disabled import BYPASSED, DISABLED
from runtime.document.problem import Problem
from runtime.document.secret_values import written_out
from runtime.document.sub_workflows import info_of
from runtime.edges.arcs import Arc
from runtime.edges.definition import EdgeDefinition
from runtime.expressions.json_schemas import validator_of
from runtime.expressions.text_formats import CHECKS, RAISED

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import ValidationError


def check_nodes(
    definition: WorkflowDefinition, infos: Infos, folder: Path | str | None = None
) -> Iterator[Problem]:
    """Yield the problems of all nodes and of the types along all edges."""
    validators: dict[str, Draft202012Validator] = {}
    for node in definition.nodes:
        info = infos.get(node.type)
        if info is None:
            yield _unknown_type(node)
            continue
        if node.type not in validators:
            validators[node.type] = _validator(info)
        faults = list(_params(node, info, validators[node.type]))
        yield from faults
        yield from _secrets(node, info, {fault.part for fault in faults})
    known = {
        node.id: info
        for node in definition.nodes
        if (info := info_of(node, infos, folder)) is not None
    }
    passing = _through_bypassed(definition, known)
    for edge in definition.edges:
        yield from _types(edge, definition, passing)


def secrets_of_disabled(
    definition: WorkflowDefinition, infos: Infos
) -> Iterator[Problem]:
    """Yield secrets of disabled nodes: they do not run, but the document is passed
    on all the same.
    """
    for node in definition.nodes:
        if node.off and node.type in infos:
            yield from _secrets(node, infos[node.type], ())


def _unknown_type(node: NodeDefinition) -> Problem:
    return problem(
        "node-type-known", "unknown", node.id, "type", node=node.title, type=node.type
    )


# --- parameters ---------------------------------------------------------------------------------------------------


def _validator(info: NodeInfo) -> Draft202012Validator:
    from jsonschema import FormatChecker

    formats = FormatChecker(())
    for name, check in CHECKS.items():
        formats.checkers[name] = (check, RAISED)
    return validator_of(info.params_schema, formats)


def _params(
    node: NodeDefinition, info: NodeInfo, validator: Draft202012Validator
) -> Iterator[Problem]:
    try:
        errors = sorted(
            validator.iter_errors(node.params),
            key=lambda error: list(map(str, error.absolute_path)),
        )
    except RecursionError:
        yield problem("params-valid", "deep", node.id, "params", node=node.title)
        return
    for error in errors:
        for names, text in _sentences(error, info):
            yield problem(
                "params-valid",
                "wrong",
                node.id,
                _part((*error.absolute_path, *names)),
                line=getattr(error.cause, "line", 0),
                column=getattr(error.cause, "column", 0),
                node=node.title,
                reason=text,
            )


def _secrets(
    node: NodeDefinition, info: NodeInfo, faulty: Collection[str]
) -> Iterator[Problem]:
    """Yield secrets in the document, where the type of the node allows them."""
    for place, variable in written_out(node, info):
        part = _part(place)
        if not any(part.startswith(fault) for fault in faulty):
            yield problem(
                "secret-written-out",
                "literal",
                node.id,
                part,
                node=node.title,
                field=place[-1] if place else "",
                variable=variable,
            )


def _part(place: Iterable[str | int]) -> str:
    return "params" + "".join(
        f"[{step}]" if isinstance(step, int) else f".{step}" for step in place
    )


def _sentences(
    error: ValidationError, info: NodeInfo
) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield what is wrong, in words, each with the rest of the way to it."""
    limit: Any = error.validator_value
    value: Any = error.instance
    schema: Any = error.schema
    if error.validator == "required":
        yield from (
            ((name,), f"{_title(schema, name)} is missing")
            for name in limit
            if name not in value
        )
    elif error.validator == "additionalProperties" and limit is False:
        unknown = [name for name in value if name not in schema.get("properties", {})]
        yield from (
            ((name,), f"{info.title} has no parameter '{name}'") for name in unknown
        )
    elif (
        field := getattr(error.cause, "field", "")
    ) != "":  # of two parameters that do not go together
        yield (field,), f"{_title(schema, field)}: {str(error.cause).rstrip('.')}"
    else:
        write = _SENTENCES.get(str(error.validator), _any_sentence)
        yield (), f"{_title_here(error)} {write(error, limit)}"


def _title(schema: Any, name: str) -> str:
    return str(schema.get("properties", {}).get(name, {}).get("title", name))


def _title_here(error: ValidationError) -> str:
    schema: Any = error.schema
    return str(
        schema.get("title")
        or " ".join(map(str, error.absolute_path))
        or "The parameters"
    )


def _any_sentence(error: ValidationError, _: Any) -> str:
    return f"is not valid: {error.message}"


def _format_sentence(error: ValidationError, _: Any) -> str:
    return f"is malformed: {str(error.cause).rstrip('.')}"


_TYPE_WORDS = {
    "string": "a text",
    "number": "a number",
    "integer": "a whole number",
    "boolean": "true or false",
    "array": "a list",
    "object": "a map",
    "null": "empty",
}
_SENTENCES: dict[str, Callable[[ValidationError, Any], str]] = {
    "type": lambda _, kind: (
        f"must be {_TYPE_WORDS.get(kind, kind) if isinstance(kind, str) else ' or '.join(kind)}"
    ),
    "enum": lambda _, values: f"must be one of {', '.join(map(str, values))}",
    "pattern": lambda error, _: f"does not have the right form: '{error.instance}'",
    "minimum": lambda _, least: f"must be at least {least}",
    "maximum": lambda _, most: f"must be at most {most}",
    "format": _format_sentence,
}


# --- types along edges --------------------------------------------------------------------------------------------


def _through_bypassed(definition: WorkflowDefinition, known: Infos) -> Infos:
    """Return the infos in which a bypassed node sends what the nodes before it
    send. What is unknown, or goes in circles, may be anything.
    """
    bypassed = [
        node_id
        for node_id, info in known.items()
        if info.type == BYPASSED and node_id != definition.start
    ]
    if not bypassed:
        return known
    # The arcs into each bypassed node along which something can come.
    into: dict[str, list[Arc]] = {node_id: [] for node_id in bypassed}
    after: dict[str, list[str]] = {}
    for edge in definition.edges:
        for arc in edge.arcs():
            source = known.get(arc.source)
            is_silent = source is not None and source.type == DISABLED
            if arc.target in into and not is_silent:
                into[arc.target].append(arc)
                after.setdefault(arc.source, []).append(arc.target)
    sent = {
        node_id: info.outputs for node_id, info in known.items() if node_id not in into
    }
    waiting = [node_id for node_id in bypassed if into[node_id]]
    while waiting:
        node_id = waiting.pop()
        if node_id in sent:
            continue
        types = _types_into(into[node_id], sent)
        if types is None:
            continue
        sent[node_id] = types
        waiting += after.get(node_id, ())
    changed = {
        node_id: known[node_id].model_copy(update={"outputs": sent[node_id]})
        for node_id in bypassed
        if node_id in sent
    }
    return {**known, **changed}


def _types_into(
    arcs: Iterable[Arc], sent: Mapping[str, tuple[str, ...]]
) -> tuple[str, ...] | None:
    """Return the types that arcs bring to a node; None where those of a source are not
    known yet.
    """
    types: list[str] = []
    for arc in arcs:
        if arc.source not in sent and not arc.edge.carries_failures:
            return None
        types += arc.edge.types_along(sent.get(arc.source, ()))
    return tuple(dict.fromkeys(types))


def _types(
    edge: EdgeDefinition, definition: WorkflowDefinition, known: Infos
) -> Iterator[Problem]:
    for source, target in edge.pairs:
        if source not in known or target not in known or known[source].type == DISABLED:
            continue
        sent = edge.types_along(known[source].outputs)
        taken = known[target].inputs
        if not any(_fits(sent_type, other) for sent_type in sent for other in taken):
            yield _mismatch(
                edge, definition.node(source), definition.node(target), sent, taken
            )


def _mismatch(
    edge: EdgeDefinition,
    source: NodeDefinition | None,
    target: NodeDefinition | None,
    sent: tuple[str, ...],
    taken: tuple[str, ...],
) -> Problem:
    assert source is not None  # noqa: S101 - both are among the nodes that are known
    assert target is not None  # noqa: S101
    severity: Severity | None = None
    if not sent:
        name = "silent"
    elif not taken:
        name = "input"
    else:
        name = "list" if target.type in ("collect", "merge") else "other"
        if source.type == BYPASSED:
            # It takes and sends anything, so the workflow is built and the message is
            # dropped.
            severity = "warning"
    return problem(
        "types-fit",
        name,
        edge.id,
        severity=severity,
        source=source.title,
        target=target.title,
        sent=" or ".join(sent),
        taken=" or ".join(taken),
    )


_GENERIC = re.compile(r"^(\w+)\[(.*)\]$")


def _fits(sent: str, taken: str) -> bool:
    """Whether a value of the one type may be one of the other, by their names."""
    if "Any" in (sent, taken) or sent == taken or (sent, taken) == ("bool", "int"):
        return True
    sent_match = _GENERIC.match(sent)
    taken_match = _GENERIC.match(taken)
    sent_name = sent_match[1] if sent_match else sent
    taken_name = taken_match[1] if taken_match else taken
    if sent_name != taken_name:
        return False
    if sent_match is None or taken_match is None:
        return True
    inner = _arguments(sent_match[2])
    outer = _arguments(taken_match[2])
    return len(inner) == len(outer) and all(map(_fits, inner, outer))


def _arguments(text: str) -> list[str]:
    """Split `str, list[int, str]` at the commas outside of brackets."""
    parts = [""]
    depth = 0
    for character in text:
        depth += (character == "[") - (character == "]")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts]
