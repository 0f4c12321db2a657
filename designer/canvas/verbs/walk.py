"""Walking by keys: from node to node, and along the edge groups of a node."""

from __future__ import annotations

from designer.canvas.base import Canvas
from designer.canvas.speech.graph_walk import first, walk


class Walk:
    """Selects what keys lead to, and scrolls it into view."""

    def __init__(self, canvas: Canvas) -> None:
        self.canvas = canvas
        # the node whose edge groups the keyboard goes through
        self._edges_of = ""

    def step(self, direction: str, *, extend: bool = False) -> None:
        """Go to the next node in a direction; with `extend` keep what is selected.

        From an edge group, left leads to where it comes from and right to where it
        goes.
        """
        canvas = self.canvas
        scene = canvas.scene()
        node = next(reversed(canvas.chosen_nodes()), "")
        selected = next(reversed(canvas.order), "")
        if node:
            target = walk(scene.boxes, scene.topology, node, direction)
        elif selected in scene.topology.edges and direction in ("left", "right"):
            target = self._end_of(selected, direction)
        else:
            target = first(scene.boxes)
        if target:
            canvas.select({*canvas.selection, target} if extend else {target})
            canvas.camera.reveal(scene.boxes[target].rect)

    def _end_of(self, edge: str, direction: str) -> str:
        scene = self.canvas.scene()
        for source, target in scene.topology.edges[edge].pairs:
            if source in scene.boxes and target in scene.boxes:
                return source if direction == "left" else target
        return ""

    def next_edge(self) -> None:
        """Select the next edge group of the node that was selected last."""
        canvas = self.canvas
        topology = canvas.scene().topology
        nodes = canvas.chosen_nodes()
        node = nodes[-1] if nodes else self._edges_of
        touching = topology.touching.get(node, frozenset())
        edges = [edge for edge in topology.edges if edge in touching]
        if not edges:
            canvas.tell("Select a node that has edges; E then goes through them.")
            return
        selected = next(reversed(canvas.order), "")
        place = edges.index(selected) + 1 if selected in edges else 0
        edge = edges[place % len(edges)]
        canvas.select({edge})
        self._edges_of = node
        canvas.camera.reveal(canvas.scene().drawing_rect({edge}))
