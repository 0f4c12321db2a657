"""What `run` takes for agents. Tools reach every handler; keyword arguments mean something to agents only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class WorkflowInvocationKwargs:
    """agent-framework's wrapper for keyword arguments of agents: those for all, and those of single executors."""

    global_kwargs: Mapping[str, Any] = field(default_factory=dict)
    executor_kwargs: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


InvocationKwargs = WorkflowInvocationKwargs | Mapping[str, Any] | None
Tools = Any | Sequence[Any] | None


def as_list(tools: Tools) -> list[Any] | None:
    """The tools of a run: one alone, or several in a sequence, which may be nested."""
    if tools is None:
        return None
    if isinstance(tools, Sequence) and not isinstance(tools, str | bytes):
        return [one for entry in tools for one in as_list(entry) or ()]
    return [tools]


def refuse_kwargs(**given: InvocationKwargs) -> None:
    """Raises `ValueError` for keyword arguments that nobody here would get."""
    parts: tuple[Any, ...]
    for name, value in given.items():
        parts = (value,)
        if isinstance(value, WorkflowInvocationKwargs):
            parts = (value.global_kwargs, value.executor_kwargs)
        if any(parts):
            raise ValueError(
                f"{name} is handed on to agents, and a workflow here has none: nobody would get it. Put what executors "
                "need into the message or the shared state; `tools` reach them by ctx.get_runtime_tools()."
            )
