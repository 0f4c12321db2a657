"""Who needs whom, and how far each package reaches."""

from __future__ import annotations

from dataclasses import dataclass

import networkx as nx
from packages import Package


@dataclass(frozen=True)
class DependencyGraph:
    """`needs` maps each package to those it requires, of the installed ones."""

    needs: dict[str, tuple[str, ...]]


@dataclass(frozen=True)
class Ranking:
    """`reach` maps a package to the number of packages that need it, directly or through others; the largest first."""

    reach: dict[str, int]


def build(message: list[Package]) -> DependencyGraph:
    """The requirements among the installed packages."""
    return DependencyGraph({one.name: one.requires for one in message})


def rank(message: DependencyGraph) -> Ranking:
    """How many packages would be touched by replacing each."""
    graph = nx.DiGraph(
        (name, needed)
        for name, wanted in message.needs.items()
        for needed in wanted
        if needed != name
    )
    reach = {
        name: len(nx.ancestors(graph, name)) if name in graph else 0
        for name in message.needs
    }
    return Ranking(dict(sorted(reach.items(), key=lambda one: (-one[1], one[0]))))
