"""The ends of edge groups: which there are, what is left when some go, and the same group between other nodes."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from designer.model.errors import EditError
from runtime.document.definition import (
    DirectEdge,
    EdgeDefinition,
    FanInEdge,
    FanOutEdge,
    MultiSelectionEdge,
    OnErrorEdge,
    SwitchCase,
    SwitchEdge,
    edge_pairs,
)


def sources(edge: EdgeDefinition) -> tuple[str, ...]:
    return edge.sources if isinstance(edge, FanInEdge) else (edge.source,)


def targets(edge: EdgeDefinition) -> tuple[str, ...]:
    """Targets in declared order; a target of several cases of a switch counts once."""
    return tuple(dict.fromkeys(target for _, target in edge_pairs(edge)))


def ends(edge: EdgeDefinition) -> set[str]:
    return {*sources(edge), *targets(edge)}


def usual_id(edge: EdgeDefinition) -> str:
    """A readable id: plain edges say both ends, joins their target, all other groups their source."""
    match edge:
        case DirectEdge():
            return f"{edge.source}->{edge.target}"
        case OnErrorEdge():
            return f"on_error:{edge.source}->{edge.target}"
        case FanInEdge():
            return f"fan_in:{edge.target}"
        case _:
            return f"{edge.kind}:{edge.source}"


def direct(
    source: str, target: str, condition: str = "", like: EdgeDefinition | None = None
) -> DirectEdge:
    """A plain edge. Fields of `like` that this version does not know come along."""
    extra: Mapping[str, Any] = (like.model_extra or {}) if like is not None else {}
    return DirectEdge(
        id=f"{source}->{target}",
        source=source,
        target=target,
        condition=condition,
        **extra,
    )


def on_error(
    source: str, target: str, like: EdgeDefinition | None = None
) -> OnErrorEdge:
    """An error edge. Fields of `like` that this version does not know come along."""
    extra: Mapping[str, Any] = (like.model_extra or {}) if like is not None else {}
    return OnErrorEdge(
        id=f"on_error:{source}->{target}", source=source, target=target, **extra
    )


def without(edge: EdgeDefinition, gone: Collection[str]) -> EdgeDefinition | None:
    """What is left of a group when the nodes `gone` go: the same group, a smaller one, a plain edge, or nothing.

    A group with one way left becomes a plain edge with a new id. A switch that loses its default goes, because no
    other case may silently take over what the default stood for.
    """
    if not ends(edge) & set(gone):
        return edge
    match edge:
        case FanInEdge():
            return None if edge.target in gone else fewer_sources(edge, gone)
        case _ if edge.source in gone:
            return None
        case DirectEdge() | OnErrorEdge():
            return None
        case SwitchEdge():
            left = tuple(case for case in edge.cases if case.target not in gone)
            return None if edge.default in gone else with_cases(edge, left)
        case _:
            return fewer_targets(edge, gone)


def fewer_sources(edge: FanInEdge, gone: Collection[str]) -> EdgeDefinition | None:
    """A join without these sources; with one left a plain edge."""
    left = tuple(source for source in edge.sources if source not in gone)
    if len(left) > 1:
        return edge.model_copy(update={"sources": left})
    return direct(left[0], edge.target, like=edge) if left else None


def fewer_targets(
    edge: FanOutEdge | MultiSelectionEdge, gone: Collection[str]
) -> EdgeDefinition | None:
    """A group without these targets; with one left a plain edge, which keeps its condition."""
    if isinstance(edge, FanOutEdge):
        left = tuple(target for target in edge.targets if target not in gone)
        if len(left) > 1:
            return edge.model_copy(update={"targets": left})
        return direct(edge.source, left[0], like=edge) if left else None
    ways = tuple(
        selection for selection in edge.selections if selection.target not in gone
    )
    if len(ways) > 1:
        return edge.model_copy(update={"selections": ways})
    if ways:
        return direct(edge.source, ways[0].target, ways[0].when, like=edge)
    return None


def with_cases(edge: SwitchEdge, cases: tuple[SwitchCase, ...]) -> EdgeDefinition:
    """The switch with these cases; a plain edge to its default when the last one went."""
    if cases or not edge.cases:
        return edge.model_copy(update={"cases": cases})
    return direct(edge.source, edge.default, like=edge)


def renamed(edge: EdgeDefinition, names: Mapping[str, str]) -> EdgeDefinition:
    """The same group with other node ids at its ends; ids that `names` does not have stay."""

    def new(node: str) -> str:
        return names.get(node, node)

    match edge:
        case DirectEdge() | OnErrorEdge():
            return edge.model_copy(
                update={"source": new(edge.source), "target": new(edge.target)}
            )
        case FanOutEdge():
            return edge.model_copy(
                update={
                    "source": new(edge.source),
                    "targets": tuple(map(new, edge.targets)),
                }
            )
        case FanInEdge():
            return edge.model_copy(
                update={
                    "sources": tuple(map(new, edge.sources)),
                    "target": new(edge.target),
                }
            )
        case SwitchEdge():
            cases = tuple(
                case.model_copy(update={"target": new(case.target)})
                for case in edge.cases
            )
            return edge.model_copy(
                update={
                    "source": new(edge.source),
                    "cases": cases,
                    "default": new(edge.default),
                }
            )
        case MultiSelectionEdge():
            ways = tuple(
                way.model_copy(update={"target": new(way.target)})
                for way in edge.selections
            )
            return edge.model_copy(
                update={"source": new(edge.source), "selections": ways}
            )


def ways(edge: EdgeDefinition) -> tuple[tuple[str, str, str], ...]:
    """A group as plain ways (source, target, condition), where plain edges say the same as the group.

    Raises `EditError` where they would not: the order of a switch, the policy of a join.
    """
    match edge:
        case SwitchEdge():
            text = f"The switch '{edge.id}' tries its cases in order; plain edges cannot say that. Delete it first."
            raise EditError(text, edge.id)
        case FanInEdge() if edge.policy != "all":
            text = f"The join '{edge.id}' has the policy '{edge.policy}'. Set it to 'all' before you take it apart."
            raise EditError(text, edge.id)
        case OnErrorEdge():
            text = f"The error edge '{edge.id}' carries failures only, so it stands alone. Make it a plain edge first."
            raise EditError(text, edge.id)
        case DirectEdge():
            return ((edge.source, edge.target, edge.condition),)
        case MultiSelectionEdge():
            return tuple((edge.source, way.target, way.when) for way in edge.selections)
        case _:
            return tuple((source, target, "") for source, target in edge_pairs(edge))
