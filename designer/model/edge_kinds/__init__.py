"""The kinds of edge groups, as the window knows them. A new kind is a file here and a
line in `register`'s loop.
"""

from __future__ import annotations

from typing import Any

from designer.model.edge_kinds.base import (
    ANY,
    KINDS,
    EdgeKind,
    PlainWay,
    Repair,
    Side,
    Way,
    kind_of,
    read_edge,
)
from designer.model.edge_kinds.direct import DIRECT
from designer.model.edge_kinds.fan_in import FAN_IN
from designer.model.edge_kinds.fan_out import FAN_OUT
from designer.model.edge_kinds.multi_selection import MULTI_SELECTION
from designer.model.edge_kinds.on_error import ON_ERROR
from designer.model.edge_kinds.switch import SWITCH


def register(kind: EdgeKind[Any]) -> None:
    """Let the window know a kind of edge groups."""
    KINDS[kind.kind] = kind


for _kind in (DIRECT, FAN_OUT, FAN_IN, MULTI_SELECTION, SWITCH, ON_ERROR):
    register(_kind)

__all__ = [
    "ANY",
    "KINDS",
    "EdgeKind",
    "PlainWay",
    "Repair",
    "Side",
    "Way",
    "kind_of",
    "read_edge",
    "register",
]
