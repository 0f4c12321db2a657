"""Hostile files by the hundred: `python -m tests.hostile [--cases N] [--seed S] [--only
TEXT]`.

Documents, files of sub-workflows, modules, folders of node types, pictures, stores and
typed JSON that are made to harm whoever looks at them: what never ends, what has any
size, what is nested without end, what costs without end. Each is looked at by a command
in a process of its own. It has to end, within bounds of work and memory, run no code of
it, and say what is wrong in a sentence that names the file. Prints what does not; the
exit code is then 1.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter

from tests.hostile.cases import cases
from tests.hostile.trial import fault_of


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.hostile", description=__doc__
    )
    parser.add_argument("--cases", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="cases whose name has this text")
    wanted = parser.parse_args(arguments)
    _warm()
    faults: list[str] = []
    kinds: Counter[str] = Counter()
    tried = [
        case for case in cases(wanted.seed, wanted.cases) if wanted.only in case.name
    ]
    for number, case in enumerate(tried):
        begin = time.monotonic()
        fault = fault_of(case)
        taken = time.monotonic() - begin
        if fault:
            kinds[fault.split(":")[0]] += 1
            faults.append(
                f"{number}: {case.name}\n    {' '.join(case.arguments)[:120]}\n    {fault} ({taken:.1f} s)"
            )
            print(faults[-1], flush=True)  # noqa: T201
        elif taken > 10:
            print(  # noqa: T201
                f"{number}: {case.name}: {' '.join(case.arguments)[:80]}: slow, {taken:.1f} s",
                flush=True,
            )
    print(f"{len(tried)} tried, {len(faults)} faults: {dict(kinds)}")  # noqa: T201
    return 1 if faults else 0


def _warm() -> None:
    """Import what the commands use once, before the processes of the cases are forked."""
    import jsonschema  # noqa: F401
    import networkx as nx  # noqa: F401

    import designer.cli.commands  # noqa: F401
    import runtime.checks.check
    import runtime.cli.report
    import runtime.expressions.cel_library
    import runtime.nodes
    import runtime.stores

    runtime.nodes.catalogue().infos()


if __name__ == "__main__":
    sys.exit(main())
