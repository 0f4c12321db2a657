"""Run a program to its end, with limits of time and output, and leave nothing of it
running.
"""

from __future__ import annotations

import asyncio
import os
import signal
from asyncio.subprocess import PIPE, Process
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

GRACE = 2.0  # seconds between being asked to end and being ended
_PIECE = 65_536


@dataclass(frozen=True, slots=True)
class Command:
    arguments: Sequence[str]
    folder: Path
    environment: Mapping[str, str]
    stdin: bytes


@dataclass(frozen=True, slots=True)
class Ended:
    """`code` is negative for a signal. `too_much`: it wrote more than was allowed, and
    was ended for it.
    """

    code: int
    stdout: bytes
    stderr: bytes
    too_much: bool


class HeldOpenError(TimeoutError):
    """The program ended in time, but what it left behind holds its output open."""


async def run(
    command: Command, seconds: float, max_bytes: int, grace: float = GRACE
) -> Ended:
    """Run a program. Raise `TimeoutError` (`HeldOpenError` is one), `OSError` if it
    cannot be started, and `ValueError` for an argument with a zero byte.

    Any end of this call, a cancellation too, ends the program and everything that
    it started before the call returns.
    """
    process, was_cancelled = await _started(command)
    try:
        if was_cancelled:
            raise asyncio.CancelledError
        async with asyncio.timeout(seconds):
            async with asyncio.TaskGroup() as group:
                group.create_task(_feed(process, command.stdin))
                stdout = group.create_task(_read(process, process.stdout, max_bytes))
                stderr = group.create_task(_read(process, process.stderr, max_bytes))
            code = await process.wait()
    except TimeoutError:
        if process.returncode is not None:
            raise HeldOpenError from None
        raise
    finally:
        await _end(process, grace)
    too_much = max(len(stdout.result()), len(stderr.result())) > max_bytes
    return Ended(code, stdout.result(), stderr.result(), too_much)


async def _started(command: Command) -> tuple[Process, bool]:
    """The process, and whether this was cancelled meanwhile. That must not end the
    start itself: asyncio would kill the program alone, and wait for ever for those that
    it has started and that hold its pipes.
    """
    outcome: list[Process | OSError | ValueError] = []

    async def start() -> None:
        try:
            outcome.append(
                await asyncio.create_subprocess_exec(
                    *command.arguments,
                    stdin=PIPE,
                    stdout=PIPE,
                    stderr=PIPE,
                    cwd=command.folder,
                    env=dict(command.environment),
                    # a group of its own, which can be ended as a whole
                    start_new_session=True,
                )
            )
        except (OSError, ValueError) as error:
            outcome.append(error)

    was_cancelled = False
    async with asyncio.TaskGroup() as group:
        begun = group.create_task(start())
        while not begun.done():
            try:
                await asyncio.shield(begun)
            except asyncio.CancelledError:
                was_cancelled = True
    if isinstance(outcome[0], Process):
        return outcome[0], was_cancelled
    raise outcome[0]


async def _feed(process: Process, content: bytes) -> None:
    assert process.stdin is not None  # noqa: S101 - it is a pipe
    try:
        process.stdin.write(content)
        await process.stdin.drain()
        # What is left is written while it closes. To wait for that would, when this is
        # cancelled, cancel a future that asyncio sets later, and complains of.
        process.stdin.close()
    except (BrokenPipeError, ConnectionResetError):
        return  # a program need not read what it is given


async def _read(
    process: Process, stream: asyncio.StreamReader | None, most: int
) -> bytes:
    assert stream is not None  # noqa: S101
    content = bytearray()
    while piece := await stream.read(_PIECE):
        content += piece
        if len(content) > most:
            _signal(process, "SIGKILL")
            await _drain(stream)
    return bytes(content)


async def _drain(stream: asyncio.StreamReader | None) -> None:
    """Read a pipe to its end, because a process counts as ended only when its pipes
    are, and blocks on a full one.
    """
    while stream is not None and await stream.read(_PIECE):
        continue


async def _end(process: Process, grace: float) -> None:
    """Ask what is left of the group to end, then end it. A program that ends by itself
    may leave others behind.
    """
    try:
        if process.returncode is None:
            _signal(process, "SIGTERM")
            await _wait_for_end(process, grace)
    finally:
        _signal(process, "SIGKILL")
    # that it is killed has to be heard of, however impatient the caller is
    await _wait_for_end(process, GRACE)


async def _wait_for_end(process: Process, grace: float) -> None:
    """Wait so long for it to end; a stranger outside of the group may hold a pipe for
    ever.
    """
    with suppress(TimeoutError):
        async with asyncio.timeout(grace):
            await _drain(process.stdout)
            await _drain(process.stderr)
            await process.wait()


def _signal(process: Process, name: str) -> None:
    try:
        if os.name == "posix":
            os.killpg(process.pid, getattr(signal, name))
        else:
            process.kill()
    except (ProcessLookupError, PermissionError):
        return  # all processes have ended
