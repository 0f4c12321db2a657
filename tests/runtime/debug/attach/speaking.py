"""A client that speaks to a listening program in this process, and programs for it."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from runtime import Workflow, WorkflowBuilder, WorkflowContext, executor
from runtime.debug import Listener
from runtime.system.listeners import address_of

Packet = dict[str, Any]


class Speaker:
    """One connection. `heard` has the packets that nobody has waited for."""

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self.reader = reader
        self.writer = writer
        self.heard: list[Packet] = []
        self._seq = 0

    def send_line(self, line: bytes) -> None:
        self.writer.write(line + b"\n")

    def send(self, command: str, **arguments: Any) -> int:
        self._seq += 1
        packet = {"seq": self._seq, "command": command, "arguments": arguments}
        self.send_line(json.dumps(packet).encode())
        return self._seq

    async def ask(self, command: str, **arguments: Any) -> Packet:
        number = self.send(command, **arguments)
        return await self._find(lambda packet: packet.get("request_seq") == number)

    async def body(self, command: str, **arguments: Any) -> Any:
        reply = await self.ask(command, **arguments)
        assert reply["success"], reply["message"]
        return reply["body"]

    async def until(self, event: str) -> Any:
        """The body of the next notice of this kind, and drop those before it."""
        return (await self._find(lambda packet: packet.get("event") == event))["body"]

    async def read(self) -> Packet | None:
        """The next packet; None at the end of the connection."""
        line = await self.reader.readline()
        return json.loads(line) if line else None

    async def _find(self, is_wanted: Callable[[Packet], bool]) -> Packet:
        for position, packet in enumerate(self.heard):
            if is_wanted(packet):
                del self.heard[: position + 1]
                return packet
        while (packet := await self.read()) is not None:
            if is_wanted(packet):
                return packet
            self.heard.append(packet)
        raise EOFError("The program has closed the connection.")

    async def close(self) -> None:
        self.writer.close()
        await self.writer.wait_closed()


async def connected(listener: Listener) -> Speaker:
    """A connection that has not greeted."""
    address = address_of(listener.address)
    if address.path:
        streams = await asyncio.open_unix_connection(address.path, limit=2**24)
    else:
        streams = await asyncio.open_connection(address.host, address.port, limit=2**24)
    return Speaker(*streams)


async def greeted(listener: Listener, token: str | None = None) -> Packet | None:
    """The answer to a greeting, on a connection of its own."""
    speaker = await connected(listener)
    try:
        return await greet(speaker, listener.token if token is None else token)
    finally:
        await speaker.close()


async def greet(speaker: Speaker, token: str) -> Packet | None:
    speaker.send_line(json.dumps({"type": "hello", "token": token}).encode())
    return await speaker.read()


@asynccontextmanager
async def attached(listener: Listener) -> AsyncIterator[Speaker]:
    """A client that is attached, and knows where the run is."""
    speaker = await connected(listener)
    try:
        welcome = await greet(speaker, listener.token)
        assert welcome is not None
        assert welcome["type"] == "welcome", welcome
        await speaker.body("attach")
        yield speaker
    finally:
        await speaker.close()


@asynccontextmanager
async def running(workflow: Workflow, message: Any) -> AsyncIterator[asyncio.Task[Any]]:
    """A call of the program, as a task."""
    async with asyncio.TaskGroup() as group:
        task = group.create_task(_outputs(workflow, message))
        yield task


async def _outputs(workflow: Workflow, message: Any) -> list[Any]:
    return (await workflow.run(message)).get_outputs()


def counting(limit: int = 10) -> Workflow:
    """Two executors that send a growing number to each other up to a limit."""

    @executor(id="ping")
    async def ping(number: int, context: WorkflowContext[int]) -> None:
        await context.send_message(number + 1)

    @executor(id="pong")
    async def pong(number: int, context: WorkflowContext[int, int]) -> None:
        if number < limit:
            await context.send_message(number + 1)
        else:
            await context.yield_output(number)

    builder = WorkflowBuilder(
        start_executor=ping, name="counting", max_iterations=limit + 5
    )
    return builder.add_edge(ping, pong).add_edge(pong, ping).build()
