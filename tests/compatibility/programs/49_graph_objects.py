"""Edges and edge groups as objects."""

from agent_framework import (
    Case,
    Default,
    Edge,
    Executor,
    FanInEdgeGroup,
    FanOutEdgeGroup,
    SingleEdgeGroup,
    SwitchCaseEdgeGroup,
    SwitchCaseEdgeGroupCase,
    SwitchCaseEdgeGroupDefault,
    WorkflowBuilder,
    WorkflowContext,
    handler,
)

from tests.compatibility.facts import refused


class Text(Executor):
    @handler
    async def take(self, text: str, ctx: WorkflowContext[str]) -> None:
        await ctx.send_message(text)


def is_long(text: str) -> bool:
    return len(text) > 3


async def main() -> dict:
    edge, plain = Edge("a", "b", condition=is_long), Edge("a", "b")
    groups = [
        SingleEdgeGroup("a", "b"),
        FanOutEdgeGroup("a", ["b", "c"]),
        FanInEdgeGroup(["a", "b"], "c"),
        SwitchCaseEdgeGroup(
            "a",
            [SwitchCaseEdgeGroupCase(is_long, "b"), SwitchCaseEdgeGroupDefault("c")],
        ),
    ]
    case, default = Case(condition=is_long, target=Text("t")), Default(target=Text("u"))
    workflow = WorkflowBuilder(start_executor=Text("x")).build()
    return {
        "edge": [
            edge.id,
            edge.source_id,
            edge.target_id,
            edge.has_condition,
            plain.has_condition,
        ],
        "routes": [
            await edge.should_route("ab"),
            await edge.should_route("abcd"),
            await plain.should_route(""),
        ],
        "to_dict": [edge.to_dict(), plain.to_dict()],
        "from_dict": Edge.from_dict(plain.to_dict()).id,
        "groups": [
            [type(one).__name__, one.source_executor_ids, one.target_executor_ids]
            for one in groups
        ],
        "group edges": [
            [(one.source_id, one.target_id) for one in group.edges] for group in groups
        ],
        "case": [case.target.id, case.condition("abcd"), default.target.id],
        "refused": [
            refused(ValueError, lambda: Edge("", "b")),
            refused(ValueError, lambda: FanOutEdgeGroup("a", ["b"])),
            refused(ValueError, lambda: FanInEdgeGroup(["a"], "b")),
            refused(
                ValueError,
                lambda: SwitchCaseEdgeGroup("a", [SwitchCaseEdgeGroupDefault("c")]),
            ),
        ],
        "of a workflow": [type(one).__name__ for one in workflow.get_executors_list()],
    }
