"""Which test guards which rule of a run and which known fault: `python -m tests.guards
[--json]`.

A test says what it guards by its name, `test_rule_<N>_…` or `test_case_<N>_…`; the
sources are read, nothing is run. Rules are what a run does; cases are faults that were
reported about systems of this kind, by number and section.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
PLACES = ("tests", "runtime/testing")
_NAME = re.compile(r"test_(rule|case)_(\d+)_\w")

RULES: dict[int, str] = {
    1: "a superstep is route, invoke, commit, checkpoint",
    2: "executors run side by side, and the result does not depend on who ends first",
    3: "a step with nothing queued does nothing",
    4: "the first input is a queued, saved message",
    5: "the limit of supersteps is exact, and lasts over restarts",
    6: "a failure ends every sibling and leaves the last barrier",
    7: "after a failure the run resumes; a fresh one is refused until reset",
    8: "a context whose superstep is over refuses",
    9: "cancelling the caller cancels the run at its last barrier",
    10: "a checkpoint that cannot be saved fails the step, or is a visible gap",
    11: "the most specific handler wins",
    12: "the fate of every message is known",
    13: "no two executors hold one mutable payload",
    14: "switch: the first true case, else the default; asked once per message",
    15: "what joins hold is state, under keys that never meet",
    16: "a join is judged after all messages are routed, by its policy",
    17: "a run that rests with a join half full says so and why",
    18: "answers keep the joins, a fresh run empties them, a restore replaces them",
    19: "reads see the barrier and one's own writes; conflicts are errors",
    20: "keys with a leading underscore are refused, state lasts over runs",
    21: "executor state is saved when run and restored at most once",
    22: "requests are in the state, with ids that a replay gives again",
    23: "answers are checked as a whole, used once, and may come in parts",
    24: "before an answer the question is open again; forks answer on their own",
    25: "one barrier for the whole tree of workflows",
    26: "invocations of a child never mix",
    27: "restoring the parent restores every descendant",
    28: "when checkpoints are saved, and that no run is ahead of its store",
    29: "what was given to a store and what it returns is the caller's own",
    30: "restore verifies, then assigns; damage is shown and kept",
    31: "a restored run ends as one that never stopped",
    32: "without a store nothing needs to be encodable",
    33: "callers get events, observers get more, and neither disturbs the run",
}

CASES: dict[str, dict[int, str]] = {
    "runtime": {
        1: "a join's messages survive a rebuild and resume",
        2: "nothing of a failed superstep reaches a join",
        3: "siblings of a failed fan-out target are ended",
        4: "state of two joins is never filed under one key",
        7: "a join in a loop fires every round",
        8: "one executor never handles two messages at once",
        9: "state of a failed superstep is not committed later",
        10: "resuming a finished run starts nobody",
        11: "the first input and answers can be replayed",
        15: "the step limit has one rule",
        16: "a switch predicate that raises is no 'no'",
        18: "conditions are asked once, not per streamed output",
        20: "an answered request of a child is not asked again",
        21: "a child's own state is restored",
        22: "grandchildren are restored",
        23: "overlapping calls of one child keep their answers apart",
        24: "the signature knows what is inside a child",
        26: "open questions are announced after loading",
        29: "parallel questions have ids of their own",
        33: "a meeting point without a join runs twice and is warned of",
        35: "'any' waits for what still runs, not for what was skipped",
        38: "an empty list is a message to a join",
        40: "two sets in flight are not merged",
        41: "reset empties a join",
        43: "two writers of one key: a defined outcome",
        45: "cancelling reaches executors at work",
        48: "a dropped stream does not disturb the next run",
        49: "one workflow runs under several loops",
        52: "the event of an invocation shows the input as it was",
        55: "annotations as text are resolved",
        58: "resume, save, resume, again and again",
        61: "order, ids and bytes are equal in every process",
        63: "an upstream failure ends the run, it never hangs",
        65: "a retried target has its input again",
        66: "parent and child have state of their own",
        67: "a second run on a busy workflow is refused at once",
    },
    "store": {
        68: "what a store returns is not what it keeps",
        69: "a resumed run does not rewrite its checkpoint",
        70: "many saves of one id at once",
        71: "'latest' is lineage, not a clock",
        73: "a newest record that cannot be read is an error, and listed",
        75: "save refuses what load would refuse",
        77: "one run's checkpoints are its own",
        80: "limits mean one thing everywhere",
        81: "one order of lists everywhere",
        83: "reading creates nothing",
        84: "a slow save is not torn by the next step",
        85: "two writers of one medium wait or say busy",
        90: "set-up by many processes at once",
        91: "a NUL in a text is kept",
        93: "deleting a run leaves nothing of it",
        94: "pruning leaves every kept checkpoint whole",
        97: "any id works on any file system",
        100: "bytes do not depend on the machine's encoding",
    },
    "codec": {
        104: "keys of mappings keep their type",
        106: "sets of tuples come back",
        107: "subclasses of mappings come back or are refused",
        109: "integers of any size",
        111: "NaN, infinities and the sign of zero",
        114: "naive dates stay naive",
        115: "an unknown type is an error, never a raw mapping",
        117: "a value that contains itself is refused, a shared one is saved",
        122: "names of types outlive a move; a newer format is refused",
        123: "the library's own messages are known to its codec",
    },
    "security": {
        124: "ids never reach outside the store",
        127: "loading runs nothing and imports nothing",
        130: "one format, and no weaker one to fall back to",
        132: "filters are data, never SQL",
        134: "opening a document runs no code of it",
        135: "no way out of a condition",
        137: "a mark in a record makes only registered values",
    },
    "designer": {
        138: "what nobody did is no undo step",
        141: "a move is undone exactly, in one step",
        142: "copies have ids of their own and no edges to the originals",
        144: "unknown types and fields outlive every edit",
        145: "unknown types, rubbish and megabytes are pasted or refused with words",
        146: "a half-finished file opens, and is refused to run",
        147: "a crash or a full disk leaves the old file or the new one",
        150: "exported diagrams take any id",
        153: "undo leaves nothing selected that is gone, and acts on the tab in front",
    },
    "canvas": {
        155: "everything selected, deleted and undone, again and again",
        158: "what is deleted under the pointer is not hovered any more",
        160: "a drag repaints what moves, and leaves no traces",
        162: "a drag changes the document once, at its end",
    },
    "layout": {
        164: "one node has a place",
        167: "a long chain grows",
        169: "unconnected parts stand side by side",
        170: "a node with loops of its own is laid out",
        172: "a back edge leads to its own node",
        175: "a loop of one node is a loop",
    },
    "packaging": {
        201: "without a display there is one sentence and exit code 1",
        202: "extras are needed only where they are used",
        205: "the wheel holds every file",
    },
}


class Guard(NamedTuple):
    """A test: its file from the project's root, and its name with that of its class."""

    file: str
    name: str

    def __str__(self) -> str:
        return f"{self.file}::{self.name}"


class _Class(NamedTuple):
    file: str
    name: str
    bases: tuple[str, ...]
    tests: tuple[str, ...]


Guards = dict[tuple[str, int], list[Guard]]


def guards(root: Path = ROOT) -> Guards:
    """The tests by what they guard: ("rule" or "case", number)."""
    found: Guards = {}
    for test in _tests(root):
        match = _NAME.match(test.name.rpartition("::")[2])
        if match:
            found.setdefault((match[1], int(match[2])), []).append(test)
    return found


def missing(found: Mapping[tuple[str, int], object]) -> list[str]:
    """What no test guards, as `rule 3` or `case 12 (runtime)`."""
    rules = [f"rule {number}" for number in RULES if ("rule", number) not in found]
    return rules + [
        f"case {number} ({section})"
        for section, titles in CASES.items()
        for number in titles
        if ("case", number) not in found
    ]


def _tests(root: Path) -> Iterator[Guard]:
    """Functions, methods of test classes, and for the classes of a conformance suite
    the classes that inherit them.
    """
    classes: list[_Class] = []
    for path in sorted(
        file for place in PLACES for file in (root / place).rglob("*.py")
    ):
        file = path.relative_to(root).as_posix()
        body = ast.parse(path.read_text(encoding="utf-8")).body
        classes.extend(
            _Class(
                file,
                node.name,
                tuple(map(_last, node.bases)),
                tuple(_functions(node.body)),
            )
            for node in body
            if isinstance(node, ast.ClassDef)
        )
        if path.name.startswith("test_"):
            yield from (Guard(file, name) for name in _functions(body))
    suites = {one.name: one for one in classes if not one.name.startswith("Test")}
    for one in classes:
        if one.name.startswith("Test") and one.file.rpartition("/")[2].startswith(
            "test_"
        ):
            yield from (
                Guard(one.file, f"{one.name}::{name}")
                for name in _inherited(one, suites)
            )


def _inherited(one: _Class, suites: Mapping[str, _Class]) -> list[str]:
    names = dict.fromkeys(one.tests)
    for base in one.bases:
        if base in suites:
            names.update(dict.fromkeys(_inherited(suites[base], suites)))
    return list(names)


def _last(base: ast.expr) -> str:
    return ast.unparse(base).partition("[")[0].rpartition(".")[2]


def _functions(body: Iterable[ast.stmt]) -> list[str]:
    return [
        node.name
        for node in body
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    ]


def _report(found: Guards) -> dict[str, dict[str, dict[str, object]]]:
    def entry(kind: str, number: int, title: str) -> dict[str, object]:
        return {
            "title": title,
            "tests": [str(test) for test in found.get((kind, number), ())],
        }

    rules = {
        str(number): entry("rule", number, title) for number, title in RULES.items()
    }
    cases = {
        section: {
            str(number): entry("case", number, title)
            for number, title in titles.items()
        }
        for section, titles in CASES.items()
    }
    return {"rules": rules, **cases}


def _print(found: Guards) -> None:
    for section, titles in (("rules", RULES), *CASES.items()):
        print(f"\n{section}")  # noqa: T201 - the command's output
        kind = "rule" if section == "rules" else "case"
        for number, title in titles.items():
            lines = _lines(found.get((kind, number), ())) or ["NONE"]
            print(f"{number:>5}  {title}", *lines, sep="\n         ")  # noqa: T201


def _lines(tests: Iterable[Guard]) -> list[str]:
    """One line per test; a test of a suite stands once, with those that inherit it."""
    by_name: dict[str, list[Guard]] = {}
    for test in tests:
        by_name.setdefault(test.name.rpartition("::")[2], []).append(test)
    return [
        f"{name}  [{', '.join(f'{test.file}{_class(test)}' for test in those)}]"
        for name, those in by_name.items()
    ]


def _class(test: Guard) -> str:
    class_name = test.name.rpartition("::")[0]
    return f"::{class_name}" if class_name else ""


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.guards", description=__doc__)
    parser.add_argument("--json", action="store_true", help="the same as JSON")
    wanted = parser.parse_args(arguments)
    found = guards()
    if wanted.json:
        json.dump(
            {**_report(found), "missing": missing(found)},
            sys.stdout,
            indent=1,
            ensure_ascii=False,
        )
    else:
        _print(found)
    lacking = missing(found)
    if lacking:
        print(f"\nNo test guards: {', '.join(lacking)}", file=sys.stderr)  # noqa: T201
    return 1 if lacking else 0


if __name__ == "__main__":
    sys.exit(main())
