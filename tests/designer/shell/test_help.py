"""F1 tells about what a person is at, from what node types, edges and problems say of themselves."""

from typing import get_args

import pytest
from PySide6.QtCore import Qt

from designer.model import frames
from designer.panels import PANELS
from designer.shell.help.page import HelpPage
from designer.shell.help.texts import about_type, topics
from runtime.document.definition import EdgeDefinition
from runtime.nodes import catalogue
from tests.designer.shell.support import draw

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
INFOS = {info.type: info for info in catalogue().infos()}


def ask(hand):
    hand.window.activateWindow()
    hand.key(Qt.Key.Key_F1)
    page = hand.window.findChild(HelpPage)
    found = page.title.text(), page.page.toPlainText()
    page.close()
    hand.window.activateWindow()
    hand.wait(hand.window.isActiveWindow)
    return found


def test_every_panel_and_every_kind_of_edge_has_a_text():
    assert {panel.title for panel in PANELS} == set(topics()["panels"])
    kinds = {
        kind.model_fields["kind"].default
        for kind in get_args(get_args(EdgeDefinition)[0])
    }
    assert kinds == set(topics()["edges"])


@pytest.mark.parametrize("info", INFOS.values(), ids=list(INFOS))
def test_every_node_type_tells_what_it_does_and_of_each_parameter(info):
    title, text = about_type(info)
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
    assert ask(hand)[0] == "Stepwell"


def test_on_a_node_an_edge_and_nothing(hand):
    workspace = draw(hand)
    workspace.session.infos = INFOS
    workflow = workspace.document.design.workflow
    workspace.canvas.setFocus()
    assert ask(hand)[0] == "Canvas"
    node = next(node for node in workflow.nodes if node.type in INFOS)
    workspace.document.select({node.id})
    assert ask(hand)[0] == INFOS[node.type].title
    edge = workflow.edges[0]
    workspace.document.select({edge.id})
    assert ask(hand)[0] == topics()["edges"][edge.kind].title


def test_on_the_panel_that_has_the_focus(hand):
    workspace = draw(hand)
    hand.show("Console").setFocus()
    assert ask(hand)[0] == "Console"
    assert "print" in ask(hand)[1]
    workspace.canvas.setFocus()


def test_on_a_problem_it_says_what_to_do(hand):
    workspace = draw(hand)
    workspace.session.infos = INFOS
    workspace.session.catalogue_ready.emit()
    panel = hand.show("Problems")
    hand.wait(lambda: len(workspace.checks.problems) > 0)
    panel.refresh()
    panel.table.setFocus()
    panel.table.setCurrentIndex(panel.rows.index(0, 1))
    title, text = ask(hand)
    problem = workspace.checks.problems[0]
    assert title == problem.severity.capitalize()
    assert problem.message[:20] in text


def test_the_page_begins_at_its_beginning(hand):
    workspace = draw(hand)
    workspace.session.infos = INFOS
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
    assert ask(hand)[0] == "Frames and notes"
