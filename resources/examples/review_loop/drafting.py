"""Drafts and their revisions. A writer without ideas of its own: it does what the reviewer says, and remembers it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any


@dataclass(frozen=True)
class Draft:
    """`notes` are the reasons that reviewers gave so far."""

    topic: str
    text: str
    round: int = 1
    notes: tuple[str, ...] = ()


def begin(message: str) -> Draft:
    """A first draft about a topic."""
    topic = " ".join(message.split()) or "an empty page"
    return Draft(topic, _text(topic, ()))


def revise(message: dict[str, Any]) -> Draft:
    """The draft of a refused review, with the reviewer's reason worked in."""
    draft: Draft = message["message"]
    notes = (*draft.notes, message["answer"]["reason"].strip())
    return replace(
        draft, text=_text(draft.topic, notes), round=draft.round + 1, notes=notes
    )


def publish(message: dict[str, Any]) -> str:
    """The accepted draft as it goes out."""
    draft: Draft = message["message"]
    rounds = "1 round" if draft.round == 1 else f"{draft.round} rounds"
    return f"{draft.text}\n\nAccepted after {rounds} of review.\n"


def _text(topic: str, notes: tuple[str, ...]) -> str:
    lines = [
        f"# {topic[:1].upper()}{topic[1:]}",
        "",
        f"What there is to say about {topic}, in one paragraph.",
    ]
    for note in notes:
        lines += [
            "",
            f"On {note[:1].lower()}{note[1:].rstrip('.')}: a paragraph that was asked for.",
        ]
    return "\n".join(lines)
