"""What is staged over the checkpoints of a timeline, as data: a lane for each draft."""

from __future__ import annotations

from dataclasses import dataclass

from designer.session.staged_patch import StagedDraft, StagedPatch
from designer.session.timeline_model import TimelineModel
from runtime.values.words import counted


@dataclass(frozen=True, slots=True)
class DraftLane:
    """A draft: the row of its checkpoint, its name, what is said of it, and whether it
    is the one that is edited.
    """

    row: int
    name: str
    words: str
    is_current: bool
    checkpoint_id: str


def draft_lanes(staged: StagedPatch, model: TimelineModel) -> tuple[DraftLane, ...]:
    """Return the drafts over checkpoints of the timeline."""
    lanes = []
    for draft in staged.drafts:
        row = model.row_of(draft.checkpoint_id)
        if row is not None:
            lanes.append(_lane(draft, row, staged, model))
    return tuple(lanes)


def _lane(
    draft: StagedDraft, row: int, staged: StagedPatch, model: TimelineModel
) -> DraftLane:
    is_current = draft.checkpoint_id == staged.checkpoint
    name = draft.name
    if not name and is_current:
        name = staged.branch
    name = name or f"edit of {model.name(draft.checkpoint_id)}"
    words = f"draft, {counted(draft.changes, 'change')}"
    return DraftLane(row, name, words, is_current, draft.checkpoint_id)
