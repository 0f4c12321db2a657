"""A join of a short and a long branch fires when the long one has arrived."""

from agent_framework import (
    Executor,
    WorkflowBuilder,
    WorkflowContext,
    executor,
    handler,
)

from tests.compatibility.facts import told


@executor
async def start(text: str, ctx: WorkflowContext[str]) -> None:
    await ctx.send_message(text)


class Relay(Executor):
    @handler
    async def relay(self, text: str, ctx: WorkflowContext[str]) -> None:
        await ctx.send_message(f"{text}-{self.id}")


@executor
async def join(texts: list[str], ctx: WorkflowContext[None, str]) -> None:
    await ctx.yield_output("+".join(texts))


async def main() -> dict:
    fast, relay, slow, slower = (
        Relay(name) for name in ("fast", "relay", "slow", "slower")
    )
    workflow = (
        WorkflowBuilder(start_executor=start)
        .add_edge(start, fast)
        .add_edge(start, relay)
        .add_chain([relay, slow, slower])
        .add_fan_in_edges([fast, slower], join)
        .build()
    )
    result = await workflow.run("x")
    steps, step = {}, 0
    for event in result:
        step = event.iteration if event.type == "superstep_started" else step
        if event.type == "executor_invoked":
            steps.setdefault(event.executor_id, []).append(step)
    return {
        "outputs": result.get_outputs(),
        "ran in superstep": dict(sorted(steps.items())),
        "invoked join": [
            one for one in told(result, "executor_invoked") if "join" in one
        ],
        "state": result.get_final_state(),
    }
