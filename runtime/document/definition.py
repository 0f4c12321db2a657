"""A workflow as data: what a document holds, what the designer edits, and what `build` turns into a `Workflow`.

The models are frozen; unknown fields are kept, so that an older program loses nothing of a newer file. Logic
(`WorkflowDefinition`) and layout stand apart: moving a node never changes what a run does, nor the signature.
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
    "edge_pairs",
]

FILE_FORMAT = 1
FILE_SUFFIX = ".stepwell.json"
_RETRY = RetryPolicy()  # for what it has by default

# How a node is switched off: it takes every message and sends none, or sends each on as it came.
Off = Literal["", "disabled", "bypassed"]


Outputs = Literal["", "intermediate", "none"]


def _trimmed(workflow: dict[str, Any]) -> dict[str, Any]:
    """Fields that came later are written only where they are set: files, and what checkpoints carry, stay as they were
    before there were such. A serializer of pydantic's would take five times as long as all the rest.
    """
    _without_unset(workflow, "reducers", "state_conflicts")
    _trim_policy(workflow)
    for node in workflow.get("nodes", ()):
        _without_unset(node, "off", "outputs")
        _trim_policy(node)
    return workflow


def _trim_policy(made: dict[str, Any]) -> None:
    for name in ("retry", "timeout"):
        if made.get(name, 0) is None:
            del made[name]


def _without_unset(made: dict[str, Any], *names: str) -> None:
    for name in names:
        if not made.get(name):
            made.pop(name, None)


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="allow")


class RetryDefinition(_Model):
    """Attempts in all, and the wait between them in seconds: `runtime.policy.RetryPolicy` says what each means."""

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


# Seconds; 0 is no limit, also where the workflow has one.
Timeout = Annotated[float, Field(ge=0, le=MOST_SECONDS, allow_inf_nan=False)]


class NodeDefinition(_Model):
    """One executor: `type` names an entry of the catalogue, `params` are its parameters.

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


def edge_pairs(edge: EdgeDefinition) -> tuple[tuple[str, str], ...]:
    """Return all source -> target pairs of an edge, in declared order."""
    return edge.pairs


class WorkflowDefinition(_Model):
    """A workflow: nodes, edge groups, where it starts. `input` is what a run gets when it is given nothing else.

    `reducers` name for keys of the shared state the function that combines what is written to one in one superstep:
    `module:function`, or `module:attribute#key`, that of a workflow in Python. Where there is none, two values are
    an error, or the later executor's counts (`state_conflicts`). `retry` and `timeout` are what nodes do when they fail
    that say nothing else; a sub-workflow has its own.
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
        return _trimmed(super().model_dump(**options))

    def policy_of(self, node: NodeDefinition) -> FailurePolicy:
        """What a node does when it fails: its own, or what the workflow says."""
        retry = self.retry if node.retry is None else node.retry
        timeout = self.timeout if node.timeout is None else node.timeout
        return FailurePolicy(None if retry is None else retry.policy(), timeout or None)

    def node(self, node_id: str) -> NodeDefinition | None:
        return next((node for node in self.nodes if node.id == node_id), None)


class WorkflowFile(_Model):
    """What a `*.stepwell.json` file holds. `layout` belongs to the designer; the runtime keeps it and looks away."""

    format: int = FILE_FORMAT
    workflow: WorkflowDefinition = Field(default_factory=WorkflowDefinition)
    layout: dict[str, Any] = Field(default_factory=dict)

    def model_dump(self, **options: Any) -> dict[str, Any]:
        made = super().model_dump(**options)
        _trimmed(made.get("workflow", {}))
        return made


class NodeInfo(_Model):
    """What palette, form, canvas and `check` need to know of a node type; made by the catalogue, sent by the host.

    inputs, outputs   type names, such as `str` or `list[Any]`; `Any` fits everything; no inputs means it only starts
    params_schema     JSON Schema of the parameters, from their pydantic model
    summary           name of the parameter whose value the canvas shows as second line, or empty
    figure            `box`, or `diamond` for a node that only routes and is drawn as its switch
    always_sends      every message that it takes leads to one that it sends; false where its code decides
    passes_on         what it sends is the message that it took, unchanged
    sends_many        one message may lead to several that it sends, as with the items of a list
    sink              a workflow may end with it: it yields an output or acts on the outside, or its code may
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


Infos = Mapping[str, NodeInfo]  # by type
