"""Asking the recorded past: which facts of which checkpoints a question is true for.

A search reads checkpoints in the order of their sequence, a few at a time, so that the
first hits are there at once and a caller may stop at any time. Only the parts that the
question names are read. A state that did not change is not evaluated again.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from runtime.checkpoint import Cause, CheckpointHeader, CheckpointStore
from runtime.checkpoints.archive import Archive
from runtime.concurrency.threads import in_thread
from runtime.debug.facts.fact import Fact, FactKind
from runtime.debug.facts.probe import FactExpression
from runtime.debug.past.query import Query
from runtime.debug.past.reader import Fingerprint, Past, Read, Wants
from runtime.events import WorkflowRunState

# How many checkpoints are read at a time: few at first, because somebody waits for the
# first hit.
FIRST_BATCH = 16
LARGEST_BATCH = 256
# How many headers are asked of the store at a time.
PAGE = 2000
_MEMORY = 20_000  # evaluated states that a search remembers

# The parts of both barriers that the facts of a kind are made of. The queue is always
# among them, because every run of a sub-workflow has one, so that its facts are found.
_BEFORE: dict[FactKind, frozenset[str]] = {
    "message": frozenset({"queue"}),
    "dropped": frozenset({"queue"}),
    "before": frozenset({"queue", "buffer"}),
    "after": frozenset({"queue", "buffer"}),
    "failure": frozenset({"queue", "buffer"}),
    "fires": frozenset({"queue", "buffer"}),
    "write": frozenset({"queue"}),
    "question": frozenset({"queue"}),
    "answer": frozenset({"queue", "request"}),
    "output": frozenset({"queue"}),
}
_AFTER: dict[FactKind, frozenset[str]] = {
    "write": frozenset({"queue"}),
    "question": frozenset({"queue", "request"}),
    "answer": frozenset({"queue"}),
    "starves": frozenset({"queue", "buffer"}),
}
_NOTHING: frozenset[str] = frozenset()
# checkpoint -> the facts of it that a question is true for
_Matches = dict[str, Sequence[Fact]]


@dataclass(frozen=True, slots=True)
class Hit:
    """A fact that the question is true for, the checkpoint that the superstep led to,
    its number among the hits on the way there, and the log text of the question.
    """

    header: CheckpointHeader
    fact: Fact
    number: int = 1
    text: str = ""


# Calls a function that takes long, in a thread or at once.
Run = Callable[[Callable[[], _Matches]], Awaitable[_Matches]]


async def at_once(call: Callable[[], _Matches]) -> _Matches:
    """Call a function here: for a program that does nothing else meanwhile."""
    return call()


@dataclass(frozen=True, slots=True)
class Looked:
    """The hits of some checkpoints, and how many of how many have been looked at."""

    hits: Sequence[Hit]
    read: int
    of: int


class Search:
    """One question, and how far it has been answered. Raise `ConditionError` for a
    question whose condition or log text does not compile.

    read        checkpoints that were looked at; `unreadable` of them are damaged
    errors      how often the condition could not be evaluated, with `error` of the last time
    hits        how many there were
    """

    def __init__(self, archive: Archive, query: Query) -> None:
        self.query = query
        self._past = Past(archive)
        self._probe = query.probe()
        self._log = query.log_text()
        self._before, self._after = self._wants()
        # (names and digests of the needed parts) -> the facts that the question is
        # true for
        self._known: dict[Fingerprint, tuple[Fact, ...]] = {}
        # checkpoint -> number of hits on the way to it, where a count matters
        self._numbers: dict[str, int] = {}
        self.read = 0
        self.unreadable = 0
        self.hits = 0
        self.last_sequence = 0

    @property
    def errors(self) -> int:
        return self._probe.errors

    @property
    def error(self) -> str:
        return self._probe.error

    async def look(
        self,
        headers: Sequence[CheckpointHeader],
        run: Run = in_thread,
    ) -> list[Hit]:
        """Return the hits of these checkpoints, which follow each other in their
        sequence. `run` calls what takes long, in a thread.
        """
        if self.query.kind == "checkpoint":
            matches = await self._states(headers, run)
        else:
            matches = await self._supersteps(headers, run)
        self.read += len(headers)
        if headers:
            self.last_sequence = headers[-1].sequence
        hits = []
        for header in headers:
            hits += self._counted(header, matches.get(header.id, ()))
        self.hits += len(hits)
        return hits

    # --- which facts match ---

    async def _supersteps(
        self, headers: Sequence[CheckpointHeader], run: Run
    ) -> _Matches:
        candidates = [header for header in headers if self._can_have_facts(header)]
        reads = await self._past.traces(candidates)
        self.unreadable += sum(bool(read.error) for read in reads)
        reads = [read for read in reads if not read.error and self._may_match(read)]
        decode = await self._past.fetch(reads, self._before, self._after)

        def matches() -> _Matches:
            steps = decode()
            self.unreadable += sum(bool(step.error) for step in steps)
            return {step.header.id: self._matching(step) for step in steps}

        return await run(matches)

    async def _states(self, headers: Sequence[CheckpointHeader], run: Run) -> _Matches:
        fingerprints = await self._past.fingerprints(headers, self._after)
        self.unreadable += sum(fingerprint is None for fingerprint in fingerprints)
        looked: _Matches = {}
        pending: dict[Fingerprint, CheckpointHeader] = {}
        for header, fingerprint in zip(headers, fingerprints, strict=True):
            if fingerprint is not None and fingerprint not in self._known:
                pending.setdefault(fingerprint, header)
        fresh = list(pending.values()) if self._is_timeless else list(headers)
        decode = await self._past.fetch(
            [Read(header) for header in fresh], self._before, self._after
        )

        def matches() -> _Matches:
            return {step.header.id: self._matching(step) for step in decode()}

        evaluated = await run(matches)
        if not self._is_timeless:
            return evaluated
        for fingerprint, header in pending.items():
            self._known[fingerprint] = tuple(evaluated[header.id])
        for header, fingerprint in zip(headers, fingerprints, strict=True):
            if fingerprint is not None:
                looked[header.id] = [
                    replace(fact, superstep=header.superstep)
                    for fact in self._known[fingerprint]
                ]
        if len(self._known) > _MEMORY:
            self._known.clear()
        return looked

    @property
    def _is_timeless(self) -> bool:
        """Whether equal states give equal answers, because nothing else is named."""
        names = {name for expression in self._expressions for name in expression.names}
        return "superstep" not in names

    def _matching(self, read: Read) -> Sequence[Fact]:
        return [
            fact
            for fact in read.facts([self.query.kind])
            if self._is_meant(fact) and self._probe.matches(fact)
        ]

    def _is_meant(self, fact: Fact) -> bool:
        # The state of a sub-workflow is asked for by its name alone, because most keys
        # of the outer run do not exist there.
        is_outside = self.query.kind == "checkpoint" and not self.query.inside
        return not (is_outside and fact.path)

    def _can_have_facts(self, header: CheckpointHeader) -> bool:
        if header.damaged:
            self.unreadable += 1
            return False
        kind = self.query.kind
        if kind == "starves":
            return header.status == WorkflowRunState.IDLE_WITH_STALLED_JOINS.value
        if header.cause is Cause.RESPONSE:
            return kind == "answer"
        return header.cause is Cause.SUPERSTEP

    def _may_match(self, read: Read) -> bool:
        """Return whether the trace has anything of the kind, at the place if names tell
        it.
        """
        trace = read.trace
        where = self.query.where
        match self.query.kind:
            case "message":
                return any(fate.kind != "dropped" for fate in trace.fates)
            case "dropped":
                return any(fate.kind == "dropped" for fate in trace.fates)
            case "fires":
                return bool(trace.releases)
            case "failure":
                return any(call.error for call in trace.invocations)
            case "write":
                keys = {write.key for write in trace.writes}
                keys.update(key for call in trace.invocations for key in call.wrote)
                return where in keys if where else bool(keys)
            case "question":
                return bool(trace.asked) or any(
                    call.asked for call in trace.invocations
                )
            case "before" | "after":
                return not where or any(
                    call.executor_id.endswith(where) for call in trace.invocations
                )
            case "output":
                return bool(trace.outputs) or any(
                    call.outputs for call in trace.invocations
                )
            case _:
                return True

    # --- what is read ---

    @property
    def _expressions(self) -> list[FactExpression]:
        expressions = [] if self._log is None else list(self._log.expressions)
        if self._probe.expression is not None:
            expressions.append(self._probe.expression)
        return expressions

    def _wants(self) -> tuple[Wants, Wants]:
        kind = self.query.kind
        keys: set[str] | None = set()
        own: frozenset[str] = _NOTHING
        for expression in self._expressions:
            if "own" in expression.names:
                own = frozenset({"executor"})
            if expression.state_keys is None:
                keys = None
            elif keys is not None:
                keys |= expression.state_keys
        named = None if keys is None else frozenset(keys)
        before = Wants(_BEFORE.get(kind, _NOTHING) | own, named, kind == "write")
        after = Wants(_AFTER.get(kind, _NOTHING), _NOTHING, kind == "write")
        if kind == "checkpoint":
            return Wants(), Wants(keys=named)
        if self.query.kind == "answer":
            after = replace(after, kinds=after.kinds | own, keys=named)
        return before, after

    # --- which of them count ---

    def _counted(self, header: CheckpointHeader, facts: Iterable[Fact]) -> list[Hit]:
        if not self.query.counts_hits:
            return [self._hit(header, fact, 1) for fact in facts]
        number = self._numbers.get(header.parent or "", 0)
        hits = []
        for fact in facts:
            number += 1
            if self.query.counts(number):
                hits.append(self._hit(header, fact, number))
        if number:
            self._numbers[header.id] = number
        return hits

    def _hit(self, header: CheckpointHeader, fact: Fact, number: int) -> Hit:
        text = "" if self._log is None else self._log.render(fact)
        return Hit(header, fact, number, text)


async def look_through(
    store: CheckpointStore,
    search: Search,
    *,
    run_id: str | None = None,
    workflow: str | None = None,
    run: Run = in_thread,
) -> AsyncIterator[Looked]:
    """Look through all checkpoints of a run, of a workflow or of the store that the
    search has not looked at yet, in the order of their sequence.
    """
    size = FIRST_BATCH
    of = await _number_of_checkpoints(store, run_id, workflow)
    while headers := await store.headers(
        run_id=run_id, workflow=workflow, after=search.last_sequence, limit=PAGE
    ):
        while headers:
            hits = await search.look(headers[:size], run)
            del headers[:size]
            yield Looked(hits, search.read, max(of, search.read))
            size = min(2 * size, LARGEST_BATCH)


async def _number_of_checkpoints(
    store: CheckpointStore, run_id: str | None, workflow: str | None
) -> int:
    """Return about how many checkpoints there are."""
    return sum(
        summary.checkpoints
        for summary in await store.runs()
        if run_id in (None, summary.run_id) and workflow in (None, summary.workflow)
    )
