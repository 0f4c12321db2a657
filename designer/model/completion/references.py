"""The functions and classes that the modules of a folder define, as `module:name`: read, never imported."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from designer.model.completion.cel_words import Word
from runtime.system.bounded_files import read_source

# a folder of code to be called has few and small files; others cost time
MOST_FILES = 200
MOST_BYTES = 200_000


class Reference(NamedTuple):
    """`text` is `module:name`; `says` the first line of what the code says of itself."""

    text: str
    says: str


def references_in(folder: Path) -> list[Reference]:
    """Return what is public in the modules that stand in a folder, by module, in the order of the code.

    A file that cannot be read or is no Python has nothing.
    """
    found: list[Reference] = []
    for path in islice(_modules(folder), MOST_FILES):
        try:
            stat = path.stat()
        except OSError:
            continue
        if stat.st_size <= MOST_BYTES:
            found += _defined(path, stat.st_mtime_ns, stat.st_size)
    return found


def _modules(folder: Path) -> Iterator[Path]:
    try:
        files = sorted(folder.glob("*.py"))
    except OSError:
        return
    yield from (
        path
        for path in files
        if path.stem.isidentifier() and not path.stem.startswith("_")
    )


@lru_cache(maxsize=2 * MOST_FILES)
def _defined(path: Path, _changed: int, _size: int) -> tuple[Reference, ...]:
    """Remembered for as long as the file stays as it is: it is asked for with each key."""
    try:
        body = ast.parse(read_source(path, MOST_BYTES)).body
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    public = (
        one for one in body if isinstance(one, kinds) and not one.name.startswith("_")
    )
    return tuple(
        Reference(f"{path.stem}:{one.name}", _first_line(one)) for one in public
    )


def _first_line(code: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> str:
    words = ast.get_docstring(code) or (
        "a class" if isinstance(code, ast.ClassDef) else ""
    )
    return words.partition("\n")[0]


def complete_reference(text: str, cursor: int, folder: Path) -> list[Word]:
    """Return what could be meant by the text before a cursor: what begins so, first in these letters and then also in
    large or small ones, then what has a name that does.
    """
    typed = text[:cursor].strip()
    ranked = ((_rank(typed, one.text), one) for one in references_in(folder))
    found = sorted(
        ((rank, one) for rank, one in ranked if rank < _NOT), key=lambda pair: pair[0]
    )
    return [Word(one.text, one.says, one.text, 0) for _, one in found]


_NOT = 3


def _rank(typed: str, reference: str) -> int:
    folded = typed.casefold()
    name = reference.partition(":")[2]
    fits = (
        reference.startswith(typed),
        reference.casefold().startswith(folded),
        name.casefold().startswith(folded),
    )
    return fits.index(True) if any(fits) else _NOT
