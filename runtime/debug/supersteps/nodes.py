"""The state of each executor at a barrier, or inside a running superstep."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from runtime.debug.graphs.graph import Graph
from runtime.debug.protocol import JoinMoment, NodeMoment, NodeState
from runtime.debug.supersteps.next_superstep import Outlook
from runtime.debug.supersteps.past_supersteps import Past
from runtime.state import RunState, Trace, owner_of
from runtime.values.words import duration


@dataclass(frozen=True, slots=True)
class Live:
    """Facts of the live run alone: how its last superstep ended, or which executors run
    now.

    failed     the executor whose handler failed; `error` and `error_type` say how
    cancelled  executors that were cancelled with the superstep
    running    executor -> seconds since it started
    ended      executor -> seconds that it took; its effects count at the barrier only
    """

    failed: str = ""
    error: str = ""
    error_type: str = ""
    cancelled: frozenset[str] = frozenset()
    running: Mapping[str, float] = field(default_factory=dict)
    ended: Mapping[str, float] = field(default_factory=dict)

    @property
    def is_moving(self) -> bool:
        """Whether a superstep runs now."""
        return bool(self.running or self.ended)


NOT_LIVE = Live()


def errors_of(trace: Trace) -> dict[str, str]:
    """Return how executors failed in a superstep whose failures an error edge
    took: errors that no further attempt followed.
    """
    failed: dict[str, str] = {}
    following = [*trace.invocations[1:], None]
    for invocation, after in zip(trace.invocations, following, strict=False):
        again = (
            after is not None
            and after.executor_id == invocation.executor_id
            and after.attempt > 1
        )
        if invocation.error and not again:
            failed[invocation.executor_id] = invocation.error
    return failed


def attempts_of(trace: Trace) -> dict[str, int]:
    """Return how many attempts one message needed at each executor in a superstep,
    at most.
    """
    most: dict[str, int] = {}
    for invocation in trace.invocations:
        most[invocation.executor_id] = max(
            most.get(invocation.executor_id, 1), invocation.attempt
        )
    return most


def seconds_of(trace: Trace) -> dict[str, float]:
    """Return how long each executor ran in a superstep, over all calls and
    attempts.
    """
    total: dict[str, float] = {}
    for invocation in trace.invocations:
        total[invocation.executor_id] = (
            total.get(invocation.executor_id, 0.0) + invocation.seconds
        )
    return total


@dataclass(frozen=True)
class Nodes:
    """The executors at one barrier."""

    graph: Graph
    state: RunState
    trace: Trace
    ahead: Outlook
    joins: Sequence[JoinMoment]
    history: Past
    live: Live

    def all(self) -> dict[str, NodeMoment]:
        return {
            id_: self._node(id_)
            for id_ in dict.fromkeys([*self.graph.titles, *self.state.executors])
        }

    def _node(self, id_: str) -> NodeMoment:
        record = self.state.executors.get(id_)
        state, detail = self._state(id_)
        error, attempts = self._last_run(id_)
        return NodeMoment(
            state=state,
            detail=detail,
            superstep=record.last_superstep if record else 0,
            seconds=self._seconds.get(id_, self.history.seconds.get(id_)),
            queued=self.ahead.next.get(id_, 0),
            questions=self._questions[id_],
            attempts=attempts,
            error=self.live.error if id_ == self.live.failed else error,
            handed_on=state == "failed"
            and id_ != self.live.failed
            and id_ not in self._seconds,
        )

    def _state(self, id_: str) -> tuple[NodeState, str]:
        return (
            self._live_state(id_) or self._pending_state(id_) or self._past_state(id_)
        )

    def _live_state(self, id_: str) -> tuple[NodeState, str] | None:
        live = self.live
        if id_ == live.failed:
            return "failed", live.error_type
        if id_ in live.running:
            return "running", duration(live.running[id_])
        if id_ in live.ended:
            return "done", duration(live.ended[id_])
        if id_ in live.cancelled:
            return ("cancelled", f"s{self.state.superstep + 1}")
        return None

    def _pending_state(self, id_: str) -> tuple[NodeState, str] | None:
        """Return the state of an executor with work ahead: it runs next, it
        asks, or messages wait for it.
        """
        if id_ in self.ahead.next and not self.live.is_moving:
            return "next", f"s{self.state.superstep + 1}"
        if self._questions[id_]:
            return "asking", ""
        join = self._join_by_target.get(id_)
        if join is not None and id_ not in self._seconds:
            return (
                "stalled" if join.stalled else "waiting",
                f"{join.filled} of {join.awaited}",
            )
        if id_ in self.ahead.next:
            return ("queued", f"{self.ahead.next[id_]} msg")
        return None

    def _past_state(self, id_: str) -> tuple[NodeState, str]:
        if self._errors.get(id_):
            return "failed", self._errors[id_].partition(":")[0]
        if id_ in self._seconds:
            attempts = self._attempts.get(id_, 1)
            again = f" ×{attempts}" if attempts > 1 else ""
            return "ran", f"{duration(self._seconds[id_])}{again}"
        record = self.state.executors.get(id_)
        if record is not None and record.runs:
            return self._earlier_state(id_, f"s{record.last_superstep}")
        if self.ahead.resting and id_ in self.ahead.untaken:
            return ("not_taken", "")
        return ("idle", "")

    def _last_run(self, id_: str) -> tuple[str, int]:
        """Return how its last run failed, "" if it did not, and how many
        attempts that took.
        """
        if id_ in self._seconds:
            return self._errors.get(id_, ""), self._attempts.get(id_, 1)
        record = self.state.executors.get(id_)
        # The history keeps one record per name: it is of another run of the
        # sub-workflow.
        if record is None or not record.runs:
            return "", 1
        return self.history.errors.get(id_, ""), self.history.attempts.get(id_, 1)

    def _earlier_state(self, id_: str, when: str) -> tuple[NodeState, str]:
        """Return how its last run ended in an earlier superstep. A failure
        that an error edge took stays a failure.
        """
        error, attempts = self._last_run(id_)
        if error:
            return "failed", when
        seconds = self.history.seconds.get(id_)
        if attempts > 1:
            return "done", f"{when} · {attempts} attempts"
        return "done", when if seconds is None else f"{when} · {duration(seconds)}"

    @cached_property
    def _seconds(self) -> dict[str, float]:
        return seconds_of(self.trace)

    @cached_property
    def _errors(self) -> dict[str, str]:
        return errors_of(self.trace)

    @cached_property
    def _attempts(self) -> dict[str, int]:
        return attempts_of(self.trace)

    @cached_property
    def _questions(self) -> Counter[str]:
        counts = Counter(
            request.executor_id for request in self.state.requests.values()
        )
        for key, child in self.state.children.items():
            # A question handed to the outside is open in the parent too, under the same
            # id; it would count twice.
            counts[owner_of(key)] += len(
                child.requests.keys() - self.state.requests.keys()
            )
        return counts

    @cached_property
    def _join_by_target(self) -> dict[str, JoinMoment]:
        """Return for each target the join that holds messages for it; of
        several, the fullest.
        """
        return {
            join.target: join
            for join in sorted(self.joins, key=lambda join: join.filled)
            if join.held
        }
