"""The debugger's views for `tests.screens --modes`: origins, starved joins, lost
messages, branches and sizes of the timeline, comparisons, a changed graph, watches, and
programs to attach to.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from designer.model.design import Design
from designer.model.layout.arrange import arrange
from designer.panels.breakpoints.panel import BreakpointsPanel
from designer.panels.explore.panel import OrdersPanel
from designer.panels.joins import JoinsPanel, SourceRow
from designer.panels.messages import MessagesPanel
from designer.panels.outputs import OutputsPanel
from designer.panels.timeline.panel import TimelinePanel
from designer.screenshots import settle, wait_until
from designer.session.session import DebugSession
from designer.shell.attach.attach_dialog import AttachDialog
from designer.shell.sharing.bundle_dialog import BundleDialog
from designer.shell.sharing.receive_dialog import ReceiveDialog
from designer.shell.sharing.share_dialog import ShareDialog
from designer.shell.window import Window
from designer.shell.workspace import Workspace
from runtime.debug.protocol import Breakpoint
from runtime.document.definition import (
    DirectEdge,
    FanInEdge,
    FanOutEdge,
    NodeDefinition,
    WorkflowDefinition,
)
from runtime.system.listeners import Address, Listing
from tests.benchmarks.window_documents import saved
from tests.end_to_end.hunts.planted import (
    ALIASING_HANDLER,
    LOST_BRANCH,
    STALE_ANSWER,
    STARVED_JOIN,
    Planted,
)
from tests.screen_states import changed_graph, comparing, example, first_difference
from tests.screen_states import opened as open_file


def _click(widget: QWidget) -> None:
    QTest.mouseClick(widget, Qt.MouseButton.LeftButton)


def _ran(workspace: Workspace) -> Workspace:
    workspace.run()
    session = workspace.session
    wait_until(lambda: session.stopped is not None and not session.running, "the end")
    wait_until(lambda: session.moment is not None, "the moment")
    settle()
    return workspace


def _planted(window: Window, folder: Path, planted: Planted) -> Workspace:
    return _ran(open_file(window, planted.write(folder)))


def origin(window: Window, folder: Path) -> None:
    """Where a wrong output comes from, as a list and as a path."""
    workspace = _planted(window, folder, STALE_ANSWER)
    workspace.show_panel("Output")
    output = workspace.panels["Output"]
    assert isinstance(output, OutputsPanel)
    wait_until(output.origin_button.isVisible, "the output")
    _click(output.origin_button)
    wait_until(lambda: workspace.session.origin.body is not None, "the origin")
    workspace.canvas.camera.fit_all(glide=False)


def starved(window: Window, folder: Path) -> None:
    """Why a join starves."""
    workspace = _planted(window, folder, STARVED_JOIN)
    workspace.show_panel("Joins")
    joins = workspace.panels["Joins"]
    assert isinstance(joins, JoinsPanel)
    wait_until(lambda: bool(joins.findChildren(SourceRow)), "the sources")


def starved_why(window: Window, folder: Path) -> None:
    """The switch that took another case."""
    starved(window, folder)
    joins = window.workspace.panels["Joins"]

    def shown() -> list[QWidget]:
        rows = joins.findChildren(SourceRow)
        return [row.why for row in rows if row.why.isVisible()]

    wait_until(lambda: bool(shown()), "the reasons")
    _click(shown()[0])


def dropped(window: Window, folder: Path) -> None:
    """A message that nobody took, with the values of the conditions."""
    workspace = _planted(window, folder, LOST_BRANCH)
    workspace.session.view(workspace.session.timeline.header_at(2).id)
    workspace.show_panel("Messages")
    messages = workspace.panels["Messages"]
    assert isinstance(messages, MessagesPanel)
    wait_until(lambda: bool(messages.tree.values.root.children), "the messages")


def _has_more_branches(session: DebugSession, count: int) -> bool:
    return session.timeline.branch_count > count


def branches(window: Window, _folder: Path) -> None:
    """Branches with names, tags and a note; one of them is folded."""
    workspace = _ran(example(window, "licence_audit"))
    session = workspace.session
    timeline = session.timeline
    for place, name in ((2, "approve GPL"), (3, "what if nobody answers"), (6, "")):
        count = timeline.branch_count
        session.restore(timeline.header_at(place).id, name)
        wait_until(partial(_has_more_branches, session, count), "the fork")
        _ran(workspace)
    tagged = timeline.header_at(4).id
    session.annotate(tagged, tags=("released", "asked"), note="Here the switch asks.")
    wait_until(lambda: bool(timeline.header_at(4).tags), "the tags")
    panel = workspace.panels["Timeline"]
    assert isinstance(panel, TimelinePanel)
    panel.strip.branches.toggle(1)
    session.view(tagged)
    wait_until(lambda: session.mode == "past", "the past")


def sizes(window: Window, folder: Path) -> None:
    """What takes room in the checkpoints, and how it grew."""
    branches(window, folder)
    panel = window.workspace.panels["Timeline"]
    assert isinstance(panel, TimelinePanel)
    _click(panel.details.sizes_button)
    parts = panel.details.sizes.parts
    wait_until(lambda: bool(parts.parts), "the sizes")


def watches(window: Window, _folder: Path) -> None:
    """Watches beside the breakpoints: a value, a mistake and an unknown name."""
    workspace = example(window, "licence_audit")
    points = workspace.document.breakpoints
    points.put(Breakpoint(id="a", where="ask_a_person"))
    texts = ("message.size()", "state", "nobody.knows", "message[")
    points.take(replace(points.notes, watches=texts))
    _ran(workspace)
    workspace.show_panel("Breakpoints")
    panel = workspace.panels["Breakpoints"]
    assert isinstance(panel, BreakpointsPanel)
    _click(panel.of_watches)


def no_breakpoints(window: Window, _folder: Path) -> None:
    """Nothing is stopped at, and nothing has run."""
    example(window, "licence_audit").show_panel("Breakpoints")


def attach(window: Window, _folder: Path) -> None:
    """Programs that listen."""
    address = Address(path="/run/user/1000/stepwell/4711.sock")
    found = [
        Listing(
            workflow="counting",
            program="counting.py",
            pid=4711,
            since=time.time() - 300,
            address=address,
        )
    ]
    AttachDialog(window._look, window, lambda *_: None, lambda: found).open()


def attach_nothing(window: Window, _folder: Path) -> None:
    """No program listens."""
    AttachDialog(window._look, window, lambda *_: None, list).open()


def share(window: Window, folder: Path) -> None:
    """A run with branches is shared."""
    branches(window, folder)
    window.actions_by_id["share"].trigger()
    dialog = window.sharing.dialog
    assert isinstance(dialog, ShareDialog)
    _click(dialog.radios["branch"])
    wait_until(dialog.share_button.isEnabled, "what goes in")


def receive(window: Window, folder: Path) -> None:
    """A shared run is imported."""
    share(window, folder)
    dialog = window.sharing.dialog
    assert isinstance(dialog, ShareDialog)
    file = folder / "loan.stepwell-run"
    done: list[object] = []
    arguments = dialog._arguments(str(file))
    dialog._process.ask(dialog._shown.store, "share", arguments, done.append)
    wait_until(lambda: bool(done), "the file")
    dialog.close()
    window.sharing.ask_receive(file)
    importing = window.sharing.dialog
    assert isinstance(importing, ReceiveDialog)
    wait_until(importing.import_button.isEnabled, "the plan")


def bundle(window: Window, folder: Path) -> None:
    """A bug bundle whose test was run, and fails."""
    branches(window, folder)
    window.bundles.ask(window.workspace)
    dialog = window.bundles.dialog
    assert isinstance(dialog, BundleDialog)
    wait_until(lambda: bool(dialog.checks), "what goes in")
    dialog.expected.insertPlainText('status == "IDLE"')
    wait_until(lambda: dialog.verdict.text() == "fails, as it should", "the test")


def differences(window: Window, folder: Path) -> None:
    """Two checkpoints are compared."""
    comparing("Timeline", window, folder)


def proof_unasked(window: Window, folder: Path) -> None:
    """The task Restore proof before anything is checked."""
    workspace = _planted(window, folder, ALIASING_HANDLER)
    workspace.open_proof()


def proof(window: Window, folder: Path) -> None:
    """A run whose handler keeps what no checkpoint has: a failed advance is shown."""
    workspace = _planted(window, folder, ALIASING_HANDLER)
    session = workspace.session
    workspace.prove_all()
    wait_until(
        lambda: session.proof.read > 0 and not session.proof.is_checking, "proofs"
    )
    failed = [
        item.checkpoint_id
        for item in session.proof.checked()
        if item.checks[2].outcome == "failed"
    ]
    session.view(failed[0])
    wait_until(lambda: session.mode == "past", "the past")
    workspace.show_panel("Timeline")


def proof_of_a_sound_run(window: Window, _folder: Path) -> None:
    """Everything is proved."""
    workspace = _ran(example(window, "licence_audit"))
    proof = workspace.session.proof
    workspace.prove_all()
    wait_until(lambda: proof.read > 0 and not proof.is_checking, "the proofs")


def board(window: Window, folder: Path) -> None:
    """The board of a run with branches."""
    branches(window, folder)
    window.workspace.show_panel("Board")


RACE = """
seen = []


async def rank(message: str) -> str:
    before = len(seen)
    await asyncio.sleep(0)
    seen.append("rank")
    return f"{before} before {len(seen)}"


async def age(message: str) -> str:
    seen.append("age")
    return ", ".join(seen)
"""


def racing(window: Window, folder: Path) -> Workspace:
    """A workflow that has run, whose two checks share a list of their module."""
    (folder / "checks.py").write_text(f"import asyncio\n{RACE}", "utf-8")
    nodes = (
        NodeDefinition(id="in", type="input", name="Packages"),
        NodeDefinition(
            id="rank",
            type="python_function",
            name="Rank by reach",
            params={"function": "checks:rank"},
        ),
        NodeDefinition(
            id="age",
            type="python_function",
            name="Age check",
            params={"function": "checks:age"},
        ),
        NodeDefinition(id="meet", type="collect", name="Both"),
        NodeDefinition(id="out", type="output", name="Report"),
    )
    edges = (
        FanOutEdge(id="fan", source="in", targets=("rank", "age")),
        FanInEdge(id="join", sources=("rank", "age"), target="meet"),
        DirectEdge(id="last", source="meet", target="out"),
    )
    workflow = WorkflowDefinition(
        name="checks", start="in", input="x", nodes=nodes, edges=edges
    )
    design = Design(workflow)
    design = Design(workflow, arrange(design))
    return _ran(open_file(window, saved(design, folder)))


def delivery_orders(window: Window, folder: Path) -> None:
    """A superstep that has several outcomes, by the order of its calls."""
    workspace = racing(window, folder)
    session = workspace.session
    second = session.timeline.header_at(1).id
    session.view(second)
    wait_until(lambda: session.viewing == second, "the past")
    workspace.show_panel("Timeline")
    window.actions_by_id["explore-orders"].trigger()
    panel = workspace.panels["Delivery orders"]
    assert isinstance(panel, OrdersPanel)
    _click(panel.explore_button)
    orders = session.delivery_orders
    wait_until(lambda: not orders.exploring, "the exploration")
    settle()


def no_delivery_orders(window: Window, folder: Path) -> None:
    """The task Delivery orders before anything was tried."""
    workspace = racing(window, folder)
    session = workspace.session
    second = session.timeline.header_at(1).id
    session.view(second)
    wait_until(lambda: session.viewing == second, "the past")
    workspace.show_panel("Timeline")
    window.actions_by_id["explore-orders"].trigger()


DEBUGGER: dict[str, Callable[[Window, Path], object]] = {
    "origin": origin,
    "starved": starved,
    "starved-why": starved_why,
    "dropped": dropped,
    "branches": branches,
    "sizes": sizes,
    "board": board,
    "watches": watches,
    "no-breakpoints": no_breakpoints,
    "attach": attach,
    "attach-nothing": attach_nothing,
    "share": share,
    "bundle": bundle,
    "receive": receive,
    "proof-unasked": proof_unasked,
    "proof": proof,
    "proof-of-a-sound-run": proof_of_a_sound_run,
    "differences": differences,
    "where-they-part": first_difference,
    "edited": changed_graph,
    "delivery-orders": delivery_orders,
    "no-delivery-orders": no_delivery_orders,
}
