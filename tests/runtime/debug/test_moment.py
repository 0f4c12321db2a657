"""A moment: node states, edges, messages, requests, told from a checkpoint alone."""

from dataclasses import replace

import pytest

from runtime.checkpoints.archive import Archive
from runtime.codec import Record
from runtime.debug.graphs.graph import Graph
from runtime.debug.moments.moment import Extras, Snapshot, moment
from runtime.debug.protocol import Drop
from runtime.debug.supersteps.message_fates import losses, trace_in
from runtime.debug.supersteps.next_superstep import Routed
from runtime.debug.supersteps.nodes import Live
from runtime.debug.supersteps.past_supersteps import Past
from runtime.document.definition import DirectEdge
from runtime.engine.runner import Runner
from runtime.message import Message
from runtime.state import Fate, Invocation, Output, Release, RunState, Trace, Write
from runtime.stores.memory import MemoryStore
from tests.runtime.debug.graphs import (
    BRANCHES,
    JOIN_KEY,
    LOST_JOIN,
    checkpoint,
    first_input,
    question,
    ran,
    workflow,
)
from tests.runtime.graphs import uneven_join

B = Message("from b", "b")
C = Message("from c", "c")
HALF = {JOIN_KEY: (B,)}
AT_3 = RunState(3, (C,), HALF, ran(a=1, b=2, c=3))
TRACE_3 = Trace(
    invocations=(Invocation("c", "handle", ("a",), 1, 0.0, 0.64, sent=1),),
    fates=(Fate("delivered", "a", "c", "out"), Fate("buffered", "b", "join", "in")),
    outputs=(Output("c", {"rows": 2}),),
)


def states(
    state: RunState,
    trace: Trace | None = None,
    definition=LOST_JOIN,
    extras: Extras = Extras(),  # noqa: B008
):
    seen = moment(checkpoint(definition, state, trace), extras)
    return {id_: (node.state, node.detail) for id_, node in seen.nodes.items()}


def test_states_while_a_join_is_half_full() -> None:
    assert states(AT_3, TRACE_3, extras=Extras(history=Past(seconds={"a": 1.2}))) == {
        "a": ("done", "s1 · 1.2 s"),
        "b": ("done", "s2"),
        "c": ("ran", "640 ms"),
        "d": ("next", "s4"),
        "join": ("waiting", "1 of 2"),
    }


def test_states_before_anything_ran() -> None:
    assert states(RunState(0, (first_input(),))) == {
        "a": ("next", "s1"),
        **dict.fromkeys(("b", "c", "d", "join"), ("idle", "")),
    }


def test_the_target_of_a_join_that_will_fire_runs_next() -> None:
    assert states(RunState(4, (Message(1, "d"),), HALF, ran(a=1, b=2, c=3, d=4)))[
        "join"
    ] == ("next", "s5")


def test_the_target_of_a_join_that_can_never_fire_is_stalled() -> None:
    assert states(RunState(4, (), HALF, ran(a=1, b=2, c=2)))["join"] == (
        "stalled",
        "1 of 2",
    )


def test_what_asks() -> None:
    seen = moment(
        checkpoint(
            LOST_JOIN,
            RunState(4, (), {}, ran(a=1, b=2, c=3, d=4), requests=question("d")),
        )
    )
    assert (seen.nodes["d"].state, seen.nodes["d"].questions) == ("asking", 1)


def test_a_condition_is_not_guessed() -> None:
    # After `a` ran, the switch decides: neither branch is told to run next, and the
    # message says so.
    seen = moment(checkpoint(BRANCHES, RunState(1, (Message(5, "a"),), {}, ran(a=1))))
    assert {seen.nodes[id_].state for id_ in "xy"} == {"idle"}
    assert [(m.source, m.target, m.note) for m in seen.messages] == [
        ("a", "", "decided when it is routed")
    ]


def test_what_routing_found_is_taken_over_what_is_certain() -> None:
    routed = Routed(
        (
            Fate("delivered", "a", "x", "sw"),
            Fate("dropped", "a", "y", "sw", 1, "not selected"),
        )
    )
    at = checkpoint(BRANCHES, RunState(1, (Message(5, "a"),), {}, ran(a=1)))
    seen = moment(at, Extras(routed=routed))
    assert (seen.nodes["x"].state, seen.nodes["y"].state) == ("next", "idle")
    assert [(m.target, m.edge) for m in seen.messages] == [("x", "sw")]
    assert seen.edges["sw"].queued == (("a", "x", 1),)


def test_each_message_is_named_where_it_went_or_why_it_went_nowhere() -> None:
    """Several of one source go different ways: the recorded positions tell which is
    which.
    """
    fates = (
        Fate("delivered", "a", "x", "sw", positions=(1,)),
        Fate("delivered", "a", "y", "sw", positions=(0,)),
        Fate("dropped", "a", "x", "sw", 2, "not selected", positions=(0, 2)),
        Fate("dropped", "a", "y", "sw", 2, "not selected", positions=(1, 2)),
    )
    queue = tuple(Message(number, "a") for number in range(3))
    seen = moment(
        checkpoint(BRANCHES, RunState(1, queue, {}, ran(a=1))),
        Extras(routed=Routed(fates)),
    )
    assert [(m.data.text, m.target, m.note) for m in seen.messages] == [
        ("0", "y", ""),
        ("1", "x", ""),
        ("2", "", "dropped: not selected"),
    ]
    of_before = Routed(tuple(replace(fate, positions=()) for fate in fates))
    seen = moment(
        checkpoint(BRANCHES, RunState(1, queue, {}, ran(a=1))), Extras(routed=of_before)
    )
    assert {(m.target, m.note) for m in seen.messages} == {
        ("", "its way is not recorded")
    }


def test_branches_not_taken_are_named_when_the_run_rests() -> None:
    told = states(RunState(3, (), {}, ran(a=1, y=2)), definition=BRANCHES)
    assert (told["x"], told["z"], told["join"]) == (
        ("not_taken", ""),
        ("not_taken", ""),
        ("idle", ""),
    )


def test_a_branch_that_an_answer_may_still_take_is_not_given_up() -> None:
    told = states(
        RunState(1, (), {}, ran(a=1), requests=question("a")), definition=BRANCHES
    )
    assert {told[id_] for id_ in "xyz"} == {("idle", "")}


def test_a_loop_that_was_never_entered_is_not_taken() -> None:
    loop = workflow(
        DirectEdge(id="ab", source="a", target="b", condition="false"),
        DirectEdge(id="ac", source="a", target="c"),
        DirectEdge(id="bd", source="b", target="d"),
        DirectEdge(id="db", source="d", target="b"),
    )
    told = states(RunState(2, (), {}, ran(a=1, c=2)), definition=loop)
    assert (told["b"], told["d"]) == (("not_taken", ""), ("not_taken", ""))


def test_what_ran_and_sent_nothing_leaves_the_rest_untouched() -> None:
    assert states(RunState(2, (), {}, ran(a=1, b=2)))["d"] == ("idle", "")


def test_live_states() -> None:
    live = Live(running={"d": 1.1}, ended={"c": 0.2})
    told = states(AT_3, TRACE_3, extras=Extras(live=live))
    assert (told["d"], told["c"]) == (("running", "1.1 s"), ("done", "200 ms"))


def test_a_failure_and_what_it_cancelled() -> None:
    live = Live(
        failed="d",
        error="no such file",
        error_type="OSError",
        cancelled=frozenset({"b"}),
    )
    seen = moment(checkpoint(LOST_JOIN, AT_3, TRACE_3), Extras(live=live))
    assert (seen.nodes["d"].state, seen.nodes["d"].detail, seen.nodes["d"].error) == (
        "failed",
        "OSError",
        "no such file",
    )
    assert (seen.nodes["b"].state, seen.nodes["b"].detail) == ("cancelled", "s4")


def test_edges_tell_what_was_carried_and_what_is_queued() -> None:
    edges = moment(checkpoint(LOST_JOIN, AT_3, TRACE_3)).edges
    assert (edges["out"].delivered, edges["in"].delivered) == (
        (("a", "c", 1),),
        (("b", "join", 1),),
    )
    assert (edges["cd"].delivered, edges["cd"].queued) == ((), (("c", "d", 1),))


def test_edges_tell_how_many_of_what_they_stopped_nobody_else_took() -> None:
    lost = Fate("dropped", "b", "join", "in", 1, "type mismatch")
    other_case = Fate("dropped", "a", "x", "sw", 1, "not selected")
    trace = Trace(fates=(lost, other_case, Fate("delivered", "a", "y", "sw")))
    edges = moment(checkpoint(LOST_JOIN, AT_3, trace)).edges
    assert edges["in"].dropped == (
        Drop(source="b", target="join", reason="type mismatch", lost=1),
    )
    assert edges["sw"].dropped == (
        Drop(source="a", target="x", reason="not selected", lost=0),
    )


def test_of_several_messages_each_is_counted_where_it_was_lost() -> None:
    """The first went along `ab`, the second along `ac`, the third nowhere: also where
    others of its source did.
    """
    fates = (
        Fate("delivered", "a", "b", "ab", 1, positions=(0,)),
        Fate("dropped", "a", "b", "ab", 2, "condition false", positions=(1, 2)),
        Fate("delivered", "a", "c", "ac", 1, positions=(1,)),
        Fate("dropped", "a", "c", "ac", 2, "condition false", positions=(0, 2)),
    )
    assert [losses(fates)[fate] for fate in fates if fate.kind == "dropped"] == [1, 1]
    of_before = tuple(replace(fate, positions=()) for fate in fates)
    assert [
        losses(of_before)[fate] for fate in of_before if fate.kind == "dropped"
    ] == [None, None]


def test_a_join_that_fired_tells_what_it_let_out_of_each_source() -> None:
    trace = Trace(
        releases=(Release("in", "join", (2, 0)), Release("in", "join", (1, 1)))
    )
    (join,) = moment(checkpoint(LOST_JOIN, RunState(3, (), HALF), trace)).joins
    assert [(source.released, source.have) for source in join.sources] == [
        (3, 1),
        (1, 0),
    ]


async def test_a_workflow_made_in_code_is_told_of_by_the_edges_of_its_graph() -> None:
    """Whatever ids they were given: names are no part of the graph that a checkpoint
    keeps.
    """
    workflow = uneven_join()
    for group in workflow.edge_groups:
        group.id = f"my {group.kind}"
    store = MemoryStore()
    runner = Runner(workflow, store)
    await runner.start("x")
    while await runner.step() is not None:
        pass
    fired = Snapshot.of(await Archive(store).view((await store.headers())[-1].id))
    (join,) = fired.moment().joins
    assert (join.fired, [source.released for source in join.sources]) == (4, [1, 1])
    assert fired.moment().edges[join.edge].delivered == (("D", "J", 1),)


def test_a_run_inside_tells_of_its_own_superstep_and_of_no_other() -> None:
    """The trace has the names of all runs of the tree, with the way to them."""
    trace = Trace(
        invocations=(
            Invocation("b#1/x", "go", (), 1, 0.0, 0.5),
            Invocation("b#2/x", "go", (), 1, 0.0, 0.5),
        ),
        fates=(
            Fate("delivered", "a", "b", "out"),
            Fate("delivered", "b#1/w", "b#1/x", "b#1/wx"),
            Fate("delivered", "b#1/x#4/deep", "b#1/x#4/e", "b#1/x#4/de"),
            Fate("delivered", "b#2/v", "b#2/x", "b#2/vx"),
        ),
        releases=(Release("b#1/in", "b#1/x", (1, 1)),),
        writes=(Write("k", "a"),),
    )
    nowhere = Graph({}, "", (), ())
    inner = trace_in(trace, ("b#1",), nowhere, {"w", "x"})
    assert [one.executor_id for one in inner.invocations] == ["x"]
    assert inner.fates == (Fate("delivered", "w", "x", "wx"),)
    assert inner.releases == (Release("in", "x", (1, 1)),)
    assert inner.writes == ()
    outer = trace_in(trace, (), nowhere, {"a", "b"})
    assert (outer.fates, outer.writes) == (trace.fates[:1], trace.writes)
    assert trace_in(trace, ("b#1", "x#4"), nowhere, {"deep", "e"}).fates == (
        Fate("delivered", "deep", "e", "de"),
    )
    # A slash in an id is no way into a run.
    odd = Trace(fates=(Fate("delivered", "a/b", "c/d", "e"),))
    assert trace_in(odd, (), nowhere, {"a/b", "c/d"}).fates == odd.fates


def test_messages_queued_and_held() -> None:
    seen = moment(checkpoint(LOST_JOIN, AT_3, TRACE_3))
    assert [
        (m.where, m.source, m.target, m.edge, m.data.text) for m in seen.messages
    ] == [
        ("queued", "c", "d", "cd", "'from c'"),
        ("buffered", "b", "join", "in", "'from b'"),
    ]


@pytest.mark.parametrize(
    ("data", "title"),
    [
        ("Ship it?", "Ship it?"),
        (
            Record("runtime.nodes.ask:Question", {"text": "May these  ship?"}),
            "May these ship?",
        ),
        (Record("shop:Refund", {"amount": 3}), "Refund"),
        (3, "int"),
    ],
)
def test_a_question_is_called_by_its_text_or_its_type(data, title) -> None:
    schema = {"type": "string"}
    (request,) = moment(
        checkpoint(LOST_JOIN, RunState(1, requests=question("d", data, schema=schema)))
    ).requests
    assert request.text.split() == ("" if title in ("Refund", "int") else title).split()
    assert (request.id, request.executor, request.title, request.schema_) == (
        "q1",
        "d",
        title,
        schema,
    )


def test_every_section_can_be_expanded() -> None:
    state = RunState(
        3, (C,), HALF, ran(c=3), {"draft": {"title": "x"}}, question("d", {"why": 1})
    )
    snapshot = Snapshot.of(checkpoint(LOST_JOIN, state, TRACE_3))
    assert snapshot.section("state") == {"draft": {"title": "x"}}
    assert snapshot.section("executors") == {
        "c": {"runs": 1, "last superstep": 3, "state": {}}
    }
    assert [
        snapshot.section(message.section) for message in snapshot.moment().messages
    ] == [
        "from c",
        "from b",
    ]
    assert (snapshot.section("request:q1"), snapshot.section("output:0")) == (
        {"why": 1},
        {"rows": 2},
    )


@pytest.mark.parametrize(
    "section", ["queue:9", "queue:x", "held:9", "output:5", "request:none", "nothing"]
)
def test_a_section_that_is_not_there_is_refused(section) -> None:
    with pytest.raises(LookupError):
        Snapshot.of(checkpoint(LOST_JOIN, AT_3)).section(section)


def test_outputs_state_and_definition() -> None:
    seen = moment(checkpoint(LOST_JOIN, RunState(3, shared={"n": 1}), TRACE_3))
    assert [(executor, value.text) for executor, value in seen.outputs] == [
        ("c", "1 item")
    ]
    assert seen.state.children is not None
    assert seen.state.children[0][0] == "n"
    assert seen.definition is not None
    assert [node["id"] for node in seen.definition["nodes"]] == [
        "a",
        "b",
        "c",
        "d",
        "join",
    ]


@pytest.mark.parametrize(
    "definition", [None, {}, {"workflow": {"nodes": "?"}}, {"graph": {"edges": 3}}]
)
def test_no_definition_makes_a_checkpoint_unreadable(definition) -> None:
    seen = moment(checkpoint(definition, AT_3, TRACE_3))
    assert seen.nodes["c"].state == "ran"
    assert seen.joins[0].held == 1


def test_a_megabyte_of_state_is_shown_as_far_as_one_can_look() -> None:
    shared = {
        f"part {n}": {"rows": list(range(50)), "text": "x" * 300} for n in range(2000)
    }
    seen = checkpoint(
        LOST_JOIN, RunState(3, (C,), HALF, ran(a=1, b=2, c=3), shared), TRACE_3
    )
    assert len(moment(seen).model_dump_json()) < 200_000


def test_of_two_cases_with_one_target_only_the_one_that_was_taken_is_told():
    taken = Trace(fates=(Fate("delivered", "a", "y", "sw", case="1"),))
    edge = moment(checkpoint(BRANCHES, RunState(2, (), {}, ran(a=1)), taken)).edges[
        "sw"
    ]
    assert (edge.taken, edge.cases) == (("1",), ())
    ahead = Routed((Fate("delivered", "a", "y", "sw", case="default"),))
    at = checkpoint(BRANCHES, RunState(1, (Message(5, "a"),), {}, ran(a=1)))
    assert moment(at, Extras(routed=ahead)).edges["sw"].cases == ("default",)


def test_a_question_of_a_sub_workflow_that_goes_on_to_the_outside_counts_once() -> None:
    asked = question("b")
    state = RunState(2, requests=asked, children={"b#1": RunState(2, requests=asked)})
    assert moment(checkpoint(LOST_JOIN, state)).nodes["b"].questions == 1


@pytest.mark.parametrize(
    ("section", "words"),
    [
        ("queue:9", "no queue:9 here: the last one is queue:0"),
        ("output:9", "no output:9 here: the last one is output:0"),
        (f"output:{10**30}", "the last one is output:0"),
        ("request:none", "no section 'request:none'"),
        ("nothing", "no section 'nothing'"),
    ],
)
def test_a_section_that_is_not_there_is_named(section: str, words: str) -> None:
    with pytest.raises(LookupError, match=words):
        Snapshot.of(checkpoint(LOST_JOIN, AT_3, TRACE_3)).section(section)


def test_a_failure_that_was_handed_on_stays_one_until_its_node_runs_again() -> None:
    past = Past(
        seconds={"a": 0.005, "b": 0.01},
        errors={"a": "ValueError: no", "b": ""},
        attempts={"a": 1, "b": 3},
    )
    seen = moment(checkpoint(LOST_JOIN, AT_3, TRACE_3), Extras(history=past)).nodes
    assert (
        seen["a"].state,
        seen["a"].failure_words,
        seen["a"].error,
        seen["a"].handed_on,
    ) == (
        "failed",
        "Failed in s1, handed on",
        "ValueError: no",
        True,
    )
    assert (seen["b"].state, seen["b"].detail, seen["b"].attempts) == (
        "done",
        "s2 · 3 attempts",
        3,
    )
    again = replace(TRACE_3, invocations=(Invocation("a", "handle", (), 1, 0.0, 0.64),))
    node = moment(checkpoint(LOST_JOIN, AT_3, again), Extras(history=past)).nodes["a"]
    assert (node.state, node.error, node.handed_on) == ("ran", "", False)


def test_what_is_known_of_a_node_in_another_run_of_its_sub_workflow_is_not_told_of_this_one() -> (
    None
):
    past = Past(
        errors={"a": "ValueError: no", "s/a": "KeyError: k"},
        attempts={"a": 1, "s/a": 2},
    ).inside(("s",))
    assert (past.errors, past.attempts) == ({"a": "KeyError: k"}, {"a": 2})
    node = moment(
        checkpoint(LOST_JOIN, RunState(0, (first_input(),)), None), Extras(history=past)
    ).nodes["a"]
    assert (node.error, node.attempts) == ("", 1)
