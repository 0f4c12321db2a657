"""A sub-workflow becomes nodes again, where it stood: what `collapse` took comes back as it was."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NoReturn

from designer.model.design import Design, Points, Position
from designer.model.edge_kinds import kind_of
from designer.model.edits import ends
from designer.model.edits.dots import copied_dots, wires
from designer.model.edits.nodes import require_node, with_workflow
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
    """The nodes inside a sub-workflow in its place, and their ids. Ids that are taken by now get a number. One that is
    a file is looked up in the folder of the document, and a copy of what is drawn there is taken. Raises `EditError`
    where edges inside and outside cannot be put together, or the file cannot be used.
    """
    node = require_node(design, node_id)
    if folder is not None and is_file_child(node):
        inner = _copy_of_file(node, folder)
    else:
        inner = child(design, node_id)
    if not inner.workflow.nodes:
        raise EditError(
            f"There is nothing inside '{node.title}' yet. Open it and draw something, or delete it.",
            node_id,
        )
    opened = _Opened(design, node, _renamed(design, node_id, inner))
    return opened.design(), tuple(one.id for one in opened.nodes)


def _copy_of_file(node: NodeDefinition, folder: Path) -> Design:
    """What is drawn in the file of a node. Not of one in another folder: the paths in it are meant from there."""
    found = of_file(node, folder)
    if (folder / str(node.params["file"])).resolve().parent != folder.resolve():
        text = (
            f"'{node.params['file']}' lies in another folder, and the paths in it are meant from there. Save a copy of "
            "it beside this workflow, and choose that."
        )
        raise EditError(text, node.id)
    return found


def _renamed(
    design: Design, node_id: str, inner: Design
) -> tuple[Design, dict[str, str]]:
    """The drawing inside with ids that are free outside; and what is called otherwise now, old by new."""
    workflow = design.workflow
    outside = with_workflow(
        design, nodes=tuple(node for node in workflow.nodes if node.id != node_id)
    )
    names = Names(outside)
    taken = set(ids_of(outside.workflow))
    ids = ids_of(inner.workflow)
    # First those that can stay as they are: no number may take the id of one that comes later.
    new = {one: names.take(one) for one in sorted(ids, key=lambda one: one in taken)}
    led = {node.id: new[node.id] for node in inner.workflow.nodes}
    called = tuple(
        node.model_copy(update={"id": new[node.id]}) for node in inner.workflow.nodes
    )
    nodes = renamed_outside(called, led)
    edges = tuple(
        ends.renamed(edge, led).model_copy(update={"id": new[edge.id]})
        for edge in inner.workflow.edges
    )
    start = led.get(inner.workflow.start, inner.workflow.start)
    renamed = with_workflow(inner, nodes=nodes, edges=edges, start=start)
    positions = {led.get(key, key): at for key, at in inner.positions.items()}
    return replace(renamed, positions=positions), {
        new_id: old for old, new_id in new.items()
    }


@dataclass
class _Opened:
    """A sub-workflow that is taken apart: which nodes stay, and what becomes of the edges at its border."""

    outside: Design
    sub: NodeDefinition
    renamed: tuple[Design, dict[str, str]]
    dropped: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.inner, self.old = self.renamed
        self.new = {old: new for new, old in self.old.items()}
        workflow = self.outside.workflow
        self.inner_edges = list(self.inner.workflow.edges)
        at = self.sub.id
        self.into = [edge for edge in workflow.edges if at in edge.target_ids]
        self.out_of = [edge for edge in workflow.edges if at in edge.source_ids]
        if any(edge in self.out_of for edge in self.into):
            self._refuse("It sends to itself. Delete that edge first.")
        if any(edge.carries_failures for edge in (*self.into, *self.out_of)):
            self._refuse(
                "An error edge leads from it or to it, which means it as a whole. Delete that edge first."
            )
        self.outer = {edge.id: edge for edge in workflow.edges}
        # Who stands now for an input, an output, or the sub-workflow: ways of other sub-workflows speak of them.
        self.senders: dict[str, tuple[str, ...]] = {}
        self.receivers: dict[str, tuple[str, ...]] = {}
        if self.sub.off == "bypassed" and not self._is_chain():
            self._refuse(
                "It is bypassed as a whole, and its nodes would send other messages on one by one. Enable it."
            )
        self._leave()
        self._enter()

    def _is_chain(self) -> bool:
        """Whether each message comes through all of it and leaves as one, when no node does anything."""
        edges = [*self.into, *self.inner_edges, *self.out_of]
        pairs = [pair for edge in edges for pair in edge.pairs]
        ahead, behind = zip(*pairs, strict=True) if pairs else ((), ())
        single = len(set(ahead)) == len(pairs) == len(set(behind))
        return single and all(map(_is_plain, edges)) and not has_ways(self.sub)

    def _refuse(self, why: str) -> NoReturn:
        raise EditError(f"'{self.sub.title}' cannot be expanded. {why}", self.sub.id)

    @property
    def nodes(self) -> list[NodeDefinition]:
        left = [
            node for node in self.inner.workflow.nodes if node.id not in self.dropped
        ]
        return [self._as_before(node) for node in left]

    def _as_before(self, node: NodeDefinition) -> NodeDefinition:
        """The node with what it does when it fails, also where the workflow around says something else."""
        # it has a policy of its own inside, and takes none from around it
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
        start = self.inner.workflow.start
        if inner.node(start) is None:
            self._refuse("The workflow inside has no start. Open it and choose one.")
        ways = {
            source: self.new.get(entry, entry)
            for source, entry in entries_of(self.sub).items()
        }
        groups: dict[str, list[EdgeDefinition]] = {}
        for edge in self.into:
            places = list(
                dict.fromkeys(ways.get(source, start) for source in edge.source_ids)
            )
            if len(places) > 1:
                self._refuse(
                    "A join leads into it whose messages enter in several ways. Let them enter in one."
                )
            if inner.node(places[0]) is None:
                self._refuse(
                    f"Messages should enter at '{places[0]}', which is not inside. Remove that way in."
                )
            groups.setdefault(places[0], []).append(edge)
        for entry, edges in groups.items():
            self._enter_at(entry, edges)

    def _enter_at(self, entry: str, into: list[EdgeDefinition]) -> None:
        node = self.inner.workflow.node(entry)
        is_input = node is not None and node.type == "input"
        if node is not None and is_input and node.off == "disabled":
            self._refuse(
                f"'{node.title}' inside, where messages enter, is disabled. Enable it first."
            )
        if is_input and not any(entry in edge.target_ids for edge in self.inner_edges):
            self._through_input(entry, into)
            return
        for edge in into:
            self.outer[edge.id] = ends.renamed(edge, {self.sub.id: entry})

    def _through_input(self, entry: str, into: list[EdgeDefinition]) -> None:
        """The edges behind the input come from where the one edge in came from, or lead where all of them lead."""
        behind = [edge for edge in self.inner_edges if entry in edge.source_ids]
        first = into[0]
        self.senders[entry] = tuple(
            dict.fromkeys(source for edge in into for source in edge.source_ids)
        )
        if (
            self.outside.workflow.start == self.sub.id
            and entry == self.inner.workflow.start
        ):
            self._refuse(
                "A run starts in it, and other nodes send to it as well. Remove the input inside."
            )
        if len(into) == 1 and _is_plain(first):
            self.inner_edges = [
                ends.renamed(edge, {entry: first.source_ids[0]})
                for edge in self.inner_edges
            ]
            del self.outer[first.id]
        elif len(behind) == 1 and _is_plain(behind[0]):
            self.inner_edges = [
                edge for edge in self.inner_edges if edge is not behind[0]
            ]
            for edge in into:
                self.outer[edge.id] = ends.renamed(
                    edge, {self.sub.id: behind[0].target_ids[0]}
                )
        elif len(into) == len(behind) == 1 and self._is_one_fan_out(first, behind[0]):
            self.inner_edges = [
                edge for edge in self.inner_edges if edge is not behind[0]
            ]
            self.outer[first.id] = self._whole(first, behind[0].target_ids)
        else:
            self._refuse(
                "Several edges lead to its input, and several away. Let the input send to one node only."
            )
        self.dropped.add(entry)

    def _is_one_fan_out(self, outer: EdgeDefinition, inner: EdgeDefinition) -> bool:
        """Whether the two are the parts of a fan-out that has targets on both sides."""
        takes_all = all(
            kind_of(edge).common_condition(edge) == "" for edge in (outer, inner)
        )
        return takes_all and self.old.get(inner.id) == outer.id

    def _whole(self, outer: EdgeDefinition, inner: Sequence[str]) -> EdgeDefinition:
        targets = [
            one
            for target in outer.target_ids
            for one in (inner if target == self.sub.id else (target,))
        ]
        known = self._memory().get("targets")
        order = known.get(outer.id) if isinstance(known, Mapping) else None
        same = isinstance(order, list) and sorted(map(str, order)) == sorted(targets)
        if same and isinstance(order, list):
            targets = order
        return kind_of(outer).with_targets(outer, targets)

    # --- the ways out

    def _leave(self) -> None:
        outputs = {
            node.id for node in self.inner.workflow.nodes if node.type == "output"
        }
        ways = {
            self.new.get(output, output): to
            for output, to in exits_of(self.sub).items()
        }
        self._refuse_off(
            {*ways} if self.sub.params.get("direct_output") is True else outputs
        )
        led: list[EdgeDefinition] = []
        for output in [
            node.id
            for node in self.inner.workflow.nodes
            if node.id in outputs and node.id in ways
        ]:
            edges = [
                edge
                for edge in self.out_of
                if set(edge.target_ids) <= set(ways[output])
            ]
            if not edges:
                self._refuse(
                    f"No edge leads where '{output}' inside should send. Connect it, or remove that way out."
                )
            self._lead_out(edges, {output})
            led += edges
        if (
            led
            and outputs - ways.keys()
            and self.sub.params.get("direct_output") is not True
        ):
            self._refuse(
                "Some of its outputs have a way of their own, and others send along all edges. Give each one."
            )
        self._leave_by_all(
            [edge for edge in self.out_of if edge not in led], outputs - ways.keys()
        )
        for edge in led:
            if _is_plain(edge):
                self.outer.pop(edge.id, None)

    def _refuse_off(self, outputs: set[str]) -> None:
        """An output that is off puts nothing out; without it, what leads there would go on."""
        for node in self.inner.workflow.nodes:
            if node.id in outputs and node.off:
                self._refuse(
                    f"The output '{node.title}' inside is {node.off}. Enable it first, or delete it."
                )

    def _leave_by_all(self, out_of: list[EdgeDefinition], outputs: set[str]) -> None:
        if self.sub.params.get("direct_output") is True:
            if out_of:
                self._refuse(
                    "Its outputs are results of the workflow, yet edges lead out of it. Delete them first."
                )
            return
        if not outputs:
            for edge in out_of:
                self._refuse(
                    f"Nothing inside puts anything out, yet the edge '{edge.id}' leads on. Delete it first."
                )
            return
        if not out_of:
            self._refuse(
                "What it puts out goes nowhere. Lead an edge out of it, or delete the output inside."
            )
        self._lead_out(out_of, outputs)
        if len(out_of) == 1 and _is_plain(out_of[0]):
            del self.outer[out_of[0].id]

    def _lead_out(self, edges: list[EdgeDefinition], outputs: set[str]) -> None:
        """What leads to the outputs leads where the one edge behind them leads, or is what all edges behind come of."""
        self.receivers |= dict.fromkeys(
            outputs, tuple(target for edge in edges for target in edge.target_ids)
        )
        if len(edges) == 1 and _is_plain(edges[0]):
            target = edges[0].target_ids[0]
            self.inner_edges = [
                ends.renamed(one, dict.fromkeys(outputs, target))
                for one in self.inner_edges
            ]
        else:
            self._from_source(edges, outputs)
        self.dropped |= outputs

    def _from_source(self, edges: list[EdgeDefinition], outputs: set[str]) -> None:
        before = [edge for edge in self.inner_edges if outputs & set(edge.target_ids)]
        sources = {source for edge in before for source in edge.source_ids}
        if len(sources) != 1 or len(before) != 1 or not _is_plain(before[0]):
            self._refuse(
                "Several edges lead to its outputs, and several out of it. Let one node inside send out all."
            )
        self.inner_edges = [edge for edge in self.inner_edges if edge is not before[0]]
        for edge in edges:
            self.outer[edge.id] = ends.renamed(edge, {self.sub.id: next(iter(sources))})

    # --- together

    def design(self) -> Design:
        workflow = self.outside.workflow
        sub = self.sub.id
        memory = self._memory()
        place = next(at for at, node in enumerate(workflow.nodes) if node.id == sub)
        outer_nodes = [node for node in workflow.nodes if node.id != sub]
        nodes = self._merged(outer_nodes, self.nodes, memory.get("nodes"), place)
        edges = self._merged(
            list(self.outer.values()),
            self.inner_edges,
            memory.get("edges"),
            len(self.outer),
        )
        made = with_workflow(
            self.outside,
            nodes=tuple(nodes),
            edges=tuple(edges),
            start=self.inner.workflow.start
            if workflow.start == sub
            else workflow.start,
        )
        self._check(made)
        made = self._with_ways(made)
        positions = {
            key: at for key, at in self.outside.positions.items() if key != sub
        }
        shift = self._shift(memory)
        kept = {node.id for node in self.nodes}
        inside = {
            key: (x + shift[0], y + shift[1])
            for key, (x, y) in self._inside.items()
            if key in kept
        }
        made = replace(made, positions={**positions, **inside})
        made = replace(
            made, dots={**self.outside.dots, **self._dots(made, memory, shift)}
        )
        return pasted(made, copied(self.inner, frame_ids(self.inner)), *shift)[0]

    def _with_ways(self, made: Design) -> Design:
        """The ways of other sub-workflows, inside and outside, speak of those that send and receive now."""
        own = {node.id for node in self.nodes}
        pairs = [pair for edge in made.workflow.edges for pair in edge.pairs]

        def led(node: NodeDefinition) -> NodeDefinition:
            if node.id in own:
                return self._put_out(led_otherwise(node, self.senders, self.receivers))
            senders = [
                source
                for source, target in pairs
                if target == node.id and source in own
            ]
            receivers = [
                target
                for source, target in pairs
                if source == node.id and target in own
            ]
            return led_otherwise(node, {self.sub.id: senders}, {self.sub.id: receivers})

        return with_workflow(made, nodes=tuple(map(led, made.workflow.nodes)))

    def _put_out(self, node: NodeDefinition) -> NodeDefinition:
        """What the sub-workflow puts out only as progress, or not at all, its nodes put out so."""
        less: tuple[Outputs, ...] = ("none", "intermediate")
        outputs = next(
            (one for one in less if one in (self.sub.outputs, node.outputs)), ""
        )
        if node.outputs == outputs:
            return node
        return node.model_copy(update={"outputs": outputs})

    def _check(self, made: Design) -> None:
        seen: set[tuple[str, str]] = set()
        for edge in made.workflow.edges:
            for pair in edge.pairs:
                if pair in seen:
                    self._refuse(
                        f"Then two edges would lead from '{pair[0]}' to '{pair[1]}'. Delete one of them."
                    )
                seen.add(pair)

    def _memory(self) -> Mapping[str, Any]:
        memory = self.inner.layout_extra.get(COLLAPSED)
        return memory if isinstance(memory, Mapping) else {}

    def _merged(
        self, outer: list[Any], inner: Sequence[Any], places: Any, otherwise: int
    ) -> list[Any]:
        """Both lists as one: what was taken out of the outer one goes back to its place, all else to `otherwise`."""
        known = places if isinstance(places, Mapping) else {}

        def place(one: Any) -> int | None:
            found = known.get(self.old[one.id])
            return found if type(found) is int and found >= 0 else None

        new = [one for one in inner if place(one) is None]
        merged = [*outer[:otherwise], *new, *outer[otherwise:]]
        for one in sorted(
            (one for one in inner if place(one) is not None),
            key=lambda one: place(one) or 0,
        ):
            merged.insert(place(one) or 0, one)
        return merged

    @cached_property
    def _inside(self) -> Mapping[str, Position]:
        """Where the nodes stand inside; laid out if some of them never were, and no collapse left them so."""
        inside = self.inner.positions
        kept = {node.id for node in self.nodes}
        bare = (
            self.sub.id in self.outside.positions
            and COLLAPSED not in self.inner.layout_extra
        )
        return arrange(self.inner) if bare and not kept <= inside.keys() else inside

    def _shift(self, memory: Mapping[str, Any]) -> Position:
        """How far the sub-workflow was moved since it was made; for any other, so far that its middle is there."""
        now = self.outside.positions.get(self.sub.id)
        inside = replace(self.inner, positions=self._inside)
        if now is None:
            return 0.0, 0.0
        was = (
            _position(memory.get("at"))
            or centre(inside, {node.id for node in self.nodes})
            or now
        )
        return now[0] - was[0], now[1] - was[1]

    def _dots(
        self, made: Design, memory: Mapping[str, Any], shift: Position
    ) -> dict[str, Mapping[str, Points]]:
        """The dots of wires inside, and of those at the border that are as they were."""
        edges = {edge.id: edge for edge in made.workflow.edges}
        found: dict[str, Mapping[str, Points]] = {}
        for edge in self.inner.workflow.edges:
            if edge.id in edges and self.old[edge.id] in self.inner.dots:
                same = {one: one for one in ends.ends(edge)}
                dots = {edge.id: self.inner.dots[self.old[edge.id]]}
                found[edge.id] = copied_dots(dots, edge, edges[edge.id], same, shift)
        known = memory.get("dots")
        for key, lines in known.items() if isinstance(known, Mapping) else ():
            edge_id = self.new.get(key, key)
            if edge_id in edges and isinstance(lines, Mapping):
                there = wires(edges[edge_id])
                found[edge_id] = {
                    wire: _points(at, shift)
                    for wire, at in lines.items()
                    if wire in there
                }
        return {key: lines for key, lines in found.items() if lines}


def _points(value: Any, shift: Position) -> Points:
    points = map(_position, value) if isinstance(value, list | tuple) else ()
    return tuple(
        (at[0] + shift[0], at[1] + shift[1]) for at in points if at is not None
    )


def _position(value: Any) -> Position | None:
    match value:
        case [int() | float() as x, int() | float() as y]:
            return x, y
    return None


def _is_plain(edge: EdgeDefinition) -> bool:
    return kind_of(edge).is_plain(edge)
