"""The way of a value as it is drawn on one level of a workflow: which nodes made what,
and along which wires it came.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from runtime.debug.protocol import OriginStep

# edge group, source, target, and the number of a switch's case: 0 for the default,
# None for any
Wire = tuple[str, str, str, int | None]


@dataclass(frozen=True)
class OriginPath:
    """`numbers` are those of the steps by the node that took them; `chosen` is the node
    of the step that the user looks at, "" for none.
    """

    numbers: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    wires: frozenset[Wire] = frozenset()
    chosen: str = ""


NO_PATH = OriginPath()


def path_on(
    steps: Sequence[OriginStep],
    way: Sequence[str],
    keys: Sequence[str] = (),
    chosen: int = 0,
) -> OriginPath:
    """Return the part of a way on the level to which `way` leads. With `keys`, the
    invocations that are shown, the steps of others are left out. What happened further
    inside counts for the sub-workflow's node.
    """
    nodes = {step.number: _node_on(step, way, keys) for step in steps}
    numbers: dict[str, list[int]] = {}
    wires = set()
    for step in steps:
        node = nodes[step.number]
        if not node:
            continue
        numbers.setdefault(node, []).append(step.number)
        if len(step.runs) != len(way):
            continue  # its messages came along edges of another level
        for link in step.sources:
            source = nodes.get(link.number, "")
            if link.edge:
                wires.add((link.edge, source, node, _case_number(link.case)))
    return OriginPath(
        {node: tuple(sorted(found)) for node, found in numbers.items()},
        frozenset(wires),
        nodes.get(chosen, ""),
    )


def _case_number(case: str) -> int | None:
    if not case:
        return None
    return 0 if case == "default" else int(case) + 1


def _node_on(step: OriginStep, way: Sequence[str], keys: Sequence[str]) -> str:
    """Return the node of a level that took a step; "" for none."""
    depth = len(way)
    if not step.executor or len(step.runs) < depth:
        return ""
    owners = [run.rpartition("#")[0] for run in step.runs]
    if owners[:depth] != list(way):
        return ""
    if keys and list(step.runs[:depth]) != list(keys):
        return ""
    return owners[depth] if len(owners) > depth else step.executor
