"""Compares conditions with the tests that CEL publishes: `python -m
tests.cel_conformance FOLDER [--list]`.

FOLDER holds the files `*.textproto` of the specification's `tests/simple/testdata`; the
source archive of the package `cel-python` has them too, under `features`. Left out are
tests that need protocol buffers, containers or declarations, which conditions here do
not have, and those of the optional extensions.
"""

from __future__ import annotations

import argparse
import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from runtime.errors import ConditionError
from runtime.expressions.cel import Expression
from tests.textproto import Fields, all_of, first_of, parsed

_EXTENSIONS = ("_ext", "macros2", "optionals")
_NEEDS_DECLARATIONS = (
    "container",
    "check_only",
    "disable_macros",
    "typed_result",
    "unknown",
    "any_unknowns",
)
_NEEDS_PROTOCOL_BUFFERS = ("TestAllTypes", "google.protobuf")
_EPOCH = datetime.fromtimestamp(0, UTC)
_KINDS = ("agree", "differ", "left out")
ERROR = object()


class NotComparableError(Exception):
    """The test needs a type that conditions do not have."""


@dataclass(frozen=True, slots=True)
class Case:
    name: str
    text: str
    variables: Mapping[str, Any]
    expected: Any


@dataclass(frozen=True, slots=True)
class Difference:
    case: Case
    answer: Any

    def __str__(self) -> str:
        if self.case.expected is ERROR:
            expected = "an error"
        else:
            expected = repr(self.case.expected)
        return f"{self.case.name}: {self.case.text}\n    CEL: {expected}\n    here: {self.answer!r}"


def cases(folder: Path) -> Iterator[tuple[str, Case | None]]:
    """Each test with the name of its file; None where it cannot be compared."""
    for file in sorted(folder.glob("*.textproto")):
        if file.stem.endswith(_EXTENSIONS):
            continue
        for section in all_of(parsed(file.read_text("utf-8")), "section"):
            for test in all_of(section, "test"):
                yield (
                    file.stem,
                    _case(
                        f"{file.stem}/{_text(section, 'name')}/{_text(test, 'name')}",
                        test,
                    ),
                )


def answer(case: Case) -> Any:
    """What an expression here gives, or the `ConditionError` that it raises."""
    try:
        return Expression(case.text, tuple(case.variables))(**case.variables)
    except ConditionError as error:
        return error


def agrees(answered: Any, expected: Any) -> bool:
    if expected is ERROR or isinstance(answered, ConditionError):
        return expected is ERROR and isinstance(answered, ConditionError)
    if isinstance(expected, float) and math.isnan(expected):
        return isinstance(answered, float) and math.isnan(answered)
    if isinstance(expected, list):
        return (
            isinstance(answered, list)
            and len(answered) == len(expected)
            and all(map(agrees, answered, expected))
        )
    if isinstance(expected, dict):
        same_keys = isinstance(answered, dict) and answered.keys() == expected.keys()
        return same_keys and all(
            agrees(answered[key], value) for key, value in expected.items()
        )
    return type(answered) is type(expected) and bool(answered == expected)


def differences(folder: Path) -> tuple[Counter[tuple[str, str]], list[Difference]]:
    """How many tests of each file agree, differ and were left out, and those that
    differ.
    """
    counts: Counter[tuple[str, str]] = Counter()
    different = []
    for file, case in cases(folder):
        if case is None:
            counts[file, "left out"] += 1
            continue
        answered = answer(case)
        if agrees(answered, case.expected):
            counts[file, "agree"] += 1
        else:
            counts[file, "differ"] += 1
            different.append(Difference(case, answered))
    return counts, different


def _case(name: str, test: Fields) -> Case | None:
    text = _text(test, "expr")
    if any(first_of(test, field) for field in _NEEDS_DECLARATIONS) or any(
        word in text for word in _NEEDS_PROTOCOL_BUFFERS
    ):
        return None
    try:
        variables = {
            _text(binding, "key"): value_of(
                first_of(first_of(binding, "value"), "value")
            )
            for binding in all_of(test, "bindings")
        }
        return Case(name, text, variables, _expected(test))
    except NotComparableError:
        return None


def _expected(test: Fields) -> Any:
    if (
        first_of(test, "eval_error") is not None
        or first_of(test, "any_eval_errors") is not None
    ):
        return ERROR
    value = first_of(test, "value")
    return True if value is None else value_of(value)


def value_of(fields: Fields) -> Any:
    """A `cel.expr.Value` as Python data. Raises `NotComparableError` for protocol
    buffers, enums and types.
    """
    ((kind, value),) = fields or [("null_value", None)]
    match kind:
        case "null_value":
            return None
        case "int64_value" | "uint64_value" | "bool_value" | "bytes_value":
            return value
        case "double_value":
            return float(value)
        case "string_value":
            return value.decode("utf-8")
        case "list_value":
            return [value_of(item) for item in all_of(value, "values")]
        case "map_value":
            entries = all_of(value, "entries")
            return {
                value_of(first_of(entry, "key")): value_of(first_of(entry, "value"))
                for entry in entries
            }
        case "object_value" if value[0][0].endswith(
            ("protobuf.Timestamp]", "protobuf.Duration]")
        ):
            return _time_of(*value[0])
    raise NotComparableError(kind)


def _time_of(type_name: str, fields: Fields) -> datetime | timedelta:
    seconds = first_of(fields, "seconds") or 0
    nanoseconds = first_of(fields, "nanos") or 0
    length = timedelta(seconds=seconds, microseconds=nanoseconds // 1000)
    return _EPOCH + length if type_name.endswith("Timestamp]") else length


def _text(fields: Fields, name: str) -> str:
    return (first_of(fields, name) or b"").decode("utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tests.cel_conformance", description="Compares with CEL's tests."
    )
    parser.add_argument(
        "folder", type=Path, help="where the files *.textproto of the specification are"
    )
    parser.add_argument(
        "--list", action="store_true", help="print each test that differs"
    )
    arguments = parser.parse_args()
    counts, different = differences(arguments.folder)
    for file in sorted({file for file, _ in counts}):
        _print_row(file, {kind: counts[file, kind] for kind in _KINDS})
    _print_row(
        "all",
        {
            kind: sum(n for (_, each), n in counts.items() if each == kind)
            for kind in _KINDS
        },
    )
    if arguments.list:
        print(*different, sep="\n")  # noqa: T201 - the command's output


def _print_row(name: str, counts: Mapping[str, int]) -> None:
    print(f"{name:20}", *(f"{count:4} {kind}" for kind, count in counts.items()))  # noqa: T201


if __name__ == "__main__":
    main()
