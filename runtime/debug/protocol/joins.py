"""Joins at one moment: what each holds, awaits and has released."""

from __future__ import annotations

from runtime.debug.protocol.packets import Model
from runtime.debug.protocol.values import Value


class JoinRelease(Model):
    """A join that fired: how many messages of each source it released as one list.
    `superstep` and `checkpoint_id` say when, for one of an earlier superstep.
    """

    edge: str
    target: str
    counts: tuple[tuple[str, int], ...] = ()
    superstep: int = 0
    checkpoint_id: str | None = None


class JoinSource(Model):
    """One source of a join: how many of its messages the join has and needs, how many
    it `released` in this superstep, and why one is missing. A join does not wait for a
    `disabled` source. `ages` says of each message in which superstep it arrived, None
    if that is not known; `since` is that of the oldest. `sections` names each message
    for `expand`.

    cause_element    the node or edge that the reason is about, "" for none
    cause_superstep  that of the outermost run in which it happened, 0 for the moment
    """

    id: str
    have: int
    need: int
    released: int = 0
    disabled: bool = False
    since: int | None = None
    reason: str = ""
    cause_element: str = ""
    cause_superstep: int = 0
    messages: tuple[Value, ...] = ()
    ages: tuple[int | None, ...] = ()
    sections: tuple[str, ...] = ()


class JoinFill(Model):
    """A superstep in which messages arrived at a join or left it: what it had of each
    source afterwards, and how many it released, in the order of the sources.
    """

    superstep: int
    have: tuple[int, ...] = ()
    released: tuple[int, ...] = ()


class JoinMoment(Model):
    """A join at one moment. `fired` is this superstep if the join fired in it,
    else 0. `stalled` is true when the run rests and the join still holds
    messages. `releases` are the earlier ones, the newest first, and `filling` has the
    last supersteps in which something arrived or left, the oldest first. `key` names
    its buffer in the state, "" as long as that has none.
    """

    edge: str
    target: str
    policy: str
    sources: tuple[JoinSource, ...]
    missing: tuple[str, ...] = ()
    held: int = 0
    fired: int = 0
    stalled: bool = False
    preview: tuple[str, ...] = ()
    releases: tuple[JoinRelease, ...] = ()
    filling: tuple[JoinFill, ...] = ()
    key: str = ""

    @property
    def filled(self) -> int:
        """Return how many sources have at least one message here."""
        return sum(1 for source in self.sources if source.have)

    @property
    def awaited(self) -> int:
        """Return how many sources are not disabled."""
        return sum(1 for source in self.sources if not source.disabled)
