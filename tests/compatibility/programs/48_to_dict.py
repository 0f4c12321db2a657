"""The graph as data."""

import json

from agent_framework import (
    Case,
    Default,
    Executor,
    WorkflowBuilder,
    WorkflowContext,
    WorkflowExecutor,
    executor,
    handler,
)


class Text(Executor):
    @handler
    async def take(self, text: str, ctx: WorkflowContext[str, str]) -> None:
        await ctx.send_message(text)


@executor
async def join(texts: list[str], ctx: WorkflowContext[None, str]) -> None:
    await ctx.yield_output("+".join(texts))


def is_long(text: str) -> bool:
    return len(text) > 9


def pick(text: str, ids: list[str]) -> list[str]:
    return ids[:1]


def without_ids(value):
    """Ids of workflows and edge groups are random there: only what kind of group it is stays."""
    if isinstance(value, dict):
        return {
            key: item.split("/")[0]
            if key == "id" and isinstance(item, str) and "/" in item
            else without_ids(item)
            for key, item in value.items()
        }
    return [without_ids(item) for item in value] if isinstance(value, list) else value


def outline(groups: list) -> list:
    return sorted(
        [
            group["type"],
            sorted([edge["source_id"], edge["target_id"]] for edge in group["edges"]),
        ]
        for group in groups
        if group["type"] != "InternalEdgeGroup"
        and group["edges"][0]["source_id"] != "d"
    )


async def main() -> dict:
    a, b, c, d, e, f = (Text(name) for name in "abcdef")
    inner = WorkflowBuilder(name="inner", start_executor=Text("inside")).build()
    sub = WorkflowExecutor(inner, id="sub")
    workflow = (
        WorkflowBuilder(
            7, "whole", "all kinds", start_executor=a, output_from=[join, d]
        )
        .add_edge(a, b, condition=is_long)
        .add_fan_out_edges(b, [c, d])
        .add_fan_in_edges([c, d], join)
        .add_switch_case_edge_group(
            c, [Case(condition=is_long, target=e), Default(target=f)]
        )
        .add_multi_selection_edge_group(d, [e, sub], pick)
        .build()
    )
    made = workflow.to_dict()
    groups = {
        group["type"]: group
        for group in without_ids(made["edge_groups"])
        if group["edges"]
    }
    return {
        "top": {
            key: made[key]
            for key in ("name", "start_executor_id", "max_iterations", "description")
        },
        "keys": sorted(made),
        "outputs": [sorted(made["output_executors"]), made["intermediate_executors"]],
        "executors": {
            name: [one["id"], one["type"]] for name, one in made["executors"].items()
        },
        "sub": [
            made["executors"]["sub"]["workflow"]["name"],
            sorted(made["executors"]["sub"]["workflow"]),
        ],
        "groups": outline(made["edge_groups"]),
        "keys of a join": sorted(groups["FanInEdgeGroup"]),
        "keys of others": [
            sorted(groups[name]) for name in ("SingleEdgeGroup", "SwitchCaseEdgeGroup")
        ],
        "condition": groups["SingleEdgeGroup"]["edges"],
        "switch": groups["SwitchCaseEdgeGroup"]["cases"],
        "selection": [
            [group["type"], group["selection_func_name"], len(group["edges"])]
            for group in made["edge_groups"]
            if group["edges"][0]["source_id"] == "d"
            and len(group["edges"]) > 1
            and group["type"] != "FanInEdgeGroup"
        ],
        "internal": sum(
            group["type"] == "InternalEdgeGroup" for group in made["edge_groups"]
        ),
        "json": without_ids(json.loads(workflow.to_json()))
        == without_ids(json.loads(json.dumps(made))),
        "plain": WorkflowBuilder(name="p", start_executor=a)
        .build()
        .to_dict()["output_executors"],
    }
