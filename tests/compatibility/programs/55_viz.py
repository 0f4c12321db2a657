"""Pictures as text: how many nodes and edges, and which of them are conditional."""

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


async def main() -> dict:
    a, b, c, d, e, f = (Text(name) for name in "abcdef")
    inner_start, inner_end = Text("inner_start"), Text("inner_end")
    inner = WorkflowBuilder(name="inner", start_executor=inner_start).add_edge(inner_start, inner_end).build()
    sub = WorkflowExecutor(inner, id="sub")
    workflow = (
        WorkflowBuilder(start_executor=a)
        .add_edge(a, b, condition=bool)
        .add_fan_out_edges(b, [c, d])
        .add_fan_in_edges([c, d], join)
        .add_switch_case_edge_group(join, [Case(condition=len, target=e), Default(target=f)])
        .add_edge(e, sub)
        .build()
    )
    dot, mermaid = WorkflowViz(workflow).to_digraph(), WorkflowViz(workflow).to_mermaid()
    lines = [line.strip() for line in mermaid.splitlines()]
    return {
        "dot begins": dot.splitlines()[0],
        "dot edges": len(re.findall("->", dot)),
        "dot conditional": len(re.findall("dashed, label", dot)),
        "dot names": [f'"{name}"' in dot for name in "abcdef"],
        "dot clusters": len(re.findall("subgraph", dot)),
        "mermaid begins": lines[0],
        "mermaid edges": sum("-->" in line for line in lines),
        "mermaid conditional": sum("-." in line for line in lines),
        "mermaid subgraphs": sum(line.startswith("subgraph") for line in lines),
        "mermaid lines": sorted(line for line in lines if re.fullmatch(r"[a-f] --> [a-f];", line)),
        "start": [line for line in lines if "(Start)" in line],
        "fan-in nodes": [len(re.findall("fan_in::", dot)) > 0, sum("((fan-in))" in line for line in lines)],
    }
