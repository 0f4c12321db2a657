"""Two frameworks' facts side by side: equal, different for a reason that is written
down, or a fault.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.compatibility.differences import DIFFERENCES, Reason

HERE = Path(__file__).parent
GOLDEN = HERE / "agent_framework_1_23.json"
PROGRAMS = tuple(sorted((HERE / "programs").glob("[0-9]*.py")))
TIME_LIMIT = 60.0  # seconds for one program

Facts = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What comparing one program's facts came to. `unexplained` and `vanished` name
    facts, and should be empty.
    """

    program: str
    differing: tuple[str, ...]
    unexplained: tuple[str, ...]
    vanished: tuple[str, ...]
    reasons: Mapping[str, Reason]

    @property
    def is_fine(self) -> bool:
        return not self.unexplained and not self.vanished

    def in_words(self) -> str:
        if not self.differing and not self.vanished:
            return "equal"
        parts = [
            f"differs in {name}: {self.reasons[name]}"
            for name in self.differing
            if name in self.reasons
        ]
        parts += [f"DIFFERS UNEXPLAINED in {name}" for name in self.unexplained]
        parts += [
            f"DIFFERS NO MORE in {name}: {self.reasons[name]}" for name in self.vanished
        ]
        return "; ".join(parts)


def compare(program: str, ours: Facts, theirs: Facts) -> Verdict:
    """Facts differ exactly where `DIFFERENCES` says so, or the verdict names the rest."""
    reasons = DIFFERENCES.get(program, {})
    names = list(dict.fromkeys((*theirs, *ours)))
    differing = tuple(
        name for name in names if ours.get(name, ...) != theirs.get(name, ...)
    )
    return Verdict(
        program,
        differing,
        tuple(name for name in differing if name not in reasons),
        tuple(name for name in reasons if name not in differing),
        reasons,
    )


def run_all(
    python: str, framework: str, programs: Sequence[Path] = PROGRAMS
) -> dict[str, Facts]:
    """The facts of each program, each in a process of its own. One that hangs has that
    as its only fact.
    """
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = pool.map(lambda program: _run(python, framework, program), programs)
        return {
            program.stem: facts for program, facts in zip(programs, found, strict=True)
        }


def _run(python: str, framework: str, program: Path) -> Facts:
    command = [python, "-W", "ignore", str(HERE / "child.py"), str(program), framework]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=TIME_LIMIT, check=False
        )
    except subprocess.TimeoutExpired:
        return {"hangs": f"after {TIME_LIMIT} seconds"}
    if done.returncode:
        return {"ended": f"with {done.returncode}: {done.stderr[-400:]}"}
    facts: Facts = json.loads(done.stdout)
    return facts


def ours_by_process() -> dict[str, Facts]:
    return run_all(sys.executable, "runtime")


# --- the golden file ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Golden:
    """What was recorded: all facts of theirs, and of ours those that differ."""

    theirs: Mapping[str, Facts]
    ours: Mapping[str, Facts]


def read_golden() -> Golden:
    saved = json.loads(GOLDEN.read_text(encoding="utf-8"))
    return Golden(saved["theirs"], saved["ours_where_different"])


def write_golden(ours: Mapping[str, Facts], theirs: Mapping[str, Facts]) -> None:
    different = {
        program: {
            name: ours[program].get(name)
            for name in compare(program, ours[program], facts).differing
        }
        for program, facts in theirs.items()
    }
    saved = {
        "framework": "agent-framework-core 1.23.0",
        "theirs": theirs,
        "ours_where_different": {
            program: facts for program, facts in different.items() if facts
        },
    }
    GOLDEN.write_text(
        json.dumps(saved, indent=1, ensure_ascii=False, sort_keys=True) + "\n",
        encoding="utf-8",
    )
