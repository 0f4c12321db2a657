"""A breakpoint that is looked at while a run goes."""

from __future__ import annotations

from runtime.debug.breakpoints.kinds import KINDS
from runtime.debug.facts import Fact
from runtime.debug.probe import LogText, Probe
from runtime.debug.protocol import Breakpoint


class ArmedBreakpoint:
    """A breakpoint with what it is compiled to, and its hits so far.

    Raise `ConditionError` for a condition or a log text that does not compile.
    """

    def __init__(self, breakpoint: Breakpoint, reason: str = "breakpoint") -> None:
        self.breakpoint = breakpoint
        self.kind = KINDS[breakpoint.kind]
        self.reason = reason
        self.hits = 0
        self.has_stopped = False
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

    @property
    def errors(self) -> int:
        log_errors = 0 if self.log is None else self.log.errors
        return self._probe.errors + log_errors

    def meets(self, fact: Fact) -> bool:
        """Count a fact that it is about. Return True if this hit counts."""
        if not self._probe.matches(fact):
            return False
        self.hits += 1
        match self.breakpoint.hits:
            case "from":
                return self.hits >= self.breakpoint.count
            case "every":
                return self.hits % self.breakpoint.count == 0
            case _:
                return True
