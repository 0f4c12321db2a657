"""Shared runs in the window: what is looked at goes into a file, and a file into a store
that is then looked at.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtWidgets import QWidget

from designer.look.theme import Look
from designer.session.store_process import StoreProcess
from designer.shell.files.files import Files
from designer.shell.files.tab_host import TabHost
from designer.shell.sharing.receive_dialog import ReceiveDialog
from designer.shell.sharing.share_dialog import ShareDialog, Shown
from designer.shell.sharing.words import amount
from designer.shell.workspace import Workspace
from runtime.debug.protocol import Header, ReceiveBody, ShareBody
from runtime.document.definition import FILE_SUFFIX, SHARED_SUFFIX
from runtime.values.words import counted

_IN_MEMORY = "memory:"


class SharedRuns:
    """The commands of a window. `make_process` starts the process for one dialog."""

    def __init__(
        self,
        window: TabHost,
        parent: QWidget,
        look: Look,
        files: Files,
        make_process: Callable[[], StoreProcess] = StoreProcess,
    ) -> None:
        self._window = window
        self._parent = parent
        self._look = look
        self._files = files
        self.make_process = make_process
        self.dialog: ShareDialog | ReceiveDialog | None = None

    def why_not_share(self, workspace: Workspace) -> str:
        """Return why nothing that is shown can be shared; "" if it can."""
        if header_shown(workspace) is None:
            return "There is no checkpoint yet. Run the workflow first."
        if store_of_runs(workspace).startswith(_IN_MEMORY):
            return "The checkpoints of this program are in its memory: only the program itself can read them."
        return ""

    def ask_share(self, workspace: Workspace) -> None:
        """Show the dialog for the checkpoint that is shown."""
        header = header_shown(workspace)
        if header is None:
            return
        timeline = workspace.session.timeline
        headers = [timeline.header_at(row) for row in range(timeline.rowCount())]
        on_branch = [other for other in headers if other.branch == header.branch]
        parents = {other.id: other.branch for other in headers}
        shown = Shown(
            store_of_runs(workspace),
            header,
            f"{timeline.name(header.id)}, superstep {header.superstep}",
            len({other.branch for other in headers}),
            bool(on_branch)
            and parents.get(on_branch[0].parent or "", header.branch) != header.branch,
        )
        dialog = self.dialog = ShareDialog(
            self._look,
            self._parent,
            shown,
            self.make_process(),
            self._window.questions.export_path,
            self._on_shared,
        )
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _on_shared(self, file: Path, body: ShareBody) -> None:
        words = f"Shared {counted(body.checkpoints, 'checkpoint')} as {file} ({amount(body.file_bytes)})"
        if body.left_out:
            words += f"; {counted(len(body.left_out), 'damaged one')} left out"
        self._window.status.say(words)

    def ask_receive(self, file: Path | None = None) -> None:
        """Show the dialog for a shared file, which is asked for unless it is given."""
        file = file or self._window.questions.shared_path()
        if file is None:
            return
        dialog = self.dialog = ReceiveDialog(
            self._look,
            self._parent,
            file,
            self._stores(file),
            self.make_process(),
            self._on_received,
        )
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _stores(self, file: Path) -> list[tuple[str, str]]:
        """Return the stores to offer: that of the document in front, and a new one."""
        stores = []
        workspace = self._window.current
        if workspace is not None and workspace.session.has_document:
            name = workspace.document.display_name
            stores.append((f"The runs of {name}", workspace.document.store_url()))
        stem = file.name.removesuffix(SHARED_SUFFIX).removesuffix(FILE_SUFFIX)
        beside = file.with_name(f"{stem}.db")
        stores.append((f"{beside.name}, beside the file", f"sqlite:{beside}"))
        return stores

    def _on_received(self, store: str, body: ReceiveBody) -> None:
        words = f"Imported {counted(body.added, 'checkpoint')} of {body.workflow}"
        if not body.added:
            words = f"All checkpoints of {body.workflow} were there already"
        self._window.status.say(words)
        workspace = self._workspace_of(store)
        if workspace is None:
            workspace = self._files.open_store(store, read_only=False)
        workspace.session.list_runs()
        workspace.session.view_in_run(body.run_id, body.newest)

    def _workspace_of(self, store: str) -> Workspace | None:
        for workspace in self._window.workspaces:
            if workspace.document.store_url() == store:
                self._window.bring_to_front(workspace)
                return workspace
        return None


def header_shown(workspace: Workspace) -> Header | None:
    """Return the checkpoint that is looked at; while editing, the newest one."""
    session = workspace.session
    timeline = session.timeline
    row = timeline.row_of(session.viewing or "")
    if row is None and session.mode == "live":
        return session.head
    if row is None and timeline.rowCount():
        row = timeline.rowCount() - 1
    return None if row is None else timeline.header_at(row)


def store_of_runs(workspace: Workspace) -> str:
    """Return the URL of the store that keeps the runs of a tab."""
    session = workspace.session
    if session.is_attached:
        return session.program.store if session.program is not None else ""
    return workspace.document.store_url()
