"""Where the nodes of a design are, and how its edge groups are connected: pure
functions.

`boxes` depends on positions, `topology` only on the workflow, so that a move never
computes it again.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import cast

from PySide6.QtCore import QPointF, QRectF

from designer.canvas.drawing.style import text_width
from designer.model.design import FAR, Position, Rect
from designer.model.edge_kinds import kind_of
from designer.model.names import one_line
from runtime.document.definition import (
    EdgeDefinition,
    NodeDefinition,
    NodeInfo,
    WorkflowDefinition,
)
from runtime.document.graph import graph_of
from runtime.document.sub_workflows import info_of

NODE_W = 168.0
NODE_H = 60.0
NODE_MAX = 248.0
TEXT_X = 36.0
PAD = 10.0
DIAMOND = 44.0
LABEL_MAX = 200.0
PARALLEL = 14.0
# What covers more cells than CELLS_MOST counts as everywhere.
CELL = 512.0
CELLS_MOST = 4096
SNAP = 8  # px between two lines of the grid that things snap to
Pair = tuple[str, str]
_Cell = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Box:
    """Where a node is. `takes` and `gives` say whether it has a port at its left and
    right; `label` is the width of the title beside a diamond.
    """

    id: str
    rect: QRectF
    diamond: bool = False
    takes: bool = True
    gives: bool = True
    label: float = 0.0

    def shifted(self, dx: float, dy: float) -> Box:
        return Box(
            self.id,
            self.rect.translated(dx, dy),
            self.diamond,
            self.takes,
            self.gives,
            self.label,
        )

    @property
    def inlet(self) -> QPointF:
        return QPointF(self.rect.left(), self.rect.center().y())

    @property
    def outlet(self) -> QPointF:
        return QPointF(self.rect.right(), self.rect.center().y())

    @property
    def tip(self) -> QPointF:
        """Where the tip of an arrow into this node is."""
        return QPointF(
            self.rect.left() - (1 if self.diamond else 5), self.rect.center().y()
        )


def sides(rect: QRectF) -> tuple[float, float, float, float]:
    """Return left, top, right and bottom by one call of Qt."""
    return cast("tuple[float, float, float, float]", rect.getCoords())


def around(rects: Collection[QRectF], margin: float = 0.0) -> QRectF:
    """Return the rectangle of all without their margins, or a null one of none."""
    if not rects:
        return QRectF()
    lefts, tops, rights, bottoms = zip(*map(sides, rects), strict=True)
    corner = QPointF(min(lefts) + margin, min(tops) + margin)
    return QRectF(corner, QPointF(max(rights) - margin, max(bottoms) - margin))


def rect_of(rect: QRectF) -> Rect:
    return rect.x(), rect.y(), rect.width(), rect.height()


def on_grid(x: float, y: float) -> Position:
    return round(x / SNAP) * SNAP, round(y / SNAP) * SNAP


def node_size(node: NodeDefinition, info: NodeInfo | None) -> tuple[float, float]:
    """Return width and height in logical pixels: 168 x 60, or wider, in steps of 8 up
    to 248, when the title needs it.
    """
    if info is not None and info.figure == "diamond":
        return DIAMOND, DIAMOND
    need = TEXT_X + text_width(one_line(node.title)) + PAD - 1
    return min(NODE_MAX, max(NODE_W, math.ceil(need / 8) * 8.0)), NODE_H


def drawn_at(position: Position) -> tuple[int, int]:
    """Return the corner of a node on the canvas, in whole pixels."""
    x, y = position
    return round(min(max(x, -FAR), FAR)), round(min(max(y, -FAR), FAR))


def node_box(node: NodeDefinition, info: NodeInfo | None, position: Position) -> Box:
    width, height = node_size(node, info)
    x, y = drawn_at(position)
    rect = QRectF(x, y, width, height)
    if info is None:
        return Box(node.id, rect)
    if info.figure == "diamond":
        label = min(text_width(one_line(node.title), "title"), LABEL_MAX)
    else:
        label = 0.0
    return Box(
        node.id,
        rect,
        info.figure == "diamond",
        bool(info.inputs),
        bool(info.outputs),
        label,
    )


def boxes(
    workflow: WorkflowDefinition,
    positions: Mapping[str, Position],
    infos: Mapping[str, NodeInfo],
) -> dict[str, Box]:
    """Return a box for every node; one without a position is at the origin."""
    return {
        node.id: node_box(
            node, info_of(node, infos), positions.get(node.id, (0.0, 0.0))
        )
        for node in workflow.nodes
    }


@dataclass(frozen=True)
class Topology:
    """What the figures have to know about the whole workflow.

    touching   edges at a node
    bows       how far a parallel direct edge is lifted, by edge
    ranks      n-th join into its target, or n-th branching group of its source, by edge
    back       pairs that close a loop
    switches   the first switch that starts at a node
    ends       the nodes at an edge
    """

    edges: Mapping[str, EdgeDefinition] = field(default_factory=dict)
    touching: Mapping[str, frozenset[str]] = field(default_factory=dict)
    bows: Mapping[str, float] = field(default_factory=dict)
    ranks: Mapping[str, int] = field(default_factory=dict)
    back: frozenset[Pair] = frozenset()
    switches: Mapping[str, str] = field(default_factory=dict)
    ends: Mapping[str, frozenset[str]] = field(default_factory=dict)


def topology(workflow: WorkflowDefinition) -> Topology:
    edges = {edge.id: edge for edge in workflow.edges}
    touching: dict[str, set[str]] = defaultdict(set)
    parallel: dict[tuple[str, ...], list[str]] = defaultdict(list)
    groups: dict[tuple[str, str], list[str]] = defaultdict(list)
    switches: dict[str, str] = {}
    ends = {edge.id: ends_of(edge) for edge in edges.values()}
    for edge in edges.values():
        for node in ends[edge.id]:
            touching[node].add(edge.id)
        kind = kind_of(edge)
        if kind.single:
            # Wires of different kinds leave from different ports and so do not lie on
            # each other.
            (pair,) = edge.pairs
            parallel[kind.kind, *pair].append(edge.id)
        else:
            groups[kind.hub_side, kind.hub(edge)].append(edge.id)
        if kind.is_diamond:
            switches.setdefault(kind.hub(edge), edge.id)
    bows = {
        edge: (k - (len(ids) - 1) / 2) * PARALLEL
        for ids in parallel.values()
        if len(ids) > 1
        for k, edge in enumerate(ids)
    }
    ranks = {edge: k for ids in groups.values() for k, edge in enumerate(ids) if k}
    shared = {node: frozenset(ids) for node, ids in touching.items()}
    return Topology(
        edges, shared, bows, ranks, graph_of(workflow).back_pairs, switches, ends
    )


def ends_of(edge: EdgeDefinition) -> frozenset[str]:
    """Return the nodes at an edge."""
    return frozenset([node for pair in edge.pairs for node in pair])


class Grid:
    """Which rectangles are near a place: ids in square cells, so that a question costs
    what is near and not what there is. Ids keep the order in which they were added.
    """

    def __init__(self) -> None:
        self._cells: dict[_Cell, set[str]] = defaultdict(set)
        self._of: dict[str, list[_Cell] | None] = {}
        self._wide: set[str] = set()
        self._number: dict[str, int] = {}
        self._count = count()

    def __len__(self) -> int:
        return len(self._of)

    def put(self, key: str, rect: QRectF) -> None:
        cells = _cells(rect, CELLS_MOST)
        if key not in self._of:
            self._number[key] = next(self._count)
        elif self._of[key] == cells:
            return
        self._leave(key)
        self._of[key] = cells
        if cells is None:
            self._wide.add(key)
        for cell in cells or ():
            self._cells[cell].add(key)

    def drop(self, key: str) -> None:
        self._leave(key)
        self._of.pop(key, None)
        self._number.pop(key, None)

    def _leave(self, key: str) -> None:
        self._wide.discard(key)
        for cell in self._of.get(key) or ():
            self._cells[cell].discard(key)

    def near(self, rect: QRectF) -> list[str]:
        """Return every id whose rectangle may meet `rect`, and some more, in the order
        in which they were added: so a part of a picture is painted in the order of the
        whole, and what lies on top is the last.
        """
        keys = self.about(rect)
        if keys is None:
            return list(self._number)
        return sorted(keys, key=self._number.__getitem__)

    def about(self, rect: QRectF) -> set[str] | None:
        """Return the same in no order; None for all."""
        cells = _cells(rect, len(self._cells))
        if cells is None:
            return None
        keys = set(self._wide)
        for cell in cells:
            keys |= self._cells.get(cell, _NONE)
        return keys


_NONE: set[str] = set()


def _cells(rect: QRectF, most: int) -> list[_Cell] | None:
    """Return the cells that a rectangle covers; None for more than `most`."""
    left, top, right, bottom = [int(side // CELL) for side in sides(rect)]
    if left == right and top == bottom:
        return [(left, top)]
    if (right - left + 1) * (bottom - top + 1) > most:
        return None
    return [(x, y) for x in range(left, right + 1) for y in range(top, bottom + 1)]
