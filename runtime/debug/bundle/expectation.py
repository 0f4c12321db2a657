"""What should be at a place of a checkpoint: `state["reach"]["certifi"] == 12`.

The text is a line of Python, because it becomes an `assert` of the test. It is read, and
never run: a place, a comparison, and a value that is written out.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import isfinite
from typing import Any

from runtime.checkpoint import Checkpoint
from runtime.debug.values.display import plain
from runtime.errors import CommandError
from runtime.state import RunState

# What a place begins with, and what is there.
ROOTS: Mapping[str, str] = {
    "state": "the shared state, by its keys",
    "executors": "the state of each executor, by its id",
    "messages": "the queued messages, each with data, source and target",
    "joins": "the messages that each join holds, by the name of the join",
    "requests": "the data of the open questions, by their ids",
    "runs": "the same six of each run of a sub-workflow, by its key such as review#1",
    "outputs": "what the superstep has put out, in order",
    "status": "the status of the run, such as 'IDLE'",
    "superstep": "the number of the superstep",
    "error": "the text of the error with which the superstep failed, or None",
}
Step = str | int
_COMPARISONS: Mapping[type[ast.cmpop], tuple[str, Callable[[Any, Any], bool]]] = {
    ast.Eq: ("==", operator.eq),
    ast.NotEq: ("!=", operator.ne),
    ast.Lt: ("<", operator.lt),
    ast.LtE: ("<=", operator.le),
    ast.Gt: (">", operator.gt),
    ast.GtE: (">=", operator.ge),
    ast.In: ("in", lambda value, values: value in values),
    ast.NotIn: ("not in", lambda value, values: value not in values),
    ast.Is: ("is", operator.is_),
    ast.IsNot: ("is not", operator.is_not),
}
_EXAMPLE = 'state["reach"]["certifi"] == 12'
_MOST_DIFFERENCES = 5
_SHORT = 300  # characters of a list that is expected as a whole


class Missing:
    """Stands for a value that is not there."""

    def __repr__(self) -> str:
        return "missing"


MISSING = Missing()


@dataclass(frozen=True)
class Place:
    """A place in a checkpoint: a root, and the steps into its value."""

    root: str
    steps: tuple[Step, ...] = ()

    def __str__(self) -> str:
        return self.root + "".join(f"[{_literal(step)}]" for step in self.steps)

    def value(self, views: Mapping[str, Any]) -> Any:
        """Return what is there in the views of a checkpoint; `MISSING` for nothing."""
        value = views.get(self.root, MISSING)
        for step in self.steps:
            try:
                value = value[step]
            except (LookupError, TypeError):
                return MISSING
        return value


@dataclass(frozen=True)
class Expectation:
    """A comparison of what is at a place with a value. With `is_behind`, the value
    stands before the comparison: a key is not in a place.
    """

    place: Place
    comparison: str
    value: Any
    holds: Callable[[Any, Any], bool] = field(repr=False, compare=False)
    is_behind: bool = False

    def __str__(self) -> str:
        return self.written(str(self.place))

    def written(self, place: str) -> str:
        """Return the comparison as Python, where the place is written like this."""
        value = _literal(self.value)
        if self.is_behind:
            return f"{value} {self.comparison} {place}"
        return f"{place} {self.comparison} {value}"

    def is_met(self, views: Mapping[str, Any]) -> bool:
        """Return whether it holds for the views of a checkpoint."""
        value = self.place.value(views)
        if value is MISSING:
            return False
        try:
            return bool(self.holds(value, self.value))
        except TypeError:
            return False

    def actual(self, views: Mapping[str, Any]) -> str:
        """Return what is there instead, in the same words."""
        value = self.place.value(views)
        if value is MISSING:
            return f"{self.place} is missing"
        if self.is_behind:
            return f"{_literal(self.value)} in {self.place}"
        if value is None:
            return f"{self.place} is None"
        return f"{self.place} == {_literal(value)}"


def _literal(value: Any) -> str:
    if isinstance(value, str):
        # In the quotes that people mostly write.
        text = repr(value)
        return f'"{text[1:-1]}"' if text[0] == "'" and '"' not in text else text
    return repr(value)


def parse(text: str) -> Expectation:
    """Return the expectation of a text. Raise `CommandError` that says what is wrong."""
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise _refusal(text, "it is no line of Python") from None
    if not isinstance(tree, ast.Compare) or len(tree.ops) != 1:
        raise _refusal(text, "it is no comparison of a place with a value")
    known = _COMPARISONS[type(tree.ops[0])]
    place = _place(text, tree.left)
    try:
        value = ast.literal_eval(tree.comparators[0])
    except (ValueError, TypeError, MemoryError, RecursionError):
        raise _refusal(
            text, "the value behind the comparison is not written out"
        ) from None
    if _is_no_json(value):
        raise _refusal(text, "the value has bytes or numbers that JSON does not have")
    return Expectation(place, known[0], value, known[1])


def _is_no_json(value: Any) -> bool:
    if isinstance(value, dict):
        return any(map(_is_no_json, value.values()))
    if isinstance(value, list | tuple | set):
        return any(map(_is_no_json, value))
    if isinstance(value, float):
        return not isfinite(value)
    return not (value is None or isinstance(value, str | int))


def equal(place: Place, value: Any) -> Expectation:
    """Return the expectation that a value is at a place; `MISSING` for none."""
    if value is MISSING:
        parent = Place(place.root, place.steps[:-1])
        _, holds = _COMPARISONS[ast.NotIn]
        key = place.steps[-1]
        return Expectation(parent, "not in", key, _swapped(holds), is_behind=True)
    if value is None:
        return Expectation(place, "is", None, operator.is_)
    return Expectation(place, "==", value, operator.eq)


def _swapped(holds: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    return lambda value, key: holds(key, value)


def _place(text: str, tree: ast.expr) -> Place:
    steps: list[Step] = []
    while not isinstance(tree, ast.Name):
        if isinstance(tree, ast.Subscript):
            try:
                step = ast.literal_eval(tree.slice)
            except ValueError:
                step = None
            if type(step) not in (str, int):
                raise _refusal(text, "a key in brackets is a text or a number")
            steps.append(step)
            tree = tree.value
        elif isinstance(tree, ast.Attribute):
            steps.append(tree.attr)
            tree = tree.value
        else:
            raise _refusal(text, "what it compares is no place")
    if tree.id not in ROOTS:
        raise _refusal(text, f"'{tree.id}' is none of {', '.join(ROOTS)}")
    return Place(tree.id, tuple(reversed(steps)))


def _refusal(text: str, reason: str) -> CommandError:
    return CommandError(
        f"{text[:120]!r} cannot be expected: {reason}. Write it such as {_EXAMPLE}"
    )


# --- what is there --------------------------------------------------------------------------------------------------


def views_of(viewed: Checkpoint) -> dict[str, Any]:
    """Return what is at each root, for a checkpoint as `Archive.view` gives it: plain
    JSON values, secrets masked.
    """
    return {
        **_views_of_state(viewed.state),
        "outputs": [_plain(output.data) for output in viewed.trace.outputs],
        "status": viewed.header.status,
        "superstep": viewed.header.superstep,
        "error": None,
    }


def _plain(value: Any) -> Any:
    """Return a value as JSON, in which numbers such as NaN are texts. They could not be
    written in the test, and NaN is not even equal to itself.
    """
    return _with_numbers(plain(value))


def _with_numbers(value: Any) -> Any:
    if isinstance(value, float) and not isfinite(value):
        return str(value)
    if isinstance(value, dict):
        return {key: _with_numbers(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_with_numbers(item) for item in value]
    return value


def _views_of_state(state: RunState) -> dict[str, Any]:
    return {
        "state": _plain(dict(state.shared)),
        "executors": {
            executor_id: _plain(dict(record.state))
            for executor_id, record in state.executors.items()
        },
        "messages": [_message(message) for message in state.queue],
        "joins": {
            key: [_message(message) for message in messages]
            for key, messages in state.buffers.items()
        },
        "requests": {
            request_id: _plain(request.data)
            for request_id, request in state.requests.items()
        },
        "runs": {key: _views_of_state(child) for key, child in state.children.items()},
    }


def _message(message: Any) -> dict[str, Any]:
    return {
        "data": _plain(message.data),
        "source": message.source_id,
        "target": message.target_id,
    }


def differing(
    expected: Mapping[str, Any], actual: Mapping[str, Any]
) -> list[Expectation]:
    """Return where two checkpoints differ, as expectations of the first, the deepest
    place of each; the first few only.
    """
    found: list[Expectation] = []
    for root in ROOTS:
        _collect(Place(root), expected[root], actual[root], found)
    return found[:_MOST_DIFFERENCES]


def _collect(
    place: Place, expected: Any, actual: Any, found: list[Expectation]
) -> None:
    if len(found) >= _MOST_DIFFERENCES or expected == actual:
        return
    if isinstance(expected, dict) and isinstance(actual, dict):
        for key in [*expected, *(key for key in actual if key not in expected)]:
            inner = Place(place.root, (*place.steps, key))
            _collect(inner, expected.get(key, MISSING), actual.get(key, MISSING), found)
        return
    if isinstance(expected, list) and isinstance(actual, list):
        _collect_items(place, expected, actual, found)
    else:
        found.append(equal(place, expected))


def _collect_items(
    place: Place, expected: list[Any], actual: list[Any], found: list[Expectation]
) -> None:
    """Compare item by item. A short list of another length is expected as a whole."""
    is_short = len(repr(expected)) <= _SHORT
    if len(expected) != len(actual) and is_short:
        found.append(equal(place, expected))
        return
    before = len(found)
    for number, (mine, theirs) in enumerate(zip(expected, actual, strict=False)):
        inner = Place(place.root, (*place.steps, number))
        _collect(inner, mine, theirs, found)
    if len(found) > before or len(expected) == len(actual):
        return
    if len(expected) < len(actual):
        found.append(equal(place, expected))
    else:
        number = len(actual)
        found.append(equal(Place(place.root, (*place.steps, number)), expected[number]))
