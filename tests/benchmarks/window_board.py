"""The superstep board of 10,000 supersteps by 200 executors in the finished window:
scrolling over time and over executors, with the pages of columns read on the way, and
growing while a run goes.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence

from pydantic_core import from_json
from PySide6.QtWidgets import QApplication

from designer.panels.board.panel import BoardPanel
from designer.panels.board.view import BoardView
from designer.screenshots import settle
from runtime.debug.protocol import (
    BoardArrow,
    BoardBody,
    BoardCell,
    BoardColumn,
)
from tests.benchmarks.window_documents import layered, saved
from tests.benchmarks.window_rows import (
    Row,
    finished_window,
    frames,
    median,
    memory,
    percentile,
)
from tests.benchmarks.window_timeline import header

SUPERSTEPS = 10_000
EXECUTORS = 200
FRAME = 16.0  # ms
Done = Callable[[BoardBody | None], None]


class Host:
    """Answers one page for each call of `answer`, read from the line that a host would
    write. Lines are made from a pattern, because what a host does costs the window
    nothing.
    """

    def __init__(self) -> None:
        self.waiting: deque[tuple[Sequence[str], Done]] = deque()
        self._pattern = column("c1").model_dump_json().encode()

    def board(self, checkpoints: Sequence[str], done: Done) -> None:
        self.waiting.append((checkpoints, done))

    def answer(self) -> None:
        if not self.waiting:
            return
        checkpoints, done = self.waiting.popleft()
        columns = b",".join(self._column(each) for each in checkpoints)
        line = b'{"columns":[' + columns + b"]}"
        done(BoardBody.model_validate(from_json(line, cache_strings="all")))

    def _column(self, checkpoint_id: str) -> bytes:
        superstep = int(checkpoint_id.removeprefix("c")) - 1
        named = self._pattern.replace(b'"c1"', b'"' + checkpoint_id.encode() + b'"', 1)
        return named.replace(b'"superstep":0', b'"superstep":%d' % superstep, 1)


def column(checkpoint_id: str) -> BoardColumn:
    superstep = int(checkpoint_id.removeprefix("c")) - 1
    cells = []
    arrows = []
    for number in range(EXECUTORS):
        seconds = 0.001 * (1 + (number * 7 + superstep * 13) % 900)
        cells.append(
            BoardCell(
                executor=f"n{number}",
                ended=seconds,
                seconds=seconds,
                received=1,
                sent=1,
            )
        )
        arrows.append(
            BoardArrow(
                kind="delivered",
                source=f"n{number}",
                target=f"n{(number + 1) % EXECUTORS}",
            )
        )
    return BoardColumn(
        checkpoint_id=checkpoint_id,
        superstep=superstep,
        seconds=0.9,
        cells=tuple(cells),
        arrows=tuple(arrows),
    )


def measure(count: int = SUPERSTEPS, *, short: bool = False) -> Iterator[Row]:
    group = f"board of {count:,} × {EXECUTORS}"
    times = 10 if short else 60
    host = Host()
    with finished_window() as (window, folder):
        window.files.open(saved(layered(EXECUTORS), folder))
        workspace = window.workspace
        settle()
        before = memory()
        workspace.session.questions.board = host.board  # type: ignore[method-assign]
        workspace.session.questions.board_times = lambda _id, _done: None  # type: ignore[method-assign]
        workspace.session.timeline.clear("r1")
        workspace.session.timeline.append(
            [header(number) for number in range(1, count + 1)]
        )
        workspace.session.timeline.flush()
        workspace.show_panel("Board")
        settle()
        panel = next(
            each for each in workspace.panels.values() if isinstance(each, BoardPanel)
        )
        view = panel.view
        workspace.toggle_whole()
        settle()
        yield from _scrolling(group, view, host, times)
        yield from _growing(group, view, host, times, count)
        yield Row(group, "memory", memory() - before, "MB")


def _fill(host: Host) -> None:
    while host.waiting:
        host.answer()
        QApplication.processEvents()


def _scrolling(group: str, view: BoardView, host: Host, times: int) -> Iterator[Row]:
    across = view.horizontalScrollBar()
    down = view.verticalScrollBar()
    across.setValue(across.maximum() // 2)
    QApplication.processEvents()
    _fill(host)
    start = across.value()
    shown = view.viewport()
    near = frames(lambda k: across.setValue(start + 4 * k), times, shown)
    yield _row(group, "scroll over time, columns read", near)
    lower = frames(lambda k: down.setValue(17 * k), times, shown)
    yield _row(group, "scroll over executors", lower)

    def on(k: int) -> None:
        across.setValue(start + 61 * k)
        host.answer()

    far = frames(on, times, shown)
    yield _row(group, "scroll over time, a page a frame", far)

    def jump(k: int) -> None:
        across.setValue(across.maximum() * (k % 10) // 10)
        host.answer()

    yield _row(group, "jump by the scroll bar", frames(jump, times, shown))
    view.show_arrows("all")
    _fill(host)
    yield _row(group, "with all arrows", frames(lambda _: None, times, shown))
    view.show_arrows("selected")


def _growing(
    group: str, view: BoardView, host: Host, times: int, count: int
) -> Iterator[Row]:
    across = view.horizontalScrollBar()
    across.setValue(across.maximum())
    QApplication.processEvents()
    _fill(host)
    timeline = view.model.timeline

    def grow(k: int) -> None:
        timeline.append([header(count + k + 1)])
        timeline.flush()
        host.answer()

    yield _row(group, "a superstep more, at the end", frames(grow, times))


def _row(group: str, name: str, costs: list[float]) -> Row:
    worst = f"p95 {percentile(costs, 0.95):.1f}, worst {max(costs):.1f}"
    return Row(group, name, median(costs), "ms", FRAME, worst)
