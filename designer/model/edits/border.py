"""Where edges cross the border of nodes that become a sub-workflow, and what becomes of
them inside and outside.

One way in, or out, has a plain form on each side:

in    outside   all edges lead to one node inside, which is the start there; they now lead to the sub-workflow
      inside    all edges come from one node outside and stay whole; they move inside, behind an input
out   inside    all edges lead to one node outside and stay whole; they move inside, in front of an output
      outside   all edges come from one node inside, which gets an output; they now come from the sub-workflow

Several ways are told apart by the nodes outside: messages enter by their sender
(`entries` of the sub-workflow), and leave by their receiver (`exits`), so each sender
has one place inside and each receiver an output:

in    one edge leads from a sender to one node inside; it stays outside, and that node is where its messages enter
      all edges of a sender lead inside; they move inside, behind an input of its own
      a fan-out has targets on both sides: each side gets its part, and both parts have the id of the whole
out   each node outside gets an output inside; groups move inside whole, and a plain edge leads on from there
      a join that also waits for nodes outside stays there

Edges that have none of these forms are refused, because a group would be cut in two
that decides, or waits, as a whole.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from designer.model.design import Design
from designer.model.edge_kinds import kind_of
from designer.model.edge_kinds.base import plain_edge
from designer.model.edits import ends
from designer.model.edits.ways import led_otherwise
from designer.model.errors import EditError
from designer.model.names import Names
from runtime.document.definition import (
    EdgeDefinition,
    NodeDefinition,
    WorkflowDefinition,
)
from runtime.document.graph import reached
from runtime.document.sub_workflows import SUB_WORKFLOW
from runtime.document.ways import entries_of, exits_of


@dataclass
class Side:
    """What becomes of the edges that cross one side.

    added     inputs or outputs that are new inside         moved  edges that move inside, as they are there, by id
    wires     plain edges inside, to outputs                links  ends of plain edges outside; "" is the sub-workflow
    parts     fan-outs of which a part is inside, as it is there
    ways      `entries` or `exits` of the sub-workflow      start  where messages enter that no way in names
    stand_ins what is inside in the place of a node outside: the ways of sub-workflows that go inside name it
    """

    added: list[NodeDefinition] = field(default_factory=list)
    moved: dict[str, EdgeDefinition] = field(default_factory=dict)
    wires: list[EdgeDefinition] = field(default_factory=list)
    links: list[tuple[str, str]] = field(default_factory=list)
    parts: list[EdgeDefinition] = field(default_factory=list)
    ways: dict[str, str | list[str]] = field(default_factory=dict)
    start: str = ""
    stand_ins: dict[str, tuple[str, ...]] = field(default_factory=dict)


class Border:
    """The edges of a design by where they are: inside the chosen nodes, coming in,
    going out.

    Raise `EditError` where they have no form.
    """

    def __init__(self, design: Design, inside: set[str]) -> None:
        self.design = design
        self.inside = inside
        self.titles = {node.id: node.title for node in design.workflow.nodes}
        self.inner: list[EdgeDefinition] = []
        self.coming: list[EdgeDefinition] = []
        self.going: list[EdgeDefinition] = []
        for edge in design.workflow.edges:
            self._sort(edge)
        nodes = tuple(node for node in design.workflow.nodes if node.id in inside)
        edges = (*self.inner, *self.coming, *self.going)
        # For inputs, outputs and edges that are new inside: only ids inside matter
        # there.
        self._names = Names(Design(WorkflowDefinition(nodes=nodes, edges=edges)))
        self.yields = any(map(_may_yield, nodes))
        self.inner_ways = {
            node.id: (entries_of(node), exits_of(node))
            for node in nodes
            if node.type == SUB_WORKFLOW
        }
        self.entry = self._entry()
        self.leave = self._leave()

    def _sort(self, edge: EdgeDefinition) -> None:
        sources = set(edge.source_ids)
        targets = set(edge.target_ids)
        ends = sources | targets
        if ends.isdisjoint(self.inside):
            return
        if ends <= self.inside:
            self.inner.append(edge)
        elif edge.carries_failures:
            text = (
                f"An error edge leads from {self.names(sources)} to "
                f"{self.names(targets)}. From outside, a sub-workflow fails as a "
                "whole: take both nodes along, or delete that edge first."
            )
            raise EditError(text, edge.id)
        elif sources.isdisjoint(self.inside):
            self.coming.append(edge)
        elif targets.isdisjoint(self.inside) or edge.join is None:
            self.going.append(edge)
        else:
            text = (
                f"The join into {self.names(targets)} waits for nodes in the "
                f"selection and for others. Take {self.names(sources - self.inside)} "
                "along, or leave the join out."
            )
            raise EditError(text, edge.id)

    def names(self, ids: Iterable[str]) -> str:
        """Return nodes as a sentence lists them."""
        names = sorted(self.titles.get(node_id, node_id) for node_id in ids)
        if len(names) == 1:
            return names[0]
        return f"{', '.join(names[:-1])} and {names[-1]}"

    def _targets_inside(self, edge: EdgeDefinition) -> list[str]:
        return [target for target in edge.target_ids if target in self.inside]

    def _targets_outside(self, edge: EdgeDefinition) -> list[str]:
        return [target for target in edge.target_ids if target not in self.inside]

    def stand_for_chosen(self, node: NodeDefinition, sub_id: str) -> NodeDefinition:
        """Return a node outside, whose ways name the sub-workflow where they named
        nodes that are inside it now.

        Raise `EditError` where it tells those apart.
        """
        senders = {}
        receivers = {}
        for edge in (*self.coming, *self.going):
            for source, target in edge.pairs:
                if target == node.id and source in self.inside:
                    senders[source] = (sub_id,)
                if source == node.id and target in self.inside:
                    receivers[target] = (sub_id,)
        return led_otherwise(node, senders, receivers)

    # --- the ways in

    def _has_way_for(self, targets: Iterable[str], sources: Collection[str]) -> bool:
        """Return whether a target is a sub-workflow with a way in for a source: inside,
        an input is that source.
        """
        for target in targets:
            if target in self.inner_ways:
                entries, _ = self.inner_ways[target]
                if not entries.keys().isdisjoint(sources):
                    return True
        return False

    def _entry(self) -> Side:
        start = self.design.workflow.start
        sources = list(
            dict.fromkeys(source for edge in self.coming for source in edge.source_ids)
        )
        entered = {
            target for edge in self.coming for target in self._targets_inside(edge)
        }
        if start in self.inside:
            entered.add(start)
        if len(entered) <= 1 and not self._has_way_for(entered, sources):
            return Side(start=next(iter(entered), ""))
        is_whole = not any(self._targets_outside(edge) for edge in self.coming)
        if len(sources) == 1 and start not in self.inside and is_whole:
            side = Side()
            side.start = self._behind_input(side, self.coming, sources[0])
            side.links.append((sources[0], ""))
            return side
        side = Side(start=start if start in self.inside else "")
        for source in sources:
            entry = self._way_in(side, source)
            side.ways[source] = entry
            side.start = side.start or entry
        self._refuse_waiting_for_several(side)
        return side

    def _way_in(self, side: Side, source: str) -> str:
        """Return where the messages of one sender enter."""
        edges = [edge for edge in self.coming if source in edge.source_ids]
        entered = list(
            dict.fromkeys(
                target for edge in edges for target in self._targets_inside(edge)
            )
        )
        if len(edges) == len(entered) == 1 and not self._has_way_for(entered, [source]):
            return entered[0]
        if any(edge.join is not None for edge in edges):
            text = (
                f"{self.names([source])} sends to {self.names(entered)}, to one of "
                "them through a join. Take it along, or choose only one of them."
            )
            raise EditError(text, *entered)
        divided = [edge for edge in edges if self._targets_outside(edge)]
        if not divided:
            side.links.append((source, ""))
            return self._behind_input(side, edges, source)
        if len(edges) == 1 and kind_of(edges[0]).common_condition(edges[0]) == "":
            return self._behind_part(side, edges[0])
        others = {target for edge in divided for target in self._targets_outside(edge)}
        text = (
            f"{self.names([source])} decides between {self.names(entered)}, which you "
            f"have chosen, and {self.names(others)}. Take {self.names(others)} along, "
            f"or choose only one of {self.names(entered)}."
        )
        raise EditError(text, *entered)

    def _input(self, side: Side) -> str:
        input_id = self._names.take("input")
        side.added.append(NodeDefinition(id=input_id, type="input", name="Input"))
        return input_id

    def _behind_input(
        self, side: Side, edges: Iterable[EdgeDefinition], source: str
    ) -> str:
        """Move all edges of a sender behind an input of its own."""
        input_id = self._input(side)
        side.stand_ins[source] = (input_id,)
        for edge in edges:
            side.moved[edge.id] = ends.renamed(edge, {source: input_id})
        return input_id

    def _behind_part(self, side: Side, edge: EdgeDefinition) -> str:
        """Put the part of a group that leads inside behind an input.

        It keeps the id of the group, so that expanding can join the two parts again.
        """
        input_id = self._input(side)
        source = edge.source_ids[0]
        side.stand_ins[source] = (input_id,)
        # Every target gets every message, so that each side can have its part of the
        # group.
        part = ends.without(edge, self._targets_outside(edge))
        if part is not None:
            moved = ends.renamed(part, {source: input_id})
            side.parts.append(moved.model_copy(update={"id": edge.id}))
        return input_id

    def _refuse_waiting_for_several(self, side: Side) -> None:
        """Refuse joins that collect what enters in several ways.

        Each message begins a run of its own inside: a join there gets what one message
        leads to, and no more.
        """
        following: dict[str, list[str]] = {}
        for edge in (*self.inner, *self.going, *side.moved.values(), *side.parts):
            for source, target in edge.pairs:
                following.setdefault(source, []).append(target)
        entries = {side.start, *map(str, side.ways.values())}
        reached_sets = [reached(following, entry) for entry in entries]
        for edge in (*self.inner, *self.going):
            if edge.join is None or edge.join.policy == "any":
                continue
            sources = set(edge.source_ids) & self.inside
            for nodes in reached_sets:
                if nodes & sources and not sources <= nodes:
                    text = (
                        f"The join into {self.names(edge.target_ids)} collects "
                        "messages that come into the selection in several ways, and "
                        "in a sub-workflow each message begins a run of its own. Take "
                        "along where the messages come from, or leave the join out."
                    )
                    raise EditError(text, edge.id)

    # --- the ways out

    def _leave(self) -> Side:
        side = Side()
        if not self.going:
            return side
        senders = {
            source
            for edge in self.going
            for source in edge.source_ids
            if source in self.inside
        }
        receivers = {
            target for edge in self.going for target in self._targets_outside(edge)
        }
        is_whole = all(set(edge.source_ids) <= self.inside for edge in self.going)
        if len(receivers) == 1 and is_whole and not self.yields:
            (receiver,) = receivers
            output = self._output(side)
            side.stand_ins[receiver] = (output,)
            for edge in self.going:
                side.moved[edge.id] = ends.renamed(edge, {receiver: output})
            side.links.append(("", receiver))
            return side
        is_plain_way = not self.yields and not self._chooses(senders)
        leads_inside = any(self._targets_inside(edge) for edge in self.going)
        if len(senders) == 1 and is_plain_way and not leads_inside:
            (sender,) = senders
            self._wire(side, sender, self._output(side))
        else:
            self._ways_out(side)
        return side

    def _chooses(self, sources: Iterable[str]) -> bool:
        """Return whether one of these is a sub-workflow that sends different things to
        different nodes.
        """
        return any(
            source in self.inner_ways and self.inner_ways[source][1]
            for source in sources
        )

    def _ways_out(self, side: Side) -> None:
        """Make an output for each node outside that gets something, and one for each
        join that waits outside.
        """
        outputs: dict[str, str] = {}
        for edge in self.going:
            if not set(edge.source_ids) <= self.inside:
                self._lead_to_join(side, edge)
                continue
            for target in self._targets_outside(edge):
                if target not in outputs:
                    outputs[target] = self._way_out(side, target)
                    side.links.append(("", target))
            side.moved[edge.id] = ends.renamed(edge, outputs)

    def _lead_to_join(self, side: Side, edge: EdgeDefinition) -> None:
        sources = [source for source in edge.source_ids if source in self.inside]
        target = edge.target_ids[0]
        others = [
            other
            for other in self.going
            if other is not edge and target in other.target_ids
        ]
        if len(sources) > 1 or others:
            waited_for = set(edge.source_ids) - self.inside
            text = (
                f"{self.names([target])} gets messages of {self.names(sources)} "
                f"through a join that also waits for {self.names(waited_for)}, and "
                "others of the selection beside them. Take "
                f"{self.names([target])} along, or choose only one of those that send "
                "to it."
            )
            raise EditError(text, edge.id)
        self._wire(side, sources[0], self._way_out(side, target))

    def _way_out(self, side: Side, target: str) -> str:
        output = self._output(side, f"To {self.names([target])}")
        side.ways[output] = [target]
        side.stand_ins[target] = (output,)
        return output

    def _output(self, side: Side, name: str = "Output") -> str:
        output_id = self._names.take("output")
        side.added.append(NodeDefinition(id=output_id, type="output", name=name))
        return output_id

    def _wire(self, side: Side, source: str, output: str) -> None:
        edge = plain_edge(source, output)
        edge_id = self._names.take(edge.id)
        side.wires.append(edge.model_copy(update={"id": edge_id}))


def _may_yield(node: NodeDefinition) -> bool:
    """Return whether a node can yield an output of the workflow by itself, which is
    then not what it sends on.
    """
    match node.type:
        case "output" | "python_class" | "python_executor":
            return True
        case "loop_guard":
            return node.params.get("then") == "output"
    return node.params.get("direct_output") is True
