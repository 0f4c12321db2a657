"""Chat model: asks a language model about each message, and sends its answer on."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from pydantic import Field

from runtime.errors import NodeError
from runtime.events import WorkflowEvent
from runtime.executors.executor import Executor, WorkflowContext, handler
from runtime.executors.outside import Outside
from runtime.expressions.environment import EnvTemplate, Secrets
from runtime.expressions.json_schemas import validator_of
from runtime.expressions.template import Template
from runtime.expressions.text_formats import BASE_URL_FORMAT, CHAT_MODEL_FORMAT
from runtime.nodes.base import (
    NET,
    JsonSchema,
    NodeParams,
    NodeType,
    Place,
    TemplateText,
    fill,
    only_when,
    render,
    together,
    well_formed,
)
from runtime.nodes.support.chat_client import Answer, ChatError, Endpoint, ask
from runtime.system.bounded_files import from_json

_FENCED = re.compile(r"\s*```\w*\s*\n(.*?)\n?\s*```\s*", re.DOTALL)

BaseUrl = Annotated[
    str,
    well_formed(BASE_URL_FORMAT),
    Field(json_schema_extra={"format": BASE_URL_FORMAT}),
]


class ChatModelParams(NodeParams):
    model_config = together(CHAT_MODEL_FORMAT)

    model: str = Field(
        min_length=1,
        title="Model",
        description="The name of the model, as the server calls it, such as gpt-5-mini.",
    )
    prompt: TemplateText = Field(
        "{message}",
        title="Prompt",
        description="The question to the model. {message} is the arriving message, {message.name} is a part of it.",
    )
    system: TemplateText = Field(
        "",
        title="Instructions",
        description="How the model should behave; sent before the prompt. May be empty.",
    )
    base_url: BaseUrl = Field(
        "https://api.openai.com/v1",
        title="Address",
        description="Where the server is: any that speaks OpenAI's protocol, such as http://localhost:11434/v1. "
        "{env.NAME} is a variable of the environment.",
    )
    key_variable: str = Field(
        "OPENAI_API_KEY",
        pattern=r"^([A-Za-z_][A-Za-z0-9_]*)?$",
        title="Key variable",
        description=(
            "The variable of the environment that holds the key; empty if the "
            "server needs none."
        ),
        json_schema_extra={"format": "environment-variable"},
    )
    temperature: float | None = Field(
        None,
        ge=0,
        le=2,
        title="Temperature",
        description="0 is steady, 1 is lively. Empty leaves it to the server.",
        json_schema_extra={"group": "Model"},
    )
    max_tokens: int | None = Field(
        None,
        ge=1,
        title="Most tokens",
        description="The longest answer. Empty leaves it to the server.",
        json_schema_extra={"group": "Model"},
    )
    limit_name: Literal["max_tokens", "max_completion_tokens"] = Field(
        "max_tokens",
        title="Limit as",
        description="How the server calls the longest answer; OpenAI's newer models want max_completion_tokens.",
        json_schema_extra={"group": "Model"},
    )
    answer: Literal["text", "json", "schema"] = Field(
        "text",
        title="Answer as",
        description="text is sent on as it is; json asks for JSON and sends its value; schema asks for JSON that fits "
        "the schema below, and checks it.",
        json_schema_extra={"group": "Answer"},
    )
    json_schema: JsonSchema = Field(
        default_factory=dict,
        title="Schema",
        description='With \'schema\': the JSON Schema of the answer, such as {"type": "object", "properties": {...}}.',
        json_schema_extra={"group": "Answer", **only_when(answer="schema")},
    )
    stream: bool = Field(
        True,
        title="Stream",
        description=(
            "Show each piece of the answer as it comes; the whole answer is sent "
            "on at the end."
        ),
        json_schema_extra={"group": "Answer"},
    )
    whole_answer: bool = Field(
        False,
        title="Whole answer",
        description="Send on a map with answer, model, finish_reason and usage, and not the answer alone.",
        json_schema_extra={"group": "Answer"},
    )
    timeout: float = Field(
        120.0,
        gt=0,
        le=3600,
        title="Timeout",
        description="Seconds that the server may be silent.",
        json_schema_extra={"unit": "s", "group": "Limits and retries"},
    )
    retries: int = Field(
        2,
        ge=0,
        le=10,
        title="Retries",
        description=(
            "How often the node asks again without a connection, or when the "
            "server is busy."
        ),
        json_schema_extra={"group": "Limits and retries"},
    )


class ChatModelExecutor(Executor):
    def __init__(self, id: str, params: ChatModelParams) -> None:
        super().__init__(id, type=CHAT_MODEL.type)
        self._params = params
        self._prompt = Template(params.prompt)
        self._system = Template(params.system)
        self._base_url = EnvTemplate(params.base_url)

    @handler
    async def ask(self, message: Any, ctx: WorkflowContext[Any]) -> None:
        secrets = Secrets()

        async def on_text(piece: str) -> None:
            await ctx.add_event(WorkflowEvent("data", piece, executor_id=self.id))

        try:
            endpoint = self._endpoint(secrets)
            reply = await ask(
                endpoint,
                self._options(message),
                on_text if self._params.stream else None,
            )
        except ChatError as error:
            # Not chained: the client's text may hold what `mask` hides in ours.
            raise self._error(secrets.mask(str(error))) from None
        await ctx.send_message(self._result(reply))

    def _endpoint(self, secrets: Secrets) -> Endpoint:
        base_url = fill(self._base_url, None, secrets, self.id)
        try:
            if self._params.key_variable:
                key = secrets.value(self._params.key_variable)
            else:
                key = ""
        except LookupError as error:
            raise NodeError(
                f"{error.args[0]}, or empty 'Key variable'.", self.id
            ) from error
        return Endpoint(base_url, key, self._params.timeout, self._params.retries)

    def _options(self, message: Any) -> dict[str, Any]:
        system = render(self._system, message, self.id)
        prompt = render(self._prompt, message, self.id)
        instructions = [{"role": "system", "content": system}] if system else []
        options: dict[str, Any] = {
            "model": self._params.model,
            "messages": [*instructions, {"role": "user", "content": prompt}],
            "temperature": self._params.temperature,
            self._params.limit_name: self._params.max_tokens,
            "response_format": self._format(),
        }
        return {name: value for name, value in options.items() if value is not None}

    def _format(self) -> dict[str, Any] | None:
        match self._params.answer:
            case "json":
                return {"type": "json_object"}
            case "schema":
                return {
                    "type": "json_schema",
                    "json_schema": {
                        "name": "answer",
                        "schema": self._params.json_schema,
                    },
                }
            case _:
                return None

    def _result(self, reply: Answer) -> Any:
        answer = reply.text if self._params.answer == "text" else self._parsed(reply)
        if not self._params.whole_answer:
            return answer
        return {
            "answer": answer,
            "model": reply.model,
            "finish_reason": reply.finish_reason,
            "usage": reply.usage,
        }

    def _parsed(self, reply: Answer) -> Any:
        fenced = _FENCED.fullmatch(reply.text)
        try:
            value = from_json(fenced[1] if fenced else reply.text)
        except ValueError as error:
            hint = "say in 'Instructions' that it shall be JSON and nothing else"
            if reply.finish_reason == "length":
                hint = "it was cut off: raise 'Most tokens'"
            raise self._error(f"the answer is no JSON ({error}); {hint}") from error
        if self._params.answer == "schema":
            self._check(value)
        return value

    def _check(self, value: Any) -> None:
        validator = validator_of(self._params.json_schema, trusted=True)
        fault = next(validator.iter_errors(value), None)
        if fault is not None:
            raise self._error(
                f"the answer does not fit the schema at {fault.json_path}: {fault.message}"
            )

    def _error(self, why: str) -> NodeError:
        return NodeError(
            f"asking the model '{self._params.model}': {why.rstrip('.')}.", self.id
        )


def _make(place: Place, params: ChatModelParams) -> Executor:
    return ChatModelExecutor(place.node_id, params)


CHAT_MODEL = NodeType(
    type="chat_model",
    title="Chat model",
    category=NET,
    icon="model",
    description="Asks a language model about each message, and sends its answer on, as text or as JSON. It works with "
    "every server that speaks OpenAI's chat protocol, also one on this machine. The key stays in the environment. "
    "Needs the extra: pip install 'stepwell[chat]'. A superstep that has failed asks again; "
    "a run that goes on from the past has the recorded answer.",
    params=ChatModelParams,
    make=_make,
    outside=lambda params: Outside(f"question to the model {params.model}"),
    summary="model",
    always_sends=True,
    sink=True,
)
