"""The superstep board: who worked, how long, and for whom others waited."""

from __future__ import annotations

from typing import Literal

from pydantic import Field
from pydantic.dataclasses import dataclass

from runtime.debug.protocol.packets import RECORD, Model


class BoardArguments(Model):
    """The checkpoints at the end of the supersteps, in the order of the answer."""

    checkpoints: tuple[str, ...] = Field(max_length=64)


class BoardTimesArguments(Model):
    """The supersteps on the way from the input of the run to a checkpoint."""

    checkpoint_id: str


@dataclass(frozen=True, slots=True, kw_only=True, config=RECORD)
class BoardCell:
    """What one executor did in one superstep.

    executor   its id, with the keys of the invocations that lead to it: "review#1/judge"
    started    seconds from the start of the superstep to its first call
    ended      seconds from the start of the superstep to the end of its last call
    seconds    of all its calls together
    failed     (started, seconds) of the attempts that failed
    error      of the last of them; `is_failed` says that no attempt succeeded and an
               error edge took the failure
    received   number of messages
    recorded   number of calls whose recorded result was used; `pinned` of those with a result of the user's
    """

    executor: str
    started: float = 0.0
    ended: float = 0.0
    seconds: float = 0.0
    calls: int = 1
    failed: tuple[tuple[float, float], ...] = ()
    error: str = ""
    is_failed: bool = False
    received: int = 0
    sent: int = 0
    outputs: int = 0
    asked: int = 0
    wrote: tuple[str, ...] = ()
    recorded: int = 0
    pinned: int = 0


@dataclass(frozen=True, slots=True, kw_only=True, config=RECORD)
class BoardArrow:
    """Messages that reached an executor in a superstep, or a join in front of it. They
    were sent in the superstep before.
    """

    kind: Literal["delivered", "buffered", "dropped"]
    source: str
    target: str
    count: int = 1
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True, config=RECORD)
class BoardJoin:
    """A join that holds messages at the end of the superstep: from `have` of `need`
    sources.
    """

    target: str
    have: int
    need: int
    messages: int


def parted(name: str) -> tuple[tuple[str, ...], str]:
    """Return the keys of the invocations that lead to an executor, and its own id."""
    *keys, executor = name.split("/")
    for key in keys:
        owner, mark, number = key.rpartition("#")
        if not owner or not mark or not number.isdecimal():
            return (), name
    return tuple(keys), executor


class BoardColumn(Model):
    """One superstep.

    seconds    of the whole superstep
    own        the supersteps of invocations, by their keys from the outermost on, joined
               by "/"; the last one of those that ended in this superstep too
    damaged    why it cannot be read; "" if it can
    """

    checkpoint_id: str
    superstep: int = 0
    seconds: float = 0.0
    cells: tuple[BoardCell, ...] = ()
    arrows: tuple[BoardArrow, ...] = ()
    held: tuple[BoardJoin, ...] = ()
    own: dict[str, int] = Field(default_factory=dict)
    damaged: str = ""


class BoardBody(Model):
    columns: tuple[BoardColumn, ...] = ()


class BoardTimesBody(Model):
    """Seconds of handlers over a line of supersteps, as far as it was read.

    critical   of the longest handler of each superstep
    others     of all other handlers
    waiting    that the others waited for the longest one, at barriers
    direct     about how long the run would have been if each handler had begun as soon
               as its messages were sent
    complete   false if there is more to read: ask again
    """

    checkpoint_id: str
    supersteps: int = 0
    critical: float = 0.0
    others: float = 0.0
    waiting: float = 0.0
    direct: float = 0.0
    unreadable: int = 0
    complete: bool = True
