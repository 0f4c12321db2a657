"""What a workflow and its executors say about themselves."""

from dataclasses import dataclass

from agent_framework import (
    DEFAULT_MAX_ITERATIONS,
    INTERNAL_SOURCE_ID,
    Executor,
    WorkflowBuilder,
    WorkflowContext,
    WorkflowMessage,
    executor,
    handler,
    response_handler,
)


@dataclass
class Order:
    item: str


class Gate(Executor):
    @handler
    async def ask(self, order: Order, ctx: WorkflowContext[Order | int, str]) -> None:
        await ctx.send_message(order)

    @response_handler
    async def answer(
        self, order: Order, yes: bool, ctx: WorkflowContext[bytes, str]
    ) -> None:
        pass


@executor
async def end(number: int | Order, ctx: WorkflowContext[None, float]) -> None:
    pass


async def main() -> dict:
    gate = Gate("gate")
    workflow = (
        WorkflowBuilder(5, "named", "described", start_executor=gate)
        .add_edge(gate, end)
        .build()
    )

    def takes(value) -> bool:
        return gate.can_handle(WorkflowMessage(data=value, source_id="x"))

    return {
        "names": [
            workflow.name,
            workflow.description,
            workflow.max_iterations,
            workflow.start_executor_id,
        ],
        "types": [
            workflow.input_types,
            sorted(one.__name__ for one in workflow.output_types),
        ],
        "executors": [
            workflow.get_start_executor().id,
            [one.id for one in workflow.get_executors_list()],
        ],
        "outputs": [one.id for one in workflow.get_output_executors()],
        "gate": [
            gate.id,
            gate.type,
            gate.type_,
            gate.to_dict(),
            gate.is_request_response_capable,
        ],
        "gate sends": sorted(one.__name__ for one in gate.output_types),
        "gate takes": [takes(Order("a")), takes("a")],
        "supports": [
            gate.is_request_supported(Order, bool),
            gate.is_request_supported(Order, str),
        ],
        "end": [
            end.id,
            end.type,
            sorted(str(one) for one in end.workflow_output_types),
        ],
        "constants": [DEFAULT_MAX_ITERATIONS, INTERNAL_SOURCE_ID("a")],
        "hash": len(workflow.graph_signature_hash),
        "unnamed": WorkflowBuilder(start_executor=gate)
        .add_edge(gate, end)
        .build()
        .name.split("-")[0],
        "state": workflow.status,
    }
