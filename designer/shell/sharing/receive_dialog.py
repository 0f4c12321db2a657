"""The dialog *Import a shared run*: what a file holds, and into which store it goes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QLineEdit, QWidget

from designer.look.fonts import data_font
from designer.look.theme import Look
from designer.panels.fields.error_line import ErrorLine
from designer.panels.widgets.basic import (
    Choice,
    DelayedCall,
    ElidedLabel,
    allow,
    button,
    label,
)
from designer.panels.widgets.dialog import Dialog
from designer.qt.layouts import column, put, row
from designer.session.opener import store_exists
from designer.session.store_process import StoreProcess
from designer.shell.files.store_urls import store_of
from designer.shell.sharing.words import progress_words
from runtime.debug.protocol import ReceiveArguments, ReceiveBody, Reply
from runtime.values.words import counted

WIDTH = 460
TYPED = 400  # ms after the last key until a store that is typed is looked at
_OTHER = ""
_NEW = "memory:"  # in the place of a store that is not there yet


class ReceiveDialog(Dialog):
    """Checks the file against the chosen store, and imports it there.

    stores    name and URL of each store that is offered
    received  is called with the URL of the store and what came of it
    """

    def __init__(
        self,
        look: Look,
        parent: QWidget,
        file: Path,
        stores: Sequence[tuple[str, str]],
        process: StoreProcess,
        received: Callable[[str, ReceiveBody], object],
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("Import a shared run")
        self._file = file
        self._process = process
        self._received = received
        self._is_importing = False
        process.setParent(self)
        process.progressed.connect(self._on_progress)
        self.stores = Choice(look)
        self.stores.setAccessibleName("Into")
        self.stores.fill([*stores, ("Another store", _OTHER)], stores[0][1])
        self.field = QLineEdit()
        self.field.setFont(data_font())
        self.field.setAccessibleName("Another store")
        self.field.setPlaceholderText(
            "runs.db, a folder, or postgresql://user@host/database"
        )
        self.folder_button = button("Folder…", self._choose_folder)
        self.folder_button.setAutoDefault(False)
        self.says = label("", wrap=True)
        self.error = ErrorLine(look)
        self.import_button = button("Import", self._import, primary=True)
        self.import_button.setDefault(True)
        self.cancel_button = button("Cancel", self.reject)
        self.cancel_button.setAutoDefault(False)
        self._later = DelayedCall(self, TYPED, self._check)
        self._build()
        self.stores.currentIndexChanged.connect(self._on_choice)
        self.field.textChanged.connect(self._on_typed)
        self._on_choice(0)

    def _build(self) -> None:
        layout = column(self, margins=(24, 20, 20, 16), gap=12)
        layout.addWidget(label("Import a shared run", "section"))
        layout.addWidget(ElidedLabel(str(self._file), "data2"))
        layout.addWidget(
            label(
                "Nothing is run. What the store has already stays as it is.",
                "secondary",
                wrap=True,
            )
        )
        put(layout, row(label("Into"), (self.stores, 1)))
        put(layout, row((self.field, 1), self.folder_button))
        layout.addWidget(self.says)
        layout.addWidget(self.error)
        put(layout, row(None, self.cancel_button, self.import_button))
        self.says.setMinimumWidth(WIDTH)
        layout.setSizeConstraint(layout.SizeConstraint.SetFixedSize)

    @property
    def store(self) -> str:
        """The URL of the chosen store; empty while none is named."""
        chosen = str(self.stores.currentData())
        if chosen != _OTHER:
            return chosen
        text = self.field.text().strip()
        return store_of(text) if text else ""

    def reject(self) -> None:
        """End an import, which takes it back, and stay; otherwise close."""
        if not self._is_importing:
            super().reject()
            return
        self._is_importing = False
        self._process.cancel()
        self._check()

    def done(self, result: int) -> None:
        self._process.close()
        super().done(result)

    def _on_choice(self, _index: int) -> None:
        is_other = self.stores.currentData() == _OTHER
        self.field.setVisible(is_other)
        self.folder_button.setVisible(is_other)
        self._check()

    def _on_typed(self, _text: str) -> None:
        self._process.cancel()
        self._allow("It is not known yet what the import would do.")
        self._later.start()

    def _choose_folder(self) -> None:
        name = QFileDialog.getExistingDirectory(self, "Import into a folder")
        if name:
            self.field.setText(name)

    def _check(self) -> None:
        """Ask what an import would do."""
        self.error.say("")
        self.says.setText("Reading the file…" if self.store else "")
        if not self.store:
            self._allow("Name a file, a folder, or the address of a database.")
            return
        self._allow("It is not known yet what the import would do.")
        # A store that is not there yet must not be made by looking at it.
        store = self.store if store_exists(self.store) else _NEW
        self._process.ask(
            store,
            "receive",
            ReceiveArguments(file=str(self._file), dry_run=True),
            self._on_plan,
            read_only=store != _NEW,
        )

    def _on_plan(self, reply: Reply) -> None:
        if not reply.success:
            self.says.setText("")
            self.error.say(reply.message)
            return
        body = ReceiveBody.model_validate(reply.body)
        self.says.setText(plan_words(body))
        self.import_button.setText("Import" if body.added else "Show")
        self._allow("")

    def _import(self) -> None:
        self._is_importing = True
        self._allow("It is being imported.")
        self._process.ask(
            self.store,
            "receive",
            ReceiveArguments(file=str(self._file)),
            self._on_imported,
            read_only=False,
        )

    def _on_progress(self, done: int, _total: int) -> None:
        verb = "Importing" if self._is_importing else "Checking"
        self.says.setText(progress_words(verb, done, 0))

    def _on_imported(self, reply: Reply) -> None:
        self._is_importing = False
        store = self.store
        if reply.success:
            self.accept()
            self._received(store, ReceiveBody.model_validate(reply.body))
        else:
            self.says.setText("")
            self._allow("")
            self.error.say(reply.message)

    def _allow(self, why_not: str) -> None:
        allow(self.import_button, why_not)
        for widget in (self.stores, self.field, self.folder_button):
            widget.setEnabled(not self._is_importing)


def plan_words(body: ReceiveBody) -> str:
    """Return what an import would do."""
    words = f"{counted(body.checkpoints, 'checkpoint')} of {body.workflow}"
    if body.runs > 1:
        words += f", on {counted(body.runs, 'run')}"
    if body.made_by:
        words += f", written by {body.made_by}"
    if not body.added:
        words += ". The store has all of them already."
    elif body.present:
        words += f". {body.present:,} are there already, {body.added:,} are new."
    else:
        words += "."
    if body.reworded:
        words += f" {counted(body.reworded, 'checkpoint')} have other tags or notes there, which stay."
    return words
