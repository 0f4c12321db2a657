"""Switch-case: exactly one way, the first case that is true, else the default."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple, Self

from runtime.edges.base import (
    AsData,
    Ask,
    Edge,
    EdgeGroup,
    MissingFunction,
    Predicate,
    Way,
    at_once,
    check_callable,
    drawn_name,
    name_of,
    own_copy,
)
from runtime.edges.drawing import Drawing, DrawnWay, switch_box
from runtime.edges.selection import refused_ways, selected_ways
from runtime.message import Message
from runtime.values.user_failures import blame

DEFAULT_CASE = "default"


class Case(NamedTuple):
    """A case for the builder: `target` is an executor, `name` is shown in pictures."""

    condition: Predicate
    target: Any
    name: str = ""


class Default(NamedTuple):
    """The way of a message that fits no case."""

    target: Any


@dataclass(frozen=True)
class SwitchCaseEdgeGroupCase(AsData):
    """A case in the graph: `target_id` is the id of an executor. `name` is shown in
    pictures; `condition_name` is agent-framework's name for the same.
    """

    type: ClassVar[str] = "Case"
    condition: Predicate
    target_id: str
    name: str = ""
    condition_name: str | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        if not self.target_id:
            raise ValueError("SwitchCaseEdgeGroupCase requires a target_id")
        check_callable("condition of a case", self.condition)
        label = self.name or self.condition_name or name_of(self.condition)
        object.__setattr__(self, "condition_name", label)

    @property
    def label(self) -> str:
        return self.condition_name or ""

    def to_dict(self) -> dict[str, Any]:
        return {
            "target_id": self.target_id,
            "type": self.type,
            "condition_name": self.label,
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        return cls(
            MissingFunction(data.get("condition_name") or "<unknown>"),
            data["target_id"],
        )


@dataclass(frozen=True)
class SwitchCaseEdgeGroupDefault(AsData):
    """The default in the graph."""

    type: ClassVar[str] = "Default"
    target_id: str

    def __post_init__(self) -> None:
        if not self.target_id:
            raise ValueError("SwitchCaseEdgeGroupDefault requires a target_id")

    def to_dict(self) -> dict[str, Any]:
        return {"target_id": self.target_id, "type": self.type}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        return cls(data["target_id"])


AnyCase = SwitchCaseEdgeGroupCase | SwitchCaseEdgeGroupDefault


class SwitchCaseEdgeGroup(EdgeGroup):
    """Cases in order: the first that is true wins, else the default, wherever it
    stands.
    """

    kind = "switch"
    may_repeat = True

    def __init__(
        self, source_id: str, cases: Sequence[AnyCase], *, id: str | None = None
    ) -> None:
        if len(cases) < 2:
            raise ValueError(
                "SwitchCaseEdgeGroup must contain at least two cases (including the default case)."
            )
        defaults = [
            case for case in cases if isinstance(case, SwitchCaseEdgeGroupDefault)
        ]
        if len(defaults) != 1:
            raise ValueError(
                f"SwitchCaseEdgeGroup must contain exactly one default case. There are {len(defaults)}: "
                "give one Default(target=…)."
            )
        super().__init__([Edge(source_id, case.target_id) for case in cases], id)
        self.cases = tuple(cases)
        self.default = defaults[0].target_id
        self.conditional_cases = [
            case for case in self.cases if isinstance(case, SwitchCaseEdgeGroupCase)
        ]

    def ways(self, message: Message, ask: Ask) -> Sequence[Way]:
        refused = refused_ways(message, self.target_ids, ask)
        if refused is not None:
            return refused
        target, case = ask.once(self, lambda: self._pick(message.data))
        ways = selected_ways(message, self.target_ids, (target,), ask)
        return [way if way.reason else way._replace(case=case) for way in ways]

    def _pick(self, data: Any) -> tuple[str, str]:
        """Return the target, and the case that leads there: its place among the cases
        from 0, or "default".
        """
        for position, case in enumerate(self.conditional_cases):
            try:
                if at_once(case.condition(own_copy(case.condition, data))):
                    return case.target_id, str(position)
            except BaseException as error:
                where = f"in case {position + 1} ({case.label}) of edge '{self.id}', to '{case.target_id}'"
                blame(error, "A case of a switch", where)
                raise
        return self.default, DEFAULT_CASE

    def functions(self) -> dict[int | None, Callable[..., Any]]:
        return {
            number: case.condition for number, case in enumerate(self.conditional_cases)
        }

    def drawing(self) -> Drawing:
        numbers = itertools.count(1)
        ways = []
        for case in self.cases:
            if isinstance(case, SwitchCaseEdgeGroupDefault):
                way = DrawnWay(case.target_id, "default", DEFAULT_CASE)
            else:
                # The first case that is true wins, so a case is drawn with its number.
                label = f"{next(numbers)}. {drawn_name(case.label)}"
                way = DrawnWay(case.target_id, "condition", label)
            ways.append(way)
        return switch_box(self.source_ids[0], tuple(ways))

    def logic(self) -> dict[str, Any]:
        return {
            "cases": [
                {"target": case.target_id, "when": case.condition}
                for case in self.conditional_cases
            ],
            "default": self.default,
        }

    def to_dict(self) -> dict[str, Any]:
        # agent-framework's switch is a fan-out that selects, by a function without a
        # name.
        return super().to_dict() | {
            "selection_func_name": None,
            "cases": [case.to_dict() for case in self.cases],
        }

    @classmethod
    def of(cls, data: dict[str, Any], edges: Sequence[Edge]) -> SwitchCaseEdgeGroup:
        cases: list[AnyCase] = []
        for case in data["cases"]:
            if case["type"] == SwitchCaseEdgeGroupDefault.type:
                cases.append(SwitchCaseEdgeGroupDefault.from_dict(case))
            else:
                cases.append(SwitchCaseEdgeGroupCase.from_dict(case))
        return cls(edges[0].source_id, cases, id=data["id"])
