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


MODES: dict[str, Callable[[Window, Path], object]] = {
    "start": start,
    "editing": editing,
    "live": live,
    "at-rest": rest,
    "past": past,
    "question": question,
    "failed": failed,
    "finished": finished,
}
