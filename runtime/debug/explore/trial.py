"""One try of a superstep: a clean instance of the workflow, restored from a checkpoint,
takes one step at a gate.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from runtime.checkpoint import Checkpoint, Record
from runtime.checkpoints.archive import Archive
from runtime.codec import DEFAULT_TYPES, TypeRegistry
from runtime.debug.explore.contents import digest_of_content
from runtime.debug.explore.gate import PATIENCE, Disturbance, OrderGate
from runtime.debug.explore.log import Happening
from runtime.debug.explore.orders import Call, Order
from runtime.engine.replay.settings import Replay
from runtime.engine.runner import Runner
from runtime.errors import OutsideCallError
from runtime.executors.payload_types import register
from runtime.graph.workflow_graph import WorkflowGraph
from runtime.stores.memory import MemoryStore
from runtime.values.user_failures import in_words

# Makes an instance of the workflow that shares nothing with the one before.
Make = Callable[[], WorkflowGraph]


class Stored(NamedTuple):
    """A checkpoint as a store keeps it."""

    record: Record
    parts: Mapping[str, bytes]


class Start(NamedTuple):
    """The checkpoint that every try begins from, and those after it in the run, which
    have the results of calls that reach outside.
    """

    record: Record
    parts: Mapping[str, bytes]
    after: Sequence[Stored] = ()


class CallName(NamedTuple):
    """Which handler call of a superstep it is: the `number`th of `of` deliveries of an
    executor, which is in the run that `path` leads to.
    """

    path: tuple[str, ...]
    executor: str
    handler: str
    number: int
    of: int


class Outcome(NamedTuple):
    """What a superstep came to: the digest of what it saved, the checkpoint as it is
    stored and for display; or why it failed. `outside` is the error of a call that was
    not made, because it reaches outside.
    """

    digest: str
    checkpoint: Checkpoint | None = None
    error: str = ""
    saved: Stored | None = None
    outside: OutsideCallError | None = None


class Try(NamedTuple):
    """A try under one order, and what happened in it."""

    order: Order
    outcome: Outcome
    log: tuple[Happening, ...]
    calls: tuple[CallName, ...]
    counts: tuple[int, ...]
    awaits: Mapping[Call, int]


class Disturbed(NamedTuple):
    """A try into which a disturbance was put.

    came       False if the superstep ended before the disturbance
    unchanged  the state was afterwards what it was before
    again      what the superstep came to when it was tried again
    swallowed  calls that did not end with their cancellation
    forced     those of them that had to be ended by force
    """

    disturbance: Disturbance
    came: bool
    unchanged: bool
    again: Outcome | None
    swallowed: tuple[CallName, ...] = ()
    forced: tuple[CallName, ...] = ()


class Instance:
    """A workflow that was made for one or a few tries. Unless they are `live`, calls that
    reach outside have their recorded results.
    """

    def __init__(
        self,
        workflow: WorkflowGraph,
        start: Start,
        patience: float = PATIENCE,
        *,
        live: bool = False,
    ) -> None:
        self._replay = Replay(default="live") if live else Replay(on_miss="refuse")
        # Where the run has never been, the engine would make all calls.
        self._goes_outside = live or bool(start.after)
        self._store = MemoryStore()
        self._types = TypeRegistry(DEFAULT_TYPES)
        register(workflow.types, self._types)
        self._archive = Archive(self._store, self._types)
        self._start = start
        self._patience = patience
        self._runner = Runner(workflow, self._store)
        self._is_in_store = False

    async def try_order(self, order: Order = ()) -> Try:
        """Restore the checkpoint and take one step. Without an order it is the fixed
        one.
        """
        await self._restore()
        gate = self._gate(order)
        outcome = await self._outcome(gate)
        return Try(
            order,
            outcome,
            tuple(gate.log),
            names_of(gate),
            tuple(len(job.inbox) for job in gate.jobs),
            gate.awaits,
        )

    async def disturb(self, order: Order, disturbance: Disturbance) -> Disturbed:
        """Restore the checkpoint, take a step that is disturbed, and take it again."""
        await self._restore()
        before = await self._digest_of_state()
        gate = self._gate(order, disturbance)
        await self._step(gate)
        names = dict(zip(gate.calls, names_of(gate), strict=True))
        swallowed = tuple(names[call] for call in gate.swallowed)
        forced = tuple(names[call] for call in gate.forced)
        if not gate.has_disturbed:
            return Disturbed(disturbance, False, True, None)
        unchanged = await self._digest_of_state() == before
        again = await self._outcome(self._gate(()))
        return Disturbed(disturbance, True, unchanged, again, swallowed, forced)

    def _gate(self, order: Order, disturbance: Disturbance | None = None) -> OrderGate:
        return OrderGate(
            order,
            disturbance,
            patience=self._patience,
            goes_outside=self._goes_outside,
        )

    async def _restore(self) -> None:
        header = self._start.record.header
        if not self._is_in_store:
            await self._fill_store()
            self._is_in_store = True
        await self._runner.restore(header.id, replay=self._replay)

    async def _fill_store(self) -> None:
        record, parts, after = self._start
        first = replace(record.header, parent=None, tags=(), note="")
        await self._store.save(Record(first, record.manifest), parts)
        for number, (other, other_parts) in enumerate(after, start=1):
            # Each on a branch of its own, so that the tries stay on that of the first.
            header = replace(
                other.header, parent=first.id, branch=f"recorded {number}", tags=()
            )
            await self._store.save(Record(header, other.manifest), other_parts)

    async def _digest_of_state(self) -> str:
        """Return the digest of the state that the run has now."""
        header = self._start.record.header
        store = MemoryStore()
        saved = await Archive(store, self._types).save(
            self._runner.state,
            self._runner.trace,
            run_id=header.run_id,
            workflow=header.workflow,
            cause=header.cause,
            parent=None,
            branch=header.branch,
        )
        return digest_of_content(*await Archive(store).record(saved.id))

    async def _outcome(self, gate: OrderGate) -> Outcome:
        error = await self._step(gate)
        if error is not None:
            words = in_words(error)
            outside = error if isinstance(error, OutsideCallError) else None
            return Outcome(f"failed: {words}", error=words, outside=outside)
        header = self._runner.header
        if header is None:
            return Outcome("nothing", error="The run has no checkpoint.")
        record, parts = await self._archive.record(header.id)
        viewed = self._archive.viewed(record, parts)
        saved = Stored(record, parts)
        return Outcome(digest_of_content(record, parts), viewed, saved=saved)

    async def _step(self, gate: OrderGate) -> BaseException | None:
        """Take one step at a gate. Return what it raised, also if the gate has cancelled
        it.
        """
        errors: list[BaseException] = []

        async def step() -> None:
            try:
                await self._runner.step()
            except (KeyboardInterrupt, SystemExit):
                raise
            except BaseException as error:  # noqa: BLE001 - user code raises anything
                errors.append(error)

        self._runner.gate = gate
        try:
            async with asyncio.TaskGroup() as group:
                gate.cancel = group.create_task(step()).cancel
        finally:
            gate.close()
        return errors[0] if errors else None


def names_of(gate: OrderGate) -> tuple[CallName, ...]:
    """Return the names of the calls of a superstep, in the fixed order."""
    return tuple(
        CallName(
            job.round.path,
            job.executor_id,
            delivery.handler.name,
            number,
            len(job.inbox),
        )
        for job in gate.jobs
        for number, delivery in enumerate(job.inbox, start=1)
    )
