"""A layout: all nodes on one circle, in the order of the drawing."""

import math

import networkx as nx


def circle(graph: nx.MultiDiGraph) -> dict[str, tuple[float, float]]:
    widest = max((width for _, width in graph.nodes(data="width")), default=0.0)
    radius = len(graph) * widest / 4
    turn = math.tau / max(len(graph), 1)
    return {
        node: (radius * math.cos(n * turn), radius * math.sin(n * turn))
        for n, node in enumerate(graph)
    }
