"""A session of the debugger in the terminal: where it looks, and what it is told."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any

from rich.text import Text

from runtime.checkpoint import parent_among
from runtime.cli import report
from runtime.cli.terminal import pages
from runtime.cli.terminal.line import ENDED, Line
from runtime.debug.protocol import (
    Breakpoint,
    BreakpointsArguments,
    BreakpointsBody,
    BreakpointStatus,
    ConsoleBody,
    Header,
    InspectArguments,
    LoggedBody,
    Moment,
    Notice,
    StoppedBody,
    TimelineArguments,
    TimelineBody,
)
from runtime.errors import CommandError

DEPTH = 4
_IN_THE_PAST = (
    "You look at the past, and nothing is run here. Go on from here on a new branch: restore. "
    "Go back to the run: live"
)


class Terminal:
    """What the session knows. `viewing` is the checkpoint that is looked at, None for
    the run as it is now; `inside` leads into sub-workflows, by node or invocation.
    """

    def __init__(self) -> None:
        self.viewing: str | None = None
        self.inside: tuple[str, ...] = ()
        self.stopped: StoppedBody | None = None
        self.breakpoints: dict[str, Breakpoint] = {}
        self.statuses: tuple[BreakpointStatus, ...] = ()
        self.has_left = False
        self._line: Line | None = None
        self._stands = asyncio.Event()
        self._stands.set()
        self._number = 0

    # --- the host ---------------------------------------------------------------------

    @property
    def line(self) -> Line:
        if self._line is None:
            raise CommandError(ENDED)
        return self._line

    def connect(self, line: Line) -> None:
        self._line = line

    async def ask(self, command: str, arguments: Any = None) -> Any:
        return await self.line.ask(command, arguments)

    def on_notice(self, notice: Notice) -> None:
        """Print what the host reports."""
        match notice.event:
            case "stopped":
                self.stopped = StoppedBody.model_validate(notice.body)
                self.print(pages.stop(self.stopped), "bold")
                self._stands.set()
            case "resumed":
                self._stands.clear()
            case "console":
                self.print([ConsoleBody.model_validate(notice.body).text.rstrip()])
            case "logged":
                self.print([f"log: {LoggedBody.model_validate(notice.body).text}"])
            case "breakpoints":
                body = BreakpointsBody.model_validate(notice.body)
                self.print(pages.new_errors(self.statuses, body.statuses), "yellow")
                self.statuses = body.statuses

    def on_end(self) -> None:
        """The program has ended."""
        self._stands.set()
        if not self.has_left:
            self.print([ENDED], "yellow")

    def print(self, lines: Iterable[str], style: str = "") -> None:
        for line in lines:
            report.out.print(Text(line, style=style))

    def complain(self, text: str) -> None:
        """Print what is wrong, in its place among what else is printed."""
        self.print([f"✗ {text}"], "red")

    # --- the run ----------------------------------------------------------------------

    async def move(self, command: str, arguments: Any = None) -> None:
        """Move the run on, and wait until it stands. Raise `CommandError` while the past
        is looked at.
        """
        if self.viewing is not None:
            raise CommandError(_IN_THE_PAST)
        await self.put(command, arguments)

    async def put(self, command: str, arguments: Any = None) -> Any:
        """Move the run, wherever it is looked at, and wait until it stands."""
        self._stands.clear()
        try:
            body = await self.ask(command, arguments)
        except CommandError:
            self._stands.set()
            raise
        self.viewing = None
        await self.until_it_stands()
        return body

    async def until_it_stands(self) -> None:
        """Wait until the run stands. Raise `CommandError` if the program ends."""
        await self._stands.wait()
        if self.line.is_closed:
            raise CommandError(ENDED)

    @property
    def is_moving(self) -> bool:
        return not self._stands.is_set()

    # --- looking ----------------------------------------------------------------------

    @property
    def way(self) -> dict[str, tuple[str, ...]]:
        """The fields of a question that lead inside."""
        nodes = tuple(step.partition("#")[0] for step in self.inside)
        runs = tuple(step if "#" in step else "" for step in self.inside)
        return {"inside": nodes, "runs": runs}

    async def moment(self) -> Moment:
        """What is looked at. Raise `CommandError` if there is no run there."""
        arguments = InspectArguments(
            checkpoint_id=self.viewing, depth=DEPTH, **self.way
        )
        moment: Moment = await self.ask("inspect", arguments)
        if not self.inside:
            return moment
        if moment.inside is None or moment.inside.moment is None:
            raise CommandError(
                f"No run of {'/'.join(self.inside)} is kept at this moment. To leave it: outside"
            )
        return moment.inside.moment

    async def headers(self) -> list[Header]:
        """The checkpoints of the run. Raise `CommandError` if there is none."""
        if self.stopped is None:
            raise CommandError("There is no run yet. To start one: run JSON")
        headers: list[Header] = []
        after = 0
        while True:
            body: TimelineBody = await self.ask(
                "timeline", TimelineArguments(run_id=self.stopped.run_id, after=after)
            )
            headers += body.headers
            if not body.more:
                return headers
            after = body.headers[-1].sequence

    async def line_of_descent(self) -> list[Header]:
        """The checkpoints that lead to where the run is, the oldest first."""
        by_id = {header.id: header for header in await self.headers()}
        head = self.stopped.checkpoint_id if self.stopped is not None else None
        descent: list[Header] = []
        header = by_id.get(head or "")
        while header is not None:
            descent.append(header)
            header = parent_among(header, by_id)
        descent.reverse()
        return descent

    async def look(self, header: Header, *, is_live: bool) -> None:
        """Look at a checkpoint, which runs nothing."""
        self.viewing = None if is_live else header.id
        place = "the run as it is now" if is_live else f"looking at {header.id[:8]}"
        moment = await self.moment()
        self.print([f"□ s{header.superstep} of {header.branch}, {place}"], "bold")
        self.print(pages.where(moment, None))

    # --- breakpoints ------------------------------------------------------------------

    def next_number(self) -> int:
        """The number for a new breakpoint; those of deleted ones are not used again."""
        return self._number + 1

    async def set_breakpoints(self, breakpoints: dict[str, Breakpoint]) -> None:
        body: BreakpointsBody = await self.ask(
            "breakpoints",
            BreakpointsArguments(breakpoints=tuple(breakpoints.values())),
        )
        self.breakpoints = breakpoints
        self._number = max([self._number, *map(int, breakpoints)])
        self.statuses = body.statuses
