"""The commands of a debugger for one run, and what happens when the run's process ends."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from PySide6.QtCore import QObject, Signal

from designer.session.annotations import Annotations
from designer.session.attachment import Attachment
from designer.session.breakpoints import HostBreakpoints
from designer.session.catalogue import Catalogue
from designer.session.client import CLOSE_PATIENCE, Client, Done
from designer.session.comeback import Comeback
from designer.session.comparison import Comparison
from designer.session.delivery_orders import DeliveryOrders
from designer.session.execution import Execution
from designer.session.failures import Failures, reply_to
from designer.session.graph_difference import GraphDifference
from designer.session.growth import Growth
from designer.session.line_link import Link
from designer.session.link import ProcessLink
from designer.session.mirror import Mirror, Mode
from designer.session.navigation import Navigation
from designer.session.opener import (
    Opener,
    Source,
)
from designer.session.origin import OriginTrail
from designer.session.past_counts import PastCounts
from designer.session.past_search import PastSearch
from designer.session.phase import RunEvent, RunPhase, RunState
from designer.session.proof import RestoreProof
from designer.session.questions import Questions
from designer.session.results import Results
from designer.session.staged_patch import StagedPatch
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
    StoppedBody,
)
from runtime.document.definition import NodeInfo
from runtime.document.problem import Problem

LOG_POINT = "log point"  # the kind of an event
NO_BREAKPOINTS = "The run does not take the breakpoints"
NOTHING_LOST = "Nothing that was saved is lost: the next command continues from the last checkpoint."


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

    def __init__(self, link: Link | None = None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        # Whether the host owes an answer for so long that the user may want to cancel.
        self.waits_long = False
        self._link = link if link is not None else ProcessLink()
        self._run = RunState()
        self._client = Client(self._link, self)
        self._client.closed.connect(self._on_closed)
        self._client.waits_long.connect(self._on_waits_long)
        self._opener = Opener(self._client, self)
        self._opener.opened.connect(self._on_opened)
        self._failures = Failures(self)
        self._failures.reported.connect(self.failed)
        self._mirror = Mirror(self._client, self._opener, self._run, self)
        viewer = self._mirror.viewer
        viewer.failed.connect(self._failures.under("This checkpoint cannot be shown"))
        self._make_views()
        self._make_commands()
        self._hand_on_signals()
        self._hand_on_commands()

    def _make_views(self) -> None:
        """Make the parts that look at what is recorded."""
        client = self._client
        opener = self._opener
        mirror = self._mirror
        failures = self._failures
        self.catalogue = Catalogue(client, failures, self)
        self.questions = Questions(client, opener, mirror, failures)
        self.annotations = Annotations(client, opener, mirror, failures)
        self.origin = OriginTrail(self.questions.provenance, self)
        # Because it would hide what the run needs from the user.
        mirror.resumed.connect(self.origin.forget)
        self._navigation = Navigation(opener, mirror, self.origin, failures, self)
        view = self._navigation.view
        self._comparison = Comparison(mirror, self.questions, view, failures, self)
        self.growth = Growth(
            client, opener, self._run, mirror.history, mirror.timeline, self
        )
        self.difference = GraphDifference(
            mirror, opener, self._run, self.questions.graph_changes, self
        )
        self.results = Results(
            mirror,
            opener,
            self.questions.restore_plan,
            self.questions.recorded_result,
            self,
        )
        self.past = PastSearch(
            self.timeline,
            self.questions.past,
            self._navigation.shown_id,
            self._navigation.view_in_run,
            self,
        )
        self.counts = PastCounts(self.timeline, self.questions.past, self)
        client.notice.connect(self.past.on_notice)
        self.proof = RestoreProof(
            self.timeline,
            self.questions.tries,
            view,
            self._comparison.compare_with,
            self,
        )
        client.notice.connect(self.proof.on_notice)
        self.delivery_orders = DeliveryOrders(
            self.timeline,
            self.questions.tries,
            view,
            self._comparison.compare_with,
            self,
        )
        client.notice.connect(self.delivery_orders.on_notice)
        self._comparison.changed.connect(
            lambda: self.delivery_orders.on_compared(self._comparison.base)
        )
        self._comparison.changed.connect(
            lambda: self.proof.on_compared(self._comparison.base)
        )
        opener.store_opened.connect(self.past.ask_again)

    def _make_commands(self) -> None:
        """Make the parts that move the run."""
        self._comeback = Comeback(self._client, self._opener, self)
        self._breakpoints = HostBreakpoints(self._client, self._opener, self)
        self._breakpoints.refused.connect(
            partial(self._failures.report, NO_BREAKPOINTS)
        )
        self._execution = Execution(
            self._link,
            self._client,
            self._opener,
            self._run,
            self._mirror,
            self._navigation,
            self.difference,
            self._breakpoints,
            self._comeback,
            self.results,
            self._failures,
            self,
        )
        self.staged = StagedPatch(
            self._mirror, self.questions, self._execution.restore, self
        )
        self._attachment = Attachment(
            self._link,
            self._client,
            self._opener,
            self._run,
            self._mirror,
            self._execution,
            self._failures,
            self,
        )

    def _hand_on_signals(self) -> None:
        """Make the parts' signals the session's."""
        self.changed = self._mirror.changed
        self.viewed = self._mirror.viewed
        self.progressed = self._mirror.progressed
        self.stopped_at = self._mirror.stopped_at
        self.console = self._mirror.console
        self.events = self._mirror.events
        self.catalogue_ready = self.catalogue.ready
        self.compared = self._comparison.changed
        self.breakpoints_changed = self._breakpoints.changed
        self.logged = self._breakpoints.logged
        self.logged.connect(self._on_logged)
        self._client.console.connect(self.console)

    def _hand_on_commands(self) -> None:
        """Make the parts' commands the session's."""
        execution = self._execution
        self.run = execution.run
        self.step = execution.step
        self.continue_ = execution.continue_
        self.deliver = execution.deliver
        self.step_out = execution.step_out
        self.run_to = execution.run_to
        self.continue_past_breakpoints = execution.continue_past_breakpoints
        self.pause = execution.pause
        self.stop = execution.stop
        self.cancel_wait = execution.cancel_wait
        self.restore = execution.restore
        self.answer = execution.answer
        self.use_breakpoints = self._breakpoints.use
        self.attach = self._attachment.attach
        self.detach = self._attachment.detach
        self.follow_program = self._attachment.follow_program
        navigation = self._navigation
        self.load_history = navigation.load_history
        self.look_into = navigation.look_into
        self.list_runs = navigation.list_runs
        self.delete_runs = navigation.delete_runs
        self.select_run = navigation.select_run
        self.view = navigation.view
        self.view_in_run = navigation.view_in_run
        self.step_back = navigation.step_back
        self.checkpoint_in = navigation.checkpoint_in
        self.back_to_live = navigation.back_to_live
        self.leave = navigation.leave
        self.look_inside = self._mirror.look_inside
        self.watch_growth = self.growth.watch
        comparison = self._comparison
        self.compare_with = comparison.compare_with
        self.compare_with_store = comparison.compare_with_store
        self.compare_pair = comparison.compare_pair
        self.choose_base_run = comparison.choose_base_run
        self.show_first_difference = comparison.show_first
        self.watch_comparison = comparison.watch
        self.swap_base = comparison.swap_base
        self.load_catalogue = self.catalogue.load
        self.annotate = self.annotations.annotate

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
    def standing(self) -> InsideSuperstep | None:
        """The superstep in which the run that is shown stands; None at a barrier."""
        if self.mode != "live" or self.running or self.moment is None:
            return None
        return self.moment.standing

    @property
    def stands_inside(self) -> bool:
        """Whether the live run stands inside a superstep."""
        return self._mirror.stands_inside

    @property
    def held(self) -> frozenset[tuple[tuple[str, ...], str]]:
        """The held executors, each with the way to it."""
        return self._breakpoints.held

    @property
    def infos(self) -> dict[str, NodeInfo]:
        """The node types, by type."""
        return self.catalogue.infos

    @property
    def folder(self) -> Callable[[], str]:
        return self.catalogue.folder

    @folder.setter
    def folder(self, ask: Callable[[], str]) -> None:
        self.catalogue.folder = ask

    @property
    def why_not_annotate(self) -> str:
        """Why tags and notes cannot be kept; "" if they can."""
        return self.annotations.why_not

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
        return self._opener.has_document

    @property
    def program(self) -> protocol.AttachBody | None:
        """The program that is attached, as it described itself last."""
        return self._opener.program

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
        return self._opener.is_sealed

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
            partial(reply_to, done, opened), partial(self._execution.refused, done)
        )

    def forget(self) -> None:
        """Show nothing of the run any more, because the document was replaced."""
        was_running = self.running
        self._run.take(RunEvent.FORGET)
        if was_running:
            self._client.kill()
        self._execution.forget()
        self._opener.lost()
        self._mirror.forget()
        self._comparison.forget()
        self.staged.forget()
        self.origin.forget()
        self.past.forget()
        self.proof.forget()
        self.delivery_orders.forget()
        self.difference.forget()
        self.results.forget()
        self.changed.emit()
        self.viewed.emit()

    # --- what the user asks for ---

    def hold(self, executor: str, inside: Sequence[str], *, held: bool) -> None:
        """Keep an executor from its next handler call, or let it go on."""
        arguments = protocol.HoldArguments(
            executor=executor, inside=tuple(inside), held=held
        )
        complain = self._failures.under("The executor cannot be held")
        self._breakpoints.hold(arguments, complain)

    def search_past(self, question: str, *, every_run: bool = False) -> None:
        """Ask the recorded past, and let the window show the search."""
        self.past.ask(question, every_run=every_run)
        self.past.requested.emit()

    def search_breakpoint(self, point: Breakpoint, text: str) -> None:
        """Apply a breakpoint, with its log text, to the past; `text` names it."""
        self.past.ask_breakpoint(point, text)
        self.past.requested.emit()

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
            complain = self._failures.under("The node cannot be cancelled")
            self._client.request("cancel", arguments, complain)

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

    def _on_closed(self, reason: str, was_killed: bool) -> None:
        """The host ended. What it saved is in the store, and the next command resumes
        the run from there.
        """
        # What was done inside a superstep is gone, also if the run stood there.
        was_running = self.running or self.stands_inside
        self._opener.is_left = not self.owns_process
        self._run.take(RunEvent.LOST)
        self._execution.end_patience()
        self._opener.lost()
        self.past.lost()
        self.proof.lost()
        self.delivery_orders.lost()
        self._mirror.progress = None
        self._mirror.refused()
        self._mirror.host_has_no_run()
        if was_running:
            self._mirror.stopped_by_loss(reason)
        self.changed.emit()
        if not self.owns_process:
            self._attachment.program_left(reason, was_killed)
            return
        if not was_killed:
            self.failed.emit("The run's process ended", f"{reason} {NOTHING_LOST}")
        if was_running:
            newest = self.head.sequence if self.head is not None else 0
            found = self._mirror.add_saved
            self._comeback.look(self.run_id or "", newest, found)
            self.stopped_at.emit()

    def close(self) -> None:
        """End the process because the window closes, gently if it listens."""
        self._run.take(RunEvent.CLOSE)
        self._execution.end_patience()
        self._client.abandon()
        if self._client.is_open:
            self._client.request("shutdown")
            self._client.kill(CLOSE_PATIENCE)
