"""The hands of somebody who draws a workflow in the real window: they look where things
are, and use mouse and keys.

Nothing here calls the document or a command of the canvas: positions are asked for,
everything else is an event.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QModelIndex, QPoint, Qt
from PySide6.QtGui import QDrag, QDragEnterEvent, QDragMoveEvent, QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QPlainTextEdit,
    QScrollArea,
    QToolButton,
    QWidget,
)

from designer.canvas.view import CanvasView
from designer.panels.palette import PalettePanel
from designer.panels.properties.editor import Editor
from designer.panels.properties.node_editor import NodeEditor
from designer.panels.properties.panel import PropertiesPanel
from designer.panels.widgets.palette_tree import TypeTree
from runtime.document.definition import NodeDefinition, WorkflowDefinition
from tests.designer.shell.support import LEFT, NO_BUTTON, PLAIN, Hand

CTRL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier


def editor_of(hand: Hand) -> Editor:
    """What Properties shows."""
    panel = hand.workspace.panels["Properties"]
    assert isinstance(panel, PropertiesPanel)
    QApplication.processEvents()  # it follows the selection in a moment
    assert panel.editor is not None
    return panel.editor


class Builder:
    """Works on the document that is in front in the window of `hand`."""

    def __init__(self, hand: Hand) -> None:
        self.hand = hand

    # --- looking

    @property
    def canvas(self) -> CanvasView:
        return self.hand.workspace.canvas

    @property
    def workflow(self) -> WorkflowDefinition:
        return self.hand.workspace.document.design.workflow

    def node(self, title: str) -> NodeDefinition:
        """The node that is called so."""
        (found,) = [node for node in self.workflow.nodes if node.title == title]
        return found

    def still(self) -> None:
        """Wait until nothing glides: who aims at a thing waits for it to stand."""
        self.hand.wait(lambda: not self.canvas.clock.is_moving)

    def middle(self, title: str) -> QPoint:
        self.still()
        return self.canvas.mapFromScene(
            self.canvas.scene().boxes[self.node(title).id].rect.center()
        )

    def outlet(self, title: str) -> QPoint:
        self.still()
        return self.canvas.mapFromScene(
            self.canvas.scene().boxes[self.node(title).id].outlet
        )

    @property
    def editor(self) -> Editor:
        return editor_of(self.hand)

    @property
    def node_editor(self) -> NodeEditor:
        editor = self.editor
        assert isinstance(editor, NodeEditor)
        return editor

    # --- the palette

    @property
    def palette(self) -> PalettePanel:
        found = self.hand.workspace.panels["Palette"]
        assert isinstance(found, PalettePanel)
        return found

    def carry(self, type_title: str, to: QPoint) -> None:
        """Drag a row of the palette onto the canvas.

        The offscreen platform ends every drag at once: what the palette gave it is
        carried on from here, by the events that a platform sends to the widget under
        the pointer.
        """
        tree = self.palette.tree
        target = self.canvas.viewport()
        row = _row(tree, type_title)
        tree.scrollTo(row)
        start = tree.visualRect(row).center()
        self.hand.mouse(
            tree.viewport(), QEvent.Type.MouseButtonPress, start, LEFT, LEFT
        )
        for step in (12, 24):
            self.hand.mouse(
                tree.viewport(),
                QEvent.Type.MouseMove,
                start + QPoint(step, 0),
                NO_BUTTON,
                LEFT,
            )
        (drag,) = tree.findChildren(QDrag)
        data = drag.mimeData()
        copy = Qt.DropAction.CopyAction
        QApplication.sendEvent(
            target, QDragEnterEvent(to - QPoint(8, 8), copy, data, LEFT, PLAIN)
        )
        QApplication.sendEvent(target, QDragMoveEvent(to, copy, data, LEFT, PLAIN))
        QApplication.sendEvent(
            target, QDropEvent(to.toPointF(), copy, data, LEFT, PLAIN)
        )
        self.hand.mouse(
            tree.viewport(),
            QEvent.Type.MouseButtonRelease,
            start + QPoint(24, 0),
            LEFT,
            NO_BUTTON,
        )

    # --- the canvas

    def click(self, title: str, modifiers: Qt.KeyboardModifier = PLAIN) -> None:
        QTest.mouseClick(self.canvas.viewport(), LEFT, modifiers, self.middle(title))

    def choose(self, titles: Sequence[str]) -> None:
        """Select these, one after the other."""
        for at, title in enumerate(titles):
            self.click(title, SHIFT if at else PLAIN)

    def wire(self, source: str, target: str) -> None:
        """From port to node."""
        self.hand.drag(self.canvas.viewport(), self.outlet(source), self.middle(target))

    def wire_to_new(self, source: str, type_title: str, to: QPoint) -> None:
        """Let a wire go on the empty canvas, and choose what stands at its end."""
        self.hand.drag(self.canvas.viewport(), self.outlet(source), to)
        self.quick_add(type_title)

    def quick_add(self, words: str) -> None:
        """Into the quick add that is open."""
        assert self.canvas.popup is not None
        self.hand.type(words)
        self.hand.key(Qt.Key.Key_Return)
        assert self.canvas.popup is None

    # --- the forms

    def rename(self, name: str) -> None:
        """F2, the name, Enter."""
        self.hand.key(Qt.Key.Key_F2)
        self.hand.type(name)
        self.hand.key(Qt.Key.Key_Return)

    def write(self, editor: QWidget, text: str) -> None:
        """Click into a text, and replace it."""
        self.see(editor)
        self.hand.click(
            editor.viewport() if isinstance(editor, QPlainTextEdit) else editor
        )
        assert editor.hasFocus(), (editor, QApplication.focusWidget())
        self.hand.key(Qt.Key.Key_A, CTRL)
        for at, line in enumerate(text.split("\n")):
            if at:
                self.hand.key(Qt.Key.Key_Return)
            self.hand.type(line)

    def write_param(self, name: str, text: str) -> None:
        form = self.node_editor.form
        assert form is not None
        self.write(form.field(name).editor(), text)

    def choose_icon(self, name: str) -> None:
        self.hand.click(self.node_editor.icon)
        popup = QApplication.activePopupWidget()
        assert popup is not None
        (tool,) = [
            tool
            for tool in popup.findChildren(QToolButton)
            if tool.accessibleName() == name
        ]
        self.hand.click(tool)
        # a window manager does so when a popup goes; offscreen there is none
        self.hand.window.activateWindow()
        self.hand.wait(self.hand.window.isActiveWindow)

    def see(self, widget: QWidget) -> None:
        """Scroll until a widget is in sight."""
        QApplication.processEvents()  # what was added a moment ago has its size
        parent = widget.parentWidget()
        while parent is not None and not isinstance(parent, QScrollArea):
            parent = parent.parentWidget()
        if isinstance(parent, QScrollArea):
            parent.ensureWidgetVisible(widget)
        assert widget.isVisible()


def _row(tree: TypeTree, title: str) -> QModelIndex:
    model = tree.model()
    heads = [model.index(at, 0) for at in range(model.rowCount())]
    rows = (
        model.index(at, 0, head) for head in heads for at in range(model.rowCount(head))
    )
    return next(row for row in rows if row.data() == title)
