"""The sections of a checkpoint: its contents as people look at them, by name.

`SECTIONS` is the one table of them. Comparisons, `stepwell show` and a `Moment` derive
their sections from it, so a new one is one line here, besides the field of `RunState`
and its kind of part (`runtime.checkpoints.parts.KINDS`) where the state is new as well.
A panel of the window is a line in `designer.panels.PANELS`.

Nothing heavy is imported here, because `stepwell --help` reads the names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    from runtime.message import Message
    from runtime.state import ExecutorRecord, RunState

Values = Callable[["RunState"], Mapping[str, Any]]


class Compared(Protocol):
    """A run at a barrier, with the definition part that its checkpoint carries: a
    `Checkpoint`, or one inside of it.
    """

    @property
    def state(self) -> RunState: ...
    @property
    def definition(self) -> Mapping[str, Any] | None: ...


class Place(NamedTuple):
    """What a difference leads to: an element of the graph of one run.

    way       the keys of the invocations that lead to the run; empty for the outermost
    executor  who owns the value, or will get the message; "" for none
    source    who sent the message; "" for none
    join      the key of the buffer that holds it; "" for none
    key       the key of the shared state; "" for none
    """

    way: tuple[str, ...] = ()
    executor: str = ""
    source: str = ""
    join: str = ""
    key: str = ""


class Waiting(NamedTuple):
    """A message that waits: where, in words, and what it holds. `at` is the same place
    as data.
    """

    words: str
    data: Any
    at: Place = Place()


class Section(NamedTuple):
    """One section. Views that need more than these fields handle the section by its
    name.

    values     the values of one run by name: they are compared one by one, and `show` prints them
    is_unique  a name is the same in the runs of all sub-workflows; else the way to its run comes before it
    tree       the tree that a `Moment` sends of one run; without it the `Moment` has fields for the section
    waiting    messages that wait in all runs: they have no names, so they are compared by what they hold
    """

    name: str
    title: str
    values: Values | None = None
    is_unique: bool = False
    tree: Values | None = None
    waiting: Callable[[Compared], list[Waiting]] | None = None


def section_of_values(name: str, title: str, values: Values) -> Section:
    """Return a section of named values, which all views show in the same way."""
    return Section(name, title, values=values, tree=values)


def frames(state: RunState, way: str = "") -> Iterator[tuple[str, RunState]]:
    """Yield a run and those inside it, each with the path that leads to it: empty, or
    such as `review#1/`.
    """
    yield way, state
    for key, child in state.children.items():
        yield from frames(child, f"{way}{key}/")


def way_of(prefix: str) -> tuple[str, ...]:
    """Return the invocation keys of the prefix that `frames` yields."""
    return tuple(prefix.split("/")[:-1])


def kind_of(message: Message) -> str:
    """Return what a message is: a `message` of an executor, or, from outside, an
    `input` or an `answer`.
    """
    from runtime.message import internal_source_id

    if message.request is not None:
        return "answer"
    if message.target_id and message.source_id == internal_source_id(message.target_id):
        return "input"
    return "message"


def origin(message: Message, way: str = "") -> str:
    """Return where a message comes from, in words."""
    kind = kind_of(message)
    return f"from {way}{message.source_id}" if kind == "message" else f"{way}{kind}"


# --- what the sections take of a run ------------------------------------------------------------------------------


def _shared(state: RunState) -> Mapping[str, Any]:
    return dict(state.shared)


def _executors(state: RunState) -> Mapping[str, Any]:
    return {
        executor_id: {
            "state": dict(record.state),
            "runs": record.runs,
            "last_superstep": record.last_superstep,
        }
        for executor_id, record in state.executors.items()
    }


def _executor_rows(state: RunState) -> Mapping[str, Any]:
    return {
        executor_id: _executor_row(record)
        for executor_id, record in state.executors.items()
    }


def _executor_row(record: ExecutorRecord) -> dict[str, Any]:
    return {
        "runs": record.runs,
        "last superstep": record.last_superstep,
        "state": dict(record.state),
    }


def _questions(state: RunState) -> Mapping[str, Any]:
    return {request_id: request.data for request_id, request in state.requests.items()}


def _queued(checkpoint: Compared) -> list[Waiting]:
    waiting = []
    for way, state in frames(checkpoint.state):
        for message in state.queue:
            target = f" → {message.target_id}" if message.target_id else ""
            at = Place(way_of(way), message.target_id or "", message.source_id)
            words = origin(message, way) + target
            waiting.append(Waiting(words, message.data, at))
    return waiting


def _held_messages(checkpoint: Compared) -> list[Waiting]:
    from runtime.debug.graphs.graph import graph_of

    joins = graph_of(checkpoint.definition, checkpoint.state).joins
    targets = {join.key: join.target for join in joins}
    waiting = []
    for way, state in frames(checkpoint.state):
        for key, messages in state.buffers.items():
            target = targets.get(key, key)
            for message in messages:
                at = Place(way_of(way), target, message.source_id, key)
                words = f"{way}{target} ← {message.source_id}"
                waiting.append(Waiting(words, message.data, at))
    return waiting


OUTPUTS = "outputs"
# In this order everywhere. Outputs are compared on the way to two checkpoints, and not
# between the two alone.
SECTIONS: tuple[Section, ...] = (
    section_of_values("state", "State", _shared),
    Section("executors", "Executors", values=_executors, tree=_executor_rows),
    Section("messages", "Messages", waiting=_queued),
    Section("joins", "Joins", waiting=_held_messages),
    Section("requests", "Requests", values=_questions, is_unique=True),
    Section(OUTPUTS, "Outputs"),
)

# What is compared beside the sections: the graph that the run ran with, and the facts
# of the header. The facts tell the two apart and are no difference of the run.
GRAPH = "graph"
HEADER = "header"
COMPARED_TITLES = {section.name: section.title for section in SECTIONS} | {
    GRAPH: "Graph",
    HEADER: "Checkpoint",
}


def section_named(name: str) -> Section:
    """Return a section. Raise `LookupError` for a name that no section has."""
    for section in SECTIONS:
        if section.name == name:
            return section
    raise LookupError(f"There is no section '{name}'.")
