"""Nodes that are switched off: what they mean, as a plain definition in which nothing is off any more.

`disabled`: the node takes every message and sends nothing, and no join waits for it. `bypassed`: it sends every message
on as it came. The graph stays as it is drawn, so that what can be built with all nodes on can be built with any off.
"""

from __future__ import annotations

from collections.abc import Mapping

from runtime.document.definition import (
    NodeDefinition,
    NodeInfo,
    WorkflowDefinition,
)

# The types that stand in for whatever type the node has; `runtime.loader.stand_ins` has their executors. No palette
# shows
# them, and the dot keeps them apart from the types of packages and folders, which are named like Python.
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
    """The workflow that is run and judged: a node that is off has the type that stands in for its own, and no
    parameters. Where no node is off, it is the very definition that was given.
    """
    if not any(node.off for node in definition.nodes):
        return definition
    nodes = tuple(_effective(node) if node.off else node for node in definition.nodes)
    return definition.model_copy(update={"nodes": nodes})


def _effective(node: NodeDefinition) -> NodeDefinition:
    return node.model_copy(update={"type": _TYPES[node.off], "params": {}, "off": ""})


def known_infos(infos: Mapping[str, NodeInfo]) -> Mapping[str, NodeInfo]:
    """Node types by name, those included that `effective` puts in."""
    return {**infos, **_INFOS}


def disabled_ids(definition: WorkflowDefinition) -> frozenset[str]:
    """The nodes that send nothing, before `effective` and after."""
    return frozenset(
        [
            node.id
            for node in definition.nodes
            if node.off == "disabled" or node.type == DISABLED
        ]
    )


def live(definition: WorkflowDefinition) -> WorkflowDefinition:
    """The workflow without the ways on which no message comes: those out of disabled nodes. For checks, not for a run:
    a join may be left with one source, and what is behind such a node stands alone.
    """
    silent = disabled_ids(definition)
    if not silent:
        return definition
    edges = [edge.without_sources(silent) for edge in definition.edges]
    return definition.model_copy(update={"edges": tuple(filter(None, edges))})
