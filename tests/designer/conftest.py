"""A shown window without processes: the host is a link that records what is sent to it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from designer.session.session import DebugSession
from tests.designer.fakes import RecordingLink
from tests.designer.shell.support import Hand, opened


@pytest.fixture
def hand(
    qtbot: QtBot,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> Iterator[Hand]:
    """A window; without the style sheet, unless the test is marked `styled`."""
    monkeypatch.setenv("STEPWELL_DATA_DIR", str(tmp_path / "data"))
    styled = request.node.get_closest_marker("styled") is not None
    with opened(
        qtbot, tmp_path, lambda: DebugSession(RecordingLink()), styled=styled
    ) as hand:
        yield hand
