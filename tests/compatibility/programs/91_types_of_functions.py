"""A function's decorator gives some types, its annotations the others."""

from typing import Any, TypeVar

from agent_framework import WorkflowContext, executor

from tests.compatibility.facts import plain, refused

T = TypeVar("T")


@executor(workflow_output=str)
async def yields(number: int, ctx: WorkflowContext[float]) -> None:
    pass


@executor(input=bytes)
async def takes(number: int, ctx: WorkflowContext[float, str]) -> None:
    pass


@executor(output=int)
async def sends(text: str, ctx: WorkflowContext[bytes, str]) -> None:
    pass


@executor(input="Optional[int]", output="Any", workflow_output="float")
async def texts(number: int, ctx: WorkflowContext) -> None:
    pass


@executor(input=str, output=int)
def alone(text):
    pass


@executor
def plainly(text: str | None, ctx: WorkflowContext[list[int], Any]) -> None:
    pass


def nothing_said():
    @executor(output=int)
    async def half(text, ctx: WorkflowContext) -> None:
        pass


def open_input():
    @executor(input=list[T])
    async def half(text: str, ctx: WorkflowContext) -> None:
        pass


def open_message():
    @executor
    async def half(text: T, ctx: WorkflowContext) -> None:
        pass


def types(one) -> list:
    return [
        [str(plain(value)) for value in values]
        for values in (one.input_types, one.output_types, one.workflow_output_types)
    ]


async def main() -> dict:
    return {
        one.id: types(one) for one in (yields, takes, sends, texts, alone, plainly)
    } | {
        call.__name__: refused(ValueError, call, 70)
        for call in (nothing_said, open_input, open_message)
    }
