"""One superstep: of an executor, of an edge group, and as a whole."""

from __future__ import annotations

from typing import Literal

from runtime.debug.protocol.joins import JoinRelease
from runtime.debug.protocol.packets import Model
from runtime.debug.protocol.values import Value


class NodeArguments(Model):
    """`node` at a moment, as in `InspectArguments`. The answer comes from the
    store, so that it is the same for a reopened run; only a failure, for
    `checkpoint_id` None, comes from the live run.
    """

    checkpoint_id: str | None = None
    node: str
    inside: tuple[str, ...] = ()
    runs: tuple[str, ...] = ()


class EdgeArguments(Model):
    """The same for an edge group."""

    checkpoint_id: str | None = None
    edge: str
    inside: tuple[str, ...] = ()
    runs: tuple[str, ...] = ()


class SuperstepArguments(Model):
    """The superstep that led to a moment, and the next one."""

    checkpoint_id: str | None = None
    inside: tuple[str, ...] = ()
    runs: tuple[str, ...] = ()


class Reason(Model):
    """A line of an explanation why an edge did not take a message: a condition, a
    part of it, or a type, with its value for that message.

    holds  whether a condition is true; None for a value, or where it is not known
    depth  0 for a line of its own; others are parts of the last line with a smaller one
    """

    text: str
    value: str = ""
    holds: bool | None = None
    depth: int = 0


class Item(Model):
    """A message, an output, a question, or a value of the shared state, with its place:
    `expand` finds its children in `section` of `checkpoint_id`, below `path`.

    name     its source or target, or the key of the state; "" if `kind` says enough
    kind     message, input, answer, output, question, state
    edges    the edge groups that carried it
    note     its fate, in words
    old      the value before, for a key of the state that existed
    why      why an edge did not take it, line by line
    lost     whether no other edge took it either; None for a message that was taken, or
             where that is not recorded
    """

    kind: str = "message"
    name: str = ""
    edges: tuple[str, ...] = ()
    note: str = ""
    checkpoint_id: str | None = None
    section: str = ""
    path: tuple[int, ...] = ()
    value: Value
    old: Value | None = None
    why: tuple[Reason, ...] = ()
    lost: bool | None = None


DeliveryState = Literal["done", "running", "next", "waiting", "held", "failed"]


class DeliveryMoment(Model):
    """One handler call of the superstep in which the run stands.

    place     from 1, in the fixed order
    path      the invocations that lead to its run
    messages  what it gets; `sources` are the executors that sent that
    sent      of a done one: what it has sent, put out, written and asked. Nothing of it counts before the barrier
    error     of a failed one
    """

    place: int
    executor: str
    path: tuple[str, ...] = ()
    handler: str = ""
    state: DeliveryState = "waiting"
    seconds: float | None = None
    messages: tuple[Value, ...] = ()
    sources: tuple[str, ...] = ()
    sent: tuple[Item, ...] = ()
    outputs: tuple[Item, ...] = ()
    wrote: tuple[Item, ...] = ()
    asked: tuple[Item, ...] = ()
    error: str = ""


class InsideSuperstep(Model):
    """The superstep in which the live run stands: its deliveries in the fixed order,
    and how many more there are.
    """

    superstep: int
    deliveries: tuple[DeliveryMoment, ...] = ()
    left_out: int = 0


class Call(Model):
    """One call of a handler; in `NodeBody.coming`, a call of the next superstep.

    A list is None if the record leaves it open, as `NodeBody.notes` says. `more` counts
    the items that are not sent, of all lists together. `error` is set for a failed call
    that was tried again, or whose failure an error edge took. `origin` says where its
    result came from: "live", or "recorded" or "pinned" for a call that was not made.
    """

    handler: str = ""
    seconds: float | None = None
    received: tuple[Item, ...] | None = None
    sent: tuple[Item, ...] | None = None
    outputs: tuple[Item, ...] | None = None
    wrote: tuple[Item, ...] | None = None
    asked: tuple[Item, ...] | None = None
    edge: str = ""
    more: int = 0
    attempt: int = 1
    error: str = ""
    origin: str = "live"


class Failure(Model):
    """The failure of the last superstep of the live run in this executor. `call` is the
    failed one among `coming`, -1 if an executor of a sub-workflow inside it failed.
    """

    error_type: str
    text: str
    traceback: str = ""
    handler: str = ""
    call: int = 0


class Turn(Model):
    """A superstep of the inspected line in which the executor ran."""

    superstep: int
    checkpoint_id: str
    calls: int
    seconds: float
    sent: int = 0
    outputs: int = 0
    wrote: tuple[str, ...] = ()
    asked: int = 0


class NodeBody(Model):
    """One executor in the superstep that led to a moment, and around it.

    calls      its handler calls in that superstep, in order; `checkpoint_id` is the barrier that they led to
    handed_up  messages and outputs that its sub-workflows handed up in it
    stopped    messages that edges into it dropped in that superstep
    coming     the calls of the next superstep, as far as it is recorded or decided; `waiting` has other messages
               that wait for it
    questions  its open questions
    params     its parameters in the graph that ran, None where the graph is made in code
    own        its own state
    turns      the supersteps of the line in which it ran; `complete` when none is missing at the beginning
    failure    its failure in the live run, if any
    notes      gaps of the record, a sentence each
    """

    node: str
    type: str = ""
    superstep: int = 0
    checkpoint_id: str | None = None
    calls: tuple[Call, ...] = ()
    handed_up: tuple[Item, ...] = ()
    stopped: tuple[Item, ...] = ()
    coming: tuple[Call, ...] = ()
    waiting: tuple[Item, ...] = ()
    questions: tuple[Item, ...] = ()
    params: Value | None = None
    own: Value | None = None
    turns: tuple[Turn, ...] = ()
    complete: bool = True
    failure: Failure | None = None
    notes: tuple[str, ...] = ()


class EdgeBody(Model):
    """One edge group in the superstep that led to a moment, and in the next.

    carried  messages that went along it in that superstep; `stopped` those that it dropped, with the reason
    released the lists that a join released
    queued   messages that go along it in the next superstep, as far as it is recorded or decided
    refused  messages that it drops in the next superstep, as far as it is recorded or decided
    held     the messages that a join holds
    rules    (target, condition as written), in the order of evaluation
    before   the same of the last superstep in which messages came to it, if there is nothing in these two.
             A join has its earlier releases instead, and a sub-workflow nothing
    """

    edge: str
    kind: str = ""
    superstep: int = 0
    carried: tuple[Item, ...] = ()
    stopped: tuple[Item, ...] = ()
    released: tuple[tuple[Item, ...], ...] = ()
    queued: tuple[Item, ...] = ()
    refused: tuple[Item, ...] = ()
    held: tuple[Item, ...] = ()
    rules: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()
    more: int = 0
    before: EdgeBody | None = None

    @property
    def has_messages(self) -> bool:
        """Whether messages came to it in this superstep, or do in the next."""
        lists = (self.carried, self.stopped, self.released, self.queued)
        return any(lists) or bool(self.refused or self.held)


class NodeCalls(Model):
    """The handler calls of one executor in a superstep."""

    node: str
    calls: tuple[Call, ...] = ()
    handed_up: tuple[Item, ...] = ()


class SuperstepBody(Model):
    """A superstep of one run, and the next one.

    ran        who ran, with what, in the order of the definition; `seconds` is how
               long the superstep took
    fired      joins that fired in it
    stopped    messages that edges did not take, with the reasons; those first that
               nothing took
    next       who runs in the next superstep, with what
    fires      joins that fire then; `holds` are those that get messages and wait on
    refused    messages that edges do not take then
    undecided  queued messages of which only the next superstep decides
    decided    whether all of that is recorded, or decided by conditions already
    more       how many entries are not sent, of all lists together
    """

    superstep: int = 0
    checkpoint_id: str | None = None
    seconds: float = 0.0
    ran: tuple[NodeCalls, ...] = ()
    fired: tuple[JoinRelease, ...] = ()
    stopped: tuple[Item, ...] = ()
    next: tuple[NodeCalls, ...] = ()
    fires: tuple[JoinRelease, ...] = ()
    holds: tuple[str, ...] = ()
    refused: tuple[Item, ...] = ()
    undecided: tuple[Item, ...] = ()
    decided: bool = False
    notes: tuple[str, ...] = ()
    more: int = 0
