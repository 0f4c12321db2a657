"""What an exploration has found, as values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from runtime.checkpoint import CheckpointHeader
from runtime.debug.compare.checkpoints import Change
from runtime.debug.explore.log import Lane
from runtime.debug.explore.orders import Call, Order
from runtime.debug.explore.trial import CallName, Outcome
from runtime.debug.protocol import FindingKind

Phase = Literal["repeat", "orders", "witnesses", "failures"]


class Witness(NamedTuple):
    """An order that comes to an outcome, and when each call was at work."""

    order: Order
    lanes: tuple[Lane, ...]


@dataclass
class Group:
    """The tries that came to one outcome. The first group is that of the fixed order.

    witness      the order that differs least from the fixed one, as far as it was looked for
    recorded_in  the id of a checkpoint in the store that has this outcome, or ""
    changes      what differs from the first group
    """

    outcome: Outcome
    witness: Witness
    tries: int = 1
    recorded_in: str = ""
    changes: list[Change] = field(default_factory=list)


class Finding(NamedTuple):
    """Something that a correct superstep does not do.

    group    for `orders`: the place of the group that differs from the first
    call     whose failure or cancellation was put in, or who swallowed it
    changes  what differs from what should have come
    """

    kind: FindingKind
    text: str
    group: int = 0
    call: CallName | None = None
    changes: tuple[Change, ...] = ()


@dataclass
class Exploration:
    """What is known of the superstep that follows on a checkpoint.

    refused      why it was not explored, or ""
    is_complete  every order of whole calls was tried, and no call waits in between
    disturbed    failures and cancellations that were put in
    notes        what is worth to know besides, in sentences
    """

    header: CheckpointHeader
    calls: Sequence[CallName] = ()
    groups: list[Group] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    tries: int = 0
    disturbed: int = 0
    is_complete: bool = False
    refused: str = ""
    notes: list[str] = field(default_factory=list)

    @property
    def superstep(self) -> int:
        """The number of the superstep that was explored."""
        return self.header.superstep + 1

    def name(self, call: Call) -> CallName:
        """Return the name of a call."""
        return self.calls[self.place(call)]

    def place(self, call: Call) -> int:
        """Return the place of a call in the fixed order."""
        first = 0
        for _ in range(call.job):
            first += self.calls[first].of
        return first + call.delivery


class Progress(NamedTuple):
    """How far an exploration of one superstep is. `planned` may still grow."""

    phase: Phase
    planned: int
    exploration: Exploration
