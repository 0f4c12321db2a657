"""The task Restore proof: nothing is checked before the user asks, and what was found is
listed, marked and led on from.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from designer.document.document import Document
from designer.look.theme import Look
from designer.panels.timeline.panel import TimelinePanel
from designer.panels.verify.panel import ProofPanel
from designer.session.session import DebugSession
from runtime.debug.protocol import (
    Notice,
    ProofCheck,
    ProofFinding,
    ProofItem,
    ProvedBody,
    Reply,
    VerifyArguments,
    VerifyBody,
)
from tests.designer.fake_session import FakeSession
from tests.designer.fakes import RecordingLink, header, straight
from tests.designer.panels.fakes import moment, value

Show = Callable[..., Any]
KEPT = "sqlite:kept.db"
LEFT = Qt.MouseButton.LeftButton


def proved(checkpoint_id: str) -> ProofItem:
    return ProofItem(
        checkpoint_id=checkpoint_id,
        outcome="proved",
        checks=(
            ProofCheck(name="complete", outcome="proved", text="8 parts."),
            ProofCheck(name="round_trip", outcome="proved", text="Equal."),
            ProofCheck(name="advance", outcome="none", text="Nothing after it."),
        ),
    )


FAILED = ProofItem(
    checkpoint_id="c3",
    outcome="failed",
    checks=(
        ProofCheck(name="complete", outcome="proved", text="8 parts."),
        ProofCheck(
            name="round_trip",
            outcome="unchecked",
            text="Not checked: scan reaches outside.",
            executors=("scan",),
        ),
        ProofCheck(
            name="advance",
            outcome="failed",
            text="It goes on otherwise:",
            recorded="c4",
            again="again",
            findings=(
                ProofFinding(
                    section="state",
                    path="['reach']['certifi']",
                    old=value(12),
                    new=value(13),
                    writer="rank",
                    executor="rank",
                ),
                ProofFinding(
                    section="sharing",
                    path="messages [0]",
                    text="A copy of this Basket is the same object.",
                ),
            ),
        ),
    ),
)


@pytest.fixture
def panel(show: Show, session: FakeSession) -> ProofPanel:
    session.timeline.append(straight(5))
    session.timeline.flush()
    session.timeline.run_id = "r"
    session.look_at(moment(3), "past")
    session.viewing = "c3"
    made: ProofPanel = show(ProofPanel)
    session.proof.begin()
    return made


def answer(session: FakeSession, *items: ProofItem, done: bool = True) -> None:
    """Send proofs as the host does."""
    id_ = [arguments.id for name, arguments in session.commands if name == "verify"][-1]
    begun = VerifyBody(id=id_, of=5, kept=KEPT)
    session.proof._on_reply(
        id_, Reply(request_seq=1, command="verify", success=True, body=begun)
    )
    body = ProvedBody(id=id_, proofs=items, read=len(items), of=5, done=done)
    session.proof.on_notice(Notice(event="proved", body=body))
    session.proof.changed.emit()


def asked(session: FakeSession) -> list[VerifyArguments]:
    return [arguments for name, arguments in session.commands if name == "verify"]


def press(widget: QWidget) -> None:
    QTest.mouseClick(widget, LEFT)


def texts(panel: ProofPanel) -> list[tuple[str, ...]]:
    return [
        tuple(row.words(column) for column in range(5)) for row in panel.table.rows.rows
    ]


def test_looking_starts_no_check_and_the_panel_says_so(
    panel: ProofPanel, session: FakeSession
) -> None:
    assert asked(session) == []
    assert panel.stack.notice.text().startswith("Not checked yet.")
    assert "runs the handlers again" in panel.stack.notice.text()
    press(panel.stack.notice._action)
    [arguments] = asked(session)
    assert (arguments.run_id, arguments.checkpoints) == ("r", ())


def test_what_failed_is_listed_and_what_is_proved_can_be(
    panel: ProofPanel, session: FakeSession
) -> None:
    press(panel.check_all_button)
    answer(session, proved("c1"), proved("c2"), FAILED)
    assert texts(panel) == [
        ("#3", "main, s2", "proved", "not checked", "failed"),
    ]
    assert panel.more_button.text() == "2 more, all proved"
    assert panel.summary["proved"].text() == "2 proved"
    assert panel.summary["failed"].text() == "1 failed"
    press(panel.more_button)
    assert [row[0] for row in texts(panel)] == ["#1", "#2", "#3"]
    press(panel.more_button)
    assert [row[0] for row in texts(panel)] == ["#3"]


def test_the_checks_of_the_shown_checkpoint_name_place_values_and_writer(
    panel: ProofPanel, session: FakeSession, document: Document
) -> None:
    session.proof.check(["c3"])
    answer(session, FAILED)
    complete, round_trip, advance = panel.checks_view.checks
    assert complete.title.text() == "Complete at save"
    assert round_trip.text.text() == (
        "Not checked: Installed packages reaches outside."
    )
    [state, sharing] = advance.findings
    assert state.place.text() == "State ['reach']['certifi']"
    assert state.values.text() == "12 › 13"
    assert state.writer.text() == "Rank by reach"
    assert sharing.place.text() == "Shared values messages [0]"
    press(state.writer)
    assert document.selection == {"rank"}


def test_a_check_is_stopped_and_what_was_found_stays(
    panel: ProofPanel, session: FakeSession
) -> None:
    press(panel.check_all_button)
    assert panel.check_all_button.text() == "Stop"
    answer(session, proved("c1"), done=False)
    assert panel.progress.text() == "Checked 1 of 5."
    press(panel.check_all_button)
    assert session.commands[-1][0] == "verify_stop"
    assert panel.check_all_button.text() == "Check all"
    assert panel.progress.isHidden()
    # What arrives afterwards is of a question that nobody waits for.
    answer(session, FAILED)
    assert session.proof.item("c3") is None
    assert session.proof.item("c1") is not None


def test_one_checkpoint_is_checked_again(
    panel: ProofPanel, session: FakeSession
) -> None:
    session.proof.check(["c3"])
    answer(session, FAILED)
    assert panel.check_button.text() == "Check again"
    press(panel.check_button)
    assert asked(session)[-1].checkpoints == ("c3",)


def test_a_row_leads_to_its_checkpoint(panel: ProofPanel, session: FakeSession) -> None:
    press(panel.check_all_button)
    answer(session, proved("c1"), FAILED)
    press(panel.more_button)
    place = panel.table.visualRect(panel.table.rows.index(0, 1)).center()
    QTest.mouseClick(panel.table.viewport(), LEFT, pos=place)
    assert session.commands[-1] == ("view", "c1")


def test_the_two_results_are_compared_and_the_task_makes_room(
    panel: ProofPanel, session: FakeSession
) -> None:
    session.proof.check(["c3"])
    answer(session, FAILED)
    press(panel.compare_button)
    assert ("view", "c4") in session.commands
    assert (session.base, session.base_store) == ("again", KEPT)
    assert session.base_name == "a step from #3, done again"


def test_the_proof_is_copied_as_text(panel: ProofPanel, session: FakeSession) -> None:
    session.proof.check(["c3"])
    answer(session, FAILED)
    press(panel.copy_button)
    text = QApplication.clipboard().text()
    assert text.startswith("Restore proof of #3: failed\n")
    assert "State ['reach']['certifi'] · 12 › 13 · by Rank by reach" in text


def test_a_refusal_says_why(panel: ProofPanel, session: FakeSession) -> None:
    press(panel.check_all_button)
    id_ = asked(session)[-1].id
    body = ProvedBody(id=id_, of=5, failed="The store is closed.")
    session.proof.on_notice(Notice(event="proved", body=body))
    assert panel.progress.text() == "The store is closed."
    assert not session.proof.is_checking


def test_the_cross_closes_the_task(panel: ProofPanel, session: FakeSession) -> None:
    press(panel.close_button)
    assert not session.proof.is_on


def test_a_checkpoint_from_which_the_run_went_on_counts_as_not_checked(
    panel: ProofPanel, session: FakeSession
) -> None:
    session.proof.check(["c4", "c5"])
    answer(session, proved("c4"), proved("c5"))
    session.timeline.append([header(6)])
    session.timeline.flush()
    assert session.proof.item("c5") is None
    assert session.proof.item("c4") is not None


# --- on the timeline ----------------------------------------------------------------------------------------------


def test_marks_are_shown_while_they_are_wanted_and_failures_always(
    qtbot: Any, session: FakeSession
) -> None:
    link = RecordingLink()
    real = DebugSession(link=link)
    real.timeline.append(straight(5))
    real.timeline.flush()
    timeline = TimelinePanel(Document(), real, Look())
    qtbot.addWidget(timeline)
    timeline.resize(900, 220)
    timeline.show()
    assert timeline.proof_box.isHidden()
    real.proof.begin()
    body = ProvedBody(id="", proofs=(proved("c1"), FAILED), read=2, of=5, done=True)
    real.proof.on_notice(Notice(event="proved", body=body))
    assert not timeline.proof_box.isHidden()
    state = timeline.strip.state()
    assert (state.proofs("c1"), state.proofs("c3")) == ("proved", "failed")
    assert state.failures == (2,)
    assert timeline.strip.grab().size().isValid()
    QTest.mouseClick(timeline.proof_box, LEFT, pos=QPoint(8, 8))
    state = timeline.strip.state()
    assert (state.proofs("c1"), state.proofs("c3")) == (None, "failed")
    timeline.details.show_checkpoint("c3")
    assert timeline.details.values["Restore proof"].text() == "1 of 3 checks failed"


def test_a_failed_advance_becomes_a_bug_bundle(
    panel: ProofPanel, session: FakeSession
) -> None:
    session.proof.check_all()
    answer(session, proved("c2"), FAILED)
    panel.refresh()
    asked: list[str] = []
    panel.bundle_requested.connect(asked.append)
    QTest.mouseClick(panel.bundle_button, LEFT)
    assert asked == ["c3"]
    session.viewing = "c2"
    panel.refresh()
    assert not panel.bundle_button.isEnabled()
