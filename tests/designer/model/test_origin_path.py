"""The way of a value on one level of a workflow."""

from __future__ import annotations

from typing import Any

from designer.model.origin_path import NO_PATH, path_on
from runtime.debug.protocol import (
    Item,
    OriginAddress,
    OriginLink,
    OriginStep,
    Value,
)


def step(
    number: int,
    executor: str,
    *sources: OriginLink,
    runs: tuple[str, ...] = (),
    **more: Any,
) -> OriginStep:
    return OriginStep(
        number=number,
        item=Item(value=Value(type="int", text=str(number))),
        at=OriginAddress(checkpoint_id="c1", address="queue:0"),
        executor=executor,
        runs=runs,
        sources=sources,
        **more,
    )


def link(number: int, edge: str = "", case: str = "") -> OriginLink:
    return OriginLink(number=number, edge=edge, case=case)


STEPS = (
    step(1, ""),
    step(2, "scan", link(1)),
    step(3, "rank", link(2, "fan"), runs=("review#1",)),
    step(4, "rank", link(2, "fan"), runs=("review#2",)),
    step(5, "review", link(3), link(4)),
    step(6, "route", link(5, "join"), link(2, "switch", "0")),
)


def test_the_outermost_level_has_what_happened_inside_at_its_node() -> None:
    path = path_on(STEPS, ())
    assert path.numbers == {"scan": (2,), "review": (3, 4, 5), "route": (6,)}
    assert path.wires == {
        ("join", "review", "route", None),
        ("switch", "scan", "route", 1),
    }


def test_inside_only_the_steps_of_the_invocation_that_is_shown_count() -> None:
    assert path_on(STEPS, ("review",)).numbers == {"rank": (3, 4)}
    assert path_on(STEPS, ("review",), ("review#2",)).numbers == {"rank": (4,)}
    assert path_on(STEPS, ("other",)) == NO_PATH


def test_the_chosen_step_marks_its_node_on_each_level() -> None:
    assert path_on(STEPS, (), (), 4).chosen == "review"
    assert path_on(STEPS, ("review",), (), 4).chosen == "rank"
    assert path_on(STEPS, (), (), 1).chosen == ""
