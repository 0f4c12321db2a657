"""The first sentence of what a builder refuses, whole."""

from agent_framework import (
    Case,
    Default,
    Executor,
    WorkflowBuilder,
    WorkflowContext,
    WorkflowExecutor,
    WorkflowRunResult,
    handler,
)

from tests.compatibility.facts import caught, refused


class Step(Executor):
    @handler
    async def step(self, text: str, ctx: WorkflowContext[str, str]) -> None:
        await ctx.send_message(text)


class Number(Executor):
    @handler
    async def step(self, number: int, ctx: WorkflowContext[int]) -> None:
        ctx.state.delete("nothing")


A, B, C, Y, Z = (Step(name) for name in "abcyz")
NUMBER = Number("n")


def builder(**options) -> WorkflowBuilder:
    return WorkflowBuilder(start_executor=A, **options)


async def main() -> dict:
    calls = {
        "both": lambda: (
            builder(output_from=[B], intermediate_output_from=[B])
            .add_edge(A, B)
            .build()
        ),
        "output twice": lambda: builder(output_from=[B, B]).add_edge(A, B).build(),
        "progress twice": lambda: (
            builder(intermediate_output_from=[B, B]).add_edge(A, B).build()
        ),
        "not there": lambda: builder(output_from=[C]).add_edge(A, B).build(),
        "no types": lambda: builder(output_from=[NUMBER]).add_edge(A, NUMBER).build(),
        "none": lambda: builder(output_from=[]).add_edge(A, B).build(),
        "unreachable": lambda: builder().add_edge(A, B).add_edge(Z, Y).build(),
        "types": lambda: builder().add_edge(A, NUMBER).build(),
        "twice": lambda: builder().add_edge(A, B).add_edge(A, B).build(),
        "one id": lambda: builder().add_edge(A, B).add_edge(B, Step("a")).build(),
        "fan-out": lambda: builder().add_fan_out_edges(A, [B]),
        "fan-in": lambda: builder().add_fan_in_edges([A], B),
        "selection": lambda: builder().add_multi_selection_edge_group(
            A, [B], lambda data, ids: ids
        ),
        "one case": lambda: builder().add_switch_case_edge_group(
            A, [Default(target=B)]
        ),
        "no default": lambda: builder().add_switch_case_edge_group(
            A, [Case(condition=bool, target=B), Case(condition=bool, target=C)]
        ),
        "chain": lambda: builder().add_chain([A]),
        "no result": lambda: WorkflowRunResult([], []).get_final_state(),
    }
    lengths = {"unreachable": 174, "types": 150, "no result": 62}
    texts = {
        name: refused(Exception, call, lengths.get(name, 160))
        .partition(". ")[0]
        .rstrip(".")
        for name, call in calls.items()
    }
    workflow = builder().add_edge(A, B).build()
    return texts | {
        "no store": await caught(
            ValueError, lambda: workflow.run(checkpoint_id="x"), 80
        ),
        "input": await caught(RuntimeError, lambda: workflow.run(1), 66),
        "no key": await caught(
            KeyError, lambda: WorkflowBuilder(start_executor=NUMBER).build().run(1)
        ),
        "nothing asked": await caught(
            RuntimeError, lambda: workflow.run(responses={"x": 1}), 44
        ),
        "type of a sub-workflow": WorkflowExecutor(
            workflow, id="sub", type="Special"
        ).type,
        "kind of the edges": type(workflow.edge_groups).__name__,
    }
