"""The context menus: the verbs for what is under the pointer. Every entry calls the command that a key calls too."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF
from PySide6.QtWidgets import QMenu

from designer.canvas.leading import lead_selected
from designer.canvas.steering import next_edge
from designer.model.aligning import ALIGNMENTS
from designer.model.edits import ConvertKind, conditions_of
from designer.model.inside import is_sub_workflow

if TYPE_CHECKING:
    from designer.canvas.view import CanvasView

Entry = tuple[str, str, Callable[[], object], bool]  # text, keys, what it does, enabled


def menu_for(view: CanvasView, at: QPointF) -> QMenu:
    """The menu for a place in the scene. What is under it is selected first, unless it already is."""
    key = view.thing_at(at)
    if key and key not in view.selection:
        view.select(frozenset({key}))
    dot = view.canvas.edges.dot_at(at) if view.editable else None
    if dot is not None and view.selection == {key}:
        view.dots.choose(dot)
    menu = QMenu(view)
    if key in view.canvas.backdrop.frames:
        groups = _frame(view, key)
    else:
        groups = _nodes(view, key) if key in view.canvas.boxes else _edge(view, key, at) if key else _empty(view, at)
    for entries in filter(None, groups):
        if menu.actions():
            menu.addSeparator()
        for text, ours, act, enabled in entries:
            keys = view.key_names.get(ours, ours)
            action = menu.addAction(f"{text}\t{keys}" if keys else text)
            action.triggered.connect(lambda _checked=False, act=act: act())
            action.setEnabled(enabled)
            if not view.editable and not enabled:
                action.setToolTip("This is a run, and read-only. Go back to editing first.")
    if key in view.canvas.boxes and view.editable and len(view.chosen_nodes()) > 1:
        _add_alignments(view, menu)
    menu.setToolTipsVisible(True)
    return menu


def _add_alignments(view: CanvasView, menu: QMenu) -> None:
    inner = menu.addMenu("Align and distribute")
    for way, text in ALIGNMENTS.items():
        inner.addAction(text).triggered.connect(lambda _checked=False, way=way: view.commands.align(way))


def _nodes(view: CanvasView, node: str) -> list[list[Entry]]:
    edit, commands = view.editable, view.commands
    several = len(view.chosen_nodes())
    is_start = view.canvas.design.workflow.start == node
    is_sub = several == 1 and is_sub_workflow(view.canvas.design, node)
    return [
        [
            ("Open", "Enter", lambda: view.node_activated.emit(node), True),
            ("Next edge", "E", lambda: next_edge(view), bool(view.canvas.topology.touching.get(node))),
        ],
        [("Cancel this node", "", lambda: view.session.cancel_node(node), True)]
        if view.session.is_running(node)
        else [],
        [
            ("Connect from here", "C", lambda: view.start_wire(node), edit),
            ("Send its failures to…", "", lambda: view.start_wire(node, on_error=True), edit and several == 1),
            ("Connect first to others", "Ctrl+Enter", commands.connect_selected, edit and several > 1),
            ("Join into the last chosen", "J", commands.join_selected, edit and several > 1),
            ("Put into the selected edge", "S", commands.splice_selected, edit and len(view.selection) == 2),
            ("Free the inputs", "Alt+click on the port", lambda: commands.disconnect(node, "in"), edit),
            ("Free the outputs", "Alt+click on the port", lambda: commands.disconnect(node, "out"), edit),
            ("Start here", "", lambda: commands.set_start(node), edit and not is_start),
        ],
        [
            ("Put a frame around", "Ctrl+G", view.frames.frame_selected, edit),
            ("Add a note", "N", view.frames.add_note, edit),
            ("Bookmark, or not any more", "Ctrl+B", view.marking.toggle, edit),
        ],
        [
            (commands.off_words("disabled"), "D", lambda: commands.toggle_off("disabled"), edit),
            (commands.off_words("bypassed"), "B", lambda: commands.toggle_off("bypassed"), edit),
        ],
        [
            ("Collapse into a sub-workflow", "" if is_sub else "Ctrl+Shift+G", commands.collapse, edit),
            *([("Open in a tab", "Shift+PgDown", lambda: commands.open_page(node), True)] if is_sub else []),
            *([("Expand the sub-workflow", "Ctrl+Shift+G", lambda: commands.expand(node), edit)] if is_sub else []),
        ],
        [
            ("Cut", "Ctrl+X", commands.cut, edit),
            ("Copy", "Ctrl+C", commands.copy, True),
            ("Duplicate", "Ctrl+D", commands.duplicate, edit),
            ("Delete", "Del", commands.delete, edit),
            ("Delete and heal the wires", "Ctrl+Del", commands.delete_healed, edit),
        ],
        [
            ("Select what comes before", "Ctrl+Shift+Left", lambda: view.select_linked("before"), True),
            ("Select what comes after", "Ctrl+Shift+Right", lambda: view.select_linked("after"), True),
            ("Select what is connected", "", lambda: view.select_linked("connected"), True),
        ],
        [
            ("Arrange selection", "L", lambda: view.arrange(selected=True), edit and several > 1),
            ("Fit selection", "F", view.fit_selection, True),
        ],
    ]


def _frame(view: CanvasView, key: str) -> list[list[Entry]]:
    edit, commands, frames = view.editable, view.commands, view.frames
    note = view.canvas.backdrop.frames[key].kind == "note"
    return [
        [
            ("Edit the text" if note else "Edit the title", "Enter", lambda: view.frame_text.open(key), edit),
            ("Fit to its text" if note else "Fit to what stands on it", "", lambda: frames.fit(key), edit),
            ("Select what stands on it", "", lambda: frames.select_content(key), not note),
            ("Bookmark, or not any more", "Ctrl+B", view.marking.toggle, edit),
        ],
        [
            ("Cut", "Ctrl+X", commands.cut, edit),
            ("Copy", "Ctrl+C", commands.copy, True),
            ("Duplicate", "Ctrl+D", commands.duplicate, edit),
            ("Delete", "Del", commands.delete, edit),
        ],
    ]


def _edge(view: CanvasView, edge: str, at: QPointF) -> list[list[Entry]]:
    edit, commands = view.editable, view.commands
    chosen = view.selection
    found = view.canvas.topology.edges.get(edge)
    kind = found.kind if found is not None else ""
    conditional = found is not None and bool(conditions_of(found))
    return [
        [("Open", "Enter", lambda: view.node_activated.emit(edge), True)],
        [
            ("Edit the condition here", "W", lambda: view.inplace.open(edge), edit and conditional),
            (_MORE.get(kind, "Connect its source to another node"), "C", view.start_wire, edit),
            ("Lead it to another node", "Shift+C", partial(lead_selected, view), edit),
        ],
        [
            ("Add a reroute dot", "R", lambda: view.dots.add_at(edge, at), edit),
            ("Remove the reroute dot", "Del", view.dots.remove, edit and view.dots.chosen is not None),
            ("Next reroute dot", ".", view.dots.next, edit and bool(view.dots.lines(edge))),
            ("Straighten the wires", "", view.dots.straighten, edit and bool(view.dots.lines(edge))),
        ],
        [
            (text, "", partial(commands.convert, chosen, turned), edit and kind in kinds)
            for text, turned, kinds in _CONVERSIONS
        ],
        [("Delete", "" if view.dots.chosen else "Del", commands.delete, edit)],
    ]


_MORE = {
    "fan_in": "Add a source",
    "fan_out": "Add a target",
    "multi_selection": "Add a target",
    "switch": "Add a case",
    "on_error": "Send its failures to another node",
}
# What it does, the kind that it makes, the kinds that it can make it of.
_CONVERSIONS: tuple[tuple[str, ConvertKind, tuple[str, ...]], ...] = (
    ("Make a fan-out of its source's edges", "fan_out", ("direct", "multi_selection")),
    ("Make a join of its target's edges", "fan_in", ("direct",)),
    ("Make a multi-selection", "multi_selection", ("direct", "fan_out", "switch")),
    ("Make a switch", "switch", ("direct", "multi_selection")),
    ("Make plain edges", "direct", ("fan_out", "fan_in", "multi_selection")),
    ("Convert to on error", "on_error", ("direct",)),
    ("Convert to a plain edge", "direct", ("on_error",)),
)


def _empty(view: CanvasView, at: QPointF) -> list[list[Entry]]:
    edit, commands = view.editable, view.commands
    some = bool(view.canvas.nodes)
    return [
        [
            ("Add a node…", "Tab", lambda: view.quick_add(view.mapFromScene(at)), edit),
            ("Add a frame", "Ctrl+G", view.frames.frame_selected, edit),
            ("Add a note", "N", lambda: view.frames.add_note(at), edit),
            ("To the next bookmark", "Ctrl+Shift+B", view.marking.next, bool(view.marking.marked)),
            ("Out of the sub-workflow", "PgUp", commands.go_out, bool(view.document.inside) or view.can_go_out),
        ],
        [
            ("Paste", "Ctrl+V", commands.paste, edit),
            ("Paste keeping links", "Ctrl+Shift+V", lambda: commands.paste(keep_links=True), edit),
            ("Select all", "Ctrl+A", view.select_all, some),
        ],
        [
            ("Arrange, left to right", "Ctrl+L", lambda: view.arrange("LR"), edit and some),
            ("Arrange, top to bottom", "Ctrl+Shift+L", lambda: view.arrange("TB"), edit and some),
            ("Arrange, organic", "Ctrl+Alt+L", lambda: view.arrange("organic"), edit and some),
            ("Tidy new nodes", "Shift+L", lambda: view.arrange("tidy"), edit and some),
            ("Fit everything", "Home", view.zoom_to_fit, some),
        ],
    ]
