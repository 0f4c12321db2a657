"""Questions to the outside and their answers: rules 22 to 24."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from enum import Enum
from typing import Any

import pytest
from pydantic import BaseModel

from runtime.engine.runner import Runner
from runtime.errors import RequestError
from runtime.events import WorkflowRunState
from runtime.executors.executor import (
    Executor,
    WorkflowContext,
    handler,
    response_handler,
)
from runtime.stores import open_store
from runtime.values.coercion import coerce
from runtime.workflow.builder import WorkflowBuilder
from runtime.workflow.workflow import Workflow
from tests.runtime.graphs import Sink


@dataclass
class Question:
    text: str


@dataclass
class Verdict:
    accepted: bool
    score: float = 0.0


class Model(BaseModel):
    n: int


class Colour(Enum):
    RED = "red"


class Asker(Executor):
    """Asks once for each word of its input, and yields what it hears."""

    def __init__(self, id: str = "ask", request_id: str | None = None) -> None:
        super().__init__(id)
        self.request_id = request_id
        self.broken = False

    @handler
    async def take(self, message: str, ctx: WorkflowContext[Any, Any]) -> None:
        for word in message.split():
            await ctx.request_info(Question(word), Verdict, request_id=self.request_id)

    @response_handler
    async def hear(
        self,
        original_request: Question,
        response: Verdict,
        ctx: WorkflowContext[Any, Any],
    ) -> None:
        if self.broken:
            raise ValueError("broken")
        await ctx.yield_output(
            (original_request.text, response.accepted, ctx.request_id)
        )


def asking(asker: Asker | None = None) -> Workflow:
    return WorkflowBuilder(start_executor=asker or Asker(), name="asking").build()


async def paused(words: str = "circle square", asker: Asker | None = None) -> Runner:
    runner = Runner(asking(asker))
    await runner.start(words)
    await runner.finish()
    return runner


async def outputs_of(runner: Runner) -> list[Any]:
    found = []
    while (trace := await runner.step()) is not None:
        found.extend(output.data for output in trace.outputs)
    return found


async def test_case_29_ids_are_distinct_and_equal_again_after_a_replay():
    ids = [list((await paused()).state.requests) for _ in range(2)]
    assert ids[0] == ids[1] == ["ask:1:0", "ask:1:1"]


async def test_rule_23_answers_in_either_order_reach_their_own_question():
    runner = await paused()
    assert runner.status is WorkflowRunState.IDLE_WITH_PENDING_REQUESTS
    await runner.answer({"ask:1:1": Verdict(True)})
    assert await outputs_of(runner) == [("square", True, "ask:1:1")]
    assert runner.status is WorkflowRunState.IDLE_WITH_PENDING_REQUESTS
    await runner.answer({"ask:1:0": {"accepted": False}})
    assert await outputs_of(runner) == [("circle", False, "ask:1:0")]
    assert runner.status is WorkflowRunState.IDLE


@pytest.mark.parametrize(
    "responses",
    [
        {"nobody": Verdict(True)},
        {"ask:1:0": Verdict(True), "nobody": Verdict(True)},
        {"ask:1:0": Verdict(True), "ask:1:1": "yes"},
        {"ask:1:0": {"accepted": "perhaps"}},
        {"ask:1:0": {"accepted": True, "surplus": 1}},
        {"ask:1:0": None},
    ],
)
async def test_rule_23_answers_are_checked_as_a_whole_before_anything_changes(
    responses: dict[str, Any],
):
    runner = await paused()
    before = runner.state
    with pytest.raises(RequestError):
        await runner.answer(responses)
    assert runner.state is before


async def test_case_20_an_answered_request_cannot_be_answered_again():
    runner = await paused("one")
    await runner.answer({"ask:1:0": Verdict(True)})
    with pytest.raises(RequestError, match="answered already"):
        await runner.answer({"ask:1:0": Verdict(True)})
    await runner.finish()
    with pytest.raises(RequestError, match="answered already"):
        await runner.answer({"ask:1:0": Verdict(True)})


async def test_a_response_handler_that_raises_leaves_its_request_open():
    asker = Asker()
    runner = await paused("one", asker)
    await runner.answer({"ask:1:0": Verdict(True)})
    asker.broken = True
    with pytest.raises(ValueError, match="broken"):
        await runner.step()
    assert list(runner.state.requests) == ["ask:1:0"]
    asker.broken = False
    await runner.answer({"ask:1:0": Verdict(False)})
    assert await outputs_of(runner) == [("one", False, "ask:1:0")]
    assert runner.state.requests == {}


async def test_the_answer_of_a_failed_superstep_can_also_be_tried_again():
    asker = Asker()
    runner = await paused("one", asker)
    await runner.answer({"ask:1:0": Verdict(True)})
    asker.broken = True
    with pytest.raises(ValueError, match="broken"):
        await runner.step()
    asker.broken = False
    assert await outputs_of(runner) == [("one", True, "ask:1:0")]
    assert runner.state.requests == {}


async def test_rule_22_an_id_in_use_is_refused():
    with pytest.raises(RequestError, match="in use"):
        await paused("one two", Asker(request_id="mine"))


async def test_rule_22_asking_without_a_response_handler_is_refused_when_asked():
    class Deaf(Executor):
        @handler
        async def take(self, message: str, ctx: WorkflowContext) -> None:
            await ctx.request_info(Question(message), Verdict)

    runner = Runner(WorkflowBuilder(start_executor=Deaf("deaf")).build())
    await runner.start("x")
    with pytest.raises(RequestError, match="response_handler"):
        await runner.step()


async def test_rule_22_a_later_run_on_the_same_instance_does_not_reuse_an_open_id():
    runner = await paused("one")
    await runner.start("two", keep_state=True)
    await runner.finish()
    assert [request.data.text for request in runner.state.requests.values()] == [
        "one",
        "two",
    ]


async def test_the_schema_of_an_answer_comes_from_its_type_or_from_the_question():
    runner = await paused("one")
    schema = runner.state.requests["ask:1:0"].schema
    assert schema["properties"]["accepted"]["type"] == "boolean"

    class Form:
        def answer_schema(self) -> dict[str, Any]:
            return {"type": "integer", "minimum": 3}

    class FormAsker(Executor):
        @handler
        async def take(self, message: str, ctx: WorkflowContext[Any, Any]) -> None:
            await ctx.request_info(Form(), Any, request_id="form")

        @response_handler
        async def hear(
            self, original_request: Form, response: Any, ctx: WorkflowContext[Any, Any]
        ) -> None:
            await ctx.yield_output(response)

    runner = Runner(WorkflowBuilder(start_executor=FormAsker("f")).build())
    await runner.start("x")
    await runner.finish()
    with pytest.raises(RequestError, match="minimum"):
        await runner.answer({"form": 2})
    await runner.answer({"form": 3})
    assert await outputs_of(runner) == [3]


async def test_rule_23_parallel_branches_run_on_while_a_question_is_open():
    class Both(Asker):
        @handler
        async def number(self, message: int, ctx: WorkflowContext[Any, Any]) -> None:
            await ctx.request_info(Question("?"), Verdict)
            await ctx.send_message("go on")

    asker = Both()
    sink = Sink("s")
    runner = Runner(WorkflowBuilder(start_executor=asker).add_edge(asker, sink).build())
    await runner.start(1)
    assert await outputs_of(runner) == ["go on"]
    assert runner.status is WorkflowRunState.IDLE_WITH_PENDING_REQUESTS


@pytest.mark.parametrize(
    ("value", "wanted", "expected"),
    [
        ({"accepted": True, "score": 1}, Verdict, Verdict(True, 1.0)),
        ({"n": 1}, Model, Model(n=1)),
        (1, float, 1.0),
        ([1, 2], set[int], {1, 2}),
        ([1, 2], tuple[int, ...], (1, 2)),
        ([{"accepted": True}], list[Verdict], [Verdict(True)]),
        ("red", Colour, Colour.RED),
        ({"accepted": True}, Verdict | None, Verdict(True)),
        ("text", int, "text"),
        (True, float, True),
    ],
)
def test_rule_23_coercion(value: Any, wanted: Any, expected: Any):
    found = coerce(value, wanted)
    assert found == expected
    assert type(found) is type(expected)


async def test_rule_29_what_the_caller_does_to_an_announced_question_changes_nothing() -> (
    None
):
    """Rule 29: the run keeps its own, for the handler of the answer and for the next
    checkpoint.
    """
    workflow = asking()
    [event] = (await workflow.run("a")).get_request_info_events()
    event.data.text = "changed"
    [(text, _, _)] = (
        await workflow.run(responses={event.request_id: Verdict(True)})
    ).get_outputs()
    assert text == "a"


# --- schemas and classes that come from anywhere ------------------------------------------------------------------


@dataclass
class Offering:
    answer_schema: Any = None


class Unwilling:
    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Unwilling:
        raise RuntimeError(f"not from {values}")


def offering(schema: Any, wanted: Any = Any) -> Workflow:
    """Asks with this schema for an answer of this type."""

    class Offers(Executor):
        @handler
        async def take(self, message: Any, ctx: WorkflowContext[Any, Any]) -> None:
            await ctx.request_info(Offering(schema), wanted)

        @response_handler
        async def hear(
            self,
            original_request: Offering,
            response: Any,
            ctx: WorkflowContext[Any, Any],
        ) -> None:
            await ctx.yield_output(response)

    return WorkflowBuilder(start_executor=Offers("ask")).build()


NESTED: list[Any] = []
for _ in range(2000):
    NESTED = [NESTED]


@pytest.mark.parametrize(
    ("schema", "answer", "wanted", "text"),
    [
        ({"type": "nothing"}, "x", Any, "SchemaError"),
        ({"$ref": "#"}, "x", Any, "RecursionError"),
        ({"$ref": "#/nowhere"}, "x", Any, "cannot be used"),
        (None, {"a": 1}, Unwilling, "must be of type Unwilling"),
        (None, NESTED, Any, "nested too deep"),
    ],
    ids=["no schema", "round", "nowhere", "class that raises", "deep"],
)
async def test_whatever_goes_wrong_in_a_check_refuses_the_answer_and_keeps_the_question(
    schema: Any, answer: Any, wanted: Any, text: str
) -> None:
    workflow = offering(schema, wanted)
    [event] = (await workflow.run("x")).get_request_info_events()
    with pytest.raises(RequestError, match=text):
        await workflow.run(responses={event.request_id: answer})
    with pytest.raises(RequestError, match=text):
        await workflow.run(responses={event.request_id: answer})


async def test_a_schema_fetches_nothing_from_elsewhere() -> None:
    """A schema is data of a checkpoint, which may be somebody else's: an address in it
    must not be called.
    """
    visits: list[bytes] = []

    async def visited(
        reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        visits.append(await reader.readline())
        writer.close()

    async with await asyncio.start_server(visited, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        workflow = offering({"$ref": f"http://127.0.0.1:{port}/schema.json"})
        [event] = (await workflow.run("x")).get_request_info_events()
        with pytest.raises(RequestError, match="cannot be used"):
            await workflow.run(responses={event.request_id: "x"})
        await asyncio.sleep(0)
    assert visits == []


async def test_a_new_message_and_a_restore_while_questions_are_open_are_said_in_the_log(
    caplog: pytest.LogCaptureFixture,
):
    store = open_store("memory:")
    workflow = WorkflowBuilder(start_executor=Asker(), checkpoint_storage=store).build()
    await workflow.run("circle")
    assert caplog.records == []
    await workflow.run("square")
    await workflow.run(checkpoint_id=workflow.get_last_checkpoint_id())
    said = [one.getMessage() for one in caplog.records]
    assert [
        ("a fresh message" in text, "a checkpoint restore" in text) for text in said
    ] == [
        (True, False),
        (False, True),
    ]
    await workflow.run(responses={"ask:1:0": Verdict(True)})
    assert len(caplog.records) == 2
