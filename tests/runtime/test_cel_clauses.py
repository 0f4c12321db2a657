"""The parts of a condition that are true or false, and those that have values."""

from __future__ import annotations

import pytest

from runtime.expressions.cel_clauses import Clause, clauses_of


@pytest.mark.parametrize(
    ("text", "clauses"),
    [
        ("message.score > 0.8", [("message.score > 0.8", "message.score")]),
        (
            "message.tier == 'a && b' && (size(message.items) > 2 || message.vip)",
            [
                ("message.tier == 'a && b'", "message.tier"),
                ("size(message.items) > 2", "size(message.items)"),
                ("message.vip",),
            ],
        ),
        ("!(message.a || message.b)", [("message.a",), ("message.b",)]),
        ("!message.done", [("message.done",)]),
        ("!message.done == true", [("!message.done == true", "!message.done")]),
        (
            "message.a > message.b * 2",
            [("message.a > message.b * 2", "message.a", "message.b * 2")],
        ),
        (
            "message.kind in ['x', 'y']",
            [("message.kind in ['x', 'y']", "message.kind")],
        ),
        (
            "message.n > 1 ? message.a : message['b'] != null",
            [
                ("message.n > 1", "message.n"),
                ("message.a",),
                ("message['b'] != null", "message['b']"),
            ],
        ),
        (
            "message.items.exists(i, i.n > 3 && i.ok)",
            [("message.items.exists(i, i.n > 3 && i.ok)",)],
        ),
        ("message", [("message",)]),
        ("message >= -1", [("message >= -1", "message")]),
    ],
)
def test_a_condition_is_split_where_its_parts_are_true_or_false_by_themselves(
    text: str, clauses: list[tuple[str, ...]]
) -> None:
    expected = tuple(Clause(clause, tuple(operands)) for clause, *operands in clauses)
    assert clauses_of(text) == expected
