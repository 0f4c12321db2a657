"""Which names of fields, parameters and variables say that their value is a secret."""

from __future__ import annotations

import re

_SECRET = re.compile(
    r".*[_-]key|api-?key|(.*[_-])?token|.*secret.*|.*passw(or)?d.*|authorization",
    re.IGNORECASE,
)


def is_secret(name: str) -> bool:
    """Return whether a value under this name is masked in every view and export:
    `*_key`, `*_token`, `password`, …
    """
    return _SECRET.fullmatch(name) is not None
