"""Switch-case: exactly one way, the first case that is true, else the default."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from runtime.edges.base import Ask, Edge, EdgeGroup, Predicate, Way, at_once, chosen, name_of, untaken
from runtime.message import Message

DEFAULT_CASE = "default"


class Case(NamedTuple):
    """A case as one writes it for the builder: `target` is an executor. `name` labels it."""

    condition: Predicate
    target: Any
    name: str = ""


class Default(NamedTuple):
    """The way that is taken when no case is."""

    target: Any


class SwitchCaseEdgeGroupCase(NamedTuple):
    """A case in the graph: `target_id` names an executor."""

    condition: Predicate
    target_id: str
    name: str = ""

    @property
    def label(self) -> str:
        return self.name or name_of(self.condition)


class SwitchCaseEdgeGroupDefault(NamedTuple):
    """The default in the graph."""

    target_id: str


AnyCase = SwitchCaseEdgeGroupCase | SwitchCaseEdgeGroupDefault


class SwitchCaseEdgeGroup(EdgeGroup):
    """Cases in order, the first true one wins. The default need not stand last; it is taken when no case is true."""

    kind = "switch"
    may_repeat = True

    def __init__(self, source_id: str, cases: Sequence[AnyCase], *, id: str | None = None) -> None:
        if len(cases) < 2:
            raise ValueError("SwitchCaseEdgeGroup must contain at least two cases (including the default case).")
        defaults = [case for case in cases if isinstance(case, SwitchCaseEdgeGroupDefault)]
        if len(defaults) != 1:
            raise ValueError("SwitchCaseEdgeGroup must contain exactly one default case.")
        super().__init__([Edge(source_id, case.target_id) for case in cases], id)
        self.cases = tuple(cases)
        self.default = defaults[0].target_id
        self._conditional = [case for case in self.cases if isinstance(case, SwitchCaseEdgeGroupCase)]

    def ways(self, message: Message, ask: Ask) -> Sequence[Way]:
        nobody = untaken(message, self.target_ids, ask)
        if nobody is not None:
            return nobody
        target, case = ask.once(self, lambda: self._pick(message.data))
        ways = chosen(message, self.target_ids, (target,), ask)
        return [way if way.reason else way._replace(case=case) for way in ways]

    def _pick(self, data: Any) -> tuple[str, str]:
        """The target, and the case that led there: its place among the cases from 0, or "default"."""
        for position, case in enumerate(self._conditional):
            try:
                if at_once(case.condition(data)):
                    return case.target_id, str(position)
            except Exception as error:
                error.add_note(f"in case {position + 1} ({case.label}) of edge '{self.id}', to '{case.target_id}'")
                raise
        return self.default, DEFAULT_CASE

    def logic(self) -> dict[str, Any]:
        return {
            "cases": [{"target": case.target_id, "when": case.condition} for case in self._conditional],
            "default": self.default,
        }

    def to_dict(self) -> dict[str, Any]:
        return super().to_dict() | {"cases": [_case_to_dict(case) for case in self.cases]}


def _case_to_dict(case: AnyCase) -> dict[str, Any]:
    if isinstance(case, SwitchCaseEdgeGroupDefault):
        return {"target_id": case.target_id, "type": "Default"}
    return {"target_id": case.target_id, "type": "Case", "condition_name": case.label}
