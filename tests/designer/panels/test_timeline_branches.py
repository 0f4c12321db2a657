"""Branches of the timeline are folded, moved and named; checkpoints are bookmarked,
selected, exported, and found by name.
"""

import json

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QApplication, QMenu

from designer.document.document import Document
from designer.look.theme import Look
from designer.panels.timeline.branch_name import BranchName
from designer.panels.timeline.gutter import triangle_of
from designer.panels.timeline.jump import JumpField, places
from designer.panels.timeline.panel import TimelinePanel
from designer.panels.timeline.selection import way_between
from designer.panels.timeline.words import folded_caption
from designer.session.annotations import SEALED
from designer.session.opener import Source
from designer.session.session import DebugSession
from runtime.debug.protocol import ExportBody, HeaderBody, OpenBody
from tests.designer.fakes import RecordingLink, header, straight
from tests.designer.panels.timelines import click, forked, move, tell

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
LEFT = Qt.MouseButton.LeftButton
SHIFT = Qt.KeyboardModifier.ShiftModifier
CTRL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def link():
    return RecordingLink()


@pytest.fixture
def session(qtbot, link, tmp_path):
    session = DebugSession(link)
    store = tmp_path / "runs.db"
    store.touch()
    session.source = lambda: Source({}, "", f"sqlite:{store}")
    yield session
    session.close()


@pytest.fixture
def panel(qtbot, session):
    panel = TimelinePanel(Document(), session, Look("light"))
    qtbot.addWidget(panel)
    panel.resize(1200, 260)
    panel.show()
    qtbot.waitExposed(panel)
    return panel


def tree():
    """main (c1 to c5), "what if" from c3, and "deeper" from "what if"."""
    return [
        *forked(),
        header(8, parent="c6", superstep=2, cause="fork", branch="deeper", queued=1),
    ]


def shown(panel):
    timeline = panel.session.timeline
    return [timeline.lanes[lane].branch for lane in panel.strip.branches.shown]


def name_at(panel, lane):
    """The middle of the name of a branch."""
    places = panel.strip.places
    return QPoint(60, round(32 + places.lane_y(lane)))


def press_triangle(qtbot, panel, lane):
    spot = triangle_of(panel.strip.places, lane, 0).center()
    qtbot.mouseClick(panel.strip.viewport(), LEFT, pos=spot)


def choose(menu, text):
    action = next(each for each in menu.actions() if each.text() == text)
    assert action.isEnabled()
    action.trigger()


def test_the_triangle_folds_the_branches_that_leave_a_branch_and_shows_them_again(
    panel, session, link, qtbot
):
    tell(session, link, tree())
    assert shown(panel) == ["main", "what if", "deeper"]
    press_triangle(qtbot, panel, 0)
    assert shown(panel) == ["main"]
    assert folded_caption(panel.strip.branches.folded_count(0)) == "2 branches folded"
    assert folded_caption(1) == "1 branch folded"
    panel.strip.viewport().grab()
    press_triangle(qtbot, panel, 0)
    assert shown(panel) == ["main", "what if", "deeper"]


def test_a_folded_branch_is_counted_at_the_branch_it_is_folded_into_only(
    panel, session, link, qtbot
):
    tell(session, link, tree())
    press_triangle(qtbot, panel, 1)
    assert shown(panel) == ["main", "what if"]
    counts = [panel.strip.branches.folded_count(lane) for lane in (0, 1)]
    assert counts == [0, 1]


def test_two_quick_clicks_on_a_triangle_fold_and_unfold(panel, session, link, qtbot):
    tell(session, link, tree())
    spot = triangle_of(panel.strip.places, 0, 0).center()
    qtbot.mouseClick(panel.strip.viewport(), LEFT, pos=spot)
    qtbot.mouseDClick(panel.strip.viewport(), LEFT, pos=spot)
    assert shown(panel) == ["main", "what if", "deeper"]


def test_a_branch_that_is_gone_to_unfolds(panel, session, link, qtbot):
    tell(session, link, tree())
    press_triangle(qtbot, panel, 0)
    session.view("c7")
    assert shown(panel) == ["main", "what if", "deeper"]


def test_folding_the_viewed_branch_does_not_unfold_it_at_once(
    panel, session, link, qtbot
):
    tell(session, link, tree())
    click(qtbot, panel, "c7")
    press_triangle(qtbot, panel, 0)
    session.changed.emit()
    assert shown(panel) == ["main"]
    panel.strip.viewport().grab()
    qtbot.keyClick(panel.strip, Qt.Key.Key_Minus)
    assert shown(panel) == ["main"]


def test_a_checkpoint_of_a_folded_branch_is_where_the_branch_leaves(
    panel, session, link, qtbot
):
    tell(session, link, tree())
    press_triangle(qtbot, panel, 1)
    assert panel.strip.point_of("c8") == panel.strip.point_of("c6")
    press_triangle(qtbot, panel, 0)
    for checkpoint in ("c7", "c8"):
        assert panel.strip.point_of(checkpoint) == panel.strip.point_of("c3")


def test_one_branch_is_folded_from_its_menu_and_all_are_shown_again(
    panel, session, link
):
    tell(session, link, tree())
    choose(panel.verbs.menu_of_branch(1), "Fold this branch")
    assert shown(panel) == ["main"]
    choose(panel.verbs.menu_of_branch(0), "Show all branches")
    assert shown(panel) == ["main", "what if", "deeper"]


def test_a_first_branch_cannot_be_folded(panel, session, link):
    tell(session, link, tree())
    actions = panel.verbs.menu_of_branch(0).actions()
    fold = next(action for action in actions if action.text() == "Fold this branch")
    assert not fold.isEnabled()
    assert "leaves no other branch" in fold.toolTip()


def test_the_menu_of_a_branch_asks_where_it_parts_from_the_viewed_one(
    panel, session, link
):
    tell(session, link, tree())
    session.view("c2")
    choose(panel.verbs.menu_of_branch(1), "First difference from it")
    head = session.timeline.header_at(session.timeline.lanes[1].last_row).id
    assert (session.base, session.shows_first) == (head, True)
    own = {action.text(): action for action in panel.verbs.menu_of_branch(0).actions()}
    assert not own["First difference from it"].isEnabled()


def test_a_dragged_name_moves_its_branch(panel, session, link, qtbot):
    tell(session, link, tree())
    view = panel.strip.viewport()
    qtbot.mousePress(view, LEFT, pos=name_at(panel, 2))
    move(panel, name_at(panel, 0) - QPoint(0, 20))
    assert panel.strip.state().drop == 0
    view.grab()
    qtbot.mouseRelease(view, LEFT, pos=name_at(panel, 0))
    assert shown(panel) == ["deeper", "main", "what if"]
    assert panel.strip.state().drop is None


def test_marks_are_hit_where_a_moved_branch_is_shown(panel, session, link, qtbot):
    tell(session, link, tree())
    qtbot.keyClick(panel.strip, Qt.Key.Key_Up, CTRL)
    assert shown(panel) == ["main", "deeper", "what if"]
    click(qtbot, panel, "c7")
    assert session.viewing == "c7"
    qtbot.keyClick(panel.strip, Qt.Key.Key_Up)
    assert panel.walker.current_id == "c8"


def test_the_order_of_branches_stays_when_the_run_is_loaded_again(panel, session, link):
    tell(session, link, tree())
    panel.strip.branches.move(2, -1)
    session.timeline.clear("r1")
    session.timeline.append(tree())
    session.timeline.flush()
    assert shown(panel) == ["main", "deeper", "what if"]
    session.timeline.clear("r2")
    session.timeline.append([header(1, run_id="r2")])
    session.timeline.flush()
    assert shown(panel) == ["main"]


def test_a_click_on_a_name_goes_to_the_head_of_the_branch(panel, session, link, qtbot):
    tell(session, link, tree())
    qtbot.mouseClick(panel.strip.viewport(), LEFT, pos=name_at(panel, 1))
    assert session.viewing == "c7"


def test_a_right_click_on_a_name_opens_the_menu_of_the_branch(
    panel, session, link, qtbot
):
    tell(session, link, tree())
    asked = []
    panel.strip.branch_menu_requested.connect(lambda lane, _where: asked.append(lane))
    view = panel.strip.viewport()
    spot = name_at(panel, 1)
    event = QContextMenuEvent(
        QContextMenuEvent.Reason.Mouse, spot, view.mapToGlobal(spot)
    )
    QApplication.sendEvent(view, event)
    assert asked == [1]
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    menu.close()


def test_home_and_end_with_ctrl_go_to_the_ends_of_the_run(panel, session, link, qtbot):
    tell(session, link, tree())
    qtbot.keyClick(panel.strip, Qt.Key.Key_Home, CTRL)
    assert session.viewing == "c1"
    qtbot.keyClick(panel.strip, Qt.Key.Key_End, CTRL)
    assert panel.walker.current_id == "c8"


# --- bookmarks --------------------------------------------------------------------------


def annotated(link):
    return link.last("annotate")["arguments"]


def test_m_bookmarks_a_checkpoint_and_ctrl_arrows_go_to_it(panel, session, link, qtbot):
    tell(session, link, [header(1), header(2, tags=("odd",)), *straight(4)[2:]])
    click(qtbot, panel, "c2")
    link.reply("open", OpenBody(workflow="w"))
    qtbot.keyClick(panel.strip, Qt.Key.Key_M)
    assert annotated(link)["tags"] == ["odd", "bookmark"]
    marked = header(2, tags=("odd", "bookmark"))
    link.reply("annotate", HeaderBody(header=marked))
    panel.strip.viewport().grab()
    qtbot.keyClick(panel.strip, Qt.Key.Key_End)
    qtbot.keyClick(panel.strip, Qt.Key.Key_Left, CTRL)
    assert session.viewing == "c2"
    qtbot.keyClick(panel.strip, Qt.Key.Key_Right, CTRL)
    assert session.viewing == "c2"
    qtbot.keyClick(panel.strip, Qt.Key.Key_M)
    assert annotated(link)["tags"] == ["odd"]


def test_a_bookmark_is_seen_from_afar(panel, session, link):
    tell(session, link, straight(400, queued=1))
    panel.strip.set_zoom(1)
    assert panel.strip.places.is_overview
    before = panel.strip.viewport().grab().toImage()
    session.timeline.replace(header(100, tags=("bookmark",), queued=1))
    with_bookmark = panel.strip.viewport().grab().toImage()
    assert with_bookmark != before
    session.timeline.replace(header(100, queued=1))
    assert panel.strip.viewport().grab().toImage() == before


def test_a_store_that_can_only_be_read_takes_no_tags(
    panel, session, link, tmp_path, qtbot
):
    store = tmp_path / "sealed.db"
    store.touch(mode=0o444)
    session.source = lambda: Source({}, "", f"sqlite:{store}")
    session.look_into(f"sqlite:{store}", read_only=True)
    session.timeline.append(straight(3))
    session.timeline.flush()
    session.view("c2")
    panel.refresh()
    assert panel.details.tags.isReadOnly()
    assert panel.details.note.toolTip() == SEALED
    qtbot.keyClick(panel.strip, Qt.Key.Key_M)
    assert "annotate" not in link.commands
    actions = {each.text(): each for each in panel.make_menu("c2").actions()}
    assert not actions["Bookmark"].isEnabled()


# --- going to a place -------------------------------------------------------------------


def test_ctrl_g_goes_to_a_checkpoint_by_its_number(panel, session, link, qtbot):
    tell(session, link, tree())
    qtbot.keyClick(panel.strip, Qt.Key.Key_G, CTRL)
    field = panel.strip.findChild(JumpField)
    qtbot.keyClicks(field.field, "#4")
    qtbot.keyClick(field.field, Qt.Key.Key_Return)
    assert session.viewing == "c4"


def test_the_button_lists_the_heads_and_a_click_goes_there(panel, session, link, qtbot):
    tell(session, link, tree())
    qtbot.mouseClick(panel.go_to_button, LEFT)
    field = panel.strip.findChild(JumpField)
    texts = [field.list.item(row).text() for row in range(field.list.count())]
    assert texts == [
        "head of main: #5",
        "head of what if: #7",
        "head of deeper: #8",
    ]
    spot = field.list.visualItemRect(field.list.item(1)).center()
    qtbot.mouseClick(field.list.viewport(), LEFT, pos=spot)
    assert session.viewing == "c7"


@pytest.mark.parametrize(
    ("text", "lane", "first"),
    [
        ("s2", 0, "#3"),
        ("s2", 1, "#6"),
        ("s1", 2, "#2"),
        ("odd", 0, "#2"),
        ("what", 0, "#7"),
        ("bookmark", 0, "#4"),
    ],
)
def test_a_place_is_found_by_superstep_branch_tag_and_bookmark(
    session, link, text, lane, first
):
    headers = tree()
    headers[1] = header(2, tags=("odd one",))
    headers[3] = header(4, tags=("bookmark",))
    tell(session, link, headers)
    found = places(session.timeline, text, lane)
    assert f"#{found[0].row + 1}" == first


def test_a_name_that_no_checkpoint_has_is_said(panel, session, link, qtbot):
    tell(session, link, tree())
    panel.go_to()
    field = panel.strip.findChild(JumpField)
    qtbot.keyClicks(field.field, "s99")
    assert field.nothing.isVisible()
    qtbot.keyClick(field.field, Qt.Key.Key_Return)
    assert session.viewing is None
    qtbot.keyClick(field.field, Qt.Key.Key_Escape)
    assert not field.isVisible()


# --- a named branch ---------------------------------------------------------------------


def test_a_new_branch_gets_the_name_that_the_user_types(panel, session, link, qtbot):
    tell(session, link, tree())
    asked = []
    panel.named_restore_requested.connect(lambda *values: asked.append(values))
    choose(panel.make_menu("c2"), "Restore as a branch…")
    field = panel.findChild(BranchName)
    qtbot.keyClicks(field.name, "what if")
    assert not field.restore.isEnabled()
    qtbot.keyClick(field.name, Qt.Key.Key_Return)
    assert asked == []
    qtbot.keyClicks(field.name, " 2")
    qtbot.mouseClick(field.restore, LEFT)
    assert asked == [("c2", "what if 2")]


# --- selecting and exporting ------------------------------------------------------------


def test_shift_and_a_click_select_the_way_to_a_checkpoint_across_the_fork(
    panel, session, link, qtbot
):
    tell(session, link, tree())
    click(qtbot, panel, "c2")
    spot = panel.strip.point_of("c7")
    qtbot.mouseClick(panel.strip.viewport(), LEFT, SHIFT, spot)
    assert panel.strip.selection.ids == ("c2", "c3", "c6", "c7")
    panel.strip.viewport().grab()
    click(qtbot, panel, "c4")
    assert panel.strip.selection.ids == ()


def test_shift_and_the_arrows_select_and_escape_selects_nothing(
    panel, session, link, qtbot
):
    tell(session, link, tree())
    click(qtbot, panel, "c4")
    for _ in range(2):
        qtbot.keyClick(panel.strip, Qt.Key.Key_Left, SHIFT)
    assert panel.strip.selection.ids == ("c2", "c3", "c4")
    qtbot.keyClick(panel.strip, Qt.Key.Key_Right, SHIFT)
    assert panel.strip.selection.ids == ("c3", "c4")
    qtbot.keyClick(panel.strip, Qt.Key.Key_Escape)
    assert (panel.strip.selection.ids, session.viewing) == ((), "c3")
    qtbot.keyClick(panel.strip, Qt.Key.Key_A, CTRL)
    assert panel.strip.selection.ids == ("c1", "c2", "c3", "c4", "c5")


def test_two_checkpoints_on_different_branches_are_selected_alone(session, link):
    tell(session, link, tree())
    assert list(way_between(session.timeline, 4, 6)) == [4, 6]


def test_what_is_selected_is_exported_as_lines_of_json(panel, session, link, qtbot):
    tell(session, link, straight(40))
    saved = []
    panel.exporter.ready.connect(lambda name, text: saved.append((name, text)))
    panel.strip.selection.select_lane(0)
    menu = panel.make_menu("c2")
    choose(menu, "Export the 40 selected…")
    link.reply("open", OpenBody(workflow="w"))
    for count in (32, 8):
        asked = link.last("export")["arguments"]["checkpoints"]
        assert len(asked) == count
        lines = tuple(json.dumps({"checkpoint": each}) for each in asked)
        link.reply("export", ExportBody(lines=lines))
    ((name, text),) = saved
    assert name == "checkpoints-1-40.jsonl"
    assert [json.loads(line)["checkpoint"] for line in text.splitlines()] == [
        f"c{number}" for number in range(1, 41)
    ]


def test_a_branch_is_exported_from_its_menu(panel, session, link):
    tell(session, link, tree())
    choose(panel.verbs.menu_of_branch(1), "Export…")
    link.reply("open", OpenBody(workflow="w"))
    assert link.last("export")["arguments"]["checkpoints"] == ["c6", "c7"]


def test_case_189_the_menu_says_what_runs_before_anything_runs(panel, session, link):
    tell(session, link, straight(3))
    tips = {each.text(): each.toolTip() for each in panel.make_menu("c2").actions()}
    assert tips["View"] == "Shows the checkpoint. Nothing runs."
    for text in ("Restore here (fork)", "Restore as a branch…"):
        assert "Executors run again" in tips[text]
        assert "new branch" in tips[text]
