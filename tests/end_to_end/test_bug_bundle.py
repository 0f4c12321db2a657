"""A fault seen in the window becomes a bundle, and the bundle opens in the window at the
checkpoint that it is about.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from tests.designer.shell.support import HOST, Hand, opened
from tests.designer.shell.test_exchange import drop
from tests.runtime.command_line import OUTPUT, edge, template, write


@pytest.fixture
def hand(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Hand]:
    monkeypatch.setenv("STEPWELL_DATA_DIR", str(tmp_path / "data"))
    with opened(qtbot, tmp_path, painted=False) as hand:
        yield hand


def test_a_fault_becomes_a_bundle_that_opens_at_its_checkpoint(
    hand: Hand, tmp_path: Path
) -> None:
    folder = tmp_path / "flow"
    folder.mkdir()
    nodes = [template("start", "{message}!"), OUTPUT]
    path = write(folder, "greeting", nodes, [edge("start", "result")], input="hi")
    hand.window.files.open(path)
    hand.workspace.run()
    hand.wait_stopped("finished")
    session = hand.workspace.session
    first = session.timeline.header_at(0).id
    session.view(first)
    hand.wait(lambda: session.viewing == first)
    hand.window.actions_by_id["bundle"].trigger()
    dialog = hand.window.bundles.dialog
    assert dialog is not None
    hand.wait(lambda: "comes out as it was recorded" in dialog.error.text())
    hand.qtbot.keyClicks(dialog.expected, 'messages[0]["data"] == "hi?"')
    hand.wait(lambda: dialog.verdict.text() == "fails, as it should")
    assert dialog.actual.toPlainText() == 'messages[0]["data"] == "hi!"'
    hand.click(dialog.write_button)
    bundle = folder / "bugs" / "greeting-1"
    hand.wait(bundle.is_dir)
    assert drop(hand, bundle)
    hand.qtbot.waitUntil(
        lambda: hand.workspace.document.path == bundle / "greeting.stepwell.json",
        timeout=HOST,
    )
    session = hand.workspace.session
    hand.wait(lambda: session.viewing == first)
    assert session.timeline.rowCount() == 2
