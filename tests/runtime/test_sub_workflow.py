"""Workflows inside workflows: one barrier for the whole tree (rules 25 to 27)."""

from __future__ import annotations

from typing import Any

import pytest

from runtime.engine.runner import Runner
from runtime.errors import RequestError, SignatureMismatchError
from runtime.events import RunEvent, WorkflowRunState
from runtime.executors.executor import (
    Executor,
    WorkflowContext,
    handler,
    response_handler,
)
from runtime.message import Request
from runtime.stores.memory import MemoryStore
from runtime.workflow.builder import WorkflowBuilder
from runtime.workflow.sub_workflow import (
    SubWorkflowRequestMessage,
    SubWorkflowResponseMessage,
    WorkflowExecutor,
)
from runtime.workflow.workflow import Workflow
from tests.runtime.graphs import Collect, Sink, Step, react, uneven_join
from tests.runtime.test_requests import Question, Verdict

Ctx = WorkflowContext[Any, Any]


async def outputs_of(runner: Runner) -> list[Any]:
    found = []
    while (trace := await runner.step()) is not None:
        found.extend(output.data for output in trace.outputs)
    return found


async def passing(message: Any, ctx: Ctx) -> None:
    await ctx.send_message(message)


def around(child: Workflow, **options: Any) -> Workflow:
    """`start` sends to the child, and what comes out goes to a sink."""
    start = react("start", passing)
    sub = WorkflowExecutor(child, "sub", **options)
    sink = Sink("sink")
    return (
        WorkflowBuilder(start_executor=start, name="outer")
        .add_edge(start, sub)
        .add_edge(sub, sink)
        .build()
    )


class TwoQuestions(Executor):
    """Asks a first question and, when that is answered, a second; yields both answers."""

    @handler
    async def take(self, message: str, ctx: Ctx) -> None:
        await ctx.request_info(Question(f"{message}1"), Verdict)

    @response_handler
    async def hear(
        self, original_request: Question, response: Verdict, ctx: Ctx
    ) -> None:
        first = ctx.executor_state.setdefault("answers", [])
        first.append(response.score)
        if len(first) == 1:
            await ctx.request_info(Question(original_request.text[:-1] + "2"), Verdict)
        else:
            await ctx.yield_output((original_request.text[:-1], tuple(first)))


def asking_child() -> Workflow:
    return WorkflowBuilder(start_executor=TwoQuestions("ask"), name="child").build()


async def test_rule_26_the_childs_outputs_become_messages_of_its_executor():
    runner = Runner(around(uneven_join()))
    await runner.start("x")
    assert await outputs_of(runner) == [["xAB", "xACD"]]
    assert runner.state.children == {}


async def test_rule_26_or_outputs_of_the_parent():
    start = react("start", passing)
    sub = WorkflowExecutor(uneven_join(), "sub", allow_direct_output=True)
    runner = Runner(WorkflowBuilder(start_executor=start).add_edge(start, sub).build())
    await runner.start("x")
    assert await outputs_of(runner) == [["xAB", "xACD"]]


async def test_rule_25_each_superstep_of_the_root_advances_the_child_by_one_and_is_seen_with_its_path():
    heard: list[RunEvent] = []
    runner = Runner(around(uneven_join()), observer=heard.append)
    await runner.start("x")
    ran = []
    while (trace := await runner.step()) is not None:
        ran.append([invocation.executor_id for invocation in trace.invocations])
        child = runner.state.children.get("sub#1")
        if len(ran) == 5:
            assert child is not None
            assert [message.data for message in next(iter(child.buffers.values()))] == [
                "xAB"
            ]
    assert ran == [
        ["start"],
        ["sub"],
        ["sub#1/A"],
        ["sub#1/B", "sub#1/C"],
        ["sub#1/D"],
        ["sub#1/J"],
        ["sink"],
    ]
    assert ("sub#1",) in {event.path for event in heard}


@pytest.mark.parametrize("superstep", range(7))
async def test_case_21_restored_at_any_moment_the_child_goes_on_where_it_was(
    superstep: int,
):
    store = MemoryStore()
    runner = Runner(around(uneven_join()), store)
    await runner.start("x")
    await runner.finish()
    header = (await store.headers())[superstep]
    other = Runner(around(uneven_join()), store)
    await other.restore(header.id)
    assert await outputs_of(other) == [["xAB", "xACD"]]
    assert other.state.superstep == 7


async def test_case_23_two_runs_of_one_child_do_not_mix_their_answers():
    async def both(_message: Any, ctx: Ctx) -> None:
        await ctx.send_message("a")
        await ctx.send_message("b")

    start = react("start", both)
    sub = WorkflowExecutor(asking_child(), "sub", propagate_request=True)
    sink = Sink("sink")
    runner = Runner(
        WorkflowBuilder(start_executor=start)
        .add_edge(start, sub)
        .add_edge(sub, sink)
        .build()
    )
    await runner.start("x")
    outputs = await outputs_of(runner)
    for number in (1, 2):
        questions = {
            request.data.text: request.id for request in runner.state.requests.values()
        }
        assert set(questions) == {f"a{number}", f"b{number}"}
        for text, id in questions.items():
            await runner.answer(
                {id: Verdict(True, float(f"{'12'['ab'.index(text[0])]}{number}"))}
            )
            outputs += await outputs_of(runner)
    assert outputs == [("a", (11.0, 12.0)), ("b", (21.0, 22.0))]
    assert runner.status is WorkflowRunState.IDLE


async def test_case_20_after_a_restore_only_the_second_question_is_open():
    store = MemoryStore()
    runner = Runner(around(asking_child(), propagate_request=True), store)
    await runner.start("q")
    await runner.finish()
    (first,) = runner.state.requests
    await runner.answer({first: Verdict(True, 1.0)})
    await runner.finish()
    assert runner.header is not None
    other = Runner(around(asking_child(), propagate_request=True), store)
    await other.restore(runner.header.id)
    (second,) = other.state.requests
    assert second != first
    with pytest.raises(RequestError):
        await other.answer({first: Verdict(True)})
    await other.answer({second: Verdict(True, 2.0)})
    assert await outputs_of(other) == [("q", (1.0, 2.0))]


async def test_case_22_the_innermost_of_three_survives_a_rebuild():
    def nest() -> Workflow:
        inner = around(asking_child(), propagate_request=True)
        return around(inner, propagate_request=True)

    store = MemoryStore()
    runner = Runner(nest(), store)
    await runner.start("q")
    await runner.finish()
    outputs: list[Any] = []
    for score in (1.0, 2.0):
        assert runner.header is not None
        runner_2 = Runner(nest(), store)
        await runner_2.restore(runner.header.id)
        (id,) = runner_2.state.requests
        await runner_2.answer({id: Verdict(True, score)})
        outputs += await outputs_of(runner_2)
        runner = runner_2
    assert outputs == [("q", (1.0, 2.0))]


async def test_rule_26_a_request_can_be_answered_by_an_executor_of_the_parent():
    class Clerk(Executor):
        @handler
        async def question(self, message: SubWorkflowRequestMessage, ctx: Ctx) -> None:
            score = float(message.source_event.data.text[-1])
            await ctx.send_message(
                message.create_response(Verdict(True, score)),
                target_id=message.executor_id,
            )

        @handler
        async def done(
            self, message: tuple[str, tuple[float, float]], ctx: Ctx
        ) -> None:
            await ctx.yield_output(message)

    sub = WorkflowExecutor(asking_child(), "sub")
    clerk = Clerk("clerk")
    workflow = (
        WorkflowBuilder(start_executor=sub)
        .add_edge(sub, clerk)
        .add_edge(clerk, sub)
        .build()
    )
    store = MemoryStore()
    runner = Runner(workflow, store)
    await runner.start("q")
    assert await outputs_of(runner) == [("q", (1.0, 2.0))]
    for header in await store.headers():
        other = Runner(workflow, store)
        await other.restore(header.id)
        await other.finish()
        assert other.status is WorkflowRunState.IDLE


async def test_rule_26_a_childs_failure_fails_the_superstep_of_the_whole_tree():
    async def fail(_message: Any, _ctx: Ctx) -> None:
        raise KeyError("inner")

    child = WorkflowBuilder(start_executor=react("bad", fail)).build()
    runner = Runner(around(child))
    await runner.start("x")
    with pytest.raises(KeyError, match="inner"):
        await runner.finish()
    assert runner.state.superstep == 2
    assert "sub#1" in runner.state.children


async def test_case_66_parent_and_child_have_each_their_own_state():
    async def write(message: Any, ctx: Ctx) -> None:
        ctx.set_state("k", "parent")
        await ctx.send_message(message)

    async def read(_message: Any, ctx: Ctx) -> None:
        await ctx.yield_output(ctx.get_state("k", "absent"))
        ctx.set_state("k", "child")

    child = WorkflowBuilder(start_executor=react("read", read)).build()
    start = react("start", write)
    sub = WorkflowExecutor(child, "sub")
    sink = Sink("sink")
    runner = Runner(
        WorkflowBuilder(start_executor=start)
        .add_edge(start, sub)
        .add_edge(sub, sink)
        .build()
    )
    await runner.start("x")
    assert await outputs_of(runner) == ["absent"]
    assert runner.state.shared == {"k": "parent"}


async def test_rule_17_a_join_that_stalls_inside_a_child_is_named_with_its_path():
    a = Step("A")
    b = Step("B")
    c = Step("C")
    builder = (
        WorkflowBuilder(start_executor=a)
        .add_edge(a, b)
        .add_edge(a, c, lambda _text: False)
    )
    child = builder.add_fan_in_edges([b, c], Collect("J"), id="join").build()
    runner = Runner(around(child))
    await runner.start("x")
    assert await runner.finish() is WorkflowRunState.IDLE_WITH_STALLED_JOINS
    (stalled,) = runner.stalled
    assert (stalled.group.id, stalled.path) == ("join", ("sub#1",))


async def test_case_24_a_changed_child_is_refused_by_name():
    def child(*ids: str) -> Workflow:
        steps = [Step(id) for id in ids]
        return WorkflowBuilder(start_executor=steps[0]).add_chain(steps).build()

    store = MemoryStore()
    runner = Runner(around(child("A", "B")), store)
    await runner.start("x")
    assert runner.header is not None
    with pytest.raises(SignatureMismatchError) as caught:
        await Runner(around(child("A", "B", "C")), store).restore(runner.header.id)
    assert any(
        "executors[sub].workflow.executors[C] is new" in line
        for line in caught.value.differences
    )


# --- answers that do not fit, and runs that begin while a question is open ----------------------------------------


async def test_a_new_run_keeps_the_sub_workflows_that_ask() -> None:
    """Their questions stay open, so whoever takes the answers must stay too; and no key
    of theirs is used again.
    """
    workflow = around(asking_child(), propagate_request=True)
    first = (await workflow.run("a")).get_request_info_events()[0]
    second = (await workflow.run("b")).get_request_info_events()[0]
    assert first.request_id != second.request_id
    outputs: list[Any] = []
    for event in (first, second):
        asked = await workflow.run(responses={event.request_id: Verdict(True, 1)})
        asked = await workflow.run(
            responses={asked.get_request_info_events()[0].request_id: Verdict(True, 2)}
        )
        outputs += asked.get_outputs()
    assert outputs == [("a", (1, 2)), ("b", (1, 2))]


async def test_rule_18_a_new_run_tells_of_what_it_throws_away_in_sub_workflows() -> (
    None
):
    async def never(_message: Any, _ctx: Ctx) -> None:
        """Sends nothing, so that the join waits for ever."""

    a = Step("A")
    b = Step("B")
    c = react("C", never)
    join = Collect("J")
    child = (
        WorkflowBuilder(start_executor=a)
        .add_fan_out_edges(a, [b, c])
        .add_fan_in_edges([b, c], join)
        .build()
    )
    workflow = around(child)
    assert (
        await workflow.run("x")
    ).get_final_state() is WorkflowRunState.IDLE_WITH_STALLED_JOINS
    told = [event.data for event in await workflow.run("y") if event.type == "warning"]
    assert [text for text in told if "thrown away" in text and "sub#1/J" in text]


class Answering(Executor):
    """Starts the child, and answers its questions with what it was made with."""

    def __init__(self, *answers: Any) -> None:
        super().__init__("parent")
        self.answers = answers

    @handler
    async def begin(self, message: str, ctx: Ctx) -> None:
        await ctx.send_message(message, target_id="sub")

    @handler
    async def asked(self, message: SubWorkflowRequestMessage, ctx: Ctx) -> None:
        for answer in self.answers:
            # by hand: of any type
            made = SubWorkflowResponseMessage(answer, message.source_event)
            await ctx.send_message(made, target_id="sub")


def test_rule_23_an_answer_of_another_type_is_refused_where_it_is_made() -> None:
    request = SubWorkflowRequestMessage(Request("q", "ask", "sure?", Verdict, 1), "sub")
    assert request.create_response(Verdict(True)).data == Verdict(True)
    # a verdict when it arrives
    assert request.create_response({"accepted": True}).data == {"accepted": True}
    with pytest.raises(
        TypeError, match="Response data type <class 'str'> does not match expected type"
    ):
        request.create_response("no verdict")


def answered_by(*answers: Any) -> Workflow:
    parent = Answering(*answers)
    sub = WorkflowExecutor(asking_child(), "sub", allow_direct_output=True)
    return (
        WorkflowBuilder(start_executor=parent)
        .add_edge(parent, sub)
        .add_edge(sub, parent)
        .build()
    )


@pytest.mark.parametrize(
    ("answers", "text"),
    [
        ([Verdict(True, 1), Verdict(True, 2)], "answered twice"),
        (["no verdict"], "does not fit"),
    ],
    ids=["twice", "wrong type"],
)
async def test_rule_23_an_executor_that_answers_a_child_wrongly_is_told(
    answers: list[Any], text: str
) -> None:
    with pytest.raises(RequestError, match=text):
        await answered_by(*answers).run("a")


async def test_an_executor_may_answer_a_child_in_json() -> None:
    """What `check_answers` makes of an answer from outside, it makes of one from the
    parent.
    """
    assert (
        await answered_by({"accepted": True, "score": 3}).run("a")
    ).get_outputs() == [("a", (3, 3))]


async def test_rule_23_an_answer_that_the_asker_inside_cannot_take_is_refused_before_anything_starts() -> (
    None
):
    class Choosy(Executor):
        @handler
        async def take(self, message: str, ctx: Ctx) -> None:
            await ctx.request_info(message, int | str)

        @response_handler
        async def hear(self, original_request: str, response: str, ctx: Ctx) -> None:
            await ctx.yield_output(response)

    inner = around(
        WorkflowBuilder(start_executor=Choosy("ask")).build(), propagate_request=True
    )
    workflow = around(inner, propagate_request=True)
    [event] = (await workflow.run("a")).get_request_info_events()
    with pytest.raises(RequestError, match="'ask' has no response handler for int"):
        await workflow.run(responses={event.request_id: 5})
    assert (await workflow.run(responses={event.request_id: "five"})).get_outputs() == [
        "five"
    ]


def wrapped(child: Workflow, **options: Any) -> Workflow:
    """A workflow that starts with the child as its first executor, and yields what
    comes out of it.
    """
    sub = WorkflowExecutor(child, "inner", **options)
    sink = Sink("inner sink")
    return (
        WorkflowBuilder(start_executor=sub, name="between").add_edge(sub, sink).build()
    )


async def test_a_workflow_that_starts_with_a_sub_workflow_may_be_one_itself() -> None:
    """What the first takes as answers to its own child is nothing that the workflow
    takes from outside.
    """
    runner = Runner(
        around(wrapped(WorkflowBuilder(start_executor=Sink("say")).build()))
    )
    await runner.start("x")
    assert await outputs_of(runner) == ["x"]


def test_only_a_child_that_passes_its_questions_on_counts_as_one_that_asks() -> None:
    """Otherwise targets were asked to take questions that never come."""
    assert not WorkflowExecutor(asking_child(), "sub").is_request_response_capable
    assert not WorkflowExecutor(
        uneven_join(), "sub", propagate_request=True
    ).is_request_response_capable
    assert WorkflowExecutor(
        asking_child(), "sub", propagate_request=True
    ).is_request_response_capable
