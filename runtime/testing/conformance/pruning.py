"""Pruning and pinning: the remaining checkpoints restore and replay."""
# ruff: noqa: S101 - these are tests

from __future__ import annotations

import pytest

from runtime.checkpoint import PINNED, CheckpointHeader, CheckpointStore
from runtime.engine.runner import Runner
from runtime.executors.executor import FunctionExecutor, WorkflowContext
from runtime.stores import prune
from runtime.testing.conformance.base import Conformance
from runtime.testing.records import StoreFactory, check_whole, ids, opened, save
from runtime.workflow.builder import WorkflowBuilder
from runtime.workflow.workflow import Workflow


def countdown() -> Workflow:
    """Run one superstep for each number down to 0, then give the list of all as output."""

    async def count(number: int, ctx: WorkflowContext[int, list[int]]) -> None:
        seen = [*(ctx.get_state("seen") or []), number]
        ctx.set_state("seen", seen)
        if number:
            await ctx.send_message(number - 1)
        else:
            await ctx.yield_output(seen)

    step = FunctionExecutor(
        count, "step", input=int, output=int, workflow_output=list[int]
    )
    return (
        WorkflowBuilder(start_executor=step, name="countdown")
        .add_edge(step, step)
        .build()
    )


async def outcome(runner: Runner) -> tuple[object, list[object]]:
    """Return state and outputs at the end of a run that goes on."""
    outputs: list[object] = []
    while (trace := await runner.step()) is not None:
        outputs += [output.data for output in trace.outputs]
    return dict(runner.state.shared), outputs


class PruningConformance(Conformance):
    """`runtime.stores.prune`, and the tag `PINNED`."""

    async def test_case_94_what_is_kept_restores_and_replays(
        self, open_: StoreFactory
    ) -> None:
        """A chain of ten, a fork at 3, a tag at 7; everything older than 5 is pruned."""
        async with opened(open_) as store:
            chain = await self._run(store)
            end = ({"seen": list(range(8, -1, -1))}, [list(range(8, -1, -1))])
            would = await prune(store, older_than=chain[5].time, dry_run=True)
            assert len(await store.headers()) == 10 + 3
            removed = await prune(store, older_than=chain[5].time)
            assert removed == would == [chain[number] for number in (0, 1, 2, 4)]
        async with opened(open_) as store:
            remaining = await check_whole(store)
            assert [header.id for header in remaining if header.branch == "main"] == [
                chain[number].id for number in (3, 5, 6, 7, 8, 9)
            ]
            assert chain[5].parent == chain[4].id
            for header in remaining:
                runner = Runner(countdown(), store)
                await runner.restore(header.id)
                state, outputs = await outcome(runner)
                assert state == end[0]
                assert outputs == (end[1] if header.queued else [])
            assert len(await prune(store, keep=1)) > 0
            assert (await store.load(chain[7].id)).header.tags == ("good",)
            await check_whole(store)

    async def _run(self, store: CheckpointStore) -> list[CheckpointHeader]:
        runner = Runner(countdown(), store)
        await runner.start(8)
        await runner.finish()
        chain = await store.headers()
        assert len(chain) == 10
        fork = Runner(countdown(), store)
        await fork.restore(chain[3].id, fork=True)
        await fork.step()
        await fork.step()
        return [
            *chain[:7],
            await store.annotate(chain[7].id, tags=["good"]),
            *chain[8:],
        ]

    async def test_pinned_ones_stay_until_they_are_not_pinned_any_more(
        self, store: CheckpointStore
    ) -> None:
        for number in range(6):
            await save(store, str(number))
        await store.annotate("2", tags=[PINNED])
        assert [header.id for header in await prune(store, keep=2)] == ["0", "1", "3"]
        await store.annotate("2", tags=())
        assert [header.id for header in await prune(store, keep=2)] == ["2"]
        assert await ids(store) == ["4", "5"]

    async def test_one_run_is_pruned_and_no_other(self, store: CheckpointStore) -> None:
        for run_id in ("one", "two", "one 2"):
            for number in range(3):
                await save(store, f"{run_id} {number}", run_id=run_id)
        assert [header.id for header in await prune(store, run_id="one", keep=1)] == [
            "one 0",
            "one 1",
        ]
        assert await ids(store, run_id="one") == ["one 2"]
        assert len(await ids(store)) == 7

    async def test_rules_that_make_no_sense_are_refused(
        self, store: CheckpointStore
    ) -> None:
        with pytest.raises(ValueError, match="give keep"):
            await prune(store)
        with pytest.raises(ValueError, match="keep is 0"):
            await prune(store, keep=0)
