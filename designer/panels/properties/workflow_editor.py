"""Properties of the workflow, when nothing is selected, and of several selected
elements.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

from PySide6.QtWidgets import QPushButton

from designer.look.theme import Look
from designer.model import edits
from designer.model.design import Design
from designer.model.edge_kinds import kind_of
from designer.model.frames import frame_ids
from designer.model.layout.align import ALIGNMENTS, Alignment
from designer.panels.base import Panel
from designer.panels.fields.plain import (
    MISSING,
    JsonField,
    LongTextField,
    NameField,
    NumberField,
)
from designer.panels.forms.choice_fields import ChoiceField
from designer.panels.forms.table_field import TableField
from designer.panels.properties.editor import (
    Editor,
    FieldGrid,
    ProblemList,
    value_or_before,
)
from designer.panels.properties.failure_fields import FailureFields
from designer.panels.properties.output_kinds import Marked, OutputKinds
from designer.panels.widgets.basic import Choice, button, label
from designer.qt.layouts import put, row
from runtime.document.definition import (
    NodeDefinition,
    Outputs,
    RetryDefinition,
)
from runtime.document.problem import Problem
from runtime.policy import NO_POLICY
from runtime.values.words import counted


class WorkflowEditor(Editor):
    """Name, description, start, limit and default input of the workflow; kinds of
    outputs, and how its state is merged.
    """

    def __init__(self, panel: Panel) -> None:
        super().__init__(panel)
        self.header = self.add_header("graph", "", "")
        self.add_rule()
        self.name = NameField()
        self.description = LongTextField(least=2)
        self.limit = NumberField(whole=True)
        self.input = JsonField()
        self.start = StartField(self.look)
        grid = FieldGrid(self.look)
        self._name_error = grid.add(
            "Name", self.name, "The name of the workflow in checkpoints and runs."
        )
        grid.add("Description", self.description, "The purpose of the workflow.")
        grid.add("Starts with", self.start, "The node that gets the input of a run.")
        tip = "A run that needs more supersteps is stopped; it can go on with a higher limit."
        self._limit_error = grid.add("Supersteps", self.limit, tip)
        self._input_error = grid.add(
            "Default input",
            self.input,
            "The input of a run that starts without one, as JSON.",
        )
        self.input.set_hint("null")
        self.description.set_hint("The purpose of the workflow")
        self.body.addWidget(grid)
        self._build_outputs()
        self._build_state()
        self._build_failures()
        self.problems = ProblemList(self.look)
        self.body.addWidget(self.problems)
        self.body.addWidget(self.refused)
        self.body.addStretch(1)
        self.bind(self.name, self._on_name)
        self.bind(self.description, self._on_description)
        self.bind(self.limit, self._on_limit)
        self.bind(self.input, self._on_input)
        self.start.edited.connect(self._on_start)

    def _build_outputs(self) -> None:
        self.add_rule()
        self.body.addWidget(label("Outputs", "head"))
        help_text = (
            "Every output of a node is an output of the workflow, unless the node "
            "is listed here."
        )
        self.body.addWidget(label(help_text, "secondary", wrap=True))
        self.outputs = OutputKinds(self.look)
        self.outputs.chosen.connect(self._on_outputs)
        self.body.addWidget(self.outputs)

    def _build_state(self) -> None:
        self.add_rule()
        self.body.addWidget(label("Shared state", "head"))
        help_text = (
            "A reducer is a function of two values. It combines the value of a key "
            "with the new value that a node writes."
        )
        self.body.addWidget(label(help_text, "secondary", wrap=True))
        self.conflicts = ChoiceField(self.look, list(_CONFLICTS), _CONFLICTS)
        self.reducers = TableField(
            self.look, "module:function", head="Key of the state"
        )
        grid = FieldGrid(self.look)
        tip = "If nodes write different values to a key in one superstep, and it has no reducer."
        grid.add("Two values", self.conflicts, tip)
        self._reducers_error = grid.add("Reducers", self.reducers, help_text)
        self.body.addWidget(grid)
        self.bind(self.conflicts, self._on_conflicts)
        self.bind(self.reducers, self._on_reducers)

    def _build_failures(self) -> None:
        self.add_rule()
        self.body.addWidget(label("When a node fails", "head"))
        help_text = (
            "For all nodes without a policy of their own. A sub-workflow has its own."
        )
        self.body.addWidget(label(help_text, "secondary", wrap=True))
        self.failures = FailureFields(self.look)
        self.failures.changed.connect(self._on_failures)
        self.failures.committed.connect(self.settle)
        self.body.addWidget(self.failures)

    def _on_failures(
        self, retry: RetryDefinition | None, timeout: float | None, field: str
    ) -> None:
        self.edit(
            "Change failure policy",
            lambda design: edits.set_failure_policy(design, "", retry, timeout),
            f"workflow:failures:{field}",
        )

    def show_design(self) -> None:
        workflow = self.design.workflow
        nodes = len(workflow.nodes)
        edges = len(workflow.edges)
        counts = f"{counted(nodes, 'node')}, {counted(edges, 'edge group')}"
        self.header.say(workflow.name, f"Workflow · {counts}")
        self.name.show_value(workflow.name)
        self.description.show_value(workflow.description or MISSING)
        self.start.offer(
            [(node.title, node.id) for node in workflow.nodes], workflow.start
        )
        self.limit.show_value(workflow.max_supersteps)
        self.input.show_value(MISSING if workflow.input is None else workflow.input)
        self.conflicts.show_value("last" if workflow.state_conflicts == "last" else "")
        self.reducers.show_value(workflow.reducers or MISSING)
        self.failures.show_policy(workflow.retry, workflow.timeout, NO_POLICY)
        self._show_outputs()

    def _show_outputs(self) -> None:
        marked = [
            Marked(node.id, node.title, node.outputs)
            for node in self.design.workflow.nodes
            if node.outputs
        ]
        others = [
            (node.id, node.title)
            for node in self.design.workflow.nodes
            if not node.outputs and self._ends(node)
        ]
        self.outputs.show_nodes(marked, others, read_only=self.read_only)

    def _ends(self, node: NodeDefinition) -> bool:
        """Return whether a node may yield an output."""
        info = self.panel.session.infos.get(node.type)
        return info is None or info.sink

    def show_problems(self) -> None:
        problems = self.panel.checks.at("")
        of_reducers = [
            problem for problem in problems if problem.part.startswith("reducers.")
        ]
        self.problems.show_problems(
            [problem for problem in problems if problem not in of_reducers]
        )
        self._say_reducers(of_reducers)

    def _say_reducers(self, problems: Sequence[Problem]) -> None:
        """Show the problems of the reducers, unless the typed text has a fault, whose
        message comes first.
        """
        try:
            self.reducers.value()
        except ValueError:
            return
        self._reducers_error.say(
            "\n".join(f"{problem.message}. {problem.remedy}" for problem in problems)
        )
        self.reducers.mark(
            {problem.part.removeprefix("reducers.") for problem in problems}
        )

    def set_read_only(self, on: bool) -> None:
        super().set_read_only(on)
        for field in (
            self.name,
            self.description,
            self.start,
            self.limit,
            self.input,
            self.conflicts,
            self.reducers,
        ):
            field.set_read_only(on)
        self.failures.set_read_only(on)

    def _on_name(self) -> None:
        name = value_or_before(self.name, self._name_error, _name_fault)
        self.edit(
            "Rename workflow",
            lambda design: edits.set_workflow(design, name=name),
            "workflow:name",
        )

    def _on_description(self) -> None:
        value = self.description.value()
        text = "" if value is MISSING else value
        self.edit(
            "Describe workflow",
            lambda design: edits.set_workflow(design, description=text),
            "workflow:text",
        )

    def _on_start(self) -> None:
        start = self.start.value()
        self.edit("Set start", lambda design: edits.set_start(design, start))

    def _on_limit(self) -> None:
        limit = value_or_before(self.limit, self._limit_error, _limit_fault)
        self.edit(
            "Change limit",
            lambda design: edits.set_workflow(design, max_supersteps=limit),
            "workflow:limit",
        )

    def _on_input(self) -> None:
        value = value_or_before(self.input, self._input_error)
        new_input = None if value is MISSING else value
        self.edit(
            "Change default input",
            lambda design: edits.set_workflow(design, input=new_input),
            "workflow:input",
        )

    def _on_conflicts(self) -> None:
        chosen = self.conflicts.value()
        conflicts: Literal["", "last"] = "last" if chosen == "last" else ""
        self.edit(
            "Change the rule for two values",
            lambda design: edits.set_workflow(design, state_conflicts=conflicts),
        )

    def _on_reducers(self) -> None:
        value = value_or_before(self.reducers, self._reducers_error)
        named = {} if value is MISSING else value
        self.edit(
            "Change reducers",
            lambda design: edits.set_workflow(design, reducers=named),
            "workflow:reducers",
        )

    def _on_outputs(self, node_id: str, kind: Outputs) -> None:
        text = "Make outputs progress"
        if kind == "":
            text = "Let outputs count"
        elif kind == "none":
            text = "Drop outputs"
        self.edit(text, lambda design: edits.set_outputs(design, node_id, kind))


_CONFLICTS = {"": "Are an error", "last": "The later node's counts"}


class StartField(ChoiceField):
    """A choice among nodes, shown by title."""

    def __init__(self, look: Look) -> None:
        super().__init__(look, [])
        self.set_hint("Choose a node")

    def offer(self, nodes: list[tuple[str, str]], chosen: str) -> None:
        self.editor().fill(list(nodes), chosen)


def _name_fault(name: Any) -> str:
    if name is MISSING:
        return "A workflow needs a name: its runs are found by it."
    return ""


def _limit_fault(limit: Any) -> str:
    return "At least 1 superstep is needed." if limit is MISSING or limit < 1 else ""


_ROWS: tuple[tuple[Alignment, ...], ...] = (
    ("left", "centre", "right"),
    ("top", "middle", "bottom"),
    ("across", "down"),
)
_SHORT: dict[Alignment, str] = {
    "left": "Left",
    "centre": "Centre",
    "right": "Right",
    "top": "Top",
    "middle": "Middle",
    "bottom": "Bottom",
    "across": "Distribute across",
    "down": "Distribute down",
}


class SeveralEditor(Editor):
    """The number of selected elements, and the commands for them.

    `align` aligns the nodes; the canvas does it because it knows their sizes.
    """

    def __init__(self, panel: Panel, align: Callable[[Alignment], object]) -> None:
        super().__init__(panel)
        self.header = self.add_header("box", "", "")
        self.add_rule()
        self._arrange = label("Align and distribute", "head")
        self.body.addWidget(self._arrange)
        self.tools = {way: self._tool(way, align) for way in ALIGNMENTS}
        for ways in _ROWS:
            put(self.body, row(*(self.tools[way] for way in ways), None, gap=6))
        self._join_head = label("Join these nodes into", "head")
        self.target = Choice(self.look)
        self.target.setPlaceholderText("Choose a target")
        self.target.setAccessibleName("Target of the join")
        self.join = button("Join", self._on_join, small=True)
        self.body.addSpacing(4)
        self.body.addWidget(self._join_head)
        put(self.body, row((self.target, 1), self.join, gap=6))
        self.delete = button("Delete", self._on_delete, small=True)
        self.body.addSpacing(4)
        put(self.body, row(self.delete, None))
        self.body.addWidget(self.refused)
        self.body.addStretch(1)
        self.target.activated.connect(lambda _index: self._judge_join())

    def show_design(self) -> None:
        nodes = self.nodes
        boxes = len(frame_ids(self.design) & self.document.selection)
        edges = len(self.document.selection) - len(nodes) - boxes
        parts = []
        if nodes:
            parts.append(counted(len(nodes), "node"))
        if edges:
            parts.append(counted(edges, "edge"))
        if boxes:
            plural = "s" if boxes != 1 else ""
            parts.append(f"{boxes} frame{plural} or note{plural}")
        self.header.say(f"{len(self.document.selection)} selected", ", ".join(parts))
        several = len(nodes) > 1
        for tool in self.tools.values():
            tool.setVisible(several)
            tool.setEnabled(not self.read_only)
        chosen = self.target.currentData()
        selection = self.document.selection
        others = [
            (node.title, node.id)
            for node in self.design.workflow.nodes
            if node.id not in selection
        ]
        self.target.fill(others, chosen)
        for widget in (self._arrange, self._join_head, self.target, self.join):
            widget.setVisible(several)
        self.target.setEnabled(not self.read_only)
        self.delete.setEnabled(not self.read_only)
        self._judge_join()

    @property
    def nodes(self) -> tuple[str, ...]:
        """The selected nodes, in the order of the workflow."""
        selection = self.document.selection
        return tuple(
            node.id for node in self.design.workflow.nodes if node.id in selection
        )

    def _judge_join(self) -> None:
        ready = self.target.currentIndex() >= 0 and not self.read_only
        self.join.setEnabled(ready)
        self.join.setToolTip(
            "" if ready else "Choose the node that gets the messages of these."
        )

    def _tool(
        self, way: Alignment, align: Callable[[Alignment], object]
    ) -> QPushButton:
        tool = button(_SHORT[way], lambda: align(way), small=True)
        tool.setToolTip(ALIGNMENTS[way])
        tool.setAccessibleName(ALIGNMENTS[way])
        return tool

    def _on_join(self) -> None:
        target = self.target.currentData()
        self.edit("Join", lambda design: join(design, self.nodes, target))

    def _on_delete(self) -> None:
        chosen = self.document.selection
        self.edit("Delete", lambda design: edits.remove(design, chosen))


def join(design: Design, sources: tuple[str, ...], target: str) -> Design:
    """Return the design with a join of the sources. It replaces plain edges from them
    to the target.
    """
    plain = set()
    for edge in design.workflow.edges:
        kind = kind_of(edge)
        if not kind.is_plain(edge):
            continue
        if kind.hub(edge) in sources and edge.target_ids == (target,):
            plain.add(edge.id)
    return edits.connect_join(edits.remove(design, plain), sources, target)[0]
