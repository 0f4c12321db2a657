"""The findings of a run, as a table and as JSON, with what has to be known of the
machine.
"""

from __future__ import annotations

import datetime as dt
import json
import os
import platform
import sqlite3
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from rich.console import Console
from rich.table import Table

from tests.benchmarks.targets import Finding, Medians, Target

# As wide as the table is; a terminal that is narrower wraps it, a file keeps it whole.
WIDTH = 132


def circumstances(
    versions: dict[str, str], rounds: int, *, short: bool
) -> dict[str, Any]:
    return {
        "date": dt.datetime.now(dt.UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
        "system": f"{platform.system()} {platform.machine()}",
        "cores": os.cpu_count(),
        "load": [round(one, 1) for one in os.getloadavg()],
        "rounds": rounds,
        "short": short,
        "versions": versions,
    }


def print_table(
    findings: Sequence[Finding], about: dict[str, Any], errors: Sequence[str]
) -> None:
    versions = ", ".join(
        f"{name} {version}" for name, version in about["versions"].items()
    )
    table = Table(
        title=f"Per CPU second, medians of {about['rounds']} rounds"
        + (", short" * about["short"])
    )
    for name in ("workload", "unit"):
        table.add_column(name, no_wrap=True)
    for name in ("best peer, or base", "ours", "ratio", "target"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    for one in findings:
        table.add_row(*_cells(one))
    console = Console(width=WIDTH)
    console.print(table)
    console.print(
        f"{about['date']}, Python {about['python']}, SQLite {about['sqlite']}, {about['system']}, "
        f"{about['cores']} cores, load {about['load'][0]}. {versions}",
        highlight=False,
    )
    for error in errors:
        console.print(
            f"not measured: {error}", style="red", highlight=False, markup=False
        )


def _cells(one: Finding) -> tuple[str, ...]:
    target = one.target
    theirs = "" if one.theirs is None else f"{one.whose} {_number(one.theirs)}"
    ratio = "" if one.ratio is None else f"{one.ratio:.2f}"
    ours = "" if one.ours is None else _number(one.ours)
    return target.title, target.unit, theirs, ours, ratio, _bound(target), _verdict(one)


def _verdict(one: Finding) -> str:
    target = one.target
    if one.met is not None:
        return "[green]met[/]" if one.met else "[red]not met[/]"
    if one.ours is None:
        return "not measured"
    return "peer not measured" if target.peers and one.theirs is None else ""


def _bound(target: Target) -> str:
    times = "×" if target.peers or target.base else ""
    if target.least is not None:
        return f"≥ {target.least:g}{times}"
    return "" if target.most is None else f"≤ {target.most:.3g}{times}"


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def print_json(
    findings: Sequence[Finding],
    about: dict[str, Any],
    medians: Medians,
    errors: Sequence[str],
) -> None:
    told = {
        **about,
        "targets": [asdict(one) for one in findings],
        "medians": medians,
        "errors": list(errors),
    }
    Console(soft_wrap=True).print_json(json.dumps(told))
