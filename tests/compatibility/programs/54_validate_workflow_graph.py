"""The checks of a graph, called directly."""

from agent_framework import (
    EdgeDuplicationError,
    Executor,
    GraphConnectivityError,
    SingleEdgeGroup,
    TypeCompatibilityError,
    ValidationTypeEnum,
    WorkflowContext,
    handler,
    validate_workflow_graph,
)

from tests.compatibility.facts import refused


class Text(Executor):
    @handler
    async def take(self, text: str, ctx: WorkflowContext[str, str]) -> None:
        await ctx.send_message(text)


class Number(Executor):
    @handler
    async def take(self, number: int, ctx: WorkflowContext[int]) -> None:
        await ctx.send_message(number)


async def main() -> dict:
    a, b, c, number = Text("a"), Text("b"), Text("c"), Number("n")
    two, three = {"a": a, "b": b}, {"a": a, "b": b, "c": c}
    edge = SingleEdgeGroup("a", "b")
    return {
        "fine": refused(
            GraphConnectivityError,
            lambda: validate_workflow_graph([edge], two, a, ["a"]),
        ),
        "unreachable": refused(
            GraphConnectivityError,
            lambda: validate_workflow_graph([edge], three, a, ["a"]),
            60,
        ),
        "twice": refused(
            EdgeDuplicationError,
            lambda: validate_workflow_graph(
                [edge, SingleEdgeGroup("a", "b")], two, a, ["a"]
            ),
            60,
        ),
        "types": refused(
            TypeCompatibilityError,
            lambda: validate_workflow_graph(
                [SingleEdgeGroup("a", "n")], {"a": a, "n": number}, a, ["a"]
            ),
            60,
        ),
        "kinds": [one.value for one in ValidationTypeEnum],
    }
