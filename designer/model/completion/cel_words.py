"""Completion of conditions: names, fields, functions and macros of CEL that fit at the
cursor.

Fields are known from an example of the message, and from what other conditions ask of
it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from designer.model.completion.message_examples import UNKNOWN, failure_example, sent
from designer.model.design import Design
from designer.model.edge_kinds import kind_of
from runtime.document.definition import EdgeDefinition, Infos
from runtime.expressions.cel import VARIABLE
from runtime.expressions.cel_tokens import TOKEN

_NAME = re.compile(r"[A-Za-z_]\w*$")
# What may follow a dot: letters of ASCII, and no word that CEL reserves.
_RESERVED = (
    "as|break|const|continue|else|false|for|function|if|import|in|let|loop|namespace|null|package|return|true|var|void"
    "|while"
)
_WHOLE_NAME = re.compile(rf"(?!(?:{_RESERVED})$)[A-Za-z_][A-Za-z0-9_]*")
# A path before a dot: names, members and elements, without calls.
_PATH = re.compile(r"(?:[A-Za-z_]\w*)(?:\.[A-Za-z_]\w*|\[[^\[\]]*\])*$")
_STEP = re.compile(r"\.([A-Za-z_]\w*)|\[([^\[\]]*)\]")
_BOUND = re.compile(
    r"\.(?:all|exists|exists_one|existsOne|map|filter)\(\s*([A-Za-z_]\w*)\s*,"
)
_USED = re.compile(rf"(?<![\w.]){VARIABLE}((?:\.[A-Za-z_]\w*)+)(?!\w*\()")

_TEXT = {
    "contains": "has this text in it",
    "startsWith": "begins with",
    "endsWith": "ends with",
    "matches": "regular expression",
    "size": "length",
}
_LIST = {
    "size": "length",
    "all": "true for every element",
    "exists": "true for some element",
    "exists_one": "true for exactly one",
    "filter": "elements for which it is true",
    "map": "each element, changed",
}
_MAP = {"size": "number of fields"}
_MACROS = {"all", "exists", "exists_one", "filter", "map"}
_FUNCTIONS = {
    "size": "length of a text, list or map",
    "has": "is there such a field?",
    "int": "whole number",
    "double": "number",
    "bool": "true or false, from a text",
    "string": "text",
    "type": "type of a value",
    "timestamp": "moment from a text",
    "duration": "length of time from a text",
}
MESSAGE = {VARIABLE: "what was sent"}
ROW = {"row": "a row of the table"}
# Of an expression that takes in one value after the other.
FOLD = {"acc": "the result so far", "item": "the next value"}
_LITERALS = {"true": "", "false": "", "null": "no value"}


class Word(NamedTuple):
    """`insert` replaces the text from `start` to the cursor, which then goes `back`
    into the brackets.
    """

    text: str
    detail: str
    insert: str
    start: int
    back: int = 0


def complete(
    text: str,
    cursor: int,
    message: Any = UNKNOWN,
    variables: Mapping[str, str] = MESSAGE,
) -> list[Word]:
    """Return the words that fit at a cursor; none inside of a text, a number or a
    comment.

    `variables` are the names to begin with, and what they mean. `message` is an example
    of the first of them, in which `UNKNOWN` stands for what is not known.
    """
    before = text[:cursor]
    if _is_quoted(before):
        return []
    name = _NAME.search(before)
    start = name.start() if name else cursor
    if start and before[start - 1].isdigit():
        return []
    typed = before[start:]
    if before[:start].endswith("."):
        subject = _Subject(next(iter(variables), ""), message)
        words = _members(before[: start - 1], start, subject)
    else:
        words = _names(before, start, variables)
    return [word for word in words if word.text.casefold().startswith(typed.casefold())]


def example_for(
    design: Design,
    edge: EdgeDefinition,
    at: int,
    infos: Infos,
    typed: Any = UNKNOWN,
) -> Any:
    """Return what is known of the messages that the condition `at` of an edge is about.

    That is the value that is tried, the shape of what its source sends, and the fields
    that other conditions at the same source ask for.
    """
    sources = edge.source_ids
    source = sources[0] if sources else ""
    known = [] if typed is UNKNOWN else [typed]
    if edge.carries_failures:
        return example_of([*known, failure_example(design, source, infos)], [])
    texts = []
    for other in design.workflow.edges:
        kind = kind_of(other)
        if other.carries_failures or other.source_ids != sources:
            continue
        for number, text in enumerate(kind.conditions(other)):
            if (other.id, number) != (edge.id, at):
                texts.append(text)
    shape = sent(design, source, infos)
    # What other conditions ask of the message is worth more than a shape without
    # fields.
    if isinstance(shape, Mapping) or not (
        shape is UNKNOWN or any(map(_USED.search, texts))
    ):
        known.append(shape)
    return example_of(known, texts)


def example_of(known: Sequence[Any], conditions: Iterable[str]) -> Any:
    """Return one example of a message: the first known one with fields, and the fields
    that conditions ask for.
    """
    example: Any = next(
        (value for value in known if isinstance(value, Mapping)),
        known[0] if known else UNKNOWN,
    )
    used: dict[str, Any] = {}
    for text in conditions:
        for path in _USED.findall(text):
            fields = used
            for name in path.split(".")[1:]:
                fields = fields.setdefault(name, {})
    return _both(example, used)


def _both(example: Any, used: Mapping[str, Any]) -> Any:
    if not used:
        return example
    if example is not UNKNOWN and not isinstance(example, Mapping):
        return example
    fields = dict(example) if isinstance(example, Mapping) else {}
    for name, inner_fields in used.items():
        fields[name] = _both(fields.get(name, UNKNOWN), inner_fields)
    return fields


def _is_quoted(before: str) -> bool:
    """Return whether a text or a comment is open at the end."""
    last = ""
    for token in TOKEN.finditer(before):
        last = token.group()
        if token.lastgroup == "mark" and last in "\"'":
            return True
    return last.startswith("//") and not last.endswith("\n")


def _names(before: str, start: int, variables: Mapping[str, str]) -> list[Word]:
    bound = list(dict.fromkeys(_BOUND.findall(before)))
    names = [Word(name, "element", name, start) for name in reversed(bound)]
    names += [Word(name, detail, name, start) for name, detail in variables.items()]
    names += [
        Word(f"{name}()", detail, f"{name}()", start, 1)
        for name, detail in _FUNCTIONS.items()
    ]
    names += [Word(name, detail, name, start) for name, detail in _LITERALS.items()]
    return names


class _Subject(NamedTuple):
    """The variable of which there is an example."""

    name: str
    example: Any


def _members(before: str, start: int, subject: _Subject) -> list[Word]:
    value = _value_of(before, subject)
    words = []
    if isinstance(value, Mapping):
        words = [_field(str(key), inside, start) for key, inside in value.items()]
    return [
        *words,
        *(_call(name, detail, start) for name, detail in _methods(value).items()),
    ]


def _methods(value: Any) -> Mapping[str, str]:
    if value is UNKNOWN:
        return {**_TEXT, **_LIST}
    if isinstance(value, str):
        return _TEXT
    if isinstance(value, list):
        return _LIST
    return _MAP if isinstance(value, Mapping) else {}


def _field(key: str, value: Any, start: int) -> Word:
    if _WHOLE_NAME.fullmatch(key):
        return Word(key, type_word(value), key, start)
    quoted = key.replace("\\", "\\\\").replace('"', '\\"')
    # In the place of the dot.
    return Word(key, type_word(value), f'["{quoted}"]', start - 1)


def _call(name: str, detail: str, start: int) -> Word:
    insert = f"{name}(x, )" if name in _MACROS else f"{name}()"
    return Word(f"{name}()", detail, insert, start, 0 if name == "size" else 1)


def type_word(value: Any) -> str:
    """Return what completion says beside a value: "number", "text", "" where it is not
    known.
    """
    if value is UNKNOWN or value is None:
        return ""
    kinds = {
        bool: "true or false",
        int: "number",
        float: "number",
        str: "text",
        list: "list",
        dict: "map",
    }
    return kinds.get(type(value), "")


def _value_of(before: str, subject: _Subject) -> Any:
    """Return the value of a path before a dot, as far as the example knows."""
    if before.endswith(('"', "'")):
        return ""
    path = _PATH.search(before)
    if path is None or (path.start() and before[path.start() - 1] == "."):
        return UNKNOWN
    root = re.match(r"\w+", path.group())
    if root is None or root.group() != subject.name:
        return _element_of(
            root.group() if root else "", before[: path.start()], path.group(), subject
        )
    return _walked(subject.example, path.group()[root.end() :])


def _element_of(name: str, before: str, path: str, subject: _Subject) -> Any:
    """Return the value of a variable of a macro: an element of the list that the macro
    goes through.
    """
    bound = re.search(
        rf"\.(?:all|exists|exists_one|existsOne|map|filter)\(\s*{re.escape(name)}\s*,",
        before,
    )
    if not name or bound is None:
        return UNKNOWN
    elements = _value_of(before[: bound.start()], subject)
    if isinstance(elements, list) and elements:
        return _walked(elements[0], path[len(name) :])
    return UNKNOWN


def _walked(value: Any, steps: str) -> Any:
    for name, element in _STEP.findall(steps):
        key = name or element.strip("\"'")
        if isinstance(value, Mapping) and key in value:
            value = value[key]
        elif isinstance(value, list) and value and element.isdigit():
            value = value[min(int(element), len(value) - 1)]
        else:
            return UNKNOWN
    return value
