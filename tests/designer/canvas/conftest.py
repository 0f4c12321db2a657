from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QImage, QMouseEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from designer.canvas.drawing.scene import CanvasScene
from designer.canvas.view import CanvasView
from designer.document.document import Document
from designer.look.fonts import load_fonts
from designer.look.theme import Look
from designer.model.design import Design
from tests.designer.canvas.support import FakeChecks, catalogue, licence_audit
from tests.designer.fake_session import FakeSession

_NO_BUTTON = Qt.MouseButton.NoButton
_LEFT = Qt.MouseButton.LeftButton
_PLAIN = Qt.KeyboardModifier.NoModifier


@dataclass
class Bench:
    """A shown canvas with everything around it, and a hand for the mouse. Places are in
    scene pixels.
    """

    qtbot: QtBot
    document: Document
    session: FakeSession
    checks: FakeChecks
    view: CanvasView

    @property
    def scene(self) -> CanvasScene:
        return self.view.scene()

    @property
    def design(self) -> Design:
        return self.document.design

    def px(self, at: QPointF) -> QPoint:
        return self.view.mapFromScene(at)

    def centre(self, node: str) -> QPointF:
        return self.scene.boxes[node].rect.center()

    def body(self, node: str) -> QPointF:
        """A place on a node that is no port."""
        return self.scene.boxes[node].rect.topLeft() + QPointF(60, 12)

    def outlet(self, node: str) -> QPointF:
        return self.scene.boxes[node].outlet

    def inlet(self, node: str) -> QPointF:
        return self.scene.boxes[node].inlet

    def mouse(
        self,
        kind: str,
        at: QPointF,
        button: Qt.MouseButton = _LEFT,
        modifiers: Qt.KeyboardModifier = _PLAIN,
    ) -> None:
        """A real mouse event: press, move, release or double."""
        kinds = {
            "press": (QEvent.Type.MouseButtonPress, button, button),
            "move": (QEvent.Type.MouseMove, _NO_BUTTON, button),
            "release": (QEvent.Type.MouseButtonRelease, button, _NO_BUTTON),
            "double": (QEvent.Type.MouseButtonDblClick, button, button),
            "hover": (QEvent.Type.MouseMove, _NO_BUTTON, _NO_BUTTON),
        }
        type, one, held = kinds[kind]
        place = QPointF(self.px(at))
        viewport = self.view.viewport()
        event = QMouseEvent(
            type,
            place,
            QPointF(viewport.mapToGlobal(place.toPoint())),
            one,
            held,
            modifiers,
        )
        QApplication.sendEvent(viewport, event)

    def drag(
        self,
        start: QPointF,
        end: QPointF,
        *,
        steps: int = 5,
        release: bool = True,
        modifiers: Qt.KeyboardModifier = _PLAIN,
        button: Qt.MouseButton = _LEFT,
    ) -> None:
        self.mouse("press", start, button, modifiers)
        for k in range(1, steps + 1):
            self.mouse("move", start + (end - start) * (k / steps), button, modifiers)
        if release:
            self.mouse("release", end, button, modifiers)

    def click(self, at: QPointF, modifiers: Qt.KeyboardModifier = _PLAIN) -> None:
        self.mouse("press", at, _LEFT, modifiers)
        self.mouse("release", at, _LEFT, modifiers)

    def key(self, key: Qt.Key, modifiers: Qt.KeyboardModifier = _PLAIN) -> None:
        self.qtbot.keyClick(self.view, key, modifiers)

    def pairs(self, edge: str) -> object:
        return self.scene.topology.edges[edge]

    def position(self, node: str) -> tuple[float, float]:
        return self.design.positions[node]

    @property
    def steps(self) -> int:
        return self.document.undo_stack.index()


def on_screen(bench: Bench) -> QImage:
    """What the screen shows: what was painted piece by piece. `grab` would paint
    everything anew.
    """
    return bench.view.screen().grabWindow(bench.view.winId()).toImage()


@pytest.fixture
def bench(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Bench]:
    """The licence audit on a canvas of 1300 x 760 at 100 %, motion off."""
    monkeypatch.setenv("STEPWELL_DATA_DIR", str(tmp_path / "data"))
    load_fonts()
    document = Document()
    session = FakeSession(catalogue().values())
    checks = FakeChecks()
    view = CanvasView(document, session, Look("dark"), checks=checks)  # type: ignore[arg-type]
    qtbot.addWidget(view)
    view.clock.reduce_motion = True
    view.resize(1300, 760)
    view.show()
    document.apply("open", licence_audit())
    document.undo_stack.clear()
    view.camera.zoom_to(1)
    view.camera.look_at(QPointF(660, 380))
    view.setFocus()
    yield Bench(qtbot, document, session, checks, view)
    view.dispose()
    document.close()
