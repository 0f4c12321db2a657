"""The timeline and the board of a store, with a real host: looking at everything changes
no byte of it.
"""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu

from designer.panels.board.model import Spot
from designer.panels.board.panel import BoardPanel
from designer.panels.timeline.gutter import triangle_of
from designer.panels.timeline.jump import JumpField
from designer.panels.timeline.panel import TimelinePanel
from runtime import WorkflowBuilder, WorkflowContext, executor
from runtime.engine.runner import Runner
from runtime.stores import open_store
from tests.designer.shell.support import Hand

pytestmark = [
    pytest.mark.slow,
    pytest.mark.qt_log_ignore("This plugin does not support", extend=True),
]
STEPS = 6
LEFT = Qt.MouseButton.LeftButton
SHIFT = Qt.KeyboardModifier.ShiftModifier
CTRL = Qt.KeyboardModifier.ControlModifier


@executor(id="count")
async def count(message: int, ctx: WorkflowContext[int]) -> None:
    ctx.set_state("seen", list(range(message)))
    await ctx.send_message(message + 1)


async def fill(url: str) -> None:
    """A run of six supersteps, and a fork of its third checkpoint."""
    store = open_store(url)
    workflow = WorkflowBuilder(start_executor=count).add_edge(count, count).build()
    runner = Runner(workflow, store)
    await runner.start(1)
    for _ in range(STEPS):
        await runner.step()
    third = (await store.headers())[2]
    await runner.restore(third.id, branch="what if")
    await runner.step()
    await store.close()


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "store"
    folder.mkdir()
    asyncio.run(fill(f"sqlite:{folder / 'runs.db'}"))
    return folder


@pytest.fixture
def look(hand: Hand, folder: Path) -> Hand:
    hand.window.files.open_store(f"sqlite:{folder / 'runs.db'}", read_only=True)
    hand.wait(lambda: hand.workspace.session.moment is not None)
    return hand


def panel(hand: Hand, kind: type) -> object:
    return next(each for each in hand.workspace.panels.values() if type(each) is kind)


def choose(menu: QMenu, text: str) -> None:
    next(action for action in menu.actions() if action.text() == text).trigger()


def test_looking_at_everything_of_the_timeline_changes_no_byte_of_the_store(
    look: Hand, folder: Path, tmp_path: Path
) -> None:
    before = contents(folder)
    hand = look
    hand.somebody.export_to = tmp_path / "way.jsonl"
    timeline = panel(hand, TimelinePanel)
    assert isinstance(timeline, TimelinePanel)
    hand.workspace.show_panel("Timeline")
    strip = timeline.strip
    session = hand.workspace.session
    # a place, a way from there across the fork, and its export
    QTest.keyClick(strip, Qt.Key.Key_G, CTRL)
    field = strip.findChild(JumpField)
    QTest.keyClicks(field.field, "#2")
    QTest.keyClick(field.field, Qt.Key.Key_Return)
    hand.wait(lambda: session.moment.header.superstep == 1)
    spot = strip.point_of(session.timeline.header_at(7).id)
    QTest.mouseClick(strip.viewport(), LEFT, SHIFT, spot)
    assert len(strip.selection.rows) == 3
    choose(timeline.make_menu(strip.selection.ids[0]), "Export the 3 selected…")
    hand.wait((tmp_path / "way.jsonl").exists)
    lines = (tmp_path / "way.jsonl").read_text("utf-8").splitlines()
    exported = [json.loads(line) for line in lines]
    assert [len(line["state"]["seen"]) for line in exported] == [1, 2, 3]
    # sizes, folding, playing, and what another process may have saved
    hand.click(timeline.details.sizes_button)
    parts = timeline.details.sizes.parts
    hand.wait(lambda: "seen" in [name.name for name, _ in parts.parts])
    QTest.mouseClick(
        strip.viewport(), LEFT, pos=triangle_of(strip.places, 0, 0).center()
    )
    assert len(strip.branches.shown) == 1
    QTest.keyClick(strip, Qt.Key.Key_Home, CTRL)
    session.growth.look()
    QTest.keyClick(strip, Qt.Key.Key_M)  # bookmarks nothing: the store is only read
    board = panel(hand, BoardPanel)
    assert isinstance(board, BoardPanel)
    hand.workspace.show_panel("Board")
    hand.wait(lambda: board.view.model.column(0, 1) is not None)
    cell = board.view.rect_of(Spot(0, "count", 2)).center()
    QTest.mouseClick(board.view.viewport(), LEFT, pos=cell)
    hand.wait(lambda: session.moment.header.superstep == 2)
    assert hand.somebody.told == []
    assert hand.close()
    assert contents(folder) == before


def test_a_bookmark_of_a_store_that_can_be_written_is_there_for_the_next_window(
    hand: Hand, folder: Path
) -> None:
    url = f"sqlite:{folder / 'runs.db'}"
    hand.window.files.open_store(url, read_only=False)
    session = hand.workspace.session
    hand.wait(lambda: session.moment is not None)
    timeline = panel(hand, TimelinePanel)
    assert isinstance(timeline, TimelinePanel)
    first = session.timeline.header_at(0).id
    strip = timeline.strip
    QTest.mouseClick(strip.viewport(), LEFT, pos=strip.point_of(first) + QPoint(1, 0))
    QTest.keyClick(strip, Qt.Key.Key_M)
    hand.wait(lambda: session.timeline.header_at(0).tags == ("bookmark",))
    assert hand.close()

    async def tags() -> tuple[str, ...]:
        store = open_store(url, read_only=True)
        headers = await store.headers(tag="bookmark")
        await store.close()
        return tuple(header.id for header in headers)

    assert asyncio.run(tags()) == (first,)
