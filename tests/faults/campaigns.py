"""All kinds of faults, each as a function that tries it with the workflow of one seed
on one store.
"""

from __future__ import annotations

import asyncio
import json
import logging
import random
import subprocess
import sys
import time
import traceback
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from itertools import count
from typing import NamedTuple

from runtime.checkpoint import CheckpointStore
from runtime.stores import open_store
from tests.faults.disks import fail_disk
from tests.faults.flows import Fuse, build
from tests.faults.interrupts import (
    Durability,
    by_workflow,
    cancel_and_resume,
    cancel_and_resume_workflow,
    fail_and_resume,
    fail_restored,
    fail_store_and_resume,
    leave_and_resume_workflow,
    raise_in_observer,
)
from tests.faults.knife import Knife
from tests.faults.places import place
from tests.faults.plans import Plan, chance_of, plan_of
from tests.faults.replays import DURABILITIES, check_workflow
from tests.faults.stories import Story, straight

Runs = Counter[str]
# Which places are tried: all with 1, every so many-th in a short mode.
Every = int


class Setting(NamedTuple):
    """One case: a workflow, and an open store for it with its kind and its URL."""

    seed: int
    kind: str
    url: str
    store: CheckpointStore

    @property
    def plan(self) -> Plan:
        return plan_of(self.chance)

    @property
    def chance(self) -> random.Random:
        return chance_of(self.seed)


async def workflows(here: Setting, every: Every = 1) -> Runs:
    """A random workflow, cut, failed, cancelled, forked."""
    chance = here.chance
    return await check_workflow(plan_of(chance), chance, here.store)


async def raising(here: Setting, every: Every = 1) -> Runs:
    """User code raises at each of its calls in turn, also after a restore; the observer
    at each of its events.
    """
    plan = here.plan
    store = here.store
    runs = Runs()
    story = await straight(build(plan), plan, store)
    for durability in DURABILITIES:
        for at in count(1, every):
            place = await fail_and_resume(
                plan, store, story, Fuse(at), durability=durability
            )
            if not place:
                break
            runs[place] += 1
            await _forget(store, story, runs)
    for position in range(0, len(story.headers), every):
        for at in count(1):
            if not await fail_restored(plan, store, story, position, at):
                break
            runs["on_checkpoint_restore"] += 1
    for at in count(1, 5 * every):
        if not await raise_in_observer(plan, store, story, at):
            break
        runs["observer"] += 1
    return runs


async def cancelling(here: Setting, every: Every = 1) -> Runs:
    """The caller is cancelled at each wait in turn, of its own and of all tasks below
    it.
    """
    plan = here.plan
    store = here.store
    runs = Runs()
    story = await straight(build(plan), plan, store)
    for durability, late in _ways():
        for at in count(1, every):
            if not await cancel_and_resume(
                plan, store, story, Knife(at, late=late), durability=durability
            ):
                break
            runs["after the wait" if late else "in the wait"] += 1
            await _forget(store, story, runs)
    for late in (False, True):
        for at in count(1, every):
            if not by_workflow(plan) or not await cancel_and_resume_workflow(
                plan, store, story, Knife(at, late=late)
            ):
                break
            runs["Workflow.run"] += 1
            await _forget(store, story, runs)
    return runs


async def leaving(here: Setting, every: Every = 1) -> Runs:
    """A stream is left at each of its events in turn, or closed by another task while
    its reader goes on.
    """
    plan = here.plan
    store = here.store
    runs = Runs()
    story = await straight(build(plan), plan, store)
    for at in count(1, every):
        if by_workflow(plan):
            left = await leave_and_resume_workflow(plan, store, story, at)
        else:
            left = ""
        if not left:
            break
        runs[left] += 1
        # Another number of turns at each event: in all they meet the reader and the run
        # at every wait.
        assert await leave_and_resume_workflow(
            plan, store, story, at, closed_after=at % 7
        )
        runs["closed by another task"] += 1
        await _forget(store, story, runs)
    return runs


async def _forget(store: CheckpointStore, story: Story, runs: Runs) -> None:
    """Delete the runs that were compared, now and then: a folder with thousands of
    records is slow.
    """
    if runs.total() % 20 == 0:
        for run in await store.runs():
            if run.run_id != story.headers[0].run_id:
                await store.delete_run(run.run_id)


def _ways() -> Iterator[tuple[Durability, bool]]:
    return ((durability, late) for durability in DURABILITIES for late in (False, True))


async def failing_saves(here: Setting, every: Every = 1) -> Runs:
    """Each save fails in turn: nothing was kept, or it was and nobody was told."""
    plan = here.plan
    store = here.store
    runs = Runs()
    story = await straight(build(plan), plan, store)
    for durability in DURABILITIES:
        for at in range(1, len(story.headers) + 1, every):
            for moment in ("before", "after"):
                assert await fail_store_and_resume(
                    plan, store, story, at, moment, durability=durability
                )
                runs[moment] += 1
    return runs


async def killing(here: Setting, every: Every = 1) -> Runs:
    """The process is killed: before and after each save, at each change of a file, at
    random moments.
    """
    command = [sys.executable, "-m", "tests.faults.victim", here.url, str(here.seed)]
    command += [] if every == 1 else [str(max(1, 12 // every))]
    done = await asyncio.to_thread(
        subprocess.run, command, capture_output=True, text=True, check=False
    )
    points = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0, done.stderr or done.stdout
    assert points, done.stderr
    return Runs(point["point"][0] for point in points if point["killed"])


async def failing_disks(here: Setting, every: Every = 1) -> Runs:
    """The disk fails at each change of a file, at limits of file sizes, and is full,
    and gets well again.
    """
    return await fail_disk(here.kind, here.plan, every)


class Fault(NamedTuple):
    """How to try a fault, on which stores, and how many cases there are for each
    thousand random workflows: in memory, and on each other store.
    """

    title: str
    run: Callable[[Setting, Every], Awaitable[Runs]]
    stores: tuple[str, ...] = ("memory", "dir", "sqlite", "postgresql")
    in_memory: float = 0
    elsewhere: float = 0


_ON_DISK = ("dir", "sqlite", "postgresql")
FAULTS = {
    "workflows": Fault(
        "random workflows, cut and resumed", workflows, in_memory=550, elsewhere=150
    ),
    "raise": Fault(
        "user code raises at every call", raising, in_memory=3, elsewhere=0.5
    ),
    "cancel": Fault("cancelled at every wait", cancelling, in_memory=1, elsewhere=0.3),
    "leave": Fault(
        "a stream is left or closed at every event", leaving, in_memory=4, elsewhere=1
    ),
    "save": Fault("every save fails", failing_saves, in_memory=4, elsewhere=1),
    "kill": Fault("the process is killed", killing, _ON_DISK, elsewhere=0.4),
    "disk": Fault("the disk fails", failing_disks, ("dir", "sqlite"), elsewhere=0.3),
}


class Failure(NamedTuple):
    fault: str
    store: str
    seed: int
    error: str

    @property
    def command(self) -> str:
        return f"python -m tests.faults --only {self.fault} --store {self.store} --seed {self.seed} --cases 1"


class Tally(NamedTuple):
    """What came of some cases: how many there were, the runs that were compared by
    kind, and the failures.
    """

    fault: str
    store: str
    cases: int
    runs: dict[str, int]
    failures: tuple[Failure, ...]
    seconds: float = 0.0


async def try_cases(
    fault: str, kind: str, server: str, seeds: Sequence[int], every: Every = 1
) -> Tally:
    """The cases of some seeds, one after the other in one fresh store."""
    runs = Runs()
    failures = []
    with place(kind, server) as url:
        store = open_store(url)
        for seed in seeds:
            try:
                runs += await FAULTS[fault].run(Setting(seed, kind, url, store), every)
            except Exception as error:  # noqa: BLE001 - a failure of the case, to be told with the others
                failures.append(
                    Failure(
                        fault, kind, seed, "".join(traceback.format_exception(error))
                    )
                )
        await store.close()
    return Tally(fault, kind, len(seeds), dict(runs), tuple(failures))


class Batch(NamedTuple):
    """Cases of one fault that share a store."""

    fault: str
    store: str
    seeds: tuple[int, ...]
    server: str


def work(batch: Batch) -> Tally:
    """The cases of a batch, in a loop of their own. Here, and not in `__main__`, so
    that other processes find it.
    """
    log = logging.getLogger("runtime")
    level = log.level
    begun = time.perf_counter()
    log.setLevel(logging.CRITICAL)  # it tells of each observer that raised
    try:
        tally = asyncio.run(
            try_cases(batch.fault, batch.store, batch.server, batch.seeds)
        )
    finally:
        log.setLevel(level)
    return tally._replace(seconds=time.perf_counter() - begun)
