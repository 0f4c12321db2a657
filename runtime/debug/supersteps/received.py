"""Which messages each handler call of an executor received: the deliveries of the
superstep, assigned to the recorded calls.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

from runtime.debug.supersteps.traffic import Delivery, Traffic
from runtime.state import Invocation


class Gap(Enum):
    """Why the record leaves open what was received."""

    NO_BEFORE = "the barrier before is not in the store"
    OLD_RECORD = "an older record has no ways of messages"
    NO_CALLS = "the calls do not fit the deliveries"


def received_by(
    invocations: Sequence[Invocation], before: Traffic | None, node: str
) -> tuple[list[Delivery | None], Gap | None]:
    """Return what each of all calls of a node in a superstep received. Every attempt
    for a message received that message.

    `before` is the barrier where the superstep began. If the record leaves open what
    was received, the entries are None and the gap says why.
    """
    # Only the last attempt of each message is compared with the deliveries, because the
    # message was delivered once.
    last_attempts = [
        invocation
        for number, invocation in enumerate(invocations)
        if _is_last_attempt(invocations, number)
    ]
    assigned, gap = _assigned(last_attempts, before, node)
    deliveries = iter(assigned)
    received: list[Delivery | None] = []
    attempts = 0
    for number, _ in enumerate(invocations):
        attempts += 1
        if _is_last_attempt(invocations, number):
            received += [next(deliveries)] * attempts
            attempts = 0
    return received, gap


def _is_last_attempt(invocations: Sequence[Invocation], number: int) -> bool:
    following = invocations[number + 1 : number + 2]
    return not following or following[0].attempt == 1


def _assigned(
    invocations: Sequence[Invocation], before: Traffic | None, node: str
) -> tuple[Sequence[Delivery | None], Gap | None]:
    """Return what each of these calls received. The record of a call must fit, else
    nothing is returned for it.
    """
    unknown = [None] * len(invocations)
    if not invocations:
        return unknown, None
    if before is None:
        return unknown, Gap.NO_BEFORE
    deliveries = before.deliveries(node)
    if deliveries is None:
        return unknown, Gap.OLD_RECORD
    fits = len(deliveries) == len(invocations) and all(
        map(_fits, invocations, deliveries)
    )
    return (deliveries, None) if fits else (unknown, Gap.NO_CALLS)


def _fits(invocation: Invocation, delivery: Delivery) -> bool:
    sources = {place.message.source_id for place in delivery.places}
    return invocation.messages == len(delivery.places) and sources <= set(
        invocation.sources
    )
