"""The executors of a workflow as the board lists them, read from the definition that a
checkpoint carries.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from designer.model.icons import NODE_ICONS, OTHERWISE
from runtime.document.definition import NodeInfo
from runtime.document.sub_workflows import SUB_WORKFLOW


class OutlineNode(NamedTuple):
    """`inside` is the definition of a sub-workflow, as far as it is known."""

    id: str
    title: str
    icon: str
    is_sub_workflow: bool
    inside: Mapping[str, Any]


def outline(
    definition: Mapping[str, Any], infos: Mapping[str, NodeInfo]
) -> Iterator[OutlineNode]:
    """Yield the nodes of a definition. It comes from a store, which may hold anything,
    so each thing in it is checked.
    """
    nodes = definition.get("nodes")
    for node in nodes if isinstance(nodes, list | tuple) else ():
        if not isinstance(node, Mapping) or not isinstance(node.get("id"), str):
            continue
        node_id = str(node["id"])
        kind = str(node.get("type") or "")
        info = infos.get(kind)
        icon = info.icon if info is not None else OTHERWISE
        if node.get("icon") in NODE_ICONS:
            icon = str(node["icon"])
        yield OutlineNode(
            node_id,
            str(node.get("name") or node_id),
            icon,
            kind == SUB_WORKFLOW,
            _inside(node),
        )


def _inside(node: Mapping[str, Any]) -> Mapping[str, Any]:
    params = node.get("params")
    inline = params.get("inline") if isinstance(params, Mapping) else None
    workflow = inline.get("workflow") if isinstance(inline, Mapping) else None
    return workflow if isinstance(workflow, Mapping) else {}
