"""The question where a value comes from, in the workspace: the answer comes to the
front, a step leads to its place, Esc ends it.
"""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from designer.shell.workspace import Workspace
from runtime.debug.protocol import (
    Item,
    OriginAddress,
    OriginLink,
    OriginStep,
    OutputItem,
    OutputsBody,
    ProvenanceBody,
    Value,
)
from tests.designer.shell.support import Hand, link_of, live

ONE = Value(type="int", text="1")


def step(number: int, executor: str, **more: Any) -> OriginStep:
    return OriginStep(
        number=number,
        item=Item(value=ONE, checkpoint_id=f"c{number}", section="queue:0"),
        at=OriginAddress(checkpoint_id=f"c{number}", address="queue:0"),
        executor=executor,
        how="sent",
        superstep=number - 1,
        checkpoint_id=f"c{number}",
        **more,
    )


STEPS = (
    step(1, "scan"),
    step(2, "rank", sources=(OriginLink(number=1, edge="fan"),)),
)


@pytest.fixture
def explained(desk: Hand) -> Workspace:
    """The origin of an output, asked by a click in the Output panel."""
    workspace = live(desk)
    link = link_of(workspace)
    item = OutputItem(
        executor="report", superstep=2, checkpoint_id="c3", index=0, value=ONE
    )
    link.reply("outputs", OutputsBody(items=(item,), checkpoint_id="c3"))
    output = desk.show("Output")
    desk.show("State")
    desk.click(output.origin_button)
    link.reply("provenance", ProvenanceBody(steps=STEPS))
    return workspace


def test_the_answer_comes_to_the_front_and_is_drawn(explained: Workspace) -> None:
    panel = explained.panels["Selected"]
    assert panel.isVisible()
    assert panel.origin.isVisible()
    assert link_of(explained).last("provenance")["arguments"]["address"] == "output:0"
    path = explained.canvas.scene().origin
    assert path.numbers == {"scan": (1,), "rank": (2,)}
    assert path.wires == {("fan", "scan", "rank", None)}


def test_a_step_views_its_superstep_and_selects_its_node(
    desk: Hand, explained: Workspace
) -> None:
    tree = explained.panels["Selected"].origin.tree
    row = tree.values.index(1, 0)
    desk.click(tree.viewport(), tree.visualRect(row).center())
    assert explained.session.viewing == "c1"
    assert explained.document.selection == {"scan"}
    assert explained.canvas.scene().origin.chosen == "scan"
    QTest.keyClick(tree, Qt.Key.Key_Up)
    QTest.keyClick(tree, Qt.Key.Key_Return)
    assert explained.document.selection == {"rank"}


def test_a_double_click_on_a_step_edits_its_value_in_a_copy(
    desk: Hand, explained: Workspace
) -> None:
    tree = explained.panels["Selected"].origin.tree
    place = tree.visualRect(tree.values.index(1, 0)).center()
    desk.click(tree.viewport(), place)
    QTest.mouseDClick(tree.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert explained.session.staged.checkpoint == "c1"
    assert explained.panels["Edit and fork"].isVisible()
    assert not explained.session.origin.is_on


def test_escape_ends_it_before_it_leaves_the_past(
    desk: Hand, explained: Workspace
) -> None:
    explained.session.view("c1")
    explained.back_out()
    assert not explained.session.origin.is_on
    assert explained.canvas.scene().origin.numbers == {}
    assert explained.session.viewing == "c1"


def test_a_run_that_goes_on_ends_it(explained: Workspace) -> None:
    link_of(explained).notice("resumed", {"run_id": "r1"})
    assert not explained.session.origin.is_on


def test_back_to_editing_ends_it(explained: Workspace) -> None:
    explained.session.leave()
    assert not explained.session.origin.is_on
