"""A switch in a document."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict

from runtime.edges.arcs import Arc
from runtime.edges.definition import (
    Compiler,
    ConditionText,
    ConditionWords,
    EdgeDefinition,
    End,
    Finding,
    FunctionNames,
    Part,
    PythonText,
)
from runtime.edges.drawing import Drawing, DrawnWay, switch_box
from runtime.edges.kinds.switch.group import (
    DEFAULT_CASE,
    SwitchCaseEdgeGroup,
    SwitchCaseEdgeGroupCase,
    SwitchCaseEdgeGroupDefault,
)
from runtime.edges.trial import Ask, Trial, try_first


class SwitchCase(BaseModel):
    """A labelled case: taken when its condition is the first that is true."""

    model_config = ConfigDict(frozen=True, extra="allow")

    name: str = ""
    when: str
    target: str


class SwitchEdge(EdgeDefinition):
    """Exactly one way: the first case that is true, else the default."""

    takes_one_arc: ClassVar[bool] = True
    python_imports: ClassVar[tuple[str, ...]] = ("Case", "Default")

    kind: Literal["switch"] = "switch"
    source: str
    cases: tuple[SwitchCase, ...]
    default: str

    def ends(self) -> Iterator[End]:
        yield End("source", self.source)
        for number, case in enumerate(self.cases):
            yield End(f"cases[{number}].target", case.target)
        yield End("default", self.default)

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        # Several cases may lead to one target: the pair counts once.
        targets = [*(case.target for case in self.cases), self.default]
        return tuple((self.source, target) for target in dict.fromkeys(targets))

    def arcs(self) -> Iterator[Arc]:
        for source, target in self.pairs:
            yield Arc(source, target, self, "one")

    def conditions(self) -> Sequence[ConditionText]:
        return [
            ConditionText(
                f"cases[{number}].when",
                f"The condition of case {number + 1}",
                case.when,
            )
            for number, case in enumerate(self.cases)
        ]

    def rules(self) -> tuple[tuple[str, str], ...]:
        cases = [(case.target, case.when) for case in self.cases]
        return (*cases, (self.default, DEFAULT_CASE))

    def parts(self) -> Iterator[Part]:
        for number, case in enumerate(self.cases):
            yield Part(f"cases[{number}]", f"case {number + 1}", case)

    def problems(self) -> Iterator[Finding]:
        if not self.cases:
            text = "A switch needs at least one case"
            remedy = "Add a case, or use a plain edge."
            yield Finding("enough-ends", text, "cases", remedy)

    def loose_end(self, end: End) -> Finding:
        if end.place != "default" or end.node_id:
            return super().loose_end(end)
        text = "The switch has no default: a message that fits no case has no way to go"
        remedy = "Connect its default to a node."
        return Finding("edge-ends-exist", text, end.place, remedy)

    def ways_to(self, targets: Collection[str]) -> list[str]:
        ways = []
        for number, case in enumerate(self.cases, start=1):
            if case.target in targets:
                name = f" ({case.name})" if case.name else ""
                ways.append(f"case {number}{name}")
        if self.default in targets:
            ways.append("the default")
        return ways

    def label_to(self, target: str) -> str:
        names = [case.name or case.when for case in self.cases if case.target == target]
        if self.default == target:
            names.append(DEFAULT_CASE)
        return " or ".join(names)

    def try_value(self, ask: Ask) -> Trial:
        cases = [(case.target, case.when) for case in self.cases]
        return try_first(ask, cases, self.default)

    def build(self, compiler: Compiler) -> SwitchCaseEdgeGroup:
        cases = [
            SwitchCaseEdgeGroupCase(
                compiler.condition(case.when), case.target, case.name
            )
            for case in self.cases
        ]
        default = SwitchCaseEdgeGroupDefault(self.default)
        return SwitchCaseEdgeGroup(self.source, [*cases, default], id=self.id)

    def drawing(self) -> Drawing:
        ways = []
        for number, case in enumerate(self.cases, start=1):
            has_name = case.name and case.name != case.when
            text = f"{case.name}: {case.when}" if has_name else case.when
            ways.append(DrawnWay(case.target, "condition", f"{number}. {text}"))
        ways.append(DrawnWay(self.default, "default", DEFAULT_CASE))
        return switch_box(self.source, tuple(ways))

    def to_python(self, python: PythonText) -> tuple[str, list[str]]:
        cases = []
        for case in self.cases:
            name = f", {python.value(case.name)}" if case.name else ""
            condition = python.condition(case.when)
            cases.append(f"Case({condition}, {python.node(case.target)}{name})")
        cases.append(f"Default({python.node(self.default)})")
        arguments = [
            python.node(self.source),
            python.listed(cases),
            self._python_id(python),
        ]
        return "add_switch_case_edge_group", arguments

    @classmethod
    def refusal_of(cls, group: SwitchCaseEdgeGroup) -> str:
        if isinstance(group.cases[-1], SwitchCaseEdgeGroupDefault):
            return ""
        return (
            f"the switch '{group.id}' whose default does not stand last "
            "(put it there: cases decide as before)"
        )

    @classmethod
    def fields_of(
        cls, group: SwitchCaseEdgeGroup, names: FunctionNames
    ) -> dict[str, Any]:
        cases = [
            {
                "name": case.name,
                "when": names.condition(case.condition, number),
                "target": case.target_id,
            }
            for number, case in enumerate(group.conditional_cases)
        ]
        return {
            "source": group.source_ids[0],
            "cases": cases,
            "default": group.default,
        }

    @classmethod
    def fields_of_signature(
        cls,
        pairs: Sequence[tuple[str, str]],
        logic: Mapping[str, Any],
        words: ConditionWords,
    ) -> dict[str, Any]:
        cases = [
            {"when": words(case["when"]), "target": str(case["target"])}
            for case in logic["cases"]
        ]
        return {
            "source": pairs[0][0],
            "cases": cases,
            "default": str(logic["default"]),
        }
