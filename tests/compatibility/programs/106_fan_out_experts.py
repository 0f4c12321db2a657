"""A dispatcher fans out to three experts and a join puts their answers together, in the order of the edges."""

from dataclasses import dataclass

from agent_framework import Executor, WorkflowBuilder, WorkflowContext, handler

from tests.compatibility.facts import told


@dataclass
class Insight:
    expert: str
    text: str


class Dispatch(Executor):
    @handler
    async def dispatch(self, prompt: str, ctx: WorkflowContext[str]) -> None:
        await ctx.send_message(prompt)


class Expert(Executor):
    @handler
    async def think(self, prompt: str, ctx: WorkflowContext[Insight]) -> None:
        await ctx.send_message(Insight(self.id, f"{prompt} by {self.id}"))


class Gather(Executor):
    @handler
    async def gather(
        self, insights: list[Insight], ctx: WorkflowContext[None, str]
    ) -> None:
        by_expert = {one.expert: one.text for one in insights}
        await ctx.yield_output(
            f"{list(by_expert)}: {by_expert['law']} from {ctx.source_executor_ids}"
        )


async def main() -> dict:
    dispatch, gather = Dispatch("dispatch"), Gather("gather")
    experts = [Expert(name) for name in ("research", "sales", "law")]
    workflow = (
        WorkflowBuilder(start_executor=dispatch)
        .add_fan_out_edges(dispatch, experts)
        .add_fan_in_edges(experts, gather)
        .build()
    )
    result = await workflow.run("a car")
    return {
        "outputs": result.get_outputs(),
        "supersteps": told(result, "superstep_completed"),
    }
