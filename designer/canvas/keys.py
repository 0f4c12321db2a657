"""The keys of the canvas, as a table. They call what the mouse and the menus call."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent

from designer.canvas.steering import next_edge, step
from designer.canvas.tools import DrawWire

if TYPE_CHECKING:
    from designer.canvas.view import CanvasView

_K = Qt.Key
_NONE = Qt.KeyboardModifier.NoModifier
_SHIFT, _CTRL = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier
_ALT = Qt.KeyboardModifier.AltModifier
_STEP, _BIG_STEP = 8, 48
_ARROWS = {_K.Key_Left: "left", _K.Key_Right: "right", _K.Key_Up: "up", _K.Key_Down: "down"}
_WAYS = {"left": (-1, 0), "right": (1, 0), "up": (0, -1), "down": (0, 1)}

KEYS: dict[tuple[Qt.Key, Qt.KeyboardModifier], Callable[[CanvasView], object]] = {
    (_K.Key_Tab, _NONE): lambda view: view.quick_add(),
    (_K.Key_Space, _NONE): lambda view: view.hold_space(),
    (_K.Key_Delete, _NONE): lambda view: view.delete_selection(),
    (_K.Key_Backspace, _NONE): lambda view: view.delete_selection(),
    (_K.Key_Delete, _CTRL): lambda view: view.commands.delete_healed(),
    (_K.Key_Backspace, _CTRL): lambda view: view.commands.delete_healed(),
    (_K.Key_Left, _CTRL | _SHIFT): lambda view: view.select_linked("before"),
    (_K.Key_Right, _CTRL | _SHIFT): lambda view: view.select_linked("after"),
    (_K.Key_A, _CTRL): lambda view: view.select_all(),
    (_K.Key_I, _CTRL): lambda view: view.invert_selection(),
    (_K.Key_D, _CTRL): lambda view: view.duplicate(),
    (_K.Key_C, _CTRL): lambda view: view.copy(),
    (_K.Key_X, _CTRL): lambda view: view.cut(),
    (_K.Key_V, _CTRL): lambda view: view.paste(),
    (_K.Key_V, _CTRL | _SHIFT): lambda view: view.paste(keep_links=True),
    (_K.Key_C, _NONE): lambda view: view.start_wire(),
    (_K.Key_E, _NONE): next_edge,
    (_K.Key_G, _CTRL | _SHIFT): lambda view: view.commands.collapse_or_expand(),
    (_K.Key_PageDown, _NONE): lambda view: view.commands.go_in(),
    (_K.Key_PageUp, _NONE): lambda view: view.commands.go_out(),
    (_K.Key_J, _NONE): lambda view: view.join_selected(),
    (_K.Key_S, _NONE): lambda view: view.commands.splice_selected(),
    (_K.Key_W, _NONE): lambda view: view.inplace.open_next(),
    (_K.Key_L, _NONE): lambda view: view.arrange(selected=True),
    (_K.Key_L, _SHIFT): lambda view: view.arrange("tidy"),
    (_K.Key_L, _CTRL): lambda view: view.arrange("LR"),
    (_K.Key_F, _NONE): lambda view: view.fit_selection(),
    (_K.Key_Home, _NONE): lambda view: view.zoom_to_fit(),
    (_K.Key_M, _NONE): lambda view: view.show_minimap(view.minimap.isHidden()),
    (_K.Key_G, _NONE): lambda view: view.set_snap(not view.snap),
    (_K.Key_0, _CTRL): lambda view: view.set_zoom(1.0),
    (_K.Key_Plus, _CTRL): lambda view: view.camera.zoom_by(1.25),
    (_K.Key_Equal, _CTRL): lambda view: view.camera.zoom_by(1.25),
    (_K.Key_Minus, _CTRL): lambda view: view.camera.zoom_by(0.8),
}


def press_key(view: CanvasView, event: QKeyEvent) -> bool:
    """Do what a key says. False when it says nothing here."""
    key = _K(event.key())
    modifiers = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
    if key == _K.Key_Escape:
        return _escape(view)
    if key in (_K.Key_Return, _K.Key_Enter):
        return _enter(view, control=bool(modifiers & _CTRL))
    act = KEYS.get((key, modifiers))
    if act is None and key in _ARROWS:
        return _arrow(view, _ARROWS[key], modifiers)
    if act is None or (key == _K.Key_Space and event.isAutoRepeat()):
        return act is not None
    act(view)
    return True


def _escape(view: CanvasView) -> bool:
    """One level back: the gesture, then the selection."""
    if view.cancel_tool():
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
    elif control and view.editable:
        view.connect_selected()
    elif view.order and not control:
        view.node_activated.emit(view.order[-1])
    else:
        return False
    return True


def _arrow(view: CanvasView, way: str, modifiers: Qt.KeyboardModifier) -> bool:
    """Alone they walk, with Shift they add to the selection, with Ctrl they move nodes, with Alt or Shift far."""
    if modifiers & _CTRL:
        far = _BIG_STEP if modifiers & (_SHIFT | _ALT) else _STEP
        view.commands.nudge(_WAYS[way][0] * far, _WAYS[way][1] * far)
    elif modifiers in (_NONE, _SHIFT):
        step(view, way, extend=modifiers == _SHIFT)
    else:
        return False
    return True
