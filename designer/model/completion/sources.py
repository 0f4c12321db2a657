"""Find the source of `module:name` by the names of files alone: nothing is imported, no
code runs.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from runtime.document.definition import NodeDefinition, NodeInfo
from runtime.system.bounded_files import read_source

# The format of a parameter that names Python code.
REFERENCE = "python-reference"


@dataclass(frozen=True, slots=True)
class Source:
    """A file, its text, and the line from 1 where the name is defined; 1 where the text
    does not show it.
    """

    path: Path
    text: str
    line: int


def find_source(
    reference: str, folder: Path, search: Sequence[str] | None = None
) -> Source:
    """Return the source of a reference: in the folder first, then in `search`, which is
    `sys.path` by default.

    Raise `LookupError` with a sentence for people.
    """
    module, _, name = reference.partition(":")
    if not module or not all(part.isidentifier() for part in module.split(".")):
        raise LookupError("Write module:name first, such as report:write.")
    search = sys.path if search is None else search
    places = [folder, *(Path(place) for place in search if place)]
    files = [_module_file(place, module) for place in places]
    path = next((file for file in files if file is not None), None)
    if path is None:
        raise LookupError(
            f"There is no source of '{module}' in {folder}, "
            "or where Python looks for modules."
        )
    try:
        text = read_source(path)
    except (OSError, SyntaxError, UnicodeError) as error:
        raise LookupError(f"{path} cannot be read: {error}.") from error
    return Source(path, text, line_of(text, name))


def reference_of(node: NodeDefinition, info: NodeInfo | None) -> str:
    """Return the `module:name` that a node names as its code; "" for none."""
    properties = info.params_schema.get("properties", {}) if info is not None else {}
    for name, schema in properties.items():
        reference = node.params.get(name)
        if schema.get("format") == REFERENCE and isinstance(reference, str):
            return reference
    return ""


def line_of(text: str, name: str) -> int:
    """Return the line where a name such as `write` or `Report.write` is defined; 1 if
    the text does not show it.
    """
    try:
        body: Iterable[ast.stmt] = ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError):
        return 1
    line = 1
    for part in filter(None, name.split(".")):
        definitions = [statement for statement in body if _defines(statement, part)]
        if not definitions:
            break
        definition = definitions[0]
        line = definition.lineno
        body = definition.body if isinstance(definition, ast.ClassDef) else ()
    return line


def _defines(statement: ast.stmt, name: str) -> bool:
    match statement:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return statement.name == name
        case ast.Assign():
            return any(
                isinstance(target, ast.Name) and target.id == name
                for target in statement.targets
            )
        case ast.AnnAssign():
            return (
                isinstance(statement.target, ast.Name) and statement.target.id == name
            )
    return False


def _module_file(place: Path, module: str) -> Path | None:
    base = place.joinpath(*module.split("."))
    candidates = (base.with_name(f"{base.name}.py"), base / "__init__.py")
    return next((file for file in candidates if file.is_file()), None)
