"""The loop of the debugger in the terminal: a line, what it does, and the next line."""

from __future__ import annotations

import asyncio
import signal
from contextlib import AbstractAsyncContextManager, suppress
from typing import TYPE_CHECKING

from runtime.cli import report
from runtime.cli.exit_codes import ExitCode
from runtime.cli.terminal.commands import perform
from runtime.cli.terminal.line import Line, to_process, to_program
from runtime.cli.terminal.prompt import Prompt
from runtime.cli.terminal.terminal import Terminal
from runtime.debug.protocol import AttachBody, StartArguments
from runtime.errors import CommandError

if TYPE_CHECKING:
    from runtime.debug.remote.code_target import CodeTarget
    from runtime.system.listeners import Address

_HELP = "To list the commands: help"


def debug_code(target: CodeTarget) -> int:
    """Step through a workflow in a process of our own. Return the exit code."""

    async def work() -> int:
        terminal = Terminal()
        line = to_process(target.command, terminal)
        return await _converse(terminal, line)

    return asyncio.run(work())


def debug_program(address: Address, token: str) -> int:
    """Attach to a program that listens. Return the exit code. Raise `CommandError` if it
    refuses.
    """

    async def work() -> int:
        terminal = Terminal()
        line = to_program(address, token, terminal)
        return await _converse(terminal, line)

    return asyncio.run(work())


async def _converse(
    terminal: Terminal, connecting: AbstractAsyncContextManager[Line]
) -> int:
    async with connecting as line:
        terminal.connect(line)
        # Until there is a prompt, where one can leave, Ctrl+C ends the command.
        if not await _begin(terminal):
            return ExitCode.FAILED
        with suppress(NotImplementedError):  # Windows
            loop = asyncio.get_running_loop()
            loop.add_signal_handler(signal.SIGINT, _Interrupt(terminal))
        prompt = Prompt()
        while not terminal.has_left:
            written = await prompt.line(_prompt_of(terminal))
            if written is None:
                break
            if written.strip():
                await _perform(terminal, written)
        terminal.has_left = True
    return ExitCode.FINISHED


async def _begin(terminal: Terminal) -> bool:
    """Attach, and start a run if there is an input. Return whether that was possible."""
    try:
        program: AttachBody = await terminal.ask("attach")
        report.hint(f"{program.workflow or program.program}: {_HELP}")
        if program.can_start:
            await terminal.put("start", StartArguments(stop_on_entry=True))
        elif not program.is_called:
            report.hint("No run is under way.")
    except CommandError as error:
        terminal.has_left = True  # so that its end is no news
        report.complain(str(error))
        return False
    return True


async def _perform(terminal: Terminal, written: str) -> None:
    try:
        await perform(terminal, written)
    except CommandError as error:
        terminal.complain(str(error))


def _prompt_of(terminal: Terminal) -> str:
    place = "" if terminal.stopped is None else f"s{terminal.stopped.superstep}"
    if terminal.viewing is not None:
        place = terminal.viewing[:8]
    way = "".join(f" {step}" for step in terminal.inside)
    return f"({place}{way}) " if place else "() "


class _Interrupt:
    """Ctrl+C pauses the run; a second one, while it still moves, cancels its superstep."""

    def __init__(self, terminal: Terminal) -> None:
        self._terminal = terminal
        self._has_paused = False

    def __call__(self) -> None:
        if not self._terminal.is_moving:
            self._has_paused = False
            report.hint("To leave: quit")
            return
        command = "stop" if self._has_paused else "pause"
        self._has_paused = not self._has_paused
        self._terminal.line.order(command)
