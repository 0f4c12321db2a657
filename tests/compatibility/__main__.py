"""`python -m tests.compatibility [--theirs PYTHON] [--json] [--record]`: the programs
by ours and by agent-framework.

Without --theirs what was recorded of agent-framework is compared. Exit code 1 where a
difference is not explained, or an explained one is there no more.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import Annotated

import typer

from tests.compatibility.comparison import (
    Verdict,
    compare,
    ours_by_process,
    read_golden,
    run_all,
    write_golden,
)


def main(
    theirs: Annotated[
        str | None, typer.Option(help="A Python that has agent-framework-core 1.23.0.")
    ] = None,
    record: Annotated[
        bool, typer.Option("--record", help="Keep their results in the golden file.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print verdicts and all facts that differ.")
    ] = False,
) -> None:
    """Run every program by both, and say where they differ and why."""
    if record and theirs is None:
        raise typer.BadParameter(
            "--record needs --theirs, the Python whose results are to be kept."
        )
    ours = ours_by_process()
    if theirs is None:
        other = read_golden().theirs
    else:
        other = run_all(theirs, "agent_framework")
    if record:
        write_golden(ours, other)
    verdicts = [
        compare(program, facts, other.get(program, {}))
        for program, facts in ours.items()
    ]
    if as_json:
        typer.echo(
            json.dumps(
                [
                    _as_json(one, ours[one.program], other.get(one.program, {}))
                    for one in verdicts
                ]
            )
        )
    else:
        _print_table(verdicts)
    raise typer.Exit(0 if all(one.is_fine for one in verdicts) else 1)


def _as_json(verdict: Verdict, ours: object, theirs: object) -> dict[str, object]:
    return {
        "program": verdict.program,
        "equal": not verdict.differing,
        "fine": verdict.is_fine,
        "unexplained": verdict.unexplained,
        "vanished": verdict.vanished,
        "reasons": {name: reason._asdict() for name, reason in verdict.reasons.items()},
        "ours": ours,
        "theirs": theirs,
    }


def _print_table(verdicts: Sequence[Verdict]) -> None:
    width = max(len(one.program) for one in verdicts)
    for one in verdicts:
        typer.echo(f"{one.program:<{width}}  {one.in_words()}")
    kinds = Counter(
        "not explained"
        if not one.is_fine
        else "different, explained"
        if one.differing
        else "equal"
        for one in verdicts
    )
    typer.echo(
        f"{len(verdicts)} programs: "
        + ", ".join(f"{count} {kind}" for kind, count in kinds.items())
    )


if __name__ == "__main__":
    typer.run(main)
