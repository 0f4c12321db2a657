"""Bug bundles in the window: made of the checkpoint that is shown, and opened by a drop."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtWidgets import QWidget

from designer.look.theme import Look
from designer.session.store_process import StoreProcess
from designer.shell.files.files import Files
from designer.shell.files.tab_host import TabHost
from designer.shell.sharing.bundle_dialog import BundleDialog, Fault
from designer.shell.sharing.shared_runs import header_shown, store_of_runs
from designer.shell.workspace import Workspace
from runtime.debug.protocol import (
    BundleOpenArguments,
    BundleOpenBody,
    Patch,
    Reply,
)
from runtime.system.user_folders import is_shipped

MANIFEST = "bundle.json"
ZIP_SUFFIX = ".zip"
_ANY_STORE = "memory:"


class BugBundles:
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
        self.dialog: BundleDialog | None = None
        self._opening: StoreProcess | None = None

    def why_not(self, workspace: Workspace) -> str:
        """Return why no bundle can be made of what is shown; "" if it can."""
        if header_shown(workspace) is None:
            return "There is no checkpoint yet. Run the workflow first."
        session = workspace.session
        if session.is_attached:
            return "The workflow of a program was built in Python: stepwell bundle STORE ID --app MODULE:NAME"
        return ""

    def ask(
        self,
        workspace: Workspace,
        checkpoint_id: str = "",
        expect: Sequence[str] = (),
        source: str = "",
        patch: Patch | None = None,
    ) -> None:
        """Show the dialog for a checkpoint, by default the one that is shown.

        expect  what should be after one superstep, each as Python, such as `state["n"] == 12`
        source  where that comes from, such as "as recorded in #15"
        """
        timeline = workspace.session.timeline
        header = timeline.header(checkpoint_id) or header_shown(workspace)
        if header is None:
            return
        place = f"{timeline.name(header.id)}, superstep {header.superstep}"
        fault = Fault(
            store_of_runs(workspace),
            checkpoint_id or header.id,
            place,
            tuple(expect),
            source,
            patch,
        )
        dialog = self.dialog = BundleDialog(
            self._look,
            self._parent,
            fault,
            self.make_process(),
            self._home(workspace),
            self._trust,
            self._is_trusted,
            self._on_written,
        )
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _home(self, workspace: Workspace) -> Path:
        path = workspace.document.path
        return Path.home() if path is None or is_shipped(path) else path.parent

    def _is_trusted(self, folder: str) -> bool:
        return is_shipped(Path(folder)) or self._window.settings.is_trusted(folder)

    def _trust(self, folder: str) -> bool:
        if self._is_trusted(folder):
            return True
        trusted = self._window.questions.trust(folder)
        if trusted:
            self._window.settings.trust(folder)
        return trusted

    def _on_written(self, place: Path) -> None:
        self._window.status.say(f"The bug bundle is in {place}")

    # --- opening ---

    def open(self, path: Path) -> None:
        """Open a bundle: a folder, its `bundle.json`, or a zip."""
        self.close()
        process = self._opening = self.make_process()
        arguments = BundleOpenArguments(path=str(path))
        self._window.status.say(f"Opening {path.name}…")
        process.ask(
            _ANY_STORE, "bundle_open", arguments, self._on_opened, read_only=False
        )

    def close(self) -> None:
        """End the process of an opening that is not done."""
        if self._opening is not None:
            self._opening.close()
            self._opening.deleteLater()
            self._opening = None

    def _on_opened(self, reply: Reply) -> None:
        self.close()
        if not reply.success:
            self._window.questions.tell(
                "This bug bundle cannot be opened", reply.message
            )
            return
        body = BundleOpenBody.model_validate(reply.body)
        if body.document:
            self._files.open(Path(body.document))
        else:
            self._files.open_store(body.store, read_only=True)
        self._window.status.say(f"The bug bundle is in {body.folder}")
        workspace = self._window.current
        if workspace is not None:
            workspace.session.view_in_run(body.run_id, body.checkpoint_id)


def is_bundle(path: Path) -> bool:
    """Return whether a dropped file or folder is a bug bundle, by its name."""
    is_named = path.name == MANIFEST or path.suffix == ZIP_SUFFIX
    return is_named or (path / MANIFEST).is_file()
