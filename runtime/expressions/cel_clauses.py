"""The clauses of a condition: the parts that are true or false by themselves, and in
each the parts that have values of their own.

`message.tier == "gold" && size(message.items) > 2` has two clauses; the second has the
operand `size(message.items)`. Only the text is read, by its brackets and operators.
Macros such as `exists` are not looked into, because their variable has no single value.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from runtime.expressions.cel_tokens import TOKEN

_RELATIONS = ("==", "!=", "<=", ">=", "<", ">", "in")
_OPENING = "([{"
_CLOSING = ")]}"
_LITERALS = frozenset({"true", "false", "null"})


class Token(NamedTuple):
    kind: str
    text: str
    start: int
    end: int


class Clause(NamedTuple):
    """A part of a condition that is true or false, and its operands that are no
    literals.
    """

    text: str
    operands: tuple[str, ...] = ()


def clauses_of(text: str) -> tuple[Clause, ...]:
    """Return the clauses of a condition that compiles, in the order of the text."""
    return tuple(_clauses(text, _tokens(text)))


def _tokens(text: str) -> list[Token]:
    tokens = list[Token]()
    for match in TOKEN.finditer(text):
        kind = match.lastgroup or ""
        if kind == "skip":
            continue
        token = Token(kind, match.group(), match.start(), match.end())
        last = tokens[-1] if tokens else None
        # Operators of two characters come as two tokens.
        is_second = (
            last is not None
            and last.kind == "mark"
            and last.end == token.start
            and last.text + token.text in ("==", "!=", "<=", ">=", "&&", "||")
        )
        if is_second and last is not None:
            tokens[-1] = Token("mark", last.text + token.text, last.start, token.end)
        else:
            tokens.append(token)
    return tokens


def _clauses(text: str, tokens: Sequence[Token]) -> list[Clause]:
    tokens = _without_brackets(tokens)
    for operators in (("?", ":"), ("||",), ("&&",)):
        parts = _split(tokens, operators)
        if len(parts) > 1:
            return [clause for part in parts for clause in _clauses(text, part)]
    if tokens and tokens[0].text == "!" and _is_one_term(tokens[1:]):
        return _clauses(text, tokens[1:])
    if not tokens:
        return []
    operands = [_without_brackets(part) for part in _split(tokens, _RELATIONS)]
    if len(operands) == 1:
        operands = []
    return [
        Clause(
            _text(text, tokens),
            tuple(
                _text(text, operand) for operand in operands if not _is_literal(operand)
            ),
        )
    ]


def _split(tokens: Sequence[Token], operators: Sequence[str]) -> list[list[Token]]:
    """Return the parts between operators that stand outside all brackets."""
    parts: list[list[Token]] = [[]]
    depth = 0
    for token in tokens:
        if token.kind == "mark" and token.text in _OPENING:
            depth += 1
        elif token.kind == "mark" and token.text in _CLOSING:
            depth -= 1
        if not depth and token.kind != "string" and token.text in operators:
            parts.append([])
        else:
            parts[-1].append(token)
    return [part for part in parts if part]


def _without_brackets(tokens: Sequence[Token]) -> Sequence[Token]:
    """Return the tokens without brackets that enclose all of them."""
    while len(tokens) > 2 and tokens[0].text == "(" and _closes(tokens) == len(tokens):
        tokens = tokens[1:-1]
    return tokens


def _closes(tokens: Sequence[Token]) -> int:
    """Return how many tokens there are until the first bracket is closed."""
    depth = 0
    for number, token in enumerate(tokens, 1):
        if token.kind != "mark":
            continue
        depth += (token.text in _OPENING) - (token.text in _CLOSING)
        if depth == 0:
            return number
    return 0


def _is_one_term(tokens: Sequence[Token]) -> bool:
    """Whether a leading "!" is about all of these tokens."""
    return len(_split(tokens, _RELATIONS)) == 1


def _is_literal(tokens: Sequence[Token]) -> bool:
    return all(
        token.kind in ("string", "number")
        or token.text in _LITERALS
        or (token.kind == "mark" and token.text in "-[],{}:()")
        for token in tokens
    )


def _text(text: str, tokens: Sequence[Token]) -> str:
    return text[tokens[0].start : tokens[-1].end]
