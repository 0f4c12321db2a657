"""Pictures of the canvas to be looked at: python -m tests.designer.canvas.pictures
FOLDER
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QApplication, QWidget

from designer.canvas.view import CanvasView
from designer.document.document import Document
from designer.look.fonts import load_fonts, ui_font
from designer.look.stylesheet import palette, stylesheet
from designer.look.theme import Look
from runtime.debug.protocol import ProgressBody
from runtime.document.problem import Problem
from tests.designer.canvas.gallery import gallery
from tests.designer.canvas.support import (
    FakeChecks,
    catalogue,
    half_full,
    licence_audit,
)
from tests.designer.fake_session import FakeSession


def shoot(widget: CanvasView, path: Path, scale: float = 1) -> None:
    image = QImage(widget.size() * scale, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(scale)
    painter = QPainter(image)
    QWidget.render(widget, painter, QPoint())
    painter.end()
    image.save(str(path))


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    app = QApplication([])
    app.setEffectEnabled(Qt.UIEffect.UI_FadeMenu, False)
    load_fonts()
    app.setFont(ui_font(13))
    for name in ("dark", "light"):
        look = Look(name)
        app.setStyleSheet(stylesheet(look.theme))
        app.setPalette(palette(look.theme))
        document = Document()
        session = FakeSession(catalogue().values())
        checks = FakeChecks()
        view = CanvasView(document, session, look, checks=checks)
        view.clock.reduce_motion = True
        view.resize(1224, 584)
        view.show()
        shoot(view, folder / f"empty-{name}.png")
        document.apply("open", licence_audit())
        view.camera.zoom_to(1)
        view.centerOn(612 + 40, 292 + 140)
        checks.find(Problem(severity="error", rule="x", message="", location="switch"))
        document.select({"route_by_licence"})
        view.floating.show_minimap(True)
        shoot(view, folder / f"edit-{name}.png")
        view.node_search.open(QPoint(500, 420), ["age_check"], "out")
        view.popup.field.setText("te")
        shoot(view, folder / f"quick-{name}.png")
        view.popup.drop()
        view.floating.show_minimap(False)
        document.select({"join"})
        shoot(view, folder / f"join-selected-{name}.png")
        document.select(())
        session.look_at(half_full(), "past")
        for scale in (1, 2):
            shoot(view, folder / f"past-{name}-{scale}00.png", scale)
        for zoom in (0.6, 0.4, 0.25):
            view.camera.zoom_to(zoom)
            shoot(view, folder / f"past-{name}-zoom{zoom * 100:.0f}.png")
        view.camera.zoom_to(1)
        session.running = True
        session.progress = ProgressBody(
            superstep=9,
            running={"classify_licences": 1.1, "dependency_graph": 1.1},
            done={"age_check": 0.312},
        )
        session.look_at(half_full(), "live")
        shoot(view, folder / f"live-{name}.png")
        session.running = False
        design, moment = gallery()
        session.look_at(None, "edit")
        document.apply("gallery", design)
        view.resize(1480, 960)
        view.camera.zoom_to(1)
        view.centerOn(740, 470)
        shoot(view, folder / f"gallery-edit-{name}.png")
        session.look_at(moment, "past")
        shoot(view, folder / f"gallery-{name}.png")
        view.dispose()
        view.deleteLater()
    app.processEvents()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
