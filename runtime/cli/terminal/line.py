"""A connection to a debug host: a process of our own, or a program that listens."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from pydantic import BaseModel

import runtime
from runtime.debug.protocol import (
    ERROR_MARK,
    REPLY_BODIES,
    Command,
    Notice,
    Reply,
)
from runtime.debug.wire.greeting import Hello, Refused, Welcome
from runtime.debug.wire.lines import LONGEST
from runtime.errors import CommandError
from runtime.system.bounded_files import from_json

if TYPE_CHECKING:
    from runtime.system.listeners import Address

ENDED = "The program has ended. To leave: quit"
# Seconds that a process of our own may take to end.
PATIENCE = 2.0
# Seconds that a program may take to answer the greeting.
GREETING_PATIENCE = 5.0
_CHUNK = 65_536


class Listener(Protocol):
    """Who hears what the other side says by itself."""

    def on_notice(self, notice: Notice) -> None: ...

    def on_end(self) -> None:
        """The other side has ended."""


class Line:
    """Commands out, replies to their callers, and the rest to a listener. After the end
    of the other side it `is_closed`, and every command is refused.
    """

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        listener: Listener,
    ) -> None:
        self._reader = reader
        self._writer = writer
        self._listener = listener
        self._seq = 0
        self._pending: dict[int, asyncio.Future[Reply]] = {}
        self.is_closed = False

    async def ask(self, command: str, arguments: BaseModel | None = None) -> Any:
        """Return the body of the reply. Raise `CommandError` with the reason of a
        refusal.
        """
        if self.is_closed:
            raise CommandError(ENDED)
        self._seq += 1
        future = asyncio.get_running_loop().create_future()
        self._pending[self._seq] = future
        if arguments is None:
            fields = {}
        else:
            fields = arguments.model_dump(mode="json", by_alias=True)
        self._write(Command(seq=self._seq, command=command, arguments=fields))
        reply = await future
        if not reply.success:
            raise CommandError(reply.message)
        body = REPLY_BODIES.get(command)
        return None if body is None else body.model_validate(reply.body)

    def order(self, command: str) -> None:
        """Send a command, and ignore its reply."""
        if not self.is_closed:
            self._seq += 1
            self._write(Command(seq=self._seq, command=command))

    async def greet(self, token: str) -> None:
        """Introduce ourselves to a program that listens. Raise `CommandError` if it
        refuses.
        """
        self._write(Hello(token=token))
        try:
            reading = self._reader.readline()
            answer = from_json(await asyncio.wait_for(reading, GREETING_PATIENCE))
            if answer.get("type") == "refused":
                raise CommandError(Refused.model_validate(answer).reason)
            Welcome.model_validate(answer)
        except (OSError, ValueError, AttributeError, TimeoutError) as error:
            raise CommandError(
                "Whoever listens there is no program to attach to."
            ) from error

    async def read(self) -> None:
        """Read until the other side ends."""
        with suppress(OSError):
            while content := await self._reader.readline():
                with suppress(ValueError):  # a line that is no packet
                    self._take(from_json(content))
        self.is_closed = True
        self._listener.on_end()
        for future in self._pending.values():
            if not future.done():
                future.set_exception(CommandError(ENDED))
        self._pending.clear()

    def _take(self, packet: Any) -> None:
        if isinstance(packet, dict) and packet.get("type") == "event":
            self._listener.on_notice(Notice.model_validate(packet))
            return
        reply = Reply.model_validate(packet)
        future = self._pending.pop(reply.request_seq, None)
        if future is not None and not future.done():
            future.set_result(reply)

    def _write(self, packet: BaseModel) -> None:
        self._writer.write(packet.model_dump_json(by_alias=True).encode() + b"\n")

    async def leave(self) -> None:
        """Let the other side go on by itself, or end if it is our process."""
        if not self.is_closed:
            with suppress(CommandError, OSError, TimeoutError):
                await asyncio.wait_for(self.ask("shutdown"), PATIENCE)
        self.close()

    def close(self) -> None:
        """Close the connection."""
        self._writer.close()


@asynccontextmanager
async def to_process(command: Sequence[str], listener: Listener) -> AsyncIterator[Line]:
    """A line to a host process of our own. What its code prints is printed here."""
    root = str(Path(runtime.__file__).parents[1])
    path = os.pathsep.join(filter(None, [root, os.environ.get("PYTHONPATH", "")]))
    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        limit=LONGEST,
        # Ctrl+C is for this process alone: it pauses the run.
        process_group=0,
        env={**os.environ, "PYTHONPATH": path, "PYTHONUNBUFFERED": "1"},
    )
    if not (process.stdin and process.stdout and process.stderr):
        raise RuntimeError("A process without pipes.")  # which were asked for
    line = Line(process.stdout, process.stdin, listener)
    async with asyncio.TaskGroup() as group:
        group.create_task(line.read())
        group.create_task(_print_all(process.stderr))
        try:
            yield line
        finally:
            await line.leave()
            try:
                await asyncio.wait_for(process.wait(), PATIENCE)
            except TimeoutError:
                # It may have ended without its pipes being read to the end.
                with suppress(ProcessLookupError):
                    process.kill()
                # Else the loop closes before it hears of the end, and warns.
                await process.wait()


async def _print_all(stream: asyncio.StreamReader) -> None:
    while chunk := await stream.read(_CHUNK):
        sys.stdout.write(chunk.replace(ERROR_MARK, b"").decode("utf-8", "replace"))
        sys.stdout.flush()


@asynccontextmanager
async def to_program(
    address: Address, token: str, listener: Listener
) -> AsyncIterator[Line]:
    """A line to a program that listens. Raise `CommandError` if none does, or if it
    refuses.
    """
    try:
        if address.path:
            streams = await asyncio.open_unix_connection(address.path, limit=LONGEST)
        else:
            streams = await asyncio.open_connection(
                address.host, address.port, limit=LONGEST
            )
    except OSError as error:
        reason = error.strerror or str(error)
        raise CommandError(f"No program answers at {address}: {reason}.") from error
    line = Line(*streams, listener)
    try:
        await line.greet(token)
    except CommandError:
        line.close()
        raise
    async with asyncio.TaskGroup() as group:
        reading = group.create_task(line.read())
        try:
            yield line
        finally:
            await line.leave()
            reading.cancel()
