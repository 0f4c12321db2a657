"""What every measured process needs: test data, a meter, and the one line that it
prints. Standard library only.

A process runs one workload of one program, and prints a JSON object of numbers:

    rate, cpu_ms    how many per second of CPU time, and milliseconds of CPU time for each
    wall_rate       how many per second by the clock; on a shared machine it says little
    growth_mb       how far the resident memory rose above where it was when the meter was started
    …               what only one workload has
"""

from __future__ import annotations

import asyncio
import gc
import json
import shutil
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

KB = 1024
MB = 1024 * 1024
KEYS = 10
Numbers = dict[str, float]
Workload = Callable[..., Awaitable[Numbers]]


def make_state(size: int, text: int = 0) -> dict[str, Any]:
    """Ten keys of nested dicts and lists, about `size` bytes of JSON. Small values, or
    with a text of so many letters in every item.
    """
    state: dict[str, Any] = {
        f"part{key}": {"meta": {"kind": "part", "no": key}, "items": []}
        for key in range(KEYS)
    }
    made = len(json.dumps(state))
    number = 0
    while made < size:
        item = {
            "id": number,
            "name": f"item-{number}" + "x" * text,
            "score": (number % 97) / 8,
            "ok": number % 3 == 0,
            "tags": ["a", f"t{number % 17}"],
            "pos": {"x": number % 11, "y": number % 13},
        }
        state[f"part{number % KEYS}"]["items"].append(item)
        made += len(json.dumps(item, separators=(",", ":"))) + 1
        number += 1
    return state


def resident(field: str = "VmRSS") -> float:
    """Megabytes of this process: `VmRSS` now, `VmHWM` the most since the last
    `forget_peak`.
    """
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(f"{field}:"):
            return int(line.split()[1]) / KB
    raise LookupError(f"/proc/self/status has no {field}.")


def forget_peak() -> None:
    Path("/proc/self/clear_refs").write_text("5")


class Meter:
    """Measures from `start`, or from entering it, until it is left."""

    def __init__(self) -> None:
        self.cpu = self.wall = self.growth = 0.0

    def __enter__(self) -> Self:
        gc.collect()
        forget_peak()
        self._resident = resident()
        self.start()
        return self

    def start(self) -> None:
        self._wall = time.perf_counter()
        self._cpu = time.process_time()

    def __exit__(self, *_: object) -> None:
        self.cpu, self.wall = (
            time.process_time() - self._cpu,
            time.perf_counter() - self._wall,
        )
        self.growth = resident("VmHWM") - self._resident

    def numbers(self, count: float, **more: float) -> Numbers:
        """The numbers of `count` things that were done while it measured."""
        return {
            "rate": count / self.cpu,
            "cpu_ms": 1000 * self.cpu / count,
            "wall_rate": count / self.wall,
            "growth_mb": self.growth,
            **more,
        }


@contextmanager
def scratch(*, in_memory: bool = False) -> Iterator[Path]:
    """A folder that is gone afterwards: on a disk, or where only what is read of it
    matters, in memory.
    """
    shared = "/dev/shm" if in_memory and Path("/dev/shm").is_dir() else None  # noqa: S108 - a fresh folder in it
    path = Path(tempfile.mkdtemp(prefix="stepwell-benchmark-", dir=shared))
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


def disk_kb(folder: Path) -> float:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / KB


def commits(database: Path) -> int:
    """How many transactions the write-ahead log of an open SQLite database holds; exact
    while it is small.

    A frame that ends a transaction says how many pages the database has then; one of an
    older round of the log has other salts
    (https://www.sqlite.org/fileformat2.html#walformat).
    """
    data = database.with_name(f"{database.name}-wal").read_bytes()
    page = int.from_bytes(data[8:12], "big")
    frames = [data[at : at + 24] for at in range(32, len(data), 24 + page)]
    return sum(
        frame[8:16] == data[16:24] and frame[4:8] != bytes(4) for frame in frames
    )


def serve(workloads: Mapping[str, Workload]) -> None:
    """Run the workload that the command line names, with its parameters in JSON: the
    last two arguments.
    """
    name, parameters = sys.argv[-2:]
    numbers = asyncio.run(_measured(workloads[name], json.loads(parameters)))
    sys.stdout.write(f"{json.dumps(numbers)}\n")


async def _measured(workload: Workload, parameters: Mapping[str, Any]) -> Numbers:
    return await workload(**parameters)
