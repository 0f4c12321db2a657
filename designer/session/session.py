"""The commands of a debugger for one run, and what happens when the run's process ends."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypedDict, TypeVar

from pydantic import BaseModel
from PySide6.QtCore import QObject, QTimer, Signal

from designer.session.breakpoints import HostBreakpoints
from designer.session.client import (
    CANCELLED,
    DROPPED,
    HOST_CLOSED,
    Client,
    Done,
    refusal,
)
from designer.session.comeback import Comeback
from designer.session.comparison import Comparison, other_run_name
from designer.session.graph_difference import GraphDifference
from designer.session.growth import Growth
from designer.session.line_link import Link
from designer.session.link import ProcessLink
from designer.session.mirror import Mirror, Mode
from designer.session.opener import (
    NOT_ATTACHED_NOW,
    NOT_TRUSTED,
    Opener,
    Source,
    store_exists,
    store_is_sealed,
)
from designer.session.origin import Answered, OriginTrail
from designer.session.past_counts import PastCounts
from designer.session.past_search import PastSearch
from designer.session.phase import RunEvent, RunPhase, RunState
from designer.session.timeline_model import TimelineModel
from runtime.debug import protocol
from runtime.debug.protocol import (
    Breakpoint,
    BreakpointStatus,
    DiffBody,
    DivergenceBody,
    Header,
    InsideMoment,
    InsideSuperstep,
    Moment,
    ProgressBody,
    Reply,
    RunInfo,
    RunsBody,
    StoppedBody,
)
from runtime.document.definition import NodeInfo
from runtime.document.problem import Problem

Body = TypeVar("Body", bound=BaseModel)
STOP_PATIENCE = 600  # ms that a run has to stop by itself
CLOSE_PATIENCE = 300
NO_HISTORY = "The runs of this document cannot be listed"
NOT_COMPARED = "These two cannot be compared"
NO_OTHER_STORE = "This store cannot be compared with"
NO_STORE = "The store cannot be opened"
SEALED = "The store can only be read, so it cannot keep tags and notes."
LOG_POINT = "log point"  # the kind of an event
NO_BREAKPOINTS = "The run does not take the breakpoints"
CANNOT_MIGRATE = "MigrationRefusedError"
# `error_type` of failures that the user knows already
KNOWN_FAILURES = (
    HOST_CLOSED,
    NOT_TRUSTED,
    CANCELLED,
    DROPPED,
    NOT_ATTACHED_NOW,
    CANNOT_MIGRATE,
)


class DebugSession(QObject):
    """One run, and everything that can be done with it.

    source   returns the present document, for a fresh run and a restore; None where `open`
             gave the document
    trust    asks the user before code of a folder runs for the first time
    folder   returns the folder of the present document, which may have own node types

    `done` gets the host's reply to a command. A command that fails emits `failed` too,
    so a caller may leave `done` out.
    """

    failed = Signal(str, str)  # title, text: for a message to the user
    catalogue_ready = Signal()  # infos

    def __init__(self, link: Link | None = None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.folder: Callable[[], str] = lambda: ""
        self.infos: dict[str, NodeInfo] = {}  # the node types, by type
        # Whether the host owes an answer for so long that the user may want to cancel.
        self.waits_long = False
        self._link = link if link is not None else ProcessLink()
        self._run = RunState()
        self._client = Client(self._link, self)
        self._client.closed.connect(self._on_closed)
        self._client.waits_long.connect(self._on_waits_long)
        self._opener = Opener(self._client, self)
        self._opener.opened.connect(self._on_opened)
        self._opener.attached.connect(self._on_attached)
        self._mirror = Mirror(self._client, self._opener, self._run, self)
        self._mirror.stopped_at.connect(self._on_stopped_at)
        viewer = self._mirror.viewer
        viewer.failed.connect(self._complain("This checkpoint cannot be shown"))
        self._history = self._mirror.history
        self._history.failed.connect(self._complain(NO_HISTORY))
        self._history.loaded.connect(self._view_newest)
        self.growth = Growth(
            self._client,
            self._opener,
            self._run,
            self._history,
            self._mirror.timeline,
            self,
        )
        self._comparison = Comparison(
            self._mirror, self._ask_comparison, self._drop_question, self
        )
        self.origin = OriginTrail(self._ask_origin, self)
        # Because it would hide what the run needs from the user.
        self._mirror.resumed.connect(self.origin.forget)
        self.difference = GraphDifference(
            self._mirror, self._opener, self._run, self._ask_graph_changes, self
        )
        self._comeback = Comeback(self._client, self._opener, self)
        self._breakpoints = HostBreakpoints(self._client, self._opener, self)
        self._breakpoints.refused.connect(partial(self.failed.emit, NO_BREAKPOINTS))
        self.past = PastSearch(
            self.timeline, self._ask_past, self._shown_id, self.view_in_run, self
        )
        self.counts = PastCounts(self.timeline, self._ask_past, self)
        self._client.notice.connect(self.past.on_notice)
        self._opener.store_opened.connect(self.past.ask_again)
        # What the user asked for while the run moved, for when it stands.
        self._after_stop: Callable[[], None] | None = None
        self._catalogue_folder: str | None = None  # the folder of the last request
        self._stop_timer = QTimer(self, interval=STOP_PATIENCE, singleShot=True)
        self._stop_timer.timeout.connect(self._on_stop_timeout)
        # The parts' signals are the session's.
        self.changed = self._mirror.changed
        self.viewed = self._mirror.viewed
        self.progressed = self._mirror.progressed
        self.stopped_at = self._mirror.stopped_at
        self.console = self._mirror.console
        self.events = self._mirror.events
        self.compared = self._comparison.changed
        self.breakpoints_changed = self._breakpoints.changed
        self.logged = self._breakpoints.logged
        self.logged.connect(self._on_logged)
        self._client.console.connect(self.console)

    # --- what window and panels read; `Mirror` and `Comparison` explain it ---

    @property
    def phase(self) -> RunPhase:
        return self._run.phase

    @property
    def running(self) -> bool:
        """Whether the host runs supersteps."""
        return self._run.is_running

    @property
    def starting(self) -> bool:
        """Whether a fresh run was requested and does not move yet, because its process
        starts or imports the code of the folder.
        """
        return self._run.is_requested and self.mode == "edit"

    @property
    def has_live(self) -> bool:
        """Whether there is a run to go back to."""
        return self.run_id is not None

    @property
    def has_ended(self) -> bool:
        return self._mirror.has_ended

    @property
    def run_id(self) -> str | None:
        return self._mirror.run_id

    @property
    def head(self) -> Header | None:
        return self._mirror.head

    @property
    def stopped(self) -> StoppedBody | None:
        return self._mirror.stopped

    @property
    def progress(self) -> ProgressBody | None:
        return self._mirror.progress

    @property
    def mode(self) -> Mode:
        return self._mirror.mode

    @property
    def viewing(self) -> str | None:
        return self._mirror.viewing

    @property
    def looked_at(self) -> str | None:
        return self._mirror.looked_at

    @property
    def moment(self) -> Moment | None:
        return self._mirror.moment

    @property
    def seen(self) -> Moment | None:
        return self._mirror.seen

    @property
    def seen_progress(self) -> ProgressBody | None:
        return self._mirror.seen_progress

    @property
    def way(self) -> tuple[str, ...]:
        return self._mirror.way

    @property
    def inside(self) -> InsideMoment | None:
        return self._mirror.inside

    @property
    def chosen_run(self) -> str:
        return self._mirror.chosen_run

    @property
    def breakpoint_statuses(self) -> Mapping[str, BreakpointStatus]:
        """What the host says of each breakpoint, by its id."""
        return self._breakpoints.statuses

    @property
    def hit_breakpoint(self) -> str:
        """The id of the breakpoint at which the run that is shown stands; else ""."""
        stopped = self.stopped
        if self.mode != "live" or self.running or stopped is None:
            return ""
        return stopped.breakpoint.id if stopped.breakpoint is not None else ""

    @property
    def stands_inside(self) -> bool:
        """Whether the live run stands inside a superstep."""
        stopped = self.stopped
        is_inside = stopped is not None and stopped.delivery is not None
        return self._run.is_standing and self.has_live and is_inside

    @property
    def standing(self) -> InsideSuperstep | None:
        """The superstep in which the run that is shown stands; None at a barrier."""
        if self.mode != "live" or self.running or self.moment is None:
            return None
        return self.moment.standing

    @property
    def held(self) -> frozenset[tuple[tuple[str, ...], str]]:
        """The held executors, each with the way to it."""
        return self._breakpoints.held

    @property
    def timeline(self) -> TimelineModel:
        return self._mirror.timeline

    @property
    def timeline_run(self) -> str:
        return self._mirror.timeline_run

    @property
    def runs(self) -> tuple[RunInfo, ...]:
        return self._mirror.runs

    @property
    def base(self) -> str:
        return self._comparison.base

    @property
    def base_name(self) -> str:
        return self._comparison.base_name

    @property
    def comparison(self) -> DiffBody | None:
        return self._comparison.diff

    @property
    def other_store(self) -> str:
        """The store whose runs were compared last; "" for none but this one."""
        return self._comparison.other_store

    @property
    def other_runs(self) -> tuple[RunInfo, ...]:
        """The runs of that store, the most recently written first."""
        return self._comparison.other_runs

    @property
    def is_compared(self) -> bool:
        """Whether `comparison` is about what is shown now."""
        return self._comparison.is_current

    @property
    def comparison_failed(self) -> bool:
        """Whether the two cannot be compared; a message has said why."""
        return self._comparison.has_failed

    @property
    def base_run(self) -> str:
        """The invocation of a sub-workflow that is compared with; "" for the same one
        as is shown.
        """
        return self._comparison.base_run

    @property
    def divergence(self) -> DivergenceBody | None:
        return self._comparison.divergence

    @property
    def shows_first(self) -> bool:
        """Whether the user wants to know where the two sides of a comparison part."""
        return self._comparison.is_first

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What the host found when it built the document."""
        return self._opener.problems

    @property
    def looks_only(self) -> bool:
        """Whether there is only a store to look into, and no document."""
        return self._opener.looks_only

    @property
    def is_attached(self) -> bool:
        """Whether there is a program's workflow to debug, and no document."""
        return self._opener.is_attached

    @property
    def has_document(self) -> bool:
        return not self.looks_only and not self.is_attached

    @property
    def program(self) -> protocol.AttachBody | None:
        """The program that is attached, as it described itself last."""
        return self._opener.program

    @property
    def is_connected(self) -> bool:
        """Whether the host or the program is there."""
        return self._client.is_open

    @property
    def is_away_from_program(self) -> bool:
        """Whether a call of the program waits while a run of the window is moved."""
        program = self._opener.program
        return program is not None and program.is_called and not program.is_followed

    @property
    def has_left(self) -> bool:
        """Whether the program has ended, or was detached."""
        return self._opener.is_left

    @property
    def owns_process(self) -> bool:
        """Whether the run is in a process of the window's own."""
        return self._link.owns_process

    @property
    def read_only(self) -> bool:
        """Whether the store is opened for reading only, on request or of necessity."""
        return self._opener.read_only or store_is_sealed(self._opener.store)

    @property
    def store_kind(self) -> str:
        """The scheme of the URL of the store that keeps the runs."""
        return self._opener.store.partition(":")[0]

    @property
    def source(self) -> Callable[[], Source] | None:
        return self._opener.ask

    @source.setter
    def source(self, ask: Callable[[], Source] | None) -> None:
        self._opener.ask = ask

    @property
    def trust(self) -> Callable[[str], bool]:
        return self._opener.trust

    @trust.setter
    def trust(self, ask: Callable[[str], bool]) -> None:
        self._opener.trust = ask

    # --- opening ---

    def open(
        self,
        document: Mapping[str, Any],
        folder: str,
        store: str,
        done: Done | None = None,
    ) -> None:
        """Forget the run, and let the host build another document if its folder is
        trusted. Runs nothing.
        """
        self._opener.given = Source(document, folder, store)
        self.forget()
        opened = Reply(request_seq=0, command="open", success=True)
        self._opener.for_running(
            partial(_reply_to, done, opened), partial(self._on_refused, done)
        )

    def forget(self) -> None:
        """Show nothing of the run any more, because the document was replaced."""
        was_running = self.running
        self._run.take(RunEvent.FORGET)
        if was_running:
            self._client.kill()
        self._stop_timer.stop()
        self._after_stop = None
        self._opener.lost()
        self._mirror.forget()
        self._comparison.forget()
        self.origin.forget()
        self.past.forget()
        self.difference.forget()
        self.changed.emit()
        self.viewed.emit()

    def load_history(self, store: str, workflow: str) -> None:
        """Show the timeline of a workflow's newest run in a store, if there is one.
        Builds and runs nothing.
        """
        if store_exists(store):
            load = partial(self._history.load_newest, workflow)
            self._opener.for_looking(load, self._complain(NO_HISTORY), store)

    def look_into(self, store: str, *, read_only: bool) -> None:
        """Look into a store without a document, at its newest run. Nothing can be run."""
        self._opener.looks_only = True
        self._opener.read_only = read_only
        if store_exists(store):
            complain = self._complain(NO_STORE)
            self._opener.for_looking(self._history.load_all, complain, store)
        else:
            self.failed.emit(NO_STORE, f"There is nothing at {store}.")

    def attach(self, done: Done | None = None) -> None:
        """Debug the workflow of the program to which the link leads. Nothing changes
        there.
        """
        self._opener.is_attached = True
        self._opener.is_left = False
        attached = Reply(request_seq=0, command="attach", success=True)
        self._opener.for_looking(
            partial(_reply_to, done, attached), partial(self._on_refused, done)
        )

    def detach(self) -> None:
        """Leave the program, which goes on by itself."""
        if self.is_attached and self._client.is_open:
            self._client.request("shutdown")
            self._client.kill(CLOSE_PATIENCE)

    def follow_program(self) -> None:
        """Leave a run of the window, and stand with the run of the program."""
        if self._run.is_standing:
            self._run.take(RunEvent.REQUEST)
            self._opener.for_running(
                partial(self._put, "follow", None, None),
                partial(self._on_refused, None),
            )

    def _on_attached(self) -> None:
        if self.owns_process:
            # A process that was started again has no run.
            self._mirror.host_has_no_run()
        if self.run_id is not None:
            self._history.load_runs()
            self._history.load(self.run_id)
            self._mirror.show_live()
        else:
            self._history.load_all()
            self._mirror.show_live()
        self.changed.emit()

    def list_runs(self) -> None:
        """List the runs again; `changed` follows."""
        self._opener.for_looking(self._history.load_runs, self._complain(NO_HISTORY))

    def delete_runs(self, run_ids: Sequence[str]) -> None:
        """Remove runs from the store for ever. If the timeline shows one of them, it
        shows the newest of the others instead.
        """
        is_shown = self.timeline.run_id in run_ids
        done = self._show_newest_run if is_shown else self.changed.emit
        delete = partial(self._history.delete, run_ids, done)
        self._opener.for_looking(delete, self._complain("The runs cannot be deleted"))

    def _show_newest_run(self) -> None:
        self._mirror.leave()
        self._mirror.viewer.forget()
        if self.runs:
            self.select_run(self.runs[0].run_id)
        else:
            self._history.clear()
            self.changed.emit()

    def select_run(self, run_id: str) -> None:
        """Look at the newest checkpoint of a run of the store; at the live run, live."""
        if run_id == self.run_id:
            self.back_to_live()
            return
        load = partial(self._history.load, run_id, self._view_newest)
        self._opener.for_looking(load, self._complain(NO_HISTORY))

    def load_catalogue(self, *, again: bool = False) -> None:
        """Request the node types, once for a folder, or `again` after packages or files
        have changed; `catalogue_ready` follows. The host reads the code of the folder
        for it and does not run it.
        """
        folder = self.folder()
        if again or folder != self._catalogue_folder:
            self._catalogue_folder = folder
            arguments = protocol.CatalogueArguments(folder=folder)
            self._client.request("catalogue", arguments, self._on_catalogue)

    def _on_catalogue(self, reply: Reply) -> None:
        if not reply.success:
            self._catalogue_folder = None
            self._complain("The node types cannot be listed")(reply)
            return
        catalogue = protocol.CatalogueBody.model_validate(reply.body)
        self.infos = {info.type: info for info in catalogue.nodes}
        for warning in catalogue.warnings:
            self.console.emit("stderr", warning)
        self.catalogue_ready.emit()

    # --- moving the run ---

    def run(
        self,
        input: Any = None,
        *,
        stop_on_entry: bool = False,
        done: Done | None = None,
    ) -> None:
        """Start a fresh run of the present document; with `stop_on_entry` it stands at
        its input.
        """
        if not self._run.is_standing:
            return
        self._run.take(RunEvent.REQUEST)
        arguments = protocol.StartArguments(input=input, stop_on_entry=stop_on_entry)
        start = partial(self._put, "start", arguments, done)
        self._opener.for_running(start, partial(self._on_refused, done))
        self.changed.emit()

    def step(self, count: int = 1, done: Done | None = None) -> None:
        """Run supersteps of the live run. When editing, start a fresh run that stands
        at its input. In the past, look at the next checkpoint of the branch.
        """
        if self.mode == "edit":
            self.run(stop_on_entry=True, done=done)
        elif self.viewing is not None:
            row = self.timeline.row_of(self.viewing)
            self._view_row(self.timeline.next_row(row))
        else:
            self._move("step", protocol.StepArguments(count=count), done)

    def continue_(self, done: Done | None = None) -> None:
        """Continue the live run; when editing, start a fresh one."""
        if self.mode == "edit":
            self.run(done=done)
        else:
            self._mirror.look_live()
            self._move("continue", None, done)

    def deliver(self, done: Done | None = None) -> None:
        """Run the next delivery of the live run, and stand after it. When editing,
        start a fresh run that stands at its input.
        """
        if self.mode == "edit":
            self.run(stop_on_entry=True, done=done)
        elif self.viewing is None:
            self._move("step", protocol.StepArguments(unit="delivery"), done)

    def step_out(self, done: Done | None = None) -> None:
        """Run until the sub-workflow of the present delivery has ended or rests."""
        if self.mode == "live":
            self._move("step", protocol.StepArguments(unit="out"), done)

    def run_to(self, place: protocol.RunToArguments, done: Done | None = None) -> None:
        """Run the live run until it reaches a place. When editing, start a fresh run
        for it.
        """
        if self.mode == "live":
            self._move("run_to", place, done)
        elif self.mode == "edit":
            # From its input, because there is nothing to move before the run stands.
            self.run(stop_on_entry=True, done=partial(self._on_entry, place, done))

    def _on_entry(
        self, place: protocol.RunToArguments, done: Done | None, reply: Reply
    ) -> None:
        if not reply.success:
            _reply_to(done, reply)
            return
        run_id = protocol.StartBody.model_validate(reply.body).run_id
        if self.stopped is not None and self.stopped.run_id == run_id:
            self.run_to(place, done)
        else:
            self._after_stop = partial(self.run_to, place, done)

    def continue_past_breakpoints(self, done: Done | None = None) -> None:
        """Continue the live run, or start a fresh one, and stop at no breakpoint until
        it stands again.
        """
        if self._run.is_standing:
            self._breakpoints.suspend(on=True)
            self.continue_(done)

    def use_breakpoints(self, points: Sequence[Breakpoint], *, muted: bool) -> None:
        """Stop at these from now on, also in a superstep that runs."""
        self._breakpoints.use(points, muted=muted)

    def hold(self, executor: str, inside: Sequence[str], *, held: bool) -> None:
        """Keep an executor from its next handler call, or let it go on."""
        arguments = protocol.HoldArguments(
            executor=executor, inside=tuple(inside), held=held
        )
        complain = self._complain("The executor cannot be held")
        self._breakpoints.hold(arguments, complain)

    def pause(self) -> None:
        """Stand at the next barrier."""
        if self.running:
            complain = self._complain("The run cannot be paused")
            self._client.request("pause", None, complain)

    def stop(self) -> None:
        """Cancel the superstep that runs, or in which the run stands. A host that does
        not stop in time is killed, which loses nothing that was saved.
        """
        if self.stands_inside:
            self._run.take(RunEvent.REQUEST)
        if self._run.phase in (RunPhase.REQUESTED, RunPhase.RUNNING):
            self._run.take(RunEvent.STOP)
            self._stop_timer.start()
            complain = self._complain("The run cannot be stopped")
            self._client.request("stop", None, complain)

    def cancel_wait(self) -> None:
        """Stop waiting for what the host has not answered. A run that moves goes on.
        The process ends if nothing moves, because it may never answer: the next command
        starts another.
        """
        if self._run.is_requested:
            self.stop()
        elif self._run.is_running:
            self._client.cancel()
        elif self._client.is_open and self.owns_process:
            self._client.kill()
        else:
            self._client.cancel()

    def restore(
        self,
        checkpoint_id: str,
        branch: str = "",
        done: Done | None = None,
        *,
        migrate: bool = False,
        mapping: Mapping[str, Any] | None = None,
    ) -> None:
        """Re-execute from a checkpoint: stand there, live, on a new branch. A run that
        moves is stopped first.

        With `migrate`, also a checkpoint of another graph, if the present document can
        take what the run holds; `mapping` says what became of executors and joins. A
        refusal of that has the `error_type` `CANNOT_MIGRATE`, and only `done` hears of
        it.
        """
        if self.running:
            self._after_stop = partial(
                self.restore,
                checkpoint_id,
                branch,
                done,
                migrate=migrate,
                mapping=mapping,
            )
            self.stop()
            return
        if not self._run.is_standing:
            return
        self._run.take(RunEvent.REQUEST)
        arguments = protocol.RestoreArguments(
            checkpoint_id=checkpoint_id,
            branch=branch,
            on_change="migrate" if migrate else "refuse",
            mapping=dict(mapping) if mapping is not None else None,
        )
        restored = partial(self._on_restored, done)
        restore = partial(self._put, "restore", arguments, restored)
        self._opener.for_running(restore, partial(self._on_refused, done))

    def answer(self, answers: Mapping[str, Any], done: Done | None = None) -> None:
        """Answer open requests of the live run, by id. A run that waited for the answer
        (nothing is queued) then continues; one that the user holds in the middle
        stands.
        """
        if self.viewing is not None:
            text = "You are viewing the past. Restore this checkpoint first, then answer on the new branch."
            refused = refusal("answer", text)
            self._complain(_TITLES["answer"])(refused)
            _reply_to(done, refused)
            return
        if self.difference.changes and self.head is not None:
            # The run asked with the graph of before, and goes on with the present one.
            then = partial(self._answer_changed, answers, done)
            self.restore(self.head.id, done=then, migrate=True)
            return
        waited = self.head is not None and self.head.queued == 0
        answered = partial(self._on_answered, done) if waited else done
        self._move("answer", protocol.AnswerArguments(answers=dict(answers)), answered)

    def _answer_changed(
        self, answers: Mapping[str, Any], done: Done | None, reply: Reply
    ) -> None:
        """Answer after the present document has taken the run over."""
        if reply.success:
            self.answer(answers, done)
            return
        if reply.error_type == CANNOT_MIGRATE:
            self.failed.emit(_TITLES["answer"], reply.message)
        _reply_to(done, reply)

    # --- looking ---

    def view(self, checkpoint_id: str) -> None:
        """Look at a checkpoint; changes nothing. The head of the run is live, not past."""
        if self._mirror.is_live_head(checkpoint_id):
            self.back_to_live()
        else:
            self._mirror.look_at(checkpoint_id)

    def view_in_run(self, run_id: str, checkpoint_id: str) -> None:
        """Look at a checkpoint of a run, which may be another one than the timeline's."""
        if run_id == self.timeline.run_id:
            self.view(checkpoint_id)
            return
        load = partial(self._history.load, run_id, partial(self.view, checkpoint_id))
        self._opener.for_looking(load, self._complain(NO_HISTORY))

    def search_past(self, question: str, *, every_run: bool = False) -> None:
        """Ask the recorded past, and let the window show the search."""
        self.past.ask(question, every_run=every_run)
        self.past.requested.emit()

    def search_breakpoint(self, point: Breakpoint, text: str) -> None:
        """Apply a breakpoint, with its log text, to the past; `text` names it."""
        self.past.ask_breakpoint(point, text)
        self.past.requested.emit()

    def step_back(self) -> None:
        """Look at the checkpoint before the one that is shown."""
        checkpoint_id = self.viewing
        if checkpoint_id is None and self.head is not None and self.mode == "live":
            checkpoint_id = self.head.id
        row = self.timeline.row_of(checkpoint_id)
        self._view_row(self.timeline.parent_row(row))

    def checkpoint_in(self, superstep: int) -> str | None:
        """Return the checkpoint that a superstep led to, on the way to what is shown;
        None if the timeline does not have it.
        """
        shown = self.viewing
        if shown is None and self.head is not None:
            shown = self.head.id
        row = self.timeline.row_in_superstep(self.timeline.row_of(shown), superstep)
        return self.timeline.header_at(row).id if row is not None else None

    def back_to_live(self) -> None:
        """Look at the live run again, or at the drawing when there is none."""
        if self.run_id is None:
            self.leave()
            return
        self._mirror.look_live()
        if self.timeline.run_id != self.run_id:
            load = partial(self._history.load, self.run_id)
            self._opener.for_looking(load, self._complain(NO_HISTORY))
        self._mirror.show_live()

    def watch_growth(self, watcher: str, *, is_watching: bool) -> None:
        """A view begins or ends to watch whether another process lets the run grow."""
        self.growth.watch(watcher, is_watching=is_watching)

    def leave(self) -> None:
        """Go back to editing. The run stays where it is. A session that looks into a
        store has nothing to edit, and stays.
        """
        if self.has_document:
            self.origin.forget()
            self._mirror.leave()

    def look_inside(
        self, way: Sequence[str], run: str = "", *, keys: Sequence[str] = ()
    ) -> None:
        """Look into a sub-workflow; see `Mirror.look_inside`."""
        self._mirror.look_inside(way, run, keys=keys)

    def compare_with(self, checkpoint_id: str, name: str = "", store: str = "") -> None:
        """Compare what is shown with a checkpoint from now on; with "" stop comparing.
        A checkpoint of another run needs a name, and one of another store its URL.
        """
        self._comparison.compare_with(checkpoint_id, name, store)

    def compare_with_store(self, store: str) -> None:
        """Compare what is shown with the newest run of another store: of the same
        workflow, if there is one. The store is only read.
        """

        def on_runs(body: RunsBody | None) -> None:
            if body is not None:
                self._comparison.other_store = store
                self._comparison.other_runs = body.runs
                self._compare_with_newest(store, body.runs)

        arguments = protocol.RunsArguments(store=store)
        complain = self._complain(NO_OTHER_STORE)
        self._ask("runs", arguments, RunsBody, on_runs, complain)

    def _compare_with_newest(self, store: str, runs: Sequence[RunInfo]) -> None:
        workflow = self.head.workflow if self.head is not None else ""
        header = self.timeline.header(self.viewing)
        if header is not None:
            workflow = header.workflow
        same = [run for run in runs if run.workflow == workflow]
        for run in [*same, *runs][:1]:
            name = other_run_name(store, runs, run)
            self.compare_with(run.latest.id, name, store)
        if not runs:
            self.failed.emit(NO_OTHER_STORE, "There is no run in it.")

    def compare_pair(self, base: str, checkpoint_id: str) -> None:
        """Look at a checkpoint of this run, compared with another one of it, or of the
        run that it is compared with now.
        """
        self._comparison.rebase(base)
        self.view(checkpoint_id)
        self.changed.emit()
        self._comparison.refresh()

    def choose_base_run(self, key: str) -> None:
        """Compare with another invocation of the sub-workflow that is shown."""
        self._comparison.choose_base_run(key)

    def show_first_difference(self, is_first: bool) -> None:
        """Tell whether the user wants to know where the two sides part."""
        self._comparison.show_first(is_first)

    def watch_comparison(self, is_watched: bool) -> None:
        """Tell whether the comparison is on screen; else nothing is compared."""
        self._comparison.watch(is_watched)

    def swap_base(self) -> None:
        """Look at the base of the comparison, and compare with what was shown."""
        shown = self.viewing or (self.head.id if self.head is not None else "")
        base = self.base
        if base and shown:
            self._comparison.rebase(shown)
            self.view(base)
            self.changed.emit()
            self._comparison.refresh()

    def is_running(self, node: str) -> bool:
        """Whether a node of the level that is shown runs at present."""
        progress = self.seen_progress
        return self.running and progress is not None and node in progress.running

    def cancel_node(self, node: str) -> None:
        """Cancel the running call of a node: it fails, and the others go on. Its
        attempts and its error edges decide what follows.
        """
        if self.running:
            arguments = protocol.CancelArguments(
                executor=node, inside=self.way, runs=self._mirror.runs_inside
            )
            complain = self._complain("The node cannot be cancelled")
            self._client.request("cancel", arguments, complain)

    @property
    def why_not_annotate(self) -> str:
        """Why tags and notes cannot be kept; "" if they can."""
        return SEALED if self.read_only else ""

    def annotate(
        self,
        checkpoint_id: str,
        *,
        tags: Sequence[str] | None = None,
        note: str | None = None,
    ) -> None:
        """Set the tags or the note of a checkpoint; the timeline shows them when they
        are stored.
        """
        arguments = protocol.AnnotateArguments(
            checkpoint_id=checkpoint_id,
            tags=tuple(tags) if tags is not None else None,
            note=note,
        )
        done = self._on_annotated
        annotate = partial(self._client.request, "annotate", arguments, done)
        self._opener.for_looking(annotate, done)

    def _on_annotated(self, reply: Reply) -> None:
        if reply.success:
            self._mirror.replace(protocol.HeaderBody.model_validate(reply.body).header)
        else:
            self._complain("The note could not be stored")(reply)

    # --- questions about what is shown; `done` gets None where there is no answer ---

    def outputs(
        self, checkpoint_id: str, done: Callable[[protocol.OutputsBody | None], None]
    ) -> None:
        """Request all outputs on the way to a checkpoint."""
        arguments = protocol.OutputsArguments(checkpoint_id=checkpoint_id)
        complain = self._complain("The outputs of the run cannot be shown")
        self._ask("outputs", arguments, protocol.OutputsBody, done, complain)

    def expand(
        self,
        section: str,
        path: Sequence[int],
        offset: int,
        done: Callable[[protocol.ExpandBody | None], None],
        *,
        checkpoint_id: str | None = None,
        outermost: bool = False,
    ) -> None:
        """Request more children of a large value of the moment that is shown, or of a
        checkpoint by its id. With `outermost` it is a value of the workflow as a whole,
        whichever level is shown.
        """
        arguments = protocol.ExpandArguments(
            checkpoint_id=checkpoint_id or self.looked_at,
            section=section,
            path=tuple(path),
            offset=offset,
            inside=() if outermost else self.way,
            runs=() if outermost else self._mirror.runs_inside,
        )
        complain = self._complain("This value cannot be shown")
        self._ask("expand", arguments, protocol.ExpandBody, done, complain)

    def expand_at(
        self,
        step: protocol.OriginStep,
        path: Sequence[int],
        offset: int,
        done: Callable[[protocol.ExpandBody | None], None],
    ) -> None:
        """Request more children of the value of a step of `origin`."""
        arguments = protocol.ExpandArguments(
            checkpoint_id=step.item.checkpoint_id,
            section=step.item.section,
            path=tuple(path),
            offset=offset,
            inside=tuple(run.rpartition("#")[0] for run in step.item_runs),
            runs=step.item_runs,
        )
        complain = self._complain("This value cannot be shown")
        self._ask("expand", arguments, protocol.ExpandBody, done, complain)

    def node(self, node: str, done: Callable[[protocol.NodeBody | None], None]) -> None:
        """Request what a node received and did in the superstep that is shown, and over
        the run.
        """
        arguments = protocol.NodeArguments(node=node, **self._shown_place())
        self._ask("node", arguments, protocol.NodeBody, done)

    def edge(self, edge: str, done: Callable[[protocol.EdgeBody | None], None]) -> None:
        """Request what went along an edge group, as `node`."""
        arguments = protocol.EdgeArguments(edge=edge, **self._shown_place())
        self._ask("edge", arguments, protocol.EdgeBody, done)

    def superstep(self, done: Callable[[protocol.SuperstepBody | None], None]) -> None:
        """Request the superstep that is shown as a whole, and the next one."""
        arguments = protocol.SuperstepArguments(**self._shown_place())
        self._ask("superstep", arguments, protocol.SuperstepBody, done)

    def explain(
        self,
        address: str,
        name: str,
        *,
        path: Sequence[int] = (),
        checkpoint_id: str | None = None,
        outermost: bool = False,
    ) -> None:
        """Request where a value of the moment that is shown comes from, or of a
        checkpoint by its id; `origin` gets the answer. With `outermost` it is a value
        of the workflow as a whole, whichever level is shown.
        """
        arguments = protocol.ProvenanceArguments(
            checkpoint_id=checkpoint_id or self.looked_at,
            address=address,
            path=tuple(path),
            inside=() if outermost else self.way,
            runs=() if outermost else self._mirror.runs_inside,
        )
        self.origin.explain(arguments, name)

    def _ask_origin(
        self, arguments: protocol.ProvenanceArguments, answered: Answered
    ) -> None:
        def on_reply(reply: Reply) -> None:
            body = None
            if reply.success:
                body = protocol.ProvenanceBody.model_validate(reply.body)
            answered(body, "" if reply.success else reply.message)

        ask = partial(self._client.request, "provenance", arguments, on_reply)
        self._opener.for_looking(ask, on_reply)

    def node_at(
        self,
        checkpoint_id: str,
        node: str,
        inside: Sequence[str],
        runs: Sequence[str],
        done: Callable[[protocol.NodeBody | None], None],
    ) -> None:
        """Request what a node did in the superstep that led to a checkpoint, at any
        place in the sub-workflows.
        """
        arguments = protocol.NodeArguments(
            checkpoint_id=checkpoint_id,
            node=node,
            inside=tuple(inside),
            runs=tuple(runs),
        )
        self._ask("node", arguments, protocol.NodeBody, done)

    def board(
        self,
        checkpoints: Sequence[str],
        done: Callable[[protocol.BoardBody | None], None],
    ) -> None:
        """Request the columns of the board that end at some checkpoints."""
        arguments = protocol.BoardArguments(checkpoints=tuple(checkpoints))
        self._ask("board", arguments, protocol.BoardBody, done)

    def export(
        self,
        checkpoints: Sequence[str],
        done: Callable[[protocol.ExportBody | None], None],
    ) -> None:
        """Request some checkpoints as lines of JSON."""
        arguments = protocol.ExportArguments(checkpoints=tuple(checkpoints))
        complain = self._complain("The checkpoints cannot be exported")
        self._ask("export", arguments, protocol.ExportBody, done, complain)

    def part_sizes(
        self,
        checkpoints: Sequence[str],
        done: Callable[[protocol.SizesBody | None], None],
    ) -> None:
        """Request how many bytes each part of some checkpoints has."""
        arguments = protocol.SizesArguments(checkpoints=tuple(checkpoints))
        self._ask("sizes", arguments, protocol.SizesBody, done)

    def board_times(
        self,
        checkpoint_id: str,
        done: Callable[[protocol.BoardTimesBody | None], None],
    ) -> None:
        """Request where the time went on the way to a checkpoint."""
        arguments = protocol.BoardTimesArguments(checkpoint_id=checkpoint_id)
        self._ask("board_times", arguments, protocol.BoardTimesBody, done)

    def log(
        self,
        checkpoints: Sequence[str],
        done: Callable[[protocol.EventsBody | None], None],
    ) -> None:
        """Request the recorded lines of checkpoints, at most `LOG_CHECKPOINTS`."""
        arguments = protocol.LogArguments(checkpoints=tuple(checkpoints))
        self._ask("log", arguments, protocol.EventsBody, done)

    def _ask_past(self, command: str, arguments: BaseModel, done: Done) -> None:
        """Ask about the past. Only a question of the user starts a host for it."""
        if command in _NO_REASON_TO_START and not self._client.is_open:
            done(refusal(command, HOST_CLOSED, HOST_CLOSED))
            return
        ask = partial(self._client.request, command, arguments, done)
        self._opener.for_looking(ask, done)

    def _shown_id(self) -> str:
        """The checkpoint that is shown; "" while editing."""
        if self.viewing is not None:
            return self.viewing
        return self.head.id if self.mode == "live" and self.head is not None else ""

    def _ask_graph_changes(
        self,
        arguments: protocol.GraphChangesArguments,
        done: Callable[[protocol.GraphChangesBody | None], None],
    ) -> None:
        if self.mode != "edit" and not self._client.is_open:
            # No reason to start a host.
            done(None)
            return
        self._ask("graph_changes", arguments, protocol.GraphChangesBody, done)

    def plan_change(
        self,
        checkpoint_id: str,
        mapping: Mapping[str, Any] | None,
        done: Callable[[protocol.ChangePlanBody | Reply], None],
        *,
        again: bool = False,
    ) -> None:
        """Request how the present document would go on from a checkpoint; `done` gets
        the plan, or the reply that says why there is none. The document is opened for
        it, so the run has to be resumed afterwards; with `again` it is open already.
        """
        arguments = protocol.ChangePlanArguments(
            checkpoint_id=checkpoint_id,
            mapping=dict(mapping) if mapping is not None else None,
        )

        def on_reply(reply: Reply) -> None:
            if reply.success:
                done(protocol.ChangePlanBody.model_validate(reply.body))
            else:
                done(reply)

        ask = partial(self._client.request, "change_plan", arguments, on_reply)
        self._opener.for_running(ask, on_reply, same=again)

    def _ask_comparison(
        self,
        command: str,
        arguments: BaseModel,
        body: type[Body],
        done: Callable[[Body | None], None],
        sent: Callable[[int], None],
    ) -> None:
        complain = self._complain(NOT_COMPARED)
        self._ask(command, arguments, body, done, complain, sent)

    def _drop_question(self, number: int) -> None:
        if self._client.is_open:
            self._client.request("drop", protocol.DropArguments(number=number))

    def _shown_place(self) -> _Place:
        return {
            "checkpoint_id": self.looked_at,
            "inside": self.way,
            "runs": self._mirror.runs_inside,
        }

    def _ask(
        self,
        command: str,
        arguments: BaseModel,
        body: type[Body],
        done: Callable[[Body | None], None],
        complain: Done | None = None,
        sent: Callable[[int], None] = lambda _number: None,
    ) -> None:
        """Send a question as soon as the store is open; `sent` gets its number."""

        def on_reply(reply: Reply) -> None:
            _reply_to(complain, reply)
            done(body.model_validate(reply.body) if reply.success else None)

        def ask() -> None:
            sent(self._client.request(command, arguments, on_reply))

        self._opener.for_looking(ask, on_reply)

    # --- commands that move the run ---

    def _move(
        self, command: str, arguments: BaseModel | None, done: Done | None
    ) -> None:
        """Send a command that goes on with the live run, unless it moves already: a key
        that is held down repeats.
        """
        if not self._run.is_standing:
            return
        self._run.take(RunEvent.REQUEST)
        send = partial(self._send, command, arguments, done)
        resume = partial(self._resume, send, done)
        self._opener.for_running(
            # A lost host may have saved more than it reported, so look there first.
            partial(self._comeback.then, resume),
            partial(self._on_refused, done),
            same=True,
        )

    def _resume(self, then: Callable[[], None], done: Done | None) -> None:
        """Let a host that has no run restore it where it stood, then go on."""
        checkpoint_id = self._mirror.resume_at
        if checkpoint_id is None:
            then()
            return

        def on_reply(reply: Reply) -> None:
            if reply.success:
                self._mirror.resume_at = None
                then()
            else:
                self._on_refused(done, reply)

        arguments = protocol.RestoreArguments(checkpoint_id=checkpoint_id, fork=False)
        self._client.request("restore", arguments, on_reply)

    def _send(
        self, command: str, arguments: BaseModel | None, done: Done | None
    ) -> None:
        self._mirror.look_live()
        self._client.request(command, arguments, partial(self._on_moved, done))

    def _put(
        self, command: str, arguments: BaseModel | None, done: Done | None
    ) -> None:
        """Send a command that puts the run elsewhere."""
        self._mirror.look_live_when_accepted()
        self._client.request(command, arguments, partial(self._on_moved, done))

    def _on_moved(self, done: Done | None, reply: Reply) -> None:
        if reply.success:
            self._run.take(RunEvent.REPLIED)
            if reply.command in ("start", "restore"):
                self.difference.settle()
            self._mirror.resume_at = None
            self._mirror.accepted()
            _reply_to(done, reply)
        else:
            self._on_refused(done, reply)

    def _on_refused(self, done: Done | None, reply: Reply) -> None:
        self._run.take(RunEvent.REFUSED)
        self._breakpoints.suspend(on=False)
        self._mirror.refused()
        if reply.error_type not in KNOWN_FAILURES:
            title = _TITLES.get(reply.command, "That could not be done")
            self.failed.emit(title, reply.message)
        self.changed.emit()
        _reply_to(done, reply)

    def _on_answered(self, done: Done | None, reply: Reply) -> None:
        _reply_to(done, reply)
        if reply.success and self._run.is_standing:
            self._run.take(RunEvent.REQUEST)
            # Not by `_send`, because the user may look elsewhere by now, and stays
            # there.
            self._client.request("continue", None, partial(self._on_moved, None))

    def _on_restored(self, done: Done | None, reply: Reply) -> None:
        if reply.success:
            self._mirror.set_head(protocol.HeaderBody.model_validate(reply.body).header)
            self._mirror.show_live()
        _reply_to(done, reply)

    def _on_logged(self, logged: protocol.LoggedBody) -> None:
        """List the text of a log point among the lines and the events of the run."""
        if logged.left_out:
            self.console.emit("log", f"{logged.left_out:,} log texts are left out.")
        self.console.emit("log", logged.text)
        item = protocol.EventItem(
            number=0,
            time=time.time(),
            kind=LOG_POINT,
            superstep=logged.superstep,
            path=logged.path,
            text=logged.text,
        )
        events = protocol.EventsBody(events=(item,), left_out=logged.left_out)
        self.events.emit(events)

    # --- what becomes of the host ---

    def _on_waits_long(self, waits_long: bool) -> None:
        self.waits_long = waits_long
        self.changed.emit()

    def _on_opened(self) -> None:
        self._mirror.host_has_no_run()
        self.past.ask_again()
        self.changed.emit()

    def _on_stopped_at(self) -> None:
        self._stop_timer.stop()
        self._breakpoints.suspend(on=False)
        after_stop = self._after_stop
        self._after_stop = None
        if after_stop is not None:
            after_stop()

    def _on_stop_timeout(self) -> None:
        if not self.owns_process:
            text = "The superstep does not end by itself. It stops when the handlers of the program return."
            self.console.emit("stderr", text)
            return
        text = "The run did not stop by itself, so its process was ended."
        self.console.emit("stderr", text)
        self._client.kill()

    def _on_closed(self, reason: str, was_killed: bool) -> None:
        """The host ended. What it saved is in the store, and the next command resumes
        the run from there.
        """
        # What was done inside a superstep is gone, also if the run stood there.
        was_running = self.running or self.stands_inside
        self._opener.is_left = not self.owns_process
        self._run.take(RunEvent.LOST)
        self._stop_timer.stop()
        self._opener.lost()
        self.past.lost()
        self._mirror.progress = None
        self._mirror.refused()
        self._mirror.host_has_no_run()
        if was_running:
            self._mirror.stopped_by_loss(reason)
        self.changed.emit()
        if not self.owns_process:
            self._on_program_left(reason, was_killed)
            return
        if not was_killed:
            self.failed.emit("The run's process ended", f"{reason} {_NOTHING_LOST}")
        if was_running:
            newest = self.head.sequence if self.head is not None else 0
            found = self._mirror.add_saved
            self._comeback.look(self.run_id or "", newest, found)
            self.stopped_at.emit()

    def _on_program_left(self, reason: str, was_killed: bool) -> None:
        """The program ended, or was detached."""
        if not was_killed:
            self.failed.emit("The program is no longer attached", reason)
        self.stopped_at.emit()

    def close(self) -> None:
        """End the process because the window closes, gently if it listens."""
        self._run.take(RunEvent.CLOSE)
        self._stop_timer.stop()
        self._client.abandon()
        if self._client.is_open:
            self._client.request("shutdown")
            self._client.kill(CLOSE_PATIENCE)

    # --- small ---

    def _view_row(self, row: int | None) -> None:
        if row is not None:
            self.view(self.timeline.header_at(row).id)

    def _view_newest(self) -> None:
        count = self.timeline.rowCount()
        self._view_row(count - 1 if count else None)

    def _complain(self, title: str) -> Done:
        """Return a receiver of replies that emits `failed` for those that the user does
        not know of already.
        """

        def on_reply(reply: Reply) -> None:
            if not reply.success and reply.error_type not in KNOWN_FAILURES:
                self.failed.emit(title, reply.message)

        return on_reply


class _Place(TypedDict):
    """The checkpoint and the level that a question is about."""

    checkpoint_id: str | None
    inside: tuple[str, ...]
    runs: tuple[str, ...]


_NOTHING_LOST = "Nothing that was saved is lost: the next command continues from the last checkpoint."
_NO_REASON_TO_START = ("find_stop", "counts")
_TITLES = {
    "open": "The workflow cannot be run",
    "start": "The run could not be started",
    "attach": "The workflow cannot be debugged",
    "follow": "The run of the program cannot be shown",
    "restore": "The checkpoint could not be restored",
    "answer": "The answer was not taken",
    "step": "The run could not continue",
    "continue": "The run could not continue",
    "run_to": "The run could not continue",
}


def _reply_to(done: Done | None, reply: Reply) -> None:
    if done is not None:
        done(reply)
