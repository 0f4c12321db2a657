"""A fact: something that happens in a superstep.

Breakpoints look at facts while they happen, questions to the past look at the
recorded ones. Both see the same variables, so a condition means the same in both.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any, Literal, get_args

from runtime.values.records import record

FactKind = Literal[
    "before",
    "after",
    "message",
    "dropped",
    "write",
    "failure",
    "question",
    "answer",
    "fires",
    "starves",
    "output",
    "checkpoint",
]
FACT_KINDS: tuple[FactKind, ...] = get_args(FactKind)

# The variables of a condition, and the field of a fact that each one shows.
VARIABLES: Mapping[str, str] = {
    "kind": "kind",
    "superstep": "superstep",
    "path": "path",
    "executor": "executor",
    "source": "source",
    "target": "executor",
    "edge": "edge",
    "handler": "handler",
    "key": "key",
    "value": "value",
    "message": "value",
    "old": "old",
    "reason": "reason",
    "error": "reason",
    "state": "state",
    "own": "own",
    "attempt": "attempt",
}


class NotRecorded:
    """The value of a fact whose record leaves the value open. CEL does not have it, so
    a condition that names it cannot be evaluated.
    """

    def __repr__(self) -> str:
        return "not recorded"


NOT_RECORDED = NotRecorded()


@record
class Fact:
    """Something that happens in a superstep, with what a condition can see of it.

    `superstep` is that of the outermost run. `path` has the invocation keys that lead
    to the run it happens in, such as `("review#1",)`. `executor` runs, wrote, failed,
    asked or yielded; for a message and a join it is the target. `edge` is an edge
    group.

    `value` is the message (a list of them for a released join), the written value, the
    question, the answer or the output, and `old` the value before a write. `reason`
    says why a message was dropped, how a call failed, or why a join starves.

    `state` and `own` (of the executor alone) are as at the barrier before. For
    "checkpoint" they are as at that barrier itself.
    """

    kind: FactKind
    superstep: int
    path: tuple[str, ...] = ()
    executor: str = ""
    source: str = ""
    edge: str = ""
    handler: str = ""
    key: str = ""
    value: Any = None
    old: Any = None
    reason: str = ""
    state: Mapping[str, Any] = field(default_factory=dict)
    own: Mapping[str, Any] = field(default_factory=dict)
    attempt: int = 1
