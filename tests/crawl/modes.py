"""The window in each mode, built by what a person and a host do."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from PySide6.QtWidgets import QApplication

from designer.model import files, frames
from designer.model.design import Design
from designer.model.patch_address import Address
from designer.panels.surgery.panel import SurgeryPanel
from designer.shell.window import Window
from designer.shell.workspace import Workspace
from runtime.debug.protocol import (
    Breakpoint,
    BreakpointHit,
    DeliveryMoment,
    DeliveryPlace,
    InsideSuperstep,
    NodeMoment,
    PatchChange,
    Spot,
)
from tests.crawl.host import CHECKPOINTS, PlayedHost
from tests.designer.fakes import straight
from tests.designer.panels.fakes import design, join

Build = Callable[[Window, Path], object]
SEVERAL = ("classify", "rank")


def pump(rounds: int = 6) -> None:
    """Let the host answer, and the window follow."""
    for _ in range(rounds):
        QApplication.processEvents()


def drawn() -> Design:
    """The small licence audit, with a frame and a note."""
    whole, _ = frames.add(
        design(), "frame", (180.0, 80.0, 260.0, 160.0), "What is found"
    )
    whole, _ = frames.add(whole, "note", (0.0, -140.0, 220.0, 70.0), "Three at once.")
    return whole


def opened(window: Window, folder: Path) -> Workspace:
    """The document from a file."""
    path = folder / "audit.stepwell.json"
    files.save(path, drawn())
    workspace = window.files.open(path)
    assert workspace is not None
    pump()
    return workspace


def look_around(workspace: Workspace) -> None:
    """A place and zoom that no button gives."""
    canvas = workspace.canvas
    canvas.camera.fit_all(glide=False)
    canvas.camera.zoom_to(canvas.zoom * 0.83)
    canvas.setFocus()


def host_of(workspace: Workspace) -> PlayedHost:
    host = workspace.session._link
    assert isinstance(host, PlayedHost)
    return host


def start_page(window: Window, folder: Path) -> None:
    workspace = opened(window, folder)
    window.files.close(workspace)
    window.show_start_page()


def nothing_open(window: Window, _folder: Path) -> None:
    window.show_start_page()


def empty(window: Window, _folder: Path) -> None:
    window.new_document()
    pump()


def editing(*selected: str) -> Build:
    def build(window: Window, folder: Path) -> None:
        workspace = opened(window, folder)
        chosen = [_resolve(workspace, name) for name in selected]
        workspace.document.select(chosen)

    return build


def _resolve(workspace: Workspace, name: str) -> str:
    """ "frame" and "note" are the first of their kind; other names are ids."""
    kinds = {
        frame.kind: frame.id for frame in frames.frames_of(workspace.document.design)
    }
    return kinds.get(name, name)  # type: ignore[call-overload, no-any-return]


def _run(window: Window, folder: Path) -> Workspace:
    workspace = opened(window, folder)
    workspace.session.run(stop_on_entry=True)
    pump()
    host_of(workspace).run_on()
    workspace.session.timeline.flush()
    pump()
    return workspace


def running(window: Window, folder: Path) -> None:
    _run(window, folder)


def stands(
    reason: str, *, nodes: dict[str, NodeMoment] | None = None, **more: object
) -> Build:
    """The run stands for a reason; at its head there is what the panels' tests know,
    unless `more` says otherwise.
    """

    def build(window: Window, folder: Path) -> Workspace:
        workspace = _run(window, folder)
        host = host_of(workspace)
        host.shown = {**({"nodes": nodes} if nodes is not None else {})}
        if reason == "finished":
            host.shown |= {"requests": (), "messages": (), "joins": ()}
        if reason == "stalled":
            host.shown |= {"requests": (), "joins": (join(stalled=True),)}
        host.stand(reason, **more)
        pump()
        workspace.session.select_run("r1")
        pump()
        return workspace

    return build


def inside_superstep(window: Window, folder: Path) -> None:
    """The run stands before the second of two deliveries, at a breakpoint."""
    workspace = _run(window, folder)
    points = (
        Breakpoint(id="a", where="rank", condition="superstep > 1"),
        Breakpoint(id="b", where="report", log="{message}", enabled=False),
        Breakpoint(id="c", kind="failure"),
    )
    workspace.document.breakpoints.put(*points)
    deliveries = (
        DeliveryMoment(place=1, executor="classify", state="done", seconds=0.01),
        DeliveryMoment(place=2, executor="rank", state="next"),
    )
    host = host_of(workspace)
    host.shown = {"standing": InsideSuperstep(superstep=4, deliveries=deliveries)}
    hit = BreakpointHit(id="a", kind="before", where="rank", because="superstep > 1")
    place = DeliveryPlace(executor="rank", place=2, of=2)
    host.stand("breakpoint", status="IN_PROGRESS", breakpoint=hit, delivery=place)
    pump()
    workspace.session.select_run("r1")
    pump()
    workspace.show_panel("Breakpoints")


def past(window: Window, folder: Path) -> None:
    workspace = stands("step")(window, folder)
    assert isinstance(workspace, Workspace)
    workspace.session.view("c2")
    pump()


def asking(window: Window, folder: Path) -> None:
    """Two questions to the past, one of whose hits is viewed."""
    past(window, folder)
    workspace = window.workspace
    workspace.search_past()
    for question in ("write reach", "failure"):
        workspace.session.search_past(question)
        pump()
    workspace.session.past.go(1)
    pump()


def comparing(*, is_first: bool) -> Build:
    def build(window: Window, folder: Path) -> None:
        past(window, folder)
        session = window.workspace.session
        session.compare_with("c1")
        session.show_first_difference(is_first)
        pump()

    return build


def delivery_orders(window: Window, folder: Path) -> None:
    """A superstep was explored, and its second outcome is shown."""
    workspace = _run(window, folder)
    host = host_of(workspace)
    host.headers = straight(CHECKPOINTS, queued=2)
    host.stand("step")
    pump()
    workspace.session.select_run("r1")
    pump()
    workspace.session.view("c2")
    pump()
    workspace.open_delivery_orders()
    workspace.session.delivery_orders.explore("c2")
    pump()


def editing_a_copy(window: Window, folder: Path) -> None:
    """A copy of the past, with something changed and a question that is open."""
    past(window, folder)
    workspace = window.workspace
    workspace.edit_copy()
    pump()
    staged = workspace.session.staged
    change = PatchChange(id="", do="drop", section="queue", spot=Spot(place=0))
    staged.stage(change)
    staged.begin(staged.checkpoint)
    panel = workspace.panels["Edit and fork"]
    assert isinstance(panel, SurgeryPanel)
    request = staged.requests_of.requests[0]
    panel.begin_at(Address("requests", request.id))
    pump()


def proving(window: Window, folder: Path) -> None:
    """Two checkpoints were proved, and the one that failed is viewed."""
    past(window, folder)
    window.workspace.prove_all()
    pump()


def _selected(build: Build, *selected: str) -> Build:
    def both(window: Window, folder: Path) -> None:
        build(window, folder)
        window.workspace.document.select(selected)
        pump()

    return both


FAILED = {
    "executor": "classify",
    "error_type": "KeyError",
    "text": "'licence'",
    "traceback": "File \"licences.py\", line 12, in classify\nKeyError: 'licence'\n",
}

MODES: dict[str, Build] = {
    "no document": nothing_open,
    "start page": start_page,
    "empty document": empty,
    "editing": editing(),
    "editing a node": editing("classify"),
    "editing several nodes": editing(*SEVERAL),
    "editing an edge": editing("ask->report"),
    "editing a fan-out": editing("fan"),
    "editing a join": editing("join"),
    "editing a switch": editing("switch"),
    "editing a frame": editing("frame"),
    "editing a note": editing("note"),
    "live": running,
    "at rest": _selected(stands("step"), "classify"),
    "inside a superstep": inside_superstep,
    "past": past,
    "asking the past": asking,
    "comparing": comparing(is_first=False),
    "first difference": comparing(is_first=True),
    "delivery orders": delivery_orders,
    "editing a copy": editing_a_copy,
    "restore proof": proving,
    "question": stands("waiting", status="IDLE_WITH_PENDING_REQUESTS"),
    "failed": stands(
        "failed",
        nodes={"classify": NodeMoment(state="failed", error="'licence'")},
        **FAILED,
    ),
    "stalled": stands("stalled", status="IDLE_WITH_STALLED_JOINS"),
    "finished": stands("finished"),
}


def panels_of(window: Window) -> Iterable[str]:
    """The panels whose tabs can be seen."""
    if window.current is None:
        return [""]
    workspace = window.current
    return [
        title
        for title, panel in workspace.panels.items()
        if workspace.areas[panel.area].isVisible()
    ]
