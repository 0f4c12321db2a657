"""A row of the feature table: what an editor should have, and who shows it."""

from __future__ import annotations

from typing import Literal, NamedTuple

Level = Literal["MUST", "SHOULD", "BEYOND"]


class Feature(NamedTuple):
    """`tests` are ids for pytest, below `tests/designer/` unless they begin with
    `tests/`.
    """

    level: Level
    title: str
    tests: tuple[str, ...] = ()
    lacks: str = ""

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(
            test if test.startswith("tests/") else f"tests/designer/{test}"
            for test in self.tests
        )
