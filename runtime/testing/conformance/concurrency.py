"""Several tasks at once in one store."""
# ruff: noqa: S101 - these are tests

from __future__ import annotations

import asyncio
from contextlib import suppress

from runtime.checkpoint import CheckpointStore, Record
from runtime.errors import (
    CheckpointConflictError,
    CheckpointKeptError,
    PartsMissingError,
)
from runtime.testing.conformance.base import Conformance
from runtime.testing.records import check_whole, ids, record_of, save


class ConcurrencyConformance(Conformance):
    """In any order of events, each change is done completely or not at all."""

    async def test_case_70_many_tasks_save_at_once(
        self, store: CheckpointStore
    ) -> None:
        async def one_run(run_id: str) -> None:
            parent = None
            for number in range(10):
                parent = (
                    await save(
                        store, f"{run_id}.{number}", run_id=run_id, parent=parent
                    )
                ).id
                await store.headers(run_id=run_id)

        async with asyncio.TaskGroup() as group:
            for number in range(10):
                group.create_task(one_run(f"run {number}"))
        headers = await store.headers()
        assert len({header.sequence for header in headers}) == 100
        for number in range(10):
            assert await ids(store, run_id=f"run {number}") == [
                f"run {number}.{step}" for step in range(10)
            ]

    async def test_case_70_one_id_saved_by_many_is_saved_once(
        self, store: CheckpointStore
    ) -> None:
        outcomes: list[bool] = []

        async def attempt(number: int) -> None:
            try:
                await store.save(*record_of("one", {"k": str(number).encode()}))
            except CheckpointConflictError:
                outcomes.append(False)
            else:
                outcomes.append(True)

        async with asyncio.TaskGroup() as group:
            for number in range(20):
                group.create_task(attempt(number))
        assert sum(outcomes) == 1
        manifest = (await store.load("one")).manifest
        assert await store.parts([manifest[0].digest])

    async def test_a_save_that_relies_on_a_part_that_is_removed_meanwhile(
        self, store: CheckpointStore
    ) -> None:
        """It is saved whole, or refused because the part is missing."""
        for number in range(20):
            name = f"{number}"
            await save(store, f"a{name}", {"k": name.encode()}, run_id=name)
            await save(store, f"b{name}", {}, run_id=name)
            record, _ = record_of(
                f"c{name}", {"k": name.encode()}, run_id=name, parent=f"b{name}"
            )

            async def remove(name: str = name) -> None:
                assert await store.delete([f"a{name}"]) == 1

            async def rely(record: Record = record) -> None:
                with suppress(PartsMissingError):
                    await store.save(record, {})

            async with asyncio.TaskGroup() as group:
                for work in (remove, rely) if number % 2 else (rely, remove):
                    group.create_task(work())
        await check_whole(store)

    async def test_a_save_that_follows_what_is_removed_meanwhile(
        self, store: CheckpointStore
    ) -> None:
        """A fork is saved, and then its parent is a gap, or it is refused because the
        parent is not there.
        """
        for number in range(20):
            name = f"{number}"
            await save(store, f"a{name}", run_id=name)
            await save(store, f"b{name}", run_id=name)

            async def remove(name: str = name) -> None:
                with suppress(CheckpointKeptError):
                    await store.delete([f"a{name}"])

            async def fork(name: str = name) -> None:
                with suppress(CheckpointConflictError):
                    await save(
                        store, f"f{name}", run_id=name, parent=f"a{name}", branch="fork"
                    )

            async with asyncio.TaskGroup() as group:
                for work in (remove, fork) if number % 2 else (fork, remove):
                    group.create_task(work())
        remaining = {header.id for header in await check_whole(store)}
        assert not remaining & {f"a{number}" for number in range(20)}
        assert {f"b{number}" for number in range(20)} <= remaining
