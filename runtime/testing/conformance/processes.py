"""Several processes use one store at once: they make it, write, read, prune, and are
killed at any moment.
"""
# ruff: noqa: S101, S603 - these are tests; the processes are of this suite

from __future__ import annotations

import os
import random
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import pytest

from runtime.checkpoint import CheckpointStore
from runtime.errors import CheckpointNotFoundError
from runtime.stores import open_store
from runtime.testing.records import check_whole, ids, opened, save
from runtime.testing.store_process import race

# How often a process is killed; more for a longer run.
ROUNDS = int(os.environ.get("STEPWELL_STORE_ROUNDS", "6"))


@contextmanager
def processes(
    url: str, *jobs: tuple[Any, ...]
) -> Iterator[list[subprocess.Popen[str]]]:
    """Start processes of `runtime.testing.store_process`, which begin with the next
    line that they get.
    """
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, "-m", "runtime.testing.store_process", url]
    children = [
        subprocess.Popen(
            [*command, *map(str, job)],
            env=environment,
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        for job in jobs
    ]
    try:
        for child in children:
            assert child.stdout is not None
            assert child.stdout.readline() == "ready\n"
        yield children
    finally:
        for child in children:
            child.kill()
            child.wait()
            for stream in (child.stdin, child.stdout):
                assert stream is not None
                with suppress(BrokenPipeError):
                    stream.close()


def begin(*children: subprocess.Popen[str]) -> None:
    for child in children:
        assert child.stdin is not None
        child.stdin.write("go\n")
        child.stdin.flush()


def said(child: subprocess.Popen[str]) -> list[str]:
    """Return what a process prints until it ends, which must be without an error."""
    assert child.stdin is not None
    child.stdin.close()
    return list(lines_of(child))


def lines_of(child: subprocess.Popen[str]) -> Iterator[str]:
    """Yield the lines that a process prints until it ends, which must be without an
    error.
    """
    assert child.stdout is not None
    for line in child.stdout:
        yield line.rstrip("\n")
    assert child.wait() == 0


class ProcessConformance:
    """For stores that several processes may use. Give it a fixture `url`, which
    `open_store` takes, of an empty place.

    The environment variable STEPWELL_STORE_ROUNDS says how often a writing process is
    killed (6).
    """

    @pytest.fixture
    def url(self) -> str:
        raise NotImplementedError("give the fixture url: that of a store that is empty")

    async def test_case_90_processes_set_up_one_place_at_the_same_moment(
        self, url: str
    ) -> None:
        with processes(
            url, *(("setup", f"p{number}") for number in range(8))
        ) as children:
            begin(*children)
            for child in children:
                assert said(child) == ["saved"]
        async with opened(lambda: open_store(url)) as store:
            assert {header.run_id for header in await check_whole(store)} == {
                f"p{number}" for number in range(8)
            }

    async def test_case_70_threads_and_processes_save_the_same_ids_at_once(
        self, url: str
    ) -> None:
        """Each of 100 ids is saved once, by one of eight writers, and the seven others
        learn that it is taken.
        """
        won: list[str] = []
        threads = [
            threading.Thread(
                target=lambda name=f"t{number}": won.extend(race(url, name, 100))
            )
            for number in range(4)
        ]
        with processes(
            url, *(("race", f"p{number}", 100) for number in range(4))
        ) as children:
            begin(*children)
            for thread in threads:
                thread.start()
            for child in children:
                won += said(child)
            for thread in threads:
                thread.join()
        async with opened(lambda: open_store(url)) as store:
            headers = await check_whole(store)
            assert sorted(won) == sorted(
                f"{header.id} {header.note}" for header in headers
            )
            assert sorted(header.id for header in headers) == sorted(
                f"same {number}" for number in range(100)
            )
            for header in headers:
                (part,) = (await store.load(header.id)).manifest
                assert await store.parts([part.digest]) == {
                    part.digest: f"{header.note} {header.id}".encode() * 100
                }

    async def test_case_85_four_processes_save_while_one_reads(self, url: str) -> None:
        """No error, 400 checkpoints, and a reader who asks for those after the last one
        sees every one once, in order.
        """
        seen: list[str] = []
        after = 0

        async def tail(store: CheckpointStore) -> None:
            nonlocal after
            while page := await store.headers(after=after, limit=50):
                seen.extend(header.id for header in page)
                assert [header.sequence for header in page] == sorted(
                    {header.sequence for header in page}
                )
                after = page[-1].sequence

        async with opened(lambda: open_store(url)) as store:
            with processes(
                url, *(("save", f"p{number}", 100) for number in range(4))
            ) as children:
                begin(*children)
                for _ in lines_of(children[0]):
                    await tail(store)
                for child in children[1:]:
                    said(child)
            await tail(store)
            assert seen == [header.id for header in await check_whole(store)]
            assert len(seen) == 400
            for number in range(4):
                assert await ids(store, run_id=f"p{number}") == [
                    f"p{number}.{step}" for step in range(100)
                ]

    async def test_of_processes_that_go_on_from_one_checkpoint_one_stays_on_the_branch(
        self, url: str
    ) -> None:
        async with opened(lambda: open_store(url)) as store:
            await save(store, "a")
            with processes(
                url, *(("take", f"p{number}") for number in range(4))
            ) as children:
                begin(*children)
                heads = [line for child in children for line in said(child)]
            (saved,) = (await ids(store))[1:]
            assert heads == [saved] * 3

    async def test_processes_remove_what_others_rely_on(self, url: str) -> None:
        """Two save, in part with bytes that they do not give again, one prunes, one
        reads: everything stays whole.
        """
        jobs: list[tuple[Any, ...]] = [
            ("rely", "p0", 60),
            ("rely", "p1", 60),
            ("prune",),
        ]
        with processes(url, *jobs) as (first, second, pruning):
            begin(first, second, pruning)
            saved: set[str] = set()
            async with opened(lambda: open_store(url)) as store:
                for line in lines_of(first):
                    saved.add(line)
                    begin(pruning)
                    for header in await store.headers():
                        # removed meanwhile, but never damaged
                        with suppress(CheckpointNotFoundError):
                            await store.load(header.id)
                    await store.runs()
            saved.update(said(second))
            removed = set(said(pruning))
        async with opened(lambda: open_store(url)) as store:
            remaining = {header.id for header in await check_whole(store)}
            assert saved - removed <= remaining
            assert not removed & remaining
            assert removed

    async def test_a_process_that_is_killed_at_any_moment_leaves_every_checkpoint_whole_or_gone(
        self, url: str
    ) -> None:
        """The process saves, prunes, annotates and deletes runs. What it reported as
        done is done, and no number comes again.
        """
        chance = random.Random(1)  # noqa: S311 - moments, no secrets
        highest = 0
        for number in range(ROUNDS):
            with processes(url, ("live", f"r{number}")) as (child,):
                begin(child)
                assert child.stdout is not None
                lines = [
                    child.stdout.readline() for _ in range(chance.randrange(2, 70))
                ]
                threading.Event().wait(chance.random() * 0.004)
                lines += said_until_killed(child)
            done = Told([line.split() for line in lines])
            async with opened(lambda: open_store(url)) as store:
                listed = {header.id: header for header in await check_whole(store)}
                assert done.saved <= set(listed)
                assert not done.removed & set(listed)
                assert all(listed[id_].note == id_ for id_ in done.noted & set(listed))
                highest = max(
                    highest,
                    done.highest,
                    *(header.sequence for header in listed.values()),
                )
                highest, before = (
                    (await save(store, f"after {number}", run_id="survivor")).sequence,
                    highest,
                )
                assert highest > before
                assert await store.delete_run("survivor") == 1
                await check_whole(store)


def said_until_killed(child: subprocess.Popen[str]) -> list[str]:
    """Return the whole lines that a process printed before it was killed."""
    assert child.stdout is not None
    child.kill()
    # Not by `communicate`, which misses what was read ahead for an earlier line.
    return child.stdout.read().split("\n")[:-1]


class Told:
    """What a process reported: `saved` without what it removed later."""

    def __init__(self, lines: list[list[str]]) -> None:
        self.saved: set[str] = set()
        self.removed: set[str] = set()
        self.noted: set[str] = set()
        self.highest = 0
        for verb, *words in lines:
            if verb == "saved":
                self.saved.add(words[0])
                self.highest = max(self.highest, int(words[1]))
            elif verb == "noted":
                self.noted.add(words[0])
            else:
                # A change may have happened from its announcement on, and must have
                # happened when it was reported.
                self.saved -= set(words)
                self.removed |= set(words) if verb == "removed" else set()
