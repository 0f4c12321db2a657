"""The breakpoints of a host: which there are, which of them a fact hits, and what
became of each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from runtime.debug.breakpoints.armed import ArmedBreakpoint
from runtime.debug.breakpoints.kinds import KINDS, MOMENTS, Kind, Moment
from runtime.debug.breakpoints.verification import drawn, fault_of, fault_of_texts
from runtime.debug.facts.fact import Fact
from runtime.debug.protocol import (
    Breakpoint,
    BreakpointHit,
    BreakpointsBody,
    BreakpointStatus,
    LoggedBody,
)
from runtime.debug.values.shapes import clean

TEXT_LIMIT = 2_000  # characters of a log text, and of what happened


class Hit(NamedTuple):
    """A breakpoint that stops the run. `reason` is that of the stop."""

    reason: str
    details: BreakpointHit


class _Watch:
    """The live breakpoints of one kind, by what their `where` names."""

    def __init__(self, kind: Kind) -> None:
        self.kind = kind
        self.armed: list[ArmedBreakpoint] = []
        self.places: set[str] = set()

    def add(self, armed: ArmedBreakpoint) -> None:
        self.armed.append(armed)
        self.places.add(armed.breakpoint.where)

    def concerns(self, executor_id: str) -> bool:
        """Return False if no breakpoint can be about this executor."""
        if self.kind.place != "executor":
            return True
        return executor_id in self.places or "" in self.places


class Breakpoints:
    """They are kept until others replace them, over any start, restore and open.

    log   is called with each log text
    news  is called when hits or errors have changed
    """

    def __init__(
        self,
        log: Callable[[LoggedBody], None] = lambda _: None,
        news: Callable[[], None] = lambda: None,
    ) -> None:
        self._log = log
        self._news = news
        self._breakpoints: Sequence[Breakpoint] = ()
        self._armed: dict[str, ArmedBreakpoint] = {}
        self._temporary: ArmedBreakpoint | None = None
        self._faults: Mapping[str, str] = {}
        self._watches: Mapping[Moment, Sequence[_Watch]] = {}
        self.is_muted = False
        self._watch()

    # --- which there are --------------------------------------------------------------------------------------------

    @property
    def are_there(self) -> bool:
        return bool(self._breakpoints)

    def replace(self, breakpoints: Sequence[Breakpoint], *, muted: bool) -> None:
        """Have these from now on. One that has not changed keeps its hits."""
        armed: dict[str, ArmedBreakpoint] = {}
        for breakpoint in breakpoints:
            before = self._armed.get(breakpoint.id)
            if before is not None and before.breakpoint == breakpoint:
                armed[breakpoint.id] = before
            elif not fault_of_texts(breakpoint):
                armed[breakpoint.id] = ArmedBreakpoint(breakpoint)
        self._breakpoints = breakpoints
        self._armed = armed
        self.is_muted = muted
        self._watch()

    def stop_once_at(self, breakpoint: Breakpoint | None) -> None:
        """Have a further one that stops the run as "here"; None for none. It also
        stops while the others are muted.
        """
        if breakpoint is None and self._temporary is None:
            return
        self._temporary = (
            None if breakpoint is None else ArmedBreakpoint(breakpoint, "here")
        )
        self._watch()

    def verify(self, definition: Mapping[str, object] | None) -> None:
        """Say anew which of them can be hit, in the workflow of a definition part."""
        workflow = drawn(definition)
        self._faults = {
            breakpoint.id: fault_of(breakpoint, workflow)
            for breakpoint in self._breakpoints
        }

    def _watch(self) -> None:
        watches: dict[str, _Watch] = {}
        for armed in self._live():
            name = armed.breakpoint.kind
            watches.setdefault(name, _Watch(KINDS[name])).add(armed)
        self._watches = {
            moment: tuple(
                watch for watch in watches.values() if watch.kind.moment == moment
            )
            for moment in MOMENTS
        }

    def _live(self) -> Iterable[ArmedBreakpoint]:
        if self._temporary is not None:
            yield self._temporary
        if not self.is_muted:
            yield from (armed for armed in self._armed.values() if armed.is_live)

    # --- what they meet ---------------------------------------------------------------------------------------------

    def has(self, moment: Moment, executor_id: str = "") -> bool:
        """Return True if a breakpoint may be hit at this moment, by this executor if
        one is given.
        """
        watches = self._watches[moment]
        if not watches or not executor_id:
            return bool(watches)
        return any(watch.concerns(executor_id) for watch in watches)

    def judge(
        self, moment: Moment, happening: Any, executor_id: str = ""
    ) -> Hit | None:
        """Look at all facts of what happens, and count and log. Return what stops the
        run: the first hit that does.
        """
        stop: Hit | None = None
        for watch in self._watches[moment]:
            if executor_id and not watch.concerns(executor_id):
                continue
            for fact in watch.kind.facts(happening):
                hit = self._meet(watch, fact)
                stop = stop or hit
        return stop

    def _meet(self, watch: _Watch, fact: Fact) -> Hit | None:
        stop: Hit | None = None
        for armed in watch.armed:
            if not armed.concerns(fact):
                continue
            counts = armed.meets(fact)
            if counts and armed.log is not None:
                self._log(_logged(armed, fact))
            elif counts:
                armed.has_stopped = True
                stop = stop or _hit(armed, fact)
            if armed.has_news:
                armed.has_news = False
                self._news()
        return stop

    # --- what became of them ----------------------------------------------------------------------------------------

    def body(self) -> BreakpointsBody:
        """Return the status of each, in their order."""
        return BreakpointsBody(statuses=tuple(map(self._status, self._breakpoints)))

    def _status(self, breakpoint: Breakpoint) -> BreakpointStatus:
        fault = self._faults.get(breakpoint.id, "")
        armed = self._armed.get(breakpoint.id)
        if armed is None:
            return BreakpointStatus(id=breakpoint.id, verified=False, reason=fault)
        reason = fault
        if not fault and armed.is_spent:
            reason = "It has stopped the run once."
        return BreakpointStatus(
            id=breakpoint.id,
            verified=not fault,
            reason=reason,
            hits=armed.hits,
            error=armed.error,
        )


def _hit(armed: ArmedBreakpoint, fact: Fact) -> Hit:
    details = BreakpointHit(
        id=armed.breakpoint.id,
        kind=armed.breakpoint.kind,
        where=armed.breakpoint.where,
        because=clean(armed.kind.because(fact))[:TEXT_LIMIT],
        hit=armed.hits,
    )
    return Hit(armed.reason, details)


def _logged(armed: ArmedBreakpoint, fact: Fact) -> LoggedBody:
    text = "" if armed.log is None else armed.log.render(fact)
    return LoggedBody(
        breakpoint=armed.breakpoint.id,
        superstep=fact.superstep,
        text=clean(text)[:TEXT_LIMIT],
        path=fact.path,
        executor=fact.executor,
    )
