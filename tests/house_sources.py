"""Read Python sources without running them: files, tokens, imports."""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal, NamedTuple

import networkx as nx

LAYOUT_TOKENS = (
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
Function = ast.FunctionDef | ast.AsyncFunctionDef
Kind = Literal["load", "lazy", "type"]


@dataclass(frozen=True)
class Source:
    """One file of Python, parsed when it is first asked for."""

    path: Path
    module: str
    text: str

    @cached_property
    def lines(self) -> list[str]:
        return self.text.splitlines()

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text)

    @cached_property
    def nodes(self) -> list[ast.AST]:
        return list(ast.walk(self.tree))

    @cached_property
    def functions(self) -> list[Function]:
        return [node for node in self.nodes if isinstance(node, FUNCTIONS)]

    @cached_property
    def all_tokens(self) -> list[tokenize.TokenInfo]:
        return list(tokenize.generate_tokens(io.StringIO(self.text).readline))

    @cached_property
    def docstring_lines(self) -> set[int]:
        lines: set[int] = set()
        for node in self.nodes:
            if isinstance(
                node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
            ):
                docstring = docstring_of(node)
                if docstring is not None:
                    lines.update(
                        range(
                            docstring.lineno,
                            (docstring.end_lineno or docstring.lineno) + 1,
                        )
                    )
        return lines

    @cached_property
    def tokens(self) -> list[tokenize.TokenInfo]:
        """The tokens of the code: no comments, no docstrings, no line ends."""
        tokens = []
        for token in self.all_tokens:
            is_docstring = (
                token.type == tokenize.STRING and token.start[0] in self.docstring_lines
            )
            if token.type not in LAYOUT_TOKENS and not is_docstring:
                tokens.append(token)
        return tokens

    @cached_property
    def code_lines(self) -> set[int]:
        """The lines on which a token of the code begins."""
        return {token.start[0] for token in self.tokens}

    @property
    def is_package(self) -> bool:
        return self.path.name == "__init__.py"


def docstring_of(node: ast.Module | ast.ClassDef | Function) -> ast.Expr | None:
    first = node.body[0] if node.body else None
    if (
        isinstance(first, ast.Expr)
        and isinstance(first.value, ast.Constant)
        and isinstance(first.value.value, str)
    ):
        return first
    return None


def read_sources(root: Path, place: str) -> list[Source]:
    """Read the files of a package, folder or file.

    `place` is a path below `root`, or a dotted name.
    """
    path = root / place
    if not path.exists():
        path = root.joinpath(*place.split("."))
    if not path.exists():
        path = path.with_suffix(".py")
    if not path.exists():
        raise SystemExit(f"There is no {place} in {root}.")
    files = [path] if path.is_file() else sorted(path.rglob("*.py"))
    sources = []
    for file in files:
        text = file.read_text(encoding="utf-8")
        if text.strip():
            sources.append(Source(file, module_name(root, file), text))
    return sources


def module_name(root: Path, file: Path) -> str:
    parts = file.resolve().relative_to(root.resolve()).with_suffix("").parts
    if parts[-1] == "__init__":
        parts = parts[:-1]
    return ".".join(parts)


# --- imports ---


class Import(NamedTuple):
    importer: str
    imported: str
    kind: Kind


def imports_of(sources: Sequence[Source]) -> list[Import]:
    """Return the imports among the sources.

    Lazy ones stand in functions, type-only ones below `if TYPE_CHECKING`.
    """
    modules = {source.module for source in sources}
    imports = []
    for source in sources:
        for statement, kind in import_statements(source.tree, "load"):
            imported = imported_modules(statement, modules) - {source.module}
            imports.extend(
                Import(source.module, module, kind) for module in sorted(imported)
            )
    return imports


def import_statements(
    node: ast.AST, kind: Kind
) -> Iterator[tuple[ast.Import | ast.ImportFrom, Kind]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import | ast.ImportFrom):
            yield child, kind
        elif isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            for statement in child.body:
                yield from import_statements(ast.Module([statement], []), "type")
            for statement in child.orelse:
                yield from import_statements(ast.Module([statement], []), kind)
        elif isinstance(child, FUNCTIONS) and kind == "load":
            yield from import_statements(child, "lazy")
        else:
            yield from import_statements(child, kind)


def imported_modules(
    statement: ast.Import | ast.ImportFrom, modules: set[str]
) -> set[str]:
    """Return the modules among `modules` that a statement imports, or imports from."""
    imported = set()
    for alias in statement.names:
        if isinstance(statement, ast.Import):
            imported.add(alias.name)
        elif f"{statement.module}.{alias.name}" in modules:
            imported.add(f"{statement.module}.{alias.name}")
        else:
            imported.add(statement.module or "")
    return imported & modules


def circles(arrows: Iterable[tuple[str, str]]) -> list[list[str]]:
    """Return the groups of nodes that all reach each other, largest first."""
    groups = nx.strongly_connected_components(nx.DiGraph(list(arrows)))
    return sorted(
        (sorted(group) for group in groups if len(group) > 1),
        key=lambda group: (-len(group), group),
    )
