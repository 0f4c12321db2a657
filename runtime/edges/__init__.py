"""The kinds of edges: how messages go from executor to executor.

Each kind has a folder in `kinds`: `group.py` is the engine's rule, `definition.py` the
model in a document. A new kind is a folder there and an entry in `EDGE_KINDS`
(`runtime.edges.registry`). What several kinds share stands beside that folder.
"""

from __future__ import annotations

from runtime.edges.base import Edge, EdgeCondition, EdgeGroup
from runtime.edges.kinds.direct.group import SingleEdgeGroup
from runtime.edges.kinds.fan_in.group import FanInEdgeGroup
from runtime.edges.kinds.fan_out.group import FanOutEdgeGroup
from runtime.edges.kinds.multi_selection.group import MultiSelectionEdgeGroup
from runtime.edges.kinds.on_error.group import OnErrorEdgeGroup
from runtime.edges.kinds.switch.group import (
    Case,
    Default,
    SwitchCaseEdgeGroup,
    SwitchCaseEdgeGroupCase,
    SwitchCaseEdgeGroupDefault,
)
from runtime.edges.registry import EDGE_KINDS, EdgeKind

__all__ = [
    "EDGE_KINDS",
    "Case",
    "Default",
    "Edge",
    "EdgeCondition",
    "EdgeGroup",
    "EdgeKind",
    "FanInEdgeGroup",
    "FanOutEdgeGroup",
    "MultiSelectionEdgeGroup",
    "OnErrorEdgeGroup",
    "SingleEdgeGroup",
    "SwitchCaseEdgeGroup",
    "SwitchCaseEdgeGroupCase",
    "SwitchCaseEdgeGroupDefault",
]
