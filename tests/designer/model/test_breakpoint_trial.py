"""Conditions and watches, tried on what the window knows of a moment."""

from __future__ import annotations

import pytest

from designer.model.breakpoint_trial import (
    at_hand,
    at_moment,
    evaluated,
    missing_of,
    mistake_in,
    mistake_in_log,
    tried,
)
from runtime.debug.protocol import (
    Breakpoint,
    DeliveryMoment,
    InsideSuperstep,
    MessageMoment,
    Moment,
    Value,
)


def number(text: str) -> Value:
    return Value(type="int", text=text)


def mapping(**values: Value) -> Value:
    return Value(
        type="dict", text="", count=len(values), children=tuple(values.items())
    )


def queued(target: str, data: Value, edge: str = "") -> MessageMoment:
    return MessageMoment(
        where="queued", source="a", target=target, data=data, edge=edge
    )


AT = Breakpoint(id="x", where="b")
MOMENT = Moment(
    superstep=4,
    messages=(queued("b", mapping(risk=number("7")), "a->b"),),
    sections={
        "state": mapping(n=number("3"), big=Value(type="list", text="", count=9))
    },
)


@pytest.mark.parametrize(
    ("condition", "answer", "words"),
    [
        ("message.risk > 5", "true", "true for the message queued now, 7"),
        ("message.risk > 9", "false", "false for the message queued now, 7"),
        ("state.n == 3 && superstep == 5", "true", "true for the message queued now"),
        ("message.risk", "error", "It gives 7, not true or false."),
        ("old == 1", "unknown", "Known only when it happens: old."),
        ("state.big.size() > 1", "unknown", "Not loaded: big of state."),
        ('source == "a"', "true", "true for the message queued now, a"),
    ],
)
def test_a_condition_is_tried_on_the_message_that_waits(
    condition: str, answer: str, words: str
) -> None:
    assert tried(condition, at_hand(AT, MOMENT, None)) == (answer, words)


def test_a_field_that_is_not_there_is_an_error_in_words() -> None:
    trial = tried("message.rsik > 5", at_hand(AT, MOMENT, None))
    assert trial.answer == "error"
    assert "there is no field rsik; did you mean 'risk'" in trial.words


def test_where_no_message_or_several_wait_it_is_not_known() -> None:
    nothing = at_hand(Breakpoint(id="x", where="c"), MOMENT, None)
    assert tried("message.risk > 5", nothing).answer == "unknown"
    twice = MOMENT.model_copy(update={"messages": MOMENT.messages * 2})
    assert tried("message.risk > 5", at_hand(AT, twice, None)).answer == "unknown"


def test_an_edge_is_tried_on_what_goes_along_it() -> None:
    point = Breakpoint(id="x", kind="message", where="a->b")
    trial = tried('message.risk == 7 && edge == "a->b"', at_hand(point, MOMENT, None))
    assert trial.answer == "true"


def test_inside_a_superstep_the_delivery_of_the_same_level_counts() -> None:
    outer = DeliveryMoment(
        place=1, executor="b", state="waiting", messages=(number("1"),)
    )
    inner = DeliveryMoment(
        place=2,
        executor="b",
        path=("sub#2",),
        state="next",
        messages=(number("2"),),
    )
    standing = InsideSuperstep(superstep=5, deliveries=(outer, inner))
    moment = Moment(superstep=4)
    assert tried("message == 1", at_hand(AT, moment, standing)).answer == "true"
    inside = Breakpoint(id="x", where="b", inside=("sub",))
    assert tried("message == 2", at_hand(inside, moment, standing)).answer == "true"
    watch = at_moment(moment, standing, "", ("sub",))
    assert evaluated("message + superstep", watch).words == "7"


def test_a_watch_names_the_keys_that_are_still_to_be_loaded() -> None:
    hand = at_moment(MOMENT, None, "")
    assert missing_of("state.big.size() + state.n", hand) == {"big"}
    assert missing_of("state.n", hand) == frozenset()
    assert evaluated("superstep", hand).words == "4"


def test_mistakes_say_their_place_in_the_whole_text() -> None:
    assert mistake_in("") is None
    problem = mistake_in("message >\n 3 +")
    assert problem is not None
    assert problem.line == 2
    problem = mistake_in_log("risk {state.risk +}")
    assert problem is not None
    assert problem.column > 6
    assert mistake_in_log("risk {state.risk}, 100 {{percent}}") is None
