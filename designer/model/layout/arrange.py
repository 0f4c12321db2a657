"""Good places for the nodes of a drawing: every connected part in layers, the parts
packed side by side.

`layered` lays out a part in layers, `organic` in another way; `tidy` moves only what
has no good place yet. `LAYOUTS` are ours by name; those of installed packages are used
in their place by theirs (`packaged_layouts`).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import Literal, NamedTuple

from designer.model.design import Design, Position
from designer.model.edge_kinds import kind_of
from designer.model.layout.packaged import arranged_by
from designer.model.layout.spacing import Boxes, group_place, largest
from designer.packages import Plugins

Direction = Literal["LR", "TB"]
Size = tuple[float, float]

NODE_SIZE: Size = (168, 60)
_SMALLER: Mapping[str, Size] = {"switch": (44, 44)}  # a diamond is no box
GRID = 4
_PART_GAP = 56
# Room above a node for a wire to itself, and for each further one.
_LOOP_HIGH = 40
_LOOP_MORE = 20
_ASPECT = 1.8


class _Part(NamedTuple):
    """A connected part: its nodes, its pairs, and which nodes of the design want room
    for tags, or for join bars.
    """

    ids: list[str]
    pairs: list[tuple[str, str]]
    labelled: set[str]
    joined: Mapping[str, int]


class _Block(NamedTuple):
    """A part laid out from (0, 0)."""

    corners: dict[str, Position]
    width: float
    height: float


def arrange(
    design: Design,
    kind: str = "LR",
    *,
    only: Collection[str] | None = None,
    sizes: Mapping[str, Size] | None = None,
) -> dict[str, Position]:
    """Return top left corners for all nodes, or for those in `only`.

    The latter keep the centre that they had as a group, or are as near to it as the
    others leave room for. `kind` is a name in `LAYOUTS`, or that of a package's layout.
    `sizes` are widths and heights by node id, for nodes that are not of the usual size.
    Corners are whole multiples of 4, no two boxes overlap, and our layouts give the
    same answer every time. Raise `PluginError` for a layout of a package that does not
    exist or fails.
    """
    size = sizes_of(design, sizes)
    ids = [key for key in size if only is None or key in only]
    above = _loops_above(design)
    room = {
        key: (width, height + above.get(key, 0))
        for key, (width, height) in size.items()
    }
    if kind in LAYOUTS:
        packed = _packed([LAYOUTS[kind](part, room) for part in _parts(ids, design)])
    else:
        packed = arranged_by(PACKAGED, kind, design, ids, room)
    top = min((y + above.get(key, 0) for key, (_, y) in packed.items()), default=0.0)
    corners = {key: (x, y + above.get(key, 0) - top) for key, (x, y) in packed.items()}
    dx, dy = (0.0, 0.0) if only is None else _shift(corners, design.positions, size)
    moved: dict[str, Position] = {
        key: (_on_grid(corners[key][0] + dx), _on_grid(corners[key][1] + dy))
        for key in ids
    }
    return moved if only is None else _beside(moved, design.positions, size)


def _loops_above(design: Design) -> Mapping[str, int]:
    """Return the room above nodes that lead to themselves, because such a wire runs
    over its node.
    """
    pairs = [
        pair
        for edge in design.workflow.edges
        for pair in edge.pairs
        if pair[0] == pair[1]
    ]
    return {
        node: _LOOP_HIGH + _LOOP_MORE * (count - 1)
        for (node, _), count in Counter(pairs).items()
    }


def sizes_of(
    design: Design, known: Mapping[str, Size] | None = None
) -> dict[str, Size]:
    """Return widths and heights of all nodes: those that are known, else the usual
    ones.
    """
    usual = {
        node.id: _SMALLER.get(node.type, NODE_SIZE) for node in design.workflow.nodes
    }
    if known is None:
        return usual
    return {key: known.get(key, size) for key, size in usual.items()}


def boxes_of(
    positions: Mapping[str, Position],
    sizes: Mapping[str, Size],
    *,
    but: Collection[str] = (),
) -> Boxes:
    """Return the boxes of the nodes that have a place, to find free places between
    them.
    """
    boxes = Boxes(largest(list(sizes.values())))
    for key, place in positions.items():
        if key in sizes and key not in but:
            boxes.add(place, sizes[key])
    return boxes


def free_place(
    design: Design, wish: Position, sizes: Mapping[str, Size] | None = None
) -> Position:
    """Return the place nearest to a wish where one more node has room, on the grid."""
    size = sizes_of(design, sizes)
    x, y = boxes_of(design.positions, size).nearest(wish, NODE_SIZE)
    return _on_grid(x), _on_grid(y)


def _beside(
    corners: Mapping[str, Position],
    old: Mapping[str, Position],
    size: Mapping[str, Size],
) -> dict[str, Position]:
    """Move arranged nodes as a group to where they overlap none of those that stay."""
    dx, dy = group_place(corners, size, boxes_of(old, size, but=corners))
    return {
        key: (_on_grid(x + dx), _on_grid(y + dy)) for key, (x, y) in corners.items()
    }


def _on_grid(value: float) -> int:
    return GRID * round(value / GRID)


def _parts(ids: Sequence[str], design: Design) -> list[_Part]:
    """Return connected parts, that of the start first, each in the order of the
    definition with a start ahead.
    """
    import networkx as nx

    edges = design.workflow.edges
    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_nodes_from(ids)
    pairs = [pair for edge in edges for pair in edge.pairs]
    graph.add_edges_from(
        pair for pair in pairs if pair[0] in graph and pair[1] in graph
    )
    labelled = {edge.source_ids[0] for edge in edges if kind_of(edge).has_tags(edge)}
    joined = Counter(kind_of(edge).hub(edge) for edge in edges if edge.join is not None)
    place = {
        key: -1 if key == design.workflow.start else index
        for index, key in enumerate(ids)
    }
    parts = [
        sorted(part, key=place.__getitem__)
        for part in nx.weakly_connected_components(graph)
    ]
    parts.sort(key=lambda part: place[part[0]])
    return [
        _Part(part, list(graph.out_edges(part)), labelled, joined) for part in parts
    ]


def _layered(direction: Direction, part: _Part, size: Mapping[str, Size]) -> _Block:
    from designer.model.layout.layered import Node, layered

    along, across = (0, 1) if direction == "LR" else (1, 0)
    nodes = [
        Node(
            size[key][along], size[key][across], key in part.labelled, part.joined[key]
        )
        for key in part.ids
    ]
    place = {key: index for index, key in enumerate(part.ids)}
    edges = [(place[source], place[target]) for source, target in part.pairs]
    corners = {
        key: (corner[along], corner[across])
        for key, corner in zip(part.ids, layered(nodes, edges), strict=True)
    }
    return _block(corners, size)


def _organic(part: _Part, size: Mapping[str, Size]) -> _Block:
    from designer.model.layout.organic import organic

    place = {key: index for index, key in enumerate(part.ids)}
    sizes = [size[key] for key in part.ids]
    edges = [(place[source], place[target]) for source, target in part.pairs]
    corners = {
        key: (_on_grid(x), _on_grid(y))
        for key, (x, y) in zip(part.ids, organic(sizes, edges), strict=True)
    }
    return _block(corners, size)


# How a connected part is laid out, by the name of the layout.
LAYOUTS: Mapping[str, Callable[[_Part, Mapping[str, Size]], _Block]] = {
    "LR": partial(_layered, "LR"),
    "TB": partial(_layered, "TB"),
    "organic": _organic,
}
PACKAGED = Plugins("stepwell.layouts", "layout", (*LAYOUTS, "tidy"))


def _block(corners: Mapping[str, Position], size: Mapping[str, Size]) -> _Block:
    left, top, right, bottom = _bounds(corners, size)
    moved = {key: (x - left, y - top) for key, (x, y) in corners.items()}
    return _Block(moved, right - left, bottom - top)


def _bounds(
    corners: Mapping[str, Position], size: Mapping[str, Size]
) -> tuple[float, float, float, float]:
    return (
        min(x for x, _ in corners.values()),
        min(y for _, y in corners.values()),
        max(x + size[key][0] for key, (x, _) in corners.items()),
        max(y + size[key][1] for key, (_, y) in corners.items()),
    )


def _packed(blocks: Sequence[_Block]) -> dict[str, Position]:
    """Put blocks on shelves, the first one ahead, then the tall before the flat, so
    wide that all is well shaped.
    """
    area = sum(
        (block.width + _PART_GAP) * (block.height + _PART_GAP) for block in blocks
    )
    width = max(
        [math.sqrt(area * _ASPECT), *(block.width for block in blocks)], default=0.0
    )
    corners: dict[str, Position] = {}
    x = 0.0
    y = 0.0
    shelf = 0.0
    for block in [*blocks[:1], *sorted(blocks[1:], key=lambda block: -block.height)]:
        if x and x + block.width > width:
            x = 0.0
            y += shelf
            shelf = 0.0
        corners.update(
            {key: (x + left, y + top) for key, (left, top) in block.corners.items()}
        )
        # Rounded up, so that rounding every corner later brings no two closer.
        x += _up(block.width) + _PART_GAP
        shelf = max(shelf, _up(block.height) + _PART_GAP)
    return corners


def _up(value: float) -> int:
    return GRID * math.ceil(value / GRID)


def _shift(
    corners: Mapping[str, Position],
    old: Mapping[str, Position],
    size: Mapping[str, Size],
) -> tuple[float, float]:
    """Return how far the arranged nodes must go to have the centre that those of them
    with a place had before.

    If none had a place, they go below everything that has one.
    """
    if not corners:
        return 0.0, 0.0
    left, top, right, bottom = _bounds(corners, size)
    before = {key: old[key] for key in corners if key in old}
    if before:
        old_left, old_top, old_right, old_bottom = _bounds(before, size)
        dx = (old_left + old_right - left - right) / 2
        dy = (old_top + old_bottom - top - bottom) / 2
        return dx, dy
    placed = {key: place for key, place in old.items() if key in size}
    if not placed:
        return 0.0, 0.0
    old_left, _, _, old_bottom = _bounds(placed, size)
    return old_left - left, old_bottom + _PART_GAP - top
