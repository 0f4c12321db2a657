"""More states for `tests.screens`: what is drawn beside plain nodes, gestures halfway,
dialogs, and runs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QScrollArea

from designer.look.theme import Look
from designer.model import edits, frames
from designer.model.design import Design
from designer.model.layout.arrange import arrange
from designer.panels.code.text import CodeText
from designer.panels.values.output_list import OutputList
from designer.screenshots import settle, wait_until
from designer.shell.files.versions import Version, VersionDialog
from designer.shell.keys.dialog import KeyDialog
from designer.shell.runs.change_dialog import ChangeDialog
from designer.shell.window import Window
from designer.shell.workspace import Workspace
from resources import examples
from runtime.document.definition import (
    DirectEdge,
    FanOutEdge,
    MultiSelectionEdge,
    NodeDefinition,
    OnErrorEdge,
    RetryDefinition,
    Selection,
    WorkflowDefinition,
)
from tests.benchmarks.window_documents import saved

CTRL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier
ALT = Qt.KeyboardModifier.AltModifier


def opened(window: Window, path: Path) -> Workspace:
    workspace = window.files.open(path)
    assert workspace is not None, path
    wait_until(lambda: bool(workspace.session.infos), "the node types")
    workspace.canvas.setFocus()
    return workspace


def example(window: Window, name: str) -> Workspace:
    return opened(
        window, next(example.path for example in examples() if example.name == name)
    )


PANELS = (
    "Selected",
    "State",
    "Messages",
    "Joins",
    "Requests",
    "Timeline",
    "Board",
    "Breakpoints",
    "Output",
    "Console",
    "Log",
)

# --- on the canvas


def _drawn(window: Window, folder: Path) -> Workspace:
    """A frame, a note, dots on a wire, a node that is off and one that is passed by, a
    fan-out and a selection.
    """
    named = {
        "start": "Order",
        "check": "Check",
        "stock": "Stock",
        "price": "Price",
        "mail": "Mail",
        "end": "Result",
    }
    types = {"start": "input", "end": "output"}
    nodes = [
        NodeDefinition(id=key, type=types.get(key, "template"), name=name)
        for key, name in named.items()
    ]
    several = MultiSelectionEdge(
        id="some",
        source="stock",
        selections=(
            Selection(when="message.size() < 3", target="mail"),
            Selection(target="end"),
        ),
    )
    edges = (
        DirectEdge(id="first", source="start", target="check"),
        FanOutEdge(id="fan", source="check", targets=("stock", "price")),
        several,
        DirectEdge(id="last", source="price", target="end", condition="message != ''"),
    )
    design = Design(
        WorkflowDefinition(
            name="orders", start="start", nodes=tuple(nodes), edges=edges
        ),
        {},
    )
    design = replace(design, positions=arrange(design))
    (left, top), (right, _) = design.positions["start"], design.positions["check"]
    dots = ((left + 190.0, top + 80.0), (right - 20.0, top + 80.0))
    design = replace(design, dots={"first": {"check": dots}})
    design = edits.set_off(
        edits.set_off(design, ["mail"], "disabled"), ["price"], "bypassed"
    )
    left, top = (min(at[axis] for at in design.positions.values()) for axis in (0, 1))
    design, _ = frames.add(
        design, "frame", (left + 430.0, top - 60.0, 260.0, 260.0), "What is in store"
    )
    design, _ = frames.add(
        design,
        "note",
        (left, top - 100.0, 240.0, 80.0),
        "Two ways: what is in stock, and what it costs.",
    )
    workspace = opened(window, saved(design, folder))
    workspace.canvas.camera.fit_all(glide=False)
    return workspace


def drawing(window: Window, folder: Path) -> None:
    _drawn(window, folder)


def fan_out(window: Window, folder: Path) -> None:
    _drawn(window, folder).document.select({"fan"})


def multi_selection(window: Window, folder: Path) -> None:
    _drawn(window, folder).document.select({"some"})


def selection(window: Window, folder: Path) -> None:
    QTest.keyClick(_drawn(window, folder).canvas, Qt.Key.Key_A, CTRL)


def _failing(window: Window, folder: Path) -> Workspace:
    """A node that may fail is tried again, and what is left of its failures goes to
    others.
    """
    named = {
        "start": "Order",
        "fetch": "Fetch price",
        "again": "Try the cache",
        "report": "Report",
        "end": "Result",
    }
    types = {"start": "input", "end": "output"}
    nodes = [
        NodeDefinition(id=key, type=types.get(key, "template"), name=name)
        for key, name in named.items()
    ]
    nodes[1] = nodes[1].model_copy(
        update={"retry": RetryDefinition(attempts=4), "timeout": 30.0}
    )
    edges = (
        DirectEdge(id="first", source="start", target="fetch"),
        DirectEdge(id="good", source="fetch", target="end"),
        OnErrorEdge(
            id="bad",
            source="fetch",
            target="again",
            condition="message.error_type == 'TimeoutError'",
        ),
        OnErrorEdge(id="worse", source="fetch", target="report"),
        DirectEdge(id="cached", source="again", target="end"),
    )
    design = Design(
        WorkflowDefinition(
            name="prices", start="start", nodes=tuple(nodes), edges=edges
        ),
        {},
    )
    workspace = opened(
        window, saved(replace(design, positions=arrange(design)), folder)
    )
    workspace.canvas.camera.fit_all(glide=False)
    return workspace


def on_error(window: Window, folder: Path) -> None:
    _failing(window, folder).document.select({"worse"})


def when_it_fails(window: Window, folder: Path) -> None:
    workspace = _failing(window, folder)
    workspace.document.select({"fetch"})
    QApplication.processEvents()
    for scroll in workspace.findChildren(QScrollArea):
        scroll.verticalScrollBar().setValue(scroll.verticalScrollBar().maximum())


def refused_drag(window: Window, folder: Path) -> None:
    """A wire is held over a node that takes none."""
    workspace = _drawn(window, folder)
    boxes = workspace.canvas.scene().boxes
    start = boxes["check"].rect.center() + QPointF(boxes["check"].rect.width() / 2, 0)
    end = boxes["start"].rect.center()
    _press(workspace, start)
    for share in (0.3, 0.7, 1.0):
        _mouse(
            workspace,
            QEvent.Type.MouseMove,
            start + (end - start) * share,
            Qt.MouseButton.NoButton,
        )


def _press(workspace: Workspace, at: QPointF) -> None:
    _mouse(workspace, QEvent.Type.MouseButtonPress, at, Qt.MouseButton.LeftButton)


def _mouse(
    workspace: Workspace, kind: QEvent.Type, at: QPointF, button: Qt.MouseButton
) -> None:
    viewport = workspace.canvas.viewport()
    place = QPointF(workspace.canvas.mapFromScene(at))
    held = Qt.MouseButton.LeftButton
    none = Qt.KeyboardModifier.NoModifier
    event = QMouseEvent(
        kind, place, QPointF(viewport.mapToGlobal(place.toPoint())), button, held, none
    )
    QApplication.sendEvent(viewport, event)


def _condition(window: Window, text: str) -> None:
    workspace = example(window, "licence_audit")
    figures = workspace.canvas.scene().edges.figures.values()
    tag = next(tag for figure in figures for tag in figure.tags if tag.number == 2)
    at = tag.rect.center()
    _press(workspace, at)
    _mouse(workspace, QEvent.Type.MouseButtonRelease, at, Qt.MouseButton.LeftButton)
    _mouse(workspace, QEvent.Type.MouseButtonDblClick, at, Qt.MouseButton.LeftButton)
    field = QApplication.focusWidget()
    assert field is not None
    QTest.keyClick(field, Qt.Key.Key_A, CTRL)
    QTest.keyClicks(field, text)


def condition(window: Window, _folder: Path) -> None:
    _condition(window, "message[0].unknown.si")


def condition_error(window: Window, _folder: Path) -> None:
    _condition(window, "message[0].unknown.size() >")


# --- forms and dialogs


def form(number: int, window: Window, folder: Path) -> None:
    """The form of one of the node types that ask for most."""
    workspace = window.new_document()
    wait_until(lambda: bool(workspace.session.infos), "the node types")
    infos = sorted(
        workspace.session.infos.values(),
        key=lambda info: -len(info.params_schema.get("properties", {})),
    )
    design, made = edits.add_node(
        workspace.document.design, infos[number].type, (0, 0), name=infos[number].title
    )
    workspace.document.apply("Add", design)
    workspace.canvas.camera.fit_all(glide=False)
    workspace.document.select({made})


def code_editor(window: Window, _folder: Path) -> None:
    workspace = example(window, "this_machine")
    node = next(
        node
        for node in workspace.document.design.workflow.nodes
        if node.type == "inline_code"
    )
    workspace.document.select({node.id})
    QApplication.processEvents()
    made = [
        one
        for one in workspace.panels["Properties"].findChildren(CodeText)
        if one.isVisible()
    ]
    QTest.keyClick(made[0], Qt.Key.Key_Return, ALT)


def export(window: Window, _folder: Path) -> None:
    QTest.keyClick(example(window, "licence_audit").canvas, Qt.Key.Key_E, CTRL | SHIFT)


class _Standing(VersionDialog):
    """Stays while its picture is taken: a dialog that waits for an answer would wait
    for ever.
    """

    def exec(self) -> int:
        self.show()
        return 0


def recovery(window: Window, _folder: Path) -> None:
    example(window, "licence_audit")
    found: Sequence[Version] = [
        Version(
            "licence_audit · today 10:12 · 3 changes",
            lambda: "8 nodes; the file has 7. What differs:\n  + a node",
        ),
        Version(
            "orders · yesterday 17:40 · 12 changes",
            lambda: "This version cannot be read: it ends too early",
        ),
    ]
    text = "Stepwell ended without saving these."
    box = _Standing(
        _look(window),
        window,
        "restore",
        "Recover unsaved changes?",
        text,
        found,
        checks=True,
    )
    box.choose("Recover", "Discard", "Ask again later")


def _look(window: Window) -> Look:
    return window._look


def shortcut_editor(window: Window, _folder: Path) -> None:
    example(window, "licence_audit")
    KeyDialog(_look(window), window, window.keys, window.use_keys).open()


def undo_history(window: Window, _folder: Path) -> None:
    workspace = example(window, "licence_audit")
    for key, modifiers in (
        (Qt.Key.Key_A, CTRL),
        (Qt.Key.Key_Right, CTRL),
        (Qt.Key.Key_D, CTRL),
        (Qt.Key.Key_Z, CTRL),
    ):
        QTest.keyClick(workspace.canvas, key, modifiers)
    QTest.keyClick(workspace.canvas, Qt.Key.Key_Z, CTRL | ALT)


# --- sizes


def narrow(
    show: Callable[[Window, Path], object], window: Window, folder: Path
) -> None:
    window.resize(1024, 700)
    QApplication.processEvents()
    show(window, folder)


def _drawn_and_chosen(window: Window, folder: Path) -> None:
    _drawn(window, folder).document.select({"stock"})


# --- runs


def runs_inside(window: Window, _folder: Path) -> None:
    """Inside a sub-workflow that runs once for each message."""
    workspace = example(window, "city_weather")
    workspace.run()
    stopped = ("finished", "waiting", "failed", "stalled")
    wait_until(
        lambda: (
            workspace.session.stopped is not None
            and workspace.session.stopped.reason in stopped
        ),
        "the end",
    )
    node = next(
        node
        for node in workspace.document.design.workflow.nodes
        if node.type == "sub_workflow"
    )
    workspace.document.select({node.id})
    QTest.keyClick(workspace.canvas, Qt.Key.Key_Return)


def _ended(workspace: Workspace) -> None:
    """Run until the run rests."""
    workspace.run()
    wait_until(
        lambda: workspace.session.stopped is not None and not workspace.session.running,
        "the end",
    )
    wait_until(lambda: workspace.session.moment is not None, "the moment")


def _told(workspace: Workspace) -> None:
    panel = workspace.panels["Selected"]
    wait_until(lambda: panel.body is not None, "what is selected")  # type: ignore[attr-defined]
    settle()


def selected(
    pick: Callable[[Workspace], str],
    at: int,
    window: Window,
    _folder: Path,
    name: str = "orders_report",
) -> None:
    """What is selected, in a run that has ended, at one of its checkpoints."""
    workspace = example(window, name)
    _ended(workspace)
    workspace.show_panel("Selected")
    workspace.session.view(workspace.session.timeline.header_at(at).id)
    wait_until(
        lambda: (
            workspace.session.moment is not None and workspace.session.mode == "past"
        ),
        "the past",
    )
    element = pick(workspace)
    workspace.document.select({element} if element else set())
    if element:
        _told(workspace)


def _node(kind: str, workspace: Workspace) -> str:
    return next(
        node.id
        for node in workspace.document.design.workflow.nodes
        if kind in (node.type, node.id)
    )


def _edge_of(kind: str, workspace: Workspace) -> str:
    return next(
        edge.id
        for edge in workspace.document.design.workflow.edges
        if edge.kind == kind
    )


FAILING = """
def price(message: dict) -> float:
    return message["amount"] * 1.2
"""


def failed(window: Window, folder: Path) -> None:
    """A failed superstep: the node with its error, and the message that it had."""
    (folder / "shop.py").write_text(FAILING, "utf-8")
    nodes = (
        NodeDefinition(id="orders", type="for_each", name="Each order"),
        NodeDefinition(
            id="price",
            type="python_function",
            name="Price",
            params={"function": "shop:price"},
        ),
        NodeDefinition(id="all", type="output", name="Prices"),
    )
    edges = (
        DirectEdge(id="a", source="orders", target="price", condition="message.open"),
        DirectEdge(id="b", source="price", target="all"),
    )
    orders = [
        {"id": 1, "open": True, "amount": 3},
        {"id": 2, "open": False, "amount": 5},
        {
            "id": 3,
            "open": True,
            "total": 4,
            "note": "Paid in two parts.\nThe second one is late.",
        },
    ]
    design = Design(
        WorkflowDefinition(
            name="prices", start="orders", nodes=nodes, edges=edges, input=orders
        ),
        {},
    )
    workspace = opened(
        window, saved(replace(design, positions=arrange(design)), folder)
    )
    _ended(workspace)
    workspace.show_panel("Selected")
    workspace.document.select({"price"})
    _told(workspace)


def failed_edge(window: Window, folder: Path) -> None:
    """What an edge stopped, and by which value."""
    failed(window, folder)
    window.workspace.document.select({"a"})
    _told(window.workspace)


RESCUE = """
def price(order: dict) -> float:
    raise ValueError("no price")


def rows(failure: object) -> list[dict]:
    return [{"name": name, "pieces": pieces} for name, pieces in (("bolt", 12), ("nut", 7), ("washer", 31))]
"""


def handed_on(window: Window, folder: Path) -> None:
    """A failure that an error edge took, some supersteps later; and rows that were put
    out.
    """
    (folder / "rescue.py").write_text(RESCUE, "utf-8")
    nodes = (
        NodeDefinition(id="start", type="input", name="Order"),
        NodeDefinition(
            id="price",
            type="python_function",
            name="Price",
            params={"function": "rescue:price"},
        ),
        NodeDefinition(
            id="rows",
            type="python_function",
            name="Rows",
            params={"function": "rescue:rows"},
        ),
        NodeDefinition(id="end", type="output", name="Result"),
    )
    edges = (
        DirectEdge(id="a", source="start", target="price"),
        OnErrorEdge(id="b", source="price", target="rows"),
        DirectEdge(id="c", source="rows", target="end"),
    )
    design = Design(
        WorkflowDefinition(
            name="shop", start="start", input={"id": 1}, nodes=nodes, edges=edges
        ),
        {},
    )
    workspace = opened(window, saved(Design(design.workflow, arrange(design)), folder))
    workspace.run()
    wait_until(lambda: workspace.session.stopped is not None, "the end of the run")
    workspace.canvas.camera.fit_all(glide=False)
    workspace.document.select({"price"})
    _told(workspace)
    workspace.show_panel("Output")


def comparing(panel: str, window: Window, _folder: Path) -> None:
    """Two checkpoints are compared."""
    workspace = example(window, "licence_audit")
    _ended(workspace)
    timeline = workspace.session.timeline
    workspace.session.view(timeline.header_at(4).id)
    workspace.session.compare_with(timeline.header_at(1).id)
    wait_until(lambda: workspace.session.comparison is not None, "the comparison")
    workspace.show_panel(panel)


def changed_graph(window: Window, _folder: Path) -> None:
    """The graph was changed after a run: the banner offers to go on with it."""
    workspace = example(window, "licence_audit")
    _ended(workspace)
    workspace.session.leave()
    design = workspace.document.design
    edge = next(edge for edge in design.workflow.edges if edge.kind == "fan_in")
    design = edits.set_edge(design, edge.id, policy="any")
    workspace.document.apply("Change the join", design)
    wait_until(lambda: bool(workspace.session.difference.changes), "the changes")


def change_dialog(window: Window, folder: Path) -> None:
    """What the changed graph would do with the run."""
    changed_graph(window, folder)
    workspace = window.workspace
    workspace.show_changes()
    dialog = workspace.findChild(ChangeDialog)
    wait_until(lambda: dialog.plan is not None, "the plan")


def mapping_dialog(window: Window, folder: Path) -> None:
    """A join is gone that holds messages: what becomes of them is to be decided."""
    workspace = example(window, "licence_audit")
    _ended(workspace)
    timeline = workspace.session.timeline
    timeline.flush()
    headers = [timeline.header_at(row) for row in range(timeline.rowCount())]
    held = next(header for header in headers if header.buffered)
    workspace.session.view(held.id)
    workspace.session.leave()
    design = workspace.document.design
    join = next(edge for edge in design.workflow.edges if edge.kind == "fan_in")
    source, target = join.pairs[-1]
    design, _ = edits.connect(edits.remove(design, {join.id}), source, target)
    workspace.document.apply("Replace the join", design)
    wait_until(lambda: bool(workspace.session.difference.changes), "the changes")
    workspace.changed_graph.show(held.id)
    dialog = workspace.findChild(ChangeDialog)
    wait_until(lambda: dialog.plan is not None, "the plan")


def first_difference(window: Window, folder: Path) -> None:
    """Two branches, and where they part."""
    comparing("Timeline", window, folder)
    workspace = window.workspace
    session = workspace.session
    session.restore(session.timeline.header_at(2).id)
    wait_until(lambda: session.timeline.branch_count > 1, "the fork")
    workspace.superstep()
    wait_until(lambda: session.timeline.lanes[1].count > 1, "a superstep")
    settle()
    session.compare_with(session.timeline.header_at(4).id)
    session.show_first_difference(True)
    wait_until(lambda: session.divergence is not None, "where they part")


def marked(window: Window, _folder: Path) -> None:
    """What changed since the checkpoint that was looked at before."""
    workspace = example(window, "licence_audit")
    _ended(workspace)
    workspace.show_panel("State")
    for at in (1, 3):
        workspace.session.view(workspace.session.timeline.header_at(at).id)
        settle()
        wait_until(lambda: workspace.session.mode == "past", "the past")
        settle()


def selected_inside(window: Window, folder: Path) -> None:
    """A node inside of a sub-workflow, at a moment of the past."""
    runs_inside(window, folder)
    workspace = window.workspace
    timeline = workspace.session.timeline
    timeline.flush()
    workspace.session.view(timeline.header_at(timeline.rowCount() // 2).id)
    wait_until(
        lambda: (
            workspace.session.inside is not None
            and workspace.session.inside.moment is not None
        ),
        "the run",
    )
    settle()
    moment = workspace.session.seen
    assert moment is not None
    ran = [node for node, at in moment.nodes.items() if at.state == "ran"]
    workspace.show_panel("Selected")
    workspace.document.select({ran[0]} if ran else set())
    if ran:
        _told(workspace)


def panels(name: str, window: Window, _folder: Path) -> None:
    """A panel after a run that waits for an answer."""
    workspace = example(window, "licence_audit")
    workspace.run()
    wait_until(
        lambda: (
            workspace.session.stopped is not None
            and workspace.session.stopped.reason == "waiting"
        ),
        "the question",
    )
    workspace.show_panel(name)


WRITER = """
import time
from pathlib import Path


def writer(text: str, ctx) -> None:
    "Puts out three values, and fails when it is told to."
    ctx.yield_output("# Report\\n\\nThe first part of it.")
    ctx.yield_output({"pages": 3, "words": [812, 640, 77]})
    ctx.yield_output("The end is near")
    while not Path(__file__).with_name("fail").exists():
        time.sleep(0.01)
    raise ValueError("out of ink")
"""


def outputs(ending: bool, window: Window, folder: Path) -> None:
    """What a superstep puts out while it runs; and after it has failed."""
    (folder / "nodes").mkdir()
    (folder / "nodes" / "writer.py").write_text(WRITER, "utf-8")
    nodes = (
        NodeDefinition(id="start", type="input", name="Order"),
        NodeDefinition(id="writer", type="nodes.writer:writer", name="Writer"),
    )
    edges = (DirectEdge(id="e", source="start", target="writer"),)
    design = Design(
        WorkflowDefinition(
            name="report", start="start", input="hi", nodes=nodes, edges=edges
        ),
        {},
    )
    workspace = opened(window, saved(Design(design.workflow, arrange(design)), folder))
    workspace.run()
    panel = workspace.panels["Output"]
    rows = panel.findChild(OutputList).model()
    wait_until(lambda: rows.rowCount() == 3, "the outputs")
    if ending:
        (folder / "nodes" / "fail").touch()
        wait_until(lambda: workspace.session.stopped is not None, "the failure")
    workspace.show_panel("Output")


MORE: dict[str, Callable[[Window, Path], object]] = {
    "on-error": on_error,
    "when-it-fails": when_it_fails,
    "drawing": drawing,
    "fan-out": fan_out,
    "multi-selection": multi_selection,
    "selection": selection,
    "refused-drag": refused_drag,
    "condition": condition,
    "condition-error": condition_error,
    **{f"form-{number + 1}": partial(form, number) for number in range(5)},
    "code": code_editor,
    "export": export,
    "recovery": recovery,
    "shortcut-editor": shortcut_editor,
    "undo-history": undo_history,
    "narrow": partial(narrow, _drawn_and_chosen),
    "runs-inside": runs_inside,
    "selected-rows": partial(selected, partial(_node, "sql_query"), 2),
    "selected-rows-narrow": partial(
        narrow, partial(selected, partial(_node, "sql_query"), 2)
    ),
    "selected-node": partial(
        selected, partial(_node, "classify_licences"), 3, name="licence_audit"
    ),
    "selected-join": partial(
        selected, partial(_edge_of, "fan_in"), 4, name="licence_audit"
    ),
    "selected-nothing": partial(
        selected, lambda _workspace: "", 3, name="licence_audit"
    ),
    "comparing": partial(comparing, "Compare"),
    "first-difference": first_difference,
    "comparing-selected": partial(comparing, "Selected"),
    "comparing-joins": partial(comparing, "Joins"),
    "changed-graph": changed_graph,
    "change-dialog": change_dialog,
    "mapping-dialog": mapping_dialog,
    "marked": marked,
    "selected-inside": selected_inside,
    "failed": failed,
    "failed-edge": failed_edge,
    "handed-on": handed_on,
    "failed-narrow": partial(narrow, failed),
    "outputs-coming": partial(outputs, False),
    "outputs-taken-back": partial(outputs, True),
    **{f"panel-{name.lower()}": partial(panels, name) for name in PANELS},
}
