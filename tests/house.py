"""Measure how the code is written and how its rooms import each other.

    python -m tests.house [PLACE …]                      figures, a column for each
    python -m tests.house [PLACE …] --vague              local names that say nothing
    python -m tests.house [PACKAGE …] --rooms            imports between rooms
    python -m tests.house PACKAGE --rooms --picture FILE the same as FILE.svg or DOT

A place is a package, folder or file; `runtime` and `designer` by default. `--root DIR`
measures another checkout, `--json` prints for programs. Sources are read, never run.

`tests/house_rooms.py` says what a room is, and where the order of rooms comes from.
"""

from __future__ import annotations

import argparse
import ast
import json
import statistics
import sys
import tokenize
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tests.house_rooms import Rooms, draw, room_lines, rooms_as_data
from tests.house_sources import (
    Function,
    Import,
    Source,
    circles,
    docstring_of,
    imports_of,
    read_sources,
)

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("runtime", "designer")

# Names that tell nothing of what they hold.
# fmt: off
VAGUE = frozenset({
    "one", "found", "made", "at", "told", "kept", "given", "wanted", "whole", "here",
    "there", "now", "rest", "own", "said", "left", "new", "old", "gone", "asked", "lost",
})
# fmt: on
# Words in -ing that are things.
NOT_GERUNDS = frozenset({"string", "ring", "thing", "spring", "wing", "king"})
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
BRANCHES = (
    ast.If,
    ast.IfExp,
    ast.For,
    ast.AsyncFor,
    ast.While,
    ast.ExceptHandler,
    ast.match_case,
    ast.comprehension,
)


# --- figures ---


class Spread(NamedTuple):
    """What a row of numbers is like: p90 means that nine in ten are at or below."""

    median: float
    p90: float
    p99: float
    largest: float

    @classmethod
    def of(cls, numbers: Iterable[float]) -> Spread:
        ordered = sorted(numbers) or [0]

        def at_share(share: float) -> float:
            return ordered[min(len(ordered) - 1, int(len(ordered) * share))]

        return cls(
            statistics.median(ordered), at_share(0.9), at_share(0.99), ordered[-1]
        )


def figures(root: Path, place: str) -> dict[str, Any]:
    """Return all figures of a package, folder or file by name."""
    sources = read_sources(root, place)
    return (
        sizes(sources)
        | prose(sources)
        | density(sources)
        | names(sources)
        | coupling(root, sources)
    )


def sizes(sources: Sequence[Source]) -> dict[str, Any]:
    lengths = []
    complexities = []
    for source in sources:
        for function in source.functions:
            lengths.append(
                (function.end_lineno or function.lineno) - function.lineno + 1
            )
            complexities.append(complexity(function))
    long = sum(length > 40 for length in lengths)
    return {
        "files": len(sources),
        "lines": sum(len(source.lines) for source in sources),
        "file_lines": Spread.of(len(source.lines) for source in sources),
        "function_lines": Spread.of(lengths),
        "functions_over_40_lines": percent(long, len(lengths)),
        "complexity": Spread.of(complexities),
    }


def complexity(function: Function) -> int:
    """Count the ways through a function, also those that hide in expressions."""
    ways = 1
    for node in ast.walk(function):
        if isinstance(node, BRANCHES):
            ways += 1
        if isinstance(node, ast.comprehension):
            ways += len(node.ifs)
        if isinstance(node, ast.BoolOp):
            ways += len(node.values) - 1
    return ways


def prose(sources: Sequence[Source]) -> dict[str, Any]:
    lines = comments = docstrings = public = documented = 0
    for source in sources:
        lines += len(source.lines)
        comments += sum(token.type == tokenize.COMMENT for token in source.all_tokens)
        docstrings += len(source.docstring_lines)
        for function in source.functions:
            if not function.name.startswith("_"):
                public += 1
                documented += docstring_of(function) is not None
    return {
        "comment_lines": percent(comments, lines),
        "docstring_lines": percent(docstrings, lines),
        "public_functions_with_docstring": percent(documented, public),
    }


def density(sources: Sequence[Source]) -> dict[str, Any]:
    tokens = code_lines = conditionals = comprehensions = pairs = 0
    per_function: list[int] = []
    widths: list[int] = []
    for source in sources:
        tokens += len(source.tokens)
        code_lines += len(source.code_lines)
        widths += [len(source.lines[line - 1]) for line in source.code_lines]
        per_line = Counter(token.start[0] for token in source.tokens)
        for function in source.functions:
            lines = range(function.lineno, (function.end_lineno or function.lineno) + 1)
            per_function.append(sum(per_line[line] for line in lines))
        conditionals += sum(isinstance(node, ast.IfExp) for node in source.nodes)
        comprehensions += sum(isinstance(node, COMPREHENSIONS) for node in source.nodes)
        pairs += sum(assigns_side_by_side(node) for node in source.nodes)
    return {
        "tokens_per_code_line": ratio(tokens, code_lines),
        "tokens_per_function": Spread.of(per_function).median,
        "tokens": tokens,
        "code_line_p90": Spread.of(widths).p90,
        "conditional_expressions": percent(conditionals, code_lines),
        "comprehensions": percent(comprehensions, code_lines),
        "side_by_side": percent(pairs, code_lines),
    }


def assigns_side_by_side(node: ast.AST) -> bool:
    """Whether a statement is of the form `a, b = x, y`."""
    if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Tuple):
        return False
    return any(isinstance(target, ast.Tuple) for target in node.targets)


def names(sources: Sequence[Source]) -> dict[str, Any]:
    assigned = vague = 0
    for source in sources:
        for node in source.nodes:
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                assigned += 1
                vague += node.id in VAGUE
    modules = [source for source in sources if not source.is_package]
    gerunds = sum(is_gerund(source.path.stem) for source in modules)
    folders = Counter(source.path.parent for source in modules)
    return {
        "vague_names": percent(vague, assigned),
        "gerund_modules": (gerunds, len(modules)),
        "modules_per_folder": Spread.of(folders.values()),
    }


def is_gerund(name: str) -> bool:
    return name.endswith("ing") and name.rpartition("_")[2] not in NOT_GERUNDS


def coupling(root: Path, sources: Sequence[Source]) -> dict[str, Any]:
    """Count imports within the package that the sources belong to."""
    measured = {source.module for source in sources}
    packages = sorted({module.partition(".")[0] for module in measured})
    everything = [
        source for package in packages for source in read_sources(root, package)
    ]
    imported_by: dict[str, set[str]] = defaultdict(set)
    importers_of: dict[str, set[str]] = defaultdict(set)
    inside: list[Import] = []
    for item in imports_of(everything):
        imported_by[item.importer].add(item.imported)
        importers_of[item.imported].add(item.importer)
        if item.importer in measured and item.imported in measured:
            inside.append(item)
    most_imported = max(sorted(measured), key=lambda module: len(importers_of[module]))
    at_load = circles(
        (item.importer, item.imported) for item in inside if item.kind == "load"
    )
    in_all = circles((item.importer, item.imported) for item in inside)
    return {
        "fan_out": Spread.of(len(imported_by[module]) for module in measured),
        "fan_in": Spread.of(len(importers_of[module]) for module in measured),
        "most_imported": most_imported,
        "cycles_at_load": [len(group) for group in at_load],
        "cycles_with_type_only_and_lazy": [len(group) for group in in_all],
    }


def percent(part: int, total: int) -> float:
    return 100 * ratio(part, total)


def ratio(part: int, total: int) -> float:
    return part / total if total else 0.0


# --- the table ---

Figures = Mapping[str, Any]


def spread(key: str) -> Callable[[Figures], str]:
    return lambda row: f"{row[key].median:g} / {row[key].p90:g} / {row[key].largest:g}"


def share(key: str) -> Callable[[Figures], str]:
    return lambda row: f"{row[key]:.1f} %"


def number(key: str, digits: int = 1) -> Callable[[Figures], str]:
    return lambda row: f"{row[key]:.{digits}f}"


def sizes_of_circles(key: str) -> Callable[[Figures], str]:
    return lambda row: ", ".join(map(str, row[key])) or "none"


def ways(row: Figures) -> str:
    complexity = row["complexity"]
    return f"{complexity.p90} / {complexity.p99} / {complexity.largest}"


def modules_per_folder(row: Figures) -> str:
    modules = row["modules_per_folder"]
    return f"{modules.median:g} / {modules.largest}"


ROWS: tuple[tuple[str, Callable[[Figures], str]], ...] = (
    ("files / lines", lambda row: f"{row['files']} / {row['lines'] / 1000:.1f}k"),
    ("file lines median / p90 / max", spread("file_lines")),
    ("function lines median / p90 / max", spread("function_lines")),
    ("functions > 40 lines", share("functions_over_40_lines")),
    (
        "complexity p90 / p99 / max",
        ways,
    ),
    ("comment lines", share("comment_lines")),
    ("docstring lines", share("docstring_lines")),
    ("public functions with docstring", share("public_functions_with_docstring")),
    ("tokens per code line", number("tokens_per_code_line")),
    ("tokens per function, median", number("tokens_per_function", 0)),
    ("tokens in all", lambda row: f"{row['tokens'] / 1000:.0f}k"),
    ("code line p90, characters", number("code_line_p90", 0)),
    ("conditional expressions per 100 code lines", number("conditional_expressions")),
    ("comprehensions per 100 code lines", number("comprehensions")),
    ("`a, b = x, y` per 100 code lines", number("side_by_side")),
    ("vague names among assigned names", share("vague_names")),
    (
        "module names that are gerunds",
        lambda row: "{} of {}".format(*row["gerund_modules"]),
    ),
    (
        "modules per folder, median / max",
        modules_per_folder,
    ),
    ("fan-out median / p90 / max", spread("fan_out")),
    (
        "fan-in p90 / max",
        lambda row: (
            f"{row['fan_in'].p90} / {row['fan_in'].largest} {row['most_imported']}"
        ),
    ),
    ("import cycles at load", sizes_of_circles("cycles_at_load")),
    (
        "cycles with type-only and lazy imports",
        sizes_of_circles("cycles_with_type_only_and_lazy"),
    ),
)


def table(columns: Mapping[str, Figures]) -> str:
    lines = [["", *columns]]
    for label, shown in ROWS:
        lines.append([label, *(shown(row) for row in columns.values())])
    widths = [
        max(len(line[position]) for line in lines)
        for position in range(len(columns) + 1)
    ]
    text = []
    for line in lines:
        cells = [line[0].ljust(widths[0])]
        cells += [
            cell.rjust(width) for cell, width in zip(line[1:], widths[1:], strict=True)
        ]
        text.append("  ".join(cells).rstrip())
    return "\n".join(text)


# --- vague names ---


class VagueName(NamedTuple):
    line: int
    name: str
    function: str
    is_parameter: bool


def vague_names(source: Source) -> list[VagueName]:
    """Return where a vague name is assigned, or is a parameter.

    The figure does not count parameters.
    """
    collected: list[VagueName] = []

    def visit(node: ast.AST, function: str) -> None:
        for child in ast.iter_child_nodes(node):
            if (
                isinstance(child, ast.Name)
                and isinstance(child.ctx, ast.Store)
                and child.id in VAGUE
            ):
                collected.append(
                    VagueName(child.lineno, child.id, function, is_parameter=False)
                )
            if isinstance(child, ast.arg) and child.arg in VAGUE:
                collected.append(
                    VagueName(child.lineno, child.arg, function, is_parameter=True)
                )
            if isinstance(child, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                visit(child, f"{function}.{child.name}".strip("."))
            else:
                visit(child, function)

    visit(source.tree, "")
    return sorted(collected)


def vague_lines(root: Path, sources: Sequence[Source]) -> Iterator[str]:
    """List the vague names by file, the file with the most first."""
    by_file = [(source, vague_names(source)) for source in sources]
    by_file.sort(key=lambda pair: (-len(pair[1]), pair[0].module))
    for source, vague in by_file:
        if not vague:
            continue
        path = source.path.resolve().relative_to(root.resolve())
        yield f"{path}  {len(vague)}"
        for item in vague:
            parameter = "  (parameter)" if item.is_parameter else ""
            function = item.function or "<module>"
            yield f"    {path}:{item.line} {item.name}  {function}{parameter}"


# --- the command ---


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.house",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "places", nargs="*", metavar="PACKAGE or PATH", default=list(PACKAGES)
    )
    parser.add_argument("--root", type=Path, default=ROOT, metavar="DIR")
    parser.add_argument(
        "--vague", action="store_true", help="list the local names that say nothing"
    )
    parser.add_argument(
        "--rooms", action="store_true", help="list the imports between rooms"
    )
    parser.add_argument(
        "--picture",
        type=Path,
        metavar="FILE",
        help="draw the rooms of one package, as SVG or DOT",
    )
    parser.add_argument(
        "--depth",
        type=int,
        metavar="N",
        help="how many names below the package's tell a room",
    )
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)

    if options.rooms or options.picture:
        if options.picture and len(options.places) != 1:
            parser.error("--picture draws one package: name it.")
        lines = show_rooms(options)
    elif options.vague:
        lines = show_vague(options)
    else:
        columns = {place: figures(options.root, place) for place in options.places}
        lines = [json.dumps(columns, indent=1) if options.json else table(columns)]
    print(*lines, sep="\n")  # noqa: T201 - the command's output
    return 0


def show_rooms(options: argparse.Namespace) -> Iterable[str]:
    pictures = [
        Rooms.read(options.root, package, options.depth) for package in options.places
    ]
    if options.picture:
        draw(pictures[0], options.picture)
    if options.json:
        return [
            json.dumps(
                {picture.package: rooms_as_data(picture) for picture in pictures},
                indent=1,
            )
        ]
    return [line for picture in pictures for line in room_lines(picture)]


def show_vague(options: argparse.Namespace) -> Iterable[str]:
    sources = [
        source
        for place in options.places
        for source in read_sources(options.root, place)
    ]
    if options.json:
        return [
            json.dumps(
                {source.module: vague_names(source) for source in sources}, indent=1
            )
        ]
    return vague_lines(options.root, sources)


if __name__ == "__main__":
    sys.exit(main())
