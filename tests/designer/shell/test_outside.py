"""Going on from the past says beforehand what happens outside, and asks only where
something would happen that nobody asked for.
"""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt

from designer.shell.runs.outside_dialog import OutsideDialog
from designer.shell.workspace import Workspace
from runtime.debug.protocol import (
    DeliveryPlace,
    HeaderBody,
    HeadersBody,
    Moment,
    OpenBody,
    OutsideCall,
    PinnedResult,
    RecordedResultBody,
    StoppedBody,
)
from tests.designer.fakes import header
from tests.designer.shell.support import Hand, foresee, link_of, live

RECORDED = OutsideCall(
    executor="ask",
    calls=2,
    mode="recorded",
    what="HTTP request to example.org",
    superstep=2,
)
LIVE = OutsideCall(
    executor="rank",
    mode="live",
    what="shell command",
    reason="its message is another one",
    superstep=3,
    is_unasked=True,
)
WORDS = "2 recorded, 1 live: shell command"


def viewed(desk: Hand, *calls: OutsideCall, words: str = WORDS) -> Workspace:
    workspace = live(desk)
    workspace.session.view("c2")
    desk.wait(lambda: "restore_plan" in link_of(workspace).commands)
    foresee(workspace, *calls, words=words)
    return workspace


def dialog_of(workspace: Workspace) -> OutsideDialog:
    dialog = workspace.outside.dialog
    assert dialog is not None
    return dialog


def test_the_banner_of_the_past_says_it_in_one_line(desk: Hand) -> None:
    workspace = viewed(desk, RECORDED, LIVE)
    assert f"outside: {WORDS}" in workspace.banner.text
    assert "looking changes nothing" not in workspace.banner.text
    desk.press("Details…", workspace.banner)
    dialog = dialog_of(workspace)
    assert dialog.isVisible()
    assert dialog._head.text() == f"Outside: {WORDS}"
    assert list(dialog.choices) == ["rank", "ask"]


def test_where_nothing_reaches_outside_the_banner_says_nothing_of_it(
    desk: Hand,
) -> None:
    workspace = viewed(desk, words="Nothing that follows reaches outside.")
    assert "looking changes nothing" in workspace.banner.text
    texts = [button.text() for button in workspace.banner.buttons]
    assert "Details…" not in texts


def test_what_is_recorded_needs_no_further_action(desk: Hand) -> None:
    workspace = viewed(desk, RECORDED)
    desk.press("Restore here", workspace.banner)
    assert workspace.outside.dialog is None
    link_of(workspace).reply("open", OpenBody(workflow="w"))
    assert link_of(workspace).last("restore")["arguments"]["checkpoint_id"] == "c2"


def test_what_would_run_live_unasked_is_asked_about_and_cancel_moves_nothing(
    desk: Hand,
) -> None:
    workspace = viewed(desk, RECORDED, LIVE)
    desk.press("Restore here", workspace.banner)
    dialog = dialog_of(workspace)
    texts = [label.text() for label in dialog.findChildren(type(dialog.says))]
    assert "Its message is another one" in texts
    assert "live · shell command · 1 call · superstep 3" in texts
    assert "recorded · HTTP request to example.org · 2 calls · superstep 2" in texts
    assert not any("replay" in text.lower() for text in texts)
    desk.press("Cancel", dialog)
    assert "restore" not in link_of(workspace).commands
    assert workspace.session.viewing == "c2"


def test_the_choice_is_taken_at_once_and_kept_for_the_next_time(desk: Hand) -> None:
    workspace = viewed(desk, RECORDED, LIVE)
    desk.press("Restore here", workspace.banner)
    dialog = dialog_of(workspace)
    desk.click(dialog.choices["rank"].buttons["live"])
    link = link_of(workspace)
    assert link.last("restore_plan")["arguments"]["replay"]["live"] == ["rank"]
    foresee(workspace, RECORDED, LIVE.model_copy(update={"reason": ""}))
    assert dialog.choices["rank"].buttons["live"].isChecked()
    desk.press("Restore here", dialog)
    link.reply("open", OpenBody(workflow="w"))
    assert link.last("restore")["arguments"]["replay"]["live"] == ["rank"]


def test_run_from_the_past_asks_too_and_goes_on_after_the_dialog(hand: Hand) -> None:
    workspace = viewed(hand, LIVE, words="1 live: shell command")
    action = hand.window.actions_by_id["run"]
    assert action.text() == "Run from #2 (fork) · outside: 1 live: shell command"
    hand.key(Qt.Key.Key_F5)
    dialog = dialog_of(workspace)
    hand.press("Run from #2", dialog)
    link_of(workspace).reply("open", OpenBody(workflow="w"))
    assert "restore" in link_of(workspace).commands


def test_pinned_without_a_result_is_no_choice_yet(desk: Hand) -> None:
    workspace = viewed(desk, RECORDED, LIVE)
    desk.press("Details…", workspace.banner)
    choice = dialog_of(workspace).choices["rank"]
    desk.click(choice.buttons["pinned"])
    assert choice.buttons["recorded"].isChecked()


def test_a_pin_is_made_in_its_dialog_and_counts_at_once(desk: Hand) -> None:
    workspace = viewed(desk, RECORDED, LIVE)
    workspace.session.results.choose("rank", "pinned")
    recorded = RecordedResultBody(result=PinnedResult(outputs=(1,)), note="A note.")
    link_of(workspace).reply("recorded_result", recorded)
    dialog = workspace.pinning.dialog
    assert dialog is not None
    assert dialog.windowTitle() == "Pinned result of Rank by reach"
    assert dialog.note.text() == "A note."
    desk.click(dialog.form.editors["outputs"][0].remove)
    desk.click(dialog.form.add_buttons["sent"])
    assert not dialog.keep.isEnabled()
    [editor] = dialog.form.editors["sent"]
    desk.qtbot.keyClicks(editor.json.editor(), "[3, 4]")
    desk.click(dialog.keep)
    assert workspace.pinning.dialog is None
    pin = PinnedResult(sent=([3, 4],))
    assert workspace.document.breakpoints.notes.pins.results == {"rank": pin}
    assert workspace.session.results.mode_of("rank") == "pinned"
    assert workspace.canvas.scene().results == {"rank": "pinned"}
    assert not workspace.session.results.in_new_runs


def test_a_pin_is_edited_taken_into_new_runs_and_removed(desk: Hand) -> None:
    workspace = live(desk)
    workspace.document.breakpoints.pin("rank", PinnedResult(sent=(3,)))
    workspace.session.results.edit("rank")
    dialog = workspace.pinning.dialog
    assert dialog is not None
    desk.click(dialog.in_new_runs, QPoint(8, dialog.in_new_runs.height() // 2))
    desk.click(dialog.keep)
    assert workspace.session.results.in_new_runs
    workspace.session.leave()
    assert workspace.going.run.text == "Start a new run, with 1 pinned result"
    workspace.session.results.edit("rank")
    dialog = workspace.pinning.dialog
    assert dialog is not None
    desk.click(dialog.unpin)
    assert not workspace.document.breakpoints.notes.pins
    assert workspace.session.results.mode_of("rank") == "recorded"
    assert workspace.going.run.text == "Start a new run"


def test_the_pin_of_a_deleted_node_is_kept_and_not_sent(desk: Hand) -> None:
    workspace = live(desk)
    workspace.document.breakpoints.pin("gone", PinnedResult(sent=(3,)))
    workspace.document.breakpoints.pin("rank", PinnedResult(sent=(3,)))
    assert list(workspace.session.results.settings.pinned) == ["rank"]
    assert "gone" in workspace.document.breakpoints.notes.pins.results


def before_call(desk: Hand) -> Workspace:
    """A run that went on from the past stands before a call that does not fit."""
    workspace = live(desk)
    session = workspace.session
    session.restore("c2")
    link = link_of(workspace)
    link.reply("open", OpenBody(workflow="w"))
    fork = header(4, parent="c2", superstep=1, cause="fork", branch="fork 1")
    link.notice("checkpoints", HeadersBody(headers=(fork,)))
    link.reply("restore", HeaderBody(header=fork))
    session.continue_()
    link.reply("continue")
    stopped = StoppedBody(
        reason="outside",
        status="IN_PROGRESS",
        superstep=1,
        run_id="r1",
        branch="fork 1",
        checkpoint_id="c4",
        text="HTTP request to example.org: its message is another one.",
        delivery=DeliveryPlace(executor="rank", place=1, of=1),
    )
    link.notice("stopped", stopped)
    definition = workspace.document.root.workflow.model_dump(mode="json")
    link.reply("inspect", Moment(header=fork, superstep=1, definition=definition))
    return workspace


def test_before_a_call_that_does_not_fit_the_banner_says_what_it_would_do(
    desk: Hand,
) -> None:
    workspace = before_call(desk)
    text = workspace.banner.text
    assert text.startswith("Rank by reach would reach outside again")
    assert "HTTP request to example.org: its message is another one." in text
    assert workspace.document.selection == {"rank"}
    assert workspace.primary == "", "the banner has the main button"
    desk.press("Run it live", workspace.banner)
    assert link_of(workspace).last("continue")["arguments"] == {"live": True}


def test_a_step_makes_the_call_too_and_stop_makes_none(desk: Hand) -> None:
    workspace = before_call(desk)
    workspace.superstep()
    assert link_of(workspace).last("step")["arguments"]["live"]
    workspace = before_call(desk)
    desk.press("Stop", workspace.banner)
    assert link_of(workspace).commands[-1] == "stop"


def test_a_pin_before_the_call_is_told_to_the_host_before_the_run_goes_on(
    desk: Hand,
) -> None:
    workspace = before_call(desk)
    link = link_of(workspace)
    desk.press("Pin a result…", workspace.banner)
    link.reply("recorded_result", RecordedResultBody())
    dialog = workspace.pinning.dialog
    assert dialog is not None
    desk.click(dialog.keep)
    assert "Your pinned result is used when you go on." in workspace.banner.text
    desk.press("Continue", workspace.banner)
    arguments = link.last("restore")["arguments"]
    assert (arguments["checkpoint_id"], arguments["fork"]) == ("c4", False)
    assert list(arguments["replay"]["pinned"]) == ["rank"]
    link.reply("restore", HeaderBody(header=header(4)))
    assert link.last("continue")["arguments"] == {"live": False}


def test_a_run_that_began_anew_is_told_of_no_pin(desk: Hand) -> None:
    workspace = live(desk)
    workspace.document.breakpoints.pin("rank", PinnedResult(sent=(3,)))
    workspace.session.continue_()
    link = link_of(workspace)
    assert link.commands[-1] == "continue"
    assert "restore" not in link.commands
