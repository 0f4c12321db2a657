"""The commands that need no window: run, resume, timeline, show, diff, check, nodes.

Heavy modules are imported by the command that needs them, so that `--help` appears at
once.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from runtime.cli.command_line import JSON_FLAG
from runtime.cli.exit_codes import ExitCode
from runtime.debug.sections import SECTIONS
from runtime.errors import CommandError, DefinitionError

if TYPE_CHECKING:
    from runtime.checkpoint import CheckpointStore
    from runtime.checkpoints.archive import Archive
    from runtime.cli.run import Options
    from runtime.cli.target import Document, Source
    from runtime.document.definition import NodeInfo, WorkflowDefinition
    from runtime.document.problem import Problem

FileArgument = Annotated[
    Path,
    typer.Argument(
        metavar="FILE", help="A workflow file (*.stepwell.json).", show_default=False
    ),
]
FolderArgument = Annotated[
    Path,
    typer.Argument(
        metavar="FOLDER",
        help="A workflow file or its folder, whose nodes/*.py are listed too.",
        show_default="here",
    ),
]
StoreArgument = Annotated[
    str,
    typer.Argument(
        metavar="STORE",
        help="sqlite:FILE or just FILE, dir:FOLDER, postgresql://…, or a workflow file for the runs beside it.",
        show_default=False,
    ),
]
IdArgument = typer.Argument(
    metavar="ID",
    help="Checkpoint id, the start of one, or `latest`.",
    show_default=False,
)
JsonOption = Annotated[
    bool, typer.Option(JSON_FLAG, help="Print one JSON value, for machines.")
]
AnswerOption = Annotated[
    list[str] | None,
    typer.Option(
        "--answer",
        metavar="REQUEST=JSON",
        help="Answer a question. Give it once for each question.",
    ),
]
LimitOption = Annotated[
    int | None,
    typer.Option(
        "--max-supersteps",
        metavar="N",
        min=1,
        help="The run stops after N supersteps in all.",
    ),
]
ChangeOption = Annotated[
    str,
    typer.Option(
        "--on-change",
        metavar="refuse|migrate",
        help="What to do if the graph has changed since. `migrate` goes on from there on a new branch.",
        autocompletion=lambda: ["refuse", "migrate"],
    ),
]
LiveOption = Annotated[
    list[str] | None,
    typer.Option(
        "--live",
        metavar="NAME|all",
        help="Call this executor, which reaches outside. Default: its recorded result.",
    ),
]
PinOption = Annotated[
    list[str] | None,
    typer.Option(
        "--pin",
        metavar="NAME=FILE",
        help="Give this executor a result of yours, from a JSON file.",
    ),
]


# --- run and resume ---------------------------------------------------------------------------------------------------


def run(
    file: FileArgument,
    input: Annotated[
        str | None,
        typer.Option(
            "--input", metavar="JSON", help="The input. Default: that of the file."
        ),
    ] = None,
    store: Annotated[
        str | None,
        typer.Option(
            "--store",
            metavar="URL",
            help="The store for checkpoints. Default: beside the file.",
        ),
    ] = None,
    max_supersteps: LimitOption = None,
    answer: AnswerOption = None,
    as_json: JsonOption = False,
) -> int:
    """Run a workflow until it finishes, asks, stalls or fails. Runs its code."""
    options = _options(answer, max_supersteps, as_json)
    document = read_document(file)
    message = document.definition.input if input is None else json_of(input, "--input")
    errors = errors_of(document)
    if errors:
        return refuse(file, errors, as_json)
    from runtime.cli import run as command_run

    return command_run.run(document, message, store, options)


def resume(
    store: StoreArgument,
    checkpoint: Annotated[
        str | None,
        typer.Option(
            "--checkpoint",
            metavar="ID",
            help="Continue from this one. Default: the newest.",
        ),
    ] = None,
    answer: AnswerOption = None,
    max_supersteps: LimitOption = None,
    file: Annotated[
        Path | None,
        typer.Option(
            "--file",
            metavar="FILE",
            help="Use this workflow file as it is now. Default: the saved workflow.",
        ),
    ] = None,
    on_change: ChangeOption = "refuse",
    live: LiveOption = None,
    pin: PinOption = None,
    as_json: JsonOption = False,
) -> int:
    """Continue from a checkpoint. An older one opens a new branch. Runs the code of the
    workflow.

    With a workflow file as STORE, the run uses the file as it is now, else the saved
    workflow. What reached outside after that checkpoint is not done again: it has
    its recorded result.
    """
    options = _options(answer, max_supersteps, as_json)
    source = source_of(store, file)
    errors = errors_of(source.document)
    if source.document and errors:
        return refuse(source.document.path, errors, as_json)
    from runtime.cli import run as command_run
    from runtime.cli.target import LATEST

    if on_change not in ("refuse", "migrate"):
        raise CommandError(f"--on-change is refuse or migrate, not {on_change!r}.")
    return command_run.resume(
        source,
        LATEST if checkpoint is None else checkpoint,
        options,
        migrate=on_change == "migrate",
        live=live or (),
        pins=pin or (),
    )


def errors_of(document: Document | None) -> list[Problem]:
    problems = [] if document is None else _problems(document.definition, document.path)
    return [problem for problem in problems if problem.severity == "error"]


def _options(answers: list[str] | None, limit: int | None, as_json: bool) -> Options:
    responses = _answers(answers or [])
    from runtime.cli.run import Options

    return Options(responses, limit, as_json)


def _answers(items: list[str]) -> dict[str, Any]:
    answers: dict[str, Any] = {}
    for item in items:
        request_id, value = _answer(item)
        if request_id in answers:
            raise CommandError(
                f"Request {request_id!r} is answered twice: give one --answer for it."
            )
        answers[request_id] = value
    return answers


def _answer(item: str) -> tuple[str, Any]:
    """Split an answer at the first `=` that JSON follows, because an id and a JSON
    text may both hold a `=`.
    """
    from runtime.document.files import read_json

    parts = item.split("=")
    if len(parts) < 2 or not parts[0]:
        raise CommandError(
            f"--answer {item!r} names no request: write --answer 'REQUEST=JSON'."
        )
    for cut in range(1, len(parts)):
        try:
            return "=".join(parts[:cut]), read_json("=".join(parts[cut:]))
        except DefinitionError:
            continue
    return parts[0], json_of("=".join(parts[1:]), f"The answer to {parts[0]!r}")


def refuse(file: Path, errors: list[Problem], as_json: bool) -> int:
    from runtime.cli import report

    text = f"{file.name} cannot run: {report.many(len(errors), 'problem')}."
    if as_json:
        problems = [problem.model_dump() for problem in errors]
        error = {"type": DefinitionError.__name__, "text": text, "problems": problems}
        report.print_json({"error": error, "exit_code": ExitCode.FAILED})
    else:
        report.print_problems(errors, report.err)
    report.complain(text)
    return ExitCode.FAILED


# --- checkpoints ----------------------------------------------------------------------------------------------------


# These are asked for by their names: the log of the superstep, the patch and the calls
# outside of the run are no part of the state.
PATCH = "patch"
CALLS = "calls"
SECTION_NAMES = [*(section.name for section in SECTIONS), "trace", PATCH, CALLS]


def _section_name(name: str) -> str:
    if name not in SECTION_NAMES:
        known = ", ".join(f"'{known}'" for known in SECTION_NAMES)
        raise typer.BadParameter(f"'{name}' is not one of {known}.")
    return name


def timeline(
    store: StoreArgument,
    run_id: Annotated[
        str | None,
        typer.Option("--run", metavar="ID", help="Only this run. Default: all."),
    ] = None,
    as_json: JsonOption = False,
) -> int:
    """Show all checkpoints as a tree, with branches, causes and pending messages."""
    from runtime.cli import report
    from runtime.cli.target import nothing
    from runtime.cli.timeline import print_timeline

    async def read(opened: CheckpointStore, source: Source) -> None:
        all_headers = await opened.headers(workflow=source.workflow)
        headers = [
            header
            for header in all_headers
            if header.run_id.startswith(run_id or "")
            or (header.damaged and not header.run_id)
        ]
        if source.document and not all_headers:
            raise await nothing(opened, source)
        if run_id and not headers:
            raise CommandError(
                f"No run begins with {run_id!r}. See all: stepwell timeline {source.name}"
            )
        if as_json:
            from runtime.cli.json_values import header_json

            report.print_json([header_json(header) for header in headers])
        else:
            print_timeline(headers)

    return _read_store(store, read)


def show(
    store: StoreArgument,
    checkpoint: Annotated[str, IdArgument],
    section: Annotated[
        str | None,
        typer.Option(
            "--section",
            parser=_section_name,
            metavar=f"<{'|'.join(SECTION_NAMES)}>",
            autocompletion=lambda: SECTION_NAMES,
            help="Only this section. trace is the log of the superstep, patch what an edit changed, "
            "calls what was done outside of the run.",
        ),
    ] = None,
    whole_run: Annotated[
        bool,
        typer.Option("--whole-run", help="With --section trace: the log of the run."),
    ] = False,
    as_json: JsonOption = False,
) -> int:
    """Show the contents of a checkpoint. Runs no code and changes nothing."""
    from runtime.cli import json_values, report
    from runtime.cli.calls import print_calls
    from runtime.cli.find import TRACE, print_log
    from runtime.cli.kept_patch import patch_json, print_kept_patch
    from runtime.cli.target import find

    if whole_run and section != TRACE:
        raise CommandError("Give --whole-run with --section trace.")

    async def read(opened: CheckpointStore, source: Source) -> None:
        archive = _archive(opened)
        if section == TRACE:
            header = await find(opened, checkpoint, source)
            headers = [header]
            if whole_run:
                headers = await opened.headers(run_id=header.run_id)
            await print_log(archive, headers, as_json=as_json)
            return
        viewed = await archive.view((await find(opened, checkpoint, source)).id)
        if section == PATCH:
            print_kept_patch(viewed, as_json=as_json)
            return
        if section == CALLS:
            print_calls(viewed, as_json=as_json)
            return
        sections = await json_values.sections(
            archive, viewed, [section] if section else None
        )
        if not as_json:
            in_python = "workflow" not in (viewed.definition or {})
            report.print_sections(
                viewed.header, sections, source.name, in_python=in_python
            )
            if viewed.change and not section:
                report.print_change(viewed.change)
            if viewed.patch and not section:
                print_kept_patch(viewed, as_json=False)
        elif section:
            report.print_json(sections[section])
        else:
            shown = {"checkpoint": json_values.header_json(viewed.header), **sections}
            if viewed.change:
                shown["change"] = dict(viewed.change)
            if viewed.patch:
                shown["patch"] = patch_json(viewed.patch)
            report.print_json(shown)

    return _read_store(store, read)


def _read_store(
    store: str, read: Callable[[CheckpointStore, Source], Coroutine[Any, Any, None]]
) -> int:
    import asyncio

    from runtime.cli.target import opened

    source = source_of(store)

    async def work() -> None:
        async with opened(source, read_only=True) as checkpoint_store:
            await read(checkpoint_store, source)

    asyncio.run(work())
    return ExitCode.FINISHED


def _archive(store: CheckpointStore) -> Archive:
    from runtime.checkpoints.archive import Archive

    return Archive(store)


def source_of(store: str, file: Path | None = None) -> Source:
    """Return the source that STORE means. A workflow file is read: only runs of that
    workflow count.
    """
    from runtime.cli.target import is_document, of_document, of_url

    if not is_document(store):
        return of_url(store, None if file is None else read_document(file))
    if file is not None:
        raise CommandError(
            f"STORE is {store}, a workflow file: leave out --file, or name the store itself."
        )
    return of_document(read_document(Path(store)))


def read_document(file: Path) -> Document:
    from runtime.cli.target import Document

    return Document(file, _read(file))


# --- documents --------------------------------------------------------------------------------------------------------


def check(file: FileArgument, as_json: JsonOption = False) -> int:
    """List the problems of a workflow file, with places and remedies. Runs none of its
    code.
    """
    from runtime.cli import report
    from runtime.document.files import read_file
    from runtime.document.problem import Problem

    check_is_file(file)
    try:
        problems = _problems(read_file(file).workflow, file)
    except DefinitionError as error:
        text = f"{file.name}: " + str(error).removeprefix(f"{error.location}: ")
        remedy = (
            "Correct the file in a text editor. Nothing else can be checked before."
        )
        problems = [
            Problem(
                severity="error",
                rule="file-readable",
                message=text,
                location=error.location,
                remedy=remedy,
            )
        ]
    if as_json:
        report.print_json([problem.model_dump() for problem in problems])
    elif problems:
        report.print_problems(problems, report.out)
    else:
        report.print_fine(f"{file.name}: no problems")
    if any(problem.severity == "error" for problem in problems):
        return ExitCode.FAILED
    return ExitCode.FINISHED


def nodes(folder: FolderArgument = Path(), as_json: JsonOption = False) -> int:
    """List the node types that a workflow can use. Runs no code of the folder."""
    from runtime.cli import report

    if not folder.exists():
        raise CommandError(f"There is no folder or workflow file {folder}.")
    infos = _infos(folder.parent if folder.is_file() else folder)
    if as_json:
        report.print_json([info.model_dump() for info in infos])
    else:
        report.print_nodes(infos)
    return ExitCode.FINISHED


def _read(file: Path) -> WorkflowDefinition:
    from runtime.document.files import read_file

    check_is_file(file)
    with naming(file):
        return read_file(file).workflow


@contextmanager
def naming(file: Path) -> Iterator[None]:
    """Add the name of the file to errors about its content."""
    try:
        yield
    except DefinitionError as error:
        raise DefinitionError(str(error), str(file)) from error


def check_is_file(file: Path, what: str = "workflow file") -> None:
    """Raise `CommandError` unless the file exists and is no folder."""
    if file.is_dir():
        raise CommandError(f"{file} is a folder: name a {what} in it.")
    if not file.exists():
        raise CommandError(f"There is no file {file}.")


def _problems(definition: WorkflowDefinition, file: Path) -> list[Problem]:
    from runtime.checks.check import check as check_definition

    path = file.resolve()
    return check_definition(
        definition,
        {info.type: info for info in _infos(path.parent)},
        path.parent,
        (str(path),),
    )


def _infos(folder: Path) -> list[NodeInfo]:
    """Return the node types for documents of a folder. Print warnings about types
    that cannot be used.
    """
    from runtime.cli import report
    from runtime.nodes import catalogue

    node_types = catalogue(folder)
    report.warn(node_types.warnings)
    return node_types.infos()


def json_of(text: str, what: str) -> Any:
    """Return the value of an option. Raise `CommandError` if it is not JSON."""
    from runtime.document.files import read_json

    try:
        return read_json(text)
    except DefinitionError as error:
        raise CommandError(f"{what} is not JSON: {error}") from None
