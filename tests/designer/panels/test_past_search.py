"""The search of the past in the timeline, by mouse and keys."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication
from pytestqt.qtbot import QtBot

from designer.document.document import Document
from designer.look.theme import Look
from designer.panels.timeline.hit_marks import HitTag
from designer.panels.timeline.panel import TimelinePanel
from designer.session.opener import Source
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
    StoppedBody,
)
from tests.designer.fakes import RecordingLink, header, straight

LEFT = Qt.MouseButton.LeftButton


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
    yield session
    session.close()


@pytest.fixture
def panel(
    qtbot: QtBot, session: DebugSession, link: RecordingLink, document: Document
) -> TimelinePanel:
    panel = TimelinePanel(document, session, Look("light"))
    qtbot.addWidget(panel)
    panel.resize(1400, 240)
    panel.show()
    qtbot.waitExposed(panel)
    session._mirror.look_live()
    link.start()
    session._opener._store = session._opener.store
    fork = header(6, parent="c3", superstep=2, cause="fork", branch="other")
    headers = (*straight(5, queued=1), fork)
    link.notice("resumed", ResumedBody(run_id="r1"))
    link.notice("checkpoints", HeadersBody(headers=headers))
    link.notice(
        "stopped", StoppedBody(reason="step", status="IDLE", superstep=4, run_id="r1")
    )
    session.timeline.flush()
    return panel


def hit(checkpoint: int, **fields: Any) -> PastHit:
    given = {
        "checkpoint_id": f"c{checkpoint}",
        "run_id": "r1",
        "branch": "main",
        "superstep": checkpoint - 1,
        "sequence": checkpoint,
        "kind": "message",
        "text": f"hit of c{checkpoint}",
        **fields,
    }
    return PastHit.model_validate(given)


def click(button: QAbstractButton) -> None:
    QTest.mouseClick(button, LEFT)


def ask(panel: TimelinePanel, link: RecordingLink, text: str) -> None:
    if not panel.is_searching:
        click(panel.search_button)
    editor = panel.search.field.editor
    editor.setFocus()
    editor.selectAll()
    QTest.keyClicks(editor, text)
    panel.search.field.completer.close()
    QTest.keyClick(editor, Qt.Key.Key_Return)
    id_ = link.last("find")["arguments"]["id"]
    link.reply("find", FindBody(id=id_, kind="message", text=text))


def found(panel: TimelinePanel, link: RecordingLink, *hits: PastHit) -> None:
    question = panel.session.past.active
    assert question is not None
    body = FoundBody(
        id=question.id, hits=hits, read=6, of=6, count=len(hits), done=True
    )
    link.notice("found", body)
    panel.refresh()


def test_the_search_opens_asks_lists_its_hits_and_closes(
    panel: TimelinePanel, link: RecordingLink, session: DebugSession
) -> None:
    assert not panel.search.isVisible()
    ask(panel, link, "message > 1")
    assert link.last("find")["arguments"]["question"] == "message > 1"
    assert panel.hits.isVisible()
    assert not panel.details.isVisible()
    found(panel, link, hit(2), hit(6, branch="other"))
    assert panel.hits.rows.rowCount() == 2
    cells = [panel.hits.rows.index(1, place).data() for place in range(3)]
    assert cells == ["#6", "other", "hit of c6"]
    assert panel.search.progress.text() == "6 read"
    click(panel.search.close_button)
    assert not panel.search.isVisible()
    assert session.past.questions == ()
    assert panel.details.isVisible()


@pytest.mark.parametrize("question", ["failure", "first failure", "message > 1"])
def test_a_search_for_failures_without_a_hit_says_what_is_not_recorded(
    panel: TimelinePanel, link: RecordingLink, question: str
) -> None:
    ask(panel, link, question)
    found(panel, link)
    said = panel.hits.stack.notice.text()
    assert "No hit in 6 checkpoints" in said
    assert ("failed as a whole" in said) == ("failure" in question)


def test_next_and_a_click_on_a_row_look_at_hits(
    panel: TimelinePanel, link: RecordingLink, session: DebugSession
) -> None:
    ask(panel, link, "message > 1")
    found(panel, link, hit(2), hit(4, executor="rank"))
    click(panel.search.next)
    assert session.viewing == "c2"
    panel.refresh()
    assert panel.search.place.text() == "1 of 2"
    table = panel.hits.table
    assert table.currentIndex().row() == 0
    where = table.visualRect(panel.hits.rows.index(1, 1)).center()
    QTest.mouseClick(table.viewport(), LEFT, pos=where)
    assert session.viewing == "c4"
    assert panel.document.selection == {"rank"}


def test_hits_are_tags_on_every_lane_with_the_active_one_told_apart(
    panel: TimelinePanel, link: RecordingLink
) -> None:
    ask(panel, link, "message > 1")
    found(panel, link, hit(2), hit(6))
    ask(panel, link, "failure")
    found(panel, link, hit(2), hit(2))
    marks = panel.strip.hits
    assert marks.at_rows(0, 1, 1) == [HitTag(1, False), HitTag(2, True)]
    assert marks.at_rows(1, 5, 5) == [HitTag(1, False)]
    assert marks.at_rows(0, 2, 4) == []
    assert marks.at_columns(0, 0, 4) == [HitTag(1, False), HitTag(2, True)]
    tip = panel.strip.tip_at(panel.strip.point_of("c2"))
    assert "Hit of 1: message > 1" in tip
    panel.strip.viewport().grab()
    panel.strip.set_zoom(1.0)
    panel.strip.viewport().grab()


def test_questions_have_chips_to_choose_and_to_remove_them(
    panel: TimelinePanel, link: RecordingLink, session: DebugSession
) -> None:
    ask(panel, link, "message > 1")
    found(panel, link, hit(2))
    ask(panel, link, "failure")
    panel.refresh()
    chips = panel.search.chips
    assert [chip.text() for chip in chips] == ["1  message > 1  1", "2  failure  …"]
    click(chips[0])
    assert session.past.active is session.past.questions[0]
    click(panel.search.crosses[0])
    assert [question.text for question in session.past.questions] == ["failure"]


def test_a_narrow_bar_has_a_menu_in_place_of_the_chips(
    panel: TimelinePanel, link: RecordingLink, session: DebugSession
) -> None:
    ask(panel, link, "message > 1")
    ask(panel, link, "failure")
    panel.resize(700, 240)
    QApplication.processEvents()
    assert panel.search.questions.isVisible()
    assert not any(chip.isVisible() for chip in panel.search.chips)
    menu = panel.search.questions.menu()
    menu.aboutToShow.emit()
    menu.actions()[0].trigger()
    assert session.past.active is session.past.questions[0]
    menu.aboutToShow.emit()
    menu.actions()[-1].trigger()
    assert session.past.questions == ()


def entries(panel: TimelinePanel) -> dict[str, Any]:
    menu = panel.search.menu_button.menu()
    menu.aboutToShow.emit()
    return {action.text(): action for action in menu.actions() if action.text()}


def test_the_menu_asks_about_what_is_selected_and_about_breakpoints(
    panel: TimelinePanel,
    link: RecordingLink,
    document: Document,
) -> None:
    click(panel.search_button)
    document.select({"rank"})
    entries(panel)["Runs of Rank by reach"].trigger()
    assert link.last("find")["arguments"]["question"] == "before rank"
    document.breakpoints.put(Breakpoint(id="b", where="rank", condition="message > 1"))
    entries(panel)["Rank by reach before it runs: message > 1"].trigger()
    assert link.last("find")["arguments"]["breakpoint"]["id"] == "b"
    entries(panel)["A state is true…"].trigger()
    assert panel.search.field.text() == "state."
    entries(panel)["Failures"].trigger()
    assert link.last("find")["arguments"]["question"] == "failure"


def test_a_question_that_cannot_be_read_is_marked_in_the_field(
    panel: TimelinePanel, link: RecordingLink
) -> None:
    click(panel.search_button)
    panel.search.write("score >")
    QTest.keyClick(panel.search.field.editor, Qt.Key.Key_Return)
    link.reply("find", error="Line 1, column 8: it ends too early.")
    panel.refresh()
    assert panel.search.field.editor.property("invalid")
    assert "column 8" in panel.search.field.error.text()
    assert "column 8" in panel.hits.stack.notice.text()


def test_a_long_question_shows_how_far_it_is_and_can_be_stopped(
    panel: TimelinePanel, link: RecordingLink, session: DebugSession
) -> None:
    ask(panel, link, "message > 1")
    question = session.past.active
    assert question is not None
    link.notice("found", FoundBody(id=question.id, read=2000, of=100_000))
    panel.refresh()
    assert panel.search.progress.text() == "2,000 of 100,000"
    assert panel.search.halt.isVisible()
    click(panel.search.halt)
    assert link.last("find_stop")["arguments"]["id"] == question.id
    panel.refresh()
    assert panel.search.progress.text() == "2,000 read, stopped"
    assert not panel.search.halt.isVisible()


def test_all_runs_can_be_asked(panel: TimelinePanel, link: RecordingLink) -> None:
    click(panel.search_button)
    panel.search.write("failure")
    actions = panel.search.where.menu().actions()
    actions[1].trigger()
    assert link.last("find")["arguments"]["run_id"] is None


def test_what_went_wrong_stands_on_the_lane(
    panel: TimelinePanel, link: RecordingLink, qtbot: QtBot
) -> None:
    qtbot.waitUntil(lambda: "counts" in link.commands)
    counts = CheckpointCounts(checkpoint_id="c3", dropped=3, lost=1)
    link.reply("counts", CountsBody(counts=(counts,)))
    tip = panel.strip.tip_at(panel.strip.point_of("c3"))
    assert "3 messages dropped, 1 of them taken by nobody" in tip
    panel.strip.viewport().grab()


def test_escape_closes_the_search(panel: TimelinePanel, link: RecordingLink) -> None:
    ask(panel, link, "message > 1")
    QTest.keyClick(panel.search.field.editor, Qt.Key.Key_Escape)
    assert not panel.is_searching


def test_run_back_is_requested_by_its_button(
    panel: TimelinePanel, qtbot: QtBot
) -> None:
    click(panel.search_button)
    with qtbot.waitSignal(panel.run_back_requested):
        click(panel.search.back)
