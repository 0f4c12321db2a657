"""Who reaches outside: a declaration of executors and handlers whose calls cost or
change something beyond the run, such as a request to a server.

Only the results of such calls are kept in checkpoints, so that going on from the past
need not do them again (`runtime.engine.replay`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from runtime.values.records import record

F = TypeVar("F", bound=Callable[..., Any])
_MARK = "__stepwell_outside__"

# What an executor that only says `outside=True` does, in a list of what will happen.
UNNAMED = "work outside of the run"


@record
class Outside:
    """What a call does beyond the run, as it stands in a list: "HTTP request to
    example.org". It never holds the value of a secret.

    is_harmless  it costs and changes nothing, as reading a file or waiting does, so that no run has to stop before it
    """

    what: str
    is_harmless: bool = False


Declared = Outside | str | bool | None


def reaches_outside(what: str | bool = True) -> Callable[[F], F]:
    """Mark a plain function that a node of a document calls: what it does beyond the run,
    such as "HTTP request". An executor in Python says it by `outside`.
    """
    declared = outside_of(what)

    def mark(function: F) -> F:
        setattr(function, _MARK, declared)
        return function

    return mark


def outside_of_function(function: Any) -> Outside | None:
    """Return what `reaches_outside` said of a function."""
    declared = getattr(function, _MARK, None)
    return declared if isinstance(declared, Outside) else None


def outside_of(declared: Declared) -> Outside | None:
    """Return what was declared; None for nothing. Raise `TypeError` for anything else
    than a text or True.
    """
    if declared is None or declared is False or declared == "":
        return None
    if isinstance(declared, Outside):
        return declared
    if declared is True:
        return Outside(UNNAMED)
    if not isinstance(declared, str):
        raise TypeError(
            f"outside is a text, such as 'HTTP request', or True, not {declared!r}."
        )
    return Outside(declared)
