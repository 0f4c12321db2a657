"""Opening, saving and closing of files, with the questions to the user and the messages
about failures.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from pydantic import ValidationError

from designer.document.backups import Backup
from designer.document.document import Document
from designer.document.journal import JournalEntry
from designer.model.design import Design
from designer.model.files import load
from designer.model.names import UNNAMED, snake_case
from designer.model.pictures import is_picture
from designer.session.line_link import Link
from designer.shell.endings import take_over_typing
from designer.shell.files.dialogs import Choice, Questions, Recovery
from designer.shell.files.recent_table import home
from designer.shell.files.store_urls import store_of
from designer.shell.files.tab_host import TabHost
from designer.shell.files.versions import Version, difference
from designer.shell.runs.words import day
from designer.shell.settings.settings import Settings
from designer.shell.workspace import Workspace
from runtime.debug.protocol import Patch
from runtime.document.definition import FILE_SUFFIX
from runtime.document.files import write_bytes
from runtime.errors import WorkflowException
from runtime.system.bounded_files import from_json, opened, read_text
from runtime.system.listeners import Address
from runtime.system.user_folders import is_read_only, place_of, rooted

SQLITE = b"SQLite format 3\0"


class Files:
    """The file commands of a window. No method raises: a failure is shown, and changes
    nothing.
    """

    def __init__(
        self,
        window: TabHost,
        settings: Settings,
        open_picture: Callable[[Path], Workspace | None],
    ) -> None:
        self._window = window
        self._settings = settings
        self._open_picture = open_picture

    @property
    def _ask(self) -> Questions:
        return self._window.questions

    def open(self, path: Path) -> Workspace | None:
        """Open a file in a tab of its own, or bring its tab to the front. Return None
        if it cannot be opened. A store of runs is shown in place of a drawing.
        """
        window = self._window
        # Absolute, because the path is remembered, and a run may change the working
        # folder.
        path = rooted(path)
        if _is_store(path):
            return self._store_in_front(store_of(str(path)))
        if is_picture(path):
            return self._open_picture(path)
        for workspace in window.workspaces:
            if is_same_file(workspace.document.path, path):
                window.bring_to_front(workspace)
                return workspace
        workspace = window.make_workspace()
        try:
            workspace.open(path)
        except (WorkflowException, OSError) as error:
            workspace.dispose()
            workspace.deleteLater()
            self._settings.forget(str(path))
            window.refresh_start_page()
            self._ask.tell(f"{path.name} cannot be opened", str(error))
            return None
        if is_read_only(path) and not workspace.document.is_shipped:
            window.status.say(
                f"{path.name} is read-only: changes can be saved elsewhere"
            )
        return window.add(workspace)

    def run(self, path: Path) -> None:
        """Open a file and run it."""
        workspace = self.open(path)
        if workspace is not None and not workspace.why_not_run:
            workspace.run()

    def open_store(self, url: str, read_only: bool) -> Workspace:
        """Show the runs of a store, in a tab of its own."""
        workspace = self._window.make_workspace()
        self._window.add(workspace)
        workspace.look_into(url, read_only=read_only)
        return workspace

    def look_into(self, url: str) -> None:
        """Look into a store without changing it, in a tab of its own or in its tab."""
        self._store_in_front(url)

    def attach(self, address: Address, token: str, name: str) -> Workspace:
        """Attach to a program, in a tab of its own, or bring its tab to the front."""
        from designer.session.socket_link import SocketLink

        place = str(address)
        for workspace in self._window.workspaces:
            if (
                workspace.session.is_attached
                and workspace.document.store_url() == place
            ):
                self._window.bring_to_front(workspace)
                if workspace.session.has_left:
                    workspace.session.attach()
                return workspace
        return self.debug(SocketLink(address, token), place, name)

    def debug(self, link: Link, place: str, name: str) -> Workspace:
        """Debug the workflow at the other end of a link, in a tab of its own."""
        workspace = self._window.make_workspace(link)
        self._window.add(workspace)
        workspace.attach(place, name)
        return workspace

    def _store_in_front(self, url: str) -> Workspace:
        for workspace in self._window.workspaces:
            if workspace.document.store_url() == url and workspace.session.looks_only:
                self._window.bring_to_front(workspace)
                return workspace
        # The dialog for stores offers to open one for writing.
        return self.open_store(url, read_only=True)

    def ask_open(self) -> None:
        path = self._ask.open_path()
        if path is not None:
            self.open(path)

    def save(self, workspace: Workspace) -> bool:
        """Save the file, under another name if it has none or is an example. Return
        whether it was saved.
        """
        take_over_typing(self._window.focusWidget())
        document = workspace.document
        if document.path is None or document.is_shipped:
            return self.ask_save_as(workspace)
        replaces = document.changed_on_disk() and document.disk_news() != "removed"
        if replaces and not self._ask.overwrite_changed(document.display_name):
            return False
        return self._write(workspace, document.path)

    def ask_save_as(self, workspace: Workspace) -> bool:
        path = self._ask.save_path(_suggested(workspace.document) + FILE_SUFFIX)
        if path is None:
            return False
        others = [other for other in self._window.workspaces if other is not workspace]
        if any(is_same_file(other.document.path, path) for other in others):
            why = "It is open in another tab. Save under another name, or close that tab first."
            self._ask.tell(f"{path.name} cannot be replaced", why)
            return False
        return self._write(workspace, path)

    # --- versions -------------------------------------------------------------------------------------------------

    def restore_backup(self, workspace: Workspace) -> None:
        """Let the user choose an earlier version, and take it as one undo step."""
        document = workspace.document
        backups = document.earlier_versions()
        if not backups:
            why = "A backup is made whenever a save replaces a file, and when changes are discarded."
            self._ask.inform(f"There is no backup of {document.display_name} yet", why)
            return
        design = document.root
        versions = []
        for backup in backups:
            read = partial(load, backup.file)
            details = partial(
                difference, lambda: design, read, "the present drawing", "the backup"
            )
            versions.append(Version(_title_of(backup), details))
        place = self._ask.choose_backup(document.display_name, versions)
        if place is not None:
            document.restore_backup(backups[place])

    def reload(self, workspace: Workspace) -> None:
        """Take the file that another program wrote, as one undo step."""
        try:
            workspace.document.reload()
        except (WorkflowException, OSError) as error:
            self._ask.tell(
                f"{workspace.document.display_name} cannot be reloaded", str(error)
            )

    def compare(self, workspace: Workspace) -> None:
        """Show the differences of the drawing and the file that another program wrote."""
        document = workspace.document
        design = document.root
        details = partial(
            difference,
            lambda: design,
            document.on_disk,
            "your drawing",
            "the file on disk",
        )
        title = f"The file on disk of {document.display_name}"
        self._ask.compare(title, Version(document.display_name, details))

    def do(self, workspace: Workspace, verb: str) -> None:
        """Do what the banner offers: "save", "reload" or "compare"."""
        verbs = {"save": self.save, "reload": self.reload, "compare": self.compare}
        verbs[verb](workspace)

    def offer_recovery(self) -> None:
        """Ask whether to recover unsaved changes of earlier windows. "Later" loses
        nothing.
        """
        entries = Document.recoverable(self._window.status.say)
        if not entries:
            return
        verb, chosen = self._ask.recover([_recoverable(entry) for entry in entries])
        for place, entry in enumerate(entries):
            if verb is Recovery.RECOVER and place in chosen:
                self._recover(entry)
            elif verb is Recovery.DISCARD and place in chosen:
                self._discard(entry)

    def _recover(self, entry: JournalEntry) -> None:
        for workspace in self._window.workspaces:
            if entry.path is not None and is_same_file(
                workspace.document.path, entry.path
            ):
                break
        else:
            workspace = self._window.new_document()
        if not workspace.document.is_clean:
            # Another recovered window had this file, which can only have one tab. So
            # this one becomes a copy without a file.
            workspace = self._window.new_document()
            entry = replace(entry, path=None)
        workspace.document.recover(entry)
        self._window.bring_to_front(workspace)

    def _discard(self, entry: JournalEntry) -> None:
        try:
            Document.discard(entry)
        except OSError as error:
            self._ask.tell(
                f"{entry.name} is not discarded",
                f"It cannot be backed up: {error}. You are asked again.",
            )

    def save_text(self, suggested: str, text: str) -> None:
        """Save an output of a run in a file that the user chooses."""
        path = self._ask.export_path(suggested)
        if path is None:
            return
        try:
            write_bytes(path, text.encode())
        except OSError as error:
            self._ask.tell(f"{path.name} cannot be saved", str(error))
        else:
            self._window.status.say(f"Saved as {path}")

    def choose_patch(self, use: Callable[[Patch], object]) -> None:
        """Load a patch from a file that the user chooses."""
        path = self._ask.patch_path()
        if path is None:
            return
        try:
            patch = Patch.model_validate(from_json(read_text(path)))
        except (OSError, ValueError, WorkflowException) as error:
            self._ask.tell(f"{path.name} cannot be loaded as a patch", _fault(error))
        else:
            use(patch)

    def close(self, workspace: Workspace) -> bool:
        """Close a workflow and end its run. Ask if there are changes. Return False if
        the user cancels.
        """
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
        take_over_typing(self._window.focusWidget())
        document = workspace.document
        typed = workspace.unfinished()
        if typed and not self._leave_typed(workspace, typed):
            return False
        if document.is_clean:
            # Makes a backup if another program changed or removed the file.
            document.give_up()
            return True
        self._window.bring_to_front(workspace)
        choice = self._ask.save_changes(document.called)
        if choice is Choice.DISCARD:
            document.give_up()
            return True
        return choice is Choice.SAVE and self.save(workspace)

    def _leave_typed(self, workspace: Workspace, typed: Sequence[str]) -> bool:
        self._window.bring_to_front(workspace)
        return self._ask.leave_typed(workspace.document.called, typed)

    def _write(self, workspace: Workspace, path: Path) -> bool:
        document = workspace.document
        moved = path != document.path
        try:
            document.save(path)
        except OSError as error:
            why = f"{error.strerror or error}.\n{path}"
            if not self._ask.save_elsewhere(path.name, why):
                return False
            return self.ask_save_as(workspace)
        except (WorkflowException, ValueError) as error:
            self._ask.tell(
                f"{path.name} cannot be saved",
                f"{error}\n\nNothing is lost: the workflow is still open.",
            )
            return False
        if moved:
            self._settings.opened(path, document.saved_at)
        return True


def _suggested(document: Document) -> str:
    """Return the name of its file; before there is one, of the workflow."""
    name = document.root.workflow.name
    if document.path is None and name not in UNNAMED:
        return snake_case(name, otherwise=document.display_name)
    return document.display_name


def is_same_file(path: Path | None, other: Path) -> bool:
    """Return whether both lead to one place, also if no file is there."""
    return path is not None and place_of(path) == place_of(other)


def _title_of(backup: Backup) -> str:
    reason = "replaced by a save"
    if backup.reason == "discarded":
        reason = "discarded, never saved"
    date = _day(backup.time).partition(",")[0]
    clock = datetime.fromtimestamp(backup.time).astimezone()
    return f"{date}, {clock:%H:%M:%S} · {reason}"


def _recoverable(entry: JournalEntry) -> Version:
    folder = home(entry.path.parent) if entry.path else "never saved"

    def difference_to(read: Callable[[], Design], name: str) -> str:
        return difference(read, lambda: entry.design, name, "the recovered drawing")

    def details() -> str:
        path = entry.path
        if path is None:
            return difference_to(Design, "an empty drawing")
        if not path.exists():
            text = difference_to(Design, "nothing")
            return f"{path} does not exist any longer.\n{text}"
        text = difference_to(partial(load, path), "the file on disk")
        if path.stat().st_mtime > entry.time:
            note = "The file was saved again after these changes, perhaps by another program."
            return f"{note}\n{text}"
        return text

    return Version(f"{entry.name} · {folder} · {_day(entry.time)}", details)


def _day(time: float) -> str:
    return day(time, datetime.now(UTC).timestamp())


def _is_store(path: Path) -> bool:
    """Return whether a file is an SQLite database, by its first bytes."""
    try:
        with opened(path, None) as file:
            return file.read(len(SQLITE)) == SQLITE
    except (WorkflowException, OSError):
        return False  # because opening it says why


def _fault(error: Exception) -> str:
    """Return what is wrong with the file of a patch, and where in it."""
    if not isinstance(error, ValidationError):
        return str(error)
    first = error.errors()[0]
    place = ".".join(map(str, first["loc"]))
    return f"{place}: {first['msg']}" if place else str(first["msg"])
