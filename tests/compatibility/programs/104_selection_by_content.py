"""Long mail is answered and summed up, short mail only answered: a selection that looks at the content."""

from dataclasses import dataclass

from agent_framework import (
    Executor,
    WorkflowBuilder,
    WorkflowContext,
    executor,
    handler,
)


@dataclass
class Analysis:
    verdict: str
    length: int
    summary: str = ""


class Analyse(Executor):
    @handler
    async def analyse(self, mail: str, ctx: WorkflowContext[Analysis]) -> None:
        await ctx.send_message(
            Analysis("Spam" if "win" in mail else "NotSpam", len(mail))
        )


class Act(Executor):
    @handler
    async def act(
        self, analysis: Analysis, ctx: WorkflowContext[Analysis, str]
    ) -> None:
        await ctx.yield_output(f"{self.id} {analysis.verdict} {analysis.length}")


class Summarise(Executor):
    @handler
    async def sum_up(self, analysis: Analysis, ctx: WorkflowContext[Analysis]) -> None:
        await ctx.send_message(Analysis(analysis.verdict, analysis.length, "short"))


@executor
async def keep(analysis: Analysis, ctx: WorkflowContext[None, str]) -> None:
    await ctx.yield_output(f"kept {analysis.verdict} {analysis.summary}")


def select(analysis: Analysis, target_ids: list[str]) -> list[str]:
    spam, answer, summarise, _ = target_ids
    if analysis.verdict == "Spam":
        return [spam]
    return [answer, summarise] if analysis.length > 10 else [answer]


async def main() -> dict:
    analyse, spam, answer, unsure = (
        Analyse("analyse"),
        Act("spam"),
        Act("answer"),
        Act("unsure"),
    )
    summarise = Summarise("summarise")
    workflow = (
        WorkflowBuilder(start_executor=analyse)
        .add_multi_selection_edge_group(
            analyse, [spam, answer, summarise, unsure], select
        )
        .add_edge(analyse, keep, condition=lambda analysis: analysis.length <= 10)
        .add_edge(summarise, keep)
        .build()
    )
    results = [
        await workflow.run(mail)
        for mail in ("you win a lot", "hello", "a rather long letter")
    ]
    return {"outputs": [sorted(result.get_outputs()) for result in results]}
