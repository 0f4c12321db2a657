"""How a join filled over the supersteps of a real run."""

from __future__ import annotations

from pathlib import Path

from tests.runtime.debug.talking import lost_join, talking


async def test_each_checkpoint_says_what_the_join_had_before(tmp_path: Path) -> None:
    fills = {}
    async with talking(tmp_path) as talk:
        await talk.open(lost_join())
        await talk.body("start")
        await talk.until("stopped")
        for header in (await talk.body("timeline")).headers:
            moment = await talk.body("inspect", checkpoint_id=header.id)
            [join] = moment.joins
            fills[moment.superstep] = [
                (fill.superstep, fill.have, fill.released) for fill in join.filling
            ]
    arrived = (3, (1, 0), (0, 0))
    fired = (4, (0, 0), (1, 1))
    assert fills[2] == []
    assert fills[3] == [arrived]
    assert fills[4] == [arrived, fired]
