"""The phases of a run: the table itself, and sessions that must never leave it."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from designer.session.opener import Source
from designer.session.phase import (
    TRANSITIONS,
    PhaseError,
    RunEvent,
    RunPhase,
    RunState,
)
from designer.session.session import DebugSession
from runtime.debug.protocol import (
    HeaderBody,
    HeadersBody,
    Moment,
    OpenBody,
    ResumedBody,
    RunsBody,
    StartBody,
    StoppedBody,
    TimelineBody,
)
from tests.designer.fakes import RecordingLink, header

P = RunPhase
E = RunEvent
# The events that lead to each phase from a fresh one.
WAYS = {
    P.STANDING: [],
    P.REQUESTED: [E.REQUEST],
    P.CANCELLING: [E.REQUEST, E.STOP],
    P.RUNNING: [E.RESUMED],
    P.STOPPING: [E.RESUMED, E.STOP],
    P.CLOSED: [E.CLOSE],
}


def in_phase(phase):
    run = RunState()
    for event in WAYS[phase]:
        run.take(event)
    assert run.phase is phase
    return run


@pytest.mark.parametrize(
    ("phase", "event"), [(phase, event) for phase in P for event in E]
)
def test_an_event_leads_where_the_table_says_or_is_refused(phase, event):
    run = in_phase(phase)
    if (phase, event) in TRANSITIONS:
        run.take(event)
        assert run.phase is TRANSITIONS[phase, event]
    else:
        with pytest.raises(PhaseError, match=event.name):
            run.take(event)
        assert run.phase is phase


def test_only_the_windows_own_events_can_be_out_of_place():
    refused = {(phase, event) for phase in P for event in E} - set(TRANSITIONS)
    assert {event for _, event in refused} == {E.REQUEST, E.STOP}
    assert (P.STANDING, E.REQUEST) not in refused


@pytest.mark.parametrize("phase", [phase for phase in P if phase is not P.CLOSED])
@pytest.mark.parametrize("event", [E.STOPPED, E.LOST, E.FORGET])
def test_every_phase_ends_when_the_run_stands_or_is_gone(phase, event):
    run = in_phase(phase)
    run.take(event)
    assert run.is_standing


@pytest.mark.parametrize("event", list(RunEvent))
def test_a_closed_session_stays_closed(event):
    run = in_phase(P.CLOSED)
    run.take(event)
    assert run.is_closed


def test_what_the_window_asks_of_a_phase():
    assert [phase for phase in P if in_phase(phase).is_running] == [
        P.RUNNING,
        P.STOPPING,
    ]
    assert [phase for phase in P if in_phase(phase).is_requested] == [
        P.REQUESTED,
        P.CANCELLING,
    ]
    assert [phase for phase in P if in_phase(phase).is_stopping] == [
        P.CANCELLING,
        P.STOPPING,
    ]


# --- a session under any order of commands, notices, replies and losses ---

STOPPED = StoppedBody(reason="step", status="IDLE", superstep=1, run_id="r1")
NO_RUN = StoppedBody(
    reason="cancelled", status="", superstep=0, text="There is no run."
)
BODIES = {
    "open": OpenBody(workflow="w"),
    "start": StartBody(run_id="r1"),
    "restore": HeaderBody(header=header(3, parent="c1", branch="fork 1")),
    "answer": HeaderBody(header=header(4, cause="response")),
    "inspect": Moment(header=header(2), superstep=1),
    "timeline": TimelineBody(headers=(header(1), header(2))),
    "runs": RunsBody(runs=()),
}


def reply_to_oldest(link, *, error=""):
    """Answer the oldest command that has no reply yet."""
    if link.is_open and link.replied < len(link.sent):
        packet = link.sent[link.replied]
        link.replied += 1
        body = BODIES.get(packet["command"])
        link.packet.emit(
            {
                "type": "response",
                "request_seq": packet["seq"],
                "command": packet["command"],
                "success": not error,
                "message": error,
                "body": None if body is None else body.model_dump(mode="json"),
            }
        )


def lose(link):
    link.replied = len(link.sent)
    link.close("The process of the run was ended by signal SIGSEGV.")


ACTIONS = {
    "run": lambda session, link: session.run(),
    "step": lambda session, link: session.step(),
    "continue": lambda session, link: session.continue_(),
    "pause": lambda session, link: session.pause(),
    "stop": lambda session, link: session.stop(),
    "restore": lambda session, link: session.restore("c1"),
    "answer": lambda session, link: session.answer({"q": 1}),
    "cancel the wait": lambda session, link: session.cancel_wait(),
    "stop in vain": lambda session, link: (
        session._execution._on_stop_timeout() if session._run.is_stopping else None
    ),
    "view": lambda session, link: session.view("c1"),
    "back to live": lambda session, link: session.back_to_live(),
    "leave": lambda session, link: session.leave(),
    "forget": lambda session, link: session.forget(),
    "close": lambda session, link: session.close(),
    "reply": lambda session, link: reply_to_oldest(link),
    "refusal": lambda session, link: reply_to_oldest(link, error="It cannot be done."),
    "resumed": lambda session, link: link.notice("resumed", ResumedBody(run_id="r1")),
    "stopped": lambda session, link: link.notice("stopped", STOPPED),
    "no run": lambda session, link: link.notice("stopped", NO_RUN),
    "checkpoints": lambda session, link: link.notice(
        "checkpoints", HeadersBody(headers=(header(1), header(2)))
    ),
    "loss": lambda session, link: lose(link),
}
OFTEN = ["reply"] * 4


@settings(
    max_examples=75,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(names=st.lists(st.sampled_from([*ACTIONS, *OFTEN]), max_size=40))
def test_no_order_of_events_reaches_an_undefined_transition(qtbot, tmp_path, names):
    store = tmp_path / "runs.db"
    store.touch()
    link = RecordingLink()
    link.replied = 0
    session = DebugSession(link)
    session.source = lambda: Source({}, "", f"sqlite:{store}")
    session.trust = lambda folder: True
    try:
        for name in names:
            ACTIONS[name](session, link)
            assert (
                session._execution._stop_timer.isActive() == session._run.is_stopping
                or (name == "stop in vain")
            )
        # A session that is open can be used again as soon as its run stands.
        if session.phase is not RunPhase.CLOSED:
            link.start()
            link.notice("stopped", STOPPED)
            assert session.phase is RunPhase.STANDING
    finally:
        session.close()
