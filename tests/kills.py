"""Windows that are killed at any moment, by the hundred: `python -m tests.kills
[--times N] [--seed S]`.

A process edits a document, writes its journal and saves, says after each of them that
it is done, and is killed at a random moment. The next one recovers what that left, or
discards it, and is killed as well. Whatever the first had said must be there
afterwards: the file whole, and each edit in the file, in what can be recovered, or,
where it was discarded, in a backup. Prints what was found; the exit code is 1 when
something was lost.
"""

from __future__ import annotations

import argparse
import os
import random
import select
import signal
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QCoreApplication

from designer.document.document import Document
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
    lost = []
    interrupted = 0
    for number in range(wanted.times):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            os.environ["STEPWELL_DATA_DIR"] = str(folder / "data")
            files.save(folder / "flow.stepwell.json", numbered(0))
            said = _kill(_work, folder, chance.random() * LONGEST)
            lost += [f"{number}: {fault}" for fault in faults(folder, said)]
            for again in (_recover, _discard):
                _kill(again, folder, chance.random() * LONGEST / 4)
                lost += [
                    f"{number}, {again.__name__}: {fault}"
                    for fault in faults(folder, said, later=True)
                ]
            interrupted += bool([*folder.rglob(".*.tmp")])
    print(  # noqa: T201
        f"{wanted.times} killed, {interrupted} of them in the middle of writing a file, {len(lost)} lost something"
    )
    print(*lost, sep="\n", end="\n" if lost else "")  # noqa: T201
    return 1 if lost else 0


def numbered(number: int) -> Design:
    return edits.set_workflow(Design(), name="w", description=f"{number} {FILLER}")


def number_of(design: Design) -> int:
    if not design.workflow.description.endswith(FILLER):
        raise DefinitionError("only a part is there")
    return int(design.workflow.description.split(" ")[0])


def faults(folder: Path, said: list[str], *, later: bool = False) -> list[str]:
    """What is not as it was said to be. `said` has `edit N` and `save N`, each after it
    was done; `later` ones may have put it aside, since somebody said that it is not
    wanted.
    """
    last = {
        word: max(
            (int(line.split()[1]) for line in said if line.startswith(word)), default=0
        )
        for word in VERBS
    }
    try:
        saved = number_of(files.load(folder / "flow.stepwell.json"))
        kept = [number_of(entry.design) for entry in Document.recoverable()]
        aside = [
            number_of(files.load(file))
            for file in (folder / "data" / "backups").rglob("*.json")
        ]
    except (DefinitionError, OSError) as error:
        return [f"a file is not whole: {error}"]
    found = []
    if not last["save"] <= saved <= last["edit"] + 1:
        found.append(f"{last['save']} was saved, and the file has {saved}")
    there = max([saved, *kept, *(aside if later else ())])
    if there < last["edit"]:
        found.append(f"edit {last['edit']} was kept, and only {there} is there")
    return found


VERBS = ("edit", "save")


def _kill(work: Callable[[Path, int], object], folder: Path, after: float) -> list[str]:
    """What a window says that does this, until it is killed."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _until_killed(work, folder, writing)
    os.close(writing)
    with os.fdopen(reading, "rb") as said:
        first = said.readline()
        select.select([], [], [], after)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        return [
            line.decode()
            for line in (first + said.read()).splitlines(keepends=True)
            if line.endswith(b"\n")
        ]


def _until_killed(
    work: Callable[[Path, int], object], folder: Path, writing: int
) -> None:
    """Never returns: what the parent has on its stack is not this process's business."""
    application = QCoreApplication([])
    try:
        work(folder, writing)
    finally:
        application.quit()
        os._exit(2)


def _work(folder: Path, writing: int) -> None:
    """Edit and save until the end."""
    document = Document()
    document.open(folder / "flow.stepwell.json")
    for number in range(1, 10_000):
        document.apply("Edit", numbered(number))
        document.flush_journal()
        os.write(writing, f"edit {number}\n".encode())
        if number % 3 == 0:
            document.save()
            os.write(writing, f"save {number}\n".encode())


def _recover(_folder: Path, writing: int) -> None:
    """Take over what a dead window left, one after the other."""
    os.write(writing, b"begin\n")
    documents = []
    for entry in Document.recoverable():
        documents.append(Document())
        documents[-1].recover(entry)


def _discard(_folder: Path, writing: int) -> None:
    """Put aside what a dead window left."""
    os.write(writing, b"begin\n")
    for entry in Document.recoverable():
        Document.discard(entry)


if __name__ == "__main__":
    sys.exit(main())
