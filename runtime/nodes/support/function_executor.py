"""A user's function as an executor: what it returns is sent on; its annotations say
what it takes and sends.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping
from types import AsyncGeneratorType, GeneratorType
from typing import Any, Never, NoReturn, get_args, get_origin, get_type_hints

from runtime.errors import NodeError
from runtime.executors.executor import Executor, Handler, WorkflowContext
from runtime.executors.handlers import refuse_generator
from runtime.executors.outside import outside_of_function
from runtime.values.type_matching import members, plain

_POSITIONAL = (
    inspect.Parameter.POSITIONAL_ONLY,
    inspect.Parameter.POSITIONAL_OR_KEYWORD,
)
# A message is copied for each of its targets and kept in checkpoints.
_ONCE = (GeneratorType, AsyncGeneratorType, map, filter, zip)
_CONTEXT_NAMES = ("ctx", "context")


class CallingExecutor(Executor):
    """Call the function with each message of the type of its first parameter.

    `values` come from the node's parameters: named arguments beside the message and
    the context. The name of the function is a parameter of the node and not part of
    the signature: after a failure another function may be named, and the run goes
    on. Raise `ValueError` for a function of another shape.
    """

    def __init__(
        self,
        id: str,
        func: Callable[..., Any],
        type: str,
        values: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(id, type=type, defer_discovery=True)
        if inspect.isclass(func) or not callable(func):
            raise ValueError("it is no function")
        refuse_generator(func)
        self.function = func
        self._values = dict(values or {})
        if values is not None:
            parameters = filled_parameters(func, tuple(self._values))
        else:
            parameters = _only_parameters(func)
        hints = hints_of(func)
        sent, yielded = _outputs(hints, parameters)
        self._with_context = len(parameters) == 2
        is_async = inspect.iscoroutinefunction(func)
        call = Handler(
            name=getattr(func, "__name__", func.__class__.__name__),
            call=self._await if is_async else self._call,
            message_type=plain(hints.get(parameters[0], Any)),
            output_types=sent,
            workflow_output_types=yielded,
            in_thread=not is_async,
            outside=outside_of_function(func),
        )
        self._register([call])

    def _invoke(self, message: Any, ctx: WorkflowContext[Any, Any]) -> Any:
        arguments = (message, ctx) if self._with_context else (message,)
        return self.function(*arguments, **self._values)

    def _call(
        self, message: Any, ctx: WorkflowContext[Any, Any]
    ) -> Awaitable[None] | None:
        result = self._invoke(message, ctx)
        # an async function behind a decorator; the engine awaits what comes back
        if inspect.isawaitable(result):
            return self._awaited(result, ctx)
        self._send(result, ctx)
        return None

    async def _await(self, message: Any, ctx: WorkflowContext[Any, Any]) -> None:
        await self._awaited(self._invoke(message, ctx), ctx)

    async def _awaited(
        self, result: Awaitable[Any], ctx: WorkflowContext[Any, Any]
    ) -> None:
        self._send(await result, ctx)

    def _send(self, result: Any, ctx: WorkflowContext[Any, Any]) -> None:
        if isinstance(result, _ONCE):
            raise NodeError(
                f"'{self._handlers[0].name}' returned a {type(result).__name__}, which can be walked once only. Return "
                "a list of it, or send each item with ctx.send_message.",
                self.id,
            )
        if result is not None:
            ctx.send_message(result)


def _only_parameters(func: Callable[..., Any]) -> list[str]:
    """The names of the parameters that are filled: the message, and the context if
    there is a second one without default. Raise `ValueError` for any other shape.
    """
    parameters = inspect.signature(func).parameters.values()
    taken = [
        parameter.name
        for index, parameter in enumerate(parameters)
        if parameter.kind in _POSITIONAL
        and (index == 0 or parameter.default is parameter.empty)
    ]
    left_open = [
        parameter.name
        for parameter in parameters
        if parameter.kind is parameter.KEYWORD_ONLY
        and parameter.default is parameter.empty
    ]
    if len(taken) not in (1, 2) or left_open:
        raise ValueError(
            f"it takes ({', '.join([*taken, *left_open])}), not (message) or (message, ctx)"
        )
    return taken


def filled_parameters(
    func: Callable[..., Any], values: tuple[str, ...] = ()
) -> list[str]:
    """The message, and the context if the second parameter is one: by its name, `ctx`,
    or by its annotation.

    Raise `ValueError` for a function that does not take a message first.
    """
    positional = [
        parameter
        for parameter in inspect.signature(func).parameters.values()
        if parameter.kind in _POSITIONAL
    ]
    if not positional or positional[0].name in values:
        raise ValueError("its first parameter must be the message")
    taken = [parameter.name for parameter in positional[:2]]
    if len(taken) == 2 and is_context(taken[1], positional[1].annotation):
        return taken
    return taken[:1]


def is_context(name: str, annotation: Any) -> bool:
    if isinstance(annotation, str):
        text = annotation
    else:
        text = getattr(annotation, "__name__", "")
    return (
        name in _CONTEXT_NAMES
        or text.partition("[")[0].rpartition(".")[2] == WorkflowContext.__name__
    )


def hints_of(func: Callable[..., Any]) -> dict[str, Any]:
    """The annotations. Raise `ValueError` for names in them that are not there."""
    try:
        return get_type_hints(func, include_extras=True)
    except TypeError:  # a builtin or a callable object, which has none
        return {}
    except (NameError, AttributeError) as error:
        raise ValueError(
            f"its annotations cannot be resolved ({error}): define the name in its module"
        ) from error


def _outputs(
    hints: dict[str, Any], parameters: list[str]
) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """The types that are sent, by returning or through the context, and those that are
    yielded.
    """
    if len(parameters) == 2:
        context = plain(hints.get(parameters[1], WorkflowContext[Any, Any]))
    else:
        context = None
    arguments = get_args(context) if get_origin(context) is WorkflowContext else ()
    sent, yielded = (*arguments, Never, Never)[:2]
    returned = hints.get("return", Any)
    return _members(returned, sent), _members(yielded)


def _members(*annotations: Any) -> tuple[Any, ...]:
    nothing = (type(None), Never, NoReturn)
    return tuple(
        dict.fromkeys(
            annotated_type
            for annotation in annotations
            for annotated_type in members(annotation)
            if annotated_type not in nothing
        )
    )
