"""Explorations: a superstep that runs again in other orders, and what came of it."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from runtime.debug.protocol.comparison import ChangeItem
from runtime.debug.protocol.packets import Model

FindingKind = Literal[
    "orders", "not repeatable", "kept outside", "residue", "swallowed"
]


class ExploreArguments(Model):
    """Explore the superstep that follows on a checkpoint, under an `id` of the asker.
    What is found comes as notices `explored`. The exploration before it ends.

    orders    how many orders are tried at most, and how many failures put in
    seed      of what is left to chance
    failures  whether failures and cancellations are put in
    live      whether what reaches outside is really done, in each try
    """

    id: str
    checkpoint_id: str
    orders: int = Field(default=40, ge=1, le=10_000)
    seed: int = 0
    failures: bool = True
    live: bool = False


class ExploreStopArguments(Model):
    id: str


class ExploredCall(Model):
    """A handler call of the superstep: the `number`th of `of` deliveries of an
    executor. `path` has the keys of the invocations that lead to it, `title` what it is
    called in texts.
    """

    path: tuple[str, ...] = ()
    executor: str
    handler: str = ""
    number: int = 1
    of: int = 1
    title: str = ""


class ExploredLane(Model):
    """When a call was at work, from tick to tick, and how it ended. `call` is its place
    in `ExploredBody.calls`.
    """

    call: int
    work: tuple[tuple[int, int], ...] = ()
    end: str = "ended"


class ExploredOutcome(Model):
    """What the superstep came to in some tries.

    tries        how many
    when         the order that leads there, as it differs from the fixed one
    lanes        who was at work when, in that order
    recorded_in  the id of the checkpoint of the run that has this outcome, or ""
    saved_in     the id of the checkpoint in `ExploredBody.store` that has it, or ""
    error        why the superstep fails, or ""
    changes      what differs from the first outcome; `more` are not sent
    """

    tries: int
    when: str
    lanes: tuple[ExploredLane, ...] = ()
    recorded_in: str = ""
    saved_in: str = ""
    error: str = ""
    changes: tuple[ChangeItem, ...] = ()
    more: int = 0


class ExploredFinding(Model):
    """Something that a correct superstep does not do. `outcome` is the place of the
    other outcome for `orders`, `call` the place of the call that it is about.
    """

    kind: FindingKind
    text: str
    outcome: int | None = None
    call: int | None = None
    changes: tuple[ChangeItem, ...] = ()


class ExploredBody(Model):
    """How far an exploration is, and what it has found so far.

    superstep  the number of the superstep that is explored
    phase      what is tried now: repeat, orders, witnesses or failures
    planned    how many tries there will be, as far as that is known
    count      outcomes so far; `outcomes` has the first of them
    complete   every order of whole calls was tried, and no call waits in between
    store      the URL of the store that has the outcomes, or ""
    refused    why it was not explored, or ""
    done       it has ended by itself
    failed     why it cannot go on, or ""
    """

    id: str
    checkpoint_id: str
    superstep: int = 0
    calls: tuple[ExploredCall, ...] = ()
    phase: str = ""
    tries: int = 0
    planned: int = 0
    disturbed: int = 0
    count: int = 0
    outcomes: tuple[ExploredOutcome, ...] = ()
    findings: tuple[ExploredFinding, ...] = ()
    notes: tuple[str, ...] = ()
    complete: bool = False
    store: str = ""
    refused: str = ""
    done: bool = False
    failed: str = ""


class ExploreRequest(Model):
    """What the process of an exploration is asked, on its standard input.

    document  the workflow as it is open; it is used if its graph is that of the
              checkpoint, else the one that the checkpoint carries
    folder    of the document
    outcomes  the URL of the store in which the outcomes are saved, or ""
    """

    store: str
    outcomes: str = ""
    arguments: ExploreArguments
    document: dict[str, object] | None = None
    folder: str = ""
