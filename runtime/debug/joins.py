"""The ledger of the joins: the messages that each holds, the sources it waits for, and
why.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from runtime.checkpoint import Checkpoint
from runtime.debug.graph import Graph, Join, graph_of
from runtime.debug.message_fates import prefix_of
from runtime.debug.next_superstep import Outlook, held
from runtime.debug.protocol import JoinMoment, JoinSource
from runtime.debug.values import to_value
from runtime.message import Message, is_failure_of_source
from runtime.state import RunState, Trace

MESSAGES_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Past:
    """Facts of earlier supersteps on the same line of checkpoints. Unknown facts are
    left out.

    seconds  executor -> how long its last run took
    errors   executor -> how its last run failed, or empty
    attempts executor -> the most attempts that one message needed
    arrived  (join's edge, source) -> (superstep, messages buffered in it), the newest first
    fired    join's edge -> superstep in which it fired last
    taken    switch's edge -> (superstep, case) in which it chose last: the place of the case from 0, or "default"
    """

    seconds: Mapping[str, float] = field(default_factory=dict)
    arrived: Mapping[tuple[str, str], Sequence[tuple[int, int]]] = field(
        default_factory=dict
    )
    fired: Mapping[str, int] = field(default_factory=dict)
    errors: Mapping[str, str] = field(default_factory=dict)
    attempts: Mapping[str, int] = field(default_factory=dict)
    taken: Mapping[str, tuple[int, str]] = field(default_factory=dict)

    def inside(self, keys: Sequence[str]) -> Past:
        """Return how the executors of a run inside ended, by their names
        there. Superstep numbers are left out, because they belong to the
        outer run.
        """
        prefix = prefix_of(keys)
        full_names = {
            name.removeprefix(prefix): name
            for name in self.attempts
            if name.startswith(prefix)
        }
        errors = {
            name: self.errors[full_name] for name, full_name in full_names.items()
        }
        return Past(
            errors=errors,
            attempts={
                name: self.attempts[full_name] for name, full_name in full_names.items()
            },
        )


NO_PAST = Past()
_DISABLED = "disabled: the join does not wait for it"


def held_messages(checkpoint: Checkpoint, edge: str) -> tuple[Message, ...]:
    """Return the messages that the join with this edge id holds, in arrival order."""
    graph = graph_of(checkpoint.definition, checkpoint.state)
    return next(
        (held(join, checkpoint.state) for join in graph.joins if join.edge == edge), ()
    )


@dataclass(frozen=True, slots=True)
class Ledger:
    """The joins at one barrier."""

    graph: Graph
    state: RunState
    trace: Trace
    ahead: Outlook
    history: Past
    failed: str = ""

    def joins(self) -> tuple[JoinMoment, ...]:
        return tuple(self._join(join) for join in self.graph.joins)

    def _join(self, join: Join) -> JoinMoment:
        messages = held(join, self.state)
        by_source: dict[str, list[Message]] = {source: [] for source in join.sources}
        for message in messages:
            by_source.setdefault(message.source_id, []).append(message)
        missing = _missing(
            join, {source: len(arrived) for source, arrived in by_source.items()}
        )
        fired = self._fired_here(join)
        released = self._released_by_source(join)
        return JoinMoment(
            edge=join.edge,
            target=join.target,
            policy=join.rule.policy,
            sources=tuple(
                self._source(join, id_, arrived, released[id_], missing=id_ in missing)
                for id_, arrived in by_source.items()
            ),
            missing=missing,
            held=len(messages),
            fired=self.state.superstep if fired else 0,
            stalled=bool(messages) and self.ahead.resting and not self.state.requests,
            preview=self._preview(join, messages, missing),
        )

    def _released_by_source(self, join: Join) -> Counter[str]:
        """Return how many messages of each source the join released in this
        superstep, in one list or in several.
        """
        released: Counter[str] = Counter()
        for release in self.trace.releases:
            if release.edge_id == join.edge:
                released.update(dict(zip(join.sources, release.counts, strict=False)))
        return released

    def _source(
        self,
        join: Join,
        source: str,
        arrived: list[Message],
        released: int,
        *,
        missing: bool,
    ) -> JoinSource:
        silent = source in join.silent
        if missing:
            reason = self._why_missing(join, source)
        elif silent:
            reason = _DISABLED
        else:
            reason = _surplus(join, len(arrived))
        return JoinSource(
            id=source,
            have=len(arrived),
            need=0 if silent or join.rule.policy in ("any", "count") else 1,
            released=released,
            disabled=silent,
            since=self._since(join, source, len(arrived)) if arrived else None,
            reason=reason,
            messages=tuple(
                to_value(message.data, depth=1, limit=MESSAGES_SHOWN)
                for message in arrived[:MESSAGES_SHOWN]
            ),
        )

    def _since(self, join: Join, source: str, have: int) -> int | None:
        """Return the superstep in which the oldest of the messages arrived, if
        that is certain.
        """
        arrived_now = 0
        for fate in self.trace.fates:
            on_way = fate.edge_id == join.edge and fate.source_id == source
            if on_way and fate.kind == "buffered":
                arrived_now += fate.count
        arrivals = [(self.state.superstep, arrived_now)]
        arrivals += self.history.arrived.get((join.edge, source), ())
        # The join releases the oldest first. So the messages that it holds are the
        # newest arrivals: count them back until all are found.
        for superstep, count in arrivals:
            have -= count
            if have <= 0:
                return superstep
        record = self.state.executors.get(source)
        # A source that ran once sent all these messages in that run, and a message sent
        # in superstep n arrives in n + 1.
        if record is not None and record.runs == 1:
            return record.last_superstep + 1
        return None

    def _why_missing(self, join: Join, source: str) -> str:
        following = self.state.superstep + 1
        name = self.graph.title(source)
        record = self.state.executors.get(source)
        if self.ahead.arriving[join.edge, source]:
            return f"its message is queued and arrives in superstep {following}"
        if source == self.failed:
            return f"{name} failed in superstep {following}"
        failure = self._failure(source)
        if failure:
            return f"{name} failed: {failure}"
        if source in self.ahead.next:
            return f"{name} runs in superstep {following}{self._sender_clause(source)}"
        if any(
            request.executor_id == source for request in self.state.requests.values()
        ):
            return f"{name} waits for an answer"
        if source in self.ahead.maybe:
            return f"a condition decides in superstep {following} whether {name} runs"
        dropped = self._dropped(join, source)
        if dropped:
            return f"dropped: {dropped}"
        if source in self.ahead.untaken:
            return self._why_untaken(source)
        return self._why_silent(
            join, source, ran=record.last_superstep if record and record.runs else 0
        )

    def _why_untaken(self, source: str) -> str:
        """Return which switch on the way to the source chose another case, if
        that is known.
        """
        seen = {source}
        todo = [source]
        while todo:
            for way in self.graph.into.get(todo.pop(0), ()):
                choice = self._last_choice(way.edge.id)
                if choice is not None:
                    superstep, case = choice
                    if case == "default":
                        took = "the default"
                    else:
                        took = f"case {int(case) + 1}"
                    return f"branch not taken: {self.graph.title(way.source)} took {took} in superstep {superstep}"
                if way.source in self.ahead.untaken and way.source not in seen:
                    seen.add(way.source)
                    todo.append(way.source)
        return "branch not taken"

    def _last_choice(self, edge: str) -> tuple[int, str] | None:
        """Return the superstep and the case in which a switch chose last, if known."""
        for fate in self.trace.fates:
            if fate.edge_id == edge and fate.case:
                return self.state.superstep, fate.case
        return self.history.taken.get(edge)

    def _failure(self, source: str) -> str:
        """Return how the last run of the source failed, if an error edge took
        the failure.
        """
        for invocation in reversed(self.trace.invocations):
            if invocation.executor_id == source:
                return invocation.error
        for message in self.state.queue:
            if message.source_id == source and is_failure_of_source(message):
                return f"{message.data.error_type}: {message.data.error}"
        return self.history.errors.get(source, "")

    def _why_silent(self, join: Join, source: str, *, ran: int) -> str:
        disabled = self.graph.lost.get(source)
        if disabled:
            names = ", ".join(self.graph.title(id_) for id_ in disabled)
            verb = "is" if len(disabled) == 1 else "are"
            return f"not reached while {names} {verb} disabled"
        upstream = [
            id_ for id_ in self.ahead.active if source in self.graph.reachable([id_])
        ]
        if upstream:
            names = ", ".join(self.graph.title(id_) for id_ in sorted(upstream))
            if not ran:
                return f"not reached yet: waits for {names}"
            return self._silent_since(join, ran)
        for other_join in self.graph.joins:
            if other_join.target == source and held(other_join, self.state):
                return f"{self.graph.title(source)} waits in its own join"
        return self._silent_since(join, ran) if ran else "not reached"

    def _silent_since(self, join: Join, ran: int) -> str:
        if self._fired_here(join):
            fired = self.state.superstep
        else:
            fired = self.history.fired.get(join.edge, 0)
        if fired:
            return f"silent since the join fired in superstep {fired}"
        return f"ran in superstep {ran}, sent nothing here"

    def _fired_here(self, join: Join) -> bool:
        return any(release.edge_id == join.edge for release in self.trace.releases)

    def _sender_clause(self, source: str) -> str:
        senders = [s for (_edge, s, target) in self.ahead.ways if target == source]
        if len(senders) == 1:
            return f", a message from {self.graph.title(senders[0])} is queued for it"
        return ""

    def _dropped(self, join: Join, source: str) -> str:
        """Return why this superstep dropped a message of the source, or empty."""
        for fate in self.trace.fates:
            on_way = fate.edge_id == join.edge and fate.source_id == source
            if on_way and fate.kind == "dropped":
                return fate.reason or "no reason recorded"
        return ""

    def _preview(
        self, join: Join, messages: tuple[Message, ...], missing: tuple[str, ...]
    ) -> tuple[str, ...]:
        """Return sentences that say when the join fires and what its target
        gets.
        """
        target = self.graph.title(join.target)
        following = self.state.superstep + 1
        if join.edge in self.ahead.firing:
            return (
                _firing_sentence(join, target),
                f"It fires in superstep {following}.",
            )
        if not messages:
            return ()
        if self.ahead.resting and not self.state.requests:
            return ("Nothing runs any more: it can never fire in this run.",)
        late = [
            source for source in missing if not self.ahead.arriving[join.edge, source]
        ]
        # Sources that run next can send in time for the superstep after it; of the
        # others nothing is known.
        if all(source in self.ahead.next for source in late):
            earliest = following + 1
            return (
                _firing_sentence(join, target),
                f"Superstep {earliest} at the earliest.",
            )
        return (_firing_sentence(join, target),)


def _missing(join: Join, have: Mapping[str, int]) -> tuple[str, ...]:
    """Return the sources that the join still needs: none under `any`; under
    `count` any of the silent ones will do.
    """
    if join.rule.policy == "any" or (
        join.rule.policy == "count" and Counter(have).total() >= join.rule.count
    ):
        return ()
    return tuple(source for source in join.awaited if not have[source])


def _surplus(join: Join, have: int) -> str:
    if have < 2:
        return ""
    if join.rule.policy == "zip":
        return "one is taken each time the join fires"
    return "all are taken together when the join fires"


def _firing_sentence(join: Join, target: str) -> str:
    to = f"{target} as one list" if join.rule.delivers_lists else target
    match join.rule.policy:
        case "zip":
            return f"One message of each source is taken and delivered to {to}."
        case "any":
            return f"Whatever has arrived is delivered to {to}."
        case "count":
            return (
                f"When {join.rule.count} messages are here, they are delivered to {to}."
            )
        case _:
            return f"All messages held are taken in source order and delivered to {to}."
