"""Output: what was put out until the moment that is looked at can be read, copied and
kept.
"""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from designer.panels.outputs import ITEM, OutputsPanel
from designer.panels.values.built_in_viewers import TableViewer
from designer.panels.values.output_list import PREVIEW, STRUCK, TAIL
from designer.panels.widgets.basic import ContentOrNotice
from designer.panels.widgets.markdown import looks_like_markdown
from designer.panels.widgets.reader import SET_LIMIT, Reader
from runtime.debug.protocol import (
    ExpandBody,
    OutputItem,
    OutputsBody,
    ProgressBody,
    StoppedBody,
    Value,
)
from tests.designer.panels import fakes

REPORT = "# Report\n\n| a | b |\n|---|---|\n| 1 | `two` |\n\n- all **well**\n"


def text(superstep, words, **more):
    value = Value(type="str", text=repr(words)[:20], count=words.count("\n"))
    return OutputItem(
        superstep=superstep,
        executor="report",
        checkpoint_id=f"c{superstep}",
        text=words,
        value=value,
        **more,
    )


def tree(superstep, data):
    return OutputItem(
        superstep=superstep,
        executor="scan",
        checkpoint_id=f"c{superstep}",
        value=fakes.value(data),
    )


@pytest.fixture
def panel(show):
    made = show(OutputsPanel, 900, 300)
    made.badges = []
    made.fronts = []
    made.badge_changed.connect(made.badges.append)
    made.front_requested.connect(lambda: made.fronts.append(True))
    return made


def see(session, superstep, *items, mode="live", **more):
    """Look at a checkpoint, and get the answer of the host."""
    session.look_at(fakes.moment(superstep), mode)
    asked, done = session.put_out[-1]
    assert asked == f"c{superstep}"
    done(OutputsBody(checkpoint_id=asked, items=items, **more))


def stop(session, reason, superstep):
    session.stopped = StoppedBody(
        reason=reason, status="IDLE", superstep=superstep, checkpoint_id=f"c{superstep}"
    )
    session.stopped_at.emit()


def notice(panel):
    stack = panel.findChild(ContentOrNotice)
    return stack.notice.text() if stack.currentWidget() is stack.notice else ""


def test_a_report_is_set_as_markdown_and_can_be_read_as_it_is(panel, session):
    see(session, 7, text(7, REPORT))
    assert panel.reader.currentWidget() is panel.reader.page
    assert "# Report" not in panel.reader.page.toPlainText()
    assert "Report" in panel.reader.page.toPlainText()
    panel.as_plain.click()
    assert panel.reader.currentWidget() is panel.reader.plain
    assert panel.reader.plain.toPlainText() == REPORT
    panel.as_formatted.click()
    assert panel.reader.currentWidget() is panel.reader.page
    assert "superstep 7" in panel._what.text()
    assert panel._who.text() == "Write report"


def test_a_text_that_is_no_markdown_is_shown_as_it_is_without_a_choice(panel, session):
    see(session, 7, text(7, "a plain - text\nof two lines"))
    assert panel.reader.currentWidget() is panel.reader.plain
    assert not panel._formats.isVisible()


def test_another_value_is_a_tree_whose_children_come_from_its_own_checkpoint(
    panel, session
):
    big = Value(
        type="dict",
        text="2 items",
        count=1,
        children=(("k", Value(type="list", text="9 items", count=9)),),
    )
    item = OutputItem(
        superstep=3, executor="scan", checkpoint_id="c3", index=2, value=big
    )
    see(session, 7, item)
    assert panel._views.currentWidget() is panel.tree_and_viewer
    assert not panel.save_button.isVisible()
    panel.tree.open_to(("k",))
    asked = {
        (question[:3], place)
        for question, place in zip(session.asked, session.asked_of, strict=True)
    }
    assert asked == {(("output:2", (0,), 0), "c3")}


def test_all_are_listed_in_order_and_the_newest_is_read(panel, session):
    see(session, 7, tree(2, {"n": 1}), text(5, "early"), text(7, "late"))
    assert [panel._items.item(at).text() for at in range(3)] == [
        "Installed packages",
        "Write report",
        "Write report",
    ]
    assert panel.item.text == "late"
    assert panel.badges[-1] == "3"


def test_who_chose_one_stays_there_and_who_reads_the_newest_goes_on(panel, session):
    see(session, 5, text(3, "a"), text(5, "b"))
    see(session, 6, text(3, "a"), text(5, "b"), text(6, "c"))
    assert panel.item.text == "c"
    panel.list.setCurrentIndex(panel._items.index(0, 0))
    assert panel.reader.text == "a"
    see(session, 7, text(3, "a"), text(5, "b"), text(6, "c"), text(7, "d"))
    assert panel.item.text == panel.reader.text == "a"


def test_it_says_why_there_is_nothing(panel, session):
    assert "No run is shown" in notice(panel)
    session.look_at(fakes.moment(3))
    assert "Reading the outputs" in notice(panel)
    session.put_out[-1][1](OutputsBody(checkpoint_id="c3"))
    assert "No outputs" in notice(panel)
    see(session, 2, mode="past")
    assert "Until superstep 2" in notice(panel)
    session.look_at(fakes.moment(4))
    session.put_out[-1][1](None)
    assert panel.body.checkpoint_id == "c2"
    asked = len(session.put_out)
    session.look_at(fakes.moment(4))
    assert len(session.put_out) == asked  # what failed is not asked for over and over
    session.look_at(None, "edit")
    assert "No run is shown" in notice(panel)
    assert panel.badges[-1] == ""


def test_the_past_and_what_is_missing_are_said(panel, session):
    see(session, 5, text(5, "x" * 10, cut=90), mode="past", left_out=1200, unreadable=1)
    note = panel._note.text()
    assert "As it was at superstep 5" in note
    assert "90 more characters" in note
    assert "1,200 earlier outputs" in note
    assert "A checkpoint is damaged" in note
    assert panel.badges[-1] == "1,201"
    assert "100 characters" in panel._what.text()


def test_only_the_newest_moment_is_asked_for_while_an_answer_is_on_its_way(
    panel, session
):
    for superstep in (3, 4, 5, 6):
        session.look_at(fakes.moment(superstep))
    assert [asked for asked, _ in session.put_out] == ["c3"]
    session.put_out[0][1](OutputsBody(checkpoint_id="c3"))
    assert [asked for asked, _ in session.put_out] == ["c3", "c6"]


def test_a_run_that_moves_is_asked_now_and_then(panel, session, qtbot):
    session.running = True
    for superstep in (3, 4, 5):
        session.look_at(fakes.moment(superstep))
    assert session.put_out == []
    qtbot.waitUntil(lambda: bool(session.put_out))
    assert [asked for asked, _ in session.put_out] == ["c5"]


def test_a_live_run_that_finished_with_outputs_comes_to_the_front_once(panel, session):
    see(session, 6, text(6, "a"))
    stop(session, "step", 6)
    assert panel.fronts == []
    session.look_at(fakes.moment(7))
    stop(session, "finished", 7)
    assert panel.fronts == []  # not before there is something to read
    session.put_out[-1][1](
        OutputsBody(checkpoint_id="c7", items=(text(6, "a"), text(7, "b")))
    )
    assert len(panel.fronts) == 1
    stop(session, "finished", 7)
    see(session, 5, mode="past")
    see(session, 7, text(7, "b"))
    assert len(panel.fronts) == 1


@pytest.mark.parametrize(
    ("reason", "items"),
    [("finished", ()), ("failed", (text(7, "a"),)), ("waiting", (text(7, "a"),))],
)
def test_nothing_comes_to_the_front_without_an_end_or_a_result(
    panel, session, reason, items
):
    stop(session, reason, 7)
    see(session, 7, *items)
    assert panel.fronts == []


def test_copy_and_save_give_the_whole_text(panel, session):
    kept = []
    panel.save_requested.connect(lambda name, words: kept.append((name, words)))
    see(session, 7, text(7, REPORT))
    panel.copy_button.click()
    assert QApplication.clipboard().text() == REPORT
    panel.save_button.click()
    assert kept == [("Untitled-report.md", REPORT)]
    see(session, 8, tree(8, {"n": [1, 2]}))
    panel.copy_button.click()
    assert QApplication.clipboard().text() == "{'n': [1, 2]}"


def test_the_colours_of_a_report_follow_the_theme_and_the_place_stays(
    panel, session, look
):
    session.look_at(fakes.moment(7))
    session.put_out[-1][1](
        OutputsBody(checkpoint_id="c7", items=(text(7, REPORT + "\n\nline" * 200),))
    )
    bar = panel.reader.page.verticalScrollBar()
    assert bar.value() == 0
    bar.setValue(100)
    look.choose("dark")
    assert bar.value() == 100
    assert look.theme.text.name() in panel.reader.page.styleSheet()


# --- the reader ---------------------------------------------------------------------------------------------------


@pytest.fixture
def reader(qtbot, look):
    made = Reader(look)
    qtbot.addWidget(made)
    made.resize(600, 300)
    made.show()
    return made


def test_html_and_pictures_in_a_text_stay_what_they_are(reader, tmp_path):
    reader.show_text(
        "# Hello\n\n<b>bold</b> ![picture](file:///etc/hostname) <img src='x'>"
    )
    assert "<b>bold</b>" in reader.page.toPlainText()
    assert reader.page.loadResource(2, "file:///etc/hostname") is None


def test_code_is_set_in_the_shipped_family(reader):
    reader.show_text("# Hello\n\nsome `code` here")
    cursor = reader.page.document().find("code")
    assert cursor.charFormat().fontFamilies() == ["JetBrains Mono"]


@pytest.mark.parametrize(
    "long",
    ["x" * 1_000_000, "# Head\n\n" + "word " * SET_LIMIT, "# Head\n" + "y" * 50_000],
)
def test_a_text_that_would_stop_the_window_is_shown_plain(reader, long):
    reader.show_text(long)
    assert not reader.can_format
    assert reader.plain.toPlainText() == long
    reader.show_text("short")
    assert reader.plain.toPlainText() == "short"


@pytest.mark.parametrize(
    "words",
    [
        "# Head\ntext",
        "a\n\n| x | y |\n|---|--:|\n| 1 | 2 |",
        "```\ncode\n```",
        "- one\n- two",
        "1. a\n2. **b c**",
    ],
)
def test_what_looks_like_markdown(words):
    assert looks_like_markdown(words)


@pytest.mark.parametrize(
    "words",
    [
        "",
        "plain",
        "#hashtag",
        "a - b\n* c",
        "3 * 4 * 5",
        "x = [1](2",
        "--- a dash ---",
        "a|b",
    ],
)
def test_what_does_not(words):
    assert not looks_like_markdown(words)


def coming(words, state="coming", superstep=2, index=1, **more):
    value = Value(type="str", text=repr(words))
    return OutputItem(
        superstep=superstep,
        executor="classify",
        checkpoint_id="",
        index=index,
        text=words,
        value=value,
        state=state,
        **more,
    )


def told(words, **more):
    return coming(words, "told", index=0, **more)


def tell(session, *items, superstep=2):
    session.running = True
    session.stopped = None
    session.progress = ProgressBody(superstep=superstep, coming=items)
    session.progressed.emit()


def test_what_is_told_as_a_node_runs_is_read_as_it_grows_and_gone_with_its_superstep(
    panel, session
):
    see(session, 1, text(1, "before"))
    session.run_id = panel._run
    tell(session, told("Hel"))
    assert panel.reader.text == "Hel"
    assert panel.fronts == [True]
    tell(session, told("Hello"))
    assert panel.reader.plain.toPlainText() == "Hello"
    assert panel._items.rowCount() == 2
    assert panel.fronts == [True]
    session.progress = None
    session.changed.emit()
    assert panel.reader.text == "before"


def test_who_reads_another_output_is_left_there_while_something_is_told(panel, session):
    see(session, 1, text(1, "before"))
    session.run_id = panel._run
    tell(session, told("Hel"))
    panel.list.setCurrentIndex(panel._items.index(0, 0))
    tell(session, told("Hello"))
    assert panel.reader.text == "before"


def test_in_the_past_nothing_is_told(panel, session):
    see(session, 1, text(1, "before"), mode="past")
    tell(session, told("Hel"))
    assert (panel.reader.text, panel.fronts) == ("before", [])


def test_a_text_that_has_grown_whole_is_set_as_it_is_then(look, qtbot):
    reader = Reader(look)
    qtbot.addWidget(reader)
    reader.show_text(REPORT[:9], follow=True)
    reader.show_text(REPORT, follow=True)
    assert reader.plain.toPlainText() == REPORT
    reader.show_text(REPORT)
    assert reader.currentWidget() is reader.page


def shown(panel):
    return [
        (
            panel._items.item(at).data(PREVIEW),
            panel._items.item(at).data(TAIL),
            panel._items.item(at).data(STRUCK),
        )
        for at in range(panel._items.rowCount())
    ]


def fail(session, *items, reason="failed", superstep=1):
    session.running = False
    session.progress = None
    session.stopped = StoppedBody(
        reason=reason, status="FAILED", superstep=superstep, taken_back=items
    )
    session.changed.emit()
    session.stopped_at.emit()


def test_an_output_is_shown_at_once_as_not_committed_and_becomes_definite_at_the_barrier(
    panel, session
):
    see(session, 1, text(1, "before"))
    session.run_id = panel._run
    tell(session, coming("a"), coming("b", index=2))
    assert shown(panel) == [
        ("before", "s1", False),
        ("a", "uncommitted", False),
        ("b", "uncommitted", False),
    ]
    assert "not committed yet" in panel._what.text()
    assert "counts when superstep 2 is done" in panel._note.text()
    # as outputs that are committed, they are counted only
    assert (panel.fronts, panel.badges[-1]) == ([], "3")
    tell(session, superstep=3)  # its checkpoint is on its way: what is known stays
    assert panel.badges[-1] == "3"
    assert shown(panel) == [
        ("before", "s1", False),
        ("a", "s2", False),
        ("b", "s2", False),
    ]
    session.running = False
    stop(session, "step", 2)
    see(session, 2, text(1, "before"), text(2, "a"), text(2, "b"))
    assert shown(panel) == [
        ("before", "s1", False),
        ("a", "s2", False),
        ("b", "s2", False),
    ]
    assert panel._items.item(2).data(ITEM).checkpoint_id == "c2"


def test_who_chose_one_of_several_that_come_stays_there(panel, session):
    see(session, 1)
    tell(session, coming("a"), coming("b", index=2))
    panel.list.setCurrentIndex(panel._items.index(0, 0))
    tell(session, coming("a"), coming("b", index=2), coming("c", index=3))
    assert panel.reader.text == "a"


@pytest.mark.parametrize(
    ("reason", "words"),
    [("failed", "superstep 2 failed"), ("cancelled", "superstep 2 was stopped")],
)
def test_a_superstep_that_comes_to_nothing_takes_its_outputs_back_by_name(
    panel, session, reason, words
):
    see(session, 1, text(1, "before"))
    session.run_id = panel._run
    tell(session, coming("a"))
    fail(session, coming("a", "taken_back"), reason=reason)
    assert shown(panel) == [("before", "s1", False), ("a", "taken back", True)]
    assert f"taken back: {words}" in panel._what.text()
    assert words in panel._items.item(1).data(Qt.ItemDataRole.AccessibleTextRole)
    assert panel.badges[-1] == "1"
    see(session, 1, text(1, "before"), mode="past")
    assert shown(panel) == [("before", "s1", False)]
    see(session, 1, text(1, "before"))
    assert len(shown(panel)) == 2
    session.running = True
    session.stopped = None
    session.changed.emit()
    assert len(shown(panel)) == 1


def test_what_a_failed_attempt_put_out_is_struck_while_the_superstep_goes_on(
    panel, session
):
    see(session, 1)
    tell(session, coming("a", "taken_back"), coming("b", index=2))
    assert shown(panel) == [("a", "taken back", True), ("b", "uncommitted", False)]
    panel.list.setCurrentIndex(panel._items.index(0, 0))
    assert "taken back: its handler failed" in panel._what.text()


def test_more_of_a_value_can_be_had_once_it_is_in_a_checkpoint(panel, session):
    see(session, 1)
    big = Value(
        type="list",
        text="900 items",
        count=900,
        children=(("0", Value(type="list", text="2 items", count=2)),),
    )
    item = OutputItem(
        superstep=2,
        executor="classify",
        checkpoint_id="",
        index=1,
        value=big,
        state="coming",
    )
    tell(session, item)
    panel.tree.open_to(("0",))
    assert session.asked == []


def test_nothing_of_the_run_before_is_left_in_the_next_one(panel, session):
    see(session, 1, text(1, "before"))
    session.run_id = panel._run
    tell(session, coming("a"))
    session.run_id = "another"
    tell(session, superstep=3)
    assert panel._uncommitted.items == ()


def test_how_many_rows_of_a_flood_are_not_shown_is_said(panel, session):
    see(session, 1)
    session.running = True
    session.stopped = None
    session.progress = ProgressBody(
        superstep=2, coming=(coming("a", cut=5),), left_out=1200
    )
    session.progressed.emit()
    assert "1,200 earlier outputs of this superstep are not shown" in panel._note.text()
    assert (
        "5 more characters can be read when the superstep is done" in panel._note.text()
    )


def test_rows_are_a_table_by_themselves_and_what_follows_is_a_tree_again(
    panel, session
):
    see(session, 7, tree(7, [{"name": "rich", "size": 3}, {"name": "qt", "size": 4}]))
    section, path, _, done = session.asked[-1]
    assert (section, path) == ("output:0", ())
    rows = tree(7, [{"name": "rich", "size": 3}, {"name": "qt", "size": 4}]).value
    done(ExpandBody(children=rows.children, count=2))
    assert isinstance(panel.tree_and_viewer.viewer, TableViewer)
    assert panel.tree_and_viewer.viewer.rows.heads == ("name", "size")
    panel.copy_button.click()
    assert (
        QApplication.clipboard().text()
        == "[{'name': 'rich', 'size': 3}, {'name': 'qt', 'size': 4}]"
    )
    see(session, 8, tree(8, {"n": 1}))
    assert panel.tree_and_viewer.viewer is None
