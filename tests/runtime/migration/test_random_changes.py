"""Random graphs, random edits, random checkpoints: a changed workflow goes on as its
preview says, or is refused with reasons. Never half, and the past stays as it is.
"""

from __future__ import annotations

import asyncio
from collections import Counter as Count
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from runtime.checkpoint import Cause
from runtime.engine.change_plan import ChangePlan
from runtime.engine.forecast import next_superstep
from runtime.engine.runner import Runner
from runtime.errors import MigrationRefusedError, WorkflowValidationError
from runtime.migration.mapping import (
    UNDECIDED,
    ExecutorMapping,
    GraphMapping,
    JoinMapping,
)
from runtime.state import RunState
from runtime.workflow.workflow import Workflow
from tests.runtime.migration.changed_graphs import Spec, bytes_of, run_of

KINDS = ("adder", "counter")
POLICIES = ("all", "zip", "any")


@st.composite
def specs(draw: st.DrawFn) -> Spec:
    """A graph without loops, in which every executor is reached."""
    count = draw(st.integers(2, 6))
    ids = "abcdef"[:count]
    nodes = {id_: draw(st.sampled_from(KINDS)) for id_ in ids}
    direct: list[tuple[str, str, int]] = []
    joins: list[tuple[tuple[str, ...], str, str]] = []
    for place, target in enumerate(ids[1:], start=1):
        before = ids[:place]
        if place > 1 and draw(st.booleans()):
            sources = draw(
                st.lists(st.sampled_from(before), min_size=2, max_size=3, unique=True)
            )
            joins.append((tuple(sources), target, draw(st.sampled_from(POLICIES))))
        else:
            number = draw(st.sampled_from([0, 0, 1, 2]))
            direct.append((draw(st.sampled_from(before)), target, number))
    return Spec(nodes, tuple(direct), tuple(joins))


@st.composite
def edited(draw: st.DrawFn, spec: Spec) -> Spec:
    """The graph after one to three edits."""
    for _ in range(draw(st.integers(1, 3))):
        edit = draw(st.sampled_from(EDITS))
        spec = edit(draw, spec)
    return spec


def _rename(draw: st.DrawFn, spec: Spec) -> Spec:
    old = draw(st.sampled_from(sorted(spec.nodes)))
    return spec.with_name(old, draw(st.sampled_from([f"{old}2", "z", "y"])))


def _remove(draw: st.DrawFn, spec: Spec) -> Spec:
    id_ = draw(st.sampled_from(sorted(spec.nodes)))
    if id_ == spec.start:
        return spec
    joins = []
    direct = [item for item in spec.direct if id_ not in item[:2]]
    for sources, target, policy in spec.joins:
        left = tuple(source for source in sources if source != id_)
        if target == id_:
            continue
        if len(left) > 1:
            joins.append((left, target, policy))
        else:
            direct += [(source, target, 0) for source in left]
    nodes = {name: kind for name, kind in spec.nodes.items() if name != id_}
    return replace(spec, nodes=nodes, direct=tuple(direct), joins=tuple(joins))


def _condition(draw: st.DrawFn, spec: Spec) -> Spec:
    if not spec.direct:
        return spec
    place = draw(st.integers(0, len(spec.direct) - 1))
    direct = list(spec.direct)
    source, target, _ = direct[place]
    direct[place] = (source, target, draw(st.sampled_from([0, 1, 2, 3])))
    return replace(spec, direct=tuple(direct))


def _insert(draw: st.DrawFn, spec: Spec) -> Spec:
    if not spec.direct or "n" in spec.nodes:
        return spec
    place = draw(st.integers(0, len(spec.direct) - 1))
    direct = list(spec.direct)
    source, target, number = direct[place]
    direct[place : place + 1] = [(source, "n", number), ("n", target, 0)]
    return replace(spec, nodes={**spec.nodes, "n": "adder"}, direct=tuple(direct))


def _unjoin(draw: st.DrawFn, spec: Spec) -> Spec:
    if not spec.joins:
        return spec
    place = draw(st.integers(0, len(spec.joins) - 1))
    sources, target, _ = spec.joins[place]
    joins = spec.joins[:place] + spec.joins[place + 1 :]
    direct = (*spec.direct, *((source, target, 0) for source in sources))
    return replace(spec, direct=direct, joins=joins)


def _policy(draw: st.DrawFn, spec: Spec) -> Spec:
    if not spec.joins:
        return spec
    place = draw(st.integers(0, len(spec.joins) - 1))
    joins = list(spec.joins)
    sources, target, _ = joins[place]
    joins[place] = (sources, target, draw(st.sampled_from(POLICIES)))
    return replace(spec, joins=tuple(joins))


def _type(draw: st.DrawFn, spec: Spec) -> Spec:
    id_ = draw(st.sampled_from(sorted(spec.nodes)))
    kind = draw(st.sampled_from(KINDS))
    return replace(spec, nodes={**spec.nodes, id_: kind})


EDITS = (_rename, _remove, _condition, _insert, _unjoin, _policy, _type)


def dropping(mapping: GraphMapping) -> GraphMapping:
    """The mapping in which everything that is not decided is dropped."""
    executors = {
        name: ExecutorMapping(
            *(
                None if choice == UNDECIDED else choice
                for choice in (
                    entry.messages_for,
                    entry.messages_from,
                    entry.record,
                    entry.requests,
                    entry.runs,
                )
            )
        )
        for name, entry in mapping.executors.items()
    }
    joins = {
        name: JoinMapping(None)
        if entry.join == UNDECIDED and not entry.send_to
        else entry
        for name, entry in mapping.joins.items()
    }
    return GraphMapping(executors, joins, mapping.inside)


def held_and_queued(state: RunState) -> int:
    return len(state.queue) + sum(map(len, state.buffers.values()))


@given(data=st.data())
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
def test_a_changed_workflow_goes_on_as_its_preview_says_or_is_refused_whole(data):
    spec = data.draw(specs())
    changed = data.draw(edited(spec))
    try:
        workflow = changed.build()
    except (WorkflowValidationError, ValueError):
        assume(False)
        raise
    asyncio.run(check(data, spec, workflow))


async def check(data: st.DataObject, spec: Spec, workflow: Workflow) -> None:
    store, headers = await run_of(spec, data.draw(st.integers(1, 4)))
    header = data.draw(st.sampled_from(headers))
    past = await bytes_of(store, headers)
    saved = len(headers)
    runner = Runner(workflow, store)
    plan = await runner.plan_change(header.id)
    mapping = plan.mapping
    if plan.problems:
        await refused(runner, header.id, None, plan)
        assert len(await store.headers()) == saved
        mapping = dropping(mapping)
        plan = await runner.plan_change(header.id, mapping)
    if plan.problems:
        await refused(runner, header.id, mapping, plan)
        assert len(await store.headers()) == saved
    else:
        await goes_on(runner, header, mapping, plan)
    assert await bytes_of(store, headers) == past


async def refused(
    runner: Runner, checkpoint: str, mapping: GraphMapping | None, plan: ChangePlan
) -> None:
    before = runner.state
    with pytest.raises(MigrationRefusedError) as caught:
        await runner.restore(checkpoint, on_change="migrate", mapping=mapping)
    assert caught.value.reasons == tuple(item.text for item in plan.problems)
    assert runner.state is before
    assert runner.header is None


async def goes_on(
    runner: Runner, header: Any, mapping: GraphMapping, plan: ChangePlan
) -> None:
    # Nothing is lost but what is listed.
    messages = sum(
        1
        for item in plan.dropped
        if item.aspect in ("messages_for", "messages_from", "join")
    )
    before = plan.before.state
    assert held_and_queued(plan.after.state) + messages == held_and_queued(before)
    records = sum(1 for item in plan.dropped if item.aspect == "record")
    assert len(plan.after.state.executors) + records == len(before.executors)
    upcoming = await next_superstep(runner.workflow, plan.after.state)
    await runner.restore(header.id, on_change="migrate", mapping=mapping)
    assert runner.header is not None
    if plan.changes:
        assert (runner.header.cause, runner.header.parent) == (Cause.EDIT, header.id)
    else:
        assert runner.header == header
    assert runner.state == plan.after.state
    trace = await runner.step()
    if trace is None:
        assert not upcoming.delivered
        return
    ran = Count(item.executor_id for item in trace.invocations)
    assert ran == {item.executor_id: item.calls for item in upcoming.delivered}
    assert upcoming.releases == trace.releases
    assert upcoming.fates == trace.fates
