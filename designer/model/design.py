"""The drawing as one frozen value: the workflow, and where its nodes are.

An edit is a function `Design -> Design`; undo keeps the earlier value. Nothing here
knows Qt.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from designer.model.errors import EditError
from runtime.document.definition import NodeDefinition, WorkflowDefinition

Position = tuple[float, float]
Points = tuple[Position, ...]
Rect = tuple[float, float, float, float]  # x, y, width, height
# Where the canvas ends, because a file may place a node anywhere, and Qt's numbers have
# an end.
FAR = 1e6
_EMPTY: Mapping[str, Any] = MappingProxyType({})


def _empty() -> Mapping[str, Any]:
    return _EMPTY


@dataclass(frozen=True, slots=True)
class Design:
    """A workflow and its layout.

    positions      the top left corner of each node, in logical pixels; a node without one has not been laid out
    dots           the points that a wire runs through, in order, by edge id and wire (`dots.key_of`)
    extra          fields of the file that this version does not know, as they came
    layout_extra   the same of its layout
    """

    workflow: WorkflowDefinition = field(default_factory=WorkflowDefinition)
    positions: Mapping[str, Position] = field(default_factory=_empty)
    extra: Mapping[str, Any] = field(default_factory=_empty)
    layout_extra: Mapping[str, Any] = field(default_factory=_empty)
    dots: Mapping[str, Mapping[str, Points]] = field(default_factory=_empty)


def require_node(design: Design, node_id: str) -> NodeDefinition:
    """Return the node. Raise `EditError` if there is none with this id."""
    node = design.workflow.node(node_id)
    if node is None:
        raise EditError(f"There is no node '{node_id}' any more.", node_id)
    return node
