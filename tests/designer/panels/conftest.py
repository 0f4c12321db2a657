"""A document, a fake session and a panel that is shown, for the tests of the panels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from designer.document.checks import Checks
from designer.document.document import Document
from designer.look.fonts import load_fonts
from designer.look.theme import Look
from tests.designer.fake_session import FakeSession
from tests.designer.panels import fakes

_fonts_loaded = False


@pytest.fixture
def look(qapp: QApplication) -> Look:
    global _fonts_loaded  # noqa: PLW0603 - once per process
    if not _fonts_loaded:
        load_fonts()
        _fonts_loaded = True
    return Look("light")


@pytest.fixture
def document(qapp: QApplication, tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("STEPWELL_DATA_DIR", str(tmp_path))
    made = Document()
    made.apply("Draw", fakes.design())
    made.undo_stack.clear()
    yield made
    made.close()


@pytest.fixture
def session(qapp: QApplication) -> FakeSession:
    made = FakeSession()
    made.know(fakes.infos())
    return made


@pytest.fixture
def checks(document: Document, session: Any) -> Checks:
    return Checks(document, session)


@pytest.fixture
def show(
    qtbot: QtBot, document: Document, session: Any, look: Look, checks: Checks
) -> Callable[..., Any]:
    """Make a panel and show it."""

    def make(panel: type, width: int = 376, height: int = 700) -> Any:
        made = panel(document, session, look, checks=checks)
        qtbot.addWidget(made)
        made.resize(width, height)
        made.show()
        qtbot.waitExposed(made)
        return made

    return make


def texts(widget: QWidget, kind: type) -> list[str]:
    """The texts of all shown widgets of a kind."""
    QApplication.processEvents()  # what was put into a layout is shown by an event
    return [
        found.text() for found in widget.findChildren(kind) if found.isVisibleTo(widget)
    ]
