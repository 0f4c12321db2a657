"""The kinds of edges. A new one is a file here and a line in `EDGE_KINDS`."""

from __future__ import annotations

from runtime.edges.base import Edge, EdgeCondition, EdgeGroup
from runtime.edges.direct import SingleEdgeGroup
from runtime.edges.fan_in import FanInEdgeGroup
from runtime.edges.fan_out import FanOutEdgeGroup
from runtime.edges.multi_selection import MultiSelectionEdgeGroup
from runtime.edges.on_error import OnErrorEdgeGroup
from runtime.edges.switch import (
    Case,
    Default,
    SwitchCaseEdgeGroup,
    SwitchCaseEdgeGroupCase,
    SwitchCaseEdgeGroupDefault,
)

EDGE_KINDS: dict[str, type[EdgeGroup]] = {
    kind.kind: kind
    for kind in (
        SingleEdgeGroup,
        FanOutEdgeGroup,
        FanInEdgeGroup,
        SwitchCaseEdgeGroup,
        MultiSelectionEdgeGroup,
        OnErrorEdgeGroup,
    )
}

__all__ = [
    "EDGE_KINDS",
    "Case",
    "Default",
    "Edge",
    "EdgeCondition",
    "EdgeGroup",
    "FanInEdgeGroup",
    "FanOutEdgeGroup",
    "MultiSelectionEdgeGroup",
    "OnErrorEdgeGroup",
    "SingleEdgeGroup",
    "SwitchCaseEdgeGroup",
    "SwitchCaseEdgeGroupCase",
    "SwitchCaseEdgeGroupDefault",
]
