"""Bookmarks: set and left by keys and menus, gone to, listed first in Find, saved with
the drawing.
"""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from designer.model import edits, files, frames
from designer.model.bookmarks import bookmarks_of, toggle
from designer.shell.find.command_palette import CommandPalette
from designer.shell.workspace import Workspace
from tests.designer.shell.support import Hand, draw

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
K = Qt.Key
CTRL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def workspace(hand: Hand) -> Workspace:
    workspace = draw(hand)
    workspace.canvas.setFocus()
    return workspace


def ids(workspace: Workspace) -> list[str]:
    return [node.id for node in workspace.document.design.workflow.nodes]


def bookmark(hand: Hand, key: str) -> None:
    hand.workspace.document.select({key})
    hand.key(K.Key_B, CTRL)


def test_a_bookmark_is_set_gone_to_and_taken_away_by_keys_each_one_step(
    hand: Hand, workspace: Workspace
) -> None:
    first, second, *_ = ids(workspace)
    steps = workspace.document.undo_stack.index()
    bookmark(hand, first)
    bookmark(hand, second)
    assert bookmarks_of(workspace.document.design) == (first, second)
    assert workspace.document.undo_stack.index() == steps + 2
    hand.key(K.Key_B, CTRL | SHIFT)
    assert workspace.document.selection == {first}
    hand.key(K.Key_B, CTRL | SHIFT)
    assert workspace.document.selection == {second}
    hand.key(K.Key_B, CTRL)
    assert bookmarks_of(workspace.document.design) == (first,)
    hand.key(K.Key_Z, CTRL)
    assert bookmarks_of(workspace.document.design) == (first, second)


def test_find_lists_bookmarks_first_and_goes_there(
    hand: Hand, workspace: Workspace
) -> None:
    last = ids(workspace)[-1]
    bookmark(hand, last)
    workspace.document.select(())
    hand.key(K.Key_F, CTRL)
    palette = hand.window.findChild(CommandPalette)
    assert palette is not None
    QTest.keyClick(palette.search, K.Key_Return)
    assert workspace.document.selection == {last}


def test_find_goes_to_a_note_by_a_word_in_it(hand: Hand, workspace: Workspace) -> None:
    design, note = frames.add(
        workspace.document.design,
        "note",
        (0, 900, 200, 96),
        "Ask legal before\nthe merger",
    )
    workspace.document.apply("x", design)
    hand.key(K.Key_F, CTRL)
    palette = hand.window.findChild(CommandPalette)
    assert palette is not None
    QTest.keyClicks(palette.search, "merger")
    item = palette.found.item(0)
    hand.click(palette.found.viewport(), palette.found.visualItemRect(item).center())
    assert workspace.document.selection == {note}


def test_a_bookmark_is_saved_and_follows_a_node_to_its_new_id(
    workspace: Workspace,
) -> None:
    node = ids(workspace)[0]
    design = edits.set_id(toggle(workspace.document.design, [node]), node, "renamed")
    assert bookmarks_of(files.loads(files.dumps(design))) == ("renamed",)


def test_a_bookmark_of_what_is_gone_is_not_listed_and_comes_back_with_it(
    hand: Hand, workspace: Workspace
) -> None:
    node = ids(workspace)[0]
    bookmark(hand, node)
    hand.key(K.Key_Delete)
    assert bookmarks_of(workspace.document.design) == ()
    hand.key(K.Key_Z, CTRL)
    assert bookmarks_of(workspace.document.design) == (node,)


def test_f2_leads_to_the_words_of_a_frame_in_the_properties(
    hand: Hand, workspace: Workspace
) -> None:
    design, frame = frames.add(
        workspace.document.design, "frame", (0, 900, 400, 200), "Old"
    )
    workspace.document.apply("x", design)
    workspace.document.select({frame})
    hand.key(K.Key_F2)
    hand.key(K.Key_A, CTRL)
    hand.type("New name")
    assert frames.frames_of(workspace.document.design)[0].text == "New name"
    hand.press("Delete", workspace.panels["Properties"])
    assert frames.frames_of(workspace.document.design) == ()
