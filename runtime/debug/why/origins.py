"""Where one recorded value comes from, looked up in a store: who made it, in which
call, from which messages.

One step of the way back; `provenance` takes these steps until the input.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

from runtime.checkpoint import CheckpointHeader, parent_among
from runtime.debug.moments.barriers import Barriers, Superstep, gap_words, led_to
from runtime.debug.moments.moment import Snapshot
from runtime.debug.sections import kind_of
from runtime.debug.supersteps.message_fates import prefix_of, trace_in
from runtime.debug.supersteps.next_superstep import INTERNAL
from runtime.debug.supersteps.traffic import held_places
from runtime.debug.why.handed_up import InnerCall, yielding_calls
from runtime.debug.why.origin import (
    EDITED,
    ENDED,
    NO_FIT,
    NO_WRITER,
    NOT_SAID_IF_REDUCED,
    Address,
    Origin,
    Source,
    Thing,
    at_step,
    call_that_made,
    calls_of,
    id_of,
    is_same,
    message_at,
    of_call,
    of_calls,
    of_failure_inside,
    of_inner_answer,
    of_input,
    of_question_inside,
    place_among,
    question_id,
    state_thing,
    thing_of,
    total,
    writers_of,
    yielded_inside,
)
from runtime.errors import WorkflowCheckpointException
from runtime.message import ExecutorFailure, Message, is_failure_of_source
from runtime.state import RunState, Trace, owner_of


class _Found(NamedTuple):
    """The result of a search back: a checkpoint, or else why there is none."""

    checkpoint_id: str | None = None
    gap: str = ""
    stopped_at: str | None = None


class Origins:
    """Look up origins. `is_late` tells a search over many checkpoints to stop."""

    def __init__(self, barriers: Barriers, is_late: Callable[[], bool]) -> None:
        self._barriers = barriers
        self._is_late = is_late

    async def thing(self, address: Address) -> Thing:
        """Return the value at an address. Raise `LookupError` if there is none."""
        root = await self._barriers.at(address.checkpoint_id)
        run = root.run_at(address.keys)
        if run is None:
            raise LookupError("Nothing runs inside at this moment.")
        kind, _, name = address.section.partition(":")
        if kind in ("queue", "held"):
            message = message_at(run, kind, name)
            return Thing(address, kind_of(message), message.source_id, message.data)
        if kind == "state":
            return state_thing(run, address.keys, name)
        data = run.section(address.section)
        kinds = {"output": "output", "request": "question", "own": "own"}
        if kind not in kinds:
            raise LookupError(
                f"'{address.section}' has no origin: use state:KEY, queue:N, held:N, "
                "output:N, request:ID or own:NODE."
            )
        return Thing(address, kinds[kind], name, data)

    async def of(self, thing: Thing) -> Origin:
        """Return the origin of a value. Raise what reading its checkpoint raises."""
        root = await self._barriers.at(thing.address.checkpoint_id)
        keys = thing.address.keys
        kind, _, name = thing.address.section.partition(":")
        run = root.run_at(keys)
        if kind == "yield":
            number, _, executor = name.partition(":")
            step = await self._barriers.superstep(root)
            call = InnerCall(keys, executor, int(number))
            return of_call(step, call, "yielded")
        if run is None:
            return Origin(gap=ENDED)
        match kind:
            case "queue":
                return await self._of_message(root, run.state, keys, int(name), thing)
            case "held":
                return Origin(gap=NO_FIT)
            case "output":
                return await self._of_output(root, keys, int(name), thing)
            case "request":
                return await self._of_question(root, keys, name)
            case "own":
                return await self._of_own_state(root, run, keys, name)
            case _:
                return await self._of_key(root, run, keys, name)

    # --- messages

    async def as_sent(self, thing: Thing) -> Thing:
        """Return a message that a join holds as it was when it was sent: at its place
        in a queue. Other values are returned as they are.
        """
        while thing.address.section.startswith("held:"):
            earlier = await self._held_before(thing)
            if earlier is None:
                break
            thing = earlier
        return thing

    async def _held_before(self, thing: Thing) -> Thing | None:
        """Return a held message at the barrier before; None if that is not known."""
        root = await self._barriers.at(thing.address.checkpoint_id)
        keys = thing.address.keys
        step = await self._barriers.superstep(root)
        run = root.run_at(keys)
        earlier_run = step.run(keys)
        if run is None or earlier_run is None or step.before is None:
            return None
        before = earlier_run.before
        number = int(thing.address.section.partition(":")[2])
        join, place = list(held_places(run.graph, run.state))[number]
        source = place.message.source_id
        ordinal, held_now = place_among(run, join.edge, source, place.section)
        arrived = [
            arrival
            for fate, arrival in before.carried(join.edge)
            if fate.kind == "buffered" and fate.source_id == source
        ]
        # The newest of a source are the last, and the oldest are released first.
        kept = held_now - len(arrived)
        if ordinal >= kept:
            earlier = arrived[ordinal - kept]
        else:
            held_then = [
                waiting
                for holder, waiting in held_places(before.graph, before.state)
                if holder.edge == join.edge and waiting.message.source_id == source
            ]
            if len(held_then) < kept:
                return None
            earlier = held_then[len(held_then) - kept + ordinal]
        return thing_of(step.before, keys, earlier)

    async def _of_message(
        self,
        root: Snapshot,
        state: RunState,
        keys: tuple[str, ...],
        position: int,
        thing: Thing,
    ) -> Origin:
        message = state.queue[position]
        if message.request is not None:
            return await self._of_answer(root, keys, message)
        step = await self._barriers.superstep(root)
        if message.source_id.startswith(INTERNAL):
            return of_input(step, keys)
        sent_before = state.queue[:position]
        ordinal = sum(other.source_id == message.source_id for other in sent_before)
        end = step.end.run_at(keys)
        run = step.run(keys)
        if run is None or end is None:
            return at_step(step, Origin(message.source_id, keys, gap=step.gap or ENDED))
        sent = [
            other for other in end.state.queue if other.source_id == message.source_id
        ]
        if not is_same(sent[ordinal : ordinal + 1], message):
            return at_step(step, Origin(gap=EDITED))
        calls = calls_of(run.trace, message.source_id)
        call = call_that_made(calls, ordinal, lambda done: done.sent)
        if call >= 0:
            words = "failed" if is_failure_of_source(message) else "sent"
            return of_call(step, InnerCall(keys, message.source_id, call), words)
        own = total(calls, lambda done: done.sent)
        return _handed_up(step, keys, sent[own:], ordinal - own, thing)

    async def _of_answer(
        self, root: Snapshot, keys: tuple[str, ...], message: Message
    ) -> Origin:
        request = message.request
        assert request is not None  # noqa: S101 - asked by the caller
        if keys:
            step = await self._barriers.superstep(root)
            return of_inner_answer(step, keys, request.id)
        asked_at = await self._where_open(root, request.id)
        superstep = root.state.superstep
        origin = Origin(
            how="answered from outside",
            superstep=superstep,
            checkpoint_id=id_of(root),
        )
        if asked_at is None:
            return replace(origin, gap="The checkpoint with its question is gone.")
        question = asked_at.state.requests[request.id]
        address = Address(id_of(asked_at), (), f"request:{request.id}")
        source = Source(Thing(address, "question", request.id, question.data))
        return replace(origin, sources=(source,))

    async def _where_open(self, root: Snapshot, request_id: str) -> Snapshot | None:
        """Return the nearest barrier before an answer at which its question is open."""
        snapshot = root
        while request_id not in snapshot.state.requests:
            header = snapshot.header
            if header is None or header.parent is None:
                return None
            try:
                snapshot = await self._barriers.at(header.parent)
            except WorkflowCheckpointException:
                return None
            if not _is_earlier(snapshot.header, header):
                return None
        return snapshot

    # --- outputs and questions

    async def _of_output(
        self, root: Snapshot, keys: tuple[str, ...], number: int, thing: Thing
    ) -> Origin:
        step = await self._barriers.superstep(root)
        outputs = step.end.trace.outputs
        if number >= len(outputs):
            return at_step(step, Origin(gap=NO_FIT))
        executor = outputs[number].executor_id
        earlier = outputs[:number]
        ordinal = sum(output.executor_id == executor for output in earlier)
        run = step.run(keys)
        if run is None:
            return at_step(step, Origin(executor, keys, how="yielded", gap=step.gap))
        calls = calls_of(run.trace, executor)
        call = call_that_made(calls, ordinal, lambda done: done.outputs)
        if call >= 0:
            return of_call(step, InnerCall(keys, executor, call), "yielded")
        own = total(calls, lambda done: done.outputs)
        count = sum(output.executor_id == executor for output in outputs) - own
        inner_calls = yielding_calls(step, keys, executor, "output", count)
        return yielded_inside(step, keys, executor, inner_calls, ordinal - own, thing)

    async def _of_question(
        self, root: Snapshot, keys: tuple[str, ...], request_id: str
    ) -> Origin:
        prefix = prefix_of(keys)

        def asks(trace: Trace) -> bool:
            return any(
                request_id in call.asked and call.executor_id.startswith(prefix)
                for call in trace.invocations
            )

        found = await self._search(root, asks)
        if found.checkpoint_id is None:
            return _not_found(found, keys, f"request:{request_id}")
        step = await self._step_to(found.checkpoint_id)
        run = step.run(keys)
        for invocation in step.end.trace.invocations:
            if request_id not in invocation.asked:
                continue
            name = invocation.executor_id.removeprefix(prefix)
            if run is None or name not in run.before.graph.titles:
                # A run inside asked, and the executor around it handed it on.
                owner = owner_of(name.partition("/")[0])
                return of_question_inside(step, keys, owner, request_id)
            calls = calls_of(run.trace, name)
            asking = [at for at, call in enumerate(calls) if request_id in call.asked]
            return of_call(step, InnerCall(keys, name, asking[0]), "asked")
        return at_step(step, Origin(gap=NO_FIT))

    # --- the shared state and own states

    async def _of_key(
        self, root: Snapshot, run: Snapshot, keys: tuple[str, ...], key: str
    ) -> Origin:
        def writes(trace: Trace) -> bool:
            return bool(writers_of(trace, keys, run, key))

        found = await self._search(root, writes)
        if found.checkpoint_id is None:
            return _not_found(found, keys, f"state:{key}")
        step = await self._step_to(found.checkpoint_id)
        writers = list(dict.fromkeys(writers_of(step.end.trace, keys, run, key)))
        before = None if step.before is None else step.before.run_at(keys)
        origin = at_step(step, Origin(writers[-1], keys, how=f"wrote {key}"))
        if before is None:
            return replace(origin, gap=step.gap or ENDED)
        is_reduced = run.document is not None and key in run.document.reducers
        if is_reduced and len(writers) > 1:
            words = f"wrote {key}, reduced with that of {', '.join(writers[:-1])}"
            origin = replace(origin, how=words)
        if key in before.state.shared:
            if is_reduced:
                old = Source(state_thing(before, keys, key))
                origin = replace(origin, sources=(old,))
            elif run.document is None:
                origin = replace(origin, gap=NOT_SAID_IF_REDUCED)
        # Without a reducer only the last write counts.
        counting = writers if is_reduced else writers[-1:]
        calls = _writing_calls(step, keys, counting, key, is_reduced=is_reduced)
        return of_calls(step, calls, origin)

    async def _of_own_state(
        self, root: Snapshot, run: Snapshot, keys: tuple[str, ...], node: str
    ) -> Origin:
        def ran(trace: Trace) -> bool:
            own = trace_in(trace, keys, run.graph, run.executors)
            return any(call.executor_id == node for call in own.invocations)

        found = await self._search(root, ran)
        if found.checkpoint_id is None:
            return _not_found(found, keys, f"own:{node}")
        step = await self._step_to(found.checkpoint_id)
        earlier_run = step.run(keys)
        origin = at_step(step, Origin(node, keys, how="kept"))
        if earlier_run is None or step.before is None:
            return replace(origin, gap=step.gap or ENDED)
        record = earlier_run.before.state.executors.get(node)
        if record is not None and record.state:
            address = Address(id_of(step.before), keys, f"own:{node}")
            old = Source(Thing(address, "own", node, dict(record.state)))
            origin = replace(origin, sources=(old,))
        count = len(calls_of(earlier_run.trace, node))
        calls = [InnerCall(keys, node, number) for number in range(count)]
        return of_calls(step, calls, origin)

    # --- searching

    async def _search(self, root: Snapshot, fits: Callable[[Trace], bool]) -> _Found:
        """Return the newest checkpoint on the way back whose superstep fits."""
        end = await led_to(self._barriers.at, root)
        header = end.header
        trace = end.trace
        while header is not None:
            if fits(trace):
                return _Found(header.id)
            if header.parent is None:
                break
            if self._is_late():
                return _Found(stopped_at=header.id)
            try:
                parent, trace = await self._barriers.trace(header.parent)
            except WorkflowCheckpointException as error:
                return _Found(gap=gap_words(error, header.parent or ""))
            header = parent if _is_earlier(parent, header) else None
        return _Found(gap=NO_WRITER)

    async def _step_to(self, checkpoint_id: str) -> Superstep:
        snapshot = await self._barriers.at(checkpoint_id)
        return await self._barriers.superstep(snapshot)


def _is_earlier(parent: CheckpointHeader | None, header: CheckpointHeader) -> bool:
    """Return whether a parent was saved before; in a damaged store it may not be."""
    return parent is not None and parent_among(header, {parent.id: parent}) is parent


def _handed_up(
    step: Superstep,
    keys: tuple[str, ...],
    handed_up: Sequence[Message],
    index: int,
    thing: Thing,
) -> Origin:
    """Return the origin of one of the messages that sub-workflows handed up."""
    message = handed_up[index]
    owner = message.source_id
    if isinstance(message.data, ExecutorFailure):
        return of_failure_inside(step, keys, owner, message.data)
    asked = question_id(message)
    if asked is not None:
        return of_question_inside(step, keys, owner, asked)
    are_outputs = [
        question_id(other) is None and not isinstance(other.data, ExecutorFailure)
        for other in handed_up
    ]
    calls = yielding_calls(step, keys, owner, "message", sum(are_outputs))
    return yielded_inside(step, keys, owner, calls, sum(are_outputs[:index]), thing)


def _writing_calls(
    step: Superstep,
    keys: tuple[str, ...],
    writers: Sequence[str],
    key: str,
    *,
    is_reduced: bool,
) -> list[InnerCall]:
    """Return the calls whose write of a key counts: with a reducer all that wrote it,
    else the last of each executor. An older record does not say which calls wrote, so
    all that did not fail are taken.
    """
    run = step.run(keys)
    writing = []
    for writer in writers:
        calls = [] if run is None else calls_of(run.trace, writer)
        numbers = [at for at, call in enumerate(calls) if key in call.wrote]
        if not is_reduced:
            numbers = numbers[-1:]
        if not numbers:
            numbers = [at for at, call in enumerate(calls) if not call.error]
        writing += [InnerCall(keys, writer, number) for number in numbers]
    return writing


def _not_found(found: _Found, keys: tuple[str, ...], section: str) -> Origin:
    if found.stopped_at is None:
        return Origin(keys=keys, gap=found.gap)
    return Origin(keys=keys, continue_at=Address(found.stopped_at, keys, section))
