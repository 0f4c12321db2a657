"""What a call that reached outside did, as a beginning for a pinned result."""

from __future__ import annotations

from runtime.debug.protocol.effects import PinnedResult
from runtime.debug.protocol.packets import Model


class RecordedResultArguments(Model):
    """The call of `executor` in the superstep that led to a checkpoint; of several the
    first. `runs` has the keys of the invocations that lead to it.
    """

    checkpoint_id: str
    executor: str
    runs: tuple[str, ...] = ()


class RecordedResultBody(Model):
    """`note` says, as a sentence, what the result leaves out, or why it is empty."""

    result: PinnedResult = PinnedResult()
    note: str = ""
