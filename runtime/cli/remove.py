"""The commands that remove or protect checkpoints: prune, pin, delete. They run no
code of a workflow.
"""

from __future__ import annotations

import re
import time
from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from runtime.cli.commands import IdArgument, JsonOption, StoreArgument, source_of
from runtime.cli.exit_codes import ExitCode
from runtime.errors import CommandError

if TYPE_CHECKING:
    from runtime.checkpoint import CheckpointHeader, CheckpointStore, RunSummary
    from runtime.cli.target import Source

_T = TypeVar("_T")

_SECONDS = {"m": 60, "h": 3600, "d": 86400, "w": 7 * 86400}
_AGE = re.compile(r"([0-9]{1,9})([mhdw])")


def prune(
    store: StoreArgument,
    run_id: Annotated[
        str | None,
        typer.Option("--run", metavar="ID", help="Only this run. Default: all."),
    ] = None,
    keep: Annotated[
        int | None,
        typer.Option(
            "--keep", metavar="N", min=1, help="Keep the newest N of each branch."
        ),
    ] = None,
    older_than: Annotated[
        str | None,
        typer.Option(
            "--older-than",
            metavar="AGE",
            help="Remove only older ones: 30d, 12h, 2w, or a date such as 2026-01-31.",
        ),
    ] = None,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run",
            help="Show the checkpoints that would be removed, and change nothing.",
        ),
    ] = False,
    as_json: JsonOption = False,
) -> int:
    """Remove old checkpoints. Heads of branches, both ends of forks, and tagged or
    pinned ones always stay.
    """
    if keep is None and older_than is None:
        raise CommandError(
            "prune needs --keep or --older-than: the number to keep, or the age to remove."
        )
    before = None if older_than is None else moment_of(older_than, time.time())
    from runtime.cli import report
    from runtime.cli.json_values import header_json
    from runtime.cli.timeline import print_removed
    from runtime.stores import prune as remove

    async def work(opened: CheckpointStore, source: Source) -> list[CheckpointHeader]:
        removed: list[CheckpointHeader] = []
        for run in await _runs(opened, source, run_id):
            removed += await remove(
                opened, run_id=run.run_id, keep=keep, older_than=before, dry_run=dry_run
            )
        return removed

    removed = _with_store(store, work, read_only=dry_run)
    if as_json:
        report.print_json(
            {"dry_run": dry_run, "removed": [header_json(header) for header in removed]}
        )
    else:
        print_removed(removed, dry_run=dry_run)
    return ExitCode.FINISHED


def pin(
    store: StoreArgument,
    checkpoint: Annotated[str, IdArgument],
    unpin: Annotated[bool, typer.Option("--unpin", help="Remove the pin.")] = False,
    as_json: JsonOption = False,
) -> int:
    """Protect a checkpoint from `prune`, by the tag `pinned`."""
    from runtime.checkpoint import PINNED
    from runtime.cli import report
    from runtime.cli.json_values import header_json
    from runtime.cli.target import find

    async def work(opened: CheckpointStore, source: Source) -> CheckpointHeader:
        header = await find(opened, checkpoint, source)
        tags = [tag for tag in header.tags if tag != PINNED]
        return await opened.annotate(header.id, tags=tags if unpin else [*tags, PINNED])

    header = _with_store(store, work)
    if as_json:
        report.print_json(header_json(header))
    else:
        report.out.print(report.checkpoint_line(header))
    return ExitCode.FINISHED


def delete(
    store: StoreArgument,
    run_id: Annotated[
        str,
        typer.Option("--run", metavar="ID", help="The run, or the start of its id."),
    ],
    as_json: JsonOption = False,
) -> int:
    """Delete a run with all its checkpoints, also pinned ones."""
    from runtime.cli import report

    async def work(opened: CheckpointStore, source: Source) -> tuple[str, int]:
        (run,) = await _runs(opened, source, run_id)
        return run.run_id, await opened.delete_run(run.run_id)

    run, number = _with_store(store, work)
    if as_json:
        report.print_json({"run_id": run, "checkpoints": number})
    else:
        report.print_fine(f"Run {run} is deleted: {report.many(number, 'checkpoint')}.")
    return ExitCode.FINISHED


def moment_of(text: str, now: float) -> float:
    """Return the seconds since 1970 of an age before `now`, or of a date, which is
    local if it names no zone.
    """
    if age := _AGE.fullmatch(text):
        return now - int(age[1]) * _SECONDS[age[2]]
    try:
        return datetime.fromisoformat(text).timestamp()
    except (ValueError, OverflowError):
        raise CommandError(
            f"--older-than {text!r} is no age and no date: write 30d, 12h, 45m, 2w, or 2026-01-31, or 2026-01-31T18:00."
        ) from None


async def _runs(
    store: CheckpointStore, source: Source, prefix: str | None
) -> list[RunSummary]:
    """Return the runs of a command: all runs of the source, or the one whose id is
    given or begins so.
    """
    from runtime.cli.target import nothing

    # A damaged run may have lost the name of its workflow.
    runs = [
        run
        for run in await store.runs()
        if source.workflow in (None, run.workflow or source.workflow)
    ]
    if prefix is None:
        if source.document and not runs:
            raise await nothing(store, source)
        return runs
    matches = [run for run in runs if run.run_id == prefix] or [
        run for run in runs if run.run_id.startswith(prefix)
    ]
    if not prefix or not matches:
        raise CommandError(
            f"No run begins with {prefix!r}. See all: stepwell timeline {source.name}"
        )
    if len(matches) > 1:
        raise CommandError(
            f"{len(matches)} runs begin with {prefix!r}: give more of the id."
        )
    return matches


def _with_store(
    store: str,
    work: Callable[[CheckpointStore, Source], Awaitable[_T]],
    *,
    read_only: bool = False,
) -> _T:
    import asyncio

    from runtime.cli.target import opened

    source = source_of(store)

    async def run() -> _T:
        # Opening a store to write creates it, but these commands need one that exists:
        # open it to read first.
        async with opened(source, read_only=True) as existing:
            if read_only:
                return await work(existing, source)
        async with opened(source) as writable:
            return await work(writable, source)

    return asyncio.run(run())
