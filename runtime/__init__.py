"""Stepwell's runtime: workflows of message-passing executors, run in supersteps. The
public names, loaded when used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

# Public name -> module. A name is imported when it is first used: a program pays for
# what it takes.
_HOMES: dict[str, str] = {
    **dict.fromkeys(
        (
            "Executor",
            "FunctionExecutor",
            "WorkflowContext",
            "executor",
            "handler",
            "response_handler",
        ),
        "runtime.executors.executor",
    ),
    **dict.fromkeys(
        (
            *(
                "Case",
                "Default",
                "Edge",
                "EdgeCondition",
                "EdgeGroup",
                "FanInEdgeGroup",
                "FanOutEdgeGroup",
            ),
            *(
                "MultiSelectionEdgeGroup",
                "OnErrorEdgeGroup",
                "SingleEdgeGroup",
                "SwitchCaseEdgeGroup",
            ),
            *("SwitchCaseEdgeGroupCase", "SwitchCaseEdgeGroupDefault"),
        ),
        "runtime.edges",
    ),
    **dict.fromkeys(
        (
            *(
                "Observer",
                "RunEvent",
                "RunEventKind",
                "WorkflowErrorDetails",
                "WorkflowEvent",
                "WorkflowEventSource",
            ),
            *("WorkflowEventType", "WorkflowRunResult", "WorkflowRunState"),
        ),
        "runtime.events",
    ),
    **dict.fromkeys(
        (
            *(
                "AgentFrameworkException",
                "CheckpointConflictError",
                "CheckpointDamagedError",
                "CheckpointKeptError",
                "CheckpointNotFoundError",
            ),
            *(
                "CheckpointStoreError",
                "CodecError",
                "ConditionError",
                "ContextClosedError",
                "DecodeError",
            ),
            *(
                "DefinitionError",
                "EdgeDuplicationError",
                "EncodeError",
                "GraphConnectivityError",
            ),
            *("ExecutorCancelledError", "ExecutorTimeoutError"),
            *(
                "InvalidSelectionError",
                "NestingError",
                "RequestError",
                "SignatureMismatchError",
                "StateConflictError",
            ),
            *(
                "TypeCompatibilityError",
                "UnknownTargetError",
                "ValidationTypeEnum",
                "WorkflowCheckpointException",
            ),
            *(
                "WorkflowConvergenceException",
                "WorkflowException",
                "WorkflowRunnerException",
                "WorkflowValidationError",
            ),
        ),
        "runtime.errors",
    ),
    **dict.fromkeys(
        ("Cause", "Checkpoint", "CheckpointHeader", "CheckpointStore", "RunSummary"),
        "runtime.checkpoint",
    ),
    **dict.fromkeys(("ExecutorRecord", "RunState", "Trace"), "runtime.state"),
    **dict.fromkeys(("FailurePolicy", "RetryPolicy"), "runtime.policy"),
    **dict.fromkeys(
        ("ExecutorFailure", "MessageType", "Request", "WorkflowMessage"),
        "runtime.message",
    ),
    **dict.fromkeys(
        ("InProcRunnerContext", "RunnerContext", "State"),
        "runtime.executors.runner_context",
    ),
    **dict.fromkeys(
        ("CheckpointID", "CheckpointStorage", "WorkflowCheckpoint"),
        "runtime.checkpoints.storage",
    ),
    **dict.fromkeys(
        (
            "FileCheckpointStorage",
            "InMemoryCheckpointStorage",
            "StoreCheckpointStorage",
            "register_checkpoint_type",
        ),
        "runtime.agent_framework.storages",
    ),
    **dict.fromkeys(
        ("SubWorkflowRequestMessage", "SubWorkflowResponseMessage", "WorkflowExecutor"),
        "runtime.workflow.sub_workflow",
    ),
    "ResponseStream": "runtime.engine.stream:WorkflowStream",
    "WorkflowInvocationKwargs": "runtime.agent_framework.run_arguments",
    "create_edge_runner": "runtime.agent_framework.edge_runner",
    "INTERNAL_SOURCE_ID": "runtime.message:internal_source_id",
    "DEFAULT_MAX_ITERATIONS": "runtime.graph.workflow_graph",
    "Runner": "runtime.engine.runner",
    **dict.fromkeys(("Pin", "Replay"), "runtime.engine.replay.settings"),
    "reaches_outside": "runtime.executors.outside",
    "Workflow": "runtime.workflow.workflow",
    "WorkflowBuilder": "runtime.workflow.builder",
    "WorkflowStream": "runtime.engine.stream",
    "WorkflowViz": "runtime.export.viz",
    "open_store": "runtime.stores",
    "validate_workflow_graph": "runtime.graph.graph_checks",
}

__all__ = list(_HOMES)

if TYPE_CHECKING:
    from runtime.agent_framework.edge_runner import (
        create_edge_runner as create_edge_runner,
    )
    from runtime.agent_framework.run_arguments import (
        WorkflowInvocationKwargs as WorkflowInvocationKwargs,
    )
    from runtime.agent_framework.storages import (
        FileCheckpointStorage as FileCheckpointStorage,
    )
    from runtime.agent_framework.storages import (
        InMemoryCheckpointStorage as InMemoryCheckpointStorage,
    )
    from runtime.agent_framework.storages import (
        StoreCheckpointStorage as StoreCheckpointStorage,
    )
    from runtime.agent_framework.storages import (
        register_checkpoint_type as register_checkpoint_type,
    )
    from runtime.checkpoint import Cause as Cause
    from runtime.checkpoint import Checkpoint as Checkpoint
    from runtime.checkpoint import CheckpointHeader as CheckpointHeader
    from runtime.checkpoint import CheckpointStore as CheckpointStore
    from runtime.checkpoint import RunSummary as RunSummary
    from runtime.checkpoints.storage import CheckpointID as CheckpointID
    from runtime.checkpoints.storage import CheckpointStorage as CheckpointStorage
    from runtime.checkpoints.storage import WorkflowCheckpoint as WorkflowCheckpoint
    from runtime.edges import Case as Case
    from runtime.edges import Default as Default
    from runtime.edges import Edge as Edge
    from runtime.edges import EdgeCondition as EdgeCondition
    from runtime.edges import EdgeGroup as EdgeGroup
    from runtime.edges import FanInEdgeGroup as FanInEdgeGroup
    from runtime.edges import FanOutEdgeGroup as FanOutEdgeGroup
    from runtime.edges import MultiSelectionEdgeGroup as MultiSelectionEdgeGroup
    from runtime.edges import OnErrorEdgeGroup as OnErrorEdgeGroup
    from runtime.edges import SingleEdgeGroup as SingleEdgeGroup
    from runtime.edges import SwitchCaseEdgeGroup as SwitchCaseEdgeGroup
    from runtime.edges import SwitchCaseEdgeGroupCase as SwitchCaseEdgeGroupCase
    from runtime.edges import SwitchCaseEdgeGroupDefault as SwitchCaseEdgeGroupDefault
    from runtime.engine.replay.settings import Pin as Pin
    from runtime.engine.replay.settings import Replay as Replay
    from runtime.engine.runner import Runner as Runner
    from runtime.engine.stream import WorkflowStream as WorkflowStream
    from runtime.errors import AgentFrameworkException as AgentFrameworkException
    from runtime.errors import CheckpointConflictError as CheckpointConflictError
    from runtime.errors import CheckpointDamagedError as CheckpointDamagedError
    from runtime.errors import CheckpointKeptError as CheckpointKeptError
    from runtime.errors import CheckpointNotFoundError as CheckpointNotFoundError
    from runtime.errors import CheckpointStoreError as CheckpointStoreError
    from runtime.errors import CodecError as CodecError
    from runtime.errors import ConditionError as ConditionError
    from runtime.errors import ContextClosedError as ContextClosedError
    from runtime.errors import DecodeError as DecodeError
    from runtime.errors import DefinitionError as DefinitionError
    from runtime.errors import EdgeDuplicationError as EdgeDuplicationError
    from runtime.errors import EncodeError as EncodeError
    from runtime.errors import ExecutorCancelledError as ExecutorCancelledError
    from runtime.errors import ExecutorTimeoutError as ExecutorTimeoutError
    from runtime.errors import GraphConnectivityError as GraphConnectivityError
    from runtime.errors import InvalidSelectionError as InvalidSelectionError
    from runtime.errors import NestingError as NestingError
    from runtime.errors import RequestError as RequestError
    from runtime.errors import SignatureMismatchError as SignatureMismatchError
    from runtime.errors import StateConflictError as StateConflictError
    from runtime.errors import TypeCompatibilityError as TypeCompatibilityError
    from runtime.errors import UnknownTargetError as UnknownTargetError
    from runtime.errors import ValidationTypeEnum as ValidationTypeEnum
    from runtime.errors import (
        WorkflowCheckpointException as WorkflowCheckpointException,
    )
    from runtime.errors import (
        WorkflowConvergenceException as WorkflowConvergenceException,
    )
    from runtime.errors import WorkflowException as WorkflowException
    from runtime.errors import WorkflowRunnerException as WorkflowRunnerException
    from runtime.errors import WorkflowValidationError as WorkflowValidationError
    from runtime.events import Observer as Observer
    from runtime.events import RunEvent as RunEvent
    from runtime.events import RunEventKind as RunEventKind
    from runtime.events import WorkflowErrorDetails as WorkflowErrorDetails
    from runtime.events import WorkflowEvent as WorkflowEvent
    from runtime.events import WorkflowEventSource as WorkflowEventSource
    from runtime.events import WorkflowEventType as WorkflowEventType
    from runtime.events import WorkflowRunResult as WorkflowRunResult
    from runtime.events import WorkflowRunState as WorkflowRunState
    from runtime.executors.executor import Executor as Executor
    from runtime.executors.executor import FunctionExecutor as FunctionExecutor
    from runtime.executors.executor import WorkflowContext as WorkflowContext
    from runtime.executors.executor import executor as executor
    from runtime.executors.executor import handler as handler
    from runtime.executors.executor import response_handler as response_handler
    from runtime.executors.outside import reaches_outside as reaches_outside
    from runtime.executors.runner_context import (
        InProcRunnerContext as InProcRunnerContext,
    )
    from runtime.executors.runner_context import RunnerContext as RunnerContext
    from runtime.executors.runner_context import State as State
    from runtime.export.viz import WorkflowViz as WorkflowViz
    from runtime.graph.graph_checks import (
        validate_workflow_graph as validate_workflow_graph,
    )
    from runtime.graph.workflow_graph import (
        DEFAULT_MAX_ITERATIONS as DEFAULT_MAX_ITERATIONS,
    )
    from runtime.message import ExecutorFailure as ExecutorFailure
    from runtime.message import MessageType as MessageType
    from runtime.message import Request as Request
    from runtime.message import WorkflowMessage as WorkflowMessage
    from runtime.message import internal_source_id as internal_source_id
    from runtime.policy import FailurePolicy as FailurePolicy
    from runtime.policy import RetryPolicy as RetryPolicy
    from runtime.state import ExecutorRecord as ExecutorRecord
    from runtime.state import RunState as RunState
    from runtime.state import Trace as Trace
    from runtime.stores import open_store as open_store
    from runtime.workflow.builder import WorkflowBuilder as WorkflowBuilder
    from runtime.workflow.sub_workflow import (
        SubWorkflowRequestMessage as SubWorkflowRequestMessage,
    )
    from runtime.workflow.sub_workflow import (
        SubWorkflowResponseMessage as SubWorkflowResponseMessage,
    )
    from runtime.workflow.sub_workflow import WorkflowExecutor as WorkflowExecutor
    from runtime.workflow.workflow import Workflow as Workflow

    ResponseStream = WorkflowStream
    INTERNAL_SOURCE_ID = internal_source_id


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'runtime' has no attribute {name!r}")
    module, _, other = home.partition(":")
    value = getattr(import_module(module), other or name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
