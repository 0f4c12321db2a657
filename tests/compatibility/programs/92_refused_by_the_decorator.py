"""What is wrong with a handler is said where it is defined, before any executor is made."""

from typing import TypeVar

from agent_framework import (
    Executor,
    WorkflowContext,
    executor,
    handler,
    response_handler,
)

from tests.compatibility.facts import refused

T = TypeVar("T")


def no_message_type():
    class Bad(Executor):
        @handler
        async def take(self, text, ctx: WorkflowContext) -> None:
            pass


def no_context_type():
    class Bad(Executor):
        @handler
        async def take(self, text: str, ctx) -> None:
            pass


def other_context():
    class Bad(Executor):
        @handler
        async def take(self, text: str, ctx: int) -> None:
            pass


def other_context_beside_types():
    class Bad(Executor):
        @handler(input=str)
        async def take(self, text: str, ctx: int) -> None:
            pass


def open_type():
    class Bad(Executor):
        @handler
        async def take(self, text: T, ctx: WorkflowContext) -> None:
            pass


def open_output():
    class Bad(Executor):
        @handler
        async def take(self, text: str, ctx: WorkflowContext[T]) -> None:
            pass


def open_explicit():
    class Bad(Executor):
        @handler(input=str, output=T)
        async def take(self, text, ctx) -> None:
            pass


def no_input():
    class Bad(Executor):
        @handler(output=str)
        async def take(self, text: str, ctx) -> None:
            pass


def two_parameters():
    class Bad(Executor):
        @handler
        async def take(self, text: str) -> None:
            pass


def no_question_type():
    class Bad(Executor):
        @response_handler
        async def take(self, question, answer: str, ctx: WorkflowContext) -> None:
            pass


def no_answer_type():
    class Bad(Executor):
        @response_handler
        async def take(self, question: str, answer, ctx: WorkflowContext) -> None:
            pass


def open_answer():
    class Bad(Executor):
        @response_handler
        async def take(self, question: str, answer: T, ctx: WorkflowContext) -> None:
            pass


def no_response():
    class Bad(Executor):
        @response_handler(request=str)
        async def take(self, question, answer, ctx) -> None:
            pass


def three_parameters():
    class Bad(Executor):
        @response_handler
        async def take(self, question: str, answer: str) -> None:
            pass


def function_without_a_type():
    @executor
    async def take(text) -> None:
        pass


def function_with_another_context():
    @executor
    async def take(text: str, ctx: str) -> None:
        pass


def function_of_three():
    @executor
    async def take(text: str, more: str, ctx: WorkflowContext) -> None:
        pass


def static_function():
    class Holder:
        @executor
        @staticmethod
        async def take(text: str) -> None:
            pass


class Asks(Executor):
    @handler
    async def take(self, text: str, ctx: WorkflowContext) -> None:
        pass

    @response_handler
    async def taken(self, question: str, answer: bool, ctx) -> None:
        pass


class Empty(Executor):
    pass


async def main() -> dict:
    calls = [
        *(
            no_message_type,
            no_context_type,
            other_context,
            other_context_beside_types,
            open_type,
            open_output,
        ),
        *(
            open_explicit,
            no_input,
            two_parameters,
            no_question_type,
            no_answer_type,
            open_answer,
            no_response,
        ),
        *(
            three_parameters,
            function_without_a_type,
            function_with_another_context,
            function_of_three,
            static_function,
        ),
    ]
    return {call.__name__: refused(ValueError, call, 64) for call in calls} | {
        "a response handler needs no context type": Asks("asks").output_types,
        "empty": refused(ValueError, lambda: Empty("empty"), 80),
    }
