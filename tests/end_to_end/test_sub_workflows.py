"""Sub-workflows with a real host: gone into while one of them asks, in the past, and on
after a restore.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QPlainTextEdit
from pytestqt.qtbot import QtBot

from designer.canvas.drawing.overlay import Overlay
from designer.model import files
from designer.model.design import Design
from designer.model.inside import value_of
from designer.session.session import DebugSession
from designer.shell.workspace import Workspace
from runtime.document.definition import (
    DirectEdge,
    EdgeDefinition,
    FanInEdge,
    FanOutEdge,
    NodeDefinition,
    WorkflowDefinition,
)
from tests.designer.shell.support import Hand, opened

K = Qt.Key
JOIN = "both"


@pytest.fixture
def hand(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Hand]:
    monkeypatch.setenv("STEPWELL_DATA_DIR", str(tmp_path / "data"))
    with opened(qtbot, tmp_path, painted=False) as hand:
        yield hand
        assert hand.somebody.told == []


def template(node_id: str, name: str, text: str) -> NodeDefinition:
    return NodeDefinition(id=node_id, type="template", name=name, params={"text": text})


def drawing(
    nodes: list[NodeDefinition], *edges: EdgeDefinition, **more: object
) -> Design:
    places = {node.id: (240.0 * at, 40.0 * (at % 2)) for at, node in enumerate(nodes)}
    workflow = WorkflowDefinition.model_validate(
        {"start": nodes[0].id, "nodes": tuple(nodes), "edges": edges, **more}
    )
    return Design(workflow, places)


def wire(source: str, target: str) -> DirectEdge:
    return DirectEdge(id=f"{source}->{target}", source=source, target=target)


def review() -> Design:
    """Inside: a note goes to a join at once, a person's answer comes to it later."""
    nodes = [
        NodeDefinition(id="got", type="input", name="Draft"),
        template("note", "Note", "draft: {message}"),
        NodeDefinition(
            id="ask",
            type="ask",
            name="Ask the editor",
            params={"question": "Any changes?", "free_text": True},
        ),
        template("merge", "Merge", "{message}"),
        NodeDefinition(id="out", type="output", name="Reviewed"),
    ]
    edges = (
        FanOutEdge(id="to", source="got", targets=("note", "ask")),
        FanInEdge(id=JOIN, sources=("note", "ask"), target="merge"),
        wire("merge", "out"),
    )
    return drawing(nodes, *edges)


def document(folder: Path) -> Path:
    """A file with a sub-workflow inside that asks, and one that is a file of its own."""
    polish = [
        template("polish", "Polish", "<{message}>"),
        NodeDefinition(id="done", type="output"),
    ]
    files.save(
        folder / "polish.stepwell.json",
        drawing(polish, wire("polish", "done"), name="polish"),
    )
    nodes = [
        NodeDefinition(id="in", type="input", name="Text"),
        NodeDefinition(
            id="review",
            type="sub_workflow",
            name="Review",
            params={"inline": value_of(review())},
        ),
        NodeDefinition(
            id="polish",
            type="sub_workflow",
            name="Polish",
            params={"file": "polish.stepwell.json"},
        ),
        NodeDefinition(id="result", type="output", name="Result"),
    ]
    edges = (wire("in", "review"), wire("review", "polish"), wire("polish", "result"))
    files.save(
        folder / "article.stepwell.json",
        drawing(nodes, *edges, name="article", input="hello"),
    )
    return folder / "article.stepwell.json"


def click_node(hand: Hand, node: str) -> None:
    canvas = hand.workspace.canvas
    hand.click(
        canvas.viewport(),
        canvas.mapFromScene(canvas.scene().boxes[node].rect.center() + QPoint(0, 8)),
    )


def wait_inside(hand: Hand) -> None:
    session = hand.workspace.session
    hand.wait(lambda: session.inside is not None and session.inside.moment is not None)


def answer(hand: Hand, text: str) -> None:
    panel = hand.show("Requests")
    hand.wait(lambda: panel.question is not None)  # type: ignore[attr-defined]
    form = panel.question.form  # type: ignore[attr-defined]
    editor = form.form.field("").editor()
    hand.click(editor.viewport() if isinstance(editor, QPlainTextEdit) else editor)
    hand.type(text)
    hand.press("Send answer", form)


def view(hand: Hand, checkpoint_id: str) -> None:
    """Click a checkpoint on the timeline."""
    hand.show("Timeline")
    strip = hand.workspace.panels["Timeline"].strip  # type: ignore[attr-defined]
    hand.workspace.session.timeline.flush()
    strip.horizontalScrollBar().setValue(0)
    hand.click(strip.viewport(), strip.point_of(checkpoint_id))
    session = hand.workspace.session
    hand.wait(
        lambda: session.moment is not None and header_of(session) == checkpoint_id
    )


def header_of(session: DebugSession) -> str:
    header = session.moment.header if session.moment is not None else None
    return header.id if header is not None else ""


def results(workspace: Workspace) -> str:
    moment = workspace.session.moment
    if moment is not None:
        return " ".join(value.text for _, value in moment.outputs)
    return ""


def test_a_run_is_seen_inside_answered_seen_in_the_past_and_restored_there(
    hand: Hand, tmp_path: Path
) -> None:
    workspace = hand.window.files.open(document(tmp_path))
    assert workspace is not None
    session = workspace.session

    def overlay() -> Overlay:
        return workspace.canvas.scene().overlay

    hand.wait(lambda: bool(session.infos))
    hand.key(K.Key_F5)
    hand.wait_stopped("waiting")
    assert session.head is not None
    waiting = session.head.id

    click_node(hand, "review")
    hand.key(K.Key_Return)
    assert workspace.crumbs.text == "article › Review"
    wait_inside(hand)
    hand.wait(
        lambda: (
            JOIN in overlay().joins
            and overlay().joins[JOIN].segments == ("filled", "missing")
        )
    )
    assert overlay().nodes["ask"].state == "asking"
    assert overlay().nodes["note"].state == "done"
    ledger = hand.show("Joins").ledgers[JOIN]  # type: ignore[attr-defined]
    assert ledger.words.text() == "1 of 2 — waiting for Ask the editor"
    messages = hand.show("Messages").tree.values.root  # type: ignore[attr-defined]
    assert [group.title for group in messages.children] == ["→ Merge"]

    answer(hand, "shorter")
    hand.wait_stopped("finished")
    hand.wait(lambda: workspace.crumbs.note == "Nothing runs in here at this moment.")
    assert session.head.id != waiting

    view(hand, waiting)
    wait_inside(hand)
    assert session.mode == "past"
    hand.wait(lambda: overlay().nodes["ask"].state == "asking")
    assert "/".join(workspace.document.inside) == "review"
    hand.press("Restore here")
    hand.wait_stopped("restored")
    hand.wait(
        lambda: session.mode == "live" and overlay().nodes["ask"].state == "asking"
    )
    answer(hand, "longer")
    hand.wait_stopped("finished")
    hand.key(K.Key_PageUp)
    assert "/".join(workspace.document.inside) == ""
    hand.wait(lambda: "longer" in results(workspace))
    session.timeline.flush()
    assert [lane.branch for lane in session.timeline.lanes] == ["main", "fork 1"]


def test_the_file_of_a_sub_workflow_is_edited_in_its_tab_and_the_run_is_of_what_was_saved(
    hand: Hand, tmp_path: Path
) -> None:
    workspace = hand.window.files.open(document(tmp_path))
    assert workspace is not None
    hand.wait(lambda: bool(workspace.session.infos))
    click_node(hand, "polish")
    hand.key(K.Key_Return)
    inner = hand.workspace
    assert inner.crumbs.text == "article › polish"
    design = inner.document.design
    node = design.workflow.node("polish")
    assert node is not None
    changed = node.model_copy(update={"params": {"text": "*{message}*"}})
    nodes = tuple(
        changed if one.id == "polish" else one for one in design.workflow.nodes
    )
    inner.document.apply(
        "Edit",
        Design(design.workflow.model_copy(update={"nodes": nodes}), design.positions),
    )
    hand.key(K.Key_S, Qt.KeyboardModifier.ControlModifier)
    hand.key(K.Key_PageUp)
    assert hand.workspace is workspace
    assert workspace.document.selection == {"polish"}
    hand.key(K.Key_F5)
    hand.wait_stopped("waiting")
    answer(hand, "none")
    hand.wait_stopped("finished")
    hand.wait(lambda: results(workspace).count("*") == 2)


def test_who_runs_inside_is_seen_while_it_runs_and_who_was_stopped_afterwards(
    hand: Hand,
) -> None:
    workspace = hand.window.new_document()
    inner = [
        NodeDefinition(id="wait", type="delay", name="Wait", params={"seconds": 600}),
        NodeDefinition(id="out", type="output"),
    ]
    params = {"inline": value_of(drawing(inner, wire("wait", "out")))}
    nodes = [
        NodeDefinition(id="in", type="input"),
        NodeDefinition(id="sub", type="sub_workflow", name="Slow part", params=params),
        NodeDefinition(id="result", type="output"),
    ]
    workspace.document.apply(
        "Draw", drawing(nodes, wire("in", "sub"), wire("sub", "result"), input="x")
    )
    hand.wait(lambda: bool(workspace.session.infos))
    hand.key(K.Key_F5)
    hand.wait(
        lambda: (
            workspace.session.progress is not None
            and "sub" in workspace.session.progress.running
        )
    )
    click_node(hand, "sub")
    hand.key(K.Key_PageDown)
    hand.wait(lambda: state_of(workspace, "wait") == "running")
    hand.press("Stop")
    hand.wait_stopped("cancelled")
    hand.wait(lambda: state_of(workspace, "wait") == "cancelled")
    hand.key(K.Key_PageUp)
    hand.wait(lambda: state_of(workspace, "sub") == "cancelled")


def state_of(workspace: Workspace, node: str) -> str:
    face = workspace.canvas.scene().overlay.nodes.get(node)
    return face.state if face is not None else ""
