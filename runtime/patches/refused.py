"""What is wrong with a change, or worth knowing about it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

PathStep = str | int


class Issue(NamedTuple):
    """Something about one change. `path` leads to the place in its value, in words."""

    change: str
    text: str
    path: str = ""


class Refused(Exception):  # noqa: N818 - becomes an `Issue`, and never leaves the package
    """A change cannot be made; `text` says why, and what to do."""

    def __init__(self, text: str, path: str = "") -> None:
        super().__init__(text)
        self.text = text
        self.path = path


def path_words(path: Sequence[PathStep]) -> str:
    """Return a path as people write it: `.name` and `[0]`."""
    words = ""
    for step in path:
        if isinstance(step, str) and step.isidentifier():
            words += f".{step}"
        else:
            words += f"[{step!r}]"
    return words
