"""Answers of the host about the recorded past: the log, counts, and questions that are
answered little by little beside the run.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from typing import Any

from runtime.checkpoint import CheckpointHeader, parent_among
from runtime.checkpoints.archive import Archive
from runtime.debug.facts.fact import NOT_RECORDED
from runtime.debug.past.find import PAGE, Hit, Search, look_through
from runtime.debug.past.log import counts_of, log_items, read_log, text_of
from runtime.debug.past.query import Query, parse
from runtime.debug.past.reader import Past
from runtime.debug.past.reverse import Reverse
from runtime.debug.protocol import (
    LOG_CHECKPOINTS,
    Breakpoint,
    CountsArguments,
    CountsBody,
    EventsBody,
    FindArguments,
    FindBody,
    FindStopArguments,
    FoundBody,
    LogArguments,
    PastHit,
    ReverseArguments,
    ReverseBody,
    Value,
)
from runtime.debug.session.notices import Notices
from runtime.debug.session.session import Session
from runtime.debug.values.display import to_value
from runtime.debug.values.shapes import MASKED, clean
from runtime.document.secret_names import is_secret
from runtime.values.user_failures import text_of as text_of_error

# Seconds between two notices of one question, unless there are hits.
PROGRESS_EVERY = 0.2
# While the run moves, a question rests so many times as long as it has worked.
REST = 4.0
# Hits of one question that are sent; the others are counted.
HITS_SENT = 20_000
HITS_PER_NOTICE = 500
QUESTIONS_KEPT = 20


@dataclass(eq=False)
class _Question:
    """A question that was asked, and the task that answers it."""

    id: str
    search: Search
    run_id: str | None
    task: asyncio.Task[None] | None = None
    sent: int = 0
    last_notice: float = 0.0
    waiting: list[PastHit] = field(default_factory=list)


class PastQuestions:
    """Reads the past of the store that is open. Nothing is written and no user code
    runs.
    """

    def __init__(
        self,
        session: Session,
        notices: Notices,
        is_moving: Callable[[], bool],
        start: Callable[[Coroutine[Any, Any, None]], asyncio.Task[None]],
    ) -> None:
        self._session = session
        self._notices = notices
        self._is_moving = is_moving
        self._start = start
        self._past: Past | None = None
        self._questions: dict[str, _Question] = {}
        self._reversing: set[str] = set()

    def forget(self) -> None:
        """Answer nothing further, because another store is opened."""
        self._past = None
        for question in self._questions.values():
            _cancel(question)
        self._questions.clear()
        self._reversing.clear()

    def forget_headers(self) -> None:
        """Forget what was read for the log, because headers were changed or removed."""
        self._past = None

    # --- log and counts -------------------------------------------------------------------------------------------

    async def log(self, arguments: LogArguments) -> EventsBody:
        """Return the recorded lines of checkpoints, or of those on the way to one."""
        complete = True
        if arguments.checkpoints:
            headers = await self._headers(arguments.checkpoints)
        else:
            way = await self._way_to(arguments.checkpoint_id)
            headers = way[-LOG_CHECKPOINTS:]
            complete = len(headers) == len(way)
        logs = await read_log(self._reader(), headers)
        return EventsBody(events=log_items(logs), complete=complete)

    async def counts(self, arguments: CountsArguments) -> CountsBody:
        """Return what went wrong in the supersteps that led to these checkpoints."""
        headers = await self._headers(arguments.checkpoints)
        reads = await self._reader().traces(headers)
        return CountsBody(counts=tuple(map(counts_of, reads)))

    def _reader(self) -> Past:
        if self._past is None:
            self._past = Past(Archive(self._session.store))
        return self._past

    async def _headers(self, ids: Sequence[str]) -> list[CheckpointHeader]:
        """Return the headers of these checkpoints, without those that are gone."""
        return await self._reader().headers(ids)

    async def _way_to(self, checkpoint_id: str | None) -> list[CheckpointHeader]:
        """Return the headers on the way to a checkpoint, the oldest first. A gap ends
        the way.
        """
        session = self._session
        store = session.store
        if checkpoint_id is not None:
            header: CheckpointHeader | None = (await store.load(checkpoint_id)).header
        else:
            header = session.runner.header if session.has_run else None
        if header is None:
            return []
        known: dict[str, CheckpointHeader] = {}
        last = 0
        # Page by page, because a run has many and the loop serves others meanwhile.
        while page := await store.headers(run_id=header.run_id, after=last, limit=PAGE):
            known.update((other.id, other) for other in page)
            last = page[-1].sequence
            if last >= header.sequence:
                break
        way = []
        while header is not None:
            way.append(header)
            header = parent_among(header, known)
        return way[::-1]

    # --- questions ------------------------------------------------------------------------------------------------

    async def find(self, arguments: FindArguments) -> FindBody:
        """Begin to answer a question, or go on with it. Raise `ConditionError`."""
        question = self._questions.get(arguments.id)
        if question is None or not arguments.goes_on:
            self._drop(arguments.id)
            query = query_of(arguments)
            search = Search(Archive(self._session.store), query)
            question = _Question(arguments.id, search, arguments.run_id)
            self._questions[arguments.id] = question
            while len(self._questions) > QUESTIONS_KEPT:
                self._drop(next(iter(self._questions)))
        if question.task is None or question.task.done():
            question.task = self._start(self._answer(question))
        query = question.search.query
        return FindBody(
            id=question.id,
            kind=query.kind,
            where=query.where,
            condition=query.condition,
            text=query.text,
        )

    async def find_stop(self, arguments: FindStopArguments) -> None:
        """Answer a question no further, or end a reverse continue."""
        self._drop(arguments.id)
        self._reversing.discard(arguments.id)

    async def reverse(self, arguments: ReverseArguments) -> ReverseBody:
        """Return the nearest hit before a checkpoint. Raise `ConditionError`."""
        archive = Archive(self._session.store)
        points = [point for point in arguments.breakpoints if not point.log]
        queries = [query_of_breakpoint(point) for point in points]
        queries += map(parse, arguments.questions)
        searches = [Search(archive, query) for query in queries]
        self._reversing.add(arguments.id)
        begun = time.perf_counter()

        async def rest() -> bool:
            nonlocal begun
            await self._rest(time.perf_counter() - begun)
            begun = time.perf_counter()
            return arguments.id in self._reversing

        way = await self._way_to(arguments.checkpoint_id)
        nearest = await Reverse(searches, way[:-1], rest).nearest()
        self._reversing.discard(arguments.id)
        point, question = "", ""
        if 0 <= nearest.search < len(points):
            point = points[nearest.search].id
        elif nearest.search >= 0:
            question = queries[nearest.search].text
        return ReverseBody(
            hit=_past_hit(nearest.hit) if nearest.hit is not None else None,
            breakpoint=point,
            question=question,
            read=nearest.read,
            errors=sum(search.errors for search in searches),
            error=clean(next((each.error for each in searches if each.error), "")),
            complete=nearest.complete,
        )

    def _drop(self, id_: str) -> None:
        question = self._questions.pop(id_, None)
        if question is not None:
            _cancel(question)

    async def _answer(self, question: _Question) -> None:
        session = self._session
        workflow = None
        if question.run_id is None and session.definition is not None:
            workflow = session.definition.name
        failed = ""
        of = 0
        try:
            begun = time.perf_counter()
            async for looked in look_through(
                session.store,
                question.search,
                run_id=question.run_id,
                workflow=workflow,
            ):
                of = looked.of
                self._note(question, looked.hits)
                self._report(question, of)
                await self._rest(time.perf_counter() - begun)
                begun = time.perf_counter()
        except Exception as error:  # noqa: BLE001 - a question that fails says so; the host lives on
            failed = clean(text_of_error(error))
        self._report(question, of, done=not failed, failed=failed)

    async def _rest(self, worked: float) -> None:
        pause = worked * REST if self._is_moving() else 0.0
        if self._notices.is_behind():
            pause += PROGRESS_EVERY
        await asyncio.sleep(pause)

    def _note(self, question: _Question, hits: Sequence[Hit]) -> None:
        room = HITS_SENT - question.sent - len(question.waiting)
        question.waiting += [_past_hit(hit) for hit in hits[: max(0, room)]]

    def _report(
        self, question: _Question, of: int, *, done: bool = False, failed: str = ""
    ) -> None:
        """Send new hits and the progress, if it is time."""
        is_last = done or bool(failed)
        is_due = time.monotonic() - question.last_notice >= PROGRESS_EVERY
        if not question.waiting and not is_last and not is_due:
            return
        question.last_notice = time.monotonic()
        while True:
            batch = question.waiting[:HITS_PER_NOTICE]
            del question.waiting[:HITS_PER_NOTICE]
            question.sent += len(batch)
            is_end = not question.waiting
            body = _found(question, batch, of, done=done and is_end, failed=failed)
            self._notices.send_now("found", body)
            if is_end:
                return


def query_of(arguments: FindArguments) -> Query:
    """Return the question of a command. Raise `ConditionError`."""
    if arguments.breakpoint is not None:
        return query_of_breakpoint(arguments.breakpoint)
    return parse(arguments.question)


def query_of_breakpoint(breakpoint_: Breakpoint) -> Query:
    """Return the question that applies a breakpoint to the past."""
    # As for the run: one without place and way is about every run of the tree.
    is_anywhere = not breakpoint_.where and not breakpoint_.inside
    return Query(
        breakpoint_.kind,
        breakpoint_.where,
        None if is_anywhere else breakpoint_.inside,
        breakpoint_.run,
        breakpoint_.condition,
        hits=breakpoint_.hits,
        count=breakpoint_.count,
        log=breakpoint_.log,
    )


def _cancel(question: _Question) -> None:
    if question.task is not None:
        question.task.cancel()


def _found(
    question: _Question, hits: Sequence[PastHit], of: int, *, done: bool, failed: str
) -> FoundBody:
    search = question.search
    return FoundBody(
        id=question.id,
        hits=tuple(hits),
        read=search.read,
        of=max(of, search.read),
        count=search.hits,
        left_out=max(0, search.hits - question.sent - len(question.waiting)),
        unreadable=search.unreadable,
        errors=search.errors,
        error=clean(search.error),
        done=done,
        failed=failed,
    )


def _past_hit(hit: Hit) -> PastHit:
    fact = hit.fact
    header = hit.header
    is_write = fact.kind == "write"
    return PastHit(
        checkpoint_id=header.id,
        run_id=header.run_id,
        branch=header.branch,
        superstep=header.superstep,
        sequence=header.sequence,
        kind=fact.kind,
        path=fact.path,
        executor=fact.executor,
        source=fact.source,
        edge=fact.edge,
        key=fact.key,
        text=text_of(fact),
        value=None if fact.kind == "checkpoint" else _shown(fact.key, fact.value),
        old=_shown(fact.key, fact.old) if is_write else None,
        log=clean(hit.text),
    )


def _shown(key: str, value: Any) -> Value | None:
    if value is NOT_RECORDED:
        return None
    if is_secret(key):
        return Value(type=type(value).__name__, text=MASKED)
    return to_value(value, 0)
