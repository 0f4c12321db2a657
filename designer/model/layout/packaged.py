"""Layouts of installed packages: functions of a graph, whose answers are checked before
anything moves.

An entry point of the group `stepwell.layouts` names a function that gets a
`networkx.MultiDiGraph`, and returns for each of its nodes where its centre shall be.
Nodes are ids with the attributes `width`, `height`, `title` and `type`; an edge is a
pair that messages can go along, with its group's id as `group` and its kind as `kind`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from designer.model.design import Design, Position
from designer.model.layout.spacing import Size, apart
from designer.packages import Plugins

if TYPE_CHECKING:
    import networkx as nx

Layout = Callable[["nx.MultiDiGraph[str]"], Mapping[str, Sequence[float]]]
FARTHEST = 1_000_000.0  # from the middle: beyond that no person finds a node


def arranged_by(
    plugins: Plugins,
    name: str,
    design: Design,
    ids: Sequence[str],
    room: Mapping[str, Size],
) -> dict[str, Position]:
    """Return top left corners as the layout of a package says, moved apart where boxes
    would overlap.

    Raise `PluginError` when the layout does not exist, raises, leaves nodes out, or
    returns no places.
    """
    layout = plugins.load(name, _function)
    if not ids:
        return {}
    try:
        centres = _checked(layout(graph_of(design, ids, room)), ids)
    except (Exception, SystemExit) as error:
        raise plugins.failure(name, error) from error
    corners = [
        (centres[key][0] - room[key][0] / 2, centres[key][1] - room[key][1] / 2)
        for key in ids
    ]
    spread = apart(corners, [room[key] for key in ids])
    left = min(x for x, _ in spread)
    top = min(y for _, y in spread)
    return {key: (x - left, y - top) for key, (x, y) in zip(ids, spread, strict=True)}


def graph_of(
    design: Design, ids: Sequence[str], room: Mapping[str, Size]
) -> nx.MultiDiGraph[str]:
    """Return the nodes that are laid out, and the edges among them, as a graph."""
    import networkx as nx

    graph: nx.MultiDiGraph[str] = nx.MultiDiGraph()
    included = set(ids)
    for node in design.workflow.nodes:
        if node.id in included:
            width, height = room[node.id]
            graph.add_node(
                node.id, width=width, height=height, title=node.title, type=node.type
            )
    for edge in design.workflow.edges:
        for source, target in edge.pairs:
            if source in included and target in included:
                graph.add_edge(source, target, group=edge.id, kind=edge.kind)
    return graph


def _function(value: Any) -> Layout:
    if not callable(value):
        raise TypeError(f"it is no function, but of type {type(value).__name__}")
    layout: Layout = value
    return layout


def _checked(
    answer: Mapping[str, Sequence[float]], ids: Sequence[str]
) -> dict[str, Position]:
    """Return two finite numbers for each node. Raise `ValueError`, or what reading
    another value raises.
    """
    missing = [key for key in ids if key not in answer]
    if missing:
        more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
        raise ValueError(f"it has no place for the node '{missing[0]}'{more}")
    places = {key: (float(answer[key][0]), float(answer[key][1])) for key in ids}
    for key, place in places.items():
        if not all(math.isfinite(value) and abs(value) <= FARTHEST for value in place):
            raise ValueError(f"it puts the node '{key}' at {place}")
    return places
