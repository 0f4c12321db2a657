"""Selected shows what is selected at the moment that is looked at: a node call by call,
an edge, or the superstep.
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QBuffer, QIODevice, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest

from designer.document.document import Document
from designer.panels.selected import SelectedPanel
from designer.panels.values.built_in_viewers import (
    PictureViewer,
    TableViewer,
    TextViewer,
)
from designer.panels.values.model import Node
from runtime.checkpoint import Cause
from runtime.debug.protocol import (
    Call,
    EdgeBody,
    ExpandBody,
    Failure,
    Header,
    Item,
    NodeBody,
    NodeMoment,
    PinnedResult,
    ProgressBody,
    Turn,
    Value,
)
from tests.designer.fake_session import FakeSession
from tests.designer.panels.fakes import moment, value

Show = Callable[..., Any]


def lines(node: Node, depth: int = 0) -> list[str]:
    """The tree as text, an indented line for each row."""
    found = []
    for child in node.children:
        parts = [
            child.title or child.key,
            child.value.text if child.value is not None else "",
            child.tail,
        ]
        found.append("  " * depth + " | ".join(part for part in parts if part))
        if child.value is None:
            found += lines(child, depth + 1)
    return found


def item(data: Any, **where: Any) -> Item:
    return Item(
        value=value(data), **{"checkpoint_id": "c5", "section": "queue:0", **where}
    )


def body(**more: Any) -> NodeBody:
    call = Call(
        handler="classify",
        seconds=0.64,
        received=(item({"name": "rich"}, name="scan"),),
        sent=(item("MIT", name="route", note="", section="queue:1"),),
        outputs=(),
        wrote=(
            item(
                3, kind="state", name="counts", old=value(2), section="state", path=(1,)
            ),
        ),
        asked=None,
    )
    turns = (
        Turn(superstep=2, checkpoint_id="c2", calls=1, seconds=0.1),
        Turn(superstep=6, checkpoint_id="c6", calls=1, seconds=0.64, sent=1),
    )
    values: dict[str, Any] = {
        "node": "classify",
        "superstep": 6,
        "checkpoint_id": "c6",
        "calls": (call,),
        "turns": turns,
    }
    return NodeBody(**{**values, **more})


def chosen(
    show: Show,
    session: FakeSession,
    document: Document,
    told: Any,
    element: str = "classify",
) -> Any:
    """The panel with an element that is selected, and what the host told of it."""
    session.look_at(moment(6), "past")
    panel = show(SelectedPanel)
    document.select({element})
    asked, done = session.elements[-1]
    assert asked == element
    done(told)
    return panel


def test_a_node_is_told_call_by_call(
    show: Show, session: FakeSession, document: Document
) -> None:
    panel = chosen(show, session, document, body(params=value({"retries": 3})))
    assert lines(panel.tree.values.root) == [
        "This superstep | classify · 640 ms",
        "  Received | 1",
        "    from Installed packages | 1 items",
        "  Sent | 1",
        "    → Route by licence | 'MIT'",
        "  Wrote | 1",
        "    counts | 3 | was 2",
        "  Asked | not recorded",
        "Parameters | 1 items",
        "Ran in | 2 supersteps",
        "  Superstep 6, this one | 1 sent · 640 ms",
        "  Superstep 2 | 100 ms",
    ]
    assert panel._title.text() == "Classify licences"
    assert panel._facts.text() == "Ran now · 640 ms"


def test_a_value_is_asked_of_the_checkpoint_where_it_stands(
    show: Show, session: FakeSession, document: Document
) -> None:
    told = body(
        calls=(
            Call(
                handler="h",
                received=(
                    item([], name="scan").model_copy(
                        update={"value": Value(type="list", text="2 items", count=2)}
                    ),
                ),
            ),
        )
    )
    panel = chosen(show, session, document, told)
    section, path, offset, done = session.asked[-1]
    assert (section, path, offset, session.asked_of[-1]) == ("queue:0", (), 0, "c5")
    rows = ExpandBody(
        children=(("0", value({"n": 1, "t": "a"})), ("1", value({"n": 2, "t": None}))),
        count=2,
    )
    done(rows)
    face = panel.tree_and_viewer.viewer
    assert isinstance(face, TableViewer)
    model = face.rows
    assert model.heads == ("n", "t")
    assert [[model.index(at, column).data() for column in (0, 1)] for at in (0, 1)] == [
        ["1", "a"],
        ["2", ""],
    ]


def test_a_click_on_a_superstep_goes_there(
    show: Show, session: FakeSession, document: Document
) -> None:
    panel = chosen(show, session, document, body())
    row = panel.tree.values.find(("turns", "c2"))
    rect = panel.tree.visualRect(panel.tree.values.index_of(row))
    QTest.mouseClick(
        panel.tree.viewport(), Qt.MouseButton.LeftButton, pos=rect.center()
    )
    assert ("view", "c2") in session.commands


def test_a_failure_is_shown_with_the_message_that_it_had(
    show: Show, session: FakeSession, document: Document
) -> None:
    failure = Failure(
        error_type="KeyError",
        text="'amount'",
        traceback="Traceback\n  line 3",
        handler="price",
        call=1,
    )
    calls = tuple(
        Call(received=(item({"id": number}, name="scan"),)) for number in (1, 2, 3)
    )
    panel = chosen(
        show, session, document, body(calls=(), coming=calls, failure=failure, turns=())
    )
    assert panel._error.text() == "KeyError: 'amount'"
    assert lines(panel.tree.values.root) == [
        "Failed in superstep 7 | price",
        "  Received | 1",
        "    from Installed packages | 1 items",
        "  Traceback | KeyError",
        "  Its other messages of that superstep | 2",
        "    from Installed packages | 1 items",
        "    from Installed packages | 1 items",
    ]
    assert panel.tree.values.node(panel.tree.currentIndex()).keys == (
        "failure",
        "received",
        "0",
    )
    panel.tree.go_to(("failure", "traceback"))
    assert isinstance(panel.tree_and_viewer.viewer, TextViewer)
    assert panel.tree_and_viewer.viewer.reader.text == "Traceback\n  line 3"
    document.select({"age"})  # what is said of one node is not said of another
    session.elements[-1][1](NodeBody(node="age"))
    assert panel._error.text() == ""


def test_an_edge_tells_what_it_stopped_and_what_decides(
    show: Show, session: FakeSession, document: Document
) -> None:
    told = EdgeBody(
        edge="ask->report",
        kind="direct",
        superstep=6,
        rules=(("report", "message.size > 1"),),
        carried=(item(4, name="ask → report", edges=("ask->report",)),),
        stopped=(
            item(
                1,
                name="ask → report",
                edges=("ask->report",),
                note="condition false · message.size = 1",
            ),
        ),
    )
    panel = chosen(show, session, document, told, "ask->report")
    assert lines(panel.tree.values.root) == [
        "Conditions | 1",
        "  → Write report | message.size > 1",
        "Came in superstep 6 | 1",
        "  Ask a person → Write report | 4",
        "Stopped in superstep 6 | 1",
        "  Ask a person → Write report | 1 | condition false · message.size = 1",
    ]


def test_an_edge_to_which_nothing_came_shows_what_came_last(
    show: Show, session: FakeSession, document: Document
) -> None:
    stopped = item(
        1,
        name="ask → report",
        edges=("ask->report",),
        note="condition false · message.size = 1",
    )
    before = EdgeBody(
        edge="ask->report", kind="direct", superstep=4, stopped=(stopped,)
    )
    told = EdgeBody(edge="ask->report", kind="direct", superstep=6, before=before)
    panel = chosen(show, session, document, told, "ask->report")
    words = "Nothing in superstep 6, the last in 4"
    assert panel._facts.text() == words
    assert lines(panel.tree.values.root) == [
        "Stopped in superstep 4 | 1",
        "  Ask a person → Write report | 1 | condition false · message.size = 1",
    ]


def test_without_a_selection_the_superstep_is_told_and_leads_to_its_nodes(
    show: Show, session: FakeSession, document: Document
) -> None:
    session.look_at(moment(6), "past")
    panel = show(SelectedPanel)
    assert panel._title.text() == "Superstep 6"
    ran = panel.tree.values.find(("Ran", "classify"))
    assert (ran.title, ran.tail) == ("Classify licences", "640 ms")
    panel.tree.chosen.emit(ran)
    assert document.selection == {"classify"}


def test_of_what_is_selected_only_the_last_is_asked_and_an_answer_of_before_is_not_shown(
    show: Show, session: FakeSession, document: Document
) -> None:
    session.look_at(moment(6), "past")
    panel = show(SelectedPanel)
    for element in ("classify", "rank", "age"):
        document.select({element})
    assert [asked for asked, _ in session.elements] == ["classify"]
    session.elements[0][1](body())
    assert panel.body is None
    assert [asked for asked, _ in session.elements] == ["classify", "age"]
    session.elements[1][1](NodeBody(node="age"))
    document.select({"classify"})  # it is known by now
    assert len(session.elements) == 2
    assert panel.body == body()


def test_another_moment_is_asked_again_and_the_row_stays(
    show: Show, session: FakeSession, document: Document
) -> None:
    panel = chosen(show, session, document, body())
    panel.tree.go_to(("call 1", "sent", "0"))
    other = Header(
        id="c9", run_id="r1", workflow="w", superstep=7, cause=Cause.SUPERSTEP
    )
    session.look_at(moment(7, header=other), "past")
    session.elements[-1][1](body(superstep=7, checkpoint_id="c9"))
    assert panel.tree.values.node(panel.tree.currentIndex()).keys == (
        "call 1",
        "sent",
        "0",
    )


def test_a_picture_is_shown_as_a_picture(
    show: Show, session: FakeSession, document: Document
) -> None:
    image = QImage(30, 20, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.red)
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")
    got = item(None, name="scan").model_copy(
        update={"value": Value(type="bytes", text="b'\\x89PNG'… 90 bytes")}
    )
    panel = chosen(show, session, document, body(calls=(Call(received=(got,)),)))
    encoded = base64.b64encode(buffer.data().data()).decode()
    session.asked[-1][3](ExpandBody(children=(), count=0, picture=encoded))
    assert isinstance(panel.tree_and_viewer.viewer, PictureViewer)
    assert (
        panel.tree_and_viewer.viewer.picture.accessibleName()
        == "A picture of 30 × 20 pixels"
    )
    panel.tree_and_viewer.view(panel.tree_and_viewer._keys, "text")
    session.asked[-1][3](
        ExpandBody(children=(), count=0, picture="bm90IGEgcGljdHVyZQ==")
    )
    assert panel.tree_and_viewer.viewer is None


def test_a_node_that_runs_now_has_no_time_that_stands_still_and_is_not_said_to_be_silent(
    show: Show, session: FakeSession, document: Document
) -> None:
    now = NodeMoment(state="running", detail="107 ms")
    session.look_at(moment(6).model_copy(update={"nodes": {"classify": now}}))
    panel = show(SelectedPanel)
    document.select({"classify"})
    session.running = True
    session.progress = ProgressBody(superstep=7, running={"classify": 2.2})
    session.progressed.emit()
    session.elements[-1][1](body(calls=(), turns=()))
    assert panel._facts.text() == "Running"
    assert not any("Did not run" in line for line in lines(panel.tree.values.root))
    session.progress = ProgressBody(superstep=7, done={"classify": 2.3})
    session.progressed.emit()
    assert panel._facts.text() == "Done, held until the barrier"


def test_a_failure_of_before_is_told_of_its_node_and_not_of_this_superstep(
    show: Show, session: FakeSession, document: Document
) -> None:
    failed = NodeMoment(
        state="failed", detail="s2", error="ValueError: no", handed_on=True
    )
    session.look_at(
        moment(6).model_copy(update={"nodes": {"classify": failed}}), "past"
    )
    panel = show(SelectedPanel)
    assert not any("Failed" in line for line in lines(panel.tree.values.root))
    document.select({"classify"})
    assert panel._facts.text() == "Failed in s2, handed on"


def test_a_node_that_reaches_outside_has_its_results_to_choose_and_to_pin(
    show: Show, session: FakeSession, document: Document
) -> None:
    http = next(info for info in session.infos.values() if info.type == "http")
    session.know([http.model_copy(update={"reaches_outside": True})])
    panel = chosen(show, session, document, body(type="http"))
    row = panel.results
    assert row.isVisible()
    assert row.choice.mode == "recorded"
    QTest.mouseClick(row.choice.buttons["live"], Qt.MouseButton.LeftButton)
    assert session.results.choices == {"classify": "live"}
    assert row.choice.buttons["live"].isChecked()
    wanted: list[str] = []
    session.results.edit_requested.connect(wanted.append)
    assert row.pin.toolTip() == "Pin this result"
    QTest.mouseClick(row.pin, Qt.MouseButton.LeftButton)
    assert wanted == ["classify"]
    session.results.use_pins({"classify": PinnedResult(sent=(1,))})
    assert row.choice.mode == "pinned"
    assert row.pin.toolTip() == "Edit the pinned result"
    document.select(set())
    assert not row.isVisible()


def test_a_node_that_stays_inside_has_no_results_to_choose(
    show: Show, session: FakeSession, document: Document
) -> None:
    panel = chosen(show, session, document, body(type="template"))
    assert not panel.results.isVisible()


def test_a_call_that_was_not_made_says_where_its_result_came_from(
    show: Show, session: FakeSession, document: Document
) -> None:
    [call] = body().calls
    told = body(calls=(call.model_copy(update={"origin": "recorded"}),))
    panel = chosen(show, session, document, told)
    assert lines(panel.tree.values.root)[0] == (
        "This superstep | recorded · classify · 640 ms"
    )
