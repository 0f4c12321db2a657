"""The table of all commands of the window: id, text, menu, icon, shortcut, what it
does, and when it can be done.

Menus, toolbar, command palette and the list of shortcuts are made from this table.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from designer.model.reimport import reference_of
from designer.shell.action_host import ActionHost
from designer.shell.runs.go_on import Plan
from designer.shell.settings.scale import SIZES
from runtime.document.definition import Off
from runtime.document.sub_workflows import SUB_WORKFLOW

Run = Callable[[ActionHost], object]
Can = Callable[[ActionHost], bool]
Why = Callable[[ActionHost], str]


def _always(window: ActionHost) -> bool:  # noqa: ARG001 - one signature for all
    return True


@dataclass(frozen=True)
class ActionSpec:
    """One command.

    tool       it is on the toolbar, in the order of the table
    words      its button has a text; `short` is that text, by default `text`
    more       the commands in a menu beside its button
    gap        there is a separator before it, on the toolbar and in the menu
    under      the submenu of its menu
    also       a second key
    checked    makes it a command that is on or off
    plan       returns what it does at present, where that depends on the mode
    on_canvas  the canvas, or the window if nothing takes the key as text, handles its key,
               because a shortcut of the window would take it from text fields
    """

    id: str
    text: str
    menu: str
    run: Run
    icon: str = ""
    shortcut: str = ""
    can: Can = _always
    why_not: str | Why = ""
    tool: bool = False
    words: bool = False
    gap: bool = False
    on_canvas: bool = False
    checked: Can | None = None
    more: tuple[str, ...] = ()
    short: str = ""
    also: str = ""
    under: str = ""
    plan: Callable[[ActionHost], Plan | None] | None = None

    def text_in(self, window: ActionHost) -> str:
        """Return its present text for menus."""
        plan = self.plan(window) if self.plan is not None else None
        return plan.text if plan is not None else self.text

    def short_in(self, window: ActionHost) -> str:
        """Return its present text for a button."""
        plan = self.plan(window) if self.plan is not None else None
        return plan.short if plan is not None else self.short or self.text.rstrip("…")

    def why(self, window: ActionHost) -> str:
        """Return why it cannot be done; "" if it can."""
        if self.can(window):
            return ""
        return self.why_not if isinstance(self.why_not, str) else self.why_not(window)


def _open(window: ActionHost) -> bool:
    return window.current is not None


def _drawn(window: ActionHost) -> bool:
    return window.current is not None and window.current.session.has_document


def _need_drawing(window: ActionHost) -> str:
    if window.current is None:
        return _NEED_DOCUMENT
    if window.current.session.is_attached:
        return "This tab shows a program's workflow: nothing is drawn here."
    return "This tab looks into a store: nothing is drawn here."


def _editing(window: ActionHost) -> bool:
    return window.current is not None and window.current.session.mode == "edit"


def _linked(window: ActionHost) -> bool:
    return _editing(window) and reference_of(window.workspace.document.root) != ""


def _shareable(window: ActionHost) -> bool:
    return _why_not_share(window) == ""


def _why_not_share(window: ActionHost) -> str:
    if window.current is None:
        return _NEED_DOCUMENT
    return window.sharing.why_not_share(window.current)


def _can_bundle(window: ActionHost) -> bool:
    return _why_no_bundle(window) == ""


def _why_no_bundle(window: ActionHost) -> str:
    if window.current is None:
        return _NEED_DOCUMENT
    return window.bundles.why_not(window.current)


def _running(window: ActionHost) -> bool:
    return window.current is not None and window.current.session.running


def _stoppable(window: ActionHost) -> bool:
    if window.current is None:
        return False
    session = window.current.session
    return session.running or session.starting or session.stands_inside


def _startable(window: ActionHost) -> bool:
    return window.current is not None and window.current.why_not_run == ""


def _why_not_run(window: ActionHost) -> str:
    return window.current.why_not_run if window.current is not None else _NEED_DOCUMENT


def _can_go_on(window: ActionHost) -> bool:
    return window.current is not None and window.current.going.why_not_go_on == ""


def _why_not_go_on(window: ActionHost) -> str:
    if window.current is None:
        return _NEED_DOCUMENT
    return window.current.going.why_not_go_on


def _node_in_a_run(window: ActionHost) -> bool:
    return _running(window) and bool(window.workspace.canvas.chosen_nodes())


def _cancel_nodes(window: ActionHost) -> None:
    for node in window.workspace.canvas.chosen_nodes():
        window.workspace.session.cancel_node(node)


def _many(window: ActionHost) -> bool:
    return window.tab_count > 1


def _has_history(window: ActionHost) -> bool:
    return window.current is not None and window.current.session.timeline.rowCount() > 0


def _has_question(window: ActionHost) -> bool:
    return window.current is not None and window.current.session.past.active is not None


def _past(window: ActionHost) -> bool:
    if window.current is None or window.current.session.looks_only:
        return False
    return window.current.session.mode == "past"


def _debugging(window: ActionHost) -> bool:
    if window.current is None:
        return False
    session = window.current.session
    return session.mode != "edit" and not session.running and session.has_document


def _attached(window: ActionHost) -> bool:
    """Whether a program that has its own process is attached."""
    if window.current is None:
        return False
    session = window.current.session
    is_there = session.is_attached and not session.has_left
    return is_there and not session.owns_process


def _away_from_program(window: ActionHost) -> bool:
    """Whether the program waits while a run of the window is shown."""
    return _attached(window) and window.workspace.session.is_away_from_program


def _staging(window: ActionHost) -> bool:
    return window.current is not None and window.current.session.staged.is_on


def _undo(window: ActionHost) -> bool:
    if _staging(window):
        return window.workspace.session.staged.can_undo
    return _editing(window) and window.workspace.document.undo_stack.canUndo()


def _redo(window: ActionHost) -> bool:
    if _staging(window):
        return window.workspace.session.staged.can_redo
    return _editing(window) and window.workspace.document.undo_stack.canRedo()


def _can_edit_copy(window: ActionHost) -> bool:
    return _why_no_copy(window) == ""


def _why_no_copy(window: ActionHost) -> str:
    if window.current is None:
        return _NEED_DOCUMENT
    return window.current.edit_copy_verbs.why_not


def _selected(window: ActionHost) -> bool:
    return _editing(window) and bool(window.workspace.document.selection)


def _has_source(window: ActionHost) -> bool:
    return window.current is not None and bool(window.workspace.source.reference)


def _nodes_selected(window: ActionHost) -> bool:
    return _editing(window) and bool(window.workspace.canvas.chosen_nodes())


def _wire_selected(window: ActionHost) -> bool:
    return _editing(window) and window.workspace.canvas.dots.has_wire()


def _are_off(window: ActionHost, off: Off) -> bool:
    return _nodes_selected(window) and window.workspace.canvas.commands.are_off(off)


def _choose_scale(window: ActionHost, *, size: int) -> None:
    window.choose_scale(size)


def _has_scale(window: ActionHost, *, size: int) -> bool:
    return window.settings.values.scale == size


def _inside(window: ActionHost) -> bool:
    return window.current is not None and window.current.levels.is_inside


def _sub_selected(window: ActionHost) -> bool:
    if window.current is None:
        return False
    canvas = window.current.canvas
    selection = canvas.selection
    if not selection:
        return False
    # One pass over the nodes, because thousands may be selected.
    nodes = canvas.scene().design.workflow.nodes
    return any(node.type == SUB_WORKFLOW and node.id in selection for node in nodes)


def _some_drawn(window: ActionHost) -> bool:
    return window.current is not None and not window.current.canvas.is_empty


def _can_arrange(window: ActionHost) -> bool:
    return _editing(window) and _some_drawn(window)


def _why_not_arrange(window: ActionHost) -> str:
    if window.current is None:
        return _NEED_DOCUMENT
    return _NEED_EDIT if _some_drawn(window) else "There is no node yet."


def _deliverable(window: ActionHost) -> bool:
    return window.current is not None and window.current.going.why_no_delivery == ""


def _why_no_delivery(window: ActionHost) -> str:
    if window.current is None:
        return _NEED_DOCUMENT
    return window.current.going.why_no_delivery


def _can_step_out(window: ActionHost) -> bool:
    return window.current is not None and window.current.going.why_not_out == ""


def _why_not_out(window: ActionHost) -> str:
    return (
        window.current.going.why_not_out
        if window.current is not None
        else _NEED_DOCUMENT
    )


def _reachable(window: ActionHost) -> bool:
    return window.current is not None and window.current.steps.why_not_here == ""


def _why_not_here(window: ActionHost) -> str:
    return (
        window.current.steps.why_not_here
        if window.current is not None
        else _NEED_DOCUMENT
    )


def _holdable(window: ActionHost) -> bool:
    if window.current is None or window.current.session.mode != "live":
        return False
    return bool(window.current.canvas.chosen_nodes())


def _is_held(window: ActionHost) -> bool:
    return _holdable(window) and window.workspace.steps.is_held


def _selection(window: ActionHost) -> bool:
    return window.current is not None and bool(window.current.canvas.selection)


def _has_breakpoints(window: ActionHost) -> bool:
    if window.current is None:
        return False
    return bool(window.current.document.breakpoints.notes.breakpoints)


def _are_muted(window: ActionHost) -> bool:
    return (
        window.current is not None and window.current.document.breakpoints.notes.muted
    )


_NEED_DOCUMENT = "Open or make a workflow first."
_NEED_EDIT = "Go back to editing first (Ctrl+E)."
_NEED_RUN = "No run is moving."
_NEED_PAST = "View a checkpoint of the past first."
_NO_UNDO = "There is nothing to undo."
_NO_REDO = "There is nothing to redo."
_NO_NODE = "Select a node first, while editing."
_NO_WIRE = "Select a wire first, while editing."
_NO_PICK = "Select something first, while editing."
_NO_SOURCE = "Select a node whose code is in a Python file."
_NO_PAST = "There is no checkpoint yet: run the workflow first."
_NO_QUESTION = "Ask the past first (Ctrl+Shift+F)."
_NO_BREAK = "Select a node, an edge or a join first."
_NO_BREAKS = "There is no breakpoint yet. F9 sets one at what is selected."
_NO_EDIT = "You are editing already, or the run must stop first."

ACTIONS: tuple[ActionSpec, ...] = (
    # File
    ActionSpec("new", "New workflow", "File", lambda w: w.new_document(), "new", "Ctrl+N", tool=True),
    ActionSpec("open", "Open…", "File", lambda w: w.files.ask_open(), "open", "Ctrl+O", tool=True),
    ActionSpec("open-store", "Open a store…", "File", lambda w: w.open_store()),
    ActionSpec(
        "save", "Save", "File", lambda w: w.files.save(w.workspace), "save", "Ctrl+S", _drawn, _need_drawing, tool=True
    ),
    ActionSpec(
        "save-as", "Save as…", "File", lambda w: w.files.ask_save_as(w.workspace), "", "Ctrl+Shift+S", _drawn,
        _need_drawing,
    ),
    ActionSpec(
        "restore-backup", "Restore a backup…", "File", lambda w: w.files.restore_backup(w.workspace), "restore", "",
        _editing, _NEED_EDIT,
    ),
    ActionSpec(
        "export", "Export…", "File", lambda w: w.exchange.ask_export(w.workspace), "doc", "Ctrl+Alt+E", _drawn,
        _need_drawing, gap=True,
    ),
    ActionSpec("import", "Import from Python…", "File", lambda w: w.exchange.ask_import(), "code"),
    ActionSpec(
        "import-again", "Import again…", "File", lambda w: w.exchange.import_again(w.workspace), "", "", _linked,
        "No node here comes from an executor in Python. Import a workflow from Python first.",
    ),
    ActionSpec("receive", "Import a shared run…", "File", lambda w: w.sharing.ask_receive()),
    ActionSpec("editor", "Editor for source files…", "File", lambda w: w.choose_editor()),
    ActionSpec(
        "start-page", "Start page", "File", lambda w: w.show_start_page(), can=_open, why_not="It is in front already.",
        gap=True,
    ),
    ActionSpec(
        "close", "Close the tab", "File", lambda w: w.close_page(), "", "Ctrl+W", _open, _NEED_DOCUMENT
    ),
    ActionSpec("quit", "Quit", "File", lambda w: w.quit(), "", "Ctrl+Q", gap=True),
    # Edit
    ActionSpec(
        "undo", "Undo", "Edit", lambda w: w.workspace.undo(), "undo", "Ctrl+Z", _undo, _NO_UNDO,
        tool=True, gap=True,
    ),
    ActionSpec(
        "redo", "Redo", "Edit", lambda w: w.workspace.redo(), "redo", "Ctrl+Y", _redo, _NO_REDO,
        tool=True, also="Ctrl+Shift+Z",
    ),
    ActionSpec(
        "history", "Undo history…", "Edit", lambda w: w.show_history(), "", "Ctrl+Alt+Z", _open, _NEED_DOCUMENT
    ),
    ActionSpec(
        "cut", "Cut", "Edit", lambda w: w.workspace.canvas.commands.cut(), "", "Ctrl+X", _selected,
        _NO_PICK, gap=True,
    ),
    ActionSpec(
        "copy", "Copy", "Edit", lambda w: w.workspace.canvas.commands.copy(), "copy", "Ctrl+C", _open,
        _NEED_DOCUMENT,
    ),
    ActionSpec(
        "paste", "Paste", "Edit", lambda w: w.workspace.canvas.commands.paste(), "", "Ctrl+V", _editing,
        _NEED_EDIT,
    ),
    ActionSpec(
        "duplicate", "Duplicate", "Edit", lambda w: w.workspace.canvas.commands.duplicate(), "", "Ctrl+D", _selected,
        _NO_PICK, on_canvas=True,
    ),
    ActionSpec(
        "delete", "Delete", "Edit", lambda w: w.workspace.canvas.delete_selection(), "x", "Del", _selected, _NO_PICK,
        on_canvas=True,
    ),
    ActionSpec(
        "select-all", "Select all", "Edit", lambda w: w.workspace.canvas.select_all(), "", "Ctrl+A", _some_drawn,
        _why_not_arrange, on_canvas=True,
    ),
    ActionSpec(
        "find", "Find in the workflow…", "Edit", lambda w: w.show_find(), "search", "Ctrl+F", _open, _NEED_DOCUMENT
    ),
    ActionSpec(
        "bookmark", "Bookmark, or remove the bookmark", "Edit", lambda w: w.workspace.canvas.bookmarks.toggle(), "flag",
        "Ctrl+B", _selected, _NO_PICK, on_canvas=True,
    ),
    ActionSpec(
        "next-bookmark", "To the next bookmark", "Edit", lambda w: w.workspace.canvas.bookmarks.next(), "",
        "Ctrl+Shift+B", _open, _NEED_DOCUMENT, on_canvas=True,
    ),
    ActionSpec(
        "rename", "Rename", "Edit", lambda w: w.workspace.rename(), "", "F2", _selected, _NO_PICK
    ),
    ActionSpec(
        "open-source", "Open the source", "Edit", lambda w: w.workspace.source.open(), "", "F12", _has_source,
        _NO_SOURCE,
    ),
    ActionSpec(
        "collapse", "Collapse or expand a sub-workflow", "Edit",
        lambda w: w.workspace.canvas.commands.collapse_or_expand(), "sub", "Ctrl+Shift+G", _selected, _NO_PICK,
        gap=True,
    ),
    ActionSpec(
        "disable", "Disable or enable the node", "Edit", lambda w: w.workspace.canvas.commands.toggle_off("disabled"),
        "", "D", _nodes_selected, _NO_NODE, on_canvas=True, gap=True, checked=lambda w: _are_off(w, "disabled"),
    ),
    ActionSpec(
        "bypass", "Bypass or enable the node", "Edit", lambda w: w.workspace.canvas.commands.toggle_off("bypassed"),
        "", "B", _nodes_selected, _NO_NODE, on_canvas=True, checked=lambda w: _are_off(w, "bypassed"),
    ),
    ActionSpec(
        "reroute", "Add a reroute dot", "Edit", lambda w: w.workspace.canvas.dots.add_to_selected(), "", "R",
        _wire_selected, _NO_WIRE, on_canvas=True, gap=True,
    ),
    ActionSpec(
        "straighten", "Straighten wires (remove their reroute dots)", "Edit",
        lambda w: w.workspace.canvas.dots.straighten(), "", "", _wire_selected, _NO_WIRE,
    ),
    # View
    ActionSpec(
        "go-in", "Into the sub-workflow", "View", lambda w: w.workspace.canvas.commands.go_in(), "chev", "PgDown",
        _sub_selected, "Select a sub-workflow first.", on_canvas=True,
    ),
    ActionSpec(
        "open-page", "Open the sub-workflow in a tab", "View", lambda w: w.workspace.canvas.commands.open_page(), "",
        "Shift+PgDown", _sub_selected, "Select a sub-workflow first.", on_canvas=True,
    ),
    ActionSpec(
        "go-out", "Out of the sub-workflow", "View", lambda w: w.workspace.leave(), "chevu", "Alt+Up", _inside,
        "You are not inside of a sub-workflow.", on_canvas=True,
    ),
    ActionSpec(
        "fit", "Fit everything", "View", lambda w: w.workspace.canvas.camera.fit_all(), "fit", "Home", _open,
        _NEED_DOCUMENT, on_canvas=True,
    ),
    ActionSpec(
        "fit-selection", "Fit selection", "View",
        lambda w: w.workspace.canvas.camera.fit_things(w.workspace.canvas.selection), "", "F", _open,
        _NEED_DOCUMENT, on_canvas=True,
    ),
    ActionSpec(
        "zoom-in", "Zoom in", "View", lambda w: w.zoom(1.25), "plus", "Ctrl++", _open, _NEED_DOCUMENT, also="Ctrl+="
    ),
    ActionSpec("zoom-out", "Zoom out", "View", lambda w: w.zoom(0.8), "minus", "Ctrl+-", _open, _NEED_DOCUMENT),
    ActionSpec(
        "zoom-100", "Zoom to 100 %", "View", lambda w: w.workspace.canvas.camera.zoom_to(1.0), "", "Ctrl+0", _open,
        _NEED_DOCUMENT,
    ),
    ActionSpec(
        "next-tab", "Next workflow", "View", lambda w: w.go_tab(1), "", "Ctrl+PgDown", _many,
        "Only one workflow is open.", gap=True,
    ),
    ActionSpec(
        "previous-tab", "Previous workflow", "View", lambda w: w.go_tab(-1), "", "Ctrl+PgUp", _many,
        "Only one workflow is open.",
    ),
    ActionSpec(
        "next-area", "Next part of the window", "View", lambda w: w.workspace.go_area(1), "", "Ctrl+F6", _open,
        _NEED_DOCUMENT,
    ),
    ActionSpec(
        "previous-area", "Previous part of the window", "View", lambda w: w.workspace.go_area(-1), "", "Ctrl+Shift+F6",
        _open, _NEED_DOCUMENT,
    ),
    ActionSpec(
        "theme-light", "Light theme", "View", lambda w: w.choose_theme("light"), gap=True,
        checked=lambda w: w.settings.values.theme == "light",
    ),
    ActionSpec(
        "theme-dark", "Dark theme", "View", lambda w: w.choose_theme("dark"),
        checked=lambda w: w.settings.values.theme == "dark",
    ),
    ActionSpec(
        "theme-contrast-light", "High contrast, light", "View", lambda w: w.choose_theme("contrast-light"),
        checked=lambda w: w.settings.values.theme == "contrast-light",
    ),
    ActionSpec(
        "theme-contrast-dark", "High contrast, dark", "View", lambda w: w.choose_theme("contrast-dark"),
        checked=lambda w: w.settings.values.theme == "contrast-dark",
    ),
    ActionSpec(
        "theme-system", "Theme of the system", "View", lambda w: w.choose_theme("system"),
        checked=lambda w: w.settings.values.theme == "system",
    ),
    *(
        ActionSpec(
            f"scale-{size}", f"Everything at {size} %", "View", partial(_choose_scale, size=size),
            under="Size of everything", checked=partial(_has_scale, size=size),
        )
        for size in SIZES
    ),
    ActionSpec(
        "reduce-motion", "Reduce motion", "View", lambda w: w.reduce_motion(), gap=True,
        checked=lambda w: w.settings.still,
    ),
    ActionSpec("reset-layout", "Reset window layout", "View", lambda w: w.reset_layout()),
    # Insert
    ActionSpec(
        "add-node", "Add a node…", "Insert", lambda w: w.workspace.canvas.quick_add(), "plus", "Tab", _editing,
        _NEED_EDIT, on_canvas=True,
    ),
    ActionSpec(
        "frame", "Put a frame around the selection", "Insert", lambda w: w.workspace.canvas.frames.frame_selected(),
        "box", "Ctrl+G", _editing, _NEED_EDIT, on_canvas=True,
    ),
    ActionSpec(
        "note", "Add a note", "Insert", lambda w: w.workspace.canvas.frames.add_note(), "text", "N", _editing,
        _NEED_EDIT, on_canvas=True,
    ),
    # Run
    ActionSpec(
        "run", "Run", "Run", lambda w: w.workspace.run(), "play", "F5", _startable, _why_not_run,
        tool=True, words=True, gap=True, plan=lambda w: w.current.going.run if w.current is not None else None,
        more=("run", "go-on", "graph-changes"),
    ),
    ActionSpec(
        "go-on", "Go on with the changed graph", "Run", lambda w: w.workspace.going.go_on(), "restore", "", _can_go_on,
        _why_not_go_on,
    ),
    ActionSpec(
        "graph-changes", "What the changed graph does with the run…", "Run", lambda w: w.workspace.show_changes(),
        "eye", "", _can_go_on, _why_not_go_on,
    ),
    ActionSpec(
        "pause", "Pause", "Run", lambda w: w.workspace.session.pause(), "pause", "F6", _running, _NEED_RUN,
        tool=True, words=True,
    ),
    ActionSpec(
        "stop", "Stop", "Run", lambda w: w.workspace.session.stop(), "stop", "Shift+F5", _stoppable, _NEED_RUN,
        tool=True, words=True,
    ),
    ActionSpec(
        "cancel-node", "Cancel the selected node", "Run", _cancel_nodes, "x", can=_node_in_a_run,
        why_not="Select a node while a run is moving.",
    ),
    ActionSpec(
        "step-back", "Step back", "Run", lambda w: w.workspace.session.step_back(), "stepback", "Alt+Left",
        _has_history, _NO_PAST, tool=True, words=True, gap=True,
    ),
    ActionSpec(
        "superstep", "Superstep", "Run", lambda w: w.workspace.superstep(), "superstep", "F10", _startable,
        _why_not_run, tool=True, words=True,
        plan=lambda w: w.current.going.superstep if w.current is not None else None,
    ),
    ActionSpec(
        "delivery", "Delivery", "Run", lambda w: w.workspace.going.delivery.act(), "msgstep", "F11", _deliverable,
        _why_no_delivery, tool=True, words=True,
        plan=lambda w: w.current.going.delivery if w.current is not None else None,
    ),
    ActionSpec(
        "step-out", "Out of the sub-workflow's run", "Run", lambda w: w.workspace.session.step_out(), "out",
        "Shift+F11", _can_step_out, _why_not_out,
    ),
    ActionSpec(
        "run-to-here", "Run to here", "Run", lambda w: w.workspace.steps.run_to_here(), "target", "Ctrl+F10",
        _reachable, _why_not_here,
    ),
    ActionSpec(
        "run-to-question", "Run to the next question", "Run", lambda w: w.workspace.steps.run_to_question(), "ask", "",
        _startable, _why_not_run,
    ),
    ActionSpec(
        "run-free", "Run without stopping at breakpoints", "Run", lambda w: w.workspace.going.run_past_breakpoints(),
        "", "Ctrl+F5", _startable, _why_not_run,
    ),
    ActionSpec(
        "hold", "Hold this executor", "Run", lambda w: w.workspace.steps.hold_selected(), "pause", "", _holdable,
        "Select a node of the live run first.", checked=_is_held,
    ),
    ActionSpec(
        "breakpoint", "Set or delete a breakpoint", "Run", lambda w: w.workspace.canvas.breakpoints.toggle(), "break",
        "F9", _selection, _NO_BREAK, under="Breakpoints",
    ),
    ActionSpec(
        "edit-breakpoint", "Edit the breakpoint…", "Run", lambda w: w.workspace.canvas.breakpoints.edit(), "",
        "Alt+F9", _selection, _NO_BREAK, under="Breakpoints",
    ),
    ActionSpec(
        "turn-breakpoint", "Turn the breakpoint off or on", "Run", lambda w: w.workspace.canvas.breakpoints.turn(), "",
        "Ctrl+F9", _selection, _NO_BREAK, under="Breakpoints",
    ),
    ActionSpec(
        "watch", "Watches…", "Run", lambda w: w.workspace.show_watches(), "eye", "Shift+F9", _open, _NEED_DOCUMENT,
        under="Breakpoints",
    ),
    ActionSpec(
        "mute-breakpoints", "Mute all breakpoints", "Run", lambda w: w.workspace.steps.mute_breakpoints(), "mute", "",
        _has_breakpoints, _NO_BREAKS, under="Breakpoints", checked=_are_muted,
    ),
    ActionSpec(
        "delete-breakpoints", "Delete all breakpoints", "Run", lambda w: w.workspace.steps.delete_breakpoints(), "",
        "Ctrl+Shift+F9", _has_breakpoints, _NO_BREAKS, under="Breakpoints",
    ),
    ActionSpec(
        "attach", "Attach to a program…", "Run", lambda w: w.attach(), gap=True,
    ),
    ActionSpec(
        "detach", "Detach from the program", "Run", lambda w: w.workspace.session.detach(), can=_attached,
        why_not="No program is attached here.",
    ),
    ActionSpec(
        "follow-program", "Back to the program's run", "Run", lambda w: w.workspace.session.follow_program(),
        can=_away_from_program, why_not="The run of the program is shown already, or none is under way.",
    ),
    ActionSpec("runs", "All runs…", "Run", lambda w: w.show_runs(), "list", "", _open, _NEED_DOCUMENT),
    ActionSpec(
        "edit", "Edit", "Run", lambda w: w.workspace.levels.edit(), "pencil", "Ctrl+E", _debugging, _NO_EDIT,
        tool=True, words=True, gap=True,
    ),
    # Checkpoint
    ActionSpec(
        "restore", "Restore here (fork)", "Checkpoint", lambda w: w.workspace.restore_viewed(), "restore",
        "Ctrl+Shift+Return", _past, _NEED_PAST,
    ),
    ActionSpec(
        "edit-copy", "Edit and fork…", "Checkpoint", lambda w: w.workspace.edit_copy(), "pencil", "Ctrl+Shift+E",
        _can_edit_copy, _why_no_copy,
    ),
    ActionSpec(
        "restore-choices", "Restore with choices…", "Checkpoint", lambda w: w.workspace.show_outside(), "globe", "",
        _past, _NEED_PAST,
    ),
    ActionSpec(
        "back-to-live", "Back to live", "Checkpoint", lambda w: w.workspace.session.back_to_live(), "live", "Alt+End",
        _past, _NEED_PAST,
    ),
    ActionSpec(
        "restore-proof", "Restore proof", "Checkpoint", lambda w: w.workspace.open_proof(), "proof", "", _has_history,
        _NO_PAST, gap=True,
    ),
    ActionSpec(
        "prove-all", "Prove all checkpoints", "Checkpoint", lambda w: w.workspace.prove_all(), "", "", _has_history,
        _NO_PAST,
    ),
    ActionSpec(
        "explore-orders", "Explore delivery orders", "Checkpoint", lambda w: w.workspace.open_delivery_orders(), "swap",
        "", _has_history, _NO_PAST,
    ),
    ActionSpec(
        "search-past", "Ask the past…", "Checkpoint", lambda w: w.workspace.search_past(), "search", "Ctrl+Shift+F",
        _has_history, _NO_PAST, gap=True, also="Ctrl+Shift+H",
    ),
    ActionSpec(
        "next-hit", "Next hit", "Checkpoint", lambda w: w.workspace.session.past.go(1), "", "F3", _has_question,
        _NO_QUESTION,
    ),
    ActionSpec(
        "previous-hit", "Hit before", "Checkpoint", lambda w: w.workspace.session.past.go(-1), "", "Shift+F3",
        _has_question, _NO_QUESTION,
    ),
    ActionSpec(
        "run-back", "Run back to the hit or breakpoint before", "Checkpoint", lambda w: w.workspace.run_back(),
        "stepback", "Shift+Alt+F5", _has_history, _NO_PAST, also="Alt+F5",
    ),
    ActionSpec(
        "bundle", "Bug bundle…", "Checkpoint", lambda w: w.bundles.ask(w.workspace), "", "", _can_bundle,
        _why_no_bundle, gap=True,
    ),
    ActionSpec(
        "share", "Share…", "Checkpoint", lambda w: w.sharing.ask_share(w.workspace), "", "", _shareable,
        _why_not_share,
    ),
    ActionSpec(
        "quick-fix", "Quick fix of a problem…", "Edit", lambda w: w.workspace.quick_fix(), "", "Ctrl+.", _open,
        _NEED_DOCUMENT,
    ),
    # Layout
    ActionSpec(
        "layout", "Layout, left to right", "Edit",
        lambda w: w.workspace.canvas.arranger.arrange("LR"), "layout", "Ctrl+L",
        _can_arrange, _why_not_arrange, tool=True, words=True, gap=True, short="Layout",
        more=("layout", "layout-down", "layout-organic", "layout-tidy", "layout-selected"),
    ),
    ActionSpec(
        "layout-down", "Layout, top to bottom", "Edit",
        lambda w: w.workspace.canvas.arranger.arrange("TB"), "", "Ctrl+Shift+L",
        _can_arrange, _why_not_arrange,
    ),
    ActionSpec(
        "layout-organic", "Layout, organic", "Edit",
        lambda w: w.workspace.canvas.arranger.arrange("organic"), "", "Ctrl+Alt+L",
        _can_arrange, _why_not_arrange,
    ),
    ActionSpec(
        "layout-tidy", "Tidy new nodes, the rest stays", "Edit",
        lambda w: w.workspace.canvas.arranger.arrange("tidy"), "",
        "Shift+L", _can_arrange, _why_not_arrange, on_canvas=True,
    ),
    ActionSpec(
        "layout-selected", "Layout of the selection", "Edit",
        lambda w: w.workspace.canvas.arranger.arrange(selected=True), "", "L", _selected, _NO_PICK, on_canvas=True,
    ),
    # Help
    ActionSpec("help", "Help for the selection", "Help", lambda w: w.show_help(), "info", "F1"),
    ActionSpec("guide", "Guide", "Help", lambda w: w.show_guide(), "doc"),
    ActionSpec(
        "commands", "Find or run a command", "Help", lambda w: w.show_commands(), "search", "Ctrl+Shift+P",
        also="Ctrl+K",
    ),
    ActionSpec(
        "shortcuts", "Keyboard shortcuts", "Help", lambda w: w.show_shortcuts(), "", "?", on_canvas=True
    ),
    ActionSpec("change-shortcuts", "Change shortcuts…", "Help", lambda w: w.change_shortcuts()),
    ActionSpec("tour", "Tour of the window", "Help", lambda w: w.show_tour(), "eye", gap=True),
    ActionSpec("about", "About Stepwell", "Help", lambda w: w.show_about()),
)  # fmt: skip

MENUS = ("File", "Edit", "View", "Insert", "Run", "Checkpoint", "Help")
