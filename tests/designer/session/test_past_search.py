"""Questions to the past against a link that plays the host: what is sent, how hits
arrive, and how one goes through them.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from designer.session.opener import Source
from designer.session.past_search import MOST, PastQuestion
from designer.session.session import DebugSession
from runtime.debug.protocol import (
    Breakpoint,
    CheckpointCounts,
    CountsBody,
    FindBody,
    FoundBody,
    HeadersBody,
    PastHit,
    ResumedBody,
    ReverseBody,
    StoppedBody,
    TimelineBody,
)
from tests.designer.fakes import RecordingLink, header, straight


@pytest.fixture
def link() -> RecordingLink:
    return RecordingLink()


@pytest.fixture
def session(
    qtbot: QtBot, link: RecordingLink, tmp_path: Path
) -> Iterator[DebugSession]:
    session = DebugSession(link)
    store = tmp_path / "runs.db"
    store.touch()
    session.source = lambda: Source({}, "", f"sqlite:{store}")
    tell(session, link, straight(5, queued=1))
    yield session
    session.close()


def tell(session: DebugSession, link: RecordingLink, headers: list[Any]) -> None:
    """The host tells of a live run that stands at the last of these checkpoints."""
    session._mirror.look_live()
    link.start()
    session._opener._store = session._opener.store
    link.notice("resumed", ResumedBody(run_id="r1"))
    link.notice("checkpoints", HeadersBody(headers=tuple(headers)))
    stopped = StoppedBody(reason="step", status="IDLE", superstep=4, run_id="r1")
    link.notice("stopped", stopped)
    session.timeline.flush()


def hit(checkpoint: int, **fields: Any) -> PastHit:
    given = {
        "checkpoint_id": f"c{checkpoint}",
        "run_id": "r1",
        "branch": "main",
        "superstep": checkpoint - 1,
        "sequence": checkpoint,
        "kind": "message",
        **fields,
    }
    return PastHit.model_validate(given)


def ask(session: DebugSession, link: RecordingLink, text: str) -> PastQuestion:
    session.search_past(text)
    id_ = link.last("find")["arguments"]["id"]
    link.reply("find", FindBody(id=id_, kind="message", text=text))
    question = session.past.active
    assert question is not None
    return question


def found(link: RecordingLink, question: PastQuestion, *hits: PastHit) -> None:
    count = len(question.hits) + len(hits)
    body = FoundBody(id=question.id, hits=hits, read=5, of=5, count=count, done=True)
    link.notice("found", body)


def test_a_question_is_sent_for_the_run_that_is_shown_and_its_hits_are_gone_through(
    session: DebugSession, link: RecordingLink
) -> None:
    question = ask(session, link, "message > 1")
    sent = link.last("find")["arguments"]
    assert (sent["question"], sent["run_id"]) == ("message > 1", "r1")
    found(link, question, hit(2), hit(4))
    past = session.past
    past.go(1)  # from the head there is none after, so it goes on from the first
    assert (session.viewing, past.place) == ("c2", 0)
    past.go(1)
    assert (session.viewing, past.place) == ("c4", 1)
    session.view("c3")
    assert past.place is None
    past.go(-1)
    assert session.viewing == "c2"
    session.view("c3")
    past.go(1)
    assert session.viewing == "c4"


def test_several_hits_at_one_checkpoint_are_gone_through_one_by_one(
    session: DebugSession, link: RecordingLink
) -> None:
    question = ask(session, link, "message > 1")
    found(link, question, hit(2), hit(2, text="second"), hit(3))
    places = []
    session.past.go(1)
    for _ in range(3):
        places.append((session.viewing, session.past.place))
        session.past.go(1)
    assert places == [("c2", 0), ("c2", 1), ("c3", 2)]


def test_a_question_is_answered_further_when_the_run_grows(
    session: DebugSession, link: RecordingLink, qtbot: QtBot
) -> None:
    question = ask(session, link, "failure")
    found(link, question, hit(2))
    link.notice("checkpoints", HeadersBody(headers=(header(6),)))
    session.timeline.flush()
    qtbot.waitUntil(lambda: link.last("find")["arguments"]["goes_on"])
    assert link.last("find")["arguments"]["id"] == question.id
    found(link, question, hit(6))
    assert [each.checkpoint_id for each in question.hits] == ["c2", "c6"]


def test_one_that_cannot_be_read_says_why_and_makes_room_for_the_next(
    session: DebugSession, link: RecordingLink
) -> None:
    session.search_past("score >")
    link.reply("find", error="Line 1, column 8: the condition ends too early.")
    assert session.past.active is not None
    assert "column 8" in session.past.active.refused
    question = ask(session, link, "score > 1")
    assert (question.number, len(session.past.questions)) == (1, 1)


def test_the_oldest_question_goes_when_there_are_too_many(
    session: DebugSession, link: RecordingLink
) -> None:
    for number in range(MOST + 1):
        found(link, ask(session, link, f"message > {number}"), hit(2))
    assert [each.text for each in session.past.questions] == [
        "message > 4",
        "message > 1",
        "message > 2",
        "message > 3",
    ]
    assert "find_stop" in link.commands


def test_a_stopped_question_keeps_its_hits_and_takes_no_more(
    session: DebugSession, link: RecordingLink
) -> None:
    question = ask(session, link, "message > 1")
    body = FoundBody(id=question.id, hits=(hit(2),), read=2, of=5, count=1)
    link.notice("found", body)
    session.past.halt(question)
    assert link.last("find_stop")["arguments"]["id"] == question.id
    link.notice("found", body)
    assert (len(question.hits), question.is_halted) == (1, True)


def test_a_host_that_ended_has_its_questions_asked_again_of_the_next(
    session: DebugSession, link: RecordingLink
) -> None:
    question = ask(session, link, "message > 1")
    found(link, question, hit(2))
    first = question.id
    link.close("crash")
    assert question.hits
    session.search_past("message > 1")
    link.reply("open", {"workflow": "w"})
    assert link.last("find")["arguments"]["goes_on"] is False
    assert (question.id != first, question.hits) == (True, [])


def test_a_hit_of_another_run_is_shown_with_the_timeline_of_that_run(
    session: DebugSession, link: RecordingLink
) -> None:
    session.search_past("failure", every_run=True)
    assert link.last("find")["arguments"]["run_id"] is None
    question = session.past.active
    assert question is not None
    found(link, question, hit(9, run_id="r2"))
    session.past.view(0)
    assert link.last("timeline")["arguments"]["run_id"] == "r2"
    other = header(9, run_id="r2", parent=None)
    link.reply("timeline", TimelineBody(headers=(other,)))
    assert session.viewing == "c9"


def test_running_back_asks_with_the_question_and_the_breakpoints(
    session: DebugSession, link: RecordingLink
) -> None:
    told: list[str] = []
    session.past.told.connect(told.append)
    session.past.run_back([])
    assert "Set a breakpoint" in told[-1]
    ask(session, link, "message > 1")
    session.past.run_back([Breakpoint(id="b", where="rank")])
    sent = link.last("reverse")["arguments"]
    assert (sent["checkpoint_id"], sent["questions"]) == ("c5", ["message > 1"])
    assert [point["id"] for point in sent["breakpoints"]] == ["b"]
    link.reply("reverse", ReverseBody(hit=hit(3, text="a → b: 2"), breakpoint="b"))
    assert (session.viewing, told[-1]) == ("c3", "Ran back to: a → b: 2")
    session.past.run_back([])
    assert link.last("reverse")["arguments"]["checkpoint_id"] == "c3"
    link.reply("reverse", ReverseBody())
    assert told[-1] == "No hit before this checkpoint."


def test_a_breakpoint_is_applied_to_the_past(
    session: DebugSession, link: RecordingLink
) -> None:
    point = Breakpoint(id="b", where="rank", log="{message}")
    session.search_breakpoint(point, "Rank runs")
    sent = link.last("find")["arguments"]
    assert (sent["question"], sent["breakpoint"]["id"]) == ("", "b")
    session.past.run_back([point])
    points = link.last("reverse")["arguments"]["breakpoints"]
    assert [each["log"] for each in points] == [""]  # as a question, it stops


def test_counts_are_asked_once_for_each_checkpoint(
    session: DebugSession, link: RecordingLink
) -> None:
    session.counts.want(["c1", "c2"])
    session.counts.want(["c2", "c3"])  # one question at a time
    assert link.last("counts")["arguments"]["checkpoints"] == ["c1", "c2"]
    counts = CheckpointCounts(checkpoint_id="c2", lost=1)
    link.reply("counts", CountsBody(counts=(counts,)))
    assert session.counts.of("c2") == counts
    session.counts.want(["c1", "c2", "c3"])
    assert link.last("counts")["arguments"]["checkpoints"] == ["c3"]
