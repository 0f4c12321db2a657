"""Small definitions and hand-made checkpoints for the tests of the debugger."""

from collections.abc import Mapping
from typing import Any

from runtime.checkpoint import Cause, Checkpoint, CheckpointHeader
from runtime.debug.graphs.graph import graph_of
from runtime.debug.joins.ledger import Ledger
from runtime.debug.protocol import JoinMoment
from runtime.debug.supersteps.next_superstep import outlook
from runtime.debug.supersteps.past_supersteps import NO_PAST, Past
from runtime.document.definition import (
    DirectEdge,
    EdgeDefinition,
    FanInEdge,
    FanOutEdge,
    NodeDefinition,
    SwitchCase,
    SwitchEdge,
    WorkflowDefinition,
)
from runtime.message import Message, Request, internal_source_id
from runtime.state import ExecutorRecord, RunState, Trace

JOIN_KEY = 'fan_in:[["b","join"],["d","join"]]'


def workflow(*edges: EdgeDefinition, start: str = "a") -> WorkflowDefinition:
    """The definition with these edges, and a node for each name in them."""

    ids = dict.fromkeys(
        [start, *(id_ for edge in edges for pair in edge.pairs for id_ in pair)]
    )
    nodes = tuple(
        NodeDefinition(id=id_, type="python", name=id_.upper()) for id_ in ids
    )
    return WorkflowDefinition(name="w", start=start, nodes=nodes, edges=edges)


# a fans out to b and c; c goes to d; b and d meet in a join.
LOST_JOIN = workflow(
    FanOutEdge(id="out", source="a", targets=("b", "c")),
    DirectEdge(id="cd", source="c", target="d"),
    FanInEdge(id="in", sources=("b", "d"), target="join"),
)

# a chooses x or y; both lead to a join with b.
BRANCHES = workflow(
    SwitchEdge(
        id="sw",
        source="a",
        cases=(SwitchCase(when="message > 1", target="x"),),
        default="y",
    ),
    DirectEdge(id="xz", source="x", target="z"),
    FanInEdge(id="in", sources=("y", "z"), target="join"),
)


def ran(**supersteps: int) -> dict[str, ExecutorRecord]:
    """Records of executors that ran once, in the superstep given."""
    return {
        id_: ExecutorRecord(runs=1, last_superstep=superstep)
        for id_, superstep in supersteps.items()
    }


def first_input(data: Any = 1) -> Message:
    return Message(data, internal_source_id("a"), "a")


def question(executor: str, data: Any = "Ship it?", **more: Any) -> dict[str, Request]:
    return {"q1": Request("q1", executor, data, str, 1, **more)}


def checkpoint(
    definition: WorkflowDefinition | Mapping[str, Any] | None,
    state: RunState,
    trace: Trace | None = None,
) -> Checkpoint:
    if isinstance(definition, WorkflowDefinition):
        definition = {"workflow": definition.model_dump(mode="json")}
    header = CheckpointHeader(
        "c1", "r1", "w", state.superstep, Cause.SUPERSTEP, status="IN_PROGRESS"
    )
    return Checkpoint(header, state, trace or Trace(), definition)


def join_ledger(
    checkpoint: Checkpoint, history: Past = NO_PAST
) -> tuple[JoinMoment, ...]:
    """Every join at one checkpoint, in the order of the definition, told from the
    checkpoint alone.
    """
    graph = graph_of(checkpoint.definition, checkpoint.state)
    ahead = outlook(graph, checkpoint.state)
    return Ledger(graph, checkpoint.state, checkpoint.trace, ahead, history).joins()
