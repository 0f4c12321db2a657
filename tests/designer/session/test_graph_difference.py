"""When the document is compared with the graph of the run, and with which checkpoint."""

from __future__ import annotations

from typing import Any

import pytest

from designer.session.opener import Source
from designer.session.session import DebugSession
from runtime.debug.protocol import (
    GraphChange,
    GraphChangesBody,
    HeaderBody,
    HeadersBody,
    OpenBody,
    StartBody,
)
from tests.designer.fakes import RecordingLink, header, straight


@pytest.fixture
def link() -> RecordingLink:
    return RecordingLink()


@pytest.fixture
def session(qapp: Any, link: RecordingLink) -> Any:
    session = DebugSession(link)
    session.trust = lambda _folder: True
    documents = [{"number": 1}]
    session.source = lambda: Source(documents[-1], "", "memory:")
    session.documents = documents  # type: ignore[attr-defined]
    session.run(stop_on_entry=True)
    link.reply("open", OpenBody(workflow="w"))
    link.notice("resumed", {"run_id": "r1", "branch": "main"})
    link.reply("start", StartBody(run_id="r1"))
    link.notice("checkpoints", HeadersBody(headers=tuple(straight(4))))
    link.notice(
        "stopped",
        {
            "reason": "step",
            "status": "IDLE",
            "superstep": 3,
            "run_id": "r1",
            "checkpoint_id": "c4",
        },
    )
    session.timeline.flush()
    yield session
    session.close()
    session.deleteLater()


def edited(session: Any) -> None:
    session.documents.append({"number": len(session.documents) + 1})
    session.difference.look_again()


def asked(session: Any, link: RecordingLink) -> list[dict[str, Any]]:
    """What the host was asked, once the time for it has come."""
    session.difference.when_known(lambda: None)
    return [
        packet["arguments"]
        for packet in link.sent
        if packet["command"] == "graph_changes"
    ]


CHANGE = GraphChange(kind="changed", element="edge", id="ab", text="Edge 'ab'")


def answer(link: RecordingLink, before: int) -> None:
    checkpoint_id = link.last("graph_changes")["arguments"]["checkpoint_id"]
    body = GraphChangesBody(
        checkpoint_id=checkpoint_id, changes=(CHANGE,), before=header(before)
    )
    link.reply("graph_changes", body)


def test_an_edit_is_compared_once_with_where_the_run_stands(session, link) -> None:
    session.leave()
    assert asked(session, link) == []
    edited(session)
    edited(session)
    (question,) = asked(session, link)
    assert question["checkpoint_id"] == "c4"
    assert question["document"] == {"number": 3}
    answer(link, 2)
    assert (session.difference.before, session.difference.origin) == ("c2", "c4")


def test_going_from_the_past_to_editing_compares_with_what_was_viewed(
    session, link
) -> None:
    session.view("c2")
    session.leave()
    edited(session)
    assert asked(session, link)[-1]["checkpoint_id"] == "c2"


def test_a_viewed_checkpoint_is_compared_also_without_an_edit(session, link) -> None:
    session.view("c2")
    assert [question["checkpoint_id"] for question in asked(session, link)] == ["c2"]
    answer(link, 2)
    assert session.difference.changes == (CHANGE,)
    session.view("c3")
    assert session.difference.changes == ()


def test_a_late_answer_about_an_older_document_does_not_count(session, link) -> None:
    session.leave()
    edited(session)
    asked(session, link)
    first = link.last("graph_changes")["seq"]
    edited(session)
    asked(session, link)
    body = GraphChangesBody(checkpoint_id="c4", changes=(CHANGE,), before=header(1))
    link.packet.emit(
        {
            "type": "response",
            "request_seq": first,
            "command": "graph_changes",
            "success": True,
            "message": "",
            "body": body.model_dump(mode="json"),
        }
    )
    assert session.difference.changes == ()
    answer(link, 2)
    assert session.difference.before == "c2"


def test_what_waits_for_the_difference_goes_on_with_the_answer(session, link) -> None:
    session.leave()
    edited(session)
    done: list[str] = []
    session.difference.when_known(lambda: done.append("known"))
    assert done == []
    answer(link, 2)
    assert done == ["known"]
    session.difference.when_known(lambda: done.append("at once"))
    assert done == ["known", "at once"]


def test_a_restored_run_has_the_document_as_it_is(session, link) -> None:
    session.leave()
    edited(session)
    asked(session, link)
    answer(link, 2)
    session.restore("c2", migrate=True)
    link.reply("open", OpenBody(workflow="w"))
    assert link.last("restore")["arguments"]["on_change"] == "migrate"
    fork = header(5, parent="c2", branch="fork 1", cause="edit")
    link.notice("checkpoints", HeadersBody(headers=(fork,)))
    link.reply("restore", HeaderBody(header=fork))
    assert session.difference.changes == ()
    count = len(asked(session, link))
    session.step()
    assert len(asked(session, link)) == count


def test_a_failed_question_is_asked_again(session, link) -> None:
    session.leave()
    edited(session)
    asked(session, link)
    link.reply("graph_changes", error="the checkpoint is damaged")
    assert session.difference.changes == ()
    session.difference.look_again()
    assert len(asked(session, link)) == 2


def test_an_answer_goes_to_the_changed_graph(session, link) -> None:
    session.leave()
    edited(session)
    asked(session, link)
    answer(link, 2)
    session.back_to_live()
    session.answer({"q1": True})
    link.reply("open", OpenBody(workflow="w"))
    assert link.last("restore")["arguments"]["on_change"] == "migrate"
    assert "answer" not in link.commands
    fork = header(5, parent="c4", superstep=3, branch="fork 1", cause="edit")
    link.notice("checkpoints", HeadersBody(headers=(fork,)))
    link.reply("restore", HeaderBody(header=fork))
    assert link.last("answer")["arguments"]["answers"] == {"q1": True}


def test_an_answer_that_the_changed_graph_cannot_take_says_why(session, link) -> None:
    told: list[tuple[str, str]] = []
    session.failed.connect(lambda title, text: told.append((title, text)))
    session.leave()
    edited(session)
    asked(session, link)
    answer(link, 2)
    session.back_to_live()
    session.answer({"q1": True})
    link.reply("open", OpenBody(workflow="w"))
    link.packet.emit(
        {
            "type": "response",
            "request_seq": link.last("restore")["seq"],
            "command": "restore",
            "success": False,
            "message": "'ask' is gone",
            "error_type": "MigrationRefusedError",
            "body": None,
        }
    )
    assert told == [("The answer was not taken", "'ask' is gone")]


def test_a_file_that_may_have_changed_is_a_reason_to_ask_again(session, link) -> None:
    session.leave()
    edited(session)
    asked(session, link)
    answer(link, 2)
    session.difference.look_again()
    assert len(asked(session, link)) == 2


def test_a_lost_host_is_not_started_for_it(session, link) -> None:
    link.close("It ended.")
    starts = link.starts
    session.back_to_live()
    session.difference.look_again()
    asked(session, link)
    assert link.starts == starts
