"""The commands that need no window: run, resume, timeline, show, diff, check, nodes.

Exit codes: 0 finished · 1 failed, or problems found · 2 misuse · 3 waiting for answers · 4 a join is stalled.
Results go to standard output, everything for people only (progress, hints, errors) to standard error.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from contextlib import asynccontextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import orjson
import typer

from runtime import reporting
from runtime.errors import (
    CheckpointNotFoundError,
    CodecError,
    DefinitionError,
    RequestError,
    WorkflowCheckpointException,
    WorkflowException,
)
from runtime.events import WorkflowRunState

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from runtime.checkpoint import CheckpointHeader, CheckpointStore
    from runtime.definition import WorkflowDefinition
    from runtime.runner import Runner

FINISHED, FAILED, MISUSE, WAITING, STALLED = 0, 1, 2, 3, 4

app = typer.Typer(
    name="stepwell",
    help="Draw a workflow, run it in supersteps, and go back to any moment of any run.",
    no_args_is_help=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

FileArgument = Annotated[Path, typer.Argument(help="A workflow file (*.stepwell.json).", show_default=False)]
StoreArgument = Annotated[str, typer.Argument(help="A store: sqlite:FILE, or just the FILE.", show_default=False)]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON value, for machines.")]
AnswerOption = Annotated[
    list[str] | None,
    typer.Option("--answer", metavar="REQUEST=JSON", help="Answer a question; may be given several times."),
]
LimitOption = Annotated[int | None, typer.Option("--max-supersteps", min=1, help="Refuse to run more supersteps.")]


class Misuse(typer.Exit):
    """Ends the command with exit code 2 after saying what was wrong."""

    def __init__(self, message: str) -> None:
        reporting.complain(message)
        super().__init__(MISUSE)


def main_guard(work: Coroutine[Any, Any, int]) -> None:
    """Run a command and turn its errors into one sentence and an exit code."""
    try:
        code = asyncio.run(work)
    except (CheckpointNotFoundError, RequestError, DefinitionError) as error:
        raise Misuse(str(error)) from None
    except (WorkflowException, OSError) as error:
        reporting.complain(str(error))
        code = FAILED
    except KeyboardInterrupt:
        reporting.complain("Stopped. What was saved is kept: go on with `stepwell resume`.")
        code = 130
    raise typer.Exit(code)


# --- run and resume ---------------------------------------------------------------------------------------------------


@app.command()
def run(
    file: FileArgument,
    input: Annotated[
        str | None, typer.Option("--input", metavar="JSON", help="The input; default: the file's.")
    ] = None,
    store: Annotated[
        str | None, typer.Option("--store", metavar="URL", help="Where to keep checkpoints; default: beside the file.")
    ] = None,
    max_supersteps: LimitOption = None,
    answer: AnswerOption = None,
    as_json: JsonOption = False,
) -> None:
    """Run a workflow until it finishes, asks, stalls or fails."""
    main_guard(_run(file, input, store, max_supersteps, _answers(answer), as_json))


async def _run(
    file: Path, text: str | None, url: str | None, limit: int | None, answers: dict[str, Any], as_json: bool
) -> int:
    from runtime.building import build
    from runtime.places import store_url

    definition = _read(file)
    if not _report_problems(definition):
        return FAILED
    message = definition.input if text is None else _json(text, "--input")
    workflow = build(definition, folder=file.resolve().parent, max_supersteps=limit)
    async with _opened(url or store_url(file)) as store:
        with reporting.Progress() as progress:
            runner = _runner(workflow, store, progress, limit)
            return await _drive(runner, store, answers, as_json, start=message)


@app.command()
def resume(
    store: StoreArgument,
    checkpoint: Annotated[
        str | None, typer.Option("--checkpoint", metavar="ID", help="Go on from here; default: the newest.")
    ] = None,
    answer: AnswerOption = None,
    max_supersteps: LimitOption = None,
    as_json: JsonOption = False,
) -> None:
    """Go on from a checkpoint. From one that is not the newest of its branch, a new branch is opened."""
    main_guard(_resume(store, checkpoint, _answers(answer), max_supersteps, as_json))


async def _resume(url: str, wanted: str | None, answers: dict[str, Any], limit: int | None, as_json: bool) -> int:
    from runtime.building import build
    from runtime.definition import WorkflowDefinition

    async with _opened(url, must_exist=True) as store:
        header = await _find(store, wanted or "latest")
        carried = (await _archive(store).view(header.id)).definition
        if carried is None:
            raise DefinitionError(
                f"Checkpoint {header.id} was made by a workflow that was built in Python. Resume it there."
            )
        definition = WorkflowDefinition.model_validate(carried["workflow"])
        workflow = build(definition, folder=carried.get("folder", "."), max_supersteps=limit)
        with reporting.Progress() as progress:
            runner = _runner(workflow, store, progress, limit)
            await runner.restore(header.id)
            return await _drive(runner, store, answers, as_json)


def _runner(workflow: Any, store: CheckpointStore, progress: reporting.Progress, limit: int | None) -> Runner:
    from runtime.runner import Runner

    return Runner(workflow, store, observer=progress.observe, max_supersteps=limit)


_NOTHING = object()


async def _drive(
    runner: Runner, store: CheckpointStore, answers: dict[str, Any], as_json: bool, *, start: Any = _NOTHING
) -> int:
    """Run to rest, giving each answer when its question is open: one may come up only on the way."""
    error: BaseException | None = None
    left = dict(answers)
    try:
        if start is not _NOTHING:
            await runner.start(start)
        while True:
            ready = {id_: left.pop(id_) for id_ in list(left) if id_ in runner.state.requests}
            if ready:
                await runner.answer(ready)
            elif runner.state.queue:
                await runner.finish()
            else:
                break
    except (RequestError, CodecError, WorkflowCheckpointException):
        raise
    except Exception as failure:  # noqa: BLE001 - user code may raise anything; the report names it
        error = failure
    report = await reporting.outcome(runner, store, error)
    reporting.print_json(report) if as_json else reporting.print_outcome(report, store.url)
    if left:
        raise RequestError(
            f"No question with id {', '.join(map(repr, left))} came up: see `stepwell show {store.url} latest`."
        )
    return _exit_code(runner.status, error)


def _exit_code(status: WorkflowRunState, error: BaseException | None) -> int:
    if error is not None:
        return FAILED
    codes = {
        WorkflowRunState.IDLE_WITH_PENDING_REQUESTS: WAITING,
        WorkflowRunState.IDLE_WITH_STALLED_JOINS: STALLED,
    }
    return codes.get(status, FINISHED)


# --- looking ----------------------------------------------------------------------------------------------------------


class Section(StrEnum):
    STATE = "state"
    EXECUTORS = "executors"
    MESSAGES = "messages"
    JOINS = "joins"
    REQUESTS = "requests"


@app.command()
def timeline(
    store: StoreArgument,
    run_id: Annotated[str | None, typer.Option("--run", metavar="ID", help="Only this run; default: all.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Show the lineage of all checkpoints as a tree: branches, causes, what waits."""

    async def work() -> int:
        async with _opened(store, must_exist=True) as opened:
            headers = await opened.headers(run_id=run_id)
            if as_json:
                reporting.print_json([reporting.header_json(header) for header in headers])
            else:
                reporting.print_timeline(headers)
            return FINISHED

    main_guard(work())


@app.command()
def show(
    store: StoreArgument,
    checkpoint: Annotated[str, typer.Argument(metavar="ID", help="Checkpoint id, the start of one, or `latest`.")],
    section: Annotated[Section | None, typer.Option("--section", help="Only this section.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Show what a checkpoint holds. Looking runs no code and changes nothing."""

    async def work() -> int:
        async with _opened(store, must_exist=True) as opened:
            header = await _find(opened, checkpoint)
            found = reporting.sections(await _archive(opened).view(header.id))
            if as_json:
                everything = {"checkpoint": reporting.header_json(header), **found}
                reporting.print_json(found[section] if section else everything)
            else:
                reporting.print_sections(header, found, [section] if section else list(found))
            return FINISHED

    main_guard(work())


@app.command()
def diff(
    store: StoreArgument,
    old: Annotated[str, typer.Argument(metavar="A", help="Checkpoint id, the start of one, or `latest`.")],
    new: Annotated[str, typer.Argument(metavar="B", help="Checkpoint id, the start of one, or `latest`.")],
    as_json: JsonOption = False,
) -> None:
    """Show what differs between two checkpoints, down to the value."""

    async def work() -> int:
        from runtime.comparing import compare

        async with _opened(store, must_exist=True) as opened:
            archive = _archive(opened)
            first, second = [await archive.view((await _find(opened, wanted)).id) for wanted in (old, new)]
            changes = compare(first, second)
            if as_json:
                reporting.print_json([reporting.change_json(change) for change in changes])
            else:
                reporting.print_changes(first.header, second.header, changes)
            return FINISHED

    main_guard(work())


# --- documents --------------------------------------------------------------------------------------------------------


@app.command()
def check(file: FileArgument, as_json: JsonOption = False) -> None:
    """List the problems of a workflow file, with place and remedy. Runs no code of it."""
    try:
        definition = _read(file)
    except DefinitionError as error:
        reporting.complain(str(error))
        raise typer.Exit(FAILED) from None
    problems = _problems(definition)
    if as_json:
        reporting.print_json([problem.model_dump() for problem in problems])
    else:
        reporting.print_problems(file.name, problems)
    raise typer.Exit(FAILED if any(problem.severity == "error" for problem in problems) else FINISHED)


@app.command()
def nodes(as_json: JsonOption = False) -> None:
    """List the node types that a workflow can use."""
    from runtime.nodes import catalogue

    infos = catalogue().infos()
    if as_json:
        reporting.print_json([info.model_dump() for info in infos])
    else:
        reporting.print_nodes(infos)


# --- shared -----------------------------------------------------------------------------------------------------------


def _read(file: Path) -> WorkflowDefinition:
    from runtime.files import read_file

    try:
        return read_file(file).workflow
    except FileNotFoundError:
        raise Misuse(f"There is no file {file}.") from None
    except IsADirectoryError:
        raise Misuse(f"{file} is a folder; name a workflow file in it.") from None


def _problems(definition: WorkflowDefinition) -> list[Any]:
    from runtime.nodes import catalogue
    from runtime.validation import check as check_definition

    return check_definition(definition, {info.type: info for info in catalogue().infos()})


def _report_problems(definition: WorkflowDefinition) -> bool:
    """Whether the workflow can run; its errors are told if not."""
    errors = [problem for problem in _problems(definition) if problem.severity == "error"]
    if errors:
        reporting.print_problems(definition.name, errors)
    return not errors


def _json(text: str, what: str) -> Any:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise Misuse(f"{what} is not JSON: {error}. Text needs quotes: '\"like this\"'.") from None


def _answers(given: list[str] | None) -> dict[str, Any]:
    answers: dict[str, Any] = {}
    for item in given or []:
        request_id, equals, text = item.partition("=")
        if not equals:
            raise Misuse(f"--answer {item!r} has no `=`: write --answer 'REQUEST=JSON'.")
        if request_id in answers:
            raise Misuse(f"Request {request_id!r} is answered twice.")
        answers[request_id] = _json(text, f"The answer to {request_id!r}")
    return answers


def _archive(store: CheckpointStore) -> Any:
    from runtime.archive import Archive

    return Archive(store)


@asynccontextmanager
async def _opened(url: str, *, must_exist: bool = False) -> AsyncIterator[CheckpointStore]:
    """Open a store and close it again. A bare path means an SQLite file; a store that is only read must be there."""
    from runtime.stores import open_store

    if ":" not in url or Path(url).exists():
        url = f"sqlite:{url}"
    if must_exist and url.startswith("sqlite:") and not Path(url.removeprefix("sqlite:")).is_file():
        raise Misuse(f"There is no store {url}.")
    store = open_store(url)
    try:
        yield store
    finally:
        await store.close()


async def _find(store: CheckpointStore, wanted: str) -> CheckpointHeader:
    """The header of `latest`, an id, or an unambiguous start of one."""
    if wanted == "latest":
        newest = await store.latest()
        if newest is None:
            raise Misuse("The store holds no checkpoint yet.")
        return newest
    found = [header for header in await store.headers() if header.id.startswith(wanted)]
    exact = [header for header in found if header.id == wanted]
    if len(found) > 1 and not exact:
        raise Misuse(f"{len(found)} checkpoints begin with {wanted!r}; give more of the id.")
    if not found:
        raise CheckpointNotFoundError(wanted)
    return (exact or found)[0]
