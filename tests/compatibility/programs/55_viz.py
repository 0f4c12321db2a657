"""Pictures as text: how many nodes and edges, which of them are conditional, and which stand in a cluster."""

import inspect
import re

from agent_framework import (
    Case,
    Default,
    Executor,
    WorkflowBuilder,
    WorkflowContext,
    WorkflowExecutor,
    WorkflowViz,
    executor,
    handler,
)


class Text(Executor):
    @handler
    async def take(self, text: str, ctx: WorkflowContext[str, str]) -> None:
        await ctx.send_message(text)


@executor
async def join(texts: list[str], ctx: WorkflowContext[str]) -> None:
    await ctx.send_message("+".join(texts))


def joined():
    a, b, c, d = (Text(name) for name in "abcd")
    return (
        WorkflowBuilder(start_executor=a)
        .add_edge(a, b, condition=bool)
        .add_fan_out_edges(b, [c, d])
        .add_fan_in_edges([c, d], join)
        .build()
    )


def switched():
    a, b, c = Text("a"), Text("b"), Text("c")
    return (
        WorkflowBuilder(start_executor=a)
        .add_switch_case_edge_group(
            a, [Case(condition=len, target=b), Default(target=c)]
        )
        .build()
    )


def nested():
    start, end = Text("inner_start"), Text("inner_end")
    inner = (
        WorkflowBuilder(name="inner", start_executor=start).add_edge(start, end).build()
    )
    a, sub = Text("a"), WorkflowExecutor(inner, id="sub")
    return WorkflowBuilder(start_executor=a).add_edge(a, sub).build()


def facts(workflow) -> dict:
    dot, mermaid = (
        WorkflowViz(workflow).to_digraph(),
        WorkflowViz(workflow).to_mermaid(),
    )
    lines = [line.strip() for line in mermaid.splitlines()]
    return {
        "begins": [dot.splitlines()[0], lines[0]],
        "dot nodes": len(re.findall(r'^ +"[^"]*" \[', dot, re.MULTILINE)),
        "dot edges": sorted(
            re.sub("[0-9a-f]{8}", "hash", one)
            for one in re.findall('"[^"]*" -> "[^"]*"', dot)
        ),
        "dot dashed edges": len(re.findall("->.*style=dashed", dot)),
        "dot clusters": len(re.findall("subgraph", dot)),
        "mermaid edges": sum(">" in line for line in lines),
        "mermaid dashed edges": sum("-." in line and ">" in line for line in lines),
        "mermaid plain edges": sorted(
            line
            for line in lines
            if "-->" in line and "fan_in" not in line and "switch" not in line
        ),
        "mermaid clusters": sum(line.startswith("subgraph") for line in lines),
        "mermaid joins": sum("((" in line and "fan-in" in line for line in lines),
        "starts": [line for line in lines if "(Start)" in line],
    }


async def main() -> dict:
    viz = WorkflowViz(joined())
    return {
        "joined": facts(joined()),
        "switched": facts(switched()),
        "nested": facts(nested()),
        "parameters": [
            list(inspect.signature(call).parameters)
            for call in (viz.to_digraph, viz.to_mermaid)
        ],
        "exports": [
            name in inspect.signature(viz.export).parameters
            for name in ("format", "filename")
        ],
    }
