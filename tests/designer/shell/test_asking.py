"""The keys of the search of the past, and what banner and status bar say of it."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from designer.panels.timeline.panel import TimelinePanel
from designer.shell.workspace import Workspace
from runtime.debug.protocol import (
    Breakpoint,
    FindBody,
    FoundBody,
    PastHit,
    ReverseBody,
)
from tests.designer.shell.support import Hand, link_of, live

K = Qt.Key
CTRL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier
ALT = Qt.KeyboardModifier.AltModifier


def timeline(workspace: Workspace) -> TimelinePanel:
    panel = workspace.panels["Timeline"]
    assert isinstance(panel, TimelinePanel)
    return panel


def hit(checkpoint: int) -> PastHit:
    return PastHit(
        checkpoint_id=f"c{checkpoint}",
        run_id="r1",
        branch="main",
        superstep=checkpoint - 1,
        sequence=checkpoint,
        kind="failure",
        text="rank failed",
    )


def ask(hand: Hand, workspace: Workspace, *hits: PastHit) -> None:
    """Ask for failures by the keyboard, and let the host answer."""
    hand.key(K.Key_F, CTRL | SHIFT)
    hand.type("failure")
    timeline(workspace).search.field.completer.close()
    hand.key(K.Key_Return)
    link = link_of(workspace)
    id_ = link.last("find")["arguments"]["id"]
    link.reply("find", FindBody(id=id_, kind="failure", text="failure"))
    body = FoundBody(id=id_, hits=hits, read=3, of=3, count=len(hits), done=True)
    link.notice("found", body)
    hand.wait(lambda: timeline(workspace).hits.rows.rowCount() == len(hits))
    QApplication.processEvents()


def test_the_keys_ask_and_go_from_hit_to_hit(hand: Hand) -> None:
    workspace = live(hand)
    hand.show("Console")
    ask(hand, workspace, hit(1), hit(2))
    assert timeline(workspace).isVisible()
    session = workspace.session
    hand.key(K.Key_F3)
    assert session.viewing == "c1"
    hand.key(K.Key_F3)
    assert session.viewing == "c2"
    hand.key(K.Key_F3, SHIFT)
    assert session.viewing == "c1"


def test_the_banner_says_which_hit_is_viewed(hand: Hand, qtbot: Any) -> None:
    workspace = live(hand)
    ask(hand, workspace, hit(1), hit(2))
    hand.key(K.Key_F3)
    qtbot.waitUntil(lambda: "hit 1 of 2" in workspace.banner.text)
    assert "failure" in workspace.banner.text


def test_run_back_takes_the_breakpoints_that_are_on(hand: Hand) -> None:
    workspace = live(hand)
    told: list[str] = []
    workspace.message.connect(told.append)
    points = workspace.document.breakpoints
    points.put(Breakpoint(id="on", where="rank"))
    points.put(Breakpoint(id="off", where="rank", enabled=False))
    hand.key(K.Key_F5, SHIFT | ALT)
    link = link_of(workspace)
    sent = link.last("reverse")["arguments"]
    assert [point["id"] for point in sent["breakpoints"]] == ["on"]
    link.reply("reverse", ReverseBody(hit=hit(1), breakpoint="on"))
    assert workspace.session.viewing == "c1"
    assert told[-1] == "Ran back to: rank failed"


def test_without_a_question_or_a_breakpoint_running_back_says_what_to_do(
    hand: Hand,
) -> None:
    workspace = live(hand)
    told: list[str] = []
    workspace.message.connect(told.append)
    hand.key(K.Key_F5, ALT)
    assert told == ["Set a breakpoint (F9) or ask the past (Ctrl+Shift+F) first."]


def test_a_question_from_elsewhere_shows_the_search(hand: Hand) -> None:
    workspace = live(hand)
    hand.show("Console")
    workspace.session.search_past("state.risk == 3")
    QApplication.processEvents()
    panel = timeline(workspace)
    assert panel.isVisible()
    assert panel.search.isVisible()
    assert panel.search.field.text() == "state.risk == 3"
