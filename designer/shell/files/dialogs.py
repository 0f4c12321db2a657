"""The questions that the window asks: trust a folder, save changes, recover a document."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from pathlib import Path
from typing import Literal

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QFileDialog,
    QPushButton,
    QWidget,
)

from designer.look.theme import Look
from designer.panels.widgets.basic import Glyph, button, label
from designer.panels.widgets.dialog import Dialog, LongText
from designer.qt.layouts import column, put, row, stack
from designer.shell.files.versions import Version, VersionDialog
from runtime.document.definition import FILE_SUFFIX

_FILTER = f"Workflows (*{FILE_SUFFIX});;All files (*)"
_OPEN_FILTER = f"Workflows, and pictures with one inside (*{FILE_SUFFIX} *.png *.svg *.pdf);;All files (*)"
TEXT_WIDTH = 400
# of what was typed
SHOWN = 120
SHOWN_LINES = 6
Tone = Literal["text2", "warn", "bad", "accent"]


class Choice(Enum):
    SAVE = "save"
    DISCARD = "discard"
    CANCEL = "cancel"


class Recovery(Enum):
    RECOVER = "recover"
    DISCARD = "discard"
    LATER = "later"


class MessageBox(Dialog):
    """A question or a message in the look of the window. `choose` waits for the answer."""

    def __init__(
        self, look: Look, parent: QWidget, icon: str, tone: Tone, title: str, text: str
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.title = label(title, "section", wrap=True)
        self.text = label(text, "secondary", wrap=True)
        self.text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.title.setMinimumWidth(TEXT_WIDTH)
        self.buttons: dict[str, QPushButton] = {}
        self._chosen = ""
        glyph = Glyph(look, icon, tone, 24)
        layout = column(self, margins=(24, 20, 20, 16), gap=20)
        above = put(
            layout,
            row(
                glyph, stack(self.title, LongText(self.text, TEXT_WIDTH), gap=8), gap=16
            ),
        )
        above.setAlignment(glyph, Qt.AlignmentFlag.AlignTop)
        self._row = put(layout, row(None, gap=8))
        layout.setSizeConstraint(layout.SizeConstraint.SetFixedSize)

    def choose(self, *answers: str, enter: str = "") -> str:
        """Ask, the first answer being what most people want. Enter gives `enter` (the first if not given), Esc and
        closing the last.
        """
        enter = enter or answers[0]
        for answer in reversed(answers):
            made = button(answer, primary=answer == answers[0])
            made.setAutoDefault(answer == enter)
            made.setDefault(answer == enter)
            made.clicked.connect(
                lambda _checked=False, answer=answer: self._choose(answer)
            )
            self.buttons[answer] = made
            self._row.addWidget(made)
        self._chosen = answers[-1]
        self.buttons[enter].setFocus()
        self.exec()
        return self._chosen

    def _choose(self, answer: str) -> None:
        self._chosen = answer
        self.accept()


class Questions:
    """Asks a person. Tests and the picture taker give answers of their own by replacing the object, not by patching."""

    def __init__(self, parent: QWidget, look: Look) -> None:
        self._parent = parent
        self._look = look

    def _box(self, icon: str, tone: Tone, title: str, text: str) -> MessageBox:
        box = MessageBox(self._look, self._parent, icon, tone, title, text)
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        return box

    def trust(self, folder: str) -> bool:
        """Running imports code of that folder and starts the programs that its nodes name: asked once a folder."""
        text = (
            f"Running this workflow runs Python code and commands from\n{folder}\n\n"
            "Looking at it, editing and checking it never does. You are asked once for each folder."
        )
        box = self._box("warn", "warn", "Trust this folder?", text)
        return (
            box.choose("Trust and run", "Do not run", enter="Do not run")
            == "Trust and run"
        )

    def save_changes(self, name: str) -> Choice:
        text = "What you discard can be found again under File > Restore a backup."
        box = self._box("save", "accent", f"Save the changes of {name}?", text)
        answer = box.choose("Save", "Discard", "Cancel")
        return {"Save": Choice.SAVE, "Discard": Choice.DISCARD}.get(
            answer, Choice.CANCEL
        )

    def leave_typed(self, name: str, typed: Sequence[str]) -> bool:
        """Text that was typed is no value of its field, or an answer that was not sent; whether to lose it."""
        shown = [
            f"{one[:SHOWN]}…" if len(one) > SHOWN else one
            for one in typed[:SHOWN_LINES]
        ]
        if len(typed) > SHOWN_LINES:
            more = [f"and {len(typed) - SHOWN_LINES} more"]
        else:
            more = []
        head = "No file has it. A value with a mistake is marked in Properties; an answer has to be sent."
        text = "\n".join([head, "", *shown, *more])
        box = self._box("warn", "warn", f"Close {name} without what you typed?", text)
        return (
            box.choose("Close without it", "Go back", enter="Go back")
            == "Close without it"
        )

    def run_without(self, typed: Sequence[str], instead: str) -> bool:
        """Something was typed that is no value of its field; whether to run with what was there before."""
        shown = [
            *typed[:SHOWN_LINES],
            *(
                [f"and {len(typed) - SHOWN_LINES} more"]
                if len(typed) > SHOWN_LINES
                else []
            ),
        ]
        box = self._box("warn", "warn", "Run without what you typed?", "\n".join(shown))
        run = f"Run with {instead}"
        return box.choose(run, "Go to the field", enter="Go to the field") == run

    def delete_runs(self, number: int, what_goes: str) -> bool:
        runs = f"Delete {number:,} runs?" if number > 1 else "Delete this run?"
        box = self._box("warn", "warn", runs, what_goes)
        return box.choose("Delete", "Cancel", enter="Cancel") == "Delete"

    def recover(self, found: Sequence[Version]) -> tuple[Recovery, frozenset[int]]:
        """What to do with unsaved work of earlier windows, and with which."""
        text = (
            "Stepwell ended without saving these. Recovered changes are one undo step in a tab of their own; "
            "discarded changes become a backup of their workflow."
        )
        box = self._versions(
            "restore", "Recover unsaved changes?", text, found, checks=True
        )
        answer = box.choose("Recover", "Discard", "Ask again later")
        verb = {"Recover": Recovery.RECOVER, "Discard": Recovery.DISCARD}.get(
            answer, Recovery.LATER
        )
        return verb, box.checked

    def choose_backup(self, name: str, backups: Sequence[Version]) -> int | None:
        """Which of them to restore."""
        text = "Restoring is one undo step; the file stays as it is until you save."
        box = self._versions(
            "restore", f"Restore a backup of {name}", text, backups, checks=False
        )
        return box.current if box.choose("Restore", "Cancel") == "Restore" else None

    def compare(self, title: str, version: Version) -> None:
        """Show what differs; nothing is decided by it."""
        box = self._versions(
            "eye", title, "Looking changes nothing.", [version], checks=False
        )
        box.choose("Close")

    def take_over(self, name: str, version: Version) -> bool:
        """The code that a workflow was imported from has changed; whether to follow it."""
        text = "Taking it over is one undo step. Names, places and the input stay as they are here."
        box = self._versions(
            "code", f"Import {name} again", text, [version], checks=False
        )
        return box.choose("Take over", "Cancel") == "Take over"

    def save_elsewhere(self, name: str, why: str) -> bool:
        """A file cannot be written; whether to choose another place."""
        text = f"{why}\n\nNothing is lost: the workflow is still open."
        box = self._box("error", "bad", f"{name} cannot be saved", text)
        return box.choose("Save as…", "Cancel") == "Save as…"

    def _versions(
        self,
        icon: str,
        title: str,
        text: str,
        found: Sequence[Version],
        *,
        checks: bool,
    ) -> VersionDialog:
        box = VersionDialog(
            self._look, self._parent, icon, title, text, found, checks=checks
        )
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        return box

    def overwrite_changed(self, name: str) -> bool:
        """The file was changed by another program since it was opened."""
        title = f"{name} was changed on disk since you opened it"
        text = "Saving replaces what another program wrote; that is kept under File > Restore a backup."
        box = self._box("warn", "warn", title, text)
        return box.choose("Save anyway", "Cancel", enter="Cancel") == "Save anyway"

    def open_path(self) -> Path | None:
        name, _ = QFileDialog.getOpenFileName(
            self._parent, "Open a workflow", "", _OPEN_FILTER
        )
        return Path(name) if name else None

    def save_path(self, suggested: str) -> Path | None:
        name, _ = QFileDialog.getSaveFileName(
            self._parent, "Save the workflow", suggested, _FILTER
        )
        if not name:
            return None
        return Path(name if name.endswith(".json") else name + FILE_SUFFIX)

    def export_path(self, suggested: str) -> Path | None:
        """Where what goes out is to be kept; the dialog asks before it replaces a file."""
        name, _ = QFileDialog.getSaveFileName(
            self._parent, "Export", suggested, "All files (*)"
        )
        return Path(name) if name else None

    def tell(self, title: str, text: str) -> None:
        """Something that could not be done, and why."""
        self._box("error", "bad", title, text).choose("Close")

    def inform(self, title: str, text: str) -> None:
        self._box("info", "accent", title, text).choose("Close")
