"""Annotations as text, types of functions around them, explicit types: what a handler
takes is found in all of them.
"""

from __future__ import annotations

from typing import Any, Optional, Union

import pytest

from runtime import (
    Executor,
    FunctionExecutor,
    WorkflowContext,
    handler,
    response_handler,
)


def test_case_55_a_type_that_a_function_defines_after_the_handler_is_found():
    class Uses(Executor):
        @handler
        async def take(
            self, message: Later, ctx: WorkflowContext[list[Later], Later]
        ) -> None: ...

    class Later: ...

    made = Uses("u")
    assert (made.input_types, made.output_types, made.workflow_output_types) == (
        [Later],
        [list[Later]],
        [Later],
    )


def test_case_55_a_function_executor_finds_local_types_too():
    class Local: ...

    def take(message: Local | None, ctx: WorkflowContext[dict[str, Local]]) -> None: ...

    made = FunctionExecutor(take)
    assert (made.input_types, made.output_types) == ([Local | None], [dict[str, Local]])


def test_case_55_each_call_of_a_function_has_its_own_types():
    def made(kind: Any) -> Executor:
        class Takes(Executor):
            @handler
            async def take(self, message: kind, ctx: WorkflowContext[kind]) -> None: ...

        return Takes("t")

    assert made(int).input_types == [int]
    assert made(str).input_types == [str]


class Outer:
    class Inner: ...

    class Takes(Executor):
        @handler
        async def take(
            self, message: Outer.Inner, ctx: WorkflowContext[Outer.Inner]
        ) -> None: ...


def test_case_55_a_class_inside_a_class_is_found_by_its_full_name():
    assert Outer.Takes("t").input_types == [Outer.Inner]


class Explicit(Executor):
    """Types given to the decorator, with the name of a class that comes later in every
    place where one can stand.
    """

    @handler(
        input="list[Box] | None", output="Box | int", workflow_output=Union[str, "Box"]
    )
    async def text(self, message, ctx): ...

    @handler(input=dict[str, list[int]], output=list["Box"])
    async def generic(self, message, ctx): ...

    @response_handler(request="Box", response=Optional["Box"])
    async def answered(self, asked, answer, ctx): ...


class Box: ...


def test_explicit_types_are_texts_unions_and_generics_with_names_inside():
    made = Explicit("e")
    assert made.input_types == [list[Box] | None, dict[str, list[int]]]
    assert made.output_types == [Box, int, list[Box]]
    assert made.workflow_output_types == [str, Box]
    assert made.is_request_supported(Box, Box)
    assert made.is_request_supported(Box, type(None))
    assert not made.is_request_supported(int, Box)


@pytest.mark.parametrize("wrong", ["no type at all", "Nobody", 5])
def test_an_explicit_type_that_is_none_is_refused_with_the_handler_named(wrong: Any):
    def define() -> None:
        class Takes(Executor):
            @handler(input=wrong)
            async def take(self, message, ctx): ...

        Takes("t")

    with pytest.raises(ValueError, match=r"\btake\b"):
        define()
