"""A sub-workflow becomes nodes again, where it stood: what `collapse` took comes back as it was."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NoReturn

from designer.model import ends
from designer.model.design import Design, Position
from designer.model.errors import EditError
from designer.model.inside import COLLAPSED, centre, child
from designer.model.layout import arrange
from designer.model.names import Names
from designer.model.node_edits import require_node, with_workflow
from runtime.definition import DirectEdge, EdgeDefinition, NodeDefinition, edge_pairs


def expand(design: Design, node_id: str) -> tuple[Design, tuple[str, ...]]:
    """The nodes inside a sub-workflow in its place, and their ids. Ids that are taken by now get a number. Raises
    `EditError` where edges inside and outside cannot be put together.
    """
    node = require_node(design, node_id)
    inner = child(design, node_id)
    if not inner.workflow.nodes:
        raise EditError(
            f"There is nothing inside '{node.title}' yet. Open it and draw something, or delete it.", node_id
        )
    opened = _Opened(design, node, _renamed(design, node_id, inner))
    return opened.design(), tuple(one.id for one in opened.nodes)


def _renamed(design: Design, node_id: str, inner: Design) -> tuple[Design, dict[str, str]]:
    """The drawing inside with ids that are free outside; and what is called otherwise now, old by new."""
    workflow = design.workflow
    outside = with_workflow(design, nodes=tuple(node for node in workflow.nodes if node.id != node_id))
    names, taken = Names(outside), {one.id for one in (*outside.workflow.nodes, *workflow.edges)}
    ids = [one.id for one in (*inner.workflow.nodes, *inner.workflow.edges)]
    # First those that can stay as they are: no number may take the id of one that comes later.
    new = {one: names.take(one) for one in sorted(ids, key=lambda one: one in taken)}
    led = {node.id: new[node.id] for node in inner.workflow.nodes}
    nodes = tuple(node.model_copy(update={"id": new[node.id]}) for node in inner.workflow.nodes)
    edges = tuple(ends.renamed(edge, led).model_copy(update={"id": new[edge.id]}) for edge in inner.workflow.edges)
    start = led.get(inner.workflow.start, inner.workflow.start)
    renamed = with_workflow(inner, nodes=nodes, edges=edges, start=start)
    positions = {led.get(key, key): at for key, at in inner.positions.items()}
    return replace(renamed, positions=positions), {new_id: old for old, new_id in new.items()}


@dataclass
class _Opened:
    """A sub-workflow that is taken apart: which nodes stay, and what becomes of the edges at its border."""

    outside: Design
    sub: NodeDefinition
    renamed: tuple[Design, dict[str, str]]
    dropped: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.inner, self.old = self.renamed
        workflow = self.outside.workflow
        self.inner_edges = list(self.inner.workflow.edges)
        at = self.sub.id
        self.into = [edge for edge in workflow.edges if at in ends.targets(edge)]
        self.out_of = [edge for edge in workflow.edges if at in ends.sources(edge)]
        if any(edge in self.out_of for edge in self.into):
            self._refuse("It sends to itself. Delete that edge first.")
        self.outer = {edge.id: edge for edge in workflow.edges}
        self._leave()
        self._enter()

    def _refuse(self, why: str) -> NoReturn:
        raise EditError(f"'{self.sub.title}' cannot be expanded. {why}", self.sub.id)

    @property
    def nodes(self) -> list[NodeDefinition]:
        return [node for node in self.inner.workflow.nodes if node.id not in self.dropped]

    # --- the way in

    def _enter(self) -> None:
        start, node = self.inner.workflow.start, self.inner.workflow.node(self.inner.workflow.start)
        if node is None:
            self._refuse("The workflow inside has no start. Open it and choose one.")
        is_bare = node.type == "input" and not any(start in ends.targets(edge) for edge in self.inner_edges)
        if not is_bare or not self.into:
            for edge in self.into:
                self.outer[edge.id] = ends.renamed(edge, {self.sub.id: start})
            return
        self._through_input(start)

    def _through_input(self, start: str) -> None:
        """The edges behind the input come from where the one edge in came from, or lead where all of them lead."""
        behind = [edge for edge in self.inner_edges if start in ends.sources(edge)]
        first = self.into[0]
        if self.outside.workflow.start == self.sub.id:
            self._refuse("A run starts in it, and other nodes send to it as well. Remove the input inside.")
        if len(self.into) == 1 and _is_plain(first):
            self.inner_edges = [ends.renamed(edge, {start: ends.sources(first)[0]}) for edge in self.inner_edges]
            del self.outer[first.id]
        elif len(behind) == 1 and _is_plain(behind[0]):
            self.inner_edges = [edge for edge in self.inner_edges if edge is not behind[0]]
            for edge in self.into:
                self.outer[edge.id] = ends.renamed(edge, {self.sub.id: ends.targets(behind[0])[0]})
        else:
            self._refuse("Several edges lead to its input, and several away. Let the input send to one node only.")
        self.dropped.add(start)

    # --- the way out

    def _leave(self) -> None:
        outputs = {node.id for node in self.inner.workflow.nodes if node.type == "output"}
        if self.sub.params.get("direct_output") is True:
            if self.out_of:
                self._refuse("Its outputs are results of the workflow, yet edges lead out of it. Delete them first.")
            return
        if not outputs:
            for edge in self.out_of:
                self._refuse(f"Nothing inside puts anything out, yet the edge '{edge.id}' leads on. Delete it first.")
            return
        if not self.out_of:
            self._refuse("What it puts out goes nowhere. Lead an edge out of it, or delete the output inside.")
        if len(self.out_of) == 1 and _is_plain(self.out_of[0]):
            self._into_target(self.out_of[0], outputs)
        else:
            self._from_source(outputs)
        self.dropped |= outputs

    def _into_target(self, edge: EdgeDefinition, outputs: set[str]) -> None:
        target = ends.targets(edge)[0]
        self.inner_edges = [ends.renamed(one, dict.fromkeys(outputs, target)) for one in self.inner_edges]
        del self.outer[edge.id]

    def _from_source(self, outputs: set[str]) -> None:
        before = [edge for edge in self.inner_edges if outputs & set(ends.targets(edge))]
        sources = {source for edge in before for source in ends.sources(edge)}
        if len(sources) != 1 or len(before) != 1 or not _is_plain(before[0]):
            self._refuse("Several edges lead to its outputs, and several out of it. Let one node inside send out all.")
        self.inner_edges = [edge for edge in self.inner_edges if edge is not before[0]]
        for edge in self.out_of:
            self.outer[edge.id] = ends.renamed(edge, {self.sub.id: next(iter(sources))})

    # --- together

    def design(self) -> Design:
        workflow, sub = self.outside.workflow, self.sub.id
        memory = self._memory()
        place = next(at for at, node in enumerate(workflow.nodes) if node.id == sub)
        outer_nodes = [node for node in workflow.nodes if node.id != sub]
        nodes = self._merged(outer_nodes, self.nodes, memory.get("nodes"), place)
        edges = self._merged(list(self.outer.values()), self.inner_edges, memory.get("edges"), len(self.outer))
        made = with_workflow(
            self.outside,
            nodes=tuple(nodes),
            edges=tuple(edges),
            start=self.inner.workflow.start if workflow.start == sub else workflow.start,
        )
        self._check(made)
        positions = {key: at for key, at in self.outside.positions.items() if key != sub}
        return replace(made, positions={**positions, **self._positions(memory)})

    def _check(self, made: Design) -> None:
        seen: set[tuple[str, str]] = set()
        for edge in made.workflow.edges:
            for pair in edge_pairs(edge):
                if pair in seen:
                    self._refuse(f"Then two edges would lead from '{pair[0]}' to '{pair[1]}'. Delete one of them.")
                seen.add(pair)

    def _memory(self) -> Mapping[str, Any]:
        memory = self.inner.layout_extra.get(COLLAPSED)
        return memory if isinstance(memory, Mapping) else {}

    def _merged(self, outer: list[Any], inner: Sequence[Any], places: Any, otherwise: int) -> list[Any]:
        """Both lists as one: what was taken out of the outer one goes back to its place, all else to `otherwise`."""
        known = places if isinstance(places, Mapping) else {}

        def place(one: Any) -> int | None:
            found = known.get(self.old[one.id])
            return found if type(found) is int and found >= 0 else None

        new = [one for one in inner if place(one) is None]
        merged = [*outer[:otherwise], *new, *outer[otherwise:]]
        for one in sorted((one for one in inner if place(one) is not None), key=lambda one: place(one) or 0):
            merged.insert(place(one) or 0, one)
        return merged

    def _positions(self, memory: Mapping[str, Any]) -> dict[str, Position]:
        """As inside, moved along with the sub-workflow since it was made, or with its middle where that stands."""
        kept = {node.id for node in self.nodes}
        inside: Mapping[str, Position] = self.inner.positions
        now = self.outside.positions.get(self.sub.id)
        if now is None:
            return {key: at for key, at in inside.items() if key in kept}
        if not kept <= inside.keys() and COLLAPSED not in self.inner.layout_extra:
            inside = arrange(self.inner)
        was = _position(memory.get("at")) or centre(replace(self.inner, positions=inside), kept) or now
        dx, dy = now[0] - was[0], now[1] - was[1]
        return {key: (x + dx, y + dy) if dx or dy else (x, y) for key, (x, y) in inside.items() if key in kept}


def _position(value: Any) -> Position | None:
    match value:
        case [int() | float() as x, int() | float() as y]:
            return x, y
    return None


def _is_plain(edge: EdgeDefinition) -> bool:
    return isinstance(edge, DirectEdge) and not edge.condition
