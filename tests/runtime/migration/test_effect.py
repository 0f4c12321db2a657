"""Until the checkpoint before a change, the changed graph would have done the same: who
goes on from there comes to the end of a fresh run of the changed graph.
"""

from __future__ import annotations

import asyncio
from collections import Counter as Count
from typing import Any

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from runtime.checkpoints.archive import Archive
from runtime.engine.runner import Runner
from runtime.errors import WorkflowValidationError
from runtime.migration.changes import changes_between
from runtime.migration.effect import Effect, Step, effect_of, newest_untouched
from runtime.migration.outline_reader import outline_of
from runtime.migration.proposal import all_renames
from runtime.state import Invocation, Trace, Write
from runtime.stores.memory import MemoryStore
from runtime.workflow.workflow import Workflow
from tests.runtime.migration.changed_graphs import UNEVEN, Spec, finish, run_of
from tests.runtime.migration.test_random_changes import EDITS, specs

# A renamed executor goes on under its new name, and then outputs have two names.
CHANGES = [edit for edit in EDITS if edit.__name__ != "_rename"]


async def steps_of(store: MemoryStore, headers: list[Any]) -> list[Step]:
    """The way to the end of a run without forks, the newest step first."""
    archive = Archive(store)
    traces = [(header, (await archive.trace(header.id))[1]) for header in headers]
    return [Step(header.id, header.parent, trace) for header, trace in reversed(traces)]


async def before_the_change(
    store: MemoryStore, headers: list[Any], workflow: Workflow
) -> tuple[str, bool]:
    """Return that checkpoint, and whether an executor goes on under another name."""
    definition = (await Archive(store).load(headers[-1].id)).definition
    before = outline_of(definition)
    after = outline_of(workflow.saved_definition())
    renames = all_renames(before, after)
    effect = effect_of(before, after, changes_between(before, after, renames), renames)
    checkpoint = newest_untouched(effect, await steps_of(store, headers))
    return checkpoint, bool(renames)


async def outputs_until(
    store: MemoryStore, headers: list[Any], checkpoint: str
) -> list[Any]:
    outputs: list[Any] = []
    for header in headers:
        trace = (await Archive(store).load(header.id)).trace
        outputs += [(item.executor_id, item.data) for item in trace.outputs]
        if header.id == checkpoint:
            break
    return outputs


@given(data=st.data())
@settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))
def test_from_before_the_change_a_run_ends_as_a_fresh_one_of_the_changed_graph(data):
    spec = data.draw(specs())
    changed = spec
    for _ in range(data.draw(st.integers(1, 2))):
        changed = data.draw(st.sampled_from(CHANGES))(data.draw, changed)
    try:
        workflow = changed.build()
    except (WorkflowValidationError, ValueError):
        assume(False)
        raise
    asyncio.run(check(spec, changed, workflow, data.draw(st.integers(1, 4))))


async def check(spec: Spec, changed: Spec, workflow: Workflow, message: int) -> None:
    store, headers = await run_of(spec, message)
    checkpoint, has_renamed = await before_the_change(store, headers, workflow)
    # Outputs under the old name and the new one cannot be compared.
    assume(not has_renamed)
    outputs = await outputs_until(store, headers, checkpoint)
    runner = Runner(workflow, store)
    # Nothing has to be decided there.
    await runner.restore(checkpoint, fork=True, on_change="migrate")
    outputs += await finish(runner)
    fresh = Runner(changed.build(), MemoryStore())
    await fresh.start(message)
    fresh_outputs = await finish(fresh)
    assert Count(outputs) == Count(fresh_outputs)
    assert runner.state.shared == fresh.state.shared
    assert runner.state.superstep == fresh.state.superstep


def trace(*names: str, wrote: tuple[str, ...] = ()) -> Trace:
    return Trace(
        invocations=tuple(
            Invocation(name, "take", (), 1, 0.0, 0.0, wrote=wrote) for name in names
        )
    )


def test_a_call_inside_is_known_by_the_way_to_it() -> None:
    effect = Effect(calls=frozenset({("judge", "how")}))
    assert effect.touch(trace("judge#2/how")) == "did"
    assert effect.touch(trace("how")) == ""
    assert effect.touch(trace("other#1/how")) == ""


def test_a_write_counts_on_its_level_and_also_in_old_records() -> None:
    effect = Effect(keys=frozenset({("judge", "votes")}))
    assert effect.touch(trace("judge#1/how", wrote=("votes",))) == "did"
    assert effect.touch(trace("how", wrote=("votes",))) == ""
    old = Trace(writes=(Write("votes", "how"),))
    assert Effect(keys=frozenset({("votes",)})).touch(old) == "did"


async def test_a_removed_executor_that_ran_is_not_asked_about_before_it_ran() -> None:
    store, headers = await run_of(UNEVEN)
    changed = Spec(
        nodes=dict.fromkeys("abce", "adder"),
        direct=(("a", "b", 0), ("a", "c", 0)),
        joins=((("b", "c"), "e", "all"),),
    )
    workflow = changed.build()
    checkpoint, _ = await before_the_change(store, headers, workflow)
    runner = Runner(workflow, store)
    await runner.restore(checkpoint, on_change="migrate")
    assert runner.state.superstep == 2
