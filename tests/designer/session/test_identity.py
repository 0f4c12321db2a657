"""What goes through a signal of the window arrives as it was sent."""

from __future__ import annotations

import ast
from pathlib import Path

from designer.session.line_link import Link

SOURCES = Path(__file__).resolve().parents[3] / "designer"
# Qt converts and copies these, and loses their order or their class.
CONVERTED = {"dict", "list", "set", "float | int", '"QVariantMap"', '"QVariantList"'}


class Ordered(dict[object, object]):
    """A class of its own."""


def test_case_193_a_nested_packet_arrives_as_the_same_object() -> None:
    packet = Ordered(z=Ordered({3: "c", 1: "a"}), a=[1], m={})
    link = Link()
    received: list[object] = []
    link.packet.connect(received.append)
    link.packet.emit(packet)
    assert received[0] is packet
    assert type(packet["z"]) is Ordered
    assert list(packet) == ["z", "a", "m"]


def test_case_193_no_signal_is_declared_with_a_type_that_qt_converts() -> None:
    declared = [
        (path.name, node.lineno, ast.unparse(argument))
        for path in sorted(SOURCES.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "Signal"
        for argument in node.args
    ]
    assert len(declared) > 40
    assert [each for each in declared if each[2] in CONVERTED] == []
