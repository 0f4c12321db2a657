"""What F1 says, as Markdown: of the node type, edge, problem or part of the window that a person is at."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from PySide6.QtWidgets import QWidget

from designer.panels.base import Panel
from designer.panels.forms.schema import resolve, title_of
from designer.panels.palette import PalettePanel
from designer.panels.problems import ProblemsPanel
from designer.panels.properties.panel import PropertiesPanel
from designer.panels.widgets.palette_tree import TypeRole
from designer.shell.workspace import Workspace
from resources import guide
from runtime.document.definition import NodeInfo
from runtime.document.problem import Problem

# The heading for each kind of edge in the chapter of edges.
EDGE_HEADINGS = {
    "direct": "wire",
    "fan_out": "fan-out",
    "fan_in": "join",
    "switch": "switch",
    "multi_selection": "multi-selection",
    "on_error": "on-error",
}


class Topic(NamedTuple):
    """A page of help. `chapter` and `heading` say where it is in the guide, if it is there."""

    title: str
    text: str
    chapter: str = ""
    heading: str = ""


def guide_topic(chapter: str, heading: str = "") -> Topic:
    """Return a chapter of the guide, to be read from one of its headings on."""
    found = guide.chapters()[chapter]
    return Topic(found.title, found.body, chapter, heading)


def help_for(workspace: Workspace | None, focused: QWidget | None) -> Topic:
    """Return the help on what a person is at. A panel speaks for itself, unless it shows the selection."""
    if workspace is None:
        return guide_topic("window", "start-page")
    panel = next(
        (panel for panel in workspace.panels.values() if _is_in(panel, focused)), None
    )
    if panel is not None and not isinstance(panel, PropertiesPanel):
        return _of_panel(panel)
    selected = _selected(workspace)
    if selected is not None:
        return selected
    return (
        guide_topic("window", "canvas")
        if panel is None
        else guide_topic("panels", guide.slug(panel.title))
    )


def _is_in(panel: Panel, focused: QWidget | None) -> bool:
    return focused is not None and (panel is focused or panel.isAncestorOf(focused))


def _of_panel(panel: Panel) -> Topic:
    if isinstance(panel, ProblemsPanel):
        current = panel.table.currentIndex()
        if current.isValid() and current.row() < len(panel.checks.problems):
            return about_problem(panel.checks.problems[current.row()], panel.where)
    if isinstance(panel, PalettePanel):
        info = panel.session.infos.get(str(panel.tree.currentIndex().data(TypeRole)))
        if info is not None:
            return about_type(info)
    return guide_topic("panels", guide.slug(panel.title))


def _selected(workspace: Workspace) -> Topic | None:
    """Of the node or edge that was selected last, with its problems; None when nothing is."""
    workflow = workspace.canvas.scene().design.workflow
    chosen = next(reversed(workspace.canvas.order), "") or next(
        iter(workspace.document.selection), ""
    )
    problems = workspace.checks.by_location.get(chosen, ())
    node = workflow.node(chosen)
    if node is not None:
        info = workspace.session.infos.get(node.type)
        missing = Topic(
            node.type,
            "This node type is not known here. Its file may be missing, or not be loaded yet.",
        )
        return _with_problems(
            about_type(info) if info is not None else missing, problems
        )
    if chosen in workspace.canvas.scene().backdrop.frames:
        return guide_topic("window", "frames-and-notes")
    edge = next((edge for edge in workflow.edges if edge.id == chosen), None)
    if edge is None:
        return None
    return _with_problems(
        guide_topic("edges", EDGE_HEADINGS.get(edge.kind, "")), problems
    )


def _with_problems(topic: Topic, problems: Sequence[Problem]) -> Topic:
    """Return the topic with the problems of the selected thing, at the end of what is said of it."""
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
    """A node type: what it does, takes and sends, and each of its parameters."""
    takes = (
        ", ".join(f"`{name}`" for name in info.inputs)
        or "nothing: a run starts with it"
    )
    sends = ", ".join(f"`{name}`" for name in info.outputs) or "nothing"
    parts = [
        info.description,
        f"**Takes** {takes}  \n**Sends** {sends}  \n**Type** `{info.type}`",
    ]
    params = list(_params(info.params_schema))
    if params:
        parts += ["### Parameters", "\n".join(params)]
    return Topic(info.title, "\n\n".join(part for part in parts if part))


def _params(schema: Mapping[str, Any]) -> Iterator[str]:
    needed = schema.get("required", ())
    for name, given in schema.get("properties", {}).items():
        param = resolve(given, schema)
        if param.get("hidden"):
            continue
        says = " ".join(str(param.get("description", "")).split())
        notes = "needed" if name in needed else _default(param)
        yield (
            f"- **{title_of(name, param)}**"
            + (f" ({notes})" if notes else "")
            + (f": {says}" if says else "")
        )


def _default(param: Mapping[str, Any]) -> str:
    default = param.get("default")
    if default in (None, "", [], {}):
        return ""
    text = str(default).splitlines()[0]
    return f"`{text[:40]}` unless changed"
