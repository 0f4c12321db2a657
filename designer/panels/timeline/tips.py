"""The tool tips of the marks on the timeline."""

from __future__ import annotations

from datetime import datetime

from designer.panels.timeline.words import (
    counts_words,
    is_foreign,
    newest_row,
    outcomes_words,
    proof_words,
)
from designer.session.session import DebugSession
from designer.session.timeline_model import FAILED, Incident


def incident_tip(incident: Incident) -> str:
    """Return what happened in a superstep without a checkpoint."""
    what = "failed" if incident.kind == FAILED else "was not saved"
    return f"Superstep {incident.column} {what}: {incident.text}"


def mark_tip(session: DebugSession, row: int, head: int | None) -> str:
    """Return what is known of a checkpoint, a line for each fact. `head` is the row of
    the head of the live run.
    """
    model = session.timeline
    header = model.header_at(row)
    first = f"#{row + 1}, superstep {header.superstep}, {header.cause}"
    if header.time:
        saved = datetime.fromtimestamp(header.time).astimezone()
        first += f", saved at {saved:%H:%M:%S}"
    lines = [first]
    if header.tags:
        lines.append(f"Tags: {', '.join(header.tags)}")
    lines.append(header.note)
    newest = newest_row(model, head)
    if newest is not None and is_foreign(header, model.header_at(newest)):
        lines.append(f"Its graph is another than that of #{newest + 1}.")
    if model.is_after_gap(row):
        lines.append("The checkpoints before it are removed.")
    proof = session.proof.item(header.id)
    if proof is not None:
        lines.append(f"Restore proof: {proof_words(proof)}.")
    counts = session.counts.of(header.id)
    if counts is not None:
        lines.append(counts_words(counts))
    outcomes = session.delivery_orders.outcomes(header.id)
    if outcomes:
        lines.append(outcomes_words(outcomes))
    lines += [
        f"Hit of {question.number}: {question.text}"
        for question in session.past.hits_at(header.id)
    ]
    return "\n".join(filter(None, lines))
