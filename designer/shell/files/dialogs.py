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
from runtime.document.definition import FILE_SUFFIX, SHARED_SUFFIX
from runtime.values.words import counted

_FILTER = f"Workflows (*{FILE_SUFFIX});;All files (*)"
_OPEN_FILTER = f"Workflows, and pictures with one inside (*{FILE_SUFFIX} *.png *.svg *.pdf);;All files (*)"
_SHARED_FILTER = f"Shared runs (*{SHARED_SUFFIX});;All files (*)"
TEXT_WIDTH = 400
# Of typed texts that a question lists: characters of each, and how many.
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
        """Ask, and return the answer. The first is the most likely one. Enter gives
        `enter` (by default the first), Esc and closing give the last.
        """
        enter = enter or answers[0]
        for answer in reversed(answers):
            choice = button(answer, primary=answer == answers[0])
            choice.setAutoDefault(answer == enter)
            choice.setDefault(answer == enter)
            choice.clicked.connect(
                lambda _checked=False, answer=answer: self._choose(answer)
            )
            self.buttons[answer] = choice
            self._row.addWidget(choice)
        self._chosen = answers[-1]
        self.buttons[enter].setFocus()
        self.exec()
        return self._chosen

    def _choose(self, answer: str) -> None:
        self._chosen = answer
        self.accept()


class Questions:
    """Asks the user. Tests and the screenshots replace the object by one with ready
    answers.
    """

    def __init__(self, parent: QWidget, look: Look) -> None:
        self._parent = parent
        self._look = look

    def _box(self, icon: str, tone: Tone, title: str, text: str) -> MessageBox:
        box = MessageBox(self._look, self._parent, icon, tone, title, text)
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        return box

    def trust(self, folder: str) -> bool:
        """Ask once for each folder, because a run imports its code and starts the
        programs that its nodes name.
        """
        text = (
            f"Running this workflow runs Python code and commands from\n{folder}\n\n"
            "Looking at it, editing and checking it never does. You are asked once for each folder."
        )
        box = self._box("warn", "warn", "Trust this folder?", text)
        answer = box.choose("Trust and run", "Do not run", enter="Do not run")
        return answer == "Trust and run"

    def save_changes(self, name: str) -> Choice:
        text = "You find discarded changes under File > Restore a backup."
        box = self._box("save", "accent", f"Save the changes of {name}?", text)
        answer = box.choose("Save", "Discard", "Cancel")
        return {"Save": Choice.SAVE, "Discard": Choice.DISCARD}.get(
            answer, Choice.CANCEL
        )

    def leave_typed(self, name: str, typed: Sequence[str]) -> bool:
        """Ask whether to lose typed texts that are no value of their field, unsent
        answers, or changes over a copy.
        """
        head = (
            "It is in no file. A value with a mistake is marked in Properties; an answer "
            "has to be sent; changes over a copy are applied, or saved as a patch, in "
            "Edit and fork."
        )
        texts = [f"{text[:SHOWN]}…" if len(text) > SHOWN else text for text in typed]
        text = "\n".join([head, "", *_first(texts)])
        box = self._box("warn", "warn", f"Close {name} without what you typed?", text)
        answer = box.choose("Close without it", "Go back", enter="Go back")
        return answer == "Close without it"

    def run_without(self, typed: Sequence[str], instead: str) -> bool:
        """Ask whether to run with the values before, because typed texts are no values."""
        text = "\n".join(_first(typed))
        box = self._box("warn", "warn", "Run without what you typed?", text)
        run = f"Run with {instead}"
        return box.choose(run, "Go to the field", enter="Go to the field") == run

    def discard_changes(self, count: int) -> bool:
        """Ask whether to drop the changes that are staged over a checkpoint."""
        title = f"Discard {counted(count, 'change')}?"
        text = "They are staged over a copy, and nowhere else. The past stays as it is."
        box = self._box("warn", "warn", title, text)
        return box.choose("Discard", "Cancel", enter="Cancel") == "Discard"

    def patch_path(self) -> Path | None:
        """Ask for the file of a patch to load."""
        name, _ = QFileDialog.getOpenFileName(
            self._parent, "Load a patch", "", "Patches (*.json);;All files (*)"
        )
        return Path(name) if name else None

    def delete_runs(self, number: int, what_goes: str) -> bool:
        runs = f"Delete {number:,} runs?" if number > 1 else "Delete this run?"
        box = self._box("warn", "warn", runs, what_goes)
        return box.choose("Delete", "Cancel", enter="Cancel") == "Delete"

    def recover(self, versions: Sequence[Version]) -> tuple[Recovery, frozenset[int]]:
        """Ask what to do with unsaved changes of earlier windows, and with which of
        them.
        """
        text = (
            "Stepwell ended without saving these. Recovered changes are one undo step in a tab of their own; "
            "discarded changes become a backup of their workflow."
        )
        box = self._versions(
            "restore", "Recover unsaved changes?", text, versions, checks=True
        )
        answer = box.choose("Recover", "Discard", "Ask again later")
        verb = {"Recover": Recovery.RECOVER, "Discard": Recovery.DISCARD}.get(
            answer, Recovery.LATER
        )
        return verb, box.checked

    def choose_backup(self, name: str, backups: Sequence[Version]) -> int | None:
        """Ask which backup to restore."""
        text = "Restoring is one undo step; the file stays as it is until you save."
        box = self._versions(
            "restore", f"Restore a backup of {name}", text, backups, checks=False
        )
        return box.current if box.choose("Restore", "Cancel") == "Restore" else None

    def compare(self, title: str, version: Version) -> None:
        """Show the differences, without a decision."""
        box = self._versions(
            "eye", title, "Looking changes nothing.", [version], checks=False
        )
        box.choose("Close")

    def take_over(self, name: str, version: Version) -> bool:
        """Ask whether to follow a change of the code from which a workflow was
        imported.
        """
        text = "Taking it over is one undo step. Names, places and the input stay the same."
        box = self._versions(
            "code", f"Import {name} again", text, [version], checks=False
        )
        return box.choose("Take over", "Cancel") == "Take over"

    def save_elsewhere(self, name: str, why: str) -> bool:
        """Ask whether to choose another place, because a file cannot be written."""
        text = f"{why}\n\nNothing is lost: the workflow is still open."
        box = self._box("error", "bad", f"{name} cannot be saved", text)
        return box.choose("Save as…", "Cancel") == "Save as…"

    def _versions(
        self,
        icon: str,
        title: str,
        text: str,
        versions: Sequence[Version],
        *,
        checks: bool,
    ) -> VersionDialog:
        box = VersionDialog(
            self._look, self._parent, icon, title, text, versions, checks=checks
        )
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        return box

    def overwrite_changed(self, name: str) -> bool:
        """Ask whether to replace a file that another program changed since it was
        opened.
        """
        title = f"{name} was changed on disk since you opened it"
        text = "Saving replaces the change of another program; you find it under File > Restore a backup."
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
        """Ask for the file of an export; the dialog asks before it replaces one."""
        name, _ = QFileDialog.getSaveFileName(
            self._parent, "Export", suggested, "All files (*)"
        )
        return Path(name) if name else None

    def shared_path(self) -> Path | None:
        """Ask for a shared run."""
        name, _ = QFileDialog.getOpenFileName(
            self._parent, "Import a shared run", "", _SHARED_FILTER
        )
        return Path(name) if name else None

    def tell(self, title: str, text: str) -> None:
        """Say what could not be done, and why."""
        self._box("error", "bad", title, text).choose("Close")

    def inform(self, title: str, text: str) -> None:
        self._box("info", "accent", title, text).choose("Close")


def _first(texts: Sequence[str]) -> list[str]:
    """Return the first lines of a list, and how many more there are."""
    lines = list(texts[:SHOWN_LINES])
    if len(texts) > SHOWN_LINES:
        lines.append(f"and {len(texts) - SHOWN_LINES} more")
    return lines
