"""Properties of edge groups, an editor per kind: condition, targets, sources and
policy, cases.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Generic, TypeVar, cast

from PySide6.QtWidgets import QPushButton, QWidget

from designer.model import edits
from designer.model.completion.cel_words import example_for
from designer.model.design import Design
from designer.model.edge_kinds import KINDS, kind_of
from designer.model.errors import EditError
from designer.panels.base import Panel
from designer.panels.code.cel_edit import CelField
from designer.panels.fields.plain import MISSING, NumberField
from designer.panels.forms.choice_fields import ChoiceField
from designer.panels.properties.case_editors import Selections, SwitchCases
from designer.panels.properties.editor import (
    READ_ONLY,
    Editor,
    FieldGrid,
    OrderedNodes,
    ProblemList,
    value_or_before,
)
from designer.panels.properties.try_value import TryBox
from designer.panels.widgets.basic import allow, button, hint, label
from designer.qt.layouts import put, row
from runtime.document.definition import (
    DirectEdge,
    EdgeDefinition,
    FanInEdge,
    FanOutEdge,
    MultiSelectionEdge,
    SwitchEdge,
)

AnyEdge = TypeVar("AnyEdge", bound=EdgeDefinition)
POLICY_NAMES = {
    "all": "All sources",
    "zip": "Zip: one of each",
    "any": "Any source",
    "count": "A number of messages",
}
POLICIES = {
    "all": "When every source has a message, all messages are delivered as one list, in source order.",
    "zip": "When every source has a message, one of each is delivered as a list; the others wait for the next round.",
    "any": "All messages that arrive in a superstep are delivered as one list.",
    "count": "When this many messages have arrived, they are delivered as one list.",
}


class EdgeEditor(Editor, Generic[AnyEdge]):
    """The parts that all kinds have: a header, problems, and the kinds that the group
    can turn into.

    A kind of an installed package has no editor of its own, so it shows only these.
    """

    explanation: ClassVar[str] = "The window does not know this kind of edge"

    def __init__(self, panel: Panel, edge: AnyEdge) -> None:
        super().__init__(panel)
        self.edge_id = edge.id
        self.kind = kind_of(edge)
        self.header = self.add_header(
            self.kind.icon, self.heading(edge), self.caption(edge)
        )
        self.add_rule()
        self.build()
        self.problems = ProblemList(self.look)
        self.body.addWidget(self.problems)
        self.body.addWidget(self.refused)
        self._turns: dict[str, QPushButton] = {}
        self._build_turns()
        self.body.addStretch(1)

    def build(self) -> None:
        """Add the fields of the kind."""

    def heading(self, edge: AnyEdge) -> str:
        return self.kind.heading(edge, self.name)

    def caption(self, edge: AnyEdge) -> str:
        return self.explanation

    def show_edge(self, edge: AnyEdge) -> None:
        """Show the values of the kind's fields."""

    @property
    def edge(self) -> AnyEdge:
        edges = self.design.workflow.edges
        edge = next(edge for edge in edges if edge.id == self.edge_id)
        return cast("AnyEdge", edge)

    def show_design(self) -> None:
        edge = self.edge
        self.header.say(self.heading(edge), self.caption(edge))
        self.show_edge(edge)
        self._judge_turns()

    def show_problems(self) -> None:
        self.problems.show_problems(self.panel.checks.at(self.edge_id))

    def change(self, text: str, merge: str = "", **changes: Any) -> None:
        self.edit(
            text, lambda design: edits.set_edge(design, self.edge_id, **changes), merge
        )

    def name(self, node_id: str) -> str:
        return self.panel.node_title(node_id)

    def nodes(self) -> list[tuple[str, str]]:
        """Return all nodes as (id, title)."""
        return [(node.id, node.title) for node in self.design.workflow.nodes]

    def named(self, ids: Sequence[str]) -> list[tuple[str, str]]:
        return [(node_id, self.name(node_id)) for node_id in ids]

    # --- turning into another kind

    def _build_turns(self) -> None:
        if not self.kind.turns_into:
            return
        self.add_rule()
        self.body.addWidget(label("Turn into", "head"))
        line = put(self.body, row(gap=6))
        for kind in self.kind.turns_into:
            text = KINDS[kind].label_from(self.kind)
            self._turns[kind] = button(text, self._turner(kind, text), small=True)
            line.addWidget(self._turns[kind])
        line.addStretch(1)

    def _judge_turns(self) -> None:
        for kind, turn in self._turns.items():
            try:
                edits.convert(self.design, self.edge_id, kind)
            except EditError as error:
                allow(turn, str(error))
            else:
                allow(turn, READ_ONLY if self.read_only else "")

    def _turner(self, kind: str, text: str) -> Callable[[], None]:
        converted: list[str] = []

        def change(design: Design) -> Design:
            design, converted[:] = edits.convert(design, self.edge_id, kind)
            return design

        def turn() -> None:
            if self.edit(f"Turn into {text.lower()}", change):
                self.document.select(converted)

        return turn


class DirectEditor(EdgeEditor[DirectEdge]):
    empty: ClassVar[str] = "Empty: every message passes"
    about: ClassVar[str] = "in CEL, over message"

    def caption(self, edge: DirectEdge) -> str:
        if edge.condition:
            return "Conditional edge"
        return "Direct edge: takes every message"

    def build(self) -> None:
        self.condition = CelField(self.look, "Condition", self.empty)
        self.condition.edited.connect(self._on_condition)
        self.condition.committed.connect(self.settle)
        put(self.body, row(label("Condition", "strong"), hint(self.about), None))
        self.body.addWidget(self.condition)
        self.try_box = TryBox(self.look, self.document, self.name)
        self.try_box.tried.connect(lambda _trial: self._give_example(self.edge))
        self.body.addWidget(self.try_box)

    def show_edge(self, edge: DirectEdge) -> None:
        self.condition.show_text(edge.condition)
        self.condition.set_read_only(self.read_only)
        self.try_box.show_edge(edge)
        self._give_example(edge)

    def _give_example(self, edge: DirectEdge) -> None:
        value = self.try_box.value()
        infos = self.panel.session.infos
        self.condition.set_example(
            lambda: example_for(self.design, edge, 0, infos, value)
        )

    def show_problems(self) -> None:
        found = self.panel.checks.at(self.edge_id)
        self.condition.show_problems(
            [problem for problem in found if problem.part == "condition"]
        )
        self.problems.show_problems(
            [problem for problem in found if problem.part != "condition"]
        )

    def field_of(self, part: str) -> QWidget | None:
        return self.condition.editor if part == "condition" else None

    def _on_condition(self) -> None:
        self.change(
            "Change condition",
            f"condition:{self.edge_id}",
            condition=self.condition.text(),
        )


class OnErrorEditor(DirectEditor):
    empty = "Empty: every failure passes"
    about = "in CEL, over the failure as message"

    def build(self) -> None:
        super().build()
        self.try_box.field.setPlaceholderText('{"error_type": "TimeoutError"}')

    def caption(self, edge: Any) -> str:
        if edge.condition:
            return "On error, under a condition"
        return "On error: takes every failure"


class FanOutEditor(EdgeEditor[FanOutEdge]):
    explanation = "Fan-out: every message goes to every target"

    def heading(self, edge: FanOutEdge) -> str:
        return f"{self.name(edge.source)} → {len(edge.targets)} targets"

    def build(self) -> None:
        self.targets = OrderedNodes(self.look, "target")
        self.targets.changed.connect(
            lambda ids: self.change("Change targets", targets=ids)
        )
        self.body.addWidget(label("Targets", "strong"))
        self.body.addWidget(self.targets)

    def show_edge(self, edge: FanOutEdge) -> None:
        others = [
            (node_id, title)
            for node_id, title in self.nodes()
            if node_id not in edge.targets
        ]
        self.targets.show_nodes(
            self.named(edge.targets), others, read_only=self.read_only
        )


class JoinEditor(EdgeEditor[FanInEdge]):
    explanation = "Join: waits for its sources"

    def build(self) -> None:
        self.sources = OrderedNodes(self.look, "source")
        self.sources.changed.connect(
            lambda ids: self.change("Change sources", sources=ids)
        )
        self.policy = ChoiceField(self.look, list(POLICIES), POLICY_NAMES)
        self.count = NumberField(whole=True)
        self.policy.edited.connect(self._on_policy)
        self.bind(self.count, self._on_count)
        grid = FieldGrid(self.look)
        grid.add("Policy", self.policy, "When the join fires.")
        self._counting = FieldGrid(self.look)
        self._count_error = self._counting.add(
            "Messages", self.count, "How many messages the join waits for."
        )
        self.explained = label("", "secondary", wrap=True)
        put(
            self.body,
            row(label("Sources", "strong"), hint("delivered in this order"), None),
        )
        self.body.addWidget(self.sources)
        self.add_rule()
        for widget in (grid, self._counting, self.explained):
            self.body.addWidget(widget)

    def show_edge(self, edge: FanInEdge) -> None:
        others = [
            (node_id, title)
            for node_id, title in self.nodes()
            if node_id not in edge.sources
        ]
        self.sources.show_nodes(
            self.named(edge.sources), others, read_only=self.read_only
        )
        self.policy.show_value(edge.policy)
        self.policy.set_read_only(self.read_only)
        self.count.show_value(edge.count or MISSING)
        self.count.set_read_only(self.read_only)
        self._counting.setVisible(edge.policy == "count")
        self.explained.setText(POLICIES[edge.policy])

    def _on_policy(self) -> None:
        policy = self.policy.value()
        count = 0
        if policy == "count":
            count = self.edge.count or len(self.edge.sources)
        self.change("Change policy", policy=policy, count=count)

    def _on_count(self) -> None:
        count = value_or_before(self.count, self._count_error, _count_fault)
        self.change(
            "Change count",
            f"count:{self.edge_id}",
            count=0 if count is MISSING else count,
        )


def _count_fault(count: Any) -> str:
    return "At least 1 is needed." if count is MISSING or count < 1 else ""


class CasesEditor(EdgeEditor[AnyEdge]):
    """The editor of a group with an ordered list of conditions."""

    def make_cases(self) -> Any:
        raise NotImplementedError

    def build(self) -> None:
        self.cases = self.make_cases()
        self.body.addWidget(self.cases)

    def show_edge(self, edge: AnyEdge) -> None:
        self.cases.show_edge(edge, self.read_only)

    def field_of(self, part: str) -> QWidget | None:
        field: QWidget | None = self.cases.field_of(part)
        return field

    def show_problems(self) -> None:
        self.cases.show_problems()
        found = self.panel.checks.at(self.edge_id)
        of_a_case = f"{self.cases.part}["
        self.problems.show_problems(
            [problem for problem in found if not problem.part.startswith(of_a_case)]
        )


class SwitchEditor(CasesEditor[SwitchEdge]):
    def caption(self, edge: SwitchEdge) -> str:
        count = len(edge.cases)
        return f"Switch · {count} {'case' if count == 1 else 'cases'} and default"

    def make_cases(self) -> SwitchCases:
        return SwitchCases(self)


class SelectionEditor(CasesEditor[MultiSelectionEdge]):
    explanation = "Multi-selection: any number of ways"

    def heading(self, edge: MultiSelectionEdge) -> str:
        return f"{self.name(edge.source)} → some of {len(edge.selections)}"

    def make_cases(self) -> Selections:
        return Selections(self)


EDGE_EDITORS: dict[str, type[EdgeEditor[Any]]] = {
    "direct": DirectEditor,
    "fan_out": FanOutEditor,
    "fan_in": JoinEditor,
    "switch": SwitchEditor,
    "multi_selection": SelectionEditor,
    "on_error": OnErrorEditor,
}
