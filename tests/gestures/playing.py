"""A program of steps: drawn from a seed, played, and cut down to what fails."""

from __future__ import annotations

import os
import random
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QMessageLogContext, QtMsgType, qInstallMessageHandler

from tests.gestures import edges, forms, frames, nodes, whole  # noqa: F401 - they register their gestures
from tests.gestures.player import GESTURES, Player, Step
from tests.gestures.rules import check

ALL_EVERY = 100  # steps after which all undo steps are taken back and forth
SHRINKING = 240.0  # s at most
EXPECTED = ("This plugin does not support",)


class FaultError(Exception):
    """What went wrong in a step. `kind` is the same for the same fault."""

    def __init__(self, kind: str, details: str = "") -> None:
        super().__init__(f"{kind}\n{details}".strip())
        self.kind = kind


def steps(seed: int, count: int) -> list[Step]:
    """The steps of a seed; they depend on nothing else."""
    chance = random.Random(seed)  # noqa: S311 - to be repeated
    names = list(GESTURES)
    weights = [gesture.weight for gesture in GESTURES.values()]
    return [
        Step(chance.choices(names, weights)[0], chance.getrandbits(31))
        for _ in range(count)
    ]


def do(player: Player, step: Step) -> None:
    """Do it, and everything that follows of itself. Raises `FaultError`."""
    try:
        player.begin(step.seed)
        before = {
            workspace: workspace.document.root for workspace in player.window.workspaces
        }
        GESTURES[step.name].act(player)
        player.end()
        check(player, before, whole=step.seed % ALL_EVERY == 0)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is what is searched
        raise FaultError(_place_of(error), traceback.format_exc()) from None
    if player.told:
        first = player.told[0]
        raise FaultError(first.strip().splitlines()[-1][:200], "\n".join(player.told))


def play(
    program: Sequence[Step], heard: Callable[[int], None] = lambda _done: None
) -> FaultError | None:
    """Do these steps in a new window; the fault of the last one that was done."""
    told: list[str] = []

    def on_message(kind: QtMsgType, _context: QMessageLogContext, text: str) -> None:
        if kind is not QtMsgType.QtDebugMsg and not text.startswith(EXPECTED):
            told.append(f"Qt: {text}")

    def on_exception(
        kind: type[BaseException], error: BaseException, trace: object
    ) -> None:
        told.append("".join(traceback.format_exception(error)) + _place_of(error))

    with tempfile.TemporaryDirectory(prefix="gestures") as name:
        os.environ["STEPWELL_DATA_DIR"] = str(Path(name, "data"))
        qInstallMessageHandler(on_message)
        sys.excepthook = on_exception
        sys.unraisablehook = lambda args: told.append(f"unraisable: {args.exc_value!r}")
        try:
            player = Player(Path(name), told)
            try:
                for place, step in enumerate(program):
                    heard(place)
                    do(player, step)
            finally:
                player.close()
        except FaultError as fault:
            return fault
        finally:
            qInstallMessageHandler(None)
            sys.excepthook = sys.__excepthook__
            sys.unraisablehook = sys.__unraisablehook__
    return None


def shrink(
    program: list[Step],
    fault: FaultError,
    seconds: float = SHRINKING,
    *,
    replay: Callable[[list[Step]], FaultError | None] = play,
) -> list[Step]:
    """As few of the steps as still have this fault: parts are left out, ever smaller
    ones.
    """
    until = time.monotonic() + seconds

    def fails(steps: list[Step]) -> bool:
        found = replay(steps) if steps and time.monotonic() < until else None
        return found is not None and found.kind == fault.kind

    # mostly it is due to what was done shortly before
    for last in (5, 10, 20, 40, 80, 160):
        if last < len(program) and fails(program[-last:]):
            program = program[-last:]
            break
    size = len(program) // 2
    while size:
        at = 0
        while at < len(program):
            fewer = program[:at] + program[at + size :]
            if fails(fewer):
                program = fewer
            else:
                at += size
        size //= 2
    return program


def _place_of(error: BaseException) -> str:
    """The same for the same fault: its kind, its first line, and where it was raised."""
    if error.__traceback__:
        last = traceback.extract_tb(error.__traceback__)[-1]
    else:
        last = None
    where = f" in {Path(last.filename).name}:{last.name}" if last else ""
    first = (str(error).splitlines() or [""])[0][:120]
    return f"{type(error).__name__}: {first}{where}"
