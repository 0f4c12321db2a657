"""A process that uses a store, for tests of several at once: `python -m
runtime.testing.store_process URL VERB …`.

It prints "ready", waits for a line, does what the verb means, and prints a line for
each thing that it has done.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from itertools import count

from runtime.checkpoint import CheckpointStore
from runtime.errors import BranchMovedError, CheckpointConflictError, PartsMissingError
from runtime.stores import open_store, prune
from runtime.testing.records import ids, record_of, save


def say(*words: object) -> None:
    print(*words, flush=True)  # noqa: T201 - this is how the process tells


def parts_of(name: str, number: int) -> dict[str, bytes]:
    """Return seven parts of which one changes with each number."""
    return {
        f"key {i}": f"{name} {number if i == number % 7 else i}".encode() * 50
        for i in range(7)
    }


def race(url: str, name: str, ids_: int) -> list[str]:
    """Try to save ids that others try too. Return those that were won, with the name."""

    async def run() -> list[str]:
        store = open_store(url)
        won = []
        for number in range(ids_):
            id_ = f"same {number}"
            record, parts = record_of(
                id_, {"k": f"{name} {id_}".encode() * 100}, run_id=id_, note=name
            )
            try:
                await store.save(record, parts)
                won.append(f"{id_} {name}")
            except CheckpointConflictError:
                continue
        await store.close()
        return won

    return asyncio.run(run())


async def setup(store: CheckpointStore, name: str) -> None:
    await save(store, name, run_id=name)
    say("saved")


async def save_many(store: CheckpointStore, name: str, number: str) -> None:
    parent = None
    for step in range(int(number)):
        record, data = record_of(
            f"{name}.{step}", parts_of(name, step), run_id=name, parent=parent
        )
        parent = (await store.save(record, data)).id
        say(parent)


async def take(store: CheckpointStore, name: str) -> None:
    """Go on from checkpoint a, or print the head if somebody else has."""
    try:
        await save(store, name, parent="a")
    except BranchMovedError as error:
        say(error.head)


async def rely(store: CheckpointStore, name: str, number: str) -> None:
    """Save with the parts that a run without prunings must give, or with all if some
    are missing.
    """
    known_digests: set[str] = set()
    for step in range(int(number)):
        head = await store.latest(run_id=name)
        parts = {**parts_of(name, step), "now and then": b"x" * (step % 3)}
        record, data = record_of(
            f"{name}.{step}", parts, run_id=name, parent=head and head.id
        )
        try:
            await store.save(
                record,
                {
                    digest: part
                    for digest, part in data.items()
                    if digest not in known_digests
                },
            )
        except PartsMissingError:
            await store.save(record, data)
        known_digests |= set(data)
        say(record.header.id)


async def prune_on(store: CheckpointStore) -> None:
    """Prune once, and again for each line."""
    while True:
        for header in await prune(store, keep=2):
            say(header.id)
        if not sys.stdin.readline():
            return


async def live(store: CheckpointStore, name: str) -> None:
    """Make every change that a store offers, without end. Print what is about to be
    removed before and after.
    """
    for step in count():
        run = f"{name}/{step // 40}"
        header = await save(
            store,
            f"{run}.{step}",
            parts_of(name, step),
            run_id=run,
            tags=("t",) if step == 7 else (),
        )
        say("saved", header.id, header.sequence)
        if step % 4 == 3:
            removable = await prune(store, run_id=run, keep=3, dry_run=True)
            say("removing", *(old_header.id for old_header in removable))
            await store.delete([old_header.id for old_header in removable])
            say("removed", *(old_header.id for old_header in removable))
        if step % 5 == 4:
            await store.annotate(header.id, note=header.id)
            say("noted", header.id)
        if step % 40 == 39:
            removed = await ids(store, run_id=run)
            say("removing", *removed)
            await store.delete_run(run)
            say("removed", *removed)


JOBS: dict[str, Callable[..., Awaitable[None]]] = {
    "setup": setup,
    "save": save_many,
    "take": take,
    "rely": rely,
    "prune": prune_on,
    "live": live,
}


async def _work(url: str, verb: str, words: list[str]) -> None:
    store = open_store(url)
    try:
        await JOBS[verb](store, *words)
    finally:
        await store.close()


def main() -> None:
    url, verb, *words = sys.argv[1:]
    say("ready")
    sys.stdin.readline()
    if verb == "race":
        for won in race(url, words[0], int(words[1])):
            say(won)
    else:
        asyncio.run(_work(url, verb, words))


if __name__ == "__main__":
    main()
