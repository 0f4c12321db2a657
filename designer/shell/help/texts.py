"""What F1 says, as Markdown: of the node type, edge, problem or part of the window that a person is at."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from PySide6.QtWidgets import QWidget

from designer.panels.base import Panel
from designer.panels.forms.schema import resolve, title_of
from designer.panels.palette import PalettePanel
from designer.panels.problems import ProblemsPanel
from designer.panels.properties.panel import PropertiesPanel
from designer.panels.widgets.palette_tree import TypeRole
from designer.shell.workspace import Workspace
from resources import ROOT
from runtime.debug.protocol import Problem
from runtime.document.definition import NodeInfo


class Topic(NamedTuple):
    title: str
    text: str


@cache
def topics() -> Mapping[str, Mapping[str, Topic]]:
    """The texts of `resources/help`: by `window`, `panels` (their titles) and `edges` (their kinds)."""
    raw = tomllib.loads((ROOT / "help" / "topics.toml").read_text("utf-8"))
    return {
        group: {name: Topic(**topic) for name, topic in entries.items()}
        for group, entries in raw.items()
    }


def help_for(workspace: Workspace | None, focused: QWidget | None) -> Topic:
    """What tells of the thing that a person is at. A panel speaks for itself, unless it shows what is selected."""
    if workspace is None:
        return topics()["window"]["start"]
    panel = next(
        (panel for panel in workspace.panels.values() if _is_in(panel, focused)), None
    )
    if panel is None or isinstance(panel, PropertiesPanel):
        return _selected(workspace) or (
            topics()["panels"][panel.title] if panel else topics()["window"]["canvas"]
        )
    return _of_panel(panel)


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
    return topics()["panels"][panel.title]


def _selected(workspace: Workspace) -> Topic | None:
    """Of the node or edge that was selected last, with its problems; None when nothing is."""
    workflow = workspace.canvas.canvas.design.workflow
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
    if chosen in workspace.canvas.canvas.backdrop.frames:
        return topics()["window"]["frame"]
    edge = next((edge for edge in workflow.edges if edge.id == chosen), None)
    if edge is not None:
        return _with_problems(topics()["edges"][edge.kind], problems)
    return None


def _with_problems(topic: Topic, problems: Sequence[Problem]) -> Topic:
    told = "\n".join(
        f"- **{problem.severity}**: {problem.message} {problem.remedy}"
        for problem in problems
    )
    if told:
        return Topic(topic.title, f"{topic.text}\n\n### Problems here\n\n{told}\n")
    return topic


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
