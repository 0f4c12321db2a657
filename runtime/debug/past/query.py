"""Questions to the recorded past as one line of text.

    question   =  ["first"] what [":" condition]  |  ["first"] condition
    what       =  kind [place] ["in" way]
    kind       =  state | before | after | message | dropped | write | failure
                  | question | answer | fires | starves | output
    place      =  a node, an edge or a key of the state, in quotes if it is no word
    way        =  node {"/" node} ["#" number]
    condition  =  CEL over the variables of a fact

A condition alone says by its variables what it is about: `state.risk > 0.8` looks at
every checkpoint, `message.score < 1` at messages, `error.contains("429")` at failures.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Literal

from runtime.debug.facts.fact import FACT_KINDS, FactKind
from runtime.debug.facts.probe import FactExpression, LogText, Probe
from runtime.errors import ConditionError
from runtime.expressions.similar_names import did_you_mean

Hits = Literal["always", "from", "every"]
FIRST = "first"
STATE = "state"
# The words of the grammar for each kind; a checkpoint is asked for its state.
KIND_WORDS: dict[str, FactKind] = {
    (STATE if kind == "checkpoint" else kind): kind for kind in FACT_KINDS
}
_WORD_OF = {kind: word for word, kind in KIND_WORDS.items()}
# The kind that a variable is about, the surest first.
_KIND_OF_VARIABLE: tuple[tuple[str, FactKind], ...] = (
    ("error", "failure"),
    ("reason", "dropped"),
    ("old", "write"),
    ("key", "write"),
    ("message", "message"),
    ("source", "message"),
    ("target", "message"),
    ("edge", "message"),
)
_KIND_OF_CALLS: tuple[str, ...] = ("own", "handler", "attempt", "executor")
_OPEN = ("value", "kind")
_NAME = r"""(?:"[^"\n]*"|[\w][\w.\-]*)"""
_START = re.compile(r"\s*(?:(?P<first>first)\b\s*)?", re.ASCII)
_KIND = re.compile(r"(?P<kind>[a-z]+)(?=\s|:|$)")
_PLACE = re.compile(rf"\s+(?P<place>{_NAME})(?=\s|:|$)")
_WAY = re.compile(
    rf"\s+in\s+(?P<way>{_NAME}(?:/{_NAME})*)(?:\#(?P<number>\d+))?(?=\s|:|$)"
)
_NAMES = re.compile(_NAME)
_SIMPLE = re.compile(r"[\w][\w.\-]*")


@dataclass(frozen=True, slots=True)
class Query:
    """A question: which facts are hits.

    kind, where, inside, run, condition   as `Probe` takes them
    hits, count                           which of the hits on the way to a checkpoint count: each, from the
                                          `count`th on, or every `count`th
    first                                 only the first hit on each way
    log                                   a text with {expressions} that is shown for each hit
    """

    kind: FactKind
    where: str = ""
    inside: tuple[str, ...] | None = None
    run: str = ""
    condition: str = ""
    first: bool = False
    hits: Hits = "always"
    count: int = 1
    log: str = ""

    @property
    def text(self) -> str:
        """The question in the grammar; without hit counts and the log text."""
        words = [FIRST] if self.first else []
        words.append(_WORD_OF[self.kind])
        if self.where:
            words.append(_quoted(self.where))
        if self.inside:
            number = f"#{self.run.rpartition('#')[2]}" if self.run else ""
            words += ["in", "/".join(map(_quoted, self.inside)) + number]
        asked = " ".join(words)
        if not self.condition:
            return asked
        if not self.where and not self.inside and self._is_plain:
            return f"{FIRST} {self.condition}" if self.first else self.condition
        return f"{asked}: {self.condition}"

    @property
    def _is_plain(self) -> bool:
        """Whether the condition alone says what the question is about."""
        try:
            return parse(self.condition) == replace(self, first=False, inside=None)
        except ConditionError:
            return False

    def probe(self) -> Probe:
        """Return the probe of this question. Raise `ConditionError`."""
        return Probe(self.kind, self.where, self.inside, self.run, self.condition)

    def log_text(self) -> LogText | None:
        """Return the compiled log text, if there is one. Raise `ConditionError`."""
        return LogText(self.log) if self.log else None

    @property
    def counts_hits(self) -> bool:
        """Whether the number of a hit on its way decides about it."""
        return self.first or self.hits != "always"

    def counts(self, number: int) -> bool:
        """Return whether the hit of this number on its way counts; from 1."""
        if self.first and number > 1:
            return False
        if self.hits == "from":
            return number >= self.count
        return self.hits == "always" or number % self.count == 0


def parse(text: str) -> Query:
    """Return the question that a text asks.

    Raise `ConditionError` with line and column in the text.
    """
    start = _START.match(text)
    position = start.end() if start is not None else 0
    is_first = start is not None and start["first"] is not None
    if not text[position:].strip():
        raise _error_at(
            text,
            len(text),
            "the question is empty; write a condition such as state.score > 0.8, or what happens, such as failure",
        )
    query = _about_kind(text, position) or _about_condition(text, position)
    return replace(query, first=is_first)


def _about_kind(text: str, position: int) -> Query | None:
    """Return a question that begins with a kind; None if it does not."""
    match = _KIND.match(text, position)
    if match is None or match["kind"] not in KIND_WORDS:
        return None
    kind = KIND_WORDS[match["kind"]]
    where = ""
    way = _WAY.match(text, match.end())
    place = _PLACE.match(text, match.end()) if way is None else None
    if place is not None:
        where = _unquoted(place["place"])
        match = place
        way = _WAY.match(text, place.end())
    inside: tuple[str, ...] | None = None
    run = ""
    if way is not None:
        inside = tuple(_unquoted(name) for name in _NAMES.findall(way["way"]))
        run = f"{inside[-1]}#{way['number']}" if way["number"] else ""
        match = way
    end = match.end()
    if not text[end:].strip():
        return Query(kind, where, inside, run)
    colon = len(text) - len(text[end:].lstrip())
    if text[colon] != ":":
        # Such as `message > 3`, which is a condition about a variable of that name.
        return None
    condition = text[colon + 1 :]
    _compiled(text, colon + 1)
    return Query(kind, where, inside, run, condition.strip())


def _about_condition(text: str, position: int) -> Query:
    """Return the question of a condition alone."""
    try:
        expression = _compiled(text, position)
    except ConditionError as error:
        raise _unknown_kind(text, position) or error from None
    kind = _kind_of(text, position, expression)
    return Query(kind, condition=text[position:].strip())


def _kind_of(text: str, position: int, expression: FactExpression) -> FactKind:
    names = expression.names
    for name, kind in _KIND_OF_VARIABLE:
        if name in names:
            return kind
    for name in _OPEN:
        if name in names:
            raise _error_at(
                text,
                _place_of(text, position, name),
                f"'{name}' alone does not say what is meant; begin with what happens, such as write: or message:",
            )
    return "before" if names.intersection(_KIND_OF_CALLS) else "checkpoint"


def _place_of(text: str, position: int, name: str) -> int:
    match = re.compile(rf"\b{name}\b").search(text, position)
    return position if match is None else match.start()


def _unknown_kind(text: str, position: int) -> ConditionError | None:
    """Return the error for a first word that looks like a kind and is none."""
    match = re.compile(r"(\w+)(?=\s+[\w\"]|\s*:|\s*$)").match(text, position)
    if match is None or match[1] in KIND_WORDS:
        return None
    near = did_you_mean(match[1], KIND_WORDS)
    hint = near or f"; there are {', '.join(KIND_WORDS)}"
    return _error_at(text, match.start(), f"there is no kind '{match[1]}'{hint}")


def _compiled(text: str, position: int) -> FactExpression:
    try:
        return FactExpression(text[position:])
    except ConditionError as error:
        before = text[:position]
        line = error.line or 1
        column = error.column or 1
        if line == 1:
            column += len(before) - (before.rfind("\n") + 1)
        raise ConditionError(
            _without_place(str(error)),
            text=text,
            line=line + before.count("\n"),
            column=column,
        ) from error


def _without_place(words: str) -> str:
    return re.sub(r"^Line \d+, column \d+: ", "", words)


def _error_at(text: str, offset: int, reason: str) -> ConditionError:
    before = text[:offset]
    return ConditionError(
        reason,
        text=text,
        line=before.count("\n") + 1,
        column=offset - before.rfind("\n"),
    )


def _quoted(name: str) -> str:
    is_word = _SIMPLE.fullmatch(name) is not None and name != "in"
    return name if is_word else f'"{name}"'


def _unquoted(name: str) -> str:
    return name[1:-1] if name.startswith('"') else name
