"""Frames of the canvas in the finished window: opening, panning, zooming, dragging,
selecting, another moment.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QApplication

from designer.canvas.view import CanvasView
from designer.screenshots import settle, wait_until
from designer.shell.window import Window
from tests.benchmarks.window_documents import layered, saved
from tests.benchmarks.window_rows import (
    SIZE,
    Row,
    finished_window,
    frames,
    median,
    memory,
    milliseconds,
    show_canvas_at,
)

OPEN = {1000: 300.0, 5000: 1000.0}  # ms
ALL_VISIBLE = {1000: 8.0, 5000: 12.0, 20_000: 25.0}
FRAME = 16.0
MEMORY = {5000: 120.0}  # MB
ZOOM_STEPS = 24
LEFT = Qt.MouseButton.LeftButton
NONE = Qt.MouseButton.NoButton


def measure(count: int, *, short: bool = False) -> Iterator[Row]:
    """The rows of one document, in a process of its own, since memory is among them."""
    group = f"{count:,} nodes"
    times = 10 if short else 40
    with finished_window() as (window, folder):
        path = saved(layered(count), folder)
        empty = _empty(window)
        opening = milliseconds(lambda: _open(window, path))
        settle()
        once = memory() - empty
        again = [_opened_again(window, path) for _ in range(1 if short else 3)]
        yield Row(group, "open, first", opening, "ms", OPEN.get(count))
        yield Row(group, "open, again", median(again), "ms", OPEN.get(count))
        settle()
        note = f"{memory() - empty:.0f} after opening it {len(again)} times more"
        yield Row(
            group, "memory over the empty window", once, "MB", MEMORY.get(count), note
        )
        show_canvas_at(window, SIZE)
        yield _checked(group, window)
        yield from _frames(group, window.workspace.canvas, count, times)


def _empty(window: Window) -> float:
    """Megabytes of the window with an empty document, its host started and its panels
    painted.
    """
    workspace = window.new_document()
    wait_until(lambda: bool(workspace.session.infos), "the node types")
    settle()
    return memory()


def _open(window: Window, path: Path) -> None:
    window.files.open(path)
    QApplication.processEvents()
    window.workspace.canvas.viewport().repaint()


def _opened_again(window: Window, path: Path) -> float:
    window.files.close(window.workspace)
    settle()
    return milliseconds(lambda: _open(window, path))


def _checked(group: str, window: Window) -> Row:
    """Frames while a large workflow is checked in another thread, by the clock; the
    rows after it are of a window that has nothing else to do.
    """
    workspace = window.workspace
    workspace.canvas.camera.fit_all(glide=False)
    workspace.checks.schedule()
    spent: list[float] = []
    while workspace.checks.is_busy:
        spent += frames(
            lambda _: None, 1, workspace.canvas.viewport(), time.perf_counter
        )
    return Row(
        group,
        "whole repaint while it is checked",
        median(spent),
        "ms",
        None,
        f"wall; worst {max(spent):.0f}",
    )


def _frames(group: str, view: CanvasView, count: int, times: int) -> Iterator[Row]:
    target = FRAME if count <= 5000 else None
    yield from _all_visible(group, view, count, times)
    yield from _zoom(group, view, target, times)
    middle = f"n{count // 2}"
    view.camera.zoom_to(1)
    view.camera.look_at(view.scene().boxes[middle].rect.center())
    panned = frames(lambda _: view.camera.scroll(QPoint(13, 0)), times, view.viewport())
    yield Row(
        group,
        "pan at 1:1, everything painted",
        median(panned),
        "ms",
        target,
        f"worst {max(panned):.0f}",
    )
    natural = frames(lambda _: view.camera.scroll(QPoint(13, 0)), times)
    yield Row(group, "pan at 1:1, as Qt scrolls", median(natural), "ms", target)
    view.camera.look_at(view.scene().boxes[middle].rect.center())
    yield _drag(group, "drag one node", view, middle, target, times)
    yield from _select(group, view, times)
    yield from _pointer(group, view, target, times)
    near = [
        key for key, box in view.scene().boxes.items() if _seen(view, box.rect.center())
    ]
    view.select(near)
    yield _drag(group, f"drag {len(near)} nodes at 1:1", view, middle, target, times)
    view.select(list(view.scene().nodes)[:500])
    view.camera.fit_all(glide=False)
    yield _drag(
        group,
        "drag 500 nodes, all visible",
        view,
        view.chosen_nodes()[250],
        target,
        max(6, times // 4),
    )
    yield _undo(group, "undo a move of 500 nodes", view, max(6, times // 4))
    view.select(view.chosen_nodes()[:1])
    yield _undo(group, "undo a move of one node", view, max(6, times // 4))
    view.select(())


def _all_visible(group: str, view: CanvasView, count: int, times: int) -> Iterator[Row]:
    view.camera.fit_all(glide=False)
    QApplication.processEvents()
    whole = frames(lambda _: None, times, view.viewport())
    yield Row(
        group, "all visible, whole repaint", median(whole), "ms", ALL_VISIBLE.get(count)
    )
    anew = frames(lambda _: view.overview.forget(), max(4, times // 4), view.viewport())
    yield Row(group, "all visible, after an edit", median(anew), "ms")


def _zoom(
    group: str, view: CanvasView, target: float | None, times: int
) -> Iterator[Row]:
    """From everything to 150 % with the wheel. The first way shapes texts and makes
    pictures that later ones have.
    """
    rounds = []
    for _ in range(4 if times > 10 else 2):
        view.camera.fit_all(glide=False)
        QApplication.processEvents()
        step = (1.5 / view.zoom) ** (1 / ZOOM_STEPS)
        rounds.append(
            frames(lambda _, step=step: view.camera.zoom_by(step), ZOOM_STEPS)
        )  # type: ignore[misc]
    first = rounds[0]
    later = [median(step) for step in zip(*rounds[1:], strict=True)]
    yield Row(
        group,
        "zoom, worst step, first time",
        max(first),
        "ms",
        target,
        f"median {median(first):.1f}",
    )
    yield Row(
        group,
        "zoom, worst step",
        max(later),
        "ms",
        target,
        f"median {median(later):.1f}",
    )


def _drag(
    group: str, name: str, view: CanvasView, node: str, target: float | None, times: int
) -> Row:
    start = view.mapFromScene(view.scene().boxes[node].rect.center())
    _mouse(view, QEvent.Type.MouseButtonPress, start, LEFT)

    def move(k: int) -> None:
        _mouse(
            view,
            QEvent.Type.MouseMove,
            start + QPoint(8 + 4 * (k % 30), 8 * (k % 5)),
            LEFT,
        )

    moves = frames(move, times)
    view.cancel_gesture()
    QApplication.processEvents()
    return Row(group, name, median(moves), "ms", target, f"worst {max(moves):.0f}")


def _pointer(
    group: str, view: CanvasView, target: float | None, times: int
) -> Iterator[Row]:
    """What the mouse does at 1:1 and with everything in view."""
    for where in ("at 1:1", "all visible"):
        over = frames(
            lambda k: _mouse(
                view,
                QEvent.Type.MouseMove,
                QPoint(30 + k * 37 % 1400, 40 + k * 53 % 900),
                NONE,
            ),
            times,
        )
        yield Row(
            group,
            f"hover, {where}",
            median(over),
            "ms",
            target,
            f"worst {max(over):.0f}",
        )
        band = _band(view, max(8, times // 3))
        yield Row(
            group,
            f"rubber band, {where}",
            median(band),
            "ms",
            note=f"worst {max(band):.0f}",
        )
        if where == "at 1:1":
            view.camera.fit_all(glide=False)
            QApplication.processEvents()
    view.camera.zoom_to(1)
    view.camera.look_at(
        view.scene().boxes[f"n{len(view.scene().nodes) // 2}"].rect.center()
    )
    QApplication.processEvents()


def _band(view: CanvasView, steps: int) -> list[float]:
    """From one corner nearly to the other."""
    view.select(())
    size = view.viewport().size()
    _mouse(view, QEvent.Type.MouseButtonPress, _nothing(view), LEFT)

    def move(k: int) -> None:
        share = (k + 1) / (steps + 1)
        to = QPoint(round(size.width() * share), round(size.height() * share))
        _mouse(view, QEvent.Type.MouseMove, to, LEFT)

    moves = frames(move, steps)
    view.cancel_gesture()
    return moves


def _nothing(view: CanvasView) -> QPoint:
    """A place near the top left corner where no node, port or wire is."""
    places = (QPoint(x, y) for x in range(3, 400, 12) for y in range(3, 400, 12))
    around = (
        (place, QRectF(view.mapToScene(place), QSizeF(1, 1)).adjusted(-20, -20, 20, 20))
        for place in places
    )
    return next(
        (place for place, area in around if not view.scene().inside(area)), QPoint(3, 3)
    )


def _undo(group: str, name: str, view: CanvasView, times: int) -> Row:
    boxes = view.scene().boxes
    stack = view.document.undo_stack
    view.commands.move(
        {
            key: (boxes[key].rect.x() + 40, boxes[key].rect.y() + 24)
            for key in view.chosen_nodes()
        }
    )
    QApplication.processEvents()
    turns = frames(lambda k: stack.undo() if k % 2 == 0 else stack.redo(), times)
    return Row(group, name, median(turns), "ms", note=f"worst {max(turns):.0f}")


def _select(group: str, view: CanvasView, times: int) -> Iterator[Row]:
    def step(k: int) -> None:
        view.select_all() if k % 2 == 0 else view.select(())

    near = frames(step, max(6, times // 3))[::2]
    yield Row(
        group, "select all at 1:1", median(near), "ms", note=f"worst {max(near):.0f}"
    )
    view.camera.fit_all(glide=False)
    QApplication.processEvents()
    far = frames(step, max(6, times // 3))[::2]
    yield Row(
        group,
        "select all, all visible",
        median(far),
        "ms",
        note=f"worst {max(far):.0f}",
    )
    view.select(())
    view.camera.zoom_to(1)
    view.camera.look_at(
        view.scene().boxes[f"n{len(view.scene().nodes) // 2}"].rect.center()
    )
    QApplication.processEvents()


def _seen(view: CanvasView, point: QPointF) -> bool:
    return view.viewport().rect().contains(view.mapFromScene(point))


def _mouse(
    view: CanvasView, kind: QEvent.Type, at: QPoint, held: Qt.MouseButton
) -> None:
    button = NONE if kind == QEvent.Type.MouseMove else LEFT
    place = QPointF(at)
    event = QMouseEvent(
        kind,
        place,
        view.viewport().mapToGlobal(place),
        button,
        held,
        Qt.KeyboardModifier.NoModifier,
    )
    QApplication.sendEvent(view.viewport(), event)
