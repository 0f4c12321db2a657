"""Runs of one node that get several messages, and that are stopped and restored between
any two supersteps.
"""

from __future__ import annotations

from typing import Any

from runtime.document.definition import WorkflowDefinition
from runtime.engine.runner import Runner
from runtime.state import Trace
from runtime.stores.memory import MemoryStore
from runtime.workflow.workflow import Workflow
from tests.documents import build


def behind_for_each(type: str, **params: Any) -> Workflow:
    """A list goes in; the node gets its items as messages, one after the other; an
    output is behind it.
    """
    nodes = [
        {"id": "each", "type": "for_each"},
        {"id": "it", "type": type, "params": params},
        {"id": "out", "type": "output"},
    ]
    edges = [
        {"kind": "direct", "id": "a", "source": "each", "target": "it"},
        {"kind": "direct", "id": "b", "source": "it", "target": "out"},
    ]
    return build(
        WorkflowDefinition.model_validate(
            {"start": "each", "nodes": nodes, "edges": edges}
        )
    )


def counting_into(type: str, upto: int, **params: Any) -> Workflow:
    """The node gets 1, 2, … one in each superstep; an output is behind it."""
    nodes = [
        {"id": "count", "type": "counter", "params": {"send": "count"}},
        {"id": "it", "type": type, "params": params},
        {"id": "out", "type": "output"},
    ]
    ways = [{"target": "it"}, {"target": "count", "when": f"message < {upto}"}]
    edges = [
        {"kind": "multi_selection", "id": "a", "source": "count", "selections": ways},
        {"kind": "direct", "id": "b", "source": "it", "target": "out"},
    ]
    return build(
        WorkflowDefinition.model_validate(
            {"start": "count", "nodes": nodes, "edges": edges}
        )
    )


def looping(type: str, condition: str, **params: Any) -> Workflow:
    """The node and, from it, an edge back through a function-free pass (a switch) while
    the condition is true.
    """
    nodes = [
        {"id": "it", "type": type, "params": params},
        {"id": "back", "type": "switch"},
        {"id": "out", "type": "output"},
    ]
    edges = [
        {
            "kind": "multi_selection",
            "id": "a",
            "source": "it",
            "selections": [{"target": "out"}, {"target": "back", "when": condition}],
        },
        {"kind": "direct", "id": "b", "source": "back", "target": "it"},
    ]
    return build(
        WorkflowDefinition.model_validate(
            {"start": "it", "nodes": nodes, "edges": edges}
        )
    )


def outputs_of(traces: list[Trace]) -> list[Any]:
    return [value.data for trace in traces for value in trace.outputs]


async def straight_and_restored(
    make: Any, message: Any
) -> tuple[list[Any], list[list[Any]]]:
    """All outputs of a run; and, for each of its checkpoints, what a fresh instance
    yields after that one.
    """
    store = MemoryStore()
    whole = Runner(make(), store)
    ids = []
    counts = []
    await whole.start(message)
    seen: list[Any] = []
    while True:
        assert whole.header is not None
        ids.append(whole.header.id)
        counts.append(len(seen))
        if not whole.is_active:
            break
        await whole.step()
        seen += outputs_of([whole.trace])
    rests = []
    for one, count in zip(ids, counts, strict=True):
        again = Runner(make(), store)
        await again.restore(one, fork=True)
        found = seen[:count]
        while again.is_active:
            await again.step()
            found += outputs_of([again.trace])
        rests.append(found)
    return seen, rests
