"""Types given to the decorators, among them one as text, in place of annotations."""

from agent_framework import (
    Executor,
    FunctionExecutor,
    WorkflowBuilder,
    WorkflowContext,
    executor,
    handler,
)

from tests.compatibility.facts import refused


class Parcel:
    def __init__(self, text: str) -> None:
        self.text = text


class Start(Executor):
    @handler(input="str | int", output="Parcel", workflow_output=str)
    async def start(self, value, ctx) -> None:
        await ctx.yield_output(f"got {value}")
        await ctx.send_message(Parcel(str(value)))


@executor(id="open", input=Parcel, output=str)
async def unwrap(parcel, ctx: WorkflowContext) -> None:
    await ctx.send_message(parcel.text)


async def show(text, ctx: WorkflowContext) -> None:
    await ctx.yield_output(f"<{text}>")


async def main() -> dict:
    start, last = (
        Start("start"),
        FunctionExecutor(show, id="show", input=str, workflow_output=str),
    )
    workflow = (
        WorkflowBuilder(start_executor=start).add_chain([start, unwrap, last]).build()
    )
    return {
        "outputs": [(await workflow.run(value)).get_outputs() for value in ("a", 1)],
        "types": [
            start.output_types,
            start.workflow_output_types,
            unwrap.input_types,
            last.workflow_output_types,
        ],
        "input missing": refused(
            ValueError, lambda: FunctionExecutor(show, output=str), 0
        ),
    }
