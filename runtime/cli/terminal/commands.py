"""The commands of the debugger in the terminal, in one table."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from runtime.cli.commands import json_of
from runtime.cli.terminal import pages
from runtime.cli.terminal.breakpoint_words import breakpoint_of
from runtime.cli.terminal.terminal import Terminal
from runtime.debug.protocol import (
    AnswerArguments,
    ContinueArguments,
    Header,
    ProvenanceArguments,
    RestoreArguments,
    RunToArguments,
    StartArguments,
    StepArguments,
)
from runtime.errors import CommandError

# With the words that follow the name, if the command takes any.
Do = Callable[..., Awaitable[None]]


@dataclass(frozen=True)
class TerminalCommand:
    """`words` are what may follow the name; `text` says what it does."""

    name: str
    short: str
    words: str
    text: str
    do: Do


def _count(words: str) -> int:
    if not words:
        return 1
    if not words.isdecimal() or int(words) < 1:
        raise CommandError(f"{words!r} is no number of steps.")
    return int(words)


# --- the run ----------------------------------------------------------------------


async def _step(terminal: Terminal, words: str) -> None:
    await terminal.move("step", StepArguments(count=_count(words)))


async def _next(terminal: Terminal, words: str) -> None:
    await terminal.move("step", StepArguments(count=_count(words), unit="delivery"))


async def _out(terminal: Terminal) -> None:
    await terminal.move("step", StepArguments(unit="out"))


async def _continue(terminal: Terminal, words: str) -> None:
    if words not in ("", "live"):
        raise CommandError("c, or c live to make a call that reaches outside again")
    await terminal.move("continue", ContinueArguments(live=words == "live"))


async def _to(terminal: Terminal, words: str) -> None:
    """Run to a node, an edge, or a superstep such as s12."""
    if words.startswith("s") and words[1:].isdecimal():
        place = RunToArguments(superstep=int(words[1:]))
    elif words == "question":
        place = RunToArguments(question=True)
    else:
        definition = (await terminal.moment()).definition or {}
        is_edge = words in {edge["id"] for edge in definition.get("edges", ())}
        place = RunToArguments(
            node="" if is_edge else words,
            edge=words if is_edge else "",
            inside=terminal.way["inside"],
        )
    await terminal.move("run_to", place)


async def _run(terminal: Terminal, words: str) -> None:
    message = json_of(words, "The input") if words else None
    await terminal.put("start", StartArguments(input=message, stop_on_entry=True))


async def _restore(terminal: Terminal, words: str) -> None:
    if terminal.viewing is None:
        raise CommandError("Look at a checkpoint first: back, or at ID")
    arguments = RestoreArguments(checkpoint_id=terminal.viewing, branch=words)
    await terminal.put("restore", arguments)


async def _answer(terminal: Terminal, words: str) -> None:
    id_, _, answer = words.partition(" ")
    if not answer:
        raise CommandError("answer ID JSON")
    answers = {id_: json_of(answer, "The answer")}
    if terminal.viewing is not None:
        raise CommandError("You look at the past. Restore it first, then answer.")
    await terminal.ask("answer", AnswerArguments(answers=answers))


async def _follow(terminal: Terminal) -> None:
    await terminal.put("follow")


# --- breakpoints ------------------------------------------------------------------


async def _break(terminal: Terminal, words: str) -> None:
    if words:
        moment = await terminal.moment()
        added = breakpoint_of(
            words,
            terminal.next_number(),
            moment.definition,
            terminal.way["inside"],
        )
        await terminal.set_breakpoints({**terminal.breakpoints, added.id: added})
    shown = pages.breakpoints(terminal.breakpoints.values(), terminal.statuses)
    terminal.print(shown)


async def _delete(terminal: Terminal, words: str) -> None:
    kept = dict(terminal.breakpoints)
    if words == "all":
        kept.clear()
    elif kept.pop(words, None) is None:
        raise CommandError(f"There is no breakpoint {words!r}. To list them: break")
    await terminal.set_breakpoints(kept)


# --- looking ----------------------------------------------------------------------


async def _where(terminal: Terminal) -> None:
    stopped = terminal.stopped if terminal.viewing is None else None
    terminal.print(pages.where(await terminal.moment(), stopped))


async def _state(terminal: Terminal, words: str) -> None:
    terminal.print(pages.state(await terminal.moment(), words))


async def _messages(terminal: Terminal) -> None:
    terminal.print(pages.messages(await terminal.moment()))


async def _joins(terminal: Terminal) -> None:
    terminal.print(pages.joins(await terminal.moment()))


async def _requests(terminal: Terminal) -> None:
    terminal.print(pages.requests(await terminal.moment()))


async def _outputs(terminal: Terminal) -> None:
    terminal.print(pages.outputs(await terminal.moment()))


async def _why(terminal: Terminal, words: str) -> None:
    if ":" not in words:
        raise CommandError(
            "why state:KEY, queue:N, held:N, output:N, request:ID or own:NODE"
        )
    arguments = ProvenanceArguments(
        checkpoint_id=terminal.viewing, address=words, **terminal.way
    )
    terminal.print(pages.provenance(await terminal.ask("provenance", arguments)))


async def _back(terminal: Terminal, words: str) -> None:
    await _walk(terminal, -_count(words))


async def _forward(terminal: Terminal, words: str) -> None:
    await _walk(terminal, _count(words))


async def _walk(terminal: Terminal, steps: int) -> None:
    descent = await terminal.line_of_descent()
    ids = [header.id for header in descent]
    if not descent or (terminal.viewing is not None and terminal.viewing not in ids):
        raise CommandError(
            "This checkpoint is on another branch. To go back to the run: live"
        )
    present = len(ids) - 1 if terminal.viewing is None else ids.index(terminal.viewing)
    place = min(max(present + steps, 0), len(ids) - 1)
    if place == present:
        raise CommandError("There is no checkpoint further on.")
    await terminal.look(descent[place], is_live=place == len(ids) - 1)


async def _at(terminal: Terminal, words: str) -> None:
    descent = await terminal.line_of_descent()
    if words.startswith("s") and words[1:].isdecimal():
        found = [header for header in descent if header.superstep == int(words[1:])]
    else:
        found = _beginning(await terminal.headers(), words)
    if not found:
        raise CommandError(f"There is no checkpoint {words!r}. To list them: timeline")
    is_live = bool(descent) and found[-1].id == descent[-1].id
    await terminal.look(found[-1], is_live=is_live)


def _beginning(headers: list[Header], words: str) -> list[Header]:
    matches = [header for header in headers if words and header.id.startswith(words)]
    if len(matches) > 1:
        raise CommandError(f"{len(matches)} checkpoints begin with {words!r}.")
    return matches


async def _live(terminal: Terminal) -> None:
    terminal.viewing = None
    await _where(terminal)


async def _timeline(terminal: Terminal) -> None:
    headers = await terminal.headers()
    head = terminal.stopped.checkpoint_id if terminal.stopped is not None else None
    terminal.print(pages.timeline(headers, terminal.viewing or head or ""))


async def _inside(terminal: Terminal, words: str) -> None:
    before = terminal.inside
    terminal.inside = (*before, *words.split("/"))
    try:
        await _where(terminal)
    except CommandError:
        terminal.inside = before
        raise


async def _outside(terminal: Terminal) -> None:
    terminal.inside = terminal.inside[:-1]


async def _help(terminal: Terminal) -> None:
    width = max(len(_usage(command)) for command in COMMANDS)
    terminal.print(
        f"  {_usage(command):<{width}}  {command.text}" for command in COMMANDS
    )


def _usage(command: TerminalCommand) -> str:
    short = f", {command.short}" if command.short else ""
    return f"{command.name}{short} {command.words}".rstrip()


async def _quit(terminal: Terminal) -> None:
    terminal.has_left = True


COMMANDS = (
    TerminalCommand("step", "s", "[N]", "run supersteps", _step),
    TerminalCommand("next", "n", "[N]", "run deliveries: single handler calls", _next),
    TerminalCommand("out", "o", "", "run until the sub-workflow has ended", _out),
    TerminalCommand(
        "continue", "c", "[live]", "run until the run rests or stops", _continue
    ),
    TerminalCommand(
        "to", "", "NODE|EDGE|sN|question", "run to a place and stop there", _to
    ),
    TerminalCommand("run", "r", "[JSON]", "start a fresh run, with an input", _run),
    TerminalCommand(
        "break",
        "b",
        "[[KIND] WHERE [if CEL] [log TEXT]]",
        "set a breakpoint, or list all",
        _break,
    ),
    TerminalCommand("delete", "d", "N|all", "delete breakpoints", _delete),
    TerminalCommand("where", "w", "", "where the run stands, and what is next", _where),
    TerminalCommand(
        "state", "p", "[KEY]", "the shared state, and who wrote it", _state
    ),
    TerminalCommand("messages", "m", "", "messages that wait", _messages),
    TerminalCommand("joins", "j", "", "what joins hold, and what they miss", _joins),
    TerminalCommand("requests", "", "", "open questions", _requests),
    TerminalCommand("answer", "", "ID JSON", "answer a question", _answer),
    TerminalCommand("outputs", "", "", "what this superstep put out", _outputs),
    TerminalCommand("why", "", "ADDRESS", "where a value comes from", _why),
    TerminalCommand(
        "back", "", "[N]", "look at earlier checkpoints; runs nothing", _back
    ),
    TerminalCommand("forward", "f", "[N]", "look at later ones", _forward),
    TerminalCommand("at", "", "sN|ID", "look at a checkpoint", _at),
    TerminalCommand("live", "l", "", "look at the run as it is now", _live),
    TerminalCommand(
        "restore",
        "",
        "[BRANCH]",
        "go on from the checkpoint, on a new branch",
        _restore,
    ),
    TerminalCommand("timeline", "t", "", "all checkpoints of the run", _timeline),
    TerminalCommand("inside", "i", "NODE[#N]", "look into a sub-workflow", _inside),
    TerminalCommand("outside", "u", "", "look out of it again", _outside),
    TerminalCommand("follow", "", "", "go back to the run of the program", _follow),
    TerminalCommand("help", "h", "", "this list", _help),
    TerminalCommand("quit", "q", "", "leave", _quit),
)
_BY_NAME = {
    name: command
    for command in COMMANDS
    for name in (command.name, command.short)
    if name
}


async def perform(terminal: Terminal, line: str) -> None:
    """Do what a line says. Raise `CommandError` with what is wrong with it."""
    name, _, words = line.strip().partition(" ")
    command = _BY_NAME.get(name)
    if command is None:
        raise CommandError(f"There is no command {name!r}. To list them: help")
    words = words.strip()
    if words and not command.words:
        raise CommandError(f"{command.name} takes nothing more, such as {words!r}.")
    try:
        if command.words:
            await command.do(terminal, words)
        else:
            await command.do(terminal)
    except ValidationError as error:
        fault: Any = error.errors()[0]
        raise CommandError(f"{_usage(command)}: {fault['msg']}") from error
