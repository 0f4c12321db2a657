"""`stepwell why`: where a value of a checkpoint comes from, as text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from runtime.cli.commands import IdArgument, JsonOption, StoreArgument, source_of
from runtime.cli.exit_codes import ExitCode
from runtime.errors import CommandError

if TYPE_CHECKING:
    from runtime.cli.target import Source
    from runtime.debug.protocol import OriginStep, ProvenanceBody, Value

# The keys of the runs inside come first: `review#1/state:votes`.
_ADDRESS = re.compile(r"((?:[^/:]+#\d+/)*)((?:state|queue|held|output|request|own):.+)")

AddressArgument = Annotated[
    str,
    typer.Argument(
        metavar="ADDRESS",
        help="state:KEY, queue:N, held:N, output:N, request:ID or own:NODE. "
        "In a sub-workflow its runs come first, such as review#1/state:KEY.",
        show_default=False,
    ),
]


def why(
    store: StoreArgument,
    checkpoint: Annotated[str, IdArgument],
    address: AddressArgument,
    limit: Annotated[
        int,
        typer.Option(
            "--limit", metavar="N", min=1, help="Follow at most N values back."
        ),
    ] = 1000,
    as_json: JsonOption = False,
) -> int:
    """Show where a value comes from, back to the input. Runs no code and changes
    nothing.
    """
    import asyncio

    match = _ADDRESS.fullmatch(address)
    if match is None:
        raise CommandError(
            f"{address!r} is no address: give state:KEY, queue:N, held:N, output:N, "
            "request:ID or own:NODE."
        )
    keys = tuple(match[1].split("/")[:-1])
    source = source_of(store)
    body = asyncio.run(_provenance(source, checkpoint, keys, match[2], limit))
    if as_json:
        from runtime.cli import report

        report.print_json(body.model_dump(mode="json"))
    else:
        _print(body)
    return ExitCode.FINISHED


async def _provenance(
    source: Source, checkpoint: str, keys: tuple[str, ...], section: str, limit: int
) -> ProvenanceBody:
    from runtime.cli.target import find, opened
    from runtime.debug.moments.barriers import Barriers
    from runtime.debug.why.origin import Address
    from runtime.debug.why.provenance import provenance

    async with opened(source, read_only=True) as store:
        header = await find(store, checkpoint, source)
        address = Address(header.id, keys, section)
        try:
            return await provenance(Barriers(store), address, limit, float("inf"))
        except LookupError as error:
            raise CommandError(f"{header.id[:8]}: {error.args[0]}") from None


def _print(body: ProvenanceBody) -> None:
    from rich.text import Text

    from runtime.cli import report

    width = len(str(len(body.steps)))
    for step in body.steps:
        checkpoint_id = (step.checkpoint_id or "")[:8]
        place = f"{step.number:{width}}  {checkpoint_id}  s{step.superstep}  "
        value = report.shorten(value_text(step.item.value))
        report.out.print(Text(f"{place}{words_of(step)}: {value}"))
        if step.gap:
            report.out.print(Text(f"{'':{width}}  {step.gap}", style="yellow"))
        if step.is_open:
            text = f"{'':{width}}  Its origin was not looked up: raise --limit."
            report.out.print(Text(text, style="yellow"))


def value_text(value: Value) -> str:
    """Return a value in one line, with its parts as far as they were sent."""
    if not value.children:
        return value.text
    names = value.type not in ("list", "tuple", "set", "frozenset")
    parts = [
        f"{name}: {value_text(part)}" if names else value_text(part)
        for name, part in value.children
    ]
    if len(parts) < value.count:
        parts.append("…")
    text = ", ".join(parts)
    return f"{{{text}}}" if names else f"[{text}]"


def words_of(step: OriginStep) -> str:
    """Return who made a value, how, and from which of the values before it."""
    runs = "".join(f"{run}/" for run in step.runs)
    who = f"{runs}{step.executor} " if step.executor else ""
    words = f"{who}{step.how}" if step.how else step.item.kind
    return f"{words}{_made_of(step)}"


def _made_of(step: OriginStep) -> str:
    numbers: Sequence[int] = [link.number for link in step.sources]
    if not numbers:
        return ""
    return f", from {', '.join(map(str, numbers))}"
