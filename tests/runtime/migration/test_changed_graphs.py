"""A changed workflow goes on from a checkpoint of the workflow before, or says why not."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from runtime.checkpoint import COMMON_FORMAT, FORMAT_VERSION, Cause
from runtime.checkpoints.archive import Archive
from runtime.engine.forecast import next_superstep
from runtime.engine.runner import Runner
from runtime.errors import MappingError, MigrationRefusedError, SignatureMismatchError
from runtime.events import RunEvent, RunEventKind
from runtime.migration.mapping import UNDECIDED, GraphMapping, mapping_from
from runtime.stores.memory import MemoryStore
from runtime.workflow.builder import WorkflowBuilder
from runtime.workflow.sub_workflow import WorkflowExecutor
from runtime.workflow.workflow import Workflow
from tests.runtime.graphs import Sink
from tests.runtime.migration.changed_graphs import (
    UNEVEN,
    Adder,
    Counter,
    Spec,
    bytes_of,
    finish,
    run_of,
)
from tests.runtime.test_requests import asking

SWITCH = Spec(
    nodes=dict.fromkeys("abcd", "adder"),
    direct=(("b", "d", 0),),
    switches=(("a", ((2, "b"), (3, "c")), "d"),),
)


async def test_another_graph_is_refused_unless_the_caller_wants_to_go_on():
    store, headers = await run_of(SWITCH)
    changed = replace(SWITCH, switches=(("a", ((2, "c"), (3, "b")), "d"),))
    runner = Runner(changed.build(), store)
    with pytest.raises(SignatureMismatchError, match="on_change"):
        await runner.restore(headers[1].id)
    with pytest.raises(ValueError, match="refuse"):
        await runner.restore(headers[1].id, on_change="perhaps")
    assert len(await store.headers()) == len(headers)


async def test_a_swapped_case_goes_on_as_a_fork_that_records_the_difference():
    store, headers = await run_of(SWITCH)
    past = await bytes_of(store, headers)
    changed = replace(SWITCH, switches=(("a", ((2, "c"), (3, "b")), "d"),))
    runner = Runner(changed.build(), store)
    await runner.restore(headers[1].id, on_change="migrate")
    header = runner.header
    assert header is not None
    assert (header.cause, header.parent, header.branch) == (
        Cause.EDIT,
        headers[1].id,
        "fork 1",
    )
    assert header.format == FORMAT_VERSION
    assert "cases 1.target is now" in header.changed
    kept = await Archive(store).load(header.id)
    assert kept.change is not None
    assert kept.change["from"] == headers[1].id
    fields = [item["field"] for item in kept.change["changes"]]
    assert fields == ["pairs", "cases 1.target", "cases 2.target"]
    assert kept.change["dropped"] == []
    assert kept.definition == runner.workflow.saved_definition()
    # 2 goes to c now, where it goes no further.
    assert await finish(runner) == [("c", 3)]
    assert {item.format for item in await store.headers()} == {
        COMMON_FORMAT,
        FORMAT_VERSION,
    }
    assert await bytes_of(store, headers) == past


async def test_a_changed_condition_decides_about_the_messages_that_wait():
    spec = Spec(nodes={"a": "adder", "b": "adder"}, direct=(("a", "b", 3),))
    store, headers = await run_of(spec)
    runner = Runner(replace(spec, direct=(("a", "b", 2),)).build(), store)
    plan = await runner.plan_change(headers[1].id)
    upcoming = await next_superstep(runner.workflow, plan.after.state)
    assert [item.name for item in upcoming.delivered] == ["b"]
    assert plan.kept == ("1 queued message", "1 executor record", "1 shared value")
    await runner.restore(headers[1].id, on_change="migrate")
    assert await finish(runner) == [("b", 3)]


async def test_the_run_of_a_workflow_takes_the_same_choice():
    store, headers = await run_of(SWITCH)
    changed = replace(SWITCH, switches=(("a", ((2, "c"), (3, "b")), "d"),)).build()
    with pytest.raises(SignatureMismatchError):
        await changed.run(checkpoint_id=headers[1].id, checkpoint_storage=store)
    result = await changed.run(
        checkpoint_id=headers[1].id, checkpoint_storage=store, on_change="migrate"
    )
    assert result.get_outputs() == [3]
    with pytest.raises(ValueError, match="refuse"):
        await changed.run(checkpoint_id=headers[1].id, on_change="yes")


async def test_an_unchanged_graph_is_restored_as_always():
    store, headers = await run_of(UNEVEN)
    runner = Runner(UNEVEN.build(), store)
    await runner.restore(headers[2].id, on_change="migrate")
    assert runner.header == headers[2]
    assert len(await store.headers()) == len(headers)


# --- renamed, split, removed --------------------------------------------------------------------------------------


@pytest.mark.parametrize("old", ["a", "b", "c", "d", "e"])
async def test_a_renamed_executor_keeps_all_that_is_its_own_at_every_barrier(old: str):
    store, headers = await run_of(UNEVEN)
    straight = Runner(UNEVEN.build(), store)
    changed = UNEVEN.with_name(old, "other").build()
    for header in headers:
        await straight.restore(header.id)
        expected = [
            ("other" if executor == old else executor, value)
            for executor, value in await finish(straight)
        ]
        runner = Runner(changed, store)
        plan = await runner.plan_change(header.id)
        assert plan.mapping.executors[old].record == "other"
        assert [change.kind for change in plan.changes] == ["renamed"]
        assert not plan.dropped
        await runner.restore(header.id, on_change="migrate")
        assert await finish(runner) == expected
        assert dict(runner.state.executors).keys() == changed.executors.keys()


async def test_what_is_gone_must_be_dropped_by_name_and_is_listed():
    store, headers = await run_of(UNEVEN)
    changed = replace(
        UNEVEN,
        nodes=dict.fromkeys("abce", "adder"),
        direct=(("a", "b", 0), ("a", "c", 0)),
        joins=((("b", "c"), "e", "all"),),
    )
    runner = Runner(changed.build(), store)
    with pytest.raises(MigrationRefusedError) as refused:
        await runner.restore(headers[3].id, on_change="migrate")
    assert any("'d' is gone" in reason for reason in refused.value.reasons)
    assert len(await store.headers()) == len(headers)
    assert runner.header is None
    mapping = mapping_from({"executors": {"d": None}})
    plan = await runner.plan_change(headers[3].id, mapping)
    assert [item.text for item in plan.dropped] == [
        "the record of 'd' (ran 1 time)",
        "a queued message from 'd' (int)",
    ] or len(plan.dropped) == 2
    await runner.restore(headers[3].id, on_change="migrate", mapping=mapping)
    assert runner.header is not None
    [held] = runner.state.buffers.values()
    assert [message.source_id for message in held] == ["b"]
    kept = await Archive(store).load(runner.header.id)
    assert kept.change is not None
    assert len(kept.change["dropped"]) == 2


async def test_an_executor_that_was_split_in_two_gets_in_front_and_sends_at_the_end():
    chain = Spec(
        nodes=dict.fromkeys("abc", "adder"), direct=(("a", "b", 0), ("b", "c", 0))
    )
    split = Spec(
        nodes=dict.fromkeys(("a", "b1", "b2", "c"), "adder"),
        direct=(("a", "b1", 0), ("b1", "b2", 0), ("b2", "c", 0)),
    )
    store, headers = await run_of(chain)
    mapping = mapping_from(
        {
            "executors": {
                "b": {
                    "messages_for": "b1",
                    "messages_from": "b2",
                    "record": "b1",
                    "requests": None,
                    "runs": None,
                }
            }
        }
    )
    runner = Runner(split.build(), store)
    await runner.restore(headers[2].id, on_change="migrate", mapping=mapping)
    assert [message.source_id for message in runner.state.queue] == ["b2"]
    assert await finish(runner) == [("c", 4)]
    proposed = (await runner.plan_change(headers[2].id)).mapping.executors["b"]
    assert (proposed.messages_for, proposed.messages_from) == ("b1", "b2")


async def test_the_messages_of_a_removed_join_go_along_the_edges_in_its_place():
    store, headers = await run_of(UNEVEN)
    half_full = headers[3]
    changed = replace(
        UNEVEN, direct=(*UNEVEN.direct, ("b", "e", 0), ("d", "e", 0)), joins=()
    )
    runner = Runner(changed.build(), store)
    plan = await runner.plan_change(half_full.id)
    [join] = plan.mapping.joins.values()
    assert join.send_to == "e"
    assert "1 message sent again" in plan.kept
    await runner.restore(half_full.id, on_change="migrate")
    assert await finish(runner) == [("e", 4), ("e", 5)]


async def test_a_join_that_waits_for_less_fires_with_what_it_holds():
    three = replace(
        UNEVEN,
        nodes=dict.fromkeys("abcdef", "adder"),
        direct=(("a", "b", 0), ("a", "d", 0), ("a", "f", 7)),
        joins=((("b", "d", "f"), "e", "all"),),
    )
    three = replace(three, direct=(*three.direct, ("a", "c", 0)))
    store, headers = await run_of(three)
    stalled = headers[-1]
    assert stalled.buffered == 2
    changed = replace(three, joins=((("b", "d"), "e", "all"),))
    runner = Runner(changed.build(), store)
    await runner.restore(stalled.id, on_change="migrate")
    assert await finish(runner) == [("e", 6)]


async def test_a_join_without_a_source_of_its_messages_is_refused_by_name():
    store, headers = await run_of(UNEVEN)
    changed = replace(UNEVEN, joins=((("c", "d"), "e", "all"),))
    runner = Runner(changed.build(), store)
    key = 'fan_in:[["b","e"],["d","e"]]'
    new_key = 'fan_in:[["c","e"],["d","e"]]'
    mapping = mapping_from({"joins": {key: new_key}})
    with pytest.raises(MigrationRefusedError, match="no source 'b'"):
        await runner.restore(headers[3].id, on_change="migrate", mapping=mapping)
    mapping = mapping_from({"joins": {key: {"join": new_key, "without": ["b"]}}})
    plan = await runner.plan_change(headers[3].id, mapping)
    assert [item.aspect for item in plan.dropped] == ["join"]
    await runner.restore(headers[3].id, on_change="migrate", mapping=mapping)
    assert not runner.state.buffers


async def test_an_own_state_goes_to_another_type_only_if_that_is_said():
    spec = Spec(nodes={"a": "counter", "b": "adder"}, direct=(("a", "b", 0),))
    store, headers = await run_of(spec)
    runner = Runner(replace(spec, nodes={"a": "adder", "b": "adder"}).build(), store)
    with pytest.raises(MigrationRefusedError, match="'a' is of another type now"):
        await runner.restore(headers[1].id, on_change="migrate")
    whole = mapping_from({"executors": {"a": "a"}})
    plan = await runner.plan_change(headers[1].id, whole)
    assert not plan.problems
    assert Counter("a").calls == 0


@pytest.mark.parametrize(
    ("mapping", "words"),
    [
        ({"executors": {"zz": "a"}}, "'zz', which was no executor"),
        ({"executors": {"b": "zz"}}, "'b' to 'zz', which is no executor now"),
        ({"joins": {"j": "zz"}}, "'zz', which is no join now"),
        ({"joins": {"j": {"send_to": "zz"}}}, "'zz', which is no executor now"),
        ({"inside": {"b": {}}}, "'b', which is no sub-workflow now"),
        ({"executors": {"b": UNDECIDED}}, "say"),
    ],
)
async def test_a_wrong_mapping_is_refused_with_its_place(mapping: Any, words: str):
    store, headers = await run_of(UNEVEN)
    changed = UNEVEN.with_name("c", "cc").build()
    with pytest.raises(MigrationRefusedError, match=words):
        await Runner(changed, store).restore(
            headers[2].id, on_change="migrate", mapping=mapping_from(mapping)
        )
    assert len(await store.headers()) == len(headers)


@pytest.mark.parametrize(
    "value",
    [
        [],
        {"executors": []},
        {"executors": {"a": 3}},
        {"executors": {"a": {"what": "b"}}},
        {"joins": {"j": {"join": "x", "send_to": "y"}}},
        {"joins": {"j": {"without": "b"}}},
        {"executers": {}},
        {"format": 9},
    ],
)
def test_what_is_no_mapping_is_refused(value: Any):
    with pytest.raises(MappingError):
        mapping_from(value)


def test_a_mapping_is_read_as_it_was_written():
    value = {
        "format": 1,
        "executors": {
            "a": "b",
            "c": None,
            "d": {
                "messages_for": "x",
                "messages_from": "y",
                "record": None,
                "requests": "?",
                "runs": None,
            },
        },
        "joins": {"j": "k", "l": None, "m": {"join": "k", "without": ["a"]}},
        "inside": {"s": {"executors": {"i": "o"}, "joins": {}}},
    }
    assert mapping_from(value).as_json() == value
    assert mapping_from({"mapping": value}) == mapping_from(value)
    assert GraphMapping().as_json() == {"format": 1, "executors": {}, "joins": {}}


# --- sub-workflows and questions ----------------------------------------------------------------------------------


def nested(inner_id: str, outer_id: str = "sub", number: int = 0) -> Workflow:
    inner = Spec(
        nodes=dict.fromkeys(("i", inner_id, "k"), "adder"),
        direct=(("i", inner_id, 0), (inner_id, "k", number)),
        start="i",
    ).build()
    sub = WorkflowExecutor(inner, outer_id)
    start = Adder("a")
    return (
        WorkflowBuilder(start_executor=start, name="nested")
        .add_edge(start, sub)
        .add_edge(sub, Sink("z"))
        .build()
    )


async def test_a_run_inside_goes_on_under_other_names_inside_and_outside():
    store = MemoryStore()
    runner = Runner(nested("j"), store)
    await runner.start(1)
    await runner.finish()
    headers = await store.headers()
    for header in headers:
        straight = Runner(nested("j"), store)
        await straight.restore(header.id)
        expected = await finish(straight)
        changed = Runner(nested("jj", "under"), store)
        plan = await changed.plan_change(header.id)
        assert not plan.problems
        await changed.restore(header.id, on_change="migrate")
        assert await finish(changed) == expected


async def test_a_refusal_names_what_is_inside():
    store = MemoryStore()
    runner = Runner(nested("j"), store)
    await runner.start(1)
    for _ in range(4):
        await runner.step()
    header = runner.header
    assert header is not None
    inner = Spec(nodes={"i": "adder"}, start="i").build()
    start = Adder("a")
    changed = (
        WorkflowBuilder(start_executor=start, name="nested")
        .add_chain([start, WorkflowExecutor(inner, "sub"), Sink("z")])
        .build()
    )
    with pytest.raises(MigrationRefusedError, match=r"'j' is gone.* in 'sub'"):
        await Runner(changed, store).restore(header.id, on_change="migrate")


async def test_an_open_question_goes_along_and_is_answered_there():
    store = MemoryStore()
    runner = Runner(asking(), store)
    await runner.start("x")
    await runner.finish()
    header = runner.header
    assert header is not None
    assert header.requests
    workflow = asking()
    plan = await Runner(workflow, store).plan_change(header.id)
    assert not plan.changes
    assert any("open question" in words for words in plan.kept)


# --- reducers -----------------------------------------------------------------------------------------------------


async def test_another_reducer_is_named_and_the_run_goes_on():
    store, headers = await run_of(replace(UNEVEN, reducers={"votes": max}))
    warnings: list[str] = []

    def observe(event: RunEvent) -> None:
        if event.kind is RunEventKind.WARNING:
            warnings.append(str(event.data))

    changed = replace(UNEVEN, reducers={"votes": min}).build()
    runner = Runner(changed, store, observer=observe)
    await runner.restore(headers[1].id)
    assert any("reducer of 'votes'" in text for text in warnings)
    plan = await runner.plan_change(headers[1].id)
    assert [change.element for change in plan.changes] == ["reducer"]
    await runner.restore(headers[1].id, on_change="migrate")
    assert runner.header is not None
    assert "reducer of 'votes'" in runner.header.changed
