"""A run from its input to its rest, with what it left in its store. The straight run's
story is the others' oracle.

Two runs are equal when their checkpoints are: from the first to the last the same
superstep, cause, status, counts, parts to the byte, and trace but for its times.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import orjson

from runtime.checkpoint import CheckpointHeader, CheckpointStore, Part, Record
from runtime.checkpoints.archive import Archive
from runtime.engine.runner import Runner
from runtime.state import Output, RunState, Trace
from runtime.workflow.workflow import Workflow
from tests.faults.plans import Plan
from tests.faults.values import Token


class Content(NamedTuple):
    """What a checkpoint is, without its id, time and branch."""

    superstep: int
    cause: str
    status: str
    counts: tuple[int, ...]
    manifest: tuple[Part, ...]
    trace: Any

    @property
    def outputs(self) -> list[Any]:
        found: list[Any] = self.trace[3]
        return found


@dataclass(frozen=True)
class Story:
    """A run that came to its rest: its checkpoints in order, its outputs, and the state
    that it ended in.
    """

    headers: tuple[CheckpointHeader, ...]
    contents: tuple[Content, ...]
    outputs: tuple[Output, ...]
    state: RunState
    status: str

    def outputs_after(self, position: int) -> list[Output]:
        """What the run put out after the checkpoint at this position."""
        before = sum(len(content.outputs) for content in self.contents[: position + 1])
        return list(self.outputs[before:])


FIRST = Token(0, "first")
_MOST_ROUNDS = 1000  # far more than any workflow of a plan takes


async def drive(
    runner: Runner,
    plan: Plan,
    *,
    salt: int = 0,
    stepping: bool = False,
    looking: bool = False,
    step: Callable[[], Awaitable[Trace | None]] | None = None,
) -> list[Output]:
    """Answer and step until the run rests and asks nothing; its outputs.

    stepping  step before anything is answered: how a superstep is tried again
    looking   ask for a preview and for the joins in words before each step: it must change nothing
    step      what to call in place of `runner.step`
    """
    outputs: list[Output] = []
    for _ in range(_MOST_ROUNDS):
        if stepping:
            answers = {}
        else:
            answers = plan.answers_at(runner.state, runner.is_active, salt)
        if looking:
            await look(runner)
        if answers:
            await runner.answer(answers)
            continue
        trace = await (step or runner.step)()
        stepping = False
        if trace is not None:
            outputs += trace.outputs
        elif not runner.state.requests:
            return outputs
    raise AssertionError("the run does not come to its rest")


async def look(runner: Runner) -> None:
    before = runner.state
    runner.preview()
    assert isinstance(runner.stalled, list)
    assert runner.state is before


async def begin(runner: Runner, plan: Plan, **options: Any) -> list[Output]:
    """A run from its input to its rest."""
    await runner.start(FIRST)
    return await drive(runner, plan, **options)


async def straight(
    workflow: Workflow, plan: Plan, store: CheckpointStore, **options: Any
) -> Story:
    runner = Runner(workflow, store, **options)
    return await told(runner, store, await begin(runner, plan))


async def told(
    runner: Runner, store: CheckpointStore, outputs: Sequence[Output] = ()
) -> Story:
    """The story of a run that rests."""
    assert runner.header is not None
    headers = await chain(store, runner.header.id)
    contents = await contents_of(store, headers)
    return Story(
        tuple(headers),
        tuple(contents),
        tuple(outputs),
        runner.state,
        runner.status.value,
    )


async def chain(store: CheckpointStore, checkpoint_id: str) -> list[CheckpointHeader]:
    """A checkpoint and all before it, the first one first."""
    header = (await store.load(checkpoint_id)).header
    by_id = {one.id: one for one in await store.headers(run_id=header.run_id)}
    found = [by_id[checkpoint_id]]
    while found[-1].parent is not None:
        found.append(by_id[found[-1].parent])
    return found[::-1]


async def contents_of(
    store: CheckpointStore, headers: Iterable[CheckpointHeader]
) -> list[Content]:
    records = [await store.load(header.id) for header in headers]
    wanted = {
        part.digest
        for record in records
        for part in record.manifest
        if part.kind == "trace"
    }
    data = await store.parts(sorted(wanted))
    return [_content(record, data) for record in records]


def _content(record: Record, data: dict[str, bytes]) -> Content:
    header = record.header
    trace = orjson.loads(
        b"".join(data[part.digest] for part in record.manifest if part.kind == "trace")
    )
    for invocation in trace[0]:
        invocation[4:6] = [0, 0]
    trace[-1] = 0
    return Content(
        header.superstep,
        header.cause,
        header.status,
        (header.queued, header.buffered, header.requests, header.stalled),
        tuple(part for part in record.manifest if part.kind != "trace"),
        trace,
    )


def check_equal(story: Sequence[Content], wanted: Sequence[Content]) -> None:
    """Raises `AssertionError` that says where the first difference is."""
    for position, (one, two) in enumerate(zip(story, wanted, strict=False)):
        for name, left, right in zip(Content._fields, one, two, strict=True):
            assert left == right, (
                f"checkpoint {position} of {len(wanted)}, superstep {two.superstep}: {name} differs"
            )
    assert len(story) == len(wanted), (
        f"{len(story)} checkpoints in place of {len(wanted)}"
    )


def without_answered(contents: Iterable[Content]) -> list[Content]:
    """The same, but for which requests were answered in which superstep."""
    return [one._replace(trace=[*one.trace[:6], *one.trace[7:]]) for one in contents]


async def check_store(
    store: CheckpointStore, story: Story, run_id: str
) -> list[CheckpointHeader]:
    """Every checkpoint of a run is listed whole, loads, and is one of the straight
    run's, after those before it.
    """
    headers = await store.headers(run_id=run_id)
    assert not [header.id for header in headers if header.damaged], (
        "a record is damaged"
    )
    contents = without_answered(await contents_of(store, headers))
    wanted = without_answered(story.contents)
    archive = Archive(store)
    depth = dict[str, int]()
    for header, content in zip(headers, contents, strict=True):
        await archive.view(header.id)
        depth[header.id] = 0 if header.parent is None else depth[header.parent] + 1
        check_equal([content], wanted[depth[header.id] :][:1])
    return headers


def check_end(
    found: Story, wanted: Story, outputs: Sequence[Output], *, tried_again: bool = False
) -> None:
    """`tried_again`: an answer that was had its question open until then, at each level
    of the tree.
    """
    if tried_again:
        check_equal(without_answered(found.contents), without_answered(wanted.contents))
    else:
        check_equal(found.contents, wanted.contents)
    assert list(found.outputs) == list(outputs), "the outputs differ"
    assert found.state == wanted.state, "the state differs"
    assert found.status == wanted.status, "the status differs"


def check_nothing_left() -> None:
    """No task but the one that asks."""
    left = asyncio.all_tasks() - {asyncio.current_task()}
    assert not left, f"tasks are left: {left}"
