"""Python that a document names as `module:name`: looked for in the document's folder first, then where Python looks.

Modules keep their plain names, since these go into checkpoints and signatures, and a folder may be moved. So two
documents of one process may have modules of one name: each folder has its own set, which stands in `sys.modules` only
while something is loaded for it, and stays there afterwards until another folder needs the name. An `import` inside a
function, done while a run is on, sees the folder that was loaded last; at the top of a module it always sees its own.

A folder whose sources have changed on disk is loaded anew, as a whole; what was built before keeps its old code.
"""

from __future__ import annotations

import importlib
import linecache
import re
import sys
import threading
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from runtime.document.references import NODES_FOLDER, is_reference
from runtime.errors import DefinitionError
from runtime.values.user_failures import in_words

_LOCK = threading.RLock()
# Never looked for in a document's folder: a second copy of the runtime would have classes of its own.
_OURS = frozenset({"runtime", "designer", "resources"})


@dataclass
class _Folder:
    """What was loaded from one folder: modules by plain name, and their sources' times and sizes at that moment."""

    modules: dict[str, ModuleType] = field(default_factory=dict)
    stamps: dict[str, tuple[int, int]] = field(default_factory=dict)


_FOLDERS: dict[Path, _Folder] = {}


def load(reference: str, folder: Path, location: str = "") -> Any:
    """The object that `module:name` means. Imports the module: runs its code.

    Raises `DefinitionError`, at `location`, if the text is no reference, the import fails for whatever reason, or the
    module has no such name.
    """
    if not is_reference(reference):
        raise DefinitionError(
            f"'{reference}' is not of the form module:name, such as report:write.",
            location,
        )
    module_name, _, path = reference.partition(":")
    found = _import(module_name, folder.resolve(), location)
    for name in path.split("."):
        if not hasattr(found, name):
            raise DefinitionError(
                f"Module '{module_name}' of '{reference}' has no '{name}'.", location
            )
        found = getattr(found, name)
    return found


def run_text(text: str, node_id: str, folder: Path) -> ModuleType:
    """The module that a text makes, which is run for that; its imports look into the folder first.

    Tracebacks show its lines. Raises `DefinitionError`, at the node's id, for whatever goes wrong.
    """
    name = f"<code of {node_id}>"
    module = ModuleType(
        f"code_of_{re.sub(r'[^0-9A-Za-z]', lambda found: f'_{ord(found[0]):x}', node_id)}"
    )
    # where dataclasses and pydantic look for the names in annotations
    sys.modules[module.__name__] = module
    # Without a time of change the lines are never looked for in a file.
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    with _LOCK, _active(folder.resolve()):
        try:
            exec(compile(text, name, "exec", dont_inherit=True), vars(module))  # noqa: S102 - what the node is for
        except (Exception, SystemExit) as error:
            raise DefinitionError(
                f"The code cannot be used{_line(error, name)}: {in_words(error)}.",
                node_id,
            ) from error
    return module


def _line(error: BaseException, name: str) -> str:
    """Where in the text it happened, in words."""
    if isinstance(error, SyntaxError) and error.filename == name:
        return f", line {error.lineno}"
    lines = [
        frame.lineno
        for frame in traceback.extract_tb(error.__traceback__)
        if frame.filename == name
    ]
    return f", line {lines[-1]}" if lines else ""


def _import(name: str, folder: Path, location: str) -> ModuleType:
    with _LOCK, _active(folder):
        try:
            return importlib.import_module(name)
        except (Exception, SystemExit) as error:
            raise DefinitionError(
                f"Module '{name}' cannot be imported, looking in {folder} first: {in_words(error)}.",
                location,
            ) from error


@contextmanager
def _active(folder: Path) -> Iterator[None]:
    """While this is on, the folder's modules are those that an import finds."""
    own = _fresh(folder)
    displaced = _take_names(folder, own)
    sys.path.insert(0, str(folder))
    importlib.invalidate_caches()
    try:
        yield
    finally:
        sys.path.remove(str(folder))
        if str(folder) not in sys.path:
            # for an import inside a function, without hiding anything installed
            sys.path.append(str(folder))
        _remember(folder, own)
        sys.modules.update(displaced)


def _fresh(folder: Path) -> _Folder:
    known = _FOLDERS.setdefault(folder, _Folder())
    if any(
        _stamp(module) != known.stamps.get(name)
        for name, module in known.modules.items()
    ):
        for name, module in known.modules.items():
            if sys.modules.get(name) is module:
                del sys.modules[name]
            # Signatures and tracebacks read the source; the old one would stand for the new code.
            linecache.checkcache(module.__file__ or "")
        known = _FOLDERS[folder] = _Folder()
    return known


def _take_names(folder: Path, own: _Folder) -> dict[str, ModuleType]:
    """Clear the names that the folder defines. Returns the modules that did not come from a document's folder: an
    installed module of the same name must be there again afterwards.
    """
    tops = _top_names(folder)
    displaced = {}
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] in tops and not _is_of(name, module, folder):
            del sys.modules[name]
            # A package without a file is nothing that must be kept: it is made anew, of what the path then is.
            has_file = getattr(module, "__file__", None) is not None
            if has_file and not any(
                other.modules.get(name) is module for other in _FOLDERS.values()
            ):
                displaced[name] = module
    sys.modules.update(own.modules)
    return displaced


def _top_names(folder: Path) -> set[str]:
    if not folder.is_dir():
        return set()
    modules = {entry.stem for entry in folder.iterdir() if entry.suffix == ".py"}
    packages = {
        entry.name for entry in folder.iterdir() if (entry / "__init__.py").is_file()
    }
    if (folder / NODES_FOLDER).is_dir():
        packages.add(NODES_FOLDER)
    return (modules | packages) - _OURS


def _is_of(name: str, module: ModuleType, folder: Path) -> bool:
    """Whether it lies where a module of that name lies in the folder; a folder inside it has modules of its own."""
    source = getattr(module, "__file__", None)
    package = folder.joinpath(*name.split("."))
    return source is not None and Path(source).parent in (package, package.parent)


def _remember(folder: Path, own: _Folder) -> None:
    tops = _top_names(folder)
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] in tops and _is_of(name, module, folder):
            own.modules[name] = module
            own.stamps[name] = _stamp(module)


def _stamp(module: ModuleType) -> tuple[int, int]:
    try:
        status = Path(module.__file__ or "").stat()
    except OSError:
        return (0, 0)
    return (status.st_mtime_ns, status.st_size)
