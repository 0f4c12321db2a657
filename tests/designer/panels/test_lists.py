"""Problems and Console: bounded lists that lead to what they speak of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QPlainTextEdit
from pytestqt.qtbot import QtBot

from designer.document.checks import Checks
from designer.document.document import Document
from designer.look.theme import Look
from designer.model import edits
from designer.panels import PANELS, console
from designer.panels.console import ConsolePanel
from designer.panels.problems import FIX, ProblemsPanel
from runtime.debug.protocol import StoppedBody
from runtime.document.problem import Problem
from tests.designer.fake_session import FakeSession

Show = Callable[..., Any]

PROBLEMS = [
    Problem(
        severity="error",
        rule="condition-compiles",
        message="m",
        location="switch",
        part="cases[1].when",
    ),
    Problem(severity="warning", rule="join-can-fill", message="w", location="join"),
    Problem(severity="info", rule="reaches-output", message="i", location="ask"),
    Problem(severity="info", rule="named", message="n"),
]


@pytest.fixture
def checks(document: Document, session: Any) -> Checks:
    return Checks(document, session, check=lambda _workflow, _infos: PROBLEMS)


# --- problems


def test_a_problem_says_where_in_words_and_a_click_selects_it(
    show: Show, document: Document, checks: Checks
) -> None:
    panel = show(ProblemsPanel, 1200, 180)
    checks.run()
    where = [panel.rows.index(at, 1).data() for at in range(4)]
    assert where == [
        "Switch of Route by licence, case 2",
        "Join into Route by licence",
        "Ask a person",
        "Workflow",
    ]
    at = panel.table.visualRect(panel.rows.index(1, 0)).center()
    QTest.mouseClick(panel.table.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert document.selection == {"join"}


def test_enter_brings_a_problem_into_view(
    show: Show, checks: Checks, qtbot: QtBot
) -> None:
    panel = show(ProblemsPanel, 1200, 180)
    checks.run()
    panel.table.setCurrentIndex(panel.rows.index(0, 0))
    with qtbot.waitSignal(panel.reveal_requested) as revealed:
        QTest.keyClick(panel.table, Qt.Key.Key_Return)
    assert revealed.args == ["switch"]


def test_the_badge_counts_only_what_its_colour_says_errors_while_there_are_any(
    show: Show, checks: Checks, qtbot: QtBot
) -> None:
    panel = show(ProblemsPanel)
    with qtbot.waitSignal(panel.badge_changed) as badge:
        checks.run()
    # and not the warning beside it
    assert (badge.args, panel.badge_tone) == (["1"], "bad")


def test_no_problems_is_said(
    show: Show, checks: Checks, monkeypatch: pytest.MonkeyPatch
) -> None:
    panel = show(ProblemsPanel)
    assert "No problems" in panel.stack.notice.text()


# --- quick fixes


# Qt's offscreen platform complains of every menu that it cannot raise above others.
MENU = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
FIXABLE = [
    Problem(severity="warning", rule="join-can-fill", message="w", location="join"),
    Problem(
        severity="error",
        rule="condition-compiles",
        message="m",
        location="switch",
        part="cases[1].when",
    ),
    Problem(
        severity="info", rule="named", message="n", location="scan", remedy="Name it."
    ),
]


@pytest.fixture
def fixable(document: Document, session: Any) -> Checks:
    """The problems of `FIXABLE`, as long as what they speak of is there."""

    def check(workflow: Any, _infos: Any) -> list[Problem]:
        join = workflow.edges[1]
        switch = workflow.edges[2]
        there = {
            FIXABLE[0]: join.policy == "all",
            FIXABLE[1]: len(switch.cases) == 2,
            FIXABLE[2]: True,
        }
        return [problem for problem, is_there in there.items() if is_there]

    return Checks(document, session, check=check)


@pytest.fixture
def fixing(
    qtbot: QtBot, document: Document, session: FakeSession, look: Look, fixable: Checks
) -> ProblemsPanel:
    panel = ProblemsPanel(document, session, look, checks=fixable)
    qtbot.addWidget(panel)
    panel.resize(1200, 180)
    panel.show()
    fixable.run()
    panel.activateWindow()
    qtbot.waitUntil(panel.isActiveWindow)
    panel.setFocus()  # not the list: what is chosen in it would come first
    return panel


def press_fix(panel: ProblemsPanel, row: int) -> None:
    cell = panel.table.visualRect(panel.rows.index(row, FIX))
    QTest.mouseClick(
        panel.table.viewport(),
        Qt.MouseButton.LeftButton,
        pos=cell.center() - QPoint(60, 0),
    )


def opened_menu() -> QMenu:
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    return menu


def test_the_button_of_a_row_does_its_fix_as_one_step(
    fixing: ProblemsPanel, document: Document
) -> None:
    rows = [fixing.rows.index(at, FIX).data() for at in range(3)]
    assert rows == ["Remove case 2", "Use the policy any", ""]
    before = document.design
    press_fix(fixing, 0)
    assert document.undo_stack.index() == 1
    assert document.undo_stack.undoText() == "Remove case 2"
    assert fixing.rows.rowCount() == 2
    document.undo_stack.undo()
    assert document.design == before


@MENU
def test_several_fixes_are_chosen_in_a_menu_by_keys(
    fixing: ProblemsPanel, document: Document
) -> None:
    document.select({"join"})
    assert fixing.quick_fix()
    menu = opened_menu()
    assert [action.text() for action in menu.actions()] == [
        "Use the policy any",
        "Make plain edges of it",
    ]
    QTest.keyClick(menu, Qt.Key.Key_Return)
    assert document.undo_stack.undoText() == "Use the policy any"
    assert "join-can-fill" not in [problem.rule for problem in fixing.checks.problems]


@MENU
def test_without_a_fix_the_menu_says_what_helps(
    fixing: ProblemsPanel, document: Document
) -> None:
    document.select({"scan"})
    assert fixing.quick_fix()
    menu = opened_menu()
    assert [(action.text(), action.isEnabled()) for action in menu.actions()] == [
        ("Name it.", False)
    ]
    menu.close()


@MENU
def test_a_fix_waits_until_the_run_is_left(
    fixing: ProblemsPanel, document: Document, session: FakeSession
) -> None:
    session.mode = "live"
    press_fix(fixing, 0)
    menu = opened_menu()
    assert [action.isEnabled() for action in menu.actions()] == [False, False]
    assert "Go back to editing" in menu.actions()[-1].text()
    menu.close()
    assert document.undo_stack.index() == 0


@MENU
def test_a_menu_that_is_older_than_the_drawing_changes_nothing(
    fixing: ProblemsPanel, document: Document
) -> None:
    document.select({"join"})
    fixing.quick_fix()
    document.apply("Rename", edits.rename(document.design, "scan", "Other"))
    steps = document.undo_stack.index()
    fixing.fixes(0)
    menu = opened_menu()
    QTest.keyClick(menu, Qt.Key.Key_Return)
    assert document.undo_stack.index() == steps


def test_a_failed_run_is_a_problem_until_another_begins(
    show: Show, session: FakeSession, document: Document, checks: Checks
) -> None:
    panel = show(ProblemsPanel, 1200, 180)
    checks.run()
    badges: list[str] = []
    panel.badge_changed.connect(badges.append)
    before = panel.rows.rowCount()
    session.stopped = StoppedBody(
        reason="failed",
        status="FAILED",
        superstep=1,
        executor="rank",
        error_type="KeyError",
        text="'amount'",
    )
    session.changed.emit()
    assert panel.rows.rowCount() == before + 1
    assert (
        panel.rows.index(0, 0).data()
        == "The run failed in superstep 2: KeyError: 'amount'"
    )
    assert panel.rows.index(0, 1).data() == "Rank by reach"
    assert panel.badge_tone == "bad"
    panel.table.clicked.emit(panel.rows.index(0, 0))
    assert document.selection == {"rank"}
    session.stopped = None
    session.changed.emit()
    assert panel.rows.rowCount() == before
    assert len(badges) == 2


def test_a_failure_that_came_after_another_is_a_problem_with_that(
    show: Show, session: FakeSession
) -> None:
    panel = show(ProblemsPanel, 1200, 180)
    session.stopped = StoppedBody(
        reason="failed",
        status="FAILED",
        superstep=1,
        error_type="E",
        text="why",
        before="rank: ValueError: no",
    )
    session.changed.emit()
    said = panel.rows.index(0, 0).data()
    assert (
        said
        == "The run failed in superstep 2: E: why; it came after a failure, rank: ValueError: no"
    )


# --- console


def lines(panel: ConsolePanel) -> list[str]:
    return panel.output.toPlainText().split("\n")


def test_lines_arrive_in_order_and_errors_are_told_apart(
    show: Show, session: FakeSession, qtbot: QtBot
) -> None:
    panel = show(ConsolePanel, 800, 180)
    assert "Nothing printed" in panel.stack.notice.text()
    for category, text in (("stdout", "one"), ("stderr", "two\nthree"), ("stdout", "")):
        session.console.emit(category, text)
    qtbot.waitUntil(lambda: lines(panel) == ["one", "two", "three", ""])
    document = panel.output.document()
    states = [document.findBlockByNumber(at).userState() for at in range(4)]
    assert states == [0, console.ERROR, console.ERROR, 0]


def test_a_flood_is_bounded_and_taken_in_parts(
    show: Show, session: FakeSession
) -> None:
    panel = show(ConsolePanel, 800, 180)
    for at in range(console.LIMIT + 2000):
        session.console.emit("stdout", str(at))
    panel._flush()
    assert panel.output.blockCount() == console.BATCH
    assert not panel.cut.isVisible()
    while panel._waiting:
        panel._flush()
    assert panel.output.blockCount() <= console.LIMIT
    assert lines(panel)[-1] == str(console.LIMIT + 1999)
    assert panel.cut.text() == "Only the last 10,000 lines are kept"
    assert panel.cut.isVisible()
    panel.clear()
    assert not panel.cut.isVisible()


def test_the_console_stays_where_the_user_scrolled_to(
    show: Show, session: FakeSession, qtbot: QtBot
) -> None:
    panel = show(ConsolePanel, 800, 180)
    for at in range(100):
        session.console.emit("stdout", str(at))
    bar = panel.output.verticalScrollBar()
    qtbot.waitUntil(lambda: bar.maximum() > 0 and bar.value() == bar.maximum())
    bar.setValue(0)
    session.console.emit("stdout", "more")
    qtbot.waitUntil(lambda: lines(panel)[-1] == "more")
    assert bar.value() == 0


def test_search_counts_and_goes_round(show: Show, session: FakeSession) -> None:
    panel = show(ConsolePanel, 800, 180)
    session.console.emit("stdout", "spam\nham\nspam")
    panel._flush()
    QTest.keyClicks(panel.search, "spam")
    assert panel.found.text() == "2 found"
    found = []
    for _ in range(3):
        QTest.keyClick(panel.search, Qt.Key.Key_Return)
        found.append(panel.output.textCursor().blockNumber())
    assert found == [0, 2, 0]


def test_wrap_and_clear(show: Show, session: FakeSession) -> None:
    panel = show(ConsolePanel, 800, 180)
    session.console.emit("stdout", "x")
    panel._flush()
    panel.wrap.click()
    assert panel.output.lineWrapMode() == QPlainTextEdit.LineWrapMode.WidgetWidth
    panel.clear()
    assert panel.stack.currentWidget() is panel.stack.notice
    session.console.emit("stdout", "y")
    panel._flush()
    assert lines(panel) == ["y"]


def test_the_traceback_of_a_failed_run_is_gone_when_a_run_has_finished(
    show: Show, session: FakeSession
) -> None:
    """Beside a result it would say what is not so any more; what was printed, also as
    an error, stays.
    """
    panel = show(ConsolePanel, 800, 180)
    told = [
        ("traceback", "Traceback\n  KeyError"),
        ("stdout", "one"),
        ("stderr", "two"),
        ("traceback", "T"),
    ]
    for category, text in told:
        session.console.emit(category, text)
    panel._flush()
    document = panel.output.document()
    assert [document.findBlockByNumber(at).userState() for at in range(5)] == [
        2,
        2,
        0,
        1,
        2,
    ]
    for reason in ("failed", "waiting"):
        session.stopped = StoppedBody(reason=reason, status="IDLE", superstep=1)
        session.stopped_at.emit()
    assert lines(panel) == ["Traceback", "  KeyError", "one", "two", "T"]
    session.stopped = StoppedBody(reason="finished", status="IDLE", superstep=1)
    session.stopped_at.emit()
    assert lines(panel) == ["one", "two"]
    assert [document.findBlockByNumber(at).userState() for at in range(2)] == [0, 1]
    session.console.emit("stdout", "three")
    panel._flush()
    assert lines(panel) == ["one", "two", "three"]


def test_a_console_of_nothing_but_a_traceback_is_empty_again(
    show: Show, session: FakeSession
) -> None:
    panel = show(ConsolePanel, 800, 180)
    session.console.emit("traceback", "Traceback\n  KeyError")
    panel._flush()
    session.stopped = StoppedBody(reason="finished", status="IDLE", superstep=1)
    session.stopped_at.emit()
    assert panel.stack.currentWidget() is panel.stack.notice


def test_a_lost_host_is_told_on_the_console(show: Show, session: FakeSession) -> None:
    panel = show(ConsolePanel, 800, 180)
    session.failed.emit("The run was lost", "killed")
    panel._flush()
    assert lines(panel) == ["The run was lost: killed"]


# --- all


@pytest.mark.parametrize("panel", PANELS, ids=lambda panel: panel.title)
def test_every_panel_is_named_and_survives_a_change_of_theme(
    panel: Any,
    qtbot: QtBot,
    document: Document,
    session: FakeSession,
    look: Look,
    checks: Checks,
) -> None:
    if panel.title == "Timeline":
        pytest.skip("has its own tests, over a real session")
    made = panel(document, session, look, checks=checks)
    qtbot.addWidget(made)
    made.show()
    look.choose("dark")
    assert made.grab().width() > 0
    assert made.accessibleName() == panel.title
    assert panel.area in ("left", "right-edit", "right-debug", "task", "bottom")
