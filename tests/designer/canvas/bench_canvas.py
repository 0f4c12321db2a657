"""What the canvas costs in CPU time, which other programs do not change; printed, not
asserted.

python -m tests.designer.canvas.bench_canvas [NODES...]
"""

from __future__ import annotations

import os
import random
import statistics
import sys
import time
from collections.abc import Callable

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QApplication

from designer.canvas.view import CanvasView
from designer.document.document import Document
from designer.look.fonts import load_fonts
from designer.look.theme import Look
from designer.model.design import Design
from runtime.debug.protocol import Moment, NodeMoment
from runtime.document.definition import DirectEdge, NodeDefinition, WorkflowDefinition
from tests.designer.canvas.support import catalogue
from tests.designer.fake_session import FakeSession


def say(*words: object) -> None:
    sys.stdout.write(" ".join(map(str, words)) + "\n")


def memory() -> float:
    with open("/proc/self/statm", encoding="ascii") as file:  # noqa: PTH123
        return int(file.read().split()[1]) * 4096 / 1e6


def layered(count: int) -> Design:
    """1.5 edges a node, mostly one layer on, 1 % back."""
    dice = random.Random(count)  # noqa: S311
    high = max(4, int(count**0.5))
    nodes = tuple(
        NodeDefinition(id=f"n{k}", type="function", name=f"Node number {k}")
        for k in range(count)
    )
    positions = {f"n{k}": (k // high * 280.0, k % high * 92.0) for k in range(count)}
    pairs: dict[tuple[int, int], None] = {}
    while len(pairs) < count * 1.5:
        a = dice.randrange(count)
        if dice.random() < 0.01:
            b = dice.randrange(count)
        else:
            b = a + high + dice.randrange(-3, 4)
        if 0 <= b < count and a != b:
            pairs[a, b] = None
    edges = tuple(
        DirectEdge(id=f"e{a}-{b}", source=f"n{a}", target=f"n{b}") for a, b in pairs
    )
    return Design(WorkflowDefinition(start="n0", nodes=nodes, edges=edges), positions)


def frames(
    view: CanvasView, step: Callable[[int], object], count: int, *, whole: bool = True
) -> str:
    times = []
    for k in range(count):
        began = time.process_time()
        step(k)
        view.viewport().repaint() if whole else QApplication.processEvents()
        times.append((time.process_time() - began) * 1000)
    return f"{statistics.median(times):6.1f} (worst {max(times):6.1f})"


def mouse(
    view: CanvasView, kind: QEvent.Type, at: QPoint, held: Qt.MouseButton
) -> None:
    if kind == QEvent.Type.MouseMove:
        button = Qt.MouseButton.NoButton
    else:
        button = Qt.MouseButton.LeftButton
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


def drag(view: CanvasView, node: str) -> str:
    start = view.mapFromScene(view.scene().boxes[node].rect.center())
    mouse(view, QEvent.Type.MouseButtonPress, start, Qt.MouseButton.LeftButton)

    def step(k: int) -> None:
        mouse(
            view,
            QEvent.Type.MouseMove,
            start + QPoint(8 + 8 * k, 8 * (k % 5)),
            Qt.MouseButton.LeftButton,
        )

    result = frames(view, step, 30, whole=False)
    view.cancel_gesture()
    return result


def measure(app: QApplication, count: int) -> None:
    design = layered(count)
    look = Look("dark")
    session = FakeSession(catalogue().values())
    document = Document()
    before = memory()
    view = CanvasView(document, session, look)
    view.clock.reduce_motion = True
    view.resize(1600, 1000)
    view.show()
    app.processEvents()
    began = time.process_time()
    document.apply("open", design)
    view.camera.zoom_to(1)
    view.camera.look_at(view.scene().boxes[f"n{count // 2}"].rect.center())
    view.viewport().repaint()
    say(
        f"\n{count} nodes: open {time.process_time() - began:.2f} s, {memory() - before:.0f} MB"
    )
    say(
        "  pan 1:1, whole repaint ",
        frames(view, lambda k: view.camera.scroll(QPoint(13, 0)), 40),
    )
    say(
        "  pan 1:1, natural       ",
        frames(view, lambda k: view.camera.scroll(QPoint(13, 0)), 40, whole=False),
    )
    say("  drag one node          ", drag(view, f"n{count // 2}"))
    view.camera.zoom_to(0.4)
    say(
        "  0.4, whole repaint     ",
        frames(view, lambda k: view.camera.scroll(QPoint(9, 0)), 20),
    )
    view.camera.fit_all()
    fit = view.zoom
    say(
        f"  fit ({fit:.2f}), repaint    ",
        frames(view, lambda k: view.overview.forget(), 10),
        "batches made anew",
    )
    say(
        "  fit, repaint           ",
        frames(view, lambda k: view.camera.scroll(QPoint(1 - k % 2 * 2, 0)), 20),
    )
    say(
        "  zoom, fit to 1.5       ",
        frames(view, lambda k: view.camera.zoom_to(fit * (1.5 / fit) ** (k / 23)), 24),
    )
    view.camera.fit_all()
    say(
        "  select all, repaint    ",
        frames(view, lambda k: view.select_all() if k % 2 else view.select(()), 6),
    )
    states = ("ran", "done", "next", "failed")
    moments = [
        Moment(
            superstep=k,
            nodes={
                f"n{i}": NodeMoment(state=states[(i + k) % 4]) for i in range(count)
            },
        )
        for k in range(4)
    ]
    say(
        "  another moment, fit    ",
        frames(view, lambda k: session.look_at(moments[k % 4], "past"), 8),
    )
    view.camera.zoom_to(1)
    say(
        "  another moment, 1:1    ",
        frames(view, lambda k: session.look_at(moments[k % 4], "past"), 8),
    )
    view.dispose()
    view.deleteLater()
    app.processEvents()


if __name__ == "__main__":
    application = QApplication([])
    load_fonts()
    for size in [int(text) for text in sys.argv[1:]] or [1000, 5000]:
        measure(application, size)
