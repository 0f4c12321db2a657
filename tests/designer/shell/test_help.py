"""F1 tells about what a person is at, from what node types, edges and problems say of
themselves.
"""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QTextDocument

from designer.look.fonts import DATA_FAMILY
from designer.model import frames
from designer.model.edge_kinds import KINDS, kind_of
from designer.panels import PANELS
from designer.shell.help.page import MARGIN, HelpPage
from designer.shell.help.texts import about_type, guide_topic, help_for
from resources import guide
from runtime.document.problem import Problem
from runtime.nodes import catalogue
from tests.designer.shell.support import draw
from tests.designer.shell.test_looks_by_hand import choose

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
BACKWARD = QTextDocument.FindFlag.FindBackward
INFOS = {info.type: info for info in catalogue().infos()}


def ask(hand):
    hand.window.activateWindow()
    hand.key(Qt.Key.Key_F1)
    page = hand.window.findChild(HelpPage)
    topic = page.topic
    assert page.title.text() == topic.title
    assert page.page.toPlainText()
    page.close()
    hand.window.activateWindow()
    hand.wait(hand.window.isActiveWindow)
    return topic


def place(topic):
    return topic.chapter, topic.heading


def open_guide(hand, chapter, heading=""):
    hand.window.show_guide()
    page = hand.window.findChild(HelpPage)
    page.show_topic(guide_topic(chapter, heading))
    return page


def top_line(page):
    """The first line that can be read, below the margin of the page."""
    return page.cursorForPosition(QPoint(MARGIN, 4)).block().text()


def slugs(chapter):
    return {heading.slug for heading in guide.chapters()[chapter].headings}


def test_every_panel_and_every_kind_of_edge_has_a_heading():
    assert {guide.slug(panel.title) for panel in PANELS} == slugs("panels")
    assert {guide.slug(kind.title) for kind in KINDS.values()} == slugs("edges")


@pytest.mark.parametrize("info", INFOS.values(), ids=list(INFOS))
def test_every_node_type_tells_what_it_does_and_of_each_parameter(info):
    title, text, *_ = about_type(info)
    assert title == info.title
    assert info.description
    assert info.description in text
    shown = [
        name
        for name, param in info.params_schema.get("properties", {}).items()
        if not param.get("hidden")
    ]
    assert text.count("\n- **") + text.startswith("- **") >= len(shown)


def test_on_the_start_page(hand):
    assert place(ask(hand)) == ("window", "start-page")


def test_on_a_node_an_edge_and_nothing(hand):
    workspace = draw(hand)
    workspace.session.catalogue.infos = INFOS
    workflow = workspace.document.design.workflow
    workspace.canvas.setFocus()
    assert place(ask(hand)) == ("window", "canvas")
    node = next(node for node in workflow.nodes if node.type in INFOS)
    workspace.document.select({node.id})
    assert ask(hand).title == INFOS[node.type].title
    edge = workflow.edges[0]
    workspace.document.select({edge.id})
    assert place(ask(hand)) == ("edges", guide.slug(kind_of(edge).title))


def test_on_the_panel_that_has_the_focus(hand):
    workspace = draw(hand)
    hand.show("Console").setFocus()
    assert place(ask(hand)) == ("panels", "console")
    workspace.canvas.setFocus()


def test_on_a_problem_it_says_what_to_do(hand):
    workspace = draw(hand)
    workspace.session.catalogue.infos = INFOS
    workspace.session.catalogue_ready.emit()
    panel = hand.show("Problems")
    hand.wait(lambda: len(workspace.checks.problems) > 0)
    panel.refresh()
    panel.table.setFocus()
    panel.table.setCurrentIndex(panel.rows.index(0, 1))
    title, text, *_ = ask(hand)
    problem = workspace.checks.problems[0]
    assert title == problem.severity.capitalize()
    assert problem.message[:20] in text


def test_the_page_begins_at_its_beginning(hand):
    workspace = draw(hand)
    workspace.session.catalogue.infos = INFOS
    node = next(
        node for node in workspace.document.design.workflow.nodes if node.type in INFOS
    )
    workspace.document.select({node.id})
    hand.window.show_help()
    page = hand.window.findChild(HelpPage).page
    assert page.verticalScrollBar().value() == 0
    page.window().close()


def test_on_a_frame_and_on_a_note(hand):
    workspace = draw(hand)
    design, frame = frames.add(
        workspace.document.design, "frame", (0, 900, 400, 200), "A"
    )
    workspace.document.apply("x", design)
    workspace.document.select({frame})
    workspace.canvas.setFocus()
    assert place(ask(hand)) == ("window", "frames-and-notes")


def test_the_page_begins_at_the_heading_and_marks_it(hand):
    page = open_guide(hand, "panels", "timeline")
    hand.wait(lambda: top_line(page.page) == "Timeline")
    assert page.contents.currentIndex().data() == "Timeline"
    assert [mark.cursor.block().text() for mark in page.page.extraSelections()] == [
        "Timeline"
    ]
    position = page.page.verticalScrollBar().value()
    hand.window._look.choose("dark")
    assert page.page.verticalScrollBar().value() == position


def test_a_selected_edge_with_problems_tells_them_below_its_kind(desk):
    workspace = draw(desk)
    edge = workspace.document.design.workflow.edges[0]
    problem = Problem(
        severity="error",
        rule="x",
        message="It leads nowhere.",
        location=edge.id,
        remedy="Delete it.",
    )
    workspace.checks.by_location = {edge.id: [problem]}
    workspace.document.select({edge.id})
    topic = help_for(workspace, None)
    assert place(topic) == ("edges", "fan-out")
    told = topic.text.index("- **error**: It leads nowhere. Delete it.")
    assert topic.text.index("\n## Fan-out\n") < told < topic.text.index("\n## Join\n")


def test_the_menu_opens_the_guide(hand):
    choose(hand, "Help", "Guide")
    page = hand.window.findChild(HelpPage)
    assert place(page.topic) == (guide.INDEX, "")
    assert not page.back.isEnabled()


def test_links_lead_to_a_chapter_and_to_a_heading_and_back_leads_back(hand):
    page = open_guide(hand, "edges")
    follow_link(hand, page, "Failures")
    assert place(page.topic) == ("failures", "")
    hand.click(page.back)
    assert place(page.topic) == ("edges", "")
    follow_link(hand, page, "Error edge")
    assert place(page.topic) == ("edges", "error-edge")
    hand.wait(page.isActiveWindow)
    hand.key(Qt.Key.Key_Left, Qt.KeyboardModifier.AltModifier)
    assert place(page.topic) == ("edges", "")


def follow_link(hand, page, words):
    """Click the last link with these words."""
    cursor = page.page.document().find(
        words, page.page.document().characterCount(), BACKWARD
    )
    while not cursor.charFormat().anchorHref():
        cursor = page.page.document().find(words, cursor, BACKWARD)
    page.page.setTextCursor(cursor)
    page.page.ensureCursorVisible()
    hand.click(
        page.page.viewport(), page.page.cursorRect(cursor).center() - QPoint(4, 0)
    )


def test_a_click_on_the_contents_leads_to_the_heading(hand):
    page = open_guide(hand, "panels")
    contents = page.contents
    index = contents.indexAt(
        contents.visualRect(contents.currentIndex()).center()
    ).siblingAtColumn(0)
    timeline = next(
        contents.model().index(row, 0, index)
        for row in range(contents.model().rowCount(index))
        if contents.model().index(row, 0, index).data() == "Timeline"
    )
    hand.click(contents.viewport(), contents.visualRect(timeline).center())
    assert place(page.topic) == ("panels", "timeline")
    files = next(
        contents.model().index(row, 0)
        for row in range(contents.model().rowCount())
        if contents.model().index(row, 0).data() == "Failures"
    )
    contents.scrollTo(files)
    hand.click(contents.viewport(), contents.visualRect(files).center())
    assert place(page.topic) == ("failures", "")


def test_programs_are_in_the_font_for_data_and_numbers_stay_whole(hand):
    document = open_guide(hand, "speed").page.document()
    command = document.find("peers.sh")
    assert command.charFormat().fontFamilies() == [DATA_FAMILY]
    number = document.find("agent-framework 21,018")
    assert number.blockFormat().nonBreakableLines()
