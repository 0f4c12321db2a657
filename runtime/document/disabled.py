"""Nodes that are switched off, and the workflow that then runs.

A disabled node takes every message and sends nothing, and no join waits for it. A
bypassed node sends every message on as it came. The graph keeps its shape, so that a
workflow that can be built with all nodes on can be built with any of them off.
"""

from __future__ import annotations

from collections.abc import Mapping

from runtime.document.definition import (
    NodeDefinition,
    NodeInfo,
    WorkflowDefinition,
)

# The types that replace the type of a node that is off; `runtime.loader.stand_ins` has
# their executors. The palette does not show them. The dot keeps them apart from types
# of packages and folders, which are named like Python modules.
DISABLED = "stepwell.disabled"
BYPASSED = "stepwell.bypassed"
_TYPES = {"disabled": DISABLED, "bypassed": BYPASSED}
_INFOS = {
    DISABLED: NodeInfo(type=DISABLED, title="Disabled", category="", icon="box"),
    BYPASSED: NodeInfo(
        type=BYPASSED,
        title="Bypassed",
        category="",
        icon="box",
        always_sends=True,
        passes_on=True,
        sink=False,
    ),
}


def effective(definition: WorkflowDefinition) -> WorkflowDefinition:
    """Return the workflow that is checked and run: a node that is off has a type that
    replaces its own, and no parameters. Without such nodes it is the same object.
    """
    if not any(node.off for node in definition.nodes):
        return definition
    nodes = tuple(_effective(node) if node.off else node for node in definition.nodes)
    return definition.model_copy(update={"nodes": nodes})


def _effective(node: NodeDefinition) -> NodeDefinition:
    return node.model_copy(update={"type": _TYPES[node.off], "params": {}, "off": ""})


def known_infos(infos: Mapping[str, NodeInfo]) -> Mapping[str, NodeInfo]:
    """Return the node types with those that `effective` puts in."""
    return {**infos, **_INFOS}


def disabled_ids(definition: WorkflowDefinition) -> frozenset[str]:
    """Return the nodes that send nothing, for a workflow before or after `effective`."""
    return frozenset(
        [
            node.id
            for node in definition.nodes
            if node.off == "disabled" or node.type == DISABLED
        ]
    )


def live(definition: WorkflowDefinition) -> WorkflowDefinition:
    """Return the workflow without the edges out of disabled nodes.

    It is for checks and cannot be run, because a join may be left with one source and
    the nodes behind a disabled one are no longer connected.
    """
    silent = disabled_ids(definition)
    if not silent:
        return definition
    edges = [edge.without_sources(silent) for edge in definition.edges]
    return definition.model_copy(update={"edges": tuple(filter(None, edges))})
