"""The task Compare: every section with its signs, the filters, the text, and the way from
a difference to the canvas.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from designer.document.document import Document
from designer.panels.compare.panel import ComparePanel
from designer.panels.values.difference_tree import DifferenceTree
from runtime.debug.protocol import (
    ChangeItem,
    DiffBody,
    DivergedSide,
    DivergenceBody,
    DivergenceReason,
    DivergenceRow,
    InsideRun,
    RunInfo,
    Value,
)
from tests.designer.fake_session import FakeSession
from tests.designer.fakes import header, straight
from tests.designer.panels.fakes import moment, value

Show = Callable[..., Any]
LEFT = Qt.MouseButton.LeftButton
CHANGES = (
    ChangeItem(
        section="state",
        path="['reach']['psycopg']",
        kind="changed",
        old=value(41),
        new=value(38),
        executor="rank",
    ),
    ChangeItem(section="state", path="['verdict']", kind="removed", old=value("ok")),
    ChangeItem(
        section="executors",
        path="['classify']['runs']",
        kind="changed",
        old=value(1),
        new=value(2),
        executor="classify",
    ),
    ChangeItem(
        section="messages",
        path="from scan → rank",
        kind="moved",
        old=value({"graph": 1}),
        new=value({"graph": 1}),
        before="second of 2",
        after="first of 1",
        source="scan",
        executor="rank",
    ),
    ChangeItem(
        section="joins",
        path="route ← age",
        kind="added",
        new=value(16),
        source="age",
        executor="route",
    ),
    ChangeItem(
        section="requests",
        path="['r1']",
        kind="changed",
        old=value("May these ship?"),
        new=value("May these ship?"),
        before="answered in s5",
        after="open",
        executor="ask",
        way=("review#2",),
    ),
    ChangeItem(section="header", path="branch", kind="changed"),
)
LINES = [
    "State",
    "  ≠ reach.psycopg: 41 → 38",
    "  − verdict: 'ok'",
    "Executors",
    "  ≠ Classify licences · runs: 1 → 2",
    "Messages",
    "  ⇅ from Installed packages → Rank by reach: second of 2 → first of 1",
    "Joins",
    "  + Route by licence ← Age check: 16",
    "Requests",
    "  ≠ Ask a person: May these ship?: answered in s5 → open",
]


@pytest.fixture
def panel(show: Show, session: FakeSession) -> ComparePanel:
    session.timeline.append(straight(6))
    session.timeline.flush()
    session.look_at(moment(6), "past")
    session.viewing = "c6"
    made: ComparePanel = show(ComparePanel)
    session.compare_with("c4")
    answer(session)
    return made


def answer(session: FakeSession, changes: tuple[ChangeItem, ...] = CHANGES) -> None:
    session.comparison = DiffBody(base="c4", checkpoint_id="c6", changes=changes)
    session.compared.emit()


def titles(tree: DifferenceTree) -> list[str]:
    return [node.title or node.key for node in tree.values.root.walk()]


def click_row(panel: ComparePanel, title: str) -> None:
    tree = panel.tree
    for node in tree.values.root.walk():
        if (node.title or node.key) == title:
            rect = tree.visualRect(tree.values.index_of(node))
            QTest.mouseClick(
                tree.viewport(),
                LEFT,
                Qt.KeyboardModifier.NoModifier,
                rect.center(),
            )
            return
    raise AssertionError(f"no row {title}")


def test_each_section_has_its_differences_with_both_values(panel: ComparePanel) -> None:
    QTest.mouseClick(panel.copy_button, LEFT)
    head, *lines = QApplication.clipboard().text().splitlines()
    assert head == "From A, #4, to B, #6: 6 differences"
    assert lines == LINES


def test_headings_count_each_kind(panel: ComparePanel) -> None:
    state = panel.tree.values.root.children[0]
    assert state.counts == {"changed": 1, "removed": 1}  # type: ignore[attr-defined]


def test_what_differs_in_place_shows_a_and_b_below(panel: ComparePanel) -> None:
    rows = titles(panel.tree)
    at = rows.index("from Installed packages → Rank by reach")
    assert rows[at + 1 : at + 3] == ["second of 2", "first of 1"]


def test_two_messages_of_one_executor_are_shown_from_where_they_differ(
    panel: ComparePanel, session: FakeSession
) -> None:
    both = [
        ChangeItem.model_validate(
            {
                "section": "messages",
                "path": "from scan",
                "kind": kind,
                side: value({"packages": "a" * 30, "verdict": verdict}),
            }
        )
        for kind, side, verdict in (
            ("removed", "old", "approve"),
            ("added", "new", "block"),
        )
    ]
    answer(session, tuple(both))
    (heading,) = panel.tree.values.root.children
    assert [node.tail for node in heading.children] == [
        "…dict': 'approve'}",
        "…dict': 'block'}",
    ]


def test_a_request_is_called_by_its_question(
    panel: ComparePanel, session: FakeSession
) -> None:
    words = Value(type="str", text="'Any changes?'")
    question = Value(
        type="Question", text="2 fields", count=2, children=(("text", words),)
    )
    request = ChangeItem(
        section="requests", path="['r2']", kind="added", new=question, executor="ask"
    )
    answer(session, (request,))
    assert titles(panel.tree)[1] == "Ask a person: Any changes?"


def test_a_kind_is_hidden_by_its_button(panel: ComparePanel) -> None:
    QTest.mouseClick(panel.kinds["changed"], LEFT)
    assert [change.kind for change in panel.shown] == ["removed", "moved", "added"]
    assert panel.kinds["changed"].count == 3
    QTest.mouseClick(panel.kinds["changed"], LEFT)
    assert len(panel.shown) == 6


def test_the_filter_leaves_what_has_its_text_and_is_copied(panel: ComparePanel) -> None:
    QTest.keyClicks(panel.search, "rank by")
    assert titles(panel.tree)[0] == "Messages"
    assert panel.text().splitlines()[1:] == [LINES[5], LINES[6]]
    panel.search.setText("nowhere")
    assert "No difference matches" in panel.stack.notice.text()
    assert not panel.copy_button.isEnabled()


def test_a_click_on_a_difference_selects_its_element(
    panel: ComparePanel, document: Document
) -> None:
    revealed: list[str] = []
    panel.reveal_requested.connect(revealed.append)
    click_row(panel, "reach.psycopg")
    assert (document.selection, revealed) == ({"rank"}, ["rank"])


def test_a_difference_inside_leads_to_its_invocation(panel: ComparePanel) -> None:
    asked: list[Any] = []
    panel.run_requested.connect(lambda keys, element: asked.append((keys, element)))
    (node,) = [
        node
        for node in panel.tree.values.root.walk()
        if node.title.startswith("Ask a person")
    ]
    menu = panel.tree.menu_for(node)
    actions = {action.text(): action for action in menu.actions()}
    actions["Go into review#2"].trigger()
    assert asked == [(("review#2",), "ask")]
    actions["Copy difference"].trigger()
    assert QApplication.clipboard().text() == LINES[-1].strip()


def test_next_difference_walks_through_all_and_begins_again(
    panel: ComparePanel, document: Document
) -> None:
    seen = []
    for _ in range(7):
        QTest.mouseClick(panel.next_button, LEFT)
        change = panel.tree.current_change
        assert change is not None
        seen.append(change.section)
    assert seen == [
        "state",
        "state",
        "executors",
        "messages",
        "joins",
        "requests",
        "state",
    ]


def test_what_cannot_be_compared_is_said_in_both_views(
    panel: ComparePanel, session: FakeSession
) -> None:
    session.comparison_failed = True
    session.compared.emit()
    assert "cannot be compared" in panel.stack.notice.text()
    QTest.mouseClick(panel.as_first, LEFT)
    assert "cannot be compared" in panel.first.stack.notice.text()


def test_what_is_not_listed_is_said(panel: ComparePanel, session: FakeSession) -> None:
    assert not panel.more.isVisible()
    session.comparison = DiffBody(
        base="c4",
        checkpoint_id="c6",
        changes=CHANGES,
        more=1200,
        outputs_compared=False,
    )
    session.compared.emit()
    assert panel.as_list.text() == "Differences 1,206"
    assert panel.more.text() == (
        "1,200 more differences are not listed. Outputs are not compared, because "
        "there are too many or reading them takes too long."
    )


def test_the_same_checkpoint_and_no_difference_are_said(
    panel: ComparePanel, session: FakeSession
) -> None:
    answer(session, ())
    assert panel.stack.notice.text() == "No difference in any section."
    session.compare_with("c6")
    session.comparison = DiffBody(base="c6", checkpoint_id="c6")
    session.compared.emit()
    assert "the same checkpoint" in panel.stack.notice.text()


def test_the_cross_ends_the_comparison_and_swap_asks_for_the_other_way(
    panel: ComparePanel, session: FakeSession
) -> None:
    QTest.mouseClick(panel.sides.swap, LEFT)
    assert session.commands[-1] == ("swap", "c4")
    QTest.mouseClick(panel.close_button, LEFT)
    assert session.base == ""


def test_a_is_chosen_from_the_checkpoint_before_and_the_ends_of_branches(
    panel: ComparePanel, session: FakeSession
) -> None:
    menu = panel.sides.make_menu()
    actions = {action.text(): action for action in menu.actions()}
    actions["The checkpoint before, #5"].trigger()
    assert session.base == "c5"
    actions["main, #6"].trigger()
    assert session.base == "c6"
    menu.deleteLater()


def run_of(number: int) -> RunInfo:
    return RunInfo(
        run_id=f"r{number}",
        workflow="w",
        checkpoints=4,
        branches=1,
        latest=header(number),
    )


def test_a_is_chosen_from_other_runs_and_from_another_store(
    panel: ComparePanel, session: FakeSession
) -> None:
    asked: list[None] = []
    panel.sides.store_requested.connect(lambda: asked.append(None))
    session.runs = (run_of(9), run_of(8))
    session.other_store = "sqlite:/old/other.db"
    session.other_runs = (run_of(7),)
    menu = panel.sides.make_menu()
    entries = {
        action.text(): action
        for action in (*menu.actions(), *menu.findChildren(QAction))
    }
    entries["Run 1, superstep 7 on main"].trigger()
    assert (session.base, session.base_name, session.base_store) == ("c8", "run 1", "")
    entries["other.db, run 1, superstep 6 on main"].trigger()
    assert (session.base, session.base_name, session.base_store) == (
        "c7",
        "other.db, run 1",
        "sqlite:/old/other.db",
    )
    entries["A run of another store…"].trigger()
    assert len(asked) == 1
    menu.deleteLater()


def test_inside_a_sub_workflow_the_invocation_of_a_is_chosen(
    panel: ComparePanel, session: FakeSession
) -> None:
    session.way = ("review",)
    session.comparison = DiffBody(
        base="c4",
        checkpoint_id="c6",
        base_run="review#1",
        base_runs=(InsideRun(key="review#1"), InsideRun(key="review#2", superstep=3)),
    )
    session.compared.emit()
    assert panel.sides.invocation.text() == "review#1"
    menu = panel.sides.make_invocations()
    actions = {action.text(): action for action in menu.actions()}
    actions["review#2, its superstep 3"].trigger()
    assert session.base_run == "review#2"
    assert not panel.as_first.isEnabled()
    menu.deleteLater()


# --- the first difference ---------------------------------------------------------------------------------------


@pytest.fixture
def parted(panel: ComparePanel, session: FakeSession) -> ComparePanel:
    QTest.mouseClick(panel.as_first, LEFT)
    session.divergence = DivergenceBody(
        base="c4",
        checkpoint_id="c6",
        equal=2,
        equal_base="c2",
        equal_other="c2",
        superstep=1,
        first_base="c3",
        first_other="c4",
        first_superstep=2,
        reason=DivergenceReason(
            kind="answer",
            text="An answer to May these ship?",
            base=DivergedSide(value=value("approve")),
            other=DivergedSide(words="no answer"),
            executor="ask",
            note="The answers differ.",
        ),
        following=(
            DivergenceRow(superstep=3, base="c4", other="c5", differences=0),
            DivergenceRow(superstep=4, base="c5", other="c6", differences=8),
            DivergenceRow(superstep=5, base=None, other="c6"),
        ),
    )
    session.compared.emit()
    return panel


def test_the_first_difference_has_its_cause_and_what_follows(
    parted: ComparePanel,
) -> None:
    first = parted.first
    assert first.cause.text.text() == "An answer to May these ship?"
    assert (first.cause.base.text(), first.cause.other.text()) == (
        "'approve'",
        "no answer",
    )
    assert first.cause.note.text() == "The answers differ."
    assert [row[:4] for row in first.rows.rows] == [
        ("0–1", "…#2", "…#2", "the same, 2 checkpoints"),
        ("2", "#3", "#4", "first difference"),
        ("3", "#4", "#5", "equal again"),
        ("4", "#5", "#6", "8 differences"),
        ("5", "–", "#6", "only in B"),
    ]


def test_the_first_difference_is_copied_as_text_and_the_list_comes_back(
    parted: ComparePanel, session: FakeSession
) -> None:
    QTest.mouseClick(parted.copy_button, LEFT)
    assert QApplication.clipboard().text().splitlines() == [
        "An answer to May these ship?",
        "  A: 'approve'",
        "  B: no answer",
        "The answers differ.",
        "0–1  …#2  …#2  the same, 2 checkpoints",
        "2  #3  #4  first difference",
        "3  #4  #5  equal again",
        "4  #5  #6  8 differences",
        "5  –  #6  only in B",
    ]
    QTest.mouseClick(parted.as_list, LEFT)
    assert not session.shows_first
    assert parted.tree.isVisible()


def test_a_click_on_a_superstep_compares_its_two_checkpoints(
    parted: ComparePanel, session: FakeSession
) -> None:
    table = parted.first.table
    index = parted.first.rows.index(3, 0)
    QTest.mouseClick(
        table.viewport(),
        LEFT,
        Qt.KeyboardModifier.NoModifier,
        table.visualRect(index).center(),
    )
    assert session.base == "c5"
    assert session.commands[-1] == ("view", "c6")


def test_next_difference_leaves_out_what_is_equal_again(
    parted: ComparePanel, session: FakeSession
) -> None:
    divergence = session.divergence
    views = []
    for _ in range(2):
        QTest.mouseClick(parted.next_button, LEFT)
        views.append((session.base, session.commands[-1][1]))
        session.viewing = views[-1][1]
        session.divergence = divergence
        session.compared.emit()
    assert views == [("c3", "c4"), ("c5", "c6")]


def test_what_limits_the_answer_is_said(
    parted: ComparePanel, session: FakeSession
) -> None:
    session.divergence = DivergenceBody(
        base="c4", is_proved=False, unread=1, is_whole=False
    )
    session.compared.emit()
    words = parted.first.cause.note.text()
    assert "an earlier difference is possible" in words
    assert "1 damaged checkpoint" in words
    assert "was removed" in words
    assert parted.first.cause.text.text() == "The two do not differ."


def test_a_long_value_is_cut_in_a_line() -> None:
    from designer.panels.values.difference_rows import LONGEST, value_text

    assert len(value_text(Value(type="str", text="x" * 900))) == LONGEST


def test_a_difference_is_grafted_by_button_and_menu(
    panel: ComparePanel, session: FakeSession
) -> None:
    wanted: list[ChangeItem] = []
    panel.graft_requested.connect(wanted.append)
    assert not panel.graft_button.isEnabled()
    click_row(panel, "reach.psycopg")
    QTest.mouseClick(panel.graft_button, LEFT)
    node = next(
        node for node in panel.tree.values.root.walk() if node.title == "reach.psycopg"
    )
    menu = panel.tree.menu_for(node)
    actions = {action.text(): action for action in menu.actions()}
    actions["Graft into a copy of A"].trigger()
    assert wanted == [CHANGES[0], CHANGES[0]]


def test_a_difference_that_cannot_be_grafted_says_why(panel: ComparePanel) -> None:
    click_row(panel, "Classify licences · runs")
    assert not panel.graft_button.isEnabled()
    assert "How often an executor has run" in panel.graft_button.toolTip()
