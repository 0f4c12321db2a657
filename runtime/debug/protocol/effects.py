"""Calls that reach outside of a run: what happens of them when it goes on from the past."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from runtime.debug.protocol.packets import Model
from runtime.patches.patch import Patch

CallMode = Literal["recorded", "live", "pinned"]
# What a run does before a call that has no result in the record although the run went
# this far before: it calls, stops there, or ends with an error.
OnMiss = Literal["live", "stop", "refuse"]


class PinnedResult(Model):
    """A result of the user's for every call of an executor: the messages that it sends,
    what it yields and writes, as JSON; or the text of its error.
    """

    sent: tuple[Any, ...] = ()
    outputs: tuple[Any, ...] = ()
    writes: dict[str, Any] = Field(default_factory=dict)
    error: str = ""


class ReplaySettings(Model):
    """What the executors do that reach outside. Each is named by the ids of the nodes
    that lead to it, such as `review/judge`.

    `live` ones are called, `pinned` ones have the result that is given, and all others do
    what `default` says: they have the recorded result where code, messages and state are
    the same.
    """

    live: tuple[str, ...] = ()
    pinned: dict[str, PinnedResult] = Field(default_factory=dict)
    default: Literal["recorded", "live"] = "recorded"
    on_miss: OnMiss = "stop"


class OutsideCall(Model):
    """Calls of one executor in one superstep that reach outside.

    executor    its id; `path` has the keys of the invocations that lead to it
    calls       how many
    mode        what happens of them when the run goes on
    what        what each does beyond the run: "HTTP request to example.org"
    reason      why they are live, or on what it depends that they are not
    is_unasked  whether they would be made again without a word of the user's, so that the run stops before them
    """

    executor: str
    path: tuple[str, ...] = ()
    calls: int = 1
    mode: CallMode = "live"
    what: str = ""
    reason: str = ""
    superstep: int = 0
    is_unasked: bool = False


class RestorePlanArguments(Model):
    """What would happen outside of a run that goes on from a checkpoint. Nothing is
    changed and nothing is called. Conditions of the next superstep are evaluated. With a
    `patch` it is the checkpoint as the patch leaves it.
    """

    checkpoint_id: str
    replay: ReplaySettings | None = None
    patch: Patch | None = None


class RestorePlanBody(Model):
    """`words` has it in one line: "2 recorded, 1 live: HTTP request to example.org"."""

    checkpoint_id: str
    calls: tuple[OutsideCall, ...] = ()
    words: str = ""
