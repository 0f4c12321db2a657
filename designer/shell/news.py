"""What the banner says: what went wrong, what befell the file, that this is the past, or what the run needs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QObject, Signal

from designer.document.document import Document
from designer.session.session import DebugSession
from designer.shell.banner import Banner, Verb
from designer.shell.disk_watch import DiskWatch
from designer.shell.runs import words
from designer.shell.runs.repair import Repair, Repairs

_Told = tuple[words.Trouble | None, list[Verb]]


class News(QObject):
    """Fills the banner of a workspace, and asks the workspace for what its buttons do.

    told                 whether there is something to say
    panel_requested      the title of the panel where more stands
    file_verb_requested  "save", "reload" or "compare"
    fix_requested        the failure of the run shall be mended
    run_requested        a new run
    go_on_requested      what failed is mended, and its run shall go on
    """

    told = Signal(bool)
    panel_requested = Signal(str)
    restore_requested = Signal()
    file_verb_requested = Signal(str)
    fix_requested = Signal(object)  # a `Fix` that is done by that, or None
    run_requested = Signal()
    go_on_requested = Signal()

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
        self._remedies: tuple[Verb, ...] = ()  # what helps against it
        self.repairs = Repairs(document, session, self.tell, self._refuse_repair)
        # the other window that a person has been told of, and knows
        self._shared_with = 0
        document.journal_failed.connect(self.tell)
        watch.changed.connect(self.tell)
        session.viewed.connect(self.tell)
        session.compared.connect(self.tell)
        session.failed.connect(self.complain)

    def tell(self) -> None:
        what, verbs = self._present()
        if what is not None:
            self._banner.say(what, verbs)
        self.told.emit(what is not None)

    def _present(self) -> _Told:
        mode = self._session.mode
        if self._complaint is not None:
            return self._complaint, [
                *self._remedies,
                Verb("Dismiss", "x", self.dismiss),
            ]
        if mode == "edit" and (found := self._of_file())[0] is not None:
            return found
        if mode == "edit" and self.repairs.current is not None:
            return self._repairing(self.repairs.current)
        if self._session.base and mode != "edit":
            return self._comparing()
        found = self._past() if mode == "past" else self._of_run()
        if found[0] is None and self._document.unprotected:
            return self._unprotected()
        return found

    # --- what went wrong ---

    def complain(self, title: str, text: str, remedies: Sequence[Verb] = ()) -> None:
        """What could not be done stays until it is dismissed, or forgotten for what came after it."""
        self._complaint = words.Trouble("bad", "error", title, text)
        self._remedies = tuple(remedies)
        self.tell()

    def forget(self) -> None:
        """Another thing is done now."""
        self._complaint = None

    def dismiss(self) -> bool:
        """False when nothing went wrong."""
        there = self._complaint is not None
        if there:
            self.forget()
            self.tell()
        return there

    # --- the file ---

    def _of_file(self) -> _Told:
        """What happened to the file while it was edited here."""
        watch = self._watch
        mine = Verb("Keep mine", "check", self._keep_mine)
        if watch.news == "changed":
            verbs = [("Reload", "open", "reload"), ("Compare", "eye", "compare")]
            found = words.Trouble(
                "warn",
                "warn",
                "Changed on disk",
                "by another program since you opened or saved it",
            )
            return found, [
                *(
                    Verb(text, icon, partial(self._ask_file, ask))
                    for text, icon, ask in verbs
                ),
                mine,
            ]
        if watch.news == "removed":
            found = words.Trouble(
                "warn",
                "warn",
                "Removed from disk",
                "the file is gone; what is drawn here is not",
            )
            return found, [
                Verb("Save again", "save", partial(self._ask_file, "save")),
                mine,
            ]
        if watch.other_window and watch.other_window != self._shared_with:
            text = f"of process {watch.other_window} · you are asked before one replaces what the other saved"
            known = partial(self._know_other, watch.other_window)
            return words.Trouble("warn", "warn", "Also open in another window", text), [
                Verb("Dismiss", "x", known)
            ]
        return None, []

    def _unprotected(self) -> _Told:
        why = f"the recovery file cannot be written ({self._document.unprotected}). Save often."
        what = words.Trouble(
            "warn", "warn", "Changes are not protected against a crash:", why
        )
        return what, [Verb("Save", "save", partial(self._ask_file, "save"))]

    def _ask_file(self, verb: str) -> None:
        self.file_verb_requested.emit(verb)
        self._watch.look()

    def _keep_mine(self) -> None:
        self._document.keep_mine()
        self._watch.look()

    def _know_other(self, process: int) -> None:
        self._shared_with = process
        self.tell()

    # --- the run ---

    def _of_run(self) -> _Told:
        what = words.trouble(self._session)
        if what is None or not what.verb:
            return what, []
        verbs = [
            Verb(what.verb, "chevr", partial(self.panel_requested.emit, what.panel))
        ]
        if self.repairs.failed[0]:
            offers = [
                Verb(fix.text, "check", partial(self.fix_requested.emit, fix))
                for fix in self.repairs.offers()
            ]
            verbs += [
                *offers,
                Verb(
                    "Fix and go on",
                    "pencil",
                    partial(self.fix_requested.emit, None),
                    primary=True,
                ),
            ]
        return what, verbs

    def _repairing(self, repair: Repair) -> _Told:
        node = self._document.root.workflow.node(repair.element)
        name = self._session.timeline.name(repair.checkpoint)
        what = words.Trouble(
            "accent",
            "pencil",
            f"Mending {node.title if node is not None else 'a condition'}",
            f"The run can go on from {name}, the last barrier before it failed, with other parameters and code.",
        )
        verbs = [
            Verb("Give up", "x", self.repairs.give_up),
            Verb("New run", "play", self.run_requested.emit),
            Verb(
                f"Go on from {name}", "restore", self.go_on_requested.emit, primary=True
            ),
        ]
        return what, verbs

    def _refuse_repair(self, title: str, text: str) -> None:
        self.complain(
            title,
            text,
            [Verb("New run", "play", self.run_requested.emit, primary=True)],
        )

    def _comparing(self) -> _Told:
        session = self._session
        verbs = [Verb("End", "x", partial(session.compare_with, ""), primary=True)]
        # one of another run is on no timeline here, to be looked at
        if not session.base_name:
            verbs.insert(0, Verb("Swap", "restore", session.swap_base))
        return words.Trouble(
            "accent", "snap", words.comparing(session), words.differences(session)
        ), verbs

    def _past(self) -> _Told:
        session = self._session
        header = session.timeline.header(session.viewing)
        at = f", superstep {header.superstep}" if header is not None else ""
        text = f"checkpoint {session.timeline.name(session.viewing)}{at} · looking changes nothing"
        verbs = [Verb("Restore here", "restore", self.restore_requested.emit)]
        if session.looks_only:
            return words.Trouble("past", "eye", "Looking into a store", text), []
        if session.has_live:
            if session.has_ended:
                back = ("Back to the end", "flag")
            else:
                back = ("Back to live", "live")
            verbs.append(Verb(*back, session.back_to_live, primary=True))
        else:
            verbs.append(Verb("Back to editing", "pencil", session.leave))
        return words.Trouble("past", "restore", "Viewing the past", text), verbs
