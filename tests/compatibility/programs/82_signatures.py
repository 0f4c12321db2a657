"""The parameters that a user may name, and in which order they may be given without a name."""

import inspect

from agent_framework import (
    Case,
    Edge,
    Executor,
    FanInEdgeGroup,
    FanOutEdgeGroup,
    FileCheckpointStorage,
    FunctionExecutor,
    InMemoryCheckpointStorage,
    SingleEdgeGroup,
    Workflow,
    WorkflowBuilder,
    WorkflowContext,
    WorkflowEvent,
    WorkflowExecutor,
    WorkflowRunResult,
)

KNOWN = {
    WorkflowBuilder: "max_iterations name description start_executor checkpoint_storage output_from"
    " intermediate_output_from output_executors",
    WorkflowBuilder.add_edge: "source target condition",
    WorkflowBuilder.add_fan_out_edges: "source targets",
    WorkflowBuilder.add_fan_in_edges: "sources target",
    WorkflowBuilder.add_switch_case_edge_group: "source cases",
    WorkflowBuilder.add_multi_selection_edge_group: "source targets selection_func",
    WorkflowBuilder.add_chain: "executors",
    Workflow.run: "message stream responses checkpoint_id checkpoint_storage include_status_events tools"
    " function_invocation_kwargs client_kwargs",
    Workflow.cancel_pending_requests: "request_ids checkpoint_id checkpoint_storage tools"
    " function_invocation_kwargs client_kwargs",
    Workflow.resolve_pause_checkpoint_id: "request_ids checkpoint_storage known_checkpoint_id baseline_checkpoint_id",
    Executor: "id type type_ defer_discovery",
    FunctionExecutor: "func id input output workflow_output",
    WorkflowContext.send_message: "message target_id",
    WorkflowContext.yield_output: "output",
    WorkflowContext.request_info: "request_data response_type request_id",
    WorkflowContext.get_state: "key default",
    WorkflowContext.set_state: "key value",
    WorkflowContext.add_event: "event",
    WorkflowExecutor: "workflow id allow_direct_output propagate_request",
    Edge: "source_id target_id condition condition_name",
    Case: "condition target",
    SingleEdgeGroup: "source_id target_id condition",
    FanOutEdgeGroup: "source_id target_ids selection_func",
    FanInEdgeGroup: "source_ids target_id",
    FileCheckpointStorage: "storage_path allowed_checkpoint_types",
    InMemoryCheckpointStorage.list_checkpoints: "workflow_name",
    WorkflowEvent: "type data origin state details executor_id request_id source_executor_id request_type"
    " response_type iteration",
}


def missing(call, names: str) -> list[str]:
    """The known parameters that are not there, or come in another order or without a name."""
    found = [name for name in inspect.signature(call).parameters if name != "self"]
    wanted = names.split()
    return [name for name in wanted if name not in found] or [
        name
        for name, other in zip(
            wanted, [one for one in found if one in wanted], strict=True
        )
        if name != other
    ]


async def main() -> dict:
    return {
        call.__qualname__.split(".")[-1]: missing(call, names)
        for call, names in KNOWN.items()
    } | {
        "methods of a result": [
            hasattr(WorkflowRunResult, name)
            for name in (
                "get_outputs",
                "get_intermediate_outputs",
                "get_request_info_events",
                "get_final_state",
                "status_timeline",
            )
        ]
    }
