"""Which results executors get on going on from the past, and what is asked of the host
about it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from designer.session.opener import Source
from designer.session.results import name_of
from designer.session.session import DebugSession
from runtime.debug.protocol import (
    HeadersBody,
    OpenBody,
    OutsideCall,
    PinnedResult,
    RestorePlanBody,
    StartBody,
)
from tests.designer.fakes import RecordingLink, header, straight

PIN = PinnedResult(sent=({"status": 200},))
CALL = OutsideCall(
    executor="fetch",
    mode="live",
    what="HTTP request to example.org",
    is_unasked=True,
)
Foresee = Callable[..., None]


@pytest.fixture
def link() -> RecordingLink:
    return RecordingLink()


@pytest.fixture
def session(qtbot: QtBot, link: RecordingLink) -> Iterator[DebugSession]:
    session = DebugSession(link)
    session.trust = lambda _folder: True
    session.open({"workflow": {}}, "", "memory:")
    link.reply("open", OpenBody(workflow="w"))
    session.run(stop_on_entry=True)
    link.reply("open", OpenBody(workflow="w"))
    link.notice("resumed", {"run_id": "r1"})
    link.reply("start", StartBody(run_id="r1"))
    link.notice("checkpoints", HeadersBody(headers=tuple(straight(3))))
    stopped = {"reason": "step", "status": "IDLE", "superstep": 2}
    link.notice("stopped", {**stopped, "run_id": "r1", "checkpoint_id": "c3"})
    session.timeline.flush()
    yield session
    session.close()
    session.deleteLater()


def plan_of(*calls: OutsideCall, words: str = "", of: str = "c2") -> RestorePlanBody:
    return RestorePlanBody(checkpoint_id=of, calls=calls, words=words)


def asked(link: RecordingLink) -> list[dict[str, Any]]:
    return [
        packet["arguments"]
        for packet in link.sent
        if packet["command"] == "restore_plan"
    ]


def view(session: DebugSession, link: RecordingLink, qtbot: QtBot, id: str) -> None:
    count = len(asked(link))
    session.view(id)
    qtbot.waitUntil(lambda: len(asked(link)) > count)


def test_an_executor_gets_its_recorded_result_unless_the_user_decides_otherwise(
    session: DebugSession,
) -> None:
    results = session.results
    assert results.mode_of("fetch") == "recorded"
    results.use_pins({"fetch": PIN})
    assert results.mode_of("fetch") == "pinned"
    results.choose("fetch", "live")
    assert results.settings.live == ("fetch",)
    assert results.settings.pinned == {}
    results.choose("fetch", "pinned")
    assert results.settings.live == ()
    assert results.settings.pinned == {"fetch": PIN}
    results.use_pins({})
    assert results.mode_of("fetch") == "recorded"


def test_choosing_pinned_without_a_result_asks_for_one(
    session: DebugSession, qtbot: QtBot
) -> None:
    with qtbot.waitSignal(session.results.edit_requested) as asked_for:
        session.results.choose("review/judge", "pinned")
    assert asked_for.args == ["review/judge"]
    assert session.results.mode_of("review/judge") == "recorded"


def test_a_run_goes_on_with_what_is_chosen_and_never_live_unasked(
    session: DebugSession, link: RecordingLink
) -> None:
    session.results.use_pins({"ask": PIN})
    session.results.choose("fetch", "live")
    session.restore("c2")
    link.reply("open", OpenBody(workflow="w"))
    replay = link.last("restore")["arguments"]["replay"]
    assert replay["live"] == ["fetch"]
    assert list(replay["pinned"]) == ["ask"]
    assert (replay["default"], replay["on_miss"]) == ("recorded", "stop")


def test_what_would_happen_is_asked_for_the_checkpoint_that_one_comes_to_rest_at(
    session: DebugSession, link: RecordingLink, qtbot: QtBot
) -> None:
    session.view("c1")
    view(session, link, qtbot, "c2")
    assert [each["checkpoint_id"] for each in asked(link)] == ["c2"]
    assert session.results.plan is None
    plan = plan_of(CALL, words="1 live: HTTP request")
    link.reply("restore_plan", plan)
    assert session.results.plan == plan
    session.view("c1")
    assert session.results.plan is None


def test_a_choice_is_asked_about_at_once_and_an_answer_that_is_too_late_is_not_shown(
    session: DebugSession, link: RecordingLink, qtbot: QtBot
) -> None:
    view(session, link, qtbot, "c2")
    session.results.choose("fetch", "live")
    link.reply("restore_plan", plan_of(words="the first"))
    assert session.results.plan is None
    assert asked(link)[-1]["replay"]["live"] == ["fetch"]
    link.reply("restore_plan", plan_of(words="the second"))
    assert session.results.plan is not None
    assert session.results.plan.words == "the second"


def test_only_live_calls_that_nobody_chose_are_unasked(session: DebugSession) -> None:
    recorded = OutsideCall(executor="ask", mode="recorded")
    plan = plan_of(recorded, CALL)
    assert session.results.unasked(plan) == (CALL,)
    session.results.choose("fetch", "live")
    assert session.results.unasked(plan) == ()


def test_who_waits_for_a_plan_hears_it_also_while_another_one_is_asked(
    session: DebugSession, link: RecordingLink, qtbot: QtBot
) -> None:
    view(session, link, qtbot, "c2")
    heard: list[RestorePlanBody | None] = []
    session.results.when_planned("c1", heard.append)
    link.reply("restore_plan", plan_of(words="of c2"))
    assert asked(link)[-1]["checkpoint_id"] == "c1"
    link.reply("restore_plan", error="The store is damaged.")
    assert heard == [None]


def test_more_checkpoints_let_the_plan_be_made_again(
    session: DebugSession, link: RecordingLink, qtbot: QtBot
) -> None:
    view(session, link, qtbot, "c2")
    link.reply("restore_plan", plan_of())
    link.notice("checkpoints", HeadersBody(headers=(header(4),)))
    qtbot.waitUntil(lambda: len(asked(link)) == 2)


def test_another_document_has_no_choices_and_no_pins(session: DebugSession) -> None:
    session.results.use_pins({"fetch": PIN})
    session.results.choose("ask", "live")
    session.results.use_in_new_runs(on=True)
    session.forget()
    results = session.results
    assert not results.choices
    assert not results.pins
    assert not results.in_new_runs


def test_the_name_of_a_call_is_the_way_to_its_executor_in_the_document() -> None:
    call = OutsideCall(executor="judge", path=("review#2", "jury#1"))
    assert name_of(call) == "review/jury/judge"


def test_looking_at_a_store_builds_no_document_to_say_what_would_happen(
    qtbot: QtBot, link: RecordingLink, tmp_path: Path
) -> None:
    store = tmp_path / "runs.db"
    store.touch()
    session = DebugSession(link)
    session.trust = lambda _folder: True
    session.source = lambda: Source({"workflow": {}}, "", f"sqlite:{store}")
    session.load_history(f"sqlite:{store}", "w")
    link.reply("open", OpenBody(workflow="w"))
    session.view("c1")
    session.results.choose("fetch", "live")
    assert link.last("open")["arguments"]["document"] is None
    session.results.when_planned("c1", lambda _plan: None)
    assert link.last("open")["arguments"]["document"] == {"workflow": {}}
    link.reply("open", OpenBody(workflow="w"))
    assert asked(link)[-1]["checkpoint_id"] == "c1"
    session.close()
    session.deleteLater()
