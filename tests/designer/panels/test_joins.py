"""The ledger says what a join holds, for whom it waits and why, and leads to the
sources.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel

from designer.document.document import Document
from designer.panels.joins import JoinsPanel, SourceRow
from designer.panels.widgets.join_words import waiting_words
from runtime.debug.protocol import JoinSource
from tests.designer.fake_session import FakeSession
from tests.designer.panels.conftest import texts
from tests.designer.panels.fakes import join, moment

Show = Callable[..., Any]


def test_the_ledger_tells_the_whole_story(show: Show, session: FakeSession) -> None:
    session.look_at(moment(), "past")
    panel = show(JoinsPanel, 336)
    shown = texts(panel, QLabel)
    for text in (
        "Join into Route by licence",
        "2 of 3 — waiting for Rank by reach",
        "Silent since the join fired in superstep 3.",
        "412 packages, 9 unknown",
        "LicenceReport",
        "2 / 1",
        "0 / 1",
        "s6",
        "–",
    ):
        assert text in shown
    assert "Superstep 8 at the earliest." in panel.ledgers["join"].fires.text()


def test_a_click_on_a_source_selects_its_node(
    show: Show, session: FakeSession, document: Document
) -> None:
    session.look_at(moment())
    panel = show(JoinsPanel, 336)
    rows = panel.findChildren(SourceRow)
    QTest.mouseClick(rows[1].name, Qt.MouseButton.LeftButton)
    assert document.selection == {"rank"}


def test_joins_that_hold_something_come_first_and_are_counted(
    show: Show, session: FakeSession
) -> None:
    panel = show(JoinsPanel, 336)
    told: list[str] = []
    panel.badge_changed.connect(told.append)
    empty = join(
        edge="other",
        target="report",
        held=0,
        missing=("classify", "rank", "age"),
        sources=(),
    )
    session.look_at(moment(joins=(empty, join())))
    assert told[-1] == "1"
    tops = {edge: ledger.y() for edge, ledger in panel.ledgers.items()}
    assert panel._list.indexOf(panel.ledgers["join"]) < panel._list.indexOf(
        panel.ledgers["other"]
    )
    assert len(tops) == 2


def test_of_many_joins_the_rest_is_counted(show: Show, session: FakeSession) -> None:
    panel = show(JoinsPanel, 336)
    session.look_at(moment(joins=tuple(join(edge=f"join{at}") for at in range(53))))
    assert (len(panel.ledgers), panel._rest.text()) == (
        50,
        "3 more joins are not listed",
    )
    session.look_at(moment(joins=(join(),)))
    assert not panel._rest.isVisibleTo(panel)


def test_ledgers_follow_the_moment(show: Show, session: FakeSession) -> None:
    session.look_at(moment(6))
    panel = show(JoinsPanel, 336)
    session.look_at(moment(7, joins=(join(fired=7, held=0, missing=(), sources=()),)))
    assert panel.ledgers["join"].words.text() == "Fired in superstep 7"
    session.look_at(moment(8, joins=()))
    assert panel.ledgers == {}
    assert "No joins" in panel.stack.notice.text()


def test_a_hidden_panel_costs_nothing_until_it_is_seen(
    show: Show, session: FakeSession
) -> None:
    panel = show(JoinsPanel, 336)
    panel.hide()
    session.look_at(moment())
    assert panel.ledgers == {}
    panel.show()
    assert panel.ledgers.keys() == {"join"}


def test_every_state_of_a_join_has_its_words() -> None:
    some = (JoinSource(id="a", have=1, need=1), JoinSource(id="b", have=0, need=1))
    assert waiting_words(join(sources=some), ["B"]) == (
        "1 of 2 — waiting for B",
        "warn",
    )
    assert (
        waiting_words(join(sources=some), list("BCDE"))[0]
        == "1 of 2 — waiting for B, C and 2 more"
    )
    assert waiting_words(join(sources=some, stalled=True), ["B"])[0].startswith(
        "1 of 2 — stalled"
    )
    assert waiting_words(join(sources=some, held=0), ["B"])[0] == "1 of 2 — empty"
    assert (
        waiting_words(join(sources=some, fired=4, held=0), [])[0]
        == "Fired in superstep 4"
    )
    part = (
        JoinSource(id="a", have=0, need=1, released=2),
        JoinSource(id="b", have=1, need=1),
    )
    words = "Fired in superstep 4 with 2 messages from 1 of 2 sources, holds 1"
    assert waiting_words(join(sources=part, fired=4, held=1), [])[0] == words
