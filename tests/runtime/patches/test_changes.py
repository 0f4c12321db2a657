"""Each kind of change in each section: what it makes, and why it is refused. A change is
made whole or not at all.
"""

from __future__ import annotations

from typing import Any

import pytest

from runtime.errors import PatchRefusedError
from runtime.message import Message
from tests.runtime.patches.runs import (
    Note,
    Recorded,
    Task,
    asking,
    joining,
    patch_of,
    texts,
)

JOIN = 'fan_in:[["late","merge"],["left","merge"]]'


@pytest.fixture
async def recorded() -> Recorded:
    return await Recorded.of(joining())


def at(place: int) -> dict[str, Any]:
    return {"place": place}


def of_state(key: str, value: Any = None, **more: Any) -> dict[str, Any]:
    return {"do": "set", "section": "state", "key": key, "value": value, **more}


def of_queue(do: str, spot: Any = None, **more: Any) -> dict[str, Any]:
    return {"do": do, "section": "queue", "spot": spot, **more}


def of_join(do: str, spot: Any = None, **more: Any) -> dict[str, Any]:
    return {"do": do, "section": "buffers", "key": JOIN, "spot": spot, **more}


# --- state and executors ------------------------------------------------------------------------------------------


async def test_a_key_is_set_added_and_removed_and_parts_of_it_too(recorded):
    state = await recorded.patched(
        1,
        of_state("new", [1, {"a": None}]),
        of_state("counts", 7, path=("tasks", 1)),
        of_state("counts", 9, path=("tasks", 2)),
        of_state("counts", "x", path=("more",)),
        {"do": "remove", "section": "state", "key": "counts", "path": ("tasks", 0)},
        {"do": "remove", "section": "state", "key": "task"},
    )
    assert dict(state.shared) == {
        "counts": {"tasks": [7, 9], "more": "x"},
        "new": [1, {"a": None}],
    }


async def test_a_value_gets_the_type_of_what_stood_there(recorded):
    state = await recorded.patched(1, of_state("task", {"title": "other", "points": 3}))
    assert state.shared["task"] == Task("other", 3)
    state = await recorded.patched(1, of_state("task", 4, path=("points",)))
    assert state.shared["task"] == Task("ship", 4)
    state = await recorded.patched(1, of_state("task", "plain"))
    assert state.shared["task"] == "plain"


async def test_a_type_may_be_named_where_nothing_stood(recorded):
    name = "tests.runtime.patches.runs:Task"
    state = await recorded.patched(1, of_state("t", {"title": "x"}, type=name))
    assert state.shared["t"] == Task("x")


async def test_what_the_codec_writes_is_a_value_too(recorded):
    state = await recorded.patched(1, of_state("t", {"$": "tuple", "v": [1, 2]}))
    assert state.shared["t"] == (1, 2)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (of_state("task", {"title": "x"}), "needs the field 'points' too"),
        (of_state("task", "many", path=("points",)), "takes int, not str"),
        (of_state("task", 1, path=("size",)), "A Task has no field 'size'"),
        (of_state("counts", 1, path=("tasks", 5)), "has 2"),
        (of_state("gone", 1, path=("a",)), "no key 'gone'"),
        (of_state("x", {"$": "no such type"}), "no such type"),
        (of_state("x", {}, type="no:Type"), "No type 'no:Type'"),
        (of_state("x", "\ud800"), None),
        (of_state("\ud800", 1), "proper text"),
        (of_state("x", 1, run=("gone#1",)), "no run 'gone#1'"),
        ({"do": "remove", "section": "state", "key": "gone"}, "no key 'gone'"),
        ({"do": "remove", "section": "state", "key": "task", "path": ("points",)},
         "cannot do without it"),
    ],
)  # fmt: skip
async def test_a_value_that_does_not_fit_is_a_problem_of_its_change(
    recorded, change, says
):
    plan = await recorded.plan(1, change, of_state("fine", 1))
    if says is None:
        assert plan.problems == ()
        return
    [problem] = plan.problems
    assert says in problem.text
    assert problem.change == "c1"
    # What has a problem is left out, and the rest is there.
    assert dict(plan.after.state.shared) == {**plan.before.state.shared, "fine": 1}


async def test_a_value_that_could_not_be_saved_is_a_problem_of_its_change(recorded):
    deep: Any = 1
    for _ in range(300):
        deep = [deep]
    plan = await recorded.plan(
        2,
        of_state("x", deep),
        {"do": "set", "section": "executors", "key": "left", "value": {"x": deep}},
        of_queue("add", source="merge", value=deep),
    )
    assert [issue.change for issue in plan.problems] == ["c1", "c2", "c3"]
    assert all("nested too deep" in text for text in texts(plan))
    assert plan.after.state is plan.before.state


async def test_the_state_of_an_executor_changes_and_its_counts_do_not(recorded):
    own = {"section": "executors", "key": "left"}
    before = (await recorded.plan(2)).before.state.executors["left"]
    state = await recorded.patched(
        2, {**own, "do": "set", "path": ("seen", 0), "value": "else"}
    )
    record = state.executors["left"]
    assert dict(record.state) == {"seen": ["else"]}
    assert (record.runs, record.last_superstep) == (before.runs, before.last_superstep)
    state = await recorded.patched(2, {**own, "do": "remove"})
    assert dict(state.executors["left"].state) == {}


async def test_the_state_of_an_executor_is_a_mapping(recorded):
    own = {"section": "executors", "do": "set", "value": 5}
    plan = await recorded.plan(
        2, {**own, "key": "left"}, {**own, "key": "nobody", "value": {}}
    )
    assert [issue.change for issue in plan.problems] == ["c1", "c2"]
    assert plan.after.state is plan.before.state


# --- the queue ----------------------------------------------------------------------------------------------------


async def test_messages_are_edited_dropped_duplicated_moved_and_added(recorded):
    state = await recorded.patched(
        2,
        of_queue("set", at(0), value={"text": "edited", "stars": 5}),
        of_queue("duplicate", at(0)),
        of_queue("drop", at(1)),
        of_queue("add", source="right", value={"text": "new"}, to=0),
        of_queue("move", {"added": "c2"}, to=2),
    )
    assert state.queue == (
        Message(Note(text="new"), "right"),
        Message(Note(text="edited", stars=5), "left"),
        Message(Note(text="edited", stars=5), "left"),
    )


async def test_a_place_far_behind_the_last_is_the_last(recorded):
    far = 10**30
    state = await recorded.patched(
        2,
        of_queue("move", at(0), to=far),
        of_queue("add", source="right", value={"text": "new"}, to=far),
    )
    assert [message.source_id for message in state.queue] == ["right", "left", "right"]


async def test_two_duplicates_share_nothing(recorded):
    state = await recorded.patched(1, of_queue("duplicate", at(0)))
    first, second = state.queue
    assert first.data == second.data
    assert first.data is not second.data


async def test_each_change_means_the_places_of_the_original(recorded):
    changes = [
        of_queue("drop", at(0)),
        of_queue("set", at(1), path=("stars",), value=9),
    ]
    for order in (changes, changes[::-1]):
        state = await recorded.patched(2, *order)
        assert [message.data for message in state.queue] == [
            Note(text="right: ship", stars=9)
        ]


async def test_moved_messages_stand_where_they_were_sent(recorded):
    state = await recorded.patched(
        2,
        of_queue("move", at(0), to=3),
        of_queue("add", source="right", value={"text": "x"}),
        of_queue("add", source="right", value={"text": "y"}, to=1),
    )
    assert [message.data.text for message in state.queue] == [
        "right: ship", "y", "x", "left: ship",
    ]  # fmt: skip


async def test_a_message_is_addressed_anew(recorded):
    state = await recorded.patched(1, of_queue("address", at(0), target="right"))
    assert state.queue == (Message(Task("ship", 1), "begin", "right"),)
    state = await recorded.patched(
        2, of_queue("address", at(0), source="right", target="late")
    )
    assert state.queue[0].source_id == "right"


async def test_an_input_may_enter_elsewhere(recorded):
    state = await recorded.patched(
        0,
        of_queue("drop", at(0)),
        of_queue("add", target="left", value={"title": "direct"}),
    )
    assert state.queue == (Message(Task("direct"), "internal:left", "left"),)


@pytest.mark.parametrize(
    ("superstep", "change", "says"),
    [
        (1, of_queue("set", at(0), value="text"), "takes no str"),
        (2, of_queue("set", at(0), path=("stars",), value=-1), "greater than or equal"),
        (2, of_queue("drop", at(7)), "no place 7"),
        (2, of_queue("drop"), "which message"),
        (2, of_queue("drop", {"added": "c9"}), "No change 'c9'"),
        (2, of_queue("move", at(0)), "to which place"),
        (2, of_queue("move", at(0), to=-1), "to which place"),
        (2, of_queue("remove", at(0)), "use 'drop'"),
        (2, of_queue("address", at(0), target="right"), "No edge leads"),
        (2, of_queue("address", at(0), target="nobody"), "no executor 'nobody'"),
        (2, of_queue("address", at(0), source="nobody"), "no executor 'nobody'"),
        (2, of_queue("add", value=1), "from which executor"),
        (2, of_queue("add", value=1, target="left"), "'left' takes no int"),
    ],
)
async def test_a_message_that_cannot_be_there_is_a_problem(
    recorded, superstep, change, says
):
    plan = await recorded.plan(superstep, change)
    [text] = texts(plan)
    assert says in text
    assert plan.after.state is plan.before.state


async def test_a_change_of_a_dropped_message_names_the_change_that_drops_it(recorded):
    plan = await recorded.plan(
        2, of_queue("drop", at(0)), of_queue("set", at(0), path=("stars",), value=2)
    )
    assert texts(plan) == ["The change 'c1' drops this message."]
    assert len(plan.after.state.queue) == 1


async def test_a_message_that_nothing_leads_on_is_a_warning(recorded):
    plan = await recorded.plan(2, of_queue("add", source="merge", value=1))
    assert plan.problems == ()
    assert "No edge leads on from 'merge'" in plan.warnings[0].text


# --- joins --------------------------------------------------------------------------------------------------------


async def test_what_a_join_holds_is_edited_and_dropped(recorded):
    state = await recorded.patched(3, of_join("set", at(0), path=("stars",), value=4))
    assert [message.data.stars for message in state.buffers[JOIN]] == [4]
    state = await recorded.patched(3, of_join("drop", at(0)))
    assert JOIN not in state.buffers


async def test_a_join_is_named_by_the_executor_before_which_it_stands(recorded):
    named = {**of_join("drop", at(0)), "key": "merge"}
    plan = await recorded.plan(3, named)
    assert plan.problems == ()
    assert JOIN not in plan.after.state.buffers
    assert plan.patch.changes[0].key == JOIN


async def test_a_join_that_a_change_completes_fires(recorded):
    outputs = await recorded.outputs(
        3,
        of_queue("drop", at(0)),
        of_join("add", source="late", value={"text": "by hand"}),
    )
    assert outputs == [[("by hand", 0), ("left: ship", 1)]]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (of_join("add", source="right", value={"text": "x"}), "no source of this join"),
        (of_join("add", value={"text": "x"}), "from which executor"),
        (of_join("add", source="late", value=5), "takes no int"),
        (of_join("address", at(0), target="late"), "goes to 'merge'"),
        ({**of_join("drop", at(0)), "key": "other"}, "no join 'other'"),
    ],
)
async def test_what_a_join_cannot_hold_is_a_problem(recorded, change, says):
    plan = await recorded.plan(3, change)
    [text] = texts(plan)
    assert says in text
    assert plan.after.state is plan.before.state


# --- questions ----------------------------------------------------------------------------------------------------


def of_question(do: str, **more: Any) -> dict[str, Any]:
    return {"do": do, "section": "requests", "key": "ship", **more}


@pytest.mark.parametrize("run", [(), ("review#1",)])
async def test_a_question_is_answered_wherever_it_is_named(run):
    recorded = await Recorded.of(asking())
    value = {"accepted": True, "score": 2}
    outputs = await recorded.outputs(3, of_question("answer", value=value, run=run))
    assert outputs == [("ship", True, 2.0)]


@pytest.mark.parametrize("run", [(), ("review#1",)])
async def test_a_withdrawn_question_ends_the_run_that_only_waited_for_it(run):
    recorded = await Recorded.of(asking())
    state = await recorded.patched(3, of_question("withdraw", run=run))
    assert (dict(state.requests), dict(state.children)) == ({}, {})


@pytest.mark.parametrize("run", [(), ("review#1",)])
async def test_the_data_of_a_question_changes_in_all_runs_that_pass_it_on(run):
    recorded = await Recorded.of(asking())
    changes = [
        of_question("set", path=("text",), value="hold", run=run),
        of_question("answer", value={"accepted": False}),
    ]
    assert await recorded.outputs(3, *changes) == [("hold", False, 0.0)]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (of_question("answer", value={"score": 1}), "'accepted' is a required"),
        (of_question("answer", value=5), "Response type mismatch"),
        (of_question("set", value="text"), "takes no answer to a question"),
        ({**of_question("withdraw"), "key": "other"}, "No question 'other'"),
    ],
)
async def test_an_answer_that_does_not_fit_is_a_problem(change, says):
    recorded = await Recorded.of(asking())
    plan = await recorded.plan(3, change)
    [text] = texts(plan)
    assert says in text
    assert plan.after.state is plan.before.state


async def test_a_question_whose_answer_is_on_its_way_takes_no_other_one() -> None:
    recorded = await Recorded.of(asking())
    runner = recorded.runner()
    answer = of_question("answer", value={"accepted": True})
    patch = (await recorded.plan(3, answer)).patch
    await runner.restore(recorded.at(3), patch=patch)
    assert runner.header is not None
    again = patch_of({**answer, "run": ("review#1",)})
    plan = await runner.plan_patch(runner.header.id, again)
    assert texts(plan) == [
        "This question, or an answer to it, waits in a queue as a message. Change or drop that message."
    ]
    twice = patch_of(of_queue("duplicate", at(0)))
    plan = await runner.plan_patch(runner.header.id, twice)
    assert texts(plan) == ["A question takes one answer only."]


# --- inside -------------------------------------------------------------------------------------------------------


async def test_a_run_inside_is_changed_by_its_keys():
    recorded = await Recorded.of(asking())
    inside = ("review#1",)
    state = await recorded.patched(
        2,
        of_queue("set", at(0), path=("title",), value="other", run=inside),
        of_state("seen", 1, run=inside),
    )
    child = state.children["review#1"]
    assert child.queue[0].data == Task("other", 1)
    assert dict(child.shared) == {"seen": 1}


async def test_a_run_inside_that_has_nothing_left_to_do_ends():
    recorded = await Recorded.of(asking())
    plan = await recorded.plan(2, of_queue("drop", at(0), run=("review#1",)))
    assert dict(plan.after.state.children) == {}
    assert "'review#1' has nothing left to do" in plan.warnings[0].text


# --- whole or not at all ------------------------------------------------------------------------------------------


async def test_a_patch_with_a_problem_changes_nothing(recorded):
    before = await recorded.bytes()
    runner = recorded.runner()
    patch = (await recorded.plan(1, of_state("x", 1), of_queue("drop", at(7)))).patch
    with pytest.raises(PatchRefusedError, match=r"c2: There is no place 7") as caught:
        await runner.restore(recorded.at(1), patch=patch)
    assert len(caught.value.reasons) == 1
    assert runner.header is None
    assert len(await recorded.store.headers()) == len(recorded.headers)
    assert await recorded.bytes() == before


async def test_an_empty_patch_is_refused_and_its_plan_is_the_checkpoint(recorded):
    plan = await recorded.plan(1)
    assert (plan.problems, plan.after.state) == ((), plan.before.state)
    with pytest.raises(PatchRefusedError, match="no changes"):
        await recorded.runner().restore(recorded.at(1), patch=plan.patch)
