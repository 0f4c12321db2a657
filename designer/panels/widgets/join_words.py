"""The state of a join, and when it fires, in words."""

from __future__ import annotations

from runtime.debug.protocol import JoinMoment
from runtime.values.words import counted


def waiting_words(join: JoinMoment, names: list[str]) -> tuple[str, str]:
    """Return the state of a join in words, and its tone: "2 of 3 — waiting for Rank by
    reach".
    """
    if join.fired:
        return fired_words(join), "ok"
    filled = f"{join.filled} of {join.awaited}"
    if join.stalled:
        return f"{filled} — stalled, nothing runs any more", "warn"
    if not join.held:
        return f"{filled} — empty", ""
    if not names:
        return f"{filled} — ready", "ok"
    shown = ", ".join(names[:2])
    if len(names) > 2:
        shown += f" and {len(names) - 2} more"
    return f"{filled} — waiting for {shown}", "warn"


def fired_words(join: JoinMoment) -> str:
    """Return the words for a join that fired: its messages, unless they are one of each
    source, and what it holds.
    """
    released = sum(source.released for source in join.sources)
    sources = sum(1 for source in join.sources if source.released)
    words = f"Fired in superstep {join.fired}"
    if released and sources < join.awaited:
        messages = counted(released, "message")
        words += f" with {messages} from {sources} of {join.awaited} sources"
    elif released > join.awaited:
        words += f" with {counted(released, 'message')}"
    return f"{words}, holds {join.held}" if join.held else words


def policy_words(join: JoinMoment, target: str) -> str:
    match join.policy:
        case "zip":
            return f"When every source has a message, one of each is delivered to {target} as one list."
        case "any":
            return (
                f"As soon as anything arrives, it is delivered to {target} as one list."
            )
        case "count":
            return f"When enough messages are here, they are delivered to {target} as one list."
        case _:
            return f"When every source has a message, all are delivered to {target} as one list, in source order."
