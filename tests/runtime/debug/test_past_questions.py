"""Questions to the past at the host: progressive, cancellable, beside the run, and
without a change to the store.
"""

from __future__ import annotations

from pathlib import Path

from runtime.debug.protocol import Breakpoint, FoundBody, PastHit, ReverseBody
from runtime.errors import ConditionError
from tests.runtime.debug.talking import Talk, alone, loop, lost_join, talking


async def found(talk: Talk, id_: str) -> list[FoundBody]:
    """The notices of a question, up to its end."""
    bodies: list[FoundBody] = []
    while not bodies or not (bodies[-1].done or bodies[-1].failed):
        body = await talk.until("found")
        if body.id == id_:
            bodies.append(body)
    return bodies


def hits(bodies: list[FoundBody]) -> list[PastHit]:
    return [hit for body in bodies for hit in body.hits]


async def test_a_question_is_answered_from_the_store_also_when_it_is_opened_again(
    tmp_path: Path,
) -> None:
    file = tmp_path / "runs.db"
    async with talking(tmp_path) as talk:
        await talk.open(loop(40), f"sqlite:{file}")
        await talk.body("start")
        await talk.until("stopped")
        asked = await talk.body("find", id="1", question="message > 37")
        assert (asked.kind, asked.text) == ("message", "message > 37")
        live = await found(talk, "1")
    before = file.read_bytes()
    async with talking(tmp_path) as talk:
        await talk.body("open", store=f"sqlite:{file}", read_only=True)
        await talk.body("find", id="1", question="message > 37")
        again = await found(talk, "1")
        await talk.body("log")
        await talk.body("log", checkpoints=[hits(again)[0].checkpoint_id])
    assert hits(again) == hits(live)
    assert [hit.text for hit in hits(again)] == ["a → b: 38", "b → a: 39"]
    assert (again[-1].read, again[-1].count) == (again[-1].of, 2)
    assert file.read_bytes() == before


async def test_a_question_goes_on_with_what_was_saved_since(tmp_path: Path) -> None:
    async with talking(tmp_path) as talk:
        await talk.open(loop(8))
        await talk.body("start", stop_on_entry=True)
        await talk.until("stopped")
        await talk.body("step", count=3)
        await talk.until("stopped")
        await talk.body("find", id="1", question="before")
        assert (await found(talk, "1"))[-1].count == 3
        await talk.body("continue")
        await talk.until("stopped")
        await talk.body("find", id="1", question="before", goes_on=True)
        bodies = await found(talk, "1")
        assert bodies[-1].count == 7
        assert len(hits(bodies)) == 4


async def test_a_breakpoint_and_its_log_text_apply_to_the_past(tmp_path: Path) -> None:
    async with talking(tmp_path) as talk:
        await talk.open(loop(6))
        await talk.body("start")
        await talk.until("stopped")
        breakpoint_ = Breakpoint(
            id="b",
            kind="before",
            where="b",
            condition="message > 2",
            log="b gets {message}",
        )
        await talk.body("find", id="1", breakpoint=breakpoint_.model_dump())
        assert [hit.log for hit in hits(await found(talk, "1"))] == ["b gets 4"]


async def test_what_cannot_be_evaluated_is_counted_and_said(tmp_path: Path) -> None:
    async with talking(tmp_path) as talk:
        await talk.open(lost_join())
        await talk.body("start")
        await talk.until("stopped")
        await talk.body("find", id="1", question="message.score > 1")
        body = (await found(talk, "1"))[-1]
        assert body.count == 0
        assert body.errors > 0
        assert "message.score > 1" in body.error


async def test_a_question_that_does_not_compile_is_refused(tmp_path: Path) -> None:
    async with talking(tmp_path) as talk:
        await talk.open(lost_join())
        reply = await talk.ask("find", id="1", question="score >")
        assert not reply.success
        assert reply.error_type == ConditionError.__name__


async def test_the_run_goes_on_beside_a_question_and_a_stopped_one_says_no_more(
    tmp_path: Path,
) -> None:
    async with talking(tmp_path) as talk:
        await talk.open(alone("nap"))
        await talk.body("start")
        await talk.until("progress")
        await talk.body("find", id="1", question="before a")
        assert (await found(talk, "1"))[-1].count == 1
        await talk.body("find_stop", id="1")
        await talk.body("stop")
        stopped = await talk.until("stopped")
        assert stopped.reason == "cancelled"


async def reverse(talk: Talk, checkpoint_id: str, **more: object) -> ReverseBody:
    body = await talk.body("reverse", id="r", checkpoint_id=checkpoint_id, **more)
    assert isinstance(body, ReverseBody)
    return body


async def test_reverse_continue_finds_the_nearest_hit_before_and_then_the_one_before(
    tmp_path: Path,
) -> None:
    async with talking(tmp_path) as talk:
        await talk.open(loop(60))
        await talk.body("start")
        head = (await talk.until("stopped")).checkpoint_id
        every = Breakpoint(id="e", kind="before", where="a", hits="every", count=20)
        late = Breakpoint(id="n", kind="message", condition="message == 50")
        silent = Breakpoint(id="l", kind="before", log="{message}")
        points = [point.model_dump() for point in (every, late, silent)]
        place = head
        stops = []
        while True:
            body = await reverse(talk, place, breakpoints=points)
            if body.hit is None:
                break
            stops.append((body.breakpoint, body.hit.superstep))
            place = body.hit.checkpoint_id
        assert stops == [("n", 50), ("e", 39)]
        asked = await reverse(talk, head, questions=["message == 55"])
        assert asked.hit is not None
        assert (asked.question, asked.hit.text) == ("message == 55", "b → a: 55")
        assert asked.read < 20


async def test_reverse_continue_stays_on_the_way_and_off_other_branches(
    tmp_path: Path,
) -> None:
    async with talking(tmp_path) as talk:
        await talk.open(loop(6))
        await talk.body("start", stop_on_entry=True)
        entry = (await talk.until("stopped")).checkpoint_id
        await talk.body("continue")
        await talk.until("stopped")
        await talk.body("restore", checkpoint_id=entry)
        await talk.body("step", count=2)
        fork = (await talk.until("stopped")).checkpoint_id
        body = await reverse(talk, fork, questions=["message > 1"])
        assert (body.hit, body.complete) == (None, True)
