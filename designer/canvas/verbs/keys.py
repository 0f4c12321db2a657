"""The keys of the canvas, as a table. They call what the mouse and the menus call."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QKeyCombination, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence

from designer.canvas.gestures.keyboard_wire import add_node, next_edge, step
from designer.canvas.gestures.rewire import lead_selected
from designer.canvas.gestures.tools import DrawWire

if TYPE_CHECKING:
    from designer.canvas.view import CanvasView

_K = Qt.Key
_NONE = Qt.KeyboardModifier.NoModifier
_SHIFT = Qt.KeyboardModifier.ShiftModifier
_CTRL = Qt.KeyboardModifier.ControlModifier
_ALT = Qt.KeyboardModifier.AltModifier
_STEP = 8
_BIG_STEP = 48
_ARROWS = {
    _K.Key_Left: "left",
    _K.Key_Right: "right",
    _K.Key_Up: "up",
    _K.Key_Down: "down",
}
_WAYS = {"left": (-1, 0), "right": (1, 0), "up": (0, -1), "down": (0, 1)}


class Key(NamedTuple):
    """What a key does, in words and in deed."""

    words: str
    act: Callable[[CanvasView], object]


KEYS: dict[tuple[Qt.Key, Qt.KeyboardModifier], Key] = {
    (_K.Key_Tab, _NONE): Key(
        "Add a node, into the edge that is selected or at the wire that is drawn",
        add_node,
    ),
    (_K.Key_Space, _NONE): Key(
        "Add a node; held while dragging, move the view", lambda view: view.hold_space()
    ),
    (_K.Key_Delete, _NONE): Key("Delete", lambda view: view.delete_selection()),
    (_K.Key_Backspace, _NONE): Key("Delete", lambda view: view.delete_selection()),
    (_K.Key_Delete, _CTRL): Key(
        "Delete and heal the wires", lambda view: view.commands.delete_healed()
    ),
    (_K.Key_Backspace, _CTRL): Key(
        "Delete and heal the wires", lambda view: view.commands.delete_healed()
    ),
    (_K.Key_Left, _CTRL | _SHIFT): Key(
        "Select what comes before", lambda view: view.select_linked("before")
    ),
    (_K.Key_Right, _CTRL | _SHIFT): Key(
        "Select what comes after", lambda view: view.select_linked("after")
    ),
    (_K.Key_A, _CTRL): Key("Select all", lambda view: view.select_all()),
    (_K.Key_I, _CTRL): Key(
        "Invert the selection", lambda view: view.invert_selection()
    ),
    (_K.Key_D, _CTRL): Key("Duplicate", lambda view: view.commands.duplicate()),
    (_K.Key_C, _CTRL): Key("Copy", lambda view: view.commands.copy()),
    (_K.Key_X, _CTRL): Key("Cut", lambda view: view.commands.cut()),
    (_K.Key_V, _CTRL): Key("Paste", lambda view: view.commands.paste()),
    (_K.Key_V, _CTRL | _SHIFT): Key(
        "Paste keeping links", lambda view: view.commands.paste(keep_links=True)
    ),
    (_K.Key_C, _NONE): Key(
        "Connect from here, or one more way of the edge group",
        lambda view: view.start_wire(),
    ),
    (_K.Key_C, _SHIFT): Key("Lead the selected edge to another node", lead_selected),
    (_K.Key_E, _NONE): Key("Next edge of the node", next_edge),
    (_K.Key_G, _CTRL | _SHIFT): Key(
        "Collapse into a sub-workflow, or expand it",
        lambda view: view.commands.collapse_or_expand(),
    ),
    (_K.Key_PageDown, _NONE): Key(
        "Into the sub-workflow", lambda view: view.commands.go_in()
    ),
    (_K.Key_PageDown, _SHIFT): Key(
        "Open the sub-workflow in a tab", lambda view: view.commands.open_page()
    ),
    (_K.Key_PageUp, _NONE): Key(
        "Out of the sub-workflow", lambda view: view.commands.go_out()
    ),
    (_K.Key_Up, _ALT): Key(
        "Out of the sub-workflow", lambda view: view.commands.go_out()
    ),
    (_K.Key_J, _NONE): Key(
        "Join into the last chosen", lambda view: view.commands.join_selected()
    ),
    (_K.Key_S, _NONE): Key(
        "Put the node into the selected edge",
        lambda view: view.commands.splice_selected(),
    ),
    (_K.Key_D, _NONE): Key(
        "Disable the nodes, or enable them",
        lambda view: view.commands.toggle_off("disabled"),
    ),
    (_K.Key_B, _NONE): Key(
        "Bypass the nodes, or enable them",
        lambda view: view.commands.toggle_off("bypassed"),
    ),
    (_K.Key_W, _NONE): Key(
        "Edit the condition here", lambda view: view.inplace.open_next()
    ),
    (_K.Key_G, _CTRL): Key(
        "Put a frame around the selection", lambda view: view.frames.frame_selected()
    ),
    (_K.Key_N, _NONE): Key("Add a note", lambda view: view.frames.add_note()),
    (_K.Key_F, _SHIFT): Key(
        "To the next frame or note", lambda view: view.frames.next()
    ),
    (_K.Key_B, _CTRL): Key(
        "Bookmark what is selected, or not any more", lambda view: view.marking.toggle()
    ),
    (_K.Key_B, _CTRL | _SHIFT): Key(
        "To the next bookmark", lambda view: view.marking.next()
    ),
    (_K.Key_R, _NONE): Key(
        "Add a reroute dot to the selected wire",
        lambda view: view.dots.add_to_selected(),
    ),
    (_K.Key_Period, _NONE): Key(
        "Next reroute dot of the wire", lambda view: view.dots.next()
    ),
    (_K.Key_L, _NONE): Key(
        "Arrange the selection", lambda view: view.arrange(selected=True)
    ),
    (_K.Key_L, _SHIFT): Key("Tidy new nodes", lambda view: view.arrange("tidy")),
    (_K.Key_L, _CTRL): Key("Arrange, left to right", lambda view: view.arrange("LR")),
    (_K.Key_F, _NONE): Key("Fit the selection", lambda view: view.fit_selection()),
    (_K.Key_Home, _NONE): Key("Fit everything", lambda view: view.zoom_to_fit()),
    (_K.Key_M, _NONE): Key(
        "Show the overview", lambda view: view.show_minimap(view.minimap.isHidden())
    ),
    (_K.Key_G, _NONE): Key(
        "Snap to the grid", lambda view: view.set_snap(not view.snap)
    ),
    (_K.Key_0, _CTRL): Key("Zoom to 100 %", lambda view: view.set_zoom(1.0)),
    (_K.Key_Plus, _CTRL): Key("Zoom in", lambda view: view.camera.zoom_by(1.25)),
    (_K.Key_Equal, _CTRL): Key("Zoom in", lambda view: view.camera.zoom_by(1.25)),
    (_K.Key_Minus, _CTRL): Key("Zoom out", lambda view: view.camera.zoom_by(0.8)),
}
# What has no entry above: keys that mean different things, and the mouse. (keys, words)
GESTURES: tuple[tuple[str, str], ...] = (
    ("Arrows", "Walk from node to node; with Shift select on the way"),
    ("Ctrl+Arrows", "Move the selection, or the chosen dot of a wire; with Alt far"),
    ("Shift+Arrows", "Make the selected frame or note larger or smaller"),
    (
        "Drag the title of a frame",
        "Move it and what stands on it; a side or corner makes it larger",
    ),
    (
        "Enter",
        "Open what is selected, else the workflow; connect the wire that is drawn",
    ),
    ("Ctrl+Enter", "Connect the first of the selected nodes to the others"),
    ("Esc", "Drop what is being done, then the selection"),
    (
        "Drag from a port",
        "Connect; on a join's bar add a source; on a selected node all that are selected",
    ),
    ("Drag a loose node onto a wire", "Put it into the wire; with Alt not"),
    (
        "Alt+click or double-click on a wire",
        "Add a reroute dot; drag it, onto the straight line to remove it",
    ),
    ("Alt+drag", "Drag copies"),
    ("Alt+click on a port", "Free the port of its wires"),
    (
        "Ctrl+drag from a port",
        "Lead its wires, or the selected one of them, to another node",
    ),
    ("Ctrl+right-drag", "Cut the wires that the line crosses"),
    ("Double-click on a case", "Edit its condition there"),
    ("Wheel", "Zoom at the pointer"),
    ("Middle-drag, Space+drag", "Move the view"),
    ("Shift+drag, Ctrl+drag", "Add to the selection, take away from it"),
)


def shortcuts() -> list[tuple[str, str]]:
    """Every key and gesture of the canvas with what it does, for the lists of them."""
    pairs = [
        (QKeySequence(QKeyCombination(modifiers, key)).toString(), entry.words)
        for (key, modifiers), entry in KEYS.items()
    ]
    return [*pairs, *GESTURES]


def press_key(view: CanvasView, event: QKeyEvent) -> bool:
    """Do what a key says. False when it says nothing here."""
    key = _K(event.key())
    modifiers = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
    if key == _K.Key_Escape:
        return _escape(view)
    if key in (_K.Key_Return, _K.Key_Enter):
        return _enter(view, control=bool(modifiers & _CTRL))
    entry = view.keys.get((key, modifiers))
    if entry is None and key in _ARROWS:
        return _arrow(view, _ARROWS[key], modifiers)
    if entry is None or (key == _K.Key_Space and event.isAutoRepeat()):
        return entry is not None
    entry.act(view)
    return True


def _escape(view: CanvasView) -> bool:
    """One level back: the gesture, then the dot of a wire, then the selection."""
    if view.cancel_tool():
        return True
    if view.dots.chosen is not None:
        view.dots.choose(None)
        return True
    if view.selection:
        view.select(frozenset())
        return True
    return False


def _enter(view: CanvasView, *, control: bool) -> bool:
    tool = view.tool
    if isinstance(tool, DrawWire):
        view.tool = None
        if tool.target or tool.join:
            tool.release()
        else:
            tool.cancel()
    elif control:
        view.commands.connect_selected()
    elif view.order:
        view.activate(view.order[-1])
    else:
        view.node_activated.emit("")
    return True


def _arrow(view: CanvasView, way: str, modifiers: Qt.KeyboardModifier) -> bool:
    """Alone they walk, with Shift they add to the selection, with Ctrl they move nodes, with Alt or Shift far."""
    if modifiers & _CTRL:
        far = _BIG_STEP if modifiers & (_SHIFT | _ALT) else _STEP
        by = (_WAYS[way][0] * far, _WAYS[way][1] * far)
        if not view.dots.nudge(*by):
            view.commands.nudge(*by)
    elif modifiers == _SHIFT and view.frames.grow(
        _WAYS[way][0] * _STEP, _WAYS[way][1] * _STEP
    ):
        return True
    elif modifiers in (_NONE, _SHIFT):
        step(view, way, extend=modifiers == _SHIFT)
    else:
        return False
    return True
