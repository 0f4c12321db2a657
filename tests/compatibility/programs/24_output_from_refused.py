"""Designations of outputs that cannot be."""

from agent_framework import (
    Executor,
    WorkflowBuilder,
    WorkflowContext,
    WorkflowValidationError,
    handler,
)

from tests.compatibility.facts import refused


class Step(Executor):
    @handler
    async def step(self, text: str, ctx: WorkflowContext[str, str]) -> None:
        await ctx.yield_output(text)


class Silent(Executor):
    @handler
    async def step(self, text: str, ctx: WorkflowContext[str]) -> None:
        await ctx.send_message(text)


def build(**options) -> None:
    a, silent = Step("a"), Silent("silent")
    known = {"a": a, "silent": silent, "stranger": Step("stranger"), "text": "a"}
    named = {
        key: [known[name] for name in value] if isinstance(value, list) else value
        for key, value in options.items()
    }
    WorkflowBuilder(start_executor=a, **named).add_edge(a, silent).build()


async def main() -> dict:
    invalid = WorkflowValidationError
    return {
        "none at all": refused(
            invalid, lambda: build(output_from=[], intermediate_output_from=[])
        ),
        "None": refused(invalid, lambda: build(output_from=None)),
        "twice": refused(invalid, lambda: build(output_from=["a", "a"]), 50),
        "both": refused(
            invalid,
            lambda: build(output_from=["a"], intermediate_output_from=["a"]),
            50,
        ),
        "stranger": refused(invalid, lambda: build(output_from=["stranger"]), 70),
        "no output types": refused(invalid, lambda: build(output_from=["silent"]), 70),
        "literal": refused(ValueError, lambda: build(output_from="some")),
        "other literal": refused(
            ValueError, lambda: build(intermediate_output_from="some")
        ),
        "no executor": refused(TypeError, lambda: build(output_from=["text"]), 0),
        "two names": refused(
            TypeError, lambda: build(output_from=["a"], output_executors=["a"])
        ),
    }
