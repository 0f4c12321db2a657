"""Executors: how handlers are declared, which one takes a value, and what is refused."""

from __future__ import annotations

from typing import Any, Literal, Protocol, TypeVar, runtime_checkable

import pytest

from runtime import executor as imported_from_the_package
from runtime.executors.executor import (
    Executor,
    FunctionExecutor,
    WorkflowContext,
    executor,
    handler,
    response_handler,
)
from runtime.message import Message, Request

T = TypeVar("T")


class Base: ...


class Derived(Base): ...


class Chooser(Executor):
    """The names are in the opposite order of the types: the order of names must not
    matter.
    """

    @handler
    async def a_base(self, message: Base, ctx: WorkflowContext) -> None: ...

    @handler
    async def b_derived(self, message: Derived, ctx: WorkflowContext) -> None: ...

    @handler
    async def c_list(
        self, message: list[Later], ctx: WorkflowContext[int | str, float]
    ) -> None: ...

    @response_handler
    async def answered(
        self, original_request: Base, response: bool, ctx: WorkflowContext[bytes]
    ) -> None: ...


class Later: ...


def name_for(value: Any) -> str | None:
    found = Chooser("c").handler_for(value)
    return found and found.name


def test_rule_11_the_most_specific_handler_wins_whatever_its_name():
    assert name_for(Derived()) == "b_derived"
    assert name_for(Base()) == "a_base"


def test_case_55_text_annotations_and_classes_defined_later_resolve():
    assert name_for([Later()]) == "c_list"
    assert name_for([1]) is None


def test_types_local_to_a_function_resolve():
    class Local: ...

    class Uses(Executor):
        @handler
        async def take(self, message: Local, ctx: WorkflowContext[Local]) -> None: ...

    @executor
    async def function(message: Local) -> None: ...

    assert Uses("u").input_types == [Local]
    assert function.input_types == [Local]


def test_rule_11_ties_go_to_the_handler_defined_first():
    class One: ...

    class Two: ...

    class Both(One, Two): ...

    class Ties(Executor):
        @handler
        async def z(self, message: Two, ctx: WorkflowContext) -> None: ...

        @handler
        async def a(self, message: One, ctx: WorkflowContext) -> None: ...

    found = Ties("t").handler_for(Both())
    assert found is not None
    assert found.name == "z"


def test_rule_11_a_wider_handler_before_them_does_not_decide_between_two_that_are_equally_specific():
    class One: ...

    class Two: ...

    class Narrow(One): ...

    class Both(Narrow, Two): ...

    class Ties(Executor):
        @handler
        async def one(self, message: One, ctx: WorkflowContext) -> None: ...

        @handler
        async def two(self, message: Two, ctx: WorkflowContext) -> None: ...

        @handler
        async def narrow(self, message: Narrow, ctx: WorkflowContext) -> None: ...

    found = Ties("t").handler_for(Both())
    assert found is not None
    assert found.name == "two"


class Many(Executor):
    @handler
    async def anything(self, message: Any, ctx: WorkflowContext) -> None: ...

    @handler
    async def number(self, message: int | bytes, ctx: WorkflowContext) -> None: ...

    @handler
    async def whole(self, message: int, ctx: WorkflowContext) -> None: ...

    @handler
    async def truth(self, message: bool, ctx: WorkflowContext) -> None: ...

    @handler
    async def some(self, message: list[Any], ctx: WorkflowContext) -> None: ...

    @handler
    async def wholes(self, message: list[int], ctx: WorkflowContext) -> None: ...

    @handler
    async def text(self, message: str, ctx: WorkflowContext) -> None: ...

    @handler
    async def command(
        self, message: Literal["stop", "go"], ctx: WorkflowContext
    ) -> None: ...

    @handler
    async def stop(self, message: Literal["stop"], ctx: WorkflowContext) -> None: ...


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (None, "anything"),
        (b"x", "number"),
        (1, "whole"),
        (True, "truth"),
        ([1, "a"], "some"),
        ([1, 2], "wholes"),
        ("other", "text"),
        ("go", "command"),
        ("stop", "stop"),
    ],
)
def test_rule_11_unions_generics_and_literals_are_each_as_specific_as_what_they_take(
    value: Any, name: str
):
    found = Many("m").handler_for(value)
    assert found is not None
    assert found.name == name


def test_rule_11_what_looks_at_the_value_is_asked_about_each_value_of_a_class():
    @runtime_checkable
    class HasName(Protocol):
        name: str

    class Thing: ...

    class Uses(Executor):
        @handler
        async def named(self, message: HasName, ctx: WorkflowContext) -> None: ...

        @handler
        async def thing(self, message: Thing, ctx: WorkflowContext) -> None: ...

    one = Uses("u")
    plain = Thing()
    named = Thing()
    named.name = "n"  # type: ignore[attr-defined]
    assert [
        found.name
        for value in (plain, named, plain)
        if (found := one.handler_for(value))
    ] == [
        "thing",
        "named",
        "thing",
    ]


def test_rule_11_a_response_handler_is_chosen_by_request_and_answer():
    class Asks(Chooser):
        @response_handler
        async def narrower(
            self, original_request: Derived, response: bool, ctx: WorkflowContext
        ) -> None: ...

    one = Asks("a")
    found = (
        one.response_handler_for(Derived(), True),
        one.response_handler_for(Base(), True),
    )
    assert [handler and handler.name for handler in found] == ["narrower", "answered"]


def test_declared_types():
    one = Chooser("c")
    assert one.input_types == [Base, Derived, list[Later]]
    assert one.output_types == [int, str, bytes]
    assert one.workflow_output_types == [float]
    assert one.is_request_response_capable
    assert one.is_request_supported(Derived, bool)
    assert not one.is_request_supported(Derived, bytes)


def test_can_handle_knows_messages_and_answers():
    one = Chooser("c")
    request = Request("r", "c", Base(), bool, 1)
    assert one.can_handle(Message(Base(), "x"))
    assert one.can_handle(Message(True, "internal:c", "c", request))
    assert not one.can_handle(Message("text", "internal:c", "c", request))


def test_explicit_types_replace_annotations_and_may_be_text():
    class Explicit(Executor):
        @handler(input="list[Later] | None", output=int)
        async def take(self, message, ctx): ...

    one = Explicit("e")
    assert one.handler_for(None) is not None
    assert one.handler_for([Later()]) is not None
    assert one.output_types == [int]


def test_a_subclass_keeps_and_overrides_handlers():
    class Sub(Chooser):
        @handler
        async def a_base(self, message: str, ctx: WorkflowContext) -> None: ...

    assert Sub("s").input_types == [str, Derived, list[Later]]


def test_functions_with_and_without_context():
    async def upper(text: str, ctx: WorkflowContext[str]) -> None: ...

    def quiet(text: str) -> None: ...

    assert FunctionExecutor(upper).id == "upper"
    assert FunctionExecutor(upper, "other").output_types == [str]
    assert FunctionExecutor(quiet).output_types == []


def test_the_decorator_works_from_the_package_too():
    @imported_from_the_package(id="it")
    async def function(message: int) -> None: ...

    assert function.id == "it"


@pytest.mark.parametrize("id", ["", None])
def test_an_empty_id_is_refused(id):
    with pytest.raises(ValueError, match="non-empty string"):
        Chooser(id)


def test_an_id_that_looks_like_an_outside_source_is_refused():
    with pytest.raises(ValueError, match="internal:"):
        Chooser("internal:a")


def test_no_handler_is_refused():
    class Nothing(Executor): ...

    with pytest.raises(ValueError, match="has no handlers defined"):
        Nothing("n")


def test_two_handlers_for_one_type_are_refused():
    class Twice(Executor):
        @handler
        async def one(self, message: int, ctx: WorkflowContext) -> None: ...

        @handler
        async def two(self, message: int, ctx: WorkflowContext) -> None: ...

    with pytest.raises(ValueError, match="Duplicate handler for type"):
        Twice("t")


def test_a_wrong_number_of_parameters_is_refused():
    with pytest.raises(ValueError, match="Got 2 parameters"):

        class Short(Executor):
            @handler
            async def take(self, message: int) -> None: ...


def test_a_missing_message_annotation_is_refused():
    with pytest.raises(
        ValueError, match="must have a type annotation for the message parameter"
    ):

        class Missing(Executor):
            @handler
            async def take(self, message, ctx: WorkflowContext) -> None: ...


def test_a_context_of_another_type_is_refused():
    with pytest.raises(ValueError, match="must be annotated as WorkflowContext"):

        class Wrong(Executor):
            @handler
            async def take(self, message: int, ctx: int) -> None: ...


def test_an_unresolved_type_variable_is_refused():
    with pytest.raises(ValueError, match="unresolved TypeVar"):

        class Open(Executor):
            @handler
            async def take(self, message: list[T], ctx: WorkflowContext) -> None: ...


def test_explicit_types_of_a_handler_need_the_input():
    with pytest.raises(ValueError, match="must specify 'input' type"):

        class Half(Executor):
            @handler(output=int)
            async def take(self, message: int, ctx: WorkflowContext) -> None: ...


def test_what_the_decorator_of_a_function_leaves_out_comes_from_its_annotations():
    @executor(workflow_output=str)
    async def yields(message: int, ctx: WorkflowContext[float]) -> None: ...

    @executor(input=bytes)
    async def takes(message: int, ctx: WorkflowContext[float, str]) -> None: ...

    @executor(input="Optional[int]", output="Union[int, str]")
    async def texts(message, ctx): ...

    @executor(output=int)
    async def alone(message: str) -> None: ...

    def types_of(one):
        return one.input_types, one.output_types, one.workflow_output_types

    assert types_of(yields) == ([int], [float], [str])
    assert types_of(takes) == ([bytes], [float], [str])
    assert types_of(texts) == ([int | None], [int, str], [])
    assert types_of(alone) == ([str], [int], [])


def test_a_response_handler_whose_context_says_nothing_sends_nothing():
    class Asks(Executor):
        @handler
        async def take(self, message: int, ctx: WorkflowContext) -> None: ...

        @response_handler
        async def answer(self, question: int, answer: str, ctx) -> None: ...

    assert Asks("a").output_types == []


def test_what_the_decorator_cannot_see_yet_is_checked_when_the_executor_is_made():
    class Late(Executor):
        @handler
        async def take(self, message: DefinedBelow, ctx: int) -> None: ...

    class DefinedBelow: ...

    with pytest.raises(ValueError, match="must be annotated as WorkflowContext"):
        Late("l")


def test_a_name_that_nobody_knows_is_said():
    class Unknown(Executor):
        @handler
        async def take(self, message: Nobody, ctx: WorkflowContext) -> None: ...  # noqa: F821

    with pytest.raises(ValueError, match="Nobody"):
        Unknown("u")


def test_a_static_method_is_refused():
    with pytest.raises(ValueError, match="cannot be used with @staticmethod"):

        class _Holder:
            @executor
            @staticmethod
            async def function(message: int) -> None: ...


def test_a_handler_that_yields_is_refused_when_it_is_defined():
    """It would be called, and nothing in it would ever run."""

    async def several(message: str, ctx: WorkflowContext[str]) -> Any:
        yield message

    with pytest.raises(ValueError, match="generator"):
        FunctionExecutor(several)
    with pytest.raises(ValueError, match="generator"):
        handler(lambda self, message, ctx: (yield message))
