"""The commands `share` and `receive`: checkpoints to one file, and from it into any
store. They run no code of a workflow.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from runtime.cli.commands import JsonOption, StoreArgument, check_is_file, source_of
from runtime.cli.exit_codes import ExitCode
from runtime.errors import CommandError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from runtime.checkpoint import CheckpointStore
    from runtime.cli.target import Source
    from runtime.sharing.plan import ImportPlan
    from runtime.sharing.selection import Selection
    from runtime.sharing.write import Shared


def share(
    store: StoreArgument,
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="The file to write, such as audit.stepwell-run.",
            show_default=False,
        ),
    ],
    run_id: Annotated[
        str | None,
        typer.Option("--run", metavar="ID", help="This run. Default: the newest."),
    ] = None,
    branch: Annotated[
        str | None,
        typer.Option(
            "--branch",
            metavar="NAME",
            help="Only this branch, and the checkpoints from which it has forked.",
        ),
    ] = None,
    ancestors: Annotated[
        bool,
        typer.Option(
            "--ancestors/--no-ancestors",
            help="With --branch: whether those from which it has forked go along.",
        ),
    ] = True,
    checkpoint: Annotated[
        str | None,
        typer.Option(
            "--checkpoint",
            metavar="ID",
            help="Only this checkpoint: its id, the start of it, or `latest`.",
        ),
    ] = None,
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="Say what the file would hold, and write none."),
    ] = False,
    as_json: JsonOption = False,
) -> int:
    """Write a run, a branch or a checkpoint to one file, for another store.

    `stepwell receive` reads it. The file has no values of secrets and no code.
    """
    if checkpoint is not None and (run_id is not None or branch is not None):
        raise CommandError("Give --checkpoint alone, without --run and --branch.")
    if file.is_dir():
        raise CommandError(f"{file} is a folder: name a file in it.")
    import asyncio

    names = (run_id, branch, checkpoint)
    work = _Sharing(source_of(store), file, names, ancestors=ancestors)
    asyncio.run(work.do(write=not dry_run, as_json=as_json))
    return ExitCode.FINISHED


class _Sharing:
    """One run of the command; `names` are the run, the branch and the checkpoint that
    were given.
    """

    def __init__(
        self,
        source: Source,
        file: Path,
        names: tuple[str | None, str | None, str | None],
        *,
        ancestors: bool,
    ) -> None:
        self._source = source
        self._file = file
        self._names = names
        self._ancestors = ancestors

    async def do(self, *, write: bool, as_json: bool) -> None:
        from runtime.cli import report
        from runtime.cli.target import opened
        from runtime.sharing import contents
        from runtime.sharing.write import share as write_shared

        async with opened(self._source, read_only=True) as store:
            selection = await self._selection(store)
            documents = await contents.definitions(store, selection)
            self._announce(selection, documents)
            shared = None
            if write:
                forbidden = contents.forbidden_texts(documents)
                shared = await write_shared(
                    store, selection, self._file, forbidden=forbidden
                )
        if as_json:
            report.print_json(self._json(selection, shared))
        elif shared is not None:
            size = _bytes(shared.bytes)
            report.print_fine(
                f"Wrote {report.many(shared.checkpoints, 'checkpoint')} to {self._file} ({size})"
            )
        if shared is not None and shared.left_out:
            many = report.many(len(shared.left_out), "damaged checkpoint")
            report.warn([f"{many} left out: {', '.join(shared.left_out[:5])}"])

    async def _selection(self, store: CheckpointStore) -> Selection:
        from runtime.cli.target import find
        from runtime.sharing.selection import select

        run_id, branch, checkpoint = self._names
        if checkpoint is not None:
            header = await find(store, checkpoint, self._source)
            return await select(store, checkpoint_id=header.id)
        return await select(
            store,
            run_id=await self._run(store, run_id),
            branch=branch,
            with_ancestors=self._ancestors,
        )

    async def _run(self, store: CheckpointStore, prefix: str | None) -> str:
        from runtime.cli.target import nothing

        runs = [
            run.run_id
            for run in await store.runs()
            if self._source.workflow in (None, run.workflow)
        ]
        if not runs:
            raise await nothing(store, self._source)
        if prefix is None:
            return runs[0]
        matches = [run_id for run_id in runs if run_id.startswith(prefix)]
        if prefix in matches:
            return prefix
        if len(matches) != 1:
            count = "No run begins" if not matches else f"{len(matches)} runs begin"
            raise CommandError(
                f"{count} with {prefix!r}. See all: stepwell timeline {self._source.name}"
            )
        return matches[0]

    def _announce(
        self, selection: Selection, documents: Sequence[Mapping[str, Any]]
    ) -> None:
        from runtime.cli import report
        from runtime.sharing import contents

        counts = (
            f"{report.many(len(selection.rows), 'checkpoint')} on "
            f"{report.many(selection.branches, 'branch')} of '{selection.workflow}', "
            f"{_bytes(selection.new_bytes)} before they are compressed"
        )
        for line in (counts, *contents.HOLDS, contents.secret_words(documents)):
            report.hint(line)

    def _json(self, selection: Selection, shared: Shared | None) -> dict[str, Any]:
        value: dict[str, Any] = {
            "scope": selection.scope.value,
            "workflow": selection.workflow,
            "run": selection.run_id,
            "checkpoints": len(selection.rows),
            "branches": selection.branches,
            "dry_run": shared is None,
        }
        if shared is not None:
            value["checkpoints"] = shared.checkpoints
            value["left_out"] = list(shared.left_out)
            value["file"] = str(self._file)
            value["bytes"] = shared.bytes
        return value


def receive(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="A file that `stepwell share` has written.",
            show_default=False,
        ),
    ],
    store: StoreArgument,
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="Check the file, and change nothing."),
    ] = False,
    as_json: JsonOption = False,
) -> int:
    """Import the checkpoints of a shared file into a store.

    What the store has already stays as it is. A file that is damaged, or that does not
    fit, changes nothing.
    """
    check_is_file(file, "shared file")
    source = source_of(store)
    if source.url == "memory:":
        raise CommandError(
            "A store in memory ends with this command: name a file, a folder or a database."
        )
    import asyncio

    asyncio.run(_receive(file, source, dry_run=dry_run, as_json=as_json))
    return ExitCode.FINISHED


async def _receive(file: Path, source: Source, *, dry_run: bool, as_json: bool) -> None:
    from runtime.cli import report
    from runtime.cli.target import opened
    from runtime.sharing.read import import_file, plan_file

    newest = ""
    async with opened(source) as store:
        if dry_run:
            plan = await plan_file(store, file)
        else:
            imported = await import_file(store, file)
            plan = imported.plan
            newest = imported.newest
    if as_json:
        report.print_json(_plan_json(plan, dry_run=dry_run))
        return
    report.print_fine(imported_words(plan, dry_run=dry_run))
    if plan.reworded:
        report.hint(
            f"{report.many(plan.reworded, 'checkpoint')} of them: tags or note differ. Those of the store stay."
        )
    if newest and plan.new:
        look = report.command("show", source.name, newest[:8])
        report.hint(f"To look at the newest: {look}")


def imported_words(plan: ImportPlan, *, dry_run: bool) -> str:
    """Return what an import did, or would do."""
    from runtime.cli import report

    runs = report.many(len(plan.runs), "run")
    if not plan.new:
        return f"Nothing to import: the store has all {plan.checkpoints} of them already ({runs})"
    verb = "Would import" if dry_run else "Imported"
    words = f"{verb} {report.many(plan.new, 'checkpoint')} of {runs}"
    if plan.present:
        words += f"; {len(plan.present)} were there already"
    return words


def _plan_json(plan: ImportPlan, *, dry_run: bool) -> dict[str, Any]:
    return {
        "dry_run": dry_run,
        "checkpoints": plan.checkpoints,
        "added": plan.new,
        "present": len(plan.present),
        "reworded": plan.reworded,
        "runs": [
            {"run": run_id, "workflow": workflow, "new": run_id in plan.new_runs}
            for run_id, workflow in plan.runs.items()
        ],
    }


def _bytes(count: int) -> str:
    if count < 10_000:
        return f"{count:,} bytes"
    if count < 10_000_000:
        return f"{count / 1000:,.0f} KB"
    return f"{count / 1_000_000:,.0f} MB"
