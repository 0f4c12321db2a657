"""What a patch does to open questions: it answers, withdraws or changes them, in the run
that asked and in all runs around it that passed the question on.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any

from runtime.codec import TypeRegistry, encode
from runtime.engine.answers import check_answers
from runtime.engine.commit import without_questions
from runtime.engine.sub_runs import Path, answer_tree, sub_workflow
from runtime.errors import EncodeError
from runtime.message import Request
from runtime.patches.inner_value import inner_value, with_inner_value
from runtime.patches.json_form import as_json, typed
from runtime.patches.message_values import of_type, question_of
from runtime.patches.patch import PatchChange
from runtime.patches.refused import Refused, path_words
from runtime.state import RunState, owner_of
from runtime.values.copies import isolate

if TYPE_CHECKING:
    from runtime.graph.workflow_graph import WorkflowGraph


def change_question(
    workflow: WorkflowGraph,
    state: RunState,
    change: PatchChange,
    types: TypeRegistry,
) -> tuple[RunState, list[str]]:
    """Return the whole run with one change of a question, and warnings. Raise `Refused`
    or `RequestError`.
    """
    path = _outermost(state, change.run, change.key)
    inner_workflow, asking = _run(workflow, state, path)
    warnings = []
    if path and change.do == "answer":
        warnings.append(
            f"'{owner_of(path[-1])}' passed this question on to an executor around it. Its own answer will find no "
            "question any more."
        )
    match change.do:
        case "answer":
            answered = _answered(inner_workflow, asking, change, types)
        case "withdraw":
            answered = without_questions(asking, [change.key])
        case _:
            warnings = _compare(asking.requests[change.key], change, types)
            answered = _with_data(inner_workflow, asking, change, types)
    return _with_run(state, path, answered), warnings


def _outermost(state: RunState, run: Path, request_id: str) -> Path:
    """Return the path of the outermost run in which a question is open, on the way to
    the run that is named. Raise `Refused` if it is open in none.
    """
    levels = [state]
    for key in run:
        children = levels[-1].children
        if key not in children:
            raise Refused(f"The run '{'/'.join(run)}' has ended by another change.")
        levels.append(children[key])
    if request_id not in levels[-1].requests:
        waiting = ", ".join(f"'{name}'" for name in levels[-1].requests) or "none"
        raise Refused(
            f"No question '{request_id}' is open here. Open questions: {waiting}."
        )
    for level in levels:
        held = (level.queue, *level.buffers.values())
        if any(question_of(message) == request_id for message in chain(*held)):
            raise Refused(
                "This question, or an answer to it, waits in a queue as a message. Change or drop that message."
            )
    depth = len(run)
    while depth > 0:
        around = levels[depth - 1].requests.get(request_id)
        if around is None or around.executor_id != owner_of(run[depth - 1]):
            break
        depth -= 1
    return run[:depth]


def _run(
    workflow: WorkflowGraph, state: RunState, path: Path
) -> tuple[WorkflowGraph, RunState]:
    for key in path:
        workflow = sub_workflow(workflow, owner_of(key))
        state = state.children[key]
    return workflow, state


def _with_run(state: RunState, path: Path, run: RunState) -> RunState:
    if not path:
        return run
    key = path[0]
    child = _with_run(state.children[key], path[1:], run)
    return replace(state, children={**state.children, key: child})


# --- the three changes --------------------------------------------------------------------------------------------


def _answered(
    workflow: WorkflowGraph, state: RunState, change: PatchChange, types: TypeRegistry
) -> RunState:
    if change.type:
        value = of_type(change.value, change.type, iter(()), types)
    else:
        value = typed(change.value, None, types)
    checked = check_answers(workflow, state, {change.key: value})
    for _, answer in checked.values():
        _check_savable(answer, types, "")
    return answer_tree(workflow, state, checked)


def _with_data(
    workflow: WorkflowGraph, state: RunState, change: PatchChange, types: TypeRegistry
) -> RunState:
    """Return the state with other data in a question. The executor that asked inside
    must still take the answer to it.
    """
    request = state.requests[change.key]

    def make(present: Any) -> Any:
        if change.type:
            return of_type(change.value, change.type, iter(()), types)
        return typed(change.value, present, types)

    data = with_inner_value(request.data, change.path, make, types)
    _check_savable(data, types, path_words(change.path))
    return _with_data_inside(workflow, state, request, data)


def _with_data_inside(
    workflow: WorkflowGraph, state: RunState, request: Request, data: Any
) -> RunState:
    children = dict(state.children)
    executor = workflow.executors[request.executor_id]
    if executor.wraps_workflow:
        inner = sub_workflow(workflow, executor.id)
        for key, child in state.children.items():
            inner_request = child.requests.get(request.id)
            if owner_of(key) == executor.id and inner_request is not None:
                children[key] = _with_data_inside(inner, child, inner_request, data)
    elif not executor.can_ask(data, request.response_type):
        raise Refused(
            f"'{executor.id}' takes no answer to a question of the type {type(data).__name__}."
        )
    new_request = replace(request, data=isolate(data))
    requests = {**state.requests, request.id: new_request}
    if all(children[key] is child for key, child in state.children.items()):
        return replace(state, requests=requests)
    return replace(state, requests=requests, children=children)


def _compare(request: Request, change: PatchChange, types: TypeRegistry) -> list[str]:
    if change.was is None:
        return []
    try:
        present = inner_value(request.data, change.path, types)
        is_same = as_json(present, types) == change.was
    except (Refused, EncodeError):
        is_same = False
    if is_same:
        return []
    return ["The question is another one than the one that the patch was made for."]


def _check_savable(value: Any, types: TypeRegistry, path: str) -> None:
    try:
        encode(value, types)
    except EncodeError as error:
        raise Refused(f"The value cannot be saved: {error}.", path) from None
