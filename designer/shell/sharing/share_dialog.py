"""The dialog *Share*: a checkpoint, its branch or its run into one file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from PySide6.QtWidgets import QButtonGroup, QRadioButton, QWidget

from designer.look.theme import Look
from designer.panels.fields.error_line import ErrorLine
from designer.panels.widgets.basic import CheckBox, allow, button, label
from designer.panels.widgets.dialog import Dialog
from designer.qt.layouts import column, put, row
from designer.session.store_process import StoreProcess
from designer.shell.sharing.words import amount, progress_words
from runtime.debug.protocol import Header, Reply, ShareArguments, ShareBody
from runtime.document.definition import SHARED_SUFFIX
from runtime.values.words import counted

Scope = Literal["checkpoint", "branch", "run"]
WIDTH = 460


@dataclass(frozen=True)
class Shown:
    """The checkpoint that the dialog is about, and what is around it.

    store     the URL of the store
    place     the checkpoint in words, such as "#14, superstep 6"
    branches  how many branches its run has
    forked    whether its branch has forked from another one
    """

    store: str
    header: Header
    place: str
    branches: int
    forked: bool


class ShareDialog(Dialog):
    """Asks what goes into the file, says what that is, and writes it.

    choose  asks for the file, by a suggested name
    shared  is called with the file and what is in it
    """

    def __init__(
        self,
        look: Look,
        parent: QWidget,
        shown: Shown,
        process: StoreProcess,
        choose: Callable[[str], Path | None],
        shared: Callable[[Path, ShareBody], object],
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("Share")
        self._shown = shown
        self._process = process
        self._choose = choose
        self._shared = shared
        self._file: Path | None = None
        process.setParent(self)
        process.progressed.connect(self._on_progress)
        self.radios: dict[Scope, QRadioButton] = {
            "checkpoint": QRadioButton(f"This checkpoint: {shown.place}"),
            "branch": QRadioButton(f"Its branch: {shown.header.branch}"),
            "run": QRadioButton(_run_words(shown.branches)),
        }
        self.ancestors = CheckBox(look, "With the checkpoints that it has forked from")
        self.ancestors.setChecked(True)
        self.ancestors.setVisible(shown.forked)
        self.counts = label("", "strong", wrap=True)
        self.holds = label("", "secondary", wrap=True)
        self.error = ErrorLine(look)
        self.share_button = button("Share…", self._ask_file, primary=True)
        self.share_button.setDefault(True)
        self.cancel_button = button("Cancel", self.reject)
        self.cancel_button.setAutoDefault(False)
        self._build()
        self.radios["run"].setChecked(True)
        self._group.idClicked.connect(self._on_choice)
        self.ancestors.toggled.connect(self._follow)
        self._follow()

    def _build(self) -> None:
        self._group = QButtonGroup(self)
        layout = column(self, margins=(24, 20, 20, 16), gap=12)
        layout.addWidget(label("Share", "section"))
        text = "One file, which Stepwell imports into any store: File > Import a shared run."
        layout.addWidget(label(text, "secondary", wrap=True))
        for number, radio in enumerate(self.radios.values()):
            self._group.addButton(radio, number)
            layout.addWidget(radio)
            if radio is self.radios["branch"]:
                inset = put(layout, row((self.ancestors, 1), gap=0))
                inset.setContentsMargins(24, 0, 0, 0)
        layout.addWidget(self.counts)
        layout.addWidget(self.holds)
        layout.addWidget(self.error)
        put(layout, row(None, self.cancel_button, self.share_button))
        self.holds.setMinimumWidth(WIDTH)
        layout.setSizeConstraint(layout.SizeConstraint.SetFixedSize)

    @property
    def scope(self) -> Scope:
        for scope, radio in self.radios.items():
            if radio.isChecked():
                return scope
        return "run"

    def reject(self) -> None:
        """End what is being written, and stay for another try; otherwise close."""
        if self._file is None:
            super().reject()
            return
        self._process.cancel()
        self._file = None
        self._follow()

    def done(self, result: int) -> None:
        self._process.close()
        super().done(result)

    def _arguments(self, file: str = "") -> ShareArguments:
        header = self._shown.header
        return ShareArguments(
            scope=self.scope,
            run_id=header.run_id,
            branch=header.branch,
            checkpoint_id=header.id,
            ancestors=self.ancestors.isChecked(),
            file=file,
        )

    def _on_choice(self, _number: int) -> None:
        self._follow()

    def _follow(self, _checked: bool = False) -> None:
        """Ask what the file would hold."""
        self.ancestors.setEnabled(self.scope == "branch")
        self._allow("It is not known yet what the file would hold.")
        store = self._shown.store
        self._process.ask(store, "share", self._arguments(), self._on_plan)

    def _on_plan(self, reply: Reply) -> None:
        self.error.say("" if reply.success else reply.message)
        if not reply.success:
            return
        body = ShareBody.model_validate(reply.body)
        counts = f"{counted(body.checkpoints, 'checkpoint')}, {amount(body.bytes)}"
        if body.left_out:
            counts += f"; {counted(len(body.left_out), 'damaged one')} left out"
        self.counts.setText(counts)
        self.holds.setText("\n".join(body.holds))
        self._allow("")

    def _ask_file(self) -> None:
        header = self._shown.header
        names = {"checkpoint": header.id[:8], "branch": header.branch, "run": ""}
        name = "-".join(filter(None, (header.workflow, names[self.scope])))
        file = self._choose(name.replace("/", "-") + SHARED_SUFFIX)
        if file is None:
            return
        if not file.suffix:
            file = file.with_name(file.name + SHARED_SUFFIX)
        self._file = file
        self.error.say("")
        self._allow("It is being written.")
        arguments = self._arguments(str(file))
        self._process.ask(self._shown.store, "share", arguments, self._on_written)

    def _on_progress(self, done: int, total: int) -> None:
        if self._file is not None:
            self.counts.setText(progress_words("Writing", done, total))

    def _on_written(self, reply: Reply) -> None:
        file = self._file
        self._file = None
        if reply.success and file is not None:
            body = ShareBody.model_validate(reply.body)
            self.accept()
            self._shared(file, body)
        else:
            self._allow("")
            self.error.say(reply.message)

    def _allow(self, why_not: str) -> None:
        allow(self.share_button, why_not)
        is_writing = self._file is not None
        for widget in self.radios.values():
            widget.setEnabled(not is_writing)
        if is_writing:
            self.ancestors.setEnabled(False)


def _run_words(branches: int) -> str:
    if branches == 1:
        return "The run"
    return f"The run, with {branches:,} branches"
