"""A shown window without processes: the host is a link that records what is sent to it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from designer.session.session import DebugSession
from tests.designer.fakes import RecordingLink
from tests.designer.shell.support import Hand, opened, workspace_alone


@pytest.fixture
def hand(
    qtbot: QtBot,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> Iterator[Hand]:
    """A window; neither styled nor painted, unless the test is marked `painted`."""
    monkeypatch.setenv("STEPWELL_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("STEPWELL_RUN_DIR", str(tmp_path / "run"))
    painted = request.node.get_closest_marker("painted") is not None
    with opened(
        qtbot, tmp_path, lambda: DebugSession(RecordingLink()), painted=painted
    ) as hand:
        yield hand


@pytest.fixture
def desk(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Hand]:
    """A workspace without the window around it, for tests of what stands in it."""
    monkeypatch.setenv("STEPWELL_DATA_DIR", str(tmp_path / "data"))
    session = DebugSession(RecordingLink())
    with workspace_alone(qtbot, tmp_path, session) as desk:
        yield desk
