"""Pictures of a workflow as text and files: the text has every node, a file has the format that was asked for."""

import tempfile
from pathlib import Path

from agent_framework import (
    Executor,
    WorkflowBuilder,
    WorkflowContext,
    WorkflowViz,
    executor,
    handler,
)

from tests.compatibility.facts import refused


class Step(Executor):
    @handler
    async def step(self, text: str, ctx: WorkflowContext[str]) -> None:
        await ctx.send_message(text)


@executor
async def gather(texts: list[str], ctx: WorkflowContext[None, str]) -> None:
    await ctx.yield_output("+".join(texts))


async def main() -> dict:
    start, left, right = Step("start"), Step("left side"), Step("right-side")
    workflow = (
        WorkflowBuilder(start_executor=start)
        .add_fan_out_edges(start, [left, right])
        .add_fan_in_edges([left, right], gather)
        .build()
    )
    viz = WorkflowViz(workflow)
    dot, mermaid = viz.to_digraph(), viz.to_mermaid()
    with tempfile.TemporaryDirectory() as folder:
        path = viz.export(format="dot", filename=str(Path(folder) / "graph.dot"))
        written = Path(path).read_text(encoding="utf-8")
        some = viz.export(format="dot")
        is_file = Path(some).is_file()
        Path(some).unlink()
        return {
            "dot": [
                name in dot for name in ("start", "left side", "right-side", "gather")
            ],
            "mermaid": [
                name in mermaid
                for name in ("start", "left side", "right-side", "gather")
            ],
            "written": [written == dot, Path(path).name],
            "somewhere": [is_file, Path(some).suffix],
            "unknown": refused(ValueError, lambda: viz.export(format="bmp"), 23),
            "internal": [
                "internal" in one
                for one in (dot, viz.to_digraph(include_internal_executors=True))
            ],
        }
