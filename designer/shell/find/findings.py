"""The entries of the command palette: commands, panels, checkpoints, examples and
recent workflows, besides the elements of the drawing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Protocol

from designer.canvas.verbs.keys import KEYS as CANVAS_KEYS
from designer.model.layout.align import ALIGNMENTS
from designer.qt.keys import text_of
from designer.session.timeline_model import TimelineModel
from designer.shell.action_host import ActionHost
from designer.shell.actions import ActionSpec
from designer.shell.find.command_palette import Entry
from designer.shell.find.find import node_entry, type_entries
from designer.shell.find.landmarks import landmarks
from designer.shell.keys.rows import FIXED, Keys, commands
from designer.shell.settings.scale import SIZES
from designer.shell.workspace import Workspace
from resources import Example
from runtime.debug.protocol import Header

FEW = 20  # checkpoints that are shown
LEAST = 2  # letters from which tags, notes and ids of checkpoints are searched
# Names of commands in other debuggers and editors; `p-`, `t-` and `g-` are those of
# WinDbg.
ALIASES = {
    "step-back": "p- t- reverse time travel",
    "superstep": "p t step over step into next",
    "run": "g go continue start debug resume",
    "stop": "terminate kill abort cancel",
    "edit": "leave design mode",
    "restore": "fork travel time",
    "layout": "arrange format auto align",
    "find": "search go to",
    "shortcuts": "keymap key bindings cheat sheet",
    "change-shortcuts": "keymap key bindings preferences settings vscode jetbrains blender",
    **{f"scale-{size}": "font size scale zoom larger smaller" for size in SIZES},
    "reduce-motion": "animation accessibility",
    "quick-fix": "intention light bulb",
    "First checkpoint of the branch": "g- go back rewind",
    "Checkpoint before": "p- t-",
}


class PaletteHost(ActionHost, Protocol):
    """What the command palette needs of the window besides its commands."""

    @property
    def specs(self) -> Sequence[ActionSpec]: ...

    @property
    def keys(self) -> Keys: ...

    @property
    def examples(self) -> Sequence[Example]: ...

    def trigger(self, spec: ActionSpec) -> None:
        """Run a command, or say why it cannot be done."""

    def go_to(self, element: str) -> None:
        """Show an element of the drawing, selected."""


def everything(window: PaletteHost) -> list[Entry]:
    """Return all entries, commands first. Those that cannot be done say why."""
    entries = list(_commands(window))
    if window.current is not None:
        entries += _of_parts(window, window.current)
        entries += [
            node_entry(node, window.go_to, "node")
            for node in window.current.document.design.workflow.nodes
        ]
        entries += landmarks(window.current.canvas.scene().design, window.go_to)
        entries += _alignments(window.current)
        entries += _panels(window.current)
        if window.current.session.mode == "edit":
            entries += type_entries(
                window.current.session.infos, window.current.canvas.commands.add_node
            )
    return [*entries, *_files(window)]


def _commands(window: PaletteHost) -> Iterator[Entry]:
    for spec in window.specs:
        if spec.id != "commands":
            text = spec.text_in(window).rstrip("…")
            words = ALIASES.get(spec.id, "")
            words = f"{words} {spec.text}" if spec.plan is not None else words
            why = window.keys.translated(spec.why(window))
            act = partial(window.trigger, spec)
            yield Entry(
                text, window.keys.first(spec.id), spec.icon or "chevr", act, words, why
            )


def _of_parts(window: PaletteHost, workspace: Workspace) -> Iterator[Entry]:
    """Yield the commands that only the canvas or a panel has."""
    canvas = workspace.canvas
    acts: dict[str, Callable[[], object]] = {
        key.words: partial(key.act, canvas)
        for press, key in CANVAS_KEYS.items()
        if text_of(press) not in FIXED
    }
    no_past = ""
    if not workspace.session.timeline.rowCount():
        no_past = "There is no checkpoint yet: run the workflow first."
    panel_acts: dict[str, Callable[[], object]] = {}
    for panel in workspace.panels.values():
        panel_acts |= panel.acts
    for command in commands():
        words = ALIASES.get(command.text, "")
        keys = window.keys.first(command.id)
        if command.group == "Canvas":
            on_canvas = partial(_on_canvas, workspace, acts[command.text])
            yield Entry(command.text, keys, "graph", on_canvas, words)
        elif command.group == "Timeline" and command.text in panel_acts:
            act = panel_acts[command.text]
            yield Entry(command.text, keys, "timeline", act, words, no_past)


def _panels(workspace: Workspace) -> Iterator[Entry]:
    is_editing = workspace.session.mode == "edit"
    for title, panel in workspace.panels.items():
        # The inspector of the other mode is hidden, and so is a task that is over.
        is_over = panel.area == "task" and title != workspace.panel_areas.task
        if not is_over and panel.area != (
            "right-debug" if is_editing else "right-edit"
        ):
            act = partial(workspace.enter_panel, title)
            yield Entry(f"Go to {title}", "panel", panel.icon, act, "show open tab")


def _alignments(workspace: Workspace) -> Iterator[Entry]:
    canvas = workspace.canvas
    if canvas.editable and len(canvas.chosen_nodes()) > 1:
        why = ""
    else:
        why = "Select two or more nodes first, while editing."
    for way, text in ALIGNMENTS.items():
        yield Entry(
            text,
            "",
            "layout",
            partial(canvas.commands.align, way),
            "arrange line up",
            why,
        )


def _on_canvas(workspace: Workspace, act: Callable[[], object]) -> None:
    workspace.canvas.setFocus()  # because it may begin a wire, which keys go on with
    act()


def _files(window: PaletteHost) -> Iterator[Entry]:
    for example in window.examples:
        yield Entry(
            f"Open example {example.title}",
            "example",
            "open",
            partial(window.files.open, example.path),
            example.name,
        )
    for recent in window.settings.values.recent:
        path = Path(recent.path)
        name = path.name.removesuffix(".stepwell.json")
        yield Entry(
            f"Open {name}",
            "recent",
            "open",
            partial(window.files.open, path),
            recent.path,
        )


# --- checkpoints


def checkpoints(window: PaletteHost, query: str) -> list[Entry]:
    """Return the checkpoints that a query names: "#14" or "14", "s6" or "superstep 6",
    the start of an id, a tag, a note, a branch.
    """
    if window.current is None:
        return []
    workspace = window.current
    session = window.current.session
    timeline = session.timeline

    def go(checkpoint_id: str) -> None:
        workspace.show_panel("Timeline")
        session.view(checkpoint_id)

    rows = dict.fromkeys(
        _rows(timeline, query.casefold().strip().removeprefix("checkpoint").strip())
    )
    return [_entry(timeline.header_at(row), row, go) for row in islice(rows, FEW)]


def _entry(header: Header, row: int, go: Callable[[str], object]) -> Entry:
    marks = ", ".join(filter(None, (*header.tags, header.note)))
    text = f"Checkpoint #{row + 1}, superstep {header.superstep}, {header.branch}"
    return Entry(
        f"{text}: {marks}" if marks else text,
        "checkpoint",
        "timeline",
        partial(go, header.id),
    )


def _rows(timeline: TimelineModel, wanted: str) -> Iterable[int]:
    number = re.fullmatch(r"(#|s|superstep )?(\d+)", wanted)
    if number is not None and number[1] != "#":
        superstep = int(number[2])
        for lane in timeline.lane_rows:
            yield from (
                lane.rows[place] for place in lane.between(superstep, superstep)
            )
    if (
        number is not None
        and number[1] in (None, "#")
        and 0 < int(number[2]) <= timeline.rowCount()
    ):
        yield int(number[2]) - 1
    if len(wanted) < LEAST:
        return
    yield from (
        lane.last_row for lane in timeline.lanes if wanted in lane.branch.casefold()
    )
    for row in range(timeline.rowCount()):
        header = timeline.header_at(row)
        marked = any(wanted in text.casefold() for text in (*header.tags, header.note))
        if marked or (len(wanted) > LEAST and header.id.casefold().startswith(wanted)):
            yield row
