"""The whole table by its groups, and its faults."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tests.features.by_hand import ROOT, by_hand, exists
from tests.features.debugging import DEBUGGING
from tests.features.drawing import DRAWING
from tests.features.feature import Feature

FEATURES: dict[int, Feature] = {**DRAWING, **DEBUGGING}
GROUPS: dict[str, tuple[int, ...]] = {
    "authoring": tuple(range(1, 16)),
    "canvas": tuple(range(16, 24)),
    "validation": (24, 25, 26, 27),
    "running and stepping": tuple(range(28, 37)),
    "breakpoints": tuple(range(37, 43)),
    "timeline": tuple(range(43, 52)),
    "inspection": tuple(range(52, 60)),
    "questions": tuple(range(60, 64)),
    "sub-workflows": (64, 65, 66),
    "import and export": (67, 68, 69, 70),
    "persistence": (72, 73),
    "keyboard and accessibility": (76, 77, 78),
    "theming": (79, 80),
    "scale": (81, 82),
    "programs": (83, 84),
    "proofs": (90,),
    "results": (92,),
    "plugins": (85, 86, 87),
    "docs": (88, 89),
    "delivery orders": (91,),
}


def faults(features: Mapping[int, Feature] = FEATURES, root: Path = ROOT) -> list[str]:
    """What is wrong with the table: rows left out, tests that are not there, and a MUST
    that nobody does by hand.
    """
    numbers = [number for group in GROUPS.values() for number in group]
    found = [
        f"{number}: it is left out" for number in numbers if number not in features
    ]
    for number, feature in features.items():
        found += [
            f"{number}: there is no test {test}"
            for test in feature.ids
            if not exists(test, root)
        ]
        if feature.level == "MUST" and not any(
            by_hand(test, root) for test in feature.ids
        ):
            found.append(f"{number}: no test does it with mouse or keys")
        if not feature.tests and not feature.lacks:
            found.append(f"{number}: it has neither tests nor a reason")
    return found
