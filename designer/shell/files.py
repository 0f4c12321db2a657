"""Opening, saving and closing: what a person is asked, and what is said when a file does not do as it should."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from designer.shell.dialogs import Choice, Questions
from designer.shell.settings import Settings
from designer.shell.workspace import Workspace
from runtime.definition import FILE_SUFFIX
from runtime.errors import WorkflowException
from runtime.files import write_bytes

if TYPE_CHECKING:
    from designer.shell.window import Window


class Files:
    """The file commands of a window. No error leaves a method: it is shown, and nothing has changed then."""

    def __init__(self, window: Window, settings: Settings) -> None:
        self._window, self._settings = window, settings

    @property
    def _ask(self) -> Questions:
        return self._window.questions

    def open(self, path: Path) -> Workspace | None:
        """Open a file in a tab of its own, or bring its tab to the front. None if it cannot be opened."""
        window = self._window
        for workspace in window.workspaces:
            if workspace.document.path is not None and workspace.document.path.resolve() == path.resolve():
                window.bring_to_front(workspace)
                return workspace
        workspace = window.make_workspace()
        try:
            workspace.open(path)
        except (WorkflowException, OSError) as error:
            workspace.dispose()
            workspace.deleteLater()
            self._settings.forget(str(path))
            window.start_page.refresh()
            self._ask.tell(f"{path.name} cannot be opened", str(error))
            return None
        return window.add(workspace)

    def run(self, path: Path) -> None:
        """Open a file and run it."""
        workspace = self.open(path)
        if workspace is not None and not workspace.why_not_run:
            workspace.run()

    def ask_open(self) -> None:
        path = self._ask.open_path()
        if path is not None:
            self.open(path)

    def save(self, workspace: Workspace) -> bool:
        """Save where it came from; elsewhere if that is nowhere or one of the shipped examples. False if not saved."""
        document = workspace.document
        if document.path is None or document.is_shipped:
            return self.ask_save_as(workspace)
        if document.changed_on_disk() and not self._ask.overwrite_changed(document.display_name):
            return False
        return self._write(workspace, document.path)

    def ask_save_as(self, workspace: Workspace) -> bool:
        path = self._ask.save_path(workspace.document.display_name + FILE_SUFFIX)
        return path is not None and self._write(workspace, path)

    def save_text(self, suggested: str, text: str) -> None:
        """Keep a text that a run has put out, in a file that a person chooses."""
        path = self._ask.export_path(suggested)
        if path is None:
            return
        try:
            write_bytes(path, text.encode())
        except OSError as error:
            self._ask.tell(f"{path.name} cannot be saved", str(error))
        else:
            self._window.status.say(f"Saved as {path}")

    def close(self, workspace: Workspace) -> bool:
        """Close a workflow and end its run; asks when there are changes. False when the person said cancel."""
        if not self._may_close(workspace):
            return False
        self._window.remove(workspace)
        return True

    def close_all(self) -> bool:
        """Close every workflow, or none."""
        workspaces = list(self._window.workspaces)
        if not all(self._may_close(workspace) for workspace in workspaces):
            return False
        for workspace in workspaces:
            self._window.remove(workspace)
        return True

    def _may_close(self, workspace: Workspace) -> bool:
        document = workspace.document
        if document.is_clean:
            return True
        self._window.bring_to_front(workspace)
        choice = self._ask.save_changes(document.display_name)
        return choice is Choice.DISCARD or (choice is Choice.SAVE and self.save(workspace))

    def _write(self, workspace: Workspace, path: Path) -> bool:
        document = workspace.document
        moved = path != document.path
        try:
            document.save(path)
        except (WorkflowException, OSError, ValueError) as error:
            self._ask.tell(f"{path.name} cannot be saved", f"{error}\n\nNothing is lost: the workflow is still open.")
            return False
        if moved:
            self._settings.opened(path, document.saved_at)
        return True
