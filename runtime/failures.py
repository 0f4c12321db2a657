"""What code of users raises, made fit to be told: its text, and exits, which would end more than the run."""

from __future__ import annotations

from runtime.errors import WorkflowException


def text_of(error: BaseException) -> str:
    """The text of an error, also of one that raises when it is asked for it."""
    try:
        return str(error)
    except Exception as other:  # noqa: BLE001 - this is about errors that are broken themselves
        return f"(its text cannot be made: {type(other).__name__})"


def in_words(error: BaseException) -> str:
    """`KeyError: 'name'`."""
    return f"{type(error).__name__}: {text_of(error)}"


def as_failure(exit_: SystemExit, what: str) -> WorkflowException:
    """`sys.exit` in code of a workflow fails the superstep: in a task it would end the loop, and with it everything."""
    return WorkflowException(f"{what} called sys.exit({exit_.code!r}). Return to end it, or raise an error to fail.")
