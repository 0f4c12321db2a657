"""The open drawing: its design, its undo steps, its file, and its journal for the case that the window dies.

Who goes into a sub-workflow sees its drawing as `design` and edits it in the same way: each step is one of the whole,
so there is one undo stack and one file, and undo leads to where the step was done.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import partial
from pathlib import Path
from typing import Literal

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QUndoStack

from designer.document import backups
from designer.document.file import Claim, OnDisk, digest_of, mark_of, on_disk_of
from designer.document.journal import Journal, JournalEntry, recoverable
from designer.document.journal_writer import JournalThread
from designer.document.undo_steps import Ids, Step, View, looking
from designer.model import files, inside
from designer.model.design import Design
from designer.model.diff import Diff, diff
from designer.model.edits import set_workflow
from designer.model.edits.dots import followed
from designer.model.frames import frame_ids
from designer.model.inside import Way
from designer.model.layout.tidy import laid_out
from designer.model.names import UNNAMED, ids_of, other_ids
from designer.qt.background import beside
from runtime.document.definition import FILE_SUFFIX
from runtime.errors import DefinitionError
from runtime.system import user_folders
from runtime.system.bounded_files import read_bytes

# ms from an edit until it is on disk; a burst of edits is written once in that time
JOURNAL_DELAY = 300

DiskNews = Literal["", "changed", "removed"]


class Document(QObject):
    """What the window edits. Every change goes through `apply`, and is one undo step.

    changed            a `Diff`, after every applied edit, undo and redo; one for each, however many steps were made
    replaced           another design was opened: rebuild everything
    entered            another level of it is shown, inside of a sub-workflow or out of it: draw it anew
    title_changed      name, path or cleanliness
    selection_changed  `selection` is different
    journal_failed     why the recovery file cannot be written, once; "" as soon as it can be again
    backup_failed      why the version that a save replaced, or unsaved work given up, could not be put aside
    """

    changed = Signal(object)
    replaced = Signal()
    entered = Signal()
    title_changed = Signal()
    selection_changed = Signal()
    journal_failed = Signal(str)
    backup_failed = Signal(str)

    def __init__(
        self, parent: QObject | None = None, *, journal: Journal | None = None
    ) -> None:
        super().__init__(parent)
        self.path: Path | None = None
        self._store = ""  # what it stands for, where it is no drawing
        self.undo_stack = QUndoStack(self)
        empty = Design()
        self._view = self._announced = View(empty, (), empty)
        self._selection: Ids = frozenset()
        self._wanted: Ids | None = None  # what an undone or redone step had selected
        # The ids that there are, kept with what they are of: a rubber band asks all the time.
        self._known = (empty.workflow, empty.layout_extra, self._selection)
        self._on_disk: OnDisk | None = None
        self._claim = Claim()
        self._journal = journal or Journal(user_folders.data_dir())
        self._journal_thread = JournalThread(self._journal, self)
        self._journal_thread.told.connect(self._set_unprotected)
        self.unprotected = ""
        self._journal_timer = QTimer(self, interval=JOURNAL_DELAY, singleShot=True)
        self._journal_timer.timeout.connect(self._write_journal)
        # The stack tells when a step is wholly done; within it, nothing may be pushed.
        self.undo_stack.indexChanged.connect(self._announce)
        self.undo_stack.cleanChanged.connect(self.title_changed)

    # --- the design -----------------------------------------------------------------------------------------------

    @property
    def design(self) -> Design:
        """What is drawn and edited: the document, or the drawing inside one of its sub-workflows."""
        return self._view.shown

    @property
    def root(self) -> Design:
        """The whole document: what is saved and run."""
        return self._view.root

    @property
    def inside(self) -> Way:
        """The sub-workflows that were gone into, from the outermost on; empty for the document itself."""
        return self._view.way

    def apply(self, text: str, design: Design, *, merge: str = "") -> None:
        """Make `design` the present one, as one undo step called `text`; no step if nothing differs. Steps in a row
        with the same `merge` become one. Dots go with their wires.
        """
        design = followed(self.design, design)
        if design is not self.design and diff(self.design, design):
            root = inside.replaced_at(self.root, self.inside, design)
            self._push(text, View(root, self.inside, design), merge)

    def apply_whole(self, text: str, root: Design) -> None:
        """The same of the whole document, wherever in it one is."""
        if root is not self.root and diff(self.root, root):
            self._push(text, looking(root, self.inside), "")

    def _push(self, text: str, after: View, merge: str) -> None:
        self.undo_stack.push(
            Step(text, self._view, after, merge, self._selection, self._show)
        )

    def _show(self, view: View, chosen: Ids | None) -> tuple[Way, Ids]:
        """Show this with that selected, once all steps of one gesture are done; None for what is selected now. Answers
        where one was, and what was selected there.
        """
        before = self.inside, self._selection if self._wanted is None else self._wanted
        self._view = view
        self._wanted = chosen
        return before

    def _announce(self) -> None:
        before = self._announced
        now = self._view
        wanted = self._wanted
        self._announced = now
        self._wanted = None
        if before.way != now.way:
            self._tell_entered(wanted or frozenset())
        difference = diff(before.shown, now.shown) if before.way == now.way else Diff()
        if not difference and not diff(before.root, now.root):
            return
        chosen = self._selection
        names = other_ids(before.shown.workflow, now.shown.workflow)
        self._selection = self._existing(
            [names.get(key, key) for key in chosen] if wanted is None else wanted
        )
        if not self._journal_timer.isActive():
            self._journal_timer.start()
        self.changed.emit(difference or Diff(workflow_changed=True))
        if self._selection != chosen:
            self.selection_changed.emit()

    # --- inside of sub-workflows ----------------------------------------------------------------------------------

    def enter(self, node_id: str, *, files_too: bool = False) -> None:
        """Go into a sub-workflow. Raises `EditError` where there is nothing that can be gone into. With `files_too`
        also into what is drawn in a file, to look at it: edited it is by itself.
        """
        way = (*self.inside, node_id)
        self._go(
            way,
            inside.at(self.root, way, self.folder if files_too else None),
            frozenset(),
        )

    def go_to(self, way: Way, selection: Collection[str] = ()) -> None:
        """To another level, as far as the way leads inside the document."""
        way = inside.reach(self.root, way)
        if way != self.inside:
            self._go(way, inside.at(self.root, way), frozenset(selection))

    @property
    def is_in_file(self) -> bool:
        """Whether what is shown is drawn in a file of its own, and cannot be edited here."""
        return inside.own_way(self.root, self.inside) != self.inside

    def leave(self, levels: int = 1) -> None:
        """Go out of as many sub-workflows; what one comes out of is selected."""
        if levels > 0 and self.inside:
            way = self.inside[:-levels]
            self._go(
                way,
                inside.at(self.root, way, self.folder),
                frozenset({self.inside[len(way)]}),
            )

    def _go(self, way: Way, shown: Design, selection: Ids) -> None:
        self._view = self._announced = View(self.root, way, shown)
        self._tell_entered(selection)

    def _tell_entered(self, selection: Ids) -> None:
        self._selection = self._existing(selection)
        self.entered.emit()
        self.selection_changed.emit()

    # --- the selection --------------------------------------------------------------------------------------------

    @property
    def selection(self) -> Ids:
        """Ids of the selected nodes, edges and frames; all of them exist."""
        return self._selection

    def select(self, ids: Collection[str]) -> None:
        """Select these and nothing else; ids of nothing are left out."""
        selection = self._existing(ids)
        if selection != self._selection:
            self._selection = selection
            self.selection_changed.emit()

    def _existing(self, ids: Collection[str]) -> Ids:
        workflow = self.design.workflow
        layout = self.design.layout_extra
        if workflow is not self._known[0] or layout is not self._known[1]:
            there = ids_of(workflow)
            self._known = (workflow, layout, frame_ids(self.design).union(there))
        return self._known[2].intersection(ids)

    # --- the file -------------------------------------------------------------------------------------------------

    @property
    def is_clean(self) -> bool:
        return self.undo_stack.isClean()

    @property
    def display_name(self) -> str:
        return self.path.name.removesuffix(FILE_SUFFIX) if self.path else "Untitled"

    def stand_for(self, store: str) -> None:
        """Nothing is drawn here: it stands for the runs that are kept in a store, by its URL."""
        self._store = store
        self.title_changed.emit()

    @property
    def called(self) -> str:
        """What people call it: before it has a file, the name that the workflow was given."""
        if self._store:
            return (
                self._store.rstrip("/")
                .rpartition("/")[2]
                .removeprefix("sqlite:")
                .removeprefix("dir:")
            )
        name = self.root.workflow.name
        return name if self.path is None and name not in UNNAMED else self.display_name

    @property
    def title(self) -> str:
        """What it is called on its tab: a name that stands in no file yet is told from that of a file."""
        is_kept = self._store or self.called == self.display_name
        return self.called if is_kept else f"{self.called} (not saved)"

    @property
    def is_shipped(self) -> bool:
        """Whether this is one of the program's own examples, which are saved elsewhere or not at all."""
        return self.path is not None and user_folders.is_shipped(self.path)

    @property
    def saved_at(self) -> float:
        """When the file was last written, in seconds since 1970, as far as known here; 0 without a file."""
        return self._on_disk.modified if self._on_disk else 0.0

    @property
    def folder(self) -> Path:
        """Where a run looks for modules and files: the document's folder, or the present one."""
        return user_folders.place_of(self.path).parent if self.path else Path.cwd()

    def store_url(self) -> str:
        """Where the runs of this document are kept."""
        return self._store or user_folders.store_url(self.path)

    def new(self) -> None:
        """An empty design without a file. What was not saved is given up."""
        self._replace(Design(), None, None)

    def open(self, path: Path) -> None:
        """The design of a file, laid out where it has no places. Raises `DefinitionError` or `OSError`, and then
        nothing has changed; what was not saved is given up otherwise.
        """
        # Taken before reading: a change in between is then noticed later, not overlooked.
        on_disk = on_disk_of(path)
        self._replace(_loaded(path), path, on_disk)

    def save(self, path: Path | None = None) -> None:
        """Write the file, whole or not at all, to `path` or where it came from, beside the window.

        A workflow that nobody has named is called as its new file is, so that its runs are told from those of others.
        Raises `OSError`, `DefinitionError` for a value that JSON does not have, and `ValueError` if there is no path;
        nothing has changed then. What the file held until then is put aside, whoever wrote it.
        """
        target = path or self.path
        if target is None:
            raise ValueError("a document that was never saved needs a path")
        root = self.root
        design = root if target == self.path else _named_as(target, root)
        fault, on_disk = beside(partial(_replace_file, target, design))
        if fault:
            self.backup_failed.emit(
                f"Saved, but the version before could not be put aside: {fault}."
            )
        moved = target != self.path
        self.path = target
        self._on_disk = on_disk
        if moved:
            self._claim_file()
        if self.root is root:
            self.apply_whole("Name the workflow", design)
            self.undo_stack.setClean()
            self._forget_journal()
        else:
            self.undo_stack.resetClean()  # edited while it was written
        self.title_changed.emit()

    def changed_on_disk(self) -> bool:
        """Whether somebody else changed or removed the file since it was read or written here."""
        if self.path is None or self._on_disk is None:
            return False
        return beside(partial(on_disk_of, self.path)).digest != self._on_disk.digest

    def disk_news(self) -> DiskNews:
        """What somebody else did to the file, as `changed_on_disk`, but cheap where nothing was done: to be asked all
        the time.
        """
        if (
            self.path is None
            or self._on_disk is None
            or mark_of(self.path) == self._on_disk.mark
        ):
            return ""
        now = on_disk_of(self.path)
        if now.digest == self._on_disk.digest:
            self._on_disk = now
            return ""
        return "changed" if now.digest is not None else "removed"

    def on_disk(self) -> Design:
        """The design as it is in the file now. Raises `DefinitionError`, `OSError`, and `ValueError` without a file."""
        if self.path is None:
            raise ValueError("a document that was never saved is in no file")
        return _loaded(self.path)

    def reload(self) -> None:
        """Take what is in the file now, as one undo step. Raises as `on_disk` does; nothing has changed then."""
        assert self.path is not None  # noqa: S101 - there is nothing to reload otherwise
        now = on_disk_of(self.path)
        design = self.on_disk()
        self.apply_whole("Reload from disk", design)
        self._on_disk = now
        self.undo_stack.setClean()
        self._forget_journal()
        self.title_changed.emit()

    def keep_mine(self) -> None:
        """What is in the file now is known, and not wanted: the next save replaces it unasked (and puts it aside)."""
        if self.path is not None:
            self._on_disk = on_disk_of(self.path)
            self.undo_stack.resetClean()
            self.flush_journal()

    def close(self) -> None:
        """The window lets go of the document, saved or given up: nothing is left to recover."""
        self._forget_journal()
        self._claim.release()

    # --- earlier versions -----------------------------------------------------------------------------------------

    def earlier_versions(self) -> list[backups.Backup]:
        """The earlier versions that are kept, the newest first."""
        return beside(partial(backups.backups, user_folders.data_dir(), self.path))

    def restore_backup(self, backup: backups.Backup) -> None:
        """Take an earlier version, as one undo step; the file stays as it is until it is saved. Raises
        `DefinitionError` and `OSError`, and then nothing has changed.
        """
        self.apply_whole("Restore a backup", beside(partial(_loaded, backup.file)))

    def give_up(self) -> None:
        """What is drawn and in no file is not wanted, a person said: it is put aside, for the case that it is."""
        if self.is_clean and not self.changed_on_disk():
            return
        try:
            beside(partial(_keep_discarded, self.path, self.root))
        except (OSError, DefinitionError) as error:
            self.backup_failed.emit(
                f"The discarded changes could not be kept as a backup: {error}."
            )

    # --- other windows --------------------------------------------------------------------------------------------

    @property
    def other_window(self) -> int:
        """The process whose window had the file open before this one; 0 if there is none. A window that died is none,
        and when one closes, the file is this one's.
        """
        return self._claim.other_window

    def _claim_file(self) -> None:
        self._claim.take(None if self.is_shipped else self.path)

    def _replace(
        self, design: Design, path: Path | None, on_disk: OnDisk | None
    ) -> None:
        self._forget_journal()
        self._view = self._announced = View(design, (), design)
        self._selection = frozenset()
        self.path = path
        self._on_disk = on_disk
        self._claim_file()
        self.undo_stack.clear()
        self.replaced.emit()
        self.selection_changed.emit()
        self.title_changed.emit()

    # --- recovery -------------------------------------------------------------------------------------------------

    @staticmethod
    def recoverable(tell: Callable[[str], object] | None = None) -> list[JournalEntry]:
        """What windows that died had not saved; `tell` hears of what cannot be read (else the log does)."""
        if tell is not None:
            return recoverable(user_folders.data_dir(), tell)
        return recoverable(user_folders.data_dir())

    @staticmethod
    def discard(entry: JournalEntry) -> None:
        """Do not recover it: it becomes a backup of its document. Raises `OSError`, and then it is left as it is."""
        beside(partial(_keep_discarded, entry.path, entry.design))
        entry.discard()

    def recover(self, entry: JournalEntry) -> None:
        """The design of a dead window over the file that it had open: undo leads to the file as it is."""
        on_disk = on_disk_of(entry.path) if entry.path else None
        try:
            saved = _loaded(entry.path) if entry.path else Design()
        except (OSError, DefinitionError):
            # The file is gone or broken, perhaps for the same reason; the recovered design stands alone then.
            saved = None
        self._replace(entry.design if saved is None else saved, entry.path, on_disk)
        if saved is None:
            self.undo_stack.resetClean()
        self.apply_whole("Recover unsaved changes", entry.design)
        self.flush_journal()
        if not self.unprotected:
            entry.discard()

    def flush_journal(self) -> None:
        """Have the recovery file written when this returns; a clean document needs none."""
        self._journal_timer.stop()
        self._journal_thread.finish()
        try:
            if self.is_clean:
                self._journal.clear()
            else:
                self._journal.write(self.root, self.path, self.called)
        except (OSError, DefinitionError) as error:
            self._set_unprotected(str(error))
        else:
            self._set_unprotected("")

    def _set_unprotected(self, why: str) -> None:
        """Why a crash would lose what is not saved; "" where it would not."""
        told = self.unprotected
        self.unprotected = why
        if bool(told) != bool(why):
            self.journal_failed.emit(why)

    def _write_journal(self) -> None:
        """The same without waiting for the disk."""
        if self.is_clean:
            self.flush_journal()
        else:
            self._journal_thread.write(self.root, self.path, self.called)

    def _forget_journal(self) -> None:
        self._journal_timer.stop()
        self._journal_thread.finish()
        try:
            self._journal.clear()
        except (
            OSError
        ) as error:  # what was saved, is: that must not look as if it were not
            self._set_unprotected(str(error))
        else:
            self._set_unprotected("")


def _loaded(path: Path) -> Design:
    """The design of a file, with a place for each node. That is no edit: a file without places asks for no saving."""
    return laid_out(files.load(path))


def _replace_file(path: Path, design: Design) -> tuple[OSError | None, OnDisk]:
    """Put aside what a file holds, and write it anew. Why the first could not be done, and what is there now."""
    fault = None
    try:
        if path.is_file():
            backups.keep(user_folders.data_dir(), path, read_bytes(path), "saved")
    except OSError as error:
        fault = error
    written = files.save(path, design)
    # Of what was written, not of what is there: somebody else may have written since.
    return fault, on_disk_of(path)._replace(digest=digest_of(written))


def _keep_discarded(path: Path | None, design: Design) -> None:
    backups.keep(
        user_folders.data_dir(), path, files.dumps(design).encode(), "discarded"
    )


def _named_as(path: Path, design: Design) -> Design:
    name = path.name.removesuffix(FILE_SUFFIX).removesuffix(".json")
    if design.workflow.name in UNNAMED and name:
        return set_workflow(design, name=name)
    return design
