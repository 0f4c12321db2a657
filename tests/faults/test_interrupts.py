"""Errors, cancellations and failing saves at every place of a run: it stands at its
barrier, and goes on from there.

Some places of small workflows in memory, and fewer on the other stores.
`python -m tests.faults` tries all of them everywhere.
"""

from __future__ import annotations

import pytest

from runtime.stores import open_store
from tests.faults.campaigns import FAULTS, Runs, Setting

pytestmark = pytest.mark.slow

# Workflows with joins, functions, selections and requests (388), a switch and async
# conditions (362), and sub-workflows three deep (96).
FLAT = 388
SWITCH = 362
DEEP = 96


async def tried(
    fault: str, kind: str, seed: int, every: int, url: str = "memory:"
) -> Runs:
    store = open_store(url)
    runs = await FAULTS[fault].run(Setting(seed, kind, url, store), every)
    await store.close()
    return runs


@pytest.mark.parametrize(("seed", "every"), [(FLAT, 8), (SWITCH, 4), (DEEP, 18)])
async def test_rules_6_7_21_and_33_an_error_anywhere_leaves_the_last_barrier(
    seed: int, every: int
) -> None:
    assert len(await tried("raise", "memory", seed, every)) > 4


async def test_rule_6_an_error_leaves_the_last_barrier_on_every_store(
    kind: str, store_url: str
) -> None:
    await tried("raise", kind, FLAT, 50, store_url)


@pytest.mark.parametrize(("seed", "every"), [(FLAT, 14), (SWITCH, 10), (DEEP, 34)])
async def test_rule_9_a_cancellation_at_any_wait_leaves_the_last_barrier(
    seed: int, every: int
) -> None:
    assert set(await tried("cancel", "memory", seed, every)) >= {
        "in the wait",
        "after the wait",
    }


@pytest.mark.parametrize(("seed", "every"), [(24, 10), (43, 4), (104, 3), (SWITCH, 1)])
async def test_rule_9_a_stream_that_is_left_anywhere_leaves_the_barrier_that_was_read(
    seed: int, every: int
) -> None:
    assert set(await tried("leave", "memory", seed, every)) >= {
        "superstep_completed",
        "executor_invoked",
    }


async def test_rule_9_a_cancellation_leaves_a_whole_store(
    kind: str, store_url: str
) -> None:
    await tried("cancel", kind, FLAT, 50, store_url)


async def test_rule_10_a_save_that_fails_leaves_the_previous_checkpoint_as_the_latest(
    kind: str, store_url: str
) -> None:
    assert set(await tried("save", kind, FLAT, 8, store_url)) == {"before", "after"}
