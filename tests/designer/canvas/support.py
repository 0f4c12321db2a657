"""What the canvas tests share: a session without a process, and the licence audit with
a moment of a run of it.
"""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QObject, Signal

from designer.model.design import Design
from runtime.debug.protocol import (
    EdgeMoment,
    JoinMoment,
    JoinSource,
    Moment,
    NodeMoment,
)
from runtime.document.definition import (
    DirectEdge,
    FanInEdge,
    FanOutEdge,
    NodeDefinition,
    NodeInfo,
    SwitchCase,
    SwitchEdge,
    WorkflowDefinition,
)
from runtime.document.problem import Problem


class FakeChecks(QObject):
    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.by_location: dict[str, tuple[Problem, ...]] = {}

    def find(self, *problems: Problem) -> None:
        self.by_location = {problem.location: () for problem in problems}
        for problem in problems:
            self.by_location[problem.location] += (problem,)
        self.changed.emit()


def info(
    type: str, title: str, icon: str, category: str = "Python", **more: Any
) -> NodeInfo:
    return NodeInfo(type=type, title=title, category=category, icon=icon, **more)


def catalogue() -> dict[str, NodeInfo]:
    infos = (
        info(
            "packages",
            "Installed packages",
            "box",
            inputs=(),
            outputs=("Packages",),
            summary="scan",
        ),
        info(
            "classify",
            "Classify licences",
            "tag",
            inputs=("Packages",),
            outputs=("LicenceReport",),
            summary="scan",
        ),
        info(
            "graph",
            "Dependency graph",
            "graph",
            inputs=("Packages",),
            outputs=("Graph",),
            summary="scan",
        ),
        info(
            "rank",
            "Rank by reach",
            "rank",
            inputs=("Graph",),
            outputs=("Reach",),
            summary="scan",
        ),
        info(
            "age",
            "Age check",
            "clock",
            inputs=("Packages",),
            outputs=("AgeReport",),
            summary="scan",
        ),
        info(
            "route",
            "Route by licence",
            "switch",
            "Flow",
            inputs=("list",),
            outputs=("Finding",),
            figure="diamond",
        ),
        info(
            "ask",
            "Ask a person",
            "person",
            "Human",
            inputs=("Finding",),
            outputs=("Decision",),
            summary="scan",
        ),
        info(
            "report",
            "Write report",
            "doc",
            "Data",
            inputs=("Finding", "Decision"),
            outputs=(),
            summary="scan",
        ),
        info("template", "Text template", "text", "Data", summary="scan"),
        info("filter", "Filter", "filter", "Data"),
        info("function", "Function", "code", "Python"),
    )
    return {entry.type: entry for entry in infos}


def _node(id: str, type: str, title: str, scan: str) -> NodeDefinition:
    return NodeDefinition(
        id=id, type=type, name=title, params={"scan": scan} if scan else {}
    )


def licence_audit() -> Design:
    nodes = (
        _node("installed_packages", "packages", "Installed packages", "packages.scan"),
        _node(
            "classify_licences", "classify", "Classify licences", "licences.classify"
        ),
        _node("dependency_graph", "graph", "Dependency graph", "graph.build"),
        _node("rank_by_reach", "rank", "Rank by reach", "rank"),
        _node("age_check", "age", "Age check", "registry.ages"),
        _node("route_by_licence", "route", "Route by licence", ""),
        _node("ask_a_person", "ask", "Ask a person", "question"),
        _node("write_report", "report", "Write report", "markdown"),
    )
    edges = (
        FanOutEdge(
            id="fan",
            source="installed_packages",
            targets=("classify_licences", "dependency_graph", "age_check"),
        ),
        DirectEdge(id="graph-rank", source="dependency_graph", target="rank_by_reach"),
        FanInEdge(
            id="join",
            sources=("classify_licences", "rank_by_reach", "age_check"),
            target="route_by_licence",
        ),
        SwitchEdge(
            id="switch",
            source="route_by_licence",
            cases=(
                SwitchCase(
                    name="copyleft", when="message.copyleft", target="ask_a_person"
                ),
                SwitchCase(
                    name="unknown", when="message.unknown", target="ask_a_person"
                ),
            ),
            default="write_report",
        ),
        DirectEdge(id="ask-report", source="ask_a_person", target="write_report"),
    )
    positions = {
        "installed_packages": (60, 376),
        "classify_licences": (268, 228),
        "dependency_graph": (268, 376),
        "rank_by_reach": (476, 376),
        "age_check": (268, 524),
        "route_by_licence": (710, 384),
        "ask_a_person": (880, 284),
        "write_report": (1076, 468),
    }
    workflow = WorkflowDefinition(
        name="licence_audit", start="installed_packages", nodes=nodes, edges=edges
    )
    return Design(workflow, positions)


def half_full() -> Moment:
    """Superstep 6 of the pictures: two of three sources are in the join, a question is
    open.
    """
    return Moment(
        superstep=6,
        decided=True,
        nodes={
            "installed_packages": NodeMoment(state="done", detail="s5 · 1.2 s"),
            "classify_licences": NodeMoment(state="ran", detail="640 ms"),
            "dependency_graph": NodeMoment(state="ran", detail="812 ms"),
            "age_check": NodeMoment(state="ran", detail="96 ms"),
            "rank_by_reach": NodeMoment(state="next", detail="s7", queued=1),
            "ask_a_person": NodeMoment(state="asking", questions=1),
        },
        edges={
            "join": EdgeMoment(
                queued=(
                    ("classify_licences", "route_by_licence", 1),
                    ("age_check", "route_by_licence", 1),
                )
            ),
            "graph-rank": EdgeMoment(
                queued=(("dependency_graph", "rank_by_reach", 1),)
            ),
        },
        joins=(
            JoinMoment(
                edge="join",
                target="route_by_licence",
                policy="all",
                sources=(
                    JoinSource(id="classify_licences", have=1, need=1),
                    JoinSource(id="rank_by_reach", have=0, need=1),
                    JoinSource(id="age_check", have=2, need=1),
                ),
                missing=("rank_by_reach",),
                held=3,
            ),
        ),
    )
