"""Edits of edge groups. Each takes a design and returns a new one; see `edits`.

A pair source -> target is in one group only, as the runtime demands; an edit that would
make a second one is refused. Pairs that a file brought along twice are left for `check`
to report.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from pydantic import ValidationError

from designer.model.design import Design, require_node
from designer.model.edge_kinds import KINDS, Side, kind_of
from designer.model.edge_kinds.base import plain_edge
from designer.model.edge_kinds.fan_in import join
from designer.model.edge_kinds.fan_out import fan_out
from designer.model.edge_kinds.on_error import error_edge
from designer.model.edge_kinds.switch import switch, with_new_case
from designer.model.edits.ends import ends
from designer.model.edits.nodes import with_workflow
from designer.model.errors import EditError
from designer.model.names import Names
from runtime.document.definition import EdgeDefinition, SwitchCase


def require_edge(design: Design, edge_id: str) -> EdgeDefinition:
    """Return the edge group. Raise `EditError` if there is none with this id."""
    for edge in design.workflow.edges:
        if edge.id == edge_id:
            return edge
    raise EditError(f"There is no edge '{edge_id}' any more.", edge_id)


def connect(design: Design, source: str, target: str) -> tuple[Design, str]:
    """Add a plain edge, also beside groups that the ends have already: `convert` makes
    one group of several.
    """
    return add_edge(design, plain_edge(source, target))


def connect_on_error(design: Design, source: str, target: str) -> tuple[Design, str]:
    """Add an error edge, also beside another edge of the same two: no message goes
    along both.
    """
    return add_edge(design, error_edge(source, target))


def connect_fan_out(
    design: Design, source: str, targets: Sequence[str]
) -> tuple[Design, str]:
    """Add a group that takes every message of the source to each target."""
    return add_edge(design, fan_out(source, targets))


def connect_join(
    design: Design, sources: Sequence[str], target: str
) -> tuple[Design, str]:
    """Add a join of the sources, with the policy `all`."""
    return add_edge(design, join(sources, target))


def connect_switch(
    design: Design, source: str, cases: Sequence[SwitchCase], default: str
) -> tuple[Design, str]:
    """Add a switch: the first case that is true, else the default."""
    return add_edge(design, switch(source, cases, default))


def connect_case(design: Design, source: str, target: str) -> tuple[Design, str]:
    """Add one more way of the switch at `source`: the default of a new one, else a case
    without a condition yet.

    Several cases may lead to one target.
    """
    leaving = [edge for edge in design.workflow.edges if source in edge.source_ids]
    edge = with_new_case(leaving, source, target)
    if edge is None:
        return connect_switch(design, source, (), target)
    return replace_edge(design, edge), edge.id


def add_to_join(design: Design, edge_id: str, source: str) -> Design:
    """Add one more source, the last in order, to a join that exists."""
    edge = require_edge(design, edge_id)
    return replace_edge(design, kind_of(edge).with_source(edge, source))


def set_edge(design: Design, edge_id: str, **changes: Any) -> Design:
    """Set fields of a group: `condition`, `cases`, `policy`, `targets`, ... Its id and
    kind stay.

    Fields that follow from others come along: a policy without a count gets the count
    that fits.
    """
    edge = require_edge(design, edge_id)
    changes = dict(kind_of(edge).completed(edge, changes))
    fixed = {"id", "kind"} & changes.keys()
    unknown = changes.keys() - type(edge).model_fields.keys()
    if fixed or unknown:
        raise TypeError(
            f"set_edge cannot set {', '.join(sorted(fixed | unknown))} of a {edge.kind} edge"
        )
    try:
        changed = type(edge).model_validate(edge.model_dump() | changes)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise EditError(
            f"The edge '{edge_id}' cannot be changed: {where}: {first['msg']}.", edge_id
        ) from None
    return replace_edge(design, changed)


def conditions_of(edge: EdgeDefinition) -> tuple[str, ...]:
    """Return the conditions of a group in order, those that are empty too; none where a
    kind has no conditions.
    """
    return kind_of(edge).conditions(edge)


def condition_part(edge: EdgeDefinition, number: int) -> str:
    """Return the place of a condition in its group, as problems name it."""
    return kind_of(edge).condition_part(number)


def set_condition(design: Design, edge_id: str, number: int, text: str) -> Design:
    """Set another condition for a direct edge (`number` is 0), a case, or a way of a
    multi-selection.
    """
    edge = require_edge(design, edge_id)
    kind = kind_of(edge)
    if not 0 <= number < len(kind.conditions(edge)):
        raise EditError(f"'{edge_id}' has no condition {number + 1} any more.", edge_id)
    return replace_edge(design, kind.with_condition(edge, number, text))


def replace_edge(design: Design, edge: EdgeDefinition) -> Design:
    """Put another group, perhaps of another kind, in the place of the one with the same
    id.
    """
    before = require_edge(design, edge.id)
    # The same object, because an edit without effect must make no undo step.
    if edge == before:
        return design
    _check(design, edge, before)
    edges = tuple(
        edge if other.id == edge.id else other for other in design.workflow.edges
    )
    return with_workflow(design, edges=edges)


def convert(
    design: Design, ids: str | Collection[str], kind: str
) -> tuple[Design, tuple[str, ...]]:
    """Turn edges into another kind that takes messages the same ways, and return the
    ids of the new groups too.

    Several edges of one source can become a `fan_out` or a `multi_selection`, several
    into one target a `fan_in`, each of these `direct` edges, and a `multi_selection` a
    `switch` where exactly one way is taken, or the other way round.

    `ids` are edges. A single plain edge means also its siblings, and the id of a node
    its plain edges: those that leave it, for `fan_in` those that come in. Raise
    `EditError` where the new kind could not say the same.
    """
    before = _meant(design, ids, kind)
    return replaced_by(design, before, KINDS[kind].made_of(before))


def replaced_by(
    design: Design, before: Collection[EdgeDefinition], after: Sequence[EdgeDefinition]
) -> tuple[Design, tuple[str, ...]]:
    """Put edges in the place of others, and return their ids too."""
    removed = {edge.id for edge in before}
    names = Names(design)
    named = [edge.model_copy(update={"id": names.take(edge.id)}) for edge in after]
    edges: list[EdgeDefinition] = []
    placed = False
    for edge in design.workflow.edges:
        if edge.id not in removed:
            edges.append(edge)
        elif not placed:
            edges += named
            placed = True
    return with_workflow(design, edges=tuple(edges)), tuple(edge.id for edge in named)


def _meant(
    design: Design, ids: str | Collection[str], kind: str
) -> list[EdgeDefinition]:
    """Return the edges that shall be converted: those with these ids, or the plain
    edges of a node.
    """
    chosen = {ids} if isinstance(ids, str) else set(ids)
    edges = design.workflow.edges
    named = [edge for edge in edges if edge.id in chosen]
    side = KINDS[kind].hub_side
    if not KINDS[kind].single and len(named) == 1 and _joins_groups(named[0]):
        chosen = {_end(named[0], side)}
        named = []
    if not named:
        siblings = filter(_joins_groups, edges)
        named = [edge for edge in siblings if _end(edge, side) in chosen]
    if not named:
        text = "There is no edge here that could be converted. Select one first."
        raise EditError(text, *chosen)
    return named


def _joins_groups(edge: EdgeDefinition) -> bool:
    return kind_of(edge).joins_groups


def _end(edge: EdgeDefinition, side: Side) -> str:
    return edge.source_ids[0] if side == "out" else edge.target_ids[0]


def add_edge(design: Design, edge: EdgeDefinition) -> tuple[Design, str]:
    """Add an edge group under an id that is free, and return that too."""
    _check(design, edge)
    edge = edge.model_copy(update={"id": Names(design).take(edge.id)})
    return with_workflow(design, edges=(*design.workflow.edges, edge)), edge.id


def _check(
    design: Design, edge: EdgeDefinition, before: EdgeDefinition | None = None
) -> None:
    """Raise `EditError` if an end does not exist, an end is listed twice, ends are
    missing, or another group has a pair already. What is wrong in `before` already,
    because a file brought it, may stay.
    """
    known_pairs = before.pairs if before else ()
    known_ends = ends(before) if before else set()
    # Only ends and pairs that are new are checked, because a person must be able to
    # mend a broken file bit by bit.
    for node_id in sorted(ends(edge) - known_ends):
        require_node(design, node_id)
    if edge.pairs != known_pairs:
        kind_of(edge).check(edge)
    added = set(edge.pairs) - set(known_pairs)
    for other in design.workflow.edges:
        # Messages and failures never take the same way, so an error edge may be beside
        # another edge.
        if other.carries_failures != edge.carries_failures:
            continue
        for source, target in other.pairs:
            if (source, target) in added:
                text = (
                    f"'{source}' and '{target}' are connected already, by '{other.id}'. "
                    "Change that edge instead."
                )
                raise EditError(text, source, target, other.id)
