"""`stepwell find`: a question to the recorded past. And the log of `stepwell show`."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from runtime.cli.command_line import JSON_FLAG
from runtime.cli.exit_codes import ExitCode
from runtime.errors import CommandError, ConditionError

if TYPE_CHECKING:
    from runtime.checkpoint import CheckpointHeader, CheckpointStore
    from runtime.checkpoints.archive import Archive
    from runtime.cli.target import Source
    from runtime.debug.facts.fact import Fact
    from runtime.debug.past.find import Hit, Search
    from runtime.debug.past.log import LogLine

StoreArgument = Annotated[
    str,
    typer.Argument(
        metavar="STORE",
        help="sqlite:FILE or just FILE, dir:FOLDER, postgresql://…, or a workflow file for the runs beside it.",
        show_default=False,
    ),
]
TRACE = "trace"
# Checkpoints that are read at a time for the log of a whole run.
_PAGE = 100


def find(
    store: StoreArgument,
    query: Annotated[
        str,
        typer.Argument(
            metavar="QUERY",
            help="What happened, a condition, or both: 'failure', 'state.score > 0.8', 'write votes: value > 3'.",
            show_default=False,
        ),
    ],
    run_id: Annotated[
        str | None,
        typer.Option("--run", metavar="ID", help="This run. Default: the newest."),
    ] = None,
    every_run: Annotated[
        bool, typer.Option("--all", help="All runs, instead of one.")
    ] = False,
    first: Annotated[
        bool, typer.Option("--first", help="Stop after the first hit.")
    ] = False,
    log: Annotated[
        str,
        typer.Option(
            "--log",
            metavar="TEXT",
            help="Print this text for each hit, with {expressions} in it.",
        ),
    ] = "",
    as_json: Annotated[
        bool, typer.Option(JSON_FLAG, help="Print one JSON value, for machines.")
    ] = False,
) -> int:
    """Ask the recorded past. Exits with 0 if there are hits, with 1 if there are none.

    Runs no code and changes nothing. The guide's chapter "Asking the past" explains the
    questions.
    """
    import asyncio

    from runtime.cli.commands import source_of
    from runtime.cli.target import opened
    from runtime.debug.past.query import parse

    if run_id is not None and every_run:
        raise CommandError("Give --run or --all, not both.")
    try:
        question = replace(parse(query), log=log)
    except ConditionError as error:
        raise CommandError(_pointing("question", query, error)) from error
    try:
        question.log_text()
    except ConditionError as error:
        raise CommandError(_pointing("text of --log", log, error)) from error
    source = source_of(store)

    async def work() -> int:
        from runtime.checkpoints.archive import Archive
        from runtime.debug.past.find import Search

        async with opened(source, read_only=True) as checkpoint_store:
            search = Search(Archive(checkpoint_store), question)
            run = None
            if not every_run:
                run = await run_named(checkpoint_store, source, run_id)
            return await _answer(
                checkpoint_store, source, search, run, first=first, as_json=as_json
            )

    return asyncio.run(work())


def _pointing(what: str, text: str, error: ConditionError) -> str:
    """Return an error with the place in the text."""
    lines = text.split("\n")
    line = min(max(error.line, 1), len(lines))
    place = " " * (max(error.column, 1) - 1) + "^"
    return f"The {what} cannot be read: {error}\n  {lines[line - 1]}\n  {place}"


async def run_named(store: CheckpointStore, source: Source, prefix: str | None) -> str:
    """Return the id of the run that a prefix names, or of the newest."""
    from runtime.cli.target import nothing

    runs = [
        run.run_id
        for run in await store.runs()
        if source.workflow in (None, run.workflow)
    ]
    if not runs:
        raise await nothing(store, source)
    if prefix is None:
        return runs[0]
    matches = [run for run in runs if run.startswith(prefix)]
    if len(matches) > 1 and prefix not in matches:
        raise CommandError(
            f"{len(matches)} runs begin with {prefix!r}: give more of the id."
        )
    if not matches:
        raise CommandError(
            f"No run begins with {prefix!r}. See all: stepwell timeline {source.name}"
        )
    return prefix if prefix in matches else matches[0]


async def _answer(
    store: CheckpointStore,
    source: Source,
    search: Search,
    run_id: str | None,
    *,
    first: bool,
    as_json: bool,
) -> int:
    from runtime.cli import report

    hits = []
    async for hit in _hits(store, source, search, run_id):
        if as_json:
            hits.append(hit_json(hit))
        else:
            _print_hit(hit, every_run=run_id is None)
        if first:
            break
    if as_json:
        report.print_json(
            {
                "hits": hits,
                "read": search.read,
                "unreadable": search.unreadable,
                "errors": search.errors,
                "error": search.error,
            }
        )
    elif not search.hits:
        _print_none(search, every_run=run_id is None)
    _print_gaps(search)
    return ExitCode.FINISHED if search.hits else ExitCode.FAILED


async def _hits(
    store: CheckpointStore, source: Source, search: Search, run_id: str | None
) -> AsyncIterator[Hit]:
    from runtime.debug.past.find import at_once, look_through

    async for looked in look_through(
        store, search, run_id=run_id, workflow=source.workflow, run=at_once
    ):
        for hit in looked.hits:
            yield hit


def _print_hit(hit: Hit, *, every_run: bool) -> None:
    from rich.text import Text

    from runtime.cli import report
    from runtime.debug.past.log import text_of

    header = hit.header
    run = f"{header.run_id[:8]} " if every_run else ""
    place = f"{run}{header.id[:8]} {header.branch} s{header.superstep}"
    path = f"{' › '.join(hit.fact.path)}: " if hit.fact.path else ""
    words = hit.text or text_of(hit.fact)
    report.out.print(Text.assemble((place, "cyan"), f"  {path}{words}"))


def _print_none(search: Search, *, every_run: bool) -> None:
    from runtime.cli import report

    where = "in all runs" if every_run else "in this run; --all looks at all"
    report.hint(f"No hits in {report.many(search.read, 'checkpoint')} {where}.")
    if search.query.kind == "failure":
        report.hint(
            "A superstep that failed as a whole has no checkpoint, so its calls are not recorded."
        )


def _print_gaps(search: Search) -> None:
    from runtime.cli import report

    gaps = []
    if search.unreadable:
        gaps.append(
            f"{report.many(search.unreadable, 'checkpoint')} could not be read."
        )
    if search.errors:
        times = report.many(search.errors, "time")
        gaps.append(f"The condition could not be evaluated {times}: {search.error}")
    report.warn(gaps)


def hit_json(hit: Hit) -> dict[str, Any]:
    """Return a hit as JSON values: its checkpoint, its fact and its log text."""
    header = hit.header
    fields = {
        "checkpoint": header.id,
        "run": header.run_id,
        "branch": header.branch,
        **fact_json(hit.fact),
    }
    return fields | {"log": hit.text} if hit.text else fields


def fact_json(fact: Fact) -> dict[str, Any]:
    """Return the fields of a fact that say something; values that are not recorded are
    left out.
    """
    from runtime.debug.facts.fact import NOT_RECORDED
    from runtime.debug.values.display import plain
    from runtime.debug.values.shapes import MASKED
    from runtime.document.secret_names import is_secret

    fields: dict[str, Any] = {"kind": fact.kind, "superstep": fact.superstep}
    if fact.path:
        fields["path"] = list(fact.path)
    for name in ("executor", "source", "edge", "handler", "key", "reason"):
        if getattr(fact, name):
            fields[name] = getattr(fact, name)
    if fact.attempt > 1 or fact.kind == "failure":
        fields["attempt"] = fact.attempt
    values = {"value": fact.value} if fact.kind != "checkpoint" else {}
    if fact.kind == "write":
        values["old"] = fact.old
    for name, value in values.items():
        if value is not NOT_RECORDED:
            secret = value is not None and is_secret(fact.key)
            fields[name] = MASKED if secret else plain(value)
    return fields


# --- the log ----------------------------------------------------------------------------------------------------------


async def print_log(
    archive: Archive, headers: Sequence[CheckpointHeader], *, as_json: bool
) -> None:
    """Print the lines of checkpoints, in order."""
    from runtime.cli import report
    from runtime.debug.past.log import read_log
    from runtime.debug.past.reader import Past

    past = Past(archive)
    rows = []
    for start in range(0, len(headers), _PAGE):
        for header, lines in await read_log(past, headers[start : start + _PAGE]):
            if as_json:
                rows += [_line_json(header, line) for line in lines]
            else:
                _print_lines(header, lines)
    if as_json:
        report.print_json(rows)


def _print_lines(header: CheckpointHeader, lines: Sequence[LogLine]) -> None:
    from rich.text import Text

    from runtime.cli import report

    report.out.print(report.checkpoint_line(header, whole_id=True))
    for line in lines:
        path = f"{' › '.join(line.path)}: " if line.path else ""
        report.out.print(
            Text.assemble(
                (f"  {line.kind:<10}", _STYLES.get(line.kind, "dim")),
                f" {path}{line.text}",
            )
        )


_STYLES = {"dropped": "yellow", "warning": "yellow", "starves": "yellow"} | {
    "failure": "red"
}


def _line_json(header: CheckpointHeader, line: LogLine) -> dict[str, Any]:
    fields: dict[str, Any] = {"checkpoint": header.id, "branch": header.branch}
    if line.fact is not None:
        fields |= fact_json(line.fact)
    else:
        fields |= {"kind": line.kind, "superstep": header.superstep}
        if line.path:
            fields["path"] = list(line.path)
        if line.executor:
            fields["executor"] = line.executor
    fields["text"] = line.text
    if line.seconds is not None:
        fields["seconds"] = line.seconds
    return fields
