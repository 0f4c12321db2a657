"""A process that is killed: `python -m tests.faults.victim URL SEED [POINTS]`, one JSON
line for each time.

For each point a fork runs the workflow on the store until it is killed there, and
another fork opens the store again, reads all that is listed, and lets a fresh instance
go on to the end. This process itself has one thread and no loop, so that forking it is
safe. Without POINTS there are all points, else so many of them.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import sys
import traceback
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from runtime.checkpoint import CheckpointStore
from runtime.engine.runner import Runner
from runtime.stores import open_store
from runtime.stores.directory import DirectoryStore
from runtime.stores.directory.disk import Disk
from runtime.stores.memory import MemoryStore
from runtime.testing.faults import FaultyStore, Moment, end_process, killing
from tests.faults.flows import build
from tests.faults.interrupts import go_on_afresh
from tests.faults.plans import Plan, chance_of, plan_of
from tests.faults.stories import begin, check_store, straight

_MANY = 400  # more points than any run has
_MILLISECONDS = 40  # most runs last less


class Point(NamedTuple):
    """Where to kill: before or after the n-th save, at the n-th change of a file, or
    after so many milliseconds.
    """

    kind: str
    number: int


class _Deadly(Disk):
    """Ends the process at the n-th change of a file, which is half done if it is a
    write.
    """

    def __init__(self, at: int) -> None:
        self._left = at

    def _step(self) -> None:
        self._left -= 1
        if self._left == 0:
            end_process()

    def write(self, path: Path, data: bytes) -> None:
        if self._left == 1:
            path.write_bytes(data[: len(data) // 2])
        self._step()
        super().write(path, data)

    def move(self, source: Path, target: Path) -> None:
        self._step()
        super().move(source, target)

    def remove(self, path: Path) -> None:
        self._step()
        super().remove(path)

    def sync(self, folder: Path) -> None:
        self._step()
        super().sync(folder)


async def run_until_killed(url: str, plan: Plan, point: Point, name: str) -> None:
    if point.kind == "change":
        store: CheckpointStore = DirectoryStore(
            url.partition(":")[2], disk=_Deadly(point.number)
        )
    else:
        store = open_store(url)
    if point.kind == "time":
        # its signal ends the process
        signal.setitimer(signal.ITIMER_REAL, point.number / 1000)
    moment: Moment = "after" if point.kind == "after" else "before"
    at = point.number if point.kind in ("before", "after") else 0
    await begin(
        Runner(
            build(plan, name=name),
            FaultyStore(store, killing(at, moment, method="save")),
        ),
        plan,
    )
    await store.close()


async def check(url: str, plan: Plan, point: Point, name: str) -> None:
    """Raises `AssertionError` if what was saved is not there, or the run does not go on
    to its end.
    """
    story = await straight(build(plan), plan, MemoryStore())
    store = open_store(url)
    headers = await store.headers(workflow=name)
    if point.kind in ("before", "after"):
        assert len(headers) == min(
            point.number - (point.kind == "before"), len(story.headers)
        )
    if headers:
        await check_store(store, story, headers[0].run_id)
        await go_on_afresh(plan, store, story, headers[-1].id)
        await check_store(store, story, headers[0].run_id)
    await store.close()


def forked(work: Callable[..., Coroutine[Any, Any, None]], *arguments: Any) -> int:
    """The exit code of a fork that does the work: 0, 1 if it raised, or minus the
    signal that ended it.
    """
    child = os.fork()
    if child == 0:
        code = 1
        try:
            asyncio.run(work(*arguments))
            code = 0
        except BaseException:  # noqa: BLE001 - told on standard error
            traceback.print_exc()
        finally:
            sys.stderr.flush()
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def points(url: str, chance: random.Random, most: int) -> Iterator[list[Point]]:
    """Rows of points. A row ends when a run was not killed any more."""
    kinds = ["before", "after", *(["change"] if url.startswith("dir:") else [])]
    rows = [[Point(kind, number) for number in range(1, _MANY)] for kind in kinds]
    if most:
        rows = [
            sorted(
                chance.sample(
                    row[: 60 if row[0].kind == "change" else 10], min(most, 10)
                )
            )
            for row in rows
        ]
    if not url.startswith("dir:"):
        times = [
            Point("time", chance.randrange(2, _MILLISECONDS)) for _ in range(most or 40)
        ]
        yield from ([one] for one in times)
    yield from rows


def main(url: str, seed: int, most: int = 0) -> int:
    chance = chance_of(seed)
    plan = plan_of(chance)
    failures = 0
    number = 0
    for row in points(url, chance, most):
        for point in row:
            number += 1
            # Parts that are there already are not written again: each of these points
            # gets a folder of its own.
            there = f"{url}-{number}" if point.kind == "change" else url
            what = there, plan, point, f"{seed} {number} {point.kind} {point.number}"
            ended = forked(run_until_killed, *what)
            checked = forked(check, *what)
            good = ended in (0, -signal.SIGKILL, -signal.SIGALRM) and checked == 0
            failures += not good
            print(  # noqa: T201
                json.dumps({"point": point, "killed": ended < 0, "good": good}),
                flush=True,
            )
            if ended == 0:
                break
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2]), *map(int, sys.argv[3:])))
