"""The commands that move the live run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from pydantic import BaseModel
from PySide6.QtCore import QObject, QTimer

from designer.session.breakpoints import HostBreakpoints
from designer.session.client import Client, Done, refusal
from designer.session.comeback import Comeback
from designer.session.failures import CANNOT_MIGRATE, Failures, reply_to, title_of
from designer.session.graph_difference import GraphDifference
from designer.session.line_link import Link
from designer.session.mirror import Mirror
from designer.session.navigation import Navigation
from designer.session.opener import Opener
from designer.session.phase import RunEvent, RunPhase, RunState
from designer.session.results import Results
from runtime.debug import protocol
from runtime.debug.protocol import Reply

STOP_PATIENCE = 600  # ms that a run has to stop by itself


class Execution(QObject):
    """A part of the session.

    `done` gets the host's reply to a command. A command that fails is reported to
    the user too, so a caller may leave `done` out.
    """

    def __init__(
        self,
        link: Link,
        client: Client,
        opener: Opener,
        run: RunState,
        mirror: Mirror,
        navigation: Navigation,
        difference: GraphDifference,
        breakpoints: HostBreakpoints,
        comeback: Comeback,
        results: Results,
        failures: Failures,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._link = link
        self._client = client
        self._opener = opener
        self._run = run
        self._mirror = mirror
        self._navigation = navigation
        self._difference = difference
        self._breakpoints = breakpoints
        self._comeback = comeback
        self._results = results
        self._failures = failures
        # What the user asked for while the run moved, for when it stands.
        self._after_stop: Callable[[], None] | None = None
        self._stop_timer = QTimer(self, interval=STOP_PATIENCE, singleShot=True)
        self._stop_timer.timeout.connect(self._on_stop_timeout)
        mirror.stopped_at.connect(self._on_stopped_at)

    def forget(self) -> None:
        """Do nothing more for a run that is not shown any more."""
        self.end_patience()
        self._after_stop = None

    def end_patience(self) -> None:
        """Do not kill the host, because it has stopped or ended."""
        self._stop_timer.stop()

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
        self._results.began()
        if self._results.is_outdated and not stop_on_entry:
            # It has to be told of the pins before it moves.
            done = partial(self._when_at_entry, self.continue_, done)
            stop_on_entry = True
        arguments = protocol.StartArguments(input=input, stop_on_entry=stop_on_entry)
        start = partial(self.put, "start", arguments, done)
        self._opener.for_running(start, partial(self.refused, done))
        self._mirror.changed.emit()

    def step(self, count: int = 1, done: Done | None = None) -> None:
        """Run supersteps of the live run. When editing, start a fresh run that stands
        at its input. In the past, look at the next checkpoint of the branch.
        """
        if self._mirror.mode == "edit":
            self.run(stop_on_entry=True, done=done)
        elif self._mirror.viewing is not None:
            row = self._mirror.timeline.row_of(self._mirror.viewing)
            self._navigation.view_row(self._mirror.timeline.next_row(row))
        else:
            arguments = protocol.StepArguments(count=count, live=self._is_asked_for)
            self._move("step", arguments, done)

    def continue_(self, done: Done | None = None) -> None:
        """Continue the live run; when editing, start a fresh one."""
        if self._mirror.mode == "edit":
            self.run(done=done)
        else:
            self._mirror.look_live()
            arguments = protocol.ContinueArguments(live=self._is_asked_for)
            self._move("continue", arguments, done)

    def deliver(self, done: Done | None = None) -> None:
        """Run the next delivery of the live run, and stand after it. When editing,
        start a fresh run that stands at its input.
        """
        if self._mirror.mode == "edit":
            self.run(stop_on_entry=True, done=done)
        elif self._mirror.viewing is None:
            live = self._is_asked_for
            arguments = protocol.StepArguments(unit="delivery", live=live)
            self._move("step", arguments, done)

    def step_out(self, done: Done | None = None) -> None:
        """Run until the sub-workflow of the present delivery has ended or rests."""
        if self._mirror.mode == "live":
            arguments = protocol.StepArguments(unit="out", live=self._is_asked_for)
            self._move("step", arguments, done)

    def run_to(self, place: protocol.RunToArguments, done: Done | None = None) -> None:
        """Run the live run until it reaches a place. When editing, start a fresh run
        for it.
        """
        if self._mirror.mode == "live":
            arguments = place.model_copy(update={"live": self._is_asked_for})
            self._move("run_to", arguments, done)
        elif self._mirror.mode == "edit":
            # From its input, because there is nothing to move before the run stands.
            go = partial(self.run_to, place)
            self.run(stop_on_entry=True, done=partial(self._when_at_entry, go, done))

    @property
    def _is_asked_for(self) -> bool:
        """Whether the call is to be made before which the run stands because it would
        reach outside again: the user goes on, and has decided nothing else for it.
        """
        stopped = self._mirror.stopped
        is_before_call = stopped is not None and stopped.reason == "outside"
        return is_before_call and not self._results.is_outdated

    def _when_at_entry(
        self, go: Callable[[Done | None], None], done: Done | None, reply: Reply
    ) -> None:
        """Move a run that has begun, as soon as it stands at its input."""
        if not reply.success:
            reply_to(done, reply)
            return
        run_id = protocol.StartBody.model_validate(reply.body).run_id
        if self._mirror.stopped is not None and self._mirror.stopped.run_id == run_id:
            go(done)
        else:
            self._after_stop = partial(go, done)

    def continue_past_breakpoints(self, done: Done | None = None) -> None:
        """Continue the live run, or start a fresh one, and stop at no breakpoint until
        it stands again.
        """
        if self._run.is_standing:
            self._breakpoints.suspend(on=True)
            self.continue_(done)

    def pause(self) -> None:
        """Stand at the next barrier."""
        if self._run.is_running:
            complain = self._failures.under("The run cannot be paused")
            self._client.request("pause", None, complain)

    def stop(self) -> None:
        """Cancel the superstep that runs, or in which the run stands. A host that does
        not stop in time is killed, which loses nothing that was saved.
        """
        if self._mirror.stands_inside:
            self._run.take(RunEvent.REQUEST)
        if self._run.phase in (RunPhase.REQUESTED, RunPhase.RUNNING):
            self._run.take(RunEvent.STOP)
            self._stop_timer.start()
            complain = self._failures.under("The run cannot be stopped")
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
        elif self._client.is_open and self._link.owns_process:
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
        patch: protocol.Patch | None = None,
    ) -> None:
        """Re-execute from a checkpoint: stand there, live, on a new branch. A run that
        moves is stopped first.

        With `migrate`, also a checkpoint of another graph, if the present document can
        take what the run holds; `mapping` says what became of executors and joins. A
        refusal of that has the `error_type` `CANNOT_MIGRATE`, and only `done` hears of
        it.

        With `patch` the fork has its changes.
        """
        if self._run.is_running:
            self._after_stop = partial(
                self.restore,
                checkpoint_id,
                branch,
                done,
                migrate=migrate,
                mapping=mapping,
                patch=patch,
            )
            self.stop()
            return
        if not self._run.is_standing:
            return
        self._run.take(RunEvent.REQUEST)
        settings = self._results.settings
        arguments = protocol.RestoreArguments(
            checkpoint_id=checkpoint_id,
            branch=branch,
            on_change="migrate" if migrate else "refuse",
            mapping=dict(mapping) if mapping is not None else None,
            patch=patch,
            replay=settings,
        )
        restored = partial(self._on_restored, settings, done)
        restore = partial(self.put, "restore", arguments, restored)
        self._opener.for_running(restore, partial(self.refused, done))

    def answer(self, answers: Mapping[str, Any], done: Done | None = None) -> None:
        """Answer open requests of the live run, by id. A run that waited for the answer
        (nothing is queued) then continues; one that the user holds in the middle
        stands.
        """
        if self._mirror.viewing is not None:
            text = "You are viewing the past. Restore this checkpoint first, then answer on the new branch."
            refused = refusal("answer", text)
            self._failures.of_command(refused)
            reply_to(done, refused)
            return
        if self._difference.changes and self._mirror.head is not None:
            # The run asked with the graph of before, and goes on with the present one.
            then = partial(self._answer_changed, answers, done)
            self.restore(self._mirror.head.id, done=then, migrate=True)
            return
        waited = self._mirror.head is not None and self._mirror.head.queued == 0
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
            self._failures.report(title_of("answer"), reply.message)
        reply_to(done, reply)

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
            partial(self.refused, done),
            same=True,
        )

    def _resume(self, then: Callable[[], None], done: Done | None) -> None:
        """Let a host that has no run restore it where it stood, then go on; and one that
        has to be told of what the user has decided since.
        """
        checkpoint_id = self._mirror.resume_at
        if checkpoint_id is None and self._results.is_outdated:
            head = self._mirror.head
            checkpoint_id = head.id if head is not None else None
        settings = self._results.for_run
        if checkpoint_id is None:
            then()
            return

        def on_reply(reply: Reply) -> None:
            if reply.success:
                self._mirror.resume_at = None
                self._results.told(settings)
                then()
            else:
                self.refused(done, reply)

        arguments = protocol.RestoreArguments(
            checkpoint_id=checkpoint_id, fork=False, replay=settings
        )
        self._client.request("restore", arguments, on_reply)

    def _send(
        self, command: str, arguments: BaseModel | None, done: Done | None
    ) -> None:
        self._mirror.look_live()
        self._client.request(command, arguments, partial(self._on_moved, done))

    def put(self, command: str, arguments: BaseModel | None, done: Done | None) -> None:
        """Send a command that puts the run elsewhere."""
        self._mirror.look_live_when_accepted()
        self._client.request(command, arguments, partial(self._on_moved, done))

    def _on_moved(self, done: Done | None, reply: Reply) -> None:
        if reply.success:
            self._run.take(RunEvent.REPLIED)
            if reply.command in ("start", "restore"):
                self._difference.settle()
            self._mirror.resume_at = None
            self._mirror.accepted()
            reply_to(done, reply)
        else:
            self.refused(done, reply)

    def refused(self, done: Done | None, reply: Reply) -> None:
        self._run.take(RunEvent.REFUSED)
        self._breakpoints.suspend(on=False)
        self._mirror.refused()
        self._failures.of_command(reply)
        self._mirror.changed.emit()
        reply_to(done, reply)

    def _on_answered(self, done: Done | None, reply: Reply) -> None:
        reply_to(done, reply)
        if reply.success and self._run.is_standing:
            self._run.take(RunEvent.REQUEST)
            # Not by `_send`, because the user may look elsewhere by now, and stays
            # there.
            self._client.request("continue", None, partial(self._on_moved, None))

    def _on_restored(
        self, settings: protocol.ReplaySettings, done: Done | None, reply: Reply
    ) -> None:
        if reply.success:
            self._results.told(settings)
            self._mirror.set_head(protocol.HeaderBody.model_validate(reply.body).header)
            self._mirror.show_live()
        reply_to(done, reply)

    def _on_stopped_at(self) -> None:
        self._stop_timer.stop()
        self._breakpoints.suspend(on=False)
        after_stop = self._after_stop
        self._after_stop = None
        if after_stop is not None:
            after_stop()

    def _on_stop_timeout(self) -> None:
        if not self._link.owns_process:
            text = "The superstep does not end by itself. It stops when the handlers of the program return."
            self._mirror.console.emit("stderr", text)
            return
        text = "The run did not stop by itself, so its process was ended."
        self._mirror.console.emit("stderr", text)
        self._client.kill()
