"""The figures have the sizes and the order that the look's anatomy gives them."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPointF, QRectF
from pytestqt.qtbot import QtBot

from designer.canvas.drawing.figures import TAG_STEP, Figure, bar, figure_of, tag_levels
from designer.canvas.drawing.geometry import (
    Box,
    Topology,
    boxes,
    node_size,
    topology,
)
from designer.look.fonts import load_fonts
from designer.model.design import Design
from runtime.document.definition import (
    DirectEdge,
    EdgeDefinition,
    FanOutEdge,
    MultiSelectionEdge,
    NodeDefinition,
    Selection,
    SwitchCase,
    SwitchEdge,
    WorkflowDefinition,
)
from tests.designer.canvas.support import catalogue, licence_audit


@pytest.fixture(autouse=True)
def _fonts(qtbot: QtBot) -> None:
    load_fonts()


def drawn(design: Design) -> tuple[dict[str, Box], dict[str, Figure]]:
    places = boxes(design.workflow, design.positions, catalogue())
    known = topology(design.workflow)
    figures = {
        edge.id: figure_of(edge, places, known) for edge in design.workflow.edges
    }
    return places, {
        key: figure for key, figure in figures.items() if figure is not None
    }


def two(
    *edges: EdgeDefinition, at: tuple[float, float] = (400, 0)
) -> dict[str, Figure]:
    nodes = tuple(NodeDefinition(id=key, type="function") for key in ("a", "b"))
    return drawn(
        Design(
            WorkflowDefinition(start="a", nodes=nodes, edges=edges),
            {"a": (0, 0), "b": at},
        )
    )[1]


def test_a_node_is_168_by_60_and_grows_in_eights_to_248() -> None:
    widths = [
        node_size(NodeDefinition(id="n", type="x", name="m" * k), None)[0]
        for k in range(60)
    ]
    assert widths[0] == 168
    assert max(widths) == 248
    assert all(width % 8 == 0 for width in widths)
    assert widths == sorted(widths)
    assert node_size(NodeDefinition(id="n", type="route"), catalogue()["route"]) == (
        44,
        44,
    )


def test_the_join_bar_stands_thirty_before_its_target_with_a_segment_per_source() -> (
    None
):
    places, figures = drawn(licence_audit())
    join = figures["join"]
    assert [rect.width() for rect in join.segments] == [10, 10, 10]
    assert [rect.height() for rect in join.segments] == [40, 40, 40]
    assert join.segments[1].top() - join.segments[0].bottom() == 4
    assert places["route_by_licence"].rect.left() - join.segments[0].right() == 30
    assert join.segments[1].center().y() == places["route_by_licence"].inlet.y()
    ends = [wire.path.currentPosition() for wire in join.wires[:3]]
    assert [end.y() for end in ends] == [rect.center().y() for rect in join.segments]
    assert join.wires[3].arrow == places["route_by_licence"].tip


@given(st.integers(1, 400))
def test_a_bar_of_any_number_of_sources_is_centred_and_in_order(count: int) -> None:
    segments = bar(count, 100, 50)
    assert len(segments) == count
    assert all(a.bottom() <= b.top() for a, b in pairwise(segments))
    assert abs((segments[0].top() + segments[-1].bottom()) / 2 - 50) < 1
    assert segments[-1].bottom() - segments[0].top() <= 540


@given(st.lists(st.integers(-400, 400), min_size=1, max_size=12))
def test_the_tags_of_a_switch_keep_their_order_and_distance(heights: list[int]) -> None:
    targets = [Box(f"n{k}", QRectF(300, y, 168, 60)) for k, y in enumerate(heights)]
    levels = tag_levels(targets, 0)
    assert all(b - a >= TAG_STEP - 1 for a, b in pairwise(levels))


def test_a_tag_is_level_with_its_target_where_it_can_be() -> None:
    places, figures = drawn(licence_audit())
    tags = figures["switch"].tags
    assert [(tag.number, tag.text, tag.dashed) for tag in tags] == [
        (1, "copyleft", False),
        (2, "unknown", False),
        (0, "default", True),
    ]
    assert tags[0].rect.center().y() == places["ask_a_person"].inlet.y()
    assert tags[2].rect.center().y() == places["write_report"].inlet.y()
    assert all(
        14 <= tag.rect.left() - places["route_by_licence"].rect.right() <= 40
        for tag in tags
    )
    assert not figures["switch"].own_hub  # the node itself is the diamond


def test_a_switch_of_a_box_has_a_diamond_of_its_own() -> None:
    figure = two(
        SwitchEdge(
            id="s", source="a", cases=(SwitchCase(when="x", target="b"),), default="b"
        )
    )["s"]
    assert figure.own_hub
    assert figure.hub is not None
    assert 16 <= figure.hub.x() - 22 - 168 <= 40


@pytest.mark.parametrize(
    "edge",
    [
        FanOutEdge(id="e", source="a", targets=("b",)),
        MultiSelectionEdge(id="e", source="a", selections=(Selection(target="b"),)),
    ],
)
def test_hubs_stand_sixteen_to_forty_right_of_the_port(edge: EdgeDefinition) -> None:
    for x in (208, 240, 300, 900):
        hub = two(edge, at=(x, 0))["e"].hub
        assert hub is not None
        assert 16 <= hub.x() - 168 <= 46


def test_a_back_edge_runs_below_dashed_and_says_where_it_goes() -> None:
    figures = two(
        DirectEdge(id="there", source="a", target="b"),
        DirectEdge(id="back", source="b", target="a"),
    )
    wire = figures["back"].wires[0]
    assert wire.dashed
    assert wire.leftward
    assert wire.arrow is not None
    assert wire.arrow.y() > 60
    # its own ends, in the direction of the document
    assert wire.path.elementAt(0).x == 400 + 168
    assert wire.path.currentPosition().x() <= 0
    assert not figures["there"].wires[0].dashed


def test_a_step_back_that_closes_no_loop_is_solid() -> None:
    figure = two(DirectEdge(id="e", source="a", target="b"), at=(0, 200))["e"]
    assert not figure.wires[0].dashed
    assert not figure.wires[0].leftward


def test_self_loops_run_above_and_parallels_apart() -> None:
    loop = two(DirectEdge(id="e", source="a", target="a"))["e"]
    assert loop.wires[0].path.controlPointRect().top() < -20
    pair = two(
        *(
            DirectEdge(id=f"e{k}", source="a", target="b", condition=f"c{k}")
            for k in range(3)
        )
    )
    middles = [figure.wires[0].path.pointAtPercent(0.5).y() for figure in pair.values()]
    assert middles == pytest.approx([16, 30, 44], abs=0.6)


def test_a_condition_is_a_mark_and_a_tag_only_where_there_is_room() -> None:
    edge = DirectEdge(id="e", source="a", target="b", condition="message.score > 0.8")
    wide = two(edge, at=(400, 0))["e"]
    narrow = two(edge, at=(208, 0))["e"]
    assert wide.tags[0].text
    assert wide.hub is not None
    assert narrow.tags == ()
    assert narrow.hub is not None


def test_an_edge_whose_nodes_are_gone_has_no_figure() -> None:
    edge = DirectEdge(id="e", source="x", target="y")
    assert figure_of(edge, {}, Topology({"e": edge})) is None


def test_a_node_that_only_starts_has_no_inlet_and_one_that_only_ends_no_outlet() -> (
    None
):
    places, _ = drawn(licence_audit())
    assert not places["installed_packages"].takes
    assert not places["write_report"].gives
    assert places["age_check"].outlet == QPointF(268 + 168, 524 + 30)
