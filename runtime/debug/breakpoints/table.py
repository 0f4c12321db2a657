"""The breakpoints of a host: which there are, and what became of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from runtime.debug.breakpoints.verification import drawn, fault_of
from runtime.debug.protocol import Breakpoint, BreakpointsBody, BreakpointStatus


class Breakpoints:
    """They are kept until others replace them, over any start, restore and open."""

    def __init__(self) -> None:
        self._breakpoints: Sequence[Breakpoint] = ()
        self._faults: Mapping[str, str] = {}
        self.is_muted = False

    def replace(self, breakpoints: Sequence[Breakpoint], *, muted: bool) -> None:
        """Have these from now on."""
        self._breakpoints = breakpoints
        self.is_muted = muted

    def verify(self, definition: Mapping[str, object] | None) -> None:
        """Say anew which of them can be hit, in the workflow of a definition part."""
        workflow = drawn(definition)
        self._faults = {
            breakpoint.id: fault_of(breakpoint, workflow)
            for breakpoint in self._breakpoints
        }

    @property
    def are_there(self) -> bool:
        return bool(self._breakpoints)

    def body(self) -> BreakpointsBody:
        """Return the status of each, in their order."""
        return BreakpointsBody(
            statuses=tuple(map(self._status, self._breakpoints)),
        )

    def _status(self, breakpoint: Breakpoint) -> BreakpointStatus:
        fault = self._faults.get(breakpoint.id, "")
        return BreakpointStatus(id=breakpoint.id, verified=not fault, reason=fault)
