"""The command `stepwell migrate`: a changed workflow takes a run over, by a mapping that
can be kept and applied to other runs.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from runtime.cli.commands import (
    FileArgument,
    JsonOption,
    StoreArgument,
    errors_of,
    read_document,
    refuse,
    source_of,
)
from runtime.cli.exit_codes import ExitCode
from runtime.cli.forecast import print_list
from runtime.errors import CommandError, MappingError, UnfitFileError

if TYPE_CHECKING:
    from runtime.checkpoint import CheckpointHeader, CheckpointStore
    from runtime.cli.target import Document, Source
    from runtime.engine.change_plan import ChangePlan
    from runtime.engine.forecast import Forecast
    from runtime.migration.mapping import GraphMapping


def migrate(
    store: StoreArgument,
    workflow: FileArgument,
    checkpoint: Annotated[
        str | None,
        typer.Option(
            "--checkpoint",
            metavar="ID",
            help="Take over this one. Default: the newest.",
        ),
    ] = None,
    run_id: Annotated[
        str | None,
        typer.Option(
            "--run", metavar="ID", help="Take over the newest checkpoint of this run."
        ),
    ] = None,
    mapping: Annotated[
        Path | None,
        typer.Option(
            "--mapping",
            metavar="FILE",
            help="What became of executors and joins, as JSON. Default: what is found by itself.",
        ),
    ] = None,
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="Show what would happen, and change nothing."),
    ] = False,
    as_json: JsonOption = False,
) -> int:
    """Let a changed workflow go on from a checkpoint, on a new branch. Runs no handler.

    The output of `--dry-run --json` is a mapping for `--mapping`. In it, `null` drops
    something, and `"?"` must be decided first.
    """
    if checkpoint is not None and run_id is not None:
        raise CommandError("Give --checkpoint or --run, and not both.")
    document = read_document(workflow)
    problems = errors_of(document)
    if problems:
        return refuse(workflow, problems, as_json)
    script = None if mapping is None else read_mapping(mapping)
    import asyncio

    from runtime.cli.progress import OutputRedirection

    work = _Work(document, source_of(store), checkpoint, run_id, script, dry_run)
    redirection = OutputRedirection()

    async def main() -> None:
        with redirection.to_stderr():
            await work.do()

    asyncio.run(main())
    redirection.restore()
    return work.report(as_json=as_json)


def read_mapping(path: Path) -> GraphMapping:
    """Return the mapping in a file. Raise `CommandError` that names the file."""
    from runtime.document.files import read_json
    from runtime.errors import DefinitionError
    from runtime.migration.mapping import mapping_from
    from runtime.system.bounded_files import MEGABYTE, read_bytes

    try:
        text = read_bytes(path, 16 * MEGABYTE).decode("utf-8-sig")
        return mapping_from(read_json(text))
    except UnicodeDecodeError as error:
        raise CommandError(f"{path} is no text in UTF-8.") from error
    except UnfitFileError as error:
        raise CommandError(f"{path} cannot be read: {error}") from error
    except OSError as error:
        raise CommandError(f"{path} cannot be read: {error.strerror}.") from error
    except (DefinitionError, MappingError) as error:
        raise CommandError(f"{path} is no mapping: {error}") from error


class _Work:
    """One run of the command: what it is asked, and what came of it."""

    def __init__(
        self,
        document: Document,
        source: Source,
        checkpoint: str | None,
        run_id: str | None,
        mapping: GraphMapping | None,
        dry_run: bool,
    ) -> None:
        self._document = document
        self._source = source
        self._checkpoint = checkpoint
        self._run_id = run_id
        self._mapping = mapping
        self._dry_run = dry_run
        self._plan: ChangePlan | None = None
        self._next: Forecast | None = None
        self._saved: CheckpointHeader | None = None

    async def do(self) -> None:
        from runtime.cli.target import opened
        from runtime.engine.forecast import next_superstep
        from runtime.engine.runner import Runner
        from runtime.loader.build import build
        from runtime.nodes import catalogue

        folder = self._document.path.resolve().parent
        built = build(self._document.definition, catalogue(folder), folder)
        async with opened(self._source, read_only=True) as store:
            header = await self._header(store)
            runner = Runner(built, store)
            plan = await runner.plan_change(header.id, self._mapping)
            if not plan.problems:
                self._next = await next_superstep(built, plan.after.state)
        self._plan = plan
        if self._dry_run or plan.problems or not plan.changes:
            return
        async with opened(self._source) as store:
            runner = Runner(built, store)
            await runner.restore(header.id, on_change="migrate", mapping=self._mapping)
            self._saved = runner.header

    async def _header(self, store: CheckpointStore) -> CheckpointHeader:
        """Return the checkpoint to go on from."""
        from runtime.cli.target import LATEST, find

        if self._run_id is not None:
            runs = [
                run for run in await store.runs() if run.run_id.startswith(self._run_id)
            ]
            if len(runs) != 1:
                count = "No run begins" if not runs else f"{len(runs)} runs begin"
                raise CommandError(
                    f"{count} with {self._run_id!r}. See all: stepwell timeline {self._source.name}"
                )
            return runs[0].latest
        if self._checkpoint is None and self._source.document is None:
            name = self._document.definition.name
            newest = await store.latest(workflow=name)
            if newest is not None:
                return newest
        return await find(store, self._checkpoint or LATEST, self._source)

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
            report.complain(self._refusal(plan))
        return code

    def _json(self, plan: ChangePlan) -> dict[str, Any]:
        from runtime.cli.forecast import forecast_json
        from runtime.cli.json_values import header_json

        upcoming = None if self._next is None else forecast_json(self._next)
        return {
            "checkpoint": header_json(plan.before.header),
            "dry_run": self._dry_run,
            "changes": [change.as_json() for change in plan.changes],
            "mapping": plan.mapping.as_json(),
            "kept": list(plan.kept),
            "dropped": [item.text for item in plan.dropped],
            "problems": [item.text for item in plan.problems],
            "next": upcoming,
            "saved": None if self._saved is None else header_json(self._saved),
        }

    def _print(self, plan: ChangePlan) -> None:
        from runtime.cli import report
        from runtime.cli.forecast import next_lines

        report.out.print(report.checkpoint_line(plan.before.header))
        if not plan.changes:
            report.print_fine(
                "The graph is that of the checkpoint: nothing has to be taken over."
            )
            return
        print_list("Changed", [change.text for change in plan.changes])
        print_list("Mapping", mapping_lines(plan.mapping))
        print_list("Kept", list(plan.kept))
        print_list("Dropped", [item.text for item in plan.dropped])
        if self._next is not None:
            print_list("Next superstep", next_lines(self._next))
        if self._saved is not None:
            report.print_fine(
                f"Taken over: {self._saved.id[:8]} on '{self._saved.branch}'"
            )
            again = report.command(
                "resume",
                self._source.masked_url,
                "--checkpoint",
                self._saved.id[:8],
            )
            report.hint(f"To continue: {again}")

    def _refusal(self, plan: ChangePlan) -> str:
        from runtime.cli import report

        reasons = "; ".join(item.text for item in plan.problems)
        command = report.command(
            "migrate",
            self._source.name,
            str(self._document.path),
            "--checkpoint",
            plan.before.header.id[:8],
        )
        if self._mapping is None:
            remedy = (
                f'Save the mapping ({command} --dry-run --json > mapping.json), decide each "?" in it '
                "(null drops), and give it by --mapping mapping.json."
            )
        else:
            remedy = "Change the given mapping, and try it with --dry-run."
        return f"The changed workflow cannot go on from here: {reasons}. Nothing was changed. {remedy}"


def mapping_lines(mapping: GraphMapping, where: str = "") -> list[str]:
    """Return the entries of a mapping in words."""
    from runtime.migration.mapping import ASPECTS

    lines = []
    for old_id, entry in mapping.executors.items():
        if entry.is_whole:
            lines.append(f"{where}{old_id} → {_choice(entry.record)}")
            continue
        for aspect, words in ASPECTS.items():
            choice = getattr(entry, aspect)
            lines.append(f"{where}{old_id}, {words} → {_choice(choice)}")
    for name, join in mapping.joins.items():
        target = f"sent to {join.send_to}" if join.send_to else _choice(join.join)
        line = f"{where}join {name} → {target}"
        if join.without:
            line += f", without {', '.join(join.without)}"
        lines.append(line)
    for owner, inner in mapping.inside.items():
        lines += mapping_lines(inner, f"{where}{owner}/")
    return lines


def _choice(choice: str | None) -> str:
    if choice is None:
        return "dropped"
    return "not decided" if choice == "?" else choice
