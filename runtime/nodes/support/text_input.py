"""Lines of text that comes from outside."""

from __future__ import annotations


def lines_of(text: str) -> list[str]:
    """The lines as editors count them. `str.splitlines` would also cut at form feeds
    and at separators of Unicode.
    """
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return lines[:-1] if lines[-1] == "" else lines
