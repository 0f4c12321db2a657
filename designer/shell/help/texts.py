"""The help of F1: a part of the guide, or a text made of a node type or a problem."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from PySide6.QtWidgets import QWidget

from designer.model.edge_kinds import kind_of
from designer.panels.base import Panel
from designer.panels.fields.schema import resolve, title_of
from designer.panels.palette import PalettePanel
from designer.panels.problems import ProblemsPanel
from designer.panels.properties.panel import PropertiesPanel
from designer.panels.widgets.palette_tree import TypeRole
from designer.shell.workspace import Workspace
from resources import guide
from runtime.document.definition import EdgeDefinition, NodeInfo
from runtime.document.problem import Problem


class Topic(NamedTuple):
    """A page of help. `chapter` and `heading` say where it is in the guide, if it is
    there.
    """

    title: str
    text: str
    chapter: str = ""
    heading: str = ""


def guide_topic(name: str, heading: str = "") -> Topic:
    """Return a chapter of the guide, to be read from one of its headings on."""
    chapter = guide.chapters()[name]
    return Topic(chapter.title, chapter.body, name, heading)


def help_for(workspace: Workspace | None, focused: QWidget | None) -> Topic:
    """Return the help on the panel that has the focus, or on the selection, or on the
    canvas.

    The form of Properties shows the selection, so the selection comes first there.
    """
    if workspace is None:
        return guide_topic("window", "start-page")
    panel = _panel_of(workspace, focused)
    if panel is not None and not isinstance(panel, PropertiesPanel):
        return _about_panel(panel)
    selected = _about_selection(workspace)
    if selected is not None:
        return selected
    if panel is not None:
        return _panel_topic(panel)
    return guide_topic("window", "canvas")


def _panel_of(workspace: Workspace, focused: QWidget | None) -> Panel | None:
    if focused is None:
        return None
    for panel in workspace.panels.values():
        if panel is focused or panel.isAncestorOf(focused):
            return panel
    return None


def _about_panel(panel: Panel) -> Topic:
    """Return the help on the current row of a panel, or on the panel."""
    if isinstance(panel, ProblemsPanel):
        current = panel.table.currentIndex()
        if current.isValid() and current.row() < len(panel.checks.problems):
            return about_problem(panel.checks.problems[current.row()], panel.where)
    if isinstance(panel, PalettePanel):
        info = panel.session.infos.get(str(panel.tree.currentIndex().data(TypeRole)))
        if info is not None:
            return about_type(info)
    return _panel_topic(panel)


def _panel_topic(panel: Panel) -> Topic:
    return guide_topic("panels", guide.slug(panel.title))


def _about_selection(workspace: Workspace) -> Topic | None:
    """Return the help on the node, frame or edge that was selected last, with its
    problems.
    """
    scene = workspace.canvas.scene()
    workflow = scene.design.workflow
    selected_id = next(reversed(workspace.canvas.order), "")
    if not selected_id:
        selected_id = next(iter(workspace.document.selection), "")
    problems = workspace.checks.by_location.get(selected_id, ())
    node = workflow.node(selected_id)
    if node is not None:
        info = workspace.session.infos.get(node.type)
        topic = _about_unknown_type(node.type) if info is None else about_type(info)
        return _with_problems(topic, problems)
    if selected_id in scene.backdrop.frames:
        return guide_topic("window", "frames-and-notes")
    for edge in workflow.edges:
        if edge.id == selected_id:
            return _with_problems(_about_edge(edge), problems)
    return None


def _about_unknown_type(name: str) -> Topic:
    text = "This node type is not known here. Its file may be missing, or not be loaded yet."
    return Topic(name, text)


def _about_edge(edge: EdgeDefinition) -> Topic:
    """Return the part of the guide about a kind of edges; the whole chapter for a kind
    that it does not describe.
    """
    heading = guide.slug(kind_of(edge).title)
    known = {part.slug for part in guide.chapters()["edges"].headings}
    return guide_topic("edges", heading if heading in known else "")


def _with_problems(topic: Topic, problems: Sequence[Problem]) -> Topic:
    """Return the topic with the problems of the selected thing, at the end of what is
    said of it.
    """
    if not problems:
        return topic
    lines = [
        f"- **{problem.severity}**: {problem.message} {problem.remedy}"
        for problem in problems
    ]
    addition = "### Problems here\n\n" + "\n".join(lines)
    if topic.heading:
        text = guide.chapters()[topic.chapter].with_addition(topic.heading, addition)
        return topic._replace(text=text)
    return topic._replace(text=f"{topic.text}\n\n{addition}\n")


def about_problem(problem: Problem, where: Callable[[Problem], str]) -> Topic:
    """What is wrong, where, and what to do."""
    lines = [problem.message, f"**Where**: {where(problem)}"]
    if problem.remedy:
        lines.append(f"**What to do**: {problem.remedy}")
    if problem.severity == "error":
        lines.append("An error keeps the workflow from running.")
    return Topic(problem.severity.capitalize(), "\n\n".join(lines))


def about_type(info: NodeInfo) -> Topic:
    """Return what a node type does, receives and sends, and each of its parameters."""
    inputs = ", ".join(f"`{name}`" for name in info.inputs)
    outputs = ", ".join(f"`{name}`" for name in info.outputs)
    facts = [
        f"**Receives** {inputs or 'nothing: a run starts with it'}",
        f"**Sends** {outputs or 'nothing'}",
        f"**Type** `{info.type}`",
    ]
    parts = [info.description, "  \n".join(facts)]
    parameters = list(_parameter_lines(info.params_schema))
    if parameters:
        parts += ["### Parameters", "\n".join(parameters)]
    return Topic(info.title, "\n\n".join(part for part in parts if part))


def _parameter_lines(schema: Mapping[str, Any]) -> Iterator[str]:
    required = schema.get("required", ())
    for name, field in schema.get("properties", {}).items():
        parameter = resolve(field, schema)
        if parameter.get("hidden"):
            continue
        line = f"- **{title_of(name, parameter)}**"
        note = "needed" if name in required else _default(parameter)
        if note:
            line += f" ({note})"
        description = " ".join(str(parameter.get("description", "")).split())
        if description:
            line += f": {description}"
        yield line


def _default(parameter: Mapping[str, Any]) -> str:
    default = parameter.get("default")
    if default in (None, "", [], {}):
        return ""
    text = str(default).splitlines()[0]
    return f"`{text[:40]}` unless changed"
