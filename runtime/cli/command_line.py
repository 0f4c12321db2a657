"""A command line from its words to its exit code. An error is one sentence, and with
`--json` one value.

Results go to standard output; progress, hints and errors go to standard error. With
`--json` standard output gets exactly one JSON value, whatever happens: the result or,
if there is none, `{"error": {"type", "text", …}, "exit_code"}`.
"""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from pathlib import Path
from typing import Any, ParamSpec

import typer

from runtime.cli.exit_codes import ExitCode, printed_json
from runtime.errors import (
    CheckpointNotFoundError,
    CommandError,
    MigrationRefusedError,
    SignatureMismatchError,
    WorkflowException,
)

_P = ParamSpec("_P")
JSON_FLAG = "--json"
# typer brings its own click or uses the one that is installed, depending on its
# version. This is the class in both.
_UsageError: type[Exception] = typer.BadParameter.__mro__[1]

app = typer.Typer(
    name="stepwell",
    help="Draw a workflow, run it in supersteps, and go back to any moment of any run.",
    epilog="Exit codes: 0 finished · 1 failed or problems found · 2 misuse · 3 waiting for answers · 4 stalled join "
    "· 130 stopped by Ctrl+C.",
    no_args_is_help=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


class _InterruptedError(Exception):
    """Ctrl+C, passed around typer, which would turn it into an exit code before
    `main` can report it as JSON.
    """

    def __init__(self) -> None:
        super().__init__("Stopped by Ctrl+C.")


def register(commands: Mapping[str, Callable[..., int]]) -> None:
    """Add commands by their words. Each returns its exit code."""
    for name, function in commands.items():
        app.command(name, help=_in_paragraphs(function))(_guarded(function))


def _in_paragraphs(function: Callable[..., int]) -> str:
    """Return what a command says of itself, with each paragraph in one line, so that
    it is wrapped by the width of the terminal alone.
    """
    paragraphs = inspect.cleandoc(function.__doc__ or "").split("\n\n")
    return "\n\n".join(" ".join(text.split()) for text in paragraphs)


def _guarded(function: Callable[_P, int]) -> Callable[_P, int]:
    @wraps(function)
    def guarded(*values: _P.args, **named: _P.kwargs) -> int:
        try:
            return function(*values, **named)
        except KeyboardInterrupt:
            raise _InterruptedError from None

    return guarded


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line and return its exit code. An error is one sentence on
    standard error.
    """
    words = sys.argv[1:] if arguments is None else list(arguments)
    # Python has no stream if its descriptor is closed (`>&-`, a service). The next
    # opened file would get that number and all prints.
    sys.stdout = sys.stdout or Path(os.devnull).open("w")  # noqa: SIM115
    sys.stderr = sys.stderr or Path(os.devnull).open("w")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        # A terminal that lacks a character gets its code instead of a traceback.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    printed_json.clear()
    try:
        code = app(words, prog_name="stepwell", standalone_mode=False)
        sys.stdout.flush()
        # typer returned it itself, before a command began.
        if type(code) is int and code == ExitCode.INTERRUPTED:
            raise _InterruptedError
    except KeyboardInterrupt:
        return _explain(_InterruptedError(), as_json=JSON_FLAG in words)
    except OSError as error:
        # Standard output cannot be written: `| head` closed it, or the disk is full.
        if error.filename is None:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        if isinstance(error, BrokenPipeError):
            return ExitCode.FAILED
        return _explain(
            error, as_json=JSON_FLAG in words and error.filename is not None
        )
    except BaseException as error:  # noqa: BLE001 - an unexpected one is raised again
        return _explain(error, as_json=JSON_FLAG in words)
    return int(code or ExitCode.FINISHED)


def _explain(error: BaseException, *, as_json: bool) -> int:
    """Print the error as a sentence. Raise an unexpected error again."""
    from runtime.cli import report

    code, text = _code_and_text(error)
    if as_json and not printed_json:
        if code is ExitCode.INTERRUPTED:
            name = KeyboardInterrupt.__name__
        else:
            name = type(error).__name__
        shown: dict[str, Any] = {"type": name, "text": text}
        if isinstance(error, SignatureMismatchError):
            shown["differences"] = list(error.differences)
        if isinstance(error, MigrationRefusedError):
            shown["reasons"] = list(error.reasons)
        report.print_json({"error": shown, "exit_code": code})
    report.complain(text)
    if not isinstance(
        error, WorkflowException | OSError | _InterruptedError | _UsageError
    ):
        raise error
    return code


def _code_and_text(error: BaseException) -> tuple[ExitCode, str]:
    match error:
        case CommandError() | CheckpointNotFoundError():
            return ExitCode.MISUSE, str(error)
        case _UsageError():
            context = getattr(error, "ctx", None)
            where = context.command_path if context else "stepwell"
            return (
                ExitCode.MISUSE,
                f"{error.format_message().rstrip('.')}. See: {where} --help",  # type: ignore[attr-defined]
            )
        case _InterruptedError():
            return ExitCode.INTERRUPTED, str(error)
        case OSError(strerror=str(reason), filename=name):
            return ExitCode.FAILED, f"{name or 'standard output'}: {reason}."
        case SignatureMismatchError() | MigrationRefusedError():
            notes = getattr(error, "__notes__", ())
            return ExitCode.FAILED, "\n".join([str(error), *notes])
        case _:
            return ExitCode.FAILED, str(error) or type(error).__name__
