"""The modes of the window for `tests.screens --modes`: the same runs in each size that
the window must fit in.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from designer.model.design import Design
from designer.model.layout.arrange import arrange
from designer.screenshots import wait_until
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
from tests.benchmarks.window_documents import saved
from tests.screen_states import example, opened

SIZES = {
    "1024x700": ((1024, 700), 1),
    "1600x1000": ((1600, 1000), 1),
    "1600x1000-200": ((800, 500), 2),
}
CODE = """def price(order: object) -> float:
    return 12.5


def stock(order: object) -> int:
    raise KeyError(order)
"""


def start(window: Window, _folder: Path) -> None:
    window.show_start_page()


def editing(window: Window, _folder: Path) -> None:
    workspace = example(window, "licence_audit")
    workspace.document.select({"route_by_licence"})


def _orders(
    window: Window, folder: Path, *, fails: bool = False, waits: float = 0.0
) -> Workspace:
    (folder / "orders.py").write_text(CODE, "utf-8")
    nodes = (
        NodeDefinition(id="order", type="input", name="Order"),
        NodeDefinition(
            id="price",
            type="python_function",
            name="Price",
            params={"function": "orders:price"},
        ),
        NodeDefinition(
            id="wait",
            type="delay",
            name="Wait for the warehouse",
            params={"seconds": waits},
        ),
        NodeDefinition(
            id="stock",
            type="python_function",
            name="What is in stock",
            params={"function": "orders:stock" if fails else "orders:price"},
        ),
        NodeDefinition(id="both", type="collect", name="Both answers"),
        NodeDefinition(id="result", type="output", name="Result"),
    )
    edges = (
        FanOutEdge(id="fan", source="order", targets=("price", "wait")),
        DirectEdge(id="to-stock", source="wait", target="stock"),
        FanInEdge(id="join", sources=("price", "stock"), target="both"),
        DirectEdge(id="last", source="both", target="result"),
    )
    workflow = WorkflowDefinition(
        name="orders", start="order", input="A-1207", nodes=nodes, edges=edges
    )
    design = Design(workflow, {})
    return opened(window, saved(Design(workflow, arrange(design)), folder))


def _stands(workspace: Workspace, *reasons: str) -> None:
    session = workspace.session

    def is_there() -> bool:
        stopped = session.stopped
        return (
            not session.running
            and stopped is not None
            and stopped.reason in reasons
            and session.moment is not None
        )

    wait_until(is_there, " or ".join(reasons))


def live(window: Window, folder: Path) -> None:
    workspace = _orders(window, folder, waits=600)
    workspace.run()
    wait_until(
        lambda: workspace.session.running and workspace.session.timeline.rowCount() > 1,
        "the run",
    )


def rest(window: Window, folder: Path) -> None:
    workspace = _orders(window, folder)
    workspace.superstep()
    _stands(workspace, "entry")
    workspace.superstep()
    _stands(workspace, "step")


def question(window: Window, _folder: Path) -> None:
    workspace = example(window, "licence_audit")
    workspace.run()
    _stands(workspace, "waiting")
    workspace.show_panel("Requests")


def past(window: Window, folder: Path) -> None:
    question(window, folder)
    session = window.workspace.session
    session.view(session.timeline.header_at(2).id)
    wait_until(
        lambda: session.mode == "past" and session.moment is not None, "the past"
    )
    window.workspace.show_panel("Joins")


def failed(window: Window, folder: Path) -> None:
    workspace = _orders(window, folder, fails=True)
    workspace.run()
    _stands(workspace, "failed")


def finished(window: Window, folder: Path) -> None:
    workspace = _orders(window, folder)
    workspace.run()
    _stands(workspace, "finished")


def search(window: Window, folder: Path) -> None:
    """Three questions to the past of a run with two branches, one of them with a lost
    message.
    """
    question(window, folder)
    workspace = window.workspace
    session = workspace.session
    session.restore(session.timeline.header_at(2).id)
    _stands(workspace, "restored")
    workspace.run()
    _stands(workspace, "waiting")
    for text in ("message.size() > 2", "question", "superstep > 1"):
        session.search_past(text)
    workspace.show_panel("Timeline")
    past = session.past
    wait_until(lambda: all(each.is_done for each in past.questions), "the answers")
    past.view(1)
    wait_until(lambda: session.mode == "past", "the past")


def log(window: Window, folder: Path) -> None:
    """The recorded log of a checkpoint of the past."""
    past(window, folder)
    workspace = window.workspace
    workspace.show_panel("Log")
    wait_until(
        lambda: workspace.panels["Log"].rows.rowCount() > 0,  # type: ignore[attr-defined]
        "the log",
    )


def breakpoint_(window: Window, folder: Path) -> None:
    """A run that a condition stopped inside a superstep, with the editor of another
    breakpoint.
    """
    workspace = _orders(window, folder)
    workspace.document.breakpoints.put(
        Breakpoint(id="a", where="wait", condition="superstep == 2"),
        Breakpoint(id="b", where="stock", log="{message} is asked for"),
        Breakpoint(id="c", kind="fires", where="join"),
        Breakpoint(id="d", kind="message", where="last", enabled=False),
        Breakpoint(id="e", kind="failure"),
    )
    workspace.run()
    _stands(workspace, "breakpoint")
    workspace.show_panel("Breakpoints")
    workspace.show_panel("Messages")
    workspace.edit_breakpoint("b")


MODES: dict[str, Callable[[Window, Path], object]] = {
    "start": start,
    "editing": editing,
    "live": live,
    "at-rest": rest,
    "past": past,
    "search": search,
    "log": log,
    "breakpoint": breakpoint_,
    "question": question,
    "failed": failed,
    "finished": finished,
}
