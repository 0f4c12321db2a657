"""Edits of edge groups. Each takes a design and returns a new one; see `edits`.

A pair source -> target stands in one group only, as the runtime demands; an edit that would make a second one is
refused. Pairs that a file brought along twice are left for `check` to report.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, Literal

from pydantic import TypeAdapter, ValidationError

from designer.model.design import Design
from designer.model.edits import ends
from designer.model.edits.nodes import require_node, with_workflow
from designer.model.edits.switch_as_selection import as_selections, as_switch
from designer.model.errors import EditError
from designer.model.names import Names
from runtime.document.definition import (
    DirectEdge,
    EdgeDefinition,
    FanInEdge,
    FanOutEdge,
    MultiSelectionEdge,
    OnErrorEdge,
    Selection,
    SwitchCase,
    SwitchEdge,
    edge_pairs,
)

ConvertKind = Literal[
    "direct", "fan_out", "fan_in", "multi_selection", "switch", "on_error"
]

_EDGE: TypeAdapter[EdgeDefinition] = TypeAdapter(EdgeDefinition)


def require_edge(design: Design, edge_id: str) -> EdgeDefinition:
    """The edge group. Raises `EditError` if there is none with this id."""
    for edge in design.workflow.edges:
        if edge.id == edge_id:
            return edge
    raise EditError(f"There is no edge '{edge_id}' any more.", edge_id)


def connect(design: Design, source: str, target: str) -> tuple[Design, str]:
    """A plain edge, also beside groups that the ends have already: `convert` makes one group of several."""
    return _add(design, ends.direct(source, target))


def connect_on_error(design: Design, source: str, target: str) -> tuple[Design, str]:
    """An error edge, also beside another edge of the same two: no message goes along both."""
    return _add(design, ends.on_error(source, target))


def connect_fan_out(
    design: Design, source: str, targets: Sequence[str]
) -> tuple[Design, str]:
    """A group that takes every message of the source to each target."""
    return _add(
        design,
        FanOutEdge(id=f"fan_out:{source}", source=source, targets=tuple(targets)),
    )


def connect_join(
    design: Design, sources: Sequence[str], target: str
) -> tuple[Design, str]:
    """A join of the sources, with the policy `all`."""
    return _add(
        design, FanInEdge(id=f"fan_in:{target}", sources=tuple(sources), target=target)
    )


def connect_switch(
    design: Design, source: str, cases: Sequence[SwitchCase], default: str
) -> tuple[Design, str]:
    """A switch: the first case that is true, else the default."""
    return _add(
        design,
        SwitchEdge(
            id=f"switch:{source}", source=source, cases=tuple(cases), default=default
        ),
    )


def connect_case(design: Design, source: str, target: str) -> tuple[Design, str]:
    """One more way of the switch at `source`: the default of a new one, else a case whose condition is still to be
    written. Several cases may lead to one target. A plain edge that is all that leaves the source, as it is left of a
    switch whose cases went, becomes the default.
    """
    leaving = [edge for edge in design.workflow.edges if source in ends.sources(edge)]
    edge = next((edge for edge in leaving if isinstance(edge, SwitchEdge)), None)
    match leaving:
        case [DirectEdge(condition="") as plain]:
            edge = SwitchEdge(
                id=plain.id,
                source=source,
                cases=(),
                default=plain.target,
                **(plain.model_extra or {}),
            )
    if edge is None:
        return connect_switch(design, source, (), target)
    return replace_edge(
        design, edge.model_copy(update={"cases": (*edge.cases, new_case(edge, target))})
    ), edge.id


def new_case(edge: SwitchEdge, target: str) -> SwitchCase:
    """A case at the end, without a condition, under a name that no other case has."""
    taken = {case.name for case in edge.cases}
    number = len(edge.cases) + 1
    while f"case {number}" in taken:
        number += 1
    return SwitchCase(name=f"case {number}", when="", target=target)


def add_to_join(design: Design, edge_id: str, source: str) -> Design:
    """One more source, the last in order, for a join that exists."""
    edge = require_edge(design, edge_id)
    if not isinstance(edge, FanInEdge):
        raise EditError(
            f"'{edge_id}' is no join; drop the edge on a join's bar.", edge_id
        )
    return replace_edge(
        design, edge.model_copy(update={"sources": (*edge.sources, source)})
    )


def set_edge(design: Design, edge_id: str, **changes: Any) -> Design:
    """Other values for fields of a group: `condition`, `cases`, `policy`, `targets`, ... Its id and kind stay. A policy
    without a count gets the count that fits: one message per source for `count`, none for all others.
    """
    edge = require_edge(design, edge_id)
    if isinstance(edge, FanInEdge) and "policy" in changes:
        changes = {
            "count": len(edge.sources) if changes["policy"] == "count" else 0,
            **changes,
        }
    fixed = {"id", "kind"} & changes.keys()
    unknown = changes.keys() - type(edge).model_fields.keys()
    if fixed or unknown:
        raise TypeError(
            f"set_edge cannot set {', '.join(sorted(fixed | unknown))} of a {edge.kind} edge"
        )
    try:
        new = _EDGE.validate_python(edge.model_dump() | changes)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"][1:]))
        raise EditError(
            f"The edge '{edge_id}' cannot be changed: {where}: {first['msg']}.", edge_id
        ) from None
    return replace_edge(design, new)


def conditions_of(edge: EdgeDefinition) -> tuple[str, ...]:
    """The conditions of a group in order, those that are empty too; none where a kind has no conditions."""
    match edge:
        case DirectEdge() | OnErrorEdge():
            return (edge.condition,)
        case SwitchEdge():
            return tuple(case.when for case in edge.cases)
        case MultiSelectionEdge():
            return tuple(way.when for way in edge.selections)
    return ()


def condition_part(edge: EdgeDefinition, at: int) -> str:
    """Where a condition stands in its group, as problems name it."""
    match edge:
        case SwitchEdge():
            return f"cases[{at}].when"
        case MultiSelectionEdge():
            return f"selections[{at}].when"
    return "condition"


def set_condition(design: Design, edge_id: str, at: int, text: str) -> Design:
    """Another condition for a direct edge (`at` is 0), a case, or a way of a multi-selection."""
    edge = require_edge(design, edge_id)
    if not 0 <= at < len(conditions_of(edge)):
        raise EditError(f"'{edge_id}' has no condition {at + 1} any more.", edge_id)
    match edge:
        case SwitchEdge():
            cases = [
                one.model_copy(update={"when": text}) if k == at else one
                for k, one in enumerate(edge.cases)
            ]
            return replace_edge(design, edge.model_copy(update={"cases": tuple(cases)}))
        case MultiSelectionEdge():
            ways = [
                one.model_copy(update={"when": text}) if k == at else one
                for k, one in enumerate(edge.selections)
            ]
            return replace_edge(
                design, edge.model_copy(update={"selections": tuple(ways)})
            )
    return replace_edge(design, edge.model_copy(update={"condition": text}))


def replace_edge(design: Design, edge: EdgeDefinition) -> Design:
    """Another group, perhaps of another kind, in the place of the one with the same id."""
    old = require_edge(design, edge.id)
    if edge == old:
        return design
    _check(design, edge, old)
    edges = tuple(
        edge if other.id == edge.id else other for other in design.workflow.edges
    )
    return with_workflow(design, edges=edges)


def convert(
    design: Design, ids: str | Collection[str], kind: ConvertKind
) -> tuple[Design, tuple[str, ...]]:
    """The same ways, grouped as another kind: several edges of one source <-> `fan_out` or `multi_selection`, several
    edges into one target <-> `fan_in`, each <-> `direct`; `multi_selection` <-> `switch` where exactly one way is
    taken. Returns the ids of the new groups.

    `ids` are edges. A single plain edge means also its siblings, and the id of a node its plain edges: those that
    leave it, for `fan_in` those that come in. Raises `EditError` where the new kind could not say the same.
    """
    old = _meant(design, ids, kind)
    new = _turned(old, kind)
    edges = design.workflow.edges
    removed = {edge.id for edge in old}
    place = next(index for index, edge in enumerate(edges) if edge.id in removed)
    names = Names(design)
    named = [edge.model_copy(update={"id": names.take(edge.id)}) for edge in new]
    before = [edge for edge in edges[:place] if edge.id not in removed]
    after = [edge for edge in edges[place:] if edge.id not in removed]
    return with_workflow(design, edges=(*before, *named, *after)), tuple(
        edge.id for edge in named
    )


def _meant(
    design: Design, ids: str | Collection[str], kind: ConvertKind
) -> list[EdgeDefinition]:
    wanted = {ids} if isinstance(ids, str) else set(ids)
    edges = design.workflow.edges
    named = [edge for edge in edges if edge.id in wanted]
    if (
        len(named) == 1
        and isinstance(named[0], DirectEdge)
        and kind not in ("direct", "on_error")
    ):
        wanted = {named[0].target if kind == "fan_in" else named[0].source}
        named = []
    if not named:
        plain = [edge for edge in edges if isinstance(edge, DirectEdge)]
        named = [
            edge
            for edge in plain
            if (edge.target if kind == "fan_in" else edge.source) in wanted
        ]
    if not named:
        raise EditError(
            "There is no edge here that could be converted. Select one first.", *wanted
        )
    return named


def _turned(old: Sequence[EdgeDefinition], kind: ConvertKind) -> list[EdgeDefinition]:
    if kind == "on_error" or (
        kind == "direct" and all(isinstance(edge, OnErrorEdge) for edge in old)
    ):
        return [_other_sense(edge, kind) for edge in old]
    match old, kind:
        case [SwitchEdge() as switch], "multi_selection":
            return [as_selections(switch)]
        case [MultiSelectionEdge() as group], "switch":
            return [as_switch(group)]
        case _, "switch":
            return _turned(_turned(old, "multi_selection"), "switch")
    return _regrouped([way for edge in old for way in ends.ways(edge)], kind, old)


def _other_sense(edge: EdgeDefinition, kind: ConvertKind) -> EdgeDefinition:
    """A plain edge as an error edge, or the other way round. Their conditions speak of different things."""
    if not isinstance(edge, DirectEdge | OnErrorEdge):
        text = f"'{edge.id}' is a group; only a plain edge can become an error edge. Make plain edges of it first."
        raise EditError(text, edge.id)
    if edge.condition:
        other = "the failure" if kind == "on_error" else "the message"
        text = f"The condition of '{edge.id}' would be asked about {other} then. Clear it first."
        raise EditError(text, edge.id)
    if kind == "on_error":
        return ends.on_error(edge.source, edge.target, edge)
    return ends.direct(edge.source, edge.target, like=edge)


def _regrouped(
    ways: Sequence[tuple[str, str, str]],
    kind: ConvertKind,
    old: Sequence[EdgeDefinition],
) -> list[EdgeDefinition]:
    if kind == "direct":
        like = old[0] if len(old) == 1 else None
        return [
            ends.direct(source, target, condition, like)
            for source, target, condition in ways
        ]
    sources = tuple(dict.fromkeys(source for source, _, _ in ways))
    targets = tuple(dict.fromkeys(target for _, target, _ in ways))
    if not ways:
        raise EditError(
            f"'{old[0].id}' leads nowhere yet: give it ends first.", old[0].id
        )
    _require_groupable(ways, kind, sources, targets)
    if kind == "fan_in":
        return [
            FanInEdge(id=f"fan_in:{targets[0]}", sources=sources, target=targets[0])
        ]
    if kind == "fan_out":
        return [
            FanOutEdge(id=f"fan_out:{sources[0]}", source=sources[0], targets=targets)
        ]
    selections = tuple(
        Selection(target=target, when=condition) for _, target, condition in ways
    )
    return [
        MultiSelectionEdge(
            id=f"multi_selection:{sources[0]}", source=sources[0], selections=selections
        )
    ]


def _require_groupable(
    ways: Sequence[tuple[str, str, str]],
    kind: ConvertKind,
    sources: Sequence[str],
    targets: Sequence[str],
) -> None:
    one, word = (
        (targets, "lead to one node")
        if kind == "fan_in"
        else (sources, "leave one node")
    )
    if len(one) > 1:
        raise EditError(
            f"Only edges that {word} can be one group; these concern {', '.join(one)}.",
            *one,
        )
    if len(set(ways)) < 2 or len(sources) * len(targets) != len(ways):
        raise EditError(
            f"A group needs two different edges or more; '{one[0]}' has only one here.",
            *one,
        )
    if kind != "multi_selection":
        conditional = [
            f"{source} -> {target}" for source, target, condition in ways if condition
        ]
        if conditional:
            text = f"The condition of {', '.join(conditional)} would be lost. Clear it, or make a multi-selection."
            raise EditError(text, *sources, *targets)


def _add(design: Design, edge: EdgeDefinition) -> tuple[Design, str]:
    workflow = design.workflow
    _check(design, edge)
    edge = edge.model_copy(update={"id": Names(design).take(edge.id)})
    return with_workflow(design, edges=(*workflow.edges, edge)), edge.id


def _check(
    design: Design, edge: EdgeDefinition, old: EdgeDefinition | None = None
) -> None:
    """Raises `EditError` if an end does not exist, an end is there twice, ends are missing, or another group has a
    pair already. What is wrong in `old` already, because a file brought it, may stay.
    """
    old_pairs = edge_pairs(old) if old else ()
    pairs = set(edge_pairs(edge)) - set(old_pairs)
    for node_id in sorted(ends.ends(edge) - (ends.ends(old) if old else set())):
        require_node(design, node_id)
    if edge_pairs(edge) != old_pairs:
        _check_count(edge)
    for other in design.workflow.edges:
        if isinstance(other, OnErrorEdge) != isinstance(edge, OnErrorEdge):
            continue
        for source, target in edge_pairs(other):
            if (source, target) in pairs:
                text = f"'{source}' and '{target}' are connected already, by '{other.id}'. Change that edge instead."
                raise EditError(text, source, target, other.id)


def _check_count(edge: EdgeDefinition) -> None:
    match edge:
        case FanInEdge():
            many = edge.sources
            word = "sources"
        case FanOutEdge():
            many = edge.targets
            word = "targets"
        case MultiSelectionEdge():
            many = tuple(way.target for way in edge.selections)
            word = "targets"
        case _:
            return
    twice = sorted({node for node in many if many.count(node) > 1})
    if twice:
        raise EditError(f"'{twice[0]}' is in '{edge.id}' already.", twice[0], edge.id)
    if len(many) < 2:
        raise EditError(
            f"'{edge.id}' needs two {word} or more; with one it is a plain edge.",
            edge.id,
            *many,
        )
