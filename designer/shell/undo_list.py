"""The undo history: a click on a step, or Enter, undoes or redoes up to it."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QWidget

from designer.panels.widgets.basic import label
from designer.panels.widgets.dialog import Dialog
from designer.qt.layouts import column, put, row
from designer.shell.workspace import Workspace

SIZE = (340, 420)
ROW = 28


class UndoList(Dialog):
    """Follows one workspace. The current row is the last step that is done; those below
    are undone.
    """

    def __init__(self, workspace: Workspace, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(f"Undo history of {workspace.document.called}")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._workspace = workspace
        self._stack = workspace.document.undo_stack
        self.steps = QListWidget()
        self.steps.setAccessibleName("Undo history")
        self.steps.setUniformItemSizes(True)
        self.steps.setFrameShape(QListWidget.Shape.NoFrame)
        self.says = label("", "secondary", wrap=True)
        layout = column(self)
        put(layout, row(self.says, margins=(12, 10, 12, 10)))
        layout.addWidget(self.steps, 1)
        self.steps.itemClicked.connect(self._go)
        self.steps.itemActivated.connect(self._go)
        self._stack.indexChanged.connect(self._show)
        workspace.session.changed.connect(self._show)
        self.resize(*SIZE)
        self._show()
        self.steps.setFocus()

    def leave(self, workspace: Workspace) -> None:
        """Close if this is the list of a workspace that is closed."""
        if workspace is self._workspace:
            self._stack.indexChanged.disconnect(self._show)
            workspace.session.changed.disconnect(self._show)
            self.close()

    def _show(self, _index: int = 0) -> None:
        stack = self._stack
        is_editing = self._workspace.session.mode == "edit"
        if is_editing:
            self.says.setText("Choose a step to go there.")
        else:
            self.says.setText("Go back to editing first (Ctrl+E).")
        self.steps.setEnabled(is_editing)
        self.steps.clear()
        for index in range(stack.count() + 1):
            text = stack.text(index - 1) if index else "As it was opened"
            if index == stack.cleanIndex():
                text += " (saved)"
            item = QListWidgetItem(text)
            item.setSizeHint(QSize(0, ROW))
            if index > stack.index():
                font = item.font()
                font.setItalic(True)
                item.setFont(font)
                item.setToolTip("Undone: choose it to do it again")
            self.steps.addItem(item)
        self.steps.setCurrentRow(stack.index())
        self.steps.scrollToItem(self.steps.item(stack.index()))

    def _go(self, item: QListWidgetItem) -> None:
        index = self.steps.row(item)
        if index != self._stack.index():
            self._workspace.go_to_step(index)
