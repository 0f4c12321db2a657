"""Outputs of a run: kept ones, and those that are coming."""

from __future__ import annotations

from typing import Literal

from runtime.debug.protocol.packets import Model
from runtime.debug.protocol.values import Value

SAID_LIMIT = 8_000  # characters of progress, or of an output, while an executor runs
# kept: in a checkpoint; coming: an output that counts once its superstep is done; told:
# progress, such as the pieces of a streamed answer, and no output; taken_back: it does
# not count, because its superstep failed or was cancelled.
OutputState = Literal["kept", "coming", "told", "taken_back"]


class OutputsArguments(Model):
    """`checkpoint_id` None means the head of the run as it is now."""

    checkpoint_id: str | None = None


class OutputItem(Model):
    """A value that an executor yielded.

    `index` is its place among the outputs of its checkpoint, where `expand` finds
    its children as `output:<index>`. `text` is a text as it is, None for any other
    value; `cut` is how many characters were left out at its end, or at the
    beginning of a text that comes in pieces. `path` has the sub-workflows that lead
    to it. Only an output that is `kept` has a checkpoint and can be expanded; for
    others `index` only tells them apart.
    """

    superstep: int
    executor: str
    checkpoint_id: str
    index: int = 0
    text: str | None = None
    cut: int = 0
    value: Value
    path: tuple[str, ...] = ()
    state: OutputState = "kept"


class OutputsBody(Model):
    """Outputs in the order of yielding. `left_out` is how many earlier ones there
    are, `unreadable` how many checkpoints on the way are damaged;
    `checkpoint_id` is None without a run.
    """

    checkpoint_id: str | None = None
    items: tuple[OutputItem, ...] = ()
    left_out: int = 0
    unreadable: int = 0
