"""The way of a value back to the input: a walk over origins, bounded in number and in
time.

A walk that ends early says where: the values whose origin it did not look up are open,
and each has an address to go on from. So a long run is answered piece by piece.
"""

from __future__ import annotations

import heapq
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace

from runtime.debug.moments.barriers import Barriers
from runtime.debug.moments.items import item
from runtime.debug.protocol import (
    Item,
    OriginAddress,
    OriginLink,
    OriginStep,
    ProvenanceBody,
)
from runtime.debug.supersteps.next_superstep import INTERNAL
from runtime.debug.values.display import to_value
from runtime.debug.values.shapes import MASKED
from runtime.debug.why.origin import Address, Origin, Source, Thing
from runtime.debug.why.origins import Origins
from runtime.document.secret_names import is_secret
from runtime.errors import WorkflowCheckpointException

LIMIT = 200
SECONDS = 0.4  # of one question, because others wait on the same loop


@dataclass(slots=True)
class _Known:
    """A value on the way, and its origin once it is looked up."""

    thing: Thing
    origin: Origin | None = None


async def provenance(
    barriers: Barriers,
    address: Address,
    limit: int = LIMIT,
    seconds: float = SECONDS,
    clock: Callable[[], float] = time.perf_counter,
) -> ProvenanceBody:
    """Return where a value comes from. Raise `LookupError` if nothing is at the
    address, and what reading its checkpoint raises.
    """
    end = clock() + seconds
    walk = _Walk(barriers, lambda: clock() > end)
    await walk.run(address, limit)
    return walk.body()


class _Walk:
    """Breadth first, so that of a long way the near part is known."""

    def __init__(self, barriers: Barriers, is_late: Callable[[], bool]) -> None:
        self._barriers = barriers
        self._is_late = is_late
        self._origins = Origins(barriers, is_late)
        self._known: dict[Address, _Known] = {}
        self._pending: deque[Address] = deque()

    async def run(self, address: Address, limit: int) -> None:
        await self._add(await self._origins.thing(address))
        looked_up = 0
        while self._pending and looked_up < limit:
            # One origin is looked up in any case, so that every question gets on.
            if looked_up and self._is_late():
                break
            known = self._known[self._pending.popleft()]
            known.origin = await self._origin(known.thing)
            looked_up += 1

    async def _origin(self, thing: Thing) -> Origin:
        try:
            origin = await self._origins.of(thing)
        except WorkflowCheckpointException as error:
            return Origin(gap=str(error))
        sources = [
            source._replace(thing=await self._add(source.thing))
            for source in origin.sources
        ]
        return replace(origin, sources=tuple(sources))

    async def _add(self, thing: Thing) -> Thing:
        """Add a value to the way. Return it as it was when it was sent, because a join
        may hold it for long.
        """
        # A checkpoint that cannot be read is reported by the origin.
        with suppress(WorkflowCheckpointException):
            thing = await self._origins.as_sent(thing)
        if thing.address not in self._known:
            self._known[thing.address] = _Known(thing)
            self._pending.append(thing.address)
        return thing

    def body(self) -> ProvenanceBody:
        ordered = self._in_causal_order()
        numbers = {
            known.thing.address: number for number, known in enumerate(ordered, 1)
        }
        steps = tuple(_step(known, numbers) for known in ordered)
        complete = not any(step.is_open or step.gap for step in steps)
        return ProvenanceBody(steps=steps, complete=complete)

    def _in_causal_order(self) -> list[_Known]:
        """Return the values so that each comes after its sources; of those that may
        come next the one of the earliest superstep.
        """
        uses: dict[Address, list[Address]] = {}
        waits_for: dict[Address, int] = {}
        for address, known in self._known.items():
            sources = {source.thing.address for source in _sources(known)}
            waits_for[address] = len(sources)
            for source in sources:
                uses.setdefault(source, []).append(address)
        # The walk went back, so among equals the last discovered is the earliest.
        age = {address: -number for number, address in enumerate(self._known)}
        ready = [
            (_superstep(self._known[address]), age[address], address)
            for address, count in waits_for.items()
            if not count
        ]
        heapq.heapify(ready)
        ordered = []
        while ready:
            address = heapq.heappop(ready)[2]
            ordered.append(self._known[address])
            for user in uses.get(address, ()):
                waits_for[user] -= 1
                if not waits_for[user]:
                    rank = (_superstep(self._known[user]), age[user], user)
                    heapq.heappush(ready, rank)
        return ordered


def _sources(known: _Known) -> tuple[Source, ...]:
    return () if known.origin is None else known.origin.sources


def _superstep(known: _Known) -> int:
    return 0 if known.origin is None else known.origin.superstep


def _step(known: _Known, numbers: dict[Address, int]) -> OriginStep:
    thing = known.thing
    origin = known.origin or Origin()
    going_on = origin.continue_at or thing.address
    shown_at = thing.shown_at or thing.address
    links = {
        OriginLink(
            number=numbers[source.thing.address], edge=source.edge, case=source.case
        ): None
        for source in origin.sources
    }
    return OriginStep(
        number=numbers[thing.address],
        item=_item(thing, shown_at),
        item_runs=shown_at.keys,
        at=OriginAddress(
            checkpoint_id=going_on.checkpoint_id,
            address=going_on.section,
            runs=going_on.keys,
        ),
        executor=origin.executor,
        runs=origin.keys,
        handler=origin.handler,
        how=origin.how,
        superstep=origin.superstep,
        checkpoint_id=origin.checkpoint_id or going_on.checkpoint_id,
        sources=tuple(links),
        gap=origin.gap,
        is_open=known.origin is None or origin.continue_at is not None,
    )


def _item(thing: Thing, shown_at: Address) -> Item:
    section = shown_at.section
    if thing.kind == "state":
        section = "state"
    name = "" if thing.name.startswith(INTERNAL) else thing.name
    place = {
        "kind": thing.kind,
        "name": name,
        "checkpoint_id": shown_at.checkpoint_id,
        "section": section,
        "path": thing.path,
    }
    if thing.kind == "state" and is_secret(name):
        shown = to_value(thing.data, 0)
        masked = shown.model_copy(update={"text": MASKED, "count": 0})
        return Item(value=masked, **place)
    return item(thing.data, **place)
