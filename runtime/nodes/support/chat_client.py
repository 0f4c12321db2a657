"""A client for endpoints of OpenAI's chat protocol, whole or streamed. It needs
openai, which is an extra.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from runtime.errors import ExtraMissingError

if TYPE_CHECKING:
    from openai import AsyncOpenAI

OnText = Callable[[str], Awaitable[None]]


_NO_CHAT = (
    "the answer is not that of a chat model; check that the address ends as the "
    "server needs, such as /v1"
)


class ChatError(Exception):
    """The error in words; the node adds the place."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """`timeout` is the longest silence, in seconds."""

    base_url: str
    key: str
    timeout: float
    retries: int


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer of a model. `usage` counts tokens, if the server reports them."""

    text: str
    model: str
    finish_reason: str
    usage: dict[str, int]


async def ask(
    endpoint: Endpoint, options: Mapping[str, Any], on_text: OnText | None
) -> Answer:
    """Return the answer. With `on_text` it is streamed: each piece of text is passed on
    as it comes.

    Raise `ChatError`, and `ExtraMissingError` without openai.
    """
    try:
        import openai
    except ImportError as error:
        raise ExtraMissingError("A chat model", "openai", "chat") from error
    try:
        async with openai.AsyncOpenAI(
            # A server on this machine may need no key, but the client always sends one.
            api_key=endpoint.key or "none",
            base_url=endpoint.base_url,
            timeout=endpoint.timeout,
            max_retries=endpoint.retries,
        ) as client:
            reply = await (
                _whole(client, options)
                if on_text is None
                else _streamed(client, options, on_text)
            )
    except openai.APITimeoutError as error:
        raise ChatError(
            f"no answer within {endpoint.timeout:g} s; allow more time"
        ) from error
    except openai.APIConnectionError as error:
        raise ChatError(
            "there is no connection; check the address, and that the server runs"
        ) from error
    except openai.APIStatusError as error:
        raise ChatError(
            f"the server answered {error.status_code}: {_reason(error)}"
        ) from error
    except openai.OpenAIError as error:
        raise ChatError(str(error)) from error
    except (
        AttributeError,
        TypeError,
        KeyError,
        IndexError,
    ) as error:  # the client hands on what it cannot read
        raise ChatError(_NO_CHAT) from error
    except (
        ExceptionGroup
    ) as error:  # of the library that connects, such as for a port that cannot be
        raise ChatError(
            f"there is no connection ({error.exceptions[0]}); check the address"
        ) from error
    if not reply.text:
        raise ChatError(
            f"the model sent no text (it ended with '{reply.finish_reason}')"
        )
    return reply


async def _whole(client: AsyncOpenAI, options: Mapping[str, Any]) -> Answer:
    completion = await client.chat.completions.create(**options, stream=False)
    choices = getattr(completion, "choices", None)
    if not choices:
        raise ChatError(_NO_CHAT)
    message = choices[0].message
    _refuse(getattr(message, "refusal", None))
    return Answer(
        _text_of(message.content),
        completion.model or "",
        choices[0].finish_reason or "",
        _usage(completion.usage),
    )


async def _streamed(
    client: AsyncOpenAI, options: Mapping[str, Any], on_text: OnText
) -> Answer:
    pieces: list[str] = []
    refused: list[str] = []
    model = finish = ""
    usage: dict[str, int] = {}
    async with (
        await client.chat.completions.create(**options, stream=True) as stream,
        aclosing(_unbroken(stream)) as chunks,
    ):
        async for chunk in chunks:
            model = chunk.model or model
            usage = _usage(chunk.usage) or usage
            for choice in chunk.choices[:1]:
                finish = choice.finish_reason or finish
                refused.append(getattr(choice.delta, "refusal", None) or "")
                if piece := _text_of(choice.delta.content):
                    pieces.append(piece)
                    await on_text(piece)
    _refuse("".join(refused))
    if not finish:
        raise ChatError("the answer broke off before its end")
    return Answer("".join(pieces), model, finish, usage)


async def _unbroken(stream: Any) -> AsyncGenerator[Any, None]:
    """Yield the chunks. Raise `ChatError` if the stream breaks off: older clients pass
    on errors of their HTTP library, whichever it is.
    """
    import openai

    try:
        async for chunk in stream:
            yield chunk
    except Exception as error:
        if (
            isinstance(error, openai.OpenAIError)
            and type(error) is not openai.APIConnectionError
        ):
            raise
        raise ChatError(
            f"the answer broke off ({str(error) or type(error).__name__})"
        ) from error


def _text_of(content: Any) -> str:
    """The text of an answer; some servers send it in parts, beside others such as what
    the model thought.
    """
    if isinstance(content, list):
        return "".join(
            str(part["text"])
            for part in content
            if isinstance(part, Mapping) and part.get("type") == "text"
        )
    return content or ""


def _refuse(refusal: str | None) -> None:
    if refusal:
        raise ChatError(f"the model refused: {refusal}")


def _usage(usage: Any) -> dict[str, int]:
    names = ("prompt_tokens", "completion_tokens", "total_tokens")
    return {} if usage is None else {name: getattr(usage, name) or 0 for name in names}


def _reason(error: Any) -> str:
    body = error.body
    if isinstance(body, Mapping):
        text = body.get("message")
    elif isinstance(body, str):
        text = body
    else:
        text = ""
    return str(text or error.message)[:500]
