"""The order in which a caller hears of an executor: what it yielded and asked, then that it completed.

Requests are told at the barrier, since a failed superstep has none; so are outputs, unless they are streamed (see
`runtime.engine.live_outputs`). So the event that closes their handler is held until then, and with it what that
executor does
afterwards in the superstep.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from runtime.events import WorkflowEvent

if TYPE_CHECKING:
    from runtime.engine.sub_runs import Frame
    from runtime.executors.effects import Effects


class HeldEvents:
    """Events of one superstep that wait for the barrier, by executor; before each the effects that are told first."""

    def __init__(self) -> None:
        self.waiting: dict[str, list[WorkflowEvent | Effects]] = {}

    def keeps(self, executor_id: str, event: WorkflowEvent) -> bool:
        """Keep an event if others of its executor wait already, and say so."""
        waiting = self.waiting.get(executor_id)
        if waiting is None:
            return False
        waiting.append(event)
        return True

    def keep(self, executor_id: str, effects: Effects, event: WorkflowEvent) -> None:
        """Keep the end of a handler until its outputs and requests are told."""
        self.waiting.setdefault(executor_id, []).extend((effects, event))

    def released(self, root: Frame) -> Iterator[tuple[str, WorkflowEvent | Effects]]:
        """At the barrier, in the order of the definition: what is to be told of each executor and its children."""
        for done in root.all_done():
            for one in (
                *self.waiting.pop(done.executor_id, ()),
                *done.effects[done.deliveries :],
            ):
                yield done.executor_id, one

    def given_up(self) -> Iterator[WorkflowEvent]:
        """After a failure: the events alone."""
        waiting = self.waiting
        self.waiting = {}
        for kept in waiting.values():
            yield from (one for one in kept if isinstance(one, WorkflowEvent))
