"""What the window has to know of a kind of edge groups, and the table of all kinds.

The runtime's definition says what a group *is*: its ends, its wires, its conditions. An `EdgeKind` says what one can
*do* with it in a drawing: give it more ends or fewer, lead it elsewhere, turn it into another kind, mend it, and speak
of it. Edits, quick fixes, layout and completion ask `kind_of(edge)` and never look at the class of an edge, so that a
new kind is one file beside this one. How a kind is painted and which editor it has in Properties is in two tables
of their own, because the model knows no Qt: `canvas.drawing.figures.FIGURES` and
`panels.properties.edge_editors.EDGE_EDITORS`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Generic, Literal, NamedTuple, TypeVar

from pydantic import TypeAdapter, ValidationError

from designer.model.errors import EditError
from runtime.document.definition import AnyEdge as AnyKind
from runtime.document.definition import DirectEdge, EdgeDefinition

Side = Literal["in", "out"]
Name = Callable[[str], str]  # the title of a node, by its id
ANY = -1


class Way(NamedTuple):
    """One wire of a group: its source, its target, and for a switch the number of the
    case (0 for the default).

    An empty end is the part that all wires of a group share.
    """

    source: str
    target: str
    number: int = ANY


class PlainWay(NamedTuple):
    """A wire as a plain edge would say it."""

    source: str
    target: str
    condition: str = ""


class Repair(NamedTuple):
    """A quick fix: words for its button, and the edges that take the place of the
    broken one; none delete it.
    """

    text: str
    edges: tuple[EdgeDefinition, ...]


AnyEdge = TypeVar("AnyEdge", bound=EdgeDefinition)


class EdgeKind(Generic[AnyEdge]):
    """What the window does with groups of one kind. All methods are pure: they return
    other edges or raise `EditError`.

    A new kind has to say its words, its ends and which part of it is left when ends go.
    Everything else has a default that fits a group which shares its source and takes
    messages one by one.
    """

    # --- words

    kind: ClassVar[str]
    title: ClassVar[str]  # "Join", before the node that holds the group
    label: ClassVar[str]  # on the button that turns other groups into this kind
    word: ClassVar[str]  # in a list of things that were found
    plural: ClassVar[str]  # in "It can be made from: plain edges, a switch."
    make_text: ClassVar[str]  # of the menu entry that turns other groups into this kind
    grow_text: ClassVar[str] = "Connect its source to another node"
    icon: ClassVar[str] = "graph"

    # --- nature

    hub_side: ClassVar[Side] = "out"  # the side of the node that all wires share
    single: ClassVar[bool] = False  # one source and one target
    joins_groups: ClassVar[bool] = False  # several with one end can become one group
    is_diamond: ClassVar[bool] = False  # drawn as the diamond of its node
    required_end: ClassVar[str] = ""  # the part without which the group cannot be
    turns_into: ClassVar[tuple[str, ...]] = ()  # other kinds, in the order of buttons

    # --- ends

    def hub(self, edge: AnyEdge) -> str:
        """Return the node that all wires of the group share."""
        field = "source" if self.hub_side == "out" else "target"
        hub: str = getattr(edge, field)
        return hub

    def wires(self, edge: AnyEdge) -> tuple[Way, ...]:
        """Return every wire that has two ends."""
        return tuple(Way(source, target) for source, target in edge.pairs)

    def wire_name(self, way: Way) -> str:
        """Return what names a wire among those of its group: the end that the group has
        many of.
        """
        return way.target if self.hub_side == "out" else way.source

    def usual_id(self, edge: AnyEdge) -> str:
        """Return a readable id that says what the group is and which node holds it."""
        return f"{self.kind}:{self.hub(edge)}"

    @property
    def movable_side(self) -> Side:
        """The side whose only end the keyboard leads elsewhere: of a plain edge its
        target.
        """
        return "in" if self.single else self.hub_side

    def with_ends(
        self, edge: AnyEdge, sources: Mapping[str, str], targets: Mapping[str, str]
    ) -> EdgeDefinition:
        """Return the same group with other node ids at its ends; ids that a mapping
        does not have stay.
        """
        raise NotImplementedError

    def fewer(self, edge: AnyEdge, removed: Collection[str]) -> EdgeDefinition | None:
        """Return what is left when these ends go, of which the hub is none.

        That is the same group, a smaller one, a plain edge where one wire is left, or
        nothing.
        """
        raise NotImplementedError

    def cut(self, edge: AnyEdge, ways: Collection[Way]) -> EdgeDefinition | None:
        """Return what is left without some of the wires."""
        return self.fewer(edge, {self._far_end(way) for way in ways})

    def _far_end(self, way: Way) -> str:
        return way.target if self.hub_side == "out" else way.source

    def grown(self, edge: AnyEdge, node: str) -> EdgeDefinition | None:
        """Return the group with one more end; None where that is another edge of the
        same kind beside it.
        """
        raise EditError(f"'{edge.id}' takes no other nodes.", edge.id)

    def beside(self, edge: AnyEdge, node: str) -> EdgeDefinition:
        """Return the further edge that `grown` returned None for."""
        raise NotImplementedError

    def with_source(self, edge: AnyEdge, node: str) -> EdgeDefinition:
        """Return a join with one more source, the last in order."""
        text = f"'{edge.id}' is no join; drop the edge on a join's bar."
        raise EditError(text, edge.id)

    def with_targets(self, edge: AnyEdge, targets: Sequence[str]) -> EdgeDefinition:
        """Return a group that gives every message to every target with other targets."""
        raise EditError(f"The targets of '{edge.id}' are not a plain list.", edge.id)

    def with_copies(
        self, twin: AnyEdge, edge: AnyEdge, copies: Mapping[str, str]
    ) -> EdgeDefinition | None:
        """Return `twin` with the copies of nodes that are ends of `edge`; None where
        the copies do not fit in.

        Both are the same group: `twin` as it is in the drawing, `edge` as it was when
        it was copied.
        """
        return None

    def distinct(self, edge: AnyEdge) -> EdgeDefinition:
        """Return the group with each end once."""
        return edge

    def check(self, edge: AnyEdge) -> None:
        """Raise `EditError` where an end is listed twice or there are too few."""

    def same_wire(self, before: AnyEdge, after: EdgeDefinition, name: str) -> str:
        """Return the name of a wire after an edit of its group, where only the kind can
        tell; else an empty text.
        """
        return ""

    # --- a node in the middle of a wire

    def spliced(
        self, edge: AnyEdge, way: Way, node: str
    ) -> tuple[EdgeDefinition | None, tuple[EdgeDefinition, ...]]:
        """Return the group with `node` at the end of a wire, and the plain edges on the
        other side of the node.

        On the part that all wires share, the node comes between the hub and all others.
        """
        far_end = self._far_end(way)
        if self.hub_side == "out" and far_end:
            return self._led_to(edge, way, node), (plain_edge(node, far_end),)
        if self.hub_side == "out":
            group = self.with_ends(edge, {self.hub(edge): node}, {})
            return group, (plain_edge(self.hub(edge), node),)
        if far_end:
            group = self.with_ends(edge, {far_end: node}, {})
            return group, (plain_edge(far_end, node),)
        group = self.with_ends(edge, {}, {self.hub(edge): node})
        return group, (plain_edge(node, self.hub(edge)),)

    def _led_to(self, edge: AnyEdge, way: Way, node: str) -> EdgeDefinition:
        return self.with_ends(edge, {}, {way.target: node})

    # --- as plain edges, and as other kinds

    def is_plain(self, edge: AnyEdge) -> bool:
        """Return whether it says no more than that every message goes from one node to
        another.
        """
        return False

    def common_condition(self, edge: AnyEdge) -> str | None:
        """Return the condition under which every target gets a message: an empty one
        means always.

        None where the wires are decided one by one, or carry something else than
        messages.
        """
        return None

    def plain_ways(self, edge: AnyEdge) -> tuple[PlainWay, ...]:
        """Return the wires as plain edges that do the same as the group. Raise
        `EditError` where none could.
        """
        text = f"Plain edges cannot say what '{edge.id}' does. Delete it first."
        raise EditError(text, edge.id)

    def only_condition(self, edge: AnyEdge) -> str:
        """Return the condition that a plain edge keeps in the place of a group with one
        wire.
        """
        return ""

    def made_of(self, edges: Sequence[EdgeDefinition]) -> list[EdgeDefinition]:
        """Return groups of this kind that do what these edges do. Raise `EditError`
        where none could.
        """
        text = f"Nothing can be turned into this: {self.title.lower()}."
        raise EditError(text, *(edge.id for edge in edges))

    # --- conditions and other fields

    def conditions(self, edge: AnyEdge) -> tuple[str, ...]:
        """Return the conditions in order, those that are empty too."""
        return ()

    def condition_part(self, number: int) -> str:
        """Return the place of a condition in its group, as problems name it."""
        return "condition"

    def condition_title(self, edge: AnyEdge, number: int, name: Name) -> str:
        """Return the head of the field in which a condition is written on the canvas."""
        return f"Condition → {name(edge.target_ids[number])}"

    def with_condition(self, edge: AnyEdge, number: int, text: str) -> EdgeDefinition:
        raise NotImplementedError

    def completed(self, edge: AnyEdge, changes: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return changes of fields together with those that follow from them."""
        return changes

    # --- quick fixes

    def repairs(self, edge: AnyEdge, rule: str, part: str) -> Iterator[Repair]:
        """Yield what would end a problem with this rule at this part of the group, the
        best first.
        """
        return iter(())

    def with_required_end(self, edge: AnyEdge, node: str) -> EdgeDefinition:
        """Return the group with `node` as its `required_end`."""
        raise NotImplementedError

    def without_doubles(
        self, edge: AnyEdge, pairs: Collection[tuple[str, str]]
    ) -> EdgeDefinition | None:
        """Return the group with these of its pairs only, each once; None where it goes
        as a whole.
        """
        return None

    # --- layout and completion

    def has_tags(self, edge: AnyEdge) -> bool:
        """Return whether its wires carry texts, which need room behind the source."""
        return any(self.conditions(edge))

    # --- words

    def name_of(self, edge: AnyEdge, name: Name) -> str:
        """Return a short name: "Switch of Review"."""
        return f"{self.title} of {name(self.hub(edge))}"

    def label_from(self, kind: EdgeKind[Any]) -> str:
        """Return what a button says that turns groups of another kind into this one."""
        return self.label

    def make_text_from(self, kind: EdgeKind[Any]) -> str:
        """Return what a menu says that turns groups of another kind into this one."""
        return self.make_text

    def heading(self, edge: AnyEdge, name: Name) -> str:
        """Return the heading for a view of the group."""
        return self.name_of(edge, name)

    def sentence(self, edge: AnyEdge, name: Name) -> str:
        """Return what status bar, tooltip and screen reader say."""
        return self.name_of(edge, name)


# By the word that a document has for the kind. `edge_kinds` fills it.
KINDS: dict[str, EdgeKind[Any]] = {}


class UnknownKind(EdgeKind[EdgeDefinition]):
    """A kind of an installed package that has no part for the window: it is shown and
    kept, and can be deleted.
    """

    kind = ""
    title = "Edge"
    label = "Edge"
    word = "edge"
    plural = "edges"
    make_text = ""

    def hub(self, edge: EdgeDefinition) -> str:
        return edge.source_ids[0] if edge.source_ids else ""

    def with_ends(
        self,
        edge: EdgeDefinition,
        sources: Mapping[str, str],
        targets: Mapping[str, str],
    ) -> EdgeDefinition:
        text = (
            f"The window cannot change '{edge.id}': it does not know edges of the "
            f"kind '{edge.kind}'. Delete the edge first."
        )
        raise EditError(text, edge.id)

    def fewer(
        self, edge: EdgeDefinition, removed: Collection[str]
    ) -> EdgeDefinition | None:
        return None


_UNKNOWN = UnknownKind()


def kind_of(edge: EdgeDefinition) -> EdgeKind[Any]:
    """Return what the window knows of the kind of an edge group."""
    return KINDS.get(edge.kind, _UNKNOWN)


_EDGE: TypeAdapter[EdgeDefinition] = TypeAdapter(AnyKind)


def read_edge(data: Mapping[str, Any]) -> EdgeDefinition | None:
    """Return the edge group that a store holds as data; None if this is none, or of a
    kind that is not known here.
    """
    try:
        return _EDGE.validate_python(data)
    except ValidationError:
        return None


def extra_fields(edge: EdgeDefinition | None) -> Mapping[str, Any]:
    """Return the fields of a newer version, which come along when an edge becomes
    another kind.
    """
    if edge is None:
        return {}
    return edge.model_extra or {}


def plain_edge(
    source: str, target: str, condition: str = "", like: EdgeDefinition | None = None
) -> DirectEdge:
    """Return a plain edge. Fields of `like` that this version does not know come along."""
    return DirectEdge(
        id=f"{source}->{target}",
        source=source,
        target=target,
        condition=condition,
        **extra_fields(like),
    )


def replaced(items: Sequence[str], names: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(names.get(item, item) for item in items)


def part_number(part: str) -> int | None:
    """Return the 1 of `cases[1].when`."""
    number = part.partition("[")[2].partition("]")[0]
    return int(number) if number.isdecimal() else None


def check_list(edge: EdgeDefinition, nodes: Sequence[str], word: str) -> None:
    """Raise `EditError` where a group lists a node twice, or fewer than two."""
    repeated = sorted({node for node in nodes if nodes.count(node) > 1})
    if repeated:
        text = f"'{repeated[0]}' is in '{edge.id}' already."
        raise EditError(text, repeated[0], edge.id)
    if len(nodes) < 2:
        text = f"'{edge.id}' needs two {word} or more; with one it is a plain edge."
        raise EditError(text, edge.id, *nodes)


def all_plain_ways(edges: Sequence[EdgeDefinition]) -> list[PlainWay]:
    """Return the wires of several groups, to make one group of them. Raise `EditError`
    where there are none.
    """
    ways = [way for edge in edges for way in kind_of(edge).plain_ways(edge)]
    if not ways:
        text = f"'{edges[0].id}' leads nowhere yet: give it ends first."
        raise EditError(text, edges[0].id)
    return ways


def require_group(
    ways: Sequence[PlainWay], shared: Sequence[str], others: Sequence[str], word: str
) -> None:
    """Raise `EditError` unless these wires share one end and there are several of them."""
    if len(shared) > 1:
        names = ", ".join(shared)
        text = f"Only edges that {word} can be one group; these concern {names}."
        raise EditError(text, *shared)
    if len(set(ways)) < 2 or len(others) != len(ways):
        text = (
            "A group needs two different edges or more; "
            f"'{shared[0]}' has only one here."
        )
        raise EditError(text, *shared)


def refuse_conditions(ways: Sequence[PlainWay]) -> None:
    """Raise `EditError` where a group without conditions would lose one."""
    conditional = [way for way in ways if way.condition]
    if conditional:
        names = ", ".join(f"{way.source} -> {way.target}" for way in conditional)
        text = (
            f"The condition of {names} would be lost. "
            "Clear it, or make a multi-selection."
        )
        raise EditError(text, *sources_of(ways), *targets_of(ways))


def sources_of(ways: Sequence[PlainWay]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(way.source for way in ways))


def targets_of(ways: Sequence[PlainWay]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(way.target for way in ways))
