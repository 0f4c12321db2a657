"""Ctrl+F finds nodes and edges by all that is written in them, and goes there."""

import pytest
from PySide6.QtCore import Qt

from designer.canvas.drawing.style import FULL
from designer.model import edits
from designer.shell.find.command_palette import CommandPalette
from runtime.nodes import catalogue
from tests.designer.shell.support import draw

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
CTRL = Qt.KeyboardModifier.ControlModifier


def found(hand, text):
    hand.workspace.canvas.setFocus()
    hand.key(Qt.Key.Key_F, CTRL)
    palette = hand.window.findChild(CommandPalette)
    hand.qtbot.keyClicks(palette.search, text)
    return palette


@pytest.fixture
def workspace(hand):
    workspace = draw(hand)
    node = workspace.document.design.workflow.nodes[0]
    params = {"state": "tally_of_words", "deep": [{"text": "a needle in hay"}]}
    workspace.document.apply(
        "Fill in", edits.set_params(workspace.document.design, node.id, params)
    )
    workspace.document.select(set())
    return workspace


@pytest.mark.parametrize("text", ["tally_of", "needle in", "NEEDLE"])
def test_a_node_by_the_text_in_its_parameters(hand, workspace, text):
    palette = found(hand, text)
    assert palette.found.count() == 1
    hand.qtbot.keyClick(palette.search, Qt.Key.Key_Return)
    assert workspace.document.selection == {
        workspace.document.design.workflow.nodes[0].id
    }
    assert hand.window.focusWidget() is workspace.canvas


def test_a_node_by_id_and_by_type(hand, workspace):
    palette = found(hand, "")
    for node in workspace.document.design.workflow.nodes:
        for text in (node.id, node.type):
            palette.search.clear()
            hand.qtbot.keyClicks(palette.search, text)
            assert node.title in [
                palette.found.item(row).text() for row in range(palette.found.count())
            ]
    palette.close()


def test_an_edge_by_its_id(hand, workspace):
    edge = workspace.document.design.workflow.edges[0]
    palette = found(hand, edge.id)
    texts = [palette.found.item(row).text() for row in range(palette.found.count())]
    place = next(row for row, text in enumerate(texts) if "→" in text)
    hand.click(
        palette.found.viewport(),
        palette.found.visualItemRect(palette.found.item(place)).center(),
    )
    assert workspace.document.selection == {edge.id}


def test_what_is_nowhere_is_said_and_changes_nothing(hand, workspace):
    palette = found(hand, "zzqqzz")
    assert not palette.nothing.isHidden()
    hand.qtbot.keyClick(palette.search, Qt.Key.Key_Return)
    assert workspace.document.selection == frozenset()
    palette.close()


def test_the_command_palette_adds_a_node_by_what_people_call_it(hand, workspace):
    workspace.session.catalogue.infos = {
        info.type: info for info in catalogue().infos()
    }
    hand.window.show_commands()
    palette = hand.window.findChild(CommandPalette)
    hand.qtbot.keyClicks(palette.search, "spreadsheet")
    assert (
        palette.found.item(0).text()
        == f"Add {workspace.session.infos['csv_read'].title}"
    )
    hand.qtbot.keyClick(palette.search, Qt.Key.Key_Return)
    assert [node.type for node in workspace.document.design.workflow.nodes].count(
        "csv_read"
    ) == 1


def test_what_was_found_is_so_near_that_it_can_be_read(hand, workspace):
    workspace.canvas.camera.zoom_to(0.2)
    palette = found(hand, "rank")
    hand.qtbot.keyClick(palette.search, Qt.Key.Key_Return)
    (chosen,) = workspace.document.selection
    hand.wait(lambda: not workspace.canvas.clock.is_moving)
    assert workspace.canvas.zoom > FULL
    seen = workspace.canvas.mapToScene(
        workspace.canvas.viewport().rect()
    ).boundingRect()
    assert seen.contains(workspace.canvas.scene().boxes[chosen].rect)


def test_who_is_near_enough_already_stays_at_that_zoom(hand, workspace):
    workspace.canvas.camera.zoom_to(1.5)
    palette = found(hand, "rank")
    hand.qtbot.keyClick(palette.search, Qt.Key.Key_Return)
    assert workspace.canvas.zoom == 1.5
