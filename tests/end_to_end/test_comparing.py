"""Comparing in the window, with a real host: two moments, the first difference, another
store, and two invocations of a sub-workflow. Only mouse and keys.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu

from designer.model import files
from designer.model.design import Design
from designer.model.inside import value_of
from designer.model.layout.arrange import arrange
from designer.panels.compare.panel import ComparePanel
from designer.panels.timeline.handles import chip_rect
from designer.panels.timeline.panel import TimelinePanel
from designer.shell.stores.store_dialog import StoreDialog
from runtime import (
    Executor,
    Workflow,
    WorkflowBuilder,
    WorkflowContext,
    handler,
)
from runtime.document.definition import (
    DirectEdge,
    FanOutEdge,
    NodeDefinition,
    WorkflowDefinition,
)
from runtime.stores import open_store
from tests.designer.shell.support import Hand

pytestmark = pytest.mark.slow
MENUS = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)


class Half(Executor):
    def __init__(self, id: str, step: int = 0) -> None:
        super().__init__(id)
        self._step = step

    @handler
    async def half(self, number: int, ctx: WorkflowContext[int, int]) -> None:
        ctx.set_state("number", number)
        if number > 2:
            extra = self._step if number < 10 else 0
            await ctx.send_message(number // 2 + extra)
        else:
            await ctx.yield_output(number)


def halves(store: Any = None, step: int = 0) -> Workflow:
    half = Half("half", step)
    builder = WorkflowBuilder(
        name="halves", start_executor=half, checkpoint_storage=store
    )
    return builder.add_edge(half, half).build()


async def fill(url: str, make: Callable[[Any], Workflow]) -> None:
    store = open_store(url)
    await make(store).run(40)
    await store.close()


@pytest.fixture
def url(tmp_path: Path) -> str:
    url = f"sqlite:{tmp_path / 'runs.db'}"
    asyncio.run(fill(url, halves))
    asyncio.run(fill(f"sqlite:{tmp_path / 'other.db'}", partial(halves, step=1)))
    return url


def look_into(hand: Hand, url: str) -> ComparePanel:
    hand.window.files.open_store(url, read_only=True)
    hand.wait(lambda: hand.workspace.session.moment is not None)
    hand.show("Timeline")
    compare = hand.workspace.panels["Compare"]
    assert isinstance(compare, ComparePanel)
    return compare


def strip_of(hand: Hand) -> TimelinePanel:
    panel = hand.workspace.panels["Timeline"]
    assert isinstance(panel, TimelinePanel)
    return panel


def click_mark(hand: Hand, number: int) -> None:
    strip = strip_of(hand).strip
    id = hand.workspace.session.timeline.header_at(number - 1).id
    hand.click(strip.viewport(), strip.point_of(id))


def compared(hand: Hand) -> None:
    session = hand.workspace.session
    hand.wait(lambda: session.is_compared)


def popup(text: str) -> None:
    """Click an entry of the menu that is open."""
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    for action in menu.actions():
        if action.text() == text:
            place = menu.actionGeometry(action).center()
            QTest.mouseClick(menu, Qt.MouseButton.LeftButton, pos=place)
            return
    raise AssertionError([action.text() for action in menu.actions()])


def test_two_moments_of_a_run_are_compared_by_mouse_and_keys(
    hand: Hand, url: str, tmp_path: Path
) -> None:
    before = (tmp_path / "runs.db").read_bytes()
    panel = look_into(hand, url)
    session = hand.workspace.session
    click_mark(hand, 3)
    hand.key(Qt.Key.Key_A)
    click_mark(hand, 5)
    compared(hand)
    assert panel.isVisible()
    assert "≠ number: 20 → 5" in panel.text()
    chips = [mark.text for mark in hand.workspace.canvas.scene().marks if mark.glyph]
    assert any("difference" in text for text in chips)
    # The handle A goes one checkpoint on.
    strip = strip_of(hand).strip
    mark = QPointF(strip.point_of(session.base))
    chip = chip_rect(mark, "A", strip.compared.handles).center().toPoint()
    fourth = session.timeline.header_at(3).id
    hand.drag(strip.viewport(), chip, strip.point_of(fourth))
    compared(hand)
    assert "≠ number: 10 → 5" in panel.text()
    hand.click(panel.sides.swap)
    compared(hand)
    assert "≠ number: 5 → 10" in panel.text()
    hand.click(panel.close_button)
    assert not panel.isVisible()
    assert hand.close()
    assert (tmp_path / "runs.db").read_bytes() == before


@MENUS
def test_a_run_of_another_store_parts_at_an_executor(
    hand: Hand, url: str, tmp_path: Path
) -> None:
    before = (tmp_path / "other.db").read_bytes()
    panel = look_into(hand, url)
    session = hand.workspace.session
    click_mark(hand, 2)
    hand.key(Qt.Key.Key_D, Qt.KeyboardModifier.ControlModifier)
    hand.click(panel.sides.choose)
    popup("A run of another store…")
    (dialog,) = hand.window.findChildren(StoreDialog)
    assert not dialog.only_read.isVisible()
    QTest.keyClicks(dialog.field, str(tmp_path / "other.db"))
    hand.click(dialog.open_button)
    hand.wait(lambda: session.base_name == "other.db, run 1")
    compared(hand)
    assert panel.sides.base.text() == "other.db, run 1"
    hand.click(panel.as_first)
    hand.wait(lambda: session.divergence is not None)
    reason = session.divergence.reason
    assert reason is not None
    assert reason.executor == "half"
    table = panel.first.table
    first = next(
        place for place, row in enumerate(panel.first.rows.rows) if row.is_first
    )
    place = table.visualRect(panel.first.rows.index(first, 0)).center()
    hand.click(table.viewport(), place)
    compared(hand)
    assert (session.base, session.base_name) == (
        session.divergence.first_base,
        "other.db, run 1",
    )
    assert session.viewing == session.divergence.first_other
    assert hand.close()
    assert (tmp_path / "other.db").read_bytes() == before
    assert hand.somebody.told == []


def texts(folder: Path) -> Path:
    """A document in which two invocations of a sub-workflow ask at the same time."""
    keep = NodeDefinition(
        id="keep", type="set_state", params={"key": "seen", "value": "message"}
    )
    ask = NodeDefinition(id="ask", type="ask", params={"question": "Any changes?"})
    inner = WorkflowDefinition(
        start="keep",
        nodes=(keep, ask),
        edges=(DirectEdge(id="on", source="keep", target="ask"),),
    )
    review = NodeDefinition(
        id="review",
        type="sub_workflow",
        params={"inline": value_of(Design(inner, {}))},
    )
    nodes = (
        NodeDefinition(id="in", type="input"),
        NodeDefinition(id="one", type="template", params={"text": "one"}),
        NodeDefinition(id="two", type="template", params={"text": "two"}),
        review,
    )
    edges = (
        FanOutEdge(id="fan", source="in", targets=("one", "two")),
        DirectEdge(id="first", source="one", target="review"),
        DirectEdge(id="second", source="two", target="review"),
    )
    workflow = WorkflowDefinition(
        name="texts", start="in", input="go", nodes=nodes, edges=edges
    )
    path = folder / "texts.stepwell.json"
    files.save(path, Design(workflow, arrange(Design(workflow, {}))))
    return path


@MENUS
def test_two_invocations_of_a_sub_workflow_are_compared(
    hand: Hand, tmp_path: Path
) -> None:
    hand.window.files.open(texts(tmp_path))
    workspace = hand.workspace
    session = workspace.session
    workspace.run()
    hand.wait_stopped("waiting")
    hand.show("Timeline")
    compare = workspace.panels["Compare"]
    assert isinstance(compare, ComparePanel)
    strip_of(hand).strip.setFocus()
    hand.key(Qt.Key.Key_D, Qt.KeyboardModifier.ControlModifier)
    compared(hand)
    workspace.levels.go_in("review")
    hand.wait(lambda: session.is_compared)
    hand.wait(compare.sides.invocation.isVisible)
    hand.click(compare.sides.invocation)
    popup("review#1, its superstep 1")
    compared(hand)
    assert session.comparison is not None
    assert session.comparison.base_run == "review#1"
    assert "seen: 'one' → 'two'" in compare.text()
    assert not compare.as_first.isEnabled()
    assert hand.somebody.told == []
