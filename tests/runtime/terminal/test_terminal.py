"""The debugger in the terminal: what each command prints, with a host in this process."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from runtime.cli.terminal.breakpoint_words import breakpoint_of
from runtime.cli.terminal.commands import COMMANDS, perform
from runtime.cli.terminal.line import Line, to_process, to_program
from runtime.cli.terminal.terminal import Terminal
from runtime.debug import listen
from runtime.debug.protocol import Notice
from runtime.debug.remote.code_session import workflow_of
from runtime.errors import CommandError
from runtime.system.listeners import address_of
from tests.runtime.debug.attach.speaking import running

CODE = """
from dataclasses import dataclass
from runtime import (
    Executor, WorkflowBuilder, WorkflowContext, WorkflowExecutor, executor, handler, response_handler
)

@executor(id="split")
async def split(number: int, context: WorkflowContext[int]) -> None:
    context.set_state("seen", number)
    await context.send_message(number)

@executor(id="left")
async def left(number: int, context: WorkflowContext[int]) -> None:
    await context.send_message(number + 1)

@executor(id="right")
async def right(number: int, context: WorkflowContext[int]) -> None:
    if number < 5:
        await context.send_message(number + 2)

@executor(id="total")
async def total(numbers: list[int], context: WorkflowContext[int, int]) -> None:
    await context.yield_output(sum(numbers))

builder = WorkflowBuilder(start_executor=split, name="totals")
builder.add_fan_out_edges(split, [left, right])
workflow = builder.add_fan_in_edges([left, right], total).build()


class Asks(Executor):
    @handler
    async def ask(self, number: int, context: WorkflowContext[int, str]) -> None:
        await context.request_info(f"Take {number}?", bool)

    @response_handler
    async def take(self, question: str, answer: bool, context: WorkflowContext[int, str]) -> None:
        await context.yield_output("taken" if answer else "left")


inner = WorkflowExecutor(workflow, id="totals")
outer = WorkflowBuilder(start_executor=inner, name="outer").build()

asking = WorkflowBuilder(start_executor=Asks("asks"), name="asking").build()
"""


@pytest.fixture(autouse=True)
def run_folder(tmp_path_factory: pytest.TempPathFactory, monkeypatch) -> None:
    monkeypatch.setenv("STEPWELL_RUN_DIR", str(tmp_path_factory.mktemp("run")))


class Talk:
    """A terminal, and what it has printed since the last command."""

    def __init__(self, terminal: Terminal, capsys: pytest.CaptureFixture[str]) -> None:
        self.terminal = terminal
        self._capsys = capsys

    async def __call__(self, line: str) -> str:
        self._capsys.readouterr()
        await perform(self.terminal, line)
        return self._capsys.readouterr().out

    async def refused(self, line: str) -> str:
        with pytest.raises(CommandError) as refusal:
            await perform(self.terminal, line)
        return str(refusal.value)


@asynccontextmanager
async def talking(
    capsys: pytest.CaptureFixture[str],
    folder: Path,
    name: str = "workflow",
    message: Any = 3,
) -> AsyncIterator[Talk]:
    """A terminal that is attached to a run that stands at its input."""
    (folder / "totals.py").write_text(CODE)
    workflow = workflow_of(f"totals:{name}", folder)
    with listen(workflow, wait_for_client=True) as listener:
        terminal = Terminal()
        address = address_of(listener.address)
        async with (
            running(workflow, message),
            to_program(address, "", terminal) as line,
        ):
            terminal.connect(line)
            while terminal.stopped is None:
                await terminal.ask("attach")
            yield Talk(terminal, capsys)


async def test_supersteps_and_deliveries(capsys, tmp_path) -> None:
    async with talking(capsys, tmp_path) as talk:
        assert "after superstep 1" in await talk("step")
        printed = await talk("next")
        assert "in superstep 2" in printed
        assert "delivery 2 of 2: right" in printed
        printed = await talk("where")
        assert "1. done    left(3), sends 4" in printed
        assert "2. next    right(3)" in printed
        assert "finished after superstep 3" in await talk("continue")
        assert "output:0  total: 9" in await talk("outputs")


async def test_the_joins_say_who_is_missing(capsys, tmp_path) -> None:
    async with talking(capsys, tmp_path, message=7) as talk:
        printed = await talk("c")
        assert "a join waits for ever" in printed
        printed = await talk("joins")
        assert "1 of 2, waits for right, for ever" in printed
        assert "✓ left   1" in printed
        assert "… right  0" in printed


async def test_breakpoints_stop_the_run_and_are_listed_and_deleted(
    capsys, tmp_path
) -> None:
    async with talking(capsys, tmp_path) as talk:
        printed = await talk("break right if message > 2")
        assert "1  before right if message > 2  — 0 hits" in printed
        assert "never hit" in await talk("break write  if value >")
        assert "breakpoint 1, hit 1" in await talk("continue")
        assert "— 1 hit" in await talk("break")
        await talk("delete all")
        assert "no breakpoint is set" in await talk("break")
        assert "finished" in await talk("continue")


async def test_a_breakpoint_whose_condition_does_not_fit_says_so_as_it_is_passed(
    capsys, tmp_path
) -> None:
    async with talking(capsys, tmp_path) as talk:
        await talk("break total if message > 3")
        printed = await talk("continue")
        assert "breakpoint 1 did not stop the run" in printed
        assert "message is a list" in printed
        assert printed.count("did not stop") == 1


async def test_a_refused_breakpoint_takes_no_number(capsys, tmp_path) -> None:
    async with talking(capsys, tmp_path) as talk:
        await talk.refused("break nowhere")
        assert "  1  before right" in await talk("break right")
        await talk("delete 1")
        assert "  2  before left" in await talk("break left")


async def test_the_past_is_looked_at_and_gone_on_from_on_a_new_branch(
    capsys, tmp_path
) -> None:
    async with talking(capsys, tmp_path) as talk:
        await talk("step 2")
        assert "s1 of main, looking at" in await talk("back")
        assert "restore" in await talk.refused("step")
        assert "s0 of main" in await talk("back")
        assert "no checkpoint further on" in await talk.refused("back")
        assert "s1 of main" in await talk("forward")
        assert "the run as it is now" in await talk("forward")
        await talk("at s1")
        assert "restored at superstep 1 · again" in await talk("restore again")
        assert "again" in await talk("timeline")
        assert "finished after superstep 3 · again" in await talk("continue")
        assert "· main" in await talk("follow")


async def test_values_are_followed_back_to_the_input(capsys, tmp_path) -> None:
    async with talking(capsys, tmp_path) as talk:
        await talk("continue")
        assert "seen: 3" in await talk("state")
        printed = await talk("state seen")
        assert "written by split in s1" in printed
        printed = await talk("why output:0")
        assert "input of the run: 3" in printed
        assert "total yielded" in printed
        assert "state:KEY" in await talk.refused("why seen")


async def test_a_question_is_answered(capsys, tmp_path) -> None:
    async with talking(capsys, tmp_path, "asking") as talk:
        assert "waits for an answer" in await talk("continue")
        printed = await talk("requests")
        assert "asks: Take 3?" in printed
        id_ = printed.split()[0]
        assert "is not JSON" in await talk.refused(f"answer {id_} yes")


async def test_the_run_goes_to_a_place(capsys, tmp_path) -> None:
    async with talking(capsys, tmp_path) as talk:
        assert "arrived" in await talk("to s2")
        assert "arrived" in await talk("to total")
        assert "no node 'nobody'" in await talk.refused("to nobody")


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("jump", "There is no command 'jump'"),
        ("step x", "'x' is no number of steps"),
        ("step 0", "'0' is no number of steps"),
        ("joins now", "joins takes nothing more"),
        ("break nobody", "There is no node or edge 'nobody'"),
        ("delete 4", "There is no breakpoint '4'"),
        ("at nothing", "There is no checkpoint 'nothing'"),
        ("inside left", "No run of left is kept"),
        ("answer", "answer ID JSON"),
        ("restore", "Look at a checkpoint first"),
    ],
)
async def test_what_cannot_be_done_is_said(capsys, tmp_path, line, reason) -> None:
    async with talking(capsys, tmp_path) as talk:
        assert reason in await talk.refused(line)


async def test_every_command_is_in_the_help(capsys, tmp_path) -> None:
    async with talking(capsys, tmp_path) as talk:
        printed = await talk("help")
        for command in COMMANDS:
            assert command.text in printed


def test_names_and_short_names_mean_one_command_each() -> None:
    names = [name for each in COMMANDS for name in (each.name, each.short) if name]
    assert len(names) == len(set(names))


def test_a_place_in_a_sub_workflow_is_named_by_its_way() -> None:
    definition = {"nodes": [{"id": "review"}], "edges": [{"id": "a/b -> c"}]}
    inner = breakpoint_of("review/merge if message > 1", 1, definition)
    assert (inner.kind, inner.inside, inner.where) == ("before", ("review",), "merge")
    asked = breakpoint_of("question inner/ask", 2, definition, ("review",))
    assert (asked.inside, asked.where) == (("review", "inner"), "ask")
    assert breakpoint_of("write a/b", 3, definition).where == "a/b"
    assert breakpoint_of("a/b -> c", 4, definition).where == "a/b -> c"


async def test_a_sub_workflow_that_works_is_next_and_stops_inside(
    capsys, tmp_path
) -> None:
    async with talking(capsys, tmp_path, "outer") as talk:
        await talk("step")
        assert "next: totals" in await talk("where")
        printed = await talk("break totals/total")
        assert "  1  before totals/total  — 0 hits" in printed
        assert "breakpoint 1, hit 1" in await talk("continue")


def test_a_breakpoint_takes_its_kind_from_the_words_or_from_the_graph() -> None:
    definition = {"nodes": [{"id": "a"}], "edges": [{"id": "a -> b"}]}
    edge = breakpoint_of("a -> b if message > 1 log got {message}", 1, definition)
    assert (edge.kind, edge.where, edge.condition, edge.log) == (
        "message",
        "a -> b",
        "message > 1",
        "got {message}",
    )
    assert breakpoint_of("a", 2, definition).kind == "before"
    write = breakpoint_of("write votes if value > 3", 3, definition)
    assert (write.kind, write.where) == ("write", "votes")
    assert breakpoint_of("failure", 4, definition).where == ""
    with pytest.raises(CommandError, match="no node or edge 'b'"):
        breakpoint_of("b", 5, definition)


async def test_a_program_that_refuses_is_quoted(tmp_path) -> None:
    with listen(address="127.0.0.1:0") as listener:
        address = address_of(listener.address)
        with pytest.raises(CommandError, match="token is wrong"):
            async with to_program(address, "wrong", Terminal()):
                pass


async def test_an_address_at_which_nobody_listens_is_named(tmp_path) -> None:
    address = address_of(str(tmp_path / "nobody.sock"))
    with pytest.raises(CommandError, match="No program answers at"):
        async with to_program(address, "", Terminal()):
            pass


class Nobody:
    def on_notice(self, notice: Notice) -> None: ...
    def on_end(self) -> None: ...


async def test_commands_after_the_end_of_the_program_are_refused() -> None:
    reader = asyncio.StreamReader()
    reader.feed_eof()
    line = Line(reader, None, Nobody())  # type: ignore[arg-type]
    await line.read()
    with pytest.raises(CommandError, match="has ended"):
        await line.ask("inspect")


async def test_ctrl_c_in_the_terminal_does_not_reach_the_process_of_the_run(
    capsys: pytest.CaptureFixture[str],
) -> None:
    program = "import os, sys; sys.stderr.write(f'{os.getpid() == os.getpgrp()}')"
    async with to_process([sys.executable, "-c", program], Terminal()):
        pass
    assert capsys.readouterr().out.startswith("True")
