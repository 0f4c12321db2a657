"""The questions that the window asks: trust a folder, save changes, recover a document, and the lists it can show."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QGridLayout,
    QLabel,
    QMessageBox,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from runtime.definition import FILE_SUFFIX

_FILTER = f"Workflows (*{FILE_SUFFIX});;All files (*)"


class Choice(Enum):
    SAVE = "save"
    DISCARD = "discard"
    CANCEL = "cancel"


class Questions:
    """Asks a person. Tests and the picture taker give answers of their own by replacing the object, not by patching."""

    def __init__(self, parent: QWidget) -> None:
        self._parent = parent

    def trust(self, folder: str) -> bool:
        """Running imports code of that folder: asked once a folder."""
        box = QMessageBox(self._parent)
        box.setWindowTitle("Trust this folder?")
        box.setText("Trust this folder?")
        box.setInformativeText(
            f"Running this workflow runs Python code from\n{folder}\n\n"
            "Looking at it, editing and checking it never does. You are asked once for each folder."
        )
        trust = box.addButton("Trust and run", QMessageBox.ButtonRole.AcceptRole)
        cancel = box.addButton("Do not run", QMessageBox.ButtonRole.RejectRole)
        box.setDefaultButton(cancel)
        box.exec()
        return box.clickedButton() is trust

    def save_changes(self, name: str) -> Choice:
        box = QMessageBox(self._parent)
        box.setText(f"Save the changes of {name}?")
        box.setInformativeText("They are lost if you do not.")
        save = box.addButton("Save", QMessageBox.ButtonRole.AcceptRole)
        discard = box.addButton("Discard", QMessageBox.ButtonRole.DestructiveRole)
        box.addButton("Cancel", QMessageBox.ButtonRole.RejectRole)
        box.exec()
        return {save: Choice.SAVE, discard: Choice.DISCARD}.get(box.clickedButton(), Choice.CANCEL)  # type: ignore[call-overload,no-any-return]

    def recover(self, names: Sequence[str]) -> bool:
        box = QMessageBox(self._parent)
        box.setText("Recover unsaved changes?")
        box.setInformativeText("Stepwell ended without saving these:\n\n" + "\n".join(names))
        recover = box.addButton("Recover", QMessageBox.ButtonRole.AcceptRole)
        box.addButton("Discard", QMessageBox.ButtonRole.DestructiveRole)
        box.exec()
        return box.clickedButton() is recover

    def overwrite_changed(self, name: str) -> bool:
        """The file was changed by another program since it was opened."""
        box = QMessageBox(self._parent)
        box.setText(f"{name} was changed on disk since you opened it.")
        box.setInformativeText("Saving replaces what another program wrote.")
        save = box.addButton("Save anyway", QMessageBox.ButtonRole.DestructiveRole)
        box.setDefaultButton(box.addButton("Cancel", QMessageBox.ButtonRole.RejectRole))
        box.exec()
        return box.clickedButton() is save

    def open_path(self) -> Path | None:
        name, _ = QFileDialog.getOpenFileName(self._parent, "Open a workflow", "", _FILTER)
        return Path(name) if name else None

    def save_path(self, suggested: str) -> Path | None:
        name, _ = QFileDialog.getSaveFileName(self._parent, "Save the workflow", suggested, _FILTER)
        if not name:
            return None
        return Path(name if name.endswith(".json") else name + FILE_SUFFIX)

    def tell(self, title: str, text: str) -> None:
        QMessageBox.warning(self._parent, title, text)


class ShortcutList(QDialog):
    """The cheat sheet: every command that has a key, by menu."""

    def __init__(self, rows: Sequence[tuple[str, str, str]], parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle("Keyboard shortcuts")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        inner = QWidget()
        grid = QGridLayout(inner)
        grid.setHorizontalSpacing(24)
        for row, (menu, text, keys) in enumerate(rows):
            for column, (words, role) in enumerate(((menu, "caption"), (text, ""), (keys, "data"))):
                label = QLabel(words)
                label.setProperty("role", role)
                grid.addWidget(label, row, column)
        scroll = QScrollArea(widgetResizable=True)
        scroll.setWidget(inner)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.close)
        column_layout = QVBoxLayout(self)
        column_layout.addWidget(scroll)
        column_layout.addWidget(buttons)
        self.resize(520, 560)
