"""Where everything of a picture is: in layers from top to bottom, each line bent so
that it meets no box.

The layers are those of `layered`. A line with a text on it runs through the text, which
gets a place among the boxes; so does the bend of a line that leads back, or beside
another one. Every layer that a line passes has a place for it. So nothing is written
over anything, and lines run between boxes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from runtime.export.layered import Gaps, closing_loops, ordered, places_across

Size = tuple[float, float]
Point = tuple[float, float]

_GAPS = Gaps(box=26.0, lane=14.0)
_LAYER_GAP = 34.0
_DOOR_STEP = 22.0  # between the ends of two lines at a box, at most


class Edge(NamedTuple):
    """From the box at one place to that at another one; `label` is the size of what is
    written on it, or (0, 0).
    """

    source: int
    target: int
    label: Size = (0.0, 0.0)


@dataclass(slots=True)
class Route:
    """The course of a line: points from its source to its target, joined by straight
    lines or bends.

    back    it leads against the direction of the picture
    label   the centre of its text
    """

    points: list[Point] = field(default_factory=list)
    back: bool = False
    label: Point | None = None


class Placed(NamedTuple):
    """Centres of the boxes, a route for each edge, and the size of the whole from (0,
    0) on; y grows down.
    """

    centres: list[Point]
    routes: list[Route]
    size: Size


def layered(
    sizes: Sequence[Size],
    edges: Sequence[Edge],
    start: int = 0,
    doors: Sequence[float] | None = None,
) -> Placed:
    """Return places for boxes of these sizes and routes for the lines between them.

    Lines begin and end in the middle of a box, no farther apart than its `doors` are
    wide, by default its width. The same input gives the same output.
    """
    layout = _Layout(sizes, edges, start)
    return layout.placed(doors or [width for width, _ in sizes])


class _Layout:
    """Places for boxes and for what lies on lines: numbered items, the boxes first."""

    def __init__(
        self, sizes: Sequence[Size], edges: Sequence[Edge], start: int
    ) -> None:
        self.edges = edges
        self.boxes = len(sizes)
        self.sizes = list(sizes)
        pairs = [(edge.source, edge.target) for edge in edges]
        backward = closing_loops(len(sizes), pairs, start)
        self.back = {n for n, pair in enumerate(pairs) if pair in backward}
        self.stops = self._stops()
        steps = [pair for stops in self.stops for pair in pairwise(stops)]
        self.ranks, self.grid, _ = ordered(len(self.sizes), steps)
        self.heights = [self._height(layer) for layer in self.grid.layers]
        self.middles = self._middles()
        widths = [width for width, _ in self.sizes]
        self.xs = places_across(widths, self.grid, _GAPS)
        self._move_to_left_edge()
        self.chains = [self._chain(stops) for stops in self.stops]
        self.layer_of = {
            item: rank for rank, layer in enumerate(self.grid.layers) for item in layer
        }

    def ends(self, number: int) -> tuple[int, int]:
        """Return source and target as they are placed: a line back is turned round."""
        edge = self.edges[number]
        if number in self.back:
            return edge.target, edge.source
        return edge.source, edge.target

    def _stops(self) -> list[list[int]]:
        """Return for each line its ends, and between them the item that it has to
        itself.

        A text has a place like a box. A line that leads back, or beside another one,
        gets an item without size, so that it runs its own way. One that leads to itself
        has only its box.
        """
        stops: list[list[int]] = []
        known: set[tuple[int, int]] = set()
        for number, edge in enumerate(self.edges):
            above, below = self.ends(number)
            if above == below:
                stops.append([above])
            elif any(edge.label) or number in self.back or (above, below) in known:
                stops.append([above, len(self.sizes), below])
                self.sizes.append(edge.label)
            else:
                stops.append([above, below])
                known.add((above, below))
        return stops

    def _height(self, layer: Sequence[int]) -> float:
        heights = [self.sizes[item][1] for item in layer if item < len(self.sizes)]
        return max(heights, default=0.0)

    def _middles(self) -> list[float]:
        """Return the height at which the middle of each layer is."""
        middles = []
        top = 0.0
        for height in self.heights:
            middles.append(top + height / 2)
            top += height + _LAYER_GAP
        return middles

    def _move_to_left_edge(self) -> None:
        lefts = [
            self.xs[item] - width / 2 for item, (width, _) in enumerate(self.sizes)
        ]
        left = min([*lefts, *self.xs[len(self.sizes) :]], default=0.0)
        self.xs = [x - left for x in self.xs]

    def _chain(self, stops: Sequence[int]) -> list[int]:
        """Return all items of a line from top to bottom."""
        chain = [stops[0]]
        for step in pairwise(stops):
            chain += self.grid.chains[step]
            chain.append(step[1])
        return chain

    def placed(self, doors: Sequence[float]) -> Placed:
        centres = [(self.xs[box], self.y(box)) for box in range(self.boxes)]
        rights = [
            self.xs[item] + width / 2 for item, (width, _) in enumerate(self.sizes)
        ]
        bottoms = [
            self.y(item) + height / 2 for item, (_, height) in enumerate(self.sizes)
        ]
        width = max([*rights, *self.xs[len(self.sizes) :]], default=0.0)
        height = max(bottoms, default=0.0)
        return Placed(centres, _Routes(self, doors).all(), (width, height))

    def y(self, item: int) -> float:
        return self.middles[self.layer_of[item]]

    def reach(self, item: int) -> float:
        """Return half the height of the layer that an item is in."""
        return self.heights[self.layer_of[item]] / 2


class _Routes:
    """The lines between places: they leave and enter boxes side by side, in the order
    of where they lead.
    """

    def __init__(self, layout: _Layout, widths: Sequence[float]) -> None:
        self.layout = layout
        self.widths = widths
        # Where a line begins or ends, by line, box, and whether that is the lower side.
        self.doors: dict[tuple[int, int, bool], float] = {}
        alone = [
            (number, box, below)
            for box in range(layout.boxes)
            for below in (True, False)
            for number in self._open_doors(box, below=below)
        ]
        for number, box, below in alone:
            self._straighten(number, box, below=below)

    def _straighten(self, number: int, box: int, *, below: bool) -> None:
        """Let the only line on a side of a box begin where it leads to, if that is not
        far from the middle.
        """
        chain = self.layout.chains[number]
        above, under = self.layout.ends(number)
        if len(chain) == 2:
            x = self.doors[number, under if below else above, not below]
        else:
            x = self.layout.xs[chain[1 if below else -2]]
        if abs(x - self.layout.xs[box]) <= 0.3 * self.widths[box]:
            self.doors[number, box, below] = x

    def _open_doors(self, box: int, *, below: bool) -> list[int]:
        """Set where the lines of a box begin on one side; return the line if there is
        only one.
        """
        end, neighbour = (0, 1) if below else (-1, -2)
        chains = self.layout.chains
        xs = self.layout.xs
        numbers = [
            number
            for number, chain in enumerate(chains)
            if len(chain) > 1 and chain[end] == box
        ]
        numbers.sort(key=lambda number: (xs[chains[number][neighbour]], number))
        count = len(numbers)
        step = min(_DOOR_STEP, 0.7 * self.widths[box] / max(count, 1))
        for place, number in enumerate(numbers):
            from_middle = place - (count - 1) / 2
            self.doors[number, box, below] = xs[box] + from_middle * step
        return numbers if count == 1 else []

    def all(self) -> list[Route]:
        return [self._route(number) for number in range(len(self.layout.edges))]

    def _route(self, number: int) -> Route:
        layout = self.layout
        chain = layout.chains[number]
        if len(chain) == 1:
            return Route()
        above, *between, below = chain
        start = self.doors[number, above, True]
        end = self.doors[number, below, False]
        # Straight through each layer, also beside a taller box: bends are between
        # layers.
        points = [
            (start, layout.y(above) + layout.sizes[above][1] / 2),
            (start, layout.y(above) + layout.reach(above)),
        ]
        for item in between:
            x = layout.xs[item]
            points.append((x, layout.y(item) - layout.reach(item)))
            points.append((x, layout.y(item) + layout.reach(item)))
        points.append((end, layout.y(below) - layout.reach(below)))
        points.append((end, layout.y(below) - layout.sizes[below][1] / 2))
        label = None
        if any(layout.edges[number].label):
            carrier = layout.stops[number][1]
            label = (layout.xs[carrier], layout.y(carrier))
        back = number in layout.back
        return Route(points[::-1] if back else points, back, label)
