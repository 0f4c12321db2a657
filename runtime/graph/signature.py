"""The signature of a graph: a digest that is the same in every process, and lines that
say how two graphs differ.

It covers executors and their types, edge kinds, sources and targets in order, the text
of conditions (or their name and source), the order of cases, the default, the join
policy, and all of that for every sub-workflow. It leaves out the layout, the name of
the workflow and limits.
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
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from runtime.edges.base import EdgeGroup
    from runtime.executors.executor import Executor
    from runtime.graph.workflow_graph import WorkflowGraph

_ATOMS = (type(None), bool, int, float, str, bytes)
# Fields of a document that a signature leaves out.
_NOT_COMPARED = frozenset(
    {
        "name",
        "description",
        "icon",
        "max_supersteps",
        "input",
        "params",
        "layout",
        "folder",
        "files",
        "code",
        "retry",
        "timeout",
    }
)


def graph_of(workflow: WorkflowGraph) -> dict[str, Any]:
    """Return everything that decides where messages go, as JSON values."""
    return {
        "start": workflow.start_executor_id,
        "executors": [_executor(executor) for executor in workflow.executors.values()],
        "edges": [_edge(group) for group in workflow.edge_groups],
    }


def digest(graph: Mapping[str, Any]) -> str:
    """Return the signature: a hash of the graph."""
    text = json.dumps(graph, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _executor(executor: Executor) -> dict[str, Any]:
    cls = executor.__class__
    result = {
        "id": executor.id,
        "class": f"{cls.__module__}.{cls.__qualname__}",
        "type": executor.type,
    }
    func = getattr(executor, "func", None)
    if callable(func):
        name = getattr(func, "__qualname__", type(func).__qualname__)
        result["function"] = f"{getattr(func, '__module__', '')}.{name}"
    if executor.wraps_workflow:
        result |= _wrapped(executor)
    return result


def _wrapped(executor: Any) -> dict[str, Any]:
    """Return the workflow inside an executor, with its ways in and out."""
    result = {"workflow": graph_of(executor.workflow)}
    if executor.entries:
        result["entries"] = executor.entries
    if executor.exits:
        result["exits"] = {
            inner_id: list(targets) for inner_id, targets in executor.exits.items()
        }
    return result


def _edge(group: EdgeGroup) -> dict[str, Any]:
    logic = {key: _plain(value) for key, value in group.logic().items()}
    pairs = [[edge.source_id, edge.target_id] for edge in group.edges]
    return {"id": group.structural_id(), "kind": group.kind, "pairs": pairs, **logic}


def _plain(value: Any) -> Any:
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return describe_callable(value) if callable(value) else value


def reducers_of(workflow: WorkflowGraph, path: str = "") -> dict[str, str]:
    """Return what identifies the reducer of each key of the shared state, here and in
    sub-workflows (`judge/votes`). The signature leaves them out, because a run may go
    on with others.
    """
    reducers = {
        f"{path}{key}": describe_callable(reducer)
        for key, reducer in workflow.reducers.items()
    }
    for executor in workflow.executors.values():
        if executor.wraps_workflow:
            inner = cast("Any", executor).workflow
            reducers |= reducers_of(inner, f"{path}{executor.id}/")
    return reducers


def code_of(workflow: WorkflowGraph, path: str = "") -> dict[str, str]:
    """Return what identifies the Python code that the document of a workflow only
    names: classes and functions of executors, and conditions, here and in
    sub-workflows. Keys are as `judge/executor rank` and `edge small`.
    """
    code: dict[str, str] = {}
    for executor in workflow.executors.values():
        described = _executor(executor) if not executor.wraps_workflow else {}
        names = [described.get(name, "") for name in ("class", "function")]
        own = [name for name in names if name and not name.startswith(_BUILT_IN)]
        if own:
            code[f"{path}executor {executor.id}"] = " ".join(own)
        if executor.wraps_workflow:
            inner = cast("Any", executor).workflow
            code |= code_of(inner, f"{path}{executor.id}/")
    for group in workflow.edge_groups:
        functions = [
            describe_callable(function) for function in group.functions().values()
        ]
        own = [text for text in functions if not text.startswith("text:")]
        if own:
            code[f"{path}edge {group.id}"] = " ".join(own)
    return code


# Modules whose code belongs to this program, and changes with its version only.
_BUILT_IN = "runtime."


# --- differences --------------------------------------------------------------------------------------------------


def reasons(before: Any, after: Any) -> list[str]:
    """Return why two definitions have different signatures, one line for each reason."""
    return differences(before, after) or [
        # They say the same, so what they name must differ.
        "a node names another class, or the code of a condition is not what it was"
    ]


def differences(before: Any, after: Any, path: str = "") -> list[str]:
    """Return how two graphs or definitions differ: one line each, naming the executor
    or edge by its id.
    """
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        lines = []
        for key in dict.fromkeys([*before, *after]):
            if key not in _NOT_COMPARED:
                key_path = f"{path}.{key}" if path else str(key)
                lines += _differences_at(before, after, key, key_path)
        return lines + _differences_inside(before, after, path)
    if _is_list_of_named(before) and _is_list_of_named(after):
        before_by_id = {item["id"]: item for item in before}
        after_by_id = {item["id"]: item for item in after}
        lines = []
        for item_id in dict.fromkeys([*before_by_id, *after_by_id]):
            item_path = f"{path}[{item_id}]"
            lines += _differences_at(before_by_id, after_by_id, item_id, item_path)
        if not lines and list(before_by_id) != list(after_by_id):
            lines.append(f"{path} are in another order")
        return lines
    if before == after:
        return []
    return [f"{path}: {_shortened(before)} is now {_shortened(after)}"]


def _differences_at(
    before: Mapping[str, Any], after: Mapping[str, Any], key: str, path: str
) -> list[str]:
    if key not in after:
        return [f"{path} is gone"]
    if key not in before:
        return [f"{path} is new"]
    return differences(before[key], after[key], path)


def _differences_inside(
    before: Mapping[str, Any], after: Mapping[str, Any], path: str
) -> list[str]:
    """Return how the workflows differ that two nodes have inside, if these are written
    in the document itself.
    """
    if before.get("type") != "sub_workflow":
        return []
    inner_before = _inline_workflow(before)
    inner_after = _inline_workflow(after)
    if inner_before is None or inner_after is None:
        return []
    return differences(inner_before, inner_after, path)


def _inline_workflow(node: Mapping[str, Any]) -> Mapping[str, Any] | None:
    params = node.get("params")
    inline = params.get("inline") if isinstance(params, Mapping) else None
    return inline if isinstance(inline, Mapping) else None


def _is_list_of_named(value: Any) -> bool:
    if not isinstance(value, Sequence) or not value:
        return False
    return all(isinstance(item, Mapping) and "id" in item for item in value)


def _shortened(value: Any) -> str:
    text = json.dumps(value, default=str)
    return text if len(text) <= 80 else text[:77] + "..."


# --- conditions ---------------------------------------------------------------------------------------------------


def describe_callable(function: Callable[..., Any]) -> str:
    """Return what identifies a condition: its `text`, or else its name with a hash of
    its source and its constants.
    """
    text = getattr(function, "signature_text", None) or getattr(function, "text", None)
    if isinstance(text, str):
        return f"text:{text}"
    target = inspect.unwrap(function)
    code = getattr(target, "__code__", None)
    if code is None:
        # A callable object, a partial or a builtin has no source of its own.
        cls = type(function)
        qualname = getattr(function, "__qualname__", "")
        return f"{cls.__module__}.{cls.__qualname__}:{qualname}"
    constants = [*(target.__defaults__ or ()), *_closed_over(target)]
    parts = [_source(code)]
    parts += [repr(constant) for constant in constants if _is_atom(constant)]
    text = "\0".join(parts).encode("utf-8", "surrogatepass")
    name = f"{target.__module__}.{target.__qualname__}"
    return f"{name}:{hashlib.sha256(text).hexdigest()[:16]}"


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
    """Return the text of a function without layout and comments, or its byte code if
    there is no source file.
    """
    text = "".join(linecache.getlines(code.co_filename))
    functions = _functions_by_line(code.co_filename, text).get(code.co_firstlineno, [])
    if len(functions) > 1:
        # Several lambdas on one line: the innermost one that contains the first
        # instruction.
        position = _first_position(code)
        around = [node for node in functions if _begin(node) <= position <= _end(node)]
        functions = around[-1:] or functions
    if functions:
        return ast.unparse(functions[0])
    constants = [constant for constant in code.co_consts if _is_atom(constant)]
    return code.co_code.hex() + repr(constants) + repr(code.co_names)


def _first_position(code: CodeType) -> tuple[int, int]:
    # Instructions that belong to no text have an empty range.
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
def _functions_by_line(_filename: str, text: str) -> dict[int, list[_Function]]:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return {}
    functions: dict[int, list[_Function]] = {}
    for node in ast.walk(tree):
        if isinstance(node, _Function):
            # A code object begins at the first decorator.
            decorators = getattr(node, "decorator_list", ())
            lines = [node.lineno, *(decorator.lineno for decorator in decorators)]
            functions.setdefault(min(lines), []).append(node)
    return functions


def _begin(node: ast.AST) -> tuple[int, int]:
    body = node.body if isinstance(node, ast.Lambda) else node
    return body.lineno, body.col_offset  # type: ignore[attr-defined]


def _end(node: ast.AST) -> tuple[int, int]:
    return node.end_lineno, node.end_col_offset  # type: ignore[attr-defined]
