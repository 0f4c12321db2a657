"""Pictures of the window to be looked at, not compared: `python -m tests.screens FOLDER
[--only STATE …]`.

Each state in light and dark, at 100 and 200 %: `<state>-<theme>-<scale>.png`.
Everything is the finished window, with the node types of a real host; what is drawn is
opened, selected and gone into as a user does it.

With `--modes` each mode of the window in each size that it must fit in:
`<mode>-<size>-<theme>.png`.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QPainter, QPixmap
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from designer.look.theme import ThemeName
from designer.model.design import Design
from designer.model.layout.arrange import arrange
from designer.screenshots import settle, wait_until
from designer.shell.window import Window
from designer.shell.workspace import Workspace
from runtime.document.definition import (
    DirectEdge,
    FanInEdge,
    NodeDefinition,
    SwitchCase,
    SwitchEdge,
    WorkflowDefinition,
)
from tests.benchmarks.window_documents import flow, saved
from tests.benchmarks.window_rows import finished_window
from tests.screen_debugger import DEBUGGER
from tests.screen_modes import MODES as RUNS
from tests.screen_modes import SIZES
from tests.screen_states import MORE, example, opened

SCALES = (1, 2)
THEMES: tuple[ThemeName, ThemeName] = ("light", "dark")
CONTRAST: tuple[ThemeName, ThemeName] = ("contrast-light", "contrast-dark")
ARRANGE = Qt.Key.Key_L
COLLAPSE = Qt.Key.Key_G
CTRL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier
State = Callable[[Window, Path], object]


def _empty(window: Window, _folder: Path) -> None:
    workspace = window.new_document()
    wait_until(lambda: bool(workspace.session.infos), "the node types")


def _small(window: Window, _folder: Path) -> None:
    example(window, "review_loop").canvas.camera.fit_all(glide=False)


def _many(count: int) -> State:
    def show(window: Window, folder: Path) -> None:
        (folder / "work.py").write_text(
            "def step(message: object) -> object:\n    return message\n", "utf-8"
        )
        design = flow(count)
        workspace = opened(
            window, saved(Design(design.workflow, arrange(design)), folder)
        )
        workspace.canvas.camera.fit_all(glide=False)

    return show


def _switch(window: Window, _folder: Path) -> None:
    workspace = example(window, "licence_audit")
    workspace.document.select({_edge(workspace, SwitchEdge)})


def _join(window: Window, _folder: Path) -> None:
    workspace = example(window, "licence_audit")
    workspace.document.select({_edge(workspace, FanInEdge)})


def _edge(workspace: Workspace, kind: type[SwitchEdge | FanInEdge]) -> str:
    return next(
        edge.id
        for edge in workspace.document.design.workflow.edges
        if isinstance(edge, kind)
    )


def _sub_workflow(window: Window, _folder: Path) -> None:
    workspace = example(window, "review_loop")
    inner = [
        node.id
        for node in workspace.document.design.workflow.nodes
        if node.type.startswith("python")
    ]
    workspace.document.select(inner)
    QTest.keyClick(workspace.canvas, COLLAPSE, CTRL | SHIFT)
    workspace.canvas.camera.fit_all(glide=False)


def _inside(window: Window, folder: Path) -> None:
    _sub_workflow(window, folder)
    QTest.keyClick(window.workspace.canvas, Qt.Key.Key_Return)
    window.workspace.canvas.camera.fit_all(glide=False)


def _problems(window: Window, folder: Path) -> None:
    nodes = (
        NodeDefinition(id="start", type="input", name="Order"),
        NodeDefinition(id="price", type="switch", name="By price"),
        NodeDefinition(
            id="cheap",
            type="template",
            name="Cheap",
            params={"text": "cheap: {message"},
        ),
        NodeDefinition(id="dear", type="template", name="Dear", params={}),
        NodeDefinition(id="both", type="collect", name="Both"),
        NodeDefinition(id="gone", type="acme.rank", name="Rank"),
        NodeDefinition(id="alone", type="output", name="Nobody leads here"),
    )
    edges = (
        DirectEdge(id="e1", source="start", target="price"),
        SwitchEdge(
            id="s",
            source="price",
            cases=(SwitchCase(name="cheap", when="message.price < ", target="cheap"),),
            default="dear",
        ),
        FanInEdge(id="j", sources=("cheap", "dear"), target="both"),
        DirectEdge(id="e2", source="both", target="gone"),
    )
    design = Design(
        WorkflowDefinition(name="orders", start="start", nodes=nodes, edges=edges), {}
    )
    workspace = opened(window, saved(Design(design.workflow, arrange(design)), folder))
    workspace.show_panel("Problems")


def _key(
    key: Qt.Key,
    modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier,
    text: str = "",
) -> State:
    """The licence audit after a key on the canvas, and perhaps some words typed."""

    def show(window: Window, _folder: Path) -> None:
        workspace = example(window, "licence_audit")
        QTest.keyClick(workspace.canvas, key, modifiers)
        field = QApplication.focusWidget()
        if text and field is not None:
            QTest.keyClicks(field, text)

    return show


def _start(window: Window, _folder: Path) -> None:
    window.show_start_page()


MODES: dict[str, State] = {**RUNS, **DEBUGGER}
STATES: dict[str, State] = {
    "start": _start,
    "empty": _empty,
    "small": _small,
    "nodes-60": _many(60),
    "nodes-1000": _many(1000),
    "switch": _switch,
    "join": _join,
    "sub-workflow": _sub_workflow,
    "inside": _inside,
    "problems": _problems,
    "quick-add": _key(Qt.Key.Key_Tab, text="wait"),
    "commands": _key(Qt.Key.Key_P, CTRL | SHIFT, "lay"),
    "shortcuts": _key(Qt.Key.Key_Question, SHIFT),
    "help": _key(Qt.Key.Key_F1),
    "find": _key(Qt.Key.Key_F, CTRL, "licen"),
    **MORE,
}


def take(
    folder: Path, scale: int, names: list[str], themes: tuple[ThemeName, ...]
) -> Iterator[Path]:
    """Show each state in a window of its own, so that none is led up to by another."""
    for name in names:
        with finished_window() as (window, scratch):
            STATES[name](window, scratch)
            wait_until(_checked(window), "the check")
            yield from _in_each(
                window,
                {theme: folder / f"{name}-{theme}-{scale}00.png" for theme in themes},
            )
            for other in QApplication.topLevelWidgets():
                # its own closing asks for unsaved changes, unless they are gone first
                if other is not window:
                    other.close()


def take_modes(
    folder: Path, size: str, names: list[str], themes: tuple[ThemeName, ...]
) -> Iterator[Path]:
    """Show each mode in a window that had this size from the start."""
    (width, height), _scale = SIZES[size]
    for name in names:
        with finished_window() as (window, scratch):
            window.resize(width, height)
            QApplication.processEvents()
            MODES[name](window, scratch)
            yield from _in_each(
                window,
                {theme: folder / f"{name}-{size}-{theme}.png" for theme in themes},
            )
            for workspace in window.workspaces:
                workspace.session.close()
            for other in QApplication.topLevelWidgets():
                if other is not window:
                    other.close()


def _in_each(window: Window, paths: dict[ThemeName, Path]) -> Iterator[Path]:
    for theme, path in paths.items():
        window.choose_theme(theme)
        # it would take its time, and nothing is painted meanwhile
        window.restyling.finish()
        settle()
        _grabbed(window).save(str(path))
        yield path


def _grabbed(window: Window) -> QPixmap:
    """The window with what stands before it: dialogs and popups are windows of their
    own.
    """
    picture = window.grab()
    painter = QPainter(picture)
    for other in QApplication.topLevelWidgets():
        if other is not window and other.isVisible():
            painter.drawPixmap(
                window.mapFromGlobal(other.mapToGlobal(QPoint())), other.grab()
            )
    painter.end()
    return picture


def _checked(window: Window) -> Callable[[], bool]:
    return lambda: window.current is None or not window.workspace.checks.is_busy


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", nargs="+", choices=[*STATES, *MODES], default=[])
    parser.add_argument(
        "--modes", action="store_true", help="the modes of the window in each size"
    )
    parser.add_argument("--size", choices=SIZES, help="only this one, with --modes")
    parser.add_argument(
        "--contrast", action="store_true", help="the two themes of high contrast"
    )
    parser.add_argument("--scale", type=int, choices=SCALES, help="only this one")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    if given.scale is None:
        return _each_scale(given.modes, given.size)
    themes = CONTRAST if given.contrast else THEMES
    if given.modes:
        pictures = take_modes(
            given.folder, given.size, given.only or list(MODES), themes
        )
    else:
        pictures = take(given.folder, given.scale, given.only or list(STATES), themes)
    for path in pictures:
        sys.stdout.write(f"{path}\n")
        sys.stdout.flush()
    return 0


def _each_scale(modes: bool, size: str | None) -> int:
    """In a process of its own each: Qt takes its scale when it starts."""
    if not modes:
        return max(_of_its_own(scale, []) for scale in SCALES)
    return max(
        _of_its_own(SIZES[name][1], ["--size", name])
        for name in ([size] if size else SIZES)
    )


def _of_its_own(scale: int, more: list[str]) -> int:
    environment = {**os.environ, "QT_SCALE_FACTOR": str(scale)}
    command = [
        sys.executable,
        "-m",
        "tests.screens",
        *sys.argv[1:],
        *more,
        "--scale",
        str(scale),
    ]
    return subprocess.run(command, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
