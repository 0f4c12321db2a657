"""Disks that fail: at any change of a file, by a limit for the size of files, and a
small one that is full for real.
"""

from __future__ import annotations

import errno
import os
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from itertools import count
from pathlib import Path

from runtime.checkpoint import CheckpointStore
from runtime.engine.runner import Runner
from runtime.errors import CheckpointStoreError
from runtime.stores import open_store
from runtime.stores.directory import DirectoryStore
from runtime.stores.directory.disk import Disk
from runtime.stores.memory import MemoryStore
from tests.faults.flows import build
from tests.faults.interrupts import check_interrupted
from tests.faults.places import folder
from tests.faults.plans import Plan
from tests.faults.stories import Story, begin, straight


class FailingDisk(Disk):
    """Fails at its n-th change, a write half done; with `lasting` at all later ones
    too, until it is `well`.
    """

    def __init__(self, at: int, code: int, *, lasting: bool) -> None:
        self._left = at
        self._code = code
        self._lasting = lasting
        self.failed = self.well = False

    def _step(self) -> None:
        self._left -= 1
        if not self.well and (self._left == 0 or (self._left < 0 and self._lasting)):
            self.failed = True
            raise OSError(self._code, os.strerror(self._code))

    def write(self, path: Path, data: bytes) -> None:
        try:
            self._step()
        except OSError:
            path.write_bytes(data[: len(data) // 2])
            raise
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


async def fail_changes(plan: Plan, story: Story, *, every: int = 1) -> Counter[str]:
    """The directory store at every change of a file in turn, or at every so many-th."""
    done: Counter[str] = Counter()
    for code, lasting in ((errno.ENOSPC, True), (errno.EIO, False)):
        for at in count(1, every):
            disk = FailingDisk(at, code, lasting=lasting)
            with folder() as made:
                open_ = partial(DirectoryStore, made / "runs", disk=disk)
                await run_and_heal(
                    plan,
                    story,
                    open_,
                    partial(setattr, disk, "well", True),
                    unsure=lasting,
                )
            if not disk.failed:
                break
            done[errno.errorcode[code]] += 1
    return done


async def run_and_heal(
    plan: Plan,
    story: Story,
    open_: Callable[[], CheckpointStore],
    heal: Callable[[], object],
    *,
    unsure: bool = False,
) -> bool:
    """A run on a disk that may fail. Then the disk is healed, and the run goes on.
    False when nothing failed.
    """
    try:
        store = open_()
    except CheckpointStoreError as error:
        check_cause(error)
        heal()
        assert not await run_and_heal(plan, story, open_, heal), (
            "a store that could not be made is not made later"
        )
        return True
    runner = Runner(build(plan), store)
    try:
        await begin(runner, plan)
    except CheckpointStoreError as error:
        check_cause(error)
        heal()
        await check_interrupted(runner, plan, store, story, unsure=unsure)
        return True
    finally:
        heal()
        await store.close()
    return False


def check_cause(error: CheckpointStoreError) -> None:
    assert error.__cause__ is not None, "the error does not say what the system said"


# --- files that may not grow --------------------------------------------------------------------------------------


@contextmanager
def limited_files(size: int) -> Iterator[Callable[[], None]]:
    """No file of this process can grow beyond so many bytes, until what this gives is
    called.
    """
    import resource

    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)

    def free() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))

    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield free
    finally:
        free()


async def fail_growing(
    kind: str, plan: Plan, story: Story, *, step: int = 4096
) -> Counter[str]:
    """A store whose files reach a limit, at one that is higher each time."""
    done: Counter[str] = Counter()
    for size in count(4096 if kind == "sqlite" else 32, step):
        with folder() as made:
            open_ = partial(open_store, f"{kind}:{made / 'runs'}")
            with limited_files(size) as free:
                if not await run_and_heal(plan, story, open_, free):
                    return done
        done["EFBIG"] += 1
    return done


# --- a small disk -------------------------------------------------------------------------------------------------


@contextmanager
def small_disk(size: int) -> Iterator[tuple[Path, Callable[[], bool]] | None]:
    """A disk of so many bytes, and how to make it larger. None where this process may
    not mount one.
    """
    with folder() as made:
        if _mount("-t", "tmpfs", "-o", f"size={size}", "tmpfs", made):
            try:
                yield made, partial(_mount, "-o", "remount,size=64m", made)
            finally:
                subprocess.run(["umount", made], check=True)
        else:
            yield None


def _mount(*options: str | Path) -> bool:
    with suppress(OSError):
        return (
            subprocess.run(
                ["mount", *options], capture_output=True, check=False
            ).returncode
            == 0
        )
    return False


async def fill(
    kind: str, plan: Plan, story: Story, *, step: int = 8192
) -> Counter[str]:
    """A store on a disk that is full, at one that is larger each time."""
    done: Counter[str] = Counter()
    for size in count(2 * 4096, step):
        with small_disk(size) as made:
            if made is None:
                return done
            disk, larger = made
            if not await run_and_heal(
                plan, story, partial(open_store, f"{kind}:{disk / 'runs'}"), larger
            ):
                return done
        done["disk full"] += 1
    return done


async def fail_disk(kind: str, plan: Plan, every: int = 1) -> Counter[str]:
    """All ways in which a disk can fail here, at every so many-th place."""
    story = await straight(build(plan), plan, MemoryStore())
    done: Counter[str] = Counter()
    if kind == "dir":
        done += await fail_changes(plan, story, every=every)
    done += await fail_growing(
        kind, plan, story, step=(4096 if kind == "sqlite" else 256) * every
    )
    return done + await fill(kind, plan, story, step=8192 * every)
