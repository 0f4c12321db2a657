"""What the builder refuses at once."""

from agent_framework import (
    Case,
    Default,
    Executor,
    WorkflowBuilder,
    WorkflowContext,
    handler,
)

from tests.compatibility.facts import refused


class Text(Executor):
    @handler
    async def take(self, text: str, ctx: WorkflowContext[str]) -> None:
        await ctx.send_message(text)


async def main() -> dict:
    a, b, c = Text("a"), Text("b"), Text("c")

    def builder() -> WorkflowBuilder:
        return WorkflowBuilder(start_executor=a)

    def switch(*cases):
        return lambda: builder().add_switch_case_edge_group(a, list(cases))

    def true(text: str) -> bool:
        return True

    return {
        "no executor": refused(
            TypeError, lambda: WorkflowBuilder(start_executor="a"), 80
        ),
        "no target": refused(TypeError, lambda: builder().add_edge(a, 7), 80),
        "same id": refused(ValueError, lambda: builder().add_edge(a, Text("a")), 47),
        "fan-out of one": refused(
            ValueError, lambda: builder().add_fan_out_edges(a, [b]), 50
        ),
        "fan-in of one": refused(
            ValueError, lambda: builder().add_fan_in_edges([a], b), 49
        ),
        "selection of one": refused(
            ValueError,
            lambda: builder().add_multi_selection_edge_group(
                a, [b], lambda text, ids: ids
            ),
            50,
        ),
        "switch of one": refused(ValueError, switch(Default(target=b)), 60),
        "no default": refused(ValueError, switch(Case(true, b), Case(true, c)), 58),
        "two defaults": refused(ValueError, switch(Default(b), Default(c)), 58),
        "chain of one": refused(ValueError, lambda: builder().add_chain([a]), 60),
        "chain": len(builder().add_chain([a, b, c]).build().executors),
    }
