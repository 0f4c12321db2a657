"""Which secrets code has used: noted while a call runs, so that nothing that holds one is
kept with the results of the call.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

# A thread works with a copy of the context, which refers to the same set.
_NOTED: ContextVar[set[str] | None] = ContextVar("_NOTED", default=None)


@contextmanager
def noting_secrets() -> Iterator[set[str]]:
    """Note each secret that is used meanwhile, in this task and the threads it starts."""
    used: set[str] = set()
    token = _NOTED.set(used)
    try:
        yield used
    finally:
        _NOTED.reset(token)


def note_secret(value: str) -> None:
    """Note that a secret is used."""
    noted = _NOTED.get()
    if noted is not None:
        noted.add(value)
