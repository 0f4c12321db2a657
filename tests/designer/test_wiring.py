"""Signals of the window reach whoever wants them, read from the sources: no window is
opened.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

SOURCES = Path(__file__).resolve().parents[2] / "designer"


def _trees() -> Iterator[tuple[Path, ast.Module]]:
    for path in sorted(SOURCES.rglob("*.py")):
        yield path, ast.parse(path.read_text("utf-8"))


def _signals_with_arguments(tree: ast.Module) -> set[str]:
    return {
        target.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)
        if isinstance(node.value.func, ast.Name)
        and node.value.func.id == "Signal"
        and node.value.args
        for target in node.targets
        if isinstance(target, ast.Name)
    }


def test_no_signal_with_arguments_is_handed_on_by_its_bare_emit() -> None:
    """Qt asks a slot how many arguments it takes, and `emit` cannot say: it is called
    with none, and raises. A signal is connected to the signal itself; `partial` and
    `lambda` bring the arguments that they name.
    """
    bare = []
    signals = 0
    for path, tree in _trees():
        with_arguments = _signals_with_arguments(tree)
        signals += len(with_arguments)
        called = {
            id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)
        }
        bound = {
            id(argument)
            for node in ast.walk(tree)
            if isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id == "partial"
            for argument in node.args
        }
        bare += [
            f"{path.name}:{node.lineno} {ast.unparse(node)}"
            for node in ast.walk(tree)
            if isinstance(node, ast.Attribute)
            and node.attr == "emit"
            and id(node) not in called | bound
            and isinstance(node.value, ast.Attribute)
            and node.value.attr in with_arguments
        ]
    assert bare == []
    assert signals > 40  # they were found at all
