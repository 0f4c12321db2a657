"""Notes what each call that reaches outside depends on and does, while it runs, and makes
the `Call`s of a checkpoint of it once its superstep counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from runtime.calls import WAS_PINNED, Call, CallError, Inputs, Results
from runtime.engine.invoke import snapshot
from runtime.engine.replay.inputs import (
    ALL_KEYS,
    code_digest,
    own_digest,
    read_digest,
    received_digest,
)
from runtime.engine.user_frames import traceback_lines
from runtime.errors import EncodeError
from runtime.executors.context import StateView, WorkflowContext
from runtime.executors.delivery import call_handler
from runtime.executors.effects import DELETED
from runtime.policy import is_tried_again
from runtime.state import LIVE, PINNED
from runtime.values.copies import isolate
from runtime.values.secret_use import noting_secrets
from runtime.values.user_failures import savable, text_of

if TYPE_CHECKING:
    from runtime.codec import TypeRegistry
    from runtime.concurrency.cancellation import StopSignal
    from runtime.engine.invoke import Job
    from runtime.executors.delivery import Delivery
    from runtime.executors.effects import Effects
    from runtime.executors.outside import Outside

_UNKNOWN = "it depends on a value that cannot be saved"


class RecordingContext(WorkflowContext[Any, Any]):
    """A context that notes which keys of the shared state are read."""

    __slots__ = ("_is_writing", "_noted")
    _noted: dict[str, None]
    _is_writing: bool

    def note_reads(self, noted: dict[str, None]) -> None:
        self._noted = noted
        self._is_writing = False

    def note(self, key: str) -> None:
        # What it wrote itself it knows without the state. Only with a reducer it sees
        # more than that.
        is_own = key in self._effects.writes and key not in self._turn.round.reducers
        if not is_own and not self._is_writing:
            self._noted[key] = None

    def get_state(self, key: str, default: Any = None) -> Any:
        self.note(key)
        return super().get_state(key, default)

    def set_state(self, key: str, value: Any) -> None:
        # A reducer is shown what is there, but the call does not get to see that.
        self._is_writing = True
        try:
            super().set_state(key, value)
        finally:
            self._is_writing = False

    @property
    def state(self) -> StateView:
        return _RecordingView(self)


class _RecordingView(StateView):
    __slots__ = ()
    _context: RecordingContext

    def has(self, key: str) -> bool:
        self._context.note(key)
        return super().has(key)

    def __iter__(self) -> Iterator[str]:
        self._context.note(ALL_KEYS)
        return super().__iter__()


@dataclass(eq=False)
class NotedCall:
    """A call that reaches outside, as it happens.

    attempt    its number, from 1
    position   of its delivery among those of the job
    own        the executor's own record before; `touched` is the shared state as its job had written it before
    reads      keys of the shared state that it has read
    origin     live, recorded or pinned
    record     the executor's own record after, if it has one
    secrets    that were used
    """

    job: Job
    delivery: Delivery
    attempt: int
    position: int
    outside: Outside
    own: Any
    is_first: bool
    touched: Mapping[str, Any] | None
    effects: Effects
    reads: dict[str, None] = field(default_factory=dict)
    origin: str = LIVE
    record: Mapping[str, Any] | None = None
    secrets: set[str] = field(default_factory=set)

    @property
    def error(self) -> BaseException | None:
        """What the call raised, if it is a failed attempt."""
        for attempt in self.job.attempts:
            if attempt.delivery is self.delivery and attempt.number == self.attempt:
                return attempt.error
        return None

    async def run(self, arguments: tuple[Any, ...], stop: StopSignal) -> None:
        """Call the handler, and note what is left of it beside its effects."""
        handler = self.delivery.handler
        with noting_secrets() as secrets:
            try:
                await call_handler(handler, arguments, self.job)
            finally:
                self.secrets |= secrets
        await self.note_record(stop)

    async def note_record(self, stop: StopSignal) -> None:
        if self.job.executor.has_hooks:
            self.record = await snapshot(self.job.executor, stop)
        elif self.job.own is not None:
            self.record = isolate(self.job.own)

    def inputs(self, earlier: Sequence[NotedCall], types: TypeRegistry) -> Inputs:
        """Return what it depended on. `earlier` are the calls of its job before it.
        Raise `EncodeError` for a value that cannot be saved.
        """
        reads = {
            key: read_digest(self.job, self.touched, key, types) for key in self.reads
        }
        return Inputs(
            code_digest(self.job.executor, self.delivery.handler),
            received_digest(self.delivery, types),
            self.own_digest(earlier, types),
            reads,
        )

    def own_digest(self, earlier: Sequence[NotedCall], types: TypeRegistry) -> str:
        before: list[str] = []
        own = self.own
        if self.job.executor.has_hooks:
            # Its attributes hold what it did before in this superstep.
            before = [
                received_digest(delivery, types)
                for delivery in self.job.inbox[: self.position]
            ]
            records = [call.record for call in earlier if call.record is not None]
            own = records[-1] if records else own
        return own_digest(own, is_first=self.is_first, earlier=before, types=types)

    def call(
        self, ordinal: int, earlier: Sequence[NotedCall], types: TypeRegistry
    ) -> Call:
        """Return what is kept of it."""
        omitted = ""
        try:
            inputs = self.inputs(earlier, types)
        except EncodeError:
            inputs = Inputs("", "", "")
            omitted = _UNKNOWN
        if self.origin == PINNED:
            omitted = WAS_PINNED
        return Call(
            self.job.round.path,
            self.job.executor_id,
            ordinal,
            self.delivery.handler.name,
            self.outside.what,
            self.outside.is_harmless,
            inputs,
            Results() if omitted else self._results(),
            omitted,
            frozenset(self.secrets) | self.job.executor.engine_secrets,
        )

    def _results(self) -> Results:
        error = self.error
        if error is not None:
            return Results(
                error=CallError(
                    type(error).__name__,
                    savable(text_of(error)),
                    tuple(traceback_lines(error)),
                    is_tried_again(error),
                )
            )
        effects = self.effects
        return Results(
            tuple(effects.sent),
            tuple(effects.outputs),
            {
                key: value
                for key, value in effects.writes.items()
                if value is not DELETED
            },
            tuple([key for key, value in effects.writes.items() if value is DELETED]),
            tuple(effects.requests),
            self.record,
        )


def begin_noting(
    job: Job, delivery: Delivery, attempt: int
) -> tuple[NotedCall, RecordingContext]:
    """Return a call that begins now, and its context."""
    context = RecordingContext.of(job, delivery.sources, delivery.request)
    record = job.round.state.executors.get(job.executor_id)
    own = job.own
    call = NotedCall(
        job=job,
        delivery=delivery,
        attempt=attempt,
        position=job.deliveries,
        outside=_outside_of(delivery),
        # A dict that the next call may change in place, or a record that nothing changes.
        own=isolate(own) if own is not None else _state_of(record),
        is_first=job.deliveries == 0 and (record is None or record.runs == 0),
        touched=None if job.touched is None else dict(job.touched),
        effects=context.effects,
    )
    context.note_reads(call.reads)
    return call, context


def _state_of(record: Any) -> Mapping[str, Any]:
    return {} if record is None else dict(record.state)


def _outside_of(delivery: Delivery) -> Outside:
    outside = delivery.handler.outside
    if outside is None:
        raise ValueError(f"Handler '{delivery.handler.name}' does not reach outside.")
    return outside
