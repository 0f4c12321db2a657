"""A host that runs a workflow made in code, in place of the program that would."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from runtime.debug.host.host import DebugHost, Packet
from runtime.debug.protocol import Command, Notice
from runtime.debug.remote.code_session import CodeSession, workflow_of
from runtime.debug.remote.code_target import CodeTarget
from runtime.debug.session.notices import Notices
from runtime.errors import DefinitionError

CODE = """
from runtime import WorkflowBuilder, WorkflowContext, executor

ADDED = 1

@executor(id="first")
async def first(number: int, context: WorkflowContext[int]) -> None:
    await context.send_message(number + ADDED)

@executor(id="last")
async def last(number: int, context: WorkflowContext[int, int]) -> None:
    await context.yield_output(number * 10)

def builder(name="adding"):
    return WorkflowBuilder(start_executor=first, name=name).add_edge(first, last)

workflow = builder().build()

def needs(name):
    return workflow

async def waits():
    return workflow

def fails():
    raise OSError("no such disk")

number = 7
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "adding.py").write_text(CODE)
    return tmp_path


class Talk:
    """A host with one target, and what it has sent."""

    def __init__(self, target: CodeTarget) -> None:
        self._stops: asyncio.Queue[str] = asyncio.Queue()
        session = CodeSession(Notices(self._on_packet), target)
        self.host = DebugHost(self._on_packet, session=session)

    def _on_packet(self, packet: Packet) -> None:
        if isinstance(packet, Notice) and packet.event == "stopped":
            self._stops.put_nowait(packet.body.reason)

    async def stops(self, reason: str) -> None:
        """Wait until the run stands."""
        assert await self._stops.get() == reason

    async def ask(self, command: str, **arguments: Any) -> Any:
        reply = await self.host.handle(
            Command(seq=1, command=command, arguments=arguments)
        )
        assert reply.success, reply.message
        return reply.body

    async def refused(self, command: str, **arguments: Any) -> str:
        reply = await self.host.handle(
            Command(seq=1, command=command, arguments=arguments)
        )
        assert not reply.success
        return reply.message


def target(folder: Path, name: str = "workflow", **more: Any) -> CodeTarget:
    return CodeTarget(reference=f"adding:{name}", folder=str(folder), **more)


@pytest.mark.parametrize("name", ["workflow", "builder"])
def test_a_workflow_a_builder_and_a_function_that_returns_one_are_workflows(
    folder: Path, name: str
) -> None:
    assert workflow_of(f"adding:{name}", folder).name == "adding"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("number", "of type int, and no workflow. There is adding:workflow."),
        ("needs", "the function needs name"),
        ("waits", "of type coroutine"),
        ("fails", "no such disk"),
        ("nothing", "has no 'nothing'"),
    ],
)
def test_what_is_no_workflow_is_refused_in_words(
    folder: Path, name: str, words: str
) -> None:
    with pytest.raises(DefinitionError, match=words.replace(".", r"\.")):
        workflow_of(f"adding:{name}", folder)


async def test_a_run_starts_with_the_input_of_the_target(folder: Path) -> None:
    talk = Talk(target(folder, has_input=True, input=4))
    async with talk.host:
        body = await talk.ask("attach")
        assert (body.workflow, body.nodes) == ("adding", ("first", "last"))
        assert body.can_start
        await talk.ask("start", stop_on_entry=True)
        await talk.stops("entry")
        await talk.ask("step", count=1)
        await talk.stops("step")
        moment = await talk.ask("inspect")
        assert moment.superstep == 1


async def test_without_an_input_a_start_says_what_is_missing(folder: Path) -> None:
    talk = Talk(target(folder))
    async with talk.host:
        assert not (await talk.ask("attach")).can_start
        assert "give an input" in await talk.refused("start")


async def test_a_fresh_run_has_the_code_as_it_is_now(folder: Path) -> None:
    talk = Talk(target(folder, has_input=True, input=4))
    async with talk.host:
        await talk.ask("attach")
        changed = CODE.replace("ADDED = 1", "ADDED = 100")
        (folder / "adding.py").write_text(changed)
        await talk.ask("start", stop_on_entry=True)
        await talk.stops("entry")
        await talk.ask("step")
        await talk.stops("step")
        moment = await talk.ask("inspect")
        assert "104" in moment.model_dump_json()


async def test_a_restored_checkpoint_goes_on_without_a_fork_if_that_is_wanted(
    folder: Path,
) -> None:
    talk = Talk(target(folder, has_input=True, input=4))
    async with talk.host:
        await talk.ask("attach")
        await talk.ask("start", stop_on_entry=True)
        [header] = (await talk.ask("timeline")).headers
        body = await talk.ask("restore", checkpoint_id=header.id, fork=False)
        assert body.header.branch == "main"


async def test_code_that_cannot_be_imported_is_said_when_it_is_attached_to(
    tmp_path: Path,
) -> None:
    (tmp_path / "adding.py").write_text("import nothing_like_this\n")
    talk = Talk(target(tmp_path))
    async with talk.host:
        message = await talk.refused("attach")
        assert "nothing_like_this" in message


async def test_a_store_that_cannot_be_opened_is_refused_in_words(folder: Path) -> None:
    talk = Talk(target(folder, store="zip:runs"))
    async with talk.host:
        assert "no URL of a store" in await talk.refused("attach")
        assert "no URL of a store" in await talk.refused("start")
