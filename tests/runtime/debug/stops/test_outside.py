"""A run that goes on from the past stops before it reaches outside again, and goes on when
it is told to.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.runtime.debug.stops.support import go
from tests.runtime.debug.talking import Talk, direct, document, talking
from tests.runtime.nodes.web import Reply, Web, web


@pytest.fixture
async def talk(tmp_path: Path) -> AsyncIterator[Talk]:
    async with talking(tmp_path) as made:
        yield made


def text(id_: str, template: str) -> dict[str, Any]:
    return {
        "id": id_,
        "type": "template",
        "name": id_.upper(),
        "params": {"text": template},
    }


def reaching(server: Web, greeting: str = "hello {message}") -> dict[str, Any]:
    """Three different effects, one after the other, of a text that is made before."""
    nodes = [
        text("greet", greeting),
        {
            "id": "fetch",
            "type": "http_request",
            "params": {"url": server.url + "/{message}", "method": "POST"},
        },
        {
            "id": "count",
            "type": "shell_command",
            "params": {
                "program": "echo x >> count.txt; wc -l < count.txt",
                "shell": True,
            },
        },
        {
            "id": "keep",
            "type": "write_file",
            "params": {"path": "kept.txt"},
        },
        {"id": "end", "type": "output", "params": {}},
    ]
    edges = [
        direct("greet", "fetch"),
        direct("fetch", "count"),
        direct("count", "keep"),
        direct("keep", "end"),
    ]
    return document(nodes, edges)


async def run_once(talk: Talk, server: Web) -> list[Any]:
    """The checkpoints of a run that has done everything once."""
    await talk.open(reaching(server), f"sqlite:{talk.folder}/runs.db")
    assert (await go(talk, "start")).reason == "finished"
    assert len(server.asked) == 1
    return list((await talk.body("timeline")).headers)


def lines(folder: Path) -> int:
    return len((folder / "count.txt").read_text().splitlines())


async def test_going_on_from_the_past_repeats_no_request_no_command_and_no_file(
    talk: Talk,
) -> None:
    async with web(Reply(body={"n": 1})) as server:
        (first, *_) = await run_once(talk, server)
        kept = talk.folder / "kept.txt"
        kept.unlink()
        plan = await talk.body("restore_plan", checkpoint_id=first.id)
        assert plan.words == "3 recorded."
        await go(talk, "restore", checkpoint_id=first.id)
        assert (await go(talk, "continue")).reason == "finished"
        assert len(server.asked) == 1
        assert lines(talk.folder) == 1
        assert not kept.exists()


async def test_the_run_stops_before_it_sends_another_request(talk: Talk) -> None:
    async with web(Reply(body={"n": 1})) as server:
        (first, *_) = await run_once(talk, server)
        document = reaching(server, "bye {message}")
        await talk.open(document, f"sqlite:{talk.folder}/runs.db")
        await go(talk, "restore", checkpoint_id=first.id)
        stopped = await go(talk, "continue")
        assert stopped.reason == "outside"
        assert stopped.delivery is not None
        assert stopped.delivery.executor == "fetch"
        assert stopped.text == (
            "HTTP request to 127.0.0.1: its message is another one."
        )
        for command in ("continue", "step"):
            refused = await talk.ask(command)
            assert not refused.success
            assert "go on with `live`" in refused.message
        assert len(server.asked) == 1
        stopped = await go(talk, "continue", live=True)
        # The answer was the same, so the command has the message that it had.
        assert stopped.reason == "finished"
        assert len(server.asked) == 2
        assert lines(talk.folder) == 1


async def test_one_step_makes_one_call_and_stops_before_the_next(talk: Talk) -> None:
    async with web(Reply(body={"n": 1}), Reply(body={"n": 2})) as server:
        (first, *_) = await run_once(talk, server)
        replay = {"live": ["fetch"]}
        plan = await talk.body("restore_plan", checkpoint_id=first.id, replay=replay)
        assert plan.words == "2 recorded, 1 live: HTTP request to 127.0.0.1."
        await go(talk, "restore", checkpoint_id=first.id, replay=replay)
        stopped = await go(talk, "continue")
        assert (stopped.reason, stopped.delivery.executor) == ("outside", "count")
        assert len(server.asked) == 2
        assert (await go(talk, "step", unit="delivery", live=True)).reason != "outside"
        assert lines(talk.folder) == 2
        stopped = await go(talk, "continue")
        assert (stopped.reason, stopped.delivery.executor) == ("outside", "keep")
        stopped = await go(talk, "stop")
        assert stopped.reason == "cancelled"
        assert (talk.folder / "kept.txt").read_text() == "1\n"


async def test_a_breakpoint_at_the_call_stops_first_and_the_question_comes_after(
    talk: Talk,
) -> None:
    async with web(Reply(body={"n": 1})) as server:
        (first, *_) = await run_once(talk, server)
        await talk.open(reaching(server, "bye"), f"sqlite:{talk.folder}/runs.db")
        await talk.body(
            "breakpoints",
            breakpoints=[{"id": "1", "where": "fetch"}],
        )
        await go(talk, "restore", checkpoint_id=first.id)
        assert (await go(talk, "continue")).reason == "breakpoint"
        assert (await go(talk, "continue")).reason == "outside"
        assert len(server.asked) == 1


async def test_a_pinned_result_takes_the_place_of_the_request(talk: Talk) -> None:
    async with web(Reply(body={"n": 1})) as server:
        (first, *_) = await run_once(talk, server)
        replay = {
            "pinned": {"fetch": {"sent": [{"n": 7}]}},
            "live": ["count", "keep"],
        }
        plan = await talk.body("restore_plan", checkpoint_id=first.id, replay=replay)
        assert [call.mode for call in plan.calls] == ["pinned", "live", "live"]
        await go(talk, "restore", checkpoint_id=first.id, replay=replay)
        assert (await go(talk, "continue")).reason == "finished"
        assert len(server.asked) == 1
        assert lines(talk.folder) == 2


async def test_a_plan_over_a_store_changes_no_byte_of_it(talk: Talk) -> None:
    async with web(Reply(body={"n": 1})) as server:
        headers = await run_once(talk, server)
        before = (talk.folder / "runs.db").read_bytes()
        for header in headers:
            await talk.body("restore_plan", checkpoint_id=header.id)
        assert (talk.folder / "runs.db").read_bytes() == before
        assert len(server.asked) == 1


async def test_what_reaches_nothing_cannot_be_chosen(talk: Talk) -> None:
    async with web(Reply(body={"n": 1})) as server:
        (first, *_) = await run_once(talk, server)
        for command in ("restore_plan", "restore"):
            refused = await talk.ask(
                command, checkpoint_id=first.id, replay={"live": ["greet"]}
            )
            assert not refused.success
            assert "fetch, count, keep" in refused.message
