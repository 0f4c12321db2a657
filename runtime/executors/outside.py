"""Who reaches outside: a declaration of executors and handlers whose calls cost or
change something beyond the run, such as a request to a server.

Only the results of such calls are kept in checkpoints, so that going on from the past
need not do them again (`runtime.engine.replay`).
"""

from __future__ import annotations

from runtime.values.records import record

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
