"""Graphs that are refused when they are built."""

from agent_framework import (
    EdgeDuplicationError,
    Executor,
    GraphConnectivityError,
    TypeCompatibilityError,
    WorkflowBuilder,
    WorkflowContext,
    WorkflowValidationError,
    handler,
)

from tests.compatibility.facts import refused


class Text(Executor):
    @handler
    async def take(self, text: str, ctx: WorkflowContext[str]) -> None:
        await ctx.send_message(text)


class Number(Executor):
    @handler
    async def take(self, number: int, ctx: WorkflowContext[int]) -> None:
        await ctx.send_message(number)


class Texts(Executor):
    @handler
    async def take(self, texts: list[str], ctx: WorkflowContext) -> None:
        pass


def builder(start: Executor) -> WorkflowBuilder:
    return WorkflowBuilder(start_executor=start)


async def main() -> dict:
    a, b, c, number, texts = (
        Text("a"),
        Text("b"),
        Text("c"),
        Number("number"),
        Texts("texts"),
    )
    unreachable = builder(a).add_edge(a, b).add_edge(c, b)
    facts = {
        "types": refused(
            TypeCompatibilityError, lambda: builder(a).add_edge(a, number).build(), 80
        ),
        "types of a join": refused(
            TypeCompatibilityError,
            lambda: (
                builder(a)
                .add_fan_out_edges(a, [b, c])
                .add_fan_in_edges([b, c], Text("d"))
                .build()
            ),
            80,
        ),
        "a join": builder(a)
        .add_fan_out_edges(a, [b, c])
        .add_fan_in_edges([b, c], texts)
        .build()
        .start_executor_id,
        "twice": refused(
            EdgeDuplicationError,
            lambda: builder(a).add_edge(a, b).add_edge(a, b).build(),
            80,
        ),
        "twice in groups": refused(
            EdgeDuplicationError,
            lambda: builder(a).add_edge(a, b).add_fan_out_edges(a, [b, c]).build(),
            80,
        ),
        "unreachable": refused(GraphConnectivityError, unreachable.build, 80),
    }
    try:
        unreachable.build()
    except WorkflowValidationError as error:
        facts["kind"] = error.validation_type
    return facts
