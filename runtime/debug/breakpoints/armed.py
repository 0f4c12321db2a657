"""A breakpoint that is looked at while a run goes."""

from __future__ import annotations

from runtime.debug.breakpoints.kinds import KINDS
from runtime.debug.facts.fact import Fact
from runtime.debug.facts.probe import LogText, Probe
from runtime.debug.protocol import Breakpoint


class ArmedBreakpoint:
    """A breakpoint with what it is compiled to, and its hits so far. `has_news` is set
    when hits or errors have changed.

    Raise `ConditionError` for a condition or a log text that does not compile.
    """

    def __init__(self, breakpoint: Breakpoint, reason: str = "breakpoint") -> None:
        self.breakpoint = breakpoint
        self.kind = KINDS[breakpoint.kind]
        self.reason = reason
        self.hits = 0
        self.has_stopped = False
        self.has_news = False
        self._probe = Probe(
            breakpoint.kind,
            breakpoint.where,
            breakpoint.inside,
            breakpoint.run,
            breakpoint.condition,
        )
        self.log = LogText(breakpoint.log) if breakpoint.log else None

    @property
    def is_live(self) -> bool:
        """Whether it is still looked at."""
        return self.breakpoint.enabled and not self.is_spent

    @property
    def is_spent(self) -> bool:
        return self.breakpoint.once and self.has_stopped

    @property
    def error(self) -> str:
        """What its condition or its log text failed with last."""
        log_error = "" if self.log is None else self.log.error
        return self._probe.error or log_error

    def concerns(self, fact: Fact) -> bool:
        """Return True if it is about this kind of fact, at this place."""
        return not self.is_spent and self._probe.concerns(fact)

    def meets(self, fact: Fact) -> bool:
        """Count a fact that it is about. Return True if this hit counts."""
        errors = self._probe.errors
        if not self._probe.holds(fact):
            self.has_news = self.has_news or self._probe.errors > errors
            return False
        self.has_news = True
        self.hits += 1
        match self.breakpoint.hits:
            case "from":
                return self.hits >= self.breakpoint.count
            case "every":
                return self.hits % self.breakpoint.count == 0
            case _:
                return True
