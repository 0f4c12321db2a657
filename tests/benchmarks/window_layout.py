"""The layered layout: how long, how many crossings, and whether the window goes on
meanwhile.
"""

from __future__ import annotations

import shutil
import subprocess
import time
from bisect import bisect_right
from collections.abc import Iterator

from designer.canvas.view import CanvasView
from designer.model.design import Design, Position
from designer.model.layout.arrange import NODE_SIZE, arrange
from designer.screenshots import settle, wait_until
from runtime.checks.check import check
from runtime.export.layered import acyclic, ordered
from runtime.nodes import catalogue
from tests.benchmarks.event_loop import Stall
from tests.benchmarks.window_documents import flow, saved
from tests.benchmarks.window_rows import Row, finished_window

DOT = {500: 8, 5000: 1868}  # crossings of Graphviz's dot 2.43 on the same graphs
OFTEN_DOT = 1.5
SECONDS = 5.0
STALL = 100.0
Line = tuple[float, float, float, float]


def measure(count: int, *, short: bool = False) -> Iterator[Row]:
    design = flow(count)
    group = f"layout of {len(design.workflow.nodes):,} nodes"
    arrange(flow(20))  # imports are not the layout's
    began = time.process_time()
    positions = arrange(design)
    yield Row(group, "CPU time", time.process_time() - began, "s", SECONDS)
    note = f"dot {DOT[count]:,}; each long edge cut into pieces"
    yield Row(
        group,
        "crossings of its layers",
        layer_crossings(design),
        "",
        OFTEN_DOT * DOT[count],
        note,
    )
    straight = crossings(_straight(design, positions))
    yield Row(group, "crossings of straight edges", straight, "", *_of_dot(design))
    began = time.process_time()
    arrange(design, "organic")
    yield Row(group, "organic, CPU time", time.process_time() - began, "s", SECONDS)
    yield from _checking(group, design)
    if not short:
        with finished_window() as (window, folder):
            window.files.open(
                saved(
                    Design(
                        design.workflow,
                        {key: (x * 0.9, y * 1.1) for key, (x, y) in positions.items()},
                    ),
                    folder,
                )
            )
            settle()
            yield _stall(group, window.workspace.canvas)


def _checking(group: str, design: Design) -> Iterator[Row]:
    """What the check after an edit costs; of more than a few hundred nodes it is made
    beside the window.
    """
    infos = {info.type: info for info in catalogue().infos()}
    check(design.workflow, infos)
    began = time.process_time()
    check(design.workflow, infos)
    yield Row(group, "check, CPU time", (time.process_time() - began) * 1000, "ms")


def _of_dot(design: Design) -> tuple[float | None, str]:
    """The target for straight edges and where it comes from, if Graphviz is on this
    machine.
    """
    program = shutil.which("dot")
    if program is None:
        return None, "no dot here to compare with"
    place = {node.id: f"n{at}" for at, node in enumerate(design.workflow.nodes)}
    edges = "".join(
        f"{place[e.source]}->{place[e.target]};"
        for e in design.workflow.edges
        if e.kind == "direct"
    )
    source = f"digraph{{rankdir=LR;node[shape=box,fixedsize=true,width=2.3,height=0.8];{edges}}}"
    done = subprocess.run(
        [program, "-Tplain"],
        input=source,
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    at = places_of_plain(done.stdout)
    found = crossings(
        _straight(
            design, {node: at[name] for node, name in place.items() if name in at}
        )
    )
    return OFTEN_DOT * found, f"dot {found:,} of straight edges"


def places_of_plain(text: str) -> dict[str, Position]:
    """Corners of the nodes in what `dot -Tplain` writes, in pixels; it has inches,
    centres, and y upwards.
    """
    rows = [line.split() for line in text.splitlines() if line.startswith("node ")]
    width, height = NODE_SIZE
    return {
        row[1]: (float(row[2]) * 72 - width / 2, -float(row[3]) * 72 - height / 2)
        for row in rows
    }


def _stall(group: str, view: CanvasView) -> Row:
    """The longest that the event loop did not come round while a layout was made,
    before it was shown.
    """
    with Stall() as stall:
        shown: list[float] = []
        view.document.changed.connect(lambda _diff: shown.append(stall.so_far()))
        began = time.perf_counter()
        view.arranger.arrange()
        wait_until(lambda: bool(shown), "the layout")
        took = time.perf_counter() - began
    return Row(
        group,
        "longest stall until it is there",
        shown[0] * 1000,
        "ms",
        STALL,
        f"wall; there after {took:.1f} s",
    )


def layer_crossings(design: Design) -> int:
    """What the layout itself counts: between neighbouring layers, as a picture that
    leads edges along them has.
    """
    place = {node.id: k for k, node in enumerate(design.workflow.nodes)}
    pairs = [
        (place[edge.source], place[edge.target])
        for edge in design.workflow.edges
        if edge.kind == "direct"
    ]
    return ordered(len(place), acyclic(len(place), pairs))[2]


def _straight(design: Design, at: dict[str, Position]) -> list[Line]:
    width, height = NODE_SIZE
    edges = [
        edge
        for edge in design.workflow.edges
        if edge.kind == "direct" and {edge.source, edge.target} <= at.keys()
    ]
    return [
        (
            at[e.source][0] + width,
            at[e.source][1] + height / 2,
            at[e.target][0],
            at[e.target][1] + height / 2,
        )
        for e in edges
    ]


def crossings(lines: list[Line]) -> int:
    """Pairs of lines that cross in a point inside of both. Shared ends do not count."""
    ordered = sorted(_left_to_right(line) for line in lines)
    starts = [line[0] for line in ordered]
    found = 0
    for at, one in enumerate(ordered):
        low = min(one[1], one[3])
        high = max(one[1], one[3])
        for other in ordered[at + 1 : bisect_right(starts, one[2])]:
            if min(other[1], other[3]) <= high and max(other[1], other[3]) >= low:
                found += _cross(one, other)
    return found


def _left_to_right(line: Line) -> Line:
    return line if line[0] <= line[2] else (line[2], line[3], line[0], line[1])


def _cross(one: Line, other: Line) -> bool:
    return _side(one, other[0], other[1]) * _side(one, other[2], other[3]) < -1e-9 and (
        _side(other, one[0], one[1]) * _side(other, one[2], one[3]) < -1e-9
    )


def _side(line: Line, x: float, y: float) -> float:
    return (line[2] - line[0]) * (y - line[1]) - (line[3] - line[1]) * (x - line[0])
