"""Windows that are killed at any moment, by the hundred: `python -m tests.kills [--times N] [--seed S]`.

A process edits a document, writes its journal and saves, says after each of them that it is done, and is killed at a
random moment. Whatever it had said must be there afterwards: the file whole, and each edit in the file or in what can
be recovered. Prints what was found; the exit code is 1 when something was lost.
"""

from __future__ import annotations

import argparse
import os
import random
import select
import signal
import sys
import tempfile
from pathlib import Path

from PySide6.QtCore import QCoreApplication

from designer.document import Document
from designer.model import edits, files
from designer.model.design import Design
from runtime.errors import DefinitionError

FILLER = "x" * 40_000  # so that there is a while in which a file is being written
LONGEST = 0.04  # s from the first edit to the kill, at most


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.kills", description=__doc__)
    parser.add_argument("--times", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    wanted = parser.parse_args(arguments)
    chance = random.Random(wanted.seed)  # noqa: S311 - to be repeated, not to be secret
    lost, interrupted = [], 0
    for number in range(wanted.times):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            os.environ["STEPWELL_DATA_DIR"] = str(folder / "data")
            files.save(folder / "flow.stepwell.json", numbered(0))
            said = _kill(folder, chance.random() * LONGEST)
            interrupted += bool([*folder.rglob(".*.tmp")])
            lost += [f"{number}: {fault}" for fault in faults(folder, said)]
    print(f"{wanted.times} killed, {interrupted} of them in the middle of writing a file, {len(lost)} lost something")  # noqa: T201
    print(*lost, sep="\n", end="\n" if lost else "")  # noqa: T201
    return 1 if lost else 0


def numbered(number: int) -> Design:
    return edits.set_workflow(Design(), name="w", description=f"{number} {FILLER}")


def number_of(design: Design) -> int:
    if not design.workflow.description.endswith(FILLER):
        raise DefinitionError("only a part is there")
    return int(design.workflow.description.split(" ")[0])


def faults(folder: Path, said: list[str]) -> list[str]:
    """What is not as it was said to be. `said` has `edit N` and `save N`, each after it was done."""
    last = {word: max((int(line.split()[1]) for line in said if line.startswith(word)), default=0) for word in VERBS}
    try:
        saved = number_of(files.load(folder / "flow.stepwell.json"))
        kept = [number_of(entry.design) for entry in Document.recoverable()]
        for backup in (folder / "data" / "backups").rglob("*.json"):
            number_of(files.load(backup))
    except (DefinitionError, OSError) as error:
        return [f"a file is not whole: {error}"]
    found = []
    if not last["save"] <= saved <= last["edit"] + 1:
        found.append(f"{last['save']} was saved, and the file has {saved}")
    if max([saved, *kept]) < last["edit"]:
        found.append(f"edit {last['edit']} was kept, and only {max([saved, *kept])} is there")
    return found


VERBS = ("edit", "save")


def _kill(folder: Path, after: float) -> list[str]:
    """What a window says until it is killed."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _work(folder, writing)
    os.close(writing)
    with os.fdopen(reading, "rb") as said:
        first = said.readline()
        select.select([], [], [], after)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        return [line.decode() for line in (first + said.read()).splitlines(keepends=True) if line.endswith(b"\n")]


def _work(folder: Path, writing: int) -> None:
    """Edit and save until the end. Never returns: what the parent has on its stack is not this process's business."""
    application = QCoreApplication([])
    try:
        document = Document()
        document.open(folder / "flow.stepwell.json")
        for number in range(1, 10_000):
            document.apply("Edit", numbered(number))
            document.flush_journal()
            os.write(writing, f"edit {number}\n".encode())
            if number % 3 == 0:
                document.save()
                os.write(writing, f"save {number}\n".encode())
    finally:
        application.quit()
        os._exit(2)


if __name__ == "__main__":
    sys.exit(main())
