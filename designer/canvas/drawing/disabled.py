"""How a disabled or bypassed node looks, while editing and in a run."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from designer.canvas.drawing.overlay import Face
from runtime.document.definition import Off

_FACES: dict[Off, Face] = {
    "disabled": Face("disabled", "Disabled", "off", "text3", "edge", 1.0, "4 3"),
    "bypassed": Face("bypassed", "Bypassed", "bypass", "text3", "edge", 1.0, "4 3"),
}
_QUIET = ("idle", "not_taken")


@lru_cache(maxsize=4096)
def off_face(off: Off, face: Face | None, summary: str) -> Face:
    """Return the face of a node that is off; `face` is its state in a run, if there is
    one.
    """
    shown = _FACES[off]
    if face is None:
        return replace(shown, detail=summary)
    if face.state in _QUIET:
        did = ""
    else:
        did = " ".join(filter(None, (face.words.lower(), face.detail)))
    off_in_run = replace(
        shown, detail=did, questions=face.questions, sent=face.sent, queued=face.queued
    )
    if face.border in ("line", "line2"):
        return off_in_run
    return replace(off_in_run, border=face.border, width=face.width)
