"""The arguments of `run` for agents. Tools reach every handler; keyword arguments are
refused, as they need agents.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class WorkflowInvocationKwargs:
    """agent-framework's wrapper for keyword arguments of agents: for all, and for
    single executors.
    """

    global_kwargs: Mapping[str, Any] = field(default_factory=dict)
    executor_kwargs: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


InvocationKwargs = WorkflowInvocationKwargs | Mapping[str, Any] | None
Tools = Any | Sequence[Any] | None


def as_list(tools: Tools) -> list[Any] | None:
    """Return the tools of a run as a flat list: one alone, or several in a sequence,
    which may be nested.
    """
    if tools is None:
        return None
    if isinstance(tools, Sequence) and not isinstance(tools, str | bytes):
        return [tool for entry in tools for tool in as_list(entry) or ()]
    return [tools]


def refuse_kwargs(**arguments: InvocationKwargs) -> None:
    """Raise `ValueError` for keyword arguments, because there are no agents that could
    get them.
    """
    parts: tuple[Any, ...]
    for name, value in arguments.items():
        parts = (value,)
        if isinstance(value, WorkflowInvocationKwargs):
            parts = (value.global_kwargs, value.executor_kwargs)
        if any(parts):
            raise ValueError(
                f"{name} is for agents, and a workflow here has none, so it would have no effect. Put what executors "
                "need into the message or the shared state; `tools` reach them by ctx.get_runtime_tools()."
            )
