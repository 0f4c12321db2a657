"""Quick fixes of edge groups; see `fixes`. What a kind knows by itself, it offers by
`EdgeKind.repairs`.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import partial

from designer.model import edits
from designer.model.design import Design
from designer.model.edge_kinds import kind_of
from designer.model.edge_kinds.base import plain_edge
from designer.model.edits import ends
from designer.model.edits.edges import replaced_by
from designer.model.edits.nodes import with_workflow
from designer.model.fixes.nodes import OUTPUT, Offers, output_beside, title_of
from designer.model.layout.arrange import free_place
from runtime.document.definition import EdgeDefinition, Infos
from runtime.document.problem import Problem

Pair = tuple[str, str]


def _edge(design: Design, problem: Problem) -> EdgeDefinition | None:
    edges = design.workflow.edges
    return next((edge for edge in edges if edge.id == problem.location), None)


def of_kind(design: Design, problem: Problem, _infos: Infos) -> Offers:
    """Offer what the kind of the edge knows against this rule."""
    edge = _edge(design, problem)
    if edge is None:
        return
    for repair in kind_of(edge).repairs(edge, problem.rule, problem.part):
        yield repair.text, partial(_repaired, design, edge, repair.edges)


def _repaired(
    design: Design, edge: EdgeDefinition, edges: tuple[EdgeDefinition, ...]
) -> Design:
    if not edges:
        return edits.remove(design, {edge.id})
    if len(edges) > 1:
        return replaced_by(design, [edge], edges)[0]
    if edges[0].kind == edge.kind:
        return edits.replace_edge(design, edges[0])
    return _replaced(design, edge, edges[0])


def loose_end(design: Design, problem: Problem, infos: Infos) -> Offers:
    edge = _edge(design, problem)
    if edge is None:
        return
    kind = kind_of(edge)
    if problem.part and problem.part == kind.required_end:
        yield from _required_end(design, edge, infos)
    yield from of_kind(design, problem, infos)
    known = {node.id for node in design.workflow.nodes}
    remaining = ends.without(edge, ends.ends(edge) - known)
    if (
        remaining is not None
        and ends.ends(remaining) <= known
        and remaining.pairs
        and not kind.required_end
    ):
        yield (
            "Go on without this end",
            lambda: _replaced(design, edge, remaining),
        )
    yield "Delete the edge", lambda: edits.remove(design, {edge.id})


def _required_end(design: Design, edge: EdgeDefinition, infos: Infos) -> Offers:
    """Offer nodes for the end that a group cannot be without, as a switch its default."""
    kind = kind_of(edge)
    end = kind.required_end
    source = edge.source_ids[0]
    if OUTPUT in infos and design.workflow.node(source) is not None:

        def lead_to_output() -> Design:
            changed, output = output_beside(design, source, infos)
            return edits.replace_edge(changed, kind.with_required_end(edge, output))

        yield f"Add an output as the {end}", lead_to_output
    targets = [way.target for way in kind.wires(edge)]
    known = [target for target in targets if design.workflow.node(target)]
    if known:
        last = known[-1]
        changed = kind.with_required_end(edge, last)
        yield (
            f"Lead the {end} to {title_of(design, last)}",
            lambda: edits.replace_edge(design, changed),
        )


def _replaced(design: Design, before: EdgeDefinition, after: EdgeDefinition) -> Design:
    """Put an edge in the place of another one, under its id, also where other faults of
    it remain.
    """
    named = after.model_copy(update={"id": before.id})
    edges = [named if edge.id == before.id else edge for edge in design.workflow.edges]
    return with_workflow(design, edges=tuple(edges))


def duplicate(design: Design, problem: Problem, _infos: Infos) -> Offers:
    edge = _edge(design, problem)
    if edge is not None:
        yield "Remove the duplicate", lambda: _without_doubles(design, edge)


def _without_doubles(design: Design, edge: EdgeDefinition) -> Design:
    """Remove the pairs of this edge that it has twice, or that an edge before it has."""
    kind = kind_of(edge)
    before = design.workflow.edges[: design.workflow.edges.index(edge)]
    taken = {
        pair
        for other in before
        if other.carries_failures == edge.carries_failures
        for pair in other.pairs
    }
    pairs = [pair for pair in dict.fromkeys(edge.pairs) if pair not in taken]
    smaller = kind.without_doubles(edge, pairs)
    if smaller is None:
        return edits.remove(design, {edge.id})
    return _settled(design, edge, smaller, pairs)


def _settled(
    design: Design,
    before: EdgeDefinition,
    smaller: EdgeDefinition,
    pairs: Collection[Pair],
) -> Design:
    """Make a plain edge of a group that has one way left, and delete one that has none."""
    if not pairs:
        return edits.remove(design, {before.id})
    kind = kind_of(smaller)
    if len(pairs) > 1 or kind.required_end:
        return _replaced(design, before, smaller)
    source, target = next(iter(pairs))
    plain = plain_edge(source, target, kind.only_condition(smaller), before)
    return _replaced(design, before, plain)


def too_few(design: Design, problem: Problem, _infos: Infos) -> Offers:
    edge = _edge(design, problem)
    if edge is None:
        return
    pairs = edge.pairs
    if len(pairs) == 1:
        plain = plain_edge(*pairs[0], kind_of(edge).only_condition(edge), edge)
        yield "Make it a plain edge", lambda: _replaced(design, edge, plain)
    yield "Delete the edge", lambda: edits.remove(design, {edge.id})


def types(design: Design, problem: Problem, infos: Infos) -> Offers:
    edge = _edge(design, problem)
    if edge is None:
        return
    if kind_of(edge).joins_groups:
        target = design.workflow.node(edge.target_ids[0])
        info = infos.get(target.type) if target is not None else None
        if info is not None and any(name.startswith("list") for name in info.inputs):
            yield (
                "Make its edges a join",
                lambda: edits.convert(design, edge.id, "fan_in")[0],
            )
        if info is not None and "str" in info.inputs and "template" in infos:
            yield "Put a template between", lambda: _with_template(design, edge, infos)
    yield "Delete the edge", lambda: edits.remove(design, {edge.id})


def _with_template(design: Design, edge: EdgeDefinition, infos: Infos) -> Design:
    """Put a node that makes a text of any message in the middle of an edge, which keeps
    its condition.
    """
    ((source, target),) = edge.pairs
    x, y = design.positions.get(source, (0.0, 0.0))
    to_x, to_y = design.positions.get(target, (0.0, 0.0))
    middle = free_place(design, ((x + to_x) / 2, (y + to_y) / 2))
    changed, node = edits.add_node(
        design,
        "template",
        middle,
        name=infos["template"].title,
        params={"text": "{message}"},
    )
    before = kind_of(edge).with_ends(edge, {}, {target: node})
    return edits.connect(edits.replace_edge(changed, before), node, target)[0]


def meeting(design: Design, problem: Problem, _infos: Infos) -> Offers:
    plain = {
        edge.id
        for edge in design.workflow.edges
        if kind_of(edge).is_plain(edge) and problem.location in edge.target_ids
    }
    yield "Make the edges a join", lambda: edits.convert(design, plain, "fan_in")[0]


def endless(design: Design, problem: Problem, _infos: Infos) -> Offers:
    """Offer to delete a loop of one edge.

    Of a longer loop it is not known which edge is one too many, or when the loop should
    end.
    """
    loops = {
        edge.id
        for edge in design.workflow.edges
        if edge.pairs == ((problem.location, problem.location),)
    }
    if loops:
        yield "Delete the loop", lambda: edits.remove(design, loops)
