"""Asking why reads the store, and writes nothing into it."""

from __future__ import annotations

from pathlib import Path

from tests.runtime.debug.talking import lost_join, talking


async def test_every_question_about_causes_changes_no_byte_of_the_store(
    tmp_path: Path,
) -> None:
    path = tmp_path / "runs.db"
    store = f"sqlite:{path}"
    async with talking(tmp_path) as talk:
        await talk.open(lost_join(), store)
        await talk.body("start")
        await talk.until("stopped")
    before = path.read_bytes()
    async with talking(tmp_path) as talk:
        await talk.open(None, store)
        for header in (await talk.body("timeline")).headers:
            moment = await talk.body("inspect", checkpoint_id=header.id)
            whole = await talk.body("superstep", checkpoint_id=header.id)
            assert whole.superstep == moment.superstep
            await talk.body("edge", checkpoint_id=header.id, edge="in")
            for message in moment.messages:
                origin = await talk.body(
                    "provenance", checkpoint_id=header.id, address=message.section
                )
                assert origin.complete
    assert path.read_bytes() == before
