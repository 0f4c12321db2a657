"""An edge of a kind that is not known here, such as that of a package which is missing.

Checkpoints may name such a kind. The debugger then shows where the edge leads.
"""

from __future__ import annotations

from collections.abc import Iterator

from runtime.edges.arcs import Arc, JoinRule
from runtime.edges.definition import EdgeDefinition


class UnknownEdge(EdgeDefinition):
    """`links` are its pairs. `holds` is true where it held messages back, and `chooses`
    where something decided where a message goes.
    """

    links: tuple[tuple[str, str], ...]
    holds: bool = False
    chooses: bool = False

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        return self.links

    @property
    def join(self) -> JoinRule | None:
        return JoinRule() if self.holds else None

    def arcs(self) -> Iterator[Arc]:
        for source, target in dict.fromkeys(self.links):
            yield Arc(source, target, self, "maybe" if self.chooses else "always")
