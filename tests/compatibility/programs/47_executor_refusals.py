"""Executors that are refused when they are defined."""

from agent_framework import (
    Executor,
    FunctionExecutor,
    WorkflowContext,
    executor,
    handler,
    response_handler,
)

from tests.compatibility.facts import refused


class Empty(Executor):
    pass


class Twice(Executor):
    @handler
    async def one(self, text: str, ctx: WorkflowContext) -> None:
        pass

    @handler
    async def two(self, text: str, ctx: WorkflowContext) -> None:
        pass


class Fine(Executor):
    @handler
    async def one(self, text: str, ctx: WorkflowContext) -> None:
        pass


class TwoAnswers(Fine):
    @response_handler
    async def yes(self, question: str, answer: bool, ctx: WorkflowContext) -> None:
        pass

    @response_handler
    async def no(self, question: str, answer: bool, ctx: WorkflowContext) -> None:
        pass


def no_message_type():
    class Bad(Executor):
        @handler
        async def take(self, text, ctx: WorkflowContext) -> None:
            pass

    Bad("bad")


def too_many():
    class Bad(Executor):
        @handler
        async def take(self, text: str, more: int, ctx: WorkflowContext) -> None:
            pass

    Bad("bad")


def no_context_type():
    class Bad(Executor):
        @handler
        async def take(self, text: str, ctx: int) -> None:
            pass

    Bad("bad")


def without_input():
    class Bad(Executor):
        @handler(output=str)
        async def take(self, text, ctx) -> None:
            pass

    Bad("bad")


async def main() -> dict:
    return {
        "no id": refused(ValueError, lambda: Fine("")),
        "no handlers": refused(ValueError, lambda: Empty("e")),
        "two handlers": refused(ValueError, lambda: Twice("t"), 27),
        "two response handlers": refused(ValueError, lambda: TwoAnswers("t"), 40),
        "no message type": refused(ValueError, no_message_type, 0),
        "too many": refused(ValueError, too_many, 0),
        "no context type": refused(ValueError, no_context_type, 0),
        "without input": refused(ValueError, without_input, 0),
        "static": refused(ValueError, lambda: executor(staticmethod(print)), 0),
        "three parameters": refused(
            ValueError, lambda: FunctionExecutor(lambda a, b, c: None, id="f"), 0
        ),
    }
