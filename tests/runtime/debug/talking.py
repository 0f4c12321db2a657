"""A host in this process to talk to, and small documents with code for it to run."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from runtime.debug.host.host import DebugHost, Packet
from runtime.debug.protocol import Command, Notice, Reply

CODE = """
import asyncio, sys, threading, time
from pathlib import Path
from runtime.debug import breakpoint_here

def double(message: int) -> int:
    print("doubling", message)
    return message * 2

def inc(message: int) -> int:
    print("to stderr", message, file=sys.stderr)
    return message + 1

def total(message: list) -> None:
    print("total", sum(message))

async def nap(message: int) -> int:
    await asyncio.sleep(1000)
    return message

def spin(message: int) -> int:
    while True:
        pass

async def hog(message: int) -> int:
    while True:
        pass

async def stubborn(message: int) -> int:
    while True:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            pass

def fail(message: int) -> int:
    raise ValueError(f"cannot take {message}")

async def fail_late(message: int) -> int:
    await asyncio.sleep(0.05)
    raise ValueError(f"cannot take {message}")

async def tick(message: int) -> int:
    return message + 1

HERE = Path(__file__).parent

def wait_for_it(message: int) -> int:
    while not (HERE / "go").exists():
        time.sleep(0.001)
    return message

async def stop_here(message: int) -> int:
    try:
        await breakpoint_here()
    except asyncio.CancelledError:
        (HERE / "cancelled").touch()
        raise
    return message + 1

def stop_in_thread(message: int) -> int:
    try:
        breakpoint_here()
    except asyncio.CancelledError:
        (HERE / "cancelled").touch()
        raise
    return message + 1

async def stop_in_a_child(message: int) -> int:
    async def child():
        await breakpoint_here()
    await asyncio.gather(child())
    return message + 1
"""


def node(id_: str, function: str) -> dict[str, Any]:
    return {
        "id": id_,
        "type": "python_function",
        "name": id_.upper(),
        "params": {"function": f"steps:{function}"},
    }


def direct(source: str, target: str, condition: str = "") -> dict[str, Any]:
    return {
        "id": f"{source}{target}",
        "kind": "direct",
        "source": source,
        "target": target,
        "condition": condition,
    }


def document(
    nodes: list[dict[str, Any]], edges: list[dict[str, Any]], **more: Any
) -> dict[str, Any]:
    workflow = {
        "name": "test",
        "start": nodes[0]["id"],
        "input": 1,
        "nodes": nodes,
        "edges": edges,
        **more,
    }
    return {"format": 1, "workflow": workflow}


def lost_join() -> dict[str, Any]:
    """a fans out to b and c; d comes after c; the join of b and d holds b's message for
    a superstep.
    """
    return document(
        [
            node("a", "inc"),
            node("b", "double"),
            node("c", "inc"),
            node("d", "double"),
            node("sum", "total"),
        ],
        [
            {"id": "out", "kind": "fan_out", "source": "a", "targets": ["b", "c"]},
            direct("c", "d"),
            {"id": "in", "kind": "fan_in", "sources": ["b", "d"], "target": "sum"},
        ],
    )


def asking() -> dict[str, Any]:
    """a asks a person, and the answer goes on to the end."""
    ask = {
        "id": "ask",
        "type": "ask",
        "name": "ASK",
        "params": {"question": "Ship {message}?", "free_text": True},
    }
    end = {"id": "end", "type": "output", "params": {}}
    return document(
        [node("a", "inc"), ask, end], [direct("a", "ask"), direct("ask", "end")]
    )


def alone(function: str) -> dict[str, Any]:
    """a, then one node with this function."""
    return document([node("a", "inc"), node("b", function)], [direct("a", "b")])


def loop(limit: int) -> dict[str, Any]:
    """Two nodes that send a growing number to each other until it reaches the limit."""
    nodes = [node("a", "tick"), node("b", "tick")]
    return document(
        nodes,
        [direct("a", "b", f"message < {limit}"), direct("b", "a")],
        max_supersteps=limit + 10,
    )


class Talk:
    """Commands in, notices out. `said` is every packet, in order."""

    def __init__(
        self, folder: Path, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.folder = folder
        self.said: list[Packet] = []
        self.host = DebugHost(self._hear, clock)
        self._news = asyncio.Event()
        self._seq = 0

    def _hear(self, packet: Packet) -> None:
        self.said.append(packet)
        self._news.set()

    async def ask(self, command: str, **arguments: Any) -> Reply:
        self._seq += 1
        return await self.host.handle(
            Command(seq=self._seq, command=command, arguments=arguments)
        )

    async def body(self, command: str, **arguments: Any) -> Any:
        reply = await self.ask(command, **arguments)
        assert reply.success, reply.message
        return reply.body

    async def open(
        self, document: dict[str, Any] | None, store: str = "memory:"
    ) -> Any:
        return await self.body(
            "open", document=document, folder=str(self.folder), store=store
        )

    async def collect(self, event: str) -> list[Notice]:
        """All notices until the next of this kind that has not been waited for, itself
        included.
        """
        while True:
            for position, packet in enumerate(self.said):
                if isinstance(packet, Notice) and packet.event in (event, "stopped"):
                    # Who waits for something else learns of a failure at once, not from
                    # a timeout.
                    assert packet.event == event, packet.body
                    heard = self.said[: position + 1]
                    del self.said[: position + 1]
                    return [one for one in heard if isinstance(one, Notice)]
            self._news.clear()
            await self._news.wait()

    async def until(self, event: str) -> Any:
        """The body of the next notice of this kind that has not been waited for."""
        return (await self.collect(event))[-1].body

    def events(self) -> list[str]:
        """What was told since, by name, without what happened inside."""
        return [
            packet.event
            for packet in self.said
            if isinstance(packet, Notice) and packet.event != "event"
        ]


@asynccontextmanager
async def talking(
    folder: Path, clock: Callable[[], float] = time.monotonic
) -> AsyncIterator[Talk]:
    (folder / "steps.py").write_text(CODE)
    talk = Talk(folder, clock)
    async with talk.host:
        yield talk
