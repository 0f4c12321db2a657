"""Breakpoints and small steps with the real window and a real host."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest

from designer.canvas.drawing.breakpoints import place_of_mark
from designer.canvas.verbs.menus import menu_for
from designer.model import files
from designer.model.design import Design
from designer.panels.breakpoints.editor import BreakpointEditor
from designer.panels.breakpoints.panel import BreakpointsPanel
from designer.panels.breakpoints.rows import WHERE
from designer.shell.workspace import Workspace
from runtime.debug.protocol import Breakpoint
from runtime.document.definition import (
    DirectEdge,
    EdgeDefinition,
    FanInEdge,
    FanOutEdge,
    NodeDefinition,
    WorkflowDefinition,
)
from tests.designer.shell.support import LEFT, Hand
from tests.end_to_end.test_sub_workflows import (
    click_node,
    document,
    drawing,
    template,
    wait_inside,
    wire,
)

K = Qt.Key
ALT = Qt.KeyboardModifier.AltModifier
CTRL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier


def saved(folder: Path, design: Design) -> Path:
    path = folder / "work.stepwell.json"
    files.save(path, design)
    return path


def endless(folder: Path) -> Path:
    """Two counters that pass numbers to each other, for many supersteps."""
    nodes = [
        NodeDefinition(
            id="tick", type="counter", name="Tick", params={"send": "count"}
        ),
        template("tock", "Tock", "{message}"),
    ]
    edges = (wire("tick", "tock"), wire("tock", "tick"))
    design = drawing(nodes, *edges, name="work", input=0, max_supersteps=1_000_000)
    return saved(folder, design)


def fan(folder: Path) -> Path:
    """One node fans out to three, and one of these goes on."""
    nodes = [
        NodeDefinition(id="start", type="input", name="Start"),
        *(template(name, name.title(), f"{name} {{message}}") for name in "abc"),
        NodeDefinition(id="end", type="output", name="End"),
    ]
    edges: tuple[EdgeDefinition, ...] = (
        FanOutEdge(id="out", source="start", targets=("a", "b", "c")),
        DirectEdge(id="b->end", source="b", target="end"),
    )
    workflow = WorkflowDefinition(
        name="work", start="start", nodes=tuple(nodes), edges=edges, input="x"
    )
    places = {
        "start": (0.0, 0.0),
        "a": (240.0, -120.0),
        "b": (240.0, 0.0),
        "c": (240.0, 120.0),
        "end": (480.0, 0.0),
    }
    return saved(folder, Design(workflow, places))


def opened(hand: Hand, path: Path) -> Workspace:
    workspace = hand.window.files.open(path)
    assert workspace is not None
    hand.wait(lambda: bool(workspace.session.infos))
    workspace.canvas.setFocus()
    return workspace


def corner(workspace: Workspace, node: str) -> QPoint:
    """The place on the canvas where a click sets a breakpoint."""
    place = place_of_mark(workspace.canvas.scene(), node)
    assert place is not None
    return workspace.canvas.mapFromScene(place)


def wait_shown(hand: Hand) -> None:
    """Until the window shows where the run stands."""
    session = hand.workspace.session
    hand.wait(lambda: session.standing is not None)


def states(workspace: Workspace) -> dict[str, str]:
    standing = workspace.session.standing
    assert standing is not None
    return {delivery.executor: delivery.state for delivery in standing.deliveries}


def test_a_condition_or_a_click_stops_a_run_at_full_speed_and_the_banner_says_why(
    hand: Hand, tmp_path: Path
) -> None:
    workspace = opened(hand, endless(tmp_path))
    click_node(hand, "tock")
    hand.key(K.Key_F9, ALT)
    hand.type("message == 60")
    editor = workspace.canvas.breakpoints.editor
    assert isinstance(editor, BreakpointEditor)
    hand.click(editor.done_button)
    hand.key(K.Key_F5)
    hand.wait_stopped("breakpoint")
    wait_shown(hand)
    banner = workspace.banner.text
    assert banner.startswith("Stopped before Tock")
    assert "because message == 60" in banner
    assert "hit 1" in banner
    panel = hand.show("Breakpoints")
    assert isinstance(panel, BreakpointsPanel)
    assert panel.rows.rows[0].hits == 1
    assert panel.details.values["Now"].text() == "true for the message held now, 60"
    assert (tmp_path / "work.debug.json").is_file()
    assert not workspace.document.undo_stack.canUndo()

    hand.key(K.Key_F5)
    session = workspace.session
    hand.wait(lambda: session.running and session.timeline.rowCount() > 130)
    hand.click(workspace.canvas.viewport(), corner(workspace, "tick"))
    hand.wait_stopped("breakpoint")
    hand.wait(lambda: workspace.banner.text.startswith("Stopped before Tick"))
    assert workspace.document.selection == {"tick"}


def test_a_delivery_shows_what_it_sent_and_the_run_goes_to_here_and_holds_an_executor(
    hand: Hand, tmp_path: Path
) -> None:
    workspace = opened(hand, fan(tmp_path))
    session = workspace.session
    hand.key(K.Key_F10)
    hand.wait_stopped("entry")
    hand.key(K.Key_F10)
    hand.wait_stopped("step")
    checkpoints = session.timeline.rowCount()
    hand.key(K.Key_F11)
    hand.wait_stopped("delivery")
    wait_shown(hand)
    hand.click(hand.window.toolbar.buttons["delivery"])
    hand.wait(lambda: session.standing is not None and states(workspace)["b"] == "done")
    assert states(workspace) == {"a": "done", "b": "done", "c": "next"}
    panel = hand.show("Messages")
    titles = [node.title for node in panel.tree.values.root.walk()]  # type: ignore[attr-defined]
    assert "Held until the barrier" in titles
    assert "B sent" in titles
    assert session.timeline.rowCount() == checkpoints
    hand.key(K.Key_F10)
    hand.wait_stopped("step")
    hand.wait(lambda: session.standing is None)

    click_node(hand, "end")
    hand.key(K.Key_F10, CTRL)
    hand.wait_stopped("here")
    wait_shown(hand)
    assert workspace.banner.text.startswith("Stopped before End")
    point = QPointF(workspace.canvas.scene().boxes["end"].rect.center())
    menu = menu_for(workspace.canvas, point)
    press(menu, "Hold this executor")
    menu.deleteLater()
    hand.wait(lambda: session.held == {((), "end")})
    hand.key(K.Key_F5)
    hand.wait_stopped("held")
    hand.wait(lambda: workspace.canvas.scene().overlay.nodes["end"].words == "Held")
    assert "held executors" in workspace.banner.text
    menu = menu_for(workspace.canvas, point)
    press(menu, "Let it run again")
    menu.deleteLater()
    hand.wait(lambda: not session.held)
    hand.key(K.Key_F5)
    hand.wait_stopped("finished")


def press(menu: object, text: str) -> None:
    actions = menu.actions()  # type: ignore[attr-defined]
    {action.text().partition("\t")[0]: action for action in actions}[text].trigger()


def test_a_breakpoint_inside_a_sub_workflow_leads_there_and_out_again(
    hand: Hand, tmp_path: Path
) -> None:
    workspace = opened(hand, document(tmp_path))
    session = workspace.session
    click_node(hand, "review")
    hand.key(K.Key_Return)
    hand.wait(lambda: workspace.document.inside == ("review",))
    click_node(hand, "note")
    hand.key(K.Key_F9)
    hand.key(K.Key_PageUp)
    hand.key(K.Key_F5)
    hand.wait_stopped("breakpoint")
    wait_inside(hand)
    assert workspace.document.inside == ("review",)
    assert workspace.document.selection == {"note"}
    assert workspace.banner.text.startswith("Stopped before Note")
    hand.key(K.Key_F11, SHIFT)
    hand.wait(lambda: not session.running and session.stopped is not None)
    hand.wait(
        lambda: session.stopped is not None and session.stopped.reason != "breakpoint"
    )
    assert session.stopped is not None
    assert session.stopped.reason in ("delivery", "waiting", "step")

    workspace.leave()
    panel = hand.show("Breakpoints")
    assert isinstance(panel, BreakpointsPanel)
    place = panel.table.visualRect(panel.rows.index(0, WHERE)).center()
    QTest.mouseDClick(panel.table.viewport(), LEFT, pos=place)
    assert workspace.document.inside == ("review",)
    assert workspace.canvas.breakpoints.popover is not None


def eventful(folder: Path) -> Path:
    """A key is written, a join fires, a person is asked, and an output is yielded."""
    nodes = [
        NodeDefinition(id="start", type="input", name="Start"),
        NodeDefinition(
            id="note", type="set_state", name="Note", params={"key": "noted"}
        ),
        template("copy", "Copy", "{message}"),
        NodeDefinition(id="both", type="collect", name="Both"),
        NodeDefinition(
            id="ask",
            type="ask",
            name="Ask",
            params={"question": "Good?", "free_text": True},
        ),
        NodeDefinition(id="end", type="output", name="End"),
    ]
    edges = (
        FanOutEdge(id="out", source="start", targets=("note", "copy")),
        FanInEdge(id="join", sources=("note", "copy"), target="both"),
        FanOutEdge(id="last", source="both", targets=("ask", "end")),
    )
    return saved(folder, drawing(nodes, *edges, name="work", input="x"))


def test_a_key_a_message_a_join_a_question_and_an_output_stop_the_run(
    hand: Hand, tmp_path: Path
) -> None:
    workspace = opened(hand, eventful(tmp_path))
    workspace.document.breakpoints.put(
        Breakpoint(id="key", kind="write", where="noted"),
        Breakpoint(id="edge", kind="message", where="out"),
        Breakpoint(id="join", kind="fires", where="join", once=True),
        Breakpoint(id="ask", kind="question"),
        Breakpoint(id="end", kind="output", where="end", log="{value} at the end"),
    )
    titles = []
    logged: list[str] = []
    workspace.session.logged.connect(lambda body: logged.append(body.text))
    hand.key(K.Key_F5)
    for _ in range(5):
        hand.wait_stopped("breakpoint", "waiting", "finished")
        stopped = workspace.session.stopped
        assert stopped is not None
        if stopped.reason != "breakpoint":
            break
        wait_shown(hand)
        titles.append(workspace.banner.text.partition(" superstep")[0].strip())
        hand.click(hand.window.toolbar.buttons["run"])
        hand.wait(lambda before=stopped: workspace.session.stopped is not before)
    assert titles == [
        "Stopped at a message to Note",
        "Stopped as Note writes noted",
        "Stopped as the join into Both fires",
        "Stopped as Ask asks",
    ]
    hand.wait(lambda: any("at the end" in text for text in logged))
