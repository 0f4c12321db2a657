"""Edit and fork in the window, with a real host: a run is repaired in a copy of its past,
with mouse and keys, and the past stays as it was.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit

from designer.panels.compare.panel import ComparePanel
from designer.panels.surgery.panel import SurgeryPanel
from designer.panels.surgery.row_view import RowView
from designer.panels.timeline.panel import TimelinePanel
from runtime.patches import Patch
from tests.designer.shell.support import Hand

pytestmark = pytest.mark.slow
CTRL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier
NODES = [
    {"id": "start", "type": "input"},
    {"id": "hello", "type": "template", "params": {"text": "Hello {message.name}"}},
    {"id": "end", "type": "output"},
]
EDGES = [
    {"id": "first", "kind": "direct", "source": "start", "target": "hello"},
    {"id": "last", "kind": "direct", "source": "hello", "target": "end"},
]


@pytest.fixture
def ran(hand: Hand, tmp_path: Path) -> Hand:
    workflow = {
        "name": "w",
        "start": "start",
        "input": {"name": "Adda"},
        "nodes": NODES,
        "edges": EDGES,
    }
    path = tmp_path / "w.stepwell.json"
    path.write_text(json.dumps({"workflow": workflow}), "utf-8")
    hand.window.files.open(path)
    hand.wait(lambda: bool(hand.workspace.session.infos))
    hand.click(hand.window.toolbar.buttons["run"])
    hand.wait_stopped("finished")
    return hand


def task(hand: Hand) -> SurgeryPanel:
    panel = hand.workspace.panels["Edit and fork"]
    assert isinstance(panel, SurgeryPanel)
    return panel


def view(hand: Hand, number: int) -> None:
    """Click a checkpoint on the timeline."""
    timeline = hand.workspace.panels["Timeline"]
    assert isinstance(timeline, TimelinePanel)
    hand.show("Timeline")
    session = hand.workspace.session
    id = session.timeline.header_at(number - 1).id
    hand.click(timeline.strip.viewport(), timeline.strip.point_of(id))
    hand.wait(lambda: session.moment is not None and shown(hand) == id)


def shown(hand: Hand) -> str:
    original = hand.workspace.session.staged.requests_of
    header = original.header if original is not None else None
    return header.id if header is not None else ""


def message(hand: Hand) -> RowView:
    hand.wait(lambda: any(_is_message(view) for view in task(hand).views()))
    return next(view for view in task(hand).views() if _is_message(view))


def _is_message(view: RowView) -> bool:
    return view.row is not None and view.row.kind == "message"


def test_a_message_of_the_past_is_repaired_and_run_on(ran: Hand) -> None:
    hand = ran
    session = hand.workspace.session
    before = [session.timeline.header_at(row).id for row in range(4)]
    view(hand, 2)
    hand.press("Edit and fork", hand.workspace.banner)
    hand.wait(task(hand).isVisible)
    hand.click(message(hand), QPoint(150, 6))
    QApplication.processEvents()
    inner = next(view for view in task(hand).views() if view.field is not None)
    field = inner.field
    assert field is not None
    hand.click(field.editor())
    QTest.keyClick(field.editor(), Qt.Key.Key_A, CTRL)
    QTest.keyClicks(field.editor(), "Ada")
    hand.wait(lambda: session.staged.why_not == "")
    assert "1 change" in hand.workspace.banner.text
    assert "copy of checkpoint #2" in hand.window.windowTitle()
    timeline = hand.workspace.panels["Timeline"]
    assert isinstance(timeline, TimelinePanel)
    assert any(words.startswith("Runs ") for words in timeline.preview.words)
    hand.press("Apply and run", task(hand))
    hand.wait(lambda: len(session.timeline.lanes) == 2)
    hand.wait_stopped("finished")
    branches = [lane.branch for lane in session.timeline.lanes]
    assert branches == ["main", "edit of #2"]
    assert session.moment is not None
    hand.wait(lambda: "Hello Ada" in str(session.moment))
    after = [session.timeline.header_at(row).id for row in range(4)]
    assert after == before


def test_changes_are_kept_saved_as_a_patch_and_loaded_again(
    ran: Hand, tmp_path: Path
) -> None:
    hand = ran
    staged = hand.workspace.session.staged
    view(hand, 2)
    hand.key(Qt.Key.Key_E, CTRL | SHIFT)
    hand.wait(lambda: staged.is_on)
    row = message(hand)
    row.setFocus()
    QTest.keyClick(row, Qt.Key.Key_Delete)
    assert staged.count == 1
    hand.wait(lambda: staged.draft.changes[0].spot.source is not None)
    hand.somebody.export_to = tmp_path / "dropped.patch.json"
    foot = task(hand).foot
    foot.menu().actions()[0].trigger()
    saved = Patch.model_validate(json.loads(hand.somebody.export_to.read_text("utf-8")))
    assert [change.do for change in saved.changes] == ["drop"]
    hand.key(Qt.Key.Key_Escape)
    assert not staged.is_on
    assert [draft.changes for draft in staged.drafts] == [1]
    hand.key(Qt.Key.Key_E, CTRL | SHIFT)
    hand.press("Discard", task(hand))
    assert "discard 1" in hand.somebody.asked
    hand.key(Qt.Key.Key_E, CTRL | SHIFT)
    assert staged.count == 0
    hand.somebody.patch_from = hand.somebody.export_to
    foot.menu().actions()[1].trigger()
    assert [change.do for change in staged.draft.changes] == ["drop"]
    hand.wait(lambda: staged.why_not == "")


def test_a_field_of_the_state_view_is_edited_in_a_copy_by_its_menu(ran: Hand) -> None:
    hand = ran
    view(hand, 2)
    messages = hand.show("Messages")
    tree = messages.tree  # type: ignore[attr-defined]
    hand.wait(lambda: len(list(tree.values.root.walk())) > 2)
    node = next(node for node in tree.values.root.walk() if node.key == "name")
    menu = tree.menu_for(node)
    next(a for a in menu.actions() if a.text() == "Edit this in a copy").trigger()
    hand.wait(lambda: isinstance(QApplication.focusWidget(), QLineEdit))
    focused = QApplication.focusWidget()
    assert isinstance(focused, QLineEdit)
    assert focused.selectedText() == "Adda"


def test_the_value_of_another_moment_is_grafted_into_a_copy(ran: Hand) -> None:
    """A is the barrier before B: the message that only B has is added there."""
    hand = ran
    session = hand.workspace.session
    staged = session.staged
    view(hand, 3)
    session.compare_with(session.timeline.header_at(1).id)
    hand.wait(lambda: session.is_compared)
    compare = hand.workspace.panels["Compare"]
    assert isinstance(compare, ComparePanel)
    tree = compare.tree
    node = next(
        node
        for node in tree.values.root.walk()
        if getattr(node, "change", None) is not None
        and node.change.section == "messages"
        and node.change.kind == "added"
    )
    rect = tree.visualRect(tree.values.index_of(node))
    hand.click(tree.viewport(), rect.center())
    hand.press("Graft", compare)
    hand.wait(lambda: staged.is_on and staged.count == 1)
    (change,) = staged.draft.changes
    assert (change.do, change.value) == ("add", "Hello Adda")
    assert staged.checkpoint == session.timeline.header_at(1).id
    assert session.base == ""
    hand.wait(task(hand).isVisible)
    hand.wait(lambda: staged.is_current)
