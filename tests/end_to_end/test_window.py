"""The main job in the window, with a real host: run, see the half-full join in the
past, restore, answer, finish.
"""

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QPlainTextEdit

from designer.canvas.speech.describe import describe
from designer.demo import start_demo
from designer.model.files import load
from designer.shell.files.dialogs import Choice
from tests.designer.shell.support import Hand, opened

CTRL = Qt.KeyboardModifier.ControlModifier
JOIN = "findings"


@pytest.fixture
def hand(qtbot, tmp_path, monkeypatch):
    monkeypatch.setenv("STEPWELL_DATA_DIR", str(tmp_path / "data"))
    with opened(qtbot, tmp_path) as hand:
        yield hand
        assert hand.somebody.told == []


def run_to_the_question(hand: Hand) -> str:
    """The demo, then on to its question. Returns the id of the checkpoint with the
    half-full join.
    """
    workspace, driver = start_demo(hand.window)
    hand.wait(lambda: driver.reached and not workspace.session.running)
    half_full = workspace.session.head
    assert half_full.buffered == 2
    hand.key(Qt.Key.Key_F5)
    hand.wait_stopped("waiting")
    return half_full.id


def click_checkpoint(hand: Hand, checkpoint_id: str) -> None:
    strip = hand.workspace.panels["Timeline"].strip
    hand.workspace.session.timeline.flush()
    hand.click(strip.viewport(), strip.point_of(checkpoint_id))
    session = hand.workspace.session
    hand.wait(
        lambda: session.moment is not None and session.moment.header.id == checkpoint_id
    )


def answer(hand: Hand, verdict: str, reason: str) -> None:
    """Fill in the form with mouse and keys, and send it."""
    panel = hand.show("Requests")
    hand.wait(lambda: panel.question is not None)
    form = panel.question.form
    hand.press(verdict, form)
    editor = form.form.field("reason").editor()
    assert isinstance(editor, QPlainTextEdit)
    hand.click(editor.viewport())
    hand.type(reason)
    hand.press("Send answer", form)


def test_the_main_job_from_run_to_report(hand, tmp_path):
    half_full = run_to_the_question(hand)
    workspace = hand.workspace
    session = hand.workspace.session

    click_checkpoint(hand, half_full)
    assert (session.mode, session.running) == ("past", False)
    assert "Viewing the past" in hand.window.status.text
    check_join_bar(hand)
    check_joins_panel(hand)

    hand.press("Restore here")
    hand.wait_stopped("restored")
    assert (session.mode, session.head.parent, session.head.cause) == (
        "live",
        half_full,
        "fork",
    )
    hand.key(Qt.Key.Key_F5)
    hand.wait_stopped("waiting")
    answer(hand, "block", "We ship closed source.")
    hand.wait_stopped("finished")
    check_keys(hand)
    assert "block" in report(hand)
    session.timeline.flush()
    assert [lane.branch for lane in session.timeline.lanes] == ["main", "fork 1"]
    assert "Finished" in hand.window.status.text

    hand.key(Qt.Key.Key_E, CTRL)
    assert session.mode == "edit"
    design = edit_and_undo(hand)
    hand.key(Qt.Key.Key_S, CTRL)
    saved = tmp_path / "saved.stepwell.json"
    assert workspace.document.is_clean
    assert load(saved).workflow == design.workflow
    assert hand.close()
    assert hand.window.workspaces == []


def report(hand: Hand) -> str:
    """The whole output of the run, as it is read in the panel that came to the front by
    itself.
    """
    panel = hand.workspace.panels["Output"]
    hand.wait(panel.isVisible)
    hand.wait(lambda: "Licence audit" in panel.reader.page.toPlainText())
    assert panel.reader.page.isVisible()
    hand.press("Plain", panel)
    assert panel.reader.plain.isVisible()
    assert panel.reader.plain.toPlainText().startswith("# Licence audit\n")
    hand.click(panel.copy_button)
    assert QApplication.clipboard().text() == panel.reader.text
    return panel.reader.text


def check_keys(hand: Hand) -> None:
    """After an answer the keys are on the canvas, not on a button of another page."""
    assert hand.window.focusWidget() is hand.workspace.canvas


def check_join_bar(hand: Hand) -> None:
    """What the canvas says, where it draws it, and in which colour."""
    canvas = hand.workspace.canvas
    scene = canvas.scene()
    theme = canvas.look.theme
    assert scene.overlay.joins[JOIN].segments == ("filled", "missing", "filled")
    assert "2 of 3 — waiting for Rank by reach" in describe(scene, JOIN)
    places = [
        canvas.mapFromScene(segment.center())
        for segment in scene.edges.figures[JOIN].segments
    ]
    assert len(places) == 3
    assert all(canvas.viewport().rect().contains(place) for place in places)
    picture = canvas.viewport().grab().toImage()
    colours = [picture.pixelColor(place).name() for place in places]
    assert colours[0] == colours[2] == theme.warnFill.name() != colours[1]
    hand.hover(canvas.viewport(), places[1])
    assert "waiting for Rank by reach" in hand.window.status.text
    hand.hover(canvas.viewport(), QPoint(2, 2))


def check_joins_panel(hand: Hand) -> None:
    ledger = hand.show("Joins").ledgers[JOIN]
    hand.wait(ledger.isVisible)
    assert ledger.words.text() == "2 of 3 — waiting for Rank by reach"
    join = hand.workspace.session.moment.joins[0]
    assert [(source.id, source.have) for source in join.sources] == [
        ("classify_licences", 1),
        ("rank_by_reach", 0),
        ("age_check", 1),
    ]


def edit_and_undo(hand: Hand):
    """Drag a node twice, undo the second; the design with the first."""
    canvas = hand.workspace.canvas
    document = hand.workspace.document
    hand.key(Qt.Key.Key_0, CTRL)
    designs = [document.design]
    for _ in range(2):
        start = canvas.mapFromScene(canvas.scene().boxes["age_check"].rect.center())
        hand.drag(canvas.viewport(), start, start + QPoint(0, 64))
        designs.append(document.design)
    assert designs[0].positions != designs[1].positions != designs[2].positions
    hand.key(Qt.Key.Key_Z, CTRL)
    assert document.design == designs[1]
    return designs[1]


def test_what_was_saved_is_there_in_the_next_window(qtbot, tmp_path, monkeypatch):
    monkeypatch.setenv("STEPWELL_DATA_DIR", str(tmp_path / "data"))
    path = tmp_path / "saved.stepwell.json"
    with opened(qtbot, tmp_path) as hand:
        run_to_the_question(hand)
        answer(hand, "replace", "by something else")
        hand.wait_stopped("finished")
        hand.key(Qt.Key.Key_E, CTRL)
        design = edit_and_undo(hand)
        hand.somebody.changes = Choice.SAVE
        assert hand.close()
        assert hand.somebody.asked == [
            "save licence_audit",
            "save as licence_audit.stepwell.json",
        ]
    with opened(qtbot, tmp_path) as hand:
        hand.click_recent(0)
        assert hand.workspace.document.path == Path(path)
        assert hand.workspace.document.design == design
