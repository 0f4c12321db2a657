"""The command `diff`: what differs between two checkpoints, branches or runs, and where
they part.
"""

from __future__ import annotations

from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Annotated, Any

import typer

from runtime.cli.commands import JsonOption, StoreArgument, source_of
from runtime.cli.exit_codes import ExitCode

if TYPE_CHECKING:
    from runtime.checkpoint import CheckpointHeader
    from runtime.debug.compare.divergence import Divergence, Row
    from runtime.debug.compare.divergence_cause import Outcome, Reason
    from runtime.debug.compare.two_lines import Side

END_HELP = (
    "Checkpoint id or its start, `latest`, branch, run id or its start, or RUN/BRANCH."
)


def diff(
    store: StoreArgument,
    old: Annotated[str, typer.Argument(metavar="A", help=END_HELP)],
    new: Annotated[str, typer.Argument(metavar="B", help="The same for the other.")],
    first: Annotated[
        bool,
        typer.Option("--first", help="Show where the ways to the two part, and why."),
    ] = False,
    other: Annotated[
        str | None,
        typer.Option(
            "--other", metavar="STORE", help="The store of B. Default: STORE."
        ),
    ] = None,
    as_json: JsonOption = False,
) -> int:
    """Show the differences between two checkpoints, branches or runs, value by value."""
    import asyncio

    answer = _first if first else _all
    asyncio.run(answer((store, other or store), (old, new), as_json=as_json))
    return ExitCode.FINISHED


async def _sides(
    stores: tuple[str, str], ends: tuple[str, str], stack: AsyncExitStack
) -> tuple[Side, Side]:
    from runtime.checkpoints.archive import Archive
    from runtime.cli.target import find_end, opened
    from runtime.debug.compare.two_lines import Side

    archives: dict[str, Archive] = {}
    sides = []
    for store, end in zip(stores, ends, strict=True):
        source = source_of(store)
        if store not in archives:
            checkpoint_store = await stack.enter_async_context(
                opened(source, read_only=True)
            )
            archives[store] = Archive(checkpoint_store)
        archive = archives[store]
        sides.append(Side(archive, await find_end(archive.store, end, source)))
    base, other = sides
    return base, other


async def _all(
    stores: tuple[str, str], ends: tuple[str, str], *, as_json: bool
) -> None:
    from runtime.cli import json_values, report
    from runtime.debug.compare.checkpoints import Past, compare

    async with AsyncExitStack() as stack:
        base, other = await _sides(stores, ends, stack)
        before = await base.archive.view(base.header.id)
        after = await other.archive.view(other.header.id)
        differences = compare(
            before,
            after,
            Past(await json_values.answered_until(base.archive, base.header)),
            Past(await json_values.answered_until(other.archive, other.header)),
        )
        differences += await json_values.output_changes(
            (base.archive, before), (other.archive, after)
        )
    changes = [json_values.change_json(change) for change in differences]
    if as_json:
        report.print_json(changes)
    else:
        report.print_changes(before.header, after.header, changes)


async def _first(
    stores: tuple[str, str], ends: tuple[str, str], *, as_json: bool
) -> None:
    from runtime.cli import report
    from runtime.debug.compare.divergence import diverge

    async with AsyncExitStack() as stack:
        base, other = await _sides(stores, ends, stack)
        divergence = await diverge(base, other)
    value = divergence_json(divergence)
    if as_json:
        report.print_json(value)
    else:
        print_divergence(value)


def divergence_json(divergence: Divergence) -> dict[str, Any]:
    """Return where two lines part as plain values. Without a difference of the runs
    `reason` is None.
    """
    from runtime.cli.json_values import change_json

    return {
        "equal": divergence.equal,
        "is_whole": divergence.lines.is_whole,
        "unreadable": divergence.first.unread,
        "last_equal": [
            _header(line[divergence.equal - 1] if divergence.equal else None)
            for line in (divergence.lines.base, divergence.lines.other)
        ],
        "base": _header(divergence.base),
        "other": _header(divergence.other),
        "reason": None if divergence.reason is None else _reason(divergence.reason),
        "changes": [change_json(change) for change in divergence.changes],
        "graph": [change_json(change) for change in divergence.graph],
        "following": [_row(row) for row in divergence.following],
    }


def _header(header: CheckpointHeader | None) -> dict[str, Any] | None:
    if header is None:
        return None
    return {
        "id": header.id,
        "run_id": header.run_id,
        "branch": header.branch,
        "superstep": header.superstep,
        "cause": header.cause.value,
        "status": header.status,
    }


def _reason(reason: Reason) -> dict[str, Any]:
    return {
        "kind": reason.kind,
        "text": reason.text,
        "outcomes": [_outcome(outcome) for outcome in reason.outcomes],
        "path": list(reason.at.way),
        "executor": reason.at.executor,
        "edge": reason.edge,
        "note": reason.note,
    }


def _outcome(outcome: Outcome) -> dict[str, Any]:
    from runtime.debug.compare.divergence_cause import NOTHING
    from runtime.debug.values.display import plain

    if outcome.value is NOTHING:
        return {"words": outcome.words}
    return {"words": outcome.words, "value": plain(outcome.value)}


def _row(row: Row) -> dict[str, Any]:
    return {
        "superstep": row.superstep,
        "base": None if row.base is None else row.base.id,
        "other": None if row.other is None else row.other.id,
        "differences": row.differences,
    }


# --- text ---------------------------------------------------------------------------------------------------------


def print_divergence(value: dict[str, Any]) -> None:
    """Print where two lines part, in the form of `divergence_json`."""
    from runtime.cli.report import many, out

    equal = value["equal"]
    out.print(
        f"The first {many(equal, 'checkpoint')} of both are equal." if equal else ""
    )
    if value["unreadable"]:
        pairs = many(value["unreadable"], "pair")
        out.print(f"{pairs} before could not be read.", style="yellow")
    if value["reason"] is None:
        graph = value["graph"]
        out.print("There is no difference between the runs.", style="green")
        for change in graph:
            out.print(f"  The graphs differ: {change['path']}")
        return
    _print_reason(value)
    for row in value["following"]:
        out.print(f"  s{row['superstep']:<4} {_row_words(row)}")


def _print_reason(value: dict[str, Any]) -> None:
    from rich.text import Text

    from runtime.cli.report import out, shorten, text_of

    reason = value["reason"]
    sides = [side for side in (value["base"], value["other"]) if side is not None]
    places = " and ".join(f"{side['id'][:8]} ({side['cause']})" for side in sides)
    superstep = sides[0]["superstep"]
    out.print(
        Text(f"\nFirst difference: superstep {superstep}, {places}", style="bold")
    )
    path = "/".join(reason["path"])
    where = f", in {path}" if path else ""
    out.print(Text(f"  {shorten(reason['text'])}{where}"))
    for name, outcome in zip("AB", reason["outcomes"], strict=False):
        words = [outcome["words"]] if outcome["words"] else []
        if "value" in outcome:
            words.append(text_of(outcome["value"]))
        out.print(Text(f"    {name}  {': '.join(words)}"))
    if reason["note"]:
        out.print(Text(f"  {reason['note']}"))
    if value["following"]:
        out.print(Text("\nAfter it", style="bold"))


def _row_words(row: dict[str, Any]) -> str:
    from runtime.cli.report import many

    if row["other"] is None:
        return f"{row['base'][:8]}  only in A"
    if row["base"] is None:
        return f"{row['other'][:8]}  only in B"
    ids = f"{row['base'][:8]}  {row['other'][:8]}"
    if row["differences"] is None:
        return ids
    if not row["differences"]:
        return f"{ids}  equal again"
    return f"{ids}  {many(row['differences'], 'difference')}"
