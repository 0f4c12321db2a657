"""The node types of a document's folder, from `nodes/*.py`.

Files are read and never run: names, docstrings, annotations and defaults come from the
syntax tree, as far as they are literal. The host imports the code when it makes a node,
after the user has trusted the folder.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Literal, Union

from pydantic import Field

from runtime.document.references import NODES_FOLDER
from runtime.errors import DefinitionError, SourceError
from runtime.executors.executor import Executor
from runtime.expressions.python_sends import sends_many
from runtime.expressions.python_source import Function, parse
from runtime.loader.python_modules import load
from runtime.nodes.base import NodeType, Place
from runtime.nodes.support.function_executor import is_context
from runtime.nodes.support.node_type_decorator import (
    Settings,
    Signature,
    node_type,
    sent_types,
    type_of,
)
from runtime.system.bounded_files import check_regular, read_source

_DECORATOR = node_type.__name__
_TYPES: Mapping[str, Any] = {
    **{
        cls.__name__: cls
        for cls in (str, int, float, bool, bytes, list, dict, set, tuple)
    },
    "List": list,
    "Dict": dict,
    "Set": set,
    "Tuple": tuple,
    "None": None,
}
_LIMITS = (
    "title",
    "description",
    "ge",
    "gt",
    "le",
    "lt",
    "multiple_of",
    "min_length",
    "max_length",
    "pattern",
)
MOST_FILES = 500  # of a folder, that are read: each takes a few milliseconds
Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def folder_types(folder: Path) -> tuple[list[NodeType], list[str]]:
    """Return the node types of a folder, and a line for each definition that
    cannot be one. It runs nothing.
    """
    node_types: list[NodeType] = []
    warnings: list[str] = []
    paths = sorted((folder / NODES_FOLDER).glob("*.py"))
    if len(paths) > MOST_FILES:
        warnings.append(
            f"{NODES_FOLDER} has {len(paths):,} files; the first {MOST_FILES} by name are read"
        )
    for path in paths[:MOST_FILES]:
        if path.stem.isidentifier() and not path.stem.startswith("_"):
            try:
                status = check_regular(path, None)
                types, faults = _types_in(path, status.st_mtime_ns, status.st_size)
            except (OSError, SyntaxError, UnicodeError, SourceError) as error:
                types = ()
                faults = (f"{NODES_FOLDER}/{path.name} is left out: {error}",)
            node_types += types
            warnings += faults
    return node_types, warnings


@lru_cache(maxsize=512)
def _types_in(
    path: Path, _changed: int, _size: int
) -> tuple[tuple[NodeType, ...], tuple[str, ...]]:
    tree = parse(read_source(path))
    node_types: list[NodeType] = []
    faults: list[str] = []
    for definition, settings in _entries(tree, path.stem):
        try:
            found_type = _node_type(
                definition, settings, f"{NODES_FOLDER}.{path.stem}:{definition.name}"
            )
            found_type.info()  # what cannot be shown fails here, and not in the palette
            node_types.append(found_type)
        except Exception as error:  # noqa: BLE001 - what pydantic raises for limits that do not fit the type
            faults.append(
                f"{NODES_FOLDER}/{path.name}, line {definition.lineno}: '{definition.name}' is left out: {error}"
            )
    return tuple(node_types), tuple(faults)


def _entries(tree: ast.Module, stem: str) -> Iterator[tuple[Definition, Settings]]:
    """Yield decorated definitions; in a file without the decorator, the function
    with the name of the file.
    """
    # a later one replaces an earlier
    definitions = {
        definition.name: definition
        for definition in tree.body
        if isinstance(definition, Definition)
    }
    marked = [
        (definition, mark)
        for definition in definitions.values()
        if (mark := _mark(definition)) is not None
    ]
    if marked:
        yield from ((definition, _settings(mark)) for definition, mark in marked)
    elif isinstance(definitions.get(stem), Function):
        yield definitions[stem], Settings()


def _mark(definition: Definition) -> ast.expr | None:
    for decorator in definition.decorator_list:
        called = decorator.func if isinstance(decorator, ast.Call) else decorator
        if _last_name(called) == _DECORATOR:
            return decorator
    return None


def _settings(mark: ast.expr) -> Settings:
    arguments = _literals(mark.keywords) if isinstance(mark, ast.Call) else {}
    defaults = Settings()
    fitting = {
        name: value
        for name, value in arguments.items()
        if name in Settings.__slots__
        and isinstance(value, type(getattr(defaults, name)))
    }
    return Settings(**fitting)


def _node_type(definition: Definition, settings: Settings, reference: str) -> NodeType:
    settings = replace(
        settings, sends_many=settings.sends_many or sends_many(definition)
    )
    if isinstance(definition, ast.ClassDef):
        signature = _of_class(definition, settings)
    else:
        signature = _of_function(definition, settings)

    def make(place: Place, params: Any) -> Executor:
        """Imports the code. Its own model checks again, with what could not be read
        without running it.
        """
        try:
            real = type_of(load(reference, place.folder, place.node_id), reference)
        except (ValueError, TypeError) as error:
            raise DefinitionError(
                f"'{reference}' cannot be a node: {error}.", place.node_id
            ) from error
        return real.create(place, params.model_dump(exclude_unset=True))

    return signature.node_type(reference, make)


def _of_function(function: Function, settings: Settings) -> Signature:
    parameters = _parameters(function)
    if not parameters:
        raise ValueError("its first parameter must be the message")
    message, *others = parameters
    if others and is_context(others[0][0].arg, _text(others[0][0].annotation)):
        context = others[0][0]
    else:
        context = None
    through = () if context is None else _context_types(context.annotation)
    sent = sent_types(_annotation(function.returns, Any), through)
    fields = _fields(others[1:] if context else others)
    return Signature(
        function.name,
        settings,
        ast.get_docstring(function) or "",
        _annotation(message[0].annotation),
        sent,
        fields,
    )


def _of_class(class_definition: ast.ClassDef, settings: Settings) -> Signature:
    constructor = next(
        (
            part
            for part in class_definition.body
            if isinstance(part, ast.FunctionDef) and part.name == "__init__"
        ),
        None,
    )
    parameters = _parameters(constructor)[1:] if constructor is not None else []
    fields = _fields(
        [parameter for parameter in parameters if parameter[0].arg != "id"]
    )
    return Signature(
        class_definition.name,
        settings,
        ast.get_docstring(class_definition) or "",
        fields=fields,
    )


def _parameters(function: Function) -> list[tuple[ast.arg, ast.expr | None]]:
    """Each parameter with its default, in order."""
    arguments = function.args
    positional = [*arguments.posonlyargs, *arguments.args]
    defaults = [
        *[None] * (len(positional) - len(arguments.defaults)),
        *arguments.defaults,
    ]
    return [
        *zip(positional, defaults, strict=True),
        *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True),
    ]


def _fields(
    parameters: list[tuple[ast.arg, ast.expr | None]],
) -> dict[str, tuple[Any, Any]]:
    return {
        parameter.arg: (_annotation(parameter.annotation), _default(value))
        for parameter, value in parameters
    }


def _default(value: ast.expr | None) -> Any:
    if value is None:
        return ...
    if isinstance(value, ast.Call) and _last_name(value.func) == "Field":
        return _field_info(value)
    try:
        return ast.literal_eval(value)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        # there is one, which only the code knows
        return Field(default_factory=lambda: None)


def _field_info(call: ast.Call) -> Any:
    limits = {
        name: value
        for name, value in _literals(call.keywords).items()
        if name in _LIMITS
    }
    defaults = [
        *call.args,
        *(
            keyword.value
            for keyword in call.keywords
            if keyword.arg in ("default", "default_factory")
        ),
    ]
    default = _default(defaults[0]) if defaults else ...
    if defaults and (default is None or not isinstance(default, type(Field()))):
        return Field(default, **limits)
    return (
        Field(default_factory=lambda: None, **limits) if defaults else Field(**limits)
    )


def _literals(keywords: list[ast.keyword]) -> dict[str, Any]:
    """Those of the named arguments that are literal."""
    literals: dict[str, Any] = {}
    for keyword in keywords:
        try:
            literals[keyword.arg or ""] = ast.literal_eval(keyword.value)
        except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
            continue
    return literals


# --- annotations --------------------------------------------------------------------------------------------------


def _annotation(node: ast.expr | None, missing: Any = Any) -> Any:
    """The type that an annotation means; `Any` for all that only the code knows."""
    if node is None:
        return missing
    if isinstance(node, ast.Constant):
        return _of_constant(node.value)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return Union[_annotation(node.left), _annotation(node.right)]  # noqa: UP007 - they are values, maybe None
    if isinstance(node, ast.Subscript):
        inside = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        return _of_generic(_last_name(node.value), inside)
    return _TYPES.get(_last_name(node), Any)


def _of_constant(value: Any) -> Any:
    if value is None:
        return None
    try:
        if isinstance(value, str):
            return _annotation(ast.parse(value, mode="eval").body)
        return Any
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return Any


def _of_generic(name: str, inside: list[ast.expr]) -> Any:
    match name:
        case "Literal":
            values = tuple(
                argument.value
                for argument in inside
                if isinstance(argument, ast.Constant)
            )
            return Literal[values] if values and len(values) == len(inside) else Any
        case "Optional":
            return Union[_annotation(inside[0]), None]  # noqa: UP007
        case "Union":
            return Union[tuple(map(_annotation, inside))]  # noqa: UP007
        case "Annotated":
            limits = [
                argument
                for argument in inside[1:]
                if isinstance(argument, ast.Call)
                and _last_name(argument.func) == "Field"
            ]
            annotation = _annotation(inside[0])
            return (
                Annotated[annotation, _field_info(limits[0])] if limits else annotation
            )
    origin = _TYPES.get(name, Any)
    arity = {"list": 1, "set": 1, "dict": 2}
    if origin in (list, set, dict) and len(inside) == arity[origin.__name__]:
        return origin[tuple(map(_annotation, inside))]
    return origin


def _context_types(node: ast.expr | None) -> tuple[Any, ...]:
    """Return the types that the annotation of the context says are sent; without one,
    any.
    """
    if not isinstance(node, ast.Subscript):
        return (Any,)
    return (
        _annotation(
            node.slice.elts[0] if isinstance(node.slice, ast.Tuple) else node.slice
        ),
    )


def _text(node: ast.expr | None) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    return "" if node is None else ast.unparse(node)


def _last_name(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""
