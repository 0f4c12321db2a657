"""The ledger of the joins: the messages that each holds, the sources it waits for, and
why.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from runtime.checkpoint import Checkpoint
from runtime.debug.graphs.graph import Graph, Join, graph_of
from runtime.debug.joins.filling import filling
from runtime.debug.joins.silence import Cause, Silence
from runtime.debug.protocol import JoinMoment, JoinRelease, JoinSource
from runtime.debug.supersteps.next_superstep import Outlook, held
from runtime.debug.supersteps.past_supersteps import Past
from runtime.debug.supersteps.traffic import held_places
from runtime.debug.values.display import to_value
from runtime.message import Message
from runtime.state import Fate, RunState, Trace

MESSAGES_SHOWN = 20
_DISABLED = "disabled: the join does not wait for it"


def held_messages(checkpoint: Checkpoint, edge: str) -> tuple[Message, ...]:
    """Return the messages that the join with this edge id holds, in arrival order."""
    graph = graph_of(checkpoint.definition, checkpoint.state)
    return next(
        (held(join, checkpoint.state) for join in graph.joins if join.edge == edge), ()
    )


@dataclass(frozen=True)
class Ledger:
    """The joins at one barrier. `outer_superstep` is that of the outermost run, for a
    run inside it, whose own supersteps count from its input. `coming` has the fates of
    the next superstep, as far as they are known.
    """

    graph: Graph
    state: RunState
    trace: Trace
    ahead: Outlook
    history: Past
    failed: str = ""
    outer_superstep: int | None = None
    coming: tuple[Fate, ...] = ()

    @property
    def superstep(self) -> int:
        if self.outer_superstep is None:
            return self.state.superstep
        return self.outer_superstep

    @cached_property
    def _silence(self) -> Silence:
        return Silence(
            self.graph,
            self.state,
            self.trace,
            self.ahead,
            self.history,
            self.failed,
            self.superstep,
            self.outer_superstep is not None,
            self.coming,
        )

    @cached_property
    def _sections(self) -> dict[tuple[str, str], list[str]]:
        """The sections of the held messages, by join and source."""
        sections: dict[tuple[str, str], list[str]] = {}
        for join, place in held_places(self.graph, self.state):
            key = (join.edge, place.message.source_id)
            sections.setdefault(key, []).append(place.section)
        return sections

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
        fired = self._silence.has_fired(join)
        released = self._released_by_source(join)
        return JoinMoment(
            edge=join.edge,
            key=join.key or "",
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
            filling=filling(
                join,
                {source: len(arrived) for source, arrived in by_source.items()},
                self.trace,
                self.superstep,
                self.history,
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
            cause = self._silence.cause(join, source)
        elif silent:
            cause = Cause(_DISABLED, source)
        else:
            cause = Cause(_surplus(join, len(arrived)))
        ages = self._ages(join, source, len(arrived))
        return JoinSource(
            id=source,
            have=len(arrived),
            need=0 if silent or join.rule.policy in ("any", "count") else 1,
            released=released,
            disabled=silent,
            since=ages[0] if ages else None,
            reason=cause.text,
            cause_element=cause.element,
            cause_superstep=cause.superstep,
            sections=tuple(
                self._sections.get((join.edge, source), ())[:MESSAGES_SHOWN]
            ),
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
        ran = self._silence.last_ran(source)
        return ran + 1 if ran else None

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
