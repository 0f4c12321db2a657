"""Which executors' outputs are the workflow's, which are progress, and which nobody sees."""

import warnings

from agent_framework import Executor, WorkflowBuilder, WorkflowContext, handler

from tests.compatibility.facts import told


class Say(Executor):
    @handler
    async def say(self, text: str, ctx: WorkflowContext[str, str]) -> None:
        await ctx.yield_output(f"{self.id} {text}")
        await ctx.send_message(text)


def chain(**options):
    steps = {name: Say(name) for name in ("plan", "research", "answer")}
    chosen = {
        key: value if isinstance(value, str) else [steps[name] for name in value]
        for key, value in options.items()
    }
    return (
        WorkflowBuilder(start_executor=steps["plan"], **chosen)
        .add_chain(list(steps.values()))
        .build()
    )


async def facts(**options) -> list:
    workflow = chain(**options)
    result = await workflow.run("x")
    return [
        told(result, "output", "intermediate"),
        result.get_outputs(),
        result.get_intermediate_outputs(),
        sorted(one.id for one in workflow.get_output_executors()),
        sorted(one.id for one in workflow.get_intermediate_executors()),
    ]


async def main() -> dict:
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        old = await facts(output_executors=["answer"])
    return {
        "all": await facts(),
        "one": await facts(output_from=["answer"]),
        "others": await facts(
            output_from=["answer"], intermediate_output_from="all_other"
        ),
        "some": await facts(
            output_from=["answer"], intermediate_output_from=["research"]
        ),
        "progress only": await facts(intermediate_output_from=["plan"]),
        "every": await facts(output_from="all"),
        "old name": [old[0], sorted({one.category.__name__ for one in said})],
    }
