"""Load Python that a document names as `module:name`, first from the document's folder.

Modules keep their plain names, because these go into checkpoints and signatures, and a
folder may be moved. So two documents in one process may have modules of one name. Each
folder has its own set, which is put into `sys.modules` while something is loaded for
the folder, and stays there until another folder needs the name. An `import` at the top
of a module always sees its own folder; one inside a function, during a run, sees the
folder that was loaded last.

A folder whose sources have changed on disk is loaded again as a whole. What was built
before keeps its old code.
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
# Never loaded from a document's folder, because a second copy of the runtime would have
# classes of its own.
_OURS = frozenset({"runtime", "designer", "resources"})


@dataclass
class _Folder:
    """What was loaded from one folder: modules by plain name, and the times and sizes
    of their sources at that moment.
    """

    modules: dict[str, ModuleType] = field(default_factory=dict)
    stamps: dict[str, tuple[int, int]] = field(default_factory=dict)


_FOLDERS: dict[Path, _Folder] = {}


def load(reference: str, folder: Path, location: str = "") -> Any:
    """Return the object that `module:name` means. Imports the module, which runs its
    code.

    Raise `DefinitionError` at `location` if the text is no reference, the import fails
    for any reason, or the module has no such name.
    """
    if not is_reference(reference):
        raise DefinitionError(
            f"'{reference}' is not of the form module:name, such as report:write.",
            location,
        )
    module_name, _, path = reference.partition(":")
    value: Any = _import(module_name, folder.resolve(), location)
    for name in path.split("."):
        if not hasattr(value, name):
            raise DefinitionError(
                f"Module '{module_name}' of '{reference}' has no '{name}'.", location
            )
        value = getattr(value, name)
    return value


def forget() -> None:
    """Forget the modules of all folders, so that what is built next loads them again.
    What was built before keeps its code.
    """
    with _LOCK:
        for folder, loaded in _FOLDERS.items():
            for name, module in loaded.modules.items():
                if sys.modules.get(name) is module:
                    del sys.modules[name]
            _FOLDERS[folder] = _Folder()


def run_text(text: str, node_id: str, folder: Path) -> ModuleType:
    """Run a text as a module, and return the module. Its imports look into the folder
    first.

    Tracebacks show its lines. Raise `DefinitionError` at the node's id for any failure.
    """
    name = f"<code of {node_id}>"
    word = re.sub(r"[^0-9A-Za-z]", lambda match: f"_{ord(match[0]):x}", node_id)
    module = ModuleType(f"code_of_{word}")
    # Dataclasses and pydantic look here for the names in annotations.
    sys.modules[module.__name__] = module
    # Without a time of change linecache does not look for the lines in a file.
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
    """Return in words where in the text an error happened."""
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
    """Let imports find the folder's modules first."""
    loaded = _fresh(folder)
    displaced = _take_names(folder, loaded)
    # Folders of other documents are hidden, because a module `nodes.py` in one of them
    # would be found in the place of a folder `nodes` in this one.
    others = {str(other) for other in _FOLDERS} - {str(folder)}
    hidden = [(place, entry) for place, entry in enumerate(sys.path) if entry in others]
    sys.path[:] = [str(folder), *(entry for entry in sys.path if entry not in others)]
    importlib.invalidate_caches()
    try:
        yield
    finally:
        sys.path.remove(str(folder))
        for place, entry in hidden:
            sys.path.insert(place, entry)
        if str(folder) not in sys.path:
            # For an import inside a function. At the end it hides no installed module.
            sys.path.append(str(folder))
        _remember(folder, loaded)
        sys.modules.update(displaced)


def _fresh(folder: Path) -> _Folder:
    loaded = _FOLDERS.setdefault(folder, _Folder())
    if any(
        _stamp(module) != loaded.stamps.get(name)
        for name, module in loaded.modules.items()
    ):
        for name, module in loaded.modules.items():
            if sys.modules.get(name) is module:
                del sys.modules[name]
            # Signatures and tracebacks read the source, which must be that of the new
            # code.
            linecache.checkcache(module.__file__ or "")
        loaded = _FOLDERS[folder] = _Folder()
    return loaded


def _take_names(folder: Path, loaded: _Folder) -> dict[str, ModuleType]:
    """Clear the names that the folder defines in `sys.modules`.

    Return the modules that came from no document's folder, because an installed module
    must be there again afterwards.
    """
    tops = _top_names(folder)
    displaced = {}
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] in tops and not _is_of(name, module, folder):
            del sys.modules[name]
            # A package without a file is not kept: Python makes it again from the path.
            has_file = getattr(module, "__file__", None) is not None
            if has_file and not any(
                other.modules.get(name) is module for other in _FOLDERS.values()
            ):
                displaced[name] = module
    sys.modules.update(loaded.modules)
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
    """Return whether the file of a module is where one of its name is in the folder. A
    folder inside it has modules of its own.
    """
    source = getattr(module, "__file__", None)
    package = folder.joinpath(*name.split("."))
    return source is not None and Path(source).parent in (package, package.parent)


def _remember(folder: Path, loaded: _Folder) -> None:
    tops = _top_names(folder)
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] in tops and _is_of(name, module, folder):
            loaded.modules[name] = module
            loaded.stamps[name] = _stamp(module)


def _stamp(module: ModuleType) -> tuple[int, int]:
    try:
        status = Path(module.__file__ or "").stat()
    except OSError:
        return (0, 0)
    return (status.st_mtime_ns, status.st_size)
