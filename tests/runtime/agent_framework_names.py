"""What agent-framework's workflow names look like: for each name its kind, parameters
and members, without annotations.

Run by a Python that has that package, it writes the file that the tests compare ours
with:

    python tests/runtime/agent_framework_names.py > tests/runtime/agent_framework_names.json
"""

from __future__ import annotations

import dataclasses
import enum
import importlib
import inspect
import json
import sys
import typing
from typing import Any

# All names of its workflow part but those of agents and of its functional API.
NAMES = (
    *(
        "AgentFrameworkException",
        "Case",
        "CheckpointID",
        "CheckpointStorage",
        "DEFAULT_MAX_ITERATIONS",
        "Default",
    ),
    *(
        "Edge",
        "EdgeCondition",
        "EdgeDuplicationError",
        "Executor",
        "FanInEdgeGroup",
        "FanOutEdgeGroup",
    ),
    *(
        "FileCheckpointStorage",
        "FunctionExecutor",
        "GraphConnectivityError",
        "INTERNAL_SOURCE_ID",
    ),
    *(
        "InMemoryCheckpointStorage",
        "InProcRunnerContext",
        "ResponseStream",
        "Runner",
        "RunnerContext",
    ),
    *(
        "SingleEdgeGroup",
        "SubWorkflowRequestMessage",
        "SubWorkflowResponseMessage",
        "SwitchCaseEdgeGroup",
    ),
    *(
        "SwitchCaseEdgeGroupCase",
        "SwitchCaseEdgeGroupDefault",
        "TypeCompatibilityError",
        "ValidationTypeEnum",
    ),
    *(
        "Workflow",
        "WorkflowBuilder",
        "WorkflowCheckpoint",
        "WorkflowCheckpointException",
        "WorkflowContext",
    ),
    *(
        "WorkflowConvergenceException",
        "WorkflowErrorDetails",
        "WorkflowEvent",
        "WorkflowEventSource",
    ),
    *(
        "WorkflowEventType",
        "WorkflowException",
        "WorkflowExecutor",
        "WorkflowInvocationKwargs",
        "WorkflowMessage",
    ),
    *(
        "WorkflowRunResult",
        "WorkflowRunState",
        "WorkflowRunnerException",
        "WorkflowValidationError",
        "WorkflowViz",
    ),
    *(
        "create_edge_runner",
        "executor",
        "handler",
        "register_checkpoint_type",
        "response_handler",
    ),
    "validate_workflow_graph",
)


def described(value: Any) -> Any:
    """The shape of a name, as JSON values."""
    if isinstance(value, type) and value is not str:
        members = {name: _member(value, name) for name in _public(value)}
        if issubclass(value, enum.Enum):
            return {
                "values": {
                    one.name: [one.value, str(one), isinstance(one, str)]
                    for one in value
                }
            }
        return {"call": _call(value), "members": members}
    if inspect.isfunction(value) or inspect.ismethod(value):
        return {"call": _call(value)}
    if typing.get_origin(value) is typing.Literal:
        return {"literal": sorted(typing.get_args(value))}
    return {
        "value": value
        if isinstance(value, int | str)
        else str(getattr(value, "__name__", "other"))
    }


def _public(cls: type) -> list[str]:
    own = [
        one
        for one in cls.__mro__
        if one.__module__
        not in ("builtins", "typing", "abc", "collections.abc", "enum")
    ]
    names = {name for one in own for name in vars(one) if not name.startswith("_")}
    if dataclasses.is_dataclass(cls):
        names |= {
            one.name for one in dataclasses.fields(cls) if not one.name.startswith("_")
        }
    return sorted(names)


def _member(cls: type, name: str) -> Any:
    value = inspect.getattr_static(cls, name, None)
    is_callable = isinstance(value, staticmethod | classmethod) or inspect.isfunction(
        value
    )
    if is_callable:
        return _call(getattr(cls, name), bound=inspect.isfunction(value))
    return "attribute"


def _call(function: Any, *, bound: bool = False) -> list[list[str]] | None:
    """The parameters: name, kind, and the default as text, or nothing."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return None
    return [
        [one.name, one.kind.name, _default(one.default)] for one in parameters[bound:]
    ]


def _default(value: Any) -> str:
    if value is inspect.Parameter.empty:
        return ""
    if value is None or type(value) in (bool, int, float, str):
        return repr(value)
    return "..."


if __name__ == "__main__":
    agent_framework = importlib.import_module("agent_framework")
    found = {name: described(getattr(agent_framework, name)) for name in NAMES}
    lines = ",\n".join(
        f"{json.dumps(name)}: {json.dumps(shape)}" for name, shape in found.items()
    )
    sys.stdout.write(f"{{\n{lines}\n}}\n")
