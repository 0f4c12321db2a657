"""Reads the graph in the definition part of a checkpoint: of a document, with the files of
its sub-workflows, or of a workflow that was made in code.
"""

from __future__ import annotations

import posixpath
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from runtime.edges.registry import EDGE_KINDS
from runtime.migration.outline import (
    UNKNOWN,
    EdgeOutline,
    ExecutorOutline,
    Outline,
    join_key,
)

SUB_WORKFLOW = "sub_workflow"
# Parameters of a sub-workflow that hold or name the workflow inside.
_CHILD = frozenset({"inline", "file"})
# Fields of a node that say nothing of what it does, or are compared elsewhere.
_NODE_WITHOUT = frozenset({"id", "name", "icon", "description", "params"})
_PAIR_FIELDS = frozenset({"source", "target", "sources", "targets"})


def outline_of(definition: Mapping[str, Any] | None) -> Outline:
    """Return the graph in the definition part of a checkpoint. What cannot be read is
    left out, and `UNKNOWN` stands for a definition without any graph.
    """
    if not isinstance(definition, Mapping):
        return UNKNOWN
    workflow = definition.get("workflow")
    code = _code(definition.get("code"))
    if isinstance(workflow, Mapping):
        files = definition.get("files")
        return _of_document(
            workflow, files if isinstance(files, Mapping) else {}, "", code
        )
    graph = definition.get("graph")
    if isinstance(graph, Mapping):
        return _of_graph(graph, definition.get("reducers"), code)
    return UNKNOWN


def file_key(folder: str, name: str) -> str:
    """Return the key of a sub-workflow's file in a definition part: its path from the
    folder of the outermost document.
    """
    return posixpath.normpath(posixpath.join(folder, name.replace("\\", "/")))


def with_files_inside(definition: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    """Return a definition part in which the workflows of files are written inside the
    nodes that name them, for a comparison that reads no file.
    """
    if not isinstance(definition, Mapping) or not definition.get("files"):
        return definition
    workflow = definition.get("workflow")
    if not isinstance(workflow, Mapping):
        return definition
    expanded = _expanded(workflow, definition["files"], "", 0)
    rest = {key: value for key, value in definition.items() if key != "files"}
    return {**rest, "workflow": expanded}


_MOST_LEVELS = 64


def _expanded(
    workflow: Mapping[str, Any], files: Mapping[str, Any], folder: str, level: int
) -> Mapping[str, Any]:
    nodes = workflow.get("nodes")
    if not isinstance(nodes, Sequence) or level > _MOST_LEVELS:
        return workflow
    return {
        **workflow,
        "nodes": [_expanded_node(node, files, folder, level) for node in nodes],
    }


def _expanded_node(node: Any, files: Mapping[str, Any], folder: str, level: int) -> Any:
    inner, inner_folder, _ = _child(node, files, folder)
    if inner is None:
        return node
    expanded = _expanded(inner, files, inner_folder, level + 1)
    params = {**node["params"], "inline": {"workflow": expanded}}
    return {**node, "params": params}


def _child(
    node: Any, files: Mapping[str, Any], folder: str
) -> tuple[Mapping[str, Any] | None, str, str]:
    """Return the workflow inside a node of a document, its folder, and its file."""
    if not isinstance(node, Mapping) or node.get("type") != SUB_WORKFLOW:
        return None, folder, ""
    params = node.get("params")
    if not isinstance(params, Mapping):
        return None, folder, ""
    inline = params.get("inline")
    if isinstance(inline, Mapping):
        workflow = inline.get("workflow")
        return (workflow if isinstance(workflow, Mapping) else None), folder, ""
    name = params.get("file")
    if not isinstance(name, str) or not name:
        return None, folder, ""
    key = file_key(folder, name)
    workflow = files.get(key)
    inner = workflow if isinstance(workflow, Mapping) else None
    return inner, posixpath.dirname(key), name


# --- documents ----------------------------------------------------------------------------------------------------


def _of_document(
    workflow: Mapping[str, Any],
    files: Mapping[str, Any],
    folder: str,
    code: Mapping[str, str],
    level: int = 0,
) -> Outline:
    executors = {}
    for node in _items(workflow.get("nodes")):
        node_id = str(node.get("id"))
        inner_code = _code_inside(code, node_id)
        executors[node_id] = _node(node, files, folder, inner_code, level)
    edges = {}
    for edge in _items(workflow.get("edges")):
        outline = _drawn_edge(edge)
        if outline is not None:
            edges[outline.id] = outline
    settings = {
        "reducers": dict(workflow.get("reducers") or {}),
        "state_conflicts": workflow.get("state_conflicts") or "error",
    }
    return Outline(
        start=str(workflow.get("start", "")),
        executors=executors,
        edges=edges,
        settings=settings,
        code=_code_here(code),
    )


def _node(
    node: Mapping[str, Any],
    files: Mapping[str, Any],
    folder: str,
    code: Mapping[str, str],
    level: int,
) -> ExecutorOutline:
    params = node.get("params")
    params = dict(params) if isinstance(params, Mapping) else {}
    inner_workflow, inner_folder, file = _child(node, files, folder)
    inner = None
    if inner_workflow is not None and level < _MOST_LEVELS:
        inner = _of_document(inner_workflow, files, inner_folder, code, level + 1)
    wraps = node.get("type") == SUB_WORKFLOW and not node.get("off")
    if wraps:
        params = {key: value for key, value in params.items() if key not in _CHILD}
        params = {key: value for key, value in params.items() if value}
    fields = {
        key: value
        for key, value in node.items()
        if key not in _NODE_WITHOUT and value not in (None, "") and value is not False
    }
    fields |= {f"params.{key}": value for key, value in params.items()}
    return ExecutorOutline(
        id=str(node.get("id")),
        type=str(node.get("type", "")),
        title=str(node.get("name") or ""),
        fields=fields,
        inner=inner if wraps else None,
        file=file if wraps else "",
        wraps=wraps,
    )


def _drawn_edge(edge: Mapping[str, Any]) -> EdgeOutline | None:
    kind = EDGE_KINDS.find(str(edge.get("kind")))
    if kind is None:
        return None
    try:
        definition = kind.definition.model_validate(edge)
    except ValidationError:
        return None
    fields = {
        key: value
        for key, value in edge.items()
        if key not in _PAIR_FIELDS
        and key not in ("id", "kind")
        and value not in ("", 0)
    }
    pairs = tuple(dict.fromkeys(definition.pairs))
    return EdgeOutline(
        id=definition.id,
        kind=kind.name,
        pairs=pairs,
        fields=fields,
        key=join_key(kind.name, pairs) if definition.join is not None else "",
    )


def _items(value: Any) -> list[Mapping[str, Any]]:
    if not isinstance(value, Sequence) or isinstance(value, str):
        return []
    return [item for item in value if isinstance(item, Mapping)]


# --- workflows made in code ---------------------------------------------------------------------------------------


def _of_graph(
    graph: Mapping[str, Any], reducers: Any, code: Mapping[str, str], level: int = 0
) -> Outline:
    executors = {}
    for executor in _items(graph.get("executors")):
        executor_id = str(executor.get("id"))
        inner_graph = executor.get("workflow")
        wraps = isinstance(inner_graph, Mapping)
        inner = None
        if isinstance(inner_graph, Mapping) and level < _MOST_LEVELS:
            inner = _of_graph(inner_graph, None, {}, level + 1)
        fields = {
            key: value
            for key, value in executor.items()
            if key not in ("id", "workflow", "type")
        }
        executors[executor_id] = ExecutorOutline(
            id=executor_id,
            type=str(executor.get("type") or executor.get("class") or ""),
            fields=fields,
            inner=inner,
            wraps=wraps,
        )
    edges = {}
    for group in _items(graph.get("edges")):
        edge = _edge_of_graph(group)
        edges[edge.id] = edge
    settings = {"reducers": dict(reducers or {}), "state_conflicts": "error"}
    return Outline(str(graph.get("start", "")), executors, edges, settings, dict(code))


def _edge_of_graph(group: Mapping[str, Any]) -> EdgeOutline:
    kind = str(group.get("kind"))
    raw_pairs = group.get("pairs")
    pairs = tuple(
        (str(pair[0]), str(pair[1]))
        for pair in (raw_pairs if isinstance(raw_pairs, Sequence) else ())
        if isinstance(pair, Sequence) and len(pair) == 2
    )
    known = EDGE_KINDS.find(kind)
    holds = known is not None and known.group.is_join
    return EdgeOutline(
        id=str(group.get("id")),
        kind=kind,
        pairs=pairs,
        fields={
            key: value
            for key, value in group.items()
            if key not in ("id", "kind", "pairs")
        },
        key=join_key(kind, pairs) if holds else "",
    )


# --- what Python code is known by ---------------------------------------------------------------------------------


def _code(value: Any) -> dict[str, str]:
    if not isinstance(value, Mapping):
        return {}
    return {str(key): str(text) for key, text in value.items()}


def _code_inside(code: Mapping[str, str], node_id: str) -> dict[str, str]:
    prefix = f"{node_id}/"
    return {
        key.removeprefix(prefix): text
        for key, text in code.items()
        if key.startswith(prefix)
    }


def _code_here(code: Mapping[str, str]) -> dict[str, str]:
    return {key: text for key, text in code.items() if "/" not in key}
