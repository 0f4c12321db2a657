"""`breakpoint_here`: code of a handler that stops its run."""

from __future__ import annotations

import asyncio
import concurrent.futures
from collections.abc import Awaitable, Generator
from typing import TYPE_CHECKING, Any

from runtime.executors.delivery import JOB_OF_THREAD
from runtime.executors.effects import DONE

if TYPE_CHECKING:
    from runtime.debug.stops.gate import DebugGate
    from runtime.engine.invoke import Job

# The gates of the hosts in this process, each with its loop.
_ATTACHED: list[tuple[DebugGate, asyncio.AbstractEventLoop]] = []


def attach(gate: DebugGate) -> None:
    """Let `breakpoint_here` stop at this gate, in the loop that runs."""
    _ATTACHED.append((gate, asyncio.get_running_loop()))


def detach(gate: DebugGate) -> None:
    """Let it not stop there any more."""
    _ATTACHED[:] = [entry for entry in _ATTACHED if entry[0] is not gate]


def breakpoint_here() -> Awaitable[None]:
    """Stop the run of this handler here, if a debugger is attached; the window shows the
    delivery. The handler goes on when the user lets the run go on.

    In a coroutine: `await breakpoint_here()`. A plain handler, which runs in a thread,
    only calls it. When the run is stopped meanwhile, it raises `CancelledError`.

    Without a debugger it does nothing. It also does nothing in code that no handler has
    called, and while breakpoints are muted.
    """
    if not _ATTACHED:
        return DONE
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        _stand_in_thread()
        return DONE
    for gate, own_loop in _ATTACHED:
        if own_loop is loop and gate.running_jobs:
            return _Here(gate, _job_of_task(gate))
    return DONE


class _Here(Awaitable[None]):
    """Stands when it is awaited. If nobody awaits it, it is no forgotten coroutine."""

    def __init__(self, gate: DebugGate, job: Job | None) -> None:
        self._gate = gate
        self._job = job

    def __await__(self) -> Generator[Any, None, None]:
        return self._gate.stand_in_code(self._job).__await__()


def _job_of_task(gate: DebugGate) -> Job | None:
    """Return whose handler this is; None if it is not sure, because a handler that made
    a task of its own for this code is one of several that run.
    """
    task = asyncio.current_task()
    running = gate.running_jobs
    for job in running:
        if job.task is task:
            return job
    return running[0] if len(running) == 1 else None


def _stand_in_thread() -> None:
    own_job = JOB_OF_THREAD.get()
    for gate, loop in tuple(_ATTACHED):
        running = gate.running_jobs
        job = next((job for job in running if job is own_job), None)
        if job is None and (own_job is not None or not running):
            continue
        standing = gate.stand_in_code(job)
        try:
            asyncio.run_coroutine_threadsafe(standing, loop).result()
        except concurrent.futures.CancelledError:
            raise asyncio.CancelledError from None
        except RuntimeError:
            # The loop has ended, and nobody waits for this thread.
            standing.close()
        return
