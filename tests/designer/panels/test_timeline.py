"""The timeline panel, driven by mouse and keys: looking is a click, going on from a
place is a double click.
"""

from itertools import pairwise

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QContextMenuEvent, QWheelEvent
from PySide6.QtWidgets import QApplication, QScrollArea

from designer.document.document import Document
from designer.look.theme import Look
from designer.panels.timeline.brush import GUTTER, HEAD
from designer.panels.timeline.handles import chip_rect
from designer.panels.timeline.panel import TimelinePanel
from designer.panels.timeline.words import end_tag, mark_kind
from designer.session.opener import Source
from designer.session.session import DebugSession
from runtime.debug.protocol import HeaderBody, HeadersBody, OpenBody
from tests.designer.fakes import RecordingLink, header, straight
from tests.designer.look.wheels import CTRL, turn
from tests.designer.panels.timelines import click, forked, move, tell


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
    panel.resize(1200, 220)
    panel.show()
    qtbot.waitExposed(panel)
    return panel


def wheel(panel, delta, modifiers=Qt.KeyboardModifier.NoModifier, at=None):
    view = panel.strip.viewport()
    where = QPointF(at or QPoint(500, 60))
    event = QWheelEvent(
        where,
        view.mapToGlobal(where),
        QPoint(),
        QPoint(0, delta),
        Qt.MouseButton.NoButton,
        modifiers,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(view, event)


def test_without_a_run_the_panel_says_what_to_do_and_shows_no_details(panel):
    assert not panel.details.isVisible()
    panel.strip.viewport().grab()
    assert panel.walker.current is None


def test_a_click_looks_and_runs_nothing(panel, session, link, qtbot):
    tell(session, link, forked())
    click(qtbot, panel, "c2")
    assert (session.mode, session.viewing) == ("past", "c2")
    assert {"step", "restore", "continue"}.isdisjoint(link.commands)


def test_a_double_click_and_enter_ask_to_restore(panel, session, link, qtbot):
    tell(session, link, forked())
    asked = []
    panel.restore_requested.connect(asked.append)
    click(qtbot, panel, "c2")
    qtbot.mouseDClick(
        panel.strip.viewport(),
        Qt.MouseButton.LeftButton,
        pos=panel.strip.point_of("c2"),
    )
    qtbot.keyClick(panel.strip, Qt.Key.Key_Return)
    assert asked == ["c2", "c2"]
    assert "restore" not in link.commands


def test_dragging_scrubs_along_the_branch_that_was_pressed(panel, session, link, qtbot):
    tell(session, link, forked())
    view = panel.strip.viewport()
    seen = []
    session.changed.connect(lambda: seen.append(session.viewing))
    qtbot.mousePress(view, Qt.MouseButton.LeftButton, pos=panel.strip.point_of("c1"))
    for number in (2, 3, 4):
        move(panel, panel.strip.point_of(f"c{number}") + QPoint(0, 90))
    qtbot.mouseRelease(view, Qt.MouseButton.LeftButton, pos=panel.strip.point_of("c4"))
    assert list(dict.fromkeys(seen)) == ["c1", "c2", "c3", "c4"]
    move(panel, panel.strip.point_of("c1"), held=Qt.MouseButton.NoButton)
    assert session.viewing == "c4"


def test_keys_walk_along_the_branch_and_across_the_fork(panel, session, link, qtbot):
    tell(session, link, forked())
    way = [
        (Qt.Key.Key_Left, "c6"),
        (Qt.Key.Key_Left, "c3"),
        (Qt.Key.Key_Right, "c4"),
        (Qt.Key.Key_Down, "c7"),
        (Qt.Key.Key_Home, "c6"),
        (Qt.Key.Key_Up, "c3"),
        (Qt.Key.Key_End, "c5"),
        (Qt.Key.Key_Home, "c1"),
        (Qt.Key.Key_Left, "c1"),
    ]
    for key, expected in way:
        qtbot.keyClick(panel.strip, key)
        assert panel.walker.current_id == expected, key


def test_escape_goes_back_to_live(panel, session, link, qtbot):
    tell(session, link, forked())
    click(qtbot, panel, "c2")
    qtbot.keyClick(panel.strip, Qt.Key.Key_Escape)
    assert session.mode == "live"


def test_space_plays_to_the_end_of_the_branch_and_stops_there(
    panel, session, link, qtbot
):
    tell(session, link, straight(4, queued=1))
    panel.walker._play.setInterval(5)
    seen = []
    session.changed.connect(lambda: seen.append(panel.walker.current_id))
    qtbot.keyClick(panel.strip, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: not panel.walker.is_playing)
    assert list(dict.fromkeys(seen)) == ["c1", "c2", "c3", "c4"]


def test_the_buttons_walk_and_are_off_where_there_is_nothing_more(
    panel, session, link, qtbot
):
    tell(session, link, straight(3, queued=1))
    assert not panel.forward_button.isEnabled()
    for _ in range(2):
        qtbot.mouseClick(panel.back_button, Qt.MouseButton.LeftButton)
    assert session.viewing == "c1"
    assert not panel.back_button.isEnabled()
    qtbot.mouseClick(panel.forward_button, Qt.MouseButton.LeftButton)
    assert session.viewing == "c2"


def test_a_chooses_what_is_compared_with_and_takes_it_back(panel, session, link, qtbot):
    tell(session, link, straight(3))
    click(qtbot, panel, "c2")
    qtbot.keyClick(panel.strip, Qt.Key.Key_A)
    assert session.base == panel.strip.base == "c2"
    qtbot.keyClick(panel.strip, Qt.Key.Key_A)
    assert session.base == ""
    qtbot.keyClick(panel.strip, Qt.Key.Key_A)
    qtbot.keyClick(panel.strip, Qt.Key.Key_Escape)  # ends the comparison, and only that
    assert (session.base, session.viewing) == ("", "c2")


def test_b_waits_for_an_a_and_is_viewed_then(panel, session, link, qtbot):
    tell(session, link, straight(4))
    click(qtbot, panel, "c3")
    qtbot.keyClick(panel.strip, Qt.Key.Key_B)
    assert session.base == ""
    click(qtbot, panel, "c1")
    qtbot.keyClick(panel.strip, Qt.Key.Key_A)
    assert (session.base, session.viewing) == ("c1", "c3")


def test_a_waiting_b_is_taken_back_by_b_or_by_escape(panel, session, link, qtbot):
    tell(session, link, straight(4))
    click(qtbot, panel, "c3")
    for key in (Qt.Key.Key_B, Qt.Key.Key_Escape):
        qtbot.keyClick(panel.strip, Qt.Key.Key_B)
        assert panel.strip.compared.handles.other == 2
        qtbot.keyClick(panel.strip, key)
        assert panel.strip.compared.handles.other is None
    assert session.viewing == "c3"


def test_ctrl_d_compares_with_the_checkpoint_before_and_stops_comparing(
    panel, session, link, qtbot
):
    tell(session, link, straight(4))
    click(qtbot, panel, "c3")
    ctrl = Qt.KeyboardModifier.ControlModifier
    qtbot.keyClick(panel.strip, Qt.Key.Key_D, ctrl)
    assert (session.base, session.viewing) == ("c2", "c3")
    qtbot.keyClick(panel.strip, Qt.Key.Key_D, ctrl)
    assert (session.base, session.viewing) == ("", "c3")


@pytest.mark.parametrize(
    ("side", "compared"), [("A", ("c7", "c4")), ("B", ("c2", "c7"))]
)
def test_a_handle_is_dragged_to_a_checkpoint_of_any_branch(
    panel, session, link, qtbot, side, compared
):
    tell(session, link, forked())
    click(qtbot, panel, "c4")
    session.compare_with("c2")
    strip = panel.strip
    handles = strip.compared.handles
    at = {"A": "c2", "B": "c4"}[side]
    mark = QPointF(strip.point_of(at))
    chip = chip_rect(mark, side, handles).center().toPoint()
    assert strip.compared.side_at(chip) == side
    view = strip.viewport()
    qtbot.mousePress(view, Qt.MouseButton.LeftButton, pos=chip)
    move(panel, strip.point_of("c7"))
    qtbot.mouseRelease(view, Qt.MouseButton.LeftButton, pos=strip.point_of("c7"))
    # The newest checkpoint is the live run.
    shown = session.viewing or session.head.id
    assert (session.base, shown) == compared


def test_the_menu_asks_for_the_first_difference(panel, session, link):
    tell(session, link, forked())
    actions = {action.text(): action for action in panel.make_menu("c5").actions()}
    actions["First difference from this"].trigger()
    assert (session.base, session.shows_first) == ("c5", True)


def test_the_menu_offers_the_verbs_and_each_does_what_it_says(
    panel, session, link, qtbot
):
    tell(session, link, straight(3))
    asked = []
    panel.restore_requested.connect(asked.append)
    actions = {
        action.text(): action
        for action in panel.make_menu("c2").actions()
        if action.text()
    }
    assert list(actions) == [
        "View",
        "Restore here (fork)",
        "Restore as a branch…",
        "Edit and fork…",
        "Compare with this",
        "First difference from this",
        "Tag…",
        "Note…",
        "Bookmark",
        "Keep from pruning",
        "Export…",
        "Copy id",
    ]
    actions["View"].trigger()
    assert session.viewing == "c2"
    actions["Restore here (fork)"].trigger()
    assert asked == ["c2"]
    actions["Copy id"].trigger()
    assert QApplication.clipboard().text() == "c2"


def test_a_right_click_opens_the_menu_of_the_mark_under_it(panel, session, link, qtbot):
    tell(session, link, straight(3))
    asked = []
    panel.strip.menu_requested.disconnect()
    panel.strip.menu_requested.connect(
        lambda checkpoint_id, _where: asked.append(checkpoint_id)
    )
    view = panel.strip.viewport()
    for at in (panel.strip.point_of("c2"), panel.strip.point_of("c2") + QPoint(40, 0)):
        QApplication.sendEvent(
            view,
            QContextMenuEvent(QContextMenuEvent.Reason.Mouse, at, view.mapToGlobal(at)),
        )
    assert asked == ["c2"]


def test_a_note_is_typed_beside_the_checkpoint_and_sent_once(
    panel, session, link, qtbot
):
    tell(session, link, straight(3))
    click(qtbot, panel, "c2")
    link.reply("open", OpenBody(workflow="w"))
    link.sent.clear()
    panel.activateWindow()
    panel.details.note.setFocus()
    qtbot.keyClicks(panel.details.note, "here it goes wrong")
    qtbot.keyClick(panel.details.note, Qt.Key.Key_Return)
    sent = [
        packet["arguments"] for packet in link.sent if packet["command"] == "annotate"
    ]
    assert sent == [{"checkpoint_id": "c2", "tags": None, "note": "here it goes wrong"}]
    link.reply("annotate", HeaderBody(header=header(2, note="here it goes wrong")))
    assert "here it goes wrong" in panel.strip.tip_at(panel.strip.point_of("c2"))


def test_the_details_say_what_the_checkpoint_holds(panel, session, link, qtbot):
    held = {"queued": 2, "buffered": 3, "requests": 1, "size": 151552, "new_size": 3174}
    tell(session, link, [header(1), header(2, **held)])
    texts = {caption: value.text() for caption, value in panel.details.values.items()}
    assert panel.details.name.text() == "#2"
    assert panel.details.place.text() == "superstep 1 · main"
    assert texts["Queued"] == "2 messages"
    assert texts["Buffered"] == "3 messages"
    assert texts["Requests"] == "1 open"
    assert texts["Stored"] == "3.1 KiB new of 148 KiB"


def test_where_no_checkpoint_is_looked_at_the_details_say_how_to_see_one(
    panel, session, link, qtbot
):
    tell(session, link, [header(1), header(2)])
    fields = panel.details.findChild(QScrollArea)
    assert fields.isVisibleTo(panel.details)
    assert not panel.details.nothing.isVisibleTo(panel.details)
    panel.details.show_checkpoint("")
    assert not fields.isVisibleTo(panel.details)
    assert "Click a checkpoint" in panel.details.nothing.text()
    assert panel.details.nothing.isVisibleTo(panel.details)


@pytest.mark.parametrize(
    ("fields", "kind", "tag"),
    [
        ({"status": "IDLE"}, "finished", "finished"),
        (
            {"status": "IDLE_WITH_STALLED_JOINS", "stalled": 1},
            "stalled",
            "finished, 1 join stalled",
        ),
        (
            {"status": "IDLE_WITH_PENDING_REQUESTS", "requests": 2},
            "superstep",
            "2 questions",
        ),
        ({"status": "IN_PROGRESS", "queued": 1}, "superstep", None),
        ({"status": "IDLE", "queued": 1}, "superstep", None),
        ({"damaged": "digest"}, "damaged", None),
        ({"cause": "edit", "queued": 1}, "edit", None),
    ],
)
def test_the_end_of_a_branch_is_told_by_mark_and_words(
    panel, session, link, fields, kind, tag
):
    tell(session, link, [header(1), header(2, **fields)])
    assert mark_kind(session.timeline, 1) == kind
    end = end_tag(session.timeline.header_at(1))
    assert (end[0] if end else None) == tag
    assert mark_kind(session.timeline, 0) == "input"


def test_a_branch_that_went_on_has_no_end_in_its_middle(panel, session, link):
    tell(
        session,
        link,
        [header(1), header(2, status="IDLE"), header(3, cause="input", queued=1)],
    )
    assert mark_kind(session.timeline, 1) == "superstep"


def test_lanes_say_where_they_come_from(panel, session, link):
    tell(session, link, forked())
    strip = panel.strip
    assert strip.tip_at(QPoint(20, HEAD + 10)) == "main: 5 checkpoints"
    assert (
        strip.tip_at(QPoint(20, HEAD + strip.places.lane_height + 10))
        == "what if: fork of #3"
    )


def pruned():
    """What is left of `forked` and more when #1, #3's child and the middle of the fork
    are removed.
    """
    return [
        header(2, superstep=1, queued=1),
        header(3, superstep=2, queued=1),
        header(6, parent="c3", superstep=2, cause="fork", branch="what if", queued=1),
        header(8, parent="c7", superstep=4, branch="what if", status="IDLE"),
        header(9, parent="c5", superstep=5, queued=1),
        header(10, superstep=6, status="IDLE"),
    ]


def test_case_94_a_gap_is_marked_and_walked_over(panel, session, link, qtbot):
    tell(session, link, pruned())
    strip = panel.strip
    assert session.timeline.branch_count == 2
    assert strip.tip_at(QPoint(20, HEAD + 10)) == "main: 4 left, start gone"
    assert strip.tip_at(strip.point_of("c9")).endswith(
        "The checkpoints before it are removed."
    )
    assert "removed" not in strip.tip_at(strip.point_of("c10"))
    click(qtbot, panel, "c9")
    assert panel.details.values["Cause"].text() == "superstep, after a gap"
    qtbot.keyClick(strip, Qt.Key.Key_Left)
    assert session.viewing == "c3"


def dots(panel, before):
    """How often the line of a lane changes between ink and ground on its way to a mark."""
    picture = panel.strip.viewport().grab().toImage()
    at = panel.strip.point_of(before)
    line = [
        picture.pixelColor(at.x() - 14 - step, at.y()).lightness() < 220
        for step in range(30)
    ]
    return sum(one != other for one, other in pairwise(line))


def test_case_94_the_line_of_a_lane_is_dotted_over_a_gap(panel, session, link):
    tell(session, link, pruned())
    assert dots(panel, "c9") > 8
    assert dots(panel, "c8") > 8
    assert dots(panel, "c10") <= 1


def test_ctrl_wheel_zooms_at_the_cursor_and_shift_wheel_pans(panel, session, link):
    tell(session, link, straight(200, queued=1))
    strip = panel.strip
    strip.horizontalScrollBar().setValue(5000)
    before = strip.row_at(strip.point_of("c56"))
    at = strip.point_of("c56")
    wheel(panel, 120, Qt.KeyboardModifier.ControlModifier, at)
    assert strip.places.column > 104
    assert (strip.row_at(at), before) == (55, 55)
    left = strip.horizontalScrollBar().value()
    wheel(panel, -120, Qt.KeyboardModifier.ShiftModifier)
    assert strip.horizontalScrollBar().value() > left


def test_the_head_is_followed_until_the_user_scrolls_away(panel, session, link):
    tell(session, link, straight(50, queued=1), running=True)
    bar = panel.strip.horizontalScrollBar()
    assert panel.strip.point_of("c50").x() < panel.strip.viewport().width()
    bar.setValue(100)
    link.notice("checkpoints", HeadersBody(headers=(header(51, queued=1),)))
    session.timeline.flush()
    assert bar.value() == 100
    bar.setValue(bar.maximum())
    link.notice(
        "checkpoints",
        HeadersBody(headers=tuple(header(n, queued=1) for n in range(52, 70))),
    )
    session.timeline.flush()
    assert 0 < panel.strip.point_of("c69").x() < panel.strip.viewport().width()


def test_a_checkpoint_that_is_looked_at_is_scrolled_to(panel, session, link):
    tell(session, link, straight(300, queued=1))
    session.view("c100")
    assert GUTTER < panel.strip.point_of("c100").x() < panel.strip.viewport().width()


def test_marks_that_would_touch_are_merged_and_counted(panel, session, link):
    crowd = [
        header(1),
        *(
            header(number, superstep=0, cause="response", queued=1)
            for number in range(2, 12)
        ),
    ]
    tell(session, link, crowd)
    (mark,) = panel.strip.places.marks_of(0, 0)
    assert (mark.count, mark.first, mark.row) == (11, 0, 10)
    assert panel.strip.places.x_of(3) == mark.x


def test_a_failure_that_hides_in_a_crowd_is_still_told(panel, session, link):
    tell(
        session,
        link,
        [
            header(1),
            *(
                header(number, superstep=0, cause="response", queued=1)
                for number in range(2, 12)
            ),
        ],
    )
    session.timeline.add_incident("failed", "main", 0, "KeyError")
    (mark,) = panel.strip.places.marks_of(0, 0)
    assert mark.hides.text == "KeyError"
    panel.strip.viewport().grab()


def test_a_chain_of_a_thousand_forks_of_forks_is_placed(panel, session, link):
    chain = [header(1, queued=1)]
    chain += [
        header(
            n, parent=f"c{n - 1}", superstep=0, cause="fork", branch=f"b{n}", queued=1
        )
        for n in range(2, 1200)
    ]
    tell(session, link, chain)
    panel.strip.viewport().grab()
    assert panel.strip.places.x_of(1198) == panel.strip.places.column - 6


@pytest.mark.parametrize("column", [208, 104, 60, 40, 12, 1])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_zoom_paints_in_both_themes(panel, session, link, column, theme):
    tell(
        session,
        link,
        [
            *forked(),
            *(
                header(n, parent=f"c{n - 1}", superstep=n - 4, branch="what if")
                for n in range(8, 400)
            ),
        ],
    )
    session.timeline.add_incident("failed", "what if", 40, "KeyError")
    panel.look.choose(theme)
    panel.strip.set_zoom(column)
    session.view("c3")
    image = panel.strip.viewport().grab().toImage()
    colours = {
        image.pixelColor(x, y).name()
        for x in range(GUTTER, image.width(), 3)
        for y in range(0, image.height(), 3)
    }
    assert panel.look.theme.panel.name() in colours
    assert panel.look.theme.past.name() in colours


def test_ctrl_and_a_wheel_of_pixels_only_zooms(panel, session, link):
    tell(session, link, straight(5))
    before = panel.strip.places.column
    turn(panel.strip.viewport(), pixels=(0, -60), held=CTRL)
    assert panel.strip.places.column < before


def test_two_fingers_scroll_over_time_and_branches(panel, session, link):
    tell(session, link, forked())
    panel.resize(500, 80)
    strip = panel.strip
    across = strip.horizontalScrollBar()
    down = strip.verticalScrollBar()
    assert across.maximum()
    assert down.maximum()
    across.setValue(10)
    down.setValue(0)
    turn(strip.viewport(), pixels=(-7, -5))
    assert (across.value(), down.value()) == (17, 5)
    turn(strip.viewport(), angle=(0, -8))  # a fine wheel, down
    assert (across.value(), down.value()) == (17, 11)
    turn(strip.viewport(), angle=(-10, 0))  # a wheel that is tipped
    assert (across.value(), down.value()) == (25, 11)


def test_a_checkpoint_of_another_graph_says_so(panel, session, link, qtbot):
    headers = [
        header(1, signature="old"),
        header(2, signature="old"),
        header(3, signature="new"),
        header(4, signature="new", queued=1),
    ]
    tell(session, link, headers)
    click(qtbot, panel, "c2")
    panel.strip.viewport().grab()
    words = "another than that of #4"
    assert panel.details.values["Graph"].text() == words
    assert words in panel.strip.tip_at(panel.strip.point_of("c2"))
    click(qtbot, panel, "c3")
    assert not panel.details.values["Graph"].isVisible()


def test_the_place_where_the_graph_changed_is_painted(panel, session, link):
    tell(session, link, [header(1, signature="old"), header(2, signature="new")])
    between = (panel.strip.point_of("c1") + panel.strip.point_of("c2")) / 2
    picture = panel.strip.viewport().grab().toImage()
    warn = panel.look.theme.warn
    column = [picture.pixelColor(between.x(), y) for y in range(32, 90)]
    assert any(abs(each.hue() - warn.hue()) < 6 for each in column)
