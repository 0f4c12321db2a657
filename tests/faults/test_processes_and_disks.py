"""Processes that are killed and disks that fail: what is listed loads whole, and the
run goes on to the same end.
"""

from __future__ import annotations

import pytest

from runtime.stores.memory import MemoryStore
from tests.faults.campaigns import Setting, killing
from tests.faults.disks import fail_disk
from tests.faults.plans import chance_of, plan_of

pytestmark = pytest.mark.slow

SEED = 362


@pytest.mark.parametrize("kind", ["dir", "sqlite", "postgresql"], indirect=True)
async def test_rule_28_a_process_that_is_killed_leaves_whole_checkpoints_to_go_on_from(
    kind: str, store_url: str
) -> None:
    assert await killing(Setting(SEED, kind, store_url, MemoryStore()), every=12)


@pytest.mark.parametrize("kind", ["dir", "sqlite"])
async def test_rule_10_a_disk_that_fails_leaves_the_previous_checkpoint_as_the_latest(
    kind: str,
) -> None:
    assert await fail_disk(kind, plan_of(chance_of(SEED)), every=8)
