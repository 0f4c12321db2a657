"""What `stepwell verify` and `stepwell explore` find of the twelve planted faults:
`python -m tests.end_to_end.hunts.proofs`.

Each fault is run to its end by `stepwell run`, and both commands look at the store that
it leaves. Prints a table, and the first of what was found of each kind. Most of the
faults are mistakes that neither can know of: the run did what its workflow says.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.end_to_end.hunts.planted import PLANTED, Planted

PROGRAM = "from designer.cli.commands import main; raise SystemExit(main())"
LIMIT = "30"  # supersteps, after which the endless loop is stopped
CHILD = "price.stepwell.json"
REPAIR = ("prise", "price")


def stepwell(folder: Path, *words: str) -> dict[str, Any]:
    """Run a command that prints one JSON value, in a process of its own."""
    command = [sys.executable, "-c", PROGRAM, *words, "--json"]
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False
    )
    if not done.stdout.strip():
        raise RuntimeError(f"{' '.join(words)}: {done.stderr}")
    value: dict[str, Any] = json.loads(done.stdout)
    return value


def run_to_its_end(fault: Planted, folder: Path) -> Path:
    """Run a fault, and answer yes to its question. Return the document."""
    path = fault.write(folder)
    ended = stepwell(folder, "run", path.name, "--max-supersteps", LIMIT)
    for request in ended.get("requests", ()):
        answer = f"{request['id']}=true"
        stepwell(folder, "resume", path.name, "--answer", answer)
    return path


def found_by_verify(
    folder: Path, path: Path, *options: str
) -> tuple[str, dict[str, list[str]]]:
    """Return the counts of the proofs, and the words of the findings of each check."""
    report = stepwell(folder, "verify", path.name, *options)
    counts = ", ".join(
        f"{report[name]} {name}"
        for name in ("proved", "failed", "unchecked")
        if report[name]
    )
    words: dict[str, list[str]] = {}
    for proof in report["checkpoints"]:
        for check in proof["checks"]:
            if check["outcome"] in ("failed", "unchecked"):
                name = f"verify, {check['check']}"
                place = f"superstep {proof['superstep']}"
                texts = words.setdefault(name, [])
                texts += [f"{place}: {text}" for text in _texts(check)]
    return counts, words


def _texts(check: dict[str, Any]) -> list[str]:
    texts = dict.fromkeys(
        " ".join(filter(None, (finding["part"], finding["path"], finding["text"])))
        for finding in check["findings"]
    )
    return list(texts) or [check["text"]]


def found_by_explore(folder: Path, path: Path) -> tuple[str, dict[str, list[str]]]:
    """Return how many supersteps have one outcome, and the words of the findings."""
    report = stepwell(folder, "explore", path.name)
    explored = [each for each in report["supersteps"] if not each["refused"]]
    alike = sum(1 for each in explored if not each["findings"])
    words: dict[str, list[str]] = {}
    for each in explored:
        for finding in each["findings"]:
            place = f"superstep {each['superstep']}"
            texts = words.setdefault(f"explore, {finding['kind']}", [])
            texts.append(f"{place}: {finding['text']}")
    refused = len(report["supersteps"]) - len(explored)
    counts = f"{alike} of {len(explored)} alike"
    return counts + (f", {refused} left out" if refused else ""), words


def main() -> int:
    show("fault", "verify", "explore", {})
    for fault in PLANTED:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            path = run_to_its_end(fault, folder)
            proofs, failed = found_by_verify(folder, path)
            orders, findings = found_by_explore(folder, path)
            show(fault.name, proofs, orders, failed | findings)
            child = folder / CHILD
            if child.exists():
                # What the run has done does not fit the file as it is now.
                child.write_text(child.read_text("utf-8").replace(*REPAIR), "utf-8")
                proofs, failed = found_by_verify(folder, path, "--workflow", path.name)
                show("  its child mended", proofs, "", failed)
    return 0


def show(name: str, proofs: str, orders: str, words: Mapping[str, list[str]]) -> None:
    """Print a line of the table, and the first finding of each kind below."""
    print(f"{name:18} {proofs:28} {orders}".rstrip())  # noqa: T201
    for kind, texts in words.items():
        more = f" ({len(texts) - 1} more)" if len(texts) > 1 else ""
        print(f"    {kind}: {texts[0]}{more}")  # noqa: T201


if __name__ == "__main__":
    raise SystemExit(main())
