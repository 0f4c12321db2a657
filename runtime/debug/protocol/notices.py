"""Notices of what a moving run does: checkpoints, progress, lines, events."""

from __future__ import annotations

from typing import Literal

from pydantic import Field
from pydantic.dataclasses import dataclass

from runtime.debug.protocol.outputs import OutputItem
from runtime.debug.protocol.packets import RECORD, Model
from runtime.debug.protocol.values import Header


class HeadersBody(Model):
    headers: tuple[Header, ...]


class Attempt(Model):
    """Which attempt of how many an executor makes. After a failed one, its
    `error`, and how long the executor waits.
    """

    number: int
    most: int
    error: str = ""
    wait: float = 0.0


class InsideProgress(Model):
    """The same for a run inside."""

    running: dict[str, float] = Field(default_factory=dict)
    done: dict[str, float] = Field(default_factory=dict)
    attempts: dict[str, Attempt] = Field(default_factory=dict)


class ProgressBody(Model):
    """The superstep that runs now: node states that changed, and supersteps per second
    so far.

    `inside` has the runs of sub-workflows, by their keys from the outermost on,
    joined by "/". `attempts` has the executors that run and may try again. `coming`
    are the newest outputs of the superstep so far, and `left_out` is how many came
    before them.
    """

    superstep: int
    running: dict[str, float] = Field(default_factory=dict)
    done: dict[str, float] = Field(default_factory=dict)
    rate: float = 0.0
    inside: dict[str, InsideProgress] = Field(default_factory=dict)
    attempts: dict[str, Attempt] = Field(default_factory=dict)
    coming: tuple[OutputItem, ...] = ()
    left_out: int = 0


class ConsoleBody(Model):
    category: Literal["stdout", "stderr"]
    text: str


@dataclass(frozen=True, slots=True, kw_only=True, config=RECORD)
class EventItem:
    number: int
    time: float
    kind: str
    superstep: int
    path: tuple[str, ...] = ()
    text: str
    checkpoint_id: str = ""
    executor: str = ""


class EventsBody(Model):
    """`complete` is false for a recorded log that does not reach back to the input
    of the run.
    """

    events: tuple[EventItem, ...]
    left_out: int = 0
    complete: bool = True
