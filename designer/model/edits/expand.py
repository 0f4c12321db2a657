"""A sub-workflow becomes nodes again, in its place: what `collapse` took comes back as
it was.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NoReturn

from designer.model.design import Design, Points, Position, require_node
from designer.model.edge_kinds import kind_of
from designer.model.edits import ends
from designer.model.edits.dots import copied_dots, wires
from designer.model.edits.nodes import with_workflow
from designer.model.edits.ways import has_ways, led_otherwise, renamed_outside
from designer.model.errors import EditError
from designer.model.frames import copied, frame_ids, pasted
from designer.model.inside import COLLAPSED, centre, child, of_file
from designer.model.layout.arrange import arrange
from designer.model.names import Names, ids_of
from runtime.document.definition import (
    EdgeDefinition,
    NodeDefinition,
    Outputs,
    RetryDefinition,
)
from runtime.document.sub_workflows import SUB_WORKFLOW, is_file_child
from runtime.document.ways import entries_of, exits_of


def expand(
    design: Design, node_id: str, folder: Path | None = None
) -> tuple[Design, tuple[str, ...]]:
    """Put the nodes inside a sub-workflow in its place, and return their ids too. Ids
    that are taken get a number.

    Of a sub-workflow in a file, which is looked up in the folder of the document, a
    copy is taken. Raise `EditError` where edges inside and outside cannot be put
    together, or the file cannot be used.
    """
    node = require_node(design, node_id)
    if folder is not None and is_file_child(node):
        inner = _copy_of_file(node, folder)
    else:
        inner = child(design, node_id)
    if not inner.workflow.nodes:
        text = (
            f"There is nothing inside '{node.title}' yet. "
            "Open it and draw something, or delete it."
        )
        raise EditError(text, node_id)
    opened = _Opened(design, node, _renamed(design, node_id, inner))
    return opened.design(), tuple(inner_node.id for inner_node in opened.nodes)


def _copy_of_file(node: NodeDefinition, folder: Path) -> Design:
    """Return what is drawn in the file of a node.

    Not of a file in another folder, because the paths in it are relative to that.
    """
    inner = of_file(node, folder)
    name = str(node.params["file"])
    if (folder / name).resolve().parent != folder.resolve():
        text = (
            f"'{name}' is in another folder, and the paths in it are relative to that "
            "one. Save a copy of it beside this workflow, and choose that."
        )
        raise EditError(text, node.id)
    return inner


def _renamed(
    design: Design, node_id: str, inner: Design
) -> tuple[Design, dict[str, str]]:
    """Return the drawing inside with ids that are free outside; and its ids from
    before, by the new ones.
    """
    workflow = design.workflow
    others = tuple(node for node in workflow.nodes if node.id != node_id)
    outside = with_workflow(design, nodes=others)
    names = Names(outside)
    taken = set(ids_of(outside.workflow))
    # First those that can stay as they are: no number may take the id of one that comes
    # later.
    ids = sorted(ids_of(inner.workflow), key=lambda inner_id: inner_id in taken)
    new_ids = {inner_id: names.take(inner_id) for inner_id in ids}
    new_node_ids = {node.id: new_ids[node.id] for node in inner.workflow.nodes}
    nodes = tuple(
        node.model_copy(update={"id": new_ids[node.id]})
        for node in inner.workflow.nodes
    )
    edges = tuple(
        ends.renamed(edge, new_node_ids).model_copy(update={"id": new_ids[edge.id]})
        for edge in inner.workflow.edges
    )
    start = inner.workflow.start
    renamed = with_workflow(
        inner,
        nodes=renamed_outside(nodes, new_node_ids),
        edges=edges,
        start=new_node_ids.get(start, start),
    )
    positions = {
        new_node_ids.get(inner_id, inner_id): place
        for inner_id, place in inner.positions.items()
    }
    ids_before = {new_id: inner_id for inner_id, new_id in new_ids.items()}
    return replace(renamed, positions=positions), ids_before


@dataclass
class _Opened:
    """A sub-workflow that is taken apart: which nodes stay, and what becomes of the
    edges at its border.

    outside       the design with the sub-workflow `sub`
    renamed       the drawing inside under free ids, and its ids from before, by the new ones
    dropped       inputs and outputs inside that are gone because edges lead past them
    outer         the edges outside, by the ids that they had
    inner_edges   the edges inside
    senders, receivers   the nodes that take the place of an input, an output, or the sub-workflow: the ways of other
                         sub-workflows name them
    """

    outside: Design
    sub: NodeDefinition
    renamed: tuple[Design, dict[str, str]]
    dropped: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.inner, self.ids_before = self.renamed
        self.new_ids = {before: new_id for new_id, before in self.ids_before.items()}
        edges = self.outside.workflow.edges
        self.inner_edges = list(self.inner.workflow.edges)
        self.into = [edge for edge in edges if self.sub.id in edge.target_ids]
        self.out_of = [edge for edge in edges if self.sub.id in edge.source_ids]
        if any(edge in self.out_of for edge in self.into):
            self._refuse("It sends to itself. Delete that edge first.")
        if any(edge.carries_failures for edge in (*self.into, *self.out_of)):
            self._refuse(
                "An error edge leads from it or to it, which means it as a whole. "
                "Delete that edge first."
            )
        self.outer = {edge.id: edge for edge in edges}
        self.senders: dict[str, tuple[str, ...]] = {}
        self.receivers: dict[str, tuple[str, ...]] = {}
        if self.sub.off == "bypassed" and not self._is_chain():
            self._refuse(
                "It is bypassed as a whole, and its nodes would send other messages "
                "on one by one. Enable it."
            )
        # The ways out first: where an input leads straight to an output, edges in are
        # then led to the receiver outside.
        self._leave()
        self._enter()

    def _is_chain(self) -> bool:
        """Return whether each message comes through all of it and leaves as one, when
        no node does anything.
        """
        edges = [*self.into, *self.inner_edges, *self.out_of]
        pairs = [pair for edge in edges for pair in edge.pairs]
        sources = {source for source, _ in pairs}
        targets = {target for _, target in pairs}
        is_single = len(sources) == len(pairs) == len(targets)
        return is_single and all(map(_is_plain, edges)) and not has_ways(self.sub)

    def _refuse(self, why: str) -> NoReturn:
        raise EditError(f"'{self.sub.title}' cannot be expanded. {why}", self.sub.id)

    @property
    def nodes(self) -> list[NodeDefinition]:
        return [
            self._with_policy(node)
            for node in self.inner.workflow.nodes
            if node.id not in self.dropped
        ]

    def _with_policy(self, node: NodeDefinition) -> NodeDefinition:
        """Return the node with what it does when it fails, also where the workflow
        around it says something else.
        """
        # A sub-workflow has a policy of its own inside, and takes none from around it.
        if node.type == SUB_WORKFLOW:
            return node
        inner = self.inner.workflow
        outer = self.outside.workflow
        changes: dict[str, Any] = {}
        if node.retry is None and inner.retry != outer.retry:
            changes["retry"] = inner.retry or RetryDefinition(attempts=1)
        if node.timeout is None and inner.timeout != outer.timeout:
            changes["timeout"] = inner.timeout or 0.0
        return node.model_copy(update=changes) if changes else node

    # --- the ways in

    def _enter(self) -> None:
        inner = self.inner.workflow
        if inner.node(inner.start) is None:
            self._refuse("The workflow inside has no start. Open it and choose one.")
        entries = {
            source: self.new_ids.get(entry, entry)
            for source, entry in entries_of(self.sub).items()
        }
        by_entry: dict[str, list[EdgeDefinition]] = {}
        for edge in self.into:
            entered = {entries.get(source, inner.start) for source in edge.source_ids}
            if len(entered) > 1:
                self._refuse(
                    "A join leads into it whose messages enter in several ways. "
                    "Let them enter in one."
                )
            (entry,) = entered
            if inner.node(entry) is None:
                self._refuse(
                    f"Messages should enter at '{entry}', which is not inside. "
                    "Remove that way in."
                )
            by_entry.setdefault(entry, []).append(edge)
        for entry, edges in by_entry.items():
            self._enter_at(entry, edges)

    def _enter_at(self, entry: str, into: list[EdgeDefinition]) -> None:
        node = self.inner.workflow.node(entry)
        is_input = node is not None and node.type == "input"
        if node is not None and is_input and node.off == "disabled":
            self._refuse(
                f"'{node.title}' inside, where messages enter, is disabled. "
                "Enable it first."
            )
        is_entered_inside = any(entry in edge.target_ids for edge in self.inner_edges)
        if is_input and not is_entered_inside:
            self._through_input(entry, into)
            return
        for edge in into:
            self.outer[edge.id] = ends.renamed(edge, {self.sub.id: entry})

    def _through_input(self, entry: str, into: list[EdgeDefinition]) -> None:
        """Let the edges behind an input come from the one sender, or the edges in lead
        to the one receiver.
        """
        behind = [edge for edge in self.inner_edges if entry in edge.source_ids]
        first = into[0]
        senders = dict.fromkeys(source for edge in into for source in edge.source_ids)
        self.senders[entry] = tuple(senders)
        starts_run = self.outside.workflow.start == self.sub.id
        if starts_run and entry == self.inner.workflow.start:
            self._refuse(
                "A run starts in it, and other nodes send to it as well. "
                "Remove the input inside."
            )
        if len(into) == 1 and _is_plain(first):
            names = {entry: first.source_ids[0]}
            self.inner_edges = [ends.renamed(edge, names) for edge in self.inner_edges]
            del self.outer[first.id]
        elif len(behind) == 1 and _is_plain(behind[0]):
            self._remove_inner(behind[0])
            receiver = behind[0].target_ids[0]
            for edge in into:
                self.outer[edge.id] = ends.renamed(edge, {self.sub.id: receiver})
        elif len(into) == len(behind) == 1 and self._is_one_fan_out(first, behind[0]):
            self._remove_inner(behind[0])
            self.outer[first.id] = self._rejoined(first, behind[0].target_ids)
        else:
            self._refuse(
                "Several edges lead to its input, and several away. "
                "Let the input send to one node only."
            )
        self.dropped.add(entry)

    def _remove_inner(self, edge: EdgeDefinition) -> None:
        self.inner_edges = [other for other in self.inner_edges if other is not edge]

    def _is_one_fan_out(self, outer: EdgeDefinition, inner: EdgeDefinition) -> bool:
        """Return whether the two are the parts of a fan-out that has targets on both
        sides.
        """
        takes_all = all(
            kind_of(edge).common_condition(edge) == "" for edge in (outer, inner)
        )
        return takes_all and self.ids_before.get(inner.id) == outer.id

    def _rejoined(
        self, outer: EdgeDefinition, inner_targets: Sequence[str]
    ) -> EdgeDefinition:
        """Return the two parts of a fan-out as one, with its targets in the order that
        they had.
        """
        targets: list[str] = []
        for target in outer.target_ids:
            if target == self.sub.id:
                targets += inner_targets
            else:
                targets.append(target)
        known = self._memory().get("targets")
        order = known.get(outer.id) if isinstance(known, Mapping) else None
        if isinstance(order, list) and sorted(map(str, order)) == sorted(targets):
            targets = order
        return kind_of(outer).with_targets(outer, targets)

    # --- the ways out

    def _leave(self) -> None:
        outputs = [
            node.id for node in self.inner.workflow.nodes if node.type == "output"
        ]
        exits = {
            self.new_ids.get(output, output): set(receivers)
            for output, receivers in exits_of(self.sub).items()
        }
        without_way = set(outputs) - exits.keys()
        is_direct = self.sub.params.get("direct_output") is True
        self._refuse_off(set(exits) if is_direct else set(outputs))
        led_edges: list[EdgeDefinition] = []
        for output in outputs:
            if output not in exits:
                continue
            edges = [
                edge for edge in self.out_of if set(edge.target_ids) <= exits[output]
            ]
            if not edges:
                self._refuse(
                    f"No edge leads where '{output}' inside should send. "
                    "Connect it, or remove that way out."
                )
            self._lead_out(edges, {output})
            led_edges += edges
        if led_edges and without_way and not is_direct:
            self._refuse(
                "Some of its outputs have a way of their own, and others send along "
                "all edges. Give each one."
            )
        other_edges = [edge for edge in self.out_of if edge not in led_edges]
        self._leave_by_all(other_edges, without_way)
        for edge in led_edges:
            if _is_plain(edge):
                self.outer.pop(edge.id, None)

    def _refuse_off(self, outputs: set[str]) -> None:
        """Refuse outputs that are off: they yield nothing, and without them what leads
        there would go on.
        """
        for node in self.inner.workflow.nodes:
            if node.id in outputs and node.off:
                self._refuse(
                    f"The output '{node.title}' inside is {node.off}. "
                    "Enable it first, or delete it."
                )

    def _leave_by_all(self, out_of: list[EdgeDefinition], outputs: set[str]) -> None:
        if self.sub.params.get("direct_output") is True:
            if out_of:
                self._refuse(
                    "Its outputs are results of the workflow, yet edges lead out of "
                    "it. Delete them first."
                )
            return
        if not outputs:
            for edge in out_of:
                self._refuse(
                    f"Nothing inside yields an output, yet the edge '{edge.id}' leads "
                    "on. Delete it first."
                )
            return
        if not out_of:
            self._refuse(
                "Its output goes nowhere. Lead an edge out of it, or delete the output "
                "inside."
            )
        self._lead_out(out_of, outputs)
        if len(out_of) == 1 and _is_plain(out_of[0]):
            del self.outer[out_of[0].id]

    def _lead_out(self, edges: list[EdgeDefinition], outputs: set[str]) -> None:
        """Lead edges past outputs: to the one receiver behind these, or from the one
        sender before them.
        """
        receivers = tuple(target for edge in edges for target in edge.target_ids)
        self.receivers |= dict.fromkeys(outputs, receivers)
        if len(edges) == 1 and _is_plain(edges[0]):
            names = dict.fromkeys(outputs, receivers[0])
            self.inner_edges = [ends.renamed(edge, names) for edge in self.inner_edges]
        else:
            self._from_source(edges, outputs)
        self.dropped |= outputs

    def _from_source(self, edges: list[EdgeDefinition], outputs: set[str]) -> None:
        before = [edge for edge in self.inner_edges if outputs & set(edge.target_ids)]
        if len(before) != 1 or not _is_plain(before[0]):
            self._refuse(
                "Several edges lead to its outputs, and several out of it. "
                "Let one node inside send out all."
            )
        self._remove_inner(before[0])
        (sender,) = before[0].source_ids
        for edge in edges:
            self.outer[edge.id] = ends.renamed(edge, {self.sub.id: sender})

    # --- together

    def design(self) -> Design:
        """Return the design with all nodes and edges of the sub-workflow in its place."""
        workflow = self.outside.workflow
        sub_id = self.sub.id
        memory = self._memory()
        place = [node.id for node in workflow.nodes].index(sub_id)
        outer_nodes = [node for node in workflow.nodes if node.id != sub_id]
        outer_edges = list(self.outer.values())
        nodes = self._merged(outer_nodes, self.nodes, memory.get("nodes"), place)
        edges = self._merged(
            outer_edges, self.inner_edges, memory.get("edges"), len(outer_edges)
        )
        is_start = workflow.start == sub_id
        expanded = with_workflow(
            self.outside,
            nodes=tuple(nodes),
            edges=tuple(edges),
            start=self.inner.workflow.start if is_start else workflow.start,
        )
        self._refuse_doubles(expanded)
        expanded = self._with_ways(expanded)
        shift = self._shift(memory)
        positions = dict(self.outside.positions)
        positions.pop(sub_id, None)
        inner_ids = {node.id for node in self.nodes}
        for node_id, (x, y) in self._inner_places.items():
            if node_id in inner_ids:
                positions[node_id] = (x + shift[0], y + shift[1])
        dots = {**self.outside.dots, **self._dots(expanded, memory, shift)}
        expanded = replace(expanded, positions=positions, dots=dots)
        frames = copied(self.inner, frame_ids(self.inner))
        return pasted(expanded, frames, *shift)[0]

    def _with_ways(self, expanded: Design) -> Design:
        """Let the ways of other sub-workflows, inside and outside, name the nodes that
        send and receive now.
        """
        inner_ids = {node.id for node in self.nodes}
        pairs = [pair for edge in expanded.workflow.edges for pair in edge.pairs]

        def with_ways(node: NodeDefinition) -> NodeDefinition:
            if node.id in inner_ids:
                led = led_otherwise(node, self.senders, self.receivers)
                return self._with_outputs(led)
            senders = [
                source
                for source, target in pairs
                if target == node.id and source in inner_ids
            ]
            receivers = [
                target
                for source, target in pairs
                if source == node.id and target in inner_ids
            ]
            return led_otherwise(node, {self.sub.id: senders}, {self.sub.id: receivers})

        nodes = tuple(map(with_ways, expanded.workflow.nodes))
        return with_workflow(expanded, nodes=nodes)

    def _with_outputs(self, node: NodeDefinition) -> NodeDefinition:
        """Return a node whose outputs count no more than those of the sub-workflow did."""
        outputs: Outputs = ""
        if "none" in (self.sub.outputs, node.outputs):
            outputs = "none"
        elif "intermediate" in (self.sub.outputs, node.outputs):
            outputs = "intermediate"
        if node.outputs == outputs:
            return node
        return node.model_copy(update={"outputs": outputs})

    def _refuse_doubles(self, expanded: Design) -> None:
        known: set[tuple[str, str]] = set()
        for edge in expanded.workflow.edges:
            for source, target in edge.pairs:
                if (source, target) in known:
                    self._refuse(
                        f"Then two edges would lead from '{source}' to '{target}'. "
                        "Delete one of them."
                    )
                known.add((source, target))

    def _memory(self) -> Mapping[str, Any]:
        """Return what `collapse` noted of the drawing outside."""
        memory = self.inner.layout_extra.get(COLLAPSED)
        return memory if isinstance(memory, Mapping) else {}

    def _merged(
        self, outer: list[Any], inner: Sequence[Any], places: Any, otherwise: int
    ) -> list[Any]:
        """Return both lists as one: items that came from the outer one are back in
        place, others at `otherwise`.
        """
        known = places if isinstance(places, Mapping) else {}
        placed: list[tuple[int, Any]] = []
        unplaced: list[Any] = []
        for item in inner:
            place = known.get(self.ids_before[item.id])
            if type(place) is int and place >= 0:
                placed.append((place, item))
            else:
                unplaced.append(item)
        merged = [*outer[:otherwise], *unplaced, *outer[otherwise:]]
        for place, item in sorted(placed, key=lambda entry: entry[0]):
            merged.insert(place, item)
        return merged

    @cached_property
    def _inner_places(self) -> Mapping[str, Position]:
        """Where the nodes inside are: laid out if some of them never were, and no
        collapse left them so.
        """
        positions = self.inner.positions
        is_placed = self.sub.id in self.outside.positions
        is_collapsed = COLLAPSED in self.inner.layout_extra
        inner_ids = {node.id for node in self.nodes}
        if is_placed and not is_collapsed and not inner_ids <= positions.keys():
            return arrange(self.inner)
        return positions

    def _shift(self, memory: Mapping[str, Any]) -> Position:
        """Return how far the sub-workflow was moved since it was made; for any other,
        how far its middle is away.
        """
        place = self.outside.positions.get(self.sub.id)
        if place is None:
            return 0.0, 0.0
        inner = replace(self.inner, positions=self._inner_places)
        inner_ids = {node.id for node in self.nodes}
        before = _position(memory.get("at")) or centre(inner, inner_ids) or place
        return place[0] - before[0], place[1] - before[1]

    def _dots(
        self, expanded: Design, memory: Mapping[str, Any], shift: Position
    ) -> dict[str, Mapping[str, Points]]:
        """Return the dots of wires inside, and of those at the border that are as they
        were.
        """
        edges = {edge.id: edge for edge in expanded.workflow.edges}
        dots: dict[str, Mapping[str, Points]] = {}
        for edge in self.inner.workflow.edges:
            inner_lines = self.inner.dots.get(self.ids_before[edge.id])
            if edge.id in edges and inner_lines is not None:
                same_names = {end: end for end in ends.ends(edge)}
                dots[edge.id] = copied_dots(
                    {edge.id: inner_lines}, edge, edges[edge.id], same_names, shift
                )
        noted = memory.get("dots")
        for noted_id, lines in noted.items() if isinstance(noted, Mapping) else ():
            edge_id = self.new_ids.get(noted_id, noted_id)
            if edge_id in edges and isinstance(lines, Mapping):
                known_wires = wires(edges[edge_id])
                dots[edge_id] = {
                    wire: _points(points, shift)
                    for wire, points in lines.items()
                    if wire in known_wires
                }
        return {edge_id: lines for edge_id, lines in dots.items() if lines}


def _points(value: Any, shift: Position) -> Points:
    """Return the points of a list that a file holds, moved by a shift; what is no point
    is left out.
    """
    points: list[Position] = []
    for item in value if isinstance(value, list | tuple) else ():
        point = _position(item)
        if point is not None:
            points.append((point[0] + shift[0], point[1] + shift[1]))
    return tuple(points)


def _position(value: Any) -> Position | None:
    match value:
        case [int() | float() as x, int() | float() as y]:
            return x, y
    return None


def _is_plain(edge: EdgeDefinition) -> bool:
    return kind_of(edge).is_plain(edge)
