"""The graph that a workflow made in code leaves in its checkpoints, as a definition
that can be drawn.

It cannot be built or run: its node types are names of classes, and its conditions are
names of functions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from runtime.document.definition import FILE_FORMAT
from runtime.document.sub_workflows import INLINE, SUB_WORKFLOW
from runtime.edges.registry import EDGE_KINDS
from runtime.expressions.cel import PYTHON_PREFIX

_TEXT = "text:"  # how a signature writes a condition that is a text


def drawn_definition(graph: Any) -> dict[str, Any] | None:
    """Return a `WorkflowDefinition` as JSON value; None for anything but a graph
    of `runtime.graph.signature`.
    """
    try:
        return {
            "name": "workflow",
            "start": str(graph["start"]),
            "nodes": [_node(executor) for executor in graph["executors"]],
            "edges": [edge for group in graph["edges"] for edge in _edges(group)],
        }
    except (TypeError, LookupError, ValueError, AttributeError):
        return None


def _node(executor: Mapping[str, Any]) -> dict[str, Any]:
    """Return an executor as a node; one that runs a workflow has its drawing inside."""
    id_ = str(executor["id"])
    inner = drawn_definition(executor.get("workflow"))
    if inner is None:
        return {"id": id_, "type": str(executor.get("type") or "executor")}
    inline = {"format": FILE_FORMAT, "workflow": inner}
    return {"id": id_, "type": SUB_WORKFLOW, "params": {INLINE: inline}}


def edge_fields(group: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the fields of the document's edge for an edge group of the graph; None for
    a kind that is not known here.
    """
    kind = EDGE_KINDS.find(str(group["kind"]))
    if kind is None:
        return None
    fields = kind.definition.fields_of_signature(pairs_of(group), group, _words)
    return {"id": str(group["id"]), "kind": kind.name, **fields}


def pairs_of(group: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the source -> target pairs of an edge group of the graph."""
    return [(str(source), str(target)) for source, target in group["pairs"]]


def _edges(group: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    fields = edge_fields(group)
    if fields is not None:
        yield fields
        return
    for number, (source, target) in enumerate(pairs_of(group)):
        yield {
            "id": f"{group['id']}/{number}",
            "kind": "direct",
            "source": source,
            "target": target,
        }


def _words(condition: Any) -> str:
    """Return CEL as it is, and a function by its name without the digest of its
    source.
    """
    if not isinstance(condition, str) or not condition:
        return ""
    if condition.startswith(_TEXT):
        return condition.removeprefix(_TEXT)
    return f"{PYTHON_PREFIX}{condition.rpartition(':')[0]}"
