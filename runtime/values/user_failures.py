"""What code of users raises, made fit to be told: its text, and exits, which would end more than the run."""

from __future__ import annotations

from asyncio import CancelledError
from collections.abc import Iterator
from contextlib import suppress

from runtime.errors import WorkflowException


def text_of(error: BaseException) -> str:
    """The text of an error, also of one that raises when it is asked for it."""
    try:
        return str(error)
    except Exception as other:  # noqa: BLE001 - this is about errors that are broken themselves
        return f"(its text cannot be made: {type(other).__name__})"


def savable(text: str) -> str:
    """Text that every store can keep: lone surrogates are written out as escapes."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def in_words(error: BaseException) -> str:
    """`KeyError: 'name'`, or only the name of an error that says nothing."""
    text = text_of(error)
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def as_failure(error: BaseException, what: str) -> WorkflowException:
    """What ends more than the superstep fails it instead: `sys.exit` in a task would end the loop, and with it
    everything; and a cancellation that nobody asked for would end the run without a word.
    """
    if isinstance(error, SystemExit):
        return WorkflowException(
            f"{what} called sys.exit({error.code!r}). Return to end it, or raise an error to fail."
        )
    return WorkflowException(
        f"{what} ended with CancelledError, although nobody cancelled the run. Catch it where the cancelled work is "
        "awaited."
    )


def note_on(error: BaseException, note: str) -> None:
    """Add a note, unless the error takes none: one that is a frozen dataclass refuses to be changed."""
    with suppress(Exception):
        error.add_note(note)


def causes_of(error: BaseException) -> Iterator[BaseException]:
    """What made an error happen, the nearest first, as a traceback shows it."""
    known = {id(error)}
    cause: BaseException | None = error
    while cause is not None:
        cause = cause.__cause__ or (
            None if cause.__suppress_context__ else cause.__context__
        )
        if cause is None or id(cause) in known:
            return
        known.add(id(cause))
        yield cause


def add_cause(error: BaseException, cause: BaseException) -> None:
    """Put a cause below all that an error has already, unless one of them stands below the other as it is."""
    chain = [error, *causes_of(error)]
    below = [cause, *causes_of(cause)]
    if not any(one is other for one in chain for other in below):
        chain[-1].__cause__ = cause


def comes_after(error: BaseException, error_type: str, text: str) -> bool:
    """True when an executor had failed with such an error, and this is another one that came of it."""

    def is_it(one: BaseException) -> bool:
        return (type(one).__name__, text_of(one)) == (error_type, text)

    return not is_it(error) and any(map(is_it, causes_of(error)))


def blame(error: BaseException, what: str, where: str) -> None:
    """Note on what a function of the graph raised where that stands. Raises instead of what is not fit to be told."""
    if isinstance(error, SystemExit | CancelledError):
        failure = as_failure(error, what)
        failure.add_note(where)
        raise failure from error
    note_on(error, where)
