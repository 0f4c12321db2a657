"""What a graph is, as data: the same graph gives the same digest in every process, and two graphs can be compared.

In it: executors and their types, edge kinds, sources and targets in order, conditions' text (or name and source), case
order, default, join policy, and all of that of every sub-workflow. Not in it: layout, names of the workflow, limits.
"""

from __future__ import annotations

import ast
import hashlib
import inspect
import json
import linecache
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from types import CodeType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from runtime.edges.base import EdgeGroup
    from runtime.executors.executor import Executor
    from runtime.graph.workflow_graph import WorkflowGraph

_ATOMS = (type(None), bool, int, float, str, bytes)
# Fields of a document that a signature does not look at.
_APART = frozenset(
    {
        "name",
        "description",
        "icon",
        "max_supersteps",
        "input",
        "params",
        "layout",
        "folder",
        "retry",
        "timeout",
    }
)


def graph_of(workflow: WorkflowGraph) -> dict[str, Any]:
    """Everything that decides where messages go, as JSON values."""
    return {
        "start": workflow.start_executor_id,
        "executors": [_executor(executor) for executor in workflow.executors.values()],
        "edges": [_edge(group) for group in workflow.edge_groups],
    }


def digest(graph: Mapping[str, Any]) -> str:
    """The signature: a hash of the graph."""
    text = json.dumps(graph, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def differences(old: Any, new: Any, path: str = "") -> list[str]:
    """How two graphs, or two definitions, differ: one line each, naming the executor or edge by its id."""
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        keys = [key for key in dict.fromkeys([*old, *new]) if key not in _APART]
        found = [
            line
            for key in keys
            for line in _pair(old, new, key, f"{path}.{key}" if path else str(key))
        ]
        return [*found, *_inside(old, new, path)]
    if _is_named(old) and _is_named(new):
        before = {one["id"]: one for one in old}
        after = {one["id"]: one for one in new}
        keys = list(dict.fromkeys([*before, *after]))
        return [
            line for key in keys for line in _pair(before, after, key, f"{path}[{key}]")
        ] or _order(old, new, path)
    return [] if old == new else [f"{path}: {_short(old)} is now {_short(new)}"]


def _inside(old: Mapping[str, Any], new: Mapping[str, Any], path: str) -> list[str]:
    """How the workflows differ that two nodes have inside, as far as they stand in the document."""
    before, after = (
        (one.get("params") or {}) if isinstance(one, Mapping) else {}
        for one in (old, new)
    )
    if not (isinstance(before, Mapping) and isinstance(after, Mapping)):
        return []
    insides = [one.get("inline") for one in (before, after)]
    if (
        not all(isinstance(one, Mapping) for one in insides)
        or old.get("type") != "sub_workflow"
    ):
        return []
    return differences(insides[0], insides[1], path)


def reasons(old: Any, new: Any) -> list[str]:
    """Why two definitions do not have one signature: how they differ or, where they say the same, what they name."""
    return differences(old, new) or [
        "a node names another class, or the code of a condition is not what it was"
    ]


def _pair(
    old: Mapping[str, Any], new: Mapping[str, Any], key: str, path: str
) -> list[str]:
    if key not in new:
        return [f"{path} is gone"]
    if key not in old:
        return [f"{path} is new"]
    return differences(old[key], new[key], path)


def _is_named(value: Any) -> bool:
    return (
        isinstance(value, Sequence)
        and bool(value)
        and all(isinstance(one, Mapping) and "id" in one for one in value)
    )


def _order(old: Sequence[Any], new: Sequence[Any], path: str) -> list[str]:
    same = [one["id"] for one in old] == [one["id"] for one in new]
    return [] if same else [f"{path} stand in another order"]


def _short(value: Any) -> str:
    text = json.dumps(value, default=str)
    return text if len(text) <= 80 else text[:77] + "..."


def _executor(executor: Executor) -> dict[str, Any]:
    cls = executor.__class__
    made = {
        "id": executor.id,
        "class": f"{cls.__module__}.{cls.__qualname__}",
        "type": executor.type,
    }
    func = getattr(executor, "func", None)
    if callable(func):
        made["function"] = (
            f"{getattr(func, '__module__', '')}.{getattr(func, '__qualname__', type(func).__qualname__)}"
        )
    return made | (_inner(executor) if executor.wraps_workflow else {})


def _inner(executor: Any) -> dict[str, Any]:
    ways = {
        "entries": executor.entries,
        "exits": {inner: list(to) for inner, to in executor.exits.items()},
    }
    return {
        "workflow": graph_of(executor.workflow),
        **{name: way for name, way in ways.items() if way},
    }


def _edge(group: EdgeGroup) -> dict[str, Any]:
    logic = {key: _plain(value) for key, value in group.logic().items()}
    pairs = [[edge.source_id, edge.target_id] for edge in group.edges]
    return {"id": group.structural_id(), "kind": group.kind, "pairs": pairs, **logic}


def _plain(value: Any) -> Any:
    if isinstance(value, list):
        return [_plain(one) for one in value]
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items()}
    return describe_callable(value) if callable(value) else value


# --- conditions ---------------------------------------------------------------------------------------------------


def describe_callable(function: Callable[..., Any]) -> str:
    """What a condition is: its `text`, or else its name, its source, and the constants that it closes over."""
    text = getattr(function, "signature_text", None) or getattr(function, "text", None)
    if isinstance(text, str):
        return f"text:{text}"
    target = inspect.unwrap(function)
    code = getattr(target, "__code__", None)
    if code is None:  # a callable object, a partial, a builtin
        return f"{type(function).__module__}.{type(function).__qualname__}:{getattr(function, '__qualname__', '')}"
    name = f"{target.__module__}.{target.__qualname__}"
    parts = [
        _source(code),
        *map(
            repr,
            filter(_is_atom, [*(target.__defaults__ or ()), *_closed_over(target)]),
        ),
    ]
    return f"{name}:{hashlib.sha256(chr(0).join(parts).encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"


def _is_atom(value: Any) -> bool:
    return isinstance(value, _ATOMS)


def _closed_over(function: Any) -> list[Any]:
    return [
        cell.cell_contents for cell in function.__closure__ or () if _is_filled(cell)
    ]


def _is_filled(cell: Any) -> bool:
    try:
        _ = cell.cell_contents
    except ValueError:
        return False
    return True


def _source(code: CodeType) -> str:
    """The text of a function without layout and comments; without a source file, its byte code."""
    found = _nodes_at(
        code.co_filename, "".join(linecache.getlines(code.co_filename))
    ).get(code.co_firstlineno, ())
    if len(found) > 1:
        start = _first_position(code)
        found = [node for node in found if _begin(node) <= start <= _end(node)][
            -1:
        ] or found
    if found:
        return ast.unparse(found[0])
    return (
        code.co_code.hex()
        + repr([one for one in code.co_consts if _is_atom(one)])
        + repr(code.co_names)
    )


def _first_position(code: CodeType) -> tuple[int, int]:
    # Instructions that stand for no text have an empty range.
    begins = [
        (line, column)
        for line, end_line, column, end_column in code.co_positions()
        if line is not None
        and column is not None
        and (line, column) != (end_line, end_column)
    ]
    return min(begins, default=(0, 0))


_Function = ast.Lambda | ast.FunctionDef | ast.AsyncFunctionDef


@lru_cache(maxsize=256)
def _nodes_at(_filename: str, text: str) -> dict[int, list[_Function]]:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return {}
    found: dict[int, list[_Function]] = {}
    for node in ast.walk(tree):
        if isinstance(node, _Function):
            first = min(
                [
                    node.lineno,
                    *(one.lineno for one in getattr(node, "decorator_list", ())),
                ]
            )
            found.setdefault(first, []).append(node)
    return found


def _begin(node: ast.AST) -> tuple[int, int]:
    body = node.body if isinstance(node, ast.Lambda) else node
    return body.lineno, body.col_offset  # type: ignore[attr-defined]


def _end(node: ast.AST) -> tuple[int, int]:
    return node.end_lineno, node.end_col_offset  # type: ignore[attr-defined]
