"""Somebody who hunts a fault in the real window, and counts what they do.

An action is a click, a double-click, a key, or a text that is typed. Everything is an
event of the mouse or the keyboard: only positions are asked for.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QLineEdit,
    QPlainTextEdit,
    QStyle,
    QStyleOptionFrame,
    QTreeView,
    QWidget,
)

from designer.panels.code.cel_edit import CelField
from designer.panels.forms.choice_fields import ChoiceField
from designer.panels.forms.form import Form
from designer.panels.outputs import OutputsPanel
from designer.panels.properties.case_editors import CaseCard
from designer.panels.properties.editor import Editor
from designer.panels.properties.node_editor import NodeEditor
from designer.panels.selected import SelectedPanel
from designer.panels.values.model import Node
from designer.shell.workspace import Workspace
from runtime.checkpoints.archive import Archive
from runtime.debug.protocol import Header
from runtime.stores import open_store
from tests.designer.shell.support import PLAIN, Hand
from tests.end_to_end.builder import editor_of
from tests.end_to_end.hunts.planted import Planted

_GO_ON = ("Go on from #", "Continue from #")


class Hunter:
    """Works in the window of `hand`. `actions` has a line for each action."""

    def __init__(self, hand: Hand) -> None:
        self.hand = hand
        self.actions: list[str] = []

    @property
    def workspace(self) -> Workspace:
        return self.hand.workspace

    @property
    def headers(self) -> list[Header]:
        """The checkpoints of the run that is shown."""
        timeline = self.workspace.session.timeline
        timeline.flush()
        return [timeline.header_at(row) for row in range(timeline.rowCount())]

    # --- actions

    def click(self, words: str, widget: QWidget, at: QPoint | None = None) -> None:
        self.actions.append(f"click {words}")
        self.hand.click(widget, at)

    def key(
        self, key: Qt.Key, modifiers: Qt.KeyboardModifier = PLAIN, words: str = ""
    ) -> None:
        self.actions.append(f"press {words or key.name}")
        self.hand.key(key, modifiers)

    def press(self, text: str, inside: QWidget | None = None) -> None:
        self.click(f"[{text}]", self.hand.button(text, inside))

    def look_at(self, superstep: int) -> None:
        """Click a checkpoint on the timeline."""
        strip = self.workspace.panels["Timeline"].strip  # type: ignore[attr-defined]
        chosen = next(x for x in self.headers if x.superstep == superstep)
        at = strip.point_of(chosen.id)
        self.click(f"checkpoint {superstep + 1}", strip.viewport(), at)
        self.hand.wait(lambda: self.workspace.session.viewing == chosen.id)

    def select_node(self, node_id: str) -> None:
        rect = self.workspace.canvas.scene().boxes[node_id].rect
        self._click_on_canvas(node_id, rect.center())

    def select_edge(self, edge_id: str, wire: int = 0) -> None:
        figure = self.workspace.canvas.scene().edges.figures[edge_id]
        path = figure.wires[wire].path
        self._click_on_canvas(edge_id, path.pointAtPercent(0.5))

    def _click_on_canvas(self, words: str, at: QPointF) -> None:
        canvas = self.workspace.canvas
        self.hand.wait(lambda: not canvas.clock.is_moving)
        point = canvas.mapFromScene(at)
        assert canvas.viewport().rect().contains(point), f"{words} is out of sight"
        self.click(words, canvas.viewport(), point)

    def place_of(self, tree: QTreeView, title: str) -> QPoint:
        """Wait for the row of a tree of values that begins with a title, and return
        where it is.
        """
        values = tree.values  # type: ignore[attr-defined]
        self.hand.wait(
            lambda: any(row.title.startswith(title) for row in values.root.children)
        )
        titles = [row.title for row in values.root.children]
        place = next(
            place for place, text in enumerate(titles) if text.startswith(title)
        )
        return tree.visualRect(values.index(place, 0)).center()

    def choose(self, field: ChoiceField, text: str) -> None:
        """Open a box, and click a row of its list: two actions."""
        box = field.editor()
        wanted = next(
            row for row in range(box.count()) if text in box.itemText(row).lower()
        )
        self.click(f"the box {box.accessibleName()}", box)
        view = box.view()
        self.hand.wait(view.isVisible)
        QApplication.processEvents()  # so that the list takes clicks
        row = view.visualRect(box.model().index(wanted, 0)).center()
        self.click(f"the row {box.itemText(wanted)}", view.viewport(), row)
        assert text in box.currentText().lower()

    def replace_word(self, field: QWidget | CelField, word: str, text: str) -> None:
        """Double-click a word, and type another one: two actions."""
        field = field.editor if isinstance(field, CelField) else field
        if isinstance(field, QPlainTextEdit):
            self.double_click(word, field.viewport(), place_in_text(field, word))
            assert field.textCursor().selectedText() == word
        else:
            assert isinstance(field, QLineEdit)
            self.double_click(word, field, place_in_line(field, word))
            assert field.selectedText() == word
        self.type(text)

    def type(self, text: str) -> None:
        """Type a text where the focus is."""
        self.actions.append(f"type {text}")
        self.hand.type(text)

    def double_click(self, words: str, widget: QWidget, at: QPoint) -> None:
        """Press twice in one place: one action, as it is one for the hand."""
        self.actions.append(f"double-click {words}")
        self.hand.click(widget, at)
        QTest.mouseDClick(widget, Qt.MouseButton.LeftButton, pos=at)

    def edit_step(self, title: str) -> None:
        """Double-click a step of "Where does this come from", which edits its value in
        a copy, and wait until its field has the focus.
        """
        tree = self.selected.origin.tree
        self.double_click(f"row {title}", tree.viewport(), self.place_of(tree, title))
        surgery = self.workspace.panels["Edit and fork"]
        self.hand.wait(lambda: surgery.isAncestorOf(QApplication.focusWidget()))

    def wait_for_json(self) -> None:
        """Until the value of a message is there as JSON."""
        field = QPlainTextEdit
        self.hand.wait(lambda: isinstance(QApplication.focusWidget(), field))

    def fork_and_run(self) -> None:
        """Press F5, which means Apply and run as long as a copy is edited, as soon as
        the changes are checked.
        """
        staged = self.workspace.session.staged
        self.hand.wait(lambda: not staged.why_not)
        self.key(Qt.Key.Key_F5)

    def edit(self) -> None:
        self.click("Edit", self.hand.window.toolbar.buttons["edit"])
        assert self.workspace.session.mode == "edit"

    def go_on(self) -> None:
        """The banner offers to go on from before the change."""
        banner = self.workspace.banner

        def offer() -> QAbstractButton | None:
            for button in banner.buttons:
                if button.isVisible() and button.text().startswith(_GO_ON):
                    return button
            return None

        self.hand.wait(lambda: offer() is not None)
        button = offer()
        assert button is not None
        self.click(f"[{button.text()}]", button)

    # --- looking, which is no action

    def start(self, planted: Planted, folder: Path, *endings: str) -> None:
        """Open the workflow and run it until its fault is seen."""
        self.hand.window.files.open(planted.write(folder))
        self.hand.wait(lambda: bool(self.workspace.session.infos))
        self.hand.click(self.hand.window.toolbar.buttons["run"])
        self.hand.wait_stopped(*endings)
        self.hand.wait(lambda: self.workspace.session.moment is not None)

    def answer_yes(self) -> None:
        """Answer the question that the run waits for, which belongs to the run."""
        panel = self.hand.show("Requests")
        self.hand.wait(lambda: panel.question is not None)  # type: ignore[attr-defined]
        form = panel.question.form  # type: ignore[attr-defined]
        self.hand.press("Yes", form)
        self.hand.press("Send answer", form)

    @property
    def editor(self) -> Editor:
        return editor_of(self.hand)

    @property
    def selected(self) -> SelectedPanel:
        panel = self.workspace.panels["Selected"]
        assert isinstance(panel, SelectedPanel)
        return panel

    def param(self, name: str) -> Any:
        """The field of a parameter of the node that Properties shows."""

        def form() -> Form | None:
            editor = self.editor
            assert isinstance(editor, NodeEditor)
            return editor.form

        # A tab that was just opened asks first which types there are.
        self.hand.wait(lambda: form() is not None)
        return form().field(name).editor()

    def case(self, place: int) -> CaseCard:
        """The card of a case of the switch that Properties shows."""
        cards = self.editor.findChildren(CaseCard)
        return cards[place]

    def steps(self) -> list[str]:
        """The steps that lead to a value, the newest first."""
        return rows_of(self.selected.origin.tree.values.root)

    def read_outputs(self) -> list[object]:
        """The outputs of the branch that the run stands on."""
        head = self.workspace.session.head
        assert head is not None
        return asyncio.run(_outputs(self.workspace.session._opener.store, head.id))

    def told(self) -> list[str]:
        """The rows of Selected, as they are read."""
        return rows_of(self.selected.tree.values.root)

    def sees(self, *texts: str, rows: Callable[[], list[str]] | None = None) -> None:
        """Wait until rows say all of this. Without `rows` those of Selected."""
        shown = rows or self.told
        self.hand.wait(
            lambda: all(any(text in row for row in shown()) for text in texts)
        )

    @property
    def outputs(self) -> OutputsPanel:
        panel = self.workspace.panels["Output"]
        assert isinstance(panel, OutputsPanel)
        return panel

    def wait_for_new_branch(self) -> Header:
        """Until the run went on from before the fault, to its end. Return the
        checkpoint that it went on from.
        """
        session = self.workspace.session
        self.hand.wait(lambda: session.timeline.branch_count > 1)
        self.hand.wait_stopped("finished")
        headers = {header.id: header for header in self.headers}
        header = session.head
        assert header is not None
        branch = header.branch
        while header.branch == branch:
            assert header.parent is not None
            header = headers[header.parent]
        return header


def place_in_text(field: QPlainTextEdit, word: str) -> QPoint:
    """Return a point on a word."""
    cursor = field.textCursor()
    start = field.toPlainText().index(word)
    cursor.setPosition(start)
    left = field.cursorRect(cursor).center()
    cursor.setPosition(start + len(word))
    return (left + field.cursorRect(cursor).center()) / 2


def place_in_line(field: QLineEdit, word: str) -> QPoint:
    """Return a point on a word, as far as the line is not scrolled."""
    place = field.text().index(word)
    metrics = field.fontMetrics()
    left = metrics.horizontalAdvance(field.text()[:place])
    width = metrics.horizontalAdvance(word)
    option = QStyleOptionFrame()
    field.initStyleOption(option)
    part = QStyle.SubElement.SE_LineEditContents
    area = field.style().subElementRect(part, option, field)
    return QPoint(area.left() + 2 + left + width // 2, area.center().y())


async def _outputs(url: str, checkpoint_id: str) -> list[object]:
    store = open_store(url, read_only=True)
    archive = Archive(store)
    outputs: list[object] = []
    parent: str | None = checkpoint_id
    while parent is not None:
        checkpoint = await archive.load(parent)
        outputs[:0] = [output.data for output in checkpoint.trace.outputs]
        parent = checkpoint.header.parent
    await store.close()
    return outputs


def rows_of(root: Node) -> list[str]:
    return [f"{row.title} {row.tail}".strip() for row in root.walk()]
