"""Sub-workflows by mouse and keyboard, through the real widgets: made, gone into,
edited, left, taken apart.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QHelpEvent, QMouseEvent
from PySide6.QtWidgets import QApplication, QMenu, QToolTip

from designer.canvas.drawing.overlay import NOTHING
from designer.canvas.speech.describe import describe
from designer.canvas.speech.port_words import describe_port
from designer.canvas.verbs.menus import menu_for
from designer.model import edits, files
from designer.model.design import Design
from designer.model.diff import diff
from designer.model.edits.inside import with_child
from designer.model.inside import child
from designer.shell.find.command_palette import CommandPalette
from designer.shell.workspace import Workspace
from runtime.debug.protocol import (
    InsideMoment,
    InsideProgress,
    InsideRun,
    Moment,
    NodeMoment,
    ProgressBody,
    ResumedBody,
)
from runtime.document.definition import FanInEdge, NodeDefinition, WorkflowDefinition
from tests.designer.fakes import header
from tests.designer.model.designs import direct
from tests.designer.shell.support import BUILT_IN, Hand, link_of, live

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
CTRL_SHIFT = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
ALT = Qt.KeyboardModifier.AltModifier
K = Qt.Key


def chain() -> Design:
    nodes = (
        NodeDefinition(id="inp", type="input", name="Packages"),
        NodeDefinition(
            id="clean", type="template", name="Clean", params={"text": "[{message}]"}
        ),
        NodeDefinition(
            id="rank", type="template", name="Rank", params={"text": "<{message}>"}
        ),
        NodeDefinition(id="out", type="output", name="Report"),
    )
    edges = (direct("inp", "clean"), direct("clean", "rank"), direct("rank", "out"))
    places = {node.id: (260.0 * place, 40.0) for place, node in enumerate(nodes)}
    return Design(
        WorkflowDefinition(name="audit", start="inp", nodes=nodes, edges=edges), places
    )


@pytest.fixture
def drawn(desk: Hand) -> Workspace:
    return draw_chain(desk)


@pytest.fixture
def tab(hand: Hand) -> Workspace:
    """The same drawing in a window, for what needs its commands and tabs."""
    return draw_chain(hand)


def draw_chain(hand: Hand) -> Workspace:
    workspace = hand.new_document()
    link_of(workspace).reply("catalogue", BUILT_IN)
    workspace.document.apply("Draw", chain())
    workspace.canvas.clock.reduce_motion = True
    workspace.canvas.camera.fit_all(glide=False)
    workspace.canvas.setFocus()
    return workspace


def made(hand: Hand, workspace: Workspace) -> str:
    """Select two nodes and press the keys; the id of what comes."""
    workspace.document.select({"clean", "rank"})
    hand.key(K.Key_G, CTRL_SHIFT)
    (sub,) = workspace.document.selection
    return sub


def double_click(workspace: Workspace, node: str) -> None:
    canvas = workspace.canvas
    at = canvas.mapFromScene(canvas.scene().boxes[node].rect.center()).toPointF()
    kind = QEvent.Type.MouseButtonDblClick
    left = Qt.MouseButton.LeftButton
    where = canvas.viewport().mapToGlobal(at)
    event = QMouseEvent(kind, at, where, left, left, Qt.KeyboardModifier.NoModifier)
    QApplication.sendEvent(canvas.viewport(), event)


def entry(menu: QMenu, text: str) -> bool:
    """Choose an entry of a menu; False when there is none that can be chosen."""
    action = next(
        (one for one in menu.actions() if one.text().split("\t")[0] == text), None
    )
    if action is None or not action.isEnabled():
        return False
    action.trigger()
    return True


def test_the_keys_collapse_and_expand_and_each_is_one_step(
    hand: Hand, tab: Workspace
) -> None:
    before = tab.document.design
    stack = tab.document.undo_stack
    sub = made(hand, tab)
    assert {node.id for node in tab.document.design.workflow.nodes} == {
        "inp",
        sub,
        "out",
    }
    assert sub in tab.canvas.scene().nodes
    assert stack.count() == 2
    hand.key(K.Key_G, CTRL_SHIFT)
    assert not diff(tab.document.design, before)
    assert tab.document.selection == {"clean", "rank"}
    hand.key(K.Key_Z, Qt.KeyboardModifier.ControlModifier)
    hand.key(K.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert not diff(tab.document.design, before)
    assert stack.index() == 1


def test_the_menu_collapses_and_expands(drawn: Workspace) -> None:
    before = drawn.document.design
    canvas = drawn.canvas
    drawn.document.select({"clean", "rank"})
    assert entry(
        menu_for(canvas, canvas.scene().boxes["clean"].rect.center()),
        "Collapse into a sub-workflow",
    )
    (sub,) = drawn.document.selection
    assert entry(
        menu_for(canvas, canvas.scene().boxes[sub].rect.center()),
        "Expand the sub-workflow",
    )
    assert not diff(drawn.document.design, before)
    assert not entry(
        menu_for(canvas, canvas.scene().boxes["inp"].rect.center()),
        "Expand the sub-workflow",
    )


def test_what_has_no_form_is_refused_on_the_canvas_and_changes_nothing(
    hand: Hand, tab: Workspace
) -> None:
    edges = (
        FanInEdge(id="both", sources=("inp", "clean"), target="rank"),
        direct("inp", "clean"),
    )
    workflow = tab.document.design.workflow.model_copy(update={"edges": edges})
    tab.document.apply("Join", replace(tab.document.design, workflow=workflow))
    tab.document.select({"clean", "rank"})
    count = tab.document.undo_stack.count()
    hand.key(K.Key_G, CTRL_SHIFT)
    assert tab.document.undo_stack.count() == count
    assert "Take Packages along, or leave the join out." in hand.window.status.text


def test_several_ways_in_and_out_become_one_sub_workflow_and_come_back(
    desk: Hand, drawn: Workspace
) -> None:
    before = drawn.document.design
    drawn.document.select({"inp", "rank"})
    desk.key(K.Key_G, CTRL_SHIFT)
    (sub,) = drawn.document.selection
    assert set(drawn.canvas.scene().nodes) == {sub, "clean", "out"}
    drawn.checks.run()
    assert [
        one.message for one in drawn.checks.problems if one.severity == "error"
    ] == []
    desk.key(K.Key_Return)
    drawn.checks.run()
    assert [
        one.message for one in drawn.checks.problems if one.severity == "error"
    ] == []
    assert {
        node for node, item in drawn.canvas.scene().nodes.items() if item.start
    } == {
        "inp",
        "rank",
    }
    assert "messages enter here" in describe(drawn.canvas.scene(), "rank")
    desk.key(K.Key_PageUp)
    desk.key(K.Key_G, CTRL_SHIFT)
    assert not diff(drawn.document.design, before)


def test_a_file_is_expanded_as_a_copy_and_that_is_said(
    hand: Hand, tab: Workspace, tmp_path: Path
) -> None:
    files.save(
        tmp_path / "part.stepwell.json",
        Design(WorkflowDefinition(start="clean", nodes=(chain().workflow.nodes[1],))),
    )
    tab.document.save(tmp_path / "whole.stepwell.json")
    params = {"file": "part.stepwell.json"}
    design, sub = edits.add_node(
        tab.document.design, "sub_workflow", (0, 300), params=params
    )
    tab.document.apply("Add", design)
    kept = (tmp_path / "part.stepwell.json").read_bytes()
    count = tab.document.undo_stack.count()
    tab.document.select({sub})
    hand.key(K.Key_G, CTRL_SHIFT)
    assert sub not in tab.canvas.scene().nodes
    assert tab.document.undo_stack.count() == count + 1
    assert (
        "This is a copy of what is drawn in part.stepwell.json"
        in hand.window.status.text
    )
    assert (tmp_path / "part.stepwell.json").read_bytes() == kept


@pytest.mark.parametrize("way", ["double", "enter", "page down"])
def test_one_goes_in_by_mouse_and_by_keys(
    desk: Hand, drawn: Workspace, way: str
) -> None:
    sub = made(desk, drawn)
    if way == "double":
        double_click(drawn, sub)
    else:
        desk.key(K.Key_Return if way == "enter" else K.Key_PageDown)
    assert drawn.document.inside == (sub,)
    assert {"clean", "rank"} < set(drawn.canvas.scene().nodes)
    assert "inp" not in drawn.canvas.scene().nodes
    assert drawn.crumbs.isVisible()
    assert drawn.crumbs.text == "audit › Sub-workflow"


@pytest.mark.parametrize("way", ["crumb", "page up", "alt up"])
def test_one_comes_out_by_mouse_and_by_keys(
    desk: Hand, drawn: Workspace, way: str
) -> None:
    sub = made(desk, drawn)
    desk.key(K.Key_Return)
    if way == "crumb":
        desk.click(drawn.crumbs.buttons[0])
    else:
        desk.key(*((K.Key_PageUp,) if way == "page up" else (K.Key_Up, ALT)))
    assert drawn.document.inside == ()
    assert drawn.document.selection == {sub}
    assert drawn.crumbs.isHidden()
    assert set(drawn.canvas.scene().nodes) == {"inp", sub, "out"}


def test_edits_inside_are_of_the_one_undo_stack_and_of_the_one_file(
    hand: Hand, tab: Workspace, tmp_path: Path
) -> None:
    sub = made(hand, tab)
    hand.key(K.Key_Return)
    tab.document.select({"rank"})
    hand.key(K.Key_Delete)
    assert "rank" not in tab.canvas.scene().nodes
    hand.somebody.save_to = tmp_path / "whole.stepwell.json"
    hand.key(K.Key_S, Qt.KeyboardModifier.ControlModifier)
    assert tab.document.inside == (sub,)
    saved = files.load(tmp_path / "whole.stepwell.json")
    assert child(saved, sub).workflow.node("rank") is None
    assert {node.id for node in saved.workflow.nodes} == {"inp", sub, "out"}
    hand.key(K.Key_PageUp)
    while tab.document.undo_stack.index() > 2:
        hand.key(K.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert tab.document.inside == (sub,)
    assert "rank" in tab.canvas.scene().nodes


def test_an_undo_that_leads_out_shows_the_document_again(
    hand: Hand, tab: Workspace
) -> None:
    made(hand, tab)
    hand.key(K.Key_Return)
    hand.key(K.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert tab.document.inside == ()
    assert tab.crumbs.isHidden()
    assert set(tab.canvas.scene().nodes) == {"inp", "clean", "rank", "out"}


def test_a_new_sub_workflow_is_drawn_from_nothing(desk: Hand, drawn: Workspace) -> None:
    sub = drawn.canvas.commands.add_node("sub_workflow")
    drawn.canvas.setFocus()
    desk.key(K.Key_PageDown)
    assert drawn.document.inside == (sub,)
    assert not drawn.canvas.scene().nodes
    added = drawn.canvas.commands.add_node("template")
    desk.key(K.Key_PageUp)
    assert child(drawn.document.root, sub).workflow.start == added


def test_a_file_is_opened_in_a_tab_of_its_own(
    hand: Hand, tab: Workspace, tmp_path: Path
) -> None:
    files.save(tmp_path / "part.stepwell.json", chain())
    tab.document.save(tmp_path / "whole.stepwell.json")
    params = {"file": "part.stepwell.json"}
    design, sub = edits.add_node(
        tab.document.design, "sub_workflow", (0, 300), params=params
    )
    tab.document.apply("Add", design)
    tab.document.select({sub})
    hand.key(K.Key_Return)
    assert len(hand.window.workspaces) == 2
    assert hand.workspace.document.path == tmp_path / "part.stepwell.json"
    assert tab.document.inside == ()


def test_ports_follow_what_is_inside(desk: Hand, drawn: Workspace) -> None:
    sub = made(desk, drawn)
    assert drawn.canvas.scene().boxes[sub].gives
    assert drawn.canvas.wiring().info(sub).outputs == ("str",)  # type: ignore[union-attr]
    inner = edits.remove(child(drawn.document.design, sub), {"output"})
    desk.key(K.Key_Return)
    drawn.document.apply("Cut the output off", inner)
    desk.key(K.Key_PageUp)
    assert not drawn.canvas.scene().boxes[sub].gives


def test_ports_follow_a_file_that_is_saved_in_its_tab(
    hand: Hand, tab: Workspace, tmp_path: Path
) -> None:
    sub = with_file(tab, tmp_path)
    assert tab.canvas.scene().boxes[sub].gives
    hand.key(K.Key_Return)
    inner = hand.workspace
    inner.document.apply(
        "Cut the output off", edits.remove(inner.document.design, {"out"})
    )
    hand.key(K.Key_S, Qt.KeyboardModifier.ControlModifier)
    hand.key(K.Key_PageUp)
    assert not tab.canvas.scene().boxes[sub].gives
    hand.window.bring_to_front(inner)
    hand.key(K.Key_Z, Qt.KeyboardModifier.ControlModifier)
    hand.key(K.Key_S, Qt.KeyboardModifier.ControlModifier)
    hand.key(K.Key_PageUp)
    assert tab.canvas.scene().boxes[sub].gives


def test_a_wire_from_a_port_that_vanished_is_a_problem_and_is_not_lost(
    desk: Hand, drawn: Workspace
) -> None:
    sub = made(desk, drawn)
    desk.key(K.Key_Return)
    drawn.document.apply(
        "Cut the output off", edits.remove(drawn.document.design, {"output"})
    )
    desk.key(K.Key_PageUp)
    drawn.checks.run()
    edge = next(
        edge
        for edge in drawn.document.design.workflow.edges
        if edge.kind == "direct" and edge.source == sub
    )
    assert any(
        problem.location in (edge.id, sub, "out") for problem in drawn.checks.problems
    )
    assert edge.id in drawn.canvas.scene().edges.figures


def test_the_tool_tip_of_a_port_says_types_and_ways(
    drawn: Workspace, desk: Hand
) -> None:
    drawn.document.select({"inp", "rank"})
    desk.key(K.Key_G, CTRL_SHIFT)
    (sub,) = drawn.document.selection
    scene = drawn.canvas.scene()
    assert describe_port(scene, "clean", "out") == "Clean gives str"
    into = describe_port(scene, sub, "in")
    out = describe_port(scene, sub, "out")
    assert "Clean enters at Rank" in into
    assert "To Clean sends to Clean" in out
    box = scene.boxes["clean"].rect
    right = drawn.canvas.mapFromScene(box.center() + QPointF(box.width() / 2, 0))
    tip = QHelpEvent(
        QEvent.Type.ToolTip, right, drawn.canvas.viewport().mapToGlobal(right)
    )
    QApplication.sendEvent(drawn.canvas.viewport(), tip)
    assert "Clean gives str" in QToolTip.text()


def test_problems_are_those_of_what_is_seen_and_outside_they_are_at_the_node(
    desk: Hand, drawn: Workspace
) -> None:
    sub = made(desk, drawn)
    desk.key(K.Key_Return)
    drawn.document.apply(
        "Break", edits.set_params(drawn.document.design, "rank", {"text": "{message"})
    )
    drawn.checks.run()
    assert [problem.location for problem in drawn.checks.problems] == ["rank"]
    desk.key(K.Key_PageUp)
    drawn.checks.run()
    (problem,) = drawn.checks.problems
    assert (problem.location, problem.inside) == (sub, ("rank",))


def test_enter_on_a_problem_inside_leads_to_it(desk: Hand, drawn: Workspace) -> None:
    sub = made(desk, drawn)
    inner = edits.set_params(
        child(drawn.document.design, sub), "rank", {"text": "{message"}
    )
    drawn.document.apply("Break", with_child(drawn.document.design, sub, inner))
    drawn.checks.run()
    table = desk.show("Problems").table  # type: ignore[attr-defined]
    table.setFocus()
    desk.key(K.Key_Down)
    desk.key(K.Key_Return)
    assert drawn.document.inside == (sub,)
    assert drawn.document.selection == {"rank"}


def test_the_window_runs_the_whole_also_from_inside(
    desk: Hand, drawn: Workspace
) -> None:
    made(desk, drawn)
    desk.key(K.Key_Return)
    assert drawn.session.source is not None
    assert {
        node["id"] for node in drawn.session.source().document["workflow"]["nodes"]
    } == {
        "inp",
        "sub_workflow",
        "out",
    }


def test_no_state_of_the_run_is_shown_at_a_node_inside_that_has_the_same_id(
    desk: Hand,
) -> None:
    workspace = live(desk)
    outer = workspace.document.root
    (first, *_), sub = outer.workflow.nodes, "sub_workflow"
    inner = Design(WorkflowDefinition(start=first.id, nodes=(first,)))
    made_, _ = edits.add_node(
        outer,
        sub,
        (0, 400),
        params={"inline": files.to_file(inner).model_dump(mode="json")},
    )
    workspace.document.apply("Add", made_)
    workspace.document.enter(sub)
    workspace.session._mirror.original = Moment(
        header=header(3), superstep=2, nodes={first.id: NodeMoment(state="done")}
    )
    workspace.session.viewed.emit()
    assert workspace.canvas.scene().overlay == NOTHING
    assert workspace.crumbs.note == "Looking at the run in here…"
    look(workspace, InsideMoment(way=(sub,)))
    assert workspace.canvas.scene().overlay == NOTHING
    assert workspace.crumbs.note == "Nothing runs in here at this moment."
    look(workspace, inside_of(sub, NodeMoment(state="asking"), first.id))
    assert workspace.canvas.scene().overlay.nodes[first.id].state == "asking"
    assert workspace.crumbs.note == ""
    workspace.leave()
    assert workspace.canvas.scene().overlay.nodes[first.id].state == "done"


def look(workspace: Workspace, inside: InsideMoment) -> None:
    """The host tells of the inside of what is looked at."""
    assert workspace.session.moment is not None
    workspace.session._mirror.original = workspace.session.moment.model_copy(
        update={"inside": inside}
    )
    workspace.session.viewed.emit()


def inside_of(sub: str, node: NodeMoment, node_id: str, *runs: int) -> InsideMoment:
    numbers = runs or (1,)
    made = Moment(header=header(3), superstep=1, nodes={node_id: node})
    there = tuple(
        InsideRun(key=f"{sub}#{number}", superstep=number, questions=1)
        for number in numbers
    )
    return InsideMoment(
        way=(sub,), keys=(f"{sub}#{numbers[-1]}",), runs=there, moment=made
    )


def inside_a_run(hand: Hand) -> tuple[Workspace, str, str]:
    """A run that stands, and a sub-workflow in it into which one has gone; its id, and
    that of a node inside.
    """
    workspace = live(hand)
    link_of(workspace).reply("inspect", Moment(header=header(3), superstep=2))
    first = workspace.document.root.workflow.nodes[0]
    inner = Design(WorkflowDefinition(start=first.id, nodes=(first,)))
    params = {"inline": files.to_file(inner).model_dump(mode="json")}
    drawn, sub = edits.add_node(
        workspace.document.root, "sub_workflow", (0, 400), params=params
    )
    workspace.document.apply("Add", drawn)
    workspace.session._mirror.original = Moment(header=header(3), superstep=2)
    workspace.session.viewed.emit()
    workspace.document.select({sub})
    workspace.canvas.setFocus()
    hand.key(K.Key_PageDown)
    assert workspace.document.inside == (sub,)
    return workspace, sub, first.id


def test_of_several_runs_inside_one_is_chosen_in_the_strip(desk: Hand) -> None:
    workspace, sub, first = inside_a_run(desk)
    link = link_of(workspace)
    assert link.last("inspect")["arguments"]["inside"] == [sub]
    look(workspace, inside_of(sub, NodeMoment(state="asking"), first))
    assert workspace.crumbs.runs.isHidden()
    look(workspace, inside_of(sub, NodeMoment(state="asking"), first, 2, 5))
    menu = workspace.crumbs.runs
    assert menu.isVisible()
    assert menu.text() == "Run 5, one of 2"
    menu.menu().aboutToShow.emit()
    texts = [action.text() for action in menu.menu().actions() if action.text()]
    assert texts == [
        "Always the newest",
        "Run 5 · waits for an answer · 5 supersteps inside",
        "Run 2 · waits for an answer · 2 supersteps inside",
    ]
    link.reply("inspect", workspace.session.moment)
    entry(menu.menu(), texts[2])
    assert link.last("inspect")["arguments"]["runs"] == [f"{sub}#2"]
    menu.menu().aboutToShow.emit()
    assert [
        action.text() for action in menu.menu().actions() if action.isChecked()
    ] == texts[2:]
    # it has ended by now
    look(workspace, inside_of(sub, NodeMoment(state="asking"), first, 5))
    assert (
        workspace.crumbs.note
        == "Run 2 has ended or not begun at this moment. This is the newest."
    )
    menu.menu().aboutToShow.emit()
    entry(menu.menu(), texts[0])
    assert workspace.crumbs.note == ""


def test_who_is_at_work_inside_is_shown_while_it_runs(desk: Hand) -> None:
    workspace, sub, first = inside_a_run(desk)
    look(workspace, inside_of(sub, NodeMoment(state="next"), first))
    link = link_of(workspace)
    link.notice("resumed", ResumedBody(run_id="r1"))
    inner = {f"{sub}#1": InsideProgress(running={first: 2.5})}
    link.notice("progress", ProgressBody(superstep=3, running={sub: 2.5}, inside=inner))
    face = workspace.canvas.scene().overlay.nodes[first]
    assert (face.state, face.detail) == ("running", "2.5 s")
    inner = {f"{sub}#1": InsideProgress(done={first: 3.0})}
    link.notice("progress", ProgressBody(superstep=3, done={sub: 3.0}, inside=inner))
    assert workspace.canvas.scene().overlay.nodes[first].state == "held"


def test_panels_tell_of_the_level_that_is_looked_at(desk: Hand) -> None:
    workspace, sub, first = inside_a_run(desk)
    panel = desk.show("Selected")
    look(workspace, InsideMoment(way=(sub,)))
    assert panel.stack.currentWidget() is panel.stack.notice  # type: ignore[attr-defined]
    look(workspace, inside_of(sub, NodeMoment(state="asking"), first))
    (heading,) = panel.tree.values.root.children  # type: ignore[attr-defined]
    assert [row.key for row in heading.children] == [first]
    workspace.leave()
    assert panel.tree.values.root.children == []  # type: ignore[attr-defined]


def test_each_level_keeps_where_one_looked(desk: Hand, drawn: Workspace) -> None:
    made(desk, drawn)
    canvas = drawn.canvas
    desk.key(K.Key_Plus, Qt.KeyboardModifier.ControlModifier)
    canvas.camera.zoom_to(0.6)
    canvas.camera.look_at(canvas.scene().boxes["out"].rect.center())
    outside = canvas.camera.place()
    desk.key(K.Key_PageDown)
    canvas.camera.zoom_to(1.5)
    inside = canvas.camera.place()
    desk.key(K.Key_PageUp)
    assert canvas.zoom == pytest.approx(outside.zoom)
    assert (canvas.camera.place().centre - outside.centre).manhattanLength() < 4
    desk.key(K.Key_PageDown)
    assert canvas.zoom == pytest.approx(inside.zoom)
    assert (canvas.camera.place().centre - inside.centre).manhattanLength() < 4


@pytest.mark.parametrize("way", ["crumb", "page up", "alt up"])
def test_from_the_file_of_a_sub_workflow_the_way_out_leads_back(
    hand: Hand, tab: Workspace, tmp_path: Path, way: str
) -> None:
    sub = with_file(tab, tmp_path)
    hand.key(K.Key_Return)
    inner = hand.workspace
    assert inner.crumbs.isVisible()
    assert inner.crumbs.text == "whole › part"
    inner.document.apply(
        "Rename", edits.rename(inner.document.design, "clean", "Cleaner")
    )
    hand.key(K.Key_S, Qt.KeyboardModifier.ControlModifier)
    assert (
        files.load(tmp_path / "part.stepwell.json").workflow.node("clean").name
        == "Cleaner"
    )  # type: ignore[union-attr]
    if way == "crumb":
        hand.click(inner.crumbs.buttons[0])
    else:
        hand.key(*((K.Key_PageUp,) if way == "page up" else (K.Key_Up, ALT)))
    assert hand.workspace is tab
    assert tab.document.selection == {sub}
    hand.window.files.close(tab)
    hand.window.bring_to_front(inner)
    assert inner.crumbs.isHidden()


def with_file(drawn: Workspace, folder: Path) -> str:
    """A sub-workflow in a file of its own, selected; its id."""
    files.save(folder / "part.stepwell.json", chain())
    drawn.document.save(folder / "whole.stepwell.json")
    params = {"file": "part.stepwell.json"}
    design, sub = edits.add_node(
        drawn.document.design, "sub_workflow", (0, 300), params=params
    )
    drawn.document.apply("Add", design)
    drawn.document.save()
    drawn.document.select({sub})
    return sub


def test_in_a_run_one_looks_into_a_file_and_editing_leads_out_of_it(
    hand: Hand, tmp_path: Path
) -> None:
    workspace = live(hand)
    sub = with_file(workspace, tmp_path)
    workspace.session._mirror.original = Moment(header=header(3), superstep=2)
    workspace.session.viewed.emit()
    workspace.canvas.setFocus()
    hand.key(K.Key_Return)
    assert workspace.document.inside == (sub,)
    assert len(hand.window.workspaces) == 1
    assert set(workspace.canvas.scene().nodes) == {
        node.id for node in chain().workflow.nodes
    }
    hand.key(K.Key_PageDown, Qt.KeyboardModifier.ShiftModifier)
    assert hand.workspace.document.path == tmp_path / "part.stepwell.json"
    hand.window.bring_to_front(workspace)
    workspace.document.select({"rank"})
    hand.key(K.Key_E, Qt.KeyboardModifier.ControlModifier)
    assert workspace.session.mode == "edit"
    assert way_of(workspace) == ""
    assert hand.workspace.document.path == tmp_path / "part.stepwell.json"
    assert hand.workspace.document.selection == {"rank"}


@pytest.mark.parametrize("way", ["keys", "menu"])
def test_a_sub_workflow_in_a_tab_is_a_level_of_the_same_drawing(
    hand: Hand, tab: Workspace, way: str
) -> None:
    sub = made(hand, tab)
    tabs = hand.window.tabs
    if way == "keys":
        hand.key(K.Key_PageDown, Qt.KeyboardModifier.ShiftModifier)
    else:
        assert entry(
            menu_for(
                tab.canvas,
                tab.canvas.scene().boxes[sub].rect.center(),
            ),
            "Open in a tab",
        )
    assert [tabs.tabText(at).strip() for at in range(tabs.count())] == [
        "audit (not saved)",
        "Sub-workflow",
    ]
    assert way_of(tab) == sub
    tab.document.select({"rank"})
    hand.key(K.Key_Delete)
    hand.click(tabs, tabs.tabRect(0).center())
    assert (way_of(tab), tabs.currentIndex()) == ("", 0)
    assert child(tab.document.root, sub).workflow.node("rank") is None
    hand.click(tabs, tabs.tabRect(1).center())
    assert (way_of(tab), tabs.currentIndex()) == (sub, 1)
    hand.key(K.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert "rank" in tab.canvas.scene().nodes
    hand.window.bring_to_front(tab)
    # nothing is selected inside
    hand.key(K.Key_PageDown, Qt.KeyboardModifier.ShiftModifier)
    assert tabs.count() == 2
    hand.key(K.Key_W, Qt.KeyboardModifier.ControlModifier)
    assert tabs.count() == 1
    assert hand.window.workspaces == [tab]
    assert hand.somebody.asked == []
    assert way_of(tab) == ""


def test_the_way_out_of_the_tab_of_a_level_leads_to_that_of_the_workflow(
    hand: Hand, tab: Workspace
) -> None:
    sub = made(hand, tab)
    tabs = hand.window.tabs
    hand.key(K.Key_PageDown, Qt.KeyboardModifier.ShiftModifier)
    hand.key(K.Key_PageUp)
    assert (way_of(tab), tabs.currentIndex()) == ("", 0)
    assert tab.document.selection == {sub}
    assert [tabs.tabText(at).strip() for at in range(tabs.count())] == [
        "audit (not saved)",
        "Sub-workflow",
    ]
    hand.click(tabs, tabs.tabRect(1).center())
    assert way_of(tab) == sub


@pytest.mark.parametrize("way", ["deleted", "undone"])
def test_the_tab_of_a_level_goes_with_its_sub_workflow(
    hand: Hand, tab: Workspace, way: str
) -> None:
    """One that stayed would have its name again after undo, and show the workflow."""
    sub = made(hand, tab)
    tabs = hand.window.tabs
    hand.key(K.Key_PageDown, Qt.KeyboardModifier.ShiftModifier)
    hand.click(tabs, tabs.tabRect(0).center())
    if way == "deleted":
        tab.document.select({sub})
        hand.key(K.Key_Delete)
    else:
        hand.key(K.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert sub not in tab.canvas.scene().nodes
    assert (tabs.count(), tabs.currentIndex()) == (1, 0)
    hand.key(
        K.Key_Z if way == "deleted" else K.Key_Y, Qt.KeyboardModifier.ControlModifier
    )
    tab.document.select({sub})
    hand.key(K.Key_PageDown, Qt.KeyboardModifier.ShiftModifier)
    assert (way_of(tab), tabs.count(), tabs.currentIndex()) == (sub, 2, 1)


def test_closing_a_workflow_closes_the_tabs_of_its_levels_too(
    hand: Hand, tab: Workspace
) -> None:
    made(hand, tab)
    hand.key(K.Key_PageDown, Qt.KeyboardModifier.ShiftModifier)
    other = hand.new_document()
    tabs = hand.window.tabs
    assert tabs.count() == 3
    hand.click(tabs, tabs.cross_rect(0).center())
    assert hand.window.workspaces == [other]
    assert tabs.count() == 1
    assert hand.workspace is other


def way_of(workspace: Workspace) -> str:
    return "/".join(workspace.document.inside)


def find(hand: Hand, text: str) -> CommandPalette:
    hand.key(K.Key_F, Qt.KeyboardModifier.ControlModifier)
    palette = hand.window.findChild(CommandPalette)
    assert palette is not None
    hand.qtbot.keyClicks(palette.search, text)  # type: ignore[no-untyped-call]
    return palette


def test_find_finds_nodes_on_other_levels_and_goes_there(
    hand: Hand, tab: Workspace
) -> None:
    sub = made(hand, tab)
    palette = find(hand, "Rank")
    assert palette.found.count() == 1  # the sub-workflow is not found by what is in it
    assert "in Sub-workflow" in palette.found.item(0).data(
        Qt.ItemDataRole.AccessibleTextRole
    )
    hand.qtbot.keyClick(palette.search, K.Key_Return)  # type: ignore[no-untyped-call]
    assert tab.document.inside == (sub,)
    assert tab.document.selection == {"rank"}
    assert hand.window.focusWidget() is tab.canvas


def test_from_inside_find_leads_out(hand: Hand, tab: Workspace) -> None:
    made(hand, tab)
    hand.key(K.Key_Return)
    palette = find(hand, "Packages")
    hand.qtbot.keyClick(palette.search, K.Key_Return)  # type: ignore[no-untyped-call]
    assert way_of(tab) == ""
    assert tab.document.selection == {"inp"}


def test_a_double_click_on_a_problem_inside_leads_to_the_node_there(
    desk: Hand, drawn: Workspace
) -> None:
    sub = made(desk, drawn)
    inner = edits.set_params(
        child(drawn.document.design, sub), "rank", {"text": "{message"}
    )
    drawn.document.apply("Break", with_child(drawn.document.design, sub, inner))
    drawn.checks.run()
    table = desk.show("Problems").table  # type: ignore[attr-defined]
    at = table.visualRect(table.model().index(0, 0)).center()
    desk.click(table.viewport(), at)
    assert drawn.document.selection == {sub}
    desk.qtbot.mouseDClick(table.viewport(), Qt.MouseButton.LeftButton, pos=at)  # type: ignore[no-untyped-call]
    assert drawn.document.inside == (sub,)
    assert drawn.document.selection == {"rank"}


def test_enter_on_a_problem_in_a_file_opens_it_and_leads_to_the_node(
    hand: Hand, tab: Workspace, tmp_path: Path
) -> None:
    with_file(tab, tmp_path)
    files.save(
        tmp_path / "part.stepwell.json",
        edits.set_params(chain(), "rank", {"text": "{message"}),
    )
    tab.checks.run()
    table = hand.show("Problems").table  # type: ignore[attr-defined]
    table.setFocus()
    (row,) = [at for at, problem in enumerate(tab.checks.problems) if problem.inside]
    table.setCurrentIndex(table.model().index(row, 0))
    hand.key(K.Key_Return)
    assert hand.workspace.document.path == tmp_path / "part.stepwell.json"
    assert hand.workspace.document.selection == {"rank"}
    assert hand.workspace.crumbs.text == "whole › part"


def test_a_long_name_does_not_push_the_way_out_of_the_window(
    desk: Hand, drawn: Workspace
) -> None:
    sub = made(desk, drawn)
    drawn.document.apply(
        "Rename", edits.rename(drawn.document.design, sub, "R & D " * 200)
    )
    desk.key(K.Key_Return)
    QApplication.processEvents()
    assert drawn.crumbs.minimumSizeHint().width() < 700
    assert drawn.crumbs.buttons[0].visibleRegion().contains(QPoint(4, 8))
