"""The phases of a run as the window knows them, and what may follow on what.

                  REQUEST                    RESUMED
    STANDING ───────────────▶ REQUESTED ───────────────▶ RUNNING
       ▲  ▲                    │    │                     │   │
       │  └── REPLIED, REFUSED ┘    │ STOP           STOP │   │ STOPPED, LOST
       │                            ▼        RESUMED      ▼   │
       │                        CANCELLING ──────────▶ STOPPING
       │                            │                     │   │
       └────────────────────────────┴── STOPPED, LOST ────┴───┘

From each phase CLOSE leads to CLOSED, where the session stays, and FORGET leads to
STANDING. RESUMED leads from STANDING to RUNNING too, because the host reports what is
the case, and not only what it was asked for: its reply to `start` comes before the run
moves. Replies that arrive late change nothing, because the host reported meanwhile what
came of the command.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, auto
from types import MappingProxyType


class RunPhase(Enum):
    """What the run does.

    STANDING    nothing moves: there is no run, or it stands at its newest checkpoint
    REQUESTED   a command that starts or moves the run has no reply yet
    CANCELLING  `stop` was sent before the run moved
    RUNNING     the host runs supersteps
    STOPPING    `stop` was sent while the host runs supersteps
    CLOSED      the window is closed, and whatever the host still reports is ignored
    """

    STANDING = auto()
    REQUESTED = auto()
    CANCELLING = auto()
    RUNNING = auto()
    STOPPING = auto()
    CLOSED = auto()


class RunEvent(Enum):
    """What leads from one phase to the next.

    of the window      REQUEST  a command that starts or moves the run is on its way
                       STOP     the run shall stop
                       FORGET   the document was replaced, and its run is no longer shown
                       CLOSE    the window closes
    of the debug host  REPLIED  it accepted the command
                       REFUSED  it did not, or the command could not be sent
                       RESUMED  the run moves
                       STOPPED  the run stands
                       LOST     the host ended
    """

    REQUEST = auto()
    STOP = auto()
    FORGET = auto()
    CLOSE = auto()
    REPLIED = auto()
    REFUSED = auto()
    RESUMED = auto()
    STOPPED = auto()
    LOST = auto()


class PhaseError(RuntimeError):
    """An event has no transition in the present phase: a mistake of the window."""

    def __init__(self, phase: RunPhase, event: RunEvent) -> None:
        super().__init__(f"{event.name} has no meaning while the run is {phase.name}.")
        self.phase = phase
        self.event = event


_P = RunPhase
_E = RunEvent

_ROWS: dict[RunPhase, dict[RunEvent, RunPhase]] = {
    _P.STANDING: {
        _E.REQUEST: _P.REQUESTED,
        _E.REPLIED: _P.STANDING,
        _E.REFUSED: _P.STANDING,
        _E.RESUMED: _P.RUNNING,
        _E.STOPPED: _P.STANDING,
        _E.LOST: _P.STANDING,
    },
    _P.REQUESTED: {
        _E.STOP: _P.CANCELLING,
        _E.REPLIED: _P.STANDING,
        _E.REFUSED: _P.STANDING,
        _E.RESUMED: _P.RUNNING,
        _E.STOPPED: _P.STANDING,
        _E.LOST: _P.STANDING,
    },
    # The reply to the command does not end the wait, because the host always answers
    # `stop` by STOPPED; a host that does not is killed.
    _P.CANCELLING: {
        _E.REPLIED: _P.CANCELLING,
        _E.REFUSED: _P.CANCELLING,
        _E.RESUMED: _P.STOPPING,
        _E.STOPPED: _P.STANDING,
        _E.LOST: _P.STANDING,
    },
    _P.RUNNING: {
        _E.STOP: _P.STOPPING,
        _E.REPLIED: _P.RUNNING,
        _E.REFUSED: _P.RUNNING,
        _E.RESUMED: _P.RUNNING,
        _E.STOPPED: _P.STANDING,
        _E.LOST: _P.STANDING,
    },
    _P.STOPPING: {
        _E.REPLIED: _P.STOPPING,
        _E.REFUSED: _P.STOPPING,
        _E.RESUMED: _P.STOPPING,
        _E.STOPPED: _P.STANDING,
        _E.LOST: _P.STANDING,
    },
}

TRANSITIONS: Mapping[tuple[RunPhase, RunEvent], RunPhase] = MappingProxyType(
    {
        (phase, event): then
        for phase, row in _ROWS.items()
        for event, then in row.items()
    }
    | {(phase, _E.FORGET): _P.STANDING for phase in _ROWS}
    | {(phase, _E.CLOSE): _P.CLOSED for phase in _ROWS}
    | {(_P.CLOSED, event): _P.CLOSED for event in RunEvent}
)


class RunState:
    """The phase of one run. Only `take` changes it."""

    def __init__(self) -> None:
        self._phase = RunPhase.STANDING

    @property
    def phase(self) -> RunPhase:
        return self._phase

    @property
    def is_standing(self) -> bool:
        return self._phase is RunPhase.STANDING

    @property
    def is_requested(self) -> bool:
        """Whether a command that starts or moves the run has no reply yet."""
        return self._phase in (RunPhase.REQUESTED, RunPhase.CANCELLING)

    @property
    def is_running(self) -> bool:
        """Whether the host runs supersteps."""
        return self._phase in (RunPhase.RUNNING, RunPhase.STOPPING)

    @property
    def is_stopping(self) -> bool:
        """Whether `stop` was sent, and the host has not answered it yet."""
        return self._phase in (RunPhase.CANCELLING, RunPhase.STOPPING)

    @property
    def is_closed(self) -> bool:
        return self._phase is RunPhase.CLOSED

    def take(self, event: RunEvent) -> None:
        """Follow the transition of an event. Raise `PhaseError` where there is none."""
        key = (self._phase, event)
        if key not in TRANSITIONS:
            raise PhaseError(*key)
        self._phase = TRANSITIONS[key]
