"""Union types on both sides, written with a bar, Optional and Union."""

from typing import Optional, Union

from agent_framework import Executor, WorkflowBuilder, WorkflowContext, handler


class Make(Executor):
    @handler
    async def make(
        self,
        which: str,
        ctx: WorkflowContext[Union[int, str, bytes]],  # noqa: UP007
    ) -> None:
        await ctx.send_message({"int": 1, "str": "s", "bytes": b"b"}[which])


class Take(Executor):
    @handler
    async def numbers(self, value: complex, ctx: WorkflowContext[None, str]) -> None:
        await ctx.yield_output(f"number {value}")

    @handler
    async def texts(
        self,
        value: Optional[str],  # noqa: UP045
        ctx: WorkflowContext[None, str],
    ) -> None:
        await ctx.yield_output(f"text {value}")


async def main() -> dict:
    make, take = Make("make"), Take("take")
    workflow = WorkflowBuilder(start_executor=make).add_edge(make, take).build()
    results = [await workflow.run(which) for which in ("int", "str", "bytes")]
    return {
        "outputs": [result.get_outputs() for result in results],
        "states": [result.get_final_state() for result in results],
        "make sends": sorted(one.__name__ for one in make.output_types),
    }
