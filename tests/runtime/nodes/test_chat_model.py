"""Chat model: what is asked, whole and streamed answers, JSON that fits, and errors in
words; against loopback.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from typing import Any

import pytest

from runtime.errors import DefinitionError, NodeError
from tests.runtime.nodes.single import one_node, outputs, problems
from tests.runtime.nodes.web import Reply, Web, web

TYPE = "chat_model"
USAGE = {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5}


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "very-secret")


def whole(text: str | None, finish: str = "stop", **more: Any) -> Reply:
    message = {"role": "assistant", "content": text, **more}
    choices = [{"index": 0, "finish_reason": finish, "message": message}]
    made = {"id": "1", "object": "chat.completion", "created": 1, "model": "m-1"}
    return Reply(body={**made, "choices": choices, "usage": USAGE})


def streamed(*pieces: str, finish: str | None = "stop", usage: bool = True) -> Reply:
    def chunk(choices: list[Any], **more: Any) -> str:
        made = {
            "id": "1",
            "object": "chat.completion.chunk",
            "created": 1,
            "model": "m-1",
            "choices": choices,
            **more,
        }
        return f"data: {json.dumps(made)}\n\n"

    parts = [
        chunk([{"index": 0, "delta": {"content": piece}, "finish_reason": None}])
        for piece in pieces
    ]
    parts += (
        [chunk([{"index": 0, "delta": {}, "finish_reason": finish}])] if finish else []
    )
    parts += [chunk([], usage=USAGE)] if usage else []
    text = "".join([*parts, "data: [DONE]\n\n"])
    return Reply(body=text.encode(), headers={"Content-Type": "text/event-stream"})


async def ask(server: Web, message: Any = "hi", **params: Any) -> Any:
    (answer,) = await outputs(
        TYPE,
        message,
        **{"model": "m", "base_url": f"{server.url}/v1", "retries": 0, **params},
    )
    return answer


def sent(server: Web) -> dict[str, Any]:
    made: dict[str, Any] = json.loads(server.asked[-1].body)
    return made


async def test_the_model_is_asked_as_the_form_says() -> None:
    async with web(whole("hello")) as server:
        answer = await ask(
            server,
            {"name": "Ada"},
            system="Be kind to {message.name}.",
            prompt="Who is {message.name}?",
            temperature=0,
            max_tokens=9,
            stream=False,
        )
    assert answer == "hello"
    assert (server.asked[0].method, server.asked[0].target) == (
        "POST",
        "/v1/chat/completions",
    )
    assert server.asked[0].headers["authorization"] == "Bearer very-secret"
    assert sent(server) == {
        "model": "m",
        "messages": [
            {"role": "system", "content": "Be kind to Ada."},
            {"role": "user", "content": "Who is Ada?"},
        ],
        "temperature": 0,
        "max_tokens": 9,
        "stream": False,
    }


async def test_what_is_left_empty_is_left_to_the_server() -> None:
    async with web(whole("hello")) as server:
        await ask(server, stream=False, limit_name="max_completion_tokens")
    assert sorted(sent(server)) == ["messages", "model", "stream"]


async def test_a_stream_is_told_piece_by_piece_and_sent_on_whole() -> None:
    async with web(streamed("Hel", "lo", " you")) as server:
        workflow = one_node(
            TYPE, model="m", base_url=f"{server.url}/v1", whole_answer=True
        )
        events = [event async for event in workflow.run("hi", stream=True)]
    assert [one.data for one in events if one.type == "data"] == ["Hel", "lo", " you"]
    (answer,) = [one.data for one in events if one.type == "output"]
    assert answer == {
        "answer": "Hello you",
        "model": "m-1",
        "finish_reason": "stop",
        "usage": USAGE,
    }
    assert sent(server)["stream"] is True


@pytest.mark.parametrize("text", ['{"n": 1}', '```json\n{"n": 1}\n```'])
async def test_json_is_asked_for_and_read(text: str) -> None:
    async with web(whole(text)) as server:
        assert await ask(server, answer="json", stream=False) == {"n": 1}
    assert sent(server)["response_format"] == {"type": "json_object"}


SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}


async def test_an_answer_must_fit_the_schema() -> None:
    async with web(streamed('{"n": ', "1}"), streamed('{"n": "one"}')) as server:
        assert await ask(server, answer="schema", json_schema=SCHEMA) == {"n": 1}
        assert sent(server)["response_format"]["json_schema"]["schema"] == SCHEMA
        with pytest.raises(
            NodeError,
            match=r"does not fit the schema at \$\.n: 'one' is not of type 'integer'",
        ):
            await ask(server, answer="schema", json_schema=SCHEMA)


BROKEN = Reply(
    body=b"data: {",
    headers={"Content-Length": "999", "Content-Type": "text/event-stream"},
)


@pytest.mark.parametrize(
    ("reply", "params", "words"),
    [
        (Reply(401, {"error": {"message": "very-secret is not a key"}}), {}, r"answered 401: \*\*\* is not a key"),
        (Reply(500, b"broken"), {}, "answered 500"),
        (Reply(404, b"<html>"), {}, "answered 404"),
        (Reply(body={"hello": 1}), {"stream": False}, "not that of a chat model"),
        (whole(None, "content_filter"), {"stream": False}, "no text .*'content_filter'"),
        (whole(None, refusal="not that"), {"stream": False}, "refused: not that"),
        (whole('{"n": ', "length"), {"stream": False, "answer": "json"}, "cut off: raise 'Most tokens'"),
        (streamed("Hel", finish=None), {}, "broke off"),
        (BROKEN, {}, "broke off"),
        ("drop", {}, "no connection"),
        ("hang", {"timeout": 0.05}, r"within 0\.05 s"),
    ],
)  # fmt: skip
async def test_what_goes_wrong_is_said_without_the_key(
    reply: Any, params: dict[str, Any], words: str
) -> None:
    async with web(reply) as server:
        with pytest.raises(
            NodeError, match=f"Node 'it': asking the model 'm': .*{words}"
        ) as caught:
            await ask(server, **params)
    assert "secret" not in str(caught.value)


async def test_a_busy_server_is_asked_again() -> None:
    async with web(Reply(429, {}, {"retry-after-ms": "1"}), whole("now")) as server:
        assert await ask(server, stream=False, retries=1) == "now"


async def test_the_key_is_named_and_may_be_left_out(monkeypatch) -> None:
    monkeypatch.delenv("OTHER_KEY", raising=False)
    async with web(whole("hello")) as server:
        with pytest.raises(NodeError, match="variable OTHER_KEY is not set"):
            await ask(server, key_variable="OTHER_KEY")
        assert await ask(server, key_variable="", stream=False) == "hello"
    assert "secret" not in server.asked[0].headers["authorization"]


async def test_stop_ends_the_question() -> None:
    async with web("hang") as server:
        workflow = one_node(TYPE, model="m", base_url=server.url)
        async with asyncio.TaskGroup() as group:
            task = group.create_task(workflow.run("hi"))
            await server.hung.wait()
            task.cancel()
        assert task.cancelled()
        await server.left.wait()


@pytest.mark.parametrize(
    ("params", "words"),
    [
        (
            {"base_url": "https://{message.host}/v1"},
            "must not say where the key is sent",
        ),
        ({"base_url": "https://me:pass@host/v1"}, "holds credentials"),
        ({"json_schema": {"type": "nothing"}}, "is no JSON Schema"),
        ({"key_variable": "sk-123"}, "right form"),
        ({"temperature": 3}, "valid"),
    ],
)
def test_check_refuses_what_is_malformed_and_keys_in_the_document(
    params: dict[str, Any], words: str
) -> None:
    (problem,) = problems(TYPE, **{"model": "m", **params})
    assert words in problem.message
    with pytest.raises(DefinitionError):
        one_node(TYPE, **{"model": "m", **params})


PARTS = [
    {"type": "thinking", "thinking": "hm"},
    {"type": "text", "text": "hel"},
    {"type": "text", "text": "lo"},
]


async def test_text_that_comes_in_parts_is_put_together() -> None:
    async with web(whole(PARTS)) as server:  # type: ignore[arg-type]
        assert await ask(server, stream=False) == "hello"


def strange(choice: Any, **more: Any) -> Reply:
    return Reply(
        body={
            "id": "1",
            "object": "chat.completion",
            "created": 1,
            "model": "m",
            "choices": [choice],
            **more,
        }
    )


def event(text: str) -> Reply:
    return Reply(
        body=f"data: {text}\n\n".encode(), headers={"Content-Type": "text/event-stream"}
    )


@pytest.mark.parametrize(
    ("reply", "stream"),
    [
        (strange({"message": None}), False),
        (strange({"message": {"content": "x"}}, usage="5"), False),
        (strange("no choice"), False),
        (event('"x"'), True),
        (event('{"choices": [{"delta": null}]}'), True),
    ],
)
async def test_an_answer_of_another_shape_is_told_as_such(
    reply: Reply, stream: bool
) -> None:
    async with web(reply) as server:
        with pytest.raises(NodeError, match="is not that of a chat model"):
            await ask(server, stream=stream)


async def test_a_server_may_say_in_plain_text_what_is_wrong() -> None:
    async with web(Reply(400, {"error": "no such model"})) as server:
        with pytest.raises(NodeError, match="answered 400: no such model"):
            await ask(server)


async def test_an_address_that_cannot_be_is_an_error_of_the_node() -> None:
    with pytest.raises(NodeError, match="asking the model 'm'"):
        await outputs(
            TYPE, "hi", model="m", base_url="http://127.0.0.1:99999", retries=0
        )


@pytest.mark.parametrize(
    ("text", "words"),
    [("Sure! {}", "JSON and nothing else"), ("[" * 100_000, "too deeply")],
)
async def test_an_answer_that_is_no_json_says_what_to_do(text: str, words: str) -> None:
    async with web(whole(text)) as server:
        with pytest.raises(NodeError, match=words):
            await ask(server, answer="json", stream=False)


def test_check_knows_what_two_parameters_have_to_do_with_one_another() -> None:
    (problem,) = problems(TYPE, model="m", answer="schema")
    assert (problem.part, problem.message) == (
        "params.json_schema",
        "it: Schema: with answer 'schema' the schema must be given",
    )
    assert problems(TYPE, model="m", answer="schema", json_schema=SCHEMA) == []


@pytest.mark.parametrize(
    "reference", ["https://example.org/schema.json", "#/$defs/gone"]
)
def test_a_schema_must_have_what_it_refers_to(reference: str) -> None:
    (problem,) = problems(
        TYPE, model="m", json_schema={"properties": {"a": {"$ref": reference}}}
    )
    assert f"refers to '{reference}', which is not in it" in problem.message
    inside = {
        "properties": {"a": {"$ref": "#/$defs/b"}},
        "$defs": {"b": {"type": "string"}},
    }
    assert problems(TYPE, model="m", json_schema=inside) == []


def test_a_schema_is_needed_where_the_answer_shall_fit_it() -> None:
    with pytest.raises(DefinitionError, match="the schema must be given"):
        one_node(TYPE, model="m", answer="schema")


def test_without_the_package_the_extra_is_named() -> None:
    code = (
        "import asyncio, os, sys; sys.modules['openai'] = None; os.environ['OPENAI_API_KEY'] = 'k'\n"
        "from runtime.errors import ExtraMissingError\n"
        "from tests.runtime.nodes.single import outputs\n"
        "try: asyncio.run(outputs('chat_model', 'hi', model='m'))\n"
        "except ExtraMissingError as error: print(error)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert (
        "A chat model needs openai, which is not installed: pip install 'stepwell[chat]'"
        in done.stdout
    )
