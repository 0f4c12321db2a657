"""The words of the timeline: the kind of a mark, the tag at the end of a branch, the
caption of a lane.
"""

from __future__ import annotations

from designer.session.timeline_model import TimelineModel
from runtime.debug.protocol import CheckpointCounts, Header, ProofItem
from runtime.events import WorkflowRunState
from runtime.values.words import counted


def mark_kind(model: TimelineModel, row: int) -> str:
    """Return the kind of a checkpoint's mark: damaged, else how its branch ended there,
    else its cause.
    """
    header = model.header_at(row)
    if header.damaged:
        return "damaged"
    if model.is_last(row) and not header.queued and not header.requests:
        if header.status == WorkflowRunState.IDLE_WITH_STALLED_JOINS:
            return "stalled"
        if header.status == WorkflowRunState.IDLE:
            return "finished"
    return header.cause


# The tag of a checkpoint that a person wants to come back to. It is a tag like others,
# so that it is where all notes of people are: with the checkpoint, in the store.
BOOKMARK = "bookmark"


def is_bookmarked(header: Header) -> bool:
    return BOOKMARK in header.tags


def newest_row(model: TimelineModel, head: int | None) -> int | None:
    """Return the row with whose graph others are compared: the head of the live run,
    else the newest checkpoint.
    """
    if head is not None or not model.rowCount():
        return head
    return model.rowCount() - 1


def is_foreign(header: Header, newest: Header) -> bool:
    """Return whether a checkpoint has another graph than the newest one. One of a store
    that keeps no signature is not known to have.
    """
    return "" not in (header.signature, newest.signature) and (
        header.signature != newest.signature
    )


def mark_caption(header: Header) -> str:
    """Return what a person wrote of a checkpoint, for the line under its mark: its
    first tag, else its note.
    """
    for tag in header.tags:
        if tag != BOOKMARK:
            return tag
    return header.note


def end_tag(header: Header) -> tuple[str, str] | None:
    """Return the text and the colour role of the tag at the end of a branch."""
    if header.requests:
        return f"{header.requests} question{'s' * (header.requests != 1)}", "ask"
    if header.status == WorkflowRunState.IDLE_WITH_STALLED_JOINS:
        return (
            f"finished, {header.stalled} join{'s' * (header.stalled != 1)} stalled",
            "warn",
        )
    if header.status == WorkflowRunState.IDLE and not header.queued:
        return "finished", "ok"
    return None


def folded_caption(count: int) -> str:
    """Return how many branches are folded into a branch."""
    return "1 branch folded" if count == 1 else f"{count:,} branches folded"


def lane_caption(model: TimelineModel, number: int) -> str:
    """Return the second line of a lane's name: its origin, or its number of
    checkpoints.
    """
    lane = model.lanes[number]
    name = model.name(lane.forked_from)
    if not name:
        if model.is_after_gap(lane.first_row):
            return f"{lane.count:,} left, start gone"
        return f"{lane.count:,} checkpoint{'s' * (lane.count != 1)}"
    edits = model.lane_rows[number].edits
    caption = f"fork of {name}"
    if edits:
        caption += f", {edits} edit{'s' * (edits != 1)}"
    return caption


def counts_words(counts: CheckpointCounts) -> str:
    """Return all that went wrong in the superstep before a checkpoint; "" if nothing."""
    parts = []
    if counts.failures:
        parts.append(f"{counted(counts.failures, 'call')} failed")
    if counts.dropped:
        parts.append(f"{counted(counts.dropped, 'message')} dropped")
    if counts.lost:
        parts.append(f"{counts.lost:,} of them taken by nobody")
    if counts.starving:
        parts.append(f"{counted(counts.starving, 'join')} starving")
    return ", ".join(parts)


def counts_caption(counts: CheckpointCounts) -> tuple[str, str]:
    """Return the worst of it for the lane, and its colour role. Messages that only a
    condition stopped are no news.
    """
    if counts.failures:
        return f"{counts.failures:,} failed", "bad"
    if counts.lost:
        return f"{counts.lost:,} lost", "warn"
    return "", ""


def outcomes_words(outcomes: int) -> str:
    """Return what other orders of the superstep after a checkpoint came to."""
    if outcomes == 1:
        return "The superstep from here has one outcome in the orders that were tried."
    return (
        f"The superstep from here has {outcomes:,} outcomes, by the order of its calls."
    )


def size(number: int) -> str:
    """Return a number of bytes for people: 148 KiB."""
    value = float(number)
    for unit in ("B", "KiB", "MiB"):
        if value < 1024:
            if unit == "B" or value >= 100:
                return f"{value:.0f} {unit}"
            return f"{value:.1f} {unit}"
        value /= 1024
    return f"{value:.1f} GiB"


def proof_words(item: ProofItem) -> str:
    """Return what the restore proof of a checkpoint says, in a few words."""
    checks = [check for check in item.checks if check.outcome != "none"]
    failed = sum(check.outcome == "failed" for check in checks)
    if failed:
        return f"{failed} of {len(checks)} checks failed"
    unchecked = sum(check.outcome == "unchecked" for check in checks)
    if unchecked:
        return f"{unchecked} of {len(checks)} not checked"
    return "proved"
