"""A `Moment`: everything to see at one checkpoint, or of a run as it is now."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import ConfigDict, Field

from runtime.debug.protocol.joins import JoinMoment
from runtime.debug.protocol.packets import Model
from runtime.debug.protocol.supersteps import InsideSuperstep
from runtime.debug.protocol.values import Header, Value


class InspectArguments(Model):
    """`checkpoint_id` None means the run as it is now. `depth` is how many levels of
    the value trees are sent.

    `inside` leads into sub-workflows, by node ids from the outermost on; `runs`
    names a run of each, "" or nothing for the newest.
    """

    checkpoint_id: str | None = None
    depth: int = Field(default=2, ge=0, le=16)
    inside: tuple[str, ...] = ()
    runs: tuple[str, ...] = ()


NodeState = Literal[
    "idle",
    "queued",
    "running",
    "ran",
    "done",
    "next",
    "waiting",
    "asking",
    "failed",
    "stalled",
    "not_taken",
    "cancelled",
]


class NodeMoment(Model):
    """One executor at one moment.

    `detail` is the right-hand text of its state line ("640 ms", "s5", "2 msg");
    `superstep` is when it last ran, 0 for never. `attempts` and `error` are of its
    last run; `handed_on` says that this run was earlier and that an error edge took
    its failure.
    """

    state: NodeState = "idle"
    detail: str = ""
    superstep: int = 0
    seconds: float | None = None
    queued: int = 0
    questions: int = 0
    attempts: int = 1
    error: str = ""
    handed_on: bool = False

    @property
    def failure_words(self) -> str:
        """Return the words for a failure of an earlier superstep; a run inside has no
        superstep to name.
        """
        if self.detail:
            return f"Failed in {self.detail}, handed on"
        return "Failed, handed on"


class Writer(Model):
    """The executors that wrote a key of the shared state last, and in which superstep
    of the outermost run.
    """

    key: str
    executors: tuple[str, ...]
    superstep: int
    checkpoint_id: str


class Drop(Model):
    """Messages that an edge dropped. `lost` is how many of them no other edge
    took; None if an older record leaves it open.
    """

    source: str
    target: str
    reason: str
    count: int = 1
    lost: int | None = None


class EdgeMoment(Model):
    """The recorded messages of an edge group, as (source, target, number of messages).

    delivered  carried in the superstep that led here, into joins too; `dropped` has those it dropped, with the reason
    queued     sent in that superstep and carried in the next one. `Moment.decided` says of all edges
               whether that is recorded, or decided already; else these are the ways that no condition guards
    cases      the cases of a switch that `queued` takes: places from 0, or "default"; `taken` those of `delivered`
    """

    delivered: tuple[tuple[str, str, int], ...] = ()
    dropped: tuple[Drop, ...] = ()
    queued: tuple[tuple[str, str, int], ...] = ()
    cases: tuple[str, ...] = ()
    taken: tuple[str, ...] = ()


class MessageMoment(Model):
    """A waiting message: `where` is queued or buffered; `target` is empty if it
    goes nowhere or is not routed yet, and `note` says which. `expand` finds its
    children in `section`. `since` is the superstep in which it was sent, or arrived in
    a join; None if that is not known.
    """

    where: Literal["queued", "buffered"]
    source: str
    target: str
    edge: str = ""
    note: str = ""
    section: str = ""
    since: int | None = None
    data: Value


class RequestMoment(Model):
    """A question: `title` is its text in one line, `text` the text as it was
    written; `schema_` is the JSON Schema of its answer.
    """

    id: str
    executor: str
    title: str
    text: str = ""
    data: Value
    schema_: dict[str, Any] = Field(default_factory=dict, alias="schema")
    superstep: int = 0

    model_config = ConfigDict(
        frozen=True, extra="ignore", populate_by_name=True, serialize_by_alias=True
    )


class InsideRun(Model):
    """A run of a sub-workflow: one for each message that came in. `superstep` and
    the other fields are its own.
    """

    key: str
    superstep: int = 0
    queued: int = 0
    questions: int = 0


class InsideMoment(Model):
    """The inside of a sub-workflow, at the barrier of the outer run.

    `way` is the requested way, `keys` the runs shown on it, and `runs` all present runs
    of its last node, the oldest first. `moment` is the moment of the chosen run, or
    None if none is present: a run that has ended is not kept.
    """

    way: tuple[str, ...]
    keys: tuple[str, ...] = ()
    runs: tuple[InsideRun, ...] = ()
    moment: Moment | None = None


class Moment(Model):
    """Everything to see at one checkpoint, or of the run as it is now (`header` is None
    before its first checkpoint).

    `decided` says whether the ways of the queued messages are known: recorded in the
    superstep that followed, or previewed by the conditions of the live run.

    `messages_left_out` and `outputs_left_out` count further ones.

    `sections` has the trees of the sections that have one (`runtime.debug.sections`),
    by name.

    `writers` says who wrote each key of the shared state last, as far as the earlier
    supersteps are read.

    `inside` is the requested inside of a sub-workflow, with the superstep of the outer
    run. `standing` is the superstep in which the live run stands, None at a barrier.
    """

    header: Header | None = None
    superstep: int = 0
    status: str = ""
    decided: bool = False
    definition: dict[str, Any] | None = None
    nodes: dict[str, NodeMoment] = Field(default_factory=dict)
    edges: dict[str, EdgeMoment] = Field(default_factory=dict)
    joins: tuple[JoinMoment, ...] = ()
    requests: tuple[RequestMoment, ...] = ()
    messages: tuple[MessageMoment, ...] = ()
    outputs: tuple[tuple[str, Value], ...] = ()
    messages_left_out: int = 0
    outputs_left_out: int = 0
    sections: dict[str, Value] = Field(default_factory=dict)
    writers: tuple[Writer, ...] = ()
    inside: InsideMoment | None = None
    standing: InsideSuperstep | None = None

    @property
    def state(self) -> Value:
        return self.sections.get("state", _EMPTY)

    @property
    def executors(self) -> Value:
        return self.sections.get("executors", _EMPTY)


_EMPTY = Value(type="dict", text="empty")
