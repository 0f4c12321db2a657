"""What the tests of the whole product share: a window with real runs beside it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from tests.designer.shell.support import Hand, opened


@pytest.fixture
def hand(
    qtbot: QtBot,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> Iterator[Hand]:
    """A window; neither styled nor painted, unless the test is marked `painted`."""
    monkeypatch.setenv("STEPWELL_DATA_DIR", str(tmp_path / "data"))
    painted = request.node.get_closest_marker("painted") is not None
    with opened(qtbot, tmp_path, painted=painted) as hand:
        yield hand
