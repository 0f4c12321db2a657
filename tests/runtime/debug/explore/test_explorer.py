"""The explorer finds planted races, residues and swallowed cancellations, and says of
the others that they have one outcome.
"""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runtime.debug.explore.explorer import Options, explore
from runtime.debug.explore.report import Progress
from runtime.executors.executor import (
    Executor,
    FunctionExecutor,
    WorkflowContext,
    handler,
)
from runtime.policy import RetryPolicy
from runtime.workflow.builder import WorkflowBuilder
from runtime.workflow.sub_workflow import WorkflowExecutor
from runtime.workflow.workflow import Workflow
from tests.runtime.debug.explore import planted
from tests.runtime.debug.explore.planted import explored, kinds, pure, side_by_side
from tests.runtime.graphs import Step, react

FEW = Options(orders=12)


def test_two_executors_that_append_to_one_list_have_several_outcomes() -> None:
    exploration = explored(planted.shared_list("abc"), FEW)
    assert exploration.is_complete
    assert len(exploration.groups) == 6
    assert sum(group.tries for group in exploration.groups) >= 6
    texts = [
        finding.text for finding in exploration.findings if finding.kind == "orders"
    ]
    assert "Another outcome when b before a." in texts
    second = exploration.groups[1]
    assert {change.section for change in second.changes} == {"messages"}


def test_a_witness_is_the_order_next_to_the_fixed_one_that_shows_the_outcome() -> None:
    """Of six executors only the first two share something."""

    shared: list[str] = []

    def appending(name: str) -> Executor:
        async def go(message: str, ctx: planted.Ctx) -> None:
            shared.append(name)
            await ctx.send_message(f"{name} was number {len(shared)}")

        return react(name, go, input=str)

    def make() -> Workflow:
        shared.clear()
        return side_by_side(
            appending("a"), *map(pure, "bcd"), appending("e"), pure("f")
        )

    exploration = explored(make, Options(orders=6, failures=False))
    assert len(exploration.groups) == 2
    order = [turn.call.job for turn in exploration.groups[1].witness.order]
    assert order.index(4) < order.index(0)
    # All other executors are in the fixed order, so that no swap is there in vain.
    assert [job for job in order if job not in (0, 4)] == [1, 2, 3, 5]


def test_a_lost_update_shows_where_one_call_waits_while_the_other_runs() -> None:
    exploration = explored(planted.lost_update(), Options(orders=20))
    assert any(
        "a waits at its first await while b runs" in finding.text
        for finding in exploration.findings
    )
    pieces = [
        [len(lane.work) for lane in group.witness.lanes] for group in exploration.groups
    ]
    assert [2, 1, 1] in pieces


def test_outputs_that_differ_are_another_outcome() -> None:
    shared: list[str] = []

    def putting_out(name: str) -> Executor:
        async def go(message: str, ctx: planted.Ctx) -> None:
            shared.append(name)
            await ctx.yield_output(f"{name} was number {len(shared)}")

        return react(name, go, input=str)

    def make() -> Workflow:
        shared.clear()
        return side_by_side(putting_out("a"), putting_out("b"))

    exploration = explored(make, FEW)
    assert len(exploration.groups) == 2
    changes = exploration.groups[1].changes
    assert {change.section for change in changes} == {"outputs"}


def test_a_payload_that_two_executors_hold_has_several_outcomes() -> None:
    exploration = explored(planted.aliasing, FEW)
    # A failed try has changed the message that the second try gets.
    assert {*kinds(exploration)} == {"orders", "residue"}
    texts = [finding.text for finding in exploration.findings]
    assert any("the state is not that of the checkpoint" in text for text in texts)


def test_keys_of_a_dict_in_another_order_are_another_outcome_and_are_shown() -> None:
    exploration = explored(planted.order_of_a_dict(), FEW)
    shown = [
        (change.section, change.path, change.before, change.after)
        for group in exploration.groups
        for change in group.changes
        if change.kind == "moved"
    ]
    keys = "keys in the order a, b", "keys in the order b, a"
    assert ("state", "['seen']", *keys) in shown


def test_a_handler_that_swallows_its_cancellation_is_named() -> None:
    exploration = explored(planted.swallowing, FEW)
    assert kinds(exploration) == ["swallowed"]
    assert "deaf swallows its cancellation" in exploration.findings[0].text


def test_a_handler_that_never_ends_is_ended_by_force() -> None:
    exploration = explored(planted.endless, Options(orders=12, patience=0.01))
    assert kinds(exploration) == ["swallowed"]
    assert "does not end when it is cancelled" in exploration.findings[0].text


def test_what_a_failed_try_leaves_behind_is_found_by_the_second_try() -> None:
    exploration = explored(planted.residue(), FEW)
    assert len(exploration.groups) == 1
    residues = [
        finding.text for finding in exploration.findings if finding.kind == "residue"
    ]
    assert any("cancellation at the first await of a" in text for text in residues)
    assert not any("failure of a after" in text for text in residues)


def test_a_handler_that_counts_in_an_attribute_is_not_repeatable_in_one_process() -> (
    None
):
    class Counting(Step):
        count = 0

    def make() -> Workflow:
        counting = Counting("a")

        async def go(message: str, ctx: planted.Ctx) -> None:
            counting.count += 1
            await ctx.send_message(f"{counting.count}")

        return side_by_side(react("a", go, input=str), pure("b"))

    exploration = explored(make, FEW)
    assert kinds(exploration) == ["kept outside"]
    assert exploration.notes


def test_chance_is_not_repeatable_and_orders_are_not_compared() -> None:
    numbers = iter(range(100))

    async def go(message: str, ctx: planted.Ctx) -> None:
        await ctx.send_message(f"{next(numbers)}")

    exploration = explored(
        lambda: side_by_side(react("a", go, input=str), pure("b")), FEW
    )
    assert kinds(exploration) == ["not repeatable"]
    assert exploration.tries == 2
    (finding,) = exploration.findings
    assert [(change.old, change.new) for change in finding.changes if change.new]


def test_a_superstep_that_reaches_outside_is_refused_unless_it_is_live() -> None:
    calls: list[str] = []

    async def go(message: str, ctx: planted.Ctx) -> None:
        calls.append(message)
        await ctx.send_message(message)

    def make() -> Workflow:
        mailing = FunctionExecutor(go, "mail", input=str, output=str, outside="e-mail")
        return side_by_side(mailing, pure("b"))

    exploration = explored(make, FEW)
    assert calls == []
    assert exploration.refused.startswith("It reaches outside (mail: e-mail)")
    assert exploration.tries == 1
    live = explored(make, Options(orders=12, live=True))
    assert not live.refused
    assert len(calls) > 2


def test_a_superstep_that_fails_by_itself_fails_alike_in_every_order() -> None:
    async def go(message: str, ctx: planted.Ctx) -> None:
        raise ValueError("out of range")

    exploration = explored(
        lambda: side_by_side(react("a", go, input=str), pure("b")), FEW
    )
    assert [group.outcome.error for group in exploration.groups] == [
        "ValueError: out of range"
    ]
    assert kinds(exploration) == []


def test_a_superstep_in_which_no_handler_is_called_has_one_outcome() -> None:
    start, end = Step("start"), Step("end")

    def make() -> Workflow:
        builder = WorkflowBuilder(start_executor=start)
        return builder.add_edge(start, end, lambda _: False).build()

    exploration = explored(make, FEW)
    assert exploration.calls == ()
    assert len(exploration.groups) == 1
    assert exploration.is_complete
    assert exploration.findings == []


def test_calls_that_wait_for_each_other_get_their_turns_after_a_while() -> None:
    def make() -> Workflow:
        opened = asyncio.Event()

        async def wait(message: str, ctx: planted.Ctx) -> None:
            await opened.wait()
            await ctx.send_message(message)

        async def let_in(message: str, ctx: planted.Ctx) -> None:
            opened.set()
            await ctx.send_message(message)

        return side_by_side(
            react("waits", wait, input=str), react("opens", let_in, input=str)
        )

    options = Options(orders=3, failures=False, patience=0.005)
    exploration = explored(make, options)
    assert len(exploration.groups) == 1
    fixed = exploration.groups[0].witness.lanes
    assert [len(lane.work) for lane in fixed] == [2, 1]


def test_attempts_and_executors_that_keep_their_state_in_attributes_are_ordered() -> (
    None
):
    failed: set[str] = set()

    class Counting(Executor):
        """Fails at its first attempt, and counts its calls in a saved attribute."""

        count = 0

        @handler
        async def take(self, message: str, ctx: WorkflowContext[str]) -> None:
            if self.id not in failed:
                failed.add(self.id)
                raise ValueError("not yet")
            self.count += 1
            await asyncio.sleep(0)
            await ctx.send_message(f"{message}{self.count}")

        async def on_checkpoint_save(self) -> dict[str, Any]:
            return {"count": self.count}

        async def on_checkpoint_restore(self, state: dict[str, Any]) -> None:
            self.count = state["count"]

    def make() -> Workflow:
        failed.clear()
        start, first, second = Step("start"), Counting("a"), Counting("b")
        builder = WorkflowBuilder(start_executor=start)
        builder.add_fan_out_edges(start, [first, second])
        for executor in (first, second):
            builder.set_failure_policy(
                executor, retry=RetryPolicy(attempts=2, backoff=0)
            )
        return builder.build()

    exploration = explored(make, FEW)
    assert [group.outcome.error for group in exploration.groups] == [""]
    assert exploration.findings == []
    assert exploration.disturbed > 0


def test_calls_inside_sub_workflows_are_ordered_too() -> None:
    shared = planted.shared_list("ab")

    def make() -> Workflow:
        inner = shared()
        outer = WorkflowExecutor(inner, id="inside")
        return side_by_side(outer, pure("b"))

    exploration = explored(make, FEW, supersteps=3)
    names = {call.path for call in exploration.calls}
    assert names == {("inside#1",)}
    assert len(exploration.groups) == 2


def test_progress_is_reported_and_ends_with_all_tries() -> None:
    seen: list[tuple[str, int, int]] = []

    def note(progress: Progress) -> None:
        seen.append((progress.phase, progress.exploration.tries, progress.planned))

    exploration = explored(planted.residue(), FEW, report=note)
    assert seen[-1][1] == exploration.tries
    assert all(tries <= planned for _, tries, planned in seen)
    assert [*dict.fromkeys(phase for phase, _, _ in seen)] == [
        "repeat",
        "orders",
        "witnesses",
        "failures",
    ]


def test_an_exploration_can_be_cancelled_while_a_handler_waits() -> None:
    begun = asyncio.Event()

    async def go(message: str, ctx: planted.Ctx) -> None:
        begun.set()
        await asyncio.sleep(3600)

    def make() -> Workflow:
        return side_by_side(react("a", go, input=str), pure("b"))

    async def work() -> None:
        start = await planted.start_after(make)
        async with asyncio.TaskGroup() as group:
            task = group.create_task(explore(make, start))
            await begun.wait()
            task.cancel()
        assert task.cancelled()

    asyncio.run(work())


# --- a law --------------------------------------------------------------------------------------------------------


def _working(name: str, waits: int, sends: int, *, writes: bool) -> Executor:
    async def go(message: Any, ctx: planted.Ctx) -> None:
        for number in range(sends):
            await ctx.send_message(f"{message}{name}{number}")
            for _ in range(waits):
                await asyncio.sleep(0)
        if writes:
            ctx.set_state(name, [message])
        await ctx.yield_output(name)

    return react(name, go, input=str)


@settings(max_examples=8)
@given(
    st.lists(
        st.tuples(st.integers(0, 2), st.integers(0, 2), st.booleans()),
        min_size=2,
        max_size=4,
    ),
    st.integers(0, 3),
)
def test_a_workflow_whose_executors_share_nothing_has_one_outcome(
    shapes: list[tuple[int, int, bool]], seed: int
) -> None:
    def make() -> Workflow:
        return side_by_side(
            *(
                _working(f"n{place}", waits, sends, writes=writes)
                for place, (waits, sends, writes) in enumerate(shapes)
            )
        )

    exploration = explored(make, Options(orders=8, seed=seed))
    assert len(exploration.groups) == 1
    assert exploration.findings == []
    assert exploration.disturbed > 0


@pytest.mark.parametrize("waits", [0, 1])
def test_the_recorded_order_of_effects_does_not_depend_on_who_ended_first(
    waits: int,
) -> None:
    def make() -> Workflow:
        return side_by_side(*(_working(name, waits, 2, writes=True) for name in "abc"))

    exploration = explored(make, Options(orders=30))
    assert len(exploration.groups) == 1
