"""Where edges cross the border of nodes that become a sub-workflow, and what becomes of them inside and outside.

One way in, or out, has a plain form on each side:

in    outside   all edges lead to one node inside, which is the start there; they now lead to the sub-workflow
      inside    all edges come from one node outside and stay whole; they move inside, behind an input
out   inside    all edges lead to one node outside and stay whole; they move inside, in front of an output
      outside   all edges come from one node inside, which gets an output; they now come from the sub-workflow

Several ways are told apart by the nodes outside: messages enter by who sends them (`entries` of the sub-workflow), and
leave for whom they are (`exits`), so each sender has one place inside and each receiver an output:

in    one edge leads from a sender to one node inside; it stays outside, and that node is where its messages enter
      all edges of a sender lead inside; they move inside, behind an input of its own
      of a fan-out with targets on both sides, each side gets its part; both parts have the id of the whole
out   each node outside gets an output inside; groups move inside whole, and a plain edge leads on from there
      a join that also waits for nodes outside stays there

What has none of these forms is refused, because a group would be cut in two that decides, or waits, as a whole.
"""

from __future__ import annotations

from collections.abc import Iterable
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
from runtime.document.sub_workflows import SUB_WORKFLOW
from runtime.document.ways import entries_of, exits_of


@dataclass
class Side:
    """What becomes of the edges that cross one side.

    added   inputs or outputs that come to be inside        moved  edges that move inside, as they are there, by id
    wires   plain edges inside, to outputs                  links  ends of plain edges outside; "" is the sub-workflow
    parts   fan-outs of which a part is inside, as it is there
    ways    `entries` or `exits` of the sub-workflow        start  where messages enter that no way in speaks of
    stands  what is inside in the place of a node outside: the ways of sub-workflows that go inside name it
    """

    added: list[NodeDefinition] = field(default_factory=list)
    moved: dict[str, EdgeDefinition] = field(default_factory=dict)
    wires: list[EdgeDefinition] = field(default_factory=list)
    links: list[tuple[str, str]] = field(default_factory=list)
    parts: list[EdgeDefinition] = field(default_factory=list)
    ways: dict[str, str | list[str]] = field(default_factory=dict)
    start: str = ""
    stands: dict[str, tuple[str, ...]] = field(default_factory=dict)


class Border:
    """The edges of a design by where they are: inside of the chosen nodes, coming in, going out. Raises `EditError`
    where they have no form.
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
        known = WorkflowDefinition(
            nodes=nodes, edges=(*self.inner, *self.coming, *self.going)
        )
        self._names = Names(Design(known))  # for what comes to be inside
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
        crosses = not (sources | targets).isdisjoint(self.inside)
        crosses = crosses and not sources | targets <= self.inside
        if edge.carries_failures and crosses:
            text = (
                f"An error edge leads from {self.names(sources)} to {self.names(targets)}. From outside, a "
                "sub-workflow fails as a whole: take both nodes along, or delete that edge first."
            )
            raise EditError(text, edge.id)
        if sources | targets <= self.inside:
            self.inner.append(edge)
        elif targets & self.inside and not sources & self.inside:
            self.coming.append(edge)
        elif sources & self.inside and (not targets & self.inside or edge.join is None):
            self.going.append(edge)
        elif sources & self.inside:
            text = (
                f"The join into {self.names(targets)} waits for nodes in the selection and for others. "
                f"Take {self.names(sources - self.inside)} along, or leave the join out."
            )
            raise EditError(text, edge.id)

    def names(self, ids: Iterable[str]) -> str:
        """Nodes in a sentence."""
        names = sorted(self.titles.get(one, one) for one in ids)
        if len(names) == 1:
            return names[0]
        return f"{', '.join(names[:-1])} and {names[-1]}"

    def _within(self, edge: EdgeDefinition) -> list[str]:
        return [target for target in edge.target_ids if target in self.inside]

    def _without(self, edge: EdgeDefinition) -> list[str]:
        return [target for target in edge.target_ids if target not in self.inside]

    def stand_for_chosen(self, node: NodeDefinition, made: str) -> NodeDefinition:
        """A node outside, whose ways speak of the sub-workflow where they spoke of nodes that are inside it now. Raises
        `EditError` where it tells those apart.
        """
        pairs = [pair for edge in (*self.coming, *self.going) for pair in edge.pairs]
        senders = {
            source: (made,)
            for source, target in pairs
            if target == node.id and source in self.inside
        }
        receivers = {
            target: (made,)
            for source, target in pairs
            if source == node.id and target in self.inside
        }
        return led_otherwise(node, senders, receivers)

    # --- the ways in

    def _asks_who(self, targets: Iterable[str], sources: Iterable[str]) -> bool:
        """Whether one of these is a sub-workflow with a way in for one of those: an input stands for that inside."""
        return any(
            not self.inner_ways[one][0].keys().isdisjoint(sources)
            for one in targets
            if one in self.inner_ways
        )

    def _entry(self) -> Side:
        start = self.design.workflow.start
        into = {target for edge in self.coming for target in self._within(edge)} | {
            start
        } & self.inside
        if len(into) <= 1 and not self._asks_who(
            into, [one for edge in self.coming for one in edge.source_ids]
        ):
            return Side(start=next(iter(into), ""))
        sources = {source for edge in self.coming for source in edge.source_ids}
        if (
            len(sources) == 1
            and start not in self.inside
            and not any(map(self._without, self.coming))
        ):
            side = Side()
            source = next(iter(sources))
            side.start = self._behind_input(side, self.coming, source)
            side.links.append((source, ""))
            return side
        side = Side(start=start if start in self.inside else "")
        for source in dict.fromkeys(
            source for edge in self.coming for source in edge.source_ids
        ):
            side.ways[source] = self._way_in(side, source)
            side.start = side.start or str(side.ways[source])
        self._refuse_waiting_for_several(side)
        return side

    def _way_in(self, side: Side, source: str) -> str:
        """Where the messages of one sender enter."""
        edges = [edge for edge in self.coming if source in edge.source_ids]
        into = list(
            dict.fromkeys(target for edge in edges for target in self._within(edge))
        )
        if len(edges) == 1 and len(into) == 1 and not self._asks_who(into, [source]):
            return into[0]
        if any(edge.join is not None for edge in edges):
            text = (
                f"{self.names([source])} sends to {self.names(into)}, to one of them through a join. "
                "Take it along, or choose only one of them."
            )
            raise EditError(text, *into)
        whole = [edge for edge in edges if not self._without(edge)]
        cut = [edge for edge in edges if self._without(edge)]
        if not cut:
            side.links.append((source, ""))
            return self._behind_input(side, whole, source)
        if len(edges) == 1 and kind_of(cut[0]).common_condition(cut[0]) == "":
            return self._behind_part(side, cut[0])
        others = {target for edge in cut for target in self._without(edge)}
        text = (
            f"{self.names([source])} decides between {self.names(into)}, which you have chosen, and "
            f"{self.names(others)}. Take {self.names(others)} along, or choose only one of {self.names(into)}."
        )
        raise EditError(text, *into)

    def _input(self, side: Side) -> str:
        side.added.append(
            NodeDefinition(id=self._names.take("input"), type="input", name="Input")
        )
        return side.added[-1].id

    def _behind_input(
        self, side: Side, edges: Iterable[EdgeDefinition], source: str
    ) -> str:
        made = self._input(side)
        side.stands[source] = (made,)
        side.moved.update(
            {edge.id: ends.renamed(edge, {source: made}) for edge in edges}
        )
        return made

    def _behind_part(self, side: Side, edge: EdgeDefinition) -> str:
        """Put the part of a group that leads inside behind an input.

        It keeps the id of the group, so that expanding can join the two parts again.
        """
        made = self._input(side)
        source = edge.source_ids[0]
        side.stands[source] = (made,)
        part = ends.without(edge, self._without(edge))
        if part is not None:
            moved = ends.renamed(part, {source: made})
            side.parts.append(moved.model_copy(update={"id": edge.id}))
        return made

    def _refuse_waiting_for_several(self, side: Side) -> None:
        """Each message begins a run of its own inside: a join there gets what one message leads to, and no more."""
        after: dict[str, list[str]] = {}
        for edge in (*self.inner, *self.going, *side.moved.values(), *side.parts):
            for source, target in edge.pairs:
                after.setdefault(source, []).append(target)
        entries = {side.start, *map(str, side.ways.values())}
        reached = [_reached(entry, after) for entry in entries]
        for edge in (*self.inner, *self.going):
            if edge.join is None or edge.join.policy == "any":
                continue
            sources = set(edge.source_ids) & self.inside
            if any(found & sources and not sources <= found for found in reached):
                text = (
                    f"The join into {self.names(edge.target_ids)} collects messages that come into the selection in "
                    "several ways, and in a sub-workflow each message begins a run of its own. Take along where the "
                    "messages come from, or leave the join out."
                )
                raise EditError(text, edge.id)

    # --- the ways out

    def _leave(self) -> Side:
        sources = {
            source
            for edge in self.going
            for source in edge.source_ids
            if source in self.inside
        }
        targets = {target for edge in self.going for target in self._without(edge)}
        whole = all(set(edge.source_ids) <= self.inside for edge in self.going)
        side = Side()
        if not self.going:
            return side
        if len(targets) == 1 and whole and not self.yields:
            output = self._output(side)
            side.stands = dict.fromkeys(targets, (output,))
            side.moved = {
                edge.id: ends.renamed(edge, dict.fromkeys(targets, output))
                for edge in self.going
            }
            side.links.append(("", next(iter(targets))))
        elif (
            len(sources) == 1
            and not self.yields
            and not self._chooses(sources)
            and not any(map(self._within, self.going))
        ):
            self._wire(side, next(iter(sources)), self._output(side))
        else:
            self._ways_out(side)
        return side

    def _chooses(self, sources: Iterable[str]) -> bool:
        """Whether one of these is a sub-workflow that sends different things to different nodes."""
        return any(self.inner_ways[one][1] for one in sources if one in self.inner_ways)

    def _ways_out(self, side: Side) -> None:
        """An output for each node outside that gets something, and one for each join that waits outside."""
        outputs: dict[str, str] = {}
        for edge in self.going:
            if set(edge.source_ids) <= self.inside:
                for target in self._without(edge):
                    if target not in outputs:
                        outputs[target] = self._way_out(side, target)
                        side.links.append(("", target))
                side.moved[edge.id] = ends.renamed(edge, outputs)
            else:
                self._lead_to_join(side, edge)

    def _lead_to_join(self, side: Side, edge: EdgeDefinition) -> None:
        sources = [one for one in edge.source_ids if one in self.inside]
        target = edge.target_ids[0]
        others = [
            one for one in self.going if one is not edge and target in one.target_ids
        ]
        if len(sources) > 1 or others:
            text = (
                f"{self.names([target])} gets messages of {self.names(sources)} through a join that also waits for "
                f"{self.names(set(edge.source_ids) - self.inside)}, and others of the selection beside them. Take "
                f"{self.names([target])} along, or choose only one of those that send to it."
            )
            raise EditError(text, edge.id)
        self._wire(side, sources[0], self._way_out(side, target))

    def _way_out(self, side: Side, target: str) -> str:
        made = self._output(side, f"To {self.names([target])}")
        side.ways[made], side.stands[target] = [target], (made,)
        return made

    def _output(self, side: Side, name: str = "Output") -> str:
        side.added.append(
            NodeDefinition(id=self._names.take("output"), type="output", name=name)
        )
        return side.added[-1].id

    def _wire(self, side: Side, source: str, output: str) -> None:
        edge_id = self._names.take(f"{source}->{output}")
        edge = plain_edge(source, output).model_copy(update={"id": edge_id})
        side.wires.append(edge)


def _reached(start: str, after: dict[str, list[str]]) -> set[str]:
    found = {start}
    waiting = [start]
    while waiting:
        for target in after.get(waiting.pop(), ()):
            if target not in found:
                found.add(target)
                waiting.append(target)
    return found


def _may_yield(node: NodeDefinition) -> bool:
    """Whether a node can put something out of the workflow by itself, which is then not what it sends on."""
    match node.type:
        case "output" | "python_class" | "python_executor":
            return True
        case "loop_guard":
            return node.params.get("then") == "output"
    return node.params.get("direct_output") is True
