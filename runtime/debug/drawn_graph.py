"""The graph that a workflow made in code leaves in its checkpoints, as a definition to be drawn.

It cannot be built or run: its node types are the names of classes, and a condition is the name of a function.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from runtime.expressions.cel import PYTHON_PREFIX

_TEXT = "text:"  # how a signature writes a condition that is a text


def drawn_definition(graph: Any) -> dict[str, Any] | None:
    """A `WorkflowDefinition` as JSON value; None for what is no graph of `runtime.graph.signature`."""
    try:
        return {
            "name": "workflow",
            "start": str(graph["start"]),
            "nodes": [
                {"id": str(one["id"]), "type": str(one.get("type") or "executor")}
                for one in graph["executors"]
            ],
            "edges": [edge for group in graph["edges"] for edge in _edges(group)],
        }
    except (TypeError, LookupError, ValueError, AttributeError):
        return None


def _edges(group: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The edge group of a definition; of a kind that is not known here, an edge for each pair."""
    edge_id = str(group["id"])
    kind = group["kind"]
    pairs = [(str(source), str(target)) for source, target in group["pairs"]]
    source = pairs[0][0]
    targets = [target for _, target in pairs]
    known = {"id": edge_id, "kind": kind}
    match kind:
        case "direct" | "on_error":
            yield {
                **known,
                "source": source,
                "target": targets[0],
                "condition": _words(group.get("condition")),
            }
        case "fan_out" if "selection" not in group:
            yield {**known, "source": source, "targets": targets}
        case "fan_out" | "multi_selection":
            when = _words(group.get("selection"))
            selections = [{"target": target, "when": when} for target in targets]
            yield {
                **known,
                "kind": "multi_selection",
                "source": source,
                "selections": selections,
            }
        case "fan_in":
            rule = {
                "policy": str(group.get("policy", "all")),
                "count": int(group.get("count", 0)),
            }
            yield {
                **known,
                "sources": [source for source, _ in pairs],
                "target": targets[0],
                **rule,
            }
        case "switch":
            cases = [
                {"when": _words(case["when"]), "target": str(case["target"])}
                for case in group["cases"]
            ]
            yield {
                **known,
                "source": source,
                "cases": cases,
                "default": str(group["default"]),
            }
        case _:
            for at, target in enumerate(targets):
                yield {
                    "id": f"{edge_id}/{at}",
                    "kind": "direct",
                    "source": pairs[at][0],
                    "target": target,
                }


def _words(condition: Any) -> str:
    """CEL as it is; a function by its name, without the digest of its source."""
    if not isinstance(condition, str) or not condition:
        return ""
    if condition.startswith(_TEXT):
        return condition.removeprefix(_TEXT)
    return f"{PYTHON_PREFIX}{condition.rpartition(':')[0]}"
