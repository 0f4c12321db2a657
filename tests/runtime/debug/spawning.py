"""A real host process to talk to."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Any

import orjson

import runtime

COMMAND = [sys.executable, "-P", "-X", "utf8", "-m", "runtime.debug"]
ROOT = Path(runtime.__file__).parents[1]


class Process:
    """A host process; what it prints on stderr goes to a file."""

    def __init__(self, process: asyncio.subprocess.Process, console: Path) -> None:
        self.process = process
        self._console = console
        self._seq = 0
        self._said: list[dict[str, Any]] = []

    @property
    def printed(self) -> str:
        return self._console.read_text()

    def send(self, command: str, **arguments: Any) -> int:
        self._seq += 1
        packet = {
            "type": "request",
            "seq": self._seq,
            "command": command,
            "arguments": arguments,
        }
        assert self.process.stdin is not None
        self.process.stdin.write(orjson.dumps(packet) + b"\n")
        return self._seq

    async def ask(self, command: str, **arguments: Any) -> dict[str, Any]:
        """The reply to a command; notices that come before it are kept."""
        seq = self.send(command, **arguments)
        return await self._find(
            lambda packet: packet["type"] == "response" and packet["request_seq"] == seq
        )

    async def body(self, command: str, **arguments: Any) -> Any:
        reply = await self.ask(command, **arguments)
        assert reply["success"], reply["message"]
        return reply["body"]

    async def until(self, event: str) -> dict[str, Any]:
        """The body of the next notice of this kind; those before it are dropped."""
        # Who waits for something else learns from a failure at once, not from a
        # timeout.
        found = await self._find(
            lambda packet: packet.get("event") in (event, "stopped")
        )
        assert found["event"] == event, found["body"]
        return dict(found["body"])

    async def read(self) -> dict[str, Any]:
        """The next packet. Every line on the wire is one, or this fails."""
        assert self.process.stdout is not None
        line = await self.process.stdout.readline()
        if not line:
            raise EOFError(f"The host has ended.\n{self.printed}")
        packet: dict[str, Any] = orjson.loads(line)
        return packet

    @contextmanager
    def unread(self) -> Iterator[None]:
        """Nothing is taken out of the pipe meanwhile; asyncio reads ahead otherwise."""
        pipe = self.process.stdout._transport  # type: ignore[union-attr]
        pipe.pause_reading()
        try:
            yield
        finally:
            pipe.resume_reading()

    async def _find(self, wanted: Any) -> dict[str, Any]:
        for position, packet in enumerate(self._said):
            if wanted(packet):
                del self._said[: position + 1]
                return packet
        while True:
            packet = await self.read()
            if wanted(packet):
                return packet
            self._said.append(packet)

    async def kill(self) -> None:
        with suppress(ProcessLookupError):
            self.process.kill()
        await self.process.wait()


@asynccontextmanager
async def spawned(folder: Path) -> AsyncIterator[Process]:
    environment = os.environ | {"PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}
    pipe = asyncio.subprocess.PIPE
    console = folder / "console.txt"
    with console.open("wb") as stderr:
        process = await asyncio.create_subprocess_exec(
            *COMMAND,
            stdin=pipe,
            stdout=pipe,
            stderr=stderr,
            cwd=folder,
            env=environment,
            limit=2**24,
        )
    made = Process(process, console)
    try:
        yield made
    finally:
        await made.kill()
