"""HTTP request: what is sent, what comes back, what is tried again, and that no secret
leaves by another way.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from runtime.errors import DefinitionError, NodeError
from runtime.nodes.support.http_client import Answer, wait_before
from tests.runtime.nodes.single import one_node, outputs, problems
from tests.runtime.nodes.web import Reply, web

TYPE = "http_request"


async def ask(message: Any = 0, **params: Any) -> Any:
    (answer,) = await outputs(TYPE, message, retry_wait=0.0, **params)
    return answer


async def test_address_query_and_headers_are_filled_and_escaped(monkeypatch) -> None:
    monkeypatch.setenv("SHOP_KEY", "k&y")
    async with web(Reply(body={"ok": [1]})) as shop:
        answer = await ask(
            {"id": "a/b?c", "page": 2},
            url=shop.url + "/items/{message.id}?fixed=1",
            query={"page": "{message.page}", "key": "{env.SHOP_KEY}"},
            headers={"Authorization": "Bearer {env.SHOP_KEY}"},
        )
    (asked,) = shop.asked
    assert answer == {"ok": [1]}
    assert asked.target == "/items/a%2Fb%3Fc?fixed=1&page=2&key=k%26y"
    assert asked.headers["authorization"] == "Bearer k&y"


@pytest.mark.parametrize(
    ("send", "message", "body", "kind"),
    [
        ("nothing", {"a": 1}, b"", None),
        ("message", {"a": "é"}, '{"a": "é"}'.encode(), "application/json"),
        ("message", "plain", b"plain", "text/plain; charset=utf-8"),
        ("message", b"\xff", b"\xff", "application/octet-stream"),
        ("text", {"a": 1}, b"it is 1 {x}", "text/plain; charset=utf-8"),
    ],
)
async def test_the_body_is_what_was_chosen(
    send: str, message: Any, body: bytes, kind: str | None
) -> None:
    async with web(Reply()) as server:
        await ask(
            message,
            url=server.url,
            method="POST",
            send=send,
            text="it is {message.a} {{x}}",
        )
    assert (server.asked[0].body, server.asked[0].headers.get("content-type")) == (
        body,
        kind,
    )


@pytest.mark.parametrize(
    ("content", "reply", "expected"),
    [
        ("auto", Reply(body={"a": 1}), {"a": 1}),
        (
            "auto",
            Reply(
                body=b"caf\xe9", headers={"Content-Type": "text/plain; charset=latin-1"}
            ),
            "café",
        ),
        ("auto", Reply(body=b"\x00", headers={"Content-Type": "image/png"}), b"\x00"),
        ("json", Reply(body=b"[1]"), [1]),
        ("json", Reply(204), None),
        ("text", Reply(body={"a": 1}), '{"a": 1}'),
        ("bytes", Reply(body=b"x"), b"x"),
    ],
)
async def test_the_answer_is_read_as_was_chosen(
    content: str, reply: Reply, expected: Any
) -> None:
    async with web(reply) as server:
        assert await ask(url=server.url, content=content) == expected


async def test_the_whole_answer_has_status_headers_and_body() -> None:
    async with web(Reply(404, {"why": "gone"}, {"X-Shop": "1"})) as server:
        answer = await ask(
            url=server.url, whole_answer=True, expected_status=["2xx", "404"]
        )
    assert (answer["status"], answer["headers"]["x-shop"], answer["body"]) == (
        404,
        "1",
        {"why": "gone"},
    )


@pytest.mark.parametrize("trouble", [Reply(503), Reply(429), Reply(500), "drop"])
async def test_what_is_temporary_is_tried_again(trouble: Any) -> None:
    async with web(trouble, trouble, Reply(body=b"now")) as server:
        assert await ask(url=server.url, content="text") == "now"
    assert len(server.asked) == 3


async def test_after_the_last_retry_the_answer_stands() -> None:
    async with web(Reply(503, b"closed for today")) as server:
        with pytest.raises(
            NodeError, match=r"answered 503: closed for today\. Expected is 2xx"
        ):
            await ask(url=server.url, retries=1)
    assert len(server.asked) == 2


@pytest.mark.parametrize(
    ("status", "repeat", "times"), [(500, False, 1), (500, True, 2), (429, False, 2)]
)
async def test_a_post_that_may_have_had_its_effect_is_not_repeated_unasked(
    status, repeat, times
) -> None:
    async with web(Reply(status), Reply(status)) as server:
        with pytest.raises(NodeError, match=str(status)):
            await ask(url=server.url, method="POST", retries=1, repeat_post=repeat)
    assert len(server.asked) == times


async def test_what_will_not_get_better_is_not_tried_again() -> None:
    async with web(Reply(400)) as server:
        with pytest.raises(NodeError, match="400"):
            await ask(url=server.url, retries=5)
    assert len(server.asked) == 1


def answer(**headers: str) -> Answer:
    return Answer(503, headers, b"", "utf-8")


def test_the_wait_doubles_obeys_the_server_and_ends_at_a_minute() -> None:
    assert [wait_before(attempt, None, 0.5) for attempt in (1, 2, 3, 10)] == [
        0.5,
        1,
        2,
        60,
    ]
    assert wait_before(1, answer(**{"retry-after": "7"}), 0.5) == 7
    assert wait_before(1, answer(**{"retry-after": "9999"}), 0.5) == 60
    assert wait_before(1, answer(**{"retry-after": "soon"}), 0.5) == 0.5
    at = format_datetime(datetime.now(UTC) + timedelta(seconds=30))
    assert 20 < wait_before(1, answer(**{"retry-after": at}), 0.5) <= 30


async def test_no_answer_in_time_is_an_error_that_says_so() -> None:
    async with web("hang") as server:
        with pytest.raises(NodeError, match=r"no answer within 0\.05 s"):
            await ask(url=server.url, timeout=0.05, retries=0)


async def test_no_connection_is_an_error_after_the_retries() -> None:
    async with web() as server:
        pass
    with pytest.raises(NodeError, match="the connection failed"):
        await ask(url=server.url, retries=1)


async def test_an_answer_that_is_too_large_is_refused() -> None:
    async with web(Reply(body=b"x" * 1001)) as server:
        with pytest.raises(NodeError, match="more than 1000 bytes"):
            await ask(url=server.url, max_bytes=1000)


async def test_an_answer_that_is_no_json_is_refused() -> None:
    async with web(Reply(body=b"<html>")) as server:
        with pytest.raises(NodeError, match="Read it as text"):
            await ask(url=server.url, content="json")


async def test_a_redirect_is_followed_unless_told_otherwise() -> None:
    async with web(
        Reply(302, headers={"Location": "/there"}), Reply(body=b"there")
    ) as server:
        assert await ask(url=server.url, content="text") == "there"
    async with web(Reply(302, headers={"Location": "/there"})) as server:
        with pytest.raises(NodeError, match="302"):
            await ask(url=server.url, follow_redirects=False)


async def test_values_of_the_environment_do_not_follow_a_redirect_to_another_server(
    monkeypatch,
) -> None:
    monkeypatch.setenv("SHOP_KEY", "very-secret")
    async with (
        web(Reply(body=b"stolen")) as other,
        web(Reply(302, headers={"Location": other.url})) as server,
    ):
        with pytest.raises(NodeError, match="not sent"):
            await ask(url=server.url, headers={"X-Api-Key": "{env.SHOP_KEY}"})
        assert await ask(url=server.url, content="text") == "stolen"
        assert len(other.asked) == 1


async def test_no_error_shows_a_value_of_the_environment(monkeypatch) -> None:
    monkeypatch.setenv("SHOP_KEY", "very secret")
    async with web(Reply(401, b"very secret is not a key"), "drop", "hang") as server:
        for words in ("401", "connection failed", "no answer"):
            with pytest.raises(NodeError, match=words) as caught:
                await ask(url=server.url + "/{env.SHOP_KEY}", retries=0, timeout=0.2)
            text = str(caught.value)
            assert "***" in text
            assert "secret" not in text


async def test_a_variable_that_is_not_set_is_named(monkeypatch) -> None:
    monkeypatch.delenv("SHOP_KEY", raising=False)
    with pytest.raises(NodeError, match="variable SHOP_KEY is not set"):
        await ask(url="http://127.0.0.1/{env.SHOP_KEY}")


async def test_stop_ends_the_request() -> None:
    async with web("hang") as server:
        run = one_node(TYPE, url=server.url)

        async with asyncio.TaskGroup() as group:
            task = group.create_task(run.run(0))
            await server.hung.wait()
            task.cancel()
        assert task.cancelled()
        await asyncio.wait_for(server.left.wait(), 10)


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"url": "http://user:pass@host/"}, "holds credentials"),
        ({"url": "ftp://host/"}, "must begin with https://"),
        ({"url": ""}, "is empty"),
        ({"url": "http://host/{x}"}, "begins with 'message'"),
        ({"url": "http://host/{env.}"}, "write {env.NAME}"),
        (
            {"url": "http://host", "headers": {"Authorization": "Bearer abc"}},
            "'Authorization' is a secret",
        ),
        ({"url": "http://host", "query": {"api_key": "abc"}}, "'api_key' is a secret"),
        ({"url": "http://host", "headers": {"X": "{"}}, "'X': a single '{'"),
    ],
)
def test_check_refuses_what_is_malformed_and_secrets_in_the_document(
    params: dict[str, Any], words: str
) -> None:
    (problem,) = problems(TYPE, **params)
    assert words in problem.message
    with pytest.raises(DefinitionError, match=words.replace("{", r"\{")):
        one_node(TYPE, **params)


def test_credentials_may_be_named_by_their_variables() -> None:
    assert (
        problems(
            TYPE,
            url="https://{env.USER_NAME}:{env.PASS}@host/",
            headers={"Cookie": "{env.C}"},
        )
        == []
    )


async def test_a_message_may_name_the_server_where_nothing_is_secret() -> None:
    async with web(Reply(body=b"there")) as server:
        assert (
            await ask({"base": server.url}, url="{message.base}/items", content="text")
            == "there"
        )


SECRET = {"headers": {"Authorization": "Bearer {env.SHOP_KEY}"}}


@pytest.mark.parametrize(
    ("params", "field"),
    [
        ({"url": "{message}", **SECRET}, "headers"),
        ({"url": "{message.base}/items", **SECRET}, "headers"),
        (
            {"url": "https://{message.host}/items", "query": {"q": "{env.SHOP_KEY}"}},
            "query",
        ),
        ({"url": "https://shop.example{message.rest}/", **SECRET}, "headers"),
        ({"url": "https://shop.example:{message.port}/", **SECRET}, "headers"),
        ({"url": "{env.SCHEME}://{message.host}/"}, "url"),
        ({"url": "{env.SHOP}{message.path}"}, "url"),
        ({"url": "{message}", "send": "text", "text": "{env.SHOP_KEY}"}, "text"),
    ],
)
def test_a_message_must_not_say_which_server_gets_a_secret(
    params: dict[str, Any], field: str
) -> None:
    (problem,) = problems(TYPE, **params)
    assert problem.part == "params.url"
    assert f"would get what '{field}' takes from the environment" in problem.message
    with pytest.raises(DefinitionError, match="a message says which server is asked"):
        one_node(TYPE, **params)


@pytest.mark.parametrize(
    "url",
    [
        "https://shop.example/{message.id}",
        "{env.SHOP}/{message.id}",
        "https://{env.HOST}?{message}",
        "https://a",
    ],
)
def test_a_server_that_the_document_or_the_environment_names_may_get_a_secret(
    url: str,
) -> None:
    assert problems(TYPE, url=url, **SECRET) == []


@pytest.mark.parametrize(
    ("reply", "params", "words"),
    [
        (
            Reply(body=b"no gzip", headers={"Content-Encoding": "gzip"}),
            {},
            "not packed as its server says",
        ),
        (Reply(302, headers={"Location": "/again"}), {}, "redirected again and again"),
        (Reply(body=b"[" * 100_000), {"content": "json"}, "nested too deeply"),
        (
            Reply(),
            {"headers": {"Content-Length": "50"}},
            "cannot be sent .*Content-Length",
        ),
        (Reply(), {"headers": {"X": "a\nb"}}, "cannot be sent"),
        (Reply(), {"headers": {"X": "é€"}}, "cannot be sent"),
    ],
)
async def test_whatever_fails_is_an_error_of_the_node(
    reply: Reply, params: dict[str, Any], words: str
) -> None:
    async with web(reply) as server:
        with pytest.raises(NodeError, match=f"Node 'it': .*{words}"):
            await ask(url=server.url, retries=0, timeout=2.0, **params)


async def test_a_port_that_cannot_be_is_an_error_of_the_node() -> None:
    with pytest.raises(NodeError, match=r"cannot be sent .*65535"):
        await ask(url="http://127.0.0.1:99999/", retries=0)


async def test_a_charset_that_is_none_of_text_does_not_stop_the_answer() -> None:
    odd = {"Content-Type": "text/plain; charset=idna"}
    latin = {"Content-Type": "application/json; charset=latin-1"}
    async with web(
        Reply(body=b"a..b", headers=odd), Reply(body=b'{"a": "caf\xe9"}', headers=latin)
    ) as server:
        assert await ask(url=server.url) == "a..b"
        assert await ask(url=server.url) == {"a": "café"}


def test_the_catalogue_loads_no_client() -> None:
    code = (
        "import sys; from runtime.nodes import catalogue; catalogue().infos();"
        "print([name for name in ('httpx', 'openai', 'psycopg', 'sqlite3') if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"
