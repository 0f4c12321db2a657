"""Breakpoints in a workspace: the popover over the canvas, the list beside it, keys of the
state, deliveries in Messages.
"""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QPoint, QRectF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu

from designer.canvas.drawing.breakpoints import place_of_mark
from designer.canvas.verbs.menus import menu_for
from designer.canvas.verbs.popover import AWAY, Popover
from designer.panels.breakpoints.editor import BreakpointEditor
from designer.panels.breakpoints.editor_parts import EditorBody
from designer.panels.breakpoints.panel import BreakpointsPanel
from designer.panels.messages import MessagesPanel
from designer.panels.state import StatePanel
from designer.shell.workspace import Workspace
from runtime.debug.protocol import (
    Breakpoint,
    DeliveryMoment,
    HoldBody,
    InsideSuperstep,
    Item,
    Moment,
    Value,
)
from tests.designer.fakes import header
from tests.designer.shell.audit import faults
from tests.designer.shell.support import Hand, draw, link_of, live

ALT = Qt.KeyboardModifier.AltModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier
FOUR = Value(type="int", text="4")
STANDING = InsideSuperstep(
    superstep=3,
    deliveries=(
        DeliveryMoment(
            place=1,
            executor="classify",
            state="done",
            seconds=0.017,
            messages=(FOUR,),
            sources=("scan",),
            sent=(Item(name="route", section="delivery:1:sent:0", value=FOUR),),
            wrote=(Item(kind="state", name="oldest", value=FOUR),),
        ),
        DeliveryMoment(place=2, executor="rank", state="next", messages=(FOUR,)),
        DeliveryMoment(place=3, executor="age", state="waiting"),
    ),
)


def listed(workspace: Workspace) -> BreakpointsPanel:
    panel = workspace.panels["Breakpoints"]
    assert isinstance(panel, BreakpointsPanel)
    return panel


def editor(workspace: Workspace) -> BreakpointEditor:
    shown = workspace.canvas.breakpoints.editor
    assert isinstance(shown, BreakpointEditor)
    return shown


def press(menu: QMenu, text: str) -> None:
    actions = {action.text().partition("\t")[0]: action for action in menu.actions()}
    actions[text].trigger()


def see(workspace: Workspace, **fields: object) -> None:
    """Show a moment of the live run."""
    link = link_of(workspace)
    definition = workspace.document.root.workflow.model_dump(mode="json")
    moment = Moment.model_validate(
        {"header": header(3), "superstep": 3, "definition": definition, **fields}
    )
    link.reply("inspect", moment)


def kinds(workspace: Workspace) -> list[tuple[str, str]]:
    notes = workspace.document.breakpoints.notes
    return [(point.kind, point.where) for point in notes.breakpoints]


def test_alt_f9_opens_the_popover_and_done_leaves_it(hand: Hand) -> None:
    workspace = draw(hand)
    workspace.document.select({"rank"})
    hand.key(Qt.Key.Key_F9, ALT)
    popover = workspace.canvas.breakpoints.popover
    assert popover is not None
    assert popover.isVisible()
    hand.type("message > 3")
    hand.click(editor(workspace).done_button)
    assert workspace.canvas.breakpoints.popover is None
    (point,) = workspace.document.breakpoints.notes.breakpoints
    assert (point.where, point.condition) == ("rank", "message > 3")


def test_the_popover_covers_its_node_only_where_there_is_no_room_beside_it(
    hand: Hand,
) -> None:
    workspace = draw(hand)
    workspace.document.select({"rank"})
    hand.key(Qt.Key.Key_F9, ALT)
    popover = workspace.canvas.breakpoints.popover
    assert isinstance(popover, Popover)
    view = workspace.canvas.viewport().rect()
    assert view.height() < 2 * popover.height() + 40
    for left in (view.left() + 100, view.right() - 220):
        target = QRectF(left, view.center().y() - 20, 120, 40)
        popover.place(target)
        assert not QRectF(popover.geometry()).intersects(target)
        assert view.contains(popover.geometry())
        tip = popover._outline().boundingRect().translated(popover.pos())
        gap = min(abs(tip.left() - target.right()), abs(target.left() - tip.right()))
        assert round(gap) == AWAY


def test_a_row_that_appears_makes_the_popover_higher(hand: Hand) -> None:
    workspace = live(hand)
    workspace.document.breakpoints.put(
        Breakpoint(id="a", where="rank", condition="message > 3")
    )
    workspace.edit_breakpoint("a")
    body = editor(workspace).findChild(EditorBody)
    assert body is not None
    see(workspace)
    hand.wait(editor(workspace).trial.isVisible)
    hand.wait(lambda: body.verticalScrollBar().maximum() == 0)


def test_the_popover_stays_in_a_view_that_becomes_smaller(hand: Hand) -> None:
    workspace = draw(hand)
    workspace.document.select({"rank"})
    hand.key(Qt.Key.Key_F9, ALT)
    popover = workspace.canvas.breakpoints.popover
    assert popover is not None
    hand.window.resize(1100, 720)
    view = workspace.canvas.viewport()
    hand.wait(lambda: view.rect().contains(popover.geometry()))


def test_everything_in_the_popover_and_the_list_has_a_name(hand: Hand) -> None:
    workspace = draw(hand)
    workspace.document.breakpoints.put(Breakpoint(id="a", where="rank", log="x"))
    hand.show("Breakpoints")
    workspace.edit_breakpoint("a")
    popover = workspace.canvas.breakpoints.popover
    assert popover is not None
    assert popover.accessibleName() == "Breakpoint"
    assert faults(popover) == set()
    hand.click(listed(workspace).of_watches)
    assert faults(listed(workspace)) == set()


def test_escape_takes_back_what_was_changed_in_the_popover(hand: Hand) -> None:
    workspace = draw(hand)
    workspace.document.breakpoints.put(Breakpoint(id="a", where="rank"))
    workspace.document.select({"rank"})
    hand.key(Qt.Key.Key_F9, ALT)
    hand.click(editor(workspace).fields.once, QPoint(8, 10))
    assert workspace.document.breakpoints.notes.breakpoints[0].once
    hand.key(Qt.Key.Key_Escape)
    assert workspace.canvas.breakpoints.popover is None
    assert not workspace.document.breakpoints.notes.breakpoints[0].once


def test_a_double_click_on_a_mark_edits_it(hand: Hand) -> None:
    workspace = draw(hand)
    workspace.document.breakpoints.put(Breakpoint(id="a", where="rank"))
    view = workspace.canvas
    place = place_of_mark(view.scene(), "rank")
    assert place is not None
    pixel = view.mapFromScene(place)
    hand.click(view.viewport(), pixel)
    QTest.mouseDClick(view.viewport(), Qt.MouseButton.LeftButton, pos=pixel)
    assert editor(workspace).id == "a"
    assert workspace.document.breakpoints.notes.breakpoints[0].enabled


def test_a_row_of_the_list_is_edited_at_its_mark_and_in_its_level(hand: Hand) -> None:
    workspace = draw(hand)
    workspace.document.breakpoints.put(Breakpoint(id="a", where="rank"))
    panel = listed(workspace)
    hand.show("Breakpoints")
    place = panel.table.visualRect(panel.rows.index(0, 2)).center()
    hand.click(panel.table.viewport(), place)
    QTest.mouseDClick(panel.table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert editor(workspace).id == "a"
    assert workspace.document.selection == {"rank"}
    hand.click(editor(workspace).close_button)
    assert workspace.canvas.breakpoints.editor is None


def test_one_without_a_mark_is_edited_over_the_canvas_too(hand: Hand) -> None:
    workspace = draw(hand)
    panel = listed(workspace)
    hand.show("Breakpoints")
    panel.add("failure")
    shown = editor(workspace)
    assert shown.isVisible()
    assert kinds(workspace) == [("failure", "")]
    hand.click(shown.delete_button)
    assert workspace.canvas.breakpoints.editor is None


def test_edges_and_joins_get_one_by_their_menus(hand: Hand) -> None:
    workspace = draw(hand)
    view = workspace.canvas
    for edge, kind in (("ask->report", "message"), ("join", "fires")):
        figure = view.scene().figure(edge)
        assert figure is not None
        point = figure.wires[0].path.pointAtPercent(0.5)
        if figure.segments:
            point = figure.segments[0].center()
        menu = menu_for(view, point)
        press(menu, "Set a breakpoint")
        menu.deleteLater()
        assert kinds(workspace)[-1] == (kind, edge)
        menu = menu_for(view, point)
        press(menu, "Edit the breakpoint…")
        menu.deleteLater()
        assert kinds(workspace)[-1] == (kind, edge)
        hand.click(editor(workspace).done_button)


def test_in_a_run_the_menu_of_a_node_runs_to_it_and_holds_it(hand: Hand) -> None:
    workspace = live(hand)
    link = link_of(workspace)
    view = workspace.canvas
    point = view.scene().boxes["rank"].rect.center()
    menu = menu_for(view, point)
    press(menu, "Hold this executor")
    menu.deleteLater()
    assert link.last("hold")["arguments"]["executor"] == "rank"
    link.reply("hold", HoldBody(held=(((), "rank"),)))
    menu = menu_for(view, point)
    press(menu, "Let it run again")
    menu.deleteLater()
    assert link.last("hold")["arguments"]["held"] is False
    menu = menu_for(view, point)
    press(menu, "Run to here")
    menu.deleteLater()
    assert link.last("run_to")["arguments"]["node"] == "rank"


def test_a_key_of_the_state_gets_one_in_the_gutter_and_by_its_menu(hand: Hand) -> None:
    workspace = live(hand)
    panel = workspace.panels["State"]
    assert isinstance(panel, StatePanel)
    hand.show("State")
    state = Value(type="dict", text="", count=1, children=(("oldest", FOUR),))
    see(workspace, sections={"state": state})
    tree = panel.tree
    node = tree.values.find(("state", "oldest"))
    assert node is not None
    row = tree.visualRect(tree.values.index_of(node))
    hand.click(tree.viewport(), QPoint(8, row.center().y()))
    assert kinds(workspace) == [("write", "oldest")]
    assert "breakpoint, is written" in tree.values.index_of(
        tree.values.find(("state", "oldest"))
    ).data(Qt.ItemDataRole.AccessibleTextRole)
    hand.click(tree.viewport(), QPoint(8, row.center().y()))
    assert not workspace.document.breakpoints.notes.breakpoints[0].enabled
    press(tree.menu_for(node), "Edit its breakpoint…")
    hand.click(editor(workspace).done_button)
    press(tree.menu_for(node), "Delete its breakpoint")
    press(tree.menu_for(node), "Stop when it is written")
    assert kinds(workspace) == [("write", "oldest")]
    press(tree.menu_for(node), "Find its writes")
    assert workspace.session.past.questions[-1].text == 'write "oldest"'
    hand.show("State")
    press(tree.menu_for(node), "Watch")
    assert workspace.document.breakpoints.notes.watches == ("state['oldest']",)
    assert listed(workspace).watches.isVisible()


def test_shift_f9_goes_to_the_watches(hand: Hand) -> None:
    workspace = live(hand)
    hand.key(Qt.Key.Key_F9, SHIFT)
    hand.type("superstep")
    hand.key(Qt.Key.Key_Return)
    assert workspace.document.breakpoints.notes.watches == ("superstep",)
    see(workspace)


def rows(panel: MessagesPanel) -> list[tuple[str, str]]:
    return [(node.title, node.tail) for node in panel.tree.values.root.walk()]


def test_inside_a_superstep_messages_shows_the_deliveries_and_what_is_held(
    hand: Hand,
) -> None:
    workspace = live(hand)
    panel = workspace.panels["Messages"]
    assert isinstance(panel, MessagesPanel)
    hand.show("Messages")
    queued = {"where": "queued", "source": "scan", "target": "rank", "data": FOUR}
    see(workspace, standing=STANDING, messages=(queued,))
    assert rows(panel) == [
        ("Superstep 3", "1 of 3 delivered"),
        ("1  Classify licences", "done, held · 17 ms"),
        ("from Installed packages", ""),
        ("2  Rank by reach", "next delivery"),
        ("Input", ""),
        ("3  Age check", "waits"),
        ("Held until the barrier", "in superstep 3"),
        ("Classify licences sent to Route by licence", ""),
        ("Classify licences wrote oldest", ""),
    ]
    assert "counts before the barrier" in panel._hint.text()


def test_the_file_goes_along_to_another_name_and_stays_beside_the_old_one(
    hand: Hand, tmp_path: Path
) -> None:
    workspace = draw(hand)
    workspace.document.breakpoints.put(Breakpoint(id="a", where="rank"))
    first = tmp_path / "first.stepwell.json"
    second = tmp_path / "second.stepwell.json"
    for path in (first, second):
        hand.somebody.save_to = path
        hand.window.actions_by_id["save-as"].trigger()
        workspace.document.breakpoints.finish()
        beside = path.with_name(path.name.replace(".stepwell.json", ".debug.json"))
        assert '"where": "rank"' in beside.read_text("utf-8")
        assert "rank" in first.with_name("first.debug.json").read_text("utf-8")
