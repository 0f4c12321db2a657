"""The window beside a real host: frames and memory while a run is flat out, and looking
along a run's past.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

from PySide6.QtCore import QEventLoop, Qt, QTimer
from PySide6.QtWidgets import QApplication

from designer.model.design import Design
from designer.screenshots import settle, wait_until
from designer.session.session import DebugSession
from designer.shell.window import Window
from designer.shell.workspace import Workspace
from runtime.document.definition import WorkflowDefinition
from tests.benchmarks.window_documents import design_of, saved
from tests.benchmarks.window_rows import (
    Clock,
    Row,
    finished_window,
    median,
    memory,
    percentile,
)

FRAME_MS = 16
P99 = 25.0
SCRUB = 50.0
RATE = 10_000.0
RING = 60
# of the state that is looked at: 1 MB
KEYS = 100
EACH = 10_000
CODE = f"""
async def step(message: int, ctx) -> int:
    return message + 1

async def fill(message: int, ctx) -> int:
    for key in range({KEYS}):
        ctx.set_state(f"key{{key}}", [f"{{message}}-{{at:05}}" * 10 for at in range({EACH} // 80)])
    return message + 1

async def change(message: int, ctx) -> int:
    ctx.set_state(f"key{{message % {KEYS}}}", [f"{{message}}-{{at:05}}" * 10 for at in range({EACH} // 80)])
    return message + 1
"""


def ring(most: int, function: str = "step", first: str = "step") -> Design:
    """Sixty nodes in a circle, drawn in rows; one of them runs in each superstep."""
    pairs = [(k, (k + 1) % RING) for k in range(RING)]
    design = design_of(
        RING, pairs, {f"n{k}": (k % 10 * 230.0, k // 10 * 120.0) for k in range(RING)}
    )
    nodes = tuple(
        node.model_copy(
            update={"params": {"function": f"work:{first if k == 0 else function}"}}
        )
        for k, node in enumerate(design.workflow.nodes)
    )
    update = {"nodes": nodes, "input": 0, "max_supersteps": most, "name": "ring"}
    return replace(
        design,
        workflow=WorkflowDefinition.model_validate(
            design.workflow.model_copy(update=update)
        ),
    )


def measure(*, short: bool = False) -> Iterator[Row]:
    """The window and the host share the machine: wall times, so they say most on a
    quiet one.
    """
    group = "a run flat out"
    watched = 4.0 if short else 10.0
    with finished_window() as (window, folder):
        workspace = _opened(window, folder, ring(10**8))
        session = workspace.session
        workspace.run()
        wait_until(
            lambda: session.head is not None and session.head.superstep > 1000,
            "the first supersteps",
        )
        first = _watch(workspace, watched)
        size = memory()
        rows = session.timeline.rowCount()
        work = _watch(workspace, watched, time.thread_time)
        grown = memory() - size
        more = session.timeline.rowCount() - rows
        session.stop()
        wait_until(lambda: not session.running, "Stop")
        yield Row(
            group,
            "checkpoints/s",
            more / watched,
            "",
            note=f"target of the study {RATE:,.0f} supersteps/s",
        )
        yield Row(
            group,
            "frame p99",
            percentile(first, 0.99),
            "ms",
            P99,
            f"wall; median {median(first):.1f}",
        )
        yield Row(
            group,
            "window's own work a frame, p99",
            percentile(work, 0.99),
            "ms",
            P99,
            f"median {median(work):.1f}",
        )
        yield Row(
            group,
            "memory for each checkpoint",
            grown * 1e6 / max(1, more),
            "byte",
            note=f"{grown:.0f} MB grown",
        )


def _opened(window: Window, folder: Path, design: Design) -> Workspace:
    (folder / "work.py").write_text(CODE)
    window.files.open(saved(design, folder))
    settle()
    return window.workspace


def _watch(
    workspace: Workspace, seconds: float, clock: Clock = time.perf_counter
) -> list[float]:
    """Milliseconds from frame to frame, each painting the canvas whole."""
    stamps: list[float] = []

    def frame() -> None:
        workspace.canvas.viewport().repaint()
        stamps.append(clock())

    timer = QTimer(interval=FRAME_MS)
    timer.setTimerType(Qt.TimerType.PreciseTimer)
    timer.timeout.connect(frame)
    timer.start()
    end = time.perf_counter() + seconds
    wait_until(lambda: time.perf_counter() > end, "the time to watch")
    timer.stop()
    return [(b - a) * 1000 for a, b in pairwise(stamps)]


def measure_scrubbing(*, short: bool = False) -> Iterator[Row]:
    """From choosing a checkpoint until canvas and inspector have painted it; the host
    reads it from the store.
    """
    steps = 60 if short else 200
    with finished_window() as (window, folder):
        workspace = _opened(window, folder, ring(steps, "change", "fill"))
        session = workspace.session
        workspace.run()
        wait_until(
            lambda: not session.running and session.stopped is not None, "the run"
        )
        session.timeline.flush()
        workspace.show_panel("State")
        settle()
        rows = list(range(2, session.timeline.rowCount() - 1))
        wall, cpu = zip(*(_look(session, workspace, row) for row in rows), strict=True)
        group = "scrubbing, 1 MB of state"
        note = f"wall; median {median(wall):.0f}"
        yield Row(
            group,
            "select until painted, p95",
            percentile(wall, 0.95),
            "ms",
            SCRUB,
            note,
        )
        yield Row(
            group,
            "of that the window, p95",
            percentile(cpu, 0.95),
            "ms",
            note="CPU of the window",
        )
        wall, cpu = zip(
            *(_look(session, workspace, row) for row in rows[:-40:-1]), strict=True
        )
        yield Row(
            group,
            "again, p95",
            percentile(wall, 0.95),
            "ms",
            SCRUB,
            f"wall; median {median(wall):.0f}",
        )


def _look(session: DebugSession, workspace: Workspace, row: int) -> tuple[float, float]:
    wanted = session.timeline.header_at(row).id
    loop = QEventLoop()
    came = session.viewed.connect(
        lambda: loop.quit() if _shows(session, wanted) else None
    )
    began = time.perf_counter()
    at_work = time.process_time()
    session.view(wanted)
    if not _shows(session, wanted):
        loop.exec()
    QApplication.processEvents()
    workspace.canvas.viewport().repaint()
    session.viewed.disconnect(came)
    return (time.perf_counter() - began) * 1000, (time.process_time() - at_work) * 1000


def _shows(session: DebugSession, checkpoint_id: str) -> bool:
    header = session.moment.header if session.moment is not None else None
    return header is not None and header.id == checkpoint_id
