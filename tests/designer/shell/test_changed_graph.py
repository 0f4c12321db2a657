"""The banner and the dialog of a changed graph, and the ways to go on with it."""

from __future__ import annotations

import json
from typing import Any

from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QApplication, QComboBox, QLabel, QMenu

from designer.model import edits
from designer.shell.runs.change_dialog import ChangeDialog
from designer.shell.runs.change_words import next_superstep
from designer.shell.runs.mapping_form import SPLIT, Entry
from designer.shell.workspace import Workspace
from runtime.debug.protocol import (
    ChangePlanBody,
    GraphChange,
    GraphChangesBody,
    HeaderBody,
    HeldThing,
    MappingLevel,
    OpenBody,
    UpcomingCall,
)
from tests.designer.fakes import header
from tests.designer.shell.support import Hand, foresee, link_of, live, stand

CHANGE = GraphChange(
    kind="changed", element="edge", id="fan", text="Edge 'fan' leads elsewhere"
)
PLAN = ChangePlanBody(
    checkpoint_id="c2",
    changes=(CHANGE,),
    mapping={"format": 1, "executors": {}, "joins": {}},
    levels=(MappingLevel(executors=("scan", "order"), joins=(("join", "a → b"),)),),
    kept=("1 queued message",),
    upcoming=(UpcomingCall(executor="rank", sources=("scan",)),),
)
UNDECIDED = PLAN.model_copy(
    update={
        "mapping": {"format": 1, "executors": {"rank": "?"}, "joins": {"join": "?"}},
        "problems": (HeldThing(text="'rank' is gone", executor="rank"),),
        "upcoming": (),
    }
)


def answer_difference(workspace: Workspace, before: int = 2) -> None:
    link = link_of(workspace)
    checkpoint_id = link.last("graph_changes")["arguments"]["checkpoint_id"]
    body = GraphChangesBody(
        checkpoint_id=checkpoint_id, changes=(CHANGE,), before=header(before)
    )
    link.reply("graph_changes", body)


def ask_difference(workspace: Workspace) -> None:
    """Do not wait for the moment after the last change."""
    workspace.session.difference.when_known(lambda: None)


def edited(hand: Hand, before: int = 2) -> Workspace:
    """A run stands, and the document was changed since."""
    workspace = live(hand)
    workspace.session.leave()
    design = workspace.document.design
    changed = edits.set_edge(design, "ask->report", condition="message.size > 7")
    workspace.document.apply("Change condition", changed)
    ask_difference(workspace)
    answer_difference(workspace, before)
    return workspace


def answer_restore(workspace: Workspace, error: str = "") -> None:
    link = link_of(workspace)
    if not error:
        fork = header(4, parent="c2", branch="fork 1", cause="edit")
        link.reply("restore", HeaderBody(header=fork))
        return
    link.packet.emit(
        {
            "type": "response",
            "request_seq": link.last("restore")["seq"],
            "command": "restore",
            "success": False,
            "message": error,
            "error_type": "MigrationRefusedError",
            "body": None,
        }
    )


def dialog_of(workspace: Workspace) -> ChangeDialog:
    (dialog,) = [
        each for each in workspace.findChildren(ChangeDialog) if each.isVisible()
    ]
    return dialog


def choose(box: QComboBox, data: Any) -> None:
    places = [box.itemData(place) for place in range(box.count())]
    box.setCurrentIndex(places.index(data))


def shown_dialog(hand: Hand, plan: ChangePlanBody) -> tuple[Workspace, ChangeDialog]:
    workspace = edited(hand)
    hand.press("Details…", workspace.banner)
    link_of(workspace).reply("open", OpenBody(workflow="w"))
    link_of(workspace).reply("change_plan", plan)
    return workspace, dialog_of(workspace)


# --- the banner ---


def test_the_banner_says_what_changed_and_until_where_it_makes_no_difference(
    desk: Hand,
) -> None:
    workspace = edited(desk)
    text = workspace.banner.text
    assert text.startswith("1 change since #3 Edge 'fan' leads elsewhere")
    assert text.endswith("it makes no difference until #2")


def test_one_button_goes_on_from_before_the_change(desk: Hand) -> None:
    workspace = edited(desk)
    link = link_of(workspace)
    desk.press("Go on from #2", workspace.banner)
    link.reply("open", OpenBody(workflow="w"))
    arguments = link.last("restore")["arguments"]
    assert (arguments["checkpoint_id"], arguments["on_change"]) == ("c2", "migrate")
    answer_restore(workspace)
    assert link.commands[-1] == "continue"


def test_the_banner_offers_a_new_run_too(desk: Hand) -> None:
    workspace = edited(desk)
    desk.press("New run", workspace.banner)
    link_of(workspace).reply("open", OpenBody(workflow="w"))
    assert link_of(workspace).commands[-1] == "start"


def test_back_at_the_live_run_the_banner_says_it_too(desk: Hand) -> None:
    workspace = edited(desk)
    workspace.session.back_to_live()
    ask_difference(workspace)
    assert workspace.banner.text.startswith("1 change since #3")


def test_what_is_only_moved_is_not_compared(desk: Hand) -> None:
    workspace = live(desk)
    workspace.session.leave()
    design = edits.move(workspace.document.design, {"rank": (400.0, 300.0)})
    workspace.document.apply("Move", design)
    ask_difference(workspace)
    assert "graph_changes" not in link_of(workspace).commands


def test_undoing_the_change_takes_the_banner_away(desk: Hand) -> None:
    workspace = edited(desk)
    workspace.document.undo_stack.undo()
    ask_difference(workspace)
    body = GraphChangesBody(checkpoint_id="c3", before=header(3))
    link_of(workspace).reply("graph_changes", body)
    assert workspace.banner.isHidden()


def test_what_is_refused_opens_the_dialog_at_that_checkpoint(desk: Hand) -> None:
    workspace = edited(desk)
    link = link_of(workspace)
    desk.press("Go on from #2", workspace.banner)
    link.reply("open", OpenBody(workflow="w"))
    answer_restore(workspace, error="'rank' is gone")
    assert dialog_of(workspace).place.currentData() == "c2"
    assert workspace.session.mode == "edit"


def test_coming_back_to_the_window_looks_at_the_files_again(desk: Hand) -> None:
    workspace = edited(desk)
    count = link_of(workspace).commands.count("graph_changes")
    QApplication.sendEvent(workspace, QEvent(QEvent.Type.ActivationChange))
    ask_difference(workspace)
    assert link_of(workspace).commands.count("graph_changes") == count + 1


# --- the run's commands ---


def test_the_run_button_has_the_way_from_before_the_change(hand: Hand) -> None:
    workspace = edited(hand)
    action = hand.window.actions_by_id["go-on"]
    assert action.isEnabled()
    menus = hand.window.toolbar.findChildren(QMenu)
    assert any(action in menu.actions() for menu in menus)
    action.trigger()
    link_of(workspace).reply("open", OpenBody(workflow="w"))
    assert link_of(workspace).last("restore")["arguments"]["checkpoint_id"] == "c2"


def test_without_a_change_there_is_nothing_to_go_on_with(hand: Hand) -> None:
    live(hand)
    assert not hand.window.actions_by_id["go-on"].isEnabled()


def test_in_the_past_run_takes_the_changed_graph_and_says_so(hand: Hand) -> None:
    workspace = edited(hand)
    workspace.session.view("c1")
    ask_difference(workspace)
    answer_difference(workspace, before=1)
    assert "the graph has 1 change since" in workspace.banner.text
    action = hand.window.actions_by_id["run"]
    assert action.text() == "Run from #1 (fork, with the changed graph)"
    hand.key(Qt.Key.Key_F5)
    # The host has the document of before, so it says nothing of this one.
    link_of(workspace).reply("open", OpenBody(workflow="w"))
    foresee(workspace)
    link_of(workspace).reply("open", OpenBody(workflow="w"))
    arguments = link_of(workspace).last("restore")["arguments"]
    assert (arguments["checkpoint_id"], arguments["on_change"]) == ("c1", "migrate")


def test_a_live_run_continues_with_the_changed_graph_and_not_with_the_old_one(
    hand: Hand,
) -> None:
    workspace = edited(hand)
    workspace.session.back_to_live()
    hand.key(Qt.Key.Key_F5)
    link = link_of(workspace)
    # What the document is now has to be known first.
    ask_difference(workspace)
    link.reply("open", OpenBody(workflow="w"))
    assert link.last("restore")["arguments"]["checkpoint_id"] == "c3"
    answer_restore(workspace)
    assert link.commands[-1] == "continue"


def test_after_a_failure_both_ways_are_offered(desk: Hand) -> None:
    workspace = live(desk, moving=True)
    stand(workspace, "failed", executor="classify", error_type="E", text="no")
    desk.press("Fix and continue", workspace.banner)
    design = workspace.document.design
    changed = edits.set_edge(design, "ask->report", condition="message.size > 7")
    workspace.document.apply("Change condition", changed)
    ask_difference(workspace)
    answer_difference(workspace)
    assert desk.button("Continue from #3", workspace.banner)
    desk.press("Go on from #2", workspace.banner)
    link_of(workspace).reply("open", OpenBody(workflow="w"))
    assert link_of(workspace).last("restore")["arguments"]["checkpoint_id"] == "c2"


# --- the dialog ---


def test_who_runs_next_is_told_by_titles_and_inside_a_sub_workflow_by_ids() -> None:
    inside = UpcomingCall(path=("sub#1",), executor="rank", sources=("scan",))
    plan = PLAN.model_copy(update={"upcoming": (*PLAN.upcoming, inside)})
    titles = {"rank": "Rank by reach", "scan": "Installed packages"}
    assert next_superstep(plan, titles.__getitem__) == (
        "Rank by reach runs, with messages of Installed packages",
        "sub#1/rank runs, with messages of scan",
    )


def test_the_dialog_says_what_is_kept_and_who_runs_next(desk: Hand) -> None:
    workspace, dialog = shown_dialog(desk, PLAN)
    texts = [label.text() for label in dialog.content.findChildren(QLabel)]
    assert "1 queued message" in texts
    assert "rank runs, with messages of scan" in texts
    assert dialog.says.text() == "Everything that the run holds is kept."
    desk.qtbot.keyClicks(dialog.branch, "repaired")
    desk.press("Go on", dialog)
    link = link_of(workspace)
    link.reply("open", OpenBody(workflow="w"))
    arguments = link.last("restore")["arguments"]
    assert (arguments["checkpoint_id"], arguments["branch"]) == ("c2", "repaired")
    answer_restore(workspace)
    assert link.commands[-1] == "continue"


def test_another_checkpoint_is_planned_anew(desk: Hand) -> None:
    workspace, dialog = shown_dialog(desk, PLAN)
    assert dialog.place.itemText(0) == "#2, superstep 1 of main · before the change"
    assert dialog.place.itemText(1) == "#3, superstep 2 of main · where the run stands"
    choose(dialog.place, "c3")
    assert not dialog.go_button.isEnabled()
    question = link_of(workspace).last("change_plan")["arguments"]
    assert question["checkpoint_id"] == "c3"


def test_what_is_not_decided_is_decided_in_its_row_and_goes_along(desk: Hand) -> None:
    workspace, dialog = shown_dialog(desk, UNDECIDED)
    link = link_of(workspace)
    assert not dialog.go_button.isEnabled()
    assert dialog.says.text() == "1 thing to decide"
    choose(dialog.form.choices[Entry((), "executor", "rank")], "order")
    mapping = {"executors": {"rank": "order"}}
    assert link.last("change_plan")["arguments"]["mapping"] == mapping
    link.reply("change_plan", UNDECIDED)
    choose(dialog.form.choices[Entry((), "join", "join")], {"send_to": "scan"})
    mapping["joins"] = {"join": {"send_to": "scan"}}
    assert link.last("change_plan")["arguments"]["mapping"] == mapping
    link.reply("change_plan", PLAN.model_copy(update={"mapping": mapping}))
    desk.press("Go on", dialog)
    link.reply("open", OpenBody(workflow="w"))
    assert link.last("restore")["arguments"]["mapping"] == mapping


def test_an_executor_is_split_part_by_part(desk: Hand) -> None:
    workspace, dialog = shown_dialog(desk, UNDECIDED)
    choose(dialog.form.choices[Entry((), "executor", "rank")], SPLIT)
    part = Entry((), "executor", "rank", "messages_for")
    choose(dialog.form.choices[part], "scan")
    mapping = link_of(workspace).last("change_plan")["arguments"]["mapping"]
    assert mapping["executors"]["rank"] == {
        "messages_for": "scan",
        "messages_from": "?",
        "record": "?",
        "requests": "?",
        "runs": "?",
    }


def test_the_mapping_is_saved_as_a_script(desk: Hand) -> None:
    workspace, dialog = shown_dialog(desk, UNDECIDED)
    saved: list[tuple[str, str]] = []
    workspace.save_text_requested.connect(lambda name, text: saved.append((name, text)))
    desk.press("Save the mapping…", dialog)
    assert saved[0][0] == "mapping.json"
    assert json.loads(saved[0][1])["executors"] == {"rank": "?"}


def test_a_plan_that_cannot_be_made_says_why(desk: Hand) -> None:
    workspace = edited(desk)
    desk.press("Details…", workspace.banner)
    link_of(workspace).reply("open", OpenBody(workflow="w"))
    link_of(workspace).reply("change_plan", error="the checkpoint is damaged")
    dialog = dialog_of(workspace)
    assert dialog.content.notice.text().endswith("the checkpoint is damaged")
    assert not dialog.go_button.isEnabled()
    desk.press("Cancel", dialog)
    assert workspace.session.mode == "edit"
