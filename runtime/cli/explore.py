"""The command `stepwell explore`: supersteps run again under other orders, with failures
and cancellations put in.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Annotated

import typer

from runtime.cli.commands import (
    JsonOption,
    StoreArgument,
    errors_of,
    refuse,
    source_of,
)
from runtime.cli.exit_codes import ExitCode
from runtime.errors import CommandError, WorkflowException

if TYPE_CHECKING:
    from runtime.checkpoint import CheckpointHeader, CheckpointStore
    from runtime.checkpoints.archive import Archive
    from runtime.cli.explorations import ShownProgress
    from runtime.cli.target import Source
    from runtime.debug.explore.explorer import Options
    from runtime.debug.explore.report import Exploration, Progress
    from runtime.debug.explore.trial import Make


def explore(
    store: StoreArgument,
    checkpoint: Annotated[
        str | None,
        typer.Argument(
            metavar="ID",
            help="The superstep after this checkpoint: its id, the start of it, or `latest`. Default: all of a run.",
            show_default=False,
        ),
    ] = None,
    run_id: Annotated[
        str | None,
        typer.Option("--run", metavar="ID", help="This run. Default: the newest."),
    ] = None,
    superstep: Annotated[
        int | None,
        typer.Option("--superstep", metavar="N", min=1, help="Only superstep N."),
    ] = None,
    orders: Annotated[
        int,
        typer.Option(
            "--orders",
            metavar="N",
            min=1,
            max=10_000,
            help="Try at most N orders of each superstep, and put in at most N failures.",
        ),
    ] = 40,
    seed: Annotated[
        int, typer.Option("--seed", metavar="N", help="Choose what is left to chance.")
    ] = 0,
    no_failures: Annotated[
        bool,
        typer.Option("--no-failures", help="Put no failures and cancellations in."),
    ] = False,
    live: Annotated[
        bool,
        typer.Option(
            "--live",
            help="Really do what reaches outside, in each try. Default: use recorded results.",
        ),
    ] = False,
    as_json: JsonOption = False,
) -> int:
    """Run supersteps again under other orders, with failures put in, and compare their
    outcomes. Runs the code of the workflow many times; the store stays as it is.

    Exits with 0 if each superstep has one outcome, with 1 if not or if nothing could be
    explored.
    """
    if checkpoint is not None and (run_id is not None or superstep is not None):
        raise CommandError("Give the ID of a checkpoint, or --run and --superstep.")
    source = source_of(store)
    errors = errors_of(source.document)
    if source.document and errors:
        return refuse(source.document.path, errors, as_json)
    from runtime.debug.explore.explorer import Options

    options = Options(orders, seed, not no_failures, live=live)
    return _Work(source, checkpoint, run_id, superstep, options).run(as_json=as_json)


class _Work:
    """One run of the command."""

    def __init__(
        self,
        source: Source,
        checkpoint: str | None,
        run_id: str | None,
        superstep: int | None,
        options: Options,
    ) -> None:
        self._source = source
        self._checkpoint = checkpoint
        self._run_id = run_id
        self._superstep = superstep
        self._options = options
        self._line = "starting"
        self._where = ""
        self._explored: list[Exploration] = []

    def run(self, *, as_json: bool) -> int:
        import asyncio

        from runtime.cli import explorations, report
        from runtime.cli.interrupts import Interrupts
        from runtime.cli.progress import OutputRedirection

        redirection = OutputRedirection()

        def last_words() -> None:
            redirection.restore()
            report.err.show_cursor(True)
            report.complain("Stopped at once: a handler did not stop.")

        interrupts = Interrupts(last_words)

        async def main() -> None:
            with redirection.to_stderr(), self._shown(), interrupts.cancelling():
                async for exploration in self._explorations():
                    self._explored.append(exploration)

        with interrupts.listening():
            asyncio.run(main())
        redirection.restore()
        code: int = self._code()
        if interrupts.is_interrupted:
            code = interrupts.code
            report.complain(interrupts.text)
        if as_json:
            supersteps = [
                explorations.exploration_json(each) for each in self._explored
            ]
            report.print_json({"supersteps": supersteps, "exit_code": code})
        else:
            for exploration in self._explored:
                explorations.print_exploration(exploration)
            explorations.print_sum(self._explored)
        return code

    def _code(self) -> ExitCode:
        explored = [each for each in self._explored if not each.refused]
        if not explored or any(each.findings for each in explored):
            return ExitCode.FAILED
        return ExitCode.FINISHED

    # --- exploring ----------------------------------------------------------------------------------------------

    async def _explorations(self) -> AsyncIterator[Exploration]:
        from runtime.checkpoints.archive import Archive
        from runtime.cli.target import opened

        async with opened(self._source, read_only=True) as store:
            archive = Archive(store)
            headers = await self._headers(store)
            for place, header in enumerate(headers, start=1):
                self._where = (
                    f"superstep {header.superstep + 1}, {place} of {len(headers)}"
                )
                yield await self._exploration(archive, header)

    async def _exploration(
        self, archive: Archive, header: CheckpointHeader
    ) -> Exploration:
        from runtime.debug.explore.explorer import explore as explore_superstep
        from runtime.debug.explore.recorded import mark_recorded, start_of
        from runtime.debug.explore.report import Exploration

        try:
            start = await start_of(archive, header.id)
            make = await self._maker(archive, header)
            exploration = await explore_superstep(
                make, start, self._options, self._on_progress
            )
        except WorkflowException as error:
            if self._checkpoint is not None:
                raise
            return Exploration(header, refused=str(error))
        await mark_recorded(archive, exploration)
        return exploration

    async def _maker(self, archive: Archive, header: CheckpointHeader) -> Make:
        from runtime.debug.explore.documents import maker_of_document, maker_of_saved

        document = self._source.document
        if document is not None:
            folder = str(document.path.resolve().parent)
            return maker_of_document(document.definition, folder)
        return maker_of_saved((await archive.view(header.id)).definition)

    async def _headers(self, store: CheckpointStore) -> list[CheckpointHeader]:
        """Return the checkpoints whose supersteps are explored. Raise `CommandError`
        for none.
        """
        from runtime.cli.find import run_named
        from runtime.cli.target import find
        from runtime.debug.explore.recorded import starts_of

        if self._checkpoint is not None:
            header = await find(store, self._checkpoint, self._source)
            if not header.queued and not header.damaged:
                raise CommandError(
                    f"No superstep follows on checkpoint {header.id[:8]}: nothing is queued there. "
                    f"See: stepwell timeline {self._source.name}"
                )
            return [header]
        run_id = await run_named(store, self._source, self._run_id)
        headers = await store.headers(run_id=run_id)
        starts = starts_of(headers, self._superstep)
        if not starts:
            what = (
                "superstep"
                if self._superstep is None
                else f"superstep {self._superstep}"
            )
            raise CommandError(
                f"Run {run_id[:8]} has no {what}. See: stepwell timeline {self._source.name}"
            )
        return starts

    # --- progress -----------------------------------------------------------------------------------------------

    def _on_progress(self, progress: Progress) -> None:
        from runtime.cli.report import many

        exploration = progress.exploration
        tries = f"try {exploration.tries} of {progress.planned}"
        outcomes = many(len(exploration.groups), "outcome")
        self._line = f"{self._where} · {progress.phase} · {tries} · {outcomes}"

    def _shown(self) -> ShownProgress:
        from runtime.cli.explorations import ShownProgress

        return ShownProgress(lambda: self._line)
