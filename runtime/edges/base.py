"""What an edge group is: the executors that it connects, and a rule that routes
messages.

The rules of the kinds are in `kinds`. A rule is pure and has no state: the run's state
has what a join holds, under the key of the join.
"""

from __future__ import annotations

import copy
import json
from collections.abc import (
    Awaitable,
    Callable,
    Collection,
    Coroutine,
    Iterable,
    Sequence,
)
from typing import Any, ClassVar, NamedTuple, Protocol, Self, TypeVar

from runtime.edges.drawing import Drawing, DrawnWay
from runtime.edges.registry import EDGE_KINDS
from runtime.errors import ConditionError
from runtime.message import Message
from runtime.values.copies import isolate

EdgeCondition = Callable[[Any], bool | Awaitable[bool]]
Predicate = Callable[[Any], bool]
SelectionFunction = Callable[[Any, list[str]], Iterable[str]]
_T = TypeVar("_T")

# Why a message was dropped; `Fate.reason` has these words.
TYPE_MISMATCH = "type mismatch"
TARGET_MISMATCH = "target mismatch"
CONDITION_FALSE = "condition false"
NOT_SELECTED = "not selected"
NO_EDGE = "no edge"
UNDECIDED = "condition not evaluated yet"


class AsData:
    """A part of a graph that can become a dict or JSON, and be made of it again. Of a
    function only the name is kept.
    """

    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        raise NotImplementedError

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        raise NotImplementedError

    def to_json(self) -> str:
        return json.dumps(self.to_dict())

    @classmethod
    def from_json(cls, raw: str) -> Self:
        """Return the object of a JSON text. Raise `ValueError` if that is no object."""
        data = json.loads(raw)
        if not isinstance(data, dict):
            raise ValueError("JSON payload must decode to a mapping")
        return cls.from_dict(data)

    def clone(self, *, deep: bool = True) -> Self:
        return copy.deepcopy(self) if deep else copy.copy(self)


class MissingFunction:
    """Takes the place of a condition or selection that was made of data, which has only
    the name of the function.
    """

    def __init__(self, name: str) -> None:
        self.__name__ = name

    def __call__(self, *_: Any) -> Any:
        raise RuntimeError(
            f"Callable '{self.__name__}' is unavailable after serialization: give the edge the function again."
        )


def check_callable(what: str, function: Any) -> None:
    """Raise `TypeError` for a value that is neither a function nor None."""
    if function is not None and not callable(function):
        raise TypeError(
            f"The {what} is a function that is called with the message, not {function!r:.80}."
        )


class Edge(AsData):
    """One source, one target, and perhaps a condition."""

    ID_SEPARATOR: ClassVar[str] = "->"
    __slots__ = ("condition", "condition_name", "source_id", "target_id")

    def __init__(
        self,
        source_id: str,
        target_id: str,
        condition: EdgeCondition | None = None,
        *,
        condition_name: str | None = None,
    ) -> None:
        for name, value in (("source_id", source_id), ("target_id", target_id)):
            if not value:
                raise ValueError(f"Edge {name} must be a non-empty string")
        check_callable("condition of an edge", condition)
        self.source_id = source_id
        self.target_id = target_id
        self.condition = condition
        self.condition_name = condition_name or (
            name_of(condition) if condition is not None else None
        )

    @property
    def id(self) -> str:
        return f"{self.source_id}{self.ID_SEPARATOR}{self.target_id}"

    @property
    def has_condition(self) -> bool:
        return self.condition is not None

    async def should_route(self, data: Any) -> bool:
        """Return what the condition says of a value; true if there is none."""
        if self.condition is None:
            return True
        answer = self.condition(data)
        return bool(await answer) if isinstance(answer, Awaitable) else bool(answer)

    def to_dict(self) -> dict[str, Any]:
        data = {"source_id": self.source_id, "target_id": self.target_id}
        if self.condition_name:
            data["condition_name"] = self.condition_name
        return data

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """Return the edge of a dict. A condition that it had must be given again before
        it can be called.
        """
        return cls(
            data["source_id"], data["target_id"], missing(data.get("condition_name"))
        )

    def _fields(self) -> tuple[str, str, str | None]:
        return self.source_id, self.target_id, self.condition_name

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Edge) and self._fields() == other._fields()

    def __hash__(self) -> int:
        return hash(self._fields())

    def __repr__(self) -> str:
        source, target, condition = map(repr, self._fields())
        return (
            f"Edge(source_id={source}, target_id={target}, condition_name={condition})"
        )


class Way(NamedTuple):
    """Where one message goes, or why it does not go there: an empty reason means that
    it goes. `case` names the way where a group has several to one target.
    """

    target_id: str
    reason: str = ""
    case: str = ""


class Ask(Protocol):
    """What a rule asks of the engine, because it has no state of its own."""

    def takes(self, target_id: str, data: Any) -> bool:
        """Return whether the target has a handler for the value."""
        ...

    def holds(
        self, group: EdgeGroup, condition: EdgeCondition, data: Any
    ) -> bool | None:
        """Return what a condition says; None when it must be awaited first."""
        ...

    def once(self, group: EdgeGroup, decide: Callable[[], _T]) -> _T:
        """Return what a group decides about the message. `decide` is called once per
        message, also when the message is routed again.
        """
        ...


class EdgeGroup(AsData):
    """Sources and targets, connected by one rule. Traces and documents name it by `id`."""

    kind: ClassVar[str]
    # True where several edges of the group may have one source and one target, such as
    # two cases of a switch.
    may_repeat: ClassVar[bool] = False
    # True where it holds messages back (`runtime.edges.join.JoinEdgeGroup`).
    is_join: ClassVar[bool] = False
    # True where the target gets a list of what several messages brought.
    delivers_lists: ClassVar[bool] = False
    # True where failures of the source go along it, and messages do not.
    carries_failures: ClassVar[bool] = False

    def __init__(self, edges: Iterable[Edge], id: str | None = None) -> None:
        self.edges = tuple(edges)
        self.source_ids = tuple(dict.fromkeys(edge.source_id for edge in self.edges))
        self.target_ids = tuple(dict.fromkeys(edge.target_id for edge in self.edges))
        self.targets = frozenset(self.target_ids)
        self.id = id or self.structural_id()

    @property
    def type(self) -> str:
        return self.__class__.__name__

    @property
    def source_executor_ids(self) -> list[str]:
        return list(self.source_ids)

    @property
    def target_executor_ids(self) -> list[str]:
        return list(self.target_ids)

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """All source -> target pairs, each once, in declared order."""
        return tuple(
            dict.fromkeys((edge.source_id, edge.target_id) for edge in self.edges)
        )

    def structural_id(self) -> str:
        """Return an id that depends only on the pairs, so that every rebuild has the
        same. It is JSON, because ids may contain any character.
        """
        return f"{self.kind}:{json.dumps(self.pairs, separators=(',', ':'))}"

    @property
    def only_targets_decide(self) -> bool:
        """True when only the targets' handlers decide where a message goes, because
        there is no condition and no selection.
        """
        return False

    def ways(self, message: Message, ask: Ask) -> Sequence[Way]:
        """Return where a message of one of the sources goes. The engine calls this for
        a message with a `target_id` only if that is one of the targets.
        """
        raise NotImplementedError

    def without(self, silent: Collection[str]) -> Self:
        """Return the group as it works while some sources never send."""
        return self

    def types_along(self, sent: Sequence[Any]) -> list[Any]:
        """Return the types that arrive of a source that sends these."""
        return list(sent)

    def functions(self) -> dict[int | None, Callable[..., Any]]:
        """Return the functions that decide, by number of the case; the one that speaks
        for the whole group under None.
        """
        function = getattr(self, "condition", None) or getattr(
            self, "selection_func", None
        )
        return {} if function is None else {None: function}

    def drawing(self) -> Drawing:
        """Return how a picture shows it."""
        ways = tuple(DrawnWay(target) for target in self.target_ids)
        return Drawing(self.source_ids, ways)

    def logic(self) -> dict[str, Any]:
        """Return what decides where messages go, besides the pairs, for the signature
        of the graph.
        """
        return {}

    def to_dict(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "type": self.type,
            "edges": [edge.to_dict() for edge in self.edges],
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> EdgeGroup:
        """Return the group of a dict, of the kind that its `type` names.

        Conditions and selections must be given again before the group can decide. Raise
        `ValueError` for an unknown type.
        """
        groups = {kind.group.__name__: kind.group for kind in EDGE_KINDS.values()}
        group = groups.get(data["type"])
        if group is None:
            raise ValueError(
                f"Unknown edge group type '{data['type']}'. Known are: {', '.join(groups)}."
            )
        return group.of(data, [Edge.from_dict(edge) for edge in data["edges"]])

    @classmethod
    def of(cls, data: dict[str, Any], edges: Sequence[Edge]) -> EdgeGroup:
        """Return the group of this kind for which `to_dict` returned `data`."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"{self.type}({self.id!r})"


def own_copy(function: Callable[..., Any], data: Any) -> Any:
    """Return the value that a condition or selection may read: a copy, so that the
    targets get what was sent whatever the function does to it.

    A function with `only_reads`, such as a condition in CEL, gets the value itself.
    """
    return data if getattr(function, "only_reads", False) else isolate(data)


def at_once(answer: _T) -> _T:
    """Return the answer of a predicate or selection.

    Raise `ConditionError` for one that must be awaited, because such an object is true
    whatever its answer would be.
    """
    if isinstance(answer, Awaitable):
        if isinstance(answer, Coroutine):
            answer.close()
        raise ConditionError(
            "A case of a switch and a selection must answer at once: use a plain function. Only the condition of a "
            "direct edge may be async."
        )
    return answer


def missing(name: str | None) -> MissingFunction | None:
    """Return what takes the place of a function of which only the name is known."""
    return MissingFunction(name) if name else None


def name_of(function: Any) -> str:
    """Return the name of a condition: its text if it has one, else the function's name."""
    text = getattr(function, "text", None)
    if isinstance(text, str):
        return text
    return getattr(function, "__name__", type(function).__name__)


def drawn_name(name: str | None) -> str:
    """Return what a picture calls a condition or selection of this name."""
    return "conditional" if name in (None, "", "<lambda>") else str(name)
