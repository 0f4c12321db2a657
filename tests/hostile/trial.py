"""One case in a process of its own, which is bounded; and what is wrong with how it
ended.
"""

from __future__ import annotations

import os
import resource
import select
import signal
import sys
import tempfile
import traceback
from pathlib import Path

from tests.hostile.cases import Case

PATIENCE = 60  # seconds, of a machine that may do other things
WORK = 20  # seconds of a processor
MEMORY = 4 * 2**30
_TRACEBACK = "Traceback (most recent call last)"
_FORESEEN = {0, 1, 2, 3, 4}


def fault_of(case: Case) -> str:
    """What is wrong with how a case ended; "" if nothing is."""
    with tempfile.TemporaryDirectory(prefix="hostile-") as name:
        folder = Path(name)
        place = folder / "place"
        said = folder / "said"
        place.mkdir()
        case.make(place)
        child = os.fork()
        if child == 0:
            _be_the_case(case, place, said)
        status = _end_of(child)
        words = said.read_text(errors="replace") if said.exists() else ""
        return _fault(case, status, words, ran=(place / "MARKER").exists())


def _be_the_case(case: Case, place: Path, said: Path) -> None:
    """Never returns."""
    code = 70
    try:
        os.setsid()
        resource.setrlimit(resource.RLIMIT_CPU, (WORK, WORK + 1))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        output = os.open(said, os.O_CREAT | os.O_WRONLY | os.O_APPEND)
        nothing, _writer = os.pipe()  # never closed, never written: who reads it waits
        for number, handle in ((0, nothing), (1, output), (2, output)):
            os.dup2(handle, number)
        sys.stdin = sys.__stdin__
        os.chdir(place)
        os.environ["STEPWELL_DATA_DIR"] = str(said.with_name("data"))
        from designer.cli.commands import main

        code = main(case.arguments)
    except SystemExit as error:
        code = error.code if isinstance(error.code, int) else 71
    except BaseException:  # noqa: BLE001 - it is what is looked for
        traceback.print_exc()
    finally:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        os._exit(code)


def _end_of(child: int) -> int | None:
    """How the child ended; None if it had to be ended."""
    handle = os.pidfd_open(child)
    try:
        ended, _, _ = select.select([handle], [], [], PATIENCE)
        if not ended:
            os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
    finally:
        os.close(handle)
    return status if ended else None


def _fault(case: Case, status: int | None, words: str, *, ran: bool) -> str:
    tail = " | ".join(words.strip().splitlines()[-3:])[-300:]
    if ran:
        return "code ran"
    if status is None:
        return f"did not end in {PATIENCE} s: {tail}"
    if os.WIFSIGNALED(status):
        name = signal.Signals(os.WTERMSIG(status)).name
        if name in ("SIGXCPU", "SIGKILL"):
            return f"took more than {WORK} s of work"
        return f"died by {name}"
    code = os.waitstatus_to_exitcode(status)
    if _TRACEBACK in words:
        return f"ended in a traceback: {tail}"
    if code not in _FORESEEN:
        return f"ended with exit code {code}: {tail}"
    if code and not words.strip():
        return f"ended with exit code {code} and said nothing"
    if code and case.told and case.told not in words:
        return f"does not name {case.told}: {tail}"
    return ""
