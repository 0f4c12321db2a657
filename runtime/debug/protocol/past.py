"""Questions to the recorded past: the log, counts, find, and reverse continue."""

from __future__ import annotations

from pydantic import Field

from runtime.debug.protocol.breakpoints import Breakpoint
from runtime.debug.protocol.packets import Model
from runtime.debug.protocol.values import Value

LOG_CHECKPOINTS = 200  # in one question about the log
COUNTED_CHECKPOINTS = 1000  # in one question about counts


class LogArguments(Model):
    """`checkpoints` are the ids of those whose lines are asked for, at most
    `LOG_CHECKPOINTS`. Without them: the last ones on the way to `checkpoint_id`, where
    None means the head of the run as it is now.
    """

    checkpoint_id: str | None = None
    checkpoints: tuple[str, ...] = Field(default=(), max_length=LOG_CHECKPOINTS)


class CountsArguments(Model):
    checkpoints: tuple[str, ...] = Field(max_length=COUNTED_CHECKPOINTS)


class FindArguments(Model):
    """A question to the recorded past, under an `id` of the asker.

    `question` is its text (`runtime.debug.past.query`); else `breakpoint` is applied to the
    past. It is about one run, or about all runs of the workflow that is open. With
    `goes_on`, the question of this id is answered further, with what was saved since.
    """

    id: str
    question: str = ""
    breakpoint: Breakpoint | None = None
    run_id: str | None = None
    goes_on: bool = False


class FindStopArguments(Model):
    id: str


class ReverseArguments(Model):
    """Reverse continue from a checkpoint: to the nearest checkpoint on the way to it,
    not it itself, at which a breakpoint or a question has a hit. Breakpoints with a log
    text do not stop. `find_stop` with the `id` ends the search.
    """

    id: str
    checkpoint_id: str
    breakpoints: tuple[Breakpoint, ...] = ()
    questions: tuple[str, ...] = ()


class CheckpointCounts(Model):
    """What went wrong in the superstep that led to a checkpoint: messages that an edge
    dropped; `lost` of them nobody took; handler calls that failed, although the
    superstep did not; joins that wait for ever.
    """

    checkpoint_id: str
    dropped: int = 0
    lost: int = 0
    failures: int = 0
    starving: int = 0


class CountsBody(Model):
    counts: tuple[CheckpointCounts, ...]


class FindBody(Model):
    """The question as it was understood; `text` says it in the grammar."""

    id: str
    kind: str
    where: str = ""
    condition: str = ""
    text: str = ""


class PastHit(Model):
    """A fact of the past that a question is true for: the checkpoint that its superstep
    led to, the fact in one line, its value and the one before a write. A value that
    the record leaves open is None. `log` is the log text of the question.
    """

    checkpoint_id: str
    run_id: str
    branch: str
    superstep: int
    sequence: int
    kind: str
    path: tuple[str, ...] = ()
    executor: str = ""
    source: str = ""
    edge: str = ""
    key: str = ""
    text: str = ""
    value: Value | None = None
    old: Value | None = None
    log: str = ""


class ReverseBody(Model):
    """The nearest hit, and the id of its breakpoint or the text of its question.

    read         checkpoints that were looked at
    errors       how often a condition could not be evaluated; `error` is the last reason
    complete     False if it was stopped before it found a hit
    """

    hit: PastHit | None = None
    breakpoint: str = ""
    question: str = ""
    read: int = 0
    errors: int = 0
    error: str = ""
    complete: bool = True


class FoundBody(Model):
    """New hits of a question, in the order of their sequence, and how far it was
    answered.

    read         checkpoints that were looked at, of about `of` in all; `unreadable` of them are damaged
    count        hits so far; `left_out` of them are not sent
    errors       how often its condition could not be evaluated; `error` is the last reason
    done         it is answered up to the newest checkpoint
    failed       why it cannot be answered further, or ""
    """

    id: str
    hits: tuple[PastHit, ...] = ()
    read: int = 0
    of: int = 0
    count: int = 0
    left_out: int = 0
    unreadable: int = 0
    errors: int = 0
    error: str = ""
    done: bool = False
    failed: str = ""
