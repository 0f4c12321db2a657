"""Questions to the recorded past of 100,000 checkpoints in the finished window: when the
first hits are there, when all are, and what the window feels of it.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator

from PySide6.QtWidgets import QApplication

from designer.panels.timeline.panel import TimelinePanel
from designer.session.past_search import PastQuestion
from designer.session.session import DebugSession
from designer.shell.workspace import Workspace
from tests.benchmarks.listing import fill_by_running
from tests.benchmarks.measure import scratch
from tests.benchmarks.window_rows import Row, finished_window, frames, median

CHECKPOINTS = 100_000
FRAME = 16.0  # ms
PATIENCE = 300.0  # s
# A question with a few hits, one with a hit at every checkpoint, and one without.
QUESTIONS = {
    "10 hits": "state.tick > {last}",
    "all hits": "message > 0",
    "no hit": "failure",
}


def measure(count: int = CHECKPOINTS, *, short: bool = False) -> Iterator[Row]:
    count = count // 10 if short else count
    group = f"past of {count:,}"
    with scratch(in_memory=True) as folder, finished_window() as (window, _):
        url = f"sqlite:{folder / 'runs.db'}"
        asyncio.run(fill_by_running(url, count, 200))
        window.files.look_into(url)
        workspace = window.workspace
        session = workspace.session
        wait(lambda: session.timeline.rowCount() >= count)
        workspace.show_panel("Timeline")
        workspace.search_past()
        for name, text in QUESTIONS.items():
            question = text.format(last=count - 10)
            yield from _ask(group, name, workspace, question)
        yield from _repaint(group, workspace)
        yield from _run_back(group, session, count)


def wait(done: Callable[[], bool]) -> list[float]:
    """Let the window live until something is so. Return the CPU milliseconds of each
    turn of its loop.
    """
    turns = []
    begun = time.monotonic()
    while not done():
        before = time.process_time()
        QApplication.processEvents()
        turns.append(1000 * (time.process_time() - before))
        time.sleep(0.001)
        if time.monotonic() - begun > PATIENCE:
            raise TimeoutError("The window did not get there.")
    return turns


def _ask(group: str, name: str, workspace: Workspace, text: str) -> Iterator[Row]:
    session = workspace.session
    begun = time.monotonic()
    session.search_past(text)
    question = session.past.active
    assert question is not None
    turns = wait(lambda: bool(question.hits) or _is_answered(question))
    first = time.monotonic() - begun
    turns += wait(lambda: _is_answered(question))
    whole = time.monotonic() - begun
    worst = max(turns)
    if question.hits:
        hits = f"{question.count:,} hits"
        yield Row(group, f"{name}: the first, wall", first, "s", note=hits)
    yield Row(group, f"{name}: whole answer, wall", whole, "s")
    yield Row(group, f"{name}: checkpoints", question.read / whole, "/s")
    yield Row(group, f"{name}: CPU of the window", sum(turns), "ms")
    yield Row(group, f"{name}: longest turn", worst, "ms", FRAME)


def _is_answered(question: PastQuestion) -> bool:
    return question.is_done


def _repaint(group: str, workspace: Workspace) -> Iterator[Row]:
    """The lanes with all hits, in marks and in the overview."""
    panel = next(
        each for each in workspace.panels.values() if isinstance(each, TimelinePanel)
    )
    strip = panel.strip
    bar = strip.horizontalScrollBar()
    scrolled = frames(lambda k: bar.setValue(37 * k), 20, strip.viewport())
    yield Row(group, "scroll with hits, repaint", median(scrolled), "ms", FRAME)
    strip.set_zoom(0.0)
    wide = frames(lambda _: None, 20, strip.viewport())
    yield Row(group, "all in view with hits, repaint", median(wide), "ms", FRAME)


def _run_back(group: str, session: DebugSession, count: int) -> Iterator[Row]:
    """From the head to a hit that is near, and to the first checkpoints."""
    for name, text in (("near", f"message == {count - 20}"), ("far", "message == 5")):
        past = session.past
        past.clear()
        session.view(session.timeline.header_at(count - 1).id)
        session.search_past(text)
        begun = time.monotonic()
        past.run_back([])
        turns = wait(lambda: not session.past.reversing)
        whole = time.monotonic() - begun
        yield Row(group, f"run back, {name}, wall", whole, "s")
        yield Row(group, f"run back, {name}, longest turn", max(turns), "ms", FRAME)
