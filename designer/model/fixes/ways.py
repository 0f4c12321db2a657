"""Quick fixes of the ways into sub-workflows and out of them; see `fixes`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from designer.model import edits
from designer.model.design import Design
from designer.model.fixes.nodes import Offers, title_of
from runtime.document.definition import Infos, NodeDefinition
from runtime.document.problem import Problem
from runtime.document.ways import ENTRIES, EXITS, exits_of

_PARAM = "params."


def way(design: Design, problem: Problem, _infos: Infos) -> Offers:
    """A way into a sub-workflow or out of it that leads nowhere: connect what it is for, or remove it."""
    node = design.workflow.node(problem.location)
    kind, _, at = problem.part.removeprefix(_PARAM).partition(".")
    if node is None or not at or kind not in (ENTRIES, EXITS):
        return
    if kind == ENTRIES:
        yield from _connected(design, at, node.id)
        yield (
            f"Remove the way in from {title_of(design, at)}",
            lambda: _without(design, node, kind, at),
        )
        return
    output, target = _output_and_target(node, at)
    if target is None:
        yield (
            f"Remove the way out of {output}",
            lambda: _without(design, node, kind, output),
        )
        return
    yield from _connected(design, node.id, target)
    text = f"Remove the way from {output} to {title_of(design, target)}"
    yield text, lambda: _without_target(design, node, output, target)


def _connected(design: Design, source: str, target: str) -> Offers:
    there = all(design.workflow.node(one) is not None for one in (source, target))
    if there and not any(
        (source, target) in edge.pairs for edge in design.workflow.edges
    ):
        text = f"Connect {title_of(design, source)} to {title_of(design, target)}"
        yield text, lambda: edits.connect(design, source, target)[0]


def _output_and_target(node: NodeDefinition, at: str) -> tuple[str, str | None]:
    """`output` alone is the whole way, `output[1]` the second of its targets. An id may look like that as well."""
    exits = exits_of(node)
    found = re.fullmatch(r"(.+)\[(\d+)\]", at)
    if at in exits or found is None or found[1] not in exits:
        return at, None
    targets = exits[found[1]]
    if int(found[2]) < len(targets):
        return (found[1], targets[int(found[2])])
    return (at, None)


def _without(design: Design, node: NodeDefinition, kind: str, key: str) -> Design:
    return _with_ways(
        design,
        node,
        kind,
        {one: to for one, to in node.params[kind].items() if one != key},
    )


def _without_target(
    design: Design, node: NodeDefinition, output: str, target: str
) -> Design:
    """Without any target left, the output would go to nobody: then it goes along all edges, as others do."""
    left = [one for one in exits_of(node)[output] if one != target]
    if not left:
        return _without(design, node, EXITS, output)
    return _with_ways(design, node, EXITS, {**node.params[EXITS], output: left})


def _with_ways(
    design: Design, node: NodeDefinition, kind: str, ways: Mapping[str, Any]
) -> Design:
    params = {**node.params, kind: dict(ways)}
    return edits.set_params(
        design,
        node.id,
        {name: value for name, value in params.items() if name != kind or value},
    )
