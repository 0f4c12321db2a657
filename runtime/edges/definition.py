"""What an edge is in a document: the base of the models of all kinds.

Each kind has a model in `runtime/edges/kinds/<kind>/definition.py`. Everything that the
rest of the program asks about a kind is a method here, so that nothing else has to know
which kinds there are. The engine's rule of a kind is its `EdgeGroup`; it stands in a
module of its own because this one needs pydantic.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Annotated, Any, ClassVar, NamedTuple, Protocol, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    TypeAdapter,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from runtime.edges.arcs import Arc, JoinRule
from runtime.edges.base import EdgeGroup, Predicate, SelectionFunction
from runtime.edges.drawing import Drawing
from runtime.edges.registry import EDGE_KINDS
from runtime.edges.trial import Ask, Trial

# The type of what comes along an error edge, as node types name theirs.
FAILURE_TYPES = ("ExecutorFailure",)

# Turns a condition of a graph's signature into the text that a document has.
ConditionWords = Callable[[Any], str]


class End(NamedTuple):
    """Where a node id stands in an edge, such as `targets[1]`, and the id."""

    place: str
    node_id: str


class ConditionText(NamedTuple):
    """A condition of an edge: its place, what people call it, and its text."""

    place: str
    label: str
    text: str


class Finding(NamedTuple):
    """What is wrong with the form of one edge; `check` makes a `Problem` of it."""

    rule: str
    message: str
    place: str
    remedy: str


class Part(NamedTuple):
    """A model inside an edge, such as a case of a switch, and what people call it."""

    place: str
    label: str
    model: BaseModel


class Compiler(Protocol):
    """Makes functions of the conditions of one edge."""

    def condition(self, text: str) -> Predicate:
        """Return the function of a condition in CEL, or of one in Python (`py:`)."""
        ...

    def selection(self, ways: Sequence[tuple[str, str]]) -> SelectionFunction:
        """Return the function that selects every target whose condition is true."""
        ...


class PythonText(Protocol):
    """Writes the parts of an edge as Python, for an exported program."""

    def node(self, node_id: str) -> str:
        """Return the variable of a node."""
        ...

    def nodes(self, node_ids: Sequence[str]) -> str:
        """Return a list of variables of nodes."""
        ...

    def condition(self, text: str) -> str:
        """Return the expression that makes the function of a condition."""
        ...

    def value(self, value: Any) -> str:
        """Return a JSON value as a literal."""
        ...

    def listed(self, items: Sequence[str]) -> str:
        """Return a list of expressions."""
        ...


class FunctionNames(Protocol):
    """Names the functions of one edge group that was built in Python, for a document."""

    def condition(self, function: Callable[..., Any], case: int | None = None) -> str:
        """Return the text that stands for a condition, or for that of a case."""
        ...

    def selection(self, function: Callable[..., Any], target: str) -> str:
        """Return the text that stands for a selection at the way to one target."""
        ...


class EdgeDefinition(BaseModel):
    """An edge of a document. `id` is unique in the workflow; selections and problems
    refer to it.
    """

    model_config = ConfigDict(frozen=True, extra="allow", defer_build=True)

    id: str
    kind: str

    # True where failures of the source go along it, and messages do not.
    carries_failures: ClassVar[bool] = False
    # True where a message takes exactly one of the edge's arcs.
    takes_one_arc: ClassVar[bool] = False
    # What an exported program has to import from `runtime` for it.
    python_imports: ClassVar[tuple[str, ...]] = ()

    # --- the graph ------------------------------------------------------------------------

    def ends(self) -> Iterator[End]:
        """Yield every end of the edge, sources and targets, in declared order."""
        raise NotImplementedError

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """All source -> target pairs, in declared order."""
        raise NotImplementedError

    @property
    def source_ids(self) -> tuple[str, ...]:
        """The nodes that it leads from, each once."""
        return tuple(dict.fromkeys(source for source, _ in self.pairs))

    @property
    def target_ids(self) -> tuple[str, ...]:
        """The nodes that it leads to, each once."""
        return tuple(dict.fromkeys(target for _, target in self.pairs))

    def arcs(self) -> Iterator[Arc]:
        """Yield an arc for each pair."""
        for source, target in self.pairs:
            yield Arc(source, target, self, "always")

    @property
    def join(self) -> JoinRule | None:
        """The rule by which it joins messages; None where it holds none back."""
        return None

    def without_sources(self, silent: Collection[str]) -> Self | None:
        """Return the edge without sources that never send; None if no source is left."""
        return None if silent and set(self.source_ids) <= set(silent) else self

    def types_along(self, sent: tuple[str, ...]) -> tuple[str, ...]:
        """Return the types that arrive of a source that sends these."""
        if self.carries_failures:
            return FAILURE_TYPES
        return sent

    # --- checks ---------------------------------------------------------------------------

    def conditions(self) -> Sequence[ConditionText]:
        """Return the conditions that are written, in the order in which they are asked."""
        return ()

    def rules(self) -> tuple[tuple[str, str], ...]:
        """Return what decides where a message goes: targets with their conditions."""
        return ()

    def parts(self) -> Iterator[Part]:
        """Yield the models inside the edge."""
        yield from ()

    def problems(self) -> Iterator[Finding]:
        """Yield what is wrong with the form of the edge, besides ends and conditions."""
        yield from ()

    def loose_end(self, end: End) -> Finding:
        """Return what is wrong where an end names no node of the workflow."""
        if end.node_id:
            text = f"The edge leads to '{end.node_id}', which is not among the nodes"
        else:
            text = "The edge has a loose end"
        remedy = "Connect this end to a node, or delete the edge."
        return Finding("edge-ends-exist", text, end.place, remedy)

    def ways_to(self, targets: Collection[str]) -> list[str]:
        """Return what people call the ways to these targets, such as "case 1 (small)"."""
        return []

    def label_to(self, target: str) -> str:
        """Return what is written on the way to a target in a short list of edges."""
        return ""

    def try_value(self, ask: Ask) -> Trial:
        """Return where a value goes, by what `ask` says of each condition.

        Raise `TypeError` for a kind without conditions.
        """
        raise TypeError(f"A {self.kind} edge has no conditions to try.")

    # --- building, importing, exporting -----------------------------------------------------

    def build(self, compiler: Compiler) -> EdgeGroup:
        """Return the engine's rule. Raise `ValueError` for what cannot be built."""
        raise NotImplementedError

    def drawing(self) -> Drawing:
        """Return how a picture shows it."""
        raise NotImplementedError

    def to_python(self, python: PythonText) -> tuple[str, list[str]]:
        """Return the method of the builder that adds it, and the arguments."""
        fields = self.model_dump(mode="json")
        return "add_edge_group", [f"parts.edge({python.value(fields)})"]

    def _python_id(self, python: PythonText) -> str:
        return f"id={python.value(self.id)}"

    @classmethod
    def refusal_of(cls, group: Any) -> str:
        """Return why a document cannot hold this group of the kind; empty if it can."""
        return ""

    @classmethod
    def fields_of(cls, group: Any, names: FunctionNames) -> dict[str, Any]:
        """Return the fields, but the id, for a group that was built in Python."""
        raise NotImplementedError

    @classmethod
    def fields_of_signature(
        cls,
        pairs: Sequence[tuple[str, str]],
        logic: Mapping[str, Any],
        words: ConditionWords,
    ) -> dict[str, Any]:
        """Return the fields, but the id, for an edge of a graph's signature: its pairs
        and its logic, whose conditions `words` turns into texts.
        """
        raise NotImplementedError

    @classmethod
    def name_for(cls, raw: Mapping[str, Any]) -> str:
        """Return an id for an edge of a file that has none. It depends only on the
        ends.
        """
        return f"{raw.get('kind')}-{raw.get('source')}"


class _ByKind:
    """Validates an edge by the model of its kind, which may be registered at any time."""

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        # Without a serializer pydantic takes that of the object itself, so all fields
        # of the kind are written.
        return core_schema.no_info_plain_validator_function(_validated)

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        choices: dict[Any, CoreSchema] = {}
        for kind in EDGE_KINDS.values():
            choices[kind.name] = TypeAdapter(kind.definition).core_schema
        return handler(core_schema.tagged_union_schema(choices, discriminator="kind"))


AnyEdge = Annotated[EdgeDefinition, _ByKind()]


def _validated(value: Any) -> EdgeDefinition:
    if isinstance(value, EdgeDefinition):
        return value
    name = value.get("kind") if isinstance(value, dict) else None
    kind = EDGE_KINDS.find(name) if isinstance(name, str) else None
    if kind is None:
        raise _unknown_kind(name)
    return kind.definition.model_validate(value)


def _unknown_kind(name: Any) -> PydanticCustomError:
    names = list(EDGE_KINDS)
    kinds = f"{', '.join(names[:-1])} and {names[-1]}"
    if name is None:
        text = f"An edge has a kind; write one of {kinds}."
    else:
        text = f"The kind of edge {name} is not known here; write one of {kinds}."
    return PydanticCustomError("edge_kind", "{text}", {"text": text})
