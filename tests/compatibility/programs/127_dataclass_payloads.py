"""Payloads of many shapes through a file: nested data classes, enums, sets, tuples, dates, bytes, models."""

import tempfile
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from enum import Enum
from uuid import UUID

from agent_framework import (
    Executor,
    FileCheckpointStorage,
    WorkflowBuilder,
    WorkflowContext,
    handler,
)
from pydantic import BaseModel


class Colour(Enum):
    RED = "red"


class Tag(BaseModel):
    name: str
    weight: float = 1.0


@dataclass
class Inner:
    when: datetime
    day: date
    pause: timedelta


@dataclass
class Outer:
    inner: Inner
    colour: Colour
    tags: list[Tag]
    price: Decimal
    key: UUID
    raw: bytes
    pairs: dict[str, tuple[int, str]]
    seen: set[int] = field(default_factory=set)


class Make(Executor):
    @handler
    async def make(self, text: str, ctx: WorkflowContext[Outer]) -> None:
        inner = Inner(
            datetime(2026, 1, 2, 3, tzinfo=UTC), date(2026, 1, 2), timedelta(hours=1)
        )
        tags, pairs = [Tag(name=text), Tag(name="b", weight=2)], {"a": (1, "x")}
        key = UUID("12345678123456781234567812345678")
        await ctx.send_message(
            Outer(
                inner,
                Colour.RED,
                tags,
                Decimal("1.50"),
                key,
                b"\x00\xff",
                pairs,
                {1, 2},
            )
        )


class Show(Executor):
    @handler
    async def show(self, outer: Outer, ctx: WorkflowContext[None, str]) -> None:
        await ctx.yield_output(repr(outer))


def build(storage):
    make, show = Make("make"), Show("show")
    return (
        WorkflowBuilder(name="shapes", start_executor=make, checkpoint_storage=storage)
        .add_edge(make, show)
        .build()
    )


async def main() -> dict:
    types = [f"{__name__}:{cls.__name__}" for cls in (Colour, Tag, Inner, Outer)]
    with tempfile.TemporaryDirectory() as folder:
        storage = FileCheckpointStorage(folder, allowed_checkpoint_types=types)
        straight = await build(storage).run("t")
        found = await storage.list_checkpoints(workflow_name="shapes")
        (middle,) = [one for one in found if one.iteration_count == 1]
        resumed = await build(storage).run(checkpoint_id=middle.checkpoint_id)
        return {
            "same": resumed.get_outputs() == straight.get_outputs(),
            "length": len(straight.get_outputs()[0]),
        }
