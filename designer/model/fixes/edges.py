"""Quick fixes of edge groups; see `fixes`."""

from __future__ import annotations

from collections.abc import Collection

from designer.model import edits
from designer.model.design import Design
from designer.model.edits import ends
from designer.model.edits.nodes import with_workflow
from designer.model.fixes.nodes import OUTPUT, Offers, output_beside, title_of
from designer.model.layout.arrange import free_place
from runtime.document.definition import (
    DirectEdge,
    EdgeDefinition,
    FanInEdge,
    Infos,
    OnErrorEdge,
    SwitchEdge,
    edge_pairs,
)
from runtime.document.problem import Problem

Pair = tuple[str, str]


def _edge(design: Design, problem: Problem) -> EdgeDefinition | None:
    return next(
        (edge for edge in design.workflow.edges if edge.id == problem.location), None
    )


def loose_end(design: Design, problem: Problem, infos: Infos) -> Offers:
    edge = _edge(design, problem)
    if edge is None:
        return
    if isinstance(edge, SwitchEdge) and problem.part == "default":
        yield from _default(design, edge, infos)
    elif isinstance(edge, SwitchEdge) and (at := _number(problem.part)) is not None:
        yield f"Remove case {at + 1}", lambda: _without_case(design, edge, at)
    known = {node.id for node in design.workflow.nodes}
    gone = ends.ends(edge) - known
    left = ends.without(edge, gone)
    if (
        left is not None
        and ends.ends(left) <= known
        and edge_pairs(left)
        and not isinstance(edge, SwitchEdge)
    ):
        yield "Go on without this end", lambda: _replaced(design, edge, left)
    yield "Delete the edge", lambda: edits.remove(design, {edge.id})


def _default(design: Design, edge: SwitchEdge, infos: Infos) -> Offers:
    if OUTPUT in infos and design.workflow.node(edge.source) is not None:

        def lead_to_output() -> Design:
            made, output = output_beside(design, edge.source, infos)
            return edits.replace_edge(made, edge.model_copy(update={"default": output}))

        yield "Add an output as the default", lead_to_output
    last = next(
        (
            case.target
            for case in reversed(edge.cases)
            if design.workflow.node(case.target)
        ),
        None,
    )
    if last is not None:
        title = title_of(design, last)
        changed = edge.model_copy(update={"default": last})
        yield (
            f"Lead the default to {title}",
            lambda: edits.replace_edge(design, changed),
        )


def _replaced(design: Design, old: EdgeDefinition, new: EdgeDefinition) -> Design:
    named = new.model_copy(update={"id": old.id})
    return with_workflow(
        design,
        edges=tuple(
            named if edge.id == old.id else edge for edge in design.workflow.edges
        ),
    )


def _without_case(design: Design, edge: SwitchEdge, at: int) -> Design:
    cases = tuple(case for number, case in enumerate(edge.cases) if number != at)
    if cases:
        return edits.replace_edge(design, edge.model_copy(update={"cases": cases}))
    return _replaced(design, edge, ends.direct(edge.source, edge.default, like=edge))


def duplicate(design: Design, problem: Problem, _infos: Infos) -> Offers:
    edge = _edge(design, problem)
    if edge is not None:
        yield "Remove the duplicate", lambda: _without_doubles(design, edge)


def _without_doubles(design: Design, edge: EdgeDefinition) -> Design:
    """Without the pairs of this edge that it has twice, or that an edge before it has."""
    before = design.workflow.edges[: design.workflow.edges.index(edge)]
    fails = isinstance(edge, OnErrorEdge)
    taken = {
        pair
        for other in before
        if isinstance(other, OnErrorEdge) == fails
        for pair in edge_pairs(other)
    }
    own = dict.fromkeys(pair for pair in edge_pairs(edge) if pair not in taken)
    match edge:
        case FanInEdge():
            left = tuple(dict.fromkeys(source for source, _ in own))
            smaller: EdgeDefinition = edge.model_copy(update={"sources": left})
        case DirectEdge() | OnErrorEdge():
            return edits.remove(design, {edge.id})
        case SwitchEdge() if edge.default in [target for _, target in own]:
            kept = {target for _, target in own}
            smaller = edge.model_copy(
                update={"cases": tuple(one for one in edge.cases if one.target in kept)}
            )
        case SwitchEdge():
            raise edits.EditError(f"The default of '{edge.id}' would go.", edge.id)
        case _:
            return _fewer_ways(design, edge, own)
    return _settled(design, edge, smaller, own)


def _fewer_ways(design: Design, edge: EdgeDefinition, own: Collection[Pair]) -> Design:
    targets = list(dict.fromkeys(target for _, target in own))
    if edge.kind == "fan_out":
        smaller: EdgeDefinition = edge.model_copy(update={"targets": tuple(targets)})
    else:
        assert edge.kind == "multi_selection"  # noqa: S101 - the other kinds have been told apart
        ways = {
            way.target: way
            for way in reversed(edge.selections)
            if way.target in targets
        }
        smaller = edge.model_copy(
            update={"selections": tuple(ways[target] for target in targets)}
        )
    return _settled(design, edge, smaller, own)


def _settled(
    design: Design,
    old: EdgeDefinition,
    smaller: EdgeDefinition,
    pairs: Collection[Pair],
) -> Design:
    """A group that has one way left is a plain edge, and one that has none is nothing."""
    if not pairs:
        return edits.remove(design, {old.id})
    if len(pairs) == 1 and not isinstance(smaller, SwitchEdge):
        (source, target) = next(iter(pairs))
        when = smaller.selections[0].when if smaller.kind == "multi_selection" else ""
        return _replaced(design, old, ends.direct(source, target, when, old))
    return _replaced(design, old, smaller)


def too_few(design: Design, problem: Problem, _infos: Infos) -> Offers:
    edge = _edge(design, problem)
    if edge is None:
        return
    pairs = edge_pairs(edge)
    if len(pairs) == 1:
        when = edge.selections[0].when if edge.kind == "multi_selection" else ""
        yield (
            "Make it a plain edge",
            lambda: _replaced(design, edge, ends.direct(*pairs[0], when, edge)),
        )
    yield "Delete the edge", lambda: edits.remove(design, {edge.id})


def join_count(design: Design, problem: Problem, _infos: Infos) -> Offers:
    edge = _edge(design, problem)
    if isinstance(edge, FanInEdge):
        count = len(edge.sources)
        yield (
            f"Set the count to {count}",
            lambda: edits.set_edge(design, edge.id, policy="count", count=count),
        )
        yield (
            "Use the policy all",
            lambda: edits.set_edge(design, edge.id, policy="all", count=0),
        )


def condition(design: Design, problem: Problem, _infos: Infos) -> Offers:
    edge = _edge(design, problem)
    at = _number(problem.part)
    if isinstance(edge, SwitchEdge) and at is not None:
        yield f"Remove case {at + 1}", lambda: _without_case(design, edge, at)
    elif isinstance(edge, DirectEdge | OnErrorEdge):
        yield (
            "Remove the condition",
            lambda: edits.set_edge(design, edge.id, condition=""),
        )


def _number(part: str) -> int | None:
    """The 1 of `cases[1].when`."""
    number = part.partition("[")[2].partition("]")[0]
    return int(number) if number.isdecimal() else None


def types(design: Design, problem: Problem, infos: Infos) -> Offers:
    edge = _edge(design, problem)
    if isinstance(edge, DirectEdge):
        target = design.workflow.node(edge.target)
        info = infos.get(target.type) if target is not None else None
        if info is not None and any(one.startswith("list") for one in info.inputs):
            yield (
                "Make its edges a join",
                lambda: edits.convert(design, edge.id, "fan_in")[0],
            )
        if info is not None and "str" in info.inputs and "template" in infos:
            yield "Put a template between", lambda: _with_template(design, edge, infos)
    if edge is not None:
        yield "Delete the edge", lambda: edits.remove(design, {edge.id})


def _with_template(design: Design, edge: DirectEdge, infos: Infos) -> Design:
    """A node that makes a text of whatever comes, in the middle of an edge that keeps its condition."""
    (x, y), (to_x, to_y) = (
        design.positions.get(node, (0.0, 0.0)) for node in (edge.source, edge.target)
    )
    at = free_place(design, ((x + to_x) / 2, (y + to_y) / 2))
    made, node = edits.add_node(
        design,
        "template",
        at,
        name=infos["template"].title,
        params={"text": "{message}"},
    )
    made = edits.replace_edge(made, edge.model_copy(update={"target": node}))
    return edits.connect(made, node, edge.target)[0]


def unfillable(design: Design, problem: Problem, _infos: Infos) -> Offers:
    edge = _edge(design, problem)
    if isinstance(edge, FanInEdge):
        yield (
            "Use the policy any",
            lambda: edits.set_edge(design, edge.id, policy="any"),
        )

        def plain() -> Design:
            as_all = edits.set_edge(design, edge.id, policy="all")
            return edits.convert(as_all, {edge.id}, "direct")[0]

        yield "Make plain edges of it", plain


def meeting(design: Design, problem: Problem, _infos: Infos) -> Offers:
    into = {
        edge.id
        for edge in design.workflow.edges
        if isinstance(edge, DirectEdge) and edge.target == problem.location
    }
    plain = {
        edge.id
        for edge in design.workflow.edges
        if edge.id in into and edge.kind == "direct" and not edge.condition
    }
    yield "Make the edges a join", lambda: edits.convert(design, plain, "fan_in")[0]


def endless(design: Design, problem: Problem, _infos: Infos) -> Offers:
    """Of a longer loop nobody knows which edge is one too many, or under which condition it should end."""
    own = {
        edge.id
        for edge in design.workflow.edges
        if edge_pairs(edge) == ((problem.location, problem.location),)
    }
    if own:
        yield "Delete the loop", lambda: edits.remove(design, own)


def self_loop(design: Design, problem: Problem, _infos: Infos) -> Offers:
    edge = _edge(design, problem)
    if isinstance(edge, DirectEdge | OnErrorEdge):
        yield "Delete the loop", lambda: edits.remove(design, {edge.id})
    elif isinstance(edge, SwitchEdge) and edge.default != edge.source:
        cases = tuple(case for case in edge.cases if case.target != edge.source)
        if cases:
            smaller = edge.model_copy(update={"cases": cases})
            yield (
                "Remove the case that leads back",
                lambda: edits.replace_edge(design, smaller),
            )
