"""Rule 31: restoring equals not having stopped. Rule 2: nothing depends on which task
finishes first.

Random workflows with every kind of edge, loops, joins, requests and sub-workflows,
whose executors keep state in every way there is. `python -m tests.faults` does the same
with thousands of them.
"""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runtime.engine.runner import Runner
from runtime.stores import open_store
from runtime.stores.memory import MemoryStore
from tests.faults.campaigns import Setting, workflows
from tests.faults.flows import Fuse, build
from tests.faults.plans import Group, Node, Plan, asks, chance_of, plan_of, plans
from tests.faults.replays import check_workflow, fork
from tests.faults.stories import check_equal, drive, straight

pytestmark = pytest.mark.slow

SEEDS = st.integers(0, 2**32)


@given(plans(), SEEDS)
@settings(max_examples=12)
async def test_rule_31_a_run_that_was_cut_failed_or_cancelled_ends_as_the_straight_run_did(
    plan: Plan, seed: int
) -> None:
    await check_workflow(plan, chance_of(seed), MemoryStore())


async def test_rule_31_restoring_equals_not_having_stopped_on_every_store(
    store_url: str, kind: str
) -> None:
    store = open_store(store_url)
    for seed in range(5):
        await workflows(Setting(seed, kind, store_url, store))
    await store.close()


@given(plans(), SEEDS, SEEDS)
@settings(max_examples=10)
async def test_rule_2_the_result_does_not_depend_on_completion_order(
    plan: Plan, one: int, two: int
) -> None:
    first = await straight(build(plan, delays=one), plan, MemoryStore())
    second = await straight(build(plan, delays=two), plan, MemoryStore())
    check_equal(first.contents, second.contents)
    assert (first.outputs, first.state) == (second.outputs, second.state)


@given(plans())
@settings(max_examples=10)
async def test_rule_28_both_ways_to_save_give_the_same_checkpoints(plan: Plan) -> None:
    sync, pipelined = [
        await straight(build(plan), plan, MemoryStore(), durability=durability)
        for durability in ("sync", "pipelined")
    ]
    check_equal(sync.contents, pipelined.contents)


ASKING = [seed for seed in range(60) if asks(plan_of(chance_of(seed)))][:6]


@pytest.mark.parametrize("seed", ASKING)
async def test_rule_24_forks_answer_on_their_own(seed: int) -> None:
    chance = chance_of(seed)
    store = MemoryStore()
    plan = plan_of(chance)
    await fork(plan, chance, store, await straight(build(plan), plan, store))


@given(plans())
@settings(max_examples=10)
async def test_rule_21_looking_at_a_run_calls_no_hook_and_changes_nothing(
    plan: Plan,
) -> None:
    fuse = Fuse()
    looked = Fuse()
    store = MemoryStore()
    story = await straight(build(plan, fuse), plan, store)
    runner = Runner(build(plan, looked), store)
    await runner.restore(story.headers[0].id)
    await drive(runner, plan, looking=True)
    hooks = "on_checkpoint_save", "on_checkpoint_restore"
    assert [looked.touches[hook] for hook in hooks] == [
        fuse.touches[hooks[0]],
        fuse.touches[hooks[1]],
    ]
    assert runner.state == story.state


ROUND = Plan(
    (
        Node("hooked"),
        *(Node("record") for _ in range(2)),
        *(Node("function") for _ in range(2)),
        Node("asker"),
    ),
    (
        Group("fan_out", (0,), (1, 2, 3, 4)),
        Group("all", (1, 2, 3, 4), (5,)),
        Group("loop", (5,), (0,)),
    ),
)
_DIGESTS = """
import asyncio
from runtime.stores.memory import MemoryStore
from tests.faults.flows import build
from tests.faults.stories import straight
from tests.faults.test_replay import ROUND

for content in asyncio.run(straight(build(ROUND), ROUND, MemoryStore())).contents:
    print(content)
"""


def test_case_61_checkpoints_are_equal_to_the_byte_in_every_process() -> None:
    found = set()
    for seed in ("0", "1"):
        environment: dict[str, Any] = {**os.environ, "PYTHONHASHSEED": seed}
        done = subprocess.run(
            [sys.executable, "-c", _DIGESTS],
            capture_output=True,
            text=True,
            check=True,
            env=environment,
        )
        found.add(done.stdout)
    assert len(found) == 1
    assert len(found.pop().splitlines()) > 4
