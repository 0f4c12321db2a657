"""Properties of a node: its name, its id, and a form for its parameters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import cast

from PySide6.QtWidgets import QApplication, QHBoxLayout, QWidget

from designer.model import edits
from designer.model.completion.message_examples import arriving
from designer.model.design import Design
from designer.model.edge_kinds import kind_of
from designer.model.edge_kinds.switch import switch_at
from designer.model.edits.first_name import is_first_name, with_id_of_name
from designer.model.edits.nodes import set_type
from designer.model.errors import EditError
from designer.model.icons import icon_of
from designer.panels.base import Panel
from designer.panels.code.field import JsonEdit
from designer.panels.fields.plain import MISSING, NameField, TextField
from designer.panels.fields.schema import title_of
from designer.panels.forms.choice_fields import ChoiceField
from designer.panels.forms.context import FormContext
from designer.panels.forms.form import Form
from designer.panels.properties.case_editors import SwitchCases
from designer.panels.properties.editor import (
    READ_ONLY,
    Editor,
    FieldGrid,
    ProblemList,
    value_or_before,
)
from designer.panels.properties.failure_fields import FailureFields
from designer.panels.properties.icon_choice import IconChoice
from designer.panels.properties.missing_type import MissingType
from designer.panels.widgets.basic import allow, button, icon_button, label
from designer.qt.layouts import Plan, put, row
from runtime.document.definition import (
    NodeDefinition,
    NodeInfo,
    Off,
    RetryDefinition,
    SwitchEdge,
)
from runtime.document.problem import Problem

_OFF: dict[str, str] = {
    "": "On",
    "disabled": "Disabled: sends nothing",
    "bypassed": "Bypassed: passes messages on",
}


@dataclass
class FormPreferences:
    """The user's choices for all forms: whether they explain their fields."""

    explains: bool = False


STARTS_HERE = "Choose Start here at another node to move it."


class NodeEditor(Editor):
    """`context` is that of the forms; `preferences` are the user's choices in
    earlier forms.
    """

    def __init__(
        self,
        panel: Panel,
        node: NodeDefinition,
        context: FormContext | None = None,
        preferences: FormPreferences | None = None,
    ) -> None:
        super().__init__(panel)
        self.node_id = node.id
        if context is None:
            context = FormContext(lambda: self.document.folder)
        self._context = replace(context, example=self._example)
        self._preferences = (
            preferences if preferences is not None else FormPreferences()
        )
        self._info: NodeInfo | None = panel.session.infos.get(node.type)
        self.icon = IconChoice(self.look)
        self.icon.chosen.connect(self._on_icon)
        self.header = self.add_header(
            self.icon,
            node.title,
            self._info.title if self._info is not None else node.type,
        )
        if self._info is not None and self._info.description:
            self.body.addWidget(label(self._info.description, "secondary", wrap=True))
        self.name = NameField()
        self.id = TextField(data=True)
        self.off = ChoiceField(self.look, list(_OFF), _OFF)
        self._build_identity()
        self.form: Form | None = None
        cast("QApplication", QApplication.instance()).focusChanged.connect(
            self._on_focus
        )
        self.raw: JsonEdit | None = None
        self.missing: MissingType | None = None
        self._build_params(node)
        self.cases = SwitchCases(self)
        self.body.addWidget(self.cases)
        self._build_failures()
        self.problems = ProblemList(self.look)
        self.body.addWidget(self.problems)
        self.body.addWidget(self.refused)
        self.body.addStretch(1)
        # Now the last child, because the keyboard focus goes to the first: that must be
        # the name.
        self.header.raise_()

    def is_made_for(self, infos: Mapping[str, NodeInfo]) -> bool:
        """Return whether the catalogue still has the type that the form was made for."""
        return self._info is not None and infos.get(self._info.type) == self._info

    def show_design(self) -> None:
        node = self._node
        caption = f"{node.type} (unknown type)"
        if self._info is not None:
            caption = self._info.title
        self.header.say(node.title, caption)
        self.icon.show_icon(icon_of(node, self._info))
        self.icon.setEnabled(not self.read_only)
        self.name.show_value(node.name or MISSING)
        self.name.set_hint(node.id)
        self.id.show_value(node.id)
        self.off.show_value(node.off)
        is_start = self.design.workflow.start == node.id
        why_not = STARTS_HERE if is_start else ""
        allow(self._start, READ_ONLY if self.read_only else why_not)
        self._start.setText("Runs start here" if is_start else "Start here")
        if self.form is not None:
            self.form.show_value(node.params)
        if self.raw is not None:
            self.raw.show_value(node.params or MISSING)
        self.cases.show_edge(self._switch, self.read_only)
        self._show_failures(node)

    def _show_failures(self, node: NodeDefinition) -> None:
        workflow = self.design.workflow
        takers = [
            self.panel.node_title(target)
            for edge in workflow.edges
            if edge.carries_failures and kind_of(edge).hub(edge) == node.id
            for target in edge.target_ids
        ]
        without_own = node.model_copy(update={"retry": None, "timeout": None})
        default = workflow.policy_of(without_own)
        self.failures.show_policy(node.retry, node.timeout, default, takers)

    def field_of(self, part: str) -> QWidget | None:
        form = self.form
        if form is not None and form.names and part.startswith("params."):
            name = _param(part)
            if name not in form.names:
                name = form.names[0]
            return form.field(name).editor()
        return self.cases.field_of(part)

    def show_problems(self) -> None:
        problems = self.panel.checks.at(self.node_id)
        errors: dict[str, str] = {}
        places: dict[str, tuple[int, int]] = {}
        others: list[Problem] = []
        for problem in problems:
            name = _param(problem.part)
            if self.form is not None and name in self.form.names:
                message = problem.message.removeprefix(f"{self._node.title}: ")
                errors.setdefault(name, message)
                places.setdefault(name, (problem.line, problem.column))
            elif self.missing is None or problem.rule != "node-type-known":
                # The card of a missing type shows the problem "node-type-known".
                others.append(problem)
        if self.form is not None:
            # The form's own problems win, because the check runs a moment later.
            errors |= self.form.problems()
            self.form.show_errors(errors, self._calm(self.form))
            self.form.mark_places(places)
        self.problems.show_problems(others)
        self.cases.show_problems()

    def set_read_only(self, on: bool) -> None:
        super().set_read_only(on)
        for field in (self.name, self.id, self.off, self.raw):
            if field is not None:
                field.set_read_only(on)
        if self.form is not None:
            self.form.set_read_only(on)
        if self.missing is not None:
            self.missing.set_read_only(on)
        self.failures.set_read_only(on)

    # --- inside

    def _example(self) -> object:
        return arriving(
            self.document.design,
            self.node_id,
            self.panel.session.infos,
            self._context.folder(),
        )

    @property
    def _node(self) -> NodeDefinition:
        node = self.design.workflow.node(self.node_id)
        if node is None:
            raise LookupError(self.node_id)
        return node

    @property
    def _switch(self) -> SwitchEdge | None:
        """The switch that a diamond is drawn for; this editor shows its cases."""
        if self._info is None or self._info.figure != "diamond":
            return None
        return switch_at(self.design.workflow.edges, self.node_id)

    def _build_identity(self) -> None:
        grid = FieldGrid(self.look)
        self._name_error = grid.add(
            "Name",
            self.name,
            "The name for people. The id of a new node is made from its first name.",
        )
        self._id_error = grid.add(
            "Id", self.id, "Edges and checkpoints refer to the node by its id."
        )
        # Connected first, because the id belongs to the undo step of the name.
        self.name.committed.connect(self._take_id_along)
        grid.add(
            "In a run",
            self.off,
            "A disabled (D on the canvas) or bypassed (B) node is kept but not run.",
        )
        self.bind(self.name, self._on_name)
        self.bind(self.off, self._on_off)
        self.bind(self.id, self._on_id, typing=False)
        self.id.edited.connect(self._judge_id)
        self._start = button("Start here", self._on_start, small=True)
        self._start.setToolTip("The input of a run goes to the node where it starts.")
        self.header.add(self._start)
        self.body.addWidget(grid)

    def _build_failures(self) -> None:
        self.add_rule()
        self.body.addWidget(label("When it fails", "section"))
        self.failures = FailureFields(self.look)
        self.failures.changed.connect(self._on_failures)
        self.failures.committed.connect(self.settle)
        self.body.addWidget(self.failures)

    def _on_failures(
        self, retry: RetryDefinition | None, timeout: float | None, field: str
    ) -> None:
        self.edit(
            "Change failure policy",
            lambda design: edits.set_failure_policy(
                design, self.node_id, retry, timeout
            ),
            f"failures:{self.node_id}:{field}",
        )

    def _calm(self, form: Form) -> frozenset[str]:
        """Return the fields that are only empty yet, because the user has not been
        there.
        """
        patience = self.panel.checks.patience
        return frozenset(
            name
            for name in form.names
            if form.is_empty(name) and patience.is_with(self.node_id, name)
        )

    def _on_focus(
        self, focused_before: QWidget | None, focused: QWidget | None
    ) -> None:
        if self.form is None:
            return
        field_left = self.form.name_at(focused_before)
        if field_left is None or self.form.name_at(focused) == field_left:
            return
        # Not when the window has lost the focus: it returns to the field later.
        if focused is not None or self.isActiveWindow():
            self.panel.checks.patience.end(self.node_id, field_left)
            self.panel.invalidate()

    def _build_params(self, node: NodeDefinition) -> None:
        self.add_rule()
        if self._info is not None and self._info.params_schema.get("properties"):
            put(self.body, self._head())
            self.form = Form(self._info.params_schema, self.look, context=self._context)
            self.form.explain(self._preferences.explains)
            self.form.edited.connect(self._on_param)
            self.form.committed.connect(lambda _name: self.settle())
            self.body.addWidget(self.form)
        elif self._info is not None and not node.params:
            if self._info.figure != "diamond":  # a diamond has its cases
                self.body.addWidget(label("This type has no parameters.", "secondary"))
        else:
            self._build_raw(node)

    def _build_raw(self, node: NodeDefinition) -> None:
        """Add the parameters of an unknown type, as JSON."""
        if self._info is None and self.panel.session.infos:
            self.missing = MissingType(
                self.look, node, tuple(self.panel.session.infos), self._reload
            )
            self.missing.replaced.connect(self._on_replaced)
            self.body.addWidget(self.missing)
        self.raw = JsonEdit(self.look)
        grid = FieldGrid(self.look)
        self._raw_error = grid.add("Parameters as JSON", self.raw)
        self.bind(self.raw, self._on_raw)
        self.body.addWidget(grid)

    def _head(self) -> Plan[QHBoxLayout]:
        """Return the head of the form, with the button that explains every field."""
        self.explain = icon_button(
            self.look, "info", "Explain the fields", self._on_explain
        )
        self.explain.setCheckable(True)
        self.explain.setChecked(self._preferences.explains)
        return row(label("Parameters", "section"), None, self.explain)

    def _on_explain(self) -> None:
        self._preferences.explains = self.explain.isChecked()
        if self.form is not None:
            self.form.explain(self._preferences.explains)

    def _reload(self) -> None:
        self.panel.session.load_catalogue(again=True)

    def _on_replaced(self, type_name: str) -> None:
        self.edit(
            "Change the type", lambda design: set_type(design, self.node_id, type_name)
        )

    def _on_name(self) -> None:
        name = value_or_before(self.name, self._name_error)
        text = "" if name is MISSING else name
        self.edit(
            "Rename",
            lambda design: edits.rename(design, self.node_id, text),
            f"name:{self.node_id}",
        )

    def _take_id_along(self) -> None:
        """Make the id of a new node from its first name.

        An id that the user typed stays, and so do all ids when a run is open, because
        its checkpoints name them.
        """
        old_id = self.node_id
        info = self._info
        if info is None or not is_first_name(self.design, old_id, info.title):
            return
        if not self.panel.session.timeline.rowCount():
            changed, new_id = with_id_of_name(self.design, old_id)
            self._change_id(new_id, "Rename", lambda _design: changed, f"name:{old_id}")

    def _on_icon(self, name: str) -> None:
        self.edit(
            "Change icon", lambda design: edits.set_icon(design, self.node_id, name)
        )

    def _on_off(self) -> None:
        off = self.off.value()
        chosen: Off = "" if off is MISSING else off
        words = {"": "Enable", "disabled": "Disable", "bypassed": "Bypass"}[chosen]
        self.edit(words, lambda design: edits.set_off(design, [self.node_id], chosen))

    def _judge_id(self) -> None:
        """Show whether the id is free while the user types. It is stored only when the
        user has finished.
        """
        try:
            edits.set_id(self.design, self.node_id, self._typed_id)
        except EditError as error:
            self._id_error.say(str(error))
        else:
            self._id_error.say("")
        self.id.set_invalid(bool(self._id_error.text()))

    @property
    def _typed_id(self) -> str:
        typed = self.id.value()
        return "" if typed is MISSING else str(typed)

    def _on_id(self) -> None:
        new_id = self._typed_id.strip()
        self._judge_id()
        if new_id != self.node_id and not self._id_error.text():
            self._change_id(
                new_id,
                "Change id",
                lambda design: edits.set_id(design, self.node_id, new_id),
            )

    def _change_id(
        self,
        new_id: str,
        text: str,
        change: Callable[[Design], Design],
        merge: str = "",
    ) -> None:
        old_id = self.node_id
        selection = self.document.selection
        self.busy = True  # because the node is not selected until its new id is
        done = self.edit(text, change, merge)
        if done:
            self.node_id = new_id
            self.id.show_value(new_id)
        # Not when the field lost the focus because the user selected another node.
        if done and old_id in selection:
            self.document.select(selection - {old_id} | {new_id})
        self.busy = False
        self.panel.invalidate()

    def _on_param(self, name: str) -> None:
        form = self.form
        if form is None:
            return
        value = form.field(name).stored()
        params = {key: item for key, item in self._node.params.items() if key != name}
        if value is not MISSING:
            params[name] = value
        title = title_of(name, self._schema_of(name))
        merge = f"param:{self.node_id}:{name}"
        self.edit(
            f"Change {title.lower()}",
            lambda design: edits.set_params(design, self.node_id, params),
            merge,
        )
        self.show_problems()

    def _schema_of(self, name: str) -> dict[str, object]:
        schema = self._info.params_schema if self._info is not None else {}
        return dict(schema.get("properties", {}).get(name, {}))

    def _on_raw(self) -> None:
        if self.raw is None:
            return
        error = ""
        try:
            value = self.raw.value()
            if value is not MISSING and not isinstance(value, dict):
                raise ValueError("Parameters are an object: { … }.")
        except ValueError as reason:
            value = self.raw.take_back()
            error = str(reason)
        self._say_raw(error)
        params = {} if value is MISSING else value
        merge = f"params:{self.node_id}"
        self.edit(
            "Change parameters",
            lambda design: edits.set_params(design, self.node_id, params),
            merge,
        )

    def _say_raw(self, error: str) -> None:
        self._raw_error.say(error)
        if self.raw is not None:
            self.raw.say(error)

    def _on_start(self) -> None:
        self.edit("Start here", lambda design: edits.set_start(design, self.node_id))


def _param(part: str) -> str:
    """Return the parameter of a part: `params.path` -> `path`."""
    name = part.removeprefix("params.") if part.startswith("params.") else ""
    return name.partition(".")[0].partition("[")[0]
