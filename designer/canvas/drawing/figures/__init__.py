"""The figures of edge groups on the canvas: a file and a line in `FIGURES` per kind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from designer.canvas.drawing import routes
from designer.canvas.drawing.figures.base import (
    ANY_WAY,
    HUB_REACH,
    MARGIN,
    NO_DOTS,
    TAG_H,
    Draft,
    EdgeFigure,
    Figure,
    HubState,
    PlainWires,
    Tag,
    Wire,
    label_area,
)
from designer.canvas.drawing.figures.direct import DirectFigure
from designer.canvas.drawing.figures.fan_in import FanInFigure, bar
from designer.canvas.drawing.figures.fan_out import FanOutFigure
from designer.canvas.drawing.figures.multi_selection import MultiSelectionFigure
from designer.canvas.drawing.figures.on_error import OnErrorFigure, error_port
from designer.canvas.drawing.figures.switch import (
    TAG_AT,
    TAG_STEP,
    SwitchFigure,
    tag_levels,
)
from designer.canvas.drawing.geometry import Box, Topology
from designer.model.design import Points
from runtime.document.definition import EdgeDefinition

# By the word that a document has for the kind.
FIGURES: dict[str, EdgeFigure[Any]] = {
    "direct": DirectFigure(),
    "fan_out": FanOutFigure(),
    "fan_in": FanInFigure(),
    "switch": SwitchFigure(),
    "multi_selection": MultiSelectionFigure(),
    "on_error": OnErrorFigure(),
}
_UNKNOWN = PlainWires()


def look_of(kind: str) -> EdgeFigure[Any]:
    """Return how a kind is painted; one that the window does not know, as plain wires."""
    return FIGURES.get(kind, _UNKNOWN)


def figure_of(
    edge: EdgeDefinition,
    boxes: Mapping[str, Box],
    topology: Topology,
    obstacles: routes.Obstacles | None = None,
    dots: Mapping[str, Points] = NO_DOTS,
) -> Figure | None:
    """Return the figure of a group; None when none of its ends are in the drawing.

    `obstacles` knows the nodes that wires run round; `dots` are those of the edge, by
    wire.
    """
    draft = Draft(edge, boxes, topology, obstacles, dots)
    return look_of(edge.kind).figure(draft, edge)


__all__ = [
    "ANY_WAY",
    "FIGURES",
    "HUB_REACH",
    "MARGIN",
    "TAG_AT",
    "TAG_H",
    "TAG_STEP",
    "Draft",
    "EdgeFigure",
    "Figure",
    "HubState",
    "Tag",
    "Wire",
    "bar",
    "error_port",
    "figure_of",
    "label_area",
    "look_of",
    "tag_levels",
]
