"""The commands `stepwell run` and `stepwell resume`: build, run to rest with the
answers given, report the outcome.
"""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from runtime.checkpoint import CheckpointStore
from runtime.checkpoints.archive import Archive
from runtime.cli import json_values, report
from runtime.cli.exit_codes import ExitCode
from runtime.cli.interrupts import Interrupts
from runtime.cli.progress import OutputRedirection, Progress
from runtime.cli.replays import outside_json, replay_of
from runtime.cli.target import Document, Source, find, of_document, of_url, opened
from runtime.document.definition import WorkflowDefinition
from runtime.document.sub_workflows import saved_files
from runtime.engine.answers import check_answers
from runtime.engine.replay.settings import Replay
from runtime.engine.run_request import OnChange
from runtime.engine.runner import Runner
from runtime.errors import (
    CommandError,
    DefinitionError,
    MigrationRefusedError,
    OutsideCallError,
    RequestError,
    SignatureMismatchError,
    WorkflowConvergenceException,
)
from runtime.events import WorkflowRunState
from runtime.executors.executor import Executor
from runtime.loader.build import build
from runtime.nodes import catalogue
from runtime.values.user_failures import comes_after
from runtime.workflow.workflow import Workflow

Begin = Callable[[Runner], Awaitable[None]]

# How the engine makes the ids of requests: path and executor, superstep, ordinal.
_ENGINE_ID = re.compile(r"(.+):(\d+):\d+", re.DOTALL)
_AT_REST = {
    WorkflowRunState.IDLE_WITH_PENDING_REQUESTS: ExitCode.WAITING,
    WorkflowRunState.IDLE_WITH_STALLED_JOINS: ExitCode.STALLED,
}


@dataclass(frozen=True)
class Options:
    """Options of both `run` and `resume`; `answers` are by request id."""

    answers: Mapping[str, Any] = field(default_factory=dict)
    max_supersteps: int | None = None
    as_json: bool = False


def run(document: Document, message: Any, url: str | None, options: Options) -> int:
    """Run a workflow to rest and return the exit code. Without a store's URL its
    checkpoints are kept beside it.
    """

    async def work(driver: _Driver) -> int:
        workflow = built_document(document, options.max_supersteps)
        source = of_url(url, document) if url else of_document(document)

        async def begin(runner: Runner) -> None:
            refuse_impossible_answers(runner, options.answers, moves=True)
            try:
                await runner.start(message)
            except RuntimeError as error:
                raise CommandError(
                    f"{error} Give it another input: --input JSON"
                ) from error

        async with opened(source) as store:
            return await driver.drive(workflow, store, source, begin)

    return _Driver(options).run(work)


def resume(
    source: Source,
    checkpoint_id: str,
    options: Options,
    *,
    migrate: bool = False,
    live: Sequence[str] = (),
    pins: Sequence[str] = (),
) -> int:
    """Go on from a checkpoint, with the workflow of the document as it is now or,
    without a document, the saved one. With `migrate` also if the graph has changed.
    `live` and `pins` are the options about calls that reach outside.

    Return the exit code.
    """
    replay = replay_of(live, pins)

    async def work(driver: _Driver) -> int:
        async with opened(source, read_only=True) as store:
            header = await find(store, checkpoint_id, source)
            if source.document:
                saved_definition = None
            else:
                saved_definition = (await Archive(store).view(header.id)).definition
        if source.document:
            workflow = built_document(source.document, options.max_supersteps)
        else:
            workflow = built_saved(header.id, saved_definition, options.max_supersteps)
            if not options.as_json:
                report.hint(
                    "Continuing with the saved workflow. To use the file as it is now: "
                    + report.command("resume", source.name, "--file", "FILE")
                )

        async def begin(runner: Runner) -> None:
            await _restore(runner, header.id, source, replay, migrate=migrate)
            refuse_impossible_answers(runner, options.answers, moves=runner.is_active)

        async with opened(source) as store:
            return await driver.drive(workflow, store, source, begin)

    return _Driver(options).run(work)


async def _restore(
    runner: Runner, checkpoint: str, source: Source, replay: Replay, *, migrate: bool
) -> None:
    try:
        replay.check(runner.workflow)
    except ValueError as error:
        raise CommandError(str(error)) from error
    on_change: OnChange = "migrate" if migrate else "refuse"
    try:
        await runner.restore(checkpoint, on_change=on_change, replay=replay)
    except SignatureMismatchError as error:
        if source.document:
            error.add_note(_advice(source, checkpoint, source.document))
        raise
    except MigrationRefusedError as error:
        if source.document:
            path = str(source.document.path)
            command = ("migrate", source.name, path, "--checkpoint", checkpoint[:8])
            error.add_note(
                f"See what is not decided: {report.command(*command, '--dry-run')}"
            )
        raise


def _advice(source: Source, checkpoint: str, document: Document) -> str:
    """Return what works where the graph has changed."""
    at_checkpoint = ("--checkpoint", checkpoint[:8])
    migrate = report.command(
        "resume", *source.resume_arguments, *at_checkpoint, "--on-change", "migrate"
    )
    as_saved = report.command("resume", source.masked_url, *at_checkpoint)
    again = report.command("run", str(document.path))
    return (
        f"  With {document.path.name} as it is now: {migrate}"
        f"\n  With the saved workflow: {as_saved}"
        f"\n  From the beginning: {again}"
    )


def built_document(document: Document, max_supersteps: int | None = None) -> Workflow:
    """Return the workflow of a document, as it is now."""
    folder = document.path.resolve().parent
    return build(
        document.definition,
        catalogue(folder),
        folder,
        max_supersteps=max_supersteps,
    )


def built_saved(
    checkpoint: str,
    saved_definition: Mapping[str, Any] | None,
    max_supersteps: int | None = None,
) -> Workflow:
    """Return the workflow that a checkpoint carries. Raise `CommandError` if it was
    built in Python.
    """
    if saved_definition is None or "workflow" not in saved_definition:
        raise CommandError(
            f"Checkpoint {checkpoint} was made by a workflow that was built in Python: resume it there, with "
            "run(checkpoint_id=…). To inspect it, use timeline, show and diff."
        )
    try:
        definition = WorkflowDefinition.model_validate(saved_definition["workflow"])
    except ValidationError as error:
        raise DefinitionError(
            f"The workflow in checkpoint {checkpoint} cannot be read: {error}"
        ) from error
    node_types = catalogue(saved_definition.get("folder", "."))
    report.warn(node_types.warnings)
    node_types = node_types.with_files(saved_files(saved_definition))
    return build(
        definition,
        node_types,
        saved_definition.get("folder", "."),
        max_supersteps=max_supersteps,
    )


# --- driving ------------------------------------------------------------------------------------------------------


class _Driver:
    def __init__(self, options: Options) -> None:
        self._options = options
        self._progress = Progress(report.err)
        self._redirection = OutputRedirection()
        self._interrupts = Interrupts(self._report_forced_end)
        self._source = of_url("memory:")

    def run(self, work: Callable[[_Driver], Awaitable[int]]) -> int:
        async def main() -> int:
            with self._redirection.to_stderr():
                return await work(self)

        with self._interrupts.listening():
            return asyncio.run(main())

    async def drive(
        self, workflow: Workflow, store: CheckpointStore, source: Source, begin: Begin
    ) -> int:
        self._source = source
        runner = Runner(
            workflow,
            store,
            observer=self._progress.observe,
            max_supersteps=self._options.max_supersteps,
        )
        error: BaseException | None = None
        code: int = ExitCode.FINISHED
        with self._progress.displayed(), self._interrupts.cancelling():
            await begin(runner)
            error, code = await self._run_to_rest(runner)
        if self._interrupts.is_interrupted:
            error = KeyboardInterrupt(self._interrupts.text)
            code = self._interrupts.code
        outcome = await json_values.outcome(
            runner, store, self._error_json(runner, error, code)
        )
        outcome["outside"] = outside_json(runner)
        if error:
            outcome["taken_back"] = [
                json_values.output_json(executor, value)
                for executor, value in self._progress.taken_back
            ]
        self._redirection.restore()
        if self._options.as_json:
            report.print_json({**outcome, "exit_code": code})
        else:
            newest = await store.latest(
                workflow=None if source.is_url else source.workflow
            )
            is_newest = newest is not None and newest.id == outcome["checkpoint"]
            report.print_outcome(
                outcome,
                source.name,
                is_newest=is_newest,
                changed=source.resume_arguments,
            )
        sys.stdout.flush()
        self._interrupts.end_with(code)
        return code

    async def _run_to_rest(
        self, runner: Runner
    ) -> tuple[BaseException | None, ExitCode]:
        """Run to rest, and give each answer as soon as the run rests with its
        question open.
        """
        unanswered = dict(self._options.answers)
        try:
            while True:
                ready = {
                    id_: unanswered.pop(id_)
                    for id_ in list(unanswered)
                    if id_ in runner.state.requests
                }
                if ready:
                    _check(runner, ready)
                    await runner.answer(ready)
                elif runner.is_active:
                    await runner.finish()
                else:
                    break
            if unanswered:
                raise CommandError(_unasked(runner, list(unanswered), "came up"))
        except CommandError as error:
            return error, ExitCode.MISUSE
        except (KeyboardInterrupt, SystemExit, asyncio.CancelledError):
            raise
        except BaseException as error:  # noqa: BLE001 - user code raises anything; the report names it
            return error, ExitCode.FAILED
        return None, _AT_REST.get(runner.status, ExitCode.FINISHED)

    def _error_json(
        self, runner: Runner, error: BaseException | None, code: int
    ) -> dict[str, Any] | None:
        if error is None:
            return None
        in_superstep = code == ExitCode.FAILED and not isinstance(
            error, WorkflowConvergenceException
        )
        if comes_after(error, *self._progress.failure):
            raised_by = None
        else:
            raised_by = self._progress.failed
        described = json_values.error_json(
            error,
            executor=raised_by if in_superstep else None,
            superstep=runner.state.superstep + 1 if in_superstep else None,
        )
        if isinstance(error, OutsideCallError):
            described["live"] = error.name
        return described

    def _report_forced_end(self) -> None:
        self._redirection.restore()
        report.err.show_cursor(True)
        if self._source.url.startswith("memory:"):
            next_command = ""
        else:
            again = report.command("resume", self._source.name)
            next_command = f" The finished supersteps are saved. To continue: {again}"
        text = f"Stopped at once: a handler did not stop.{next_command}"
        report.complain(text)
        if self._options.as_json:
            error = json_values.error_json(KeyboardInterrupt(text))
            report.print_json({"error": error, "exit_code": self._interrupts.code})
            sys.stdout.flush()


# --- answers ------------------------------------------------------------------------------------------------------


def refuse_impossible_answers(
    runner: Runner, answers: Mapping[str, Any], *, moves: bool
) -> None:
    """Raise `CommandError` for answers that do not fit, and for those whose question
    cannot come up from here.

    `moves` says whether the run goes on by itself; an answer to an open question
    makes it go on, too.
    """
    ready = {
        id_: value for id_, value in answers.items() if id_ in runner.state.requests
    }
    _check(runner, ready)
    goes_on = moves or bool(ready)
    impossible = [
        id_
        for id_ in answers
        if id_ not in ready and not (goes_on and _can_come_up(runner, id_))
    ]
    if impossible:
        raise CommandError(_unasked(runner, impossible, "can come up from here"))


def _check(runner: Runner, answers: Mapping[str, Any]) -> None:
    try:
        check_answers(runner.workflow, runner.state, answers)
    except RequestError as error:
        raise CommandError(str(error)) from error


def _can_come_up(runner: Runner, request_id: str) -> bool:
    """Whether a question with this id may still come. Ids of the engine name the
    asker and the superstep; user code may choose any other.
    """
    executors = runner.workflow.executors
    match = _ENGINE_ID.fullmatch(request_id)
    if match is None:
        return any(map(_chooses_ids, executors.values()))
    # In a sub-workflow the path begins with its executor and the number of the
    # invocation.
    asker = executors.get(match[1]) or executors.get(
        match[1].partition("/")[0].rpartition("#")[0]
    )
    return (
        asker is not None
        and asker.is_request_response_capable
        and int(match[2]) > runner.state.superstep
    )


def _chooses_ids(executor: Executor) -> bool:
    return executor.is_request_response_capable and not type(
        executor
    ).__module__.startswith("runtime.nodes.")


def _unasked(runner: Runner, ids: list[str], what: str) -> str:
    waiting = ", ".join(runner.state.requests) or "none"
    names = " or ".join(map(repr, ids))
    return f"No question {names} {what}; it is unknown or answered already. Open questions: {waiting}."
