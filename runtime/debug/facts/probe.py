"""Conditions and texts over facts, in CEL."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from runtime.debug.facts.fact import (
    FACT_KINDS,
    NOT_RECORDED,
    VARIABLES,
    Fact,
    FactKind,
)
from runtime.debug.values.display import plain
from runtime.debug.values.shapes import MASKED
from runtime.document.secret_names import is_secret
from runtime.errors import ConditionError
from runtime.expressions.cel import Expression
from runtime.expressions.cel_tokens import TOKEN
from runtime.expressions.template import show
from runtime.state import owner_of

# Variables of which only the keys that a text names are given to CEL. A state can be
# large, and a key that nobody asks for may hold a value that CEL does not have.
_MAPS = ("state", "own")
# Characters of a log text. Each of its expressions is compiled while the run waits.
LONGEST_LOG_TEXT = 5_000
# How many characters of an evaluated expression a log text shows.
_MOST_TEXT = 1000


class FactExpression:
    """A CEL expression over the variables of a fact, compiled once.

    Raise `ConditionError` for a text that does not compile.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._expression = Expression(text, tuple(VARIABLES))
        self.names = self._expression.names
        self._keys = {name: self._expression.keys_of(name) for name in _MAPS}
        # For each name: the field of a fact, and its keys if not all of them are given.
        self._fields = [
            (name, VARIABLES[name], self._keys.get(name)) for name in self.names
        ]

    @property
    def state_keys(self) -> frozenset[str] | None:
        """The keys of the shared state that the text names, `None` if it may look at
        any.
        """
        return self._keys["state"]

    def keys_of(self, name: Literal["state", "own"]) -> frozenset[str] | None:
        """The same of the shared or the own state."""
        return self._keys[name]

    def __call__(self, fact: Fact) -> Any:
        """Return the value. Raise `ConditionError` if it cannot be evaluated."""
        values = {}
        for name, field, keys in self._fields:
            value = getattr(fact, field)
            if value is NOT_RECORDED:
                raise ConditionError(
                    f"Condition '{self.text}' cannot be evaluated: '{name}' is not recorded.",
                    text=self.text,
                )
            if keys is not None:
                value = {key: value[key] for key in keys if key in value}
            values[name] = value
        return self._expression.measured(values)[0]


class Probe:
    """Decides whether a fact is of a kind, happens at a place and meets a condition.

    `where` is a node id, the id of an edge for messages, or the key for writes. It
    is "" for any. `inside` are the ids of the sub-workflow nodes that lead to the run,
    and `run` is one invocation key of the innermost, "" for each. `None` for `inside`
    means every run, and so does a probe with neither `where` nor `inside`.

    A condition that cannot be evaluated is not true. `errors` counts these, and
    `error` is the text of the last one. Raise `ConditionError` for a condition that
    does not compile.
    """

    def __init__(
        self,
        kind: FactKind,
        where: str = "",
        inside: tuple[str, ...] | None = (),
        run: str = "",
        condition: str = "",
    ) -> None:
        if kind not in FACT_KINDS:
            raise ConditionError(f"There is no kind of fact '{kind}'.", text=condition)
        self.kind = kind
        self.where = where
        self.inside = inside
        self.run = run
        self.condition = condition
        self.expression = FactExpression(condition) if condition.strip() else None
        self.errors = 0
        self.error = ""

    def matches(self, fact: Fact) -> bool:
        """Return whether the fact is meant and the condition is true for it."""
        return self.concerns(fact) and self.holds(fact)

    def concerns(self, fact: Fact) -> bool:
        """Return whether kind and place are those meant."""
        if fact.kind != self.kind:
            return False
        return self._is_at(fact) and self.is_in(fact.path)

    def holds(self, fact: Fact) -> bool:
        """Return whether the condition is true. There may be none."""
        if self.expression is None:
            return True
        try:
            result = self.expression(fact)
        except ConditionError as error:
            return self._failed(str(error))
        if isinstance(result, bool):
            return result
        kind = type(result).__name__
        return self._failed(
            f"Condition '{self.condition}' gives a value of type {kind}, not true or false."
        )

    def is_in(self, path: tuple[str, ...]) -> bool:
        """Return whether facts of the run at this path can be meant."""
        if self.run and (not path or path[-1] != self.run):
            return False
        if self.inside is None or not (self.inside or self.where):
            return True
        return self.inside == tuple(owner_of(key) for key in path)

    def _is_at(self, fact: Fact) -> bool:
        if not self.where:
            return True
        if self.kind == "write":
            return self.where == fact.key
        if self.kind == "message":
            return self.where in (fact.edge, fact.executor)
        if self.kind == "dropped":
            return self.where in (fact.edge, fact.executor, fact.source)
        if self.kind in ("fires", "starves"):
            return self.where in (fact.edge, fact.executor)
        return self.where == fact.executor

    def _failed(self, text: str) -> bool:
        self.errors += 1
        self.error = text
        return False


class LogText:
    """A text with expressions in braces, such as `risk is {state.risk}`.

    `{{` is a brace. Raise `ConditionError`, with line and column in the whole text,
    for a brace without its partner, for an expression that does not compile, and for
    more than `LONGEST_LOG_TEXT` characters.
    """

    def __init__(self, text: str) -> None:
        if len(text) > LONGEST_LOG_TEXT:
            raise ConditionError(
                f"it is longer than {LONGEST_LOG_TEXT} characters", text=text
            )
        self.text = text
        self._pieces = tuple(_pieces_of(text))
        self.errors = 0
        self.error = ""

    @property
    def expressions(self) -> tuple[FactExpression, ...]:
        """The expressions of the text, in order."""
        return tuple(
            piece for piece in self._pieces if isinstance(piece, FactExpression)
        )

    def render(self, fact: Fact) -> str:
        """Return the text for a fact. An expression that cannot be evaluated becomes
        its text with a question mark.
        """
        return "".join(
            piece if isinstance(piece, str) else self._rendered(piece, fact)
            for piece in self._pieces
        )

    def _rendered(self, expression: FactExpression, fact: Fact) -> str:
        if names_secret(expression.text) or _is_secret_of(fact, expression):
            return MASKED
        try:
            return show(plain(expression(fact)))[:_MOST_TEXT]
        except (ConditionError, ValueError) as error:
            self.errors += 1
            self.error = str(error)
            return f"{{{expression.text}?}}"


def names_secret(text: str) -> bool:
    """Return whether an expression names a key or field that holds a secret."""
    return any(is_secret(token.group().strip("'\"")) for token in TOKEN.finditer(text))


def _is_secret_of(fact: Fact, expression: FactExpression) -> bool:
    """Return whether an expression shows what is kept under the key of a fact, and that
    is a secret.
    """
    names = set(expression.names)
    shows = not names.isdisjoint(("value", "message", "old")) or names >= {
        "state",
        "key",
    }
    return shows and is_secret(fact.key)


def _pieces_of(text: str) -> Iterator[str | FactExpression]:
    position = 0
    while position < len(text):
        brace = _next_brace(text, position)
        if brace == len(text):
            yield text[position:]
            return
        yield text[position:brace]
        if text[brace : brace + 2] in ("{{", "}}"):
            yield text[brace]
            position = brace + 2
        elif text[brace] == "}":
            raise _error_at(text, brace, "a single '}'; write '}}' for a brace")
        else:
            end = _end_of_expression(text, brace)
            yield _compiled(text, brace + 1, end)
            position = end + 1


def _next_brace(text: str, position: int) -> int:
    places = [text.find(brace, position) for brace in "{}"]
    return min((place for place in places if place >= 0), default=len(text))


def _end_of_expression(text: str, brace: int) -> int:
    """Return where the brace closes. Braces in strings and maps of CEL do not count."""
    depth = 0
    for token in TOKEN.finditer(text, brace):
        if token.group() == "{":
            depth += 1
        elif token.group() == "}":
            depth -= 1
            if depth == 0:
                return token.start()
    raise _error_at(text, brace, "this '{' is not closed")


def _compiled(text: str, start: int, end: int) -> FactExpression:
    try:
        return FactExpression(text[start:end])
    except ConditionError as error:
        offset = _offset_of(text[start:end], error.line, error.column)
        raise _error_at(text, start + offset, str(error)) from error


def _offset_of(text: str, line: int, column: int) -> int:
    if not line:
        return 0
    before = text.split("\n")[: line - 1]
    return sum(len(words) + 1 for words in before) + column - 1


def _error_at(text: str, offset: int, reason: str) -> ConditionError:
    before = text[:offset]
    return ConditionError(
        reason,
        text=text,
        line=before.count("\n") + 1,
        column=offset - before.rfind("\n"),
    )
