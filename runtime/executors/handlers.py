"""`@handler` and `@response_handler`: the mark that they leave on a method, and how its
annotations become types.

The decorator refuses what it can see to be wrong. An annotation may name a class that
is defined further down, so it is resolved again when an executor is made. Names that
are local to a function are kept by the decorator, because text annotations cannot find
them later.
"""

from __future__ import annotations

import builtins
import inspect
import sys
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import (
    Any,
    ForwardRef,
    Literal,
    NamedTuple,
    Never,
    NewType,
    NoReturn,
    Optional,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    overload,
)

from runtime.executors.context import WorkflowContext
from runtime.executors.outside import Declared, Outside, outside_of
from runtime.values.type_matching import check_for, members, plain

F = TypeVar("F", bound=Callable[..., Any])

_MARK = "__stepwell_handler__"


@dataclass(frozen=True, slots=True)
class Handler:
    """One way in which an executor reacts: to a message, or to the answer of a request.

    `message_type` is the type of the message, or of the answer; `request_type` is set
    on response handlers; `outside` says what a call does beyond the run.
    """

    name: str
    call: Callable[..., Any]
    message_type: Any
    output_types: tuple[Any, ...] = ()
    workflow_output_types: tuple[Any, ...] = ()
    request_type: Any = None
    takes_context: bool = True
    in_thread: bool = False
    outside: Outside | None = None
    accepts: Callable[[Any], bool] = field(init=False)
    accepts_request: Callable[[Any], bool] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "accepts", check_for(self.message_type))
        object.__setattr__(self, "accepts_request", check_for(self.request_type))


@dataclass(frozen=True, slots=True)
class Mark:
    """What a decorator leaves on a method: explicit types, and the local names that the
    annotations may need.
    """

    response: bool
    explicit: Mapping[str, Any]
    names: Mapping[str, Any]
    outside: Outside | None = None


@overload
def handler(func: F, /) -> F: ...
@overload
def handler(
    *,
    input: Any = ...,
    output: Any = ...,
    workflow_output: Any = ...,
    outside: Declared = ...,
) -> Callable[[F], F]: ...
def handler(
    func: Any = None,
    *,
    input: Any = None,
    output: Any = None,
    workflow_output: Any = None,
    outside: Declared = None,
) -> Any:
    """Mark a method `(self, message, ctx)` as a handler of messages of the annotated
    type.

    With any of `input`, `output`, `workflow_output` all types are taken from these, and
    `input` is required. `outside` says what a call does beyond the run, such as "HTTP
    request": its result is kept, and going on from the past does not repeat it unasked.
    """
    return _decorator(
        func,
        response=False,
        outside=outside_of(outside),
        explicit=_without_none(
            input=input, output=output, workflow_output=workflow_output
        ),
    )


@overload
def response_handler(func: F, /) -> F: ...
@overload
def response_handler(
    *,
    request: Any = ...,
    response: Any = ...,
    output: Any = ...,
    workflow_output: Any = ...,
    outside: Declared = ...,
) -> Callable[[F], F]: ...
def response_handler(
    func: Any = None,
    *,
    request: Any = None,
    response: Any = None,
    output: Any = None,
    workflow_output: Any = None,
    outside: Declared = None,
) -> Any:
    """Mark a method `(self, original_request, response, ctx)` as the handler of answers
    of the annotated type. `outside` is that of `handler`.
    """
    explicit = _without_none(
        request=request,
        response=response,
        output=output,
        workflow_output=workflow_output,
    )
    return _decorator(
        func, response=True, explicit=explicit, outside=outside_of(outside)
    )


def _without_none(**types_: Any) -> dict[str, Any]:
    return {name: value for name, value in types_.items() if value is not None}


class Subject(NamedTuple):
    """The handler, response handler or function whose types are read, as errors name
    it.
    """

    kind: str
    name: str
    # How an error names it where the decorator gave the type.
    by_decorator: str
    # How errors name the parameters that carry a value, whatever their own names are.
    values: tuple[str, ...] = ("message",)

    def refuse(self, text: str) -> NoReturn:
        raise ValueError(f"{self.kind} {self.name} {text}")

    @classmethod
    def of_handler(cls, func: Callable[..., Any], response: bool) -> Subject:
        name = func.__name__
        if response:
            return cls(
                "Response handler",
                name,
                f"Response handler {name}",
                ("original_request", "response"),
            )
        return cls("Handler", name, f"Handler '{name}'")

    @classmethod
    def of_function(cls, name: str) -> Subject:
        return cls("Function instance", name, f"Executor '{name}'")


def _decorator(
    func: Any, *, response: bool, explicit: Mapping[str, Any], outside: Outside | None
) -> Any:
    def mark(target: F) -> F:
        subject = Subject.of_handler(target, response)
        _check_parameters(target, subject)
        for name in ("request", "response") if response else ("input",):
            if explicit and name not in explicit:
                subject.refuse(
                    f"with explicit type parameters must specify '{name}' type."
                )
        names = local_names(target, explicit)
        new_mark = Mark(response, explicit, names, outside)
        # A class may be defined later; then its name is resolved when an executor is
        # made.
        with suppress(UnknownNameError):
            _types_of(target, new_mark, subject)
        setattr(target, _MARK, new_mark)
        return target

    return mark if func is None else mark(func)


def _check_parameters(func: Callable[..., Any], subject: Subject) -> None:
    count = len(inspect.signature(func).parameters)
    if count != len(subject.values) + 2:
        is_response = len(subject.values) == 2
        if is_response:
            shape = "(self, original_request, response, ctx)"
        else:
            shape = "(self, message: T, ctx: WorkflowContext[U, V])"
        subject.refuse(f"must have {shape}. Got {count} parameters.")
    refuse_generator(func, subject)


def refuse_generator(func: Callable[..., Any], subject: Subject | None = None) -> None:
    """Raise `ValueError` for a generator, because calling it would never run its body."""
    if inspect.isgeneratorfunction(func) or inspect.isasyncgenfunction(func):
        text = "must not be a generator. Use ctx.send_message or ctx.yield_output instead of yield."
        (subject or Subject.of_handler(func, response=False)).refuse(text)


def local_names(
    func: Callable[..., Any],
    explicit: Mapping[str, Any],
    known: Mapping[str, Any] = MappingProxyType({}),
) -> dict[str, Any]:
    """Return the values of names that text annotations mention, from the local names of
    the calling functions.

    `known` are the values that an earlier call has found.
    """
    missing: set[str] = set()
    for annotation in (*func.__annotations__.values(), *explicit.values()):
        for text in _texts_in(annotation):
            missing.update(_names_in(text))
    # These need no help: a text annotation can see globals and builtins.
    missing.difference_update(func.__globals__, vars(builtins))
    values = {name: known[name] for name in missing if name in known}
    missing.difference_update(values)
    frame: types.FrameType | None = sys._getframe(1)
    while frame is not None and missing:
        # Only functions of the same module can be around the decorated one.
        if frame.f_globals is func.__globals__:
            for name in missing & set(frame.f_locals):
                values[name] = frame.f_locals[name]
            missing.difference_update(values)
        frame = frame.f_back
    return values


def _texts_in(annotation: Any) -> Iterator[str]:
    if isinstance(annotation, str):
        yield annotation
    elif isinstance(annotation, ForwardRef):
        yield annotation.__forward_arg__
    elif get_origin(annotation) is not Literal:
        for argument in get_args(annotation):
            yield from _texts_in(argument)


def _names_in(text: str) -> Sequence[str]:
    try:
        return compile(text, "<annotation>", "eval").co_names
    except SyntaxError:
        return ()


# --- from marks to handlers ---------------------------------------------------------------------------------------


def handlers_of(owner: object) -> Iterator[Handler]:
    """Yield the handlers of an executor in the order of their definition, those of base
    classes first.
    """
    names: dict[str, None] = {}
    for cls in reversed(type(owner).__mro__):
        for name, value in vars(cls).items():
            if hasattr(value, _MARK):
                names[name] = None
    for name in names:
        method = getattr(owner, name)
        mark: Mark | None = getattr(method, _MARK, None)
        # A subclass may override a handler with a method that is none.
        if mark is not None:
            yield _handler(name, method, mark)


def _handler(name: str, method: Callable[..., Any], mark: Mark) -> Handler:
    func = method.__func__ if isinstance(method, types.MethodType) else method
    inputs, outputs = _types_of(func, mark, Subject.of_handler(func, mark.response))
    return Handler(
        name=name,
        call=method,
        message_type=inputs[-1],
        output_types=outputs[0],
        workflow_output_types=outputs[1],
        request_type=inputs[0] if mark.response else None,
        in_thread=not inspect.iscoroutinefunction(func),
        outside=mark.outside,
    )


Outputs = tuple[tuple[Any, ...], tuple[Any, ...]]


class UnknownNameError(ValueError):
    """An annotation names something that does not exist, or not yet."""


def _types_of(
    func: Callable[..., Any], mark: Mark, subject: Subject
) -> tuple[list[Any], Outputs]:
    parameters = list(inspect.signature(func).parameters)
    context = parameters[-1]
    is_context_annotated = context in func.__annotations__
    # A class may have been defined since the decorator ran.
    names = local_names(func, mark.explicit, mark.names)
    if not mark.explicit:
        # As in agent-framework, a response handler without an annotated context sends
        # nothing.
        is_silent = mark.response and not is_context_annotated
        values = parameters[1:-1]
        return annotated_types(
            func, values, "" if is_silent else context, names, subject
        )
    if is_context_annotated:
        # The types are not used, but an annotation that is wrong is refused.
        annotations = {context: func.__annotations__[context]}
        context_types(context, _hints(func, annotations, names), subject)
    decorator_types = explicit_types(func, mark.explicit, names, subject)
    inputs = [
        decorator_types[name]
        for name in ("request", "response", "input")
        if name in decorator_types
    ]
    sent = _alternatives(decorator_types.get("output", Never))
    yielded = _alternatives(decorator_types.get("workflow_output", Never))
    return inputs, (sent, yielded)


def function_types(
    func: Callable[..., Any],
    parameters: Sequence[str],
    explicit: Mapping[str, Any],
    subject: Subject,
) -> tuple[Any, Outputs]:
    """Return the types of a function `(message)` or `(message, ctx)`: those of the
    decorator, else the annotated.
    """
    names = local_names(func, explicit)
    decorator_types = explicit_types(func, explicit, names, subject)
    has_input = "input" in decorator_types
    context = parameters[1] if len(parameters) == 2 else ""
    if {"input", "output", "workflow_output"} <= decorator_types.keys():
        # Everything is given, so the annotation of the context is not read.
        context = ""
    elif has_input and context not in func.__annotations__:
        # With the input given, no parameter needs an annotation.
        context = ""
    values = [] if has_input else [parameters[0]]
    inputs, (sent, yielded) = annotated_types(func, values, context, names, subject)
    if "output" in decorator_types:
        sent = _alternatives(decorator_types["output"])
    if "workflow_output" in decorator_types:
        yielded = _alternatives(decorator_types["workflow_output"])
    return decorator_types["input"] if has_input else inputs[0], (sent, yielded)


def explicit_types(
    func: Callable[..., Any],
    explicit: Mapping[str, Any],
    names: Mapping[str, Any],
    subject: Subject,
) -> dict[str, Any]:
    """Return the types given to the decorator. Texts are evaluated with the names that
    the function can see.
    """
    types_ = {}
    for name, value in explicit.items():
        # In a text these two need no import, as in agent-framework.
        known = {"Optional": Optional, "Union": Union, **names}
        types_[name] = resolved = plain(_hints(func, {"it": value}, known)["it"])
        if not all(map(_is_type, members(resolved))):
            subject.refuse(
                f"has an invalid type entry: {resolved!r}. Use proper types or typing generics."
            )
        if _is_open(resolved):
            raise ValueError(
                f"{subject.by_decorator} has an unresolved TypeVar '{resolved}' as its {name} type. "
                "Give the decorator concrete types."
            )
    return types_


def annotated_types(
    func: Callable[..., Any],
    values: Sequence[str],
    context: str,
    names: Mapping[str, Any],
    subject: Subject,
) -> tuple[list[Any], Outputs]:
    """Return the types of the parameters in `values`, and what the annotation of the
    context says is sent and yielded.

    `context` is "" if there is none, or if its annotation is not to be read.
    """
    shown = dict(zip(values, subject.values, strict=False))
    for name in values:
        if name not in func.__annotations__:
            subject.refuse(
                f"must have a type annotation for the {shown[name]} parameter"
            )
    if context:
        _check_annotated(context, func.__annotations__, subject)
    hints = _hints(
        func,
        {name: func.__annotations__[name] for name in (*values, context) if name},
        names,
    )
    inputs = []
    for name in values:
        annotation = plain(hints[name])
        if _is_open(annotation):
            subject.refuse(
                f"has an unresolved TypeVar '{annotation}' as its {shown[name]} type annotation. "
                "Use concrete types, here or in the decorator."
            )
        inputs.append(annotation)
    return inputs, context_types(context, hints, subject) if context else ((), ())


def _hints(
    func: Callable[..., Any], annotations: Mapping[str, Any], names: Mapping[str, Any]
) -> dict[str, Any]:
    holder = types.SimpleNamespace(__annotations__=dict(annotations))
    try:
        return get_type_hints(
            holder, globalns=func.__globals__, localns=dict(names), include_extras=True
        )
    except (NameError, AttributeError, SyntaxError, TypeError) as error:
        raise UnknownNameError(
            f"The annotations of {func.__qualname__} cannot be resolved: {error}. Define the name in the module or in "
            "a function around it, or give the types to the decorator."
        ) from error


_CONTEXTS = "WorkflowContext, WorkflowContext[T], or WorkflowContext[T, U]"


def _check_annotated(
    name: str, annotations: Mapping[str, Any], subject: Subject
) -> None:
    if name not in annotations:
        raise ValueError(
            f"{subject.kind} parameter '{name}' must have a WorkflowContext, WorkflowContext[T] or "
            f"WorkflowContext[T, U] type annotation: T is what '{subject.name}' sends, U what it yields."
        )


def context_types(name: str, hints: Mapping[str, Any], subject: Subject) -> Outputs:
    """Return what `WorkflowContext[...]` says: the types of sent messages, and of the
    workflow's outputs.
    """

    def refuse_context(text: str) -> NoReturn:
        raise ValueError(
            f"{subject.kind} parameter '{name}' {text} (in {subject.name})"
        )

    annotation = plain(hints[name])
    if (get_origin(annotation) or annotation) is not WorkflowContext:
        refuse_context(f"must be annotated as {_CONTEXTS}, got {annotation}.")
    arguments = get_args(annotation)
    if len(arguments) > 2:
        refuse_context(
            f"must have at most 2 type arguments, {_CONTEXTS}, got {len(arguments)} arguments."
        )
    for parameter, argument in zip(("OutT", "W_OutT"), arguments, strict=False):
        if not _is_type(argument):
            refuse_context(
                f"{parameter} contains invalid type entry: {argument!r}. Use proper types or typing generics."
            )
        if _is_open(argument):
            refuse_context(
                f"{parameter} contains an unresolved TypeVar in '{argument}'. Use concrete types."
            )
    sent, yielded = [
        _alternatives(argument) for argument in (*arguments, Never, Never)[:2]
    ]
    return sent, yielded


def _is_type(value: Any) -> bool:
    return (
        value is None
        or value is Any
        or isinstance(value, type | TypeVar | NewType)
        or get_origin(value) is not None
        or (value in (Never, NoReturn))
    )


def _alternatives(annotation: Any) -> tuple[Any, ...]:
    return tuple(
        member
        for member in members(annotation)
        if member is not Never and member is not NoReturn
    )


def _is_open(annotation: Any) -> bool:
    has_parameters = isinstance(annotation, TypeVar) or bool(
        getattr(annotation, "__parameters__", None)
    )
    return has_parameters and not isinstance(annotation, type)
