"""Files and Python that a document names: do they exist?

Nothing is imported: modules are found by their files, and their names by reading the
source.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path
from typing import Any

from runtime.checks.rules import problem
from runtime.document.definition import Infos, NodeDefinition, WorkflowDefinition
from runtime.document.problem import Problem
from runtime.document.references import REFERENCE_PATTERN, is_reference
from runtime.expressions.cel import PYTHON_PREFIX
from runtime.expressions.python_files import source_of
from runtime.expressions.text_formats import DATABASE_FORMAT
from runtime.system.bounded_files import LARGEST_SOURCE, read_bytes


def check_sources(
    definition: WorkflowDefinition, infos: Infos, folder: Path
) -> Iterator[Problem]:
    """Yield warnings for missing files and modules. They may exist when the
    workflow runs, so these are no errors.
    """
    written = {
        _path(folder, text)
        for node in definition.nodes
        for _, text in _files(node, infos, "write")
    }
    for node in definition.nodes:
        yield from _missing_files(node, infos, folder, written)
        for name, text in _references(node, infos):
            yield from _missing_python(
                text, folder, node.title, node.id, f"params.{name}"
            )
    for edge in definition.edges:
        for part, label, text in edge.conditions():
            if text.startswith(PYTHON_PREFIX):
                # After a # comes the place of a condition without a name
                # (`runtime.loader.python_links`).
                reference = text.removeprefix(PYTHON_PREFIX).partition("#")[0]
                yield from _missing_python(reference, folder, label, edge.id, part)
    for key, text in definition.reducers.items():
        yield from _missing_python(
            text.partition("#")[0],
            folder,
            f"The reducer of '{key}'",
            "",
            f"reducers.{key}",
        )


def _params(
    node: NodeDefinition, infos: Infos
) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """Yield the text parameters of a node, each with its schema."""
    info = infos.get(node.type)
    properties = info.params_schema.get("properties", {}) if info is not None else {}
    for name, value in node.params.items():
        if isinstance(value, str) and isinstance(properties.get(name), dict):
            yield name, value, properties[name]


# --- files --------------------------------------------------------------------------------------------------------


def _files(node: NodeDefinition, infos: Infos, use: str) -> Iterator[tuple[str, str]]:
    """Yield fixed paths; a path with a placeholder is known only in a run."""
    for name, value, schema in _params(node, infos):
        if schema.get("file") != use or schema.get("format") == DATABASE_FORMAT:
            continue  # its first statement may create a database
        if value.strip() and "{" not in value and "\0" not in value:
            yield name, value


def _path(folder: Path, text: str) -> Path:
    return (folder / text).absolute()


def _missing_files(
    node: NodeDefinition, infos: Infos, folder: Path, written: set[Path]
) -> Iterator[Problem]:
    for name, text in _files(node, infos, "read"):
        path = _path(folder, text)
        if path in written or _exists(path):
            continue
        yield problem(
            "file-there",
            "missing",
            node.id,
            f"params.{name}",
            node=node.title,
            file=text,
            folder=folder,
        )


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # a name that no file can have
        return False


# --- Python -------------------------------------------------------------------------------------------------------


def _references(node: NodeDefinition, infos: Infos) -> Iterator[tuple[str, str]]:
    for name, value, schema in _params(node, infos):
        if schema.get("pattern") == REFERENCE_PATTERN:
            yield name, value


def _missing_python(
    text: str, folder: Path, title: str, location: str, part: str
) -> Iterator[Problem]:
    if not is_reference(text):
        return  # another rule reports it
    module, _, path = text.partition(":")
    name = path.partition(".")[0]
    source, is_there = source_of(module, folder)
    words: dict[str, Any] = {"what": title, "module": module, "name": name}
    if not is_there:
        breach = "module"
        words |= {"file": f"{module.partition('.')[0]}.py", "folder": folder}
    else:
        names = None if source is None else _names_in(source)
        if source is None or names is None or name in names:
            return
        similar = get_close_matches(name, names, n=1)
        breach = "similar" if similar else "name"
        words |= {"file": source.name, "similar": "".join(similar)}
    yield problem("python-there", breach, location, part, **words)


def _names_in(source: Path) -> frozenset[str] | None:
    """Return the names that a module defines at its top, or None if reading it
    does not tell.
    """
    try:
        status = source.stat()
    except OSError:
        return None
    if status.st_size > LARGEST_SOURCE:
        return None
    return _read_names(source, status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=64)
def _read_names(source: Path, _modified: int, _size: int) -> frozenset[str] | None:
    try:
        tree = ast.parse(read_bytes(source, LARGEST_SOURCE))
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return None  # the run says what is wrong with it
    names: set[str] = set()
    return frozenset(names) if _collect(tree.body, names) else None


def _collect(body: list[ast.stmt], names: set[str]) -> bool:
    """Add the names that statements define. Return False if they may define any."""
    for statement in body:
        match statement:
            case ast.FunctionDef(name="__getattr__"):
                return False
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                names.add(statement.name)
            case ast.Import() | ast.ImportFrom():
                if any(alias.name == "*" for alias in statement.names):
                    return False
                names.update(
                    (alias.asname or alias.name.partition(".")[0])
                    for alias in statement.names
                )
            case _:
                if not _collect_other(statement, names):
                    return False
    return True


def _collect_other(statement: ast.stmt, names: set[str]) -> bool:
    """Add names of assignments, and of an `if`, `try`, `with` or loop at the top."""
    inner = [
        part
        for part in ast.iter_child_nodes(statement)
        if isinstance(part, ast.stmt | ast.ExceptHandler)
    ]
    for part in inner:
        if not _collect(
            part.body if isinstance(part, ast.ExceptHandler) else [part], names
        ):
            return False
    if not inner or isinstance(statement, ast.With | ast.For):
        stored = (
            node
            for node in ast.walk(statement)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        )
        names.update(node.id for node in stored)
        # A call may put anything there: globals().update(…), setattr(module, …).
        return not any(
            isinstance(node, ast.Name) and node.id in ("globals", "vars")
            for node in ast.walk(statement)
        )
    return True
