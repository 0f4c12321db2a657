"""Conditions as text: CEL over one variable, `message`. They are compiled once,
bounded, and cannot run code.

CEL has no loops, no assignment, no attributes and no imports, so a condition from a
stranger's document can only look at the message. Two gaps are closed here. Nested
macros (`all`, `map`, …) cost the product of their lengths, so the cost is estimated
from the text and the longest list before a condition is evaluated. And the library
turns integers outside 64 bit into floats, so they are refused.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NoReturn

from runtime.errors import ConditionError
from runtime.expressions.cel_functions import StandardProgram, reason_of
from runtime.expressions.cel_order import in_order
from runtime.expressions.cel_tokens import TOKEN
from runtime.expressions.cel_type_errors import types_in_words
from runtime.expressions.cel_values import Plain, to_plain
from runtime.expressions.similar_names import did_you_mean, field_names
from runtime.values.words import sentence

VARIABLE = "message"
MAX_TEXT = 2000
MAX_WORK = 30_000_000  # elements touched; about a second
MAX_RESULT = 2_000_000  # elements that an expression may hand out
# Cost of an evaluation, and of an element that is converted, in elements touched.
_CALL = 200
_CONVERSION = 50
PYTHON_PREFIX = "py:"
_OPENING = {"(", "[", "{"}
_CLOSING = {")", "]", "}"}

# A text without escapes, which means what it shows.
_SIMPLE_TEXT = re.compile(r"""(["'])[^"'\\\n]*\1""")
_POSITION = re.compile(r"ERROR: <input>:(\d+):(\d+): (.*)")
# The cost of a macro, as powers of (longest list, all elements). map and filter cost
# more because the library copies their result once per element of the list.
_COSTS = {
    "all": (1, 0),
    "exists": (1, 0),
    "exists_one": (1, 0),
    "existsOne": (1, 0),
    "map": (1, 1),
    "filter": (1, 1),
}
_TYPES = {
    "bool",
    "int",
    "uint",
    "double",
    "string",
    "bytes",
    "list",
    "map",
    "null_type",
    "type",
}
_FUNCTIONS = {
    *(
        "size",
        "contains",
        "startsWith",
        "endsWith",
        "matches",
        "int",
        "uint",
        "double",
        "string",
        "bytes",
        "type",
        "dyn",
    ),
    *(
        "timestamp",
        "duration",
        "getFullYear",
        "getMonth",
        "getDayOfYear",
        "getDayOfMonth",
        "getDate",
        "getDayOfWeek",
    ),
    *("getHours", "getMinutes", "getSeconds", "getMilliseconds", "has", "bool"),
}


class Expression:
    """Any value in CEL, compiled: call it with the values of its variables by name,
    and get new Python data.

    `variables` are the names that it may use. Raise `ConditionError` as a
    `Condition` does, and for a result that could be too large.
    """

    def __init__(self, text: str, variables: Sequence[str] = (VARIABLE,)) -> None:
        self.text = text
        self._variables = frozenset(variables)
        self._scan = _compile(text, tuple(variables), "expression")
        self._references = max(
            1, sum(name in variables for name, _ in self._scan.names)
        )
        strings = (
            token.group()
            for token in TOKEN.finditer(text)
            if token.lastgroup == "string"
        )
        self._literals = [word.lstrip("rRbB")[1:-1] for word in strings]

    @cached_property
    def _program(self) -> StandardProgram:
        return StandardProgram(self.text)

    @property
    def names(self) -> frozenset[str]:
        """The variables that the text names: no other needs a value."""
        return frozenset(
            name for name, _ in self._scan.names if name in self._variables
        )

    def keys_of(self, variable: str) -> frozenset[str] | None:
        """Return the keys of a variable that the text names, as in `state.risk` and
        `state["risk"]`; `None` if it may look at any.
        """
        return _keys_of(self.text, variable)

    def __call__(self, **values: Any) -> Any:
        return self.measured(values)[0]

    def measured(self, values: Mapping[str, Any]) -> tuple[Any, int]:
        """Return the result, and its cost at most, in the unit of `MAX_WORK`."""
        plain = {name: to_plain(value) for name, value in values.items()}
        longest = elements = 0
        ascii_only = True
        for sized in plain.values():
            longest = max(longest, sized.longest)
            elements += sized.elements
            ascii_only = ascii_only and sized.ascii_only
        if longest or elements or not ascii_only:
            work = self._allowed_work(longest, elements, ascii_only=ascii_only)
        else:
            work = self._work_for_scalars
        try:
            result = self._program.execute(
                {name: sized.value for name, sized in plain.items()},
                ascii_only=ascii_only,
            )
            ordered = result
            if isinstance(result, dict | list):
                ordered = in_order(
                    result, self._literals, [sized.value for sized in plain.values()]
                )
            return ordered, _CALL + _CONVERSION * elements + work
        except KeyError as error:
            why = _no_field(
                "there is no field", error, [sized.value for sized in plain.values()]
            )
            raise self._failed(why) from error
        except TypeError as error:
            why = types_in_words(
                self.text, {name: sized.value for name, sized in plain.items()}
            )
            raise self._failed(why) from error
        except (
            Exception
        ) as error:  # as in `Condition`: the Rust side of the library raises anything
            raise self._failed(reason_of(error)) from error

    @cached_property
    def _work_for_scalars(self) -> int:
        return self._allowed_work(0, 0, ascii_only=True)

    def _allowed_work(self, longest: int, elements: int, *, ascii_only: bool) -> int:
        work = _work(self._scan, self.text, longest, elements, ascii_only=ascii_only)
        largest_result = (
            max(elements, len(self.text) // 2) * self._scan.growth * self._references
        )
        if work > MAX_WORK or largest_result > MAX_RESULT:
            raise ConditionError(
                f"Expression '{self.text}' is too costly for data of {elements} elements, where the longest list has "
                f"{longest}. Do this work in a Python node, or for each element by itself.",
                text=self.text,
            )
        return work

    def _failed(self, why: str) -> ConditionError:
        return ConditionError(
            f"Expression '{self.text}' failed: {sentence(why)}", text=self.text
        )


class Condition:
    """A condition in CEL, compiled: call it with a payload and get a bool.

    It sees dataclasses and pydantic models as maps, and tuples as lists (`cel_values`).
    It raises `ConditionError` for a result that is no bool, a missing field, and an
    integer outside 64 bit, because a condition that fails must never mean "no". Two
    conditions with the same text are equal (`signature_text`).
    """

    # It only reads, so it may get a message that others hold too.
    only_reads = True

    def __init__(self, text: str) -> None:
        self.text = text
        self._scan = _compile(text)

    @property
    def signature_text(self) -> str:
        return self.text.strip()

    def __repr__(self) -> str:
        return f"Condition({self.text!r})"

    @cached_property
    def _program(self) -> StandardProgram:
        # The ternary refuses a result that is no bool inside the library, so nothing
        # large is converted to Python.
        return StandardProgram(f"({self.text}\n) ? true : false")

    def __call__(self, payload: Any) -> bool:
        plain = to_plain(payload)
        self._refuse_too_much_work(plain)
        try:
            return bool(
                self._program.execute(
                    {VARIABLE: plain.value}, ascii_only=plain.ascii_only
                )
            )
        except KeyError as error:
            self._fail(
                _no_field("the message has no field", error, [plain.value]), error
            )
        except TypeError as error:
            why = types_in_words(self.text, {VARIABLE: plain.value})
            self._fail(f"{why}, or the result is not true or false", error)
        except Exception as error:  # noqa: BLE001 - the Rust side of the library raises anything, and a condition must report it
            self._fail(reason_of(error), error)

    def work(self, payload: Any) -> int:
        """Return how much a call touches at most, in the unit of `MAX_WORK`."""
        plain = to_plain(payload)
        return self._work_for(plain)

    def _work_for(self, plain: Plain) -> int:
        return _work(
            self._scan,
            self.text,
            plain.longest,
            plain.elements,
            ascii_only=plain.ascii_only,
        )

    def _refuse_too_much_work(self, plain: Plain) -> None:
        if self._work_for(plain) > MAX_WORK:
            raise ConditionError(
                f"Condition '{self.text}' is too costly for this message of {plain.elements} elements, where the "
                f"longest list has {plain.longest}. Do this work in a node before the edge.",
                text=self.text,
            )

    def _fail(self, why: str, cause: Exception) -> NoReturn:
        raise ConditionError(
            f"Condition '{self.text}' failed: {sentence(why)}", text=self.text
        ) from cause


def _no_field(words: str, error: KeyError, values: Sequence[Any]) -> str:
    """Return which field is missing and which is similar; else how to test for it."""
    name = str(error.args[0]) if error.args else ""
    near = did_you_mean(
        name.strip("'\""), [known for value in values for known in field_names(value)]
    )
    return f"{words} {name}{near or '; test with has(...) first'}"


@dataclass(frozen=True, slots=True)
class _Scan:
    """Facts from the tokens of a text.

    `costs` are the powers of each macro, times those around it, and `sizes` those of
    each call of `size`. `growth` bounds how much larger than the message a value can
    become. `names` and `calls` are free names and functions, with offsets.
    """

    costs: tuple[tuple[int, int], ...]
    sizes: tuple[tuple[int, int], ...]
    growth: int
    names: tuple[tuple[str, int], ...]
    calls: tuple[tuple[str, int], ...]


def _work(
    scan: _Scan, text: str, longest: int, elements: int, *, ascii_only: bool
) -> int:
    """Return how many elements are touched at most; a literal in the text counts
    as data.
    """
    longest, elements = (
        max(size, len(text) // 2) * scan.growth for size in (longest, elements)
    )
    # `cel_functions` computes size itself for ASCII data only, at no cost.
    costs = scan.costs if ascii_only else (*scan.costs, *scan.sizes)
    if not costs:
        return elements
    return elements + sum(
        int(longest**by_list * elements**by_all) for by_list, by_all in costs
    )


def _compile(
    text: str, allowed: tuple[str, ...] = (VARIABLE,), what: str = "condition"
) -> _Scan:
    """Compile. Raise `ConditionError` with the position for everything that can be
    known without a message.
    """
    from runtime.expressions.cel_library import cel

    if len(text) > MAX_TEXT:
        raise ConditionError(
            f"The {what} is longer than {MAX_TEXT} characters; do this work in a node.",
            text=text,
        )
    if not text.strip():
        example = "message > 3" if what == "condition" else f"{allowed[0]}.name"
        raise ConditionError(
            f"The {what} is empty; write an expression over {' and '.join(allowed)}, such as {example}.",
            text=text,
        )
    try:
        program = cel.compile(text)
    except ValueError as error:
        raise _syntax_error(text, str(error), what) from error
    scan = _scan(text)
    variables = set(program.variables())
    for name, offset in scan.names:
        if name in variables and name not in allowed and name not in _TYPES:
            known = " and ".join(f"'{variable}'" for variable in allowed)
            words = "the only variable is" if len(allowed) == 1 else "the variables are"
            raise _error_at(text, offset, f"unknown name '{name}'; {words} {known}")
    functions = set(program.functions()) | {"has"}
    for name, offset in scan.calls:
        if name in functions and name not in _FUNCTIONS:
            raise _error_at(text, offset, f"unknown function '{name}'")
    return scan


def _syntax_error(text: str, message: str, what: str) -> ConditionError:
    match = _POSITION.search(message)
    if match is None:
        return ConditionError(f"The {what} does not compile: {message}", text=text)
    line = int(match[1])
    column = int(match[2])
    return ConditionError(
        f"Line {line}, column {column}: {_plain_words(match[3])}",
        text=text,
        line=line,
        column=column,
    )


def _plain_words(reason: str) -> str:
    """Return the first half of the parser's sentence, because its list of possible
    tokens helps no reader.
    """
    words = reason.removeprefix("Syntax error: ").split(" expecting ")[0]
    return words.replace("mismatched input '<EOF>'", "the text ends too early").replace(
        "input", "text"
    )


def _error_at(text: str, offset: int, reason: str) -> ConditionError:
    line = text.count("\n", 0, offset) + 1
    column = offset - (text.rfind("\n", 0, offset) + 1) + 1
    return ConditionError(
        f"Line {line}, column {column}: {reason}", text=text, line=line, column=column
    )


@dataclass(slots=True)
class _Level:
    """An open bracket. For a macro: its name, its variable, and whether its body looks
    at anything but the variable.
    """

    macro: str = ""
    variable: str = ""
    looks_out: bool = False

    def cost(self, outer: int) -> tuple[int, int]:
        by_list, by_all = _COSTS[self.macro]
        # A map whose body reaches out can put the whole message into every element of
        # its result.
        return by_list + outer + (self.macro == "map" and self.looks_out), by_all


def _scan(text: str) -> _Scan:
    """Walk the tokens once, with a stack of open brackets. Only called with text that
    the library has parsed.
    """
    tokens = [
        (m.lastgroup or "", m.group(), m.start())
        for m in TOKEN.finditer(text)
        if m.lastgroup != "skip"
    ]
    texts = ["", *(token[1] for token in tokens), "", "", ""]
    levels = [_Level()]
    costs = []
    sizes = []
    names = []
    calls = []
    for index, (kind, word, offset) in enumerate(tokens, start=1):
        if kind == "mark" and word in "([{":
            levels.append(_opened(texts, index) if word == "(" else _Level())
        elif kind == "mark" and word in ")]}":
            closed = levels.pop()
            if closed.macro:
                costs.append(closed.cost(sum(bool(level.macro) for level in levels)))
        elif kind == "name" and texts[index + 1] == "(":
            calls.append((word, offset))
            if word == "size":
                sizes.append(_size_cost(levels, _root(texts, index)))
        elif kind == "name" and texts[index - 1] != ".":
            for level in levels:
                level.looks_out |= level.variable != word
            if all(level.variable != word for level in levels):
                names.append((word, offset))
    return _Scan(tuple(costs), tuple(sizes), _growth(texts), tuple(names), tuple(calls))


def _keys_of(text: str, variable: str) -> frozenset[str] | None:
    tokens = [m for m in TOKEN.finditer(text) if m.lastgroup != "skip"]
    words = ["", *(token.group() for token in tokens), "", "", "", ""]
    keys = set()
    for place, word in enumerate(words):
        if word != variable or words[place - 1] == ".":
            continue
        first, second, third = words[place + 1 : place + 4]
        if first == "." and second.isidentifier() and third != "(":
            keys.add(second)
        elif first == "[" and third == "]" and _SIMPLE_TEXT.fullmatch(second):
            keys.add(second[1:-1])
        else:
            return None
    return frozenset(keys)


def _size_cost(levels: list[_Level], root: str) -> tuple[int, int]:
    """Return the cost of a call of `size`, which copies its argument; in a macro
    over the argument's elements once for each.
    """
    loops = [level.variable for level in levels if level.macro]
    return len(loops) - (root in loops), 1


def _root(texts: list[str], index: int) -> str:
    """Return the name with which the argument of a function begins: `x` in
    `size(x.name)` and in `x.name.size()`.
    """
    if texts[index - 1] != ".":
        return texts[index + 2]
    index -= 2
    while texts[index] in _CLOSING or texts[index - 1] == ".":
        index = _opening(texts, index) - 1 if texts[index] in _CLOSING else index - 2
    return texts[index]


def _opening(texts: list[str], index: int) -> int:
    """Return where the bracket opens that closes at this token."""
    depth = 0
    for place in range(index, 0, -1):
        depth += (texts[place] in _CLOSING) - (texts[place] in _OPENING)
        if depth == 0:
            return place
    return 1


def _growth(texts: list[str]) -> int:
    """Return how often a sum or a literal can repeat a value: once per sign; a map
    after a map repeats the repeated.
    """
    signs = 1 + texts.count("+") + texts.count(",")
    return int((1 + texts.count("+")) * signs ** texts.count("map"))


def _opened(texts: list[str], index: int) -> _Level:
    """Return the level that `(` at this token opens: `.all(x, ...` binds x;
    anything else binds nothing.
    """
    macro = texts[index - 1]
    dot = texts[index - 2] if index > 1 else ""
    variable = texts[index + 1]
    comma = texts[index + 2]
    if dot == "." and macro in _COSTS and comma == "," and variable.isidentifier():
        return _Level(macro, variable)
    return _Level()
