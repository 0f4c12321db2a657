"""The gestures of the mouse, in order of precedence.

A press asks them one after the other, and the first that says it starts here is begun.
A new gesture is one class in a file of this room and one line here.
"""

from __future__ import annotations

from designer.canvas.base import Canvas, Gesture, Press
from designer.canvas.gestures.breakpoints import ClickBreakpoint
from designer.canvas.gestures.cut import CutWires
from designer.canvas.gestures.dots import AddDot, MoveDot
from designer.canvas.gestures.frames import MoveFrames, ResizeFrame
from designer.canvas.gestures.move import MoveNodes
from designer.canvas.gestures.pan import Pan
from designer.canvas.gestures.rewire import Rewire
from designer.canvas.gestures.select import Pick, RubberBand
from designer.canvas.gestures.wire import Disconnect, DrawWire

GESTURES: tuple[type[Gesture], ...] = (
    Pan,
    CutWires,
    # on the mark of a breakpoint, and at the corner of a node
    ClickBreakpoint,
    # at a port
    Disconnect,
    Rewire,
    DrawWire,
    # on a dot of a wire, and on a wire
    MoveDot,
    AddDot,
    # on a frame, or on a node that goes along with one
    ResizeFrame,
    MoveFrames,
    # on a node
    MoveNodes,
    # on anything that cannot be moved
    Pick,
    # on empty canvas
    RubberBand,
)


def gesture_for(canvas: Canvas, press: Press) -> Gesture | None:
    """Return the gesture that a press begins; None when it begins none."""
    for kind in GESTURES:
        gesture = kind.start(canvas, press)
        if gesture is not None:
            return gesture
    return None
