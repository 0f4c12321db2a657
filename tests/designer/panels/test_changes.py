"""Comparing with a chosen checkpoint: every section of the inspector shows old → new,
removed ones too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from designer.document.document import Document
from designer.panels.joins import JoinsPanel
from designer.panels.messages import MessagesPanel
from designer.panels.requests import RequestsPanel
from designer.panels.selected import SelectedPanel
from designer.panels.state import StatePanel
from runtime.debug.protocol import ChangeItem, DiffBody, Value
from tests.designer.fake_session import FakeSession
from tests.designer.panels.fakes import STATE, moment, value

Show = Callable[..., Any]
CHANGES = (
    ChangeItem(
        section="state",
        path="['threshold']",
        kind="changed",
        old=value(0.6),
        new=value(0.9),
    ),
    ChangeItem(
        section="state", path="['counts']['MIT']", kind="removed", old=value(210)
    ),
    ChangeItem(
        section="executors",
        path="['classify']['runs']",
        kind="changed",
        old=value(1),
        new=value(2),
    ),
    ChangeItem(
        section="executors", path="['rank']", kind="added", new=value({"runs": 1})
    ),
    ChangeItem(
        section="messages",
        path="from scan → rank",
        kind="removed",
        old=value({"graph": [1]}),
    ),
    ChangeItem(section="joins", path="route ← age", kind="added", new=value(16)),
    ChangeItem(
        section="requests",
        path="['r1']",
        kind="changed",
        old=value("short"),
        new=Value(type="str", text="x" * 60),
    ),
)


def rows(panel: Any) -> list[str]:
    found = []
    for node in panel.changes.tree.values.root.walk():
        text = node.value.text if node.value is not None else ""
        found.append(
            " | ".join(
                part for part in (node.title or node.key, text, node.mark) if part
            )
        )
    return found


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        (StatePanel, ["threshold | 0.6 → 0.9 | changed", "counts.MIT | 210 | removed"]),
        (
            MessagesPanel,
            [
                "from Installed packages → Rank by reach | 1 items | removed",
                "graph | 1 items",
                "0 | 1",
            ],
        ),
        (JoinsPanel, ["Route by licence ← Age check | 16 | new"]),
        (RequestsPanel, ["r1 | changed", "was | 'short'", f"is | {'x' * 60}"]),
    ],
)
def test_each_section_shows_what_differs_in_it_and_what_was_removed(
    show: Show, session: FakeSession, kind: Any, expected: list[str]
) -> None:
    session.look_at(moment(6), "past")
    panel = show(kind, 336)
    session.compare_with("c4")
    assert "Comparing" in panel.changes.words.text()
    session.comparison = DiffBody(base="c4", checkpoint_id="c6", changes=CHANGES)
    session.compared.emit()
    assert panel.stack.currentWidget() is panel.changes
    assert rows(panel) == expected
    QTest.mouseClick(panel.changes.end, Qt.MouseButton.LeftButton)
    assert session.base == ""
    assert panel.stack.currentWidget() is not panel.changes


def test_selected_shows_the_changes_of_what_is_selected_and_of_everything_without(
    show: Show, session: FakeSession, document: Document
) -> None:
    session.look_at(moment(6), "past")
    panel = show(SelectedPanel)
    session.compare_with("c4")
    session.comparison = DiffBody(base="c4", checkpoint_id="c6", changes=CHANGES)
    session.compared.emit()
    headings = [
        (node.title, node.tail) for node in panel.changes.tree.values.root.children
    ]
    assert headings == [
        ("State", "2"),
        ("Executors", "2"),
        ("Messages", "1"),
        ("Joins", "1"),
        ("Requests", "1"),
    ]
    document.select({"classify"})
    assert rows(panel) == ["Executors", "Classify licences.runs | 1 → 2 | changed"]
    document.select({"age"})
    assert rows(panel) == []
    assert "no difference here" in panel.changes.words.text()


def test_marks_name_the_checkpoint_that_they_are_against_and_what_is_gone(
    show: Show, session: FakeSession
) -> None:
    """A row that is not there any more cannot be marked: it is named."""
    panel = show(StatePanel)
    session.look_at(moment(5), "past")
    state = {key: item for key, item in STATE.items() if key != "started"}
    session.look_at(
        moment(6, state=value({**state, "threshold": 0.9, "more": 1})), "past"
    )
    assert (
        panel._hint.text()
        == "Since superstep 5: 1 changed, 1 new, 1 removed (started)."
    )
    session.look_at(
        moment(6, state=value({**state, "threshold": 0.9, "more": 1})), "past"
    )
    assert panel._hint.isVisible()
