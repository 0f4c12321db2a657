"""Exports and imports of the window: export formats, pictures with a workflow inside,
workflows in Python.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from PySide6.QtWidgets import QFileDialog, QWidget

from designer.export import Export
from designer.look.theme import Look
from designer.model.diff import diff
from designer.model.files import load
from designer.model.pictures import load_picture
from designer.model.reimport import reference_of, reimported
from designer.panels.widgets.basic import copy_text
from designer.qt.background import Lane, Outcome
from designer.session.importer import Importer
from designer.shell.exchange.dialogs import ExportDialog, ImportDialog, Wish
from designer.shell.files.tab_host import TabHost
from designer.shell.files.versions import Version, difference
from designer.shell.workspace import Workspace
from runtime.document.definition import FILE_SUFFIX
from runtime.document.files import write_bytes
from runtime.document.secret_values import Omitted
from runtime.errors import WorkflowException
from runtime.system.user_folders import is_shipped


class Exchange:
    """The commands of a window. No method raises: a failure is shown, and changes
    nothing. `wish` has the choices of the last export.
    """

    def __init__(
        self,
        window: TabHost,
        parent: QWidget,
        look: Look,
        open_file: Callable[[Path], object],
    ) -> None:
        self._window = window
        self._parent = parent
        self._open_file = open_file
        self._look = look
        self.wish = Wish()
        self.dialog: ExportDialog | ImportDialog | None = None
        self._lane = Lane("exchange")
        self._doing = ""

    # --- out ------------------------------------------------------------------------------------------------------

    def ask_export(self, workspace: Workspace) -> None:
        """Show the dialog, and export what the user chooses."""
        name = workspace.document.display_name
        dialog = self.dialog = ExportDialog(
            self._look, self._parent, name, self.wish, partial(_omitted, workspace)
        )
        dialog.wished.connect(lambda wish: self._export(workspace, wish))
        dialog.copied.connect(lambda wish: self._copy(workspace, wish))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _export(self, workspace: Workspace, wish: Wish) -> None:
        name = workspace.document.display_name
        make = self._prepared(workspace, wish)
        if make is None:
            path = None
        else:
            path = self._window.questions.export_path(name + wish.to.suffix)
        if make is None or path is None:
            return
        path = path if path.suffix else path.with_name(path.name + wish.to.suffix)
        self._doing = f"Exporting {path.name}…"
        self._say(self._doing)
        self._start(
            name,
            lambda: write_bytes(path, make()),
            lambda _none: self._say(f"Exported as {path}"),
        )

    def _copy(self, workspace: Workspace, wish: Wish) -> None:
        make = self._prepared(workspace, wish)
        if make is not None:
            self._start(workspace.document.display_name, make, self._to_clipboard)

    def _to_clipboard(self, content: bytes) -> None:
        copy_text(content.decode())
        self._say("Copied to the clipboard")

    def _prepared(self, workspace: Workspace, wish: Wish) -> Callable[[], bytes] | None:
        self.wish = wish
        try:
            return _export_of(workspace, wish).prepared()
        except WorkflowException as error:
            self._refuse(workspace.document.display_name, error)
            return None

    def _start(
        self, name: str, work: Callable[[], Any], then: Callable[[Any], object]
    ) -> None:
        """Work in another thread, because a large picture takes seconds, and a disk may
        be slow.
        """

        def on_outcome(outcome: Outcome[Any]) -> None:
            if isinstance(outcome.error, WorkflowException | OSError):
                self._refuse(name, outcome.error)
            else:
                then(outcome.value())

        self._lane.start(self._parent, work, on_outcome)

    def _refuse(self, name: str, error: Exception) -> None:
        self._window.status.take_back(self._doing)
        self._window.questions.tell(f"{name} cannot be exported", str(error))

    def _say(self, text: str) -> None:
        self._window.status.say(text)

    def dispose(self) -> None:
        """Wait for an export that is written."""
        self._lane.wait()

    # --- in -------------------------------------------------------------------------------------------------------

    def open_picture(self, path: Path) -> Workspace | None:
        """Open the workflow inside of a picture, in a tab without a file."""
        try:
            design = load_picture(path)
        except (WorkflowException, OSError) as error:
            self._window.questions.tell(f"{path.name} cannot be opened", str(error))
            return None
        workspace = self._window.new_document()
        workspace.document.apply(f"Open {path.name}", design)
        workspace.canvas.camera.fit_all(glide=False)
        self._window.status.say(
            f"From {path.name}: save it beside the files that it names"
        )
        return workspace

    def ask_import(self, module: Path | None = None) -> None:
        """Show the dialog, for a Python file if one is given, and open the imported
        workflow.
        """
        current = self._window.current
        folder = Path.cwd()
        if module is not None:
            folder = module.parent
        elif current is not None and not current.document.is_shipped:
            folder = current.document.folder
        importer = Importer()
        dialog = self.dialog = ImportDialog(
            self._look,
            self._parent,
            folder,
            importer,
            self._may_run,
            self._choose_folder,
            free_file,
        )
        if module is not None:
            dialog.suggest(f"{module.stem}:workflow")
        dialog.imported.connect(lambda path: self._open_file(Path(path)))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def import_again(self, workspace: Workspace) -> None:
        """Import the linked code again, and offer its changes as one undo step."""
        document = workspace.document
        reference = reference_of(document.root)
        folder = document.folder
        if not self._may_run(str(folder)):
            return
        doing = f"Importing {reference} again…"
        holder = TemporaryDirectory()
        importer = Importer(workspace)
        importer.done.connect(
            lambda path: self._compare(workspace, reference, Path(path))
        )
        importer.failed.connect(
            lambda why: self._window.questions.tell(
                f"{reference} cannot be imported", why
            )
        )
        for signal in (importer.done, importer.failed):
            signal.connect(lambda _text: self._window.status.take_back(doing))
            signal.connect(lambda _text: holder.cleanup())
            signal.connect(importer.deleteLater)
        self._say(doing)
        importer.start(reference, Path(holder.name) / f"again{FILE_SUFFIX}", folder)

    def _compare(self, workspace: Workspace, reference: str, file: Path) -> None:
        document = workspace.document
        questions = self._window.questions
        present = document.root
        imported = reimported(present, load(file))
        if not diff(present, imported):
            title = f"{reference} has not changed since it was imported"
            questions.inform(title, "There is nothing to take over.")
            return
        details = partial(
            difference,
            lambda: present,
            lambda: imported,
            "your drawing",
            "the present code",
        )
        if questions.take_over(document.display_name, Version(reference, details)):
            document.apply_whole("Import again", imported)

    def _may_run(self, folder: str) -> bool:
        settings = self._window.settings
        if is_shipped(Path(folder)) or settings.is_trusted(folder):
            return True
        trusted = self._window.questions.trust(folder)
        if trusted:
            settings.trust(folder)
        return trusted

    def _choose_folder(self, start: Path) -> Path | None:
        name = QFileDialog.getExistingDirectory(
            self._parent, "The folder of the module", str(start)
        )
        return Path(name) if name else None


def _export_of(workspace: Workspace, wish: Wish) -> Export:
    document = workspace.document
    return Export(
        document.root,
        wish.to,
        workspace.session.infos,
        document.folder,
        wish.theme,
        wish.scale,
    )


def _omitted(workspace: Workspace, wish: Wish) -> tuple[Omitted, ...]:
    return _export_of(workspace, wish).omitted


def free_file(folder: Path, reference: str) -> Path:
    """Return a workflow file that does not exist yet, with the name of the module."""
    name = reference.partition(":")[0].rpartition(".")[2]
    number = 1
    file = folder / f"{name}{FILE_SUFFIX}"
    while file.exists():
        number += 1
        file = folder / f"{name}-{number}{FILE_SUFFIX}"
    return file
