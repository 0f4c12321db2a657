"""Made-up workflows for the window's benchmarks: seeded, the same every time."""

from __future__ import annotations

import random
from pathlib import Path

from designer.model import files
from designer.model.design import Design
from runtime.document.definition import DirectEdge, NodeDefinition, WorkflowDefinition

COLUMN = 280.0
ROW = 92.0
Pair = tuple[int, int]


def design_of(
    count: int, pairs: list[Pair], positions: dict[str, tuple[float, float]]
) -> Design:
    nodes = tuple(_node(k) for k in range(count))
    edges = tuple(
        DirectEdge(id=f"e{a}-{b}", source=f"n{a}", target=f"n{b}") for a, b in pairs
    )
    return Design(
        WorkflowDefinition(name=f"nodes{count}", start="n0", nodes=nodes, edges=edges),
        positions,
    )


def layered(count: int) -> Design:
    """Columns of nodes with 1.5 edges a node, most to the next column near the same
    row, 1 % back. Every node can be reached, as in a document that somebody would run.
    """

    dice = random.Random(count)  # noqa: S311
    high = max(4, int(count**0.5))
    positions = {f"n{k}": (k // high * COLUMN, k % high * ROW) for k in range(count)}
    pairs: dict[Pair, None] = {(k - 1, k): None for k in range(1, min(high, count))}
    for k in range(high, count):
        row = min(max(k % high + dice.randrange(-2, 3), 0), high - 1)
        pairs[k - k % high - high + row, k] = None
    while len(pairs) < count * 1.5:
        a = dice.randrange(count)
        if dice.random() < 0.03:
            b = dice.randrange(count)
        else:
            b = a + high + dice.randrange(-3, 4)
        if 0 <= b < count and a != b:
            pairs[a, b] = None
    return design_of(count, list(pairs), positions)


def flow(count: int, seed: int = 11) -> Design:
    """A workflow of agents: chains, fan-outs that come together again, loops and skips;
    ids in no order. The very graphs that Graphviz's dot was measured on.
    """
    dice = random.Random(seed)  # noqa: S311 - no secret
    made = _Flow(dice, count)
    made.grow()
    ids = list(range(made.count))
    shuffled = ids[:]
    dice.shuffle(shuffled)
    order = shuffled[:]
    dice.shuffle(order)
    pairs = [(shuffled[a], shuffled[b]) for a, b in made.pairs()]
    dice.shuffle(pairs)
    nodes = tuple(_node(k) for k in order)
    edges = tuple(
        DirectEdge(id=f"e{a}-{b}", source=f"n{a}", target=f"n{b}") for a, b in pairs
    )
    return Design(WorkflowDefinition(start=f"n{shuffled[0]}", nodes=nodes, edges=edges))


def _node(k: int) -> NodeDefinition:
    return NodeDefinition(
        id=f"n{k}",
        type="python_function",
        name=f"Node number {k}",
        params={"function": "work:step"},
    )


class _Flow:
    def __init__(self, dice: random.Random, wanted: int) -> None:
        self.dice = dice
        self.wanted = wanted
        self.count = 0
        self._after: list[dict[int, None]] = []
        self._tails = [self._new() for _ in range(max(1, wanted // 250))]
        self._seen: list[int] = []

    def pairs(self) -> list[Pair]:
        return [
            (a, b) for a, targets in enumerate(self._after) for b in targets if a != b
        ]

    def grow(self) -> None:
        dice = self.dice
        while self.count < self.wanted:
            which = dice.randrange(len(self._tails))
            end = self._extend(self._tails[which], dice.random())
            self._tails[which] = end
            self._seen.append(end)
            if dice.random() < 0.02 and len(self._tails) > 1:
                self._join(self._tails[dice.randrange(len(self._tails))], end)

    def _extend(self, tail: int, kind: float) -> int:
        dice = self.dice
        if 0.45 <= kind < 0.85:
            return self._fan(tail)
        end = self._new()
        self._join(tail, end)
        if kind >= 0.85 and len(self._seen) > 3:
            self._join(dice.choice(self._seen[-40:]), end)
        return end

    def _fan(self, tail: int) -> int:
        dice = self.dice
        width = dice.randint(2, 5)
        end = self._new()
        for _ in range(width):
            at = tail
            for _ in range(dice.randint(1, 4)):
                step = self._new()
                self._join(at, step)
                at = step
            self._join(at, end)
            if dice.random() < 0.08:
                self._join(at, tail)
        return end

    def _new(self) -> int:
        self._after.append({})
        self.count += 1
        return self.count - 1

    def _join(self, a: int, b: int) -> None:
        self._after[a][b] = None


def saved(design: Design, folder: Path) -> Path:
    path = folder / f"{design.workflow.name or 'flow'}.stepwell.json"
    files.save(path, design)
    return path
