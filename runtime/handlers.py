"""Handlers: what `@handler` and `@response_handler` leave on a method, and how its annotations become types.

Annotations are looked at when an executor is made, not when its class is: by then a class that is defined further down
in the module exists. Names that are local to a function are remembered by the decorator, as text annotations cannot
find them later.
"""

from __future__ import annotations

import builtins
import inspect
import sys
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import (
    Any,
    ForwardRef,
    Literal,
    Never,
    NewType,
    NoReturn,
    TypeVar,
    get_args,
    get_origin,
    get_type_hints,
    overload,
)

from runtime.context import WorkflowContext
from runtime.typecheck import check_for, members, plain

F = TypeVar("F", bound=Callable[..., Any])

_MARK = "__stepwell_handler__"


@dataclass(frozen=True, slots=True)
class Handler:
    """One way in which an executor reacts: to a message, or to the answer of a request.

    `message_type` is the type of the message, or of the answer; `request_type` is set on response handlers.
    """

    name: str
    call: Callable[..., Any]
    message_type: Any
    output_types: tuple[Any, ...] = ()
    workflow_output_types: tuple[Any, ...] = ()
    request_type: Any = None
    takes_context: bool = True
    in_thread: bool = False
    accepts: Callable[[Any], bool] = field(init=False)
    accepts_request: Callable[[Any], bool] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "accepts", check_for(self.message_type))
        object.__setattr__(self, "accepts_request", check_for(self.request_type))


@dataclass(frozen=True, slots=True)
class Mark:
    """What a decorator knows: explicit types, and the local names that the annotations may need."""

    response: bool
    explicit: Mapping[str, Any]
    names: Mapping[str, Any]


@overload
def handler(func: F, /) -> F: ...
@overload
def handler(*, input: Any = ..., output: Any = ..., workflow_output: Any = ...) -> Callable[[F], F]: ...
def handler(func: Any = None, *, input: Any = None, output: Any = None, workflow_output: Any = None) -> Any:
    """Mark a method `(self, message, ctx)` as a handler of messages of the annotated type.

    With any of `input`, `output`, `workflow_output` all types are taken from these, and `input` is required.
    """
    return _decorator(
        func, response=False, explicit=_given(input=input, output=output, workflow_output=workflow_output)
    )


@overload
def response_handler(func: F, /) -> F: ...
@overload
def response_handler(
    *, request: Any = ..., response: Any = ..., output: Any = ..., workflow_output: Any = ...
) -> Callable[[F], F]: ...
def response_handler(
    func: Any = None,
    *,
    request: Any = None,
    response: Any = None,
    output: Any = None,
    workflow_output: Any = None,
) -> Any:
    """Mark a method `(self, original_request, response, ctx)` as the handler of answers of the annotated type."""
    explicit = _given(request=request, response=response, output=output, workflow_output=workflow_output)
    return _decorator(func, response=True, explicit=explicit)


def _given(**types_: Any) -> dict[str, Any]:
    return {name: value for name, value in types_.items() if value is not None}


def _decorator(func: Any, *, response: bool, explicit: Mapping[str, Any]) -> Any:
    def mark(target: F) -> F:
        _check_explicit(target, response, explicit)
        _check_parameters(target, 4 if response else 3, response)
        setattr(target, _MARK, Mark(response, explicit, local_names(target, explicit)))
        return target

    return mark if func is None else mark(func)


def _check_explicit(func: Callable[..., Any], response: bool, explicit: Mapping[str, Any]) -> None:
    for name in ("request", "response") if response else ("input",):
        if explicit and name not in explicit:
            refuse(func, f"with explicit type parameters must specify '{name}' type.", response)


def _check_parameters(func: Callable[..., Any], count: int, response: bool) -> None:
    parameters = inspect.signature(func).parameters
    if len(parameters) != count:
        shape = "(self, original_request: Q, response: A, ctx: ...)" if response else "(self, message: T, ctx: ...)"
        refuse(func, f"must have {shape}. Got {len(parameters)} parameters.", response)
    refuse_generator(func, response)


def refuse_generator(func: Callable[..., Any], response: bool = False) -> None:
    """A function that yields would be called and never run."""
    if inspect.isgeneratorfunction(func) or inspect.isasyncgenfunction(func):
        refuse(func, "must not be a generator. Use ctx.send_message or ctx.yield_output instead of yield.", response)


def refuse(func: Callable[..., Any], text: str, response: bool = False) -> NoReturn:
    raise ValueError(f"{'Response handler' if response else 'Handler'} {func.__name__} {text}")


def local_names(
    func: Callable[..., Any], explicit: Mapping[str, Any], known: Mapping[str, Any] = MappingProxyType({})
) -> dict[str, Any]:
    """The values of names that text annotations mention, found in the functions around whoever calls; `known` are
    found already.
    """
    texts = [text for one in (*func.__annotations__.values(), *explicit.values()) for text in _texts_in(one)]
    wanted = {name for text in texts for name in _names_in(text)} - set(func.__globals__) - set(vars(builtins))
    found = {name: known[name] for name in wanted if name in known}
    wanted -= set(found)
    frame: types.FrameType | None = sys._getframe(1)
    while frame is not None and wanted:
        if frame.f_globals is func.__globals__:
            found.update({name: frame.f_locals[name] for name in wanted & set(frame.f_locals)})
            wanted -= set(found)
        frame = frame.f_back
    return found


def _texts_in(annotation: Any) -> Iterator[str]:
    if isinstance(annotation, str):
        yield annotation
    elif isinstance(annotation, ForwardRef):
        yield annotation.__forward_arg__
    elif get_origin(annotation) is not Literal:
        for one in get_args(annotation):
            yield from _texts_in(one)


def _names_in(text: str) -> Sequence[str]:
    try:
        return compile(text, "<annotation>", "eval").co_names
    except SyntaxError:
        return ()


# --- from marks to handlers ---------------------------------------------------------------------------------------


def handlers_of(owner: object) -> Iterator[Handler]:
    """The handlers of an executor in the order of their definition, those of base classes first."""
    names: dict[str, None] = {}
    for cls in reversed(type(owner).__mro__):
        names.update(dict.fromkeys(name for name, value in vars(cls).items() if hasattr(value, _MARK)))
    for name in names:
        method = getattr(owner, name)
        mark: Mark | None = getattr(method, _MARK, None)
        if mark is not None:  # a subclass may override a handler with something that is none
            yield _handler(name, method, mark)


def _handler(name: str, method: Callable[..., Any], mark: Mark) -> Handler:
    func = method.__func__ if isinstance(method, types.MethodType) else method
    values = list(inspect.signature(method).parameters)[: 2 if mark.response else 1]
    names = local_names(func, mark.explicit, mark.names)  # a class may have been defined since
    if mark.explicit:
        inputs, outputs = explicit_types(func, mark.explicit, names)
    else:
        inputs, outputs = annotated_types(func, values, names, mark.response)
    return Handler(
        name=name,
        call=method,
        message_type=inputs[-1],
        output_types=outputs[0],
        workflow_output_types=outputs[1],
        request_type=inputs[0] if mark.response else None,
        in_thread=not inspect.iscoroutinefunction(func),
    )


Outputs = tuple[tuple[Any, ...], tuple[Any, ...]]


def explicit_types(
    func: Callable[..., Any], explicit: Mapping[str, Any], names: Mapping[str, Any]
) -> tuple[list[Any], Outputs]:
    """The types given to the decorator; texts are evaluated with the names that the function can see."""

    def resolve(value: Any) -> Any:
        found = plain(_hints(func, {"it": value}, names)["it"])
        if not all(map(_is_type, members(found))):
            refuse(func, f"has an invalid type entry: {found!r}. Use proper types or typing generics.")
        return check_resolved(func, found)

    inputs = [resolve(explicit[name]) for name in ("request", "response", "input") if name in explicit]
    outputs = tuple(_alternatives(resolve(explicit.get(name, Never))) for name in ("output", "workflow_output"))
    return inputs, (outputs[0], outputs[1])


def annotated_types(
    func: Callable[..., Any],
    values: Sequence[str],
    names: Mapping[str, Any],
    response: bool = False,
    kind: str = "",
) -> tuple[list[Any], Outputs]:
    """The types of the parameters in `values`, and what the annotation of the context says is sent and yielded."""
    hints = _hints(func, func.__annotations__, names)
    for name in values:
        if name not in hints:
            refuse(func, f"must have a type annotation for the {name} parameter", response)
    inputs = [check_resolved(func, plain(hints[name])) for name in values]
    parameters = list(inspect.signature(func).parameters)
    after = parameters[parameters.index(values[-1]) + 1 :]
    # A function may take no context; then it sends nothing.
    kind = kind or ("Response handler" if response else "Handler")
    return inputs, context_types(func, after[0], hints, kind) if after else ((), ())


def _hints(func: Callable[..., Any], annotations: Mapping[str, Any], names: Mapping[str, Any]) -> dict[str, Any]:
    holder = types.SimpleNamespace(__annotations__=dict(annotations))
    try:
        return get_type_hints(holder, globalns=func.__globals__, localns=dict(names), include_extras=True)
    except (NameError, AttributeError, SyntaxError, TypeError) as error:
        raise ValueError(
            f"The annotations of {func.__qualname__} cannot be resolved: {error}. Define the name in the module or in "
            "a function around it, or give the types to the decorator."
        ) from error


_CONTEXTS = "WorkflowContext, WorkflowContext[T], or WorkflowContext[T, U]"


def context_types(func: Callable[..., Any], name: str, hints: Mapping[str, Any], kind: str = "Handler") -> Outputs:
    """What `WorkflowContext[...]` says: the types of sent messages, and of the workflow's outputs."""

    def refuse_context(text: str) -> NoReturn:
        raise ValueError(f"{kind} parameter '{name}' {text} (in {func.__qualname__})")

    if name not in hints:
        refuse_context(f"must have a {_CONTEXTS} type annotation: what it sends, and what it yields.")
    annotation = plain(hints[name])
    if (get_origin(annotation) or annotation) is not WorkflowContext:
        refuse_context(f"must be annotated as {_CONTEXTS}, got {annotation}.")
    arguments = get_args(annotation)
    if len(arguments) > 2:
        refuse_context(f"must have at most 2 type arguments of WorkflowContext, got {len(arguments)}.")
    for parameter, one in zip(("OutT", "W_OutT"), arguments, strict=False):
        if not _is_type(one):
            refuse_context(f"{parameter} contains invalid type entry: {one!r}. Use proper types or typing generics.")
        if _is_open(one):
            refuse_context(f"{parameter} contains an unresolved TypeVar in '{one}'. Use concrete types.")
    sent, yielded = [_alternatives(one) for one in (*arguments, Never, Never)[:2]]
    return sent, yielded


def _is_type(one: Any) -> bool:
    return (
        one is None
        or one is Any
        or isinstance(one, type | TypeVar | NewType)
        or get_origin(one) is not None
        or (one in (Never, NoReturn))
    )


def _alternatives(annotation: Any) -> tuple[Any, ...]:
    return tuple(one for one in members(annotation) if one is not Never and one is not NoReturn)


def check_resolved(func: Callable[..., Any], annotation: Any) -> Any:
    if _is_open(annotation):
        refuse(func, f"has an unresolved TypeVar '{annotation}'. Use concrete types, in annotations or the decorator.")
    return annotation


def _is_open(annotation: Any) -> bool:
    has_parameters = isinstance(annotation, TypeVar) or bool(getattr(annotation, "__parameters__", None))
    return has_parameters and not isinstance(annotation, type)
