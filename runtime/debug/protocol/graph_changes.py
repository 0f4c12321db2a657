"""How a graph has changed, and how the changed workflow would go on."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from runtime.debug.protocol.packets import Model
from runtime.debug.protocol.values import Header
from runtime.migration.mapping import ASPECTS, UNDECIDED

# What of an executor a mapping may send to different places, with what people call it;
# and the choice that is not made yet.
MAPPING_ASPECTS = ASPECTS
MAPPING_UNDECIDED = UNDECIDED


class GraphChangesArguments(Model):
    """How a document differs from the graph of a checkpoint. Nothing of the document is
    built or run. `document` is a whole file's content, `folder` where its files are.
    """

    document: dict[str, Any]
    folder: str = ""
    checkpoint_id: str


class ChangePlanArguments(Model):
    """How the workflow that is open would go on from a checkpoint of another graph.
    Nothing is changed. The conditions of the next superstep are evaluated.
    """

    checkpoint_id: str
    mapping: dict[str, Any] | None = None


class GraphChange(Model):
    """One difference between two graphs, as a sentence without its end.

    element  what it is about: executor, edge, join, start, reducer, workflow
    id       of the executor, edge or key; of what was removed the old one
    field    which of its fields changed; "" for an element that is new or gone
    inside   node ids that lead to the sub-workflow in which it is
    """

    kind: Literal["added", "removed", "renamed", "changed"]
    element: str
    id: str
    text: str
    field: str = ""
    inside: tuple[str, ...] = ()


class GraphChangesBody(Model):
    """`before` is the newest checkpoint on the way to the asked one at which the change
    makes no difference yet: the changed graph would have come there too. `complete` is
    False if only the newest part of the way was looked at.
    """

    checkpoint_id: str
    changes: tuple[GraphChange, ...] = ()
    before: Header
    complete: bool = True


class HeldThing(Model):
    """Something that a run holds, in words.

    executor  the executor or join that it belongs to, by its id in the graph before
    aspect    the field of its entry in the mapping: messages_for, messages_from, record,
              requests, runs, or join
    """

    text: str
    executor: str = ""
    aspect: str = ""
    inside: tuple[str, ...] = ()


class MappingLevel(Model):
    """What of one level a mapping may choose from: executors and joins of the changed
    graph. `inside` has the ids in the graph before; the name of a join is (id, words).
    """

    inside: tuple[str, ...] = ()
    executors: tuple[str, ...] = ()
    joins: tuple[tuple[str, str], ...] = ()


class UpcomingCall(Model):
    """An executor that the next superstep runs, and whose messages it gets."""

    executor: str
    calls: int = 1
    sources: tuple[str, ...] = ()
    path: tuple[str, ...] = ()


class LostMessage(Model):
    """Messages that nothing takes in the next superstep, with one of the reasons.
    `path` has the keys of the invocations that lead to them.
    """

    source: str
    target: str = ""
    reason: str = ""
    count: int = 1
    path: tuple[str, ...] = ()


class ChangePlanBody(Model):
    """How the changed workflow goes on from a checkpoint. With `problems` it cannot.

    mapping   where everything goes: the proposal, with the entries that were asked for
    kept      what goes on, counted in words
    dropped   what the mapping drops
    upcoming  who runs in the next superstep; `error` is why that is not known
    """

    checkpoint_id: str
    changes: tuple[GraphChange, ...] = ()
    mapping: dict[str, Any] = Field(default_factory=dict)
    levels: tuple[MappingLevel, ...] = ()
    kept: tuple[str, ...] = ()
    dropped: tuple[HeldThing, ...] = ()
    problems: tuple[HeldThing, ...] = ()
    upcoming: tuple[UpcomingCall, ...] = ()
    lost: tuple[LostMessage, ...] = ()
    error: str = ""
