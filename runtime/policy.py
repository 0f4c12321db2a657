"""Failure policies: how often a failed handler is tried again, after which wait, and
how long an attempt may take.

The rules:

- A policy belongs to an executor, or is the workflow's default for those that have none. A sub-workflow has defaults of
  its own; a `WorkflowExecutor` has no policy, because its inner run spans supersteps.
- Attempts happen within one superstep, one delivery at a time. The work of other executors is never repeated.
- Each attempt begins with no effects, with its own copy of the message, and with the executor's state as it was before
  the delivery: `ctx.executor_state`, or what `on_checkpoint_save` returned. Other attributes are not rolled back.
- After any `Exception` the handler is tried again, also after a time limit and after a person has cancelled the node.
  Not so after the run was cancelled, and after refusals that would be the same each time (`is_tried_again`).
- The time limit holds for each attempt. An async handler is cancelled; a plain function in a thread goes on, and its
  outcome is ignored.
- When no attempt is left, the failure goes along the executor's error edges, if one takes it; else along those of the
  `WorkflowExecutor` around it; else the superstep fails.
- Policies are limits, not logic, so the graph's signature does not contain them.
"""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass
from typing import Any

from runtime.errors import (
    ContextClosedError,
    RecordedFailureError,
    RequestError,
    UnknownTargetError,
    WorkflowCheckpointException,
)

MOST_ATTEMPTS = 100
MOST_SECONDS = 7 * 24 * 3600.0
MOST_FACTOR = 100.0
# Mistakes in the program, which would be the same in each attempt.
_REFUSALS = (
    ContextClosedError,
    RequestError,
    UnknownTargetError,
    WorkflowCheckpointException,
)


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often a handler is called for one message, and how long to wait in between.

    attempts     how many calls in all; 1 means no second attempt
    backoff      seconds before the second attempt
    factor       each further wait is so many times the one before
    max_backoff  the longest wait, in seconds
    jitter       the part, 0 to 1, by which a wait may be shorter. How much follows from executor, superstep and
                 attempt, so that a replay waits equally long
    """

    attempts: int = 3
    backoff: float = 1.0
    factor: float = 2.0
    max_backoff: float = 60.0
    jitter: float = 0.0

    def __post_init__(self) -> None:
        if not isinstance(self.attempts, int) or isinstance(self.attempts, bool):
            raise TypeError(f"attempts is a whole number, not {self.attempts!r}.")
        if not 1 <= self.attempts <= MOST_ATTEMPTS:
            raise ValueError(
                f"attempts must be from 1 to {MOST_ATTEMPTS}, got {self.attempts}."
            )
        _check_number("backoff", self.backoff, 0, MOST_SECONDS)
        _check_number("factor", self.factor, 1, MOST_FACTOR)
        _check_number("max_backoff", self.max_backoff, 0, MOST_SECONDS)
        _check_number("jitter", self.jitter, 0, 1)

    def wait_after(self, attempt: int, seed: str = "") -> float:
        """Return the seconds between this attempt, counted from 1, and the next one."""
        longest = self.max_backoff
        if not self.backoff:
            return 0.0
        # Compared by logarithms, because a large power would overflow.
        exponent = math.log(self.backoff) + (attempt - 1) * math.log(self.factor)
        if longest and exponent > math.log(longest):
            wait = longest
        else:
            wait = self.backoff * self.factor ** (attempt - 1)
        wait = min(wait, longest)
        if self.jitter:
            return wait * (1 - self.jitter * _fraction(f"{seed}:{attempt}"))
        return wait


def _fraction(seed: str) -> float:
    digest = hashlib.sha256(seed.encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:6], "big") / 2**48


@dataclass(frozen=True, slots=True)
class FailurePolicy:
    """What an executor does about failures. `timeout` limits each attempt, in seconds;
    None is no limit.
    """

    retry: RetryPolicy | None = None
    timeout: float | None = None

    def __post_init__(self) -> None:
        if self.retry is not None and not isinstance(self.retry, RetryPolicy):
            raise TypeError(
                f"retry is a RetryPolicy, not {self.retry!r:.80}. Write RetryPolicy(attempts=3)."
            )
        if self.timeout is not None:
            _check_number("timeout", self.timeout, 0, MOST_SECONDS)
            if not self.timeout:
                raise ValueError(
                    "timeout must be more than 0 seconds; leave it out for no limit."
                )

    @property
    def attempts(self) -> int:
        return 1 if self.retry is None else self.retry.attempts

    @property
    def is_needed(self) -> bool:
        """Whether it differs from one attempt without a limit."""
        return self.attempts > 1 or self.timeout is not None


NO_POLICY = FailurePolicy()


def _check_number(name: str, value: Any, least: float, most: float) -> None:
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise TypeError(f"{name} is a number, not {value!r:.80}.")
    # False for NaN too.
    if not least <= value <= most:
        raise ValueError(
            f"{name} must be from {least:g} to {most:g}, got {value!r:.80}."
        )


def is_tried_again(error: BaseException) -> bool:
    """Return False for an error that is no `Exception`, and for a refusal that would be
    the same in each attempt.
    """
    if isinstance(error, RecordedFailureError):
        return error.is_tried_again
    return isinstance(error, Exception) and not isinstance(error, _REFUSALS)
