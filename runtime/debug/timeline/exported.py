"""Checkpoints as lines of JSON, for files that people and other programs read. Secrets
are masked; a run cannot go on from them.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from typing import Any

from runtime.checkpoint import Checkpoint
from runtime.checkpoints.archive import Archive
from runtime.debug.protocol import ExportBody
from runtime.debug.sections import SECTIONS, Section, frames
from runtime.debug.values.display import plain
from runtime.errors import WorkflowCheckpointException
from runtime.values.user_failures import text_of


async def exported(archive: Archive, checkpoint_ids: Sequence[str]) -> ExportBody:
    """Return a line for each checkpoint, in the order of the ids. The line of one that
    cannot be read says why.
    """
    lines = [await _line(archive, checkpoint_id) for checkpoint_id in checkpoint_ids]
    return ExportBody(lines=tuple(json.dumps(line) for line in lines))


async def _line(archive: Archive, checkpoint_id: str) -> dict[str, Any]:
    try:
        checkpoint = await archive.view(checkpoint_id)
    except WorkflowCheckpointException as error:
        return {"checkpoint": checkpoint_id, "unreadable": text_of(error)}
    line: dict[str, Any] = {
        "checkpoint": checkpoint_id,
        "header": plain(dataclasses.asdict(checkpoint.header)),
    }
    for section in SECTIONS:
        if section.values is not None or section.waiting is not None:
            line[section.name] = _section(section, checkpoint)
    return line


def _section(section: Section, checkpoint: Checkpoint) -> Any:
    if section.waiting is not None:
        return [
            {"where": waiting.words, "data": plain(waiting.data)}
            for waiting in section.waiting(checkpoint)
        ]
    values: dict[str, Any] = {}
    for way, state in frames(checkpoint.state):
        if section.values is not None:
            # The names themselves decide what is masked, not the way to them.
            shown = plain(dict(section.values(state)))
            values |= {way + name: value for name, value in shown.items()}
    return values
