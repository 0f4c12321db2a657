"""The results of a command for programs: its exit code, and one value with `--json`."""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """`FAILED` also means that problems were found. `UNCHECKED` means that nothing
    failed, but something could not be checked. `INTERRUPTED` is what a shell reports for
    Ctrl+C.
    """

    FINISHED = 0
    FAILED = 1
    MISUSE = 2
    WAITING = 3
    STALLED = 4
    UNCHECKED = 5
    INTERRUPTED = 130


# The value that the command has printed with `--json`. Programs read exactly one, so an
# error that comes afterwards must not print a second.
printed_json: list[str] = []
