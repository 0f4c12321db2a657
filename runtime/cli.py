"""The commands that need no window: run, resume, timeline, show, diff, check, nodes. And what all commands share.

Exit codes are those of `ExitCode`. Results go to standard output, everything for people only (progress, hints, errors)
to standard error. With `--json` there is exactly one JSON value on standard output, whatever happens: what the command
tells or, when it cannot tell it, `{"error": {"type", "text", …}, "exit_code"}`.

Heavy modules are imported by the command that needs them: `--help` must be there at once.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ParamSpec

import typer

from runtime.errors import CheckpointNotFoundError, CommandError, DefinitionError, WorkflowException
from runtime.exit_codes import ExitCode

if TYPE_CHECKING:
    from runtime.archive import Archive
    from runtime.checkpoint import CheckpointStore
    from runtime.command_run import Options
    from runtime.debug.protocol import Problem
    from runtime.definition import WorkflowDefinition

_P = ParamSpec("_P")
JSON_FLAG = "--json"
# typer brings its own click or uses the one that is installed, depending on its version. This is the class in both.
_UsageError: type[Exception] = typer.BadParameter.__mro__[1]

app = typer.Typer(
    name="stepwell",
    help="Draw a workflow, run it in supersteps, and go back to any moment of any run.",
    epilog="Exit codes: 0 finished · 1 failed or problems found · 2 misuse · 3 waiting for answers · 4 stalled join.",
    no_args_is_help=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

FileArgument = Annotated[Path, typer.Argument(help="A workflow file (*.stepwell.json).", show_default=False)]
StoreArgument = Annotated[
    str,
    typer.Argument(
        help="sqlite:FILE or just FILE; or a workflow file, for the runs kept beside it.", show_default=False
    ),
]
IdArgument = typer.Argument(metavar="ID", help="Checkpoint id, the start of one, or `latest`.", show_default=False)
JsonOption = Annotated[bool, typer.Option(JSON_FLAG, help="Print one JSON value, for machines.")]
AnswerOption = Annotated[
    list[str] | None,
    typer.Option("--answer", metavar="REQUEST=JSON", help="Answer a question; may be given several times."),
]
LimitOption = Annotated[
    int | None,
    typer.Option("--max-supersteps", metavar="N", min=1, help="How many supersteps the run may have in all."),
]


class _InterruptedError(Exception):
    """Ctrl+C, past typer: it would make an exit code of it before `main` can tell of it in JSON."""


def command(name: str | None = None) -> Callable[[Callable[_P, int]], Callable[_P, int]]:
    """Register a command, which returns its exit code."""

    def register(function: Callable[_P, int]) -> Callable[_P, int]:
        @wraps(function)
        def guarded(*values: _P.args, **named: _P.kwargs) -> int:
            try:
                return function(*values, **named)
            except KeyboardInterrupt:
                raise _InterruptedError("Stopped by Ctrl+C.") from None

        return app.command(name)(guarded)

    return register


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what a command line says. Returns the exit code; whatever goes wrong is one sentence on standard error."""
    words = sys.argv[1:] if arguments is None else list(arguments)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a terminal that cannot show a sign gets its number, never a traceback
            stream.reconfigure(errors="backslashreplace")
    try:
        code = app(words, prog_name="stepwell", standalone_mode=False)
        sys.stdout.flush()
    except OSError as error:
        if error.filename is None:  # standard output cannot be written: closed by `| head`, or a full disk
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        if isinstance(error, BrokenPipeError):
            return ExitCode.FAILED
        return _explain(error, as_json=JSON_FLAG in words and error.filename is not None)
    except Exception as error:  # noqa: BLE001 - raised again if nobody foresaw it
        return _explain(error, as_json=JSON_FLAG in words)
    return int(code or ExitCode.FINISHED)


def _explain(error: BaseException, *, as_json: bool) -> int:
    """Say what went wrong. Raises the error again if it is none that anybody foresaw."""
    from runtime import reporting

    code, text = _verdict(error)
    if as_json:
        name = KeyboardInterrupt.__name__ if code is ExitCode.INTERRUPTED else type(error).__name__
        reporting.print_json({"error": {"type": name, "text": text}, "exit_code": code})
    reporting.complain(text)
    if not isinstance(error, WorkflowException | OSError | _InterruptedError | _UsageError):
        raise error
    return code


def _verdict(error: BaseException) -> tuple[ExitCode, str]:
    match error:
        case CommandError() | CheckpointNotFoundError():
            return ExitCode.MISUSE, str(error)
        case _UsageError():
            context = getattr(error, "ctx", None)
            where = context.command_path if context else "stepwell"
            return ExitCode.MISUSE, f"{error.format_message().rstrip('.')}. See: {where} --help"  # type: ignore[attr-defined]
        case _InterruptedError():
            return ExitCode.INTERRUPTED, str(error)
        case OSError(strerror=str(reason), filename=name):
            return ExitCode.FAILED, f"{name or 'standard output'}: {reason}."
        case _:
            return ExitCode.FAILED, str(error) or type(error).__name__


# --- run and resume ---------------------------------------------------------------------------------------------------


@command()
def run(
    file: FileArgument,
    input: Annotated[
        str | None, typer.Option("--input", metavar="JSON", help="The input; default: the file's own.")
    ] = None,
    store: Annotated[
        str | None, typer.Option("--store", metavar="URL", help="Where to keep checkpoints; default: beside the file.")
    ] = None,
    max_supersteps: LimitOption = None,
    answer: AnswerOption = None,
    as_json: JsonOption = False,
) -> int:
    """Run a workflow until it finishes, asks, stalls or fails. Runs the code that it names."""
    options = _options(answer, max_supersteps, as_json)
    definition = _read(file)
    message = definition.input if input is None else _json(input, "--input")
    errors = [problem for problem in _problems(definition) if problem.severity == "error"]
    if errors:
        return _refuse(file, errors, as_json)
    from runtime import command_run
    from runtime.places import store_url

    return command_run.run(definition, file.resolve().parent, message, lambda: store or store_url(file), options)


@command()
def resume(
    store: StoreArgument,
    checkpoint: Annotated[
        str | None, typer.Option("--checkpoint", metavar="ID", help="Go on from here; default: the newest.")
    ] = None,
    answer: AnswerOption = None,
    max_supersteps: LimitOption = None,
    as_json: JsonOption = False,
) -> int:
    """Go on from a checkpoint: from one that is not the newest of its branch, on a new branch. Runs its code."""
    options = _options(answer, max_supersteps, as_json)
    from runtime import command_run

    return command_run.resume(store, checkpoint, options)


def _options(answers: list[str] | None, limit: int | None, as_json: bool) -> Options:
    given = _answers(answers or [])
    from runtime.command_run import Options

    return Options(given, limit, as_json)


def _answers(given: list[str]) -> dict[str, Any]:
    answers: dict[str, Any] = {}
    for item in given:
        request_id, value = _answer(item)
        if request_id in answers:
            raise CommandError(f"Request {request_id!r} is answered twice: give one --answer for it.")
        answers[request_id] = value
    return answers


def _answer(item: str) -> tuple[str, Any]:
    """An id may hold a `=`, and so may a JSON text: the first that has JSON after it parts them."""
    import orjson

    parts = item.split("=")
    if len(parts) < 2 or not parts[0]:
        raise CommandError(f"--answer {item!r} names no request: write --answer 'REQUEST=JSON'.")
    for at in range(1, len(parts)):
        try:
            return "=".join(parts[:at]), orjson.loads("=".join(parts[at:]))
        except orjson.JSONDecodeError:
            continue
    return parts[0], _json("=".join(parts[1:]), f"The answer to {parts[0]!r}")


def _refuse(file: Path, errors: list[Problem], as_json: bool) -> int:
    from runtime import reporting

    text = f"{file.name} cannot run: {len(errors)} problem{'s' * (len(errors) > 1)}."
    if as_json:
        found = [problem.model_dump() for problem in errors]
        error = {"type": DefinitionError.__name__, "text": text, "problems": found}
        reporting.print_json({"error": error, "exit_code": ExitCode.FAILED})
    else:
        reporting.print_problems(errors, reporting.err)
    reporting.complain(text)
    return ExitCode.FAILED


# --- looking ----------------------------------------------------------------------------------------------------------


class Section(StrEnum):
    STATE = "state"
    EXECUTORS = "executors"
    MESSAGES = "messages"
    JOINS = "joins"
    REQUESTS = "requests"


@command()
def timeline(
    store: StoreArgument,
    run_id: Annotated[str | None, typer.Option("--run", metavar="ID", help="Only this run; default: all.")] = None,
    as_json: JsonOption = False,
) -> int:
    """Show the lineage of all checkpoints as a tree: branches, causes, what waits."""
    from runtime import reporting

    async def look(opened: CheckpointStore) -> None:
        headers = [one for one in await opened.headers() if one.run_id.startswith(run_id or "")]
        if run_id and not headers:
            raise CommandError(f"No run begins with {run_id!r}. See all: stepwell timeline {opened.url}")
        if as_json:
            from runtime.exporting import header_json

            reporting.print_json([header_json(header) for header in headers])
        else:
            reporting.print_timeline(headers)

    return _reading(store, look)


@command()
def show(
    store: StoreArgument,
    checkpoint: Annotated[str, IdArgument],
    section: Annotated[Section | None, typer.Option("--section", help="Only this section.")] = None,
    as_json: JsonOption = False,
) -> int:
    """Show what a checkpoint holds. Looking runs no code and changes nothing."""
    from runtime import exporting, reporting
    from runtime.choosing import find

    async def look(opened: CheckpointStore) -> None:
        archive = _archive(opened)
        seen = await archive.view((await find(opened, checkpoint)).id)
        found = await exporting.sections(archive, seen, [section.value] if section else list(Section))
        if not as_json:
            reporting.print_sections(seen.header, found, opened.url)
        elif section:
            reporting.print_json(found[section])
        else:
            reporting.print_json({"checkpoint": exporting.header_json(seen.header), **found})

    return _reading(store, look)


@command()
def diff(
    store: StoreArgument,
    old: Annotated[str, typer.Argument(metavar="A", help="Checkpoint id, the start of one, or `latest`.")],
    new: Annotated[str, typer.Argument(metavar="B", help="Checkpoint id, the start of one, or `latest`.")],
    as_json: JsonOption = False,
) -> int:
    """Show what differs between two checkpoints, down to the value."""
    from runtime import exporting, reporting
    from runtime.choosing import find
    from runtime.comparing import compare

    async def look(opened: CheckpointStore) -> None:
        archive = _archive(opened)
        first, second = [await archive.view((await find(opened, wanted)).id) for wanted in (old, new)]
        changes = [exporting.change_json(change) for change in compare(first, second)]
        reporting.print_json(changes) if as_json else reporting.print_changes(first.header, second.header, changes)

    return _reading(store, look)


def _reading(store: str, look: Callable[[CheckpointStore], Coroutine[Any, Any, None]]) -> int:
    import asyncio

    from runtime.choosing import opened

    async def work() -> None:
        async with opened(store, read_only=True) as found:
            await look(found)

    asyncio.run(work())
    return ExitCode.FINISHED


def _archive(store: CheckpointStore) -> Archive:
    from runtime.archive import Archive

    return Archive(store)


# --- documents --------------------------------------------------------------------------------------------------------


@command()
def check(file: FileArgument, as_json: JsonOption = False) -> int:
    """List the problems of a workflow file, with place and remedy. Runs no code of it."""
    from runtime import reporting
    from runtime.debug.protocol import Problem
    from runtime.files import read_file

    check_is_file(file)
    try:
        problems = _problems(read_file(file).workflow)
    except DefinitionError as error:
        text = str(error).removeprefix(f"{error.location}: ")
        remedy = "Mend the file in a text editor; as long as it cannot be read, nothing else can be checked."
        problems = [
            Problem(severity="error", rule="file-readable", message=text, location=error.location, remedy=remedy)
        ]
    if as_json:
        reporting.print_json([problem.model_dump() for problem in problems])
    elif problems:
        reporting.print_problems(problems, reporting.out)
    else:
        reporting.print_fine(f"{file.name}: no problems")
    return ExitCode.FAILED if any(problem.severity == "error" for problem in problems) else ExitCode.FINISHED


@command()
def nodes(as_json: JsonOption = False) -> int:
    """List the node types that a workflow can use."""
    from runtime import reporting
    from runtime.nodes import catalogue

    infos = catalogue().infos()
    if as_json:
        reporting.print_json([info.model_dump() for info in infos])
    else:
        reporting.print_nodes(infos)
    return ExitCode.FINISHED


def _read(file: Path) -> WorkflowDefinition:
    from runtime.files import read_file

    check_is_file(file)
    with naming(file):
        return read_file(file).workflow


@contextmanager
def naming(file: Path) -> Iterator[None]:
    """What is wrong inside a file is told with its name."""
    try:
        yield
    except DefinitionError as error:
        raise DefinitionError(str(error), str(file)) from error


def check_is_file(file: Path) -> None:
    """Raises `CommandError` where there is no file."""
    if file.is_dir():
        raise CommandError(f"{file} is a folder: name a workflow file in it.")
    if not file.exists():
        raise CommandError(f"There is no file {file}.")


def _problems(definition: WorkflowDefinition) -> list[Problem]:
    from runtime.nodes import catalogue
    from runtime.validation import check as check_definition

    return check_definition(definition, {info.type: info for info in catalogue().infos()})


def _json(text: str, what: str) -> Any:
    import orjson

    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise CommandError(f"{what} is not JSON: {error}. Text needs quotes of its own: '\"like this\"'.") from None
