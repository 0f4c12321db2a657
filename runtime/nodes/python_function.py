"""Function: a function of the user as a node; what it returns is sent on."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, Never, NoReturn, get_args, get_origin, get_type_hints

from pydantic import Field

from runtime.errors import DefinitionError
from runtime.executor import Executor, Handler, WorkflowContext
from runtime.handlers import refuse_generator
from runtime.modules import REFERENCE_PATTERN, load
from runtime.nodes.base import PYTHON, NodeParams, NodeType, Place
from runtime.typecheck import members, plain


class PythonFunctionParams(NodeParams):
    function: str = Field(
        title="Function",
        pattern=REFERENCE_PATTERN,
        description="module:name of a function in the workflow's folder or installed. It is called with (message) or "
        "(message, ctx), and may be async.",
    )


class PythonFunctionExecutor(Executor):
    """Calls the function with each message of the type of its first parameter.

    Which function that is, is a parameter of the node, and no more in the signature than those of other nodes: after a
    failure another one may be named, and the run goes on.
    """

    def __init__(self, id: str, func: Callable[..., Any]) -> None:
        super().__init__(id, type=PYTHON_FUNCTION.type, defer_discovery=True)
        self.function = func
        parameters = _parameters(func)
        hints = _hints(func)
        sent, yielded = _outputs(hints, parameters)
        self._with_context = len(parameters) == 2
        is_async = inspect.iscoroutinefunction(func)
        call = Handler(
            name=getattr(func, "__name__", type(func).__name__),
            call=self._await if is_async else self._call,
            message_type=plain(hints.get(parameters[0], Any)),
            output_types=sent,
            workflow_output_types=yielded,
            in_thread=not is_async,
        )
        self._register([call])

    def _call(self, message: Any, ctx: WorkflowContext[Any, Any]) -> None:
        result = self.function(message, ctx) if self._with_context else self.function(message)
        if result is not None:
            ctx.send_message(result)

    async def _await(self, message: Any, ctx: WorkflowContext[Any, Any]) -> None:
        result = await (self.function(message, ctx) if self._with_context else self.function(message))
        if result is not None:
            await ctx.send_message(result)


def _parameters(func: Callable[..., Any]) -> list[str]:
    """The names of the parameters that are filled: the message, and the context if there is a second one without
    default. Raises `ValueError` for any other shape.
    """
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    found = inspect.signature(func).parameters.values()
    taken = [
        one.name for at, one in enumerate(found) if one.kind in positional and (at == 0 or one.default is one.empty)
    ]
    left_open = [one.name for one in found if one.kind is one.KEYWORD_ONLY and one.default is one.empty]
    if len(taken) not in (1, 2) or left_open:
        raise ValueError(f"it takes ({', '.join([*taken, *left_open])}), not (message) or (message, ctx)")
    return taken


def _hints(func: Callable[..., Any]) -> dict[str, Any]:
    try:
        return get_type_hints(func, include_extras=True)
    except TypeError:  # a builtin or a callable object, which has none
        return {}
    except (NameError, AttributeError) as error:
        raise ValueError(f"its annotations cannot be resolved ({error}): define the name in its module") from error


def _outputs(hints: dict[str, Any], parameters: list[str]) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """The types that are sent, by returning or through the context, and those that are yielded."""
    context = plain(hints.get(parameters[1], WorkflowContext[Any, Any])) if len(parameters) == 2 else None
    arguments = get_args(context) if get_origin(context) is WorkflowContext else ()
    sent, yielded = (*arguments, Never, Never)[:2]
    returned = hints.get("return", Any)
    return _members(returned, sent), _members(yielded)


def _members(*annotations: Any) -> tuple[Any, ...]:
    nothing = (type(None), Never, NoReturn)
    return tuple(dict.fromkeys(one for annotation in annotations for one in members(annotation) if one not in nothing))


def _make(place: Place, params: PythonFunctionParams) -> Executor:
    func = load(params.function, place.folder, place.node_id)
    try:
        if inspect.isclass(func) or not callable(func):
            raise ValueError("it is no function; for an Executor use the node type python_class")
        refuse_generator(func)
        return PythonFunctionExecutor(place.node_id, func)
    except ValueError as error:
        raise DefinitionError(
            f"'{params.function}' cannot be a node: {str(error).rstrip('.')}.", place.node_id
        ) from error


PYTHON_FUNCTION = NodeType(
    type="python_function",
    title="Function",
    category=PYTHON,
    icon="code",
    description="Calls a Python function with each message: (message) or (message, ctx). What it returns is sent on; "
    "None sends nothing. Its annotations say what it takes and sends. A function that is not async runs in a thread.",
    params=PythonFunctionParams,
    make=_make,
    summary="function",
    sink=True,
)
