"""What stands around the canvas follows the run: areas, banner, tabs, title, what is
kept in view.
"""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtWidgets import QApplication

from designer.model import edits
from designer.panels import PANELS
from designer.shell.actions import ACTIONS
from designer.shell.docks import DEBUG_WIDTH, RAIL_WIDTH
from designer.shell.runs.run_menu import RunMenu
from resources import examples
from runtime.debug.protocol import (
    ChangeItem,
    DiffBody,
    Drop,
    EdgeMoment,
    HeaderBody,
    HeadersBody,
    Moment,
    OpenBody,
    OutputItem,
    OutputsBody,
    RequestMoment,
    ResumedBody,
    RunInfo,
    RunsBody,
    Value,
)
from runtime.document.problem import Problem
from tests.designer.fakes import header
from tests.designer.panels.fakes import design
from tests.designer.shell.support import draw, link_of, live, stand

SHIFT = Qt.KeyboardModifier.ShiftModifier


def test_every_panel_has_a_tab_in_its_area(desk):
    workspace = draw(desk)
    for kind in PANELS:
        panel = workspace.panels[kind.title]
        assert workspace.areas[panel.area].indexOf(panel) >= 0


def test_the_panel_of_a_task_is_made_when_it_is_asked_for_and_is_as_one_made_at_once(
    desk,
):
    workspace = draw(desk)
    tasks = {kind.title for kind in PANELS if kind.area == "task"}
    assert "Compare" in tasks
    assert not tasks & set(workspace.panels)
    compare = workspace.panels["Compare"]
    assert workspace.panels["Compare"] is compare
    assert workspace.areas["task"].indexOf(compare) >= 0


def test_editing_and_debugging_have_their_own_inspectors_and_widths(desk):
    workspace = draw(desk)
    areas = workspace.areas
    assert (areas["right-edit"].isVisible(), areas["right-debug"].isVisible()) == (
        True,
        False,
    )
    workspace = live(desk)
    areas = workspace.areas
    assert (areas["right-edit"].isVisible(), areas["right-debug"].isVisible()) == (
        False,
        True,
    )
    assert (areas["left"].width(), areas["right-debug"].width()) == (
        RAIL_WIDTH,
        DEBUG_WIDTH,
    )


def test_all_tabs_of_the_inspector_fit_whatever_they_count(desk):
    workspace = live(desk)
    for title in ("Joins", "Requests"):
        workspace.panels[title].badge_changed.emit("12")
    bar = workspace.areas["right-debug"].tabBar()
    last = bar.tabRect(bar.count() - 1)
    assert last.right() < DEBUG_WIDTH
    assert bar.tabRect(0).left() >= 0
    assert all(
        bar.tabSizeHint(index).width() <= bar.tabRect(index).width()
        for index in range(bar.count())
    )


def test_a_count_on_a_tab_follows_the_theme(hand):
    workspace = live(hand)
    workspace.panels["Requests"].badge_changed.emit("1")
    bar = workspace.areas["right-debug"].tabBar()
    at = workspace.areas["right-debug"].indexOf(workspace.panels["Requests"])

    def colours():
        picture = bar.grab(QRect(bar.tabRect(at))).toImage()
        return {
            picture.pixelColor(x, y).name()
            for x in range(picture.width())
            for y in range(picture.height())
        }

    hand.window.choose_theme("light")
    light = workspace._look.theme.askSoft.name()
    assert light in colours()
    hand.window.choose_theme("dark")
    dark = workspace._look.theme.askSoft.name()
    assert dark in colours()
    assert light not in colours()


def test_the_banner_says_what_a_run_needs_and_nothing_otherwise(desk):
    workspace = live(desk)
    assert not workspace.banner.isVisible()
    stand(workspace, "waiting")
    assert "waits for an answer" in workspace.banner.text
    stand(workspace, "stalled")
    assert "A join is stalled" in workspace.banner.text
    desk.press("Show the join")
    assert workspace.panels["Joins"].isVisible()
    stand(
        workspace,
        "failed",
        error_type="ValueError",
        text="no\nsuch thing",
        executor="n1",
    )
    assert "n1: no such thing (ValueError)" in workspace.banner.text
    stand(
        workspace,
        "failed",
        error_type="NodeError",
        text="Node 'n1': 'x' is not a number.",
        executor="n1",
    )
    assert "n1: 'x' is not a number." in workspace.banner.text
    assert "NodeError" not in workspace.banner.text
    stand(workspace, "finished")
    assert not workspace.banner.isVisible()


def test_a_run_that_has_yet_to_start_is_told(hand):
    workspace = draw(hand)
    link = link_of(workspace)
    workspace.session.run()
    assert "starting the run" in hand.window.status.text
    link.reply("open", OpenBody(workflow="w"))
    link.reply("start", error="no start")
    assert "starting the run" not in hand.window.status.text


def _drop(reason: str) -> Drop:
    return Drop(source="a", target="b", reason=reason, lost=1)


def test_a_run_whose_last_message_nobody_took_is_not_just_finished(desk):
    workspace = live(desk)
    stand(
        workspace,
        "finished",
        edges={"e1": EdgeMoment(dropped=(_drop("condition false"),))},
    )
    assert not workspace.banner.isVisible()
    stand(
        workspace,
        "finished",
        edges={"e1": EdgeMoment(dropped=(_drop("type mismatch"),))},
    )
    assert "1 message went nowhere" in workspace.banner.text
    assert "b takes no message of the type that a sent" in workspace.banner.text
    desk.press("Show")
    assert workspace.panels["Log"].isVisible()


def test_answer_in_the_banner_leads_to_the_form(hand):
    workspace = live(hand, "waiting")
    asked = RequestMoment(
        id="q",
        executor="n1",
        title="May it?",
        data=Value(type="str", text="x"),
        schema={"type": "boolean"},
    )
    workspace.session._link.notice(
        "stopped",
        {"reason": "waiting", "status": "IDLE", "superstep": 2, "run_id": "r1"},
    )
    workspace.session._link.reply(
        "inspect", Moment(header=header(3), superstep=2, requests=(asked,))
    )
    hand.press("Answer")
    panel = workspace.panels["Requests"]
    assert panel.question.isAncestorOf(hand.window.focusWidget())


def asking(workspace):
    """The run of `live` waits for one answer."""
    asked = RequestMoment(
        id="q",
        executor="n1",
        title="May it?",
        data=Value(type="str", text="x"),
        schema={},
    )
    workspace.session._link.reply(
        "inspect", Moment(header=header(3), superstep=2, requests=(asked,))
    )


def test_after_the_last_answer_the_keys_are_on_the_canvas(hand):
    workspace = live(hand, "waiting")
    workspace.session._link.notice(
        "stopped",
        {"reason": "waiting", "status": "IDLE", "superstep": 2, "run_id": "r1"},
    )
    asking(workspace)
    hand.press("Answer")
    panel = workspace.panels["Requests"]
    panel.question.form.form.field("").editor().setPlainText("true")
    hand.press("Send answer", panel)
    workspace.session._link.reply(
        "answer", HeaderBody(header=header(4, cause="response"))
    )
    assert hand.window.focusWidget() is workspace.canvas
    workspace.session._link.notice(
        "stopped", {"reason": "step", "status": "IDLE", "superstep": 2, "run_id": "r1"}
    )
    workspace.session._link.reply("inspect", Moment(header=header(4), superstep=2))
    assert hand.window.focusWidget() is workspace.canvas


def finish_with_output(workspace):
    """The run of `live` ends, and has put out one text."""
    stand(workspace, "finished")
    item = OutputItem(
        superstep=2,
        executor="n1",
        checkpoint_id="c3",
        text="# Done",
        value=Value(type="str", text="x"),
    )
    workspace.session._link.reply(
        "outputs", OutputsBody(checkpoint_id="c3", items=(item,))
    )


def test_what_a_run_has_put_out_comes_to_the_front_when_it_has_finished(desk):
    workspace = live(desk)
    workspace.session._link.reply("outputs", OutputsBody(checkpoint_id="c2"))
    workspace.session._link.notice("checkpoints", HeadersBody(headers=(header(4),)))
    finish_with_output(workspace)
    assert workspace.panels["Output"].isVisible()
    assert workspace.panels["Output"].reader.text == "# Done"


def test_it_does_not_come_before_somebody_who_is_writing(desk):
    workspace = live(desk)
    workspace.session._link.reply("outputs", OutputsBody(checkpoint_id="c2"))
    workspace.panels["State"].search.setFocus()
    finish_with_output(workspace)
    assert not workspace.panels["Output"].isVisible()
    bar = workspace.areas["bottom"].tabBar()
    assert (
        bar.face(workspace.areas["bottom"].indexOf(workspace.panels["Output"])).badge
        == "1"
    )


def test_an_output_is_kept_in_the_file_that_was_chosen(hand, tmp_path):
    workspace = live(hand)
    workspace.panels["Output"].save_requested.emit("draft-report.md", "# Done ✓\n")
    assert hand.somebody.asked[-1] == "export draft-report.md"
    assert (tmp_path / "output.md").read_text("utf-8") == "# Done ✓\n"
    hand.somebody.export_to = tmp_path / "nowhere" / "output.md"
    workspace.panels["Output"].save_requested.emit("draft-report.md", "x")
    assert hand.somebody.told[-1][0] == "output.md cannot be saved"


def test_what_could_not_be_done_stays_until_it_is_dismissed(desk):
    workspace = live(desk)
    workspace.session.failed.emit(
        "The checkpoint could not be restored", "the signature differs"
    )
    workspace.session.view("c1")
    assert "the signature differs" in workspace.banner.text
    desk.press("Dismiss")
    assert "Viewing the past" in workspace.banner.text


def test_mode_is_said_in_title_status_and_colour(hand):
    workspace = draw(hand)
    seen = [(hand.window.windowTitle(), hand.window.status.styleSheet())]
    workspace = live(hand)
    seen.append((hand.window.windowTitle(), hand.window.status.styleSheet()))
    workspace.session.view("c1")
    seen.append((hand.window.windowTitle(), hand.window.status.styleSheet()))
    words = ("editing", "live", "viewing the past, checkpoint #1")
    assert all(word in title for word, (title, _) in zip(words, seen, strict=True))
    assert len({sheet for _, sheet in seen}) == 3


def test_comparing_is_said_and_ended_by_escape(hand):
    workspace = live(hand)
    link = link_of(workspace)
    workspace.session.view("c3")
    workspace.session.view("c2")
    link.reply("inspect", Moment(header=header(2), superstep=1))
    workspace.session.compare_with("c2")
    link.reply("diff", DiffBody(base="c2", checkpoint_id="c2"))
    assert workspace.banner.text == "Comparing with #2: now choose another checkpoint"
    workspace.session.compare_with("c1")
    asked = link.last("diff")["arguments"]
    assert (asked["base"], asked["checkpoint_id"]) == ("c1", "c2")
    change = ChangeItem(
        section="state", path="['n']", kind="added", new=Value(type="int", text="1")
    )
    link.reply("diff", DiffBody(base="c1", checkpoint_id="c2", changes=(change,)))
    assert workspace.banner.text == "Comparing #1 with #2 1 difference"
    assert "Comparing #1 with #2" in hand.window.status.text
    hand.press("Swap")
    assert (workspace.session.base, workspace.session.viewing) == ("c2", "c1")
    workspace.canvas.setFocus()
    hand.key(Qt.Key.Key_Escape)
    assert (workspace.session.base, workspace.session.viewing) == ("", "c1")
    assert "Viewing the past" in workspace.banner.text


def test_a_comparison_takes_the_place_of_the_inspector_and_gives_it_back(hand):
    workspace = live(hand)
    link = link_of(workspace)
    workspace.session.view("c2")
    link.reply("inspect", Moment(header=header(2), superstep=1))
    inspector = workspace.areas["right-debug"]
    compare = workspace.panels["Compare"]
    assert inspector.isVisible()
    assert not compare.isVisible()
    workspace.session.compare_with("c1")
    assert compare.isVisible()
    assert not inspector.isVisible()
    # A panel that the user asks for takes the place back, and the comparison goes on.
    workspace.show_panel("State")
    assert inspector.isVisible()
    assert not compare.isVisible()
    hand.press("Differences", workspace.banner)
    assert compare.isVisible()
    hand.click(compare.as_first)
    assert link.last("divergence")["arguments"]["base"] == "c1"
    hand.click(compare.close_button)
    assert inspector.isVisible()
    assert not compare.isVisible()
    assert workspace.session.base == ""


def test_nothing_is_compared_while_the_bottom_has_the_whole_window(hand):
    workspace = live(hand)
    link = link_of(workspace)
    workspace.session.view("c2")
    link.reply("inspect", Moment(header=header(2), superstep=1))
    workspace.session.compare_with("c1")
    asked = link.last("diff")["seq"]
    workspace.toggle_whole()
    assert link.last("drop")["arguments"]["number"] == asked
    workspace.toggle_whole()
    assert link.last("diff")["seq"] > asked


def test_a_run_that_failed_is_called_failed_and_says_where_it_stands(hand):
    stand(live(hand), "failed", text="no", error_type="ValueError")
    assert "failed in superstep 3" in hand.window.windowTitle()
    assert hand.window.status.text.startswith(
        "Failed in superstep 3 · can continue after superstep 2"
    )


def test_a_run_that_has_ended_is_not_called_live(hand):
    """In title, status bar, colour and on the way back to it."""
    workspace = live(hand)
    standing = hand.window.status.styleSheet()
    assert "live, at rest" in hand.window.windowTitle()
    stand(workspace, "finished")
    assert "live" not in hand.window.windowTitle().lower()
    assert hand.window.status.text.startswith("Finished · after superstep 2")
    assert hand.window.status.styleSheet() != standing
    assert workspace.panels["Timeline"].strip.state().ended
    workspace.session.view("c1")
    assert workspace.banner.buttons[-1].text() == "Back to the end"
    assert "run: finished after superstep 2" in hand.window.status.text


def test_a_drawing_that_was_in_view_as_a_whole_stays_so_and_uses_the_room(hand):
    hand.window.files.open(examples()[0].path)
    workspace = hand.workspace
    hand.qtbot.wait(50)
    assert workspace.framing.sees_all()
    editing = workspace.canvas.zoom
    workspace.session.view("c1")
    hand.wait(lambda: workspace.canvas.zoom > editing)
    assert workspace.framing.sees_all()
    workspace.session.leave()
    hand.wait(lambda: workspace.canvas.zoom == editing)
    assert workspace.framing.sees_all()


def test_a_banner_does_not_move_the_drawing_on_the_screen(desk):
    workspace = live(desk)
    canvas = workspace.canvas
    node = next(iter(workspace.canvas.scene().boxes))

    def place():
        at = canvas.mapFromScene(canvas.scene().boxes[node].rect.center())
        return canvas.viewport().mapToGlobal(at)

    canvas.camera.zoom_to(2.0)  # not all of it is in view, so it is left where it is
    before = place()
    stand(workspace, "waiting")
    assert workspace.banner.isVisible()
    desk.qtbot.wait(50)
    assert abs(place().y() - before.y()) <= 1
    assert abs(place().x() - before.x()) <= 1


def test_other_runs_of_the_store_can_be_looked_at(desk):
    workspace = live(desk)
    runs = tuple(
        RunInfo(
            run_id=run,
            workflow="w",
            checkpoints=3,
            branches=1,
            latest=header(3, run_id=run),
        )
        for run in ("r1", "r0")
    )
    workspace.session._link.reply("runs", RunsBody(runs=runs))
    (menu,) = workspace.findChildren(RunMenu)
    assert (menu.text(), menu.isVisible()) == ("Run 2", True)
    menu._fill()
    menu.menu().actions()[1].trigger()
    assert workspace.session._link.last("timeline")["arguments"]["run_id"] == "r0"


def test_the_run_menu_tells_when_each_run_was_and_how_it_ended(desk):
    workspace = live(desk, "finished")
    at = datetime(2020, 3, 4, 15, 30, tzinfo=UTC).timestamp()
    statuses = {
        "r0": "IDLE",
        "q": "IDLE_WITH_PENDING_REQUESTS",
        "s": "IDLE_WITH_STALLED_JOINS",
        "x": "IN_PROGRESS",
    }
    latest = {
        run: header(3, run_id=run, status=status, requests=2, time=at)
        for run, status in statuses.items()
    }
    # the list is from the beginning of the live run
    latest = {"r1": header(1, time=at), **latest}
    runs = tuple(
        RunInfo(run_id=run, workflow="w", checkpoints=3, branches=2, latest=latest[run])
        for run in latest
    )
    workspace.session._link.reply("runs", RunsBody(runs=runs))
    (menu,) = workspace.findChildren(RunMenu)
    menu._fill()
    said = [action.text() for action in menu.menu().actions()]
    outcomes = (
        "Finished",
        "Finished after superstep 2",
        "2 questions open",
        "Finished, a join is stalled",
    )
    for text, name, words in zip(
        said, ("Run 5", "Run 4", "Run 3", "Run 2"), outcomes, strict=False
    ):
        assert text.startswith(f"{name} · {words} · 3 checkpoints")
    assert "Not finished, superstep 2" in said[4]
    assert said[1].endswith("4 March 2020")


def test_a_run_restored_where_only_an_answer_helps_says_so(desk):
    workspace = live(desk, "restored")
    workspace.session._link.notice(
        "stopped",
        {"reason": "restored", "status": "IDLE", "superstep": 2, "run_id": "r1"},
    )
    asking(workspace)
    assert "waits for an answer" in workspace.banner.text


def test_what_could_not_be_done_is_said_no_longer_when_it_can_be(hand):
    workspace = hand.new_document()
    hand.window.trigger(next(spec for spec in ACTIONS if spec.id == "run"))
    assert "nothing to run yet" in hand.window.status.text
    workspace.document.apply("Draw", design())
    assert "nothing to run yet" not in hand.window.status.text


def test_a_refusal_of_the_canvas_is_said_no_longer_after_an_edit_and_another_message_stays(
    hand,
):
    workspace = draw(hand)
    workspace.canvas.tell("These two are connected already.")
    assert "connected already" in hand.window.status.text
    workspace.document.apply(
        "Move", edits.move(workspace.document.design, {"scan": (1.0, 2.0)})
    )
    assert "connected already" not in hand.window.status.text
    hand.window.status.say("Changes are not protected")
    workspace.document.apply(
        "Move", edits.move(workspace.document.design, {"scan": (3.0, 4.0)})
    )
    assert "not protected" in hand.window.status.text


def test_what_is_pointed_at_is_described_anew_when_its_problem_was_solved(hand):
    workspace = draw(hand)
    workspace.checks.run()
    workspace.canvas.hover.set("scan")
    workspace.checks._take(
        (
            Problem(
                severity="error", rule="r", message="no such function", location="scan"
            ),
        )
    )
    assert "1 error" in hand.window.status.text
    workspace.checks._take(())
    assert "Installed packages" in hand.window.status.text
    assert "1 error" not in hand.window.status.text


def test_undo_of_a_layout_brings_the_nodes_into_view(hand):
    workspace = draw(hand)
    far = {
        node.id: (place * 2000.0, 9000.0)
        for place, node in enumerate(workspace.document.design.workflow.nodes)
    }
    workspace.document.apply("Spread", edits.move(workspace.document.design, far))
    workspace.canvas.arranger.arrange()
    workspace.canvas.clock.finish("glide")
    hand.qtbot.wait(400)
    assert workspace.framing.sees_all()
    hand.window.actions_by_id["undo"].trigger()
    hand.wait(workspace.framing.sees_all)
    hand.window.actions_by_id["redo"].trigger()
    hand.wait(workspace.framing.sees_all)


def _look_at_the_past(workspace):
    link = link_of(workspace)
    workspace.session.view("c1")
    link.reply("inspect", Moment(header=header(1), superstep=0))
    assert workspace.banner.isVisible()


def _start_a_run_behind(workspace):
    link = link_of(workspace)
    workspace.session.run(stop_on_entry=True)
    link.reply("open", OpenBody(workflow="w"))
    link.notice("resumed", ResumedBody(run_id="r1"))
    assert workspace.session.mode != "edit"


@pytest.mark.parametrize("hidden", [False, True])
@pytest.mark.parametrize("meanwhile", [_look_at_the_past, _start_a_run_behind])
def test_the_graph_is_fitted_again_also_after_a_strip_came_or_a_run_began(
    hand, hidden, meanwhile
):
    workspace = live(hand) if meanwhile is _look_at_the_past else draw(hand)
    workspace.canvas.camera.fit_all(glide=False)
    QApplication.processEvents()
    if meanwhile is _look_at_the_past:
        meanwhile(workspace)
    if hidden:
        draw(hand)
    if meanwhile is _start_a_run_behind:
        meanwhile(workspace)
    QApplication.processEvents()
    before = workspace.canvas.zoom
    hand.window.resize(1024, 700)
    hand.window.bring_to_front(workspace)
    hand.wait(
        lambda: workspace.framing.sees_all() and workspace.canvas.zoom < before, 2000
    )


def test_undo_of_a_small_move_that_is_in_view_moves_nothing_else(hand):
    workspace = draw(hand)
    canvas = workspace.canvas
    canvas.camera.fit_all(glide=False)
    x, y = workspace.document.design.positions["scan"]
    workspace.document.apply(
        "Move", edits.move(workspace.document.design, {"scan": (x, y + 8)})
    )
    before = (canvas.zoom, canvas.camera.centre())
    hand.window.actions_by_id["undo"].trigger()
    hand.qtbot.wait(50)
    assert (canvas.zoom, canvas.camera.centre()) == before


@pytest.mark.parametrize("number", range(3))
def test_an_example_runs_from_its_card(hand, number):
    card = hand.window.start_page.cards[number]
    hand.click(card.run_button)
    sent = hand.workspace.session._link.last("open")["arguments"]
    assert Path(sent["folder"]) == card.example.path.parent
    assert hand.somebody.asked == []


def test_an_example_opens_from_its_card_without_running(hand):
    card = hand.window.start_page.cards[1]
    hand.click(card.open_button)
    assert hand.workspace.document.path == card.example.path
    assert "open" not in hand.workspace.session._link.commands


def test_the_recent_list_tells_how_the_last_run_stood(hand, tmp_path):
    live(hand, moving=True)
    workspace = hand.workspace
    workspace.document.save(tmp_path / "mine.stepwell.json")
    hand.window.settings.opened(workspace.document.path, 1.0)
    stand(workspace, "stalled")
    hand.window.show_start_page()
    table = hand.window.start_page.table
    row = [table.item(0, column).text() for column in range(table.columnCount())]
    assert (row[0], row[2], row[3]) == (
        "mine",
        "3 checkpoints",
        "Finished, a join is stalled",
    )
    hand.qtbot.keyClicks(hand.window.start_page.filter, "nothing like it")
    assert not table.isVisible()
    assert "No recent workflow matches" in hand.window.start_page.empty.text()


def test_a_theme_is_kept_for_the_next_window(hand):
    hand.window.actions_by_id["theme-dark"].trigger()
    assert hand.window.settings.values.theme == "dark"
    assert hand.window.actions_by_id["theme-dark"].isChecked()
    assert not hand.window.actions_by_id["theme-light"].isChecked()


def test_reduced_motion_reaches_every_canvas(hand):
    workspace = draw(hand)
    hand.window.actions_by_id["reduce-motion"].trigger()
    assert workspace.canvas.clock.reduce_motion
    assert draw(hand).canvas.clock.reduce_motion


# --- tabs stay as they were chosen ------------------------------------------------------------------------------------


def strip_of(workspace, area):
    tabs = workspace.areas[area]
    return [tabs.tabText(index) for index in range(tabs.count())]


def test_a_tab_that_was_chosen_stays_in_front_through_all_modes(desk):
    workspace = live(desk)
    workspace.session._link.reply("outputs", OutputsBody(checkpoint_id="c2"))
    desk.show("Problems")
    desk.show("Joins")
    orders = {area: strip_of(workspace, area) for area in workspace.areas}
    finish_with_output(workspace)
    workspace.session.view("c1")
    workspace.session.back_to_live()
    workspace.session.leave()
    workspace.session.view("c1")
    for area, title in (("bottom", "Problems"), ("right-debug", "Joins")):
        assert workspace.areas[area].currentWidget().title == title
    assert orders == {area: strip_of(workspace, area) for area in workspace.areas}
