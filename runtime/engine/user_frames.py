"""Finds the frames of an error that belong to the code of a workflow, without those of
the engine around them.
"""

from __future__ import annotations

import sysconfig
import traceback
from pathlib import Path

from runtime.errors import RecordedFailureError

# How many lines of a traceback travel with a failure: the innermost ones.
_MOST_LINES = 40
_OURS = str(Path(__file__).resolve().parents[1])
_PYTHON = sysconfig.get_path("stdlib")
_LIBRARIES = tuple({sysconfig.get_path("purelib"), sysconfig.get_path("platlib")})


def own_code_first(error: BaseException) -> str:
    """Return the traceback for people: first the lines of the workflow's code with the
    error, then all of it.
    """
    full_text = "".join(traceback.format_exception(error))
    frames = [
        frame
        for frame in own_frames(error)
        if not frame.filename.startswith((_OURS, *_LIBRARIES))
    ]
    if not frames:
        return full_text
    lines = "".join(
        [*traceback.format_list(frames), *traceback.format_exception_only(error)]
    )
    return f"In the code of the workflow:\n{lines}\n{full_text}"


def traceback_lines(error: BaseException) -> list[str]:
    """Return the innermost lines of a traceback of the workflow's code; of a recorded
    failure those that were recorded.
    """
    if isinstance(error, RecordedFailureError):
        return list(error.lines)
    lines = "".join(traceback.format_list(own_frames(error))).splitlines()
    return lines[-_MOST_LINES:]


def own_frames(error: BaseException) -> list[traceback.FrameSummary]:
    """Return the frames after the last one of the runtime: those of the workflow's
    code, and of what that calls.
    """
    frames = traceback.extract_tb(error.__traceback__)
    last_of_runtime = -1
    for position, frame in enumerate(frames):
        if frame.filename.startswith(_OURS):
            last_of_runtime = position
    after_runtime = frames[last_of_runtime + 1 :]
    outside_python = [
        frame
        for frame in after_runtime
        if not frame.filename.startswith((_PYTHON, "<"))
    ]
    # Where user code failed inside the standard library only, its last line is better
    # than nothing.
    return outside_python or after_runtime[-1:]
