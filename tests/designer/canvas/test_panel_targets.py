"""A double click on a tag or badge leads to the panel that tells more of it."""

from __future__ import annotations

from PySide6.QtCore import QPointF

from designer.canvas.panel_targets import panel_at
from runtime.debug.protocol import EdgeMoment, Moment, NodeMoment
from runtime.document.problem import Problem
from tests.designer.canvas.conftest import Bench
from tests.designer.canvas.support import half_full


def double_click(bench: Bench, at: QPointF) -> list[str]:
    asked: list[str] = []
    bench.view.panel_requested.connect(asked.append)
    bench.view.node_activated.connect(lambda key: asked.append(f"activate {key}"))
    bench.mouse("press", at)
    bench.mouse("release", at)
    bench.mouse("double", at)
    bench.mouse("release", at)
    return asked


def test_the_tag_of_a_join_and_its_bar_lead_to_joins(bench: Bench) -> None:
    bench.session.look_at(half_full())
    tag = next(mark for mark in bench.scene.marks if mark.leader is not None)
    assert double_click(bench, tag.rect.center()) == ["Joins"]
    figure = next(
        figure for figure in bench.scene.edges.figures.values() if figure.segments
    )
    assert panel_at(bench.view, figure.segments[0].center()) == "Joins"


def test_a_queue_tag_leads_to_messages(bench: Bench) -> None:
    edge = next(edge for edge in bench.design.workflow.edges if edge.kind == "fan_out")
    bench.session.look_at(
        Moment(edges={edge.id: EdgeMoment(queued=((edge.source, edge.targets[0], 2),))})
    )
    tag = next(mark for mark in bench.scene.marks if mark.glyph == "queued")
    assert double_click(bench, tag.rect.center()) == ["Messages"]


def test_a_badge_leads_to_what_it_counts_and_the_node_below_to_itself(
    bench: Bench,
) -> None:
    rect = bench.scene.boxes["age_check"].rect
    corner = QPointF(rect.right() - 14, rect.top() - 4)
    bench.checks.find(
        Problem(severity="error", rule="r", message="m", location="age_check")
    )
    assert panel_at(bench.view, corner) == "Problems"
    bench.session.look_at(
        Moment(nodes={"age_check": NodeMoment(state="asking", questions=1)})
    )
    assert panel_at(bench.view, corner) == "Requests"
    assert double_click(bench, rect.center()) == ["activate age_check"]
