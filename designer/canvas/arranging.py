"""Laying out, off the window's thread when the graph is large. The answer is positions; the view makes the edit."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from PySide6.QtCore import QObject, QRunnable, QThreadPool, Signal

from designer.canvas.figures import TAG_AT, Figure
from designer.canvas.geometry import DIAMOND, Box
from designer.model.design import Design, Position
from designer.model.layout import Direction, arrange

AT_ONCE = 300  # nodes that are laid out within a frame or two


class _Answer(QObject):
    ready = Signal(object, object)  # the design that was laid out, positions


class _Job(QRunnable):
    def __init__(self, work: Callable[[], Mapping[str, Position]], design: Design, answer: _Answer) -> None:
        super().__init__()
        self._work, self._design, self._answer = work, design, answer

    def run(self) -> None:
        self._answer.ready.emit(self._design, self._work())


class Arranger:
    """`done` is called with the design that was laid out and its positions, now or later, on the window's thread."""

    def __init__(self, done: Callable[[Design, Mapping[str, Position]], None]) -> None:
        self._done = done
        self._pool = QThreadPool()
        self._pool.setMaxThreadCount(1)
        self._answer = _Answer()
        self._answer.ready.connect(done)

    def start(
        self,
        design: Design,
        direction: Direction,
        only: Collection[str] | None,
        sizes: Mapping[str, tuple[float, float]],
    ) -> None:
        def work() -> Mapping[str, Position]:
            return arrange(design, direction=direction, only=only, sizes=sizes)

        count = len(design.workflow.nodes) if only is None else len(only)
        if count <= AT_ONCE:
            self._done(design, work())
        else:
            self._pool.start(_Job(work, design, self._answer))

    def stop(self) -> None:
        """Wait for a layout that still runs, and forget it."""
        self._answer.ready.disconnect()
        self._pool.waitForDone()


def sizes(boxes: Mapping[str, Box], figures: Collection[Figure]) -> dict[str, tuple[float, float]]:
    """The boxes, where a diamond's tags count as part of it, so that its targets stand clear of them."""
    found = {key: (box.rect.width(), box.rect.height()) for key, box in boxes.items()}
    for figure in figures:
        if figure.kind == "switch" and not figure.own_hub and figure.tags:
            node = figure.wires[0].source
            widest = max(tag.rect.width() for tag in figure.tags)
            found[node] = (DIAMOND / 2 + TAG_AT + widest + 8, DIAMOND)
    return found
