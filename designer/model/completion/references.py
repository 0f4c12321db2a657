"""The functions and classes that the modules of a folder define, as `module:name`:
read, never imported.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from designer.model.completion.cel_words import Word
from runtime.system.bounded_files import read_source

# A folder of code to be called has few and small files; more would take too long.
MOST_FILES = 200
MOST_BYTES = 200_000


class Reference(NamedTuple):
    """`text` is `module:name`; `says` is the first line of its docstring."""

    text: str
    says: str


def references_in(folder: Path) -> list[Reference]:
    """Return what is public in the modules of a folder, by module, in the order of the
    code.

    A file that cannot be read or is no Python has nothing.
    """
    references: list[Reference] = []
    for path in islice(_modules(folder), MOST_FILES):
        try:
            stat = path.stat()
        except OSError:
            continue
        if stat.st_size <= MOST_BYTES:
            references += _defined(path, stat.st_mtime_ns, stat.st_size)
    return references


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
    """Return the references of a module.

    They are remembered until the file changes, because every key that is typed asks for
    them.
    """
    try:
        body = ast.parse(read_source(path, MOST_BYTES)).body
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    references = []
    for statement in body:
        match statement:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                name = statement.name
                if not name.startswith("_"):
                    text = f"{path.stem}:{name}"
                    references.append(Reference(text, _first_line(statement)))
    return tuple(references)


def _first_line(code: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> str:
    words = ast.get_docstring(code)
    if not words:
        words = "a class" if isinstance(code, ast.ClassDef) else ""
    return words.partition("\n")[0]


def complete_reference(text: str, cursor: int, folder: Path) -> list[Word]:
    """Return references that fit the text before a cursor.

    First come those that begin with it, then those that do in other case, then those
    whose name does.
    """
    typed = text[:cursor].strip()
    ranked = [
        (_rank(typed, reference.text), reference) for reference in references_in(folder)
    ]
    ranked.sort(key=lambda pair: pair[0])
    return [
        Word(reference.text, reference.says, reference.text, 0)
        for rank, reference in ranked
        if rank < _NO_MATCH
    ]


_NO_MATCH = 3


def _rank(typed: str, reference: str) -> int:
    folded = typed.casefold()
    name = reference.partition(":")[2]
    fits = (
        reference.startswith(typed),
        reference.casefold().startswith(folded),
        name.casefold().startswith(folded),
    )
    return fits.index(True) if any(fits) else _NO_MATCH
