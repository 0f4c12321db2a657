"""What one executor got and did, and what went along one edge: asked of the host, live,
in the past and inside.
"""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

from runtime.debug.moments.edge_body import facts
from runtime.debug.moments.items import PICTURE_LIMIT, TEXT_LIMIT, picture_of, text_of
from tests.runtime.debug.talking import direct, document, talking

INNER = document(
    [
        {
            "id": "keep",
            "type": "set_state",
            "params": {"key": "seen", "value": "message"},
        },
        {"id": "ask", "type": "ask", "params": {"question": "Go on?"}},
        {"id": "out", "type": "output"},
    ],
    [direct("keep", "ask"), direct("ask", "out")],
)
OUTER = document(
    [
        {"id": "in", "type": "for_each", "params": {}},
        {"id": "sub", "type": "sub_workflow", "params": {"inline": INNER}},
        {
            "id": "low",
            "type": "set_state",
            "params": {"key": "api_key", "value": "message"},
        },
    ],
    [
        {
            "kind": "direct",
            "id": "big",
            "source": "in",
            "target": "sub",
            "condition": "message.n > 1",
        },
        {
            "kind": "direct",
            "id": "small",
            "source": "in",
            "target": "low",
            "condition": "message.n < 1",
        },
    ],
    input=[{"n": 0, "t": "a\nb"}, {"n": 1}, {"n": 5}],
)


async def test_a_node_tells_what_it_got_and_did_also_when_the_run_is_opened_again(
    tmp_path: Path,
) -> None:
    store = f"sqlite:{tmp_path / 'runs.db'}"
    async with talking(tmp_path) as talk:
        await talk.open(OUTER, store)
        await talk.body("start")
        stopped = await talk.until("stopped")
        assert stopped.reason == "waiting"
        headers = (await talk.body("timeline")).headers
        live = await talk.body("node", checkpoint_id=headers[1].id, node="in")
    async with talking(tmp_path) as talk:
        await talk.open(None, store)
        again = await talk.body("node", checkpoint_id=headers[1].id, node="in")
        assert again == live
        (call,) = again.calls
        assert [item.kind for item in call.received] == ["input"]
        assert [item.value.text for item in call.sent] == [
            "2 items",
            "1 item",
            "1 item",
        ]
        assert [(item.name, item.note) for item in call.sent] == [
            ("low", ""),
            ("", "dropped: condition false"),
            ("sub", ""),
        ]
        assert again.params.count == 0
        assert [turn.superstep for turn in again.turns] == [1]
        low = await talk.body("node", checkpoint_id=headers[2].id, node="low")
        (written,) = low.calls[0].wrote
        assert (written.name, written.value.text, written.old) == (
            "api_key",
            "••••••",
            None,
        )
        got = low.calls[0].received[0]
        path = {"checkpoint_id": got.checkpoint_id, "section": got.section}
        assert [name for name, _ in (await talk.body("expand", **path)).children] == [
            "n",
            "t",
        ]
        assert (await talk.body("expand", **path, path=[1])).text == "a\nb"
        inside = await talk.body(
            "node", checkpoint_id=headers[3].id, node="keep", inside=["sub"]
        )
        (call,) = inside.calls
        assert [(item.name, item.value.text) for item in call.wrote] == [
            ("seen", "1 item")
        ]
        assert inside.params.children[0][1].text == "'seen'"
        asked = await talk.body(
            "node", checkpoint_id=headers[4].id, node="ask", inside=["sub"]
        )
        assert [item.value.type for item in asked.calls[0].asked] == ["Question"]
        assert len(asked.questions) == 1


async def test_an_edge_tells_which_messages_it_stopped_and_by_which_values(
    tmp_path: Path,
) -> None:
    async with talking(tmp_path) as talk:
        await talk.open(OUTER)
        await talk.body("start")
        await talk.until("stopped")
        headers = (await talk.body("timeline")).headers
        before = await talk.body("edge", checkpoint_id=headers[1].id, edge="big")
        assert [item.value.text for item in before.queued] == ["1 item"]
        assert [item.note for item in before.refused] == [
            "condition false · message.n = 0 · another edge took it",
            "condition false · message.n = 1 · no other node took it",
        ]
        body = await talk.body("edge", checkpoint_id=headers[2].id, edge="big")
        assert body.rules == (("sub", "message.n > 1"),)
        assert len(body.carried) == 1
        assert [item.note for item in body.stopped] == [
            "condition false · message.n = 0 · another edge took it",
            "condition false · message.n = 1 · no other node took it",
        ]


async def test_an_edge_to_which_nothing_came_has_what_came_last(tmp_path: Path) -> None:
    steps = [
        {"id": name, "type": "json_transform", "params": {"expression": "message"}}
        for name in "abc"
    ]
    edges = [direct("a", "b"), direct("b", "c")]
    async with talking(tmp_path) as talk:
        await talk.open(document(steps, edges))
        await talk.body("start")
        await talk.until("stopped")
        headers = (await talk.body("timeline")).headers
        [then] = [header for header in headers if header.superstep == 2]
        end = headers[-1]
        body = await talk.body("edge", checkpoint_id=end.id, edge="ab")
        assert not body.has_messages
        assert (body.before.superstep, len(body.before.carried)) == (2, 1)
        assert body.before.before is None
        last = await talk.body("edge", checkpoint_id=then.id, edge="ab")
        assert (last.has_messages, last.before) == (True, None)
        live = await talk.body("edge", edge="ab")
        assert live.before == body.before


async def test_a_failure_is_told_with_the_message_that_the_handler_had(
    tmp_path: Path,
) -> None:
    failing = document(
        [
            {"id": "in", "type": "for_each", "params": {}},
            {
                "id": "shape",
                "type": "json_transform",
                "params": {"expression": "message.n * 2"},
            },
        ],
        [direct("in", "shape")],
        input=[{"n": 1}, {"m": 1}, {"n": 2}],
    )
    async with talking(tmp_path) as talk:
        await talk.open(failing)
        await talk.body("start")
        stopped = await talk.until("stopped")
        assert (stopped.reason, stopped.executor) == ("failed", "shape")
        body = await talk.body("node", node="shape")
        assert body.failure is not None
        assert "n" in body.failure.text
        failed = body.coming[body.failure.call]
        assert [item.value.text for item in failed.received] == ["1 item"]
        assert body.failure.call == 1
        assert len(body.coming) == 3
        assert (await talk.body("node", node="in")).failure is None
        past = await talk.body(
            "node", checkpoint_id=stopped.checkpoint_id, node="shape"
        )
        assert past.failure is None


def test_the_values_that_a_condition_names_are_shown_and_nothing_is_evaluated() -> None:
    data: dict[str, Any] = {
        "score": 0.25,
        "tags": ["x"],
        "api_key": "k",
        "deep": {"er": "v"},
    }
    assert facts(["message.score > 0.5 && message.deep.er == 'w'"], data) == [
        "message.score = 0.25",
        "message.deep.er = 'v'",
    ]
    assert facts(["message.tags[0] == 'y'"], data) == ["message.tags[0] = 'x'"]
    assert facts(["message.gone > 1"], data) == ["message.gone = not there"]
    assert facts(["message.api_key == 'a'"], data) == ["message.api_key = ••••••"]
    assert facts(["message > 3"], 2) == ["message = 2"]
    assert facts(["message.name.startsWith('a')"], {"name": "b"}) == [
        "message.name = 'b'"
    ]


async def test_two_checkpoints_are_compared_in_every_section_and_inside(
    tmp_path: Path,
) -> None:
    async with talking(tmp_path) as talk:
        await talk.open(OUTER)
        await talk.body("start")
        await talk.until("stopped")
        headers = (await talk.body("timeline")).headers
        body = await talk.body("diff", base=headers[1].id, checkpoint_id=headers[2].id)
        told = [(change.section, change.path, change.kind) for change in body.changes]
        assert ("state", "['api_key']", "added") in told
        assert ("executors", "['low']", "added") in told
        assert [kind for section, _, kind in told if section == "messages"].count(
            "removed"
        ) == 3
        assert "'••••••'" in [
            change.new.text for change in body.changes if change.section == "state"
        ]
        back = await talk.body("diff", base=headers[2].id, checkpoint_id=headers[1].id)
        swapped = {"added": "removed", "removed": "added", "changed": "changed"}
        assert sorted(
            (section, path, swapped[kind]) for section, path, kind in told
        ) == sorted(
            (change.section, change.path, change.kind) for change in back.changes
        )
        live = await talk.body("diff", base=headers[-1].id)
        assert (live.checkpoint_id, live.changes) == (headers[-1].id, ())
        inside = await talk.body(
            "diff", base=headers[2].id, checkpoint_id=headers[4].id, inside=["sub"]
        )
        told = [(change.section, change.path, change.kind) for change in inside.changes]
        assert ("state", "['seen']", "added") in told
        assert [kind for section, _, kind in told if section == "requests"] == ["added"]


async def test_the_way_to_a_checkpoint_is_told_from_the_store_alone(
    tmp_path: Path,
) -> None:
    store = f"sqlite:{tmp_path / 'runs.db'}"
    async with talking(tmp_path) as talk:
        await talk.open(OUTER, store)
        await talk.body("start")
        await talk.until("stopped")
        headers = (await talk.body("timeline")).headers
    async with talking(tmp_path) as talk:
        await talk.open(None, store)
        log = await talk.body("log", checkpoint_id=headers[2].id)
        assert (log.complete, log.left_out) == (True, 0)
        assert [item.number for item in log.events] == list(
            range(1, len(log.events) + 1)
        )
        assert {item.superstep for item in log.events} == {0, 1, 2}
        second = [(item.kind, item.text) for item in log.events if item.superstep == 2]
        assert ("message", "in → low: {n: 0, t: 'a\\nb'}") in second
        assert ("dropped", "in → sub dropped, condition false: {n: 1}") in second
        assert ("warning", "1 message of in went nowhere") in second
        assert ("write", "low wrote api_key: None → ••••••") in second
        assert second[-1] == ("checkpoint", "saved on main")
        inside = [
            item
            for item in (await talk.body("log", checkpoints=[headers[3].id])).events
            if item.path
        ]
        assert ("keep wrote seen: None → {n: 5}", ("sub#1",)) in [
            (item.text, item.path) for item in inside
        ]
        assert {item.checkpoint_id for item in inside} == {headers[3].id}
        counts = await talk.body(
            "counts", checkpoints=[header.id for header in headers]
        )
        assert [(item.dropped, item.lost) for item in counts.counts[:3]] == [
            (0, 0),
            (0, 0),
            (4, 1),
        ]


def test_a_picture_and_a_text_are_what_they_are_and_nothing_else_is() -> None:
    png = b"\x89PNG\r\n\x1a\n rest"
    encoded = base64.b64encode(png).decode()
    for data in (png, {"name": "x", "data": png}, f"data:image/png;base64,{encoded}"):
        assert base64.b64decode(picture_of(data)) == png
    for other in (
        b"no picture",
        "data:image/svg+xml,<svg/>",
        {"data": b"x"},
        3,
        png + bytes(PICTURE_LIMIT),
    ):
        assert picture_of(other) == ""
    assert text_of("a\nb") == ("a\nb", 0)
    assert text_of("x" * (TEXT_LIMIT + 3))[1] == 3
    assert text_of(b"bytes") == (None, 0)
