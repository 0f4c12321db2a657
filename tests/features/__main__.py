"""What a workflow editor should have, and the tests that do it by hand: `python -m
tests.features [--json]`.

The numbers are those of a feature table that was made of a study of eight other
editors. MUST: an editor without it would not be taken seriously. SHOULD: who works with
it every day expects it. BEYOND: none of the eight has it. `lacks` says what of a row is
not there, and why.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Mapping

from tests.features.by_hand import by_hand
from tests.features.feature import Feature
from tests.features.table import FEATURES, GROUPS, faults


def _report(features: Mapping[int, Feature]) -> dict[str, dict[str, dict[str, object]]]:
    def entry(feature: Feature) -> dict[str, object]:
        tests = [{"id": test, "by_hand": by_hand(test)} for test in feature.ids]
        return {
            "level": feature.level,
            "title": feature.title,
            "tests": tests,
            "lacks": feature.lacks,
        }

    return {
        group: {
            str(number): entry(features[number])
            for number in numbers
            if number in features
        }
        for group, numbers in GROUPS.items()
    }


def _print(features: Mapping[int, Feature]) -> None:
    for group, numbers in GROUPS.items():
        print(f"\n{group}")  # noqa: T201 - the command's output
        for number in numbers:
            if number in features:
                print(*_lines(number, features[number]), sep="\n            ")  # noqa: T201


def _lines(number: int, feature: Feature) -> Iterable[str]:
    yield f"{number:>3}  {feature.level:<6} {feature.title}"
    yield from (f"{'*' if by_hand(test) else ' '} {test}" for test in feature.ids)
    if feature.lacks:
        yield f"  not there: {feature.lacks}"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.features", description=__doc__
    )
    parser.add_argument("--json", action="store_true", help="the same as JSON")
    wanted = parser.parse_args(arguments)
    found = faults()
    if wanted.json:
        json.dump(
            {**_report(FEATURES), "faults": found},
            sys.stdout,
            indent=1,
            ensure_ascii=False,
        )
    else:
        _print(FEATURES)
        print("\n* done with events of mouse or keys")  # noqa: T201
    if found:
        print("", *found, sep="\n", file=sys.stderr)  # noqa: T201
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
