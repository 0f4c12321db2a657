"""A made-up exploration: two outcomes, and a cancellation that is swallowed."""

from __future__ import annotations

from typing import Any

from runtime.debug.protocol import (
    ChangeItem,
    ExploredBody,
    ExploredCall,
    ExploredFinding,
    ExploredLane,
    ExploredOutcome,
)
from tests.designer.panels.fakes import value

CALLS = (
    ExploredCall(executor="rank", title="Rank by reach"),
    ExploredCall(executor="age", title="Age check"),
)
CHANGE = ChangeItem(
    section="state",
    path="['first']",
    kind="changed",
    old=value("rank"),
    new=value("age"),
)


def lane(call: int, *work: tuple[int, int]) -> ExploredLane:
    return ExploredLane(call=call, work=work)


FIXED = ExploredOutcome(
    tries=12,
    when="in the fixed order",
    lanes=(lane(0, (0, 1)), lane(1, (1, 2))),
    recorded_in="c5",
    saved_in="o1",
)
OTHER = ExploredOutcome(
    tries=3,
    when="Age check before Rank by reach",
    lanes=(lane(0, (1, 2)), lane(1, (0, 1))),
    saved_in="o2",
    changes=(CHANGE,),
)
SWALLOWED = ExploredFinding(
    kind="swallowed",
    text="Age check swallows its cancellation: it goes on to its end.",
    call=1,
)


def explored(**more: Any) -> ExploredBody:
    fields: dict[str, Any] = {
        "id": "e1",
        "checkpoint_id": "c4",
        "superstep": 5,
        "calls": CALLS,
        "tries": 20,
        "planned": 20,
        "disturbed": 5,
        "count": 2,
        "outcomes": (FIXED, OTHER),
        "findings": (SWALLOWED,),
        "store": "sqlite:outcomes.db",
        "done": True,
    }
    return ExploredBody(**(fields | more))
