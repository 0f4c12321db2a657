"""A workflow without its literal secrets, for everything that leaves the document."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from runtime.document.definition import NodeInfo, WorkflowDefinition
from runtime.document.secret_places import NO_SCHEMA, REFERENCE, Schema, texts
from runtime.document.secret_values import Hiding, Omitted


def without_secrets(
    workflow: WorkflowDefinition, infos: Mapping[str, NodeInfo] | None = None
) -> tuple[WorkflowDefinition, tuple[Omitted, ...]]:
    """The workflow with a reference to the environment for every secret that is written
    out in it, in workflows inside of its nodes too, and what was left out. The very
    same workflow where there is none.

    `infos` are the known node types by name; of those that are not ours, names alone
    tell without them.
    """
    raw = workflow.model_dump()
    # A variable that the workflow names already has a value of its own.
    taken = {name for text in texts(raw) for name in REFERENCE.findall(text)}
    hiding = Hiding(lambda name: _schema(name, infos or {}), taken)
    hidden = hiding.workflow(raw, ())
    if hiding.omitted:
        return (WorkflowDefinition.model_validate(hidden), tuple(hiding.omitted))
    return (workflow, ())


def extra_without_secrets(
    extra: Mapping[str, Any],
) -> tuple[dict[str, Any], tuple[Omitted, ...]]:
    """The same of what else a file has, whose meaning only its writer knows."""
    hiding = Hiding(lambda _type: NO_SCHEMA)
    return hiding.value(dict(extra), ()), tuple(hiding.omitted)


def _schema(type: str, infos: Mapping[str, NodeInfo]) -> Schema:
    return infos[type].params_schema if type in infos else _built_in(type)


@cache
def _built_in(type: str) -> Schema:
    """Return the built-in node types, which a caller may not have loaded yet."""
    from runtime.nodes import BUILT_IN
    from runtime.nodes.base import schema_of

    return next(
        (
            schema_of(node_type.params)
            for node_type in BUILT_IN
            if node_type.type == type
        ),
        NO_SCHEMA,
    )
