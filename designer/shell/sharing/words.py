"""Numbers of the dialogs about shared files, in words."""

from __future__ import annotations

from runtime.values.words import counted

_KILO = 1024


def amount(count: int) -> str:
    """Return a number of bytes, such as "41 KiB"."""
    if count < _KILO:
        return counted(count, "byte")
    if count < _KILO * _KILO:
        return f"{count / _KILO:.0f} KiB"
    return f"{count / _KILO / _KILO:.1f} MiB"


def progress_words(verb: str, done: int, total: int) -> str:
    """Return how far it is, such as "Writing 4,000 of 100,000 checkpoints…"."""
    if total:
        return f"{verb} {done:,} of {total:,} checkpoints…"
    return f"{verb} {counted(done, 'checkpoint')}…"
