"""Ask a person: a question that waits for its answer, however long; other branches go
on.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from pydantic import Field

from runtime.codec import DEFAULT_TYPES
from runtime.executors.executor import (
    Executor,
    WorkflowContext,
    handler,
    response_handler,
)
from runtime.executors.outside import Outside
from runtime.expressions.template import Template
from runtime.expressions.text_formats import ASK_FORMAT
from runtime.nodes.base import (
    HUMAN,
    JsonSchema,
    NodeParams,
    NodeType,
    Place,
    TemplateText,
    render,
    together,
)


@dataclass(frozen=True)
class Question:
    """A question to a person: its text, the message that led to it, and the JSON Schema
    of the answer.
    """

    text: str
    details: Any = None
    schema: dict[str, Any] = field(default_factory=dict)

    @property
    def answer_schema(self) -> dict[str, Any]:
        return self.schema


DEFAULT_TYPES.register(Question, "stepwell:Question")


class AskParams(NodeParams):
    model_config = together(ASK_FORMAT)

    question: TemplateText = Field(
        "May this go on?",
        title="Question",
        description="The text that the person reads. {message} is the arriving message, "
        "{message.name} and {message[0]} are its parts.",
    )
    choices: list[str] = Field(
        default_factory=list,
        title="Choices",
        description="The verdicts to choose from. Without choices the answer is yes or no, or a text.",
    )
    reason_required_for: list[str] = Field(
        default_factory=list,
        title="Reason required for",
        description="The choices that need a reason.",
    )
    free_text: bool = Field(
        False,
        title="Free text",
        description="Without choices: the answer is a text. With choices: a reason may be given with each of them.",
    )
    answer_schema: JsonSchema = Field(
        default_factory=dict,
        title="Answer schema",
        description=(
            "Instead of choices: the JSON Schema of the answer. The form is made "
            'from it. For example {"type": "object", "properties": {"price": '
            '{"type": "number"}}, "required": ["price"]}.'
        ),
        json_schema_extra={"group": "Form of the answer"},
    )


def answer_schema(params: AskParams) -> dict[str, Any]:
    """The JSON Schema of the answer: the given one; `{"verdict": ..., "reason": ...}`
    with choices; else a text or a boolean.
    """
    if params.answer_schema:
        return params.answer_schema
    if not params.choices:
        if params.free_text:
            return {"type": "string", "title": "Answer", "minLength": 1}
        return {"type": "boolean", "title": "Answer"}
    properties: dict[str, Any] = {
        "verdict": {"type": "string", "title": "Verdict", "enum": params.choices}
    }
    schema: dict[str, Any] = {
        "type": "object",
        "title": "Decision",
        "properties": properties,
        "required": ["verdict"],
        "additionalProperties": False,
    }
    if params.free_text or params.reason_required_for:
        properties["reason"] = {
            "type": "string",
            "title": "Reason",
            "format": "multiline",
        }
    if params.reason_required_for:
        schema["if"] = {
            "properties": {"verdict": {"enum": params.reason_required_for}},
            "required": ["verdict"],
        }
        schema["then"] = {
            "properties": {"reason": {"minLength": 1}},
            "required": ["reason"],
        }
    return schema


class AskExecutor(Executor):
    def __init__(self, id: str, params: AskParams) -> None:
        super().__init__(id, type=ASK.type)
        self._text = Template(params.question)
        self._schema = answer_schema(params)
        self._answer_type: type = {"object": dict, "string": str, "boolean": bool}[
            self._schema["type"]
        ]

    @handler
    async def ask(self, message: Any, ctx: WorkflowContext[dict[str, Any]]) -> None:
        question = Question(render(self._text, message, self.id), message, self._schema)
        await ctx.request_info(question, self._answer_type)

    @response_handler
    async def verdict(
        self,
        original_request: Question,
        response: dict[str, Any],
        ctx: WorkflowContext[dict[str, Any]],
    ) -> None:
        await self._send_on(original_request, response, ctx)

    @response_handler
    async def text(
        self,
        original_request: Question,
        response: str,
        ctx: WorkflowContext[dict[str, Any]],
    ) -> None:
        await self._send_on(original_request, response, ctx)

    @response_handler
    async def yes_or_no(
        self,
        original_request: Question,
        response: bool,
        ctx: WorkflowContext[dict[str, Any]],
    ) -> None:
        await self._send_on(original_request, response, ctx)

    async def _send_on(
        self, question: Question, answer: Any, ctx: WorkflowContext[dict[str, Any]]
    ) -> None:
        await ctx.send_message({"message": question.details, "answer": answer})


def _make(place: Place, params: AskParams) -> Executor:
    return AskExecutor(place.node_id, params)


ASK = NodeType(
    type="ask",
    title="Ask a person",
    category=HUMAN,
    icon="person",
    description=(
        "Asks a person about each message and waits for the answer, even if the "
        "program is restarted. It sends a map on: message is what the person was "
        "asked about, answer is a verdict with a reason, a text, yes or no, or "
        "what your schema says."
    ),
    params=AskParams,
    make=_make,
    outside=lambda _: Outside("question to a person", is_harmless=True),
    outputs=("dict[str, Any]",),
    summary="question",
    always_sends=True,
)
