"""The ledger of the joins: have and need, whom it waits for, and why."""

import pytest

from runtime.debug.graphs.graph import graph_of
from runtime.debug.joins.ledger import Ledger, held_messages
from runtime.debug.protocol import JoinMoment
from runtime.debug.supersteps.next_superstep import Routed, outlook
from runtime.debug.supersteps.past_supersteps import NO_PAST, Past, When
from runtime.document.definition import FanInEdge, FanOutEdge, WorkflowDefinition
from runtime.message import Message
from runtime.state import ExecutorRecord, Fate, Release, RunState, Trace
from tests.runtime.debug.graphs import (
    BRANCHES,
    JOIN_KEY,
    LOST_JOIN,
    checkpoint,
    join_ledger,
    question,
    ran,
    workflow,
)

B = Message("from b", "b")
C = Message("from c", "c")
D = Message("from d", "d")
HALF = {JOIN_KEY: (B,)}


def only_join(
    state: RunState,
    trace: Trace | None = None,
    definition: WorkflowDefinition = LOST_JOIN,
):
    (join,) = join_ledger(checkpoint(definition, state, trace))
    return join


def reason_for(state: RunState, source: str, trace: Trace | None = None) -> str:
    return next(s.reason for s in only_join(state, trace).sources if s.id == source)


def test_a_half_full_join_names_what_it_has_and_whom_it_waits_for() -> None:
    join = only_join(RunState(3, (C,), HALF, ran(a=1, b=2, c=3)))
    assert (join.edge, join.target, join.filled, join.held, join.missing) == (
        "in",
        "join",
        1,
        1,
        ("d",),
    )
    assert [(s.id, s.have, s.need) for s in join.sources] == [("b", 1, 1), ("d", 0, 1)]
    assert join.sources[0].messages[0].text == "'from b'"
    assert not join.stalled


def test_the_key_of_a_buffer_is_a_structure_not_a_text() -> None:
    # Other order and spacing of the same pairs: the same join.
    spaced = 'fan_in:[["d", "join"], ["b", "join"]]'
    assert only_join(RunState(3, (C,), {spaced: (B,)}, ran(a=1, b=2, c=3))).held == 1


def test_why_missing_its_message_is_queued() -> None:
    assert reason_for(RunState(4, (D,), HALF, ran(a=1, b=2, c=3, d=4)), "d") == (
        "its message is queued and arrives in superstep 5"
    )


def test_why_missing_it_runs_next() -> None:
    assert reason_for(RunState(3, (C,), HALF, ran(a=1, b=2, c=3)), "d") == (
        "D runs in superstep 4, a message from C is queued for it"
    )


def test_why_missing_upstream_has_not_run() -> None:
    assert (
        reason_for(RunState(1, (Message(1, "a"),), {}, ran(a=1)), "d")
        == "not reached yet: waits for C"
    )


def test_why_missing_it_asks() -> None:
    assert (
        reason_for(
            RunState(3, (), HALF, ran(a=1, b=2, c=2, d=3), requests=question("d")), "d"
        )
        == "D waits for an answer"
    )


def test_why_missing_its_message_was_dropped() -> None:
    dropped = Trace(fates=(Fate("dropped", "d", "join", "in", 1, "type mismatch"),))
    assert (
        reason_for(RunState(4, (), HALF, ran(a=1, b=2, c=2, d=3)), "d", dropped)
        == "dropped: type mismatch"
    )


def test_why_missing_it_sent_nothing() -> None:
    assert (
        reason_for(RunState(4, (), HALF, ran(a=1, b=2, c=2, d=3)), "d")
        == "ran in superstep 3, sent nothing here"
    )


def test_why_missing_the_branch_was_not_taken() -> None:
    buffers = {'fan_in:[["y","join"],["z","join"]]': (Message(1, "y"),)}
    join = only_join(RunState(3, (), buffers, ran(a=1, y=2)), definition=BRANCHES)
    assert (join.missing, join.sources[1].reason, join.stalled) == (
        ("z",),
        "branch not taken",
        True,
    )


def test_why_missing_a_switch_chose_another_case_and_when() -> None:
    buffers = {'fan_in:[["y","join"],["z","join"]]': (Message(1, "y"),)}
    state = RunState(3, (), buffers, ran(a=1, y=2))
    (join,) = join_ledger(
        checkpoint(BRANCHES, state), Past(taken={"sw": (2, "default")})
    )
    assert (
        join.sources[1].reason == "branch not taken: A took the default in superstep 2"
    )
    (join,) = join_ledger(checkpoint(BRANCHES, state), Past(taken={"sw": (2, "1")}))
    assert join.sources[1].reason == "branch not taken: A took case 2 in superstep 2"


def test_why_missing_the_join_fired_before() -> None:
    state = RunState(
        6,
        (C,),
        HALF,
        {**ran(a=1, c=6), "b": ExecutorRecord({}, 2, 5), "d": ExecutorRecord({}, 1, 3)},
    )
    (join,) = join_ledger(
        checkpoint(LOST_JOIN, replace_queue(state)), Past(fired={"in": 4})
    )
    assert join.sources[1].reason == "silent since the join fired in superstep 4"


def replace_queue(state: RunState) -> RunState:
    return RunState(state.superstep, (), state.buffers, state.executors)


def test_a_join_is_stalled_only_when_nothing_can_come_any_more() -> None:
    resting = RunState(4, (), HALF, ran(a=1, b=2, c=2))
    assert only_join(resting).stalled
    assert not only_join(
        RunState(4, (), HALF, ran(a=1, b=2, c=2), requests=question("c"))
    ).stalled
    assert only_join(resting).preview == (
        "Nothing runs any more: it can never fire in this run.",
    )


def test_it_says_when_it_fires() -> None:
    assert (
        only_join(RunState(4, (D,), HALF, ran(a=1, b=2, c=3, d=4))).preview[-1]
        == "It fires in superstep 5."
    )
    assert (
        only_join(RunState(3, (C,), HALF, ran(a=1, b=2, c=3))).preview[-1]
        == "Superstep 5 at the earliest."
    )


def test_it_fired_in_this_superstep() -> None:
    trace = Trace(releases=(Release("in", "join", (1, 1)),))
    assert (
        only_join(RunState(5, (), {}, ran(a=1, b=2, c=3, d=4, join=5)), trace).fired
        == 5
    )


@pytest.mark.parametrize(
    ("trace", "history", "records", "since"),
    [
        (Trace(fates=(Fate("buffered", "b", "join", "in"),)), Past(), ran(b=2), 3),
        (Trace(), Past(), ran(b=1), 2),
        (
            Trace(),
            Past(arrived={("in", "b"): [(2, 1), (1, 1)]}),
            {"b": ExecutorRecord({}, 5, 2)},
            2,
        ),
        (Trace(), Past(), {"b": ExecutorRecord({}, 5, 2)}, None),
    ],
)
def test_since_when_is_told_only_where_it_is_certain(
    trace, history, records, since
) -> None:
    (join,) = join_ledger(
        checkpoint(LOST_JOIN, RunState(3, (C,), HALF, records), trace), history
    )
    assert join.sources[0].since == since


@pytest.mark.parametrize(
    ("policy", "missing"),
    [("all", ("d",)), ("zip", ("d",)), ("any", ()), ("count", ("d",))],
)
def test_policies_need_what_they_say(policy, missing) -> None:
    edge = FanInEdge(
        id="in",
        sources=("b", "d"),
        target="join",
        policy=policy,
        count=3 if policy == "count" else 0,
    )
    definition = workflow(FanOutEdge(id="out", source="a", targets=("b", "d")), edge)
    join = only_join(
        RunState(3, (), {JOIN_KEY: (B, B)}, ran(a=1, b=2)), definition=definition
    )
    assert (join.policy, join.missing, join.held) == (policy, missing, 2)


def test_a_buffer_without_a_definition_is_still_told() -> None:
    (join,) = join_ledger(checkpoint(None, RunState(3, (), HALF)))
    assert (join.target, join.missing, join.held) == ("join", ("d",), 1)


def test_a_workflow_made_in_code_is_read_from_its_graph() -> None:
    graph = {
        "start": "a",
        "executors": [{"id": id_} for id_ in ("a", "b", "d", "join")],
        "edges": [
            {"id": "out", "kind": "fan_out", "pairs": [["a", "b"], ["a", "d"]]},
            {
                "id": "in",
                "kind": "fan_in",
                "pairs": [["b", "join"], ["d", "join"]],
                "policy": "all",
            },
        ],
    }
    (join,) = join_ledger(
        checkpoint({"graph": graph}, RunState(2, (D,), HALF, ran(a=1, b=1, d=2)))
    )
    assert (join.edge, join.sources[1].reason) == (
        "in",
        "its message is queued and arrives in superstep 3",
    )


def test_held_messages_are_found_by_the_edge() -> None:
    seen = checkpoint(LOST_JOIN, RunState(3, (C,), HALF))
    assert held_messages(seen, "in") == (B,)
    assert held_messages(seen, "cd") == ()


def test_why_missing_an_earlier_drop_counts_until_the_source_runs_again() -> None:
    past = Past(dropped={("in", "d"): (4, "type mismatch")})
    state = RunState(6, (), HALF, ran(a=1, b=2, c=2, d=3))
    (join,) = join_ledger(checkpoint(LOST_JOIN, state), past)
    assert join.sources[1].reason == "dropped in superstep 4: type mismatch"
    again = RunState(6, (), HALF, ran(a=1, b=2, c=2, d=5))
    (join,) = join_ledger(checkpoint(LOST_JOIN, again), past)
    assert join.sources[1].reason == "ran in superstep 5, sent nothing here"


def test_why_missing_a_switch_chose_another_case_after_its_last_run() -> None:
    buffers = {'fan_in:[["y","join"],["z","join"]]': (Message(1, "y"),)}
    state = RunState(6, (), buffers, ran(a=4, y=5, x=2, z=3))
    (join,) = join_ledger(
        checkpoint(BRANCHES, state),
        Past(refused={("xz", "z"): (5, "condition false")}),
    )
    assert join.sources[1].reason == (
        "ran in superstep 3; then X → Z was not taken, "
        "its condition was false in superstep 5"
    )


def test_each_message_says_when_it_arrived_and_earlier_releases_are_listed() -> None:
    past = Past(
        arrived={("in", "b"): [(4, 1), (2, 3)]},
        releases={"in": [(When(3, "c3"), (2, 1)), (When(1, "c1"), (1, 1))]},
    )
    state = RunState(5, (), {JOIN_KEY: (B, B, B)}, ran(a=1, b=4, c=4))
    arrived = Trace(fates=(Fate("buffered", "b", "join", "in"),))
    (join,) = join_ledger(checkpoint(LOST_JOIN, state, arrived), past)
    assert join.sources[0].ages == (2, 4, 5)
    assert join.sources[0].since == 2
    assert [
        (release.superstep, release.checkpoint_id, release.counts)
        for release in join.releases
    ] == [
        (3, "c3", (("b", 2), ("d", 1))),
        (1, "c1", (("b", 1), ("d", 1))),
    ]


def test_the_past_of_a_run_inside_has_its_own_names_and_outer_supersteps() -> None:
    past = Past(
        arrived={("review#1/in", "review#1/b"): [(7, 1)], ("in", "b"): [(2, 1)]},
        ran={"review#1/d": 6, "review#2/d": 5},
        wrote={("review#1/d", "votes"): When(6, "c6")},
    )
    inside = past.inside(["review#1"])
    assert inside.arrived == {("in", "b"): [(7, 1)]}
    assert inside.ran == {"d": 6}
    assert inside.wrote == {("d", "votes"): When(6, "c6")}


def cause_of(join: JoinMoment, source: int) -> tuple[str, int]:
    return join.sources[source].cause_element, join.sources[source].cause_superstep


def test_a_reason_leads_to_the_edge_and_the_superstep_that_decided() -> None:
    buffers = {'fan_in:[["y","join"],["z","join"]]': (Message(1, "y"),)}
    state = RunState(3, (), buffers, ran(a=1, y=2))
    seen = checkpoint(BRANCHES, state)
    (join,) = join_ledger(seen, Past(taken={"sw": (2, "default")}))
    assert cause_of(join, 1) == ("sw", 2)
    dropped = Past(dropped={("in", "d"): (4, "type mismatch")})
    state = RunState(6, (), HALF, ran(a=1, b=2, c=2, d=3))
    (join,) = join_ledger(checkpoint(LOST_JOIN, state), dropped)
    assert cause_of(join, 1) == ("in", 4)


def test_a_reason_leads_to_the_executor_that_sent_nothing() -> None:
    state = RunState(4, (), HALF, ran(a=1, b=2, c=2, d=3))
    (join,) = join_ledger(checkpoint(LOST_JOIN, state))
    assert cause_of(join, 1) == ("d", 3)


def test_a_held_message_has_the_section_that_names_it() -> None:
    (join,) = join_ledger(checkpoint(LOST_JOIN, RunState(3, (), HALF)))
    assert [source.sections for source in join.sources] == [("held:0",), ()]


def test_why_missing_the_next_superstep_decides_against_it() -> None:
    buffers = {'fan_in:[["y","join"],["z","join"]]': (Message(1, "y"),)}
    state = RunState(3, (Message(1, "a"),), buffers, ran(a=3, y=2))
    seen = checkpoint(BRANCHES, state)
    fates = (Fate("delivered", "a", "y", "sw", case="default"),)
    graph = graph_of(seen.definition, state)
    ahead = outlook(graph, state, Routed(fates))
    ledger = Ledger(graph, state, seen.trace, ahead, NO_PAST, coming=fates)
    (join,) = ledger.joins()
    reason = join.sources[1].reason
    assert reason == "branch not taken: A takes the default in superstep 4"
    assert cause_of(join, 1) == ("sw", 4)


def test_the_filling_is_counted_back_over_arrivals_and_releases() -> None:
    past = Past(
        arrived={("in", "b"): [(4, 1), (2, 1)]},
        passed={("in", "d"): [(3, 1)]},
        releases={"in": [(When(3, "c3"), (1, 1))]},
    )
    arrived = Trace(fates=(Fate("buffered", "b", "join", "in"),))
    state = RunState(5, (), {JOIN_KEY: (B, B)}, ran(a=1, b=4, d=3))
    (join,) = join_ledger(checkpoint(LOST_JOIN, state, arrived), past)
    fills = [(fill.superstep, fill.have, fill.released) for fill in join.filling]
    assert fills == [
        (2, (1, 0), (0, 0)),
        (3, (0, 0), (1, 1)),
        (4, (1, 0), (0, 0)),
        (5, (2, 0), (0, 0)),
    ]


def test_the_filling_ends_where_the_record_does_not_fit() -> None:
    past = Past(arrived={("in", "b"): [(4, 5), (2, 1)]})
    state = RunState(5, (), {JOIN_KEY: (B,)}, ran(a=1, b=4))
    (join,) = join_ledger(checkpoint(LOST_JOIN, state), past)
    assert [fill.superstep for fill in join.filling] == [4]
