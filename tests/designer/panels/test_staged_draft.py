"""A draft beside the lanes of the timeline, and the pane that says what the next
superstep would do.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from designer.model import edits
from designer.panels.timeline.brush import HEAD
from designer.panels.timeline.panel import TimelinePanel
from runtime.debug.protocol import (
    JoinForecast,
    LostMessage,
    OutsideCall,
    PatchChange,
    PatchPlanArguments,
    PatchPlanBody,
    PatchProblem,
    StarvedJoin,
    UpcomingCall,
)
from tests.designer.fake_session import FakeSession
from tests.designer.fakes import straight
from tests.designer.panels.fakes import moment

Show = Callable[..., Any]


@pytest.fixture
def panel(show: Show, session: FakeSession) -> TimelinePanel:
    session.timeline.append(straight(6))
    session.timeline.flush()
    session.look_at(moment(6), "past")
    panel: TimelinePanel = show(TimelinePanel, 1200, 300)
    session.staged.begin("c6")
    QApplication.processEvents()
    return panel


def stage(session: FakeSession, value: Any = 1) -> str:
    change = PatchChange(id="", do="set", section="state", key="limit", value=value)
    return session.staged.stage(change)


def plan(session: FakeSession, **fields: Any) -> None:
    session.staged._ask_plan()
    done = next(
        done
        for arguments, done in reversed(session.patches)
        if isinstance(arguments, PatchPlanArguments)
    )
    done(PatchPlanBody(checkpoint_id="c6", moment=moment(6), **fields))
    QApplication.processEvents()


def test_a_draft_is_a_lane_below_the_branches(
    panel: TimelinePanel, session: FakeSession
) -> None:
    stage(session)
    session.staged.name("one year old")
    (draft,) = panel.strip.drafts
    assert (draft.name, draft.words) == ("one year old", "draft, 1 change")
    assert panel.strip.places.lane_count == len(session.timeline.lanes) + 1


def test_a_click_on_a_draft_comes_back_to_it(
    panel: TimelinePanel, session: FakeSession
) -> None:
    stage(session)
    session.staged.leave()
    assert len(panel.strip.drafts) == 1
    lanes = len(panel.strip.branches.shown)
    middle = round((lanes + 0.5) * panel.strip.places.lane_height)
    where = QPoint(60, HEAD + middle - panel.strip.scroll_y)
    QTest.mouseClick(panel.strip.viewport(), Qt.MouseButton.LeftButton, pos=where)
    assert session.staged.is_on
    assert session.staged.count == 1


def test_the_pane_says_what_the_next_superstep_would_do(
    panel: TimelinePanel, session: FakeSession
) -> None:
    plan(
        session,
        upcoming=(UpcomingCall(executor="rank", calls=2), UpcomingCall(executor="ask")),
        fires=(JoinForecast(join="j", target="route", counts=(("rank", 2),)),),
        starves=(StarvedJoin(join="k", target="report", missing=("age",)),),
        dropped=(LostMessage(source="scan", reason="no edge takes it"),),
        requests_left=1,
    )
    assert panel.preview.head.text() == "What superstep 6 would do"
    assert panel.preview.words == [
        "Runs Rank by reach 2 times and Ask a person",
        "Join fires into Route by licence with 2 messages: 2 from Rank by reach",
        "Join waits into Write report without Age check",
        "Dropped a message from Installed packages: no edge takes it",
        "Requests 1 question left open",
    ]


def test_who_runs_inside_of_a_sub_workflow_is_named_by_its_title(
    panel: TimelinePanel, session: FakeSession
) -> None:
    nodes = [{"id": "t", "type": "template", "name": "Greets", "params": {"text": "x"}}]
    inner = {"format": 1, "workflow": {"start": "t", "nodes": nodes, "edges": []}}
    document = panel.document
    drawn, id_ = edits.add_node(
        document.design, "sub_workflow", (0, 0), params={"inline": inner}
    )
    document.apply("Add", drawn)
    node = document.root.workflow.node(id_)
    assert node is not None
    inside = (f"{id_}#1",)
    plan(session, upcoming=(UpcomingCall(executor="t", path=inside),))
    assert panel.preview.words[0] == f"Runs Greets in {node.title}"


def test_reasons_in_the_pane_name_nodes_by_their_titles(
    panel: TimelinePanel, session: FakeSession
) -> None:
    plan(
        session,
        starves=(
            StarvedJoin(
                join="k",
                target="report",
                missing=("age",),
                reason="'age': branch not taken at 'route'",
            ),
        ),
        dropped=(LostMessage(source="scan", reason="'ask' and 'nobody' take none"),),
        outside=(OutsideCall(executor="ask", what="question", mode="recorded"),),
    )
    assert panel.preview.words[1:3] == [
        "Join waits into Write report without Age check: branch not taken at Route by licence",
        "Dropped a message from Installed packages: Ask a person and 'nobody' take none",
    ]
    assert panel.preview.words[-1] == "Later question by Ask a person, recorded"


def test_the_pane_says_which_changes_are_not_in_it(
    panel: TimelinePanel, session: FakeSession
) -> None:
    id = stage(session, "none")
    plan(session, problems=(PatchProblem(change=id, text="A number is needed."),))
    assert panel.preview.words[-1] == (
        "1 change is not in this preview until it is valid."
    )


def test_the_pane_gives_way_to_the_details_when_the_copy_is_left(
    panel: TimelinePanel, session: FakeSession
) -> None:
    assert panel.preview.isVisible()
    session.staged.leave()
    assert panel.details.isVisible()
    assert not panel.preview.isVisible()
