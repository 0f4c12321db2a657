"""Checks of what disabled nodes mean for the others: who gets no message any more, and which joins never fill."""

from __future__ import annotations

from collections.abc import Iterator

from runtime.checks.graph import Flow
from runtime.document.disabled import disabled_ids
from runtime.document.graph import reached
from runtime.document.problem import Problem

_NAMED = 4  # how many nodes a sentence names
_ENABLE = (
    "Enable it again (D), or bypass it (B): then it sends every message on as it came."
)


def off_problems(drawn: Flow, live: Flow) -> Iterator[Problem]:
    """`drawn` has all ways, `live` those on which messages can come. Nothing is found where no node is disabled."""
    silent = disabled_ids(drawn.definition)
    if not silent:
        return
    if drawn.start in silent:
        text = f"{drawn.titles[drawn.start]} is disabled, and the run starts there: nothing else would run"
        yield Problem(
            severity="error",
            rule="start-on",
            message=text,
            location=drawn.start,
            part="off",
            remedy=_ENABLE,
        )
        return
    running = reached(live.targets, live.start)
    # by what is lost: the disabled nodes that lead there
    lost: dict[str, list[str]] = {}
    for node_id in (one for one in drawn.titles if one in silent and one in running):
        behind = [one for one in _behind(drawn, node_id) if one not in running]
        for one in behind:
            lost.setdefault(one, []).append(node_id)
        if behind:
            yield _nothing_comes(drawn, node_id, behind)
    yield from _joins(live, lost)


def _behind(flow: Flow, node_id: str) -> list[str]:
    found = reached(flow.targets, node_id) - {node_id}
    return [one for one in flow.titles if one in found]


def _nothing_comes(flow: Flow, node_id: str, behind: list[str]) -> Problem:
    text = f"While {flow.titles[node_id]} is disabled, no message reaches {_names(flow, behind)}"
    return Problem(
        severity="warning",
        rule="behind-disabled",
        message=text,
        location=node_id,
        remedy=_ENABLE,
    )


def _names(flow: Flow, ids: list[str]) -> str:
    if len(ids) <= _NAMED:
        return flow.names(ids)
    return f"{', '.join(flow.titles[one] for one in ids[: _NAMED - 1])} and {len(ids) - _NAMED + 1} more"


def _joins(live: Flow, lost: dict[str, list[str]]) -> Iterator[Problem]:
    """Joins that wait for a node that is not disabled itself, but behind one that is."""
    for edge in live.edges:
        if edge.join is None or not edge.join.needs_every_source:
            continue
        missed = [source for source in edge.source_ids if source in lost]
        if not missed or len(missed) == len(edge.source_ids):
            continue  # nothing comes at all, which is said of its target
        cause = live.names(
            list(dict.fromkeys(one for source in missed for one in lost[source]))
        )
        target = live.titles[edge.target_ids[0]]
        text = f"The join into {target} can never fill: no message reaches {_names(live, missed)}"
        yield Problem(
            severity="warning",
            rule="join-can-fill",
            message=f"{text} while {cause} is disabled",
            location=edge.id,
            remedy=f"Disable {_names(live, missed)} too: the join waits for no node that is disabled.",
        )
