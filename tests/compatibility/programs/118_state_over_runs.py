"""State and attributes stay over runs of one instance; another instance begins anew."""

from agent_framework import Executor, WorkflowBuilder, WorkflowContext, handler


class Report:
    pass


class Count(Executor):
    def __init__(self, id: str) -> None:
        super().__init__(id=id)
        self.seen = 0

    @handler
    async def inspect(self, text: str, ctx: WorkflowContext[str]) -> None:
        self.seen += 1
        ctx.set_state("texts", [*ctx.get_state("texts", []), text])

    @handler
    async def report(self, _: Report, ctx: WorkflowContext[str]) -> None:
        await ctx.send_message(f"{self.seen} {ctx.get_state('texts')}")


class Tell(Executor):
    @handler
    async def tell(self, text: str, ctx: WorkflowContext[None, str]) -> None:
        ctx.state.set("told", ctx.state.get("told", 0) + 1)
        await ctx.yield_output(
            f"{text} {ctx.state.get('told')} {ctx.state.has('texts')}"
        )


def build():
    count, tell = Count("count"), Tell("tell")
    return (
        WorkflowBuilder(start_executor=count, output_from=[tell])
        .add_edge(count, tell)
        .build()
    )


async def main() -> dict:
    workflow = build()
    for text in ("a", "b"):
        await workflow.run(text)
    first = await workflow.run(Report())
    await workflow.run("c")
    second = await workflow.run(Report())
    other = build()
    await other.run("d")
    return {
        "outputs": [
            first.get_outputs(),
            second.get_outputs(),
            (await other.run(Report())).get_outputs(),
        ],
        "no output": (await other.run("e")).get_outputs(),
    }
