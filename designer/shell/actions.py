"""Every command of the window as a table: id, text, menu, icon, shortcut, what it does, when it can.

Menus, toolbar, command palette and the list of shortcuts are made from this one table.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from designer.shell.window import Window

Run = Callable[["Window"], object]
Can = Callable[["Window"], bool]


def _always(window: Window) -> bool:  # noqa: ARG001 - one signature for all
    return True


@dataclass(frozen=True)
class ActionSpec:
    """One command. `tool` puts it on the toolbar, in the order of the table; `words` shows its text there; `gap` puts a
    separator before it. `on_canvas` marks a key that the canvas handles itself, since a text field needs it too.
    """

    id: str
    text: str
    menu: str
    run: Run
    icon: str = ""
    shortcut: str = ""
    can: Can = _always
    why_not: str = ""
    tool: bool = False
    words: bool = False
    gap: bool = False
    on_canvas: bool = False


def _open(window: Window) -> bool:
    return window.current is not None


def _editing(window: Window) -> bool:
    return window.current is not None and window.current.session.mode == "edit"


def _running(window: Window) -> bool:
    return window.current is not None and window.current.session.running


def _standing(window: Window) -> bool:
    return window.current is not None and not window.current.session.running


def _has_history(window: Window) -> bool:
    return window.current is not None and window.current.session.timeline.rowCount() > 0


def _past(window: Window) -> bool:
    return window.current is not None and window.current.session.mode == "past"


def _debugging(window: Window) -> bool:
    return window.current is not None and window.current.session.mode != "edit" and not window.current.session.running


def _undo(window: Window) -> bool:
    return _editing(window) and window.workspace.document.undo_stack.canUndo()


def _redo(window: Window) -> bool:
    return _editing(window) and window.workspace.document.undo_stack.canRedo()


def _selected(window: Window) -> bool:
    return _editing(window) and bool(window.workspace.document.selection)


_NEED_DOCUMENT = "Open or make a workflow first."
_NEED_EDIT = "Go back to editing first (Ctrl+E)."
_NEED_RUN = "No run is going on."
_NEED_PAST = "View a checkpoint of the past first."
_RUNNING = "It is running already."
_NO_UNDO, _NO_REDO = "There is nothing to undo.", "There is nothing to redo."
_NO_PICK = "Select something first, while editing."

ACTIONS: tuple[ActionSpec, ...] = (
    # File
    ActionSpec("new", "New workflow", "File", lambda w: w.new_document(), "new", "Ctrl+N", tool=True),
    ActionSpec("open", "Open…", "File", lambda w: w.ask_open(), "open", "Ctrl+O", tool=True),
    ActionSpec("save", "Save", "File", lambda w: w.save(), "save", "Ctrl+S", _open, _NEED_DOCUMENT, tool=True),
    ActionSpec("save-as", "Save as…", "File", lambda w: w.ask_save_as(), "", "Ctrl+Shift+S", _open, _NEED_DOCUMENT),
    ActionSpec("start-page", "Start page", "File", lambda w: w.show_start_page(), gap=True),
    ActionSpec("close", "Close workflow", "File", lambda w: w.close_current(), "", "Ctrl+W", _open, _NEED_DOCUMENT),
    ActionSpec("quit", "Quit", "File", lambda w: w.quit(), "", "Ctrl+Q", gap=True),
    # Edit
    ActionSpec(
        "undo", "Undo", "Edit", lambda w: w.workspace.document.undo_stack.undo(), "undo", "Ctrl+Z", _undo, _NO_UNDO,
        tool=True, gap=True,
    ),
    ActionSpec(
        "redo", "Redo", "Edit", lambda w: w.workspace.document.undo_stack.redo(), "redo", "Ctrl+Y", _redo, _NO_REDO,
        tool=True,
    ),
    ActionSpec("cut", "Cut", "Edit", lambda w: w.workspace.canvas.cut(), "", "Ctrl+X", _selected, _NO_PICK, gap=True),
    ActionSpec("copy", "Copy", "Edit", lambda w: w.workspace.canvas.copy(), "copy", "Ctrl+C", _open, _NEED_DOCUMENT),
    ActionSpec("paste", "Paste", "Edit", lambda w: w.workspace.canvas.paste(), "", "Ctrl+V", _editing, _NEED_EDIT),
    ActionSpec(
        "duplicate", "Duplicate", "Edit", lambda w: w.workspace.canvas.duplicate(), "", "Ctrl+D", _selected, _NO_PICK
    ),
    ActionSpec(
        "delete", "Delete", "Edit", lambda w: w.workspace.canvas.delete_selection(), "x", "Del", _selected, _NO_PICK,
        on_canvas=True,
    ),
    ActionSpec(
        "select-all", "Select all", "Edit", lambda w: w.workspace.canvas.select_all(), "", "Ctrl+A", _open,
        _NEED_DOCUMENT, on_canvas=True,
    ),
    # View
    ActionSpec(
        "fit", "Fit everything", "View", lambda w: w.workspace.canvas.zoom_to_fit(), "fit", "Home", _open,
        _NEED_DOCUMENT, on_canvas=True,
    ),
    ActionSpec(
        "fit-selection", "Fit selection", "View", lambda w: w.workspace.canvas.fit_selection(), "", "F", _open,
        _NEED_DOCUMENT, on_canvas=True,
    ),
    ActionSpec("zoom-in", "Zoom in", "View", lambda w: w.zoom(1.25), "plus", "Ctrl++", _open, _NEED_DOCUMENT),
    ActionSpec("zoom-out", "Zoom out", "View", lambda w: w.zoom(0.8), "minus", "Ctrl+-", _open, _NEED_DOCUMENT),
    ActionSpec("zoom-100", "100 %", "View", lambda w: w.workspace.canvas.set_zoom(1.0), "", "Ctrl+0", _open),
    ActionSpec("theme-light", "Light theme", "View", lambda w: w.choose_theme("light"), gap=True),
    ActionSpec("theme-dark", "Dark theme", "View", lambda w: w.choose_theme("dark")),
    ActionSpec("theme-system", "Theme of the system", "View", lambda w: w.choose_theme("system")),
    ActionSpec("reset-layout", "Reset window layout", "View", lambda w: w.reset_layout(), gap=True),
    # Insert
    ActionSpec(
        "add-node", "Add a node…", "Insert", lambda w: w.workspace.canvas.quick_add(), "plus", "Tab", _editing,
        _NEED_EDIT, on_canvas=True,
    ),
    # Run
    ActionSpec(
        "run", "Run", "Run", lambda w: w.workspace.run(), "play", "F5", _standing, _RUNNING,
        tool=True, words=True, gap=True,
    ),
    ActionSpec(
        "pause", "Pause", "Run", lambda w: w.workspace.session.pause(), "pause", "F6", _running, _NEED_RUN,
        tool=True, words=True,
    ),
    ActionSpec(
        "stop", "Stop", "Run", lambda w: w.workspace.session.stop(), "stop", "Shift+F5", _running, _NEED_RUN,
        tool=True, words=True,
    ),
    ActionSpec(
        "step-back", "Step back", "Run", lambda w: w.workspace.session.step_back(), "stepback", "Alt+Left",
        _has_history, "There is no checkpoint yet.", tool=True, words=True, gap=True,
    ),
    ActionSpec(
        "superstep", "Superstep", "Run", lambda w: w.workspace.superstep(), "superstep", "F10", _standing, _RUNNING,
        tool=True, words=True,
    ),
    ActionSpec(
        "edit", "Edit", "Run", lambda w: w.workspace.session.leave(), "pencil", "Ctrl+E", _debugging,
        "You are editing already, or the run must stop first.", tool=True, words=True, gap=True,
    ),
    # Checkpoint
    ActionSpec(
        "restore", "Restore here (fork)", "Checkpoint", lambda w: w.workspace.restore_viewed(), "restore",
        "Ctrl+Return", _past, _NEED_PAST,
    ),
    ActionSpec(
        "back-to-live", "Back to live", "Checkpoint", lambda w: w.workspace.session.back_to_live(), "live", "Alt+End",
        _past, _NEED_PAST,
    ),
    # Layout
    ActionSpec(
        "layout", "Layout", "Edit", lambda w: w.workspace.canvas.arrange("LR"), "layout", "Ctrl+L", _editing,
        _NEED_EDIT, tool=True, words=True, gap=True,
    ),
    ActionSpec(
        "layout-down", "Layout, top to bottom", "Edit", lambda w: w.workspace.canvas.arrange("TB"), "", "", _editing,
        _NEED_EDIT,
    ),
    # Help
    ActionSpec("commands", "Find or run a command", "Help", lambda w: w.show_commands(), "search", "Ctrl+Shift+P"),
    ActionSpec("shortcuts", "Keyboard shortcuts", "Help", lambda w: w.show_shortcuts(), "", "Ctrl+?"),
    ActionSpec("about", "About Stepwell", "Help", lambda w: w.show_about(), "info"),
)  # fmt: skip

MENUS = ("File", "Edit", "View", "Insert", "Run", "Checkpoint", "Help")
