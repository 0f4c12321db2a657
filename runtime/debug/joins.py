"""The ledger of the joins: the messages that each holds, the sources it waits for, and
why.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from runtime.checkpoint import Checkpoint
from runtime.debug.graph import Graph, Join, graph_of
from runtime.debug.next_superstep import Outlook, held
from runtime.debug.past_supersteps import Past
from runtime.debug.protocol import JoinMoment, JoinRelease, JoinSource
from runtime.debug.values import to_value
from runtime.edges.arcs import Arc
from runtime.edges.base import CONDITION_FALSE, NOT_SELECTED
from runtime.message import Message, is_failure_of_source
from runtime.state import RunState, Trace

MESSAGES_SHOWN = 20


_DISABLED = "disabled: the join does not wait for it"
_REFUSALS = {
    CONDITION_FALSE: "was not taken, its condition was false",
    NOT_SELECTED: "was not selected",
}


def held_messages(checkpoint: Checkpoint, edge: str) -> tuple[Message, ...]:
    """Return the messages that the join with this edge id holds, in arrival order."""
    graph = graph_of(checkpoint.definition, checkpoint.state)
    return next(
        (held(join, checkpoint.state) for join in graph.joins if join.edge == edge), ()
    )


@dataclass(frozen=True, slots=True)
class Ledger:
    """The joins at one barrier. `outer_superstep` is that of the outermost run, for a
    run inside it, whose own supersteps count from its input.
    """

    graph: Graph
    state: RunState
    trace: Trace
    ahead: Outlook
    history: Past
    failed: str = ""
    outer_superstep: int | None = None

    @property
    def superstep(self) -> int:
        if self.outer_superstep is None:
            return self.state.superstep
        return self.outer_superstep

    def ages(self, join: Join) -> dict[str, list[int | None]]:
        """Return for each source the supersteps in which the messages that the join
        holds arrived, the oldest first; None where that is not known.
        """
        counts = Counter(message.source_id for message in held(join, self.state))
        return {
            source: self._ages(join, source, count) for source, count in counts.items()
        }

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
            fired=self.superstep if fired else 0,
            stalled=bool(messages) and self.ahead.resting and not self.state.requests,
            preview=self._preview(join, messages, missing),
            releases=tuple(
                JoinRelease(
                    edge=join.edge,
                    target=join.target,
                    counts=tuple(zip(join.sources, counts, strict=False)),
                    superstep=when.superstep,
                    checkpoint_id=when.checkpoint_id,
                )
                for when, counts in self.history.releases.get(join.edge, ())
            ),
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
        ages = self._ages(join, source, len(arrived))
        return JoinSource(
            id=source,
            have=len(arrived),
            need=0 if silent or join.rule.policy in ("any", "count") else 1,
            released=released,
            disabled=silent,
            since=ages[0] if ages else None,
            reason=reason,
            ages=tuple(ages[:MESSAGES_SHOWN]),
            messages=tuple(
                to_value(message.data, depth=1, limit=MESSAGES_SHOWN)
                for message in arrived[:MESSAGES_SHOWN]
            ),
        )

    def _ages(self, join: Join, source: str, have: int) -> list[int | None]:
        """Return the supersteps in which these messages arrived, as far as that is
        certain.
        """
        arrived_now = 0
        for fate in self.trace.fates:
            on_way = fate.edge_id == join.edge and fate.source_id == source
            if on_way and fate.kind == "buffered":
                arrived_now += fate.count
        arrivals = [(self.superstep, arrived_now)]
        arrivals += self.history.arrived.get((join.edge, source), ())
        # The join releases the oldest first. So the messages that it holds are the
        # newest arrivals: count them back until all are found.
        ages: list[int | None] = []
        for superstep, count in arrivals:
            ages += [superstep] * min(count, have - len(ages))
        missing = have - len(ages)
        if missing:
            ages += [self._arrival_of_only_run(source)] * missing
        return ages[::-1]

    def _arrival_of_only_run(self, source: str) -> int | None:
        """Return when the messages of a source arrived that ran once: it sent all of
        them in that run, and a message sent in superstep n arrives in n + 1.
        """
        record = self.state.executors.get(source)
        if record is None or record.runs != 1:
            return None
        ran = self._last_ran(source)
        return ran + 1 if ran else None

    def _last_ran(self, source: str) -> int:
        """Return the superstep in which an executor ran last; 0 for never, or where it
        is not known.
        """
        if any(call.executor_id == source for call in self.trace.invocations):
            return self.superstep
        record = self.state.executors.get(source)
        if self.outer_superstep is None:
            return record.last_superstep if record is not None and record.runs else 0
        return self.history.ran.get(source, 0)

    def _why_missing(self, join: Join, source: str) -> str:
        following = self.superstep + 1
        name = self.graph.title(source)
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
        ran = self._last_ran(source)
        dropped = self._dropped(join, source, ran)
        if dropped:
            return dropped
        if source in self.ahead.untaken:
            return self._why_untaken(source)
        return self._why_silent(join, source, ran=ran)

    def _why_untaken(self, source: str) -> str:
        """Return which edge on the way to the source went elsewhere, if that is
        known.
        """
        seen = {source}
        todo = [source]
        while todo:
            for way in self.graph.into.get(todo.pop(0), ()):
                words = self._refusal(way, after=0)
                if words:
                    return f"branch not taken: {words}"
                if way.source in self.ahead.untaken and way.source not in seen:
                    seen.add(way.source)
                    todo.append(way.source)
        return "branch not taken"

    def _refusal(self, way: Arc, *, after: int) -> str:
        """Return how an edge decided against its target after a superstep; "" if it
        did not, or that is not known.
        """
        edge = way.edge.id
        refused = self._last_refusal(edge, way.target)
        choice = self._last_choice(edge)
        if choice is not None and choice[0] > after:
            superstep, case = choice
            took = "the default" if case == "default" else f"case {int(case) + 1}"
            return (
                f"{self.graph.title(way.source)} took {took} in superstep {superstep}"
            )
        if refused is None or refused[0] <= after:
            return ""
        superstep, reason = refused
        ends = f"{self.graph.title(way.source)} → {self.graph.title(way.target)}"
        words = _REFUSALS.get(reason, f"did not take it ({reason})")
        return f"{ends} {words} in superstep {superstep}"

    def _last_refusal(self, edge: str, target: str) -> tuple[int, str] | None:
        """Return when and why an edge last did not take a message, unless it took
        another one in that superstep.
        """
        drops = []
        for fate in self.trace.fates:
            if fate.edge_id == edge and fate.target_id == target:
                if fate.kind != "dropped":
                    return None
                drops.append(fate.reason)
        if drops:
            return self.superstep, drops[-1]
        return self.history.refused.get((edge, target))

    def _last_choice(self, edge: str) -> tuple[int, str] | None:
        """Return the superstep and the case in which a switch chose last, if known."""
        for fate in self.trace.fates:
            if fate.edge_id == edge and fate.case:
                return self.superstep, fate.case
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
            return self._silent_since(join, source, ran)
        for other_join in self.graph.joins:
            if other_join.target == source and held(other_join, self.state):
                return f"{self.graph.title(source)} waits in its own join"
        return self._silent_since(join, source, ran) if ran else "not reached"

    def _silent_since(self, join: Join, source: str, ran: int) -> str:
        if self._fired_here(join):
            fired = self.superstep
        else:
            fired = self.history.fired.get(join.edge, 0)
        for way in self.graph.into.get(source, ()):
            words = self._refusal(way, after=max(ran, fired))
            if words:
                return f"ran in superstep {ran}; then {words}"
        if fired:
            return f"silent since the join fired in superstep {fired}"
        if not ran:
            return "sent nothing here"
        return f"ran in superstep {ran}, sent nothing here"

    def _fired_here(self, join: Join) -> bool:
        return any(release.edge_id == join.edge for release in self.trace.releases)

    def _sender_clause(self, source: str) -> str:
        senders = [s for (_edge, s, target) in self.ahead.ways if target == source]
        if len(senders) == 1:
            return f", a message from {self.graph.title(senders[0])} is queued for it"
        return ""

    def _dropped(self, join: Join, source: str, ran: int) -> str:
        """Return why the last message of the source was dropped, or empty. A drop
        before its last run explains nothing.
        """
        for fate in self.trace.fates:
            on_way = fate.edge_id == join.edge and fate.source_id == source
            if on_way and fate.kind == "dropped":
                return f"dropped: {fate.reason or 'no reason recorded'}"
        earlier = self.history.dropped.get((join.edge, source))
        if earlier is None or earlier[0] <= ran:
            return ""
        superstep, reason = earlier
        return f"dropped in superstep {superstep}: {reason or 'no reason recorded'}"

    def _preview(
        self, join: Join, messages: tuple[Message, ...], missing: tuple[str, ...]
    ) -> tuple[str, ...]:
        """Return sentences that say when the join fires and what its target
        gets.
        """
        target = self.graph.title(join.target)
        following = self.superstep + 1
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
