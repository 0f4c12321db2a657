"""The barrier as a pure function: effects of many deliveries, merged in a fixed order."""

from __future__ import annotations

import operator
from typing import Any

import pytest

from runtime.engine.commit import (
    TurnResult,
    advance,
    answered,
    carried_over,
    first_state,
    merge_writes,
    route,
)
from runtime.errors import RequestError, StateConflictError
from runtime.executors.effects import DELETED, Effects
from runtime.executors.executor import Executor, WorkflowContext, handler
from runtime.message import Message, Request
from runtime.state import ExecutorRecord, RunState, Write
from runtime.workflow.builder import WorkflowBuilder
from tests.runtime.graphs import react, uneven_join
from tests.runtime.test_runner import passing


def wrote(executor_id: str, **writes: Any) -> TurnResult:
    return TurnResult(executor_id, 1, [Effects(writes=writes)])


def test_rule_19_two_executors_that_write_different_values_conflict_by_name():
    with pytest.raises(StateConflictError) as caught:
        merge_writes({}, [wrote("b", k=1), wrote("c", k=2)], {}, "error")
    assert (caught.value.key, caught.value.first, caught.value.second) == (
        "k",
        "b",
        "c",
    )


def test_case_43_equal_writes_are_no_conflict_but_one_and_true_are():
    assert merge_writes({}, [wrote("b", k=[1]), wrote("c", k=[1])], {}, "error")[0] == {
        "k": [1]
    }
    with pytest.raises(StateConflictError):
        merge_writes({}, [wrote("b", k=1), wrote("c", k=True)], {}, "error")


def test_rule_19_deleting_and_writing_one_key_conflict():
    with pytest.raises(StateConflictError):
        merge_writes({"k": 0}, [wrote("b", k=DELETED), wrote("c", k=1)], {}, "error")


def test_rule_19_the_last_wins_when_that_was_chosen():
    assert merge_writes({}, [wrote("b", k=1), wrote("c", k=2)], {}, "last")[0] == {
        "k": 2
    }


def test_rule_19_a_reducer_combines_contributions_with_what_is_there():
    shared, _ = merge_writes(
        {"log": ["a"]},
        [wrote("b", log=[["b"]]), wrote("c", log=[["c"]])],
        {"log": operator.add},
        "error",
    )
    assert shared == {"log": ["a", "b", "c"]}


def test_rule_19_a_reducer_that_changes_its_argument_cannot_reach_the_state():
    before = {"log": ["a"]}
    merge_writes(before, [wrote("b", log=[["b"]])], {"log": operator.iadd}, "error")
    assert before == {"log": ["a"]}


def test_deleted_keys_are_gone_and_untouched_state_is_the_same_object():
    shared, writes = merge_writes(
        {"k": 1, "l": 2}, [wrote("b", k=DELETED)], {}, "error"
    )
    assert shared == {"l": 2}
    assert writes == (Write("k", "b", True),)
    untouched = {"k": 1}
    assert (
        merge_writes(untouched, [TurnResult("b", 1, [Effects()])], {}, "error")[0]
        is untouched
    )


def test_rule_20_a_new_run_keeps_the_states_of_executors_and_no_record_that_says_nothing():
    class Hooked(Executor):
        @handler
        async def take(self, message: Any, ctx: WorkflowContext) -> None: ...

        async def on_checkpoint_save(self) -> dict[str, Any]:
            return {}

    a = react("a", passing)
    b = react("b", passing)
    c = Hooked("c")
    workflow = WorkflowBuilder(start_executor=a).add_chain([a, b, c]).build()
    ran = {
        "a": ExecutorRecord({"n": 1}, 2, 3),
        "b": ExecutorRecord({}, 2, 3),
        "c": ExecutorRecord({}, 2, 3),
    }
    state = carried_over(
        workflow, RunState(superstep=3, executors=ran), first_state(workflow, 1)
    )
    assert state.executors == {"a": ExecutorRecord({"n": 1}), "c": ExecutorRecord({})}


def test_rule_1_commit_counts_runs_and_keeps_what_was_not_touched():
    workflow = uneven_join()
    state = RunState(
        superstep=4, executors={"C": ExecutorRecord({"n": 1}, 2, 3)}, shared={"k": 1}
    )
    done = [
        TurnResult(
            "A", 2, [Effects(), Effects(sent=[Message("x", "A")])], record={"n": 2}
        )
    ]
    merged = advance(workflow, state, route(workflow, state), done).state
    assert merged.superstep == 5
    assert merged.queue == (Message("x", "A"),)
    assert merged.executors["A"] == ExecutorRecord({"n": 2}, 2, 5)
    assert merged.executors["C"] is state.executors["C"]
    assert merged.shared is state.shared


def test_rule_22_two_executors_cannot_ask_under_one_id():
    workflow = uneven_join()
    asked = [
        TurnResult(id, 1, [Effects(requests=[Request("r", id, "?", bool, 1)])])
        for id in ("B", "C")
    ]
    with pytest.raises(RequestError, match="'r'"):
        advance(workflow, RunState(), route(workflow, RunState()), asked)


def test_rule_22_an_answer_goes_straight_to_the_asker_and_closes_the_request():
    request = Request("r", "B", "?", bool, 1)
    state = answered(RunState(requests={"r": request}), {"r": (request, True)})
    assert state.requests == {}
    assert state.queue == (Message(True, "internal:B", "B", request),)
