"""The keys of the canvas, as a table. They do what the mouse and the menus do too."""

from __future__ import annotations

from PySide6.QtCore import QKeyCombination, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence

from designer.canvas.verbs.select import invert_selection, select_all, select_linked
from designer.canvas.verbs.verbs import Key, Verbs

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


KEYS: dict[tuple[Qt.Key, Qt.KeyboardModifier], Key] = {
    (_K.Key_Tab, _NONE): Key(
        "Add a node, into the edge that is selected or at the wire that is drawn",
        lambda verbs: _add_node(verbs),  # noqa: PLW0108 - it stands below
    ),
    (_K.Key_Space, _NONE): Key(
        "Add a node; held while dragging, move the view",
        lambda verbs: verbs.hold_space(),
    ),
    (_K.Key_Delete, _NONE): Key("Delete", lambda verbs: verbs.delete_selection()),
    (_K.Key_Backspace, _NONE): Key("Delete", lambda verbs: verbs.delete_selection()),
    (_K.Key_Delete, _CTRL): Key(
        "Delete and heal the wires", lambda verbs: verbs.commands.delete_healed()
    ),
    (_K.Key_Backspace, _CTRL): Key(
        "Delete and heal the wires", lambda verbs: verbs.commands.delete_healed()
    ),
    (_K.Key_Left, _CTRL | _SHIFT): Key(
        "Select what comes before", lambda verbs: select_linked(verbs, "before")
    ),
    (_K.Key_Right, _CTRL | _SHIFT): Key(
        "Select what comes after", lambda verbs: select_linked(verbs, "after")
    ),
    (_K.Key_A, _CTRL): Key("Select all", select_all),
    (_K.Key_I, _CTRL): Key("Invert the selection", invert_selection),
    (_K.Key_D, _CTRL): Key("Duplicate", lambda verbs: verbs.commands.duplicate()),
    (_K.Key_C, _CTRL): Key("Copy", lambda verbs: verbs.commands.copy()),
    (_K.Key_X, _CTRL): Key("Cut", lambda verbs: verbs.commands.cut()),
    (_K.Key_V, _CTRL): Key("Paste", lambda verbs: verbs.commands.paste()),
    (_K.Key_V, _CTRL | _SHIFT): Key(
        "Paste keeping links", lambda verbs: verbs.commands.paste(keep_links=True)
    ),
    (_K.Key_C, _NONE): Key(
        "Connect from here, or one more way of the edge group",
        lambda verbs: verbs.start_wire(),
    ),
    (_K.Key_C, _SHIFT): Key(
        "Lead the selected edge to another node", lambda verbs: verbs.start_rewire()
    ),
    (_K.Key_E, _NONE): Key(
        "Next edge of the node", lambda verbs: verbs.walk.next_edge()
    ),
    (_K.Key_G, _CTRL | _SHIFT): Key(
        "Collapse into a sub-workflow, or expand it",
        lambda verbs: verbs.commands.collapse_or_expand(),
    ),
    (_K.Key_PageDown, _NONE): Key(
        "Into the sub-workflow", lambda verbs: verbs.commands.go_in()
    ),
    (_K.Key_PageDown, _SHIFT): Key(
        "Open the sub-workflow in a tab", lambda verbs: verbs.commands.open_page()
    ),
    (_K.Key_PageUp, _NONE): Key(
        "Out of the sub-workflow", lambda verbs: verbs.commands.go_out()
    ),
    (_K.Key_Up, _ALT): Key(
        "Out of the sub-workflow", lambda verbs: verbs.commands.go_out()
    ),
    (_K.Key_J, _NONE): Key(
        "Join into the last chosen", lambda verbs: verbs.commands.join_selected()
    ),
    (_K.Key_S, _NONE): Key(
        "Put the node into the selected edge",
        lambda verbs: verbs.commands.splice_selected(),
    ),
    (_K.Key_D, _NONE): Key(
        "Disable the nodes, or enable them",
        lambda verbs: verbs.commands.toggle_off("disabled"),
    ),
    (_K.Key_B, _NONE): Key(
        "Bypass the nodes, or enable them",
        lambda verbs: verbs.commands.toggle_off("bypassed"),
    ),
    (_K.Key_W, _NONE): Key(
        "Edit the condition here", lambda verbs: verbs.conditions.open_next()
    ),
    (_K.Key_G, _CTRL): Key(
        "Put a frame around the selection", lambda verbs: verbs.frames.frame_selected()
    ),
    (_K.Key_N, _NONE): Key("Add a note", lambda verbs: verbs.frames.add_note()),
    (_K.Key_F, _SHIFT): Key(
        "To the next frame or note", lambda verbs: verbs.frames.next()
    ),
    (_K.Key_B, _CTRL): Key(
        "Bookmark what is selected, or remove its bookmark",
        lambda verbs: verbs.bookmarks.toggle(),
    ),
    (_K.Key_B, _CTRL | _SHIFT): Key(
        "To the next bookmark", lambda verbs: verbs.bookmarks.next()
    ),
    (_K.Key_R, _NONE): Key(
        "Add a reroute dot to the selected wire",
        lambda verbs: verbs.dots.add_to_selected(),
    ),
    (_K.Key_Period, _NONE): Key(
        "Next reroute dot of the wire", lambda verbs: verbs.dots.next()
    ),
    (_K.Key_L, _NONE): Key(
        "Arrange the selection", lambda verbs: verbs.arranger.arrange(selected=True)
    ),
    (_K.Key_L, _SHIFT): Key(
        "Tidy new nodes", lambda verbs: verbs.arranger.arrange("tidy")
    ),
    (_K.Key_L, _CTRL): Key(
        "Arrange, left to right", lambda verbs: verbs.arranger.arrange("LR")
    ),
    (_K.Key_F, _NONE): Key(
        "Fit the selection", lambda verbs: verbs.camera.fit_things(verbs.selection)
    ),
    (_K.Key_Home, _NONE): Key("Fit everything", lambda verbs: verbs.camera.fit_all()),
    (_K.Key_M, _NONE): Key("Show the overview", lambda verbs: verbs.toggle_minimap()),
    (_K.Key_G, _NONE): Key(
        "Snap to the grid", lambda verbs: verbs.set_snap(not verbs.snap)
    ),
    (_K.Key_0, _CTRL): Key("Zoom to 100 %", lambda verbs: verbs.camera.zoom_to(1.0)),
    (_K.Key_Plus, _CTRL): Key("Zoom in", lambda verbs: verbs.camera.zoom_by(1.25)),
    (_K.Key_Equal, _CTRL): Key("Zoom in", lambda verbs: verbs.camera.zoom_by(1.25)),
    (_K.Key_Minus, _CTRL): Key("Zoom out", lambda verbs: verbs.camera.zoom_by(0.8)),
}
# What has no entry above: keys that mean different things, and the mouse. (keys, words)
GESTURES: tuple[tuple[str, str], ...] = (
    ("Arrows", "Walk from node to node; with Shift select on the way"),
    (
        "Ctrl+Arrows",
        "Move the selection, or the chosen dot of a wire; with Alt farther",
    ),
    ("Shift+Arrows", "Make the selected frame or note larger or smaller"),
    (
        "Drag the title of a frame",
        "Move it with all that is on it; a side or corner resizes it",
    ),
    (
        "Enter",
        "Open what is selected, else the workflow; connect the wire that is drawn",
    ),
    ("Ctrl+Enter", "Connect the first of the selected nodes to the others"),
    ("Esc", "Cancel what is being done, then clear the selection"),
    (
        "Drag from a port",
        "Connect; at a join's bar add a source; at a selected node connect all selected ones",
    ),
    ("Drag a loose node onto a wire", "Put it into the wire; with Alt only move it"),
    (
        "Alt+click or double-click on a wire",
        "Add a reroute dot; drag it, onto the straight line to remove it",
    ),
    ("Alt+drag", "Drag copies"),
    ("Alt+click on a port", "Remove the wires of the port"),
    (
        "Ctrl+drag from a port",
        "Lead its wires, or the selected one of them, to another node",
    ),
    ("Ctrl+right-drag", "Cut the wires that the line crosses"),
    ("Double-click on a case", "Edit its condition there"),
    ("Wheel", "Zoom at the pointer"),
    ("Middle-drag, Space+drag", "Move the view"),
    ("Shift+drag, Ctrl+drag", "Add to the selection, remove from it"),
)


def shortcuts() -> list[tuple[str, str]]:
    """Return every key and gesture of the canvas with what it does, for their lists."""
    pairs = [
        (QKeySequence(QKeyCombination(modifiers, key)).toString(), entry.words)
        for (key, modifiers), entry in KEYS.items()
    ]
    return [*pairs, *GESTURES]


def press_key(verbs: Verbs, event: QKeyEvent) -> bool:
    """Do what a key means. Return False when it means nothing here."""
    key = _K(event.key())
    modifiers = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
    if key == _K.Key_Escape:
        return _escape(verbs)
    if key in (_K.Key_Return, _K.Key_Enter):
        return _enter(verbs, control=bool(modifiers & _CTRL))
    entry = verbs.keys.get((key, modifiers))
    if entry is None and key in _ARROWS:
        return _arrow(verbs, _ARROWS[key], modifiers)
    if entry is None:
        return False
    # Space is held to move the view, and would add nodes as long as it is.
    if key != _K.Key_Space or not event.isAutoRepeat():
        entry.act(verbs)
    return True


def _add_node(verbs: Verbs) -> None:
    """Add a node; while a wire is drawn, the one that it leads to."""
    if verbs.gesture is None or not verbs.gesture.press_tab():
        verbs.quick_add()


def _escape(verbs: Verbs) -> bool:
    """Go one level back: the gesture, then the dot of a wire, then the selection."""
    if verbs.cancel_gesture():
        return True
    if verbs.dots.chosen is not None:
        verbs.dots.choose(None)
        return True
    if verbs.selection:
        verbs.select(frozenset())
        return True
    return False


def _enter(verbs: Verbs, *, control: bool) -> bool:
    if verbs.gesture is not None and verbs.gesture.press_enter():
        return True
    if control:
        verbs.commands.connect_selected()
    elif verbs.order:
        verbs.activate(verbs.order[-1])
    else:
        verbs.activate("")
    return True


def _arrow(verbs: Verbs, direction: str, modifiers: Qt.KeyboardModifier) -> bool:
    """Walk; with Shift select on the way, with Ctrl move nodes, with Alt or Shift far."""
    x, y = _WAYS[direction]
    if modifiers & _CTRL:
        length = _BIG_STEP if modifiers & (_SHIFT | _ALT) else _STEP
        _nudge(verbs, x * length, y * length)
        return True
    if modifiers == _SHIFT and verbs.frames.grow(x * _STEP, y * _STEP):
        return True
    if modifiers not in (_NONE, _SHIFT):
        return False
    if verbs.gesture is None or not verbs.gesture.press_arrow(direction):
        verbs.walk.step(direction, extend=modifiers == _SHIFT)
    return True


def _nudge(verbs: Verbs, dx: float, dy: float) -> None:
    """Move the chosen dot, or frames with what is on them, or the selected nodes."""
    if not verbs.dots.nudge(dx, dy) and not verbs.frames.nudge(dx, dy):
        verbs.commands.nudge(dx, dy)
