"""The timeline of 100,000 checkpoints in the finished window: loading, scrolling,
zooming, growing.
"""

from __future__ import annotations

from collections.abc import Iterator

from pydantic_core import from_json
from PySide6.QtWidgets import QApplication

from designer.panels.timeline.panel import TimelinePanel
from designer.screenshots import settle
from designer.session.history import PAGE
from designer.session.timeline_model import TimelineModel
from runtime.checkpoint import Cause
from runtime.debug.protocol import Header, TimelineBody
from tests.benchmarks.window_documents import layered, saved
from tests.benchmarks.window_rows import (
    Row,
    finished_window,
    frames,
    median,
    memory,
    milliseconds,
)

ROWS = 100_000
# ms
LOAD = 100.0
FRAME = 8.0
BATCH = 60


def header(number: int) -> Header:
    parent = f"c{number - 1}" if number > 1 else None
    return Header(
        id=f"c{number}",
        run_id="r1",
        workflow="w",
        superstep=number - 1,
        cause=Cause.SUPERSTEP if parent else Cause.INPUT,
        parent=parent,
        sequence=number,
        time=1.7e9 + number,
        status="IN_PROGRESS",
        size=1200,
        new_size=120,
    )


def measure(count: int = ROWS, *, short: bool = False) -> Iterator[Row]:
    group = f"timeline of {count:,}"
    times = 10 if short else 40
    packets = list(_packets(count))
    before = memory()
    headers = [one for packet in packets for one in _read(packet).headers]
    yield Row(
        group,
        "memory of a checkpoint",
        (memory() - before) * 1e6 / count,
        "byte",
        note="as it is read",
    )
    with finished_window() as (window, folder):
        window.files.open(saved(layered(20), folder))
        settle()
        panel = next(
            p for p in window.workspace.panels.values() if isinstance(p, TimelinePanel)
        )
        model = window.workspace.session.timeline
        strip = panel.strip
        loads = []
        for _ in range(1 if short else 3):
            model.clear("r1")
            QApplication.processEvents()
            before = memory()
            loads.append(milliseconds(lambda: _load(model, headers)))
        yield Row(group, "load and first paint", median(loads), "ms", LOAD)
        yield Row(group, "memory beside the headers", memory() - before, "MB")
        bar = strip.horizontalScrollBar()
        scrolled = frames(
            lambda k: bar.setValue(5000 + 37 * k), times, strip.viewport()
        )
        yield Row(
            group,
            "scroll, whole repaint",
            median(scrolled),
            "ms",
            FRAME,
            f"worst {max(scrolled):.1f}",
        )
        jumps = frames(
            lambda k: bar.setValue(bar.maximum() * (k % 10) // 10),
            times,
            strip.viewport(),
        )
        yield Row(group, "jump by the scroll bar", median(jumps), "ms", FRAME)
        strip.set_zoom(0.0)
        wide = frames(lambda _: None, times, strip.viewport())
        yield Row(
            group,
            "all of it in view",
            median(wide),
            "ms",
            FRAME,
            f"first {wide[0]:.1f}",
        )
        more = [
            [header(count + BATCH * k + n + 1) for n in range(BATCH)]
            for k in range(times)
        ]
        grown = frames(lambda k: _load(model, more[k]), times)
        yield Row(
            group,
            f"append {BATCH}, all in view",
            median(grown),
            "ms",
            FRAME,
            f"worst {max(grown):.1f}",
        )
        strip.set_zoom(104.0)
        last = count + BATCH * times
        more = [
            [header(last + BATCH * k + n + 1) for n in range(BATCH)]
            for k in range(times)
        ]
        grown = frames(lambda k: _load(model, more[k]), times)
        yield Row(
            group,
            f"append {BATCH}, at the end",
            median(grown),
            "ms",
            FRAME,
            f"worst {max(grown):.1f}",
        )
    costs = [milliseconds(lambda: _read(packets[0])) for _ in range(9)]
    yield Row(group, f"read a page of {PAGE:,}", median(costs), "ms", 16.0)


def _load(model: TimelineModel, headers: list[Header]) -> None:
    model.append(headers)
    model.flush()
    QApplication.processEvents()


def _packets(count: int) -> Iterator[bytes]:
    for at in range(1, count + 1, PAGE):
        page = tuple(header(number) for number in range(at, min(at + PAGE, count + 1)))
        yield TimelineBody(headers=page, more=True).model_dump_json().encode()


def _read(packet: bytes) -> TimelineBody:
    """What a page costs before the model sees it: objects are made of the packet, as
    `ProcessLink` reads it.
    """
    return TimelineBody.model_validate(from_json(packet, cache_strings="all"))
