"""The graph as JSON, for a program that shows it: names, executors, edges and cases."""

import json

from agent_framework import (
    Case,
    Default,
    Executor,
    WorkflowBuilder,
    WorkflowContext,
    WorkflowExecutor,
    handler,
)


class Step(Executor):
    @handler
    async def step(self, text: str, ctx: WorkflowContext[str, str]) -> None:
        await ctx.send_message(text)


def long(text: str) -> bool:
    return len(text) > 3


async def main() -> dict:
    a, b, c, d = (Step(name) for name in "abcd")
    inner = WorkflowBuilder(
        name="inner", start_executor=Step("in"), description="inside"
    ).build()
    sub = WorkflowExecutor(inner, id="sub")
    workflow = (
        WorkflowBuilder(
            name="outer",
            start_executor=a,
            description="all",
            max_iterations=7,
            output_from=[d],
        )
        .add_edge(a, b, condition=long)
        .add_switch_case_edge_group(
            b, [Case(condition=long, target=c), Default(target=d)]
        )
        .add_edge(c, sub)
        .build()
    )
    data = json.loads(workflow.to_json())
    groups = [one for one in data["edge_groups"] if one["type"] != "InternalEdgeGroup"]
    return {
        "top": {
            key: data[key]
            for key in ("name", "description", "start_executor_id", "max_iterations")
        },
        "outputs": [data["output_executors"], data["intermediate_executors"]],
        "executors": {key: value["type"] for key, value in data["executors"].items()},
        "inner": data["executors"]["sub"]["workflow"]["name"],
        "groups": [one["type"] for one in groups],
        "edges": [
            [edge["source_id"], edge["target_id"], edge.get("condition_name")]
            for one in groups
            for edge in one["edges"]
        ],
        "cases": [
            [case["type"], case["target_id"], case.get("condition_name")]
            for case in groups[1]["cases"]
        ],
        "executor": json.loads(a.to_json()),
        "same as to_dict": json.loads(json.dumps(workflow.to_dict())) == data,
    }
