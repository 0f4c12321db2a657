"""Workflows with one planted fault each, of the kinds that agent-framework had to
repair, and the proof of a run of theirs.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from runtime.checkpoint import CheckpointHeader
from runtime.debug.verify.prover import Prover
from runtime.debug.verify.results import CheckName, Finding, Proof
from runtime.debug.verify.workflows import WorkflowOfCode
from runtime.edges.join import Held
from runtime.edges.kinds.direct.group import SingleEdgeGroup
from runtime.edges.kinds.fan_in.group import FanInEdgeGroup
from runtime.edges.kinds.fan_out.group import FanOutEdgeGroup
from runtime.engine.runner import Runner
from runtime.executors.executor import Executor, WorkflowContext, handler
from runtime.stores.memory import MemoryStore
from runtime.workflow.builder import WorkflowBuilder
from runtime.workflow.sub_workflow import WorkflowExecutor
from runtime.workflow.workflow import Workflow
from tests.runtime.graphs import react

Ctx = WorkflowContext[Any, Any]


async def ran(workflow: Workflow, message: Any = "x") -> MemoryStore:
    """Return the store of a run to rest."""
    store = MemoryStore()
    runner = Runner(workflow, store)
    await runner.start(message)
    await runner.finish()
    return store


async def proofs(store: MemoryStore, make: Callable[[], Workflow]) -> list[Proof]:
    headers = await store.headers()
    prover = Prover(store, WorkflowOfCode(make))
    return [proof async for proof in prover.proofs(headers, headers)]


async def proofs_of(make: Callable[[], Workflow], message: Any = "x") -> list[Proof]:
    """Return the proofs of a run to rest, each with fresh workflows."""
    return await proofs(await ran(make(), message), make)


def findings(proved: Sequence[Proof], name: CheckName) -> list[Finding]:
    """Return the findings of one check of all checkpoints."""
    return [
        finding
        for proof in proved
        for check in proof.checks
        if check.name == name
        for finding in check.findings
    ]


def outcomes(proved: Sequence[Proof]) -> set[str]:
    return {proof.outcome for proof in proved}


def header_of(proved: Sequence[Proof], superstep: int) -> CheckpointHeader:
    return next(proof.header for proof in proved if proof.header.superstep == superstep)


# --- the pieces ---------------------------------------------------------------------------------------------------


def passing(id: str) -> Executor:
    async def go(message: Any, ctx: Ctx) -> None:
        await ctx.send_message(message)

    return react(id, go)


def ending(id: str) -> Executor:
    async def go(message: Any, ctx: Ctx) -> None:
        await ctx.yield_output(message)

    return react(id, go)


def line(*executors: Executor) -> Workflow:
    """Return a workflow of executors in a row."""
    builder = WorkflowBuilder(start_executor=executors[0], name="line")
    for source, target in itertools.pairwise(executors):
        builder.add_edge(source, target)
    return builder.build()


# --- a lost fan-in buffer -----------------------------------------------------------------------------------------


class ForgetfulJoin(FanInEdgeGroup):
    """Holds the messages itself, as the runner of agent-framework's fan-in did."""

    def __init__(self, source_ids: Sequence[str], target_id: str) -> None:
        super().__init__(source_ids, target_id)
        self.buffer: list[Any] = []

    def release(self, held: Held) -> tuple[list[Held], Held]:
        self.buffer += held
        released, _ = super().release(tuple(self.buffer))
        if released:
            self.buffer = []
        return released, ()


def with_lost_buffer() -> Workflow:
    """`short` reaches the join a superstep before `long`."""
    ids = ("start", "short", "before_long", "long")
    executors = {id: passing(id) for id in ids} | {"end": ending("end")}
    return Workflow(
        [
            FanOutEdgeGroup("start", ["short", "before_long"]),
            SingleEdgeGroup("before_long", "long"),
            ForgetfulJoin(["short", "long"], "end"),
        ],
        executors,
        "start",
    )


# --- residue of a failed superstep --------------------------------------------------------------------------------


class Sticky(Executor):
    """Its hook adds the saved rows to those it has, in place of replacing them."""

    def __init__(self, id: str = "sticky") -> None:
        super().__init__(id)
        self.rows: list[str] = []

    @handler
    async def take(self, message: str, ctx: WorkflowContext[str, str]) -> None:
        self.rows.append(message)
        await ctx.send_message(f"{message}{len(self.rows)}")

    async def on_checkpoint_save(self) -> dict[str, Any]:
        return {"rows": list(self.rows)}

    async def on_checkpoint_restore(self, state: dict[str, Any]) -> None:
        self.rows += state["rows"]


# --- shared references --------------------------------------------------------------------------------------------


@dataclass
class Basket:
    """A message of which every copy is the same object."""

    items: list[str] = field(default_factory=list)

    def __deepcopy__(self, _: Any) -> Basket:
        return self

    def __copy__(self) -> Basket:
        return self


def with_shared_message() -> Workflow:
    """`fill` changes the basket that `count` gets in the same superstep."""

    async def begin(_: Any, ctx: Ctx) -> None:
        await ctx.send_message(Basket(["first"]))

    async def fill(message: Basket, ctx: Ctx) -> None:
        message.items.append("more")
        await ctx.send_message("filled")

    async def count(message: Basket, ctx: Ctx) -> None:
        await ctx.send_message(f"{len(message.items)}")

    start = react("start", begin, output=Basket)
    filling = react("fill", fill, input=Basket)
    counting = react("count", count, input=Basket)
    return (
        WorkflowBuilder(start_executor=start, name="baskets")
        .add_fan_out_edges(start, [filling, counting])
        .add_fan_in_edges([filling, counting], ending("end"))
        .build()
    )


# --- a changed child ----------------------------------------------------------------------------------------------


def with_child(text: str) -> Callable[[], Workflow]:
    """Return what makes a workflow around a child that appends a text."""

    def make() -> Workflow:
        async def write(message: str, ctx: Ctx) -> None:
            ctx.set_state("written", message + text)
            await ctx.send_message(message + text)

        writer = react("write", write)
        child = line(passing("take"), writer, ending("give"))
        return line(passing("start"), WorkflowExecutor(child, "child"), ending("end"))

    return make


# --- hidden state -------------------------------------------------------------------------------------------------


class Counting(Executor):
    """Counts in an attribute that no hook saves."""

    def __init__(self, id: str = "counting") -> None:
        super().__init__(id)
        self.seen = 0

    @handler
    async def take(self, message: str, ctx: WorkflowContext[str, str]) -> None:
        self.seen += 1
        await ctx.send_message(f"{message}{self.seen}")


class Kept(Counting):
    """Saves what it counts, and gives it back."""

    async def on_checkpoint_save(self) -> dict[str, Any]:
        return {"seen": self.seen}

    async def on_checkpoint_restore(self, state: dict[str, Any]) -> None:
        self.seen = state["seen"]


def loop(executor: Executor) -> Workflow:
    """The executor gets its own message until the text is long."""
    return (
        WorkflowBuilder(start_executor=executor, name="loop")
        .add_edge(executor, executor, lambda text: len(text) < 4)
        .add_edge(executor, ending("end"), lambda text: len(text) >= 4)
        .build()
    )
