"""`@node_type`: a function, or an Executor class, of the user as an entry of the
palette.

Its parameters after the message (and the context), or after the id, are the fields of
the node's form.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar, get_args, get_origin, overload

from pydantic import ConfigDict, create_model
from pydantic.errors import PydanticUserError

from runtime.executors.executor import Executor, WorkflowContext
from runtime.executors.handlers import refuse_generator
from runtime.nodes.base import NodeParams, NodeType, Place
from runtime.nodes.support.class_executor import make_executor
from runtime.nodes.support.function_executor import (
    CallingExecutor,
    filled_parameters,
    hints_of,
)
from runtime.values.type_matching import members, plain

T = TypeVar("T")
OWN = "Your nodes"
_MARK = "__stepwell_node_type__"
# what `check` can compare by its name
_NAMED = (bool, int, float, str, bytes, list, dict, set, tuple)


class OwnParams(NodeParams):
    """Not strict: annotations of users may be dates, paths and enums, which JSON writes
    as texts.
    """

    model_config = ConfigDict(strict=False, protected_namespaces=())


@dataclass(frozen=True, slots=True)
class Settings:
    """The arguments of the decorator. An empty title or description is taken from the
    name and the docstring.
    """

    title: str = ""
    icon: str = ""
    category: str = ""
    description: str = ""
    summary: str = ""
    always_sends: bool = False
    sends_many: bool = False
    sink: bool = True


@dataclass(frozen=True, slots=True)
class Signature:
    """The facts about a node from its code, imported or only read.

    `returned` are the types that it may send; `fields` the annotation and the default
    of each parameter of the form (`...` without a default).
    """

    name: str
    settings: Settings
    doc: str = ""
    message: Any = Any
    returned: tuple[Any, ...] = (Any,)
    fields: Mapping[str, tuple[Any, Any]] = field(default_factory=dict)

    def node_type(self, type: str, make: Callable[[Place, Any], Executor]) -> NodeType:
        """Mark a function or a class as a node type. Raise `ValueError` for a parameter
        that no form can show.
        """
        settings = self.settings
        return NodeType(
            type=type,
            title=settings.title or in_words(self.name),
            category=settings.category or OWN,
            icon=settings.icon or "code",
            description=settings.description
            or inspect.cleandoc(self.doc).partition("\n\n")[0].replace("\n", " "),
            params=params_of(self.name, self.fields),
            make=make,
            inputs=type_names((self.message,)),
            outputs=type_names(self.returned),
            summary=settings.summary
            if settings.summary in self.fields
            else next(iter(self.fields), ""),
            always_sends=settings.always_sends,
            sends_many=settings.sends_many,
            sink=settings.sink,
        )


@overload
def node_type(target: T, /) -> T: ...
@overload
def node_type(
    *,
    title: str = ...,
    icon: str = ...,
    category: str = ...,
    description: str = ...,
    summary: str = ...,
    always_sends: bool = ...,
    sends_many: bool = ...,
    sink: bool = ...,
) -> Callable[[T], T]: ...
def node_type(
    target: Any = None,
    /,
    *,
    title: str = "",
    icon: str = "",
    category: str = "",
    description: str = "",
    summary: str = "",
    always_sends: bool = False,
    sends_many: bool = False,
    sink: bool = True,
) -> Any:
    """Mark a function or a class as a node type. Raise `ValueError` for a parameter
    that no form can show.
    """
    settings = Settings(
        title, icon, category, description, summary, always_sends, sends_many, sink
    )

    def mark(definition: T) -> T:
        setattr(definition, _MARK, settings)
        return definition

    return mark if target is None else mark(target)


def is_marked(definition: Any) -> bool:
    """Whether the decorator is on the object itself, and not only on a base class."""
    return _MARK in getattr(definition, "__dict__", {})


def type_of(definition: Any, type: str = "") -> NodeType:
    """The node type of a function or an Executor class, marked or not; by default its
    name is `module:name`.

    Raise `ValueError` or `TypeError` for what cannot be a node.
    """
    settings = definition.__dict__[_MARK] if is_marked(definition) else Settings()
    name = type or f"{definition.__module__}:{definition.__qualname__}"
    if inspect.isclass(definition):
        return _of_class(definition, settings, name)
    if not inspect.isfunction(definition):
        raise TypeError(f"'{name}' is neither a function nor an Executor class")
    return _of_function(definition, settings, name)


def _of_function(func: Callable[..., Any], settings: Settings, type: str) -> NodeType:
    refuse_generator(func)
    hints = hints_of(func)
    taken = filled_parameters(func)
    names = {
        name: parameter
        for name, parameter in inspect.signature(func).parameters.items()
        if name not in taken
    }
    fields = _fields(names, hints)
    context = hints.get(taken[1], WorkflowContext[Any]) if len(taken) == 2 else None
    sent = sent_types(
        hints.get("return", Any),
        get_args(context)[:1] if get_origin(context) is not None else (),
    )
    message = plain(hints.get(taken[0], Any))
    signature = Signature(
        func.__name__, settings, inspect.getdoc(func) or "", message, sent, fields
    )

    def make(place: Place, params: OwnParams) -> Executor:
        return CallingExecutor(
            place.node_id, func, type, {name: getattr(params, name) for name in fields}
        )

    return signature.node_type(type, make)


def _of_class(cls: type, settings: Settings, type: str) -> NodeType:
    if not issubclass(cls, Executor):
        raise TypeError(f"'{type}' is no subclass of Executor")
    has_own = cls.__init__ is not Executor.__init__
    if has_own:
        parameters = dict(list(inspect.signature(cls.__init__).parameters.items())[1:])
    else:
        parameters = {}
    fields = _fields(
        {name: parameter for name, parameter in parameters.items() if name != "id"},
        hints_of(cls.__init__),
    )
    signature = Signature(
        cls.__name__, settings, cls.__dict__.get("__doc__") or "", fields=fields
    )

    def make(place: Place, params: OwnParams) -> Executor:
        return make_executor(
            cls, type, place, {name: getattr(params, name) for name in fields}
        )

    return signature.node_type(type, make)


def _fields(
    parameters: Mapping[str, inspect.Parameter], hints: Mapping[str, Any]
) -> dict[str, tuple[Any, Any]]:
    fields = {}
    for name, parameter in parameters.items():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        if parameter.kind is parameter.POSITIONAL_ONLY:
            raise ValueError(
                f"parameter '{name}' is positional only and cannot be filled from a form"
            )
        fields[name] = (
            hints.get(name, Any),
            ... if parameter.default is parameter.empty else parameter.default,
        )
    return fields


def params_of(name: str, fields: Mapping[str, tuple[Any, Any]]) -> type[OwnParams]:
    """The parameters as a model. Raise `ValueError` for a name that a model cannot
    have.
    """
    for field_name in fields:
        if field_name.startswith("_") or hasattr(OwnParams, field_name):
            raise ValueError(
                f"parameter '{field_name}' cannot be one of a form: give it another name"
            )
    definitions: dict[str, Any] = dict(fields)
    try:
        return create_model(f"{name}_params", __base__=OwnParams, **definitions)
    except PydanticUserError as error:
        why = str(error).partition(". ")[0]
        raise ValueError(f"its parameters cannot be those of a form: {why}") from error


def sent_types(returned: Any, through_context: tuple[Any, ...]) -> tuple[Any, ...]:
    """The types that a function may send: what it returns, but not None, and what its
    context says.
    """
    sent = [
        sent_type
        for annotation in (returned, *through_context)
        for sent_type in members(annotation)
    ]
    return tuple(
        dict.fromkeys(sent_type for sent_type in sent if sent_type is not type(None))
    )


def type_names(annotations: tuple[Any, ...]) -> tuple[str, ...]:
    """The names by which `check` compares types; `Any` for those whose name does not
    tell what they fit.
    """
    return tuple(
        dict.fromkeys(
            _name(annotated_type)
            for annotation in annotations
            for annotated_type in members(annotation)
        )
    )


def _name(annotation: Any) -> str:
    annotation = plain(annotation)
    origin = get_origin(annotation)
    arguments = get_args(annotation)
    if origin in (list, dict, set) and arguments:
        return f"{origin.__name__}[{', '.join(map(_name, arguments))}]"
    return annotation.__name__ if annotation in _NAMED else "Any"


def in_words(name: str) -> str:
    """`make_table` and `MakeTable` as a title: "Make table"."""
    words = (
        "".join(f" {letter.lower()}" if letter.isupper() else letter for letter in name)
        .replace("_", " ")
        .split()
    )
    return " ".join(words).capitalize()
