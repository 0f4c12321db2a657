"""Why an edge did not take a message, line by line; asked of the host from the store."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from runtime.debug.protocol import Reason
from runtime.debug.supersteps.drop_reasons import DropReasons
from runtime.debug.supersteps.traffic import Place, Stop
from runtime.document.definition import DirectEdge, SwitchCase, SwitchEdge
from runtime.edges.base import CONDITION_FALSE, NOT_SELECTED
from runtime.edges.definition import EdgeDefinition
from runtime.message import Message
from runtime.state import Fate
from tests.runtime.debug.talking import direct, document, node, talking


def lines_of(edge: EdgeDefinition, reason: str, data: Any, target: str = "b") -> list:
    stop = Stop(
        Place("queue:0", Message(data, "a")),
        Fate("dropped", "a", target, edge.id, reason=reason),
        lost=True,
    )
    reasons = DropReasons(lambda _edge: edge).of(stop)
    return [(line.depth, line.text, line.value, line.holds) for line in reasons]


def direct_edge(condition: str) -> EdgeDefinition:
    return DirectEdge(id="ab", source="a", target="b", condition=condition)


def test_a_condition_is_shown_with_the_value_that_the_message_had() -> None:
    lines = lines_of(
        direct_edge("message.score > 0.8"), CONDITION_FALSE, {"score": 0.3}
    )
    assert lines == [
        (0, "message.score > 0.8", "false", False),
        (1, "message.score", "0.3", None),
    ]


def test_each_part_of_a_condition_says_whether_it_held() -> None:
    text = "message.tier == 'gold' && size(message.items) > 2"
    data = {"tier": "gold", "items": [1]}
    assert lines_of(direct_edge(text), CONDITION_FALSE, data) == [
        (0, text, "false", False),
        (1, "message.tier == 'gold'", "true", True),
        (2, "message.tier", "'gold'", None),
        (1, "size(message.items) > 2", "false", False),
        (2, "size(message.items)", "1", None),
    ]


def test_every_case_of_a_switch_is_shown_up_to_the_one_that_was_taken() -> None:
    switch = SwitchEdge(
        id="sw",
        source="a",
        cases=(
            SwitchCase(when="message > 5", target="b"),
            SwitchCase(when="message > 1", target="c"),
            SwitchCase(when="message > 0", target="d"),
        ),
        default="e",
    )
    assert lines_of(switch, NOT_SELECTED, 3) == [
        (0, "case 1 → b: message > 5", "false", False),
        (1, "message", "3", None),
        (0, "case 2 → c: message > 1", "true", True),
        (1, "message", "3", None),
    ]
    assert lines_of(switch, NOT_SELECTED, -1)[-1] == (0, "default → e", "taken", True)


@pytest.mark.parametrize(
    ("text", "data", "value"),
    [
        ("message.api_key == 'k'", {"api_key": "secret"}, "••••••"),
        ("message.gone > 1", {"score": 1}, "there is no field"),
    ],
)
def test_a_secret_stays_masked_and_a_missing_field_is_named(
    text: str, data: Any, value: str
) -> None:
    lines = lines_of(direct_edge(text), CONDITION_FALSE, data)
    assert lines[1][2].lower().startswith(value)


def test_a_condition_in_python_is_never_called() -> None:
    [line] = lines_of(direct_edge("py:os:abort"), CONDITION_FALSE, 1)
    assert line == (
        0,
        "py:os:abort",
        "This condition is Python. Only a run may call it.",
        None,
    )


def test_a_condition_that_would_take_long_is_not_evaluated() -> None:
    text = "message.all(x, message.all(y, message.all(z, x + y + z > 0)))"
    lines = lines_of(direct_edge(text), CONDITION_FALSE, list(range(500)))
    assert [holds for *_, holds in lines] == [None]


DROPPING = document(
    [
        {"id": "in", "type": "for_each", "params": {}},
        node("big", "double"),
        node("small", "inc"),
        node("words", "total"),
    ],
    [
        direct("in", "big", "message > 4"),
        direct("in", "small", "message > 2"),
        {
            "id": "join",
            "kind": "fan_in",
            "sources": ["big", "small"],
            "target": "words",
        },
    ],
    input=[1, 3, 5],
)


async def test_a_superstep_shows_who_ran_what_was_dropped_and_what_comes_next(
    tmp_path: Path,
) -> None:
    store = f"sqlite:{tmp_path / 'runs.db'}"
    async with talking(tmp_path) as talk:
        await talk.open(DROPPING, store)
        await talk.body("start")
        await talk.until("stopped")
        ids = [header.id for header in (await talk.body("timeline")).headers]
    async with talking(tmp_path) as talk:
        await talk.open(None, store)
        sent = await talk.body("superstep", checkpoint_id=ids[1])
        assert [calls.node for calls in sent.ran] == ["in"]
        assert sent.decided
        assert [calls.node for calls in sent.next] == ["big", "small"]
        assert [len(calls.calls) for calls in sent.next] == [1, 2]
        came = await talk.body("superstep", checkpoint_id=ids[2])
        assert [calls.node for calls in came.ran] == ["big", "small"]
        dropped = [(item.name, item.value.text) for item in came.stopped]
        # Nothing took 1, so it comes first; 3 went along another edge.
        assert dropped == [("in → big", "1"), ("in → small", "1"), ("in → big", "3")]
        assert came.stopped[2].note == "condition false · another edge took it"
        assert came.stopped[2].why[1] == Reason(text="message", value="3", depth=1)
        assert came.stopped == sent.refused
        assert [join.edge for join in came.fires] == ["join"]
        assert came.fires[0].counts == (("big", 1), ("small", 2))
        fired = await talk.body("superstep", checkpoint_id=ids[3])
        assert fired.fired == came.fires


TYPED = document(
    [{"id": "a", "type": "for_each", "params": {}}, node("b", "total")],
    [direct("a", "b")],
    input=[1],
)


async def test_a_drop_by_type_names_the_types_expected_and_given(
    tmp_path: Path,
) -> None:
    async with talking(tmp_path) as talk:
        await talk.open(TYPED)
        await talk.body("start")
        await talk.until("stopped")
        ids = [header.id for header in (await talk.body("timeline")).headers]
        body = await talk.body("edge", checkpoint_id=ids[-1], edge="ab")
        [item] = body.stopped
        assert [(line.text, line.value) for line in item.why] == [
            ("type of the message", "int"),
            ("types that b takes", "list"),
        ]


async def test_of_many_dropped_messages_the_rest_is_counted(tmp_path: Path) -> None:
    many = document(
        [{"id": "in", "type": "for_each", "params": {}}, node("big", "double")],
        [direct("in", "big", "message > 900")],
        input=list(range(250)),
    )
    async with talking(tmp_path) as talk:
        await talk.open(many)
        await talk.body("start")
        await talk.until("stopped")
        ids = [header.id for header in (await talk.body("timeline")).headers]
        whole = await talk.body("superstep", checkpoint_id=ids[-1])
        edge = await talk.body("edge", checkpoint_id=ids[-1], edge="inbig")
        for body in (whole, edge):
            assert (len(body.stopped), body.more) == (100, 150)
            assert all(item.why and item.lost for item in body.stopped)
