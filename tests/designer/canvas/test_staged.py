"""A copy that is edited, on the canvas: who would run, which joins would fire, what the
user has dropped and staged. Data alone.
"""

from __future__ import annotations

from typing import Any

from designer.canvas.drawing.overlay import overlay_of
from designer.canvas.drawing.staged_overlay import DROPPED, staged_overlay
from runtime.debug.protocol import (
    JoinForecast,
    MessageMoment,
    PatchChange,
    PatchPlanBody,
    Spot,
    UpcomingCall,
)
from tests.designer.panels.fakes import design, join, moment, request, value

ORIGINAL = moment(
    6,
    joins=(join().model_copy(update={"key": "key of the join"}),),
    messages=(
        MessageMoment(
            where="queued",
            source="age",
            target="route",
            edge="join",
            section="queue:0",
            data=value(16),
        ),
        MessageMoment(
            where="buffered",
            source="classify",
            target="route",
            edge="join",
            section="held:0",
            data=value(["a"]),
        ),
    ),
    requests=(request(),),
)


def overlay(*changes: PatchChange, **plan: Any) -> Any:
    drawn = overlay_of(ORIGINAL, None, design().workflow, running=False)
    body = PatchPlanBody(checkpoint_id="c6", moment=ORIGINAL, **plan)
    return staged_overlay(drawn, changes, body, ORIGINAL, ())


def change(do: Any, section: Any, key: str = "", place: int | None = None) -> Any:
    spot = Spot(place=place) if place is not None else None
    return PatchChange(id="c1", do=do, section=section, key=key, spot=spot)


def test_who_would_run_says_so_with_the_superstep() -> None:
    face = overlay(upcoming=(UpcomingCall(executor="rank"),)).nodes["rank"]
    assert (face.words, face.detail) == ("Would run", "s7")


def test_a_call_inside_of_a_sub_workflow_is_one_of_its_node() -> None:
    call = UpcomingCall(executor="judge", path=("rank#1",))
    assert overlay(upcoming=(call,)).nodes["rank"].words == "Would run"


def test_a_join_that_would_fire_says_with_how_many_messages() -> None:
    fires = JoinForecast(join="join", target="route", counts=(("age", 2), ("rank", 1)))
    face = overlay(fires=(fires,)).joins["join"]
    assert face.text == "would fire in s7 with 3 messages"
    assert set(face.segments) == {"fired"}


def test_a_dropped_message_is_marked_on_its_edge() -> None:
    queued = overlay(change("drop", "queue", place=0)).edges["join"]
    held = overlay(change("drop", "buffers", "key of the join", 0)).edges["join"]
    assert queued.stopped["age", "route"].text == DROPPED
    assert held.stopped["classify", "route"].text == DROPPED


def test_what_is_staged_is_said_at_its_node() -> None:
    answered = overlay(change("answer", "requests", "r1"))
    edited = overlay(change("set", "queue", place=0))
    assert answered.staged == {"ask": "answered"}
    assert edited.staged == {"route": "message edited"}


def test_a_copy_has_a_frame_and_its_own_legend() -> None:
    shown = overlay(
        change("drop", "queue", place=0), upcoming=(UpcomingCall(executor="rank"),)
    )
    assert shown.frame == "past"
    words = [words for _glyph, _role, words in shown.legend]
    assert "would run in s7" in words
    assert DROPPED in words
