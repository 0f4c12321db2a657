"""How fast we are, and how fast our peers are on the same workloads, measured side by
side.

    tests/benchmarks/peers.sh DIR
    python -m tests.benchmarks --peers DIR [--rounds N] [--only w2,w6] [--short] [--json]

Each measurement is a fresh process, and the order of the programs rotates from round to
round, so that what the machine does meanwhile hits all alike. What is told is CPU time,
of which a busy machine takes less away than of time by the clock. Without `--peers`
only our own programs are measured. Ours runs as it does by default.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.console import Console

from tests.benchmarks.cases import CASES, OURS, PROGRAMS, STATEMENTS, Case
from tests.benchmarks.measure import Numbers
from tests.benchmarks.report import circumstances, print_json, print_table
from tests.benchmarks.targets import TARGETS, judge

ROOT = Path(__file__).parents[2]
TIMEOUT = 600  # seconds for one measurement
Measured = dict[str, dict[str, list[Numbers]]]


class Bench:
    """Runs cases, and keeps what they say."""

    def __init__(self, peers: Path | None, *, short: bool, quiet: bool) -> None:
        self._peers = peers
        self._short = short
        self._quiet = quiet
        self._console = Console(stderr=True)
        self.measured: Measured = {}
        self.errors: list[str] = []

    def run(self, names: Sequence[str], rounds: int) -> None:
        for number in range(rounds):
            for name in names:
                programs = [
                    program
                    for program in (OURS, *CASES[name].peers)
                    if self._python(program)
                ]
                at = number % len(programs)
                for program in (*programs[at:], *programs[:at]):
                    self._once(number, name, program)

    def _once(self, number: int, name: str, program: str) -> None:
        if not self._quiet:
            self._console.print(
                f"round {number + 1}: {name}, {program}", highlight=False
            )
        try:
            numbers = self._numbers(CASES[name], program)
        except (subprocess.SubprocessError, ValueError, IndexError, KeyError) as error:
            self.errors.append(f"{name} of {program}: {_why(error)}")
        else:
            self.measured.setdefault(name, {}).setdefault(program, []).append(numbers)

    def _numbers(self, case: Case, program: str) -> Numbers:
        python = self._python(program)
        parameters = {**case.parameters, **(case.short if self._short else {})}
        statement = STATEMENTS.get((case.workload, program))
        if statement is not None:
            return _start_up(python, statement, parameters["reps"])
        where = PROGRAMS[program]
        module = (case.module if program == OURS else "") or where.module
        command = [
            python,
            "-m",
            f"tests.benchmarks.{module}",
            *where.arguments,
            case.workload,
            json.dumps(parameters),
        ]
        done = subprocess.run(
            command,
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
            check=True,
        )
        return dict(json.loads(done.stdout.splitlines()[-1]))

    def _python(self, program: str) -> str:
        """The interpreter of a program, or nothing where its environment is not there."""
        if program == OURS:
            return sys.executable
        made = (
            self._peers
            and self._peers / PROGRAMS[program].environment / "bin" / "python"
        )
        return str(made) if made and made.exists() else ""

    def medians(self) -> dict[str, dict[str, Numbers]]:
        return {
            case: {program: _median(found) for program, found in programs.items()}
            for case, programs in self.measured.items()
        }

    def versions(self) -> dict[str, str]:
        """The versions of what was measured, each as its own environment has it."""
        used = {program for programs in self.measured.values() for program in programs}
        return dict(
            pair
            for program in PROGRAMS
            if program in used
            for pair in self._versions(program)
        )

    def _versions(self, program: str) -> Iterator[tuple[str, str]]:
        for package in PROGRAMS[program].packages:
            ask = f"from importlib.metadata import version; print(version({package!r}))"
            found = subprocess.run(
                [self._python(program), "-c", ask],
                capture_output=True,
                text=True,
                check=False,
            )
            yield package, found.stdout.strip() or "?"


def _median(found: Sequence[Numbers]) -> Numbers:
    return {name: statistics.median(one[name] for one in found) for name in found[0]}


def _why(error: Exception) -> str:
    if isinstance(error, subprocess.CalledProcessError):
        text = error.stderr
    else:
        text = str(error)
    return (text.strip().splitlines() or ["it said nothing"])[-1]


def _start_up(python: str, statement: str, reps: int) -> Numbers:
    """What a statement costs a fresh interpreter over one that does nothing."""
    pairs = [
        (_cpu([python, "-c", "pass"]), _cpu([python, "-c", statement]))
        for _ in range(reps)
    ]
    bare, whole = (statistics.median(column) for column in zip(*pairs, strict=True))
    return {"cpu_ms": 1000 * (whole - bare), "bare_ms": 1000 * bare}


def _cpu(command: list[str]) -> float:
    """Seconds of CPU time of a process and those that it waited for."""
    process = subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(
            process.returncode, command, stderr="it failed"
        )
    return used.ru_utime + used.ru_stime


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument(
        "--peers",
        type=Path,
        metavar="DIR",
        help="where peers.sh has made their environments",
    )
    parser.add_argument(
        "--rounds",
        type=int,
        default=0,
        metavar="N",
        help="of each case; 5, or 1 with --short",
    )
    parser.add_argument(
        "--only", default="", metavar="NAMES", help="cases that begin so: w2,w6"
    )
    parser.add_argument(
        "--short", action="store_true", help="small sizes, one round: under two minutes"
    )
    parser.add_argument("--json", action="store_true", help="print everything as JSON")
    return parser.parse_args()


def main() -> int:
    arguments = _arguments()
    wanted = tuple(
        one.strip().lower() for one in arguments.only.split(",") if one.strip()
    )
    targets = [
        target for target in TARGETS if not wanted or target.case.startswith(wanted)
    ]
    needed = {name for target in targets for name in (target.case, target.base)}
    names = [name for name in CASES if name in needed]
    rounds = arguments.rounds or (1 if arguments.short else 5)
    peers = arguments.peers and arguments.peers.absolute()
    bench = Bench(peers, short=arguments.short, quiet=arguments.json)
    bench.run(names, rounds)
    medians = bench.medians()
    findings = [judge(target, medians) for target in targets]
    about = circumstances(bench.versions(), rounds, short=arguments.short)
    if arguments.json:
        print_json(findings, about, medians, bench.errors)
    else:
        print_table(findings, about, bench.errors)
    return 1 if bench.errors else 0


if __name__ == "__main__":
    sys.exit(main())
