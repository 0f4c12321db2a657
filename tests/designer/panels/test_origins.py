"""Where a value comes from: asked from every list of values, shown step by step in
Selected.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu

from designer.model.patch_address import Address
from designer.panels.joins import Held, JoinsPanel, SourceRow
from designer.panels.messages import MessagesPanel
from designer.panels.outputs import OutputsPanel
from designer.panels.requests import RequestsPanel
from designer.panels.selected import SelectedPanel
from designer.panels.state import StatePanel
from designer.panels.values.model import Node
from designer.panels.values.origins import QUESTION, place_of
from designer.panels.values.patch_address import EDIT, place_of_step
from designer.panels.values.tree import ValueTree
from designer.panels.widgets.join_bars import Fill
from runtime.debug.protocol import (
    EdgeBody,
    Item,
    JoinFill,
    JoinRelease,
    JoinSource,
    MessageMoment,
    OriginAddress,
    OriginLink,
    OriginStep,
    OutputItem,
    OutputsBody,
    ProvenanceBody,
    Reason,
    SuperstepBody,
    Writer,
)
from tests.designer.fake_session import FakeSession
from tests.designer.panels.fakes import join, moment, value

Show = Callable[..., Any]
LEFT = Qt.MouseButton.LeftButton
MENU = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)


def click(widget: Any, at: QPoint | None = None) -> None:
    QTest.mouseClick(widget, LEFT, pos=at or widget.rect().center())


def click_row(tree: ValueTree, *keys: str) -> None:
    node = tree.values.find(keys)
    assert node is not None, keys
    index = tree.values.index_of(node)
    click(tree.viewport(), tree.visualRect(index).center())


def choose_from_menu(tree: ValueTree, text: str, *keys: str) -> None:
    """Open the menu of a row, and click an entry of it."""
    node = tree.values.find(keys)
    assert node is not None, keys
    place = tree.visualRect(tree.values.index_of(node)).center()
    tree.customContextMenuRequested.emit(place)
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    [action] = [action for action in menu.actions() if action.text() == text]
    click(menu, menu.actionGeometry(action).center())
    QApplication.processEvents()


def asked(session: FakeSession) -> tuple[str, tuple[int, ...], str | None]:
    arguments, _ = session.origins[-1]
    return arguments.address, arguments.path, arguments.checkpoint_id


@MENU
def test_a_row_of_the_state_is_asked_by_its_key_also_from_a_part_of_it(
    show: Show, session: FakeSession
) -> None:
    session.look_at(moment())
    panel = show(StatePanel)
    choose_from_menu(panel.tree, QUESTION, "state", "counts")
    assert asked(session) == ("state", (2,), None)
    assert session.origin.name == "counts"
    panel.tree.open_to(("state", "counts"))
    choose_from_menu(panel.tree, QUESTION, "state", "counts", "MIT")
    assert asked(session) == ("state", (2,), None)


def test_a_waiting_message_and_one_of_another_checkpoint_have_an_origin() -> None:
    queued = place_of(Node("a", section="queue:3"))
    sent = place_of(Node("a", section="queue:1@c5"))
    assert (queued and queued[:3]) == ("queue:3", (), None)
    assert (sent and sent[:3]) == ("queue:1", (), "c5")


@pytest.mark.parametrize("section", ["", "params:rank", "state"])
def test_headings_and_parameters_have_none(section: str) -> None:
    assert place_of(Node("a", section=section)) is None


def test_an_output_is_asked_where_it_was_put_out(
    show: Show, session: FakeSession
) -> None:
    panel = show(OutputsPanel)
    session.look_at(moment())
    item = OutputItem(
        executor="report",
        superstep=4,
        checkpoint_id="c4",
        index=1,
        value=value({"pages": 3}),
    )
    session.put_out[-1][1](OutputsBody(items=(item,), checkpoint_id="c6"))
    click(panel.origin_button)
    assert asked(session) == ("output:1", (), "c4")


def test_a_question_is_asked_by_its_id(show: Show, session: FakeSession) -> None:
    session.look_at(moment())
    panel = show(RequestsPanel)
    click(panel.question.origin)
    assert asked(session) == ("request:r1", (), None)


# --- joins


def starved() -> Any:
    missing = JoinSource(
        id="rank",
        have=0,
        need=1,
        reason="branch not taken: Scan took case 2 in superstep 4",
        cause_element="fan",
        cause_superstep=4,
    )
    held = JoinSource(
        id="age",
        have=1,
        need=1,
        since=3,
        messages=(value(16),),
        ages=(3,),
        sections=("held:0",),
    )
    release = JoinRelease(
        edge="join",
        target="route",
        counts=(("rank", 1), ("age", 2)),
        superstep=2,
        checkpoint_id="c2",
    )
    filling = (
        JoinFill(superstep=2, have=(0, 0), released=(2, 1)),
        JoinFill(superstep=3, have=(1, 0), released=(0, 0)),
    )
    return join(sources=(held, missing), held=1, releases=(release,), filling=filling)


def test_the_reason_of_a_silent_source_leads_to_what_decided(
    show: Show, session: FakeSession, document: Any
) -> None:
    session.look_at(moment(joins=(starved(),)))
    panel = show(JoinsPanel)
    leads: list[None] = []
    panel.selected_requested.connect(lambda: leads.append(None))
    held, missing = panel.findChildren(SourceRow)
    assert not held.why.isVisible()
    click(missing.why)
    assert session.commands[-1] == ("view", "c4")
    assert document.selection == {"fan"}
    assert len(leads) == 1


def test_a_held_message_says_when_it_arrived_and_is_asked_by_its_button(
    show: Show, session: FakeSession
) -> None:
    session.look_at(moment(joins=(starved(),)))
    panel = show(JoinsPanel)
    [held] = panel.findChildren(Held)
    assert held._age.text() == "s3"
    click(held.origin)
    assert asked(session) == ("held:0", (), None)


def test_the_filling_by_superstep_is_told_and_leads_there(
    show: Show, session: FakeSession
) -> None:
    session.look_at(moment(joins=(starved(),)))
    panel = show(JoinsPanel)
    released, holding = panel.findChildren(Fill)
    assert released.toolTip() == (
        "Superstep 2: released 2 from Age check, 1 from Rank by reach; holds nothing"
    )
    assert holding.toolTip() == "Superstep 3: holds 1 from Age check"
    click(released)
    assert session.commands[-1] == ("view", "c2")


def test_a_narrow_panel_shows_the_newest_supersteps_that_have_room(
    show: Show, session: FakeSession
) -> None:
    fills = tuple(
        JoinFill(superstep=superstep, have=(1, 0), released=(0, 0))
        for superstep in range(1, 9)
    )
    crowded = starved().model_copy(update={"filling": fills})
    session.look_at(moment(joins=(crowded,)))
    panel = show(JoinsPanel, 336)
    shown = panel.findChildren(Fill)
    assert [fill.toolTip().split(":")[0] for fill in shown][-1] == "Superstep 8"
    assert len(shown) == 5
    assert all(fill.geometry().right() <= 336 for fill in shown)


@pytest.mark.parametrize(("width", "shown"), [(277, 4), (336, 5), (500, 8)])
def test_the_supersteps_follow_the_width_of_the_inspector(
    show: Show, session: FakeSession, width: int, shown: int
) -> None:
    fills = tuple(
        JoinFill(superstep=superstep, have=(1, 0), released=(0, 0))
        for superstep in range(1, 9)
    )
    session.look_at(moment(joins=(starved().model_copy(update={"filling": fills}),)))
    panel = show(JoinsPanel, width)
    panel.follow_room(is_narrow=False, inspector_width=width)
    assert len(panel.ledgers["join"].fills) == shown


def test_many_sources_have_one_bar_together(show: Show, session: FakeSession) -> None:
    names = [f"n{number}" for number in range(40)]
    sources = tuple(JoinSource(id=name, have=1, need=1) for name in names)
    fill = JoinFill(superstep=2, have=(1,) * 40, released=(0,) * 40)
    session.look_at(moment(joins=(join(sources=sources, filling=(fill,)),)))
    panel = show(JoinsPanel, 336)
    [shown] = panel.ledgers["join"].fills
    assert shown.width() == 52
    assert panel.ledgers["join"]._bar.width() == 96
    assert not panel.grab().isNull()


def test_a_selected_join_lists_its_earlier_releases(
    show: Show, session: FakeSession, document: Any
) -> None:
    session.look_at(moment(joins=(starved(),)), "past")
    document.select({"join"})
    panel = show(SelectedPanel)
    session.elements[-1][1](EdgeBody(edge="join", kind="fan_in", superstep=6))
    heading = panel.tree.values.find(("fired before",))
    assert [(row.title, row.tail) for row in heading.children] == [
        ("Superstep 2", "1 from Rank by reach, 2 from Age check")
    ]
    click_row(panel.tree, "fired before", "2")
    assert session.commands[-1] == ("view", "c2")


# --- state and messages


@MENU
def test_each_key_names_its_writer_who_is_one_click_away(
    show: Show, session: FakeSession, document: Any
) -> None:
    writer = Writer(
        key="counts", executors=("rank", "age"), superstep=5, checkpoint_id="c5"
    )
    session.look_at(moment(writers=(writer,)))
    panel = show(StatePanel)
    row = panel.tree.values.find(("state", "counts"))
    assert row.tail == "Rank by reach, Age check · s5"
    choose_from_menu(panel.tree, "Go to writer", "state", "counts")
    assert session.commands[-1] == ("view", "c5")
    assert document.selection == {"age"}


def test_messages_say_since_when_they_wait(show: Show, session: FakeSession) -> None:
    messages = (
        MessageMoment(where="queued", source="scan", target="rank", since=6, data=_N),
        MessageMoment(where="buffered", source="age", target="rank", since=2, data=_N),
        MessageMoment(where="buffered", source="age", target="rank", data=_N),
    )
    session.look_at(moment(6, messages=messages))
    panel = show(MessagesPanel)
    group = panel.tree.values.find(("rank",))
    tails = [row.tail for row in group.children]
    assert tails == ["s6", "held since s2 · 4 supersteps", "held"]


_N = value(1)


def dropped(lost: bool) -> Item:
    return Item(
        name="scan → rank",
        edges=("fan",),
        note="condition false · no other node took it",
        checkpoint_id="c5",
        section="queue:1",
        value=value(0.3),
        lost=lost,
        why=(
            Reason(text="message > 0.8", value="false", holds=False),
            Reason(text="message", value="0.3", depth=1),
        ),
    )


@MENU
def test_messages_that_nobody_took_are_listed_with_the_reasons(
    show: Show, session: FakeSession, document: Any
) -> None:
    session.look_at(moment(6), "past")
    panel = show(MessagesPanel)
    body = SuperstepBody(superstep=6, stopped=(dropped(True), dropped(False)))
    session.supersteps[-1](body)
    lost, taken = panel.tree.values.root.children[-2:]
    assert (lost.title, taken.title) == (
        "Dropped in superstep 6",
        "Stopped on an edge, taken by another",
    )
    [row] = lost.children
    assert (row.title, row.tail) == (
        "Installed packages → Rank by reach",
        "condition false",
    )
    [condition] = row.children
    assert (condition.title, condition.tail, condition.holds) == (
        "message > 0.8",
        "false",
        False,
    )
    assert (condition.children[0].title, condition.children[0].tail) == (
        "message",
        "0.3",
    )
    choose_from_menu(panel.tree, QUESTION, *row.keys)
    assert asked(session) == ("queue:1", (), "c5")
    click_row(panel.tree, *row.keys)
    place = panel.tree.visualRect(panel.tree.currentIndex()).center()
    QTest.mouseDClick(panel.tree.viewport(), LEFT, pos=place)
    assert document.selection == {"fan"}


def test_a_run_that_moves_is_not_asked_about_its_superstep(
    show: Show, session: FakeSession
) -> None:
    session.running = True
    session.look_at(moment(6))
    show(MessagesPanel)
    assert session.supersteps == []


# --- the list of steps


def origin_step(number: int, executor: str, how: str, **more: Any) -> OriginStep:
    sources = (OriginLink(number=number - 1, edge="fan"),) if number > 1 else ()
    return OriginStep(
        number=number,
        item=Item(
            value=value({"n": number}), checkpoint_id=f"c{number}", section="queue:0"
        ),
        at=OriginAddress(checkpoint_id=f"c{number}", address="queue:0"),
        executor=executor,
        how=how,
        superstep=number,
        checkpoint_id=f"c{number}",
        sources=sources,
        **more,
    )


STEPS = (
    origin_step(1, "scan", "sent", is_open=True),
    origin_step(2, "rank", "sent", gap="The record has a hole."),
    origin_step(3, "report", "yielded"),
)


@pytest.fixture
def listed(show: Show, session: FakeSession) -> Any:
    """Selected with the answer about an output."""
    session.look_at(moment())
    panel = show(SelectedPanel)
    session.explain("output:0", "this output")
    session.origins[-1][1](ProvenanceBody(steps=STEPS, complete=False), "")
    return panel


def test_the_steps_lead_from_the_value_back_to_the_input(listed: Any) -> None:
    view = listed.origin
    assert view.head.text() == "Where this output comes from"
    assert view.facts.text() == "3 steps, superstep 1 to 3. It goes further back"
    rows = [(row.title, row.tail) for row in view.tree.values.root.children]
    assert rows == [
        ("3 · Write report yielded", "← 2 · s3"),
        ("2 · Rank by reach sent", "← 1 · s2"),
        ("The record has a hole.", "not recorded"),
        ("1 · Installed packages sent", "s1"),
        ("Look further back from here", ""),
    ]


def test_a_click_on_a_step_leads_there(listed: Any, session: FakeSession) -> None:
    steps: list[OriginStep] = []
    session.origin.step_chosen.connect(steps.append)
    click_row(listed.origin.tree, "2")
    assert [step.number for step in steps] == [2]


def double_click_row(tree: ValueTree, *keys: str) -> None:
    node = tree.values.find(keys)
    assert node is not None, keys
    place = tree.visualRect(tree.values.index_of(node)).center()
    click(tree.viewport(), place)
    QTest.mouseDClick(tree.viewport(), LEFT, pos=place)


@MENU
def test_the_value_of_a_step_is_edited_in_a_copy_of_its_checkpoint(
    listed: Any,
) -> None:
    asked_for: list[tuple[str, Address]] = []
    listed.origin_copy_requested.connect(lambda *place: asked_for.append(place))
    double_click_row(listed.origin.tree, "2")
    choose_from_menu(listed.origin.tree, EDIT, "1")
    assert asked_for == [
        ("c2", Address("queue", message=0)),
        ("c1", Address("queue", message=0)),
    ]


def test_what_cannot_be_edited_or_is_no_value_is_not_offered(
    listed: Any, session: FakeSession
) -> None:
    asked_for: list[str] = []
    listed.origin_copy_requested.connect(lambda place, _: asked_for.append(place))
    double_click_row(listed.origin.tree, "2 gap")
    session.looks_only = True
    double_click_row(listed.origin.tree, "2")
    assert asked_for == []
    menu = listed.origin.tree.menu_for(listed.origin.tree.values.find(("2",)))
    assert EDIT not in [action.text() for action in menu.actions()]


def test_a_key_of_the_state_is_edited_where_it_was_written() -> None:
    item = Item(
        kind="state",
        name="price",
        value=value(21),
        checkpoint_id="c9",
        section="state",
        path=(0,),
    )
    step = origin_step(1, "old", "wrote price").model_copy(update={"item": item})
    assert place_of_step(step) == ("c1", Address("state", "price"))


@pytest.mark.parametrize(
    ("section", "runs"), [("output:0", ()), ("queue:0", ("price#1",)), ("held:0", ())]
)
def test_a_step_that_no_copy_of_the_outermost_run_has_is_not_edited(
    section: str, runs: tuple[str, ...]
) -> None:
    item = Item(value=value(1), checkpoint_id="c1", section=section)
    step = origin_step(1, "scan", "sent", item_runs=runs)
    assert place_of_step(step.model_copy(update={"item": item})) is None


def test_a_node_that_is_selected_on_the_canvas_shows_its_step(
    listed: Any, document: Any
) -> None:
    tree = listed.origin.tree
    document.select({"rank"})
    assert tree.values.node(tree.currentIndex()).keys == ("2",)
    document.select({"age"})
    assert tree.values.node(tree.currentIndex()).keys == ("2",)


def test_an_open_step_is_looked_up_further_and_back_again(
    listed: Any, session: FakeSession
) -> None:
    view = listed.origin
    click_row(view.tree, "1 go on")
    assert asked(session) == ("queue:0", (), "c1")
    assert "Looking it up" in view.notice.notice.text()
    click(view.back_button)
    assert view.tree.isVisible()
    assert len(view.tree.values.root.children) == 5


def test_the_steps_can_be_copied_and_closed(listed: Any, session: FakeSession) -> None:
    click(listed.origin.copy_button)
    text = QApplication.clipboard().text()
    assert text.splitlines()[0].startswith("← 2 · s3  3 · Write report yielded")
    click(listed.origin.close_button)
    assert not session.origin.is_on
    assert listed.stack.currentWidget() is not listed.origin


def test_the_reason_of_no_answer_is_shown(show: Show, session: FakeSession) -> None:
    session.look_at(moment())
    panel = show(SelectedPanel)
    session.explain("output:0", "this output")
    session.origins[-1][1](None, "There is no checkpoint yet.")
    assert "There is no checkpoint yet." in panel.origin.notice.notice.text()


def test_a_large_value_of_a_step_is_asked_of_its_own_checkpoint(
    listed: Any, session: FakeSession
) -> None:
    listed.origin._expand("queue:0@2", (), 0, lambda _body: None)
    assert (session.asked[-1][0], session.asked_of[-1]) == ("queue:0", "c2")
