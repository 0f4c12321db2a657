"""Numbers and sentences as people write them, the same in the terminal, the log and the
window.
"""

from __future__ import annotations


def counted(number: int, noun: str) -> str:
    """Return a number with its noun, in the plural where it must be: `1 row`, `1,200
    rows`.
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def duration(seconds: float) -> str:
    """Return a time as a node shows it: `<0.1 ms`, `0.4 ms`, `640 ms`, `1.2 s`."""
    if seconds < 0.0001:
        return "<0.1 ms"
    if seconds < 0.001:
        return f"{seconds * 1000:.1f} ms"
    return f"{seconds * 1000:.0f} ms" if seconds < 0.9995 else f"{seconds:.1f} s"


def sentence(words: str) -> str:
    """Return the words with a full stop, unless they end with a question, such as "Did
    you mean …?".
    """
    return words if words.endswith("?") else f"{words}."
