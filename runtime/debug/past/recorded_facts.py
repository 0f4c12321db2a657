"""The facts of one recorded superstep, from its checkpoint and the one before.

They are the facts that the run itself had: a message has its place in the queue of the
barrier before, a written value is in the state after. What a record leaves open is
`NOT_RECORDED`, never guessed: in records of older versions the way of each message,
where the barrier before was removed the messages, and of a run of a sub-workflow that
ended in the superstep what it wrote and yielded.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

from runtime.checkpoint import Cause, CheckpointHeader
from runtime.debug.facts.fact import FACT_KINDS, NOT_RECORDED, Fact, FactKind
from runtime.debug.graphs.graph import Graph
from runtime.debug.supersteps.message_fates import trace_in
from runtime.debug.supersteps.next_superstep import Routed, held
from runtime.debug.supersteps.received import received_by
from runtime.debug.supersteps.traffic import Delivery, Traffic
from runtime.events import WorkflowRunState
from runtime.message import Message
from runtime.state import EMPTY, Fate, Invocation, RunState, Trace

Path = tuple[str, ...]
DELETED = "deleted"
_EVERY = frozenset(FACT_KINDS)


class Graphs(Protocol):
    """Gives the graph of each run of a tree."""

    def at(self, path: Path, state: RunState) -> Graph:
        """Return the graph of the run that these keys lead to, with the buffers of its
        state.
        """
        ...

    def is_drawn(self, path: Path) -> bool:
        """Return whether the run has a document, whose edges have ids that people
        know.
        """
        ...


@dataclass(frozen=True)
class RecordedStep:
    """What led to a checkpoint: the state of the barrier before (None if it is not in
    the store), the state and the trace of the checkpoint, and the graphs.
    """

    header: CheckpointHeader
    before: RunState | None
    after: RunState
    trace: Trace
    graphs: Graphs

    def facts(self, kinds: Collection[FactKind] = _EVERY) -> Iterator[Fact]:
        """Yield the facts of these kinds: run by run, the outermost first, in the
        order in which things happen; then the barrier itself.
        """
        if self.header.cause is Cause.SUPERSTEP:
            for path, before, after in self._runs():
                yield from _RunFacts(self, path, before, after).facts(kinds)
        elif self.header.cause is Cause.RESPONSE and "answer" in kinds:
            yield from self._answers()
        if "starves" in kinds:
            yield from self._starving()
        if "checkpoint" in kinds:
            for path, state in runs_of_tree(self.after):
                yield Fact(
                    "checkpoint", self.header.superstep, path, state=state.shared
                )

    def _runs(self) -> Iterator[tuple[Path, RunState | None, RunState | None]]:
        """Yield each run that can have done something, with its two barriers. A run
        that began in the superstep has only its input.
        """
        after = dict(runs_of_tree(self.after))
        if self.before is None:
            for path, state in after.items():
                yield path, None, state
            return
        for path, state in runs_of_tree(self.before):
            yield path, state, after.get(path)

    def _answers(self) -> Iterator[Fact]:
        for message in self.after.queue:
            request = message.request
            if request is not None and request.id in self.trace.answered:
                yield Fact(
                    "answer",
                    self.header.superstep,
                    executor=request.executor_id,
                    value=message.data,
                    state=self.after.shared,
                    own=own_state(self.after, request.executor_id),
                )

    def _starving(self) -> Iterator[Fact]:
        is_new = self.header.cause in (Cause.SUPERSTEP, Cause.INPUT)
        if (
            not is_new
            or self.header.status != WorkflowRunState.IDLE_WITH_STALLED_JOINS.value
        ):
            return
        state_before = self.before or RunState()
        for path, state in runs_of_tree(self.after):
            for join in self.graphs.at(path, state).joins:
                messages = held(join, state)
                if not messages:
                    continue
                have = Counter(message.source_id for message in messages)
                silent = [source for source in join.awaited if not have[source]]
                edge = join.edge
                if not self.graphs.is_drawn(path):
                    edge = f"{', '.join(join.sources)} -> {join.target}"
                yield Fact(
                    "starves",
                    self.header.superstep,
                    path,
                    executor=join.target,
                    edge=edge,
                    value=[message.data for message in messages],
                    reason=f"waits for {', '.join(silent)}" if silent else "",
                    state=_shared_at(state_before, path),
                )


def runs_of_tree(state: RunState, path: Path = ()) -> Iterator[tuple[Path, RunState]]:
    """Yield a run and all runs of sub-workflows below it, with the keys to each."""
    yield path, state
    for key, child in state.children.items():
        yield from runs_of_tree(child, (*path, key))


def own_state(state: RunState | None, executor_id: str) -> Mapping[str, Any]:
    """Return the own state of an executor at a barrier; empty before its first run."""
    record = None if state is None else state.executors.get(executor_id)
    return EMPTY if record is None else record.state


def _shared_at(state: RunState, path: Path) -> Mapping[str, Any]:
    for key in path:
        state = state.children.get(key, RunState())
    return state.shared


class _RunFacts:
    """The facts of one run of the tree in a superstep."""

    def __init__(
        self,
        step: RecordedStep,
        path: Path,
        before: RunState | None,
        after: RunState | None,
    ) -> None:
        self._superstep = step.header.superstep
        self._path = path
        self._before = before
        self._after = after
        known = before or after or RunState()
        self._graph = step.graphs.at(path, known)
        self._is_drawn = step.graphs.is_drawn(path)
        owners = self._graph.titles.keys() | known.executors.keys()
        self._trace = trace_in(step.trace, path, self._graph, owners)

    def facts(self, kinds: Collection[FactKind]) -> Iterator[Fact]:
        for made, derive in _DERIVATIONS:
            if not made.isdisjoint(kinds):
                yield from (fact for fact in derive(self) if fact.kind in kinds)

    def _fact(self, kind: FactKind, executor: str, **fields: Any) -> Fact:
        return Fact(
            kind,
            self._superstep,
            self._path,
            executor,
            state=EMPTY if self._before is None else self._before.shared,
            own=own_state(self._before, executor),
            **fields,
        )

    # --- messages -----------------------------------------------------------------------------------------------

    @cached_property
    def _traffic(self) -> Traffic | None:
        if self._before is None:
            return None
        routed = Routed(self._trace.fates, self._trace.releases)
        return Traffic(self._graph, self._before, routed)

    def messages(self) -> Iterator[Fact]:
        queue: Sequence[Message] = () if self._before is None else self._before.queue
        sent = Counter(message.source_id for message in queue)
        known = set()
        if self._traffic is not None:
            for position, message in enumerate(queue):
                for fate in self._traffic.fates_of(position):
                    known.add(fate)
                    yield from self._message(fate, message.data)
        for fate in self._trace.fates:
            if fate in known or (fate.positions and sent[fate.source_id]):
                continue
            for _ in range(fate.count):
                yield from self._message(fate, NOT_RECORDED)

    def _message(self, fate: Fate, value: Any) -> Iterator[Fact]:
        is_dropped = fate.kind == "dropped"
        # The input of a run and an answer come along no edge.
        if fate.edge_id is not None or is_dropped:
            yield self._fact(
                "dropped" if is_dropped else "message",
                fate.target_id or "",
                source=fate.source_id,
                edge=self._edge(fate.edge_id, fate.source_id, fate.target_id),
                value=value,
                reason=fate.reason,
            )

    def releases(self) -> Iterator[Fact]:
        lists: dict[str, Iterator[Delivery]] = {}
        for release in self._trace.releases:
            edge = release.edge_id
            if edge not in lists:
                released = [] if self._traffic is None else self._traffic.released(edge)
                lists[edge] = iter(released)
            value: Any = NOT_RECORDED
            delivery = next(lists[edge], None)
            if delivery is not None and len(delivery.places) == sum(release.counts):
                value = _list_of(delivery)
            sources = self._sources_of(edge)
            yield self._fact(
                "fires",
                release.target_id,
                edge=self._edge(edge, sources, release.target_id),
                value=value,
            )

    def _sources_of(self, join_edge: str) -> str:
        for join in self._graph.joins:
            if join.edge == join_edge:
                return ", ".join(join.sources)
        return ""

    def _edge(self, edge: str | None, source: str, target: str | None) -> str:
        """Return the name of an edge: its id in the document, else its ends."""
        if not edge or self._is_drawn or target is None:
            return edge or ""
        return f"{source} -> {target}"

    # --- handler calls ------------------------------------------------------------------------------------------

    def calls(self) -> Iterator[Fact]:
        by_executor: dict[str, list[Invocation]] = {}
        for invocation in self._trace.invocations:
            by_executor.setdefault(invocation.executor_id, []).append(invocation)
        for executor, invocations in by_executor.items():
            received, _ = received_by(invocations, self._traffic, executor)
            for invocation, delivery in zip(invocations, received, strict=True):
                yield from self._call(invocation, delivery)

    def _call(
        self, invocation: Invocation, delivery: Delivery | None
    ) -> Iterator[Fact]:
        executor = invocation.executor_id
        source = ", ".join(invocation.sources)
        edge = "" if delivery is None else delivery.edge
        fields = {
            "source": source,
            "edge": self._edge(edge, source, executor),
            "handler": invocation.handler,
            "value": self._argument(delivery),
            "attempt": invocation.attempt,
        }
        yield self._fact("before", executor, **fields)
        if invocation.error:
            yield self._fact("failure", executor, reason=invocation.error, **fields)
        else:
            yield self._fact("after", executor, **fields)

    def _argument(self, delivery: Delivery | None) -> Any:
        """Return what a handler was called with."""
        if delivery is None:
            return NOT_RECORDED
        join = next(
            (join for join in self._graph.joins if join.edge == delivery.edge), None
        )
        if join is not None:
            return _list_of(delivery) if join.rule.delivers_lists else NOT_RECORDED
        return delivery.places[0].message.data

    # --- effects ------------------------------------------------------------------------------------------------

    def writes(self) -> Iterator[Fact]:
        handlers: dict[tuple[str, str], set[str]] = {}
        for invocation in self._trace.invocations:
            for key in invocation.wrote:
                handlers.setdefault((invocation.executor_id, key), set()).add(
                    invocation.handler
                )
        # Only the outermost run has records of its own for writes.
        recorded = [(write.executor_id, write.key) for write in self._trace.writes]
        for executor, key in dict.fromkeys([*recorded, *handlers]):
            names = handlers.get((executor, key), set())
            handler = names.pop() if len(names) == 1 else ""
            yield self._write(executor, key, handler)

    def _write(self, executor: str, key: str, handler: str) -> Fact:
        value: Any = NOT_RECORDED
        reason = ""
        if self._after is not None:
            value = self._after.shared.get(key)
            reason = "" if key in self._after.shared else DELETED
        before: Any = NOT_RECORDED
        if self._before is not None:
            before = self._before.shared.get(key)
        return self._fact(
            "write",
            executor,
            handler=handler,
            key=key,
            value=value,
            old=before,
            reason=reason,
        )

    def questions(self) -> Iterator[Fact]:
        handlers = {
            request_id: (invocation.executor_id, invocation.handler)
            for invocation in self._trace.invocations
            for request_id in invocation.asked
        }
        requests = {} if self._after is None else self._after.requests
        for request_id in dict.fromkeys([*handlers, *self._trace.asked]):
            request = requests.get(request_id)
            known = "" if request is None else request.executor_id
            executor, handler = handlers.get(request_id, (known, ""))
            yield self._fact(
                "question",
                executor,
                handler=handler,
                value=NOT_RECORDED if request is None else request.data,
            )

    def answers(self) -> Iterator[Fact]:
        """Yield the answers that an outer run has handed to this one."""
        if self._before is None or self._after is None or not self._path:
            return
        for message in self._after.queue:
            request = message.request
            if request is not None and request.id in self._before.requests:
                yield self._fact("answer", request.executor_id, value=message.data)

    def outputs(self) -> Iterator[Fact]:
        if not self._path:
            for output in self._trace.outputs:
                yield self._fact("output", output.executor_id, value=output.data)
            return
        # The outer run has what an inner one yields, under the name of its executor.
        for invocation in self._trace.invocations:
            for _ in range(invocation.outputs):
                yield self._fact(
                    "output",
                    invocation.executor_id,
                    handler=invocation.handler,
                    value=NOT_RECORDED,
                )


def _list_of(delivery: Delivery) -> list[Any]:
    return [place.message.data for place in delivery.places]


_DERIVATIONS: tuple[
    tuple[frozenset[FactKind], Callable[[_RunFacts], Iterator[Fact]]], ...
] = (
    (frozenset({"message", "dropped"}), _RunFacts.messages),
    (frozenset({"fires"}), _RunFacts.releases),
    (frozenset({"before", "after", "failure"}), _RunFacts.calls),
    (frozenset({"write"}), _RunFacts.writes),
    (frozenset({"question"}), _RunFacts.questions),
    (frozenset({"answer"}), _RunFacts.answers),
    (frozenset({"output"}), _RunFacts.outputs),
)
