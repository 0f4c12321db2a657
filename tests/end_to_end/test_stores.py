"""A store in the window, with a real host: its runs are listed, filtered, opened and
deleted, and nothing is run.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from designer.shell.stores.runs_dialog import RunsDialog
from designer.shell.stores.store_dialog import StoreDialog
from runtime import Executor, WorkflowBuilder, WorkflowContext, handler
from runtime.stores import open_store
from tests.designer.shell.support import Hand

pytestmark = pytest.mark.slow

OTHERS = 23


class Half(Executor):
    @handler
    async def half(self, number: int, ctx: WorkflowContext[int, int]) -> None:
        if number % 2:
            raise ValueError("odd")
        if number > 2:
            await ctx.send_message(number // 2)
        else:
            await ctx.yield_output(number)


async def fill(url: str) -> None:
    """Runs of two workflows that no file describes: one of `halves`, which fails, and
    many of `ones`.
    """
    store = open_store(url)
    half = Half("half")
    halves = (
        WorkflowBuilder(name="halves", start_executor=half, checkpoint_storage=store)
        .add_edge(half, half)
        .build()
    )
    with pytest.raises(ValueError, match="odd"):
        await halves.run(12)
    for _ in range(OTHERS):
        await (
            WorkflowBuilder(
                name="ones", start_executor=Half("half"), checkpoint_storage=store
            )
            .build()
            .run(2)
        )
    await store.close()


@pytest.fixture
def url(tmp_path: Path) -> str:
    url = f"sqlite:{tmp_path / 'runs.db'}"
    asyncio.run(fill(url))
    return url


def open_by_dialog(hand: Hand, text: str, *, only_read: bool) -> None:
    hand.window.open_store()
    (dialog,) = hand.window.findChildren(StoreDialog)
    assert not dialog.open_button.isEnabled()
    QTest.keyClicks(dialog.field, text)
    if not only_read:
        hand.click(dialog.only_read, QPoint(8, dialog.only_read.height() // 2))
    hand.click(dialog.open_button)
    session = hand.workspace.session
    hand.wait(lambda: session.moment is not None)


def runs_dialog(hand: Hand) -> RunsDialog:
    hand.window.show_runs()
    (dialog,) = [
        each for each in hand.window.findChildren(RunsDialog) if each.isVisible()
    ]
    hand.wait(lambda: dialog.filter.rowCount() > 0)
    return dialog


def choose(combo: object, text: str) -> None:
    combo.setCurrentIndex(combo.findText(text))  # type: ignore[attr-defined]


def test_a_store_without_any_file_is_looked_into_and_not_changed(
    hand: Hand, url: str, tmp_path: Path
) -> None:
    before = (tmp_path / "runs.db").read_bytes()
    open_by_dialog(hand, str(tmp_path / "runs.db"), only_read=True)
    workspace = hand.workspace
    assert (workspace.document.title, workspace.session.mode) == ("runs.db", "past")
    assert set(workspace.canvas.scene().boxes) == {"half"}
    assert workspace.why_not_run.startswith("This tab looks into a store")
    hand.key(Qt.Key.Key_F5)
    hand.key(Qt.Key.Key_E, Qt.KeyboardModifier.ControlModifier)
    assert workspace.session.mode == "past"
    dialog = runs_dialog(hand)
    assert not dialog.delete_button.isEnabled()
    assert dialog.delete_button.toolTip() == "This store is opened for reading only."
    dialog.reject()
    assert hand.close()
    assert (tmp_path / "runs.db").read_bytes() == before
    assert hand.somebody.told == []


def test_runs_are_filtered_opened_and_several_deleted(
    hand: Hand, url: str, tmp_path: Path
) -> None:
    open_by_dialog(hand, url, only_read=False)
    dialog = runs_dialog(hand)
    assert dialog.says.text() == f"{OTHERS + 1} runs · 1 selected"

    choose(dialog.outcomes, "Not finished")
    hand.wait(lambda: dialog.filter.rowCount() == 1)
    assert dialog.says.text().startswith(f"1 of {OTHERS + 1} runs")
    QTest.keyClicks(dialog.search, "ones")
    assert dialog.filter.rowCount() == 0
    assert dialog.content.notice.isVisible()
    dialog.search.clear()
    index = dialog.filter.index(0, 0)
    place = dialog.table.visualRect(index).center()
    hand.click(dialog.table.viewport(), place)
    hand.qtbot.mouseDClick(
        dialog.table.viewport(), Qt.MouseButton.LeftButton, pos=place
    )
    session = hand.workspace.session
    hand.wait(
        lambda: (
            session.moment is not None and session.moment.header.workflow == "halves"
        )
    )
    assert len(session.runs) == OTHERS + 1

    dialog = runs_dialog(hand)
    QTest.keyClicks(dialog.search, "ones")
    dialog.table.selectAll()
    assert len(dialog.chosen) == OTHERS
    dialog.table.setFocus()
    QTest.keyClick(dialog.table, Qt.Key.Key_Delete)
    assert (
        hand.somebody.asked[-1]
        == f"delete {OTHERS}: {2 * OTHERS} checkpoints of ones are deleted for ever, pinned ones too."
    )
    hand.wait(lambda: len(session.runs) == 1)
    assert session.moment.header.workflow == "halves"
    dialog.search.clear()
    dialog.table.selectAll()
    hand.click(dialog.delete_button)
    hand.wait(lambda: session.runs == ())
    assert dialog.content.notice.isVisible()
    dialog.reject()


def test_a_store_that_is_not_there_cannot_be_chosen(hand: Hand, tmp_path: Path) -> None:
    hand.window.open_store()
    (dialog,) = hand.window.findChildren(StoreDialog)
    QTest.keyClicks(dialog.field, str(tmp_path / "nothing.db"))
    assert not dialog.open_button.isEnabled()
    assert "There is no file" in dialog.open_button.toolTip()
    dialog.reject()
    assert hand.window.workspaces == []
    assert not (tmp_path / "nothing.db").exists()


def test_two_runs_are_compared(hand: Hand, url: str) -> None:
    open_by_dialog(hand, url, only_read=True)
    dialog = runs_dialog(hand)
    assert (dialog.compare_button.isEnabled(), dialog.compare_button.toolTip()) == (
        False,
        "Select two runs to compare them.",
    )
    choose(dialog.outcomes, "All outcomes")
    dialog.table.clearSelection()
    for at in (0, dialog.filter.rowCount() - 1):
        dialog.table.scrollTo(dialog.filter.index(at, 0))
        place = dialog.table.visualRect(dialog.filter.index(at, 0)).center()
        hand.qtbot.mouseClick(
            dialog.table.viewport(),
            Qt.MouseButton.LeftButton,
            Qt.KeyboardModifier.ControlModifier,
            place,
        )
    hand.click(dialog.compare_button)
    session = hand.workspace.session
    hand.wait(lambda: session.comparison is not None)
    assert (
        hand.workspace.status_words().name
        == f"Comparing run 1 with run {len(session.runs)}, #2"
    )
    assert session.comparison.changes
    hand.press("Stop comparing", hand.workspace.banner)
    assert session.base == ""
