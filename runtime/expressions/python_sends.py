"""Whether user code may send several messages for one, from its syntax tree; nothing of
it is run.

A join behind a switch that never fills for one message may fill for two, so the check
has to know.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from runtime.errors import SourceError
from runtime.expressions.python_files import source_of
from runtime.expressions.python_source import ENTRY, Function, parse
from runtime.system.bounded_files import LARGEST_SOURCE, read_text

_SEND = "send_message"
_LOOPS = (
    ast.For,
    ast.AsyncFor,
    ast.While,
    ast.ListComp,
    ast.SetComp,
    ast.DictComp,
    ast.GeneratorExp,
)
# Of the node types that run code of users, the parameter that says which.
_NAMING = {"python_function": "function", "python_class": "class_name"}


def code_sends_many(
    type: str, params: Mapping[str, Any], folder: Path | str | None
) -> bool:
    """Return whether the code that a node of this type and these parameters runs may
    send several messages for one; false where the code is not found.
    """
    if type == "inline_code":
        return _text_sends_many(str(params.get("code", "")), ENTRY)
    reference = params.get(_NAMING.get(type, ""))
    if folder is None or not isinstance(reference, str):
        return False
    module, _, name = reference.partition(":")
    source, _ = source_of(module, Path(folder))
    try:
        if source is None or (status := source.stat()).st_size > LARGEST_SOURCE:
            return False
        return _file_sends_many(source, name, status.st_mtime_ns, status.st_size)
    except (OSError, ValueError):
        return False


@lru_cache(maxsize=256)
def _file_sends_many(source: Path, name: str, _modified: int, _size: int) -> bool:
    return _text_sends_many(read_text(source, LARGEST_SOURCE), name)


@lru_cache(maxsize=256)
def _text_sends_many(text: str, name: str) -> bool:
    try:
        tree = parse(text)
    except SourceError:
        return False
    definitions = [
        definition
        for definition in tree.body
        if isinstance(definition, Function | ast.ClassDef) and definition.name == name
    ]
    return bool(definitions) and sends_many(
        definitions[-1]
    )  # a later one replaces an earlier


def sends_many(definition: Function | ast.ClassDef) -> bool:
    """Whether a function, or a method of a class, calls `send_message` more than once
    on one way through it, or in a loop, or hands its context on; what a function
    returns is sent as well.
    """
    if isinstance(definition, ast.ClassDef):
        return any(
            _sends_many(method, returned=0)
            for method in definition.body
            if isinstance(method, Function)
        )
    returns = any(
        isinstance(node, ast.Return) and not _is_none(node.value)
        for node in ast.walk(definition)
    )
    return _sends_many(definition, returned=int(returns))


def _sends_many(function: Function, returned: int) -> bool:
    sent = sum(_sends(statement) for statement in function.body)
    contexts = {parameter.arg for parameter in function.args.args[1:]}
    return (bool(sent) and sent + returned > 1) or any(
        _is_handed_on(node, contexts) for node in ast.walk(function)
    )


def _sends(node: ast.AST) -> int:
    """Return how often a part calls it at most; a call in a loop counts as two."""
    if isinstance(node, ast.If):
        return max(sum(map(_sends, node.body)), sum(map(_sends, node.orelse)))
    is_send = (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == _SEND
    )
    total = is_send + sum(map(_sends, ast.iter_child_nodes(node)))
    return total * 2 if isinstance(node, _LOOPS) else total


def _is_handed_on(node: ast.AST, contexts: set[str]) -> bool:
    if not isinstance(node, ast.Call):
        return False
    arguments = [*node.args, *(keyword.value for keyword in node.keywords)]
    return any(
        isinstance(argument, ast.Name) and argument.id in contexts & {"ctx", "context"}
        for argument in arguments
    )


def _is_none(value: ast.expr | None) -> bool:
    return value is None or (isinstance(value, ast.Constant) and value.value is None)
