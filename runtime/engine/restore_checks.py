"""Checks that a checkpoint fits the graph, to the last message, before a run takes its
state over.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from runtime.checkpoint import Checkpoint
from runtime.engine.sub_runs import sub_workflow
from runtime.errors import WorkflowCheckpointException
from runtime.message import Message, internal_source_id
from runtime.state import RunState, owner_of

if TYPE_CHECKING:
    from runtime.graph.workflow_graph import WorkflowGraph


_NO_MESSAGE = object()


def verify(workflow: WorkflowGraph, checkpoint: Checkpoint) -> None:
    """Raise `WorkflowCheckpointException` naming everything that does not fit."""
    _verify(workflow, checkpoint.state, checkpoint.header.id, "")


def misfits(workflow: WorkflowGraph, state: RunState, where: str = "") -> list[str]:
    """Return everything of a state that does not fit, here and in sub-workflows."""
    problems = [f"{problem}{where}" for problem in _problems(workflow, state)]
    if not problems:
        for key, child in state.children.items():
            inner = sub_workflow(workflow, owner_of(key))
            problems += misfits(inner, child, f" (run of '{key}')")
    return problems


def _problems(workflow: WorkflowGraph, state: RunState) -> list[str]:
    return [
        *_queue(workflow, state),
        *_buffers(workflow, state),
        *_owners(workflow, state),
    ]


def _verify(
    workflow: WorkflowGraph, state: RunState, checkpoint_id: str, where: str
) -> None:
    problems = _problems(workflow, state)
    if problems:
        raise WorkflowCheckpointException(
            f"Checkpoint {checkpoint_id} cannot be restored into workflow '{workflow.name}'{where}: "
            f"{'; '.join(problems)}. Restore it with the workflow that made it."
        )
    for key, child in state.children.items():
        _verify(
            sub_workflow(workflow, owner_of(key)),
            child,
            checkpoint_id,
            f" (run of '{key}')",
        )


def _queue(workflow: WorkflowGraph, state: RunState) -> list[str]:
    return [
        problem
        for message in state.queue
        if (problem := _problem_of(workflow, message))
    ]


def _problem_of(workflow: WorkflowGraph, message: Message) -> str:
    target = message.target_id
    source = message.source_id
    if target is not None and target not in workflow.executors:
        return f"a queued message is for the unknown executor '{target}'"
    if source in workflow.executors:
        return ""
    if target is None or source != internal_source_id(target):
        return f"a queued message comes from the unknown executor '{source}'"
    if not workflow.executors[target].can_handle(message):
        return f"no handler of executor '{target}' takes the {type(message.data).__name__} that waits for it"
    return ""


def _buffers(workflow: WorkflowGraph, state: RunState) -> list[str]:
    joins = {join.key: join for join in workflow.joins}
    problems = []
    for key, held in state.buffers.items():
        join = joins.get(key)
        if join is None:
            problems.append(f"it has a buffer for the unknown join '{key}'")
        elif not held:
            problems.append(f"the buffer of join '{key}' is there and holds nothing")
        elif any(message.source_id not in join.source_ids for message in held):
            problems.append(
                f"the buffer of join '{key}' has a message of none of its sources"
            )
        else:
            takes = workflow.executors[join.target_id].handler_for
            wrong = next(
                (message.data for message in held if takes([message.data]) is None),
                _NO_MESSAGE,
            )
            if wrong is not _NO_MESSAGE:
                problems.append(
                    f"the buffer of join '{key}' has a {type(wrong).__name__}, which '{join.target_id}' does not take"
                )
    return problems


def _owners(workflow: WorkflowGraph, state: RunState) -> list[str]:
    known = workflow.executors
    problems = [
        f"it has a record of the unknown executor '{executor_id}'"
        for executor_id in state.executors
        if executor_id not in known
    ]
    problems += [
        f"request '{request.id}' is of the unknown executor '{request.executor_id}'"
        for request in state.requests.values()
        if request.executor_id not in known
    ]
    for key in state.children:
        owner = known.get(owner_of(key))
        if owner is None or not owner.wraps_workflow:
            problems.append(f"it has a run of the unknown sub-workflow '{key}'")
    return problems
