"""Some of the random surgery that `python -m tests.random_surgery` does by the thousand."""

from __future__ import annotations

import asyncio
import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from runtime.stores.memory import MemoryStore
from tests.random_surgery import check_many_forks, check_workflow


@pytest.mark.filterwarnings("ignore")
@given(st.randoms(use_true_random=False))
@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
def test_a_patch_is_applied_or_refused_whole_and_its_forecast_comes_true(
    chance: random.Random,
) -> None:
    asyncio.run(check_workflow(chance, MemoryStore(), patches=4))


async def test_many_forks_from_one_checkpoint_are_all_there() -> None:
    await check_many_forks(MemoryStore(), 20)
