"""`Notifier`: what the engine calls when something happens. It passes that on to the
feeds that are present.

Nothing is built for an audience that is not there: `feeds` is empty then, and the
engine asks it before it calls anything that is expensive to prepare. An observer that
raises is detached, and the caller gets a warning.
"""

from __future__ import annotations

import itertools
import logging
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from runtime.engine.caller_feed import CallerFeed, Emit
from runtime.engine.commit import is_alive
from runtime.engine.feed import Feed, Reader
from runtime.engine.observer_feed import ObserverFeed
from runtime.engine.status import left_over
from runtime.events import Observer, WorkflowEvent, WorkflowRunState
from runtime.state import owner_of
from runtime.values.copies import Shared
from runtime.values.type_matching import describe
from runtime.values.user_failures import in_words

if TYPE_CHECKING:
    from runtime.checkpoint import CheckpointHeader
    from runtime.codec import TypeRegistry
    from runtime.edges.join import HeldJoin
    from runtime.engine.commit import Merged
    from runtime.engine.gate import Gate
    from runtime.engine.invoke import Job
    from runtime.engine.live_outputs import LiveOutputs
    from runtime.engine.replay.superstep import OutsideCalls
    from runtime.engine.route import Lost
    from runtime.engine.sub_runs import Frame, Path
    from runtime.executors.delivery import Delivery
    from runtime.executors.effects import Effects
    from runtime.message import Message, Request

_LOG = logging.getLogger("runtime")


class Notifier:
    """The audiences of a run, the debugger's gate, and the calls that reach outside.

    emitted_status  the status of the run that every audience has heard of; None while a new caller has heard of none
    live            the outputs of the superstep that runs, while an audience hears of them at once
    ordinals        numbers everything that is yielded
    committed       how many live outputs have counted so far
    gate            see `runtime.engine.gate`; None without a debugger
    outside         the calls of the superstep that reach outside; None if no executor of the workflow does
    tools           what the caller of this run gave as tools; never part of a state
    """

    def __init__(
        self, observer: Observer | None = None, types: TypeRegistry | None = None
    ) -> None:
        self._types = types
        self.observer: ObserverFeed | None = None
        if observer is not None:
            self.observer = ObserverFeed(observer, types, self._detach_observer)
        self.caller: CallerFeed | None = None
        self.reader: Reader | None = None
        self.feeds: tuple[Feed, ...] = ()
        self._collect_feeds()
        self.emitted_status: WorkflowRunState | None = None
        self.live: LiveOutputs | None = None
        self.ordinals = itertools.count(1)
        self.committed = 0
        self.tools: list[Any] | None = None
        self.gate: Gate | None = None
        self.outside: OutsideCalls | None = None
        self.superstep = 0
        self._reported_shared: set[tuple[Path, str, str, type]] = set()

    def _collect_feeds(self) -> None:
        feeds = (self.observer, self.caller)
        self.feeds = tuple(feed for feed in feeds if feed is not None)

    def _detach_observer(self, error: BaseException) -> None:
        self.observer = None
        self._collect_feeds()
        _LOG.warning("The observer of a run raised and was detached", exc_info=True)
        self.warn(
            f"The observer raised {in_words(error)}. It was detached; the run goes on."
        )

    def listen(self, emit: Emit | None, reader: Reader | None) -> None:
        """Replace the caller by another one, or by none. The consumer of a stream is a
        `reader`.
        """
        self.caller = None if emit is None else CallerFeed(emit, reader)
        self.reader = reader
        self.emitted_status = None
        self._reported_shared.clear()
        self._collect_feeds()

    def observe(self, observer: Observer | None) -> None:
        """Replace the observer by another one, or by none."""
        self.observer = None
        if observer is not None:
            self.observer = ObserverFeed(observer, self._types, self._detach_observer)
            self.observer.superstep = self.superstep
        self._collect_feeds()

    # --- the status of the run -----------------------------------------------------------------------------------

    def set_superstep(self, superstep: int) -> None:
        """Set the superstep that events name from here on."""
        self.superstep = superstep
        if self.observer is not None:
            self.observer.superstep = superstep

    def set_cause(self, cause: str) -> None:
        """Set the cause that observers see in each event from here on."""
        if self.observer is not None:
            self.observer.cause = cause

    def status(self, status: WorkflowRunState, joins: Sequence[HeldJoin] = ()) -> None:
        """Emit the status of the run to each audience that heard another one last.
        `joins` are the stalled ones.
        """
        for feed in self.feeds:
            feed.status(status, joins)
        self.emitted_status = status

    def begun(self) -> None:
        """Notify that a call of `Workflow.run` begins, before it is known whether the
        run can.
        """
        if self.caller is not None:
            self.caller.begun()

    def refused(self, error: BaseException) -> None:
        """Notify that the run cannot begin."""
        self.failed(error)
        if self.caller is not None:
            self.caller.refused()

    def failed(self, error: BaseException) -> None:
        """Notify that the run has failed. The caller hears of it before the error
        reaches it.
        """
        self._withdraw_live_outputs()
        for feed in self.feeds:
            feed.failed(error)

    def cancelled(self) -> None:
        self._withdraw_live_outputs()
        for feed in self.feeds:
            feed.cancelled()

    def _withdraw_live_outputs(self) -> None:
        live = self.live
        if live is not None:
            self.live = None
            live.withdraw_all()

    def sent(self, messages: Sequence[Message]) -> None:
        for feed in self.feeds:
            feed.sent(messages, ())

    def request_asked(self, request: Request) -> None:
        for feed in self.feeds:
            feed.request_asked(request)

    def request_answered(self, request: Request) -> None:
        for feed in self.feeds:
            feed.request_answered(request)

    def request_cancelled(self, request: Request) -> None:
        for feed in self.feeds:
            feed.request_cancelled(request)

    def checkpoint_saved(self, header: CheckpointHeader) -> None:
        for feed in self.feeds:
            feed.checkpoint_saved(header)

    def checkpoint_missed(self, error: Exception) -> None:
        for feed in self.feeds:
            feed.checkpoint_missed(error)

    # --- warnings -----------------------------------------------------------------------------------------------

    def warn(self, text: str) -> None:
        for feed in self.feeds:
            feed.warning(text)

    def warn_of_shared(
        self, path: Path, executor_id: str, verb: str, values: Iterable[Shared]
    ) -> None:
        """Warn of values that an executor "gets" or "writes" and that cannot be copied,
        once per executor and type.
        """
        for cls, error in values:
            key = (path, executor_id, verb, cls)
            if key not in self._reported_shared:
                self._reported_shared.add(key)
                self.warn(
                    f"Executor '{_name(path, executor_id)}' {verb} a value of type {cls.__module__}."
                    f"{cls.__qualname__} that cannot be copied ({in_words(error)}), so it is shared: a change of it is "
                    "seen elsewhere, and a run that is restored may go on otherwise than this one. Let copy.deepcopy "
                    "copy it, or use plain data."
                )

    def warn_of_discarded_joins(self, joins: Sequence[HeldJoin]) -> None:
        """Warn of what the run before left in joins, because a new run begins with
        empty ones.
        """
        for join in joins:
            self.warn(
                f"A new run begins with empty joins: {sum(join.held.values())} message(s) that the join "
                f"'{join.group.id}' held for '{_name(join.path, join.group.target_id)}' are thrown away."
            )

    def warn_of_unanswered(self, questions: Iterable[tuple[Path, Request]]) -> None:
        """Warn that the run rests while sub-workflows wait for answers that no executor
        is going to send.
        """
        for path, request in questions:
            owner = owner_of(path[-1])
            self.warn(
                f"The sub-workflow '{_name(path[:-1], owner)}' still waits for the answer to its question "
                f"'{request.id}': the executor that took it has not sent create_response(...) back to '{owner}'."
            )

    def _warn_of_lost(self, frame: Frame) -> None:
        """Messages went nowhere. Those of one kind make one warning."""
        for lost, count in Counter(frame.routing.lost).items():
            messages = "A message" if count == 1 else f"{count} messages"
            self.warn(
                f"{messages} of type {describe(lost.data_type)} that '{_name(frame.path, lost.source_id)}' sent went "
                f"nowhere: {_reason_of_loss(lost)}."
            )

    # --- a superstep --------------------------------------------------------------------------------------------

    def superstep_begins(self, number: int) -> None:
        for feed in self.feeds:
            feed.superstep_begins(number)

    def superstep_started(self, root: Frame, number: int) -> None:
        self.superstep = number
        if self.observer is not None:
            self.observer.superstep = number
            self.observer.cause = "superstep"
            self.observer.superstep_started(root)

    def superstep_ended(self, root: Frame, merged: Merged, seconds: float) -> None:
        live = self.live
        if live is not None:
            self.live = None
            live.commit(root)
        frames = [*root] if root.children else [root]
        for frame in frames:
            if frame.routing.lost:
                self._warn_of_lost(frame)
            if frame.path:
                self._warn_of_left_over(frame)
        if self.caller is not None:
            # An observer alone has heard of these values inside the sub-workflow.
            for frame in frames:
                for executor_id, value in frame.progress:
                    self.intermediate(frame.path, executor_id, value)
        for feed in self.feeds:
            feed.superstep_ended(root, frames, merged, seconds)

    def _warn_of_left_over(self, frame: Frame) -> None:
        if frame.merged is None or is_alive(frame.merged.state):
            return
        for text in left_over(frame.workflow, frame.merged.state):
            self.warn(f"In the sub-workflow {'/'.join(frame.path)}, {text}")

    # --- handlers -----------------------------------------------------------------------------------------------

    def handler_started(
        self, path: Path, delivery: Delivery, attempt: int = 1, attempts: int = 1
    ) -> None:
        for feed in self.feeds:
            feed.handler_started(path, delivery, attempt, attempts)

    def handler_ended(
        self, path: Path, executor_id: str, effects: Effects, has_results: bool
    ) -> None:
        for feed in self.feeds:
            feed.handler_ended(path, executor_id, effects, has_results)

    def attempt_failed(
        self,
        job: Job,
        delivery: Delivery,
        error: BaseException,
        attempt: int,
        attempts: int,
        *,
        wait: float,
    ) -> None:
        for feed in self.feeds:
            feed.attempt_failed(job, delivery, error, attempt, attempts, wait)

    def handler_failed(
        self,
        path: Path,
        executor_id: str,
        handler: str,
        error: BaseException,
        *,
        taken: bool = False,
    ) -> None:
        for feed in self.feeds:
            feed.handler_failed(
                path, executor_id, handler, error, self.superstep, taken=taken
            )

    def handler_cancelled(
        self, path: Path, executor_id: str, error: BaseException | None = None
    ) -> None:
        for feed in self.feeds:
            feed.handler_cancelled(path, executor_id, error)

    def intermediate(self, path: Path, executor_id: str, value: Any) -> None:
        ordinal = next(self.ordinals)
        for feed in self.feeds:
            feed.intermediate(path, executor_id, value, ordinal)

    def custom_event(self, path: Path, executor_id: str, event: WorkflowEvent) -> None:
        for feed in self.feeds:
            feed.custom_event(path, executor_id, event)


def _name(path: Path, executor_id: str) -> str:
    return "/".join((*path, executor_id))


def _reason_of_loss(lost: Lost) -> str:
    if lost.error_edges:
        edges = " and ".join(f"'{edge}'" for edge in lost.error_edges)
        return (
            f"the condition of error edge {edges} held when '{lost.source_id}' had failed, and does not hold now. Let "
            "it say the same each time that it is asked"
        )
    if not lost.refusals:
        return "no edge leads on"
    targets = [f"'{target}' (edge '{edge}')" for edge, target in lost.refusals]
    return f"no handler for that type in {' and '.join(targets)}"
