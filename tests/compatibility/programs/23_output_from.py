"""Which executors yield the workflow's outputs, and whose are progress only."""

from agent_framework import Executor, WorkflowBuilder, WorkflowContext, handler

from tests.compatibility.facts import told


class Step(Executor):
    @handler
    async def step(self, text: str, ctx: WorkflowContext[str, str]) -> None:
        await ctx.yield_output(f"{self.id}:{text}")
        if self.id != "c":
            await ctx.send_message(text)


class Silent(Executor):
    @handler
    async def step(self, text: str, ctx: WorkflowContext[str]) -> None:
        await ctx.send_message(text)


async def main() -> dict:
    facts = {}
    for name, choose in {
        "neither": lambda a, b, c: {},
        "output list": lambda a, b, c: {"output_from": [c]},
        "both lists": lambda a, b, c: {
            "output_from": [c],
            "intermediate_output_from": [a],
        },
        "all other": lambda a, b, c: {
            "output_from": [c],
            "intermediate_output_from": "all_other",
        },
        "output all": lambda a, b, c: {"output_from": "all"},
        "intermediate all": lambda a, b, c: {"intermediate_output_from": "all"},
        "intermediate list": lambda a, b, c: {"intermediate_output_from": [b]},
    }.items():
        a, b, c, silent = Step("a"), Step("b"), Step("c"), Silent("silent")
        workflow = (
            WorkflowBuilder(start_executor=a, **choose(a, b, c))
            .add_chain([a, silent, b, c])
            .build()
        )
        result = await workflow.run("x")
        facts[name] = {
            "outputs": result.get_outputs(),
            "intermediate": result.get_intermediate_outputs(),
            "events": told(result, "output", "intermediate"),
            "completed": told(result, "executor_completed"),
            "designated": sorted(one.id for one in workflow.get_output_executors()),
            "on the way": sorted(
                one.id for one in workflow.get_intermediate_executors()
            ),
            "terminal": [
                workflow.is_terminal_executor(one) for one in ("a", "b", "c", "silent")
            ],
            "is intermediate": [
                workflow.is_intermediate_executor(one) for one in ("a", "b", "c")
            ],
        }
    return facts
