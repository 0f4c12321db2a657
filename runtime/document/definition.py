"""A workflow as data: the models of a document.

The designer edits them, and `runtime.loader.build` turns them into a `Workflow`. They
are frozen and keep unknown fields, so that an older program loses nothing of a newer
file. The logic (`WorkflowDefinition`) and the layout are apart, so that moving a node
changes neither what a run does nor the signature of the graph.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from runtime.edges.definition import FAILURE_TYPES, AnyEdge, EdgeDefinition
from runtime.edges.kinds.direct.definition import DirectEdge
from runtime.edges.kinds.fan_in.definition import FanInEdge
from runtime.edges.kinds.fan_in.group import Policy
from runtime.edges.kinds.fan_out.definition import FanOutEdge
from runtime.edges.kinds.multi_selection.definition import MultiSelectionEdge, Selection
from runtime.edges.kinds.on_error.definition import OnErrorEdge
from runtime.edges.kinds.switch.definition import SwitchCase, SwitchEdge
from runtime.policy import (
    MOST_ATTEMPTS,
    MOST_FACTOR,
    MOST_SECONDS,
    FailurePolicy,
    RetryPolicy,
)

__all__ = [
    "FAILURE_TYPES",
    "FILE_FORMAT",
    "FILE_SUFFIX",
    "SHARED_SUFFIX",
    "AnyEdge",
    "DirectEdge",
    "EdgeDefinition",
    "FanInEdge",
    "FanOutEdge",
    "Infos",
    "MultiSelectionEdge",
    "NodeDefinition",
    "NodeInfo",
    "Off",
    "OnErrorEdge",
    "Outputs",
    "Policy",
    "RetryDefinition",
    "Selection",
    "SwitchCase",
    "SwitchEdge",
    "Timeout",
    "WorkflowDefinition",
    "WorkflowFile",
]

FILE_FORMAT = 1
FILE_SUFFIX = ".stepwell.json"
SHARED_SUFFIX = ".stepwell-run"  # of a file with checkpoints for another store
_RETRY = RetryPolicy()  # has the default values

# How a node is switched off. A disabled node takes every message and sends none; a
# bypassed node sends each message on as it came.
Off = Literal["", "disabled", "bypassed"]
# What the outputs of a node are: outputs of the workflow, progress on the way, or
# nothing.
Outputs = Literal["", "intermediate", "none"]


def _trim(workflow: dict[str, Any]) -> dict[str, Any]:
    """Remove fields that came later where they are not set, so that files and
    checkpoints stay as they were before there were such fields.

    This is no serializer of pydantic's, because that would take five times as long.
    """
    _remove_unset(workflow, "reducers", "state_conflicts")
    _remove_none(workflow, "retry", "timeout")
    for node in workflow.get("nodes", ()):
        _remove_unset(node, "off", "outputs")
        _remove_none(node, "retry", "timeout")
    return workflow


def _remove_none(fields: dict[str, Any], *names: str) -> None:
    for name in names:
        if name in fields and fields[name] is None:
            del fields[name]


def _remove_unset(fields: dict[str, Any], *names: str) -> None:
    for name in names:
        if name in fields and not fields[name]:
            del fields[name]


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="allow", defer_build=True)


class RetryDefinition(_Model):
    """The number of attempts, and the seconds between them.
    `runtime.policy.RetryPolicy` has the meaning of each field.
    """

    attempts: int = Field(default=_RETRY.attempts, ge=1, le=MOST_ATTEMPTS)
    backoff: float = Field(
        default=_RETRY.backoff, ge=0, le=MOST_SECONDS, allow_inf_nan=False
    )
    factor: float = Field(
        default=_RETRY.factor, ge=1, le=MOST_FACTOR, allow_inf_nan=False
    )
    max_backoff: float = Field(
        default=_RETRY.max_backoff, ge=0, le=MOST_SECONDS, allow_inf_nan=False
    )
    jitter: float = Field(default=_RETRY.jitter, ge=0, le=1, allow_inf_nan=False)

    def policy(self) -> RetryPolicy:
        return RetryPolicy(
            self.attempts, self.backoff, self.factor, self.max_backoff, self.jitter
        )


# Seconds; 0 means no limit, even where the workflow has one.
Timeout = Annotated[float, Field(ge=0, le=MOST_SECONDS, allow_inf_nan=False)]


class NodeDefinition(_Model):
    """One executor: `type` names an entry of the catalogue, `params` are its
    parameters.

    `name` and `icon` are for people; without them the id and the type's icon are shown.
    `runtime.document.disabled` has the meaning of `off`. Its outputs are outputs of the
    workflow, unless `outputs` makes them progress on the way, or nothing. `retry` and
    `timeout` replace the workflow's; one attempt means no retry, 0 means no time limit.
    """

    id: str = Field(min_length=1)
    type: str
    name: str = ""
    icon: str = ""
    params: dict[str, Any] = Field(default_factory=dict)
    off: Off = ""
    outputs: Outputs = ""
    retry: RetryDefinition | None = None
    timeout: Timeout | None = None

    @property
    def title(self) -> str:
        return self.name if self.name.strip() else self.id


class WorkflowDefinition(_Model):
    """A workflow: nodes, edges, and the node where it starts.

    input             the input of a run that is started without one
    reducers          key of the shared state -> the function that combines what several
                      executors write to it in one superstep: `module:function`, or
                      `module:attribute#key` for that of a workflow in Python
    state_conflicts   without a reducer two values are an error, or the last one counts
    retry, timeout    for nodes that have none of their own; a sub-workflow has its own
    """

    name: str = "workflow"
    description: str = ""
    start: str = ""
    max_supersteps: int = Field(default=100, ge=1)
    input: Any = None
    nodes: tuple[NodeDefinition, ...] = ()
    edges: tuple[AnyEdge, ...] = ()
    reducers: dict[str, str] = Field(default_factory=dict)
    state_conflicts: Literal["", "error", "last"] = ""
    retry: RetryDefinition | None = None
    timeout: Timeout | None = None

    def model_dump(self, **options: Any) -> dict[str, Any]:
        return _trim(super().model_dump(**options))

    def policy_of(self, node: NodeDefinition) -> FailurePolicy:
        """Return what a node does when it fails: by its own fields, or the workflow's."""
        retry = self.retry if node.retry is None else node.retry
        timeout = self.timeout if node.timeout is None else node.timeout
        return FailurePolicy(None if retry is None else retry.policy(), timeout or None)

    def node(self, node_id: str) -> NodeDefinition | None:
        return next((node for node in self.nodes if node.id == node_id), None)


class WorkflowFile(_Model):
    """The content of a `*.stepwell.json` file. `layout` belongs to the designer; the
    runtime keeps it as it is.
    """

    format: int = FILE_FORMAT
    workflow: WorkflowDefinition = Field(default_factory=WorkflowDefinition)
    layout: dict[str, Any] = Field(default_factory=dict)

    def model_dump(self, **options: Any) -> dict[str, Any]:
        file = super().model_dump(**options)
        _trim(file.get("workflow", {}))
        return file


class NodeInfo(_Model):
    """A node type as the palette, forms, the canvas and `check` need it. The catalogue
    makes it, and the debug host sends it to the window.

    inputs, outputs   names of types, such as `str` or `list[Any]`; `Any` fits everything; a
                      type without inputs can only be the start
    params_schema     JSON Schema of the parameters, from their pydantic model
    summary           the parameter whose value the canvas shows as second line, or empty
    figure            `diamond` for a node that only routes and is drawn as its switch
    always_sends      true where every message that it takes leads to one that it sends;
                      false where its code decides
    passes_on         true where it sends the message that it took, unchanged
    sends_many        true where one message may lead to several, as with items of a list
    sink              true where a workflow may end with it, because it yields an output or
                      acts on the outside, or its code may
    reaches_outside   true where its calls do something beyond the run, so that their results
                      are kept in checkpoints
    """

    type: str
    title: str
    category: str
    icon: str
    description: str = ""
    inputs: tuple[str, ...] = ("Any",)
    outputs: tuple[str, ...] = ("Any",)
    params_schema: dict[str, Any] = Field(default_factory=dict)
    summary: str = ""
    figure: Literal["box", "diamond"] = "box"
    always_sends: bool = False
    passes_on: bool = False
    sends_many: bool = False
    sink: bool = True
    reaches_outside: bool = False


Infos = Mapping[str, NodeInfo]  # by type
