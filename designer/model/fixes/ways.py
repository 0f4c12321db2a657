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
    """Offer to connect what a way into or out of a sub-workflow is for, or to remove
    the way.
    """
    node = design.workflow.node(problem.location)
    kind, _, key = problem.part.removeprefix(_PARAM).partition(".")
    if node is None or not key or kind not in (ENTRIES, EXITS):
        return
    if kind == ENTRIES:
        yield from _connected(design, key, node.id)
        yield (
            f"Remove the way in from {title_of(design, key)}",
            lambda: _without(design, node, kind, key),
        )
        return
    output, target = _output_and_target(node, key)
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
    if design.workflow.node(source) is None or design.workflow.node(target) is None:
        return
    edges = design.workflow.edges
    if not any((source, target) in edge.pairs for edge in edges):
        text = f"Connect {title_of(design, source)} to {title_of(design, target)}"
        yield text, lambda: edits.connect(design, source, target)[0]


def _output_and_target(node: NodeDefinition, key: str) -> tuple[str, str | None]:
    """Return the output that a key names, and its target if the key is about one.

    `output` alone is the way with all its targets, `output[1]` the second of them. An
    id may look like that as well.
    """
    exits = exits_of(node)
    match = re.fullmatch(r"(.+)\[(\d+)\]", key)
    if key in exits or match is None or match[1] not in exits:
        return key, None
    output = match[1]
    number = int(match[2])
    if number < len(exits[output]):
        return output, exits[output][number]
    return key, None


def _without(design: Design, node: NodeDefinition, kind: str, key: str) -> Design:
    others = {name: to for name, to in node.params[kind].items() if name != key}
    return _with_ways(design, node, kind, others)


def _without_target(
    design: Design, node: NodeDefinition, output: str, target: str
) -> Design:
    """Remove a target of a way out; with the last one the way goes, so that the output
    goes along all edges.
    """
    targets = [other for other in exits_of(node)[output] if other != target]
    if not targets:
        return _without(design, node, EXITS, output)
    return _with_ways(design, node, EXITS, {**node.params[EXITS], output: targets})


def _with_ways(
    design: Design, node: NodeDefinition, kind: str, ways: Mapping[str, Any]
) -> Design:
    params = {**node.params, kind: dict(ways)}
    if not ways:
        del params[kind]
    return edits.set_params(design, node.id, params)
