"""Every question of the window gets exactly one answer, whatever the host says or does
not say.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from designer.session.client import CANCELLED, HOST_CLOSED, UNSENDABLE, Client
from designer.session.line_link import UNREADABLE
from designer.session.session import DebugSession
from runtime.debug.protocol import (
    REPLY_BODIES,
    CatalogueArguments,
    OpenArguments,
    Reply,
    StartArguments,
)
from tests.designer.fakes import RecordingLink


class Sending(RecordingLink):
    """Sends what `ProcessLink` sends."""

    def send(self, packet: dict[str, Any]) -> None:
        from designer.session.line_link import encode

        encode(packet)
        super().send(packet)


@pytest.fixture
def link() -> Sending:
    return Sending()


@pytest.fixture
def client(link: Sending, qtbot: Any) -> Client:
    return Client(link, patience=1)


@pytest.fixture
def replies() -> list[Reply]:
    return []


def nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = {"k": value}
    return value


@pytest.mark.parametrize("depth", [300, 5_000])
def test_what_is_too_deep_to_be_sent_is_answered(
    client: Client, link: Sending, replies: list[Reply], depth: int
) -> None:
    client.request(
        "start",
        StartArguments.model_construct(input=nested(depth), stop_on_entry=False),
        replies.append,
    )
    assert [(reply.success, reply.error_type) for reply in replies] == [
        (False, UNSENDABLE)
    ]
    client.request("catalogue", CatalogueArguments(), replies.append)
    assert link.commands == ["catalogue"]


def test_a_number_that_json_does_not_have_is_answered(
    client: Client, replies: list[Reply]
) -> None:
    client.request(
        "start", StartArguments(input=[10**30, float("nan")]), replies.append
    )
    assert len(replies) <= 1


def test_half_a_surrogate_pair_is_sent(
    client: Client, link: Sending, replies: list[Reply]
) -> None:
    client.request(
        "open",
        OpenArguments(document={"workflow": {"start": "\ud800"}}),
        replies.append,
    )
    assert replies == []
    assert link.sent[0]["arguments"]["document"]["workflow"]["start"] == "\ud800"


@pytest.mark.parametrize(
    "body",
    [None, 5, [], {"workflow": 5}, {"nodes": 1}, {"workflow": "w", "problems": [1]}],
)
def test_an_answer_with_another_body_is_a_failure(
    client: Client, link: Sending, replies: list[Reply], body: Any
) -> None:
    said: list[str] = []
    client.console.connect(lambda _, text: said.append(text))
    client.request("open", OpenArguments(), replies.append)
    link.reply("open", body)
    assert [(reply.success, reply.error_type, reply.command) for reply in replies] == [
        (False, UNREADABLE, "open")
    ]
    assert "does not follow the protocol" in said[0]


def test_a_reply_that_is_none_is_a_failure_for_who_waits(
    client: Client, link: Sending, replies: list[Reply]
) -> None:
    client.request("runs", None, replies.append)
    link.packet.emit(
        {"type": "response", "request_seq": 1, "success": "perhaps", "command": []}
    )
    assert [reply.error_type for reply in replies] == [UNREADABLE]
    link.packet.emit(
        {"type": "response", "request_seq": 1, "success": True, "command": "runs"}
    )
    assert len(replies) == 1


def test_who_waits_no_longer_is_told_once(
    client: Client, link: Sending, replies: list[Reply], qtbot: Any
) -> None:
    waits: list[bool] = []
    client.waits_long.connect(waits.append)
    client.request("runs", None, replies.append)
    qtbot.waitUntil(lambda: waits == [True])
    client.cancel()
    assert [reply.error_type for reply in replies] == [CANCELLED]
    assert waits == [True, False]
    link.reply("runs", {"runs": []})
    link.close("It ended.")
    assert len(replies) == 1


def test_an_answer_ends_the_wait(
    client: Client, link: Sending, replies: list[Reply], qtbot: Any
) -> None:
    waits: list[bool] = []
    client.waits_long.connect(waits.append)
    client.request("runs", None, replies.append)
    qtbot.waitUntil(lambda: waits == [True])
    link.reply("runs", {"runs": []})
    assert waits == [True, False]
    assert replies[0].success


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=8,
)
PACKETS = st.fixed_dictionaries(
    {},
    optional={
        "type": st.sampled_from(["response", "event", "request", 5]),
        "request_seq": st.integers(-1, 6) | ANYTHING,
        "command": st.sampled_from(list(REPLY_BODIES)) | ANYTHING,
        "success": st.booleans() | ANYTHING,
        "message": ANYTHING,
        "event": st.sampled_from(
            [
                "resumed",
                "stopped",
                "checkpoints",
                "progress",
                "console",
                "event",
                "moment",
                "waits_long",
                "",
            ]
        ),
        "body": ANYTHING
        | st.fixed_dictionaries(
            {"run_id": st.text(max_size=2), "branch": st.text(max_size=2)}
        )
        | st.fixed_dictionaries({"headers": st.lists(ANYTHING, max_size=2)}),
    },
)


@given(st.lists(PACKETS, max_size=8), st.booleans())
@settings(max_examples=75, deadline=None)
def test_whatever_the_host_says_each_question_is_answered_once(
    packets: list[dict[str, Any]], cancels: bool
) -> None:
    link = RecordingLink()
    client = Client(link)
    answers: dict[str, list[Reply]] = {
        command: [] for command in ("open", "inspect", "runs", "timeline", "step")
    }
    for command, replies in answers.items():
        client.request(command, None, replies.append)
    for packet in packets:
        link.packet.emit(packet)
    if cancels:
        client.cancel()
    link.close("It ended.")
    assert [len(replies) for replies in answers.values()] == [1] * len(answers)
    assert all(
        reply.success or reply.error_type or reply.message is not None
        for (reply,) in answers.values()
    )


@given(st.lists(PACKETS, max_size=8))
@settings(max_examples=75, deadline=None)
def test_whatever_the_host_says_breaks_no_session(
    packets: list[dict[str, Any]],
) -> None:
    """An error in a slot fails this test."""
    link = RecordingLink()
    session = DebugSession(link)
    session.open({"workflow": {}}, "", "memory:")
    session.trust = lambda _folder: True
    session.run()
    for packet in packets:
        link.packet.emit(packet)
    link.close("It ended.")
    assert not session.running
    assert not session.starting
    session.close()


def test_a_start_that_is_cancelled_is_over_and_the_next_one_is_asked(
    qtbot: Any,
) -> None:
    link = RecordingLink()
    session = DebugSession(link)
    told: list[tuple[str, str]] = []
    session.failed.connect(lambda title, text: told.append((title, text)))
    session.trust = lambda _folder: True
    session.open({"workflow": {}}, "", "memory:")
    link.reply("open", {"workflow": "w"})
    replies: list[Reply] = []
    session.run(done=replies.append)
    assert session.starting
    session.cancel_wait()
    qtbot.waitUntil(lambda: link.kills == 1)
    assert not session.starting
    assert [reply.error_type for reply in replies] == [HOST_CLOSED]
    assert told == []
    session.run()
    assert link.commands[-1] == "open"
    session.close()


def test_looking_that_is_cancelled_ends_a_process_that_runs_nothing(qtbot: Any) -> None:
    link = RecordingLink()
    session = DebugSession(link)
    told: list[tuple[str, str]] = []
    session.failed.connect(lambda title, text: told.append((title, text)))
    session.load_catalogue()
    session.cancel_wait()
    assert link.kills == 1
    assert told == []
    session.close()
