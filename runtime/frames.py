"""The frames of an error that stand in the code of a workflow, without those of the engine around them."""

from __future__ import annotations

import sysconfig
import traceback
from pathlib import Path

_OURS = str(Path(__file__).resolve().parent)
_PYTHON = sysconfig.get_path("stdlib")


def own_frames(error: BaseException) -> list[traceback.FrameSummary]:
    """The frames after the last of ours: those of the workflow's code, and of what it calls."""
    found = traceback.extract_tb(error.__traceback__)
    last = max((at for at, frame in enumerate(found) if frame.filename.startswith(_OURS)), default=-1)
    own = found[last + 1 :]
    return [frame for frame in own if not frame.filename.startswith((_PYTHON, "<"))] or own[-1:]
