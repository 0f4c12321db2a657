"""The command `stepwell patch`: a run goes on from a checkpoint with other values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from runtime.cli.commands import (
    IdArgument,
    JsonOption,
    StoreArgument,
    errors_of,
    refuse,
    source_of,
)
from runtime.cli.exit_codes import ExitCode
from runtime.errors import CommandError, SignatureMismatchError, UnfitFileError

if TYPE_CHECKING:
    from runtime.checkpoint import CheckpointHeader, CheckpointStore
    from runtime.cli.target import Source
    from runtime.engine.forecast import Forecast
    from runtime.engine.patch_plan import PatchPlan
    from runtime.engine.replay.plan import PlannedCall
    from runtime.patches.patch import Patch
    from runtime.patches.refused import Issue
    from runtime.workflow.workflow import Workflow

STANDARD_INPUT = "-"


def patch(
    store: StoreArgument,
    checkpoint: Annotated[str, IdArgument],
    patch_file: Annotated[
        str,
        typer.Argument(
            metavar="PATCH",
            help="A file with the changes as JSON; - reads them from standard input.",
            show_default=False,
        ),
    ],
    branch: Annotated[
        str | None,
        typer.Option(
            "--branch",
            metavar="NAME",
            help="The name of the new branch. Default: that of the patch.",
        ),
    ] = None,
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="Show what would happen, and change nothing."),
    ] = False,
    as_json: JsonOption = False,
) -> int:
    """Change values, messages and questions of a checkpoint, on a new branch. The
    checkpoint itself stays as it is. Runs no handler.
    """
    source = source_of(store)
    problems = errors_of(source.document)
    if source.document and problems:
        return refuse(source.document.path, problems, as_json)
    changes = read_patch(patch_file)
    if not changes.changes:
        raise CommandError("The patch has no changes. Nothing was changed.")
    import asyncio

    from runtime.cli.progress import OutputRedirection

    work = _Work(source, checkpoint, patch_file, changes, branch or "", dry_run)
    redirection = OutputRedirection()

    async def main() -> None:
        with redirection.to_stderr():
            await work.do()

    try:
        asyncio.run(main())
    finally:
        redirection.restore()
    return work.report(as_json=as_json)


def read_patch(name: str) -> Patch:
    """Return the patch in a file, or in standard input for `-`. Raise `CommandError`
    that names it.
    """
    from runtime.document.files import read_json
    from runtime.errors import DefinitionError, PatchError
    from runtime.patches.patch import patch_from

    where = "The standard input" if name == STANDARD_INPUT else name
    try:
        return patch_from(read_json(_text_of(name)))
    except UnicodeDecodeError as error:
        raise CommandError(f"{where} is no text in UTF-8.") from error
    except UnfitFileError as error:
        raise CommandError(f"{where} cannot be read: {error}") from error
    except OSError as error:
        raise CommandError(f"{where} cannot be read: {error.strerror}.") from error
    except (DefinitionError, PatchError) as error:
        raise CommandError(f"{where} is no patch: {error}") from error


def _text_of(name: str) -> str:
    from runtime.system.bounded_files import MEGABYTE, read_bytes

    largest = 16 * MEGABYTE
    if name != STANDARD_INPUT:
        return read_bytes(name, largest).decode("utf-8-sig")
    import sys

    data = sys.stdin.buffer.read(largest + 1)
    if len(data) > largest:
        raise UnfitFileError("standard input", "it has more than 16 MB.")
    return data.decode("utf-8-sig")


class _Work:
    """One run of the command: what it is asked, and what came of it."""

    def __init__(
        self,
        source: Source,
        checkpoint: str,
        name: str,
        changes: Patch,
        branch: str,
        dry_run: bool,
    ) -> None:
        self._source = source
        self._checkpoint = checkpoint
        self._name = name
        self._patch = changes
        self._branch = branch
        self._dry_run = dry_run
        self._plan: PatchPlan | None = None
        self._next: Forecast | None = None
        self._unasked: list[PlannedCall] = []
        self._saved: CheckpointHeader | None = None

    async def do(self) -> None:
        from runtime.cli.target import find, opened
        from runtime.engine.forecast import next_superstep
        from runtime.engine.runner import Runner

        async with opened(self._source, read_only=True) as store:
            header = await find(store, self._checkpoint, self._source)
            built = await self._built(store, header)
            try:
                planner = Runner(built, store)
                plan = await planner.plan_patch(header.id, self._patch)
            except SignatureMismatchError as error:
                error.add_note(self._advice(header))
                raise
            await self._check_name(store, header.run_id)
            if not plan.problems:
                self._next = await next_superstep(built, plan.after.state, plan.history)
                if self._next.is_known:
                    calls = await planner.plan_outside_of(plan)
                    self._unasked = [call for call in calls if call.is_unasked]
        self._plan = plan
        if self._dry_run or plan.problems:
            return
        async with opened(self._source) as store:
            runner = Runner(built, store)
            await runner.restore(header.id, patch=self._patch, branch=self._branch)
            self._saved = runner.header

    async def _check_name(self, store: CheckpointStore, run_id: str) -> None:
        """Raise `CommandError` for a name that the new branch cannot have."""
        from runtime.checkpoint import is_text

        name = self._branch or self._patch.name
        if not is_text(name):
            raise CommandError(f"{name!a} is no name of a branch: use proper text.")
        if name and name in {
            header.branch for header in await store.headers(run_id=run_id)
        }:
            raise CommandError(
                f"The run has a branch '{name}' already. Choose another name."
            )

    def _advice(self, header: CheckpointHeader) -> str:
        """Return what works where the graph has changed."""
        from runtime.cli import report

        url = self._source.masked_url
        as_saved = report.command("patch", url, header.id[:8], self._name)
        path = "FILE"
        if self._source.document is not None:
            path = str(self._source.document.path)
        migrate = report.command(
            "migrate", self._source.name, path, "--checkpoint", header.id[:8]
        )
        return (
            f"  With the saved workflow: {as_saved}"
            f"\n  To go on with the changed one first: {migrate}"
        )

    async def _built(
        self, store: CheckpointStore, header: CheckpointHeader
    ) -> Workflow:
        """Return the workflow: that of the document, or the saved one."""
        from runtime.checkpoints.archive import Archive
        from runtime.cli.run import built_document, built_saved

        if self._source.document is not None:
            return built_document(self._source.document)
        definition = (await Archive(store).view(header.id)).definition
        return built_saved(header.id, definition)

    def report(self, *, as_json: bool) -> int:
        """Print what came of it, and return the exit code."""
        from runtime.cli import report

        plan = self._plan
        if plan is None:
            raise CommandError("Nothing was planned.")
        code = ExitCode.FAILED if plan.problems else ExitCode.FINISHED
        if as_json:
            report.print_json({**self._json(plan), "exit_code": code})
        else:
            self._print(plan)
        if plan.problems:
            reasons = plan.reasons()
            report.complain(
                f"The patch cannot be applied: {_in_lines(reasons)}Nothing was changed."
            )
        return code

    def _json(self, plan: PatchPlan) -> dict[str, Any]:
        from runtime.cli.forecast import forecast_json
        from runtime.cli.json_values import header_json
        from runtime.cli.kept_patch import patch_json

        return {
            "checkpoint": header_json(plan.before.header),
            "dry_run": self._dry_run,
            "patch": patch_json(plan.patch.as_json()),
            "problems": [_issue_json(issue) for issue in plan.problems],
            "warnings": [_issue_json(issue) for issue in plan.warnings],
            "next": None if self._next is None else forecast_json(self._next),
            "saved": None if self._saved is None else header_json(self._saved),
        }

    def _print(self, plan: PatchPlan) -> None:
        from runtime.cli import report
        from runtime.cli.forecast import next_lines, print_list
        from runtime.cli.kept_patch import patch_json
        from runtime.patches.patch import patch_from
        from runtime.patches.words import change_words

        report.out.print(report.checkpoint_line(plan.before.header))
        shown = patch_from(patch_json(plan.patch.as_json()))
        lines = [f"{change.id}  {change_words(change)}" for change in shown.changes]
        print_list("Changes", lines)
        warnings = [f"{issue.change}  {issue.text}" for issue in plan.warnings]
        print_list("Warnings", warnings)
        if self._next is not None:
            print_list("Next superstep", next_lines(self._next))
        unasked = {call.name: call for call in self._unasked}
        print_list(
            "Without a recorded result",
            [f"{name} ({call.what}): {call.reason}" for name, call in unasked.items()],
        )
        if self._saved is not None:
            report.print_fine(
                f"Applied: {self._saved.id[:8]} on '{self._saved.branch}'"
            )
            again = report.command(
                "resume", self._source.name, "--checkpoint", self._saved.id[:8]
            )
            report.hint(f"To continue: {again}")
            for name in unasked:
                report.hint(f"It stops before {name}. To let it run: --live {name}")


def _in_lines(reasons: list[str]) -> str:
    """Return one reason in the line, and several on a line each."""
    if len(reasons) == 1:
        return f"{reasons[0]} "
    return "".join(f"\n  {reason}" for reason in reasons) + "\n"


def _issue_json(issue: Issue) -> dict[str, str]:
    return {"change": issue.change, "text": issue.text, "path": issue.path}
