"""What the window costs, against the targets: `python -m tests.benchmarks.window
[--only PART…] [--short] [--json]`.

Everything runs in the finished window, off screen, one fresh process for each part.
Times are CPU milliseconds of the window's process, which other programs hardly change,
except where a row says "wall".
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

PATIENCE = 600  # s that a part may take


def _canvas(count: int) -> Callable[[bool], Iterator[Any]]:
    def measure(short: bool) -> Iterator[Any]:
        from tests.benchmarks import window_canvas

        return window_canvas.measure(count, short=short)

    return measure


def _layout(count: int) -> Callable[[bool], Iterator[Any]]:
    def measure(short: bool) -> Iterator[Any]:
        from tests.benchmarks import window_layout

        return window_layout.measure(count, short=short)

    return measure


def _timeline(short: bool) -> Iterator[Any]:
    from tests.benchmarks import window_timeline

    return window_timeline.measure(short=short)


def _board(short: bool) -> Iterator[Any]:
    from tests.benchmarks import window_board

    return window_board.measure(short=short)


def _past(short: bool) -> Iterator[Any]:
    from tests.benchmarks import window_past

    return window_past.measure(short=short)


def _live(short: bool) -> Iterator[Any]:
    from tests.benchmarks import window_live

    return window_live.measure(short=short)


def _scrub(short: bool) -> Iterator[Any]:
    from tests.benchmarks import window_live

    return window_live.measure_scrubbing(short=short)


def _start(short: bool) -> Iterator[Any]:
    from tests.benchmarks import window_start

    return window_start.measure(short=short)


def _theme(short: bool) -> Iterator[Any]:
    from tests.benchmarks import window_theme

    return window_theme.measure(short=short)


PARTS: dict[str, Callable[[bool], Iterator[Any]]] = {
    "canvas1000": _canvas(1000),
    "canvas5000": _canvas(5000),
    "canvas20000": _canvas(20_000),
    "layout500": _layout(500),
    "layout5000": _layout(5000),
    "timeline": _timeline,
    "board": _board,
    "past": _past,
    "live": _live,
    "scrub": _scrub,
    "start": _start,
    "theme": _theme,
}


def run_part(name: str, *, short: bool) -> list[dict[str, Any]]:
    """The rows of a part, measured in a process of its own. Raises `RuntimeError` with
    what it said when it fails.
    """
    command = [
        sys.executable,
        "-m",
        "tests.benchmarks.window",
        "--part",
        name,
        *(["--short"] if short else []),
    ]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    if done.returncode:
        raise RuntimeError(f"{name} failed with {done.returncode}:\n{done.stderr}")
    rows: list[dict[str, Any]] = json.loads(done.stdout.splitlines()[-1])
    return rows


def line(row: dict[str, Any]) -> str:
    if row["value"] >= 100 or row["unit"] in ("", "MB"):
        digits = 0
    elif row["unit"] == "ms":
        digits = 1
    else:
        digits = 2
    if row["target"] is None:
        target = ""
    else:
        target = f"{'≥' if row['least'] else '≤'} {row['target']:,.6g}"
    met = {True: "met", False: "NOT MET", None: ""}[row["met"]]
    value = f"{row['value']:,.{digits}f} {row['unit']}"
    return f"{row['group']:<24}{row['name']:<34}{value:>12}{target:>10}  {met:<8} {row['note']}".rstrip()


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0] if __doc__ else ""
    )
    parser.add_argument(
        "--only",
        nargs="+",
        choices=[*PARTS, "canvas", "layout"],
        help="parts to measure",
    )
    parser.add_argument(
        "--short",
        action="store_true",
        help="fewer rounds, and no document of 20,000 nodes",
    )
    parser.add_argument("--json", action="store_true", help="rows as JSON")
    parser.add_argument("--part", choices=list(PARTS), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.part:
        rows = [row.as_json() for row in PARTS[options.part](options.short)]
        sys.stdout.write(json.dumps(rows) + "\n")
        sys.stdout.flush()
        return 0
    parts = [
        name
        for name in PARTS
        if not options.only or any(name.startswith(only) for only in options.only)
    ]
    found: list[dict[str, Any]] = []
    for name in parts:
        if options.short and name == "canvas20000":
            continue
        rows = run_part(name, short=options.short)
        found += rows
        if not options.json:
            sys.stdout.write("".join(f"{line(row)}\n" for row in rows))
            sys.stdout.flush()
    if options.json:
        sys.stdout.write(json.dumps(found, indent=1) + "\n")
    return 0 if all(row["met"] is not False for row in found) else 1


if __name__ == "__main__":
    raise SystemExit(main())
