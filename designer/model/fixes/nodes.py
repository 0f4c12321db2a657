"""Quick fixes of the workflow as a whole and of its nodes; see `fixes`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from difflib import get_close_matches
from typing import Any

from designer.model import edits
from designer.model.design import Design, Position
from designer.model.edits.nodes import set_type, with_workflow
from designer.model.edits.rewire import reached
from designer.model.layout.arrange import NODE_SIZE, free_place
from designer.model.names import Names
from runtime.document.definition import Infos, NodeDefinition, NodeInfo
from runtime.document.problem import Problem
from runtime.document.secret_values import hidden_params, written_out

Change = Callable[[], Design]
Offers = Iterator[tuple[str, Change]]

OUTPUT = "output"
INPUT = "input"
# how many are offered
_STARTS = 3
_TYPES = 3
_BESIDE = 64.0


def title_of(design: Design, node_id: str) -> str:
    node = design.workflow.node(node_id)
    return node.title if node is not None else node_id


# --- the workflow -------------------------------------------------------------------------------------------------


def start(design: Design, _problem: Problem, infos: Infos) -> Offers:
    nodes = design.workflow.nodes
    if not nodes and INPUT in infos:
        yield (
            "Add an input",
            lambda: edits.add_node(design, INPUT, (0, 0), name=infos[INPUT].title)[0],
        )
    entered = {target for edge in design.workflow.edges for target in edge.target_ids}
    first = sorted(nodes, key=lambda node: (node.type != INPUT, node.id in entered))
    for node in first[:_STARTS]:
        yield (
            f"Start at {node.title}",
            lambda node=node: edits.set_start(design, node.id),  # type: ignore[misc]
        )


def limit(design: Design, problem: Problem, _infos: Infos) -> Offers:
    needed = next((int(word) for word in problem.remedy.split() if word.isdecimal()), 0)
    if needed:
        yield (
            f"Set the limit to {needed}",
            lambda: edits.set_workflow(design, max_supersteps=needed),
        )


def reducer(design: Design, problem: Problem, _infos: Infos) -> Offers:
    key = problem.part.removeprefix("reducers.")
    reducers = design.workflow.reducers
    if problem.part.startswith("reducers.") and key in reducers:
        others = {name: text for name, text in reducers.items() if name != key}
        yield (
            f"Remove the reducer of {key}",
            lambda: edits.set_workflow(design, reducers=others),
        )


def doubles(design: Design, problem: Problem, _infos: Infos) -> Offers:
    if problem.part == "id" and not problem.location.startswith("internal:"):
        yield "Give each an id of its own", lambda: _renumbered(design)


def _renumbered(design: Design) -> Design:
    """Give later nodes and edges of an id another one; edges keep to the first node of
    an id.
    """
    names = Names(design)
    seen: set[str] = set()

    def with_own_id(element: Any) -> Any:
        if element.id in seen:
            return element.model_copy(update={"id": names.take(element.id)})
        seen.add(element.id)
        return element

    nodes = tuple(map(with_own_id, design.workflow.nodes))
    edges = tuple(map(with_own_id, design.workflow.edges))
    return with_workflow(design, nodes=nodes, edges=edges)


# --- nodes --------------------------------------------------------------------------------------------------------


def unknown_type(design: Design, problem: Problem, infos: Infos) -> Offers:
    node = design.workflow.node(problem.location)
    if node is None:
        return
    near = get_close_matches(node.type, infos, n=_TYPES, cutoff=0.5)
    for type_ in near:
        yield (
            f"Replace by {infos[type_].title}",
            lambda type_=type_: _retyped(design, node, infos[type_]),  # type: ignore[misc]
        )
    if not node.off:
        yield (
            f"Bypass {node.title}",
            lambda: edits.set_off(design, [node.id], "bypassed"),
        )
        yield (
            f"Disable {node.title}",
            lambda: edits.set_off(design, [node.id], "disabled"),
        )


def disabled(design: Design, problem: Problem, _infos: Infos) -> Offers:
    node = design.workflow.node(problem.location)
    if node is not None:
        yield f"Enable {node.title}", lambda: edits.set_off(design, [node.id], "")
        yield (
            f"Bypass {node.title}",
            lambda: edits.set_off(design, [node.id], "bypassed"),
        )


def _retyped(design: Design, node: NodeDefinition, info: NodeInfo) -> Design:
    """Give a node another type, without parameters that the type does not have: it
    could not be made with them.
    """
    known = info.params_schema.get("properties", {})
    params = {name: value for name, value in node.params.items() if name in known}
    return edits.set_params(set_type(design, node.id, info.type), node.id, params)


def params(design: Design, problem: Problem, infos: Infos) -> Offers:
    node = design.workflow.node(problem.location)
    name = problem.part.removeprefix("params.")
    info = infos.get(node.type) if node is not None else None
    if node is None or info is None:
        return
    yield from secret(design, problem, infos)
    known = info.params_schema.get("properties", {})
    if name in node.params and name not in known:
        yield f"Remove the parameter {name}", lambda: _without_param(design, node, name)
    elif name in node.params and name in known and "default" in known[name]:
        yield (
            f"Use the default, {known[name]['default']!r}",
            lambda: _without_param(design, node, name),
        )


def secret(design: Design, problem: Problem, infos: Infos) -> Offers:
    """Offer to take secrets that are written out from the environment."""
    node = design.workflow.node(problem.location)
    if node is None:
        return
    secrets = dict(written_out(node, infos.get(node.type)))
    variables = [
        name
        for place, name in secrets.items()
        if place and problem.part.startswith(f"params.{place[0]}")
    ]
    if variables:
        params = hidden_params(node, infos.get(node.type))
        more = f" and {len(secrets) - 1} more" if len(secrets) > 1 else ""
        yield (
            f"Take it from the environment: {variables[0]}{more}",
            lambda: edits.set_params(design, node.id, params),
        )


def _without_param(design: Design, node: NodeDefinition, name: str) -> Design:
    params = {key: value for key, value in node.params.items() if key != name}
    return edits.set_params(design, node.id, params)


def unreachable(design: Design, problem: Problem, _infos: Infos) -> Offers:
    node = design.workflow.node(problem.location)
    if node is not None:
        if node.type == INPUT or design.workflow.start in reached(design, node.id):
            yield f"Start at {node.title}", lambda: edits.set_start(design, node.id)
        yield f"Delete {node.title}", lambda: edits.remove(design, {node.id})


def dead_end(design: Design, problem: Problem, infos: Infos) -> Offers:
    node = design.workflow.node(problem.location)
    if node is not None and OUTPUT in infos:
        yield (
            f"Add an output after {node.title}",
            lambda: _with_output(design, node.id, infos),
        )


def _with_output(design: Design, node_id: str, infos: Infos) -> Design:
    changed, output = output_beside(design, node_id, infos)
    return edits.connect(changed, node_id, output)[0]


def output_beside(design: Design, node_id: str, infos: Infos) -> tuple[Design, str]:
    """Add an output node to the right of a node, and return its id too."""
    place = free_place(design, _right_of(design, node_id))
    return edits.add_node(design, OUTPUT, place, name=infos[OUTPUT].title)


def _right_of(design: Design, node_id: str) -> Position:
    x, y = design.positions.get(node_id, (0.0, 0.0))
    return x + NODE_SIZE[0] + _BESIDE, y
