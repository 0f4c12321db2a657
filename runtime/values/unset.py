"""`UNSET`: the default of a parameter for which None means something."""

from typing import Any


class Unset:
    def __repr__(self) -> str:
        return "<not given>"


UNSET: Any = Unset()
