"""From a failure to its repair in two steps: to what failed, and on from the last
barrier.
"""

from __future__ import annotations

from typing import Any

from PySide6.QtWidgets import QApplication, QPlainTextEdit

from designer.model import edits
from designer.shell.banner import HEIGHT
from designer.shell.workspace import Workspace
from runtime.debug.protocol import HeaderBody, JoinMoment, JoinSource, Moment, OpenBody
from runtime.document.definition import SwitchEdge
from tests.designer.fakes import header
from tests.designer.shell.support import Hand, link_of, live, stand

MISSING = (
    "Condition 'message.licence == \"\"\n  || message.confidense < 0.6' failed: "
    "the message has no field confidense; did you mean 'confidence'?"
)


def failed(hand: Hand, text: str = "'licence'", **more: Any) -> Workspace:
    workspace = live(hand, moving=True)
    stand(
        workspace,
        "failed",
        executor="classify",
        error_type="KeyError",
        text=text,
        **more,
    )
    return workspace


def test_a_failure_leads_to_its_node_and_to_what_it_had(desk: Hand) -> None:
    workspace = failed(desk)
    assert workspace.document.selection == {"classify"}
    assert workspace.panels["Selected"].isVisible()
    item = workspace.canvas.scene().boxes["classify"].rect
    assert (
        workspace.canvas.mapToScene(workspace.canvas.viewport().rect())
        .boundingRect()
        .intersects(item)
    )


def test_the_words_of_the_error_come_before_its_type(desk: Hand) -> None:
    assert "classify: there is no 'licence' (KeyError)" in failed(desk).banner.text


def test_a_failure_that_came_after_another_is_told_with_that(desk: Hand) -> None:
    workspace = failed(desk, before="rank: ValueError: no")
    assert workspace.banner.text.endswith(
        "It came after a failure: rank: ValueError: no"
    )


def test_fix_goes_to_the_node_in_editing_and_then_on_from_the_last_barrier(
    desk: Hand,
) -> None:
    workspace = failed(desk)
    link = link_of(workspace)
    desk.press("Fix and continue", workspace.banner)
    assert workspace.session.mode == "edit"
    assert workspace.document.selection == {"classify"}
    focused = QApplication.focusWidget()
    assert focused is not None
    assert workspace.panels["Properties"].isAncestorOf(focused)
    desk.press("Continue from #3", workspace.banner)
    link.reply("open", OpenBody(workflow="w"))
    assert link.last("restore")["arguments"]["checkpoint_id"] == "c3"
    link.reply("restore", HeaderBody(header=header(4, parent="c3", branch="fork 2")))
    assert link.commands[-1] == "continue"


def test_a_drawing_with_an_error_does_not_go_on_and_the_error_is_shown(
    hand: Hand,
) -> None:
    workspace = failed(hand)
    hand.press("Fix and continue", workspace.banner)
    broken = edits.set_edge(
        workspace.document.design, "ask->report", condition="message.size >"
    )
    workspace.document.apply("Change condition", broken)
    hand.press("Continue from #3", workspace.banner)
    assert "restore" not in link_of(workspace).commands
    assert workspace.session.mode == "edit"
    assert workspace.panels["Problems"].isVisible()
    assert workspace.document.selection == {"ask->report"}
    assert "Not started" in hand.window.status.text


def test_a_restore_that_fails_leaves_the_repair_where_it_was_and_says_why(
    desk: Hand,
) -> None:
    workspace = failed(desk)
    desk.press("Fix and continue", workspace.banner)
    desk.press("Continue from #3", workspace.banner)
    link_of(workspace).reply("open", OpenBody(workflow="w"))
    link_of(workspace).reply("restore", error="the checkpoint is damaged")
    assert workspace.session.mode == "edit"
    assert workspace.panels["Properties"].isVisible()
    assert "the checkpoint is damaged" in workspace.banner.text
    desk.press("Dismiss", workspace.banner)
    assert desk.button("Continue from #3", workspace.banner)


def test_the_name_that_the_message_has_is_a_button_of_the_banner(desk: Hand) -> None:
    workspace = failed(desk, MISSING)
    assert workspace.document.selection == {"switch"}
    desk.press("Use 'confidence'", workspace.banner)
    edge = next(
        edge for edge in workspace.document.design.workflow.edges if edge.id == "switch"
    )
    assert isinstance(edge, SwitchEdge)
    assert edge.cases[1].when.endswith("message.confidence < 0.6")
    assert workspace.document.undo_stack.canUndo()
    field = QApplication.focusWidget()
    assert isinstance(field, QPlainTextEdit)
    assert field.toPlainText().endswith("message.confidence < 0.6")


def test_another_run_or_giving_up_ends_the_repair(desk: Hand) -> None:
    workspace = failed(desk)
    desk.press("Fix and continue", workspace.banner)
    desk.press("Give up", workspace.banner)
    assert workspace.banner.isHidden()


def test_the_banner_shows_a_long_reason_to_its_end(desk: Hand) -> None:
    workspace = failed(
        desk, "the service answered something else than what was asked for. " * 30
    )
    banner = workspace.banner
    before = banner.height()
    assert before > HEIGHT
    more = next(
        button
        for button in banner.findChildren(type(banner._more))
        if button.toolTip() == "Show the whole reason"
    )
    desk.click(more)
    assert banner.height() > before
    assert more.toolTip() == "Show less of the reason"
    stand(workspace, "failed", executor="classify", error_type="E", text="short")
    assert banner.height() == HEIGHT
    assert more.isHidden()


def test_a_starved_join_says_in_the_banner_for_whom_it_waits_and_why(
    desk: Hand,
) -> None:
    workspace = live(desk, moving=True)
    why = "branch not taken: Route took case 2 in superstep 4"
    sources = (
        JoinSource(id="classify", have=1, need=1),
        JoinSource(id="rank", have=0, need=1, reason=why),
    )
    join = JoinMoment(
        edge="join",
        target="route",
        policy="all",
        sources=sources,
        missing=("rank",),
        stalled=True,
    )
    link = link_of(workspace)
    link.notice(
        "stopped",
        {
            "reason": "stalled",
            "status": "IDLE",
            "superstep": 2,
            "run_id": "r1",
            "checkpoint_id": "c3",
        },
    )
    link.reply("inspect", Moment(header=header(3), superstep=2, joins=(join,)))
    assert "waits for rank" in workspace.banner.text
    assert why in workspace.banner.text
