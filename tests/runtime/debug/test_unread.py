"""A window that does not read: the run waits for it, what is kept for it is bounded,
and its commands are heard.
"""

import asyncio
import os
from pathlib import Path

import pytest

from runtime.debug.host.host import DebugHost, Packet
from runtime.debug.protocol import Command, Notice
from runtime.debug.remote.transport import MOST_UNREAD, Wire
from tests.runtime.debug.spawning import spawned
from tests.runtime.test_streams import idle

FLOODING = """
import asyncio
from pathlib import Path

HERE = Path(__file__).parent.parent


async def flood(message: int, ctx) -> None:
    "Puts out far more than a pipe holds, and goes on."
    try:
        for number in range(10**9):
            await ctx.yield_output("x" * 8_000)
            await asyncio.sleep(0.001)
            if number == 300:
                (HERE / "flooding").touch()
    finally:
        (HERE / "cancelled").touch()
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "nodes").mkdir()
    (tmp_path / "nodes" / "flood.py").write_text(FLOODING)
    return tmp_path


async def there(path: Path) -> None:
    async with asyncio.timeout(20):
        while not path.exists():  # noqa: ASYNC110 - another process makes it
            await asyncio.sleep(0.01)


async def test_stop_is_heard_although_nobody_reads_what_a_handler_puts_out(
    folder: Path,
) -> None:
    nodes = [{"id": "a", "type": "input"}, {"id": "b", "type": "nodes.flood:flood"}]
    edges = [{"id": "e", "kind": "direct", "source": "a", "target": "b"}]
    document = {
        "format": 1,
        "workflow": {
            "name": "w",
            "start": "a",
            "input": 1,
            "nodes": nodes,
            "edges": edges,
        },
    }
    async with spawned(folder) as process:
        await process.body(
            "open", store="memory:", document=document, folder=str(folder)
        )
        with process.unread():
            process.send("start")
            await there(folder / "flooding")
            process.send("stop")
            await there(folder / "cancelled")
        assert (await process.until("stopped"))["reason"] == "cancelled"
        await process.body("shutdown")
        await asyncio.wait_for(process.process.wait(), 10)


async def test_rule_33_the_run_waits_for_who_is_behind_and_goes_on_when_that_has_read() -> (
    None
):
    behind = True
    packets = list[Packet]()
    stopped = asyncio.Event()

    def hear(packet: Packet) -> None:
        packets.append(packet)
        if isinstance(packet, Notice) and packet.event == "stopped":
            stopped.set()

    nodes = [
        {"id": key, "type": "template", "params": {"text": "{message}"}} for key in "ab"
    ]
    edges = [
        {"id": f"{a}{b}", "kind": "direct", "source": a, "target": b}
        for a, b in ("ab", "ba")
    ]
    workflow = {
        "name": "w",
        "start": "a",
        "input": 1,
        "nodes": nodes,
        "edges": edges,
        "max_supersteps": 30,
    }
    async with DebugHost(hear, is_behind=lambda: behind) as host:
        document = {"format": 1, "workflow": workflow}
        opened = Command(
            seq=1,
            command="open",
            arguments={"store": "memory:", "document": document, "folder": "."},
        )
        assert (await host.handle(opened)).success
        await host.handle(Command(seq=2, command="start"))
        for _ in range(5):
            await idle()
            host.send_due()
        told = [packet.event for packet in packets if isinstance(packet, Notice)]
        assert host._session.runner.state.superstep == 0
        assert told == ["checkpoints", "event", "resumed"]
        await host.handle(Command(seq=3, command="stop"))
        assert packets[-2].body.reason == "cancelled"  # type: ignore[union-attr]
        stopped.clear()
        behind = False
        await host.handle(Command(seq=4, command="continue"))
        await asyncio.wait_for(stopped.wait(), 20)
        assert host._session.runner.state.superstep == 30


def test_what_is_not_read_makes_nobody_wait_and_comes_whole_and_in_order() -> None:
    incoming, outgoing = os.pipe()
    wire = Wire(outgoing)
    sent = [
        Notice(event="event", body={"number": number, "text": "x" * 10_000})
        for number in range(100)
    ]
    for packet in sent:
        wire.send(packet)
    assert wire.is_behind()
    with os.fdopen(incoming, "rb") as lines:
        read = [Notice.model_validate_json(lines.readline()) for _ in sent]
    assert [packet.body["number"] for packet in read] == list(range(100))
    wire.finish(20)
    assert not wire.is_behind()
    assert sum(len(packet.model_dump_json()) for packet in sent) > 2 * MOST_UNREAD
    os.close(outgoing)


def test_a_reader_that_is_gone_is_waited_for_by_nobody() -> None:
    incoming, outgoing = os.pipe()
    os.close(incoming)
    wire = Wire(outgoing)
    wire.send(Notice(event="event"))
    wire.finish(20)
    for _ in range(100):
        wire.send(Notice(event="event", body="x" * 10_000))
    assert not wire.is_behind()
    os.close(outgoing)
