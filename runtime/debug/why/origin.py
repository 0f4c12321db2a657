"""Where a value comes from within one superstep: the call that made it, and the
messages that the call received.

Everything is read from two barriers and the trace between them: the order of the queue
is fixed, and the trace says how many messages each call sent. What the record leaves
open is a gap, and never a guess.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from runtime.debug.compare.checkpoints import differences
from runtime.debug.moments.barriers import Superstep
from runtime.debug.moments.moment import Snapshot
from runtime.debug.moments.node_body import GAP_WORDS
from runtime.debug.sections import kind_of
from runtime.debug.supersteps.message_fates import trace_in
from runtime.debug.supersteps.received import received_by
from runtime.debug.supersteps.traffic import Delivery, Place, held_places
from runtime.debug.values.display import field
from runtime.debug.why.handed_up import InnerCall, active_runs
from runtime.debug.why.state_reads import key_read
from runtime.message import ExecutorFailure, Message
from runtime.state import Invocation, Trace, owner_of

ENDED = "The run inside has ended, and this checkpoint does not have it any more."
NO_FIT = "The record of the superstep does not fit its checkpoint."
EDITED = "This value was changed by hand in a checkpoint, and no executor made it."
NO_WRITER = "No recorded superstep wrote it: it was there when the run began."
ALTERNATIVES = (
    "One of these calls inside yielded it. The record does not say which of them."
)
NOT_SAID_IF_REDUCED = (
    "The record does not say whether a reducer joined it with the value before."
)


@dataclass(frozen=True, slots=True, order=True)
class Address:
    """A value in a checkpoint: `keys` lead to its run, and `section` is `queue:3`,
    `held:0`, `output:1`, `state:KEY`, `own:EXECUTOR`, `request:ID`, or
    `yield:2:EXECUTOR` for what the second call of an executor inside yielded.
    """

    checkpoint_id: str
    keys: tuple[str, ...]
    section: str


@dataclass(frozen=True, slots=True)
class Thing:
    """A value on the way. `shown_at` is where the checkpoint has it, if that is not its
    address; a key of the shared state is at `path` in it.
    """

    address: Address
    kind: str
    name: str
    data: Any
    shown_at: Address | None = None
    path: tuple[int, ...] = ()


class Source(NamedTuple):
    """Something from which a value was made, and the edge group that carried it, with
    the case of a switch.
    """

    thing: Thing
    edge: str = ""
    case: str = ""


@dataclass(frozen=True, slots=True)
class Origin:
    """Who made a value.

    executor       "" for a value from outside
    keys           lead to the run of the executor
    how            what happened, in words that need no subject: "sent", "wrote votes"
    superstep      of the outermost run; `checkpoint_id` is the barrier that it led to
    gap            why it is not known, or not whole
    continue_at    where the search goes on, if its time was over
    """

    executor: str = ""
    keys: tuple[str, ...] = ()
    handler: str = ""
    how: str = ""
    superstep: int = 0
    checkpoint_id: str | None = None
    sources: tuple[Source, ...] = ()
    gap: str = ""
    continue_at: Address | None = None


# --- calls --------------------------------------------------------------------------


def at_step(step: Superstep, origin: Origin) -> Origin:
    """Return an origin with the superstep in which it happened."""
    return replace(
        origin,
        superstep=step.end.state.superstep,
        checkpoint_id=id_of(step.end),
        gap=origin.gap or step.gap,
    )


def of_call(step: Superstep, call: InnerCall, how: str) -> Origin:
    """Return the origin of something that a handler call made."""
    origin = at_step(step, Origin(call.executor, call.keys, how=how))
    run = step.run(call.keys)
    if run is None or step.before is None:
        return replace(origin, gap=step.gap or ENDED)
    calls = calls_of(run.trace, call.executor)
    received, gap = received_by(calls, run.before, call.executor)
    if call.number >= len(received):
        return replace(origin, gap=NO_FIT)
    delivery = received[call.number]
    origin = replace(origin, handler=calls[call.number].handler)
    if delivery is None:
        return replace(origin, gap=NO_FIT if gap is None else GAP_WORDS[gap])
    sources = _delivered(step.before, call.keys, delivery)
    return replace(origin, sources=sources + _read(step.before, call, delivery))


def _read(before: Snapshot, call: InnerCall, delivery: Delivery) -> tuple[Source, ...]:
    """Return the key of the shared state that a call read, as far as that is known."""
    run = before.run_at(call.keys)
    if run is None or len(delivery.places) != 1:
        return ()
    key = key_read(run, call.executor, delivery.places[0].message.data)
    return () if key is None else (Source(state_thing(run, call.keys, key)),)


def of_calls(step: Superstep, calls: Iterable[InnerCall], origin: Origin) -> Origin:
    """Return an origin with everything that several calls received, after the sources
    that it has.
    """
    sources = list(origin.sources)
    gaps = [origin.gap]
    for call in calls:
        part = of_call(step, call, origin.how)
        known = {source.thing.address for source in sources}
        sources += [
            source for source in part.sources if source.thing.address not in known
        ]
        gaps.append(part.gap)
        origin = replace(origin, handler=part.handler)
    words = " ".join(dict.fromkeys(filter(None, gaps)))
    return replace(origin, sources=tuple(sources), gap=words)


def calls_of(trace: Trace, executor: str) -> list[Invocation]:
    """Return the calls of an executor, in their order; the trace is of its run."""
    return [call for call in trace.invocations if call.executor_id == executor]


def call_that_made(
    calls: Sequence[Invocation], ordinal: int, count: Callable[[Invocation], int]
) -> int:
    """Return which call made the thing with this ordinal; -1 if none of them did,
    because a sub-workflow handed it up.
    """
    made = 0
    for number, call in enumerate(calls):
        made += count(call)
        if ordinal < made:
            return number
    return -1


def total(calls: Iterable[Invocation], count: Callable[[Invocation], int]) -> int:
    return sum(map(count, calls))


def writers_of(trace: Trace, keys: Sequence[str], run: Snapshot, key: str) -> list[str]:
    """Return the executors of a run that wrote a key in a superstep, the one whose
    write counts last.
    """
    own = trace_in(trace, keys, run.graph, run.executors)
    writers = [call.executor_id for call in own.invocations if key in call.wrote]
    if not writers and not keys:
        # Older records have the writes of a superstep, but not of each call.
        writers = [write.executor_id for write in trace.writes if write.key == key]
    return writers


# --- across the border of a sub-workflow --------------------------------------------


def of_input(step: Superstep, keys: tuple[str, ...]) -> Origin:
    """Return the origin of the first message of a run: the delivery to the executor
    around it, or the outside.
    """
    if not keys:
        return at_step(step, Origin(how="input of the run"))
    owner = owner_of(keys[-1])
    origin = at_step(step, Origin(owner, keys[:-1], how=f"began {keys[-1]}"))
    run = step.run(keys[:-1])
    if run is None or step.before is None:
        return replace(origin, gap=step.gap or ENDED)
    record = run.before.state.executors.get(owner)
    # Runs are numbered by the deliveries to their executor.
    number = int(keys[-1].rpartition("#")[2]) - (record.runs if record else 0) - 1
    deliveries = run.before.deliveries(owner) or []
    if not 0 <= number < len(deliveries):
        return replace(origin, gap=NO_FIT)
    sources = _delivered(step.before, keys[:-1], deliveries[number])
    return replace(origin, sources=sources)


def of_inner_answer(step: Superstep, keys: tuple[str, ...], request_id: str) -> Origin:
    """Return the origin of an answer that the executor around a run handed in."""
    owner = owner_of(keys[-1])
    origin = at_step(step, Origin(owner, keys[:-1], how=f"answered {keys[-1]}"))
    outer = step.run(keys[:-1])
    inner = step.run(keys)
    if outer is None or inner is None or step.before is None:
        return replace(origin, gap=step.gap or ENDED)
    sources: list[Source] = []
    for delivery in outer.before.deliveries(owner) or ():
        if any(_answers(place.message, request_id) for place in delivery.places):
            sources += _delivered(step.before, keys[:-1], delivery)
    gap = "" if sources else NO_FIT
    question = inner.before.state.requests.get(request_id)
    if question is not None:
        address = Address(id_of(step.before), keys, f"request:{request_id}")
        sources.append(Source(Thing(address, "question", request_id, question.data)))
    return replace(origin, sources=tuple(sources), gap=gap)


def of_question_inside(
    step: Superstep, keys: tuple[str, ...], owner: str, request_id: str
) -> Origin:
    """Return the origin of a question that the run inside an executor asked."""
    end = step.end.run_at(keys)
    children = {} if end is None else end.state.children
    for key, child in children.items():
        if owner_of(key) == owner and request_id in child.requests:
            address = Address(id_of(step.end), (*keys, key), f"request:{request_id}")
            data = child.requests[request_id].data
            source = Source(Thing(address, "question", request_id, data))
            origin = Origin(owner, keys, how=f"handed up from {key}", sources=(source,))
            return at_step(step, origin)
    return at_step(step, Origin(owner, keys, how="handed up", gap=ENDED))


def of_failure_inside(
    step: Superstep, keys: tuple[str, ...], owner: str, failure: ExecutorFailure
) -> Origin:
    """Return the origin of a failure that ended the run inside an executor."""
    *inner_keys, executor = failure.path.split("/")
    inner = (*keys, *inner_keys)
    origin = at_step(step, Origin(owner, keys, how=f"failed with {failure.path}"))
    run = step.run(inner)
    if run is None or step.before is None:
        return replace(origin, gap=step.gap or ENDED)
    calls = calls_of(run.trace, executor)
    failed = [number for number, call in enumerate(calls) if call.error]
    if not failed:
        return replace(origin, gap=NO_FIT)
    return of_calls(step, [InnerCall(inner, executor, failed[-1])], origin)


def yielded_inside(
    step: Superstep,
    keys: tuple[str, ...],
    owner: str,
    calls: Sequence[InnerCall],
    place: int,
    thing: Thing,
) -> Origin:
    """Return the origin of an output of a sub-workflow: the call inside that yielded
    it. `calls` has one for each output, or is empty where the counts do not fit.
    """
    shown_at = thing.shown_at or thing.address
    origin = at_step(step, Origin(owner, keys, how="handed up"))
    if 0 <= place < len(calls):
        inner = _yield_of(step, calls[place], thing, shown_at)
        how = f"handed up from {calls[place].keys[-1]}"
        return replace(origin, how=how, sources=(Source(inner),))
    run = step.run(keys)
    if run is None:
        return replace(origin, gap=step.gap or ENDED)
    candidates = [
        InnerCall((*keys, key), executor, number)
        for key in active_runs(run.before.state, owner)
        for executor, number in _yields_in(step, (*keys, key))
    ]
    sources = tuple(
        Source(_yield_of(step, call, thing, shown_at)) for call in candidates
    )
    gap = ALTERNATIVES if candidates else NO_FIT
    return replace(origin, sources=sources, gap=gap)


def _yields_in(step: Superstep, keys: tuple[str, ...]) -> list[tuple[str, int]]:
    """Return the calls of a run inside that yielded anything."""
    run = step.run(keys)
    numbers: dict[str, int] = {}
    yields = []
    for call in () if run is None else run.trace.invocations:
        number = numbers.get(call.executor_id, 0)
        numbers[call.executor_id] = number + 1
        if call.outputs:
            yields.append((call.executor_id, number))
    return yields


def _yield_of(
    step: Superstep, call: InnerCall, thing: Thing, shown_at: Address
) -> Thing:
    section = f"yield:{call.number}:{call.executor}"
    address = Address(id_of(step.end), call.keys, section)
    return Thing(address, "output", call.executor, thing.data, shown_at)


# --- places -------------------------------------------------------------------------


def id_of(snapshot: Snapshot) -> str:
    """Return the id of the checkpoint; "" for a run without one."""
    return "" if snapshot.header is None else snapshot.header.id


def state_thing(snapshot: Snapshot, keys: tuple[str, ...], key: str) -> Thing:
    """Return a key of the shared state. Raise `LookupError` if it is not there."""
    shared = snapshot.state.shared
    if key not in shared:
        raise LookupError(f"The shared state has no key '{key}' here.")
    address = Address(id_of(snapshot), keys, f"state:{key}")
    return Thing(address, "state", key, shared[key], path=(list(shared).index(key),))


def message_at(run: Snapshot, kind: str, number: str) -> Message:
    """Return a message that waits. Raise `LookupError` if there is none."""
    if kind == "queue":
        messages = list(run.state.queue)
    else:
        messages = [place.message for _, place in held_places(run.graph, run.state)]
    if not number.isdecimal() or int(number) >= len(messages):
        raise LookupError(f"There is no message '{kind}:{number}' here.")
    return messages[int(number)]


def thing_of(snapshot: Snapshot, keys: tuple[str, ...], place: Place) -> Thing:
    message = place.message
    address = Address(id_of(snapshot), keys, place.section)
    return Thing(address, kind_of(message), message.source_id, message.data)


def place_among(run: Snapshot, edge: str, source: str, section: str) -> tuple[int, int]:
    """Return the place of a held message among those of its source, and how many of
    these the join holds.
    """
    sections = [
        place.section
        for join, place in held_places(run.graph, run.state)
        if join.edge == edge and place.message.source_id == source
    ]
    return sections.index(section), len(sections)


def is_same(messages: Sequence[Message], message: Message) -> bool:
    """Whether the only message given has the content of another."""
    return len(messages) == 1 and (
        messages[0] is message or not any(differences(messages[0].data, message.data))
    )


def question_id(message: Message) -> str | None:
    """Return the id of the question that a message of a sub-workflow asks or answers;
    None for any other message.
    """
    identifier = field(field(message.data, "source_event"), "id")
    return identifier if isinstance(identifier, str) else None


def _answers(message: Message, request_id: str) -> bool:
    if message.request is not None:
        return message.request.id == request_id
    return question_id(message) == request_id


def _delivered(
    before: Snapshot, keys: tuple[str, ...], delivery: Delivery
) -> tuple[Source, ...]:
    return tuple(
        Source(thing_of(before, keys, place), delivery.edge, delivery.case)
        for place in delivery.places
    )
