"""Makes errors of user code fit for reports: their text, their causes, and exits that
would end more than the run.
"""

from __future__ import annotations

from asyncio import CancelledError
from collections.abc import Iterator
from contextlib import suppress

from runtime.errors import WorkflowException


def text_of(error: BaseException) -> str:
    """Return the text of an error, even of one whose `__str__` raises."""
    try:
        return str(error)
    except Exception as other:  # noqa: BLE001 - the error may be broken itself
        return f"(its text cannot be made: {type(other).__name__})"


def savable(text: str) -> str:
    """Return text that every store can keep, with lone surrogates as escapes."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def in_words(error: BaseException) -> str:
    """Return `KeyError: 'name'`, or only the class name of an error without a text."""
    text = text_of(error)
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def as_failure(error: BaseException, what: str) -> WorkflowException:
    """Return a `WorkflowException` in place of an error that would end more than the
    superstep.

    `sys.exit` in a task would end the loop and all that runs in it. A cancellation that
    nobody asked for would end the run without a message.
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
    """Add a note, if the error can take one. An exception that is a frozen dataclass
    cannot.
    """
    with suppress(Exception):
        error.add_note(note)


def causes_of(error: BaseException) -> Iterator[BaseException]:
    """Yield the causes of an error, the nearest first, as a traceback shows them."""
    # Causes may form a circle.
    seen = {id(error)}
    current = error
    while True:
        cause = current.__cause__
        if cause is None and not current.__suppress_context__:
            cause = current.__context__
        if cause is None or id(cause) in seen:
            return
        seen.add(id(cause))
        yield cause
        current = cause


def add_cause(error: BaseException, cause: BaseException) -> None:
    """Add a cause behind all causes that an error has, unless their chains meet
    already.
    """
    chain = [error, *causes_of(error)]
    new_ids = {id(cause), *map(id, causes_of(cause))}
    if new_ids.isdisjoint(map(id, chain)):
        chain[-1].__cause__ = cause


def comes_after(error: BaseException, error_type: str, text: str) -> bool:
    """Return True if an error of this type and text is among the causes of `error`, and
    is not `error` itself.
    """

    def matches(candidate: BaseException) -> bool:
        return type(candidate).__name__ == error_type and text_of(candidate) == text

    return not matches(error) and any(map(matches, causes_of(error)))


def blame(error: BaseException, what: str, where: str) -> None:
    """Note on an error of a function of the graph where that function is. Raises a
    failure in place of an exit.
    """
    if isinstance(error, SystemExit | CancelledError):
        failure = as_failure(error, what)
        failure.add_note(where)
        raise failure from error
    note_on(error, where)
