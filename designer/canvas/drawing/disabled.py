"""How a node is shown that is switched off: while editing, and in a run, where what it did stands behind it."""

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
    """The face of a node that is off; `face` is what a run says of it, None while editing."""
    shown = _FACES[off]
    if face is None:
        return replace(shown, detail=summary)
    if face.state in _QUIET:
        did = ""
    else:
        did = " ".join(filter(None, (face.words.lower(), face.detail)))
    kept = replace(
        shown, detail=did, questions=face.questions, sent=face.sent, queued=face.queued
    )
    if face.border in ("line", "line2"):
        return kept
    return replace(kept, border=face.border, width=face.width)
