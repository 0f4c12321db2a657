"""`Executor`, the base class of the nodes that react to messages, and `@executor`,
which makes one of a function.

An executor is configuration and code. What it remembers between supersteps belongs to
the run: `ctx.executor_state`, or what `on_checkpoint_save` returns. A restore does not
touch other attributes of the instance.
"""

from __future__ import annotations

import inspect
import json
import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, overload

from runtime.concurrency.lock import CrossLoopLock
from runtime.executors.context import WorkflowContext
from runtime.executors.handlers import (
    Handler,
    Subject,
    function_types,
    handler,
    handlers_of,
    refuse_generator,
    response_handler,
)
from runtime.executors.outside import Declared, Outside, outside_of
from runtime.message import Message, MessageType, WorkflowMessage
from runtime.values.type_matching import (
    can_flow,
    is_decided_by_class,
    is_decided_in_list,
    most_specific,
)

if TYPE_CHECKING:
    from runtime.executors.runner_context import RunnerContext, State

__all__ = [
    "Executor",
    "FunctionExecutor",
    "Handler",
    "WorkflowContext",
    "executor",
    "handler",
    "response_handler",
]


@dataclass(slots=True)
class HookState:
    """What the engine knows of an instance with hooks, in one attribute: all other
    names are free for the subclass.

    initial  its state before the first message
    loaded   the state (by identity) that its attributes hold now; None while that is not known
    lock     held while a run uses the attributes, because they can hold the state of one run at a time only
    """

    initial: Mapping[str, Any] | None = None
    loaded: Mapping[str, Any] | None = None
    lock: CrossLoopLock = field(default_factory=CrossLoopLock)


class Executor:
    """A node that reacts to messages, one at a time, through its `@handler` methods.

    `type` is its name in the signature of a graph; by default its class. `outside` says
    what each of its handlers does beyond the run, as that of `@handler` does for one.
    Raise `ValueError` if the id is empty, if there is no handler, or if two handlers are
    for one type.
    """

    # True where `on_checkpoint_save` is overridden.
    has_hooks: ClassVar[bool] = False
    # True for a `WorkflowExecutor`. A subclass of a user's may have an attribute
    # `workflow` of its own.
    wraps_workflow: ClassVar[bool] = False
    # True for one that takes messages and never sends any, as a disabled node does: no
    # join waits for it.
    never_sends: ClassVar[bool] = False
    # What all handlers do beyond the run, unless one says it for itself; whether any of
    # them does something; and of the node of a document, its parameters as they are
    # written there, and the secrets that they name.
    engine_outside: Outside | None = None
    engine_reaches_outside: bool = False
    engine_parameters: str = ""
    engine_secrets: frozenset[str] = frozenset()

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls.has_hooks = cls.on_checkpoint_save is not Executor.on_checkpoint_save

    def __init__(
        self,
        id: str,
        *,
        type: str | None = None,
        type_: str | None = None,
        defer_discovery: bool = False,
        outside: Declared = None,
        **_: Any,
    ) -> None:
        if not isinstance(id, str) or not id:
            raise ValueError("Executor ID must be a non-empty string.")
        if id.startswith("internal:"):
            raise ValueError(
                f"Executor ID '{id}' must not start with 'internal:': messages from outside have such sources."
            )
        self.id = id
        self.type = self.type_ = type or type_ or self.__class__.__name__
        self.engine_hook_state = HookState()
        if outside is not None:
            self.engine_outside = outside_of(outside)
        self._handlers: tuple[Handler, ...] = ()
        self._response_handlers: tuple[Handler, ...] = ()
        if not defer_discovery:
            self._register(list(handlers_of(self)))

    def engine_declare_outside(self, outside: Outside) -> None:
        """Say what the calls for messages do beyond the run; for node types."""
        self._register(
            [
                handler
                if handler.request_type is not None or handler.outside is not None
                else replace(handler, outside=outside)
                for handler in self.all_handlers
            ]
        )

    def _register(self, handlers: list[Handler]) -> None:
        if self.engine_outside is not None:
            handlers = [
                handler
                if handler.outside is not None
                else replace(handler, outside=self.engine_outside)
                for handler in handlers
            ]
        self.engine_reaches_outside = any(
            handler.outside is not None for handler in handlers
        )
        self._handlers = tuple(
            handler for handler in handlers if handler.request_type is None
        )
        self._response_handlers = tuple(
            handler for handler in handlers if handler.request_type is not None
        )
        if not self._handlers:
            raise ValueError(
                f"Executor {self.__class__.__name__} has no handlers defined. "
                "Please define at least one handler using the @handler decorator."
            )
        message_types = [handler.message_type for handler in self._handlers]
        for duplicate in _duplicates(message_types):
            raise ValueError(
                f"Duplicate handler for type {duplicate} in {self.__class__.__name__}. Keep one of them."
            )
        pairs = [
            (handler.request_type, handler.message_type)
            for handler in self._response_handlers
        ]
        for request, response in _duplicates(pairs):
            raise ValueError(
                f"Duplicate response handler for request type {request} and response type {response} in "
                f"{self.__class__.__name__}. Keep one of them."
            )
        # If the class of a value alone decides which handler takes it, the answers are
        # kept by class.
        self._by_class: dict[type, Handler | None] = {}
        self.class_decides = all(
            is_decided_by_class(handler.message_type) for handler in self._handlers
        )
        # Whether the class of a value decides about a list of it, as a join offers it.
        self.class_in_list_decides = all(
            is_decided_in_list(handler.message_type) for handler in self._handlers
        )

    def engine_left_over(self, state: Mapping[str, Any]) -> str:
        """Return what a run that rests leaves behind in this state, as the end of a
        sentence; "" for nothing.

        Overridden by built-in nodes that gather.
        """
        return ""

    # --- what it can do -------------------------------------------------------------------------------------------

    @property
    def input_types(self) -> list[Any]:
        return [handler.message_type for handler in self._handlers]

    @property
    def output_types(self) -> list[Any]:
        """Types of the messages that it may send, as its handlers declare them."""
        return _union(
            handler.output_types
            for handler in (*self._handlers, *self._response_handlers)
        )

    @property
    def workflow_output_types(self) -> list[Any]:
        """Types of the outputs that it may yield, as its handlers declare them."""
        return _union(
            handler.workflow_output_types
            for handler in (*self._handlers, *self._response_handlers)
        )

    @property
    def is_request_response_capable(self) -> bool:
        return bool(self._response_handlers)

    @property
    def all_handlers(self) -> tuple[Handler, ...]:
        """All handlers, in the order of their definition, with response handlers last."""
        return (*self._handlers, *self._response_handlers)

    def handler_for(self, data: Any) -> Handler | None:
        """Return the most specific handler whose type fits the value; of equal ones,
        the one defined first.
        """
        if not self.class_decides:
            return self._find(data)
        cls = data.__class__
        try:
            return self._by_class[cls]
        except KeyError:
            handler = self._by_class[cls] = self._find(data)
            return handler

    def _find(self, data: Any) -> Handler | None:
        fitting = [handler for handler in self._handlers if handler.accepts(data)]
        if len(fitting) == 1:
            return fitting[0]
        position = most_specific(handler.message_type for handler in fitting)
        return None if position is None else fitting[position]

    def response_handler_for(self, request_data: Any, answer: Any) -> Handler | None:
        """Return the response handler for the answer to a question, the most specific
        one in both types.
        """
        fitting = [
            handler
            for handler in self._response_handlers
            if handler.accepts_request(request_data) and handler.accepts(answer)
        ]
        position = most_specific(
            types.GenericAlias(tuple, (handler.request_type, handler.message_type))
            for handler in fitting
        )
        return None if position is None else fitting[position]

    def can_handle(self, message: Message | WorkflowMessage) -> bool:
        """Return True if some handler takes the message."""
        if (
            message.request is None
            and getattr(message, "type", None) is MessageType.RESPONSE
        ):
            # An answer without its question.
            return False
        if message.request is not None:
            return (
                self.response_handler_for(message.request.data, message.data)
                is not None
            )
        return self.handler_for(message.data) is not None

    def can_ask(self, request_data: Any, response_type: Any) -> bool:
        """Return True if an answer of the type would find a response handler."""
        return any(
            handler.accepts_request(request_data)
            and can_flow(response_type, handler.message_type)
            for handler in self._response_handlers
        )

    def is_request_supported(self, request_type: Any, response_type: Any) -> bool:
        """Return True if there is a response handler for the two types."""
        return any(
            can_flow(request_type, handler.request_type)
            and can_flow(response_type, handler.message_type)
            for handler in self._response_handlers
        )

    async def execute(
        self,
        message: Any,
        source_executor_ids: list[str],
        state: State,
        runner_context: RunnerContext,
        trace_contexts: list[dict[str, str]] | None = None,
        source_span_ids: list[str] | None = None,
    ) -> None:
        """Give it one message without a workflow, in a unit test. What it does ends up
        in `runner_context` and `state`.

        A `WorkflowMessage` is unwrapped. Raise `RuntimeError` if no handler takes it,
        and what the handler raises.
        """
        from runtime.executors.run_one_executor import execute

        await execute(self, message, source_executor_ids, state, runner_context)

    # --- its state in checkpoints ---------------------------------------------------------------------------------

    async def on_checkpoint_save(self) -> dict[str, Any]:
        """Override: return what the run must remember of this instance. Called after
        each superstep in which it ran.
        """
        return {}

    async def on_checkpoint_restore(self, state: dict[str, Any]) -> None:
        """Override: restore what `on_checkpoint_save` has returned. Called before the
        next invocation.
        """

    def to_dict(self) -> dict[str, Any]:
        return {"id": self.id, "type": self.type}

    def to_json(self) -> str:
        return json.dumps(self.to_dict())

    def __repr__(self) -> str:
        return f"{self.__class__.__name__}(id={self.id!r})"


class FunctionExecutor(Executor):
    """A function `(message)` or `(message, ctx)` as an executor. A plain function runs
    in a thread; it can send too.

    Types given as `input`, `output` or `workflow_output` win over the annotations,
    which give the rest.
    """

    def __init__(
        self,
        func: Callable[..., Any],
        id: str | None = None,
        *,
        input: Any = None,
        output: Any = None,
        workflow_output: Any = None,
        type: str | None = None,
        outside: Declared = None,
    ) -> None:
        if isinstance(func, staticmethod | classmethod):
            raise ValueError(
                f"The @executor decorator cannot be used with @{func.__class__.__name__}. "
                "Use the @executor decorator on standalone module-level functions, or write an Executor with @handler "
                "methods."
            )
        name = getattr(func, "__name__", func.__class__.__name__)
        super().__init__(id or name, type=type, defer_discovery=True, outside=outside)
        self.func = func
        explicit = {
            "input": input,
            "output": output,
            "workflow_output": workflow_output,
        }
        self._register(
            [
                self._as_handler(
                    name,
                    {
                        key: value
                        for key, value in explicit.items()
                        if value is not None
                    },
                )
            ]
        )

    def _as_handler(self, name: str, explicit: Mapping[str, Any]) -> Handler:
        # Annotations and globals are those of the function behind a method, a partial
        # or a callable object.
        func = _function_of(self.func)
        subject = Subject.of_function(name)
        refuse_generator(func, subject)
        parameters = [
            parameter.name
            for parameter in inspect.signature(self.func).parameters.values()
            if parameter.kind is not parameter.VAR_KEYWORD
        ]
        if len(parameters) not in (1, 2):
            subject.refuse(
                f"must have (message: T) or (message: T, ctx: WorkflowContext[U]). Got {len(parameters)} parameters."
            )
        message_type, outputs = function_types(func, parameters, explicit, subject)
        return Handler(
            name=name,
            call=self.func,
            message_type=message_type,
            output_types=outputs[0],
            workflow_output_types=outputs[1],
            takes_context=len(parameters) == 2,
            in_thread=not inspect.iscoroutinefunction(func),
        )


def _function_of(func: Any) -> Any:
    while not inspect.isfunction(func):
        func = (
            getattr(func, "__func__", None)
            or getattr(func, "func", None)
            or type(func).__call__
        )
    return func


@overload
def executor(func: Callable[..., Any], /) -> FunctionExecutor: ...
@overload
def executor(
    *,
    id: str | None = ...,
    input: Any = ...,
    output: Any = ...,
    workflow_output: Any = ...,
    outside: Declared = ...,
) -> Callable[[Callable[..., Any]], FunctionExecutor]: ...
def executor(
    func: Any = None,
    *,
    id: str | None = None,
    input: Any = None,
    output: Any = None,
    workflow_output: Any = None,
    outside: Declared = None,
) -> Any:
    """Make an executor of a function, as `@executor` or `@executor(id="upper")`.

    `outside` is that of `@handler`.
    """

    def make(target: Callable[..., Any]) -> FunctionExecutor:
        return FunctionExecutor(
            target,
            id,
            input=input,
            output=output,
            workflow_output=workflow_output,
            outside=outside,
        )

    return make if func is None else make(func)


def _duplicates(values: list[Any]) -> list[Any]:
    return [
        value for position, value in enumerate(values) if value in values[:position]
    ]


def _union(groups: Any) -> list[Any]:
    types_: list[Any] = []
    for group in groups:
        types_.extend(type_ for type_ in group if type_ not in types_)
    return types_
