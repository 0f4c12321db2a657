"""Error edges: the failure of a node goes to another one, in the place of failing the
superstep.
"""

from __future__ import annotations

from collections.abc import Sequence

from designer.model.edge_kinds.base import Name, PlainWay, extra_fields
from designer.model.edge_kinds.direct import SingleKind, of_other_sense
from designer.model.errors import EditError
from runtime.document.definition import EdgeDefinition, OnErrorEdge


def error_edge(
    source: str, target: str, like: EdgeDefinition | None = None
) -> OnErrorEdge:
    """Return an error edge. Fields of `like` that this version does not know come
    along.
    """
    return OnErrorEdge(
        id=f"on_error:{source}->{target}",
        source=source,
        target=target,
        **extra_fields(like),
    )


class OnErrorKind(SingleKind[OnErrorEdge]):
    kind = "on_error"
    title = "Error edge"
    label = "On error"
    word = "on error"
    plural = "an edge on errors"
    make_text = "Convert to on error"
    grow_text = "Send its failures to another node"
    icon = "warn"
    turns_into = ("direct",)

    def usual_id(self, edge: OnErrorEdge) -> str:
        return f"on_error:{edge.source}->{edge.target}"

    def beside(self, edge: OnErrorEdge, node: str) -> EdgeDefinition:
        return error_edge(edge.source, node)

    def plain_ways(self, edge: OnErrorEdge) -> tuple[PlainWay, ...]:
        text = (
            f"The error edge '{edge.id}' carries failures only, so it cannot be in a group. "
            "Make it a plain edge first."
        )
        raise EditError(text, edge.id)

    def made_of(self, edges: Sequence[EdgeDefinition]) -> list[EdgeDefinition]:
        plain = [of_other_sense(edge, "the failure") for edge in edges]
        return [
            error_edge(*edge.pairs[0], like=before)
            for edge, before in zip(plain, edges, strict=True)
        ]

    def has_tags(self, edge: OnErrorEdge) -> bool:
        return True

    def sentence(self, edge: OnErrorEdge, name: Name) -> str:
        return f"Failures of {super().sentence(edge, name)}"


ON_ERROR = OnErrorKind()
