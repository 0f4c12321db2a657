"""What goes out of the window and comes in: exports, pictures with a workflow inside, workflows in Python."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QFileDialog

from designer.export import export
from designer.look.theme import Look
from designer.model.pictures import load_picture
from designer.panels.widgets import copy_text
from designer.session.importer import Importer
from designer.shell.exchange_dialogs import ExportDialog, ImportDialog, Wish
from designer.shell.workspace import Workspace
from runtime.definition import FILE_SUFFIX
from runtime.errors import WorkflowException
from runtime.files import write_bytes
from runtime.places import is_shipped

if TYPE_CHECKING:
    from designer.shell.window import Window


class Exchange:
    """The commands of a window. No error leaves a method: it is shown, and nothing has changed then. `wish` is how the
    last export was made.
    """

    def __init__(self, window: Window, look: Look) -> None:
        self._window, self._look = window, look
        self.wish = Wish()
        self.dialog: ExportDialog | ImportDialog | None = None

    # --- out ------------------------------------------------------------------------------------------------------

    def ask_export(self, workspace: Workspace) -> None:
        """Show the dialog; the export follows its answer."""
        dialog = self.dialog = ExportDialog(self._look, self._window, workspace.document.display_name, self.wish)
        dialog.wished.connect(lambda wish: self._export(workspace, wish))
        dialog.copied.connect(lambda wish: self._copy(workspace, wish))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _export(self, workspace: Workspace, wish: Wish) -> None:
        content = self._made(workspace, wish)
        if content is None:
            return
        path = self._window.questions.export_path(workspace.document.display_name + wish.to.suffix)
        if path is None:
            return
        path = path if path.suffix else path.with_name(path.name + wish.to.suffix)
        try:
            write_bytes(path, content)
        except OSError as error:
            self._window.questions.tell(f"{path.name} cannot be written", str(error))
        else:
            self._window.status.say(f"Exported as {path}")

    def _copy(self, workspace: Workspace, wish: Wish) -> None:
        content = self._made(workspace, wish)
        if content is not None:
            copy_text(content.decode())
            self._window.status.say("Copied to the clipboard")

    def _made(self, workspace: Workspace, wish: Wish) -> bytes | None:
        self.wish = wish
        document, infos = workspace.document, workspace.session.infos
        try:
            return export(document.design, wish.to, infos, folder=document.folder, theme=wish.theme, scale=wish.scale)
        except WorkflowException as error:
            self._window.questions.tell(f"{document.display_name} cannot be exported", str(error))
            return None

    # --- in -------------------------------------------------------------------------------------------------------

    def open_picture(self, path: Path) -> Workspace | None:
        """The workflow inside of a picture, in a tab of its own: not saved, since the picture stays what it is."""
        try:
            design = load_picture(path)
        except (WorkflowException, OSError) as error:
            self._window.questions.tell(f"{path.name} cannot be opened", str(error))
            return None
        workspace = self._window.new_document()
        workspace.document.apply(f"Open {path.name}", design)
        workspace.canvas.zoom_to_fit(glide=False)
        self._window.status.say(f"From {path.name}: save it beside the files that it names")
        return workspace

    def ask_import(self) -> None:
        """Show the dialog; what is imported is opened."""
        current = self._window.current
        shipped = current is None or current.document.is_shipped
        folder = Path.cwd() if shipped or current is None else current.document.folder
        importer = Importer()
        dialog = self.dialog = ImportDialog(
            self._look, self._window, folder, importer, self._may_run, self._choose_folder, free_file
        )
        dialog.imported.connect(lambda path: self._window.files.open(Path(path)))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _may_run(self, folder: str) -> bool:
        settings = self._window.settings
        if is_shipped(Path(folder)) or settings.is_trusted(folder):
            return True
        trusted = self._window.questions.trust(folder)
        if trusted:
            settings.trust(folder)
        return trusted

    def _choose_folder(self, start: Path) -> Path | None:
        name = QFileDialog.getExistingDirectory(self._window, "The folder of the module", str(start))
        return Path(name) if name else None


def free_file(folder: Path, reference: str) -> Path:
    """A workflow file that is not there yet, called as the module is."""
    name, number = reference.partition(":")[0].rpartition(".")[2], 1
    file = folder / f"{name}{FILE_SUFFIX}"
    while file.exists():
        number += 1
        file = folder / f"{name}-{number}{FILE_SUFFIX}"
    return file
