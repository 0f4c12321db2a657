"""The progress of a run on the terminal, and where the prints of the workflow's code
go.
"""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TextIO

from rich.console import Console, Group
from rich.live import Live
from rich.spinner import Spinner
from rich.text import Text

from runtime.debug.protocol import OutputItem
from runtime.debug.session.live_superstep import PendingOutputs
from runtime.events import RunEvent, RunEventKind

_MOST_SHOWN = 4
_PREVIEW = 200
_ENDED = (
    RunEventKind.HANDLER_ENDED,
    RunEventKind.HANDLER_FAILED,
    RunEventKind.HANDLER_CANCELLED,
)


class Progress:
    """Progress on standard error: superstep, rate, running executors, and a line for
    each of the newest outputs. Outputs of the running superstep are marked as not
    committed. Without a terminal it prints nothing.

    failed      the executor whose handler raised first in the superstep that runs
    failure     the type and the text of what it raised
    taken_back  (executor, value): the outputs of that superstep, if it failed
    """

    def __init__(
        self, console: Console, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._clock = clock
        self._began = clock()
        self._spinner = Spinner("dots", style="cyan")
        self._running: dict[str, float] = {}
        self._attempts: dict[str, str] = {}
        self._superstep = self._supersteps = 0
        self.failed: str | None = None
        self.failure = ("", "")
        self.taken_back: list[tuple[str, Any]] = []
        self._pending = PendingOutputs()
        self._committed: tuple[OutputItem, ...] = ()
        self._live: contextlib.AbstractContextManager[object] = contextlib.nullcontext()
        if console.is_terminal:
            self._live = Live(
                console=console,
                get_renderable=self._display,
                refresh_per_second=10,
                transient=True,
            )

    @contextmanager
    def displayed(self) -> Iterator[None]:
        with self._live:
            yield

    def observe(self, event: RunEvent) -> None:
        executor = "/".join((*event.path, str(event.data.get("executor", ""))))
        if event.kind is RunEventKind.SUPERSTEP_ENDED and not event.path:
            coming = (
                item
                for item in self._pending.items(event.superstep)
                if item.state == "coming"
            )
            committed = (item.model_copy(update={"state": "kept"}) for item in coming)
            self._committed = (*self._committed, *committed)[-_MOST_SHOWN:]
            self._supersteps += 1
        self._pending.on_event(event)
        if event.kind is RunEventKind.SUPERSTEP_STARTED and not event.path:
            self._superstep = event.superstep
            self.failed = None
            self.failure = ("", "")
            self._running.clear()
            self._attempts.clear()
            self.taken_back = []
        elif event.kind is RunEventKind.WITHDRAWN and not event.path:
            self.taken_back.append((executor, event.data["value"]))
        elif event.kind is RunEventKind.HANDLER_STARTED:
            self._running.setdefault(executor, self._clock())
            if event.data.get("attempts", 1) > 1:
                self._attempts[executor] = (
                    f" (attempt {event.data['attempt']} of {event.data['attempts']})"
                )
        elif event.kind in _ENDED:
            self._running.pop(executor, None)
            self._attempts.pop(executor, None)
            if (
                event.kind is RunEventKind.HANDLER_FAILED
                and not event.data.get("taken")
                and self.failed is None
            ):
                self.failed = executor
                self.failure = (event.data["error_type"], event.data["error"])

    def line(self) -> str:
        """Return a line such as `superstep 5 · 12 per second · rank_by_reach 3 s,
        age_check`.
        """
        now = self._clock()
        rate = self._supersteps / max(now - self._began, 1e-9)
        digits = 0 if rate >= 10 else 1
        pace = []
        if self._supersteps > 1:
            pace = [f"{rate:,.{digits}f} per second"]
        # Another thread calls this while the loop's thread adds executors, so iterate
        # over a copy.
        names = []
        for name, since in self._running.copy().items():
            seconds = now - since
            duration = f" {seconds:.0f} s" if seconds >= 1 else ""
            names.append(f"{name}{self._attempts.get(name, '')}{duration}")
        if len(names) > _MOST_SHOWN:
            names = [*names[:_MOST_SHOWN], f"{len(names) - _MOST_SHOWN} more"]
        if not self._superstep:
            return "starting"
        running = ", ".join(names) or "saving"
        return " · ".join([f"superstep {self._superstep}", *pace, running])

    def outputs(self) -> list[str]:
        """Return the newest outputs, a line for each."""
        return [
            _output_line(item)
            for item in (*self._committed, *self._pending.items(self._superstep))
        ][-_MOST_SHOWN:]

    def _display(self) -> Group:
        self._spinner.update(text=Text(self.line(), overflow="ellipsis", no_wrap=True))
        rows = [
            Text(f"  {row}", style="dim", overflow="ellipsis", no_wrap=True)
            for row in self.outputs()
        ]
        return Group(self._spinner, *rows)


_MARKS = {"coming": " (not committed yet)", "told": " …", "taken_back": " (taken back)"}


def _output_line(item: OutputItem) -> str:
    """Return the executor, whether the output counts, and its text: the end of
    progress text, the begin of others.
    """
    if item.text is None:
        text = f"{item.value.type} {item.value.text}"
    else:
        text = " ".join(item.text.split())
    preview = text[-_PREVIEW:] if item.state == "told" else text[:_PREVIEW]
    name = "/".join((*item.path, item.executor))
    mark = _MARKS.get(item.state, f" (superstep {item.superstep})")
    return f"{name}{mark}: {preview}"


class OutputRedirection:
    """Send prints of the workflow's code to standard error, because standard
    output is for results only.
    """

    def __init__(self) -> None:
        self._results: tuple[int, TextIO] | None = None

    @contextmanager
    def to_stderr(self) -> Iterator[None]:
        sys.stdout.flush()
        self._results = (os.dup(1), sys.stdout)
        # Redirect the descriptor too, because libraries in C and child processes write
        # past Python.
        os.dup2(2, 1)
        sys.stdout = sys.stderr
        try:
            yield
        finally:
            self.restore()

    def restore(self) -> None:
        """Give standard output back; a second call does nothing."""
        if self._results is not None:
            descriptor, sys.stdout = self._results
            self._results = None
            os.dup2(descriptor, 1)
            os.close(descriptor)
