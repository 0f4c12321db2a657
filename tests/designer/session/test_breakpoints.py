"""What the session sends of breakpoints and steps, and what it keeps of the answers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from designer.session.opener import Source
from designer.session.session import DebugSession
from runtime.debug.protocol import (
    Breakpoint,
    BreakpointHit,
    BreakpointsBody,
    BreakpointStatus,
    DeliveryMoment,
    EventsBody,
    HeadersBody,
    HoldBody,
    InsideSuperstep,
    LoggedBody,
    Moment,
    OpenBody,
    ResumedBody,
    RunToArguments,
    StartBody,
    StoppedBody,
)
from tests.designer.fakes import RecordingLink, header, straight

POINT = Breakpoint(id="a", where="rank")
DOCUMENT = {"format": 1, "workflow": {"name": "w", "nodes": []}, "layout": {}}


@pytest.fixture
def link() -> RecordingLink:
    return RecordingLink()


@pytest.fixture
def session(
    qtbot: QtBot, link: RecordingLink, tmp_path: Path
) -> Iterator[DebugSession]:
    session = DebugSession(link)
    session.source = lambda: Source(DOCUMENT, "/work", f"sqlite:{tmp_path / 'runs.db'}")
    session.trust = lambda _folder: True
    yield session
    session.close()


def live(session: DebugSession, link: RecordingLink) -> None:
    """A run that stands after its first superstep."""
    session.run(stop_on_entry=True)
    link.reply("open", OpenBody(workflow="w"))
    link.notice("resumed", ResumedBody(run_id="r1"))
    link.reply("start", StartBody(run_id="r1"))
    link.notice("checkpoints", HeadersBody(headers=tuple(straight(2))))
    stand(link, "step")


def stand(link: RecordingLink, reason: str, **more: object) -> None:
    link.notice(
        "stopped",
        StoppedBody.model_validate(
            {
                "reason": reason,
                "status": "IDLE",
                "superstep": 1,
                "run_id": "r1",
                "checkpoint_id": "c2",
                **more,
            }
        ),
    )


def sent(link: RecordingLink) -> tuple[list[str], bool]:
    arguments = link.last("breakpoints")["arguments"]
    return [point["id"] for point in arguments["breakpoints"]], arguments["muted"]


def test_a_host_gets_the_breakpoints_before_the_run_begins(
    session: DebugSession, link: RecordingLink
) -> None:
    session.use_breakpoints([POINT], muted=False)
    assert link.commands == []
    session.run()
    link.reply("open", OpenBody(workflow="w"))
    assert link.commands == ["open", "breakpoints", "start"]
    assert sent(link) == (["a"], False)


def test_a_host_without_any_gets_nothing(
    session: DebugSession, link: RecordingLink
) -> None:
    live(session, link)
    assert "breakpoints" not in link.commands


def test_a_change_is_sent_at_once_also_while_a_superstep_runs(
    session: DebugSession, link: RecordingLink
) -> None:
    live(session, link)
    link.notice("resumed", ResumedBody(run_id="r1"))
    session.use_breakpoints([POINT], muted=False)
    assert session.running
    assert sent(link) == (["a"], False)
    session.use_breakpoints([], muted=False)
    assert sent(link) == ([], False)
    session.use_breakpoints([], muted=False)
    assert link.commands.count("breakpoints") == 2


def test_statuses_come_by_reply_and_by_notice_and_end_with_the_host(
    session: DebugSession, link: RecordingLink
) -> None:
    heard: list[object] = []
    session.breakpoints_changed.connect(lambda: heard.append(1))
    session.use_breakpoints([POINT], muted=False)
    live(session, link)
    status = BreakpointStatus(id="a", verified=True)
    link.reply("breakpoints", BreakpointsBody(statuses=(status,)))
    assert session.breakpoint_statuses["a"] == status
    hit = BreakpointStatus(id="a", verified=True, hits=2)
    link.notice("breakpoints", BreakpointsBody(statuses=(hit,)))
    assert session.breakpoint_statuses["a"].hits == 2
    link.close("gone")
    assert session.breakpoint_statuses == {}
    assert len(heard) == 3


def test_the_text_of_a_log_point_is_handed_on(
    session: DebugSession, link: RecordingLink
) -> None:
    heard: list[LoggedBody] = []
    session.logged.connect(heard.append)
    lines: list[tuple[str, str]] = []
    events: list[EventsBody] = []
    session.console.connect(lambda category, text: lines.append((category, text)))
    session.events.connect(events.append)
    live(session, link)
    link.notice("logged", LoggedBody(breakpoint="a", superstep=2, text="n 3"))
    assert heard[0].text == "n 3"
    assert lines == [("log", "n 3")]
    assert (events[0].events[0].kind, events[0].events[0].superstep) == ("log point", 2)


def test_a_refusal_is_said(session: DebugSession, link: RecordingLink) -> None:
    told: list[tuple[str, str]] = []
    session.failed.connect(lambda title, text: told.append((title, text)))
    session.use_breakpoints([POINT], muted=False)
    live(session, link)
    link.reply("breakpoints", error="no")
    assert told == [("The run does not take the breakpoints", "no")]


def test_continue_past_breakpoints_mutes_them_until_the_run_stands(
    session: DebugSession, link: RecordingLink
) -> None:
    session.use_breakpoints([POINT], muted=False)
    live(session, link)
    session.continue_past_breakpoints()
    assert link.commands[-2:] == ["breakpoints", "continue"]
    assert sent(link) == (["a"], True)
    link.notice("resumed", ResumedBody(run_id="r1"))
    stand(link, "waiting")
    assert sent(link) == (["a"], False)


@pytest.mark.parametrize(
    ("verb", "command", "arguments"),
    [
        (
            lambda s: s.deliver(),
            "step",
            {"count": 1, "unit": "delivery", "live": False},
        ),
        (
            lambda s: s.step_out(),
            "step",
            {"count": 1, "unit": "out", "live": False},
        ),
        (
            lambda s: s.run_to(RunToArguments(node="rank")),
            "run_to",
            RunToArguments(node="rank").model_dump(mode="json"),
        ),
    ],
)
def test_the_steps_are_commands_that_move_the_run(
    session: DebugSession, link: RecordingLink, verb, command, arguments
) -> None:
    live(session, link)
    verb(session)
    assert link.commands[-1] == command
    assert link.last(command)["arguments"] == arguments
    verb(session)  # a key that is held down
    assert link.commands.count(command) == 1
    link.reply(command)
    link.notice("resumed", ResumedBody(run_id="r1"))
    stand(link, "delivery")
    verb(session)
    assert link.commands[-1] == command


def test_a_refused_step_is_said_and_the_run_can_go_on(
    session: DebugSession, link: RecordingLink
) -> None:
    told: list[str] = []
    session.failed.connect(lambda title, _text: told.append(title))
    live(session, link)
    session.run_to(RunToArguments(question=True))
    link.reply("run_to", error="no")
    assert told == ["The run could not continue"]
    session.deliver()
    assert link.commands[-1] == "step"


def test_inside_a_superstep_the_mode_stays_live_and_the_host_is_asked_where(
    session: DebugSession, link: RecordingLink
) -> None:
    session.use_breakpoints([POINT], muted=False)
    live(session, link)
    session.continue_()
    link.notice("resumed", ResumedBody(run_id="r1"))
    stand(link, "breakpoint", breakpoint=BreakpointHit(id="a", kind="before"))
    assert link.last("inspect")["arguments"]["checkpoint_id"] is None
    standing = InsideSuperstep(
        superstep=2, deliveries=(DeliveryMoment(place=1, executor="rank"),)
    )
    link.reply("inspect", Moment(header=header(2), superstep=1, standing=standing))
    assert (session.mode, session.hit_breakpoint) == ("live", "a")
    assert session.standing == standing
    session.view("c1")
    assert (session.hit_breakpoint, session.standing) == ("", None)


def test_an_executor_is_held_and_let_go(
    session: DebugSession, link: RecordingLink
) -> None:
    live(session, link)
    session.hold("rank", (), held=True)
    link.reply("hold", HoldBody(held=(((), "rank"),)))
    assert session.held == {((), "rank")}
    session.hold("rank", (), held=False)
    assert link.last("hold")["arguments"]["held"] is False
    link.reply("hold", HoldBody())
    assert session.held == frozenset()


def test_a_workflow_that_is_opened_again_has_nothing_held(
    session: DebugSession, link: RecordingLink
) -> None:
    live(session, link)
    session.hold("rank", (), held=True)
    link.reply("hold", HoldBody(held=(((), "rank"),)))
    session.leave()
    session.document = {"workflow": {"name": "changed"}}
    session.run()
    link.reply("open", OpenBody(workflow="w"))
    assert session.held == frozenset()
