"""Small things that code for agent-framework does with events, graphs, streams,
workflows and errors.
"""

from __future__ import annotations

import json
import warnings
from dataclasses import replace
from typing import Any, Never

import pytest

from runtime import (
    Edge,
    FanInEdgeGroup,
    FanOutEdgeGroup,
    InMemoryCheckpointStorage,
    InProcRunnerContext,
    ResponseStream,
    SingleEdgeGroup,
    SubWorkflowResponseMessage,
    SwitchCaseEdgeGroup,
    SwitchCaseEdgeGroupCase,
    SwitchCaseEdgeGroupDefault,
    Workflow,
    WorkflowBuilder,
    WorkflowCheckpointException,
    WorkflowContext,
    WorkflowErrorDetails,
    WorkflowEvent,
    WorkflowEventSource,
    WorkflowInvocationKwargs,
    WorkflowMessage,
    WorkflowRunResult,
    WorkflowRunState,
    executor,
)
from runtime.edges import EdgeGroup, MultiSelectionEdgeGroup
from runtime.message import Request
from tests.runtime.graphs import Sink, Step, uneven_join
from tests.runtime.test_requests import Question, Verdict

# --- events -------------------------------------------------------------------------------------------------------


def test_each_kind_of_event_has_its_factory():
    details = WorkflowErrorDetails.from_exception(ValueError("no"), executor_id="e")
    made = {
        "started": WorkflowEvent.started(),
        "status": WorkflowEvent.status(WorkflowRunState.IDLE),
        "failed": WorkflowEvent.failed(details),
        "warning": WorkflowEvent.warning("w"),
        "error": WorkflowEvent.error(ValueError()),
        "superstep_started": WorkflowEvent.superstep_started(1),
        "superstep_completed": WorkflowEvent.superstep_completed(1),
        "executor_invoked": WorkflowEvent.executor_invoked("e", 1),
        "executor_completed": WorkflowEvent.executor_completed("e"),
        "executor_failed": WorkflowEvent.executor_failed("e", details),
        "executor_bypassed": WorkflowEvent.executor_bypassed("e"),
        "request_info": WorkflowEvent.request_info("r", "e", "data", int),
    }
    assert [event.type for event in made.values()] == list(made)
    assert made["failed"].details is made["executor_failed"].data is details
    assert made["request_info"].request_type is str
    assert made["started"].origin is WorkflowEventSource.EXECUTOR
    assert WorkflowEvent[str] is not None
    with pytest.warns(DeprecationWarning, match="intermediate_output_from"):
        assert WorkflowEvent.emit("e", 1).type == "data"


def test_details_without_what_is_sensitive_have_the_class_only():
    made = WorkflowErrorDetails.from_exception(
        ValueError("secret"), include_sensitive_data=False
    )
    assert (made.error_type, made.message, made.traceback) == (
        "ValueError",
        "ValueError",
        None,
    )


def test_a_request_goes_into_a_dict_and_comes_back():
    event = WorkflowEvent.request_info("r", "e", Question("shape"), Verdict)
    data = event.to_dict()
    assert data["response_type"] == f"{Verdict.__module__}.Verdict"
    for allowed in (
        None,
        {data["request_type"]: Question, data["response_type"]: Verdict},
    ):
        back = WorkflowEvent.from_dict(data, allowed_types=allowed)
        assert (back.request_id, back.source_executor_id, back.data) == (
            "r",
            "e",
            Question("shape"),
        )
        assert (back.request_type, back.response_type) == (Question, Verdict)
    # two events are two things that happened, as there
    assert event != WorkflowEvent.from_dict(data)


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"request_type": "builtins.int"}, TypeError),
        ({"response_type": "no_such_module.Thing"}, TypeError),
        ({"response_type": f"{__name__}.json"}, TypeError),
    ],
)
def test_a_dict_that_is_no_request_is_refused_and_imports_nothing(
    change: dict[str, Any], error: type[Exception]
):
    data = WorkflowEvent.request_info("r", "e", "text", int).to_dict() | change
    with pytest.raises(error):
        WorkflowEvent.from_dict(data)
    with pytest.raises(KeyError, match="Missing 'data' field"):
        WorkflowEvent.from_dict({})
    with pytest.raises(ValueError, match="only supported for 'request_info'"):
        WorkflowEvent.started().to_dict()


def test_a_message_goes_into_a_dict_and_comes_back():
    message = WorkflowMessage({"n": 1}, "a", "b", trace_contexts=[{"traceparent": "t"}])
    assert WorkflowMessage.from_dict(message.to_dict()) == message
    assert message.trace_context == {"traceparent": "t"}
    assert WorkflowMessage.from_dict({"data": 1, "source_id": "a"}).target_id is None
    with pytest.raises(KeyError, match="Missing 'source_id'"):
        WorkflowMessage.from_dict({"data": 1})


def test_a_question_of_a_sub_workflow_is_read_as_an_event():
    request = Request("r", "inner", Question("q"), Verdict, 1)
    assert (request.type, request.request_id, request.source_executor_id) == (
        "request_info",
        "r",
        "inner",
    )
    assert (request.request_type, request.response_type) == (Question, Verdict)
    event = WorkflowEvent.request_info("r", "inner", Question("q"), Verdict)
    assert SubWorkflowResponseMessage(1, event).source_event == replace(
        request, superstep=0
    )  # type: ignore[arg-type]


# --- graphs -------------------------------------------------------------------------------------------------------


def is_ready(_: Any) -> bool:
    return True


async def test_an_edge_is_asked_and_goes_into_a_dict():
    edge = Edge("a", "b", is_ready)
    assert (edge.id, edge.has_condition, await edge.should_route(1)) == (
        "a->b",
        True,
        True,
    )
    assert edge.to_dict() == {
        "source_id": "a",
        "target_id": "b",
        "condition_name": "is_ready",
    }
    assert await Edge("a", "b").should_route(None)
    back = Edge.from_json(edge.to_json())
    assert back.to_dict() == edge.to_dict()
    with pytest.raises(RuntimeError, match="Callable 'is_ready' is unavailable"):
        await back.should_route(1)
    with pytest.raises(ValueError, match="Edge target_id must be a non-empty string"):
        Edge("a", "")


GROUPS = [
    SingleEdgeGroup("a", "b", is_ready),
    FanOutEdgeGroup("a", ["b", "c"]),
    FanOutEdgeGroup("a", ["b", "c"], lambda data, ids: ids, selection_func_name="some"),
    FanInEdgeGroup(["a", "b"], "c", policy="count", count=3),
    MultiSelectionEdgeGroup("a", ["b", "c"], lambda data, ids: ids),
    SwitchCaseEdgeGroup(
        "a",
        [
            SwitchCaseEdgeGroupCase(is_ready, "b", condition_name="ready"),
            SwitchCaseEdgeGroupDefault("c"),
        ],
    ),
]


@pytest.mark.parametrize("group", GROUPS, ids=lambda group: group.type)
def test_an_edge_group_goes_into_a_dict_and_comes_back(group: EdgeGroup):
    back = EdgeGroup.from_dict(json.loads(group.to_json()))
    assert type(back) is type(group)
    assert back.to_dict() == group.to_dict()
    assert (back.source_executor_ids, back.target_executor_ids) == (
        list(group.source_ids),
        list(group.target_ids),
    )
    assert group.clone().to_dict() == group.to_dict()


def test_a_group_of_an_unknown_kind_and_a_case_without_target_are_refused():
    with pytest.raises(ValueError, match="Unknown edge group type 'Other'"):
        EdgeGroup.from_dict({"type": "Other", "edges": [], "id": "x"})
    with pytest.raises(ValueError, match="requires a target_id"):
        SwitchCaseEdgeGroupCase(is_ready, "")
    with pytest.raises(ValueError, match="requires a target_id"):
        SwitchCaseEdgeGroupDefault("")


# --- workflows ----------------------------------------------------------------------------------------------------


def test_a_workflow_has_an_id_of_its_own_and_is_json():
    one = uneven_join()
    other = uneven_join()
    assert one.id != other.id
    assert one.graph_signature == other.graph_signature
    assert one.graph_signature_hash == other.graph_signature_hash
    assert json.loads(one.to_json()) == one.to_dict()
    assert one.to_dict()["id"] == one.id
    assert json.loads(one.get_start_executor().to_json()) == {"id": "A", "type": "Step"}


async def test_a_workflow_made_directly_takes_its_storage_from_the_runner_context():
    storage = InMemoryCheckpointStorage()
    sink = Sink("s")
    workflow = Workflow(
        [], {"s": sink}, sink, InProcRunnerContext(storage), "direct", "described", 7
    )
    assert (workflow.name, workflow.description, workflow.max_iterations) == (
        "direct",
        "described",
        7,
    )
    await workflow.run("x")
    assert len(await storage.list_checkpoint_ids(workflow_name="direct")) == 2
    with pytest.raises(TypeError, match="runner_context"):
        Workflow([], {"s": sink}, sink, object())  # type: ignore[arg-type]


def test_old_names_of_parameters_warn_and_work():
    sink = Sink("s")
    with pytest.warns(DeprecationWarning, match="output_executors"):
        built = WorkflowBuilder(start_executor=sink, output_executors=[sink]).build()
    with pytest.warns(DeprecationWarning, match="intermediate_executors"):
        made = Workflow([], {"s": sink}, sink, intermediate_executors=["s"])
    assert (built.is_terminal_executor("s"), made.is_intermediate_executor("s")) == (
        True,
        True,
    )
    with (
        warnings.catch_warnings(),
        pytest.raises(TypeError, match="Cannot pass both `output_executors`"),
    ):
        Workflow([], {"s": sink}, sink, output_from=["s"], output_executors=["s"])


SEEN: list[Any] = []


@executor(id="looks")
async def looks(_: str, ctx: WorkflowContext[Never, Any]) -> None:
    SEEN.append(ctx.get_runtime_tools())


@pytest.mark.parametrize(
    ("tools", "seen"),
    [(None, None), (len, [len]), ([len, [max, min]], [len, max, min]), ([], [])],
)
async def test_tools_reach_handlers_for_one_run_and_no_checkpoint(
    tools: Any, seen: Any
):
    storage = InMemoryCheckpointStorage()
    workflow = WorkflowBuilder(
        start_executor=looks, name="w", checkpoint_storage=storage
    ).build()
    SEEN.clear()
    await workflow.run("x", tools=tools)
    await workflow.run("x")
    assert [seen, None] == SEEN
    record = await storage.store.load(
        (await storage.list_checkpoint_ids(workflow_name="w"))[0]
    )
    parts = await storage.store.parts([part.digest for part in record.manifest])
    assert not any(b"len" in data for data in parts.values())


@pytest.mark.parametrize("name", ["function_invocation_kwargs", "client_kwargs"])
@pytest.mark.parametrize(
    "value",
    [
        {"key": 1},
        WorkflowInvocationKwargs({"key": 1}),
        WorkflowInvocationKwargs(executor_kwargs={"a": {}}),
    ],
)
async def test_keyword_arguments_for_agents_are_refused_with_the_reason(
    name: str, value: Any
):
    workflow = WorkflowBuilder(start_executor=looks).build()
    with pytest.raises(ValueError, match=f"{name} is for agents"):
        await workflow.run("x", **{name: value})
    for nothing in (None, {}, WorkflowInvocationKwargs()):
        await workflow.run("x", **{name: nothing})


async def test_a_stream_is_awaited_closed_and_keeps_its_updates():
    stream: ResponseStream[WorkflowEvent, WorkflowRunResult] = await uneven_join().run(
        "x", stream=True
    )
    seen = [event async for event in stream]
    assert stream.updates == seen
    assert (await stream.get_final_response()).get_outputs() == [["xAB", "xACD"]]
    other = WorkflowBuilder(start_executor=Step("a")).build()
    unfinished = other.run("x", stream=True)
    await anext(unfinished)
    await unfinished.close()
    other.reset()  # refused while a run is active
    assert (await other.run("y")).get_final_state() is WorkflowRunState.IDLE


def test_an_error_takes_what_caused_it():
    inner = ValueError("inner")
    assert WorkflowCheckpointException(
        "text", inner_exception=inner, log_level=None
    ).args == ("text", inner)
    assert str(WorkflowCheckpointException("text")) == "text"
