"""HTTP request: asks a server for each message, and sends the answer on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal
from urllib.parse import quote

from pydantic import Field

from runtime.errors import NodeError
from runtime.executors.executor import Executor, WorkflowContext, handler
from runtime.executors.outside import Outside
from runtime.expressions.environment import EnvTemplate, Secrets
from runtime.expressions.template import to_json
from runtime.expressions.text_formats import (
    HTTP_REQUEST_FORMAT,
    NAMED_VALUES_FORMAT,
    URL_FORMAT,
)
from runtime.nodes.base import (
    NET,
    EnvText,
    NodeParams,
    NodeType,
    Place,
    fill,
    only_when,
    together,
    well_formed,
)
from runtime.nodes.support.http_client import SHOWN, Answer, Call, Limits, Sender
from runtime.nodes.support.outside_words import to_host
from runtime.system.bounded_files import from_json

Url = Annotated[
    str, well_formed(URL_FORMAT), Field(json_schema_extra={"format": URL_FORMAT})
]
NamedValues = Annotated[
    dict[str, str],
    well_formed(NAMED_VALUES_FORMAT),
    Field(json_schema_extra={"format": NAMED_VALUES_FORMAT}),
]


class HttpRequestParams(NodeParams):
    model_config = together(HTTP_REQUEST_FORMAT)

    method: Literal["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"] = Field(
        "GET",
        title="Method",
        description="The method: GET reads, POST sends something new.",
    )
    url: Url = Field(
        title="Address",
        description="Such as https://example.org/items/{message.id}. {message} and its parts are what arrives, "
        "{env.NAME} is a variable of the environment. What fills a placeholder is escaped, but for one at the begin.",
    )
    query: NamedValues = Field(
        default_factory=dict,
        title="Query",
        description='Parameters behind the address, such as {"page": "{message.page}", "key": "{env.API_KEY}"}.',
    )
    headers: NamedValues = Field(
        default_factory=dict,
        title="Headers",
        description='Such as {"Authorization": "Bearer {env.API_KEY}"}. A secret is named, never written.',
    )
    send: Literal["nothing", "message", "text"] = Field(
        "nothing",
        title="Send",
        description="The body: nothing, the message (text and bytes as they are, anything else as JSON), or the text.",
    )
    text: EnvText = Field(
        "",
        title="Text",
        description="With 'text': the body, with placeholders {message.name} and {env.NAME}.",
        json_schema_extra=only_when(send="text"),
    )
    expected_status: list[Annotated[str, Field(pattern=r"^[1-5](\d\d|xx)$")]] = Field(
        ["2xx"],
        min_length=1,
        title="Expected status",
        description="Answers that are no error, such as 200, 404 or 2xx. Any other ends the run with an error.",
        json_schema_extra={"group": "Answer"},
    )
    content: Literal["auto", "json", "text", "bytes"] = Field(
        "auto",
        title="Answer as",
        description="json reads it, text decodes it, bytes leaves it as it is; auto "
        "follows the type that the server names.",
        json_schema_extra={"group": "Answer"},
    )
    whole_answer: bool = Field(
        False,
        title="Whole answer",
        description="Send on a map with status, headers and body, and not the body alone.",
        json_schema_extra={"group": "Answer"},
    )
    timeout: float = Field(
        30.0,
        gt=0,
        le=3600,
        title="Timeout",
        description="Seconds for one attempt, as a whole.",
        json_schema_extra={"unit": "s", "group": "Limits and retries"},
    )
    retries: int = Field(
        2,
        ge=0,
        le=10,
        title="Retries",
        description="How often it is tried again when there is no connection or no answer, or the server answers 429, "
        "500, 502, 503 or 504. Retry-After is obeyed, up to a minute.",
        json_schema_extra={"group": "Limits and retries"},
    )
    retry_wait: float = Field(
        0.5,
        ge=0,
        le=60,
        title="First wait",
        description="Seconds before the first retry; doubled each time.",
        json_schema_extra={"unit": "s", "group": "Limits and retries"},
    )
    repeat_post: bool = Field(
        False,
        title="Repeat POST",
        description="Also send POST and PATCH again where the first may have had its effect.",
        json_schema_extra={
            "group": "Limits and retries",
            **only_when(method=("POST", "PATCH")),
        },
    )
    follow_redirects: bool = Field(
        True,
        title="Follow redirects",
        description="Ask again where the server points to; values of the environment never go to another server.",
        json_schema_extra={"group": "Limits and retries"},
    )
    max_bytes: int = Field(
        10_000_000,
        ge=1,
        title="Largest answer",
        description="In bytes; a larger one is an error.",
        json_schema_extra={"unit": "bytes", "group": "Limits and retries"},
    )


class HttpRequestExecutor(Executor):
    def __init__(self, id: str, params: HttpRequestParams, sender: Sender) -> None:
        super().__init__(id, type=HTTP_REQUEST.type)
        self._params = params
        self._sender = sender
        self._url = EnvTemplate(params.url)
        self._text = EnvTemplate(params.text)
        self._query = _templates(params.query)
        self._headers = _templates(params.headers)

    @handler
    async def request(self, message: Any, ctx: WorkflowContext[Any]) -> None:
        secrets = Secrets()
        call = self._call(message, secrets)
        answer = await self._sender.send(call, secrets)
        self._check_status(call, answer, secrets)
        await ctx.send_message(self._result(answer))

    def _call(self, message: Any, secrets: Secrets) -> Call:
        def filled(template: EnvTemplate) -> str:
            return fill(template, message, secrets, self.id)

        url = fill(
            self._url,
            message,
            secrets,
            self.id,
            encode=lambda value: quote(value, safe=""),
        )
        headers = {name: filled(template) for name, template in self._headers.items()}
        query = {name: filled(template) for name, template in self._query.items()}
        content, kind = self._body(message, secrets)
        if kind and not any(name.lower() == "content-type" for name in headers):
            headers["Content-Type"] = kind
        return Call(self._params.method, url, headers, query, content)

    def _body(self, message: Any, secrets: Secrets) -> tuple[bytes | None, str]:
        """The bytes to send and their type."""
        match self._params.send, message:
            case "nothing", _:
                return None, ""
            case "text", _:
                text = fill(self._text, message, secrets, self.id)
                return self._encoded(text), "text/plain; charset=utf-8"
            case _, bytes():
                return message, "application/octet-stream"
            case _, str():
                return self._encoded(message), "text/plain; charset=utf-8"
        try:
            return self._encoded(to_json(message)), "application/json"
        except ValueError as error:
            raise NodeError(
                f"the message cannot be written as JSON: {error}.", self.id
            ) from error

    def _encoded(self, text: str) -> bytes:
        try:
            return text.encode()
        except UnicodeEncodeError:
            raise NodeError(
                "the text to send holds a lone surrogate; use proper text.", self.id
            ) from None

    def _check_status(self, call: Call, answer: Answer, secrets: Secrets) -> None:
        status = str(answer.status)
        if (
            status in self._params.expected_status
            or f"{status[0]}xx" in self._params.expected_status
        ):
            return
        begin = secrets.mask(" ".join(_text(answer).split()))[:SHOWN]
        request = secrets.mask(f"{call.method} {call.url}")
        expected = " or ".join(self._params.expected_status)
        raise NodeError(
            f"{request} answered {status}{f': {begin}' if begin else ''}. Expected is {expected}: change the "
            f"request, or "
            "'Expected status'.",
            self.id,
        )

    def _result(self, answer: Answer) -> Any:
        body = self._content(answer)
        if self._params.whole_answer:
            return {"status": answer.status, "headers": answer.headers, "body": body}
        return body

    def _content(self, answer: Answer) -> Any:
        match self._kind(answer):
            case "json":
                try:
                    return _json(answer) if answer.content else None
                except ValueError as error:
                    raise NodeError(
                        f"the answer is no JSON ({error}). Read it as text.", self.id
                    ) from error
            case "text":
                return _text(answer)
            case _:
                return answer.content

    def _kind(self, answer: Answer) -> str:
        if self._params.content != "auto":
            return self._params.content
        named = answer.headers.get("content-type", "").partition(";")[0].strip().lower()
        if named == "application/json" or named.endswith("+json"):
            return "json"
        texts = (
            "application/xml",
            "application/javascript",
            "application/x-www-form-urlencoded",
        )
        is_text = (
            not answer.content
            or named.startswith("text/")
            or named.endswith("+xml")
            or named in texts
        )
        return "text" if is_text else "bytes"


def _templates(values: Mapping[str, str]) -> dict[str, EnvTemplate]:
    return {name: EnvTemplate(text) for name, text in values.items()}


def _json(answer: Answer) -> Any:
    try:
        return from_json(answer.content)
    except UnicodeDecodeError:  # JSON is UTF-8, but some servers say otherwise
        return from_json(_text(answer))


def _text(answer: Answer) -> str:
    try:
        return answer.content.decode(answer.charset, errors="replace")
    except (
        LookupError,
        UnicodeError,
    ):  # the server names an unknown encoding, or one that is not of text
        return answer.content.decode("utf-8", errors="replace")


def _make(place: Place, params: HttpRequestParams) -> Executor:
    limits = Limits(
        params.timeout,
        params.retries,
        params.retry_wait,
        params.max_bytes,
        follow=params.follow_redirects,
        repeat_all=params.repeat_post,
    )
    return HttpRequestExecutor(place.node_id, params, Sender(place.node_id, limits))


HTTP_REQUEST = NodeType(
    type="http_request",
    title="HTTP request",
    category=NET,
    icon="globe",
    description="Sends a request to a server for each message, and sends its answer on. Keys and passwords stay in the "
    "environment: write {env.NAME} in address, query, headers or body. The document holds the name only, and no error "
    "shows the value. A superstep that has failed sends the request again; "
    "a run that goes on from the past has the recorded answer.",
    params=HttpRequestParams,
    make=_make,
    outside=lambda params: Outside(to_host("HTTP request", params.url)),
    summary="url",
    always_sends=True,
    sink=True,
)
