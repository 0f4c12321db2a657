"""The messages of the banner: a failed command, a change of the file on disk, a view of
the past, or something that the run needs.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QObject, Signal

from designer.document.document import Document
from designer.session.opener import store_exists
from designer.session.session import DebugSession
from designer.shell.banner import Banner, Verb
from designer.shell.disk_watch import DiskWatch
from designer.shell.runs import change_words, outside_words, stop_words, words
from designer.shell.runs.repair import Repair, Repairs
from runtime.debug.protocol import StoppedBody

_Message = tuple[words.Trouble | None, list[Verb]]
_NO_MESSAGE: _Message = (None, [])


class News(QObject):
    """Fills the banner of a workspace, and asks the workspace for what its buttons do.

    shown_changed        whether there is a message
    panel_requested      the title of the panel that shows more
    resume_requested     the user wants the run to continue
    outside_requested    what would going on from here do outside?
    file_verb_requested  "save", "reload" or "compare"
    fix_requested        the user wants to repair the failure of the run
    run_requested        the user wants a new run
    breakpoint_requested the user wants to edit a breakpoint, by its id
    store_requested      the user wants to look into the store at a URL
    go_on_requested      the user has repaired the failure, and wants its run to continue
    change_requested     the user wants to go on with the changed graph: "go on", or "show" what that would do
    """

    shown_changed = Signal(bool)
    panel_requested = Signal(str)
    restore_requested = Signal()
    edit_copy_requested = Signal()
    outside_requested = Signal()
    resume_requested = Signal()
    file_verb_requested = Signal(str)
    fix_requested = Signal(object)  # a `Fix` to apply first, or None
    run_requested = Signal()
    go_on_requested = Signal()
    change_requested = Signal(str)
    breakpoint_requested = Signal(str)
    store_requested = Signal(str)

    def __init__(
        self,
        document: Document,
        session: DebugSession,
        watch: DiskWatch,
        banner: Banner,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._document = document
        self._session = session
        self._watch = watch
        self._banner = banner
        self._complaint: words.Trouble | None = None
        # Whether a task such as Compare has the place of the inspector.
        self.is_task_shown = False
        self._remedies: tuple[Verb, ...] = ()  # what helps against the complaint
        self.repairs = Repairs(document, session, self.tell)
        # The process of the other window whose message the user has dismissed.
        self._dismissed_window = 0
        document.journal_failed.connect(self.tell)
        document.breakpoints.changed.connect(self.tell)
        watch.changed.connect(self.tell)
        session.viewed.connect(self.tell)
        session.compared.connect(self.tell)
        session.past.changed.connect(self.tell)
        session.difference.changed.connect(self.tell)
        session.staged.changed.connect(self.tell)
        session.staged.planned.connect(self.tell)
        session.results.changed.connect(self.tell)
        session.failed.connect(self.complain)

    def tell(self) -> None:
        """Show the present message, or hide the banner."""
        trouble, verbs = self._present()
        if trouble is not None:
            self._banner.say(trouble, verbs)
        self.shown_changed.emit(trouble is not None)

    def _present(self) -> _Message:
        """Return the most urgent message."""
        if self._complaint is not None and self._session.has_left:
            return self._complaint, self._left()[1]
        if self._complaint is not None:
            dismiss = Verb("Dismiss", "x", self.dismiss)
            return self._complaint, [*self._remedies, dismiss]
        message = _NO_MESSAGE
        if self._session.has_left:
            return self._left()
        match self._session.mode:
            case "edit":
                message = self._about_file()
                if message[0] is None and self.repairs.current is not None:
                    message = self._repairing(self.repairs.current)
                if message[0] is None:
                    message = self._changed_graph()
            case _ if self._session.staged.is_on:
                message = self._editing_copy()
            case _ if self._session.base:
                message = self._comparing()
            case "past":
                message = self._past()
            case "live":
                message = self._about_run()
                if message[0] is None:
                    message = self._changed_graph()
        if message[0] is None and self._document.unprotected:
            return self._unprotected()
        return message

    # --- a failed command ---

    def complain(self, title: str, text: str, remedies: Sequence[Verb] = ()) -> None:
        """Show a failure until the user dismisses it or does something else."""
        self._complaint = words.Trouble("bad", "error", title, text)
        self._remedies = tuple(remedies)
        self.tell()

    def forget(self) -> None:
        """Drop the complaint, because the user does something else."""
        self._complaint = None

    def dismiss(self) -> bool:
        """Drop the complaint. Return False if there was none."""
        if self._complaint is None:
            return False
        self.forget()
        self.tell()
        return True

    # --- the file ---

    def _about_file(self) -> _Message:
        """What happened to the file while it is edited here."""
        watch = self._watch
        if watch.news == "changed":
            return self._changed_on_disk()
        if watch.news == "removed":
            return self._removed_from_disk()
        if watch.other_window and watch.other_window != self._dismissed_window:
            return self._open_elsewhere(watch.other_window)
        return _NO_MESSAGE

    def _changed_on_disk(self) -> _Message:
        text = "by another program since you opened or saved it"
        trouble = words.Trouble("warn", "warn", "Changed on disk", text)
        return trouble, [
            Verb("Reload", "open", partial(self._ask_file, "reload")),
            Verb("Compare", "eye", partial(self._ask_file, "compare")),
            Verb("Keep mine", "check", self._keep_mine),
        ]

    def _removed_from_disk(self) -> _Message:
        text = "the file is gone; the drawing here is not"
        trouble = words.Trouble("warn", "warn", "Removed from disk", text)
        return trouble, [
            Verb("Save again", "save", partial(self._ask_file, "save")),
            Verb("Keep mine", "check", self._keep_mine),
        ]

    def _open_elsewhere(self, process: int) -> _Message:
        title = "Also open in another window"
        text = f"of process {process} · you are asked before one replaces what the other saved"
        dismiss = Verb("Dismiss", "x", partial(self._dismiss_window, process))
        return words.Trouble("warn", "warn", title, text), [dismiss]

    def _unprotected(self) -> _Message:
        title = "Changes are not protected against a crash:"
        text = f"the recovery file cannot be written ({self._document.unprotected}). Save often."
        save = Verb("Save", "save", partial(self._ask_file, "save"))
        return words.Trouble("warn", "warn", title, text), [save]

    def _ask_file(self, verb: str) -> None:
        self.file_verb_requested.emit(verb)
        self._watch.look()

    def _keep_mine(self) -> None:
        self._document.keep_mine()
        self._watch.look()

    def _dismiss_window(self, process: int) -> None:
        self._dismissed_window = process
        self.tell()

    # --- the run ---

    def _about_stop(self, stopped: StoppedBody) -> _Message:
        """Where the run stands that was stopped by a breakpoint or a small step."""
        session = self._session
        hit = stopped.breakpoint
        notes = self._document.breakpoints.notes
        point = notes.get(hit.id) if hit is not None else None
        icon, icon_role = ("stopped", "bad") if hit is not None else ("next", "")
        trouble = words.Trouble(
            "accent",
            icon,
            stop_words.title(session, stopped),
            stop_words.reason(session, stopped, point),
            icon_role=icon_role,
        )
        verbs = []
        if point is not None:
            edit = partial(self.breakpoint_requested.emit, point.id)
            verbs.append(Verb("Edit breakpoint", "pencil", edit))
        if stopped.delivery is not None:
            verbs.append(Verb("Next delivery", "msgstep", session.deliver))
        return trouble, verbs

    def _before_call(self, stopped: StoppedBody) -> _Message:
        """The run stands before a call that would reach outside again."""
        session = self._session
        path = stop_words.outside_path(stopped)
        trouble = words.Trouble(
            "warn",
            "globe",
            stop_words.title(session, stopped),
            stop_words.reason(session, stopped, None),
        )
        pin = partial(session.results.edit, path)
        is_decided = session.results.mode_of(path) != "recorded"
        go_on = self.resume_requested.emit
        return trouble, [
            Verb("Stop", "stop", session.stop),
            Verb("Pin a result…", "pin", pin),
            Verb(
                "Continue" if is_decided else "Run it live", "play", go_on, primary=True
            ),
        ]

    def _left(self) -> _Message:
        """The program has ended, or was detached."""
        session = self._session
        title = "No program is attached any more"
        text = "what it has saved can be looked at in its store"
        verbs = [Verb("Attach again", "live", self._attach_again)]
        if session.program is not None and store_exists(session.program.store):
            look = partial(self.store_requested.emit, session.program.store)
            verbs.append(Verb("Open its store", "data", look, primary=True))
        else:
            text = "its checkpoints were in its memory"
        return words.Trouble("warn", "warn", title, text), verbs

    def _attach_again(self) -> None:
        self.forget()
        self._session.attach()

    def _away(self) -> _Message:
        """A run of the window is shown, and the program waits."""
        text = "the program waits, and its run stands"
        trouble = words.Trouble("accent", "branch", "A run of this window", text)
        back = self._session.follow_program
        return trouble, [Verb("Back to the program's run", "live", back)]

    def _about_run(self) -> _Message:
        stopped = self._session.stopped
        is_stop = stopped is not None and stopped.reason in stop_words.STOPS
        if stopped is not None and is_stop and not self._session.running:
            if stopped.reason == "outside":
                return self._before_call(stopped)
            return self._about_stop(stopped)
        trouble = words.trouble(self._session)
        if trouble is None and self._session.is_away_from_program:
            return self._away()
        if trouble is None or not trouble.verb:
            return trouble, []
        show = partial(self.panel_requested.emit, trouble.panel)
        verbs = [Verb(trouble.verb, "chevr", show)]
        if self.repairs.failed[0]:
            for fix in self.repairs.offers():
                apply = partial(self.fix_requested.emit, fix)
                verbs.append(Verb(fix.text, "check", apply))
            repair = partial(self.fix_requested.emit, None)
            verbs.append(Verb("Fix and continue", "pencil", repair, primary=True))
        return trouble, verbs

    def _repairing(self, repair: Repair) -> _Message:
        node = self._document.root.workflow.node(repair.element)
        broken = node.title if node is not None else "a condition"
        checkpoint = self._session.timeline.name(repair.checkpoint)
        text = (
            f"The run can continue from {checkpoint}, the last barrier before it failed, "
            "with the document as it is then."
        )
        trouble = words.Trouble("accent", "pencil", f"Repairing {broken}", text)
        go_on = self.go_on_requested.emit
        verbs = [
            Verb("Give up", "x", self.repairs.give_up),
            Verb("New run", "play", self.run_requested.emit),
            Verb(f"Continue from {checkpoint}", "restore", go_on, primary=True),
        ]
        before = self._session.difference.before
        if before and before != repair.checkpoint:
            name = self._session.timeline.name(before)
            further_back = partial(self.change_requested.emit, "go on")
            verbs.insert(2, Verb(f"Go on from {name}", "restore", further_back))
        return trouble, verbs

    def _changed_graph(self) -> _Message:
        """The document is another than that of the run that is shown."""
        trouble = change_words.offer(self._session)
        if trouble is None:
            return _NO_MESSAGE
        before = self._session.timeline.name(self._session.difference.before)
        go_on = partial(self.change_requested.emit, "go on")
        return trouble, [
            self._details(),
            Verb("New run", "play", self.run_requested.emit),
            Verb(f"Go on from {before}", "restore", go_on, primary=True),
        ]

    def _details(self) -> Verb:
        show = partial(self.change_requested.emit, "show")
        return Verb("Details…", "eye", show, is_aside=True)

    def _comparing(self) -> _Message:
        session = self._session
        verbs = []
        if not self.is_task_shown:
            show = partial(self.panel_requested.emit, "Compare")
            verbs.append(Verb("Differences", "compare", show))
        # A checkpoint of another run is on no timeline here, so it cannot be shown.
        if not session.base_name:
            verbs.append(Verb("Swap", "swap", session.swap_base))
        stop = partial(session.compare_with, "")
        verbs.append(Verb("Stop comparing", "x", stop, primary=True))
        title = words.comparing(session)
        text = words.differences(session)
        return words.Trouble("accent", "compare", title, text), verbs

    def _editing_copy(self) -> _Message:
        """What is edited, and that nothing of the past changes."""
        session = self._session
        verbs = []
        if not self.is_task_shown:
            show = partial(self.panel_requested.emit, "Edit and fork")
            verbs.append(Verb("Changes", "pencil", show))
        verbs.append(Verb("Leave", "x", session.staged.leave, primary=True))
        text = words.editing_copy(session)
        return words.Trouble("past", "pencil", "Edit and fork", text), verbs

    def _hit_words(self) -> str:
        """Return which hit of the active question is viewed; "" if none is."""
        past = self._session.past
        if past.active is None or past.place is None:
            return ""
        count = f"hit {past.place + 1:,} of {past.active.count:,}"
        return f"{past.active.text} · {count}"

    def _past(self) -> _Message:
        session = self._session
        text = f"checkpoint {session.timeline.name(session.viewing)}"
        header = session.timeline.header(session.viewing)
        if header is not None:
            text += f", superstep {header.superstep}"
        outside = outside_words.in_the_past(session)
        text += f" · {self._hit_words() or outside or 'looking changes nothing'}"
        if session.looks_only:
            return words.Trouble("past", "eye", "Looking into a store", text), []
        verbs = [
            Verb("Restore here", "restore", self.restore_requested.emit),
            Verb("Edit and fork", "pencil", self.edit_copy_requested.emit),
        ]
        since = change_words.in_the_past(session)
        if since:
            text += f" · {since}"
            verbs.insert(0, self._details())
        if outside:
            # Not with a changed graph, which has details of its own.
            show = self.outside_requested.emit
            verbs.insert(0, Verb("Details…", "globe", show, is_aside=True))
        if not session.has_live and session.has_document:
            verbs.append(Verb("Back to editing", "pencil", session.leave))
        elif session.has_live and session.has_ended:
            back = session.back_to_live
            verbs.append(Verb("Back to the end", "flag", back, primary=True))
        elif session.has_live:
            back = session.back_to_live
            verbs.append(Verb("Back to live", "live", back, primary=True))
        return words.Trouble("past", "restore", "Viewing the past", text), verbs
