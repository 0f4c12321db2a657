"""Checks answers to open requests, all of them before anything changes, and coerces
them to the type asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from runtime.engine.sub_runs import sub_workflow
from runtime.errors import NothingAskedError, RequestError
from runtime.message import Request
from runtime.state import RunState, runs_of
from runtime.values.coercion import coerce, is_json
from runtime.values.type_matching import describe, is_instance_of
from runtime.values.user_failures import in_words

if TYPE_CHECKING:
    from runtime.graph.workflow_graph import WorkflowGraph

Checked = dict[str, tuple[Request, Any]]


def check_answers(
    workflow: WorkflowGraph, state: RunState, responses: Mapping[str, Any]
) -> Checked:
    """Return the answers with their requests. Raise `RequestError` for the first one
    that does not fit.
    """
    if responses and not state.requests:
        raise NothingAskedError(next(iter(responses)))
    checked = {}
    for request_id, value in responses.items():
        try:
            checked[request_id] = _check(workflow, state, request_id, value)
        except RecursionError as error:
            raise RequestError(
                f"The answer to request '{request_id}' is nested too deep.", request_id
            ) from error
    return checked


def open_request(
    state: RunState, request_id: str, *, to: str = "Response provided for"
) -> Request:
    """Return the open request of an id. Raise `RequestError`, which begins with `to`,
    if there is none.
    """
    request = state.requests.get(request_id)
    if request is None:
        waiting = ", ".join(map(repr, state.requests)) or "none"
        raise RequestError(
            f"{to} unknown request ID: '{request_id}' is unknown, answered already, or cancelled. "
            f"Open requests: {waiting}.",
            request_id,
        )
    return request


def _check(
    workflow: WorkflowGraph, state: RunState, request_id: str, value: Any
) -> tuple[Request, Any]:
    request = open_request(state, request_id)
    if is_json(value) and request.schema is not None:
        _check_schema(request, value)
    answer = coerce(value, request.response_type)
    if not is_instance_of(answer, request.response_type):
        raise RequestError(
            f"Response type mismatch for request ID {request_id}: the answer must be of type "
            f"{describe(request.response_type)}, got {type(value).__name__}.",
            request_id,
        )
    executor = workflow.executors[request.executor_id]
    if executor.wraps_workflow:
        # It only passes the answer on, so the executor that asked inside must take it.
        child = sub_workflow(workflow, executor.id)
        check_reply(child, runs_of(state, executor.id), request_id, answer)
    elif executor.response_handler_for(request.data, answer) is None:
        raise RequestError(
            f"Executor '{request.executor_id}' has no response handler for {type(answer).__name__} as the answer to "
            f"request '{request_id}'.",
            request_id,
        )
    return request, answer


def check_reply(
    workflow: WorkflowGraph, runs: Iterable[RunState], request_id: str, value: Any
) -> Any:
    """Return the answer for the run that asked, among the runs of a sub-workflow.
    Raises as `check_answers` does.
    """
    asking = next((run for run in runs if request_id in run.requests), RunState())
    return _check(workflow, asking, request_id, value)[1]


def _check_schema(request: Request, value: Any) -> None:
    # The schema may come from anywhere, so nothing that it refers to is fetched, and
    # its errors become RequestErrors.
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import best_match
    from jsonschema.validators import validator_for
    from referencing import Registry

    try:
        validator = validator_for(request.schema, default=Draft202012Validator)
        validator.check_schema(request.schema)
        error = best_match(
            validator(request.schema, registry=Registry()).iter_errors(value)
        )
    except Exception as failure:
        raise RequestError(
            f"The schema of request '{request.id}' cannot be used to check an answer: {in_words(failure)}. Correct "
            f"what executor '{request.executor_id}' asks with.",
            request.id,
        ) from failure
    if error is not None:
        where = error.json_path.removeprefix("$").removeprefix(".")
        fault = f"the answer does not fit{f' at {where}' if where else ''}: {error.message}."
        text = f"Response type mismatch for request ID {request.id}: {fault}"
        raise RequestError(text, request.id) from error
