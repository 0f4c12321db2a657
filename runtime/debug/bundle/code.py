"""The files of code that a workflow needs of its folder: those that it names, and what
these import from there. They are read, and never run.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

from runtime.document.code_files import code_files
from runtime.document.definition import WorkflowDefinition
from runtime.document.references import is_reference
from runtime.document.secret_places import texts
from runtime.system.bounded_files import read_source

_MOST_FILES = 200


def needed_code(workflow: WorkflowDefinition, folder: Path) -> list[Path]:
    """Return the paths of the files, relative to the folder, in the order of their
    names.
    """
    root = folder.resolve()
    waiting = [item.path.resolve() for item in code_files(workflow, folder)]
    seen: dict[Path, None] = {}
    while waiting and len(seen) < _MOST_FILES:
        path = waiting.pop()
        if path in seen or not path.is_relative_to(root):
            continue
        seen[path] = None
        waiting += _imported(path, root)
    return sorted(path.relative_to(root) for path in seen)


def _imported(path: Path, root: Path) -> Iterator[Path]:
    try:
        tree = ast.parse(read_source(path))
    except (OSError, SyntaxError, ValueError, RecursionError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            module = node.module or ""
            names = [module, *(f"{module}.{alias.name}" for alias in node.names)]
        else:
            continue
        for name in names:
            yield from _files_of(name, root)


def _files_of(module: str, root: Path) -> Iterator[Path]:
    """Yield the file of a module in the folder, and those of the packages around it."""
    place = root
    for step in module.split("."):
        place = place / step
        for path in (place.with_suffix(".py"), place / "__init__.py"):
            if path.is_file():
                yield path.resolve()


def versions(workflow: WorkflowDefinition | None) -> dict[str, str]:
    """Return the versions of Python, Stepwell, and the installed packages whose modules
    a workflow names.
    """
    import platform

    found = {
        "Python": platform.python_version(),
        "Stepwell": metadata.version("stepwell"),
    }
    if workflow is None:
        return found
    packages = metadata.packages_distributions()
    for text in texts(workflow.model_dump(mode="json")):
        if not is_reference(text):
            continue
        for name in packages.get(text.partition(":")[0].split(".")[0], ()):
            found[name] = metadata.version(name)
    return found
