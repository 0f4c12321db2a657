"""Wires led to another node, by mouse and keys: one step, nothing else of the group
changes, and refusals say why.
"""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPointF, Qt
from pytestqt.qtbot import QtBot

from designer.model import edits
from designer.model.errors import EditError
from runtime.document.definition import (
    EdgeDefinition,
    FanInEdge,
    NodeDefinition,
    SwitchEdge,
)
from tests.designer.canvas.conftest import Bench
from tests.designer.model.designs import (
    design,
    direct,
    fan_out,
    join,
    selection,
    switch,
)

CTRL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier


def edge(bench: Bench, edge_id: str) -> EdgeDefinition:
    return next(one for one in bench.design.workflow.edges if one.id == edge_id)


def drawn(bench: Bench) -> None:
    """a and b lead into c; d stands alone."""
    bench.document.apply(
        "Draw", design("abcd", direct("a", "c", "message > 1"), direct("b", "c"))
    )
    bench.document.undo_stack.clear()
    bench.view.camera.fit_all(glide=False)


def test_ctrl_drag_leads_all_wires_of_a_port_to_another_node_in_one_step(
    bench: Bench,
) -> None:
    drawn(bench)
    bench.drag(bench.inlet("c"), bench.centre("d"), modifiers=CTRL)
    assert bench.design.workflow.edges == (
        direct("a", "d", "message > 1"),
        direct("b", "d"),
    )
    assert bench.document.selection == {"a->d", "b->d"}
    assert bench.document.undo_stack.count() == 1
    bench.document.undo_stack.undo()
    assert {one.id for one in bench.design.workflow.edges} == {"a->c", "b->c"}


def test_with_a_wire_selected_only_that_one_is_led(bench: Bench) -> None:
    drawn(bench)
    bench.document.select(["b->c"])
    bench.drag(bench.inlet("c"), bench.centre("d"), modifiers=CTRL)
    assert [one.id for one in bench.design.workflow.edges] == ["a->c", "b->d"]


@pytest.mark.parametrize("where", ["nowhere", "back", "esc"])
def test_a_wire_that_is_let_go_on_nothing_or_where_it_was_stays(
    bench: Bench, where: str
) -> None:
    drawn(bench)
    before = bench.design
    start = bench.inlet("c")
    end = bench.centre("c") if where == "back" else start + QPointF(0, 150)
    if where == "esc":
        bench.mouse("press", start, modifiers=CTRL)
        bench.mouse("move", bench.centre("d"), modifiers=CTRL)
        bench.key(Qt.Key.Key_Escape)
        bench.mouse("release", bench.centre("d"), modifiers=CTRL)
    else:
        bench.drag(start, end, modifiers=CTRL)
    assert bench.design is before
    assert bench.view.gesture is None
    assert not any(item.port for item in bench.scene.nodes.values())


def test_a_wire_that_would_be_there_twice_is_refused(
    bench: Bench, qtbot: QtBot
) -> None:
    bench.document.apply("Draw", design("abcd", direct("a", "c"), direct("a", "d")))
    before = bench.design
    bench.view.camera.fit_all(glide=False)
    with qtbot.waitSignal(bench.view.message) as told:
        bench.drag(bench.inlet("c"), bench.centre("d"), modifiers=CTRL)
    assert "connected already" in told.args[0]
    assert bench.design is before


def test_keys_lead_the_target_of_a_plain_edge_and_the_source_of_a_group(
    bench: Bench,
) -> None:
    bench.document.apply("Draw", design("abcde", direct("a", "b"), fan_out("c", "de")))
    for chosen, way in (("a->b", Qt.Key.Key_Right), ("fan_out:c", Qt.Key.Key_Left)):
        bench.document.select([chosen])
        bench.key(Qt.Key.Key_C, SHIFT)
        bench.key(way)
        bench.key(Qt.Key.Key_Return)
        assert bench.view.gesture is None
    assert bench.design.workflow.edges == (direct("a", "c"), fan_out("b", "de"))
    assert bench.document.undo_stack.count() == 3


# --- each kind ------------------------------------------------------------------------------------------------------

KINDS = [
    (fan_out("a", "bc"), "in", "b", ("d", "c")),
    (fan_out("a", "bc"), "out", "a", ("b", "c")),
    (join("ab", "c"), "in", "c", ("d",)),
    (join("ab", "c"), "out", "a", ("c",)),
    (switch("a", "bc", "b"), "in", "b", ("d", "c")),
    (switch("a", "bc", "b"), "out", "a", ("b", "c")),
    (selection("a", "bc"), "in", "c", ("b", "d")),
]


@pytest.mark.parametrize(("group", "side", "node", "targets"), KINDS)
def test_a_group_keeps_its_kind_its_order_and_its_conditions(
    group: EdgeDefinition, side: edits.Side, node: str, targets: tuple[str, ...]
) -> None:
    before = design("abcd", group)
    made, (edge_id,) = edits.lead(before, [group.id], side, node, "d")
    (led,) = made.workflow.edges
    assert (led.kind, led.id) == (group.kind, edge_id)
    assert led.target_ids == targets
    assert edits.conditions_of(led) == edits.conditions_of(group)
    assert ("d" in led.source_ids) == (side == "out")
    if isinstance(group, FanInEdge) and side == "out":
        assert led.source_ids == ("d", "b")
    if isinstance(group, SwitchEdge) and isinstance(led, SwitchEdge):
        assert [case.name for case in led.cases] == [case.name for case in group.cases]


def test_a_way_into_a_sub_workflow_follows_its_sender_and_a_way_out_its_receiver() -> (
    None
):
    sub = NodeDefinition(
        id="s",
        type="sub_workflow",
        params={"entries": {"a": "x"}, "exits": {"o": ["b"]}},
    )
    before = design("abcd", direct("a", "s"), direct("s", "b"))
    nodes = (*before.workflow.nodes, sub)
    before = edits.set_params(before, "a", {})
    before = type(before)(
        before.workflow.model_copy(update={"nodes": nodes}), before.positions
    )
    from_c, _ = edits.lead(before, ["a->s"], "out", "a", "c")
    to_d, _ = edits.lead(from_c, ["s->b"], "in", "b", "d")
    found = to_d.workflow.node("s")
    assert found is not None
    assert found.params == {"entries": {"c": "x"}, "exits": {"o": ["d"]}}


def test_no_end_is_led_to_a_node_that_is_gone_or_there_already() -> None:
    with pytest.raises(EditError, match="no node 'x'"):
        edits.lead(design("ab", direct("a", "b")), ["a->b"], "in", "b", "x")
    with pytest.raises(EditError, match="is in 'fan_out:a' already"):
        edits.lead(design("abc", fan_out("a", "bc")), ["fan_out:a"], "in", "b", "c")
