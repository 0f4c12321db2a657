"""The facts of a superstep while they happen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from runtime.debug.facts.fact import Fact, FactKind
from runtime.edges.join import HeldJoin
from runtime.engine.invoke import Job
from runtime.engine.sub_runs import Frame
from runtime.executors.delivery import Delivery
from runtime.executors.effects import DELETED, Effects
from runtime.message import Message
from runtime.state import EMPTY, Fate, RunState
from runtime.values.sealed import unseal
from runtime.values.user_failures import in_words


class HandlerCall(NamedTuple):
    """A handler call that is due, or that has ended. `effects` is what it did, `error`
    what it raised; both are None before it. `superstep` is that of the outermost run.
    """

    job: Job
    delivery: Delivery
    superstep: int
    attempt: int = 1
    effects: Effects | None = None
    error: BaseException | None = None

    def fact(
        self,
        kind: FactKind,
        value: Any,
        *,
        source: str = "",
        key: str = "",
        old: Any = None,
        reason: str = "",
    ) -> Fact:
        """Return a fact of this call."""
        job = self.job
        delivery = self.delivery
        return Fact(
            kind,
            self.superstep,
            job.round.path,
            job.executor_id,
            source,
            delivery.edge_id or "",
            delivery.handler.name,
            key,
            value,
            old,
            reason,
            job.round.state.shared,
            own_state(job.round.state, job.executor_id),
            self.attempt,
        )


class RoutedRun(NamedTuple):
    """One run of the tree, of which the messages are routed and no handler has run."""

    frame: Frame
    superstep: int


class StarvingJoin(NamedTuple):
    """A join that holds messages although the run rests; `superstep` is its last one."""

    held: HeldJoin
    superstep: int
    state: RunState


def own_state(state: RunState, executor_id: str) -> Mapping[str, Any]:
    record = state.executors.get(executor_id)
    return EMPTY if record is None else record.state


# --- handler calls ----------------------------------------------------------------------------------------------


def before_facts(call: HandlerCall) -> Iterator[Fact]:
    yield call.fact("before", call.delivery.data, source=_source(call.delivery))


def after_facts(call: HandlerCall) -> Iterator[Fact]:
    yield call.fact(
        "after",
        call.delivery.data,
        source=_source(call.delivery),
        reason="" if call.error is None else in_words(call.error),
    )


def failure_facts(call: HandlerCall) -> Iterator[Fact]:
    if call.error is not None:
        yield call.fact(
            "failure",
            call.delivery.data,
            source=_source(call.delivery),
            reason=in_words(call.error),
        )


def write_facts(call: HandlerCall) -> Iterator[Fact]:
    """Yield a fact for each key; of a key with a reducer for each contribution."""
    if call.effects is None or not call.effects.writes:
        return
    shared = call.job.round.state.shared
    for key, value in call.effects.writes.items():
        contributions = value if key in call.job.round.reducers else [value]
        for written in contributions:
            yield call.fact(
                "write",
                None if written is DELETED else unseal(written),
                key=key,
                old=shared.get(key),
                reason="deleted" if written is DELETED else "",
            )


def question_facts(call: HandlerCall) -> Iterator[Fact]:
    for request in () if call.effects is None else call.effects.requests:
        yield call.fact("question", request.data)


def output_facts(call: HandlerCall) -> Iterator[Fact]:
    for value in () if call.effects is None else call.effects.outputs:
        yield call.fact("output", value)


def _source(delivery: Delivery) -> str:
    return delivery.sources[0] if len(delivery.sources) == 1 else ""


# --- what is routed ---------------------------------------------------------------------------------------------


def message_facts(run: RoutedRun) -> Iterator[Fact]:
    for fate in run.frame.routing.fates:
        if fate.kind == "dropped" or fate.edge_id is None or fate.target_id is None:
            continue
        for message in _messages(run.frame.state, fate):
            yield Fact(
                "message",
                run.superstep,
                run.frame.path,
                fate.target_id,
                source=fate.source_id,
                edge=fate.edge_id,
                value=message.data,
                state=run.frame.state.shared,
                own=own_state(run.frame.state, fate.target_id),
            )


def _messages(state: RunState, fate: Fate) -> Iterator[Message]:
    if fate.positions:
        for position in fate.positions:
            yield state.queue[position]
    else:
        for message in state.queue:
            if message.source_id == fate.source_id:
                yield message


def release_facts(run: RoutedRun) -> Iterator[Fact]:
    released = {release.edge_id for release in run.frame.routing.releases}
    for target, deliveries in run.frame.routing.deliveries.items():
        for delivery in deliveries:
            if delivery.edge_id in released:
                yield Fact(
                    "fires",
                    run.superstep,
                    run.frame.path,
                    target,
                    edge=delivery.edge_id,
                    value=delivery.data,
                    state=run.frame.state.shared,
                    own=own_state(run.frame.state, target),
                )


def starving(held: HeldJoin, root: RunState) -> StarvingJoin:
    """Return a join that starves in a run that rests in this state."""
    state = root
    for key in held.path:
        state = state.children[key]
    return StarvingJoin(held, root.superstep, state)


def starving_facts(join: StarvingJoin) -> Iterator[Fact]:
    group = join.held.group
    reasons = [f"{source}: {why}" for source, why in join.held.missing]
    yield Fact(
        "starves",
        join.superstep,
        join.held.path,
        group.target_id,
        edge=group.id,
        reason="; ".join(reasons),
        state=join.state.shared,
        own=own_state(join.state, group.target_id),
    )
