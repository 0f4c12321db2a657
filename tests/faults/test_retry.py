"""A handler that fails once and is tried again: the run is the one in which nothing
failed, to the byte.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from runtime.checkpoints.archive import Archive
from runtime.policy import RetryPolicy
from runtime.stores import open_store
from tests.faults.flows import Fuse, build
from tests.faults.plans import chance_of, plan_of
from tests.faults.replays import check_workflow
from tests.faults.stories import Content, Story, straight

AGAIN = RetryPolicy(attempts=2, backoff=0)
PLACES = ("handler", "function", "response handler")


def without_attempts(content: Content) -> Content:
    """The checkpoint without what its trace says of calls that failed, and of how often
    was tried.
    """
    went_well = [call for call in content.trace[0] if len(call) <= 10 or not call[11]]
    calls = [[*call, [], []][:10] for call in went_well]
    return content._replace(trace=[calls, *content.trace[1:]])


async def told(seed: int, fuse: Fuse, retry: RetryPolicy | None) -> Story:
    store = open_store("memory:")
    plan = plan_of(chance_of(seed))
    story = await straight(build(plan, fuse, retry=retry), plan, store)
    await store.close()
    return story


# As in `test_interrupts`, and eight that nobody chose.
@pytest.mark.parametrize("seed", [388, 362, 96, *range(8)])
async def test_rules_6_and_21_a_second_attempt_leaves_no_mark_of_the_first(
    seed: int,
) -> None:
    whole = Fuse()
    wanted = await told(seed, whole, None)
    touched = [place for place in whole.touches if place.startswith(PLACES)]
    assert touched
    for place in touched:
        for at in {1, whole.touches[place] // 2, whole.touches[place]} - {0}:
            fuse = Fuse(at, place)
            found = await told(seed, fuse, AGAIN)
            assert fuse.blown == place
            assert [without_attempts(one) for one in found.contents] == [
                without_attempts(one) for one in wanted.contents
            ]
            assert found.state == wanted.state
            assert any(
                len(call) > 10
                for content in found.contents
                for call in content.trace[0]
            )


# Workflows in which some fail; in half of them inside a sub-workflow.
@pytest.mark.parametrize("seed", [42, 45, 47, 48, 51, 53, 55, 56, 58, 388])
async def test_rules_15_26_and_31_hold_where_failures_go_along_error_edges(
    seed: int,
) -> None:
    """In random workflows, nested ones too: cut, failed, cancelled and forked, a run
    ends as the straight one did.
    """
    store = open_store("memory:")
    chance = chance_of(seed)
    plan = replace(plan_of(chance), fails=4)
    await check_workflow(plan, chance, store)
    traces = [
        (await Archive(store).trace(header.id))[1] for header in await store.headers()
    ]
    handed_on = [
        call
        for trace in traces
        for call in trace.invocations
        if call.error.startswith("WeakError")
    ]
    assert handed_on
