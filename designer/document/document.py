"""The open drawing: its design, its undo steps, its file, and its journal in case the
window crashes.

Inside a sub-workflow, `design` is the drawing of that level, and is edited in the same
way. Each undo step is a step of the whole document, so there is one undo stack and one
file, and undo leads back to the level of the step.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import partial
from pathlib import Path
from typing import Literal

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QUndoStack

from designer.document import backups
from designer.document.breakpoints import Breakpoints
from designer.document.file import Claim, OnDisk, digest_of, mark_of, on_disk_of
from designer.document.journal import Journal, JournalEntry, recoverable
from designer.document.journal_writer import JournalThread
from designer.document.undo_steps import Ids, Step, View, looking
from designer.model import files, inside
from designer.model.design import Design
from designer.model.diff import Diff, diff
from designer.model.edits import set_workflow
from designer.model.edits.dots import followed
from designer.model.edits.inside import replaced_at
from designer.model.frames import frame_ids
from designer.model.inside import Way
from designer.model.layout.tidy import laid_out
from designer.model.names import UNNAMED, ids_of, other_ids
from designer.qt.background import run_in_background
from runtime.document.definition import FILE_SUFFIX
from runtime.errors import DefinitionError
from runtime.system import user_folders
from runtime.system.bounded_files import read_bytes

# ms from an edit until it is on disk; a burst of edits is written once in that time
JOURNAL_DELAY = 300

DiskNews = Literal["", "changed", "removed"]


class Document(QObject):
    """What the window edits. Every change goes through `apply`, and is one undo step.

    changed            a `Diff`, once after each edit, undo and redo, however many steps it took
    replaced           another design was opened: build everything again
    entered            another level is shown, inside or outside of a sub-workflow: draw it again
    title_changed      name, path or cleanliness
    selection_changed  `selection`
    breakpoints        are kept beside the document, and are no part of its design
    journal_failed     why the recovery file cannot be written, once; "" as soon as it can
    backup_failed      why a replaced version or discarded changes could not be backed up
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
        self._store = ""  # the store that is shown instead of a drawing
        self._name = ""  # the program that is shown instead
        self.undo_stack = QUndoStack(self)
        empty = Design()
        self._view = self._announced = View(empty, (), empty)
        self._selection: Ids = frozenset()
        self._step_selection: Ids | None = None  # that of a step under undo or redo
        # All ids with their origin, cached because a rubber band asks for them all the
        # time.
        self._known = (empty.workflow, empty.layout_extra, self._selection)
        self._on_disk: OnDisk | None = None
        self.breakpoints = Breakpoints(self)
        self._claim = Claim()
        self._journal = journal or Journal(user_folders.data_dir())
        self._journal_thread = JournalThread(self._journal, self)
        self._journal_thread.written.connect(self._set_unprotected)
        self.unprotected = ""
        self._journal_timer = QTimer(self, interval=JOURNAL_DELAY, singleShot=True)
        self._journal_timer.timeout.connect(self._write_journal)
        # Not within a step, because nothing may be pushed on the stack then.
        self.undo_stack.indexChanged.connect(self._announce)
        self.undo_stack.cleanChanged.connect(self.title_changed)

    # --- the design -----------------------------------------------------------------------------------------------

    @property
    def design(self) -> Design:
        """The drawing on the level that is shown: the document, or inside a
        sub-workflow.
        """
        return self._view.shown

    @property
    def root(self) -> Design:
        """The whole document, which is saved and run."""
        return self._view.root

    @property
    def inside(self) -> Way:
        """The sub-workflows on the way to the level that is shown, outermost first."""
        return self._view.way

    def apply(self, text: str, design: Design, *, merge: str = "") -> None:
        """Make `design` the present one, as one undo step called `text`, if it differs.
        Consecutive steps with the same `merge` become one. Dots move with their wires.
        """
        design = followed(self.design, design)
        if design is not self.design and diff(self.design, design):
            root = replaced_at(self.root, self.inside, design)
            self._push(text, View(root, self.inside, design), merge)

    def apply_whole(self, text: str, root: Design) -> None:
        """Make `root` the whole document, whichever level is shown, as `apply` does."""
        if root is not self.root and diff(self.root, root):
            self._push(text, looking(root, self.inside), "")

    def _push(self, text: str, after: View, merge: str) -> None:
        self.undo_stack.push(
            Step(text, self._view, after, merge, self._selection, self._show)
        )

    def _show(self, view: View, chosen: Ids | None) -> tuple[Way, Ids]:
        """Show a view with a selection (None for the present one) as soon as all steps
        of the gesture are done. Return the way and the selection before.
        """
        selection = self._step_selection
        if selection is None:
            selection = self._selection
        way = self.inside
        self._view = view
        self._step_selection = chosen
        return way, selection

    def _announce(self) -> None:
        before = self._announced
        after = self._view
        step_selection = self._step_selection
        self._announced = after
        self._step_selection = None
        difference = Diff()
        if before.way == after.way:
            difference = diff(before.shown, after.shown)
        else:
            self._set_level_selection(step_selection or frozenset())
        if not difference and not diff(before.root, after.root):
            return
        self.breakpoints.follow(before.root, after.root)
        selection = self._selection
        if step_selection is not None:
            self._selection = self._existing(step_selection)
        else:
            new_ids = other_ids(before.shown.workflow, after.shown.workflow)
            self._selection = self._existing([new_ids.get(id, id) for id in selection])
        if not self._journal_timer.isActive():
            self._journal_timer.start()
        self.changed.emit(difference or Diff(workflow_changed=True))
        if self._selection != selection:
            self.selection_changed.emit()

    # --- inside of sub-workflows ----------------------------------------------------------------------------------

    def enter(self, node_id: str, *, files_too: bool = False) -> None:
        """Go into a sub-workflow. With `files_too` also into one that is a file, to
        look at it.

        Raise `EditError` for a node that has no drawing inside. In place of a drawing
        the run says what is inside.
        """
        way = (*self.inside, node_id)
        if self._is_stand_in:
            self._go(way, self.root, frozenset())
            return
        folder = self.folder if files_too else None
        self._go(way, inside.at(self.root, way, folder), frozenset())

    def go_to(self, way: Way, selection: Collection[str] = ()) -> None:
        """Go to another level, as far as the way leads inside the document."""
        if self._is_stand_in:
            if way != self.inside:
                self._go(way, self.root, frozenset(selection))
            return
        way = inside.reach(self.root, way)
        if way != self.inside:
            self._go(way, inside.at(self.root, way), frozenset(selection))

    @property
    def _is_stand_in(self) -> bool:
        """Whether a store or a program is shown in place of a drawing."""
        return bool(self._store)

    @property
    def is_in_file(self) -> bool:
        """Whether the level that is shown is a file of its own, which cannot be edited
        here.
        """
        if self._is_stand_in:
            return False
        return inside.own_way(self.root, self.inside) != self.inside

    def leave(self, levels: int = 1) -> None:
        """Go out of so many sub-workflows, and select the last one."""
        if levels > 0 and self.inside:
            way = self.inside[:-levels]
            left_node = self.inside[len(way)]
            if self._is_stand_in:
                self._go(way, self.root, frozenset({left_node}))
                return
            shown = inside.at(self.root, way, self.folder)
            self._go(way, shown, frozenset({left_node}))

    def _go(self, way: Way, shown: Design, selection: Ids) -> None:
        self._view = self._announced = View(self.root, way, shown)
        self._set_level_selection(selection)

    def _set_level_selection(self, selection: Ids) -> None:
        self._selection = self._existing(selection)
        self.entered.emit()
        self.selection_changed.emit()

    # --- the selection --------------------------------------------------------------------------------------------

    @property
    def selection(self) -> Ids:
        """Ids of the selected nodes, edges and frames; all of them exist."""
        return self._selection

    def select(self, ids: Collection[str]) -> None:
        """Select these elements only, as far as they exist."""
        selection = self._existing(ids)
        if selection != self._selection:
            self._selection = selection
            self.selection_changed.emit()

    def _existing(self, ids: Collection[str]) -> Ids:
        if self._is_stand_in:
            return frozenset(ids)  # of what is drawn in place of a drawing
        workflow = self.design.workflow
        layout = self.design.layout_extra
        if workflow is not self._known[0] or layout is not self._known[1]:
            ids_here = frame_ids(self.design).union(ids_of(workflow))
            self._known = (workflow, layout, ids_here)
        return self._known[2].intersection(ids)

    # --- the file -------------------------------------------------------------------------------------------------

    @property
    def is_clean(self) -> bool:
        return self.undo_stack.isClean()

    @property
    def display_name(self) -> str:
        return self.path.name.removesuffix(FILE_SUFFIX) if self.path else "Untitled"

    def stand_for(self, store: str, name: str = "") -> None:
        """Show the runs of a store, by its URL, in place of a drawing; or those of a
        program by its address, under a name.
        """
        self._store = store
        self._name = name
        self.title_changed.emit()

    @property
    def called(self) -> str:
        """The name for people: that of the file, and before there is one, of the
        workflow.
        """
        if self._name:
            return self._name
        if self._store:
            last_part = self._store.rstrip("/").rpartition("/")[2]
            return last_part.removeprefix("sqlite:").removeprefix("dir:")
        name = self.root.workflow.name
        if self.path is None and name not in UNNAMED:
            return name
        return self.display_name

    @property
    def title(self) -> str:
        """The name on its tab, which says whether the document has no file yet."""
        if self._store or self.called == self.display_name:
            return self.called
        return f"{self.called} (not saved)"

    @property
    def is_shipped(self) -> bool:
        """Whether this is an example of the program, which can only be saved elsewhere."""
        return self.path is not None and user_folders.is_shipped(self.path)

    @property
    def saved_at(self) -> float:
        """When the file was last written, in seconds since 1970; 0 without a file."""
        return self._on_disk.modified if self._on_disk else 0.0

    @property
    def folder(self) -> Path:
        """The folder for modules and files of a run: the document's, or the present
        one.
        """
        return user_folders.place_of(self.path).parent if self.path else Path.cwd()

    def store_url(self) -> str:
        """Return the URL of the store that keeps the runs of this document."""
        return self._store or user_folders.store_url(self.path)

    def new(self) -> None:
        """Take an empty design without a file. Unsaved changes are lost."""
        self._replace(Design(), None, None)

    def open(self, path: Path) -> None:
        """Take the design of a file, with a place for each node. Unsaved changes are
        lost.

        Raise `DefinitionError` or `OSError`, and changes nothing then.
        """
        # Before reading, so that a change in between is noticed later.
        on_disk = on_disk_of(path)
        self._replace(_loaded(path), path, on_disk)

    def save(self, path: Path | None = None) -> None:
        """Write the file atomically, to `path` or to its own path, in another thread.
        The content that it replaces becomes a backup.

        A workflow without a name gets that of its new file, so that its runs differ
        from others. Raise `OSError`, `DefinitionError` for a value that JSON does not
        have, and `ValueError` without a path; nothing has changed then.
        """
        target = path or self.path
        if target is None:
            raise ValueError("a document that was never saved needs a path")
        root = self.root
        design = root if target == self.path else _named_as(target, root)
        fault, on_disk = run_in_background(partial(_replace_file, target, design))
        if fault:
            self.backup_failed.emit(
                f"Saved, but without a backup of the version before: {fault}."
            )
        moved = target != self.path
        self.path = target
        self._on_disk = on_disk
        if moved:
            self._claim_file()
            self.breakpoints.move(target)
        if self.root is root:
            self.apply_whole("Name the workflow", design)
            self.undo_stack.setClean()
            self._forget_journal()
        else:
            self.undo_stack.resetClean()  # because it was edited meanwhile
        self.title_changed.emit()

    def changed_on_disk(self) -> bool:
        """Return whether another program changed or removed the file since it was read
        or written here.
        """
        if self.path is None or self._on_disk is None:
            return False
        return (
            run_in_background(partial(on_disk_of, self.path)).digest
            != self._on_disk.digest
        )

    def disk_news(self) -> DiskNews:
        """Return what another program did to the file. Cheap if it did nothing, because
        the window asks all the time.
        """
        if self.path is None or self._on_disk is None:
            return ""
        if mark_of(self.path) == self._on_disk.mark:
            return ""
        on_disk = on_disk_of(self.path)
        if on_disk.digest == self._on_disk.digest:
            self._on_disk = on_disk
            return ""
        return "changed" if on_disk.digest is not None else "removed"

    def on_disk(self) -> Design:
        """Return the design in the file.

        Raise `DefinitionError`, `OSError`, and `ValueError` without a file.
        """
        if self.path is None:
            raise ValueError("a document that was never saved is in no file")
        return _loaded(self.path)

    def reload(self) -> None:
        """Take the design in the file, as one undo step. Raise as `on_disk` does;
        nothing has changed then.
        """
        assert self.path is not None  # noqa: S101 - there is nothing to reload otherwise
        on_disk = on_disk_of(self.path)
        self.apply_whole("Reload from disk", self.on_disk())
        self._on_disk = on_disk
        self.undo_stack.setClean()
        self._forget_journal()
        self.title_changed.emit()

    def keep_mine(self) -> None:
        """Accept that the file differs: the next save replaces it without asking, and
        makes a backup.
        """
        if self.path is not None:
            self._on_disk = on_disk_of(self.path)
            self.undo_stack.resetClean()
            self.flush_journal()

    def close(self) -> None:
        """Leave nothing to recover, because the document was saved or discarded."""
        self._forget_journal()
        self._claim.release()
        self.breakpoints.close()

    # --- earlier versions -----------------------------------------------------------------------------------------

    def earlier_versions(self) -> list[backups.Backup]:
        """Return the backups of earlier versions, the newest first."""
        return run_in_background(
            partial(backups.backups, user_folders.data_dir(), self.path)
        )

    def restore_backup(self, backup: backups.Backup) -> None:
        """Take an earlier version, as one undo step. The file stays until the next
        save.

        Raise `DefinitionError` and `OSError`, and changes nothing then.
        """
        self.apply_whole(
            "Restore a backup", run_in_background(partial(_loaded, backup.file))
        )

    def give_up(self) -> None:
        """Back up the unsaved changes, which the user discards."""
        if self.is_clean and not self.changed_on_disk():
            return
        try:
            run_in_background(partial(_keep_discarded, self.path, self.root))
        except (OSError, DefinitionError) as error:
            self.backup_failed.emit(
                f"The discarded changes could not be kept as a backup: {error}."
            )

    # --- other windows --------------------------------------------------------------------------------------------

    @property
    def other_window(self) -> int:
        """The process of another window that opened the file before this one; 0 for
        none. When that window closes or crashes, this one takes over.
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
        self.breakpoints.open(path)
        self.replaced.emit()
        self.selection_changed.emit()
        self.title_changed.emit()

    # --- recovery -------------------------------------------------------------------------------------------------

    @staticmethod
    def recoverable(tell: Callable[[str], object] | None = None) -> list[JournalEntry]:
        """Return the unsaved changes of crashed windows. `tell` gets a text for each
        file that cannot be read; without it, the log does.
        """
        if tell is not None:
            return recoverable(user_folders.data_dir(), tell)
        return recoverable(user_folders.data_dir())

    @staticmethod
    def discard(entry: JournalEntry) -> None:
        """Turn unsaved changes into a backup of their document. Raise `OSError`, and
        changes nothing then.
        """
        run_in_background(partial(_keep_discarded, entry.path, entry.design))
        entry.discard()

    def recover(self, entry: JournalEntry) -> None:
        """Take the design of a crashed window; undo leads to the content of its file."""
        on_disk = on_disk_of(entry.path) if entry.path else None
        try:
            saved = _loaded(entry.path) if entry.path else Design()
        except (OSError, DefinitionError):
            # The file is missing or broken, perhaps by the same crash.
            saved = None
        self._replace(entry.design if saved is None else saved, entry.path, on_disk)
        if saved is None:
            self.undo_stack.resetClean()
        self.apply_whole("Recover unsaved changes", entry.design)
        self.flush_journal()
        if not self.unprotected:
            entry.discard()

    def flush_journal(self) -> None:
        """Write the recovery file before returning; a clean document needs none."""
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
        """Remember why a crash would lose unsaved changes; "" where it would not."""
        was_unprotected = bool(self.unprotected)
        self.unprotected = why
        if was_unprotected != bool(why):
            self.journal_failed.emit(why)

    def _write_journal(self) -> None:
        """Write the recovery file without waiting for the disk."""
        if self.is_clean:
            self.flush_journal()
        else:
            self._journal_thread.write(self.root, self.path, self.called)

    def _forget_journal(self) -> None:
        self._journal_timer.stop()
        self._journal_thread.finish()
        try:
            self._journal.clear()
        except OSError as error:
            # Not raised, because it would look as if the save before had failed.
            self._set_unprotected(str(error))
        else:
            self._set_unprotected("")


def _loaded(path: Path) -> Design:
    """Return the design of a file with a place for each node. Placing nodes is no edit,
    so a file without places needs no saving.
    """
    return laid_out(files.load(path))


def _replace_file(path: Path, design: Design) -> tuple[OSError | None, OnDisk]:
    """Back up a file and write it. Return why the backup failed, and the state of the
    file.
    """
    fault = None
    try:
        if path.is_file():
            backups.keep(user_folders.data_dir(), path, read_bytes(path), "saved")
    except OSError as error:
        fault = error
    written = files.save(path, design)
    # The digest of what was written, because another program may have written since.
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
