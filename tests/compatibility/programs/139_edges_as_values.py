"""Edges are values: equal when they join the same by the same condition, and shown with all of that."""

from agent_framework import Edge, Executor, WorkflowContext, WorkflowMessage, handler


class Step(Executor):
    @handler
    async def step(self, text: str, ctx: WorkflowContext[str]) -> None:
        await ctx.send_message(text)


def long(text) -> bool:
    return len(text) > 3


async def main() -> dict:
    answer = WorkflowMessage("x", "s")
    answer.type = type(answer.type)("response")
    conditional = Edge("a", "b", long)
    return {
        "equal": [
            Edge("a", "b") == Edge("a", "b"),
            Edge("a", "b") == Edge("b", "a"),
            conditional == Edge("a", "b"),
        ],
        "repr": [repr(Edge("a", "b")), repr(conditional)],
        "routes": [await conditional.should_route(text) for text in ("x", "long text")],
        "an answer to nothing": Step("step").can_handle(answer),
    }
