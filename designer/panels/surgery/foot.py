"""The foot of Edit and fork: the name of the new branch, and what applies or discards the
changes.
"""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLineEdit, QMenu, QWidget

from designer.look.icons import themed_icon
from designer.look.theme import Look
from designer.panels.fields.error_line import ErrorLine
from designer.panels.widgets.basic import allow, button, icon_button, label, set_style
from designer.qt.layouts import put, row, stack
from designer.session.session import DebugSession
from runtime.values.words import counted

APPLY = "Make a new branch with these changes, and stand there (Ctrl+Return)"
RUN = "The same, and run on"


class Foot(QWidget):
    """`apply_requested` carries whether the fork runs on at once."""

    apply_requested = Signal(bool)
    discard_requested = Signal()
    named = Signal(str)
    save_requested = Signal()
    load_requested = Signal()

    def __init__(self, session: DebugSession, look: Look) -> None:
        super().__init__()
        self._session = session
        self._look = look
        self.branch = QLineEdit()
        self.branch.setAccessibleName("Name of the new branch")
        self.branch.textEdited.connect(self.named)
        self.branch.returnPressed.connect(self._on_return)
        self.apply = button("Apply as fork", self._apply, primary=True, small=True)
        self.run = button("Apply and run", self._apply_and_run, small=True)
        self.discard = button("Discard", self.discard_requested.emit, small=True)
        self.more = icon_button(look, "more", "Save or load a patch", self._open_menu)
        self.errors = ErrorLine(look)
        self.apply.setToolTip(APPLY)
        self.run.setToolTip(RUN)
        self.discard.setToolTip("Drop all changes over this checkpoint")
        name = row(label("New branch", "secondary"), (self.branch, 1), gap=10)
        verbs = row(self.apply, self.run, self.discard, None, self.more, gap=6)
        put(self, stack(name, self.errors, verbs, gap=8, margins=(12, 10, 12, 10)))

    def be_narrow(self, *, on: bool) -> None:
        """Say less on the buttons where there is little room."""
        self.apply.setText("Apply" if on else "Apply as fork")
        self.run.setText("And run" if on else "Apply and run")

    def refresh(self) -> None:
        staged = self._session.staged
        if not self.branch.hasFocus():
            self.branch.setText(staged.branch)
        wrong = staged.wrong
        taken = staged.why_no_name
        set_style(self.branch, invalid=bool(taken))
        words = f"{counted(wrong, 'error')} to fix" if wrong else ""
        failure = staged.failure if staged.is_current else ""
        self.errors.say(taken or words or failure)
        why = staged.why_not
        for verb in (self.apply, self.run):
            allow(verb, why)
        set_style(self.apply, primary=True)
        nothing = "" if staged.count else "Nothing is changed yet."
        allow(self.discard, nothing)

    def _on_return(self) -> None:
        if not self._session.staged.why_not:
            self._apply()

    def _apply(self) -> None:
        self.apply_requested.emit(False)

    def _apply_and_run(self) -> None:
        self.apply_requested.emit(True)

    def menu(self) -> QMenu:
        """Return the menu that saves and loads patches."""
        menu = QMenu(self)
        staged = self._session.staged
        save = menu.addAction(
            themed_icon("save", self._look), "Save the patch…", self.save_requested.emit
        )
        allow(save, "" if staged.count else "Nothing is changed yet.")
        menu.addAction(
            themed_icon("open", self._look), "Load a patch…", self.load_requested.emit
        )
        return menu

    def _open_menu(self) -> None:
        menu = self.menu()
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(self.more.mapToGlobal(self.more.rect().topLeft()))
