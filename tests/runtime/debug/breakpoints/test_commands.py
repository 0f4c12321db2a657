"""The commands about breakpoints, as transcripts."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.runtime.debug.talking import Talk, lost_join, talking


@pytest.fixture
async def talk(tmp_path: Path):
    async with talking(tmp_path) as talk:
        yield talk


def verified(body) -> dict[str, bool]:
    return {status.id: status.verified for status in body.statuses}


async def test_breakpoints_are_kept_and_verified_anew_when_a_workflow_opens(
    talk: Talk,
) -> None:
    points = [{"id": "1", "where": "a"}, {"id": "2", "where": "gone"}]
    body = await talk.body("breakpoints", breakpoints=points)
    assert verified(body) == {"1": False, "2": False}
    await talk.open(lost_join())
    assert verified(await talk.until("breakpoints")) == {"1": True, "2": False}


async def test_breakpoints_replace_all_that_were_before(talk: Talk) -> None:
    await talk.open(lost_join())
    await talk.body("breakpoints", breakpoints=[{"id": "1"}])
    body = await talk.body("breakpoints", breakpoints=[{"id": "2"}])
    assert verified(body) == {"2": True}


async def test_a_place_to_run_to_is_exactly_one(talk: Talk) -> None:
    await talk.open(lost_join())
    reply = await talk.ask("run_to", node="a", superstep=3)
    assert "Give one of" in reply.message
