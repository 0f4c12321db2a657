"""Small drawings to edit, and hypothesis strategies for any drawing and any edit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from designer.model import edits
from designer.model.design import Design
from designer.model.edge_kinds import kind_of
from designer.model.errors import EditError
from runtime.document.definition import (
    DirectEdge,
    EdgeDefinition,
    FanInEdge,
    FanOutEdge,
    MultiSelectionEdge,
    NodeDefinition,
    OnErrorEdge,
    Selection,
    SwitchCase,
    SwitchEdge,
    WorkflowDefinition,
)


def design(nodes: str, *edges: EdgeDefinition, start: str = "") -> Design:
    """A drawing whose nodes are the letters (or words) of `nodes`, in a row."""
    ids = nodes.split() if " " in nodes else list(nodes)
    return Design(
        WorkflowDefinition(
            start=start or (ids[0] if ids else ""),
            nodes=tuple(NodeDefinition(id=key, type="python") for key in ids),
            edges=edges,
        ),
        {key: (240.0 * place, 0.0) for place, key in enumerate(ids)},
    )


def direct(source: str, target: str, condition: str = "") -> DirectEdge:
    return DirectEdge(
        id=f"{source}->{target}", source=source, target=target, condition=condition
    )


def fan_out(source: str, targets: str) -> FanOutEdge:
    return FanOutEdge(id=f"fan_out:{source}", source=source, targets=tuple(targets))


def join(sources: str, target: str, **more: Any) -> FanInEdge:
    return FanInEdge(
        id=f"fan_in:{target}", sources=tuple(sources), target=target, **more
    )


def switch(source: str, cases: str, default: str) -> SwitchEdge:
    made = tuple(
        SwitchCase(name=target, when=f"message == '{target}'", target=target)
        for target in cases
    )
    return SwitchEdge(id=f"switch:{source}", source=source, cases=made, default=default)


def selection(source: str, targets: str) -> MultiSelectionEdge:
    made = tuple(
        Selection(target=target, when=f"message == '{target}'") for target in targets
    )
    return MultiSelectionEdge(
        id=f"multi_selection:{source}", source=source, selections=made
    )


_IDS = st.sampled_from("abcdef")
_SOME = st.lists(_IDS, min_size=1, max_size=4, unique=True)
_PLACES = st.tuples(st.integers(-500, 500), st.integers(-500, 500))


@st.composite
def any_edge(draw: st.DrawFn, number: int) -> EdgeDefinition:
    """Any group, dangling and degenerate ones too, as a half-finished file may have
    them.
    """
    key = f"e{number}"
    source = draw(_IDS)
    many = tuple(draw(_SOME))
    kind = draw(
        st.sampled_from(
            ["direct", "fan_out", "fan_in", "switch", "multi_selection", "on_error"]
        )
    )
    match kind:
        case "fan_out":
            return FanOutEdge(id=key, source=source, targets=many)
        case "fan_in":
            return FanInEdge(id=key, sources=many, target=source)
        case "switch":
            cases = tuple(SwitchCase(when="true", target=target) for target in many[1:])
            return SwitchEdge(id=key, source=source, cases=cases, default=many[0])
        case "multi_selection":
            ways = tuple(Selection(target=target) for target in many)
            return MultiSelectionEdge(id=key, source=source, selections=ways)
        case "on_error":
            return OnErrorEdge(id=key, source=source, target=many[0])
        case _:
            return DirectEdge(id=key, source=source, target=many[0])


@st.composite
def designs(draw: st.DrawFn) -> Design:
    ids = draw(st.lists(_IDS, max_size=6, unique=True))
    edges = tuple(draw(any_edge(number)) for number in range(draw(st.integers(0, 4))))
    return Design(
        WorkflowDefinition(
            start=draw(st.sampled_from(["", *ids])),
            nodes=tuple(NodeDefinition(id=key, type="python") for key in ids),
            edges=edges,
        ),
        {key: draw(_PLACES) for key in ids if draw(st.booleans())},
    )


Edit = Callable[[Design], Design]


def _each_edge(
    design: Design, edit: Callable[[Design, EdgeDefinition], Design]
) -> Design:
    """Edit the first two of the groups that there are now."""
    for edge in design.workflow.edges[:2]:
        if edge in design.workflow.edges:
            design = edit(design, edge)
    return design


def _shared(edge: EdgeDefinition) -> edits.Way:
    """The part that all wires of a group share."""
    if isinstance(edge, FanInEdge):
        return edits.Way("", edge.target)
    return edits.Way(edge.source, "")


def _refusing(edit: Edit) -> Edit:
    """A refused edit is an edit that changes nothing."""

    def safe(design: Design) -> Design:
        try:
            return edit(design)
        except EditError:
            return design

    return safe


@st.composite
def any_edit(draw: st.DrawFn) -> Edit:
    one = draw(_IDS)
    other = draw(_IDS)
    many = draw(_SOME)
    at = draw(_PLACES)
    text = draw(st.sampled_from(["", "x", "Fetch"]))
    choices: list[Edit] = [
        lambda d: edits.add_node(d, "python", at, node_id=one)[0],
        lambda d: edits.remove(d, {*many, f"{one}->{other}"}),
        lambda d: edits.remove(d, {edge.id for edge in d.workflow.edges[:2]}),
        lambda d: edits.move(d, {one: at}),
        lambda d: edits.rename(d, one, text),
        lambda d: edits.set_id(d, one, other),
        lambda d: edits.set_params(d, one, {"text": text}),
        lambda d: edits.connect(d, one, other)[0],
        lambda d: edits.connect_case(d, one, other)[0],
        lambda d: edits.connect_fan_out(d, one, many)[0],
        lambda d: edits.connect_join(d, many, one)[0],
        lambda d: edits.connect_switch(
            d, one, [SwitchCase(when="true", target=other)], many[0]
        )[0],
        lambda d: edits.add_to_join(d, f"fan_in:{one}", other),
        lambda d: edits.convert(d, one, "fan_out")[0],
        lambda d: edits.convert(d, one, "fan_in")[0],
        lambda d: edits.convert(d, one, "multi_selection")[0],
        lambda d: edits.convert(d, f"fan_out:{one}", "direct")[0],
        lambda d: edits.convert(d, f"switch:{one}", "multi_selection")[0],
        lambda d: edits.convert(d, f"multi_selection:{one}", "switch")[0],
        lambda d: edits.fan_out_to(d, one, many),
        lambda d: edits.join_into(d, many, one),
        lambda d: edits.remove_healed(d, many),
        lambda d: edits.disconnect(d, one, "in"),
        lambda d: edits.disconnect(d, one, "out"),
        lambda d: _each_edge(d, lambda d, edge: edits.add_way(d, edge.id, one)),
        lambda d: _each_edge(
            d,
            lambda d, edge: edits.splice(
                d, edge.id, kind_of(edge).wires(edge)[0], other
            ),
        ),
        lambda d: _each_edge(
            d, lambda d, edge: edits.splice(d, edge.id, _shared(edge), other)
        ),
        lambda d: _each_edge(
            d, lambda d, edge: edits.cut(d, {edge.id: kind_of(edge).wires(edge)[:1]})
        ),
        lambda d: edits.set_start(d, one),
        lambda d: edits.set_workflow(d, name=text, input=at),
        lambda d: edits.paste(d, edits.copy(d, many), at)[0],
        lambda d: edits.paste(d, edits.copy(d, many), at, keep_links=True)[0],
    ]
    return _refusing(draw(st.sampled_from(choices)))
