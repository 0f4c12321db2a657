"""Functions as executors: plain ones run too, with or without a context."""

from agent_framework import FunctionExecutor, WorkflowBuilder, WorkflowContext, executor

from tests.compatibility.facts import told

LOG = []


@executor
async def start(text: str, ctx: WorkflowContext[str]) -> None:
    await ctx.send_message(text)


@executor
def note(text: str) -> None:
    LOG.append(text)


@executor
async def later(text: str) -> str:
    LOG.append(text.upper())
    return "is ignored"


def keep(text: str, ctx: WorkflowContext) -> None:
    ctx.set_state("kept", text)


async def main() -> dict:
    kept = FunctionExecutor(keep)
    workflow = (
        WorkflowBuilder(start_executor=start)
        .add_fan_out_edges(start, [note, later, kept])
        .build()
    )
    result = await workflow.run("x")
    return {
        "log": sorted(LOG),
        "ids": [one.id for one in workflow.get_executors_list()],
        "types": [note.output_types, kept.input_types, later.workflow_output_types],
        "completed": sorted(told(result, "executor_completed")),
    }
