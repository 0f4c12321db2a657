"""The superstep board by mouse and keys: a click travels and selects, rows fold, only
what is in view is fetched.
"""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from designer.panels.board.arrows import arrows_in_view, arrows_of
from designer.panels.board.columns import PAGE, Column, Columns
from designer.panels.board.model import Spot, around
from designer.panels.board.panel import BoardPanel
from designer.panels.board.places import COLUMN, START, BoardPlaces
from designer.panels.board.rows import Row, Rows
from designer.panels.board.words import cell_words, took, waiting_words
from runtime.checkpoints.archive import Archive
from runtime.debug.protocol import (
    BoardArrow,
    BoardBody,
    BoardCell,
    BoardColumn,
    BoardJoin,
    BoardTimesBody,
    ProgressBody,
)
from runtime.debug.timeline.board import Board
from runtime.engine.runner import Runner
from runtime.stores.memory import MemoryStore
from tests.designer.fake_session import FakeSession
from tests.designer.fakes import header, straight
from tests.runtime.debug.random_workflows import SUPERSTEPS, Notebook, workflows

SCAN = BoardCell(executor="scan", ended=0.3, seconds=0.3, sent=3)
CLASSIFY = BoardCell(executor="classify", ended=0.64, seconds=0.64, received=1, sent=1)
AGE = BoardCell(
    executor="age", ended=1.92, seconds=1.92, received=1, sent=1, wrote=("oldest",)
)
JUDGE = BoardCell(executor="rank#1/judge", ended=0.4, seconds=0.4)
FAILED = BoardCell(
    executor="report",
    ended=0.2,
    seconds=0.1,
    failed=((0.0, 0.05),),
    error="ValueError: no",
)


def columns_of_a_run():
    """Three supersteps: scan; classify and age side by side; a join that holds two, and
    an executor in an invocation of rank.
    """
    return {
        "c2": BoardColumn(checkpoint_id="c2", superstep=1, cells=(SCAN,)),
        "c3": BoardColumn(
            checkpoint_id="c3",
            superstep=2,
            cells=(CLASSIFY, AGE),
            arrows=(
                BoardArrow(kind="delivered", source="scan", target="classify"),
                BoardArrow(kind="delivered", source="scan", target="age"),
            ),
        ),
        "c4": BoardColumn(
            checkpoint_id="c4",
            superstep=3,
            cells=(JUDGE, FAILED),
            arrows=(BoardArrow(kind="buffered", source="age", target="route"),),
            held=(BoardJoin(target="route", have=2, need=3, messages=2),),
            own={"rank#1": 5},
        ),
    }


@pytest.fixture
def board(show, session):
    """A panel after a run of three supersteps, viewing the past at superstep 2."""
    session.board_columns = columns_of_a_run()
    fill(session, straight(4))
    panel = show(BoardPanel, width=1200, height=400)
    panel.view.viewport().repaint()
    return panel


def fill(session: FakeSession, headers):
    session.timeline.run_id = "r1"
    session.timeline.append(headers)
    session.timeline.flush()


def click(qtbot, board, spot, button=Qt.MouseButton.LeftButton):
    qtbot.mouseClick(
        board.view.viewport(), button, pos=board.view.rect_of(spot).center()
    )


def key(qtbot, board, *keys):
    for each in keys:
        qtbot.keyClick(board.view, each)


def names(board):
    return [row.title for row in board.model.places.rows]


def fold(qtbot, board, name):
    """Click the arrow beside a row."""
    rect = board.view.rect_of(Spot(0, name, 0))
    qtbot.mouseClick(
        board.view.viewport(),
        Qt.MouseButton.LeftButton,
        pos=QPoint(10, rect.center().y()),
    )


def test_before_a_run_it_says_how_to_get_one(show):
    board = show(BoardPanel)
    assert "Run once, and each superstep gets a column." in board.stack.notice.text()


def test_the_executors_of_the_document_are_rows_under_their_branch(board):
    assert names(board)[:4] == [
        "main",
        "Installed packages",
        "Classify licences",
        "Rank by reach",
    ]


def test_a_click_on_a_cell_views_its_barrier_and_selects_the_node(
    qtbot, board, session, document
):
    revealed = []
    board.reveal_requested.connect(revealed.append)
    click(qtbot, board, Spot(0, "age", 2))
    assert session.commands[-1] == ("view", "c3")
    assert document.selection == {"age"}
    assert revealed == ["age"]
    assert board.view.selected == Spot(0, "age", 2)


def test_keys_walk_from_cell_to_cell(qtbot, board, session):
    click(qtbot, board, Spot(0, "age", 2))
    key(qtbot, board, Qt.Key.Key_Left)
    assert session.commands[-1] == ("view", "c2")
    key(qtbot, board, Qt.Key.Key_Up, Qt.Key.Key_End)
    assert board.view.selected == Spot(0, "rank", 3)
    key(qtbot, board, Qt.Key.Key_Home, Qt.Key.Key_PageDown)
    assert board.view.selected == Spot(0, "report", 0)
    key(qtbot, board, Qt.Key.Key_PageUp)
    assert board.view.selected == Spot(0, "", 0)


def test_the_first_key_goes_to_a_cell_of_the_viewed_superstep(qtbot, board):
    key(qtbot, board, Qt.Key.Key_Down)
    assert board.view.selected == Spot(0, "scan", 3)


def test_an_invocation_folds_under_its_node_with_its_own_superstep(qtbot, board):
    assert "invocation 1" not in names(board)
    fold(qtbot, board, "rank")
    at = names(board).index("Rank by reach")
    assert names(board)[at : at + 3] == ["Rank by reach", "invocation 1", "judge"]
    assert "its own 5" in board.view.words_of(Spot(0, "rank#1/judge", 3))
    fold(qtbot, board, "rank")
    assert "invocation 1" not in names(board)


def test_a_folded_branch_keeps_its_row(qtbot, board):
    fold(qtbot, board, "")
    assert names(board) == ["main"]
    key(qtbot, board, Qt.Key.Key_Down, Qt.Key.Key_Space)
    assert len(names(board)) > 1


def test_other_branches_are_folded_until_they_are_viewed(qtbot, board, session):
    fork = header(5, parent="c3", superstep=2, cause="fork", branch="what if")
    fill(session, [fork])
    session.viewing = "c3"
    session.mode = "past"
    session.changed.emit()
    assert names(board)[-1] == "what if"
    session.viewing = "c5"
    session.changed.emit()
    assert names(board)[:2] == ["main", "what if"]


def test_an_open_branch_shows_the_supersteps_before_its_fork_too(board, session):
    fork = header(5, parent="c3", superstep=2, cause="fork", branch="what if")
    session.board_columns = {
        **columns_of_a_run(),
        "c6": BoardColumn(checkpoint_id="c6", superstep=3, cells=(CLASSIFY,)),
    }
    fill(session, [fork, header(6, parent="c5", superstep=3, branch="what if")])
    session.viewing = "c6"
    session.mode = "past"
    session.changed.emit()
    assert [board.model.checkpoint(1, step) for step in (1, 2, 3)] == ["c2", "c3", "c6"]
    assert "took 1.92 s" in board.view.words_of(Spot(1, "age", 2))


def test_the_pane_says_who_waited_for_whom(qtbot, board):
    assert board.details.nothing.isVisibleTo(board)
    click(qtbot, board, Spot(0, "age", 2))
    assert not board.details.nothing.isVisibleTo(board)
    values = board.details.values
    assert values["Took"].text() == "1.92 s, the longest of 2"
    assert values["Waiting"].text() == "nobody; 1 waited for it, 1.28 s in all"
    assert values["Wrote"].text() == 'state["oldest"]'
    click(qtbot, board, Spot(0, "classify", 2))
    assert values["Waiting"].text() == "1.28 s for Age check"


def test_a_held_join_and_a_retry_are_told_in_words(board):
    assert "holds 2 messages, from 2 of 3 sources" in board.view.words_of(
        Spot(0, "route", 3)
    )
    words = board.view.words_of(Spot(0, "report", 3))
    assert "1 attempt failed before: ValueError: no" in words
    assert board.view.words_of(Spot(0, "scan", 3)).endswith("did not run")


def test_the_times_of_the_branch_are_asked_again_until_they_are_complete(
    qtbot, board, session
):
    board._times_timer.timeout.emit()
    head, answer = session.times_asked[-1]
    assert head == "c4"
    partial = BoardTimesBody(
        checkpoint_id="c4", supersteps=1, critical=2, others=1, complete=False
    )
    answer(partial)
    assert "Until superstep 1" in board.details.partial.text()
    board._times_timer.timeout.emit()
    session.times_asked[-1][1](partial.model_copy(update={"complete": True}))
    assert board.details.total.text() == "3.00 s"
    count = len(session.times_asked)
    board._times_timer.timeout.emit()
    assert len(session.times_asked) == count


def test_arrows_lead_to_the_nearest_row_that_is_shown(qtbot, board):
    ways = list(arrows_in_view(board.model, 0, 1, 3))
    assert len(ways) == 3
    assert len(list(arrows_of(board.model, Spot(0, "scan", 1)))) == 2
    assert len(list(arrows_of(board.model, Spot(0, "age", 2)))) == 2


def choose(button, text):
    menu = button.menu()
    assert isinstance(menu, QMenu)
    action = next(each for each in menu.actions() if each.text() == text)
    assert isinstance(action, QAction)
    action.trigger()


def test_columns_to_scale_are_as_wide_as_their_supersteps_are_long(board):
    choose(board.widths, "to scale")
    places = board.model.places
    widths = [places.barrier(step) - places.left(step) for step in (1, 2, 3)]
    assert widths[1] > widths[2] > widths[0] * 0.9
    choose(board.widths, "equal width")
    assert places.barrier(1) == START + COLUMN


def test_arrows_are_those_of_the_cell_or_all_or_none(board):
    assert board.view.arrows == "selected"
    for choice in ("all", "none", "selected"):
        choose(board.arrows, choice)
        assert board.view.arrows == choice
        board.view.viewport().repaint()


def test_a_running_superstep_is_a_column_too(board, session):
    session.mode = "live"
    session.running = True
    session.head = session.timeline.header_at(3)
    session.progress = ProgressBody(superstep=4, running={"ask": 1.5})
    session.changed.emit()
    assert board.model.last_superstep == 4
    assert board.view.state().running == {"ask": (1.5, False)}
    session.progressed.emit()
    board.view.viewport().repaint()


def test_the_menu_of_a_cell_views_it_and_copies_it(qtbot, board, session):
    menu = board.make_menu(Spot(0, "age", 2))
    view, copy = menu.actions()
    view.trigger()
    assert session.commands[-1] == ("view", "c3")
    copy.trigger()
    menu.deleteLater()


def test_the_mouse_gets_a_cell_in_words(board):
    tip = board.view.tip_at(board.view.rect_of(Spot(0, "age", 2)).center())
    assert tip.startswith("Age check, superstep 2: took 1.92 s")
    assert board.view.tip_at(QPoint(5, 400)) == ""


def test_screen_readers_get_the_selected_cell(qtbot, board):
    click(qtbot, board, Spot(0, "age", 2))
    assert board.view.accessibleDescription().startswith("Age check, superstep 2")


# --- what is fetched ----------------------------------------------------------------------------------------------


def test_only_columns_in_view_are_fetched_a_page_at_a_time(show, session):
    session.board_columns = None
    fill(session, straight(1000))
    board = show(BoardPanel, width=1200, height=400)
    board.view.viewport().repaint()
    assert len(session.board_pages) == 1
    bar = board.view.horizontalScrollBar()
    bar.setValue(bar.maximum() // 2)
    board.view.viewport().repaint()
    # One question at a time: what was in view before is not asked for any more.
    page = session.board_pages[0]
    assert len(page) == PAGE
    answer = BoardBody(
        columns=tuple(BoardColumn(checkpoint_id=each, superstep=1) for each in page)
    )
    session.board_waits.pop()(answer)
    assert len(session.board_pages) == 2
    middle = int(session.board_pages[1][0].removeprefix("c"))
    assert 480 < middle < 520


def test_columns_that_cannot_be_read_are_not_asked_for_again(qtbot):
    session = FakeSession()
    session.board_columns = None
    columns = Columns(session)
    columns.want(["c1"])
    session.board_waits.pop()(None)
    columns.want(["c1"])
    assert len(session.board_pages) == 1
    column = columns.get("c1")
    assert column is not None
    assert column.damaged


def test_an_answer_for_a_run_that_is_not_shown_any_more_is_dropped(qtbot):
    session = FakeSession()
    session.board_columns = None
    columns = Columns(session)
    columns.want(["c1"])
    columns.forget()
    session.board_waits.pop()(BoardBody(columns=(BoardColumn(checkpoint_id="c1"),)))
    assert columns.get("c1") is None


# --- rows equal the trace -----------------------------------------------------------------------------------------


@settings(max_examples=25, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_each_executor_of_the_trace_has_one_row(data):
    columns = asyncio.run(_columns(data))
    rows = Rows()
    for column in columns:
        rows.learn(0, column)
    made = rows.make(["main"], 0)
    while closed := [row for row in made if row.is_open is False]:
        rows.toggle(closed[0])
        made = rows.make(["main"], 0)
    shown = [row.name for row in made if row.kind == "executor"]
    assert len(shown) == len(set(shown))
    ran = {name for column in columns for name in column.cells}
    assert ran <= set(shown)
    paths = {row.name for row in made if row.kind == "invocation"}
    assert paths == {around(name) for name in ran if "/" in name}


async def _columns(data):
    store = MemoryStore()
    runner = Runner(data.draw(workflows(Notebook())), store)
    await runner.start(0)
    for _ in range(SUPERSTEPS):
        if await runner.step() is None:
            break
    headers = await store.headers()
    ids = [each.id for each in headers]
    body = await Board().columns(Archive(store), ids)
    return [Column.of(column) for column in body.columns]


# --- places and words ---------------------------------------------------------------------------------------------


@given(st.lists(st.floats(0.0, 50.0), max_size=30), st.booleans(), st.floats(0.3, 3.0))
def test_a_column_is_found_again_at_its_own_x(lengths, to_scale, factor):
    places = BoardPlaces()
    places.set_count(len(lengths))
    for superstep, length in enumerate(lengths, 1):
        places.set_length(superstep, length)
    places.scale(to_scale=to_scale)
    places.zoom(factor)
    for superstep in range(len(lengths) + 1):
        left = places.left(superstep)
        right = places.barrier(superstep)
        assert left < right
        assert places.column_at((left + right) / 2) == superstep


def test_times_are_short():
    assert took(0.313) == "313 ms"
    assert took(1.92) == "1.92 s"
    assert took(12.34) == "12.3 s"
    assert took(250) == "4 min 10 s"
    assert took(240) == "4 min"
    assert took(3700) == "1 h 1 min"


def test_a_handler_that_ran_alone_waited_for_nobody():
    column = Column.of(BoardColumn(checkpoint_id="c1", cells=(SCAN,)))
    assert waiting_words(column, SCAN, "") == "nobody"


def test_the_row_around_an_executor_is_its_invocation():
    assert around("rank#1/judge") == "rank#1"
    assert around("rank#1") == "rank"
    assert around("rank") == ""


def test_a_damaged_column_says_so_in_each_cell(board):
    column = Column.of(BoardColumn(checkpoint_id="c1", damaged="half is missing"))
    row = board.model.places.rows[1]
    assert "half is missing" in cell_words(row, column, 1)


def test_the_board_watches_another_process_as_long_as_it_is_visible(board, session):
    assert session.watchers == {"board": True}
    board.hide()
    assert session.watchers == {"board": False}


def test_case_197_ten_executors_of_a_millisecond_take_ten_on_the_board(board, session):
    """The times are the recorded ones of the handlers, not those of their arrival."""
    board._times_timer.timeout.emit()
    answer = session.times_asked[-1][1]
    answer(BoardTimesBody(checkpoint_id="c4", supersteps=10, critical=10 * 0.001))
    assert board.details.total.text() == "10 ms"


def test_a_cell_says_that_its_results_were_recorded_or_pinned():
    cell = BoardCell(executor="scan", seconds=0.1, calls=3, recorded=2, pinned=1)
    column = Column.of(BoardColumn(checkpoint_id="c2", superstep=1, cells=(cell,)))
    row = Row(0, "executor", "scan", "Scan", "box")
    assert "2 recorded results, 1 pinned result" in cell_words(row, column, 1)
