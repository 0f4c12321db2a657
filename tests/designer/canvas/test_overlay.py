"""What a moment looks like: words, glyphs, joins, legend; no widgets."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from designer.canvas.drawing.overlay import (
    STATES,
    EdgeFace,
    Stopped,
    overlay_of,
    people,
    seconds,
)
from runtime.debug.protocol import (
    Drop,
    EdgeMoment,
    JoinMoment,
    JoinSource,
    Moment,
    NodeMoment,
    NodeState,
    ProgressBody,
)
from tests.designer.canvas.support import half_full, licence_audit

WORKFLOW = licence_audit().workflow


def join(*have: int, **more: object) -> str:
    sources = ("classify_licences", "rank_by_reach", "age_check")
    moment = JoinMoment(
        edge="join",
        target="route_by_licence",
        policy="all",
        sources=tuple(
            JoinSource(id=key, have=0, released=count, need=1)
            if "fired" in more
            else JoinSource(id=key, have=count, need=1)
            for key, count in zip(sources, have, strict=True)
        ),
        **more,  # type: ignore[arg-type]
    )
    return (
        overlay_of(Moment(joins=(moment,)), None, WORKFLOW, running=False)
        .joins["join"]
        .text
    )


def test_every_state_of_the_protocol_has_its_own_words_and_a_glyph() -> None:
    states = get_args(NodeState)
    assert set(states) <= STATES.keys()
    assert len({STATES[state].words for state in states}) == len(states)
    assert all(STATES[state].glyph for state in states)


def test_a_join_says_how_many_and_who_is_missing() -> None:
    assert join(0, 0, 0) == "0 of 3"
    assert join(1, 0, 2) == "2 of 3 — waiting for Rank by reach"
    assert join(0, 1, 0) == "1 of 3 — waiting for Classify licences and Age check"
    assert join(1, 1, 1, fired=4) == "fired s4"
    assert join(1, 0, 1, stalled=True) == "2 of 3 — stalled without Rank by reach"
    assert people(["A", "B", "C", "D"]) == "A, B and 2 more"


def test_a_join_of_which_nothing_was_said_is_empty() -> None:
    face = overlay_of(Moment(), None, WORKFLOW, running=False).joins["join"]
    assert (face.segments, face.text) == (("empty",) * 3, "0 of 3")


def test_while_a_superstep_runs_joins_do_not_count_what_is_held() -> None:
    progress = ProgressBody(superstep=2, done={"age_check": 0.1})
    overlay = overlay_of(Moment(superstep=1), progress, WORKFLOW, running=True)
    assert overlay.joins["join"].text == "0 of 3 — 1 done, held"
    assert overlay.joins["join"].segments == ("empty",) * 3
    assert overlay.nodes["age_check"].words == "Done, held"


def test_at_a_barrier_nothing_runs_whatever_progress_was_last() -> None:
    progress = ProgressBody(superstep=6, running={"age_check": 1.0})
    overlay = overlay_of(half_full(), progress, WORKFLOW, running=False)
    assert overlay.nodes["age_check"].words == "Ran now"
    assert overlay.running == frozenset()


def test_details_go_into_the_words_of_those_that_wait() -> None:
    nodes = {
        "age_check": NodeMoment(state="waiting", detail="2 of 3"),
        "rank_by_reach": NodeMoment(state="failed", error="KeyError"),
        "ask_a_person": NodeMoment(state="queued", queued=2),
    }
    faces = overlay_of(Moment(nodes=nodes), None, WORKFLOW, running=False).nodes
    assert (faces["age_check"].words, faces["age_check"].detail) == (
        "Waiting, 2 of 3",
        "",
    )
    assert faces["rank_by_reach"].detail == "KeyError"
    assert faces["ask_a_person"].detail == "2 msg"


def test_the_legend_explains_what_is_there_and_nothing_else() -> None:
    words = [
        row[2] for row in overlay_of(half_full(), None, WORKFLOW, running=False).legend
    ]
    assert words == ["sent a message in s6", "queued for s7", "runs next"]
    assert overlay_of(Moment(), None, WORKFLOW, running=False).legend == ()
    progress = ProgressBody(
        superstep=7, running={"rank_by_reach": 1.0}, done={"age_check": 1.0}
    )
    words = [
        row[2]
        for row in overlay_of(half_full(), progress, WORKFLOW, running=True).legend
    ]
    assert words == ["delivered in s7", "1 running", "1 done, held until the barrier"]


def test_a_message_that_its_handler_has_is_queued_no_more() -> None:
    edges = {
        "graph-rank": EdgeMoment(queued=(("dependency_graph", "rank_by_reach", 1),))
    }
    at_rest = overlay_of(
        Moment(edges=edges, decided=True), None, WORKFLOW, running=False
    )
    assert at_rest.edges["graph-rank"].queued == {
        ("dependency_graph", "rank_by_reach"): 1
    }
    progress = ProgressBody(superstep=1, running={"rank_by_reach": 0.1})
    at_work = overlay_of(
        Moment(edges=edges, decided=True), progress, WORKFLOW, running=True
    ).edges["graph-rank"]
    assert at_work.sent == {("dependency_graph", "rank_by_reach")}
    assert not at_work.queued


def test_what_a_superstep_delivered_is_not_shown_as_sent_in_it() -> None:
    """Also where its source ran in it: on a loop, that came in by the wire on which
    nothing goes out this time.
    """
    edges = {
        "loop": EdgeMoment(delivered=(("age_check", "age_check", 1),)),
        "join": EdgeMoment(queued=(("age_check", "route_by_licence", 1),)),
    }
    nodes = {"age_check": NodeMoment(state="ran", superstep=2)}
    overlay = overlay_of(
        Moment(superstep=2, nodes=nodes, edges=edges, decided=True),
        None,
        WORKFLOW,
        running=False,
    )
    assert overlay.edges.keys() == {"join"}
    assert overlay.nodes["age_check"].sent


def test_where_it_is_not_known_which_way_a_message_goes_no_wire_is_said_to_carry_it() -> (
    None
):
    edges = {"join": EdgeMoment(queued=(("age_check", "route_by_licence", 1),))}
    for running in (False, True):
        progress = ProgressBody(superstep=3, running={"route_by_licence": 0.1})
        face = overlay_of(
            Moment(superstep=2, edges=edges), progress, WORKFLOW, running=running
        ).edges.get("join")
        assert face is None or not face.sent


def test_a_stopped_message_is_loud_only_where_nobody_else_took_it() -> None:
    def face(delivered: int, **drop: Any) -> EdgeFace | None:
        stopped = Drop(source="ask_a_person", target="write_report", **drop)
        came = (("ask_a_person", "write_report", delivered),) if delivered else ()
        edges = {"ask-report": EdgeMoment(delivered=came, dropped=(stopped,))}
        return overlay_of(Moment(edges=edges), None, WORKFLOW, running=False).edges.get(
            "ask-report"
        )

    pair = ("ask_a_person", "write_report")
    told = face(2, reason="condition false", lost=0)
    assert told is not None
    assert told.stopped[pair] == Stopped("1 of 3 stopped: condition false")
    told = face(0, reason="condition false", lost=1)
    assert told is not None
    assert told.stopped[pair] == Stopped("dropped: condition false", lost=True)
    told = face(0, reason="condition false", lost=None)
    assert told is not None
    assert not told.stopped[pair].lost
    assert face(0, reason="not selected", lost=0) is None


def test_a_fired_join_shows_what_it_released_of_each_source() -> None:
    sources = tuple(
        JoinSource(id=key, have=have, need=1, released=released)
        for key, have, released in (
            ("classify_licences", 0, 2),
            ("rank_by_reach", 1, 0),
            ("age_check", 0, 0),
        )
    )
    moment = JoinMoment(
        edge="join",
        target="route_by_licence",
        policy="count",
        sources=sources,
        held=1,
        fired=4,
    )
    face = overlay_of(Moment(joins=(moment,)), None, WORKFLOW, running=False).joins[
        "join"
    ]
    assert face.segments == ("fired", "filled", "empty")
    assert face.text == "fired s4 — 2 messages from 1 of 3 sources, holds 1"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0124, "12 ms"),
        (0.64, "640 ms"),
        (1.24, "1.2 s"),
        (12.3, "12 s"),
        (240, "4 min"),
    ],
)
def test_durations_for_people(value: float, text: str) -> None:
    assert seconds(value) == text


def test_a_failure_of_before_is_a_failure_and_attempts_are_told_when_the_next_superstep_runs() -> (
    None
):
    nodes = {
        "age_check": NodeMoment(
            state="failed", detail="s2", error="ValueError: no", handed_on=True
        ),
        # inside, where the superstep has no number
        "rank_by_reach": NodeMoment(state="failed", handed_on=True),
        "ask_a_person": NodeMoment(
            state="ran", detail="5 ms ×3", superstep=3, attempts=3
        ),
    }
    at = Moment(superstep=3, nodes=nodes)
    faces = overlay_of(at, ProgressBody(superstep=4), WORKFLOW, running=True).nodes
    told = {key: (faces[key].words, faces[key].detail) for key in nodes}
    assert told == {
        "age_check": ("Failed s2, handed on", ""),
        "rank_by_reach": ("Failed, handed on", ""),
        "ask_a_person": ("Done", "s3 · 3 attempts"),
    }
    assert (faces["age_check"].colour, faces["age_check"].glyph) == ("bad", "failed")
