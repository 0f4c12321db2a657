"""Whether a test does by hand what it tests.

It does when it, or a helper that it calls, gives events of the mouse or the keyboard to
a widget: the sources are read, nothing is run. Calling `click()` of a button, a method
of ours or a signal is no such event.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
EVENTS = frozenset(
    f"{device}{what}"
    for device, whats in (
        ("key", ("Click", "Clicks", "Press", "Release", "Sequence")),
        ("mouse", ("Click", "DClick", "Press", "Release", "Move")),
    )
    for what in whats
)  # of QTest and qtbot
# Events that are made by hand: what is sent must be one of these, or an own event as of
# a drag from the palette.
_SENT = frozenset(
    {"QMouseEvent", "QKeyEvent", "QWheelEvent", "QDropEvent", "QContextMenuEvent"}
)
# Who stands for a person in tests, by the name of the fixture: what their methods do is
# done by hand.
HANDS = {
    "bench": ("tests/designer/canvas/conftest.py", "Bench"),
    "hand": ("tests/designer/shell/support.py", "Hand"),
    "desk": ("tests/designer/shell/support.py", "Hand"),
    "player": ("tests/gestures/player.py", "Player"),
}


class _Function(NamedTuple):
    """What a function calls: plain names, and methods of names, such as ("bench",
    "drag").
    """

    names: frozenset[str]
    methods: frozenset[tuple[str, str]]

    @property
    def sends(self) -> bool:
        by_tools = any(
            on in ("QTest", "qtbot") and name in EVENTS for on, name in self.methods
        )
        return by_tools or (
            any(name == "sendEvent" for _, name in self.methods)
            and not _SENT.isdisjoint(self.names)
        )


class _Module(NamedTuple):
    functions: Mapping[str, _Function]  # with methods as `Class.name`
    # what a name is imported from: file and name there
    imports: Mapping[str, tuple[str, str]]


def by_hand(test: str, root: Path = ROOT) -> bool:
    """Whether a test gives events of mouse or keyboard, itself or through helpers that
    it calls. False if there is no such test.
    """
    file, _, name = test.partition("::")
    return _sends(root, file, name.replace("::", "."), set())


def exists(test: str, root: Path = ROOT) -> bool:
    """Whether there is a test with this id."""
    file, _, name = test.partition("::")
    return (root / file).is_file() and name.replace("::", ".") in _module(
        root, file
    ).functions


def _sends(root: Path, file: str, name: str, seen: set[tuple[str, str]]) -> bool:
    module = _module(root, file)
    function = module.functions.get(name)
    if function is None or (file, name) in seen:
        return False
    seen.add((file, name))
    if function.sends:
        return True
    return any(
        _sends(root, *found, seen) for found in _called(file, name, module, function)
    )


def _called(
    file: str, name: str, module: _Module, function: _Function
) -> Iterator[tuple[str, str]]:
    for called in function.names:
        if called in module.functions:
            yield file, called
        elif called in module.imports:
            yield module.imports[called]
    for on, method in function.methods:
        if on == "self":
            yield file, f"{name.partition('.')[0]}.{method}"
        elif on in HANDS:
            yield HANDS[on][0], f"{HANDS[on][1]}.{method}"


@cache
def _module(root: Path, file: str) -> _Module:
    if not (root / file).is_file():
        return _Module({}, {})
    body = ast.parse((root / file).read_text(encoding="utf-8")).body
    functions = {
        node.name: _read(node)
        for node in body
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    }
    for one in body:
        if isinstance(one, ast.ClassDef):
            methods = (
                node
                for node in one.body
                if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
            )
            functions |= {f"{one.name}.{node.name}": _read(node) for node in methods}
    imports = {
        alias.asname or alias.name: (f"{one.module.replace('.', '/')}.py", alias.name)
        for one in body
        if isinstance(one, ast.ImportFrom)
        and one.module is not None
        and one.module.startswith("tests.")
        for alias in one.names
    }
    return _Module(functions, imports)


def _read(function: ast.AST) -> _Function:
    calls = [node.func for node in ast.walk(function) if isinstance(node, ast.Call)]
    names = frozenset(func.id for func in calls if isinstance(func, ast.Name))
    methods = frozenset(
        (_owner(func.value), func.attr)
        for func in calls
        if isinstance(func, ast.Attribute)
    )
    return _Function(names, methods)


def _owner(value: ast.expr) -> str:
    """`hand` of `hand.key`, `qtbot` of `self.qtbot.keyClick`; "" for what has no name."""
    if isinstance(value, ast.Attribute):
        return value.attr
    return value.id if isinstance(value, ast.Name) else ""
