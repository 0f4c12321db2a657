"""Facts of the supersteps before a moment.

Names are as in the traces: in sub-workflows with the keys of the runs before them, such
as `review#1/rank`. `Past.inside` gives the facts of one run with its own names.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, NamedTuple

from runtime.debug.supersteps.message_fates import prefix_of


class When(NamedTuple):
    """A superstep of the outermost run, and the checkpoint that it led to."""

    superstep: int
    checkpoint_id: str


@dataclass(frozen=True, slots=True)
class Past:
    """Facts of earlier supersteps on the same line of checkpoints. Unknown facts are
    left out. Supersteps are those of the outermost run.

    seconds  executor -> how long its last run took
    ran      executor -> the superstep in which it ran last
    errors   executor -> how its last run failed, or empty
    attempts executor -> the most attempts that one message needed
    arrived  (join's edge, source) -> (superstep, messages buffered in it), the newest first
    passed   the same for messages that a join released in the superstep in which they arrived
    fired    join's edge -> superstep in which it fired last
    releases join's edge -> (superstep, counts by source), the newest first
    taken    switch's edge -> (superstep, case) in which it chose last: the place of the case from 0, or "default"
    refused  (edge, target) -> (superstep, reason) of the last message that the edge did not take
    dropped  (edge, source) -> the same by source
    wrote    (executor, key) -> the superstep in which it wrote the key last
    """

    seconds: Mapping[str, float] = field(default_factory=dict)
    arrived: Mapping[tuple[str, str], Sequence[tuple[int, int]]] = field(
        default_factory=dict
    )
    passed: Mapping[tuple[str, str], Sequence[tuple[int, int]]] = field(
        default_factory=dict
    )
    fired: Mapping[str, int] = field(default_factory=dict)
    errors: Mapping[str, str] = field(default_factory=dict)
    attempts: Mapping[str, int] = field(default_factory=dict)
    taken: Mapping[str, tuple[int, str]] = field(default_factory=dict)
    ran: Mapping[str, int] = field(default_factory=dict)
    releases: Mapping[str, Sequence[tuple[When, tuple[int, ...]]]] = field(
        default_factory=dict
    )
    refused: Mapping[tuple[str, str], tuple[int, str]] = field(default_factory=dict)
    dropped: Mapping[tuple[str, str], tuple[int, str]] = field(default_factory=dict)
    wrote: Mapping[tuple[str, str], When] = field(default_factory=dict)

    def inside(self, keys: Sequence[str]) -> Past:
        """Return the facts of a run inside, by its own names."""
        prefix = prefix_of(keys)
        return Past(
            **{
                fact.name: _inside(prefix, getattr(self, fact.name))
                for fact in fields(self)
                if fact.name != "seconds"
            }
        )


NO_PAST = Past()


def _inside(prefix: str, facts: Mapping[Any, Any]) -> dict[Any, Any]:
    inner: dict[Any, Any] = {}
    for name, fact in facts.items():
        if isinstance(name, str):
            if name.startswith(prefix):
                inner[name.removeprefix(prefix)] = fact
        elif name[0].startswith(prefix):
            # Of a pair, the second is a name as well, or a key of the shared state.
            inner[name[0].removeprefix(prefix), name[1].removeprefix(prefix)] = fact
    return inner
