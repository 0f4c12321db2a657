"""What people see while a run goes on: one line on the terminal. And where the output of the workflow's code goes."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

from rich.console import Console
from rich.live import Live
from rich.spinner import Spinner
from rich.text import Text

from runtime.events import RunEvent, RunEventKind

_SHOWN = 4
_ENDED = (RunEventKind.HANDLER_ENDED, RunEventKind.HANDLER_FAILED, RunEventKind.HANDLER_CANCELLED)


class Progress:
    """One line on standard error: superstep, rate, who runs. Silent where that is no terminal.

    `failed` is the executor whose handler raised first in the superstep that runs.
    """

    def __init__(self, console: Console, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._began = clock, clock()
        self._spinner = Spinner("dots", style="cyan")
        self._running: dict[str, float] = {}
        self._superstep = self._supersteps = 0
        self.failed: str | None = None
        self._live = (
            Live(console=console, get_renderable=self._shown, refresh_per_second=10, transient=True)
            if console.is_terminal
            else contextlib.nullcontext()
        )

    @contextmanager
    def shown(self) -> Iterator[None]:
        with self._live:
            yield

    def observe(self, event: RunEvent) -> None:
        who = "/".join((*event.path, str(event.data.get("executor", ""))))
        if event.kind is RunEventKind.SUPERSTEP_STARTED and not event.path:
            self._superstep, self.failed = event.superstep, None
            self._running.clear()
        elif event.kind is RunEventKind.HANDLER_STARTED:
            self._running[who] = self._clock()
        elif event.kind in _ENDED:
            self._running.pop(who, None)
            if event.kind is RunEventKind.HANDLER_FAILED:
                self.failed = self.failed or who
        elif event.kind is RunEventKind.SUPERSTEP_ENDED and not event.path:
            self._supersteps += 1

    def line(self) -> str:
        """Such as `superstep 5 · 12 per second · rank_by_reach 3 s, age_check`."""
        now = self._clock()
        rate = self._supersteps / max(now - self._began, 1e-9)
        pace = [f"{rate:,.0f} per second" if rate >= 10 else f"{rate:.1f} per second"] if self._supersteps > 1 else []
        # Other threads read what the loop's thread writes: a copy does not change while it is walked.
        running = [
            name + (f" {now - since:.0f} s" if now - since >= 1 else "") for name, since in [*self._running.items()]
        ]
        more = [f"{len(running) - _SHOWN} more"] if len(running) > _SHOWN else []
        who = ", ".join([*running[:_SHOWN], *more]) or "saving"
        return " · ".join([f"superstep {self._superstep}", *pace, who] if self._superstep else ["starting"])

    def _shown(self) -> Spinner:
        self._spinner.update(text=Text(self.line(), overflow="ellipsis", no_wrap=True))
        return self._spinner


class OwnOutput:
    """What the workflow's code prints goes to standard error: standard output has the results and nothing else."""

    def __init__(self) -> None:
        self._results: tuple[int, TextIO] | None = None

    @contextmanager
    def aside(self) -> Iterator[None]:
        sys.stdout.flush()
        self._results = (os.dup(1), sys.stdout)
        os.dup2(2, 1)  # also for what writes past Python: libraries in C, child processes
        sys.stdout = sys.stderr
        try:
            yield
        finally:
            self.restore()

    def restore(self) -> None:
        """Give standard output back; a second time does nothing."""
        if self._results is not None:
            (descriptor, sys.stdout), self._results = self._results, None
            os.dup2(descriptor, 1)
            os.close(descriptor)
