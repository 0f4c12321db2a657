"""How an edge of a document reads as arcs of a graph: one arc per source and target."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from runtime.edges.definition import EdgeDefinition

# How often a message of the source goes along an arc: `always`; `one` of the edge's
# arcs takes it; `maybe`, because a condition decides, or only failures go along it.
Taken = Literal["always", "one", "maybe"]


@dataclass(frozen=True, slots=True)
class Arc:
    """One source -> target pair of an edge. `condition` is the text that decides about
    this pair alone, if there is one.
    """

    source: str
    target: str
    edge: EdgeDefinition
    taken: Taken
    condition: str = ""

    @property
    def is_certain(self) -> bool:
        """True when whatever the edge carries of the source comes along this arc."""
        if self.edge.carries_failures:
            return not self.condition
        if self.taken == "one":
            return len(self.edge.target_ids) == 1
        return self.taken == "always"


@dataclass(frozen=True, slots=True)
class JoinRule:
    """When a join hands over what it holds.

    all    every source has sent: everything goes out as one list
    zip    every source has sent: one message of each goes out, the others stay
    any    something has arrived: everything goes out as one list
    count  at least `count` messages have arrived: everything goes out as one list

    `delivers_lists` is false for a kind that makes one value of the messages instead.
    """

    policy: str = "all"
    count: int = 0
    delivers_lists: bool = True

    @property
    def needs_every_source(self) -> bool:
        return self.policy in ("all", "zip")
