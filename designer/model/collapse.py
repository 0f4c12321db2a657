"""Nodes become one sub-workflow, and a sub-workflow becomes nodes again, without loss: `expand` undoes `collapse`.

What a node sends goes along all its edges, so a sub-workflow has one way in and one way out. The edges that cross its
border take one of two forms on each side, and what fits neither is refused:

in    outside   all of them lead to one node inside, which is the start there; they now lead to the sub-workflow
      inside    all of them come from one node outside and stay whole; they move inside, behind an input
out   inside    all of them lead to one node outside and stay whole; they move inside, in front of an output
      outside   all of them come from one node inside, which gets an output; they now come from the sub-workflow

A group of edges is never cut in two. The layout inside keeps where the node stood and the order of what was taken.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from designer.model import ends
from designer.model.design import Design, Position
from designer.model.diff import diff
from designer.model.errors import EditError
from designer.model.expand import expand
from designer.model.inside import COLLAPSED, centre, middle, value_of
from designer.model.names import Names, snake_case
from designer.model.node_edits import with_workflow
from runtime.children import SUB_WORKFLOW
from runtime.definition import DirectEdge, EdgeDefinition, FanInEdge, NodeDefinition, WorkflowDefinition

STEP = 232.0  # from a node to the input before it and the output behind it


def collapse(design: Design, ids: Collection[str], *, name: str = "Sub-workflow") -> tuple[Design, str]:
    """The nodes among `ids` as one sub-workflow, and its id. Raises `EditError` for what has no form without loss."""
    workflow, wanted = design.workflow, set(ids)
    taken = [node for node in workflow.nodes if node.id in wanted]
    if not taken:
        raise EditError("Nothing to collapse: select the nodes first that become a sub-workflow.")
    border = _Border(design, {node.id for node in taken})
    node_id = Names(design).take(snake_case(name, otherwise="sub"))
    entry, leave = border.entry(), border.leave()
    inner = _inner(design, border, entry, leave, name)
    params: dict[str, Any] = {"inline": value_of(replace(inner, layout_extra=_memory(design, border)))}
    if border.yields:
        params["direct_output"] = True
    node = NodeDefinition(id=node_id, type=SUB_WORKFLOW, name=name, params=params)
    made = _outer(design, border, node, entry, leave)
    if not _comes_back(design, made, node_id):
        raise EditError("These nodes cannot become a sub-workflow and come back as they are. Select others.")
    return made, node_id


def _comes_back(design: Design, made: Design, node_id: str) -> bool:
    try:
        return not diff(design, expand(made, node_id)[0])
    except EditError:
        return False


# --- the border ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Side:
    """How edges cross one side: `hinge` is the one node that all of them have on that side, `moved` are the edges that
    move inside; without any, the edges stay outside. Without a hinge nothing crosses.
    """

    hinge: str = ""
    moved: tuple[EdgeDefinition, ...] = ()


class _Border:
    """The edges of a design by where they are: inside of the chosen nodes, outside, coming in, going out."""

    def __init__(self, design: Design, inside: set[str]) -> None:
        self.design, self.inside = design, inside
        self.titles = {node.id: node.title for node in design.workflow.nodes}
        self.inner: list[EdgeDefinition] = []
        self.coming: list[EdgeDefinition] = []
        self.going: list[EdgeDefinition] = []
        for edge in design.workflow.edges:
            self._sort(edge)
        self.yields = any(node.id in inside and node.type == "output" for node in design.workflow.nodes)

    def _sort(self, edge: EdgeDefinition) -> None:
        sources, targets = set(ends.sources(edge)), set(ends.targets(edge))
        if sources | targets <= self.inside:
            self.inner.append(edge)
        elif targets & self.inside and not sources & self.inside:
            self.coming.append(edge)
        elif sources & self.inside and (not targets & self.inside or not isinstance(edge, FanInEdge)):
            self.going.append(edge)
        elif sources & self.inside:
            text = (
                f"The join into {self._names(targets)} waits for nodes in the selection and for others. "
                f"Take {self._names(sources - self.inside)} along, or leave the join out."
            )
            raise EditError(text, edge.id)

    def _names(self, ids: Iterable[str]) -> str:
        names = sorted(self.titles.get(one, one) for one in ids)
        return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"

    def entry(self) -> _Side:
        start = self.design.workflow.start
        into = {target for edge in self.coming for target in ends.targets(edge) if target in self.inside}
        into |= {start} & self.inside
        if len(into) <= 1:
            return _Side(next(iter(into), ""))
        sources = {source for edge in self.coming for source in ends.sources(edge)}
        whole = all(set(ends.targets(edge)) <= self.inside for edge in self.coming)
        if len(sources) == 1 and whole and start not in self.inside:
            return _Side(next(iter(sources)), tuple(self.coming))
        text = (
            f"Messages come into the selection at {self._names(into)}, and a sub-workflow has one way in. "
            "Choose nodes that they enter at one place, or that all get them from one node."
        )
        raise EditError(text, *sorted(into))

    def leave(self) -> _Side:
        if not self.going:
            return _Side()
        if self.yields:
            text = (
                "An output of the workflow is selected, and messages leave the selection as well. "
                "Leave the output out, or take along where they go."
            )
            raise EditError(text)
        sources = {source for edge in self.going for source in ends.sources(edge) if source in self.inside}
        targets = {target for edge in self.going for target in ends.targets(edge) if target not in self.inside}
        if len(targets) == 1 and all(set(ends.sources(edge)) <= self.inside for edge in self.going):
            return _Side(next(iter(targets)), tuple(self.going))
        if len(sources) == 1 and all(not set(ends.targets(edge)) & self.inside for edge in self.going):
            return _Side(next(iter(sources)))
        text = (
            f"Messages leave the selection from {self._names(sources)} to {self._names(targets)}, and a sub-workflow "
            "has one way out. Choose nodes of which one sends them all, or that all send to one node."
        )
        raise EditError(text, *sorted(sources))


# --- inside and outside -------------------------------------------------------------------------------------------


def _inner(design: Design, border: _Border, entry: _Side, leave: _Side, name: str) -> Design:
    """The drawing inside, with an input and an output of its own where edges moved in or end."""
    workflow = design.workflow
    nodes = [node for node in workflow.nodes if node.id in border.inside]
    positions = {key: at for key, at in design.positions.items() if key in border.inside}
    moved = {edge.id for edge in (*entry.moved, *leave.moved)} | {edge.id for edge in border.inner}
    edges = [edge for edge in workflow.edges if edge.id in moved]
    bare = Design(WorkflowDefinition(nodes=tuple(nodes), edges=tuple(edges)))
    names, start = Names(bare), entry.hinge or _first(nodes, border.inner)
    if entry.moved:
        start = names.take("input")
        nodes.insert(0, NodeDefinition(id=start, type="input", name="Input"))
        edges = [_led(edge, entry.moved, entry.hinge, start) for edge in edges]
        _place(positions, start, border.inside, -STEP)
    if leave.hinge:
        output = names.take("output")
        nodes.append(NodeDefinition(id=output, type="output", name="Output"))
        edges = [_led(edge, leave.moved, leave.hinge, output) for edge in edges]
        if not leave.moved:
            edge_id = names.take(f"{leave.hinge}->{output}")
            edges.append(DirectEdge(id=edge_id, source=leave.hinge, target=output))
        _place(positions, output, border.inside, STEP)
    inner = WorkflowDefinition(
        name=name, max_supersteps=workflow.max_supersteps, start=start, nodes=tuple(nodes), edges=tuple(edges)
    )
    return Design(inner, positions)


def _led(edge: EdgeDefinition, moved: Sequence[EdgeDefinition], old: str, new: str) -> EdgeDefinition:
    return ends.renamed(edge, {old: new}) if any(one is edge for one in moved) else edge


def _first(nodes: Sequence[NodeDefinition], edges: Iterable[EdgeDefinition]) -> str:
    """Where nothing leads in, the first node to which nothing leads."""
    led = {target for edge in edges for target in ends.targets(edge)}
    return next((node.id for node in nodes if node.id not in led), nodes[0].id)


def _place(positions: dict[str, Position], node: str, around: Collection[str], step: float) -> None:
    """Left of everything or right of it, in the middle of its height; nowhere if nothing has been laid out."""
    there = [at for key, at in positions.items() if key in around]
    if there:
        edge = min(x for x, _ in there) if step < 0 else max(x for x, _ in there)
        positions[node] = (edge + step, middle([y for _, y in there]))


def _memory(design: Design, border: _Border) -> dict[str, Any]:
    """What the drawing inside cannot say of where it came from: the order, and where the sub-workflow stood."""
    gone = {edge.id for edge in border.inner} | {edge.id for edge in (*border.entry().moved, *border.leave().moved)}
    workflow = design.workflow
    memory: dict[str, Any] = {
        "nodes": {node.id: place for place, node in enumerate(workflow.nodes) if node.id in border.inside},
        "edges": {edge.id: place for place, edge in enumerate(workflow.edges) if edge.id in gone},
    }
    at = centre(design, border.inside)
    return {COLLAPSED: memory if at is None else {"at": list(at), **memory}}


def _outer(design: Design, border: _Border, node: NodeDefinition, entry: _Side, leave: _Side) -> Design:
    """The design with the sub-workflow where its first node was."""
    workflow, new = design.workflow, dict.fromkeys(border.inside, node.id)
    first = next(one for one in workflow.nodes if one.id in border.inside)
    nodes = [node if one is first else one for one in workflow.nodes if one is first or one.id not in border.inside]
    gone = {edge.id for edge in (*border.inner, *entry.moved, *leave.moved)}
    names = Names(design)
    names.take(node.id)
    edges = [ends.renamed(edge, new) for edge in workflow.edges if edge.id not in gone]
    for source, target, side in ((entry.hinge, node.id, entry), (node.id, leave.hinge, leave)):
        if side.moved:
            edges.append(DirectEdge(id=names.take(f"{source}->{target}"), source=source, target=target))
    made = with_workflow(
        design,
        nodes=tuple(nodes),
        edges=tuple(edges),
        start=node.id if workflow.start in border.inside else workflow.start,
    )
    positions = {key: at for key, at in design.positions.items() if key not in border.inside}
    at = centre(design, border.inside)
    return replace(made, positions=positions if at is None else {**positions, node.id: at})
