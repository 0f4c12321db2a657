"""State and Messages follow the moment, mark what changed, and name things as people
do.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtTest import QTest

from designer.panels.messages import MessagesPanel
from designer.panels.state import StatePanel
from runtime.checkpoint import Cause
from runtime.debug.protocol import ExpandBody, Header, Value
from tests.designer.fake_session import FakeSession
from tests.designer.panels.fakes import STATE, moment, value

Show = Callable[..., Any]


def rows(panel: Any) -> list[str]:
    return [node.title or node.key for node in panel.tree.values.root.children]


def test_the_state_is_marked_against_the_moment_before(
    show: Show, session: FakeSession
) -> None:
    panel = show(StatePanel)
    session.look_at(moment(5), "past")
    session.look_at(
        moment(6, state=value({**STATE, "threshold": 0.9, "more": 1})), "past"
    )
    found = {
        node.key: node.mark for node in panel.tree.values.find(("state",)).children
    }
    assert (found["threshold"], found["more"], found["started"]) == (
        "changed",
        "new",
        "",
    )
    session.viewed.emit()  # the same moment again keeps its marks
    assert panel.tree.values.find(("state", "threshold")).mark == "changed"


def test_moments_of_different_runs_are_not_compared(
    show: Show, session: FakeSession
) -> None:
    panel = show(StatePanel)
    session.look_at(moment(5), "past")
    other = Header(
        id="x", run_id="another", workflow="w", superstep=1, cause=Cause.INPUT
    )
    session.look_at(moment(1, header=other, state=value({"threshold": 1})), "past")
    assert panel.tree.values.find(("state", "threshold")).mark == ""


def test_large_values_are_asked_of_the_session(
    show: Show, session: FakeSession
) -> None:
    panel = show(StatePanel)
    big = Value(type="list", text="3 items", count=3)
    session.look_at(
        moment(
            state=Value(type="dict", text="1 item", count=1, children=(("big", big),)),
            outputs=(),
        )
    )
    panel.tree.expand(
        panel.tree.values.index_of(panel.tree.values.find(("state", "big")))
    )
    section, path, offset, done = session.asked[0]
    assert (section, path, offset) == ("state", (0,), 0)
    done(
        ExpandBody(
            children=(("0", value(1)), ("1", value(2)), ("2", value(3))), count=3
        )
    )
    assert (
        panel.tree.values.find(("state", "big", "2")).python_path() == "state['big'][2]"
    )


def test_search_says_how_much_it_found(show: Show, session: FakeSession) -> None:
    session.look_at(moment())
    panel = show(StatePanel)
    QTest.keyClicks(panel.search, "mit")
    assert panel._hint.text() == "2 rows found."


def test_empty_places_say_what_they_are(show: Show, session: FakeSession) -> None:
    panel = show(StatePanel)
    assert "No run" in panel.stack.notice.text()
    session.running = True
    session.changed.emit()
    assert "Running" in panel.stack.notice.text()
    session.look_at(moment(state=Value(type="dict", text="empty"), outputs=()))
    assert "empty" in panel.stack.notice.text()


def test_messages_are_grouped_by_who_gets_them(
    show: Show, session: FakeSession
) -> None:
    session.look_at(moment())
    panel = show(MessagesPanel)
    groups = [(node.title, node.tail) for node in panel.tree.values.root.children]
    assert groups == [("→ Rank by reach", "1 queued"), ("→ Route by licence", "2 held")]
    held = panel.tree.values.root.children[1].children
    assert [(node.title, node.section) for node in held] == [
        ("Classify licences", "held:0"),
        ("Age check", "held:1"),
    ]


def test_names_are_those_of_the_graph_that_the_run_had(
    show: Show, session: FakeSession
) -> None:
    then = {"nodes": [{"id": "rank", "name": "Ranking of old"}]}
    session.look_at(moment(definition=then), "past")
    panel = show(MessagesPanel)
    assert rows(panel)[0] == "→ Ranking of old"


def test_lists_that_end_before_their_end_say_how_much_is_missing(
    show: Show, session: FakeSession
) -> None:
    messages = show(MessagesPanel)
    state = show(StatePanel)
    session.look_at(moment(messages_left_out=1, outputs_left_out=1200), "past")
    assert rows(messages)[-1] == "1 more message is not listed"
    outputs = state.tree.values.find(("outputs",)).children
    assert outputs[-1].title == "1,200 more outputs are not listed"
    session.look_at(moment(), "past")
    assert rows(messages)[-1] != "1 more message is not listed"
