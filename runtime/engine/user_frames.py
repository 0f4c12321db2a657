"""The frames of an error that stand in the code of a workflow, without those of the engine around them."""

from __future__ import annotations

import sysconfig
import traceback
from pathlib import Path

_OURS = str(Path(__file__).resolve().parents[1])
_PYTHON = sysconfig.get_path("stdlib")
_LIBRARIES = tuple({sysconfig.get_path("purelib"), sysconfig.get_path("platlib")})


def own_code_first(error: BaseException) -> str:
    """The traceback for people: the lines of the workflow's code with the error, and below that all of it."""
    whole = "".join(traceback.format_exception(error))
    own = [
        frame
        for frame in own_frames(error)
        if not frame.filename.startswith((_OURS, *_LIBRARIES))
    ]
    if not own:
        return whole
    lines = "".join(
        [*traceback.format_list(own), *traceback.format_exception_only(error)]
    )
    return f"In the code of the workflow:\n{lines}\n{whole}"


def own_frames(error: BaseException) -> list[traceback.FrameSummary]:
    """The frames after the last of ours: those of the workflow's code, and of what it calls."""
    frames = traceback.extract_tb(error.__traceback__)
    last = max(
        (at for at, frame in enumerate(frames) if frame.filename.startswith(_OURS)),
        default=-1,
    )
    own = frames[last + 1 :]
    return [
        frame for frame in own if not frame.filename.startswith((_PYTHON, "<"))
    ] or own[-1:]
