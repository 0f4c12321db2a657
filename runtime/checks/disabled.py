"""Consequences of disabled nodes: nodes that get no messages any more, and joins that
never fill.
"""

from __future__ import annotations

from collections.abc import Iterator

from runtime.checks.graph import Flow
from runtime.checks.rules import problem
from runtime.document.disabled import disabled_ids
from runtime.document.graph import reached
from runtime.document.problem import Problem

_NAMED = 4  # how many nodes a sentence names


def disabled_problems(drawn: Flow, live: Flow) -> Iterator[Problem]:
    """Yield problems of disabled nodes. `drawn` has all ways, `live` those on
    which messages can come.
    """
    silent = disabled_ids(drawn.definition)
    if not silent:
        return
    if drawn.start in silent:
        title = drawn.titles[drawn.start]
        yield problem("start-on", "off", drawn.start, "off", node=title)
        return
    running = reached(live.targets, live.start)
    # node that gets no messages -> disabled nodes that lead to it
    causes_by_node: dict[str, list[str]] = {}
    for node_id in drawn.titles:
        if node_id not in silent or node_id not in running:
            continue
        behind = [node for node in _behind(drawn, node_id) if node not in running]
        for cut_off in behind:
            causes_by_node.setdefault(cut_off, []).append(node_id)
        if behind:
            yield _cut_off_problem(drawn, node_id, behind)
    yield from _waiting_joins(live, causes_by_node)


def _behind(flow: Flow, node_id: str) -> list[str]:
    reachable = reached(flow.targets, node_id) - {node_id}
    return [node for node in flow.titles if node in reachable]


def _cut_off_problem(flow: Flow, node_id: str, behind: list[str]) -> Problem:
    return problem(
        "behind-disabled",
        "cut_off",
        node_id,
        node=flow.titles[node_id],
        names=_names(flow, behind),
    )


def _names(flow: Flow, ids: list[str]) -> str:
    if len(ids) <= _NAMED:
        return flow.names(ids)
    return f"{', '.join(flow.titles[node] for node in ids[: _NAMED - 1])} and {len(ids) - _NAMED + 1} more"


def _waiting_joins(
    live: Flow, causes_by_node: dict[str, list[str]]
) -> Iterator[Problem]:
    """Yield joins that wait for an enabled node behind a disabled one."""
    for edge in live.edges:
        if edge.join is None or not edge.join.needs_every_source:
            continue
        missed = [source for source in edge.source_ids if source in causes_by_node]
        if not missed or len(missed) == len(edge.source_ids):
            continue  # no message comes at all: its target has a problem of its own
        causes: dict[str, None] = {}
        for source in missed:
            causes |= dict.fromkeys(causes_by_node[source])
        cause = live.names(list(causes))
        yield problem(
            "join-can-fill",
            "disabled",
            edge.id,
            target=live.titles[edge.target_ids[0]],
            names=_names(live, missed),
            cause=cause,
        )
