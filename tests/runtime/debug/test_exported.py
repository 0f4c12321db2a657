"""Checkpoints as lines of JSON, and the sizes of their parts."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path

from runtime import WorkflowBuilder, WorkflowContext, executor
from runtime.checkpoint import Cause, CheckpointHeader, Part, Record
from runtime.debug.timeline.part_sizes import PartSizes
from runtime.engine.runner import Runner
from runtime.errors import CheckpointDamagedError
from runtime.stores.memory import MemoryStore
from tests.runtime.debug.talking import Talk, asking, lost_join, talking


async def _ids(talk: Talk) -> list[str]:
    await talk.body("start")
    await talk.until("stopped")
    return [header.id for header in (await talk.body("timeline")).headers]


async def test_an_export_has_a_line_for_each_checkpoint_with_all_sections(
    tmp_path: Path,
) -> None:
    async with talking(tmp_path) as talk:
        await talk.open(lost_join())
        ids = await _ids(talk)
        body = await talk.body("export", checkpoints=ids)
        lines = [json.loads(line) for line in body.lines]
        assert [line["checkpoint"] for line in lines] == ids
        assert [line["header"]["superstep"] for line in lines] == list(range(len(ids)))
        assert lines[3]["joins"] == [{"where": "sum ← b", "data": 4}]
        assert lines[1]["messages"][0] == {"where": "from a", "data": 2}
        assert lines[1]["executors"]["a"]["runs"] == 1


async def test_an_export_has_the_questions(tmp_path: Path) -> None:
    async with talking(tmp_path) as talk:
        await talk.open(asking())
        ids = await _ids(talk)
        body = await talk.body("export", checkpoints=ids[-1:])
        (question,) = json.loads(body.lines[0])["requests"].values()
        assert "Ship 2?" in json.dumps(question)


async def test_the_line_of_a_checkpoint_that_is_gone_says_so(tmp_path: Path) -> None:
    async with talking(tmp_path) as talk:
        await talk.open(lost_join())
        body = await talk.body("export", checkpoints=["gone"])
        assert "gone" in json.loads(body.lines[0])["unreadable"]


async def test_the_sizes_of_the_parts_add_up_to_that_of_the_checkpoint(
    tmp_path: Path,
) -> None:
    async with talking(tmp_path) as talk:
        await talk.open(lost_join())
        await _ids(talk)
        headers = (await talk.body("timeline")).headers
        ids = [header.id for header in headers]
        columns = (await talk.body("sizes", checkpoints=ids)).columns
        assert [column.checkpoint_id for column in columns] == ids
        for header, column in zip(headers, columns, strict=True):
            assert sum(part.size for part in column.parts) == header.size
        names = {(part.kind, part.name) for part in columns[3].parts}
        assert ("executor", "a") in names


def test_a_part_of_a_sub_workflow_has_its_name_there_and_the_way() -> None:
    part = Part("child", '["review#1","shared","votes"]', "d1")
    header = CheckpointHeader("c1", "r1", "w", 1, Cause.SUPERSTEP)

    class Store(MemoryStore):
        async def load(self, checkpoint_id: str) -> Record:
            return Record(header, (part,))

        async def parts(self, digests: Sequence[str]) -> dict[str, bytes]:
            return {"d1": b"[1,2]"}

    body = asyncio.run(PartSizes().columns(Store(), ["c1"]))
    ((size,),) = [column.parts for column in body.columns]
    assert (size.way, size.kind, size.name, size.size) == (
        ("review#1",),
        "shared",
        "votes",
        5,
    )


async def test_a_part_is_read_once() -> None:
    store = _Counting()
    await _save_two(store)
    sizes = PartSizes()
    ids = [header.id for header in await store.headers()]
    await sizes.columns(store, ids)
    await sizes.columns(store, ids)
    assert len(store.read) == len(set(store.read))


async def test_a_damaged_checkpoint_has_no_sizes_and_says_why() -> None:
    store = _Counting()
    await _save_two(store)
    ids = [header.id for header in await store.headers()]
    store.damaged = ids[0]
    damaged, good = (await PartSizes().columns(store, ids)).columns
    assert (damaged.parts, damaged.unreadable != "") == ((), True)
    assert good.parts


@executor(id="count")
async def count(message: int, ctx: WorkflowContext[int]) -> None:
    await ctx.send_message(message + 1)


async def _save_two(store: MemoryStore) -> None:
    workflow = WorkflowBuilder(start_executor=count).add_edge(count, count).build()
    runner = Runner(workflow, store)
    await runner.start(0)
    await runner.step()


class _Counting(MemoryStore):
    """Notes which parts are read, and has one damaged checkpoint."""

    def __init__(self) -> None:
        super().__init__()
        self.read: list[str] = []
        self.damaged = ""

    async def parts(self, digests: Sequence[str]) -> dict[str, bytes]:
        self.read += digests
        return await super().parts(digests)

    async def load(self, checkpoint_id: str) -> Record:
        if checkpoint_id == self.damaged:
            raise CheckpointDamagedError(checkpoint_id, "torn")
        return await super().load(checkpoint_id)
