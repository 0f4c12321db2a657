"""The superstep in which a run stands, for display: its deliveries, and what each of
those that are done will do at the barrier.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from runtime.debug.moments.items import item
from runtime.debug.protocol import DeliveryMoment, DeliveryState, InsideSuperstep, Item
from runtime.debug.stops.deliveries import is_over, is_running
from runtime.debug.stops.gate import DebugGate
from runtime.debug.values.display import to_value
from runtime.debug.values.shapes import clean
from runtime.engine.invoke import Attempt, Job
from runtime.executors.delivery import Delivery
from runtime.executors.effects import DELETED, Effects
from runtime.values.sealed import unseal
from runtime.values.user_failures import in_words

# How many deliveries are sent, and how many values of each list.
MOST = 300
MOST_ITEMS = 50
TEXT_LIMIT = 2_000
SECTION = "delivery:"


def inside_superstep(gate: DebugGate, superstep: int) -> InsideSuperstep | None:
    """Return the superstep in which the run stands; None if it stands at a barrier."""
    if gate.stop is None:
        return None
    places = [
        (job, position)
        for job in gate.deliveries.jobs
        for position in range(len(job.inbox))
    ]
    next_job = gate.next_job()
    shown = tuple(
        _moment(gate, next_job, job, position, place)
        for place, (job, position) in enumerate(places[:MOST], start=1)
    )
    return InsideSuperstep(
        superstep=superstep,
        deliveries=shown,
        left_out=max(0, len(places) - len(shown)),
    )


def value_in(gate: DebugGate, section: str) -> Any:
    """Return the value that an item of a delivery shows. Raise `LookupError` if there is
    none in this section.
    """
    values = {
        f"{SECTION}{place}:{name}:{number}": value
        for place, job, position in _numbered(gate)
        for name, number, value in _values(job, position)
    }
    if section not in values:
        raise LookupError(f"There is no section '{section}' where the run stands.")
    return values[section]


def _numbered(gate: DebugGate) -> Iterator[tuple[int, Job, int]]:
    place = 0
    for job in gate.deliveries.jobs:
        for position in range(len(job.inbox)):
            place += 1
            yield place, job, position


def _moment(
    gate: DebugGate, next_job: Job | None, job: Job, position: int, place: int
) -> DeliveryMoment:
    delivery = job.inbox[position]
    state = _state(gate, next_job, job, position)
    effects = job.effects[position] if position < job.deliveries else None
    failed = _last_attempt(job, delivery)
    seconds = None
    if effects is not None:
        seconds = effects.seconds
    elif failed is not None:
        seconds = failed.seconds
    return DeliveryMoment(
        place=place,
        executor=job.executor_id,
        path=job.round.path,
        handler=delivery.handler.name,
        state=state,
        seconds=seconds,
        messages=tuple(to_value(value, 1) for value in _messages(delivery)),
        sources=delivery.sources,
        error=_error(gate, job, position, failed),
        **_lists(job, position, place),
    )


def _state(
    gate: DebugGate, next_job: Job | None, job: Job, position: int
) -> DeliveryState:
    if position < job.deliveries:
        return "failed" if _is_taken_failure(job, position) else "done"
    if job.has_given_up:
        return "failed"
    if position == job.deliveries:
        ticket = gate.ticket_of(job, "after")
        if ticket is not None and ticket.error is not None:
            return "failed"
        if is_running(job):
            return "running"
        if job is next_job:
            return "next"
    return "held" if gate.is_held(job) else "waiting"


def _is_taken_failure(job: Job, position: int) -> bool:
    """Return True if an error edge took the failure of a delivery."""
    failed = _last_attempt(job, job.inbox[position])
    return failed is not None and failed.started == job.effects[position].started


def _last_attempt(job: Job, delivery: Delivery) -> Attempt | None:
    """Return the last failed attempt of a delivery."""
    attempts = [attempt for attempt in job.attempts if attempt.delivery is delivery]
    return attempts[-1] if attempts else None


def _error(gate: DebugGate, job: Job, position: int, failed: Attempt | None) -> str:
    error: BaseException | None = None
    if position < job.deliveries:
        if failed is not None and _is_taken_failure(job, position):
            error = failed.error
    elif failed is not None:
        error = failed.error
    elif position == job.deliveries and not is_over(job):
        ticket = gate.ticket_of(job, "after")
        error = None if ticket is None else ticket.error
    return "" if error is None else clean(in_words(error))[:TEXT_LIMIT]


def _messages(delivery: Delivery) -> tuple[Any, ...]:
    """Return what it gets: the messages of a list that a join has released."""
    if delivery.messages > 1 and isinstance(delivery.data, list):
        return tuple(delivery.data[:MOST_ITEMS])
    return (delivery.data,)


# --- what a done one will do ------------------------------------------------------------------------------------


def _lists(job: Job, position: int, place: int) -> dict[str, tuple[Item, ...]]:
    if position >= job.deliveries:
        return {}
    lists: dict[str, list[Item]] = {}
    effects = job.effects[position]
    for name, number, value in _values(job, position):
        items = lists.setdefault(name, [])
        if len(items) < MOST_ITEMS:
            section = f"{SECTION}{place}:{name}:{number}"
            more = _about(job, effects, name, number)
            items.append(item(value, section=section, **more))
    return {name: tuple(items) for name, items in lists.items()}


def _values(job: Job, position: int) -> Iterator[tuple[str, int, Any]]:
    """Yield what a done delivery has done, as (list, number in it, value)."""
    if position >= job.deliveries:
        return
    effects = job.effects[position]
    for number, message in enumerate(effects.sent):
        yield "sent", number, message.data
    for number, output in enumerate(effects.outputs):
        yield "outputs", number, output
    for number, written in enumerate(effects.writes.values()):
        yield "wrote", number, None if written is DELETED else unseal(written)
    for number, request in enumerate(effects.requests):
        yield "asked", number, request.data


def _about(job: Job, effects: Effects, name: str, number: int) -> dict[str, Any]:
    match name:
        case "sent":
            return {"kind": "message", "name": effects.sent[number].target_id or ""}
        case "outputs":
            return {"kind": "output"}
        case "asked":
            return {"kind": "question"}
    key = [*effects.writes][number]
    shared = job.round.state.shared
    about: dict[str, Any] = {"kind": "state", "name": key}
    if key in shared:
        about["old"] = to_value(shared[key], 1)
    if effects.writes[key] is DELETED:
        about["note"] = "deleted"
    elif key in job.round.reducers:
        about["note"] = "contributions"
    return about
