"""`Replay`: which calls that reach outside are made again when a run goes on from the
past, and which have a result of the record or of the user.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, cast

if TYPE_CHECKING:
    from runtime.executors.executor import Executor
    from runtime.graph.workflow_graph import WorkflowGraph

Default = Literal["recorded", "live"]
# What happens before a call without a recorded result, as far as the run went before.
OnMiss = Literal["live", "stop", "refuse"]


@dataclass(frozen=True)
class Pin:
    """A result of the user's for every call of an executor.

    sent     what it sends, along all its edges; typed as its handlers declare, where JSON alone is given
    outputs  what it yields
    writes   key of the shared state -> value, or the contribution to a key with a reducer
    error    the text of the error that it raises instead
    """

    sent: tuple[Any, ...] = ()
    outputs: tuple[Any, ...] = ()
    writes: Mapping[str, Any] = field(default_factory=dict)
    error: str = ""

    def __post_init__(self) -> None:
        for name in ("sent", "outputs"):
            # A text would be sent letter by letter.
            if not isinstance(getattr(self, name), list | tuple):
                raise TypeError(f"{name} of a Pin is a tuple of values, such as (12,).")


@dataclass(frozen=True)
class Replay:
    """What the executors do that reach outside, when a run goes on from a checkpoint.

    An executor is named by the ids that lead to it, such as "review/judge". `live` ones
    are called, `pinned` ones have the result given for them. All others have the recorded
    result of a call with the same code, the same messages and the same state; with the
    default "live" they are called.

    on_miss  before a call that has no recorded result although the run went this far before: "live" calls, "refuse"
             raises `OutsideCallError`, "stop" lets the debugger stop there, and without one raises too
    prefer   the id of the checkpoint that the caller comes from: results on the line that leads to it come first
    """

    live: frozenset[str] = frozenset()
    pinned: Mapping[str, Pin] = field(default_factory=dict)
    default: Default = "recorded"
    on_miss: OnMiss = "live"
    prefer: str = ""

    def __post_init__(self) -> None:
        if self.default not in ("recorded", "live"):
            raise ValueError(f"default is 'recorded' or 'live', not {self.default!r}.")
        if self.on_miss not in ("live", "stop", "refuse"):
            raise ValueError(
                f"on_miss is 'live', 'stop' or 'refuse', not {self.on_miss!r}."
            )
        if isinstance(self.live, str):
            raise TypeError(f"live is a set of names, such as {{{self.live!r}}}.")
        for name, pin in self.pinned.items():
            if not isinstance(pin, Pin):
                raise TypeError(f"What '{name}' is pinned to is no Pin(sent=(…,)).")
        both = sorted(set(self.live) & set(self.pinned))
        if both:
            raise ValueError(f"'{both[0]}' cannot be both live and pinned. Choose one.")

    def check(self, workflow: WorkflowGraph) -> None:
        """Raise `ValueError` for a name that is no executor of the workflow that reaches
        outside.
        """
        names = sorted({*self.live, *self.pinned})
        if not names:
            return
        known = dict(reaching_outside(workflow))
        for name in names:
            if name not in known:
                choices = ", ".join(known) or "none"
                raise ValueError(
                    f"'{name}' is no executor that reaches outside. Those of this workflow: {choices}."
                )


RECORDED_REPLAY = Replay()


def reaching_outside(
    workflow: WorkflowGraph, path: tuple[str, ...] = ()
) -> Iterator[tuple[str, Executor]]:
    """Yield the executors that reach outside, here and in sub-workflows, by name."""
    for executor in workflow.executors.values():
        way = (*path, executor.id)
        if executor.wraps_workflow:
            inner = cast("Any", executor).workflow
            yield from reaching_outside(inner, way)
        elif executor.engine_reaches_outside:
            yield "/".join(way), executor
