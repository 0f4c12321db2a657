"""How a node is shown that is switched off: while editing, and in a run, where what it did stands behind it."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from designer.canvas.overlay import Face
from runtime.definition import Off

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
    did = "" if face.state in _QUIET else " ".join(filter(None, (face.words.lower(), face.detail)))
    kept = replace(shown, detail=did, questions=face.questions, sent=face.sent, queued=face.queued)
    return kept if face.border in ("line", "line2") else replace(kept, border=face.border, width=face.width)
