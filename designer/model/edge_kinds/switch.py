"""Switches: a message takes exactly one way, that of the first case that is true, else
the default.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from designer.model.edge_kinds.base import (
    EdgeKind,
    Name,
    PlainWay,
    Repair,
    Way,
    extra_fields,
    kind_of,
    part_number,
    plain_edge,
)
from designer.model.edge_kinds.multi_selection import MULTI_SELECTION
from designer.model.edge_kinds.switch_as_selection import as_switch
from designer.model.errors import EditError
from runtime.document.definition import (
    EdgeDefinition,
    MultiSelectionEdge,
    SwitchCase,
    SwitchEdge,
)


def switch(source: str, cases: Sequence[SwitchCase], default: str) -> SwitchEdge:
    return SwitchEdge(
        id=f"switch:{source}", source=source, cases=tuple(cases), default=default
    )


def switch_at(edges: Iterable[EdgeDefinition], node: str) -> SwitchEdge | None:
    """Return the switch that starts at a node; None if there is none."""
    for edge in edges:
        if isinstance(edge, SwitchEdge) and edge.source == node:
            return edge
    return None


def new_case(edge: SwitchEdge, target: str) -> SwitchCase:
    """Return a case for the end of a switch, without a condition, under a name that no
    other case has.
    """
    taken = {case.name for case in edge.cases}
    number = len(edge.cases) + 1
    while f"case {number}" in taken:
        number += 1
    return SwitchCase(name=f"case {number}", when="", target=target)


def with_new_case(
    leaving: Sequence[EdgeDefinition], source: str, target: str
) -> SwitchEdge | None:
    """Return the switch among the edges that leave a node with one more case; None if
    there is none.

    A plain edge that is all that leaves the node becomes the default: it is what is
    left of a switch whose cases went.
    """
    edge = switch_at(leaving, source)
    if len(leaving) == 1 and kind_of(leaving[0]).is_plain(leaving[0]):
        (plain,) = leaving
        (default,) = plain.target_ids
        edge = SwitchEdge(
            id=plain.id, source=source, cases=(), default=default, **extra_fields(plain)
        )
    if edge is None:
        return None
    cases = (*edge.cases, new_case(edge, target))
    return edge.model_copy(update={"cases": cases})


class SwitchKind(EdgeKind[SwitchEdge]):
    kind = "switch"
    title = "Switch"
    label = "Switch"
    word = "switch"
    plural = "a switch"
    make_text = "Make a switch"
    grow_text = "Add a case"
    icon = "switch"
    is_diamond = True
    required_end = "default"
    turns_into = ("multi_selection",)

    def wires(self, edge: SwitchEdge) -> tuple[Way, ...]:
        cases = [
            Way(edge.source, case.target, number)
            for number, case in enumerate(edge.cases, start=1)
        ]
        return (*cases, Way(edge.source, edge.default, 0))

    def wire_name(self, way: Way) -> str:
        return str(way.number)

    def with_ends(
        self, edge: SwitchEdge, sources: Mapping[str, str], targets: Mapping[str, str]
    ) -> EdgeDefinition:
        cases = [
            case.model_copy(update={"target": targets.get(case.target, case.target)})
            for case in edge.cases
        ]
        ends = {
            "source": sources.get(edge.source, edge.source),
            "cases": tuple(cases),
            "default": targets.get(edge.default, edge.default),
        }
        return edge.model_copy(update=ends)

    def fewer(
        self, edge: SwitchEdge, removed: Collection[str]
    ) -> EdgeDefinition | None:
        """Return the switch without cases that lead to these nodes.

        One that loses its default goes, because no other case may silently take over
        what the default stood for.
        """
        if edge.default in removed:
            return None
        remaining = [case for case in edge.cases if case.target not in removed]
        return self._with_cases(edge, remaining)

    def _with_cases(
        self, edge: SwitchEdge, cases: Sequence[SwitchCase]
    ) -> EdgeDefinition:
        """Return the switch with these cases; a plain edge to its default when the last
        one went.
        """
        if cases or not edge.cases:
            return edge.model_copy(update={"cases": tuple(cases)})
        return plain_edge(edge.source, edge.default, like=edge)

    def cut(self, edge: SwitchEdge, ways: Collection[Way]) -> EdgeDefinition | None:
        numbers = {way.number for way in ways}
        if 0 in numbers:
            text = (
                f"The switch '{edge.id}' needs a default. "
                "Lead it elsewhere, or delete the whole switch."
            )
            raise EditError(text, edge.id)
        remaining = [
            case
            for number, case in enumerate(edge.cases, start=1)
            if number not in numbers
        ]
        return self._with_cases(edge, remaining)

    def grown(self, edge: SwitchEdge, node: str) -> EdgeDefinition | None:
        cases = (*edge.cases, new_case(edge, node))
        return edge.model_copy(update={"cases": cases})

    def same_wire(self, before: SwitchEdge, after: EdgeDefinition, name: str) -> str:
        """Return the number of the same case: it keeps its dots when the order changes."""
        if not isinstance(after, SwitchEdge) or name == "0":
            return ""
        case = before.cases[int(name) - 1]
        return str(after.cases.index(case) + 1) if case in after.cases else ""

    def _led_to(self, edge: SwitchEdge, way: Way, node: str) -> EdgeDefinition:
        if way.number == 0:
            return edge.model_copy(update={"default": node})
        cases = list(edge.cases)
        case = cases[way.number - 1]
        cases[way.number - 1] = case.model_copy(update={"target": node})
        return edge.model_copy(update={"cases": tuple(cases)})

    def plain_ways(self, edge: SwitchEdge) -> tuple[PlainWay, ...]:
        text = (
            f"The switch '{edge.id}' tries its cases in order; plain edges cannot say "
            "that. Delete it first."
        )
        raise EditError(text, edge.id)

    def made_of(self, edges: Sequence[EdgeDefinition]) -> list[EdgeDefinition]:
        if len(edges) == 1 and isinstance(edges[0], MultiSelectionEdge):
            return [as_switch(edges[0])]
        return self.made_of(MULTI_SELECTION.made_of(edges))

    def conditions(self, edge: SwitchEdge) -> tuple[str, ...]:
        return tuple(case.when for case in edge.cases)

    def condition_part(self, number: int) -> str:
        return f"cases[{number}].when"

    def condition_title(self, edge: SwitchEdge, number: int, name: Name) -> str:
        case = edge.cases[number]
        words = f"Case {number + 1} {case.name}".rstrip()
        return f"{words} → {name(case.target)}"

    def with_condition(
        self, edge: SwitchEdge, number: int, text: str
    ) -> EdgeDefinition:
        cases = list(edge.cases)
        cases[number] = cases[number].model_copy(update={"when": text})
        return edge.model_copy(update={"cases": tuple(cases)})

    def repairs(self, edge: SwitchEdge, rule: str, part: str) -> Iterator[Repair]:
        number = part_number(part)
        if rule in ("edge-ends-exist", "condition-compiles") and number is not None:
            remaining = [*edge.cases[:number], *edge.cases[number + 1 :]]
            smaller = self._with_cases(edge, remaining)
            yield Repair(f"Remove case {number + 1}", (smaller,))
        elif rule == "self-loop" and edge.default != edge.source:
            others = [case for case in edge.cases if case.target != edge.source]
            if others:
                smaller = edge.model_copy(update={"cases": tuple(others)})
                yield Repair("Remove the case that leads back", (smaller,))

    def with_required_end(self, edge: SwitchEdge, node: str) -> EdgeDefinition:
        return edge.model_copy(update={"default": node})

    def without_doubles(
        self, edge: SwitchEdge, pairs: Collection[tuple[str, str]]
    ) -> EdgeDefinition | None:
        targets = {target for _, target in pairs}
        if edge.default not in targets:
            raise EditError(f"The default of '{edge.id}' would go.", edge.id)
        cases = [case for case in edge.cases if case.target in targets]
        return edge.model_copy(update={"cases": tuple(cases)})

    def has_tags(self, edge: SwitchEdge) -> bool:
        return True

    def sentence(self, edge: SwitchEdge, name: Name) -> str:
        count = len(edge.cases)
        cases = f"{count} case" if count == 1 else f"{count} cases"
        return f"{self.name_of(edge, name)}: {cases} and default"


SWITCH = SwitchKind()
